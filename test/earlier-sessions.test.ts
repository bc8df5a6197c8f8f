// Sessions that an earlier version started (fixtures/earlier). Texts have changed since; rules have not. So replay finds no difference,
// nothing is judged twice, and an interrupted session continues to its end.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import { resolve, resume, run } from '@umpire/umpire/engine/session.js';
import { replay } from '@umpire/umpire/sessions/replay.js';
import { gitIn } from './support/git-project.js';
import { newFolder, root } from './support/journal.js';
import { verdictsOf } from './support/run-project.js';
import { changes, snapshot } from './support/spec-fixture.js';
import { endTasks } from './support/tasks.js';

const EARLIER = join(root, 'fixtures', 'earlier');
const RECORDED_IN = '/tmp/umpire-earlier';

/** A copy of the session without its project. */
function sessionOf(fixture: string): string {
  const session = newFolder();
  cpSync(join(EARLIER, fixture, 'session'), session, { recursive: true });
  return session;
}

/** The project with its session inside, in another place than where it was recorded. */
function unpack(fixture: string, session: string): string {
  // Otherwise Umpire would continue in the folder of the recording.
  expect(existsSync(RECORDED_IN)).toBe(false);
  const project = join(newFolder(), 'project');
  mkdirSync(project, { recursive: true });
  gitIn(project, 'init', '-q', '-b', 'main');
  gitIn(project, 'fetch', '-q', '--update-head-ok', join(EARLIER, fixture, 'project.bundle'), 'refs/*:refs/*');
  gitIn(project, 'reset', '-q', '--hard');
  const place = join(project, '.umpire', 'sessions', session);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(join(project, '.umpire', '.gitignore'), '*\n');
  cpSync(join(EARLIER, fixture, 'session'), place, { recursive: true });
  return place;
}

it.each([
  ['review-fix', 1],
  ['until-waiting', 2],
  ['testing-killed', 1],
])('%s replays without a difference', async (fixture, verdicts) => {
  const session = sessionOf(fixture);
  expect(await replay({ session })).toMatchObject({ result: 'same', counts: { verdicts, same: verdicts }, chain: { unbroken: true } });
});

it('a judged session gets the same verdict again, and nothing is written', async () => {
  const session = sessionOf('review-fix');
  const before = snapshot(session);
  expect(await decide({ loop: 'review', session })).toMatchObject({
    repeated: true,
    notes: [],
    verdict: { decision: 'FIX', rule: 'R4', round: 1 },
  });
  expect(changes(before, snapshot(session))).toEqual([]);
});

const review = builtinLoop('review') as Loop;
const reworded: Loop = {
  ...review,
  title: 'Other words.',
  table: review.table.map((row) => ({ ...row, why: 'Other words.', next: 'Other words.' })),
};
const changed: Loop = { ...review, table: review.table.filter(({ id }) => id !== 'R4') };

it.each([
  ['a loop with other texts has the same rules', reworded, []],
  ['a changed rule is reported, and the old rules stay', changed, ['E5']],
])('%s', async (_, loop, anomalies) => {
  const session = sessionOf('review-fix');
  const again = await decide({ loop, session });
  expect([again.repeated, again.notes.length]).toEqual([true, anomalies.length]);
  const results = join(session, 'artifacts', 'review-results.json');
  writeFileSync(results, readFileSync(results, 'utf8').replace('5.5', '5.6'));
  endTasks(session);
  const { verdict, repeated } = await decide({ loop, session });
  expect([repeated, verdict.rule, verdict.anomalies.map(({ rule }) => rule)]).toEqual([false, 'R4', anomalies]);
});

it('`run` with another goal continues the session, and with other rules it is refused', async () => {
  const session = unpack('testing-killed', 'adding');
  const project = dirname(dirname(dirname(session)));
  const testing = builtinLoop('testing') as Loop;
  const asBefore = { session, project, goal: 'cover add' };
  const other = { ...testing, cap: { default: 7 } };
  await expect(run({ ...asBefore, loop: other })).rejects.toMatchObject({ code: 'session-other' });
  const { status } = await run({ ...asBefore, loop: { ...testing, title: 'Other words.' } });
  expect(status).toBe('complete');
});

it('a session that waits for a person continues after the answer', async () => {
  const session = unpack('until-waiting', 'greeting');
  const { status } = await resolve({ session, answer: 'extend', rounds: 1 });
  expect(status).toBe('complete');
  expect(verdictsOf(session)).toEqual([
    'CHECK-001 retry U8 0/1',
    'CHECK-re-1 escalate U9 1/1',
    'CHECK-re-1 retry U8 1/2',
    'CHECK-re-2 pass U5 2/2',
  ]);
  expect((await replay({ session })).result).toBe('same');
});

it('a session that was killed during a task continues to its end', async () => {
  const session = unpack('testing-killed', 'adding');
  const { status } = await resume({ session });
  expect(status).toBe('complete');
  expect(verdictsOf(session)).toEqual(['TESTRUN-001 RETRY T3 0/3', 'TESTRUN-fix-L1-1 CONVERGE T2 1/3']);
  expect((await replay({ session })).result).toBe('same');
});
