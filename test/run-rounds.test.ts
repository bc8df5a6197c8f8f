// Rounds that made things worse are reverted, granted rounds are run, and a finished session asks for nothing more.

import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { GOOD_REVIEW, POOR_REVIEW, REST, review, testRun, writer } from './support/run-evidence.js';
import { harmedProseLoop } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, textOf, verdictsOf, wavesRun } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const AS_IT_WAS = { passed: 90, coverage: 90, failing: ['adds'] };
const WORSE = { passed: 80, coverage: 90, failing: ['adds', 'subtracts'] };

/** The first run finds one failure, and every cycle of fixes adds another. */
function harmful(): RunProject {
  const answers = [
    testRun('L1', AS_IT_WAS, { task: 'TESTRUN-001' }),
    // The next run finds the files without the reverted cycle.
    testRun('L1', AS_IT_WAS, { role: 'executor', attempt: 2 }),
    testRun('L1', WORSE, { role: 'executor' }),
    { ...writer('generator'), write: { 'test/{id}.txt': '{id}\n' } },
    REST,
  ];
  return makeProject({ answers });
}

async function reverted(project: RunProject, session: string): Promise<unknown> {
  const { out } = await project.umpire('diff', session);
  return {
    taken: eventsOfType(session, 'WorkReverted').map(({ tasks, ok }) => ({ tasks, ok })),
    left: [...out.matchAll(/test\/TESTGEN-fix-L1-\d\.txt/g)].map(([path]) => path),
    replayed: (await project.umpire('replay', session)).exit,
  };
}

it('T6: reverts every cycle that only adds failures, also the last one at the cap', async () => {
  const project = harmful();
  const { exit, session } = await project.umpire('run', 'testing', 'x', '--mode', 'targeted', '--max-rounds', '2');
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({
    exit: 3,
    verdicts: ['TESTRUN-001 RETRY T3 0/2', 'TESTRUN-fix-L1-1 RETRY T6 1/2', 'TESTRUN-fix-L1-2 ACCEPT T4 2/2 unverified'],
  });
  expect(await reverted(project, session)).toEqual({
    taken: [
      { tasks: ['TESTGEN-fix-L1-1'], ok: true },
      { tasks: ['TESTGEN-fix-L1-2'], ok: true },
    ],
    left: [],
    replayed: 0,
  });
  // Compared with the files before the cycle, not with the reverted ones.
  const page = textOf(session, 'verdicts/testing-L1-round-2.md');
  expect(page).toContain('Pass Rate: 90% -> 80%');
});

it('T6: with --strict, reverts the last cycle before it asks, and tests again after a grant', SOAK, async () => {
  const project = harmful();
  const { exit, session } = await project.umpire('run', 'testing', 'x', '--mode', 'targeted', '--max-rounds', '1', '--strict');
  expect({ exit, taken: eventsOfType(session, 'WorkReverted').length }).toEqual({ exit: 4, taken: 1 });
  const more = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect({ exit: more.exit, waves: wavesRun(session).slice(-3) }).toEqual({
    exit: 4,
    waves: ['TESTRUN-fix-L1-1', 'TESTGEN-fix-L1-2', 'TESTRUN-fix-L1-2'],
  });
  expect(await reverted(project, session)).toMatchObject({ taken: [{ ok: true }, { ok: true }], left: [], replayed: 0 });
});

it('T6: reverts damage before it asks a person about a stalled loop', SOAK, async () => {
  const project = harmful();
  const flags = ['--mode', 'targeted', '--max-rounds', '6', '--stop-when-stalled'];
  const { session } = await project.umpire('run', 'testing', 'x', ...flags);
  expect(verdictsOf(session).map((line) => line.split(' ')[2])).toEqual(['T3', 'T6', 'E10']);
  await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '2');
  expect(verdictsOf(session).map((line) => line.split(' ')[2])).toEqual(['T3', 'T6', 'E10', 'T3', 'T6', 'E10']);
  const { taken, left, replayed } = (await reverted(project, session)) as {
    taken: { tasks: string[] }[];
    left: string[];
    replayed: number;
  };
  expect({ taken: taken.flatMap(({ tasks }) => tasks), left: [...new Set(left)], replayed }).toEqual({
    taken: ['TESTGEN-fix-L1-1', 'TESTGEN-fix-L1-2', 'TESTGEN-fix-L1-3', 'TESTGEN-fix-L1-4'],
    left: [],
    replayed: 0,
  });
});

