import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import { namesFileOf, readPrinted, readReport } from './report-file.js';

cleanUpAfterwards();

const LCOV = 'SF:/project/src/a.js\nDA:1,1\nDA:2,0\nend_of_record\n';

test('a report is read by the format that is named, or by its content', () => {
  const path = join(temporaryFolder(), 'coverage.info');
  writeFileSync(path, LCOV);
  for (const format of ['lcov', null]) {
    const { coverage, outcome } = readReport(path, { format, root: '/project' });
    expect({ coverage, outcome }).toMatchObject({ outcome: 'pass', coverage: { lines: { covered: 1, total: 2, pct: 50 } } });
  }
});

test('one larger than a chunk is read to its end', () => {
  const path = join(temporaryFolder(), 'coverage.info');
  const lines = Array.from({ length: 60_000 }, (_, at) => `DA:${at + 1},${at % 2}\n`).join('');
  writeFileSync(path, `SF:src/a.js\n${lines}end_of_record\n`);
  expect(readReport(path, { format: 'lcov', root: '/project' }).coverage?.lines).toEqual({ covered: 30_000, total: 60_000, pct: 50 });
});

test('a test whose title holds the folder has the same name in every folder', () => {
  const path = join(temporaryFolder(), 'junit.xml');
  writeFileSync(path, '<testsuite><testcase classname="a" name="at /copy/tree, not there"/></testsuite>');
  expect(readReport(path, { format: 'junit', root: '/copy/tree' }).results?.map(({ id }) => id)).toEqual(['a > at ., not there']);
});

test('what is not there is missing; what is no report is an error', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'folder.json'));
  writeFileSync(join(folder, 'empty.json'), '');
  const outcome = (name: string, format: string | null) => readReport(join(folder, name), { format, root: folder }).outcome;
  expect([
    outcome('gone.json', 'jest'),
    outcome('folder.json', 'jest'),
    outcome('empty.json', 'jest'),
    outcome('empty.json', 'no-format'),
  ]).toEqual(['missing', 'missing', 'error', 'error']);
});

const ESLINT =
  '[{"filePath":"/project/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"m","line":1}],"errorCount":1,"warningCount":0}]';
const CHECKSTYLE =
  '<?xml version="1.0"?>\n<checkstyle version="8"><file name="a.go"><error line="1" severity="error" message="m" source="s"/></file></checkstyle>';

test.each([
  ['eslint fail 1', ESLINT],
  ['eslint fail 1', `\n> shop@1.0.0 lint\n> eslint -f json .\n\n${ESLINT}\n`],
  ['eslint fail 1', `yarn run v1.22.22\n$ eslint -f json .\n${ESLINT}\nerror Command failed with exit code 1.\n`],
  ['checkstyle fail 1', `warning: something old\r\n${CHECKSTYLE}\r\nDone in 0.10s.\r\n`],
  // Two reports are none that can be read, and that is not the same as none at all.
  ['eslint error 0', `> a\n${ESLINT}\n> b\n${ESLINT}\n`],
  ['eslint error 0', `warning: x\n${ESLINT.slice(0, -20)}`],
  ['unknown error 0', 'nothing but words\n{ and a brace\n'],
  ['unknown error 0', ''],
])('of what a tool printed the report is read: %s', (expected, text) => {
  const path = join(temporaryFolder(), 'printed');
  writeFileSync(path, text);
  const { format, outcome, findings } = readPrinted(path, { format: null, root: '/project' });
  expect(`${format} ${outcome} ${outcome === 'error' ? 0 : findings.length}`).toBe(expected);
});

test('lines around a large report are passed over, too', () => {
  const path = join(temporaryFolder(), 'printed');
  const files = Array.from({ length: 5000 }, (_, at) => ({ filePath: `/project/${at}.js`, messages: [], errorCount: 0, warningCount: 0 }));
  writeFileSync(path, `> lint\n${JSON.stringify(files)}\nDone.\n`);
  expect(readPrinted(path, { format: null, root: '/project' })).toMatchObject({ format: 'eslint', outcome: 'pass' });
});

test('W4: a path is a file of the project where an end of it is one', () => {
  const project = temporaryFolder();
  mkdirSync(join(project, 'packages/a/src'), { recursive: true });
  writeFileSync(join(project, 'packages/a/src/one.js'), '');
  writeFileSync(join(project, 'top.js'), '');
  const names = (path: string) => namesFileOf(project, ['gone.js', path], 'packages/a/coverage');
  const ours = ['packages/a/src/one.js', 'src/one.js', 'home/ci/work/packages/a/src/one.js', 'elsewhere/top.js'];
  expect(ours.filter((path) => !names(path))).toEqual([]);
  expect(['src/two.js', 'b/src/one.jsx', 'packages/a/src'].filter(names)).toEqual([]);
});
