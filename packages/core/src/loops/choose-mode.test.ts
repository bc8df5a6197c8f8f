// The chosen mode by each rule of SPEC section 5, at every boundary, and the reason.

import { describe, expect, it } from 'vitest';
import type { Pipeline } from './pipeline.js';
import { chooseMode, moduleOf, namedItems, findWord } from './choose-mode.js';
import { builtinPipeline } from './builtin-pipelines.js';

const pipelineOf = (name: string) => builtinPipeline(name) as Pipeline;

/** So many files, spread over so many modules. */
function change(files: number, modules = 1): readonly string[] {
  return Array.from({ length: files }, (_, at) => `src/m${at % modules}/file-${at}.ts`);
}

function check(loop: string, goal: string, expected: string, changedFiles: readonly string[] | null = []): void {
  expect([goal, changedFiles?.length, chooseMode(pipelineOf(loop), { goal, changedFiles }).mode]).toEqual([
    goal,
    changedFiles?.length,
    expected,
  ]);
}

describe('design: by words', () => {
  it.each([
    ['a date picker', 'component'],
    ['', 'component'],
    ['one component: the button', 'component'],
    ['our Design System', 'system'],
    ['our design-system', 'system'],
    ['TOKENS for spacing', 'system'],
    ['a dark theme', 'system'],
    ['a theme for one component', 'system'],
    ['a complete set', 'full-system'],
    ['restyle all components', 'full-system'],
    ['redesign the checkout', 'full-system'],
    ['redesign the tokens of the design system', 'full-system'],
    ['all the components', 'component'],
    ['completely new', 'component'],
    ['a designsystematic view', 'component'],
    ['thematic colours', 'component'],
  ])('%s: %s', (goal, mode) => {
    check('design', goal, mode);
    check('design', goal, mode, null);
    check('design', goal, mode, change(50, 9));
  });
});

describe('testing: by the change', () => {
  it.each<[number, number, string]>([
    [0, 1, 'targeted'],
    [1, 1, 'targeted'],
    [3, 1, 'targeted'],
    [2, 2, 'standard'],
    [3, 3, 'standard'],
    [4, 1, 'standard'],
    [4, 4, 'comprehensive'],
    [10, 1, 'standard'],
    [10, 3, 'standard'],
    [10, 4, 'comprehensive'],
    [11, 1, 'comprehensive'],
    [11, 3, 'comprehensive'],
    [500, 80, 'comprehensive'],
  ])('%i files in %i modules: %s', (files, modules, mode) => {
    check('testing', 'tokens of the whole system, quick fix', mode, change(files, modules));
  });

  it('chooses all layers if the change is unknown', () => {
    check('testing', 'one file', 'comprehensive', null);
  });

  it('counts a file once', () => {
    check('testing', '', 'targeted', ['a.ts', 'a.ts', 'a.ts', 'a.ts']);
  });
});

describe('debt: by words and names', () => {
  it.each([
    ['scan the project', 'scan'],
    ['Audit our dependencies', 'scan'],
    ['ASSESS it', 'scan'],
    ['please audit src/log.ts', 'scan'],
    ['scan', 'scan'],
    ['audit payments only, scan only', 'scan'],
    ['clean up the audit log', 'remediate'],
    ['audit log entries are slow', 'remediate'],
    ['audit the parser and fix what you find', 'remediate'],
    ['assess TD-01', 'scan'],
    ['pay TD-01 and TD-03', 'targeted'],
    ['mend td-7', 'targeted'],
    ['split src/format.ts', 'targeted'],
    ['see src/zone.ts:18', 'targeted'],
    ['pay it back', 'remediate'],
    ['', 'remediate'],
    ['the scanner and its auditors', 'remediate'],
    ['support UTF-8 and Node.js 22', 'remediate'],
    ['rewrite and/or drop it', 'remediate'],
  ])('%s: %s', (goal, mode) => check('debt', goal, mode, null));

  it('uses items that were named outside the goal', () => {
    const chosen = chooseMode(pipelineOf('debt'), { goal: 'pay it', changedFiles: null, items: ['the date parser'] });
    expect(chosen).toEqual({ mode: 'targeted', why: 'targeted: the date parser is named' });
  });
});

describe('A12 review: every goal is reviewed, points choose how', () => {
  it.each<[string, number | null, string]>([
    ['add a button', 0, 'sprint'],
    ['retry failed uploads', 0, 'sprint'],
    ['add a button', null, 'sprint'],
    ['add a button', 2, 'sprint'],
    ['add a button', 3, 'sprint'],
    ['add a button', 10, 'sprint'],
    ['add a button', 11, 'sprint'],
    ['refactor it', 0, 'sprint'],
    ['refactor it', null, 'sprint'],
    ['refactor it', 2, 'sprint'],
    ['refactor it', 3, 'multi-sprint'],
    ['refactor it', 11, 'multi-sprint'],
    ['refactor the architecture', 0, 'sprint'],
    ['refactor a cross-cutting concern', 0, 'multi-sprint'],
    ['a cross cutting concern', 0, 'sprint'],
    ['fix a cross-cutting concern', 0, 'sprint'],
    ['fix a cross-cutting concern', 3, 'sprint'],
    ['fix the architecture', 0, 'sprint'],
    ['fix the architecture', 3, 'sprint'],
    ['fix the architecture', 11, 'sprint'],
    ['fix the typo, patch it', 11, 'sprint'],
    ['fix it', 3, 'sprint'],
    ['fix it', 0, 'sprint'],
    ['refactor, cross-cutting, fix', 2, 'sprint'],
    ['refactor, cross-cutting, fix', 3, 'multi-sprint'],
    ['prefix and suffix, dispatch, refactoring', 0, 'sprint'],
    ['', 0, 'sprint'],
  ])('%s, %s files: %s', (goal, files, mode) => check('review', goal, mode, files === null ? null : change(files)));
});

