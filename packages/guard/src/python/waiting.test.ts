// Who waits for coroutines in Python tests: each way to forget one, beside a way to wait for it.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

type Row = readonly [string, string, string, readonly string[]];

const HEAD = '@pytest.mark.asyncio\nasync def test_a():';
const CHECK = 'async def check(value):\n    assert await load(value) == 1\n\n\n';
const asked = (body: string): string => CHECK + testOf(body, HEAD);
const scenario = (end: string): string =>
  testOf(`async def scenario():\n    assert await load(1) == 1\n    assert await load(2) == 2\n\n${end}`);
const UNAWAITED = ['assertion-unawaited'];

const ROWS: readonly Row[] = [
  ['bare', asked('await check(1)'), asked('check(1)'), UNAWAITED],
  ['task', asked('await check(1)'), asked('asyncio.create_task(check(1))'), UNAWAITED],
  ['task of a loop', asked('await check(1)'), asked('asyncio.get_running_loop().create_task(check(1))'), UNAWAITED],
  ['task kept, not awaited', asked('await check(1)'), asked('task = asyncio.create_task(check(1))\nassert task'), [...UNAWAITED]],
  ['task kept and awaited', asked('await check(1)'), asked('task = asyncio.create_task(check(1))\nawait task'), []],
  ['task awaited', asked('await check(1)'), asked('await asyncio.create_task(check(1))'), []],
  ['task cancelled', asked('await check(1)'), asked('task = asyncio.create_task(check(1))\ntask.cancel()'), UNAWAITED],
  [
    'task asked for its result',
    asked('await check(1)'),
    asked('task = asyncio.create_task(check(1))\nawait asyncio.sleep(1)\ntask.result()'),
    [],
  ],
  ['group of tasks', asked('await check(1)'), asked('async with asyncio.TaskGroup() as jobs:\n    jobs.create_task(check(1))'), []],
  ['nursery', asked('await check(1)'), asked('async with trio.open_nursery() as jobs:\n    jobs.start_soon(check, 1)'), []],
  ['gather, not awaited', asked('await check(1)'), asked('asyncio.gather(check(1))'), UNAWAITED],
  ['gather, awaited', asked('await check(1)'), asked('await asyncio.gather(check(1))'), []],
  [
    'list of tasks',
    asked('await check(1)'),
    asked('jobs = []\njobs.append(asyncio.create_task(check(1)))\nawait asyncio.gather(*jobs)'),
    [],
  ],
  [
    'list of tasks, left',
    asked('await check(1)'),
    asked('jobs = []\njobs.append(asyncio.create_task(check(1)))\nassert len(jobs) == 1'),
    UNAWAITED,
  ],
  ['list of coroutines, left', asked('for n in [1, 2]:\n    await check(n)'), asked('[check(n) for n in [1, 2]]'), UNAWAITED],
  ['wait_for, kept for nothing', asked('await check(1)'), asked('_ = asyncio.wait_for(check(1), 1)'), UNAWAITED],
  ['wait_for, awaited', asked('await check(1)'), asked('await asyncio.wait_for(check(1), 1)'), []],
  [
    'failures kept for nothing',
    asked('await check(1)'),
    asked('_ = await asyncio.gather(check(1), return_exceptions=True)'),
    ['assertion-swallowed'],
  ],
  [
    'failures kept and looked at',
    asked('await check(1)'),
    asked('found = await asyncio.gather(check(1), return_exceptions=True)\nassert found == [None]'),
    [],
  ],
  ['scenario', scenario('asyncio.run(scenario())'), scenario('scenario()'), UNAWAITED],
  ['scenario of another loop', scenario('asyncio.run(scenario())'), scenario('anyio.run(scenario)'), []],
  [
    'helper that hands a coroutine on',
    asked('await check(1)'),
    `${CHECK}def later(value):\n    return check(value)\n\n\n${testOf('await later(1)', HEAD)}`,
    [],
  ],
  [
    'helper that is not awaited',
    asked('await check(1)'),
    `${CHECK}def later(value):\n    return check(value)\n\n\n${testOf('later(1)', HEAD)}`,
    UNAWAITED,
  ],
  [
    'act dropped',
    testOf('await load(1)\nassert shop.cart.failed == []', HEAD),
    testOf('load(1)\nassert shop.cart.failed == []', HEAD),
    UNAWAITED,
  ],
  [
    'act in a task',
    testOf('await load(1)\nassert shop.cart.failed == []', HEAD),
    testOf('await asyncio.create_task(load(1))\nassert shop.cart.failed == []', HEAD),
    [],
  ],
  [
    'mark of a class',
    `class TestA:\n    @pytest.mark.asyncio\n    async def test_a(self):\n        assert await load(1) == 1\n\n    @pytest.mark.asyncio\n    async def test_b(self):\n        assert await load(2) == 2\n`,
    `class TestA:\n    async def test_a(self):\n        assert await load(1) == 1\n\n    @pytest.mark.asyncio\n    async def test_b(self):\n        assert await load(2) == 2\n`,
    UNAWAITED,
  ],
  [
    'mark on the class',
    `class TestA:\n    @pytest.mark.asyncio\n    async def test_a(self):\n        assert await load(1) == 1\n`,
    `@pytest.mark.asyncio\nclass TestA:\n    async def test_a(self):\n        assert await load(1) == 1\n`,
    [],
  ],
  [
    'awaited, then called',
    testOf('api.send.assert_awaited_once_with(1)', HEAD),
    testOf('api.send.assert_called_once_with(1)', HEAD),
    ['assertion-weakened'],
  ],
  ['called, then awaited', testOf('api.send.assert_called_once_with(1)', HEAD), testOf('api.send.assert_awaited_once_with(1)', HEAD), []],
  ['no coroutine any more', testOf('api.send.assert_awaited_once_with(1)', HEAD), testOf('api.send.assert_called_once_with(1)'), []],
];

describe('a coroutine of a test', () => {
  test.each(ROWS)('%s', (_name, before, after, rules) => {
    expect(rulesFor(before, after)).toEqual(rules);
  });
});
