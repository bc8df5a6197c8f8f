// `umpire until`: which command runs, which is refused, and the messages about one that fails.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, command, eventsOfType, makeProject, rowsOf, textOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

/** So that no note says that there is no test runner. */
const NO_TESTS = { config: { critics: { tests: 'none' } } };

it('names the command at the start, in the status and in the report', SOAK, async () => {
  const project = makeProject(NO_TESTS);
  const { err, exit } = await project.umpire('until', 'test -d .', 'any goal', ...project.sh('complete "never"'));
  expect({ exit, first: err.split('\n').find((line) => line.includes(' Session ')) }).toEqual({
    exit: 0,
    first: expect.stringContaining(', 1 task. Runs until this passes: test -d .'),
  });
  expect(err).not.toContain('Note:');
  expect((await project.umpire('status')).out).toContain('\nRuns until this passes: test -d .\n');
  expect((await project.umpire('report')).out).toContain('\n- Runs until this passes: `test -d .`\n');
});

it('shows the command and the goal if the quotes were forgotten', SOAK, async () => {
  const project = makeProject(NO_TESTS);
  const note = 'Note: The command is "test" and the goal is "./a". To run both words as one command, quote it: umpire until "test ./a"';
  const two = await project.umpire('until', 'test', './a', '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(two.err.split('\n')[0]).toBe(note);
  const quoted = await project.umpire('until', 'true', 'two words', ...project.sh('complete "never"'));
  expect({ exit: quoted.exit, isNoted: quoted.err.includes('Note:') }).toEqual({ exit: 0, isNoted: false });
});

it('refuses a command whose program does not exist, before it creates anything', async () => {
  const project = makeProject();
  const agent = project.sh('complete "never"');
  const { exit, err } = await project.umpire('until', 'nosuchcmd --foo', ...agent);
  expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining('Program "nosuchcmd" not found') });
  expect((await project.umpire('list')).out).toBe('No sessions here. Start one with: umpire run <loop> "<goal>"\n');
  expect((await project.umpire('until', 'if true; then exit; fi', ...agent)).exit).toBe(0);
});

it('W4: refuses a command that hides a failure, with the command to use instead', async () => {
  const project = makeProject(NO_TESTS);
  const { exit, err } = await project.umpire('until', 'test -e made; echo done', ...project.sh('complete "never"'));
  expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(`Use this command: 'test -e made && echo done'.`) });
  expect(existsSync(join(project.root, '.umpire'))).toBe(false);
});

