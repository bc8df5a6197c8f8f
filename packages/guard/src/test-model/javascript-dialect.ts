// Runners and assertion libraries of JavaScript: Jest, Vitest, Mocha, Chai, node:test, node:assert, tap, AVA, QUnit, Sinon, Playwright.

import type { Asking, Dialect } from './dialect.js';
import type { Relation } from './facts.js';

function matcherTable(...groups: readonly (readonly [string, Relation | Asking])[]): ReadonlyMap<string, Asking> {
  return new Map(
    groups.flatMap(([names, asking]) =>
      names.split(' ').map((name) => [name, typeof asking === 'string' ? { relation: asking } : asking] as const),
    ),
  );
}

const MATCHERS = matcherTable(
  [
    'toBe toEqual toStrictEqual equal equals eql eq eqls deepEqual deep_equal toBeInstanceOfExactly toEqualTypeOf toMatchTypeOf toEqualValue become toHaveText toHaveValue toHaveTitle toHaveURL toHaveTextContent toHaveDisplayValue same members ordered toHaveBeenNthReturnedWith toHaveReturnedWith toHaveLastReturnedWith satisfyExactly',
    'equal',
  ],
  ['toMatchInlineSnapshot toThrowErrorMatchingInlineSnapshot', 'equal'],
  ['toMatchSnapshot toThrowErrorMatchingSnapshot toMatchFileSnapshot matchSnapshot toMatchImageSnapshot toHaveScreenshot', 'snapshot'],
  ['toMatchObject containSubset', 'partial'],
  [
    'toContain toContainEqual include includes contain contains toHaveProperty property key keys ownProperty toInclude toHaveAttribute toHaveClass toContainText string toContainKey oneOf toBeOneOf haveOwnProperty ownPropertyDescriptor',
    'contains',
  ],
  ['toMatch match matches toHaveStyle', 'matches'],
  [
    'toBeGreaterThan above gt greaterThan toBeLessThan below lt lessThan toBeGreaterThanOrEqual least gte toBeLessThanOrEqual most lte within',
    { relation: 'compare' },
  ],
  ['toBeCloseTo closeTo approximately', 'close'],
  ['toHaveLength lengthOf length toHaveCount', 'length'],
  ['toBeInstanceOf instanceof instanceOf a an toBeTypeOf toBeA toBeAn', 'type'],
  ['toThrow toThrowError throw throws rejected rejectedWith rejectsWith', { relation: 'raises', wanted: 0 }],
  ['toBeTruthy ok toBeOk', 'truthy'],
  ['toBeFalsy', { relation: 'truthy', negated: true }],
  ['toBeNull null', { relation: 'equal', constant: 'null' }],
  ['toBeUndefined undefined', { relation: 'equal', constant: 'undefined' }],
  ['toBeNaN NaN', { relation: 'equal', constant: 'NaN' }],
  ['true toBeTrue', { relation: 'equal', constant: 'true' }],
  ['false toBeFalse', { relation: 'equal', constant: 'false' }],
  [
    'toBeDefined exist exists toBeInTheDocument toBeVisible toExist toBeAttached',
    { relation: 'equal', negated: true, constant: 'undefined' },
  ],
  ['empty toBeEmpty toBeEmptyDOMElement', { relation: 'length', constant: 0 }],
  [
    'toHaveBeenCalledWith toHaveBeenLastCalledWith toHaveBeenNthCalledWith toBeCalledWith lastCalledWith nthCalledWith toHaveBeenCalledExactlyOnceWith calledWith calledWithExactly calledOnceWith calledOnceWithExactly calledWithMatch',
    { relation: 'called', detail: 'with' },
  ],
  ['toHaveBeenCalledTimes toBeCalledTimes callCount toHaveReturnedTimes', { relation: 'called', detail: 'times' }],
  ['calledOnce toHaveBeenCalledOnce', { relation: 'called', detail: 'times', constant: 1 }],
  ['calledTwice', { relation: 'called', detail: 'times', constant: 2 }],
  ['toHaveBeenCalled toBeCalled called toHaveReturned', { relation: 'called' }],
  ['notCalled', { relation: 'called', negated: true }],
  ['resolves fulfilled toResolve', { relation: 'truthy', detail: 'resolves' }],
);

