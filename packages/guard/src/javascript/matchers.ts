// What each matcher of expect, chai, should, node:assert and sinon asks. Which value it asks about is javascript/checks.ts's.

import type { CheckKind } from '../facts.js';

/** `value`: wants its first argument. `list`: all of them. Else: wants this constant, or (null) nothing in particular. */
export interface Matcher {
  readonly kind: CheckKind;
  readonly wants: 'value' | 'list' | { readonly constant: string } | null;
}

const value = (kind: CheckKind): Matcher => ({ kind, wants: 'value' });
const list = (kind: CheckKind): Matcher => ({ kind, wants: 'list' });
const bare = (kind: CheckKind): Matcher => ({ kind, wants: null });
const constant = (text: string, kind: CheckKind = 'equal'): Matcher => ({ kind, wants: { constant: text } });

function table(groups: readonly (readonly [Matcher, string])[]): ReadonlyMap<string, Matcher> {
  return new Map(groups.flatMap(([matcher, names]) => names.split(' ').map((name) => [name, matcher] as const)));
}

/** After `expect(x)` and `x.should`. */
export const MATCHERS: ReadonlyMap<string, Matcher> = table([
  [value('equal'), 'toBe toEqual toStrictEqual equal equals eq eql eqls become toHaveValue toHaveDisplayValue toHaveAccessibleName'],
  [value('equal'), 'toHaveResolvedWith toHaveFormValues toHaveStyle toHaveTextContent exactly toHaveText toHaveURL toHaveTitle'],
  [constant('null'), 'toBeHidden'],
  [value('contain'), 'toContainText'],
  [constant('null'), 'toBeNull null'],
  [constant('undefined'), 'toBeUndefined undefined'],
  [constant('NaN'), 'toBeNaN NaN'],
  [constant('true'), 'toBeTrue true'],
  [constant('false'), 'toBeFalse false'],
  [constant('empty'), 'empty toBeEmpty toBeEmptyDOMElement'],
  [constant('in the document'), 'toBeInTheDocument toBeAttached toBeVisible'],
  [bare('truthy'), 'toBeTruthy ok'],
  [bare('falsy'), 'toBeFalsy'],
  [bare('exists'), 'toBeDefined exist exists toExist'],
  [list('snapshot'), 'toMatchSnapshot matchSnapshot toMatchFileSnapshot'],
  [value('snapshot'), 'toMatchInlineSnapshot'],
  [value('close'), 'toBeCloseTo closeTo approximately'],
  [value('match'), 'toMatch match matches string startWith endWith startsWith endsWith'],
  [value('contain'), 'toContain toContainEqual include includes contain contains toMatchObject containSubset'],
  [list('close'), 'keys key members'],
  [value('size'), 'toHaveLength lengthOf sizeOf toHaveSize toHaveCount'],
  [value('range'), 'toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual'],
  [value('range'), 'toHaveBeenCalledBefore calledBefore'],
  [value('range'), 'above gt greaterThan least gte below lt lessThan most lte aboveOrEqual belowOrEqual'],
  [list('range'), 'within'],
  [value('oneOf'), 'oneOf toBeOneOf'],
  [value('type'), 'toBeInstanceOf instanceOf instanceof a an toBeTypeOf'],
  [bare('type'), 'String Number Boolean Function Object Array Date Error Promise Symbol iterable arguments finite'],
  [
    bare('type'),
    'toBeNumber toBeString toBeBoolean toBeFunction toBeObject toBeArray toBeSymbol toBeDate toBeValidDate toBeInteger toBeFinite',
  ],
  [bare('range'), 'toBePositive toBeNegative toBeNatural'],
  [list('throws'), 'toThrow toThrowError throw throws Throw toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot'],
  [list('throws'), 'rejected rejectedWith'],
  [bare('silent'), 'fulfilled'],
  [bare('called'), 'toHaveBeenCalled toBeCalled called toHaveReturned toReturn'],
  [constant('1', 'calledTimes'), 'toHaveBeenCalledOnce calledOnce'],
  [constant('2', 'calledTimes'), 'calledTwice'],
  [constant('0', 'calledTimes'), 'notCalled'],
  [value('calledTimes'), 'toHaveBeenCalledTimes toBeCalledTimes callCount toHaveReturnedTimes toReturnTimes'],
  [list('calledWith'), 'toHaveBeenCalledWith toBeCalledWith toHaveBeenLastCalledWith lastCalledWith toHaveBeenNthCalledWith nthCalledWith'],
  [list('calledWith'), 'calledWith calledWithExactly calledOnceWith calledOnceWithExactly calledWithMatch toHaveBeenCalledExactlyOnceWith'],
  [list('calledWith'), 'toHaveReturnedWith toReturnWith lastReturnedWith toHaveLastReturnedWith toHaveNthReturnedWith'],
]);

/** What these ask of an element, asked of the element itself: `expect(button).toBeDisabled()` is `button.disabled === true`. */
export const STATES: ReadonlyMap<string, { readonly property: string; readonly value: boolean | null }> = new Map([
  ['toBeDisabled', { property: '.disabled', value: true }],
  ['toBeEnabled', { property: '.disabled', value: false }],
  ['toBeChecked', { property: '.checked', value: true }],
  ['toBeRequired', { property: '.required', value: true }],
  ['toHaveValue', { property: '.value', value: null }],
]);

