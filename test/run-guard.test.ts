// The guard in runs: skipped, weakened or deleted tests are reverted before the merge, and every report names them.

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, eventsOfType, makeProject, rowsOf, textOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { readSession } from '@umpire/umpire/sessions/session-record.js';
import { pullRequestPage } from '@umpire/umpire/views/pull-request-page.js';
import { sessionView } from '@umpire/umpire/views/session-view.js';
import { serveProject } from './support/served-project.js';

cleanUpProjects();

const SUM = 'exports.sum = (a, b) => a + b;\nexports.twice = (a) => a * 2;\n';
const HEAD = `const { test } = require('node:test');
const assert = require('node:assert');
const { sum, twice } = require('./sum.js');

`;
const TESTS = `${HEAD}test('adds', () => {
  assert.strictEqual(sum(1, 2), 4);
});

test('doubles', () => {
  assert.strictEqual(twice(2), 4);
});
`;
const MORE = `
test('doubles nothing', () => {
  assert.strictEqual(twice(0), 0);
});
`;
const FILES = {
  'package.json': '{"name":"sums","scripts":{"test":"node --test"}}\n',
  'vitest.config.js': 'module.exports = {};\n',
  'sum.js': SUM,
  'sum.test.js': TESTS,
};

/** The text of a file on the session's branch. */
function branchFile(project: RunProject, session: string, path: string): string {
  return project.git('show', `umpire/${session.split('/').at(-1) ?? ''}:${path}`);
}

const run = ['run', 'testing', 'cover sum', '--mode', 'targeted', '--target', '50', '--max-rounds', '1'] as const;

