import { expect, it } from 'vitest';
import { leavesSight } from './sight.js';

it.each([
  ['src/slug.test.ts', 'src/slug.tests.ts', true],
  ['test/slug.spec.ts', 'archive/slug.spec.ts', true],
  ['src/slug.test.ts', 'src/__wip__/slug.test.ts', true],
  ['src/slug.test.ts', 'src/__tests__/slug.test.ts', false],
  ['src/slug.spec.ts', 'src/slug.test.ts', false],
  ['test/slug.test.js', 'test/lib/slug.test.js', false],
  ['src/slug.test.ts', 'src/node_modules/slug.test.ts', true],
  ['src/slug.test.ts', 'dist/slug.test.ts', true],
  ['dist/slug.test.js', 'dist/lib/slug.test.js', false],
  ['src/slug.test.ts', 'src/slug-test.ts', true],
  ['src/slug.test.ts', 'src/test-slug.ts', true],
  ['src/slug.test.ts', 'src/slug.test-d.ts', true],
  ['test/slug.test.ts', 'test/slug.e2e.ts', true],
  ['test/slug.test.js', 'test/slug-test.js', false],
  ['src/slug-test.js', 'src/slug_test.js', false],
  ['tests/test_slug.py', 'tests/tests.py', true],
  ['tests/test_slug.py', 'tests/slug_test.py', false],
  ['tests/test_slug.py', 'tests/build/test_slug.py', true],
  ['tests/test_slug.py', 'tests/unit/test_slug.py', false],
])('a test moved from %s to %s leaves the sight of its runner: %s', (before, after, hidden) => {
  expect(leavesSight(before, after)).toBe(hidden);
});

it.each([
  ["import { it } from 'vitest';", 'test/slug.test.ts', 'test/slug-test.ts', true],
  ["import { expectTypeOf, it } from 'vitest';", 'test/slug.test.ts', 'test/slug.test-d.ts', false],
  ["import { expectTypeOf, it } from 'vitest';\nexpect(1).toBe(1);", 'test/slug.test.ts', 'test/slug.test-d.ts', true],
  ["import test from 'node:test';", 'src/slug.test.mjs', 'src/slug-test.mjs', false],
  ["import test from 'node:test';", 'src/slug.test.mjs', 'src/slug.spec.mjs', true],
  ["import test from 'node:test';", 'test/slug.test.mjs', 'test/slug.spec.mjs', false],
  ["import { test } from '@playwright/test';", 'test/slug.spec.ts', 'test/slug.e2e.ts', false],
  ['from django.test import TestCase', 'shop/test_slug.py', 'shop/tests.py', false],
])('of %s, moved from %s to %s, it does: %s', (text, before, after, hidden) => {
  expect(leavesSight(before, after, text)).toBe(hidden);
});
