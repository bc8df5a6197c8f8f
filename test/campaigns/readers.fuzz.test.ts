// Every reader on mutated reports: no exception, no malformed reading, never slow. UMPIRE_AMOUNT sets how many inputs each reader
// gets.

import { afterAll, expect, test } from 'vitest';
import { READER_COUNTS } from '@umpire/core/formats/reader-outputs.js';
import { READERS } from '@umpire/core/formats/readers.js';
import { SEVERITIES, type Counts, type Finding, type ReadResult, type Reading } from '@umpire/core/model/vocabulary.js';
import { SEED, amountOf } from '../support/campaign.js';
import { mutations } from '../support/mutate.js';

const INPUTS = amountOf(1_000, 100_000);
const MAX_MS = 1000;

/** Small seeds, so that a hundred thousand mutants take seconds. */
const REPORTS = [
  '# Audit\n- **Overall Score**: 5/10\n- Signal: fix_required\n- Critical Issues: 1\n\n| Dimension | Score | Weight |\n|---|---|---|\n| Accessibility | 3/10 | 25% |\n',
  '## Critical (1)\n- **[CRITICAL]** Contrast 2.8:1 (tokens.json:42)\n  Location: a/b.json:42\n### High\n1. Missing state `button.md:3`\n   - Fix: add it\n',
  '| Severity | Issue | File | Line |\n|---|---|---|---|\n| Medium | Naming | a.md | 4 |\n\n## Resolved\n- [x] [LOW] done\n',
  'We found 3 critical, 2 high issues. No blocker is fixed.\n<table><tr><th>Severity</th></tr><tr><td>Critical</td></tr></table>\n- \u{1f534} x \u2014 critical\n```yaml\n- severity: low\n```\n{"severity":"low","message":"m"}\n',
  '### Accessibility (4/10)\n**Issues:**\n- No focus ring\n\n### 1. Title\n**Severity:** High\nNo issues found.\n',
];

