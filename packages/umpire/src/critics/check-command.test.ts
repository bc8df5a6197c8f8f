// What the command of `until` leaves: its exit status, the names of its tests from that very run, and what those say of the base.

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assignmentOf, newFolder } from '../../../../test/support/assignment.js';
import { createJob } from './critic.js';
import { cleanUpAfterwards, gitProject, temporaryFolder } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { startGuardian } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { checkCommand, RESULT } from './check-command.js';

cleanUpAfterwards();

let guardian: Guardian;
const cacheBefore = process.env['XDG_CACHE_HOME'];
beforeAll(() => {
  guardian = startGuardian(randomUUID());
  process.env['XDG_CACHE_HOME'] = temporaryFolder();
});
afterAll(async () => {
  if (cacheBefore === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheBefore;
  await guardian.close();
});

interface Checked {
  readonly command: string;
  readonly workdir?: string;
  readonly base?: string | null;
  readonly trustsExitStatus?: boolean;
  readonly tests?: Partial<typeof DEFAULT_SETTINGS.critics>;
}

async function checked({ command, workdir = newFolder(), base = null, trustsExitStatus = false, tests = {} }: Checked) {
  const session = newFolder();
  const said: string[] = [];
  const settings = { ...DEFAULT_SETTINGS, critics: { ...DEFAULT_SETTINGS.critics, ...tests } };
  const agent = checkCommand(
    {
      command,
      report: null,
      trustsExitStatus,
      allowsTestEdits: false,
      openCheck: null,
      createJob: (assignment, watch) => ({
        ...createJob(settings, {
          project: assignment.workdir,
          guardian,
          timeoutMs: 60_000,
          session,
          base,
          say: (line) => void said.push(line),
        }),
        watch,
      }),
    },
    guardian,
  );
  const assignment = assignmentOf({ session, workdir, timeoutMs: 60_000 });
  const ending = await agent.run(assignment, { signal: new AbortController().signal, log: () => undefined });
  const result = () => JSON.parse(readFileSync(join(session, RESULT), 'utf8')) as Record<string, unknown>;
  return { ending, result, said };
}

/** Its command prints TAP: a test for each file of t/, that fails while the file says so. Each run leaves a line outside the project. */
function tapProject(files: Readonly<Record<string, string>>): Project & { readonly command: string; readonly runs: () => number } {
  const runs = join(temporaryFolder(), 'runs');
  const script = `echo run >> ${runs}
n=0; code=0
echo "TAP version 13"
for file in t/*; do
  n=$((n + 1)); name=$(basename "$file")
  if grep -q bad "$file" || { grep -q once "$file" && [ ! -e ${runs}.seen ] && touch ${runs}.seen; }; then echo "not ok $n - $name"; code=1
  else echo "ok $n - $name"; fi
done
echo "1..$n"
[ -e pass ] || exit $code
`;
  const placed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`t/${name}`, text]));
  const project = gitProject({ 'check.sh': script, ...placed });
  return { ...project, command: 'sh check.sh', runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').split('\n').length - 1 : 0) };
}

const ALONE = { tests: { tests: { scope: 'command' as const } } };

it('V2 runs once at the base and once on the change, and names what passed, failed and is known from these runs', async () => {
  const { root, write, command, runs } = tapProject({ old: 'bad', works: 'good' });
  const first = await checked({ command, workdir: root, base: 'HEAD', ...ALONE });
  expect(first.result()).toMatchObject({ exit_status: 1, known_failures: ['old'] });
  write({ 't/works': 'bad', 't/more': 'good' });
  const second = await checked({ command, workdir: root, base: 'HEAD', ...ALONE });
  expect(second.result()).toMatchObject({
    exit_status: 1,
    regressions_measured: 1,
    regressions: [{ id: 'works' }],
    known_failures: ['old'],
    tests: { total: 3, passed: 1, failed: 2 },
  });
  expect(second.ending).toMatchObject({
    findings: expect.stringContaining('Passed at the base and fails now: works. Failed at the base too: old.') as string,
  });
  expect(runs()).toBe(2);
});

it('V2 does not approve a command that passes where its own run shows a regression', async () => {
  const { root, write, command } = tapProject({ works: 'good' });
  write({ 't/works': 'bad', pass: '' });
  const { result } = await checked({ command, workdir: root, base: 'HEAD', ...ALONE });
  expect(result()).toMatchObject({ exit_status: 0, regressions_measured: 1, regressions: [{ id: 'works' }] });
});

it('keeps what failed at a commit for the next session, and runs again what passed there', async () => {
  const failing = tapProject({ old: 'bad' });
  for (const kept of [false, true]) {
    const { result, said } = await checked({ command: failing.command, workdir: failing.root, base: 'HEAD' });
    expect([result()['exit_status'], Object.hasOwn(result(), 'kept_from'), said.some((line) => line.includes('is kept'))]).toEqual([
      1,
      kept,
      kept,
    ]);
    expect(result()['output_tail']).toContain('not ok 1 - old');
  }
  expect(failing.runs()).toBe(1);
  const passing = tapProject({ works: 'good' });
  for (const base of ['HEAD', 'HEAD']) await checked({ command: passing.command, workdir: passing.root, base });
  expect(passing.runs()).toBe(2);
});

