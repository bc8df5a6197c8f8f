import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { functionAgent } from './function-agent.js';

const NONE = { tokens: 0, costUsd: 0 };
const assignment = (more: Partial<Assignment> = {}) =>
  ({ outputs: ['score', 'signal'], interactive: false, timeoutMs: 60_000, ...more }) as unknown as Assignment;
const watching = (signal: AbortSignal = new AbortController().signal): Watch => ({ signal, log: () => undefined });
const broken = (what: string): Ending => ({ kind: 'broken', reason: `The agent "mine" ${what}.`, usage: NONE });

/** The agent, whose function may be any program's. */
function mine(run: (...given: Parameters<Agent['run']>) => unknown): Agent {
  return functionAgent({ name: 'mine', run: run as Agent['run'] });
}

async function check(handed: unknown, ending: Ending, more: Partial<Assignment> = {}): Promise<void> {
  expect(await mine(() => handed).run(assignment(more), watching())).toEqual(ending);
}

it('returns a valid ending unchanged', async () => {
  const ending: Ending = { kind: 'completed', findings: 'x', error: '', outputs: { score: '7' }, usage: { tokens: 3, costUsd: 0.5 } };
  await check(Promise.resolve(ending), ending);
  await check({ kind: 'asked', question: 'Which?' }, { kind: 'asked', question: 'Which?', usage: NONE }, { interactive: true });
  await check({ kind: 'interrupted' }, { kind: 'interrupted' });
  await check({ kind: 'interrupted', usage: { tokens: 3 } }, { kind: 'interrupted', usage: { tokens: 3, costUsd: 0 } });
});

it('V3: measures nothing, whatever it says', async () => {
  const ending: Ending = { kind: 'completed', findings: '', error: '', outputs: {}, usage: NONE };
  await check({ ...ending, measured: new Map([['results/run-L1.json', Buffer.from('{}')]]) }, ending);
});

it('fills in missing fields and turns numbers and lists into text', async () => {
  const empty = { findings: '', error: '', outputs: {}, usage: NONE };
  await check({ kind: 'completed' }, { kind: 'completed', ...empty });
  const odd = {
    kind: 'failed',
    findings: ['a', 'b'],
    error: null,
    outputs: { score: 7, signal: true, other: 'x' },
    usage: { tokens: '9' },
  };
  await check(odd, { ...empty, kind: 'failed', findings: 'a;b', outputs: { score: '7', signal: 'true' } });
});

it('breaks for an invalid ending, and the reason names what was returned', async () => {
  await check(undefined, broken("returned nothing; expected an object such as { kind: 'completed' }"));
  await check('done', broken("returned no object; expected an object such as { kind: 'completed' }"));
  await check({ kind: 'done' }, broken('returned the kind "done"; expected completed or failed'));
  await check({ kind: 'asked', question: 'Which?' }, broken('asked a question, but the task is not interactive'));
});

it('breaks when the function throws, but rejects when the log cannot be written', async () => {
  const thrower = mine(() => {
    throw new Error('no\nnetwork');
  });
  expect(await thrower.run(assignment(), watching())).toEqual(broken('threw an error: no network'));
  const later = mine(() => Promise.reject(new TypeError('x is not a function')));
  expect(await later.run(assignment(), watching())).toEqual(broken('threw an error: x is not a function'));
  const fault = new UmpireError('write-failed', { path: 'logs/x.txt', detail: 'the disk is full' });
  // One that it comes by in its own work is its own.
  const other = await mine(() => Promise.reject(fault)).run(assignment(), watching());
  expect(other).toEqual(broken(`threw an error: ${fault.message}`));
  const full: Watch = {
    ...watching(),
    log: () => {
      throw fault;
    },
  };
  await expect(mine((_, { log }) => log('stdout', new Uint8Array())).run(assignment(), full)).rejects.toBe(fault);
});

it('times out, and the function gets the abort signal', async () => {
  let told: unknown = null;
  const sleeper = mine((_, { signal }) => {
    signal.addEventListener('abort', () => void (told = signal.reason));
    return new Promise(() => undefined);
  });
  expect(await sleeper.run(assignment({ timeoutMs: 20 }), watching())).toEqual({
    ...broken('timed out after 0.02 seconds'),
    cutOff: true,
  });
  expect(told).toBe('out of time');
});

it('passes on the stop of the run; an error after it counts as an interruption', async () => {
  const stop = new AbortController();
  const fetcher = mine(
    (_, { signal }) => new Promise((_done, fail) => signal.addEventListener('abort', () => fail(signal.reason as Error))),
  );
  const ending = fetcher.run(assignment(), watching(stop.signal));
  await nextTurn();
  stop.abort(new Error('stopped'));
  expect(await ending).toEqual({ kind: 'interrupted' });
});

it('shows the stop also to a function that reads the signal late', async () => {
  const stop = new AbortController();
  const late = mine(async (_, watch) => {
    await nextTurn();
    return { kind: 'completed', findings: `${watch.signal.aborted}: ${String(watch.signal.reason)}` };
  });
  const ending = late.run(assignment(), watching(stop.signal));
  stop.abort('stopped');
  expect(await ending).toMatchObject({ findings: 'true: stopped' });
});

it('works with an agent that is an instance of a class', async () => {
  class Counter implements Agent {
    readonly name = 'counter';
    readonly inProcess = true;
    private asked = 0;
    run(): Promise<Ending> {
      this.asked += 1;
      return Promise.resolve({ kind: 'completed', findings: String(this.asked), error: '', outputs: {}, usage: NONE });
    }
  }
  const agent = functionAgent(new Counter());
  await agent.run(assignment(), watching());
  expect([agent.name, agent.inProcess, await agent.run(assignment(), watching())]).toMatchObject(['counter', true, { findings: '2' }]);
});
