// Every kind of fact, from present, missing and unusual evidence.

import { expect, it } from 'vitest';
import type { Reading } from '../model/vocabulary.js';
import { builtinLoop } from './builtin.js';
import { comparedLists, disagreement, extractFacts, itemNames, valueAt } from './facts.js';
import type { PastLists } from './facts.js';
import type { EvidenceReadings } from './loop.js';
import type { FactSpec, FactValue, Loop } from './loop.js';

const EMPTY: Reading = { values: {}, findings: [], lists: {}, notes: [] };

function reading(part: Partial<Reading>): EvidenceReadings {
  return { a: { state: 'ok', reading: { ...EMPTY, ...part } } };
}

const base = builtinLoop('brainstorm') as Loop;

function check(spec: FactSpec, gathered: EvidenceReadings, expected: FactValue, past: PastLists = null): void {
  expect(extractFacts({ ...base, facts: { fact: spec } }, gathered, past)).toEqual({ fact: expected });
}

it('knows the state of evidence', () => {
  check({ state: 'a' }, { a: { state: 'unreadable', reading: null } }, 'unreadable');
  check({ state: 'a' }, {}, 'missing');
  check({ found: ['a', 'b'] }, reading({}), true);
  check({ found: ['b'] }, reading({}), false);
  check({ counted: ['a'] }, reading({}), false);
  check({ counted: ['a'] }, reading({ counts: { critical: 0, high: 0, medium: 0, low: 0 } }), true);
});

it('reads words in any case, and no other word', () => {
  const spec: FactSpec = { enum: ['audit_passed', 'fix_required'], at: ['a.signal', 'a.other'] };
  check(spec, reading({ values: { signal: ' Audit-Passed ' } }), 'audit_passed');
  check(spec, reading({ values: { signal: '', other: 'FIX REQUIRED' } }), 'fix_required');
  check(spec, reading({ values: { signal: 'audit_passed!' } }), null);
  check(spec, reading({}), null);
  check(spec, { a: { state: 'missing', reading: null } }, null);
});

it('reads numbers as agents write them, within bounds', () => {
  const spec: FactSpec = { number: [0, 10], at: ['a.score'] };
  const cases: readonly [string | number | boolean, number | null][] = [
    [8, 8],
    ['8.5', 8.5],
    ['8/10', 8],
    ['80 / 100', 8],
    ['85%', 8.5],
    ['0/0', null],
    ['eight', null],
    [11, null],
    ['-1', null],
    ['8/0', null],
    [Number.NaN, null],
    [true, null],
  ];
  for (const [value, expected] of cases) check(spec, reading({ values: { score: value } }), expected);
});

it('converts a text on another scale to the bounds of its fact', () => {
  const spec: FactSpec = { number: [0, 100], at: ['a.score'] };
  for (const [value, expected] of [
    ['8/10', 80],
    ['80/100', 80],
    ['69.99/100', 69.99],
    ['7 out of 10', 70],
  ] as const)
    check(spec, reading({ values: { score: value } }), expected);
});

it('reads flags, and nothing for a flag', () => {
  check({ flag: ['a.ok'] }, reading({ values: { ok: false } }), false);
  check({ flag: ['a.ok'] }, reading({ values: { ok: ' True ' } }), true);
  check({ flag: ['a.ok'] }, reading({ values: { ok: 'false' } }), false);
  check({ flag: ['a.ok'] }, reading({ values: { ok: 'yes' } }), null);
});

it('counts items by what their fields say, be they texts, flags or numbers', () => {
  const rows = [{ blocking: true, level: 2 }, { blocking: 'true', level: '2' }, { blocking: false, level: 3 }, { blocking: null }];
  check({ count: 'a.rows', where: { blocking: 'true' } }, reading({ lists: { rows } }), 2);
  check({ count: 'a.rows', where: { level: '2', blocking: 'true' } }, reading({ lists: { rows } }), 2);
  check({ count: 'a.rows', where: { blocking: 'null' } }, reading({ lists: { rows } }), 0);
});

it('ignores inherited names', () => {
  expect(valueAt(['a.constructor', 'a.__proto__', 'b.x'], reading({}))).toBe(null);
});

it('counts findings: the worst of the sources', () => {
  const gathered: EvidenceReadings = {
    a: { state: 'ok', reading: { ...EMPTY, counts: { critical: 1, high: 0, medium: 2, low: 0 } } },
    b: { state: 'ok', reading: { ...EMPTY, counts: { critical: 0, high: 3, medium: 1, low: 0 } } },
    c: { state: 'ok', reading: EMPTY },
  };
  check({ findings: ['a', 'b', 'c'], severity: 'high' }, gathered, 3);
  check({ findings: ['a', 'b'] }, gathered, 4);
  check({ findings: ['c'], severity: 'high' }, gathered, null);
});

