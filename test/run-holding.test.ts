// A session that needs a person and still has something else to do: that is done first, and a night is not lost to one question.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GOOD_RUN, POOR_RUN, REST, testRun, writer } from './support/run-evidence.js';
import { cleanUpProjects, endOf, eventsOfType, jsonOf, makeProject, verdictsOf, wavesRun } from './support/run-project.js';

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

it('repairs and judges one layer while a person is needed for the other, then rests; what hangs on both waits', async () => {
  const project = makeProject({ answers: TESTERS });
  const { exit, err, session } = await project.umpire('run', 'testing', 'more tests', '--mode', 'comprehensive');
  expect({ exit, waves: wavesRun(session), verdicts: verdictsOf(session) }).toEqual({
    exit: 4,
    waves: FIRST,
    verdicts: ['TESTRUN-002 RETRY T3 0/3', 'TESTRUN-fix-L2-1 CONVERGE T2 1/3'],
  });
  const lines = err.split('\n');
  const at = (words: string) => lines.findIndex((line) => line.includes(words));
  expect(at('(you are asked once what does not hang on it is done)')).toBeGreaterThan(-1);
  expect(at('a person is needed:')).toBeGreaterThan(at('TESTRUN-fix-L2-1 judged'));
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
