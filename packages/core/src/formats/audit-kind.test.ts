// Findings without a severity, classed by kind as the design loop has it.

import { expect, test } from 'vitest';
import { severityOfKind } from './audit-kind.js';

function check(texts: readonly string[], expected: string | null, dimension = ''): void {
  expect(texts.map((text) => [text, severityOfKind(text, dimension)])).toEqual(texts.map((text) => [text, expected]));
}

test('accessibility failures and token format violations are Critical', () =>
  check(
    [
      'Contrast of links is 2.8:1',
      'No aria-label',
      'Fails WCAG 1.4.3',
      'Focus ring missing',
      'Keyboard trap in the modal',
      'color.bg has no $type',
      'Token `space.4` is malformed',
      'invalid token reference',
      'not DTCG',
    ],
    'critical',
  ));

test('inconsistencies and missing states are High', () =>
  check(
    [
      'Inconsistent radii',
      'Card padding mismatch',
      'Header differs on checkout',
      'Missing states',
      'No disabled state',
      'Button lacks a hover variant',
      'Loading state is not defined',
    ],
    'high',
  ));

test('naming and documentation are Medium', () =>
  check(['Naming: btnPrimary', 'Rename spacingXs', 'Usage is undocumented', 'Typo in the readme'], 'medium'));

test('style is Low', () => check(['A style preference', 'Purely cosmetic', 'nit: shadow'], 'low'));

test('none of these', () => check(['The animation makes me dizzy', 'Button states look fine'], null));

test('the dimension speaks where the text does not, and always for accessibility', () => {
  check(['Too small', 'Rename the label'], 'critical', 'Accessibility');
  check(['Too small'], 'high', 'Consistency');
  check(['Rename it'], 'medium', 'Consistency');
});

test('a declared category decides before the words', () => {
  expect(severityOfKind('keyboard behaviour is not described', '', 'documentation')).toBe('medium');
  expect(severityOfKind('Rename it', '', 'token-format')).toBe('critical');
  expect(severityOfKind('Contrast is 2:1', '', 'other')).toBe('critical');
});
