// How commands are asked for the names of their tests.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { askForNames, readNames } from './command-names.js';
import { readReport } from './report-file.js';

const scratch = mkdtempSync(join(tmpdir(), 'umpire-ask-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it.each(['npx jest && npx eslint .', 'npx jest > out.txt', 'npx jest # all', 'npm test', 'sh tests/jest.sh', 'python -m pytest -q'])(
  'leaves the words of %s alone',
  (command) => {
    expect(askForNames(command, scratch, scratch).command).toBe(command);
  },
);

it('asks by the environment, beside what is set there', () => {
  process.env['GOFLAGS'] = '-mod=mod';
  try {
    const { env } = askForNames('make test', scratch, scratch);
    expect(env).toMatchObject({ GOFLAGS: '-mod=mod -v', PYTEST_ADDOPTS: expect.stringContaining('--junitxml=') as string });
    expect(env['NODE_OPTIONS']).toBeUndefined();
  } finally {
    delete process.env['GOFLAGS'];
  }
});

it('asks node:test, also through the scripts of a package, unless the call has reporters of its own', () => {
  const options = (command: string, folder = scratch) => askForNames(command, scratch, folder).env['NODE_OPTIONS'];
  expect(options('node --test a.test.js')).toContain(`--test-reporter=${join(scratch, 'node.names.mjs')}`);
  expect(options('node --test --test-reporter=dot a.test.js')).not.toContain('--test-reporter');
  const project = mkdtempSync(join(scratch, 'project-'));
  writeFileSync(join(project, 'package.json'), '{"scripts":{"test":"npm run unit","unit":"node --test"}}');
  expect(options('npm test', project)).toContain('--test-reporter=');
  expect(options('npm run build', project)).not.toContain('--test-reporter=');
});

it('asks nothing if the path of the scratch folder would be split into words', () => {
  const { command, env, reports } = askForNames('npx jest', join(scratch, 'a b'), scratch);
  expect([command, env, reports(null)]).toEqual(['npx jest', {}, []]);
});

it('takes no names where a second call wrote over the report of the first', () => {
  const place = mkdtempSync(join(scratch, 'twice-'));
  const { reports } = askForNames('make test', place, place);
  const [report, printed] = [join(place, 'pytest.names'), join(place, 'printed.txt')];
  writeFileSync(report, '');
  const once = '..F [100%]\n1 failed, 2 passed in 0.03s\n';
  writeFileSync(printed, once);
  expect(reports(printed)).toEqual([report]);
  writeFileSync(printed, `${once}=========== 3 passed, 1 warning in 0.01s ===========\n`);
  expect(reports(printed)).toBeNull();
});

it('keeps the deepest tests of TAP that any program prints', () => {
  const printed = join(scratch, 'printed.txt');
  const nested =
    '# Subtest: cart\n    # Subtest: total\n        ok 1 - adds\n        ok 2 - counts\n        1..2\n    ok 1 - total\n    1..1\n';
  writeFileSync(printed, `TAP version 13\n${nested}ok 1 - cart\n1..1\n`);
  const names = readNames({ reports: [], set: [], printed, workdir: scratch, sinceMs: 0 })?.map(({ id }) => id);
  expect(names).toEqual(expect.arrayContaining(['cart > total > adds', 'cart > total > counts']));
});

it('takes no names from a runner that prints those of its failures alone', () => {
  const printed = join(scratch, 'mix.txt');
  const red = '..\n\n  1) test adds prices (PriceTest)\n     test/price_test.exs:4\n     Assertion with == failed\n\n...\n';
  writeFileSync(printed, `${red}Finished in 0.03 seconds (0.00s async, 0.03s sync)\n6 tests, 1 failure\n\nRandomized with seed 1\n`);
  expect(readReport(printed, { format: 'exunit', root: scratch })).toMatchObject({ outcome: 'fail', tests: { total: 6, failed: 1 } });
  expect(readNames({ reports: [], set: [], printed, workdir: scratch, sinceMs: 0 })).toBe(null);
});