describe('A12 brainstorm: every goal is judged, points choose how', () => {
  it.each([
    ['names for a cat', 'deep'],
    ['a simple onboarding', 'deep'],
    ['', 'deep'],
    ['a strategy', 'deep'],
    ['our architecture', 'deep'],
    ['which system', 'deep'],
    ['strategy, architecture and system', 'deep'],
    ['compare two databases', 'deep'],
    ['the trade-off', 'deep'],
    ['the trade-offs', 'deep'],
    ['a tradeoff', 'deep'],
    ['something novel', 'deep'],
    ['creative names', 'deep'],
    ['compare creative names', 'full'],
    ['compare the trade-offs', 'deep'],
    ['a novel strategy', 'full'],
    ['compare strategies', 'deep'],
    ['compare the system with another', 'full'],
    ['a simple system', 'deep'],
    ['a quick comparison', 'deep'],
    ['a simple but creative strategy', 'deep'],
    ['a quick, novel way to compare systems', 'deep'],
    ['a quick, novel way to compare a system', 'full'],
    ['quick and simple', 'deep'],
    ['an ecosystem', 'deep'],
  ])('%s: %s', (goal, mode) => check('brainstorm', goal, mode, null));
});

it('chooses a mode with the roles that the person named', () => {
  const choose = (loop: string, goal: string, roles: readonly string[]) => chooseMode(pipelineOf(loop), { goal, changedFiles: [], roles });
  expect(choose('review', 'fix it', ['reviewer'])).toMatchObject({ mode: 'sprint' });
  expect(choose('review', 'fix it', ['developer', 'verifier']).mode).toBe('sprint');
  expect(choose('review', 'refactor a cross-cutting concern', ['reviewer']).mode).toBe('multi-sprint');
  expect(choose('debt', 'scan it', ['planner', 'scanner'])).toMatchObject({
    mode: 'remediate',
    why: 'remediate: it has the roles planner, scanner',
  });
  expect(choose('review', 'fix it', ['nobody']).mode).toBe('sprint');
});

it('says why, so that a person can object', () => {
  const why = (loop: string, goal: string, changedFiles: readonly string[] | null) =>
    chooseMode(pipelineOf(loop), { goal, changedFiles }).why;
  expect([
    why('testing', '', change(7, 2)),
    why('testing', '', change(1)),
    why('testing', '', []),
    why('testing', '', null),
    why('testing', '', change(14, 2)),
    why('design', 'dark theme', null),
    why('design', 'a button', null),
    why('debt', 'pay TD-01', null),
    why('debt', 'pay TD-01, TD-02, TD-03, TD-04', null),
    why('debt', 'pay it', null),
    why('review', 'refactor it', change(12, 2)),
    why('review', 'fix it', []),
    why('review', 'do it', []),
    why('brainstorm', 'a simple strategy', null),
  ]).toEqual([
    'standard: 7 files in 2 modules changed',
    'targeted: 1 file in 1 module changed',
    'targeted: no file changed',
    'comprehensive: the changed files are unknown',
    'comprehensive: 14 files in 2 modules changed',
    'system: the goal says "theme"',
    'component: default',
    'targeted: TD-01 is named',
    'targeted: TD-01, TD-02, TD-03 and 1 more are named',
    'remediate: default',
    'multi-sprint: 6 points (12 files changed +3; the goal says "refactor" +3)',
    'sprint: -2 points (the goal says "fix" -2)',
    'sprint: default, 0 points',
    'deep: 1 point (the goal says "strategy" +3; the goal says "simple" -2)',
  ]);
});

it('knows a module by its folder', () => {
  expect(
    [
      'README.md',
      './package.json',
      'docs/a/b.md',
      'src/main.ts',
      'src/cart/total.ts',
      'src/cart/tax/rate.ts',
      'packages/api/src/x.ts',
      'packages\\web\\index.ts',
      'apps/shop/a/b/c.ts',
      'test/cart/total.test.ts',
    ].map(moduleOf),
  ).toEqual(['.', '.', 'docs', 'src', 'src/cart', 'src/cart', 'packages/api', 'packages/web', 'apps/shop', 'test']);
});

it('finds whole words and named items only', () => {
  expect(findWord(['b', 'a'], 'A and B')).toBe('b');
  expect(findWord(['fix'], 'pr\u00e9fix')).toBeNull();
  expect(findWord(['fix'], 'a (fix)')).toBe('fix');
  expect(findWord(['fix'], '_fix')).toBeNull();
  expect(findWord(['c++'], 'in C++')).toBe('c++');
  expect(namedItems('TD-1, XTD-2, TD-3-4, src/a.ts:4, https://x, a/b')).toEqual(['TD-1', 'src/a.ts:4']);
});