it('V1 has not finished where the command named its tests at the base and none now', async () => {
  const { root, write, command } = tapProject({ works: 'good' });
  write({ 'check.sh': 'exit 0\n' });
  const { ending } = await checked({ command: `${command} || npm test`, workdir: root, base: 'HEAD', ...ALONE });
  expect(ending).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('named none of the tests that it ran at the base') as string,
  });
});

it('runs the command again where only tests fail that did not at the base, so that a flaky test costs no round', async () => {
  const { root, write, command, runs } = tapProject({ works: 'good' });
  await checked({ command, workdir: root, base: 'HEAD', ...ALONE });
  write({ 't/works': 'once' });
  const { ending, result } = await checked({ command, workdir: root, base: 'HEAD', ...ALONE });
  expect(result()).toMatchObject({ exit_status: 0, run_again: true, flaky: ['works'], regressions_measured: 0 });
  expect(ending).toMatchObject({ findings: expect.stringContaining('The command passed (exit status 0). It failed before') as string });
  expect(runs()).toBe(5);
  // What failed at the base fails still: nothing is learnt by a second run.
  write({ 't/works': 'bad' });
  const other = tapProject({ old: 'bad' });
  await checked({ command: other.command, workdir: other.root, base: 'HEAD', ...ALONE });
  other.write({ 'a.txt': 'a' });
  expect((await checked({ command: other.command, workdir: other.root, base: 'HEAD', ...ALONE })).result()).not.toHaveProperty('run_again');
  expect(other.runs()).toBe(2);
});

it('does not believe an exit status where the same failure is printed, or marks it where more is', async () => {
  const { root, write } = gitProject({ 'check.sh': 'echo "error: 3 is not 4"\n. ./end\n', end: 'exit 1\n' });
  const said: unknown[] = [];
  for (const end of ['exit 0\n', 'echo ok\n', '>&2 echo "and more"; exit 1\n']) {
    write({ end });
    const { result } = await checked({ command: 'sh check.sh', workdir: root, base: 'HEAD', ...ALONE });
    const { exit_status, goal_unseen = null, doubtful_tests = null } = result();
    said.push([exit_status, goal_unseen, doubtful_tests]);
  }
  const told = [{ id: 'the command, which still prints what it printed when it failed', file: null, message: null }];
  expect(said).toEqual([
    [0, told, null],
    [0, null, told],
    [1, null, null],
  ]);
});

it('says once that a command names no tests, and takes its exit status', async () => {
  const { root, write } = gitProject();
  write({ 'a.txt': 'b\n' });
  const { result } = await checked({ command: 'true', workdir: root, base: 'HEAD', ...ALONE });
  expect(result()).toMatchObject({
    exit_status: 0,
    tests_missing: expect.stringContaining('The command names no tests') as string,
  });
  const none = await checked({ command: 'true', workdir: root, base: 'HEAD', tests: { tests: 'none' } });
  expect(none.result()).not.toHaveProperty('tests_missing');
});

it('reads no names from a report that is cut off, and none of a run that did not end by itself', async () => {
  const { root } = tapProject({ works: 'good' });
  const cut = await checked({ command: `printf 'TAP version 13\n1..3\nok 1 - works\n'; exit 1`, workdir: root, base: 'HEAD' });
  expect(cut.result()).not.toHaveProperty('known_failures');
  const killed = await checked({ command: `printf 'TAP version 13\nnot ok 1 - works\n1..1\n'; kill -9 $$`, workdir: root, base: 'HEAD' });
  expect(killed.result()).toMatchObject({ exit_status: null, signal: 'SIGKILL' });
  expect(killed.result()).not.toHaveProperty('known_failures');
});

it('W4: a pipe fails where any part of it does, unless its exit status is trusted', async () => {
  expect((await checked({ command: 'false | cat' })).result()).toMatchObject({ exit_status: 1 });
  expect((await checked({ command: 'false | cat', trustsExitStatus: true })).result()).toMatchObject({ exit_status: 0 });
  const { ending } = await checked({ command: 'yes | head -n 1' });
  expect(ending).toMatchObject({
    findings: expect.stringContaining('(exit status 141: a program wrote to a pipe that nobody read') as string,
  });
});

it('W4: a report about another commit is no report, whether it was asked for or found', async () => {
  const { root, git } = gitProject();
  const about = (commit: string) => {
    const run = { tool: { driver: { name: 'scan' } }, results: [], versionControlProvenance: [{ revisionId: commit }] };
    return checked({ command: `echo '${JSON.stringify({ version: '2.1.0', runs: [run] })}' > out.sarif`, workdir: root });
  };
  expect((await about(git('rev-parse', 'HEAD').trim())).result()).not.toHaveProperty('report_problem');
  expect((await about('c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ffe')).result()).toMatchObject({
    exit_status: 0,
    report_problem: expect.stringMatching(
      /^The report out\.sarif is about commit c0ffee1c0f, but the command ran on [0-9a-f]{10}\.$/,
    ) as string,
  });
});
