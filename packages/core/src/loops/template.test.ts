// Placeholders of every kind, and their text for absent values.

import { expect, it } from 'vitest';
import { compileTemplate, fillTemplate, showNumber } from './template.js';

function check(text: string, values: Readonly<Record<string, unknown>>, expected: string): void {
  expect(fillTemplate(text, (name) => values[name])).toBe(expected);
}

it('fills a placeholder, or prints none', () => {
  check('plain {not a hole} text', {}, 'plain {not a hole} text');
  check('{a} and {b.c}', { a: 'x', 'b.c': 2 }, 'x and 2');
  check('{a} {b} {c}', { a: null, b: '', c: Number.NaN }, 'none none none');
  check('{a}', { a: ['x'] }, '["x"]');
});

it('counts a noun, with its plural', () => {
  check('{n:finding}', { n: 1 }, '1 finding');
  check('{n:finding}', { n: 2 }, '2 findings');
  check('{n:finding}', { n: 0 }, '0 findings');
  check('{n:entry}', { n: 2 }, '2 entries');
  check('{n:delay}', { n: 2 }, '2 delays');
  check('{n:finding}', {}, 'an unknown number of findings');
});

it('sets units and shares', () => {
  check('{score:/10}', { score: 5.25 }, '5.25/10');
  check('{score:/10}', {}, 'none');
  check('{coverage:%}', { coverage: '82' }, '82%');
  check('{rate%}', { rate: 0.9499999 }, '94.99%');
  check('{rate%}', { rate: 0.95 }, '95%');
});

it('says a flag in words', () => {
  check('{ok?passed|failed} {no?passed|failed} {ok}', { ok: true, no: false }, 'passed failed true');
});

it('prints the given text for an absent value', () => {
  const text = 'coverage is {c:%|not measured}, {r%|no} share, {n:test|untold}, {x|nobody}, {f?yes|no|unknown}';
  check(text, {}, 'coverage is not measured, no share, untold, nobody, unknown');
  check(text, { c: 80, r: 0.5, n: 2, x: 'me', f: false }, 'coverage is 80%, 50% share, 2 tests, me, no');
  check('{a|b|c} {a?b} {a?b|c|d|e} {a;b}', {}, '{a|b|c} {a?b} {a?b|c|d|e} {a;b}');
});

it('never rounds up to a threshold', () => {
  expect([94.999, 79.9999, 0.1 + 0.2, -1.239, 7].map(showNumber)).toEqual(['94.99', '79.99', '0.3', '-1.23', '7']);
});

it('lists its placeholders and prints many different values', () => {
  const template = compileTemplate('{a} of {b:task}');
  expect(template.names).toEqual(['a', 'b']);
  for (let n = 0; n < 600; n++) expect(template.fill(() => n)).toBe(`${n} of ${n} ${n === 1 ? 'task' : 'tasks'}`);
});