const SEEDS: Readonly<Record<string, readonly string[]>> = {
  audit: [
    ...REPORTS,
    '{"audit_score":"7/10","dimensions":{"a":{"score":5,"issues":["x (a.ts:1)"]}},"findings":{"critical":[{"title":"t","path":"p"}]}}',
    '```json\n{"score": 4, "findings": []}\n```\n',
  ],
  'review-json': [
    '{"files":[{"path":"a.ts","findings":[{"Severity":["low"],"Message":"m","cvss":9.1}]}],"runs":[{"tool":{"driver":{"rules":[{"id":"r"}]}},"results":[{"ruleId":"r","message":{"text":"t"}}]}]}',
    '{"review_score":"8/10","gc_signal":"CONVERGED","findings":[{"severity":"HIGH","message":"m","file":"a.ts","line":3},"[LOW] x"],"summary":{"critical":1}}',
  ],
  'validation-json': [
    '{"passed":true,"total_regressions":2,"checks":{"tests":{"status":"failed","errors":3},"lint":false,"types":"ok"},"debt_score_before":9,"debt_score_after":4,"regressions":["r (a.ts:2)"]}',
  ],
  'run-json': [
    '{"layer":"L1","pass_rate":0.9,"coverage":{"lines":{"pct":80}},"total":10,"passed":9,"failed":1,"failures":[{"name":"n","file":"a.ts","line":2,"message":"expected 1 to be 2"}]}',
  ],
  critique: [
    ...REPORTS,
    '# Critique\n### Challenge 1: Cost (HIGH)\n\nToo dear.\n\nCRITICAL:1 HIGH:2\n',
    '{"challenges":[{"severity":"low","challenge":"c"}],"severity_summary":"HIGH:1"}',
  ],
  'critique-entries': [
    '{"worker":"w","data":{"idea":"I","challenge":"c","severity":"HIGH"}}\n{"data":{"severity_summary":"CRITICAL:1 LOW:2"}}\n{"data":{"critical":1}}\n',
  ],
  'findings-cell': [
    '[CRITICAL] no owner; [HIGH] cost is a guess (plan.md:3)',
    'Critical: no owner\nMEDIUM - unclear goal',
    'nothing found',
  ],
  'severity-summary': [
    'CRITICAL:>0 C:1 two high, x3',
    'CRITICAL:1 HIGH:2 MEDIUM:3 LOW:1',
    '2 high, 1 critical',
    '{"critical": 1, "high": "2"}',
  ],
  entries: ['{"ts":"t","worker":"w","type":"x","data":{"a":1,"b":null,"c":[1]}}\n{"worker":"v"}\n'],
  json: ['{"verdict":"pass","n":{"m":{"k":1}},"rows":[{"a":1}],"issues":[{"text":"t","level":"warning"}]}'],
  markdown: [...REPORTS, '- Verdict: pass\n- Pages: 12\nScore: 7/10\n'],
  text: ['FAIL test/a.test.ts\n  expected 1, received 2\n'],
  'command-result': [
    '{"command":"npm test","exit_status":1,"signal":null,"timed_out":false,"duration_ms":812,"output_tail":"\\u001b[31mFAIL\\u001b[0m a\\n1 failed\\n","head":"f00"}',
    '{"command":"x","exit_status":null,"signal":"SIGKILL","timed_out":true}',
  ],
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isScalar = (value: unknown): boolean => isText(value) || typeof value === 'boolean' || Number.isFinite(value);

function isFinding(finding: Finding): boolean {
  return (
    SEVERITIES.includes(finding.severity) &&
    isText(finding.message) &&
    finding.message !== '' &&
    (finding.artifact === null || (isText(finding.artifact) && finding.artifact !== '')) &&
    (finding.line === null || (Number.isSafeInteger(finding.line) && finding.line >= 1)) &&
    (finding.rule === undefined || isText(finding.rule)) &&
    (finding.dimension === undefined || isText(finding.dimension)) &&
    /^[0-9a-f]{16}$/.test(finding.fingerprint)
  );
}

function isCounts(counts: Counts): boolean {
  return Object.keys(counts).length === 4 && SEVERITIES.every((severity) => isCount(counts[severity]));
}

function isReading(reading: Reading): boolean {
  const items = Object.values(reading.lists).flat();
  return (
    Object.getPrototypeOf(reading.values) === Object.prototype &&
    Object.values(reading.values).every(isScalar) &&
    reading.findings.every(isFinding) &&
    (reading.counts === undefined || isCounts(reading.counts)) &&
    items.every((item) => Object.values(item).every((value) => value === null || isScalar(value))) &&
    reading.notes.every((note) => isText(note) && note !== '')
  );
}

/** The proof of a loop relies on READER_COUNTS. */
function keepsItsWord(name: string, reading: Reading): boolean {
  const word = READER_COUNTS[name];
  return word === undefined || (word === 'always') === (reading.counts !== undefined);
}

function isWellFormed(name: string, result: ReadResult): boolean {
  if (result.ok) return isReading(result.reading) && keepsItsWord(name, result.reading);
  const { problem, line } = result.unreadable;
  return isText(problem) && problem !== '' && (line === undefined || (Number.isSafeInteger(line) && line >= 1));
}

const times: string[] = [];

function timed<T>(act: () => T): { readonly result: T; readonly ms: number } {
  const before = performance.now();
  return { result: act(), ms: performance.now() - before };
}

test.each(Object.entries(READERS))(
  '%s',
  (name, read) => {
    const started = performance.now();
    let slowest = 0;
    for (const text of mutations(SEEDS[name] ?? [], INPUTS, SEED)) {
      const { result, ms } = timed(() => read(text, { path: 'artifacts/report' }));
      // On a busy machine anything may take long once. A slow reader is slow every time.
      const isSlow = ms >= MAX_MS && [1, 2].every(() => timed(() => read(text, { path: 'artifacts/report' })).ms >= MAX_MS);
      slowest = Math.max(slowest, isSlow ? ms : Math.min(ms, MAX_MS - 1));
      if (!isWellFormed(name, result)) expect.unreachable(`${JSON.stringify(text)} gave ${JSON.stringify(result)}`);
    }
    expect(slowest).toBeLessThan(MAX_MS);
    times.push(`${name}: ${INPUTS} inputs in ${((performance.now() - started) / 1000).toFixed(1)} s, slowest ${slowest.toFixed(0)} ms`);
  },
  600_000,
);

afterAll(() => {
  console.info(times.join('\n'));
});