/** Checks of a page that wait for it: nobody hears of their failure who does not wait for them. */
export const OF_PAGE =
  /^to(Be(Attached|Checked|Disabled|Editable|Empty|Enabled|Focused|Hidden|InViewport|Visible|OK)|Contain(Text|Class)|Have(Accessible\w+|Attribute|Class|Count|CSS|Id|JSProperty|Role|Screenshot|Text|Title|URL|Values?)|MatchAriaSnapshot)$/;

/** Methods of `assert`; the value asked about is the first argument. */
export const ASSERT_METHODS: ReadonlyMap<string, Matcher> = table([
  [bare('truthy'), 'ok isOk assert'],
  [bare('falsy'), 'isNotOk notOk'],
  [value('equal'), 'equal strictEqual deepEqual deepStrictEqual same is deepLooseEqual'],
  [value('differs'), 'notEqual notStrictEqual notDeepEqual notDeepStrictEqual'],
  [constant('undefined'), 'isUndefined notExists isNotDefined'],
  [bare('silent'), 'ifError'],
  [constant('null'), 'isNull'],
  [constant('true'), 'isTrue'],
  [constant('false'), 'isFalse'],
  [constant('NaN'), 'isNaN'],
  [constant('empty'), 'isEmpty'],
  [bare('exists'), 'exists isDefined isNotNull isNotEmpty isNotFalse'],
  [value('range'), 'isAbove isAtLeast isBelow isAtMost callOrder'],
  [bare('type'), 'isFunction isObject isArray isString isNumber isBoolean isFinite isNotNaN isIterable'],
  [value('type'), 'typeOf instanceOf'],
  [value('contain'), 'include deepInclude includeMembers includeDeepMembers partialDeepStrictEqual'],
  [value('close'), 'sameMembers sameDeepMembers hasAllKeys'],
  [value('contain'), 'hasAnyKeys containsAllKeys nestedInclude'],
  [value('equal'), 'sameOrderedMembers sameDeepOrderedMembers'],
  [value('lacks'), 'notInclude notDeepInclude doesNotMatch notMatch notProperty notTypeOf notInstanceOf'],
  [value('size'), 'lengthOf'],
  [value('close'), 'closeTo approximately'],
  [value('oneOf'), 'oneOf'],
  [value('match'), 'match'],
  [list('throws'), 'throws throw Throw rejects isRejected'],
  [bare('silent'), 'doesNotThrow doesNotReject isFulfilled'],
  [bare('snapshot'), 'snapshot fileSnapshot'],
  [bare('called'), 'called'],
  [constant('0', 'calledTimes'), 'notCalled'],
  [constant('1', 'calledTimes'), 'calledOnce'],
  [constant('2', 'calledTimes'), 'calledTwice'],
  [value('calledTimes'), 'callCount'],
  [list('calledWith'), 'calledWith calledWithExactly calledOnceWithExactly calledWithMatch calledOnceWithMatch alwaysCalledWith'],
  [value('lacks'), 'neverCalledWith'],
]);

/** What a check asks when it stands after `not`. */
export function negated(kind: CheckKind, wanted: string | null): { readonly kind: CheckKind; readonly constant: string | null } {
  switch (kind) {
    case 'equal':
      if (wanted === 'null' || wanted === 'undefined' || wanted === 'empty') return { kind: 'exists', constant: null };
      return wanted === 'in the document' ? { kind: 'equal', constant: 'null' } : { kind: 'differs', constant: null };
    case 'exists':
      return { kind: 'equal', constant: 'undefined' };
    case 'truthy':
      return { kind: 'falsy', constant: null };
    case 'falsy':
      return { kind: 'truthy', constant: null };
    case 'throws':
      return { kind: 'silent', constant: null };
    case 'silent':
      return { kind: 'throws', constant: null };
    case 'called':
      return { kind: 'calledTimes', constant: '0' };
    case 'contain':
    case 'match':
    case 'type':
    case 'oneOf':
    case 'calledWith':
      return { kind: 'lacks', constant: null };
    case 'size':
    case 'close':
    case 'calledTimes':
    case 'snapshot':
      return { kind: 'differs', constant: null };
    case 'lacks':
      return { kind: 'contain', constant: null };
    case 'differs':
      return { kind: 'equal', constant: null };
    case 'range':
    case 'custom':
      return { kind, constant: null };
  }
}

/** The operator of a `range` matcher, seen from the subject. */
export function operatorOf(name: string): '<' | '<=' | '>' | '>=' | null {
  if (/^(toBeGreaterThan|above|gt|greaterThan|isAbove)$/.test(name)) return '>';
  if (/^(toBeGreaterThanOrEqual|least|gte|isAtLeast|aboveOrEqual)$/.test(name)) return '>=';
  if (/^(toBeLessThan|below|lt|lessThan|isBelow)$/.test(name)) return '<';
  return /^(toBeLessThanOrEqual|most|lte|isAtMost|belowOrEqual)$/.test(name) ? '<=' : null;
}

/** Packages whose functions assert. */
export const ASSERTION_PACKAGES: ReadonlySet<string> = new Set([
  'assert',
  'node:assert',
  'assert/strict',
  'node:assert/strict',
  'chai',
  'vitest',
  '@jest/globals',
  'expect',
  'should',
  'sinon',
  'power-assert',
  'bun:test',
  '@playwright/test',
  'expect.js',
  'unexpected',
  'node:test',
  'uvu/assert',
]);
