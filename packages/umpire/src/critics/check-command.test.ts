// What the command of `until` leaves, and what the project's own tests add to it.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assignmentOf, newFolder } from '../../../../test/support/assignment.js';
import { cleanUpAfterwards, gitProject } from '../../../../test/support/git-project.js';
import { startGuardian } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import { checkCommand, RESULT } from './check-command.js';
import type { ProjectTests } from './project-tests.js';

cleanUpAfterwards();

let guardian: Guardian;
beforeAll(() => {
  guardian = startGuardian(randomUUID());
});
afterAll(() => guardian.close());

const PASSED: ProjectTests = {
  outcome: 'pass',
  problem: null,
  base: 'c0ffee',
  isNone: false,
  notes: [],
  uses: [],
  regressions: [],
  known: [],
  added: [],
  flaky: [],
  quarantined: [],
  totals: { total: 1, passed: 1, failed: 0, skipped: 0 },
};

const test = (id: string) => ({ id, status: 'failed', file: 'a.test.js', line: 3, message: 'it broke' }) as const;

async function checked(command: string, tests: ProjectTests, trustsExitStatus = false, workdir = newFolder()) {
  const session = newFolder();
  let asked = 0;
  const measureTests = () => {
    asked += 1;
    return Promise.resolve(tests);
  };
  const agent = checkCommand({ command, report: null, trustsExitStatus, measureTests, openCheck: null, base: null }, guardian);
  const assignment = assignmentOf({ session, workdir, timeoutMs: 60_000 });
  const ending = await agent.run(assignment, { signal: new AbortController().signal, log: () => undefined });
  const result = () => JSON.parse(readFileSync(join(session, RESULT), 'utf8')) as Record<string, unknown>;
  return { ending, result, asked };
}

it('V2 counts the tests that passed at the base and fail now, and names the known and flaky ones', async () => {
  const tests: ProjectTests = {
    ...PASSED,
    outcome: 'fail',
    regressions: [test('a > one')],
    known: [test('a > old')],
    flaky: [{ id: 'a > sometimes', file: 'a.test.js', in: 'now' }],
  };
  const { ending, result } = await checked('true', tests);
  expect(result()).toMatchObject({
    exit_status: 0,
    regressions_measured: 1,
    regressions: [{ id: 'a > one', file: 'a.test.js', line: 3 }],
    known_failures: ['a > old'],
    flaky: ['a > sometimes'],
  });
  expect(ending).toMatchObject({
    kind: 'completed',
    findings:
      'The command passed (exit status 0). Passed at the base and fails now: a > one. Failed at the base too: a > old. Flaky: a > sometimes.',
  });
});

it('V1 has not finished where the tests ran at the base and cannot run now', async () => {
  const { ending } = await checked('true', { ...PASSED, outcome: 'error', problem: 'mocha left no test report (exit status 7).' });
  expect(ending).toMatchObject({ kind: 'failed', error: expect.stringContaining('mocha left no test report') as string });
});

it('asks the tests of a failed command only where it runs tests', async () => {
  expect((await checked('exit 1', PASSED)).asked).toBe(0);
  const { asked, result } = await checked('exit 1; npm test', { ...PASSED, known: [test('a > old')], totals: null });
  expect({ asked, known: result()['known_failures'] }).toEqual({ asked: 1, known: ['a > old'] });
});

it('runs a test command again where no test fails, so that a flaky test costs no round', async () => {
  const once = 'test -e ran && exit 0; touch ran; exit 1; npm test';
  const { ending, result } = await checked(once, PASSED);
  expect(result()).toMatchObject({ exit_status: 0, run_again: true });
  expect(ending).toMatchObject({
    findings: 'The command passed (exit status 0). It failed before on the same files, where no test fails.',
  });
  const failing = await checked('exit 1; npm test', { ...PASSED, totals: { total: 1, passed: 0, failed: 1, skipped: 0 } });
  expect(failing.result()).not.toHaveProperty('run_again');
});

it('says which check could not be measured', async () => {
  const { result } = await checked('true', { ...PASSED, outcome: 'missing', problem: 'No runnable tests found.', totals: null });
  expect(result()).toMatchObject({ regressions_measured: 0, unverified_checks: [{ name: 'tests', problem: 'No runnable tests found.' }] });
  const none = await checked('true', { ...PASSED, outcome: 'missing', isNone: true, totals: null });
  expect(none.result()).not.toHaveProperty('unverified_checks');
});

it('W4: a pipe fails where any part of it does, unless its exit status is trusted', async () => {
  expect((await checked('false | cat', PASSED)).result()).toMatchObject({ exit_status: 1 });
  expect((await checked('false | cat', PASSED, true)).result()).toMatchObject({ exit_status: 0 });
  const { ending } = await checked('yes | head -n 1', PASSED);
  expect(ending).toMatchObject({
    findings: expect.stringContaining('(exit status 141: a program wrote to a pipe that nobody read') as string,
  });
});

it('W4: a report about another commit is no report, whether it was asked for or found', async () => {
  const { root, git } = gitProject();
  const about = (commit: string) => {
    const run = { tool: { driver: { name: 'scan' } }, results: [], versionControlProvenance: [{ revisionId: commit }] };
    return checked(`echo '${JSON.stringify({ version: '2.1.0', runs: [run] })}' > out.sarif`, PASSED, false, root);
  };
  expect((await about(git('rev-parse', 'HEAD').trim())).result()).not.toHaveProperty('report_problem');
  expect((await about('c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ffe')).result()).toMatchObject({
    exit_status: 0,
    report_problem: expect.stringMatching(
      /^The report out\.sarif is about commit c0ffee1c0f, but the command ran on [0-9a-f]{10}\.$/,
    ) as string,
  });
});
