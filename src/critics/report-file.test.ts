import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../test/support/git-project.js';
import { readReport } from './report-file.js';

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