const ASSERTS = matcherTable(
  [
    'equal equals strictEqual is isEqual deepEqual deepStrictEqual same strictSame strict deepLooseEqual eq eql equalValue sameDeepMembers sameMembers propEqual identical isEquivalent sameOrderedMembers sameDeepOrderedMembers propertyVal deepPropertyVal nestedPropertyVal fileEqual',
    'equal',
  ],
  [
    'notEqual notStrictEqual not isNot notDeepEqual notDeepStrictEqual notSame isNotEqual notStrictSame notPropEqual',
    { relation: 'equal', negated: true },
  ],
  [
    'partialDeepStrictEqual like has hasStrict include deepInclude includeMembers includeDeepMembers property nestedProperty containsAllKeys hasAllKeys containSubset hasProp hasProps includes contains nestedInclude matchObject matchOnly',
    'contains',
  ],
  ['notInclude notProperty notHas', { relation: 'contains', negated: true }],
  ['match regex matches', 'matches'],
  ['doesNotMatch notMatch notRegex', { relation: 'matches', negated: true }],
  ['ok assert true isOk truthy isTruthy', 'truthy'],
  ['notOk false falsy isNotOk isFalsy', { relation: 'truthy', negated: true }],
  ['isTrue', { relation: 'equal', constant: 'true' }],
  ['isFalse', { relation: 'equal', constant: 'false' }],
  ['isNull', { relation: 'equal', constant: 'null' }],
  ['isUndefined', { relation: 'equal', constant: 'undefined' }],
  ['isNotNull', { relation: 'equal', negated: true, constant: 'null' }],
  ['isDefined exists', { relation: 'equal', negated: true, constant: 'undefined' }],
  ['throws rejects throwsAsync isRejected expectUncaughtException', { relation: 'raises', wanted: 1 }],
  ['doesNotThrow doesNotReject notThrows notThrowsAsync resolves', { relation: 'raises', negated: true, wanted: 1 }],
  ['ifError error', { relation: 'equal', constant: 'null' }],
  ['instanceOf isInstanceOf typeOf isFunction isObject isArray isString isNumber isBoolean type', 'type'],
  ['lengthOf hasLength', 'length'],
  ['isEmpty', { relation: 'length', constant: 0 }],
  ['isAbove isAtLeast isBelow isAtMost', 'compare'],
  ['closeTo approximately', 'close'],
  ['snapshot matchSnapshot assertSnapshot', 'snapshot'],
  [
    'calledWith calledWithExactly calledOnceWithExactly calledOnceWith calledWithMatch alwaysCalledWith',
    { relation: 'called', detail: 'with' },
  ],
  ['callCount', { relation: 'called', detail: 'times' }],
  ['calledOnce', { relation: 'called', detail: 'times', constant: 1 }],
  ['calledTwice', { relation: 'called', detail: 'times', constant: 2 }],
  ['called', { relation: 'called' }],
  ['notCalled', { relation: 'called', negated: true }],
);

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

export const JAVASCRIPT: Dialect = {
  expects: wordSet('expect expectTypeOf assertType expectType should assertThat expectError earl'),
  matchers: MATCHERS,
  asserts: ASSERTS,
  assertOwners: wordSet('assert t tt tap test strict QUnit qunit chai should is'),
  assertModules:
    /^(node:)?assert(\/strict)?$|^(chai|tap|tape|ava|uvu\/assert|power-assert|should|@std\/assert|@japa\/assert|tsd|bun:test)$|\/assert/,
  fails: wordSet(
    'fail assert.fail t.fail expect.fail expect.unreachable chai.assert.fail done.fail should.fail QUnit.assert.fail fail.now',
  ),
  skips: new Map([
    ['this.skip', 'skip'],
    ['t.skip', 'skip'],
    ['t.todo', 'todo'],
    ['test.skip', 'skip'],
    ['ctx.skip', 'skip'],
    ['context.skip', 'skip'],
    ['skip', 'skip'],
    ['pending', 'skip'],
    ['test.fixme', 'skip'],
    ['test.fail', 'fails'],
  ]),
  runs: wordSet('forEach map filter every some flatMap reduce step doesNotThrow act each then finally waitFor from withContext'),
  doubles: /^(jest|vi|mock|sinon|td|t\.mock|bun)(\.|$)|\b(fn|stub|spy|fake|mockFn|createStub)$/,
};

/** Words of a chain that only read well. */
export const FILLERS: ReadonlySet<string> = wordSet(
  'to be been is that which and has have with at of but does still also deep nested own any all ordered include_members itself should not_be soft poll',
);
export const TEST_NAMES: ReadonlySet<string> = wordSet('it test specify xit xtest fit ftest xspecify fspecify pit');
export const SUITE_NAMES: ReadonlySet<string> = wordSet('describe context suite xdescribe fdescribe xcontext fcontext xsuite');
export const HOOK_NAMES: ReadonlySet<string> = wordSet(
  'beforeEach beforeAll before setup afterEach afterAll after teardown suiteSetup suiteTeardown',
);