it('counts the entries of a list', () => {
  const gathered = reading({
    lists: {
      rows: [
        { name: 'x', status: 'failed', score: 5, threshold: null },
        { name: 'y', status: 'ok', score: 5, threshold: 4 },
        { name: 'z', status: 'failed', score: null, threshold: null },
      ],
    },
  });
  check({ count: 'a.rows' }, gathered, 3);
  check({ count: 'a.rows', where: { status: 'failed' } }, gathered, 2);
  check({ count: 'a.rows', below: 6 }, gathered, 1);
  check({ count: 'a.other' }, gathered, null);
  check({ count: 'b.rows' }, gathered, null);
});

it('compares a list with the round before', () => {
  const gathered = reading({ lists: { failures: [{ name: 'x' }, { name: 'y', file: 'f' }] } });
  const past = { 'a.failures': ['x', 'gone', 'gone too', 'and this'] };
  check({ count: 'a.failures', change: 'new' }, gathered, 1, past);
  check({ count: 'a.failures', change: 'net' }, gathered, 2, past);
  check({ count: 'a.failures', change: 'new' }, gathered, null);
  check({ count: 'a.failures', change: 'new' }, gathered, null, {});
  const loop: Loop = {
    ...base,
    facts: { x: { count: 'a.failures', change: 'new' }, y: { count: 'b.rows', change: 'net' }, z: { state: 'a' } },
  };
  expect(comparedLists(loop, gathered)).toEqual({ 'a.failures': itemNames([{ name: 'x' }, { name: 'y', file: 'f' }]) });
});

it('compares the filtered items by name, id or fields', () => {
  const dead = { status: 'dead' };
  const spec: FactSpec = { count: 'a.links', where: dead, change: 'new' };
  const links = [
    { id: '/a', status: 'dead' },
    { url: '/b', status: 'dead' },
    { id: '/c', status: 'ok' },
  ];
  const now = reading({ lists: { links } });
  const loop: Loop = { ...base, facts: { x: spec, y: { count: 'a.links', change: 'net' } } };
  const before = comparedLists(
    loop,
    reading({
      lists: {
        links: [
          { id: '/a', status: 'ok' },
          { status: 'dead', url: '/b' },
        ],
      },
    }),
  );
  check(spec, now, 1, before);
  check({ ...spec, change: 'net' }, now, -1, before);
  check({ count: 'a.links', change: 'new' }, now, 1, before);
});

it('computes the change of a number since the last revision', () => {
  const score = { number: [0, 10], at: ['a.score'] } as const;
  const loop: Loop = { ...base, facts: { score, rose: { ...score, change: 'net' } }, evidence: { a: source('A') } };
  const scored = (value: string | number): EvidenceReadings => ({ a: { state: 'ok', reading: { ...EMPTY, values: { score: value } } } });
  const rose = (value: string | number, past: PastLists) => extractFacts(loop, scored(value), past)['rose'];
  const past = comparedLists(loop, scored('8.3'));
  expect(Object.values(past)).toEqual([['8.3']]);
  expect([rose(8.2, past), rose('9/10', past), rose(8.3, past)]).toEqual([-0.1, 0.7, 0]);
  // Nothing to compare with, then or now.
  expect([rose(8, null), rose(8, {}), rose(8, comparedLists(loop, scored(11))), rose(11, past)]).toEqual([null, null, null, null]);
});

function source(what: string) {
  return { file: ['x'], reader: 'json', grade: 'testified', what } as const;
}

it('reports sources that disagree on severities', () => {
  const loop: Loop = {
    ...base,
    evidence: { a: source('the board'), b: source('the row') },
    agree: { sources: ['a', 'b', 'c'], id: 'C0', why: 'Split: {detail}.' },
  };
  const counts = (high: number) => ({ state: 'ok' as const, reading: { ...EMPTY, counts: { critical: 0, high, medium: 0, low: 0 } } });
  expect(disagreement(loop, { a: counts(1), b: counts(2) })).toEqual({
    rule: 'C0',
    message: 'Split: Critical/High/Medium/Low: the board 0/1/0/0, the row 0/2/0/0.',
  });
  expect(disagreement(loop, { a: counts(1), b: counts(1), c: { state: 'ok', reading: EMPTY } })).toBe(null);
  const { agree: _, ...silent } = loop;
  expect(disagreement(silent, { a: counts(1), b: counts(2) })).toBe(null);
  expect(disagreement({ ...loop, evidence: {} }, { a: counts(1), c: counts(2) })?.message).toContain('a 0/1/0/0, c 0/2/0/0');
});
