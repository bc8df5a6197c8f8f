// The queue's policy, by the tests of every engine: the local engine of the tests holds it as a value.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { engineConformance, toyConduct } from '../../../../test/support/engine-conformance.js';
import { openLocalEngine } from '../../../../test/support/local-engine.js';

const folder = mkdtempSync(join(tmpdir(), 'umpire-queue-'));
let opened = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

engineConformance('local', async (options) => ({
  engine: openLocalEngine(join(folder, `${opened++}`), options),
  close: async () => undefined,
}));

/** Time passes only where the test says so. */
function makeClock() {
  let nowMs = 0;
  const calls = new Set<{ readonly atMs: number; readonly act: () => void }>();
  return {
    now: () => nowMs,
    after: (ms: number, act: () => void) => {
      const call = { atMs: nowMs + ms, act };
      calls.add(call);
      return () => void calls.delete(call);
    },
    pass: async (ms: number) => {
      const endMs = nowMs + ms;
      for (;;) {
        for (let at = 0; at < 20; at++) await Promise.resolve();
        const [next] = [...calls].filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        calls.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.act();
      }
      nowMs = endMs;
    },
  };
}

it('runs on a clock of a simulation: a beat extends a lease by exactly its length', async () => {
  const clock = makeClock();
  const engine = openLocalEngine(join(folder, 'clock'), clock);
  const [client, worker, conductor] = await Promise.all([engine.client(), engine.worker(), engine.conductor()]);
  const stop = new AbortController();
  const conducting = conductor.conduct(toyConduct, { signal: stop.signal, concurrency: 1 });
  const info = { name: 'w', labels: [], slots: 1 };
  const polled = worker.poll(info, 1000);
  await clock.pass(999);
  await client.tell('s', { start: [{ task: 'a' }] }, 'start');
  const lease = await polled;
  expect(lease).toMatchObject({ task: 'a', attempt: 1 });
  const token = lease?.token ?? '';
  await clock.pass(59_999);
  expect(await worker.beat('w', [token])).toEqual({ lost: [], draining: false });
  await clock.pass(59_999);
  expect(await client.lines('s', 0)).toHaveLength(2);
  await clock.pass(1);
  expect(JSON.parse((await client.lines('s', 2))[0] ?? '')).toMatchObject({ kind: 'lost', attempt: 1 });
  expect(await worker.handIn(token, 'late')).toBeNull();
  stop.abort();
  await conducting;
});

it('continues what it finds in its folder', async () => {
  const place = join(folder, 'again');
  const play = async (expected: string) => {
    const engine = openLocalEngine(place);
    const [client, worker, conductor] = await Promise.all([engine.client(), engine.worker(), engine.conductor()]);
    const stop = new AbortController();
    const conducting = conductor.conduct(toyConduct, { signal: stop.signal, concurrency: 1 });
    if (expected === 'a') await client.tell('s', { start: [{ task: 'a' }, { task: 'b' }] }, 'start');
    const lease = await worker.poll({ name: 'w', labels: [], slots: 1 }, 60_000);
    expect(lease).toMatchObject({ session: 's', task: expected });
    await worker.handIn(lease?.token ?? '', 'done');
    stop.abort();
    await conducting;
  };
  await play('a');
  await play('b');
  expect(
    readFileSync(join(place, 's', 'journal.ndjson'), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(6);
});
