// A session that needs a person does its other tasks first, so that one question does not stop a night's work.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { writeFiles } from './support/git-project.js';
import { GOOD_RUN, POOR_RUN, REST, testRun, writer } from './support/run-evidence.js';
import {
  cleanUpProjects,
  endOf,
  eventsOfType,
  jsonOf,
  makeProject,
  sessionIn,
  textOf,
  verdictsOf,
  wavesRun,
} from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

/** The first layer has no runner: its critic leaves nothing to judge. The second needs a repair. */
const TESTERS = [
  { task: 'TESTRUN-001', result: { findings: 'There is no runner.' } },
  testRun('L2', POOR_RUN, { task: 'TESTRUN-002' }),
  testRun('L2', GOOD_RUN, { task: 'TESTRUN-fix-L2-1' }),
  testRun('L3', GOOD_RUN, { task: 'TESTRUN-003' }),
  writer('generator'),
  REST,
];
const FIRST = ['STRATEGY-001', 'TESTGEN-001 TESTGEN-002', 'TESTRUN-001 TESTRUN-002', 'TESTRUN-001', 'TESTGEN-fix-L2-1', 'TESTRUN-fix-L2-1'];

it('continues one layer while the other waits for a person; tasks that need both wait', SOAK, async () => {
  const project = makeProject({ answers: TESTERS });
  const { exit, err, session } = await project.umpire('run', 'testing', 'more tests', '--mode', 'comprehensive');
  expect({ exit, waves: wavesRun(session), verdicts: verdictsOf(session) }).toEqual({
    exit: 4,
    waves: FIRST,
    verdicts: ['TESTRUN-002 RETRY T3 0/3', 'TESTRUN-fix-L2-1 CONVERGE T2 1/3'],
  });
  const lines = err.split('\n');
  const at = (words: string) => lines.findIndex((line) => line.includes(words));
  expect(at('(you will be asked once independent tasks are done)')).toBeGreaterThan(-1);
  expect(at('Waiting for ')).toBeGreaterThan(at('TESTRUN-fix-L2-1 judged'));
  expect(eventsOfType(session, 'PersonCalled')).toHaveLength(1);
  expect(jsonOf(session, 'session-state.json')).toMatchObject({ status: 'awaiting', question: 'no-evidence' });
  expect(existsSync(join(session, 'wave-5.csv'))).toBe(false);
  const status = JSON.parse((await project.umpire('status', session, '--json')).out) as Record<string, unknown>;
  expect(status).toMatchObject({ state: 'awaiting', question: { kind: 'no-evidence', task: 'TESTRUN-001', more: 0 } });
  const waiting = (status['tasks'] as { id: string; waitsFor: readonly string[] }[]).filter(({ waitsFor }) => waitsFor.length > 0);
  expect(waiting).toMatchObject([
    { id: 'TESTGEN-003', waitsFor: ['an answer'] },
    { id: 'TESTRUN-003', waitsFor: ['TESTGEN-003'] },
    { id: 'TESTANA-001', waitsFor: ['TESTRUN-003'] },
  ]);
  const forced = await project.umpire('resolve', session, 'force-approve', '--reason', 'no unit tests here');
  expect({ exit: forced.exit, waves: wavesRun(session), end: endOf(session) }).toEqual({
    exit: 0,
    waves: [...FIRST, 'TESTGEN-003', 'TESTRUN-003', 'TESTANA-001'],
    end: 'complete unverified',
  });
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

/** The critic of the first layer leaves nothing to judge. The critic of the second leaves a file in the worktree and keeps running. */
const STUCK = `
if [ "$role" = generator ]; then echo "$id" > "$id.txt"; fi
if [ "$id$attempt" = TESTRUN-fix-L2-11 ]; then echo junk > junk.txt; echo at it; until_file never; fi
if [ "$id" = TESTRUN-002 ]; then
  mkdir -p "$UMPIRE_SESSION/results"
  echo '{"layer":"L2","pass_rate":0.9,"coverage":60,"total":10,"passed":9,"failed":1,"failures":[{"name":"adds","file":"a.test.ts","message":"x"}]}' > "$UMPIRE_SESSION/results/run-L2.json"
  echo '9 of 10 passed' > "$UMPIRE_SESSION/results/output-L2.txt"
fi
complete "$id is done"
`;

async function stuckIn(project: RunProject) {
  const running = project.start('run', 'testing', 'more tests', '--mode', 'comprehensive', ...project.sh(STUCK));
  await running.says('TESTRUN-fix-L2-1 started');
  const session = sessionIn(project);
  const log = join(session, 'logs', 'TESTRUN-fix-L2-1-1.txt');
  while (!existsSync(log) || !readFileSync(log, 'utf8').includes('at it')) await new Promise((resolve) => setImmediate(resolve));
  return { running, session };
}

it.each(['SIGKILL', 'SIGINT'] as const)('does not mistake files of a stopped critic (%s) for a person’s edit', SOAK, async (signal) => {
  const project = makeProject();
  const { running, session } = await stuckIn(project);
  running.child.kill(signal);
  const { err } = await running.ended;
  if (signal === 'SIGINT')
    expect(err).toMatch(
      /It will wait for your decision: TESTRUN-001 left nothing to judge .*\nAnswer with one of:\n  umpire resolve \S+ manual-fix\n/,
    );
  const fixing = await project.umpire('resolve', session, 'manual-fix', '--reason', 'fine');
  expect({ exit: fixing.exit, edits: eventsOfType(session, 'PersonEdited') }).toEqual({ exit: 4, edits: [] });
  expect(fixing.err).toContain('Make your edit in ');
  const { work, question } = JSON.parse((await project.umpire('status', session, '--json')).out) as {
    work: { place: string };
    question: { kind: string };
  };
  expect({ kind: question.kind, junk: existsSync(join(work.place, 'junk.txt')) }).toEqual({ kind: 'edit', junk: false });
  writeFiles(work.place, { 'mended.txt': 'mine\n' });
  await project.umpire('resume', session);
  expect(eventsOfType(session, 'PersonEdited')).toMatchObject([{ files: ['mended.txt'] }]);
});

it('runs a task that was added while a person is asked, if it does not need the answer', SOAK, async () => {
  const project = makeProject({ answers: TESTERS });
  const { session } = await project.umpire('run', 'testing', 'more tests', '--mode', 'comprehensive');
  const [head = ''] = textOf(session, 'tasks.csv').split('\n');
  const own: Readonly<Record<string, string>> = {
    id: 'NOTES-001',
    title: 'Notes',
    description: 'Write it down.',
    role: 'analyst',
    exec_mode: 'csv-wave',
  };
  const row = head.split(',').map((name) => own[name] ?? '');
  appendFileSync(join(session, 'tasks.csv'), `${row.join(',')}\n`);
  const { exit, err } = await project.umpire('resume', session);
  expect({ exit, waves: wavesRun(session), refused: eventsOfType(session, 'EditRefused') }).toEqual({
    exit: 4,
    waves: [...FIRST, 'NOTES-001'],
    refused: [],
  });
  expect(err).toContain('NOTES-001 completed');
});