it('W4: a trusted exit status makes the verdict unverified, in a later process too', SOAK, async () => {
  const project = makeProject(NO_TESTS);
  const trusting = ['until', 'test -e made || test -e gone', '--trust-exit-status', '--max-rounds', '1', '--mode', 'check-first'];
  const lazy = project.sh('[ "$id" = WORK-1 ] || echo made > made; complete "tried"');
  const waiting = await project.umpire(...trusting, ...lazy);
  expect({ exit: waiting.exit, verdicts: verdictsOf(waiting.session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1'],
  });
  const extended = await project.umpire('resolve', waiting.session, 'extend', '--rounds', '1', '--reason', 'once more');
  expect(extended.err).toContain('The exit status of the command may hide a failure (--trust-exit-status).');
  const last = eventsOfType(waiting.session, 'VerdictGiven').at(-1)?.verdict;
  expect(last).toMatchObject({ outcome: 'converge', unverified: true });
});

it('runs a command whose program the setup may install, and says if it is missing', SOAK, async () => {
  const project = makeProject({ config: { workspace: { setup: 'true' } } });
  const { session } = await project.umpire('until', 'nosuchcmd --foo', '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(rowsOf(session)['CHECK-001']?.['findings']).toContain('The command failed (exit status 127: program not found).');
  const unexecutable = await project.umpire('until', './README.md', '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(rowsOf(unexecutable.session)['CHECK-001']?.['findings']).toContain('(exit status 126: the program may not be executed).');
});

it('says what failed in a command, and how to see its whole output', async () => {
  const project = makeProject();
  const command = `printf 'not ok 1 - adds\\n# pass 3\\n# fail 1\\n# todo 0\\n'; exit 1`;
  const { err } = await project.umpire('until', command, 'sums', '--max-rounds', '1', ...project.sh('complete "tried"'));
  const name = /Session (\S+):/.exec(err)?.[1] ?? '';
  expect(err).toMatch(
    new RegExp(
      `CHECK-001 completed.*: The command failed \\(exit status 1\\). Failures: not ok 1 - adds. Full output: umpire logs ${name} CHECK-001\n`,
    ),
  );
  expect((await project.umpire('logs', name, 'CHECK-001')).out).toContain('# todo 0\n');
});

it('counts failures by the summary of the runner, and shows the first failure from its first line', async () => {
  const project = makeProject();
  const printed = String.raw`\n  errors: not found\n    ✔ responds with 500 failing\n\n  1 passing (2ms)\n  1 failing\n\n  1) cart\n       adds up:\n     Error: 3 is not 4\n      at Context.a (a.js:1:1)\n`;
  const frames = String.raw`i=0; while [ $i -lt 60 ]; do echo "      at frame $i (b.js:1:1)"; i=$((i+1)); done`;
  const { session } = await project.umpire(
    'until',
    `printf '${printed}'; ${frames}; exit 1`,
    '--max-rounds',
    '1',
    ...project.sh('complete "tried"'),
  );
  expect(rowsOf(session)['CHECK-001']?.['findings']).toBe(
    'The command failed (exit status 1). Failures: 1) cart adds up: / Error: 3 is not 4',
  );
  const result = JSON.parse(readFileSync(join(session, 'results/until.json'), 'utf8')) as { failing: number; excerpt: string };
  expect([result.failing, result.excerpt.split('\n').slice(0, 3)]).toEqual([1, ['  1) cart', '       adds up:', '     Error: 3 is not 4']]);
});

it('finds the summary before a very long list of failures', async () => {
  const project = makeProject();
  const list = String.raw`awk 'BEGIN { print "  9 passing (2ms)\n  2000 failing\n"; for (i = 1; i <= 2000; i++) print "  " i ") cart adds up " i ":\n     Error: 3 is not 4\n      at Context.a (a/long/path/to/a.js:1:1)\n" }'`;
  const { session } = await project.umpire('until', `${list}; exit 1`, '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(rowsOf(session)['CHECK-001']?.['findings']).toContain('Failures: 1) cart adds up 1: / Error: 3 is not 4 / 2) cart');
  expect(JSON.parse(readFileSync(join(session, 'results/until.json'), 'utf8'))).toMatchObject({ failing: 2000 });
  expect(statSync(join(session, 'results/output-until.txt')).size).toBeLessThanOrEqual(64 * 1024);
});

it('says what failed by the test report that the command wrote', async () => {
  const project = makeProject();
  const xml = '<testsuite><testcase name="adds"><failure message="3 is not 4"/></testcase><testcase name="500 failing"/></testsuite>';
  const command = `mkdir -p reports; echo '${xml}' > reports/junit.xml; echo 'all 500 failing requests: not found'; exit 1`;
  const { session } = await project.umpire('until', command, '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(rowsOf(session)['CHECK-001']?.['findings']).toBe('The command failed (exit status 1). Failures: FAIL adds / 3 is not 4');
  expect(JSON.parse(readFileSync(join(session, 'results/until.json'), 'utf8'))).toMatchObject({
    failing: 1,
    excerpt: 'FAIL adds\n3 is not 4\n',
  });
});

it('does not refer to the log of a command that printed nothing', SOAK, async () => {
  const project = makeProject();
  const { err, session } = await project.umpire('until', 'test -f never', 'wait', '--max-rounds', '1', ...project.sh('complete "tried"'));
  expect(err).toMatch(/CHECK-001 completed.*: The command failed \(exit status 1\)\. It printed nothing\.\n/);
  expect((await project.umpire('logs', session, 'CHECK-001')).exit).toBe(1);
});

it('fails a command that writes no report although one was requested', SOAK, async () => {
  const project = makeProject({ files: { 'old.sarif': '{}' } });
  const agent = project.sh('complete "tried"');
  const none = await project.umpire('until', 'true', '--report', 'nope.sarif', '--max-rounds', '1', ...agent);
  expect({ exit: none.exit, verdicts: verdictsOf(none.session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U10 0/1', 'CHECK-re-1 escalate U10 1/1'],
  });
  expect(none.err).toContain('The report nope.sarif was not written to the folder where the command runs.');
  expect(none.err).toContain('but left no valid report');
  const old = await project.umpire('until', 'true', '--report', 'old.sarif', '--max-rounds', '1', ...agent);
  expect(rowsOf(old.session)['CHECK-001']?.['findings']).toContain('The report old.sarif is older than this run of the command');
  const fails = await project.umpire('until', 'false', '--report', 'nope.sarif', '--max-rounds', '1', ...agent);
  expect(verdictsOf(fails.session)).toEqual(['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1']);
  const written = await project.umpire(
    'until',
    `echo '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[]}]}' > new.sarif`,
    '--report',
    'new.sarif',
    '--max-rounds',
    '1',
    ...agent,
  );
  expect(written.exit).toBe(0);
  expect((await project.umpire('until', 'true', ...agent)).exit).toBe(0);
});

it.skipIf(!existsSync('/dev/full'))('continues if its output goes to a full disk or a closed terminal', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh('echo made > made; complete "made it"');
  const args = ['until', 'test -e made', '--json', ...agent];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', HOME: project.beside, UMPIRE_WORKTREES: project.worktrees };
  const quiet = ['-c', 'exec "$0" "$@" > /dev/full 2> /dev/full', process.execPath, command];
  expect(spawnSync('sh', [...quiet, ...args], { cwd: project.root, env }).status).toBe(0);
  expect((await project.umpire('status')).out).toContain(': complete\n');
  const half = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, command];
  const told = (...words: readonly string[]) => spawnSync('sh', [...half, ...words], { cwd: project.root, env, encoding: 'utf8' });
  const { status, stderr } = told('status', '--json');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('umpire: Cannot write stdout: ENOSPC') as string,
  });
  expect(stderr).not.toContain('    at ');
  // The session still succeeds, and the exit status does not ask to repeat it.
  const plain = told('until', 'true', '--session', '.umpire/sessions/plain', ...agent);
  expect({ status: plain.status, last: plain.stderr.trimEnd().split('\n').at(-1) }).toEqual({
    status: 0,
    last: `umpire: Cannot write stdout: ENOSPC: no space left on device, write. The session is in ${join(project.root, '.umpire/sessions/plain')}`,
  });
  const events = told('until', 'true', '--json', '--session', '.umpire/sessions/events', ...agent);
  expect({ status: events.status, told: events.stderr.match(/Cannot write stdout.*/g) }).toEqual({
    status: 0,
    told: [expect.stringContaining('The run continues; only its journal has this and later events.')],
  });
  const applied = told('apply', 'until-test-e-made');
  expect({ status: applied.status, isThere: existsSync(join(project.root, 'made')) }).toEqual({ status: 0, isThere: true });
  expect(applied.stderr).toContain('write. The files are in your checkout.\n');
  // A closed pipe is not an error.
  const closed = ['-c', '"$0" "$@" 2>"$HOME/err" | true', process.execPath, command, 'resume', 'plain'];
  spawnSync('sh', closed, { cwd: project.root, env });
  expect(textOf(project.beside, 'err')).not.toContain('stdout');
  expect((await project.umpire('resume', 'plain')).exit).toBe(0);
});