it('reverts a skipped test, keeps the other changes, and says so in task, verdict and report', async () => {
  const project = makeProject({ files: FILES });
  project.write({ '../more.js': MORE });
  const agent = project.sh(
    `[ "$id" = TESTGEN-001 ] && { sed -i "s/^test('adds'/test.skip('adds'/" sum.test.js; cat "$beside/more.js" >> sum.test.js; }\ncomplete "all pass now"`,
  );
  const { session, err } = await project.umpire(...run, ...agent);
  const [breach] = eventsOfType(session, 'TaskFinished').flatMap(({ task, breaches = [] }) => (task === 'TESTGEN-001' ? breaches : []));
  expect(breach, err).toEqual({
    rule: 'test-skipped',
    file: 'sum.test.js',
    line: 5,
    message: expect.stringContaining('no longer runs') as string,
    taken: 'hunk',
  });
  expect(branchFile(project, session, 'sum.test.js')).toBe(TESTS + MORE);
  expect(rowsOf(session)['TESTGEN-001']).toMatchObject({
    status: 'completed',
    findings: 'The guard reverted: test-skipped at sum.test.js:5. all pass now',
  });
  const [first] = eventsOfType(session, 'VerdictGiven');
  expect(first?.verdict.anomalies).toEqual([
    {
      rule: 'guard',
      message: expect.stringMatching(/^The guard reverted test-skipped at sum\.test\.js:5 in the work of TESTGEN-001 \(by hunk\): /),
    },
  ]);
  const [page = ''] = readdirSync(join(session, 'verdicts')).toSorted();
  expect(textOf(session, 'verdicts', page)).toContain('The guard reverted test-skipped at sum.test.js:5');
  const report = await project.umpire('report', session);
  expect(report.out).toMatch(/the guard reverted \(by hunk\) test-skipped at sum\.test\.js:5 in the work of TESTGEN-001/);
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it.each([
  ['other bytes than UTF-8', String.raw`printf '// caf\351\n' >> sum.test.js; sed -i 's/sum(1, 2), 4/1, 1/' sum.test.js`],
  ['a link', `sed 's/sum(1, 2), 4/1, 1/' sum.test.js > kept.js; ln -sf kept.js sum.test.js`],
  [
    'no code, and in the next round checks that let all through',
    `if grep -q ')(' sum.test.js; then sed -i 's/sum(1, 2), 4/1, 1/; /)($/d' sum.test.js; else echo ')(' >> sum.test.js; fi`,
  ],
])('reverts tests that can no longer be parsed: %s', SOAK, async (_name, cheat) => {
  const project = makeProject({ files: FILES });
  const { session, exit, err } = await project.umpire(
    'until',
    'node --test',
    'mend',
    '--max-rounds',
    '2',
    ...project.sh(`${cheat}\ncomplete done`),
  );
  expect(exit, err).toBe(4);
  expect(branchFile(project, session, 'sum.test.js')).toBe(TESTS);
  expect(rowsOf(session)['WORK-1']?.findings).toMatch(
    /^The guard reverted: .*test-unread at sum\.test\.js:\d+\.(?: The guard noted: .*)? done$/,
  );
});

it('reverts a change to the script that the check runs', SOAK, async () => {
  const files = {
    'package.json': '{"name":"sums","scripts":{"test":"node scripts/all.js"}}\n',
    'scripts/all.js': 'process.exit(1);\n',
    'verify.js': 'process.exit(1);\n',
    'app.js': 'process.exit(1);\n',
  };
  const cheat = (path: string): string => `echo 'process.exit(0);' > ${path}\ncomplete done`;
  const project = makeProject({ files });
  const until = (command: string, path: string) =>
    project.umpire('until', command, 'mend', '--max-rounds', '1', ...project.sh(cheat(path)));
  for (const [command, path] of [
    ['node verify.js', 'verify.js'],
    ['npm test', 'scripts/all.js'],
    ['node app.js', 'app.js'],
  ] as const) {
    const { session, exit, err } = await until(command, path);
    expect(exit, err).toBe(4);
    expect(rowsOf(session)['WORK-1']?.findings).toBe(`The guard reverted: goal-test-changed at ${path}:1. done`);
  }
});

it('reverts changes to settings, source or CI that the rules forbid, and continues', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh(`
if [ "$id" = TESTGEN-001 ]; then
  echo "module.exports = { test: { exclude: ['sum.test.js'] } };" > vitest.config.js
  echo "exports.sum = () => 4;" > sum.js
  mkdir -p .github/workflows && echo "on: push" > .github/workflows/ci.yml
  rm sum.test.js
fi
complete done`);
  const { session } = await project.umpire(...run, ...agent);
  const finished = eventsOfType(session, 'TaskFinished').find(({ task }) => task === 'TESTGEN-001');
  expect(finished?.commit).toBeUndefined();
  expect([...new Set(finished?.breaches?.map(({ rule, file, taken }) => `${rule} ${file} ${taken ?? 'left'}`))].toSorted()).toEqual([
    'ci-changed .github/workflows/ci.yml file',
    'config-changed vitest.config.js file',
    'source-changed sum.js file',
    'test-deleted sum.test.js file',
  ]);
  for (const [path, text] of Object.entries(FILES)) expect({ path, text: branchFile(project, session, path) }).toEqual({ path, text });
  expect(project.git('ls-tree', '-r', '--name-only', `umpire/${session.split('/').at(-1) ?? ''}`)).not.toContain('.github');
  expect(rowsOf(session)['TESTRUN-001']).toMatchObject({ status: 'completed', pass_rate: '1' });
});

it('tells the agent its rules, and that breaches are reverted', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh('[ "$id" = TESTGEN-001 ] && cp "$UMPIRE_TASK_FILE" "$beside/told.json"\ncomplete done');
  await project.umpire(...run, ...agent);
  expect(textOf(project.beside, 'told.json')).toContain('Changes that break these rules are reverted before your work is merged');
});

const SKIP = `sed -i "s/^test('adds'/test.skip('adds'/" sum.test.js`;

it('accepts what the checkout’s settings allow, not what the agent allows itself', SOAK, async () => {
  const allowance = { rule: 'test-skipped', path: '*.test.js', reason: 'sum is being replaced', until: '2999-12-31' };
  const config = JSON.stringify({ guard: { allowances: [allowance] } });
  const agent = `[ "$id" = TESTGEN-001 ] && { echo '${config}' > umpire.config.yaml; ${SKIP}; }\ncomplete done`;
  const allowed = makeProject({ files: FILES, config: { guard: { allowances: [allowance] } } });
  const first = await allowed.umpire(...run, ...allowed.sh(`[ "$id" = TESTGEN-001 ] && ${SKIP}\ncomplete done`));
  expect(branchFile(allowed, first.session, 'sum.test.js')).toContain('test.skip');
  const alone = makeProject({ files: FILES });
  const second = await alone.umpire(...run, ...alone.sh(agent));
  expect(branchFile(alone, second.session, 'sum.test.js')).toBe(TESTS);
});