it('T2: keeps a cycle that reached the target, although it broke another test', SOAK, async () => {
  const answers = [
    testRun('L1', AS_IT_WAS, { task: 'TESTRUN-001' }),
    testRun('L1', { passed: 99, coverage: 90, failing: ['subtracts'] }, { role: 'executor' }),
    { ...writer('generator'), write: { 'test/{id}.txt': '{id}\n' } },
    REST,
  ];
  const { exit, session } = await makeProject({ answers }).umpire('run', 'testing', 'x', '--mode', 'targeted');
  const last = eventsOfType(session, 'VerdictGiven').at(-1);
  expect({ exit, rule: last?.verdict.rule, broken: last?.facts['broken'], gain: last?.facts['gain'] }).toEqual({
    exit: 0,
    rule: 'T2',
    broken: 1,
    gain: 0,
  });
  expect({ worse: last?.verdict.worse, taken: eventsOfType(session, 'WorkReverted') }).toEqual({ worse: undefined, taken: [] });
});

it("takes back what a loop of one's own calls worse, at its cap too, and tells whoever goes on", SOAK, async () => {
  const tasks = [{ id: 'WRITE-1' }, { id: 'READ-1', role: 'reader', deps: ['WRITE-1'] }];
  const loop = harmedProseLoop({ tasks, writes: ['writer'], judged: true });
  const project = makeProject({ files: { 'prose.yaml': loop, 'roles/prose/judge.md': 'Judge prose.\n' } });
  const agent = project.sh(`cp "$UMPIRE_TASK_FILE" "$beside/$id.json"
reading() { printf '{"good":false,"faults":[%s]}' "$1" > "$UMPIRE_SESSION/reading.json"; }
case $id in
  READ-1) reading '"dull"' ;;
  READ-re-1) reading '"dull","long"' ;;
  READ-re-2) reading '"loud"' ;;
  *) mkdir -p text && echo "$id" > "text/$id.txt" ;;
esac
complete done`);
  const { exit, session } = await project.umpire('run', './prose.yaml', 'x', '--max-rounds', '3', ...agent);
  expect({ exit, verdicts: verdictsOf(session), worse: eventsOfType(session, 'VerdictGiven').map(({ verdict }) => verdict.worse) }).toEqual(
    {
      exit: 4,
      verdicts: ['READ-1 AGAIN P3 1/3', 'READ-re-1 AGAIN P3 2/3', 'READ-re-2 ASK P4 3/3'],
      worse: [undefined, true, true],
    },
  );
  // The last round is compared with the first, since the rounds between were reverted.
  expect(eventsOfType(session, 'WorkReverted').map(({ tasks: taken, ok }) => ({ taken, ok }))).toEqual([
    { taken: ['WRITE-re-1'], ok: true },
    { taken: ['WRITE-re-2'], ok: true },
  ]);
  const { out } = await project.umpire('diff', session);
  expect([...new Set(out.match(/text\/[\w-]+\.txt/g))]).toEqual(['text/WRITE-1.txt']);
  expect((await project.umpire('replay', session)).exit).toBe(0);
  const told = (task: string) => textOf(project.beside, `${task}.json`).includes('made things worse, so Umpire reverted it');
  expect([told('WRITE-re-1'), told('WRITE-re-2')]).toEqual([false, true]);
  expect(textOf(session, 'verdicts/prose-session-round-3.md')).toContain('WORSE: the work of this round made things worse');
});