it('continues when its terminal closes, as with nohup', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh('until_file "$beside/go"; echo made > made; complete "made it"');
  const running = project.start('until', 'test -e made', ...agent);
  await running.says('WORK-1 started');
  running.child.kill('SIGHUP');
  writeFileSync(join(project.beside, 'go'), '');
  expect((await running.ended).exit).toBe(0);
});

it.skipIf(process.platform !== 'linux' || spawnSync('script', ['--version']).status !== 0)(
  'ends without a crash when its terminal closes',
  SOAK,
  async () => {
    const project = makeProject();
    const [flag, agent] = project.sh('touch "$beside/begun"; until_file "$beside/go"; echo made > made; complete "made it"');
    // Only the shell, the session leader, gets a signal when its terminal closes.
    const run = `trap "" HUP; '${process.execPath}' '${command}' until 'test -e made' ${flag} '${agent}'; echo $? > '${project.beside}/exit'`;
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      HOME: project.beside,
      UMPIRE_WORKTREES: project.worktrees,
      SHELL: '/bin/sh',
    };
    const terminal = spawn('script', ['-qec', run, '/dev/null'], { cwd: project.root, env, stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(terminal, 'exit');
    const isThere = (name: string) => () => expect(existsSync(join(project.beside, name))).toBe(true);
    await vi.waitFor(isThere('begun'), 20_000);
    terminal.kill('SIGKILL');
    await ended;
    writeFileSync(join(project.beside, 'go'), '');
    await vi.waitFor(() => expect(textOf(project.beside, 'exit')).toBe('129\n'), 20_000);
    expect((await project.umpire('status')).out).toContain(': complete\n');
  },
);

it('V2 asks for another attempt where the command passes and a test regressed, and never approves that', SOAK, async () => {
  const manifest = '{ "type": "module", "scripts": { "test": "node --test" } }\n';
  const text =
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { a } from './a.js';\ntest('a is one', () => assert.equal(a, 1));\n";
  const project = makeProject({ files: { 'package.json': manifest, 'a.test.js': text, 'a.js': 'export const a = 1;\n' } });
  const agent = project.sh('echo "export const a = 2;" > a.js; touch done; complete "done"');
  const { exit, session } = await project.umpire('until', 'test -e done', '--max-rounds', '1', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate V2 1/1'],
  });
  expect(rowsOf(session)['CHECK-re-1']?.['findings']).toContain('Passed at the base and fails now: a.test.js > a is one.');
});