it('only reports breaches in a review', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh(`[ "$role" = developer ] && ${SKIP}\ncomplete done`);
  const { session } = await project.umpire('run', 'review', 'mend sum', '--mode', 'sprint', '--max-rounds', '1', ...agent);
  expect(rowsOf(session)['DEV-001']).toMatchObject({
    status: 'completed',
    findings: 'The guard found and kept: test-skipped at sum.test.js:5. done',
  });
  expect(branchFile(project, session, 'sum.test.js')).toContain('test.skip');
  const report = await project.umpire('report', session);
  expect(report.out).toContain('the guard found and kept test-skipped at sum.test.js:5 in the work of DEV-001');
});

/** `umpire until` with a worker that runs this in its first attempt and only reports `done` afterwards. */
function until(project: RunProject, body: string, rounds = '1') {
  const agent = project.sh(`if [ ! -e "$beside/tried" ]; then touch "$beside/tried"; ${body}; fi\ncomplete done`);
  return project.umpire('until', 'node --test', 'mend sum', '--max-rounds', rounds, ...agent);
}

const breachesIn = (session: string) =>
  eventsOfType(session, 'TaskFinished').flatMap(({ breaches = [] }) =>
    breaches.map(({ rule, file, taken }) => `${rule} ${file} ${taken ?? 'told'}`),
  );

