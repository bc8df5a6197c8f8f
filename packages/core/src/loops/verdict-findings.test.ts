// The findings of a verdict if sources repeat each other and critics differ.

import { describe, expect, it } from 'vitest';
import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { makeFinding } from '../formats/finding.js';
import { builtinLoop } from './builtin.js';
import type { EvidenceReadings, Loop } from './loop.js';
import { decidingSources, extractFacts } from './facts.js';
import { collectFindings } from './verdict-findings.js';

const source = { reader: 'json', grade: 'testified', what: 'it' } as const;
const loop: Loop = {
  ...(builtinLoop('review') as Loop),
  evidence: {
    results: { ...source, file: ['results.json'] },
    row: { row: 'critic', grade: 'testified', what: 'the row' },
    legal: { ...source, file: ['legal.json'], by: 'lawyer' },
  },
  facts: { all: { findings: ['results', 'row'] }, legal: { findings: ['legal'] } },
};

const found = (severity: Severity, message: string, line = 1): Finding => makeFinding({ severity, message, artifact: 'a.ts', line });

function listed(
  findings: Readonly<Record<string, readonly Finding[]>>,
  stated: Readonly<Record<string, Partial<Counts>>> = {},
): readonly [readonly string[], string] {
  const gathered: EvidenceReadings = Object.fromEntries(
    Object.entries(findings).map(([name, all]) => {
      const counts: Record<keyof Counts, number> = { critical: 0, high: 0, medium: 0, low: 0 };
      for (const { severity } of all) counts[severity] += 1;
      return [name, { state: 'ok', reading: { values: {}, lists: {}, notes: [], findings: all, counts: { ...counts, ...stated[name] } } }];
    }),
  );
  const drawn = collectFindings(loop, decidingSources(loop), gathered);
  return [drawn.findings.map(({ severity, message }) => `${severity} ${message}`), Object.values(drawn.counts).join('')];
}

describe('a finding from two sources', () => {
  it('is listed once, with the higher severity', () => {
    const twice = { results: [found('critical', 'Open to all')], row: [found('high', 'open to  all.')] };
    expect(listed(twice)).toEqual([['critical Open to all'], '1000']);
    const other = { results: [found('high', 'Open to all')], row: [found('critical', 'Open to all')] };
    expect(listed(other)).toEqual([['critical Open to all'], '1000']);
  });

  it('differs by place, and counts twice if one source lists it twice', () => {
    expect(listed({ results: [found('critical', 'Open')], row: [found('high', 'Open', 2)] })).toEqual([
      ['critical Open', 'high Open'],
      '1100',
    ]);
    expect(listed({ results: [found('high', 'Open'), found('low', 'Open')] })).toEqual([['high Open', 'low Open'], '0101']);
  });

  it('comes from the source of a role that has most of that severity', () => {
    const row = [found('high', 'c'), found('high', 'd')];
    expect(listed({ results: [found('high', 'a'), found('low', 'b')], row })).toEqual([['high c', 'high d', 'low b'], '0201']);
  });
});

it('lists the findings of both critics, the most severe first', () => {
  const two = { results: [found('critical', 'a'), found('low', 'b')], legal: [found('critical', 'c'), found('high', 'd')] };
  expect(listed(two)).toEqual([['critical a', 'critical c', 'high d', 'low b'], '2101']);
  expect(listed({ results: [found('critical', 'a')], legal: [found('critical', 'A.')] })).toEqual([['critical a'], '1000']);
  expect(listed({ results: [], legal: [] })).toEqual([[], '0000']);
});

it('counts at least as many as any single source', () => {
  const both = [found('high', 'a'), found('high', 'b')];
  expect(listed({ results: both, legal: both }, { results: { high: 5 } })).toEqual([['high a', 'high b'], '0500']);
  expect(listed({ results: both, legal: [found('critical', 'a')] }, { results: { high: 5 } })[1]).toBe('1400');
  expect(listed({ results: [found('high', 'a')], row: [found('high', 'a')], legal: [found('critical', 'a')] })[1]).toBe('1000');
});

describe('findings of different roles', () => {
  // Seen: the reviewer's Critical was gone, because the verifier's row had more findings.
  const review = builtinLoop('review') as Loop;
  const gather = (named: Readonly<Record<string, readonly Finding[]>>): EvidenceReadings =>
    Object.fromEntries(
      Object.entries(named).map(([name, findings]) => {
        const counts = { critical: 0, high: 0, medium: 0, low: 0 };
        for (const { severity } of findings) counts[severity] += 1;
        return [name, { state: 'ok', reading: { values: {}, lists: {}, notes: [], findings, counts } }];
      }),
    );

  it('add up: the verifier hides none of the reviewer', () => {
    const gathered = gather({
      results: [found('critical', 'SQL from the request', 7)],
      verified: [found('critical', '2 tests fail'), found('critical', 'exit status 1', 2)],
    });
    const { findings, counts } = collectFindings(review, decidingSources(review), gathered);
    expect(findings.map(({ message }) => message)).toEqual(['SQL from the request', '2 tests fail', 'exit status 1']);
    expect(counts.critical).toBe(3);
    expect(extractFacts(review, gathered, null)['critical']).toBe(3);
  });

  it('count the same place and message once', () => {
    const same = found('critical', 'SQL from the request', 7);
    const gathered = gather({ results: [same], verified: [same, found('critical', '2 tests fail')] });
    expect(collectFindings(review, decidingSources(review), gathered).counts.critical).toBe(2);
    expect(extractFacts(review, gathered, null)['critical']).toBe(2);
  });
});