const DOUBLE = `exports.double = (n) => n + 2;\n`;
const DOUBLE_TESTS = `const { test } = require('node:test');
const { equal } = require('node:assert');
const { double } = require('./double.js');
test('doubles 2', () => equal(double(2), 4));
`;
const DOUBLES_5 = `test('doubles 5', () => equal(double(5), 10));\n`;
const UNCOMMITTED = {
  files: { 'package.json': '{"scripts":{"test":"node --test"}}\n', 'double.js': DOUBLE, 'double.test.js': DOUBLE_TESTS },
};
const MENDS = `sed -i.old 's/n + 2/n * 2/' double.js && rm double.js.old; complete "multiplied"`;

it("leaves the person's uncommitted test out without a terminal, and names the flag that includes it", SOAK, async () => {
  const project = makeProject(UNCOMMITTED);
  project.write({ 'double.test.js': DOUBLE_TESTS + DOUBLES_5, 'more.test.js': '' });
  const { exit, err } = await project.umpire('until', 'node --test', ...project.sh(MENDS));
  expect({ exit, err }).toEqual({
    exit: 0,
    err: expect.stringContaining(
      'Note: Work starts from your last commit. 2 uncommitted files are not part of it (double.test.js, more.test.js). Include them with --include-uncommitted.\n',
    ),
  });
  expect(err).not.toContain('WORK-1');
});

it("makes the person's uncommitted tests pass with --include-uncommitted, and applies beside them", async () => {
  const project = makeProject(UNCOMMITTED);
  project.write({
    'double.test.js': DOUBLE_TESTS + DOUBLES_5,
    'new/zero.test.js': DOUBLE_TESTS.replaceAll('2', '3').replace('./', '../').replace('4', '6'),
  });
  const dirt = project.git('status', '--porcelain');
  const ran = await project.umpire('until', 'node --test', '--include-uncommitted', ...project.sh(MENDS));
  expect({ exit: ran.exit, err: ran.err, verdicts: verdictsOf(ran.session) }).toEqual({
    exit: 0,
    err: expect.stringContaining(
      'Note: Work starts from your last commit and your uncommitted changes (double.test.js, new/zero.test.js).\n',
    ),
    verdicts: ['CHECK-001 retry U8 0/5', 'CHECK-re-1 pass U5 1/5'],
  });
  const head = project.git('rev-parse', 'HEAD').trim();
  expect(eventsOfType(ran.session, 'SessionStarted')[0]?.workspace?.included).toEqual({
    parent: head,
    files: ['double.test.js', 'new/zero.test.js'],
  });
  expect(project.git('status', '--porcelain')).toBe(dirt);
  const { out: patch } = await project.umpire('diff', ran.session);
  expect(patch.match(/^diff --git .*/gm)).toEqual(['diff --git a/double.js b/double.js']);
  expect((await project.umpire('status', ran.session)).out).toContain(
    '\nbase     your last commit and, not committed: double.test.js, new/zero.test.js\n',
  );
  const applied = await project.umpire('apply', ran.session);
  expect({ exit: applied.exit, out: applied.out }).toEqual({ exit: 0, out: 'double.js\n' });
  expect(project.git('status', '--porcelain')).toBe(` M double.js\n${dirt}`);
  expect(textOf(project.root, 'double.test.js')).toBe(DOUBLE_TESTS + DOUBLES_5);
  expect(spawnSync(process.execPath, ['--test'], { cwd: project.root }).status).toBe(0);
  expect((await project.umpire('clean', ran.session)).exit).toBe(0);
  expect(project.git('for-each-ref', 'refs/umpire', 'refs/heads/umpire')).toBe('');
});

it('starts nothing with uncommitted changes in conflict', SOAK, async () => {
  const project = makeProject(UNCOMMITTED);
  project.git('checkout', '-q', '-b', 'other');
  project.commit({ 'double.js': 'theirs\n' });
  project.git('checkout', '-q', 'main');
  project.commit({ 'double.js': 'mine\n' });
  expect(() => project.git('merge', '-q', 'other')).toThrow(/merge/);
  const { exit, err } = await project.umpire('until', 'node --test', '--include-uncommitted', ...project.sh(MENDS));
  expect({ exit, err }).toEqual({
    exit: 1,
    err: expect.stringContaining('In conflict: double.js.\nNothing was started. Resolve the conflicts'),
  });
  expect((await project.umpire('list')).out).toContain('No sessions here.');
});
