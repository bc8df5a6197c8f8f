// What evidence is bound to: read back from it, and as lines of a report.

import { expect, it } from 'vitest';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import { provenanceLines } from './provenance-lines.js';

const tool = {
  name: 'vitest',
  version: '4.1.12',
  command: ['node', 'node_modules/vitest/vitest.mjs', 'run'],
  workdir: '.',
  started: '2026-03-01T10:00:00.000Z',
  ended: '2026-03-01T10:00:02.500Z',
  exit_status: 1,
  signal: null,
  timed_out: false,
};

const whole = {
  commit: 'f'.repeat(40),
  content: 'a'.repeat(64),
  started: '2026-03-01T10:00:00.000Z',
  ended: '2026-03-01T10:00:03.000Z',
  tools: [tool, { ...tool, version: null, exit_status: null, signal: 'SIGKILL' }, { ...tool, timed_out: true }],
};

it('reads back what critics write', () => {
  expect(readProvenance(JSON.stringify({ total: 1, provenance: whole }))).toEqual(whole);
});

it('takes little from little, and nothing from nothing', () => {
  const empty = { commit: null, content: null, started: '', ended: '', tools: [] };
  expect(readProvenance('{"provenance":{"commit":4,"tools":"x"}}')).toEqual(empty);
  for (const text of ['', '{}', '{"provenance":1}', '{"provenance"', '["provenance"]']) expect(readProvenance(text)).toBeNull();
});

it('says what was measured, by which commands, and how they ended', () => {
  expect(provenanceLines(whole)).toEqual([
    '  - Measured on commit ffffffffffff, with changes aaaaaaaaaaaa, 2026-03-01 10:00, 3.0 s',
    '  - vitest 4.1.12: `node node_modules/vitest/vitest.mjs run`, status 1, 2.5 s',
    '  - vitest: `node node_modules/vitest/vitest.mjs run`, ended by SIGKILL, 2.5 s',
    '  - vitest 4.1.12: `node node_modules/vitest/vitest.mjs run`, took too long, 2.5 s',
  ]);
  expect(provenanceLines({ ...whole, commit: null, ended: '', tools: [] })).toEqual([
    '  - Measured on no commit, content aaaaaaaaaaaa, 2026-03-01 10:00',
  ]);
});
