// The guard in runs: what makes tests lie is taken back before it is merged, and told to everybody who reads of the run.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpProjects, eventsOfType, makeProject, rowsOf, textOf, verdictsOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

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

/** What is on the session's branch. */
function branchFile(project: RunProject, session: string, path: string): string {
  return project.git('show', `umpire/${session.split('/').at(-1) ?? ''}:${path}`);
}

const run = ['run', 'testing', 'cover sum', '--mode', 'targeted', '--target', '50', '--max-rounds', '1'] as const;

it('takes a skipped test back by hunk, keeps what is honest, and says so in the task, the verdict and the report', async () => {
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
    findings: 'Umpire took back what makes tests lie: test-skipped at sum.test.js:5. all pass now',
  });
  const [first] = eventsOfType(session, 'VerdictGiven');
  expect(first?.verdict.anomalies).toEqual([
    {
      rule: 'guard',
      message: expect.stringMatching(/^Of the work of TESTGEN-001, test-skipped at sum\.test\.js:5 was taken back \(by hunk\): /),
    },
  ]);
  expect(verdictsOf(session)[0]).toContain('RETRY');
  const [page = ''] = readdirSync(join(session, 'verdicts')).toSorted();
  expect(textOf(session, 'verdicts', page)).toContain('test-skipped at sum.test.js:5 was taken back');
  const report = await project.umpire('report', session);
  expect(report.out).toMatch(/taken back by hunk, since it makes tests lie: test-skipped at sum\.test\.js:5 in the work of TESTGEN-001/);
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('merges nothing of a change of settings, source or CI, and the run goes on', async () => {
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
  expect(rowsOf(session)['TESTRUN-001']).toMatchObject({ status: 'completed', pass_rate: '0.5' });
});

it('tells an agent of its rules that breaches are taken back', async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh('[ "$id" = TESTGEN-001 ] && cp "$UMPIRE_TASK_FILE" "$beside/told.json"\ncomplete done');
  await project.umpire(...run, ...agent);
  expect(textOf(project.beside, 'told.json')).toContain('A change that breaks these rules is taken back before your work is merged');
});

const SKIP = `sed -i "s/^test('adds'/test.skip('adds'/" sum.test.js`;

it('lets through what the settings of the checkout allow, and not what the agent allows itself', async () => {
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

it('only tells of it in a review, where tests are not what is made', async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh(`[ "$role" = developer ] && ${SKIP}\ncomplete done`);
  const { session } = await project.umpire('run', 'review', 'mend sum', '--mode', 'sprint', '--max-rounds', '1', ...agent);
  expect(rowsOf(session)['DEV-001']).toMatchObject({
    status: 'completed',
    findings: 'Umpire found what makes tests lie: test-skipped at sum.test.js:5. done',
  });
  expect(branchFile(project, session, 'sum.test.js')).toContain('test.skip');
  const report = await project.umpire('report', session);
  expect(report.out).toContain('found and left: test-skipped at sum.test.js:5 in the work of DEV-001');
});
