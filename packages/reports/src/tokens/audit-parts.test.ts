// Corners of the dimensions that the labelled set does not reach.

import { expect, it } from 'vitest';
import { auditTokens, type AuditOptions } from './audit.js';
import { readTokenFile } from './token-file.js';

function found(tree: object, options: Partial<AuditOptions> = {}) {
  const { findings, dimensions } = auditTokens([readTokenFile(JSON.stringify(tree), 'a.json')], {
    industry: 'standard',
    pairs: [],
    grid: 4,
    ...options,
  });
  return { findings: findings.map(({ rule, message }) => `${rule}: ${message}`), dimensions };
}

const colour = (value: number, alpha = 1) => ({ $type: 'color', $value: { colorSpace: 'srgb', components: [value, value, value], alpha } });
const rules = (tree: object, options: Partial<AuditOptions> = {}) =>
  found(tree, options).findings.filter((each) => !each.startsWith('mode/'));

it('does not measure what shines through to an unknown page', () => {
  const { dimensions } = found({ card: { text: colour(0), background: colour(1, 0.5) } });
  expect(dimensions.map(({ name, score }) => [name, score])).toEqual([
    ['consistency', 10],
    ['accessibility', null],
    ['completeness', 0],
    ['quality', null],
    ['industry', null],
  ]);
  expect(rules({ background: colour(0), card: { text: colour(0.2), background: colour(1, 0.1) } })).toEqual([
    'contrast/low: The contrast of card.text (#333333) on card.background (#ffffff at 10 %) is 1.38; text needs 4.5',
  ]);
});

it('leaves focus marks alone that are not drawn on the page', () => {
  const marks = {
    'static-focus-ring': colour(1),
    'focus-inner-border': colour(1),
    'focus-ring-inverse': colour(1),
    'focus-shadow': colour(1),
    'focus-ring-disabled': colour(1),
  };
  expect(rules({ background: colour(1), text: colour(0), ...marks })).toEqual([]);
  expect(rules({ background: colour(1), text: colour(0), 'border-focused': colour(1) })).toEqual([
    'focus/contrast: The contrast of border-focused (#ffffff) on background (#ffffff) is 1; parts of the interface need 3',
  ]);
});

it('names a declared pair whose token is no colour', () => {
  const tree = {
    size: { $type: 'dimension', $value: { value: 1, unit: 'px' } },
    white: colour(1),
    gone: { $type: 'color', $value: '{none}' },
  };
  expect(
    rules(tree, {
      pairs: [
        { text: 'size', background: 'white', kind: 'text' },
        { text: 'gone', background: 'nowhere', kind: 'large' },
      ],
    }),
  ).toEqual([
    'reference/missing: {none} leads to a token that does not exist: gone',
    'contrast/unknown: A declared pair names a token that is no colour of this set: size, gone, nowhere',
  ]);
});

it('holds large text to less', () => {
  const tree = { white: colour(1), gray: colour(0.5) };
  const pair = (kind: 'large' | 'text') => ({ pairs: [{ text: 'gray', background: 'white', kind }] });
  expect([rules(tree, pair('large')), rules(tree, pair('text'))]).toEqual([
    [],
    ['contrast/low: The contrast of gray (#808080) on white (#ffffff) is 3.97; text needs 4.5'],
  ]);
  expect(rules(tree, { ...pair('large'), industry: 'strict' })).toEqual([
    'contrast/strict: The contrast of gray (#808080) on white (#ffffff) is 3.97; large text needs 4.5 by the strict standard',
  ]);
});

it('looks at scales that are clear, and at nothing else', () => {
  const px = (value: number) => ({ $type: 'dimension', $value: { value, unit: 'px' } });
  const sizes = (names: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(names).map(([name, value]) => [name, px(value)]));
  // `xs` and `tiny` are the same step: nobody knows the order.
  expect(rules({ radius: sizes({ '2xs': 3, xs: 2, tiny: 9, sm: 3, large: 8 }) })).toEqual([]);
  expect(rules({ radius: sizes({ '2xs': 3, xs: 2, xl: 8 }) })).toEqual([
    'scale/order: The scale is inconsistent: radius.2xs (3 px) comes before radius.xs (2 px)',
  ]);
  expect(
    rules({
      radius: sizes({ s: 9, m: 5 }),
      other: sizes({ 'v1-1': 9, 'v1-2': 5, 'v1-3': 1 }),
      'to-extra': sizes({}),
      'x-extra-large': px(1),
      'x-extra-small': px(4),
    }),
  ).toEqual([]);
});

it('allows the halves of the grid below it, and reads negative spacing', () => {
  const px = (value: number) => ({ $type: 'dimension', $value: { value, unit: 'px' } });
  const spacing = { a: px(1), b: px(2), c: px(-8), d: px(3), e: px(6), f: { $type: 'dimension', $value: { value: 1, unit: 'em' } } };
  expect(rules({ spacing, 'letter-spacing': px(3) })).toEqual([
    'format/older: The unit "em": the format has px or rem, and other tools may refuse it: spacing.f',
    'spacing/grid: Spacing off the grid of 4 px (3 px): spacing.d',
    'spacing/grid: Spacing off the grid of 4 px (6 px): spacing.e',
  ]);
});

it('takes a hard-coded colour that the palette lacks for what it is', () => {
  const tree = { red: { 1: colour(0.1), 2: colour(0.2), 3: colour(0.3) }, color: { border: colour(0.9) } };
  expect(rules(tree)).toEqual(['value/hard-coded: A hard-coded colour in a set that has a palette: color.border']);
});

it('calls all styles of names but the main one', () => {
  const one = { $type: 'number', $value: 1 };
  const tree = { 'a-b': one, 'a-c': one, a_d: one, AbC: one, 'a f': one, mixed_Up: one, ['x'.repeat(300)]: one };
  expect(rules(tree)).toEqual([
    'name/style: Names in snake_case, while most are in kebab-case: a_d',
    'name/style: Names in PascalCase, while most are in kebab-case: AbC',
    'name/style: Names in words with spaces, while most are in kebab-case: a f',
  ]);
});