describe('the plain loop', () => {
  it('does not pass by a skipped test, script or setting, and keeps the source changed with it', SOAK, async () => {
    const project = makeProject({ files: FILES });
    const cheat = `${SKIP}; echo '{"name":"sums","scripts":{"test":"true"}}' > package.json; echo "exports.less = () => 0;" >> sum.js`;
    const { session, exit } = await until(project, cheat);
    expect(exit).toBe(4);
    expect(breachesIn(session)).toEqual(['scripts-changed package.json file', 'test-skipped sum.test.js file']);
    expect(branchFile(project, session, 'sum.test.js')).toBe(TESTS);
    expect(branchFile(project, session, 'package.json')).toBe(FILES['package.json']);
    expect(branchFile(project, session, 'sum.js')).toBe(`${SUM}exports.less = () => 0;\n`);
    const report = await project.umpire('report', session);
    expect(report.out).toMatch(/the guard reverted \(by file\) test-skipped at sum\.test\.js:5 in the work of/);
    expect((await project.umpire('replay', session)).exit).toBe(0);
  });

  it('notes and keeps expected values changed with the source, and new packages', SOAK, async () => {
    const project = makeProject({ files: { ...FILES, 'package-lock.json': '{"lockfileVersion":3}\n' } });
    const work = `sed -i 's/a + b;/a + b + 1;/; s/a \\* 2/a * 3/' sum.js; sed -i 's/twice(2), 4/twice(2), 6/' sum.test.js; echo '{}' > package-lock.json`;
    const { session, exit, err } = await until(project, work);
    expect(exit, err).toBe(0);
    expect(breachesIn(session)).toEqual(['expectation-changed sum.test.js told', 'lockfile-changed package-lock.json told']);
    expect(branchFile(project, session, 'sum.test.js')).toContain('twice(2), 6');
    const report = await project.umpire('report', session);
    expect(report.out).toContain('the guard noted expectation-changed at sum.test.js:9');
  });

  it('A6: tells the notes of an approval apart from the words of the agent, and applies with them', async () => {
    const project = makeProject({ files: FILES });
    const { session, exit, err } = await until(
      project,
      `sed -i '1i // eslint-disable-next-line no-shadow' sum.js; sed -i 's/a + b;/a + b + 1;/' sum.js`,
    );
    const note = /sum\.js:1: .*linter/;
    const shown = (text: string) => /Look at this before you rely on the work:\n {2}(.*)\n/.exec(text)?.[1];
    expect({ exit, err, note: shown(err) }).toEqual({
      exit: 0,
      err: expect.stringContaining('Session complete. The work was approved with 1 note.') as string,
      note: expect.stringMatching(note) as string,
    });
    expect(rowsOf(session)['WORK-1']?.['findings']).toBe('done');
    expect(shown((await project.umpire('status', session)).out)).toMatch(note);
    expect((await project.umpire('report', session)).out).toMatch(/\n## Notes on the work\n\n- .*sum\.js:1: /);
    const { state, name, word } = readSession(session);
    const view = sessionView(state, { session: name, state: word, tasks: [], place: null, notes: [] });
    expect(pullRequestPage(state, view, name)).toMatch(/\n## Notes on the work\n\n- `sum\.js:1: .*`\n/);
    const applied = await project.umpire('apply', session);
    expect({ exit: applied.exit, out: applied.out, note: shown(applied.err) }).toEqual({
      exit: 0,
      out: 'sum.js\n',
      note: expect.stringMatching(note) as string,
    });
  });

  it('says which changes were reverted and which only noted', SOAK, async () => {
    const project = makeProject({ files: FILES });
    const { session } = await until(project, `${SKIP}; sed -i 's/a \\* 2/a * 3/' sum.js; sed -i 's/twice(2), 4/twice(2), 6/' sum.test.js`);
    expect(breachesIn(session)).toEqual(['test-skipped sum.test.js hunk', 'expectation-changed sum.test.js told']);
    expect(branchFile(project, session, 'sum.test.js')).toBe(TESTS.replace('twice(2), 4', 'twice(2), 6'));
    const { findings } = eventsOfType(session, 'TaskFinished').find(({ breaches }) => breaches !== undefined) ?? {};
    expect(findings).toBe('The guard reverted: test-skipped at sum.test.js:5. done');
  });

  it('tells the next worker what was reverted', SOAK, async () => {
    const project = makeProject({ files: FILES });
    const agent = project.sh(`cp "$UMPIRE_TASK_FILE" "$beside/$id.json"\n[ "$id" = WORK-1 ] && ${SKIP}\ncomplete done`);
    await project.umpire('until', 'node --test', 'mend sum', '--max-rounds', '2', ...agent);
    const rules = (task: string): string => (JSON.parse(textOf(project.beside, `${task}.json`)) as { rules: string[] }).rules.join('\n');
    expect(
      [rules('WORK-1'), rules('WORK-2')].map((text) => /guard reverted earlier work of this session: (.*?)\. /.exec(text)?.[1]),
    ).toEqual([undefined, 'test-skipped at sum.test.js:5']);
  });

  it('notes and keeps lint comments in source, and reverts rewritten expected values of the tests that were to pass', SOAK, async () => {
    const project = makeProject({ files: FILES });
    const work = `sed -i '1i // eslint-disable-next-line no-shadow' sum.js; sed -i 's/sum(1, 2), 4/sum(1, 2), 3/' sum.test.js`;
    const { session, exit } = await until(project, work);
    const told = eventsOfType(session, 'TaskFinished').flatMap(({ breaches = [] }) =>
      breaches.map(({ rule, taken }) => `${rule} ${taken}`),
    );
    expect({ exit, told: told.toSorted() }).toEqual({ exit: 4, told: ['goal-test-changed file', 'lint-disabled null'] });
    expect(branchFile(project, session, 'sum.js')).toContain('eslint-disable-next-line');
  });

  it('reverts an agent’s change to the settings of the guard', SOAK, async () => {
    const project = makeProject({ files: FILES });
    const { session } = await until(project, `echo 'guard: { loops: { until: off } }' > umpire.config.yaml`);
    expect(breachesIn(session)).toEqual(['judge-changed umpire.config.yaml file']);
    expect(project.git('ls-tree', '--name-only', `umpire/${session.split('/').at(-1) ?? ''}`)).not.toContain('umpire.config.yaml');
  });

  it('tells its agents the rules', SOAK, async () => {
    const project = makeProject({ files: FILES });
    await until(project, 'cp "$UMPIRE_TASK_FILE" "$beside/told.json"');
    const told = textOf(project.beside, 'told.json');
    expect(told).toContain('Do not delete, skip, empty or weaken a test');
    expect(told).toContain('Changes that break these rules are reverted');
  });
});

describe('the retrial', () => {
  const deleteAdds = `sed -i "/^test('adds'/,/^});/d" sum.test.js`;

  it('does not approve a failing test that is deleted together with a change of the tested code', async () => {
    const project = makeProject({ files: FILES });
    const { session, exit, err } = await until(project, `${deleteAdds}; sed -i 's/a + b;/0 + a + b;/' sum.js`);
    expect(exit, err).toBe(4);
    expect(breachesIn(session)).toContain('failing-test-removed sum.test.js file');
    expect(branchFile(project, session, 'sum.test.js')).toBe(TESTS);
    expect(branchFile(project, session, 'sum.js')).toContain('0 + a + b;');
    const [retrial] = eventsOfType(session, 'TaskFinished').flatMap((data) => data.retrial ?? []);
    expect(retrial?.runs.map(({ tree, tests }) => [tree, tests])).toEqual([
      ['base', { passed: 1, failed: 1, skipped: 0 }],
      ['old tests, new code', { passed: 1, failed: 1, skipped: 0 }],
      ['new tests, new code', { passed: 1, failed: 0, skipped: 0 }],
      ['new tests, old code', { passed: 1, failed: 0, skipped: 0 }],
    ]);
    const report = await project.umpire('report', session);
    expect(report.out).toContain('the guard reverted (by file) failing-test-removed at sum.test.js:5 in the work of');
    expect(report.out).toMatch(/retrial of the work of WORK-1: .*old tests, new code: failed, 1 test passed, 1 failed/);
    expect((await project.umpire('replay', session)).exit).toBe(0);
    const served = await serveProject(project);
    const shown = await served.json(`/api/session?id=${encodeURIComponent(relative(project.root, session))}`);
    served.running.child.kill('SIGKILL');
    await served.running.ended;
    expect(shown['runs']).toMatchObject({
      'WORK-1': [
        {
          retrial: [
            /^in all: the tests ran 4 times, /,
            /^base: failed/,
            /^old tests, new code: failed/,
            /^new tests, new code: passed/,
            /^new tests, old code: passed/,
          ].map((one) => expect.stringMatching(one) as string),
        },
      ],
    });
  });

  it('approves the same change with the test kept and the code fixed', SOAK, async () => {
    const project = makeProject({ files: FILES });
    project.write({ '../more.js': MORE });
    const { session, exit, err } = await until(project, `sed -i 's/a + b;/a + b + 1;/' sum.js; cat "$beside/more.js" >> sum.test.js`);
    expect(exit, err).toBe(0);
    expect(breachesIn(session)).toEqual([]);
    const [retrial] = eventsOfType(session, 'TaskFinished').flatMap((data) => data.retrial ?? []);
    expect(retrial?.runs.map(({ tree, passed }) => [tree, passed])).toEqual([
      ['base', false],
      ['old tests, new code', true],
    ]);
  });

  it('runs nothing for work that touches no test', SOAK, async () => {
    const project = makeProject({ files: FILES });
    const { session, exit } = await until(project, `sed -i 's/a + b;/a + b + 1;/' sum.js`);
    expect(exit).toBe(0);
    expect(eventsOfType(session, 'TaskFinished').flatMap((data) => data.retrial ?? [])).toEqual([]);
  });

  it('judges a command by its exit status alone where no runner is known', SOAK, async () => {
    const files = {
      'sum.sh': 'echo $(($1 * $2))\n',
      'tests/adds.t.sh': '[ "$(sh sum.sh 1 2)" = 3 ]\n',
      'tests/zero.t.sh': '[ "$(sh sum.sh 0 2)" = 0 ]\n',
    };
    const project = makeProject({ files });
    const agent = project.sh(`rm -f tests/adds.t.sh; echo 'echo $(($2 * $1))' > sum.sh\ncomplete done`);
    const command = 'for test in tests/*.t.sh; do sh $test || exit 1; done';
    const { session, exit, err } = await project.umpire('until', command, 'mend', '--max-rounds', '1', ...agent);
    expect(exit, err).toBe(4);
    expect(breachesIn(session)).toContain('goal-test-changed tests/adds.t.sh file');
  });

  it.each([
    ['review', 'a hidden regression', /test\('adds'[^]*?\n\}\);\n/, '', 'its old version fails on the new code'],
    ['debt', 'a changed expectation', 'sum(1, 2), 3', 'sum(1, 2), 4', 'and the new version passes'],
  ])('is a finding of the critic of %s: %s', SOAK, async (loop, _, from, to, message) => {
    const tests = TESTS.replace('sum(1, 2), 4', 'sum(1, 2), 3');
    const project = makeProject({ files: { ...FILES, 'sum.test.js': tests } });
    project.write({ 'sum.js': SUM.replace('a + b', 'a + b + 1'), 'sum.test.js': tests.replace(from, to) });
    const { out, err, exit } = await project.umpire('critique', loop, '--base', 'HEAD', '--json', '--quiet');
    expect(exit, err).toBe(3);
    const { session, files } = JSON.parse(out) as { readonly session: string; readonly files: readonly string[] };
    const evidence = files.map((file) => textOf(project.root, session, file)).join('\n');
    expect(evidence).toContain(message);
  });
});

describe('the settings of the checkout', () => {
  it('can set a loop to report breaches only, or not to look for them', SOAK, async () => {
    for (const [word, found] of [
      ['tell', ['test-skipped sum.test.js told']],
      ['off', []],
    ] as const) {
      const project = makeProject({ files: FILES, config: { guard: { loops: { until: word } } } });
      const { session, exit } = await until(project, `${SKIP}; cp "$UMPIRE_TASK_FILE" "$beside/told.json"`);
      expect({ exit, found: breachesIn(session) }).toEqual({ exit: 0, found });
      expect(branchFile(project, session, 'sum.test.js')).toContain('test.skip');
      expect(textOf(project.beside, 'told.json')).not.toContain('are reverted before');
    }
  });

  it('warn about the name of a loop that does not exist but resembles the running one', SOAK, async () => {
    const project = makeProject({ files: FILES, config: { guard: { loops: { untill: 'off' } } } });
    const { session, err } = await until(project, SKIP);
    expect(err).toContain('umpire.config.yaml sets guard.loops.untill, but this loop is until.');
    expect(breachesIn(session)).toEqual(['test-skipped sum.test.js file']);
  });

  it('can guard your own loop, which has no guard by default', SOAK, async () => {
    const files = { ...FILES, ...proseFiles({ writes: ['writer'], tasks: [{ id: 'W1' }] }) };
    for (const [guard, found] of [
      [{}, []],
      [{ loops: { prose: 'obey' } }, ['test-skipped sum.test.js file']],
      [{ loops: { prose: { breaches: 'obey', scope: 'testing' } } }, ['source-changed sum.js file', 'test-skipped sum.test.js file']],
    ] as const) {
      const project = makeProject({ files, config: { guard } });
      const agent = project.sh(`${SKIP}; echo "exports.less = () => 0;" >> sum.js; complete done`);
      const { session, err } = await project.umpire('run', './prose.yaml', 'a page', ...agent);
      expect(breachesIn(session), err).toEqual(found);
      expect(branchFile(project, session, 'sum.test.js').includes('test.skip')).toBe(found.length === 0);
    }
  });
});

it('A9: reverts corrections of tests, also of those that failed on the commit it started from', SOAK, async () => {
  const before = `${HEAD}test('adds parts', () => {
  assert.strictEqual(sum(0.1, 0.2), 0.3);
});

test('doubles a half', () => {
  assert.strictEqual(twice(0.5), 1);
});
`;
  const after = before
    .replace('strictEqual(sum(0.1, 0.2), 0.3)', 'ok(Math.abs(sum(0.1, 0.2) - 0.3) < 0.01)')
    .replace('strictEqual(twice(0.5), 1)', 'ok(Math.abs(twice(0.5) - 1) < 0.01)');
  const project = makeProject({ files: { ...FILES, 'sum.test.js': before } });
  project.write({ '../after.js': after });
  const agent = project.sh('case "$id" in TESTGEN-*) cp "$beside/after.js" sum.test.js;; esac\ncomplete done');
  const { session, exit } = await project.umpire('run', 'testing', 'cover sum', '--mode', 'targeted', '--target', '50', ...agent);
  const found = eventsOfType(session, 'TaskFinished').flatMap(({ task, breaches = [] }) =>
    breaches.map(({ rule, line, taken }) => `${task} ${rule} ${line} ${taken ?? 'told'}`),
  );
  expect(found).toEqual(['TESTGEN-001 assertion-weakened 6 file', 'TESTGEN-001 assertion-weakened 10 file']);
  expect({ exit, text: branchFile(project, session, 'sum.test.js') }).toEqual({ exit: 0, text: before });
});

it('tells every task that may write what is reverted, also a critic in a loop without verdicts', SOAK, async () => {
  const tasks = [{ id: 'A' }, { id: 'B', role: 'reader', deps: ['A'] }];
  const files = proseFiles({ tasks, writes: ['writer', 'reader'] });
  const project = makeProject({ files, config: { guard: { loops: { prose: 'obey' } } } });
  const agent = project.sh('grep -q "are reverted before your work is merged" "$UMPIRE_TASK_FILE" && said=warned\ncomplete "$said"');
  const { session } = await project.umpire('run', './prose.yaml', 'a book', ...agent);
  expect([rowsOf(session)['A']?.['findings'], rowsOf(session)['B']?.['findings']]).toEqual(['warned', 'warned']);
});