it('E10: runs the rounds that a person grants to a stalled loop', SOAK, async () => {
  const project = makeProject({ answers: [review(POOR_REVIEW), writer('developer'), REST] });
  const { session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--max-rounds', '8', '--stop-when-stalled');
  const before = verdictsOf(session);
  expect(before.at(-1)).toMatch(/ESCALATE E10 3\/8$/);
  const { exit } = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '2');
  expect({ exit, after: verdictsOf(session).slice(before.length) }).toEqual({
    exit: 4,
    after: [
      expect.stringMatching(/FIX \w+ 3\/10$/) as string,
      expect.stringMatching(/FIX \w+ 4\/10$/) as string,
      expect.stringMatching(/ESCALATE E10 5\/10$/) as string,
    ],
  });
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('completes if the last task used the last tokens', SOAK, async () => {
  const usage = { tokens: 1000, cost_usd: 0 };
  const answers = [{ ...review(GOOD_REVIEW), usage }, { ...writer('developer'), usage }, REST];
  const project = makeProject({ answers });
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--max-tokens', '2000');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete' });
});

it('does not record an answer that names an unknown agent', SOAK, async () => {
  const project = makeProject({ answers: [review(POOR_REVIEW), writer('developer'), REST] });
  const { session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--max-rounds', '1');
  const before = textOf(session, 'journal.ndjson');
  for (const [agent, said] of [
    ['nope', 'Unknown agent "nope"'],
    ['zzz=scripted', 'The review loop has no role "zzz"'],
    ['developer=nope', 'Unknown agent "nope"'],
  ] as const) {
    const refused = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1', '--agent', agent);
    expect({ exit: refused.exit, err: refused.err }).toEqual({ exit: 2, err: expect.stringContaining(said) as string });
  }
  expect(textOf(session, 'journal.ndjson')).toBe(before);
  const given = await project.umpire('resolve', session, 'abort', '--reason', 'enough', '--agent', 'nope');
  expect({ exit: given.exit, end: endOf(session) }).toMatchObject({ end: expect.stringContaining('aborted') as string });
});

it('runs the critic again if rounds are granted to a chain that no limit stopped', SOAK, async () => {
  const blind = { layer: 'L1', pass_rate: 1, coverage: null, total: 10, passed: 10, failed: 0, failures: [] };
  const answers = [
    { role: 'executor', attempt: 1, write: { 'session:results/run-L1.json': { json: blind } }, result: { findings: 'No coverage.' } },
    testRun('L1', { passed: 100, coverage: 90 }, { role: 'executor' }),
    writer('generator'),
    REST,
  ];
  const project = makeProject({ answers });
  const { exit, session } = await project.umpire('run', 'testing', 'x', '--mode', 'targeted', '--strict');
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: ['TESTRUN-001 ESCALATE T2 0/3'] });
  const more = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect({ exit: more.exit, end: endOf(session), last: verdictsOf(session).at(-1) }).toEqual({
    exit: 0,
    end: 'complete',
    last: 'TESTRUN-001 CONVERGE T2 0/4',
  });
});

it('can be force-approved without its agent, and says what it waits for', SOAK, async () => {
  const project = makeProject({ files: { 'agent.sh': '#!/bin/sh\ncat > /dev/null\necho \'{"status":"completed"}\'\n' } });
  chmodSync(join(project.root, 'agent.sh'), 0o755);
  const { exit, session } = await project.umpire('until', 'false', '--max-rounds', '1', '--agent-command', './agent.sh');
  expect(exit).toBe(4);
  rmSync(join(project.root, 'agent.sh'));
  const rested = await project.umpire('resume', session);
  expect({ exit: rested.exit, err: rested.err }).toEqual({ exit: 4, err: expect.stringContaining('Waiting for') as string });
  const more = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect({ exit: more.exit, err: more.err }).toEqual({ exit: 1, err: expect.stringContaining('Cannot start the agent') as string });
  const forced = await project.umpire('resolve', session, 'force-approve', '--reason', 'by hand');
  expect({ exit: forced.exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete unverified' });
});
