// What failed in a verifier's report, as findings of its row.

import { expect, test } from 'vitest';
import { parseFindingsCell } from './findings-cell.js';
import { verificationFindings } from './verification.js';

const REPORT = {
  commands: [
    { run: 'npm test', exit: 1, passed: 90, failed: 6 },
    { run: 'npm run types', exit: 2 },
    { run: 'npm run lint', exit: 0 },
  ],
  criteria: [
    { id: 'AC-1', holds: true },
    { id: 'AC-2', holds: false, seen: 'a refund returns 200; [LOW] or so', file: 'src/refund.ts', line: 38 },
    { id: 'AC-3', holds: null },
  ],
};

test('V2: failed commands, and criteria that do not hold or were not checked, have a severity', () => {
  const found = verificationFindings(REPORT);
  expect(found).toEqual([
    '[CRITICAL] 6 tests fail (npm test)',
    '[CRITICAL] exit status 2 (npm run types)',
    '[CRITICAL] AC-2 does not hold, a refund returns 200 LOW or so (src/refund.ts:38)',
    '[HIGH] AC-3 was not checked',
  ]);
  expect(parseFindingsCell(found.join('; ')).counts).toMatchObject({ critical: 3, high: 1, medium: 0, low: 0 });
});

test('finds nothing in a good report, and in what is none', () => {
  expect(verificationFindings({ commands: [{ run: 'npm test', exit: 0, failed: 0 }], criteria: [{ id: 'AC-1', holds: true }] })).toEqual(
    [],
  );
  for (const odd of [null, 3, 'x', [], { commands: 'x', criteria: [1, null] }]) expect(verificationFindings(odd)).toEqual([]);
});
