// The audit against a labelled set: small token files, each with one intended fault or none. What is found is exactly what the label
// says, no more and no less.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { floorTenth } from './audit-dimension.js';
import { auditTokens, type AuditOptions } from './audit.js';
import { readTokenFile } from './token-file.js';

const root = join(import.meta.dirname, '../../../../fixtures/tokens');

interface Label extends Partial<AuditOptions> {
  readonly fault: string;
  readonly expect: readonly unknown[];
}

const labels = Object.entries(JSON.parse(readFileSync(join(root, 'labels.json'), 'utf8')) as Record<string, Label>);

function audit(name: string, { industry, pairs, grid }: Partial<AuditOptions>) {
  const folder = join(root, name);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .toSorted();
  const files = paths.map((path) => readTokenFile(readFileSync(join(folder, path), 'utf8'), path));
  return auditTokens(files, { industry: industry ?? 'standard', pairs: pairs ?? [], grid: grid ?? 4 });
}

describe('the labelled set', () => {
  it.each(labels)('%s', (name, label) => {
    const found = audit(name, label).findings.map(({ severity, rule, token, file, line }) => ({ severity, rule, token, file, line }));
    expect(found.toSorted(byText)).toEqual([...label.expect].toSorted(byText));
  });

  it('has enough of both, and every folder has its label', () => {
    expect(labels.filter(([, label]) => label.expect.length > 0).length).toBeGreaterThanOrEqual(40);
    expect(labels.filter(([, label]) => label.expect.length === 0).length).toBeGreaterThanOrEqual(12);
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(labels.map(([name]) => name).toSorted());
  });
});

describe('the score', () => {
  const scored = (name: string, options: Partial<AuditOptions> = {}) => {
    const { score, signal, reason, dimensions } = audit(name, options);
    return { score, signal, reason, dimensions: Object.fromEntries(dimensions.map((dimension) => [dimension.name, dimension.score])) };
  };

  it('is the mean by weight; a Critical finding asks for a fix whatever the score, and holds its dimension down', () => {
    expect(scored('contrast-text')).toEqual({
      // (10 × 20 + 5 × 25 + 10 × 20 + 10 × 15 + 7.5 × 20) / 100
      score: 8.2,
      signal: 'fix_required',
      reason: 'The score is 8.2, and 1 finding is Critical.',
      dimensions: { consistency: 10, accessibility: 5, completeness: 10, quality: 10, industry: 7.5 },
    });
  });

  it('leaves out what was not measured, and does not pass without accessibility', () => {
    expect(scored('clean-scale')).toEqual({
      score: 10,
      signal: 'audit_result',
      reason: 'The score is 10, but accessibility could not be measured: an audit does not pass without it.',
      dimensions: { consistency: 10, accessibility: null, completeness: null, quality: 10, industry: null },
    });
  });

  it('does not take a focus indicator for all of accessibility', () => {
    const value = { $type: 'color', $value: { colorSpace: 'srgb', components: [0, 0, 0] } };
    const file = readTokenFile(JSON.stringify({ button: { 'background-hover': value, background: value }, 'focus-ring': value }), 'a.json');
    const { dimensions } = auditTokens([file], { industry: 'standard', pairs: [], grid: 4 });
    const accessibility = dimensions.find(({ name }) => name === 'accessibility');
    expect({ score: accessibility?.score, checks: accessibility?.checks }).toEqual({
      score: null,
      checks: [{ name: 'focus indicator exists', looked: 1, right: 1 }],
    });
  });

  it('below 6 in one dimension asks for a fix, although the whole would pass', () => {
    expect(scored('mode-dark-missing')).toEqual({
      score: 8,
      signal: 'fix_required',
      reason: 'The score is 8, but completeness scored 0; 6 is the least of each.',
      dimensions: { consistency: 10, accessibility: 10, completeness: 0, quality: 10, industry: 10 },
    });
  });

  it('between 6 and 8 is advice, below it a fix', () => {
    expect([scored('scale-order').signal, scored('names-mixed').score, scored('target-small').score]).toEqual(['audit_result', 8.3, 7.5]);
    const wrong = { $type: 'dimension', $value: { value: 5, unit: 'px' } };
    const names = ['odd-one', 'oddTwo', 'odd_three', 'OddFour'];
    const file = readTokenFile(JSON.stringify({ spacing: Object.fromEntries(names.map((name) => [name, wrong])) }), 'a.json');
    expect(auditTokens([file], { industry: 'standard', pairs: [], grid: 4 })).toMatchObject({
      score: 3.5,
      signal: 'fix_required',
      reason: 'The score is 3.5; 6 is the least.',
    });
  });

  it('is never rounded up', () => {
    expect([7.99, 8, 5.95, 0.3].map(floorTenth)).toEqual([7.9, 8, 5.9, 0.3]);
  });
});

it('cuts a flood short and counts it', () => {
  const tree = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`t${at}`, { $type: 'number', $value: `{gone.${at}}` }]));
  const { findings, counts } = auditTokens([readTokenFile(JSON.stringify(tree), 'a.json')], { industry: 'standard', pairs: [], grid: 4 });
  expect({ listed: findings.length, counts, last: findings.at(-1) }).toEqual({
    listed: 20,
    counts: { critical: 20, high: 0, medium: 0, low: 0 },
    last: {
      rule: 'reference/missing',
      severity: 'critical',
      message: '11 more of the same kind (reference/missing): t19, t20, t21, t22 and 7 more',
      dimension: 'consistency',
      token: 't19',
      file: 'a.json',
      line: 1,
      count: 11,
    },
  });
});

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
