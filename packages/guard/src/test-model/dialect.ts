// What a language and its runners call things: tables, so that the code which reads tests is written once.

import type { MarkKind, Relation } from './facts.js';
import type { Language } from '../syntax/nodes.js';

/** How a call asks: relation, whether it is turned round, which argument is asked about (default 0) and which is wanted (default 1). */
export interface Asking {
  readonly relation: Relation;
  readonly negated?: boolean;
  readonly subject?: number;
  readonly wanted?: number;
  /** The expected value, if the name of the matcher says it: `toBeNull`. */
  readonly constant?: string | number;
  readonly detail?: string;
}

export interface Dialect {
  /** `expect(x)`: names of functions that a chain of matchers follows. */
  readonly expects: ReadonlySet<string>;
  /** Matchers behind `expect(x)`, called or not; the wanted value is the first argument. */
  readonly matchers: ReadonlyMap<string, Asking>;
  /** `assert.equal(a, b)`, `self.assertEqual(a, b)`, by their last name. */
  readonly asserts: ReadonlyMap<string, Asking>;
  /** Names whose members are asserts: `assert`, `t`, `self`. */
  readonly assertOwners: ReadonlySet<string>;
  /** Modules whose functions are asserts. */
  readonly assertModules: RegExp;
  /** Calls that fail the test: `assert.fail()`, `pytest.fail()`. */
  readonly fails: ReadonlySet<string>;
  /** Calls inside a test that skip the rest of it. */
  readonly skips: ReadonlyMap<string, MarkKind>;
  /** Methods that run a function which they are given, at once and for each element. */
  readonly runs: ReadonlySet<string>;
  /** Calls that give a stand-in: `jest.fn`, `Mock`. */
  readonly doubles: RegExp;
}

export function dialectOf(language: Language): Dialect {
  return DIALECTS[language];
}

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

/** Jest, Vitest, Mocha, Chai, node:test, node:assert, tap, AVA, QUnit, Sinon, Playwright. */
const JAVASCRIPT: Dialect = {
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
    ['this.retries', 'fails'],
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

const PYTHON_ASSERTS = matcherTable(
  [
    'assertEqual assertEquals assertListEqual assertDictEqual assertSequenceEqual assertTupleEqual assertSetEqual assertMultiLineEqual assertCountEqual assertIs assertItemsEqual assertQuerySetEqual assertQuerysetEqual assertHTMLEqual assertJSONEqual assertXMLEqual assert_equal assert_array_equal assert_frame_equal assert_series_equal assert_index_equal assertURLEqual',
    'equal',
  ],
  ['assertNotEqual assertNotEquals assertIsNot', { relation: 'equal', negated: true }],
  ['assertTrue assert_ assert_true', 'truthy'],
  ['assertFalse assert_false', { relation: 'truthy', negated: true }],
  ['assertIsNone', { relation: 'equal', constant: 'null' }],
  ['assertIsNotNone', { relation: 'equal', negated: true, constant: 'null' }],
  ['assertIn', { relation: 'contains', subject: 1, wanted: 0 }],
  ['assertContains assertInHTML assertDictContainsSubset', 'contains'],
  ['assertNotIn', { relation: 'contains', negated: true, subject: 1, wanted: 0 }],
  ['assertNotContains', { relation: 'contains', negated: true }],
  ['assertIsInstance assertIsSubclass', 'type'],
  ['assertNotIsInstance', { relation: 'type', negated: true }],
  ['assertRegex assertRegexpMatches', 'matches'],
  ['assertNotRegex', { relation: 'matches', negated: true }],
  ['assertGreater assertGreaterEqual assertLess assertLessEqual assert_array_less', 'compare'],
  ['assertAlmostEqual assert_allclose assert_almost_equal assert_array_almost_equal assertAlmostEquals', 'close'],
  ['assertRedirects assertTemplateUsed assertFormError assertNumQueries', 'own'],
  [
    'assert_called_with assert_called_once_with assert_any_call assert_has_calls assert_awaited_with assert_awaited_once_with assert_any_await',
    { relation: 'called', subject: -1, wanted: 0, detail: 'with' },
  ],
  ['assert_called_once assert_awaited_once', { relation: 'called', subject: -1, detail: 'times', constant: 1 }],
  ['assert_called assert_awaited', { relation: 'called', subject: -1 }],
  ['assert_not_called assert_not_awaited', { relation: 'called', subject: -1, negated: true }],
  [
    'assertRaises assertRaisesRegex assertRaisesMessage assertWarns assertWarnsRegex assertWarnsMessage assertLogs raises warns deprecated_call assertRaisesRegexp',
    { relation: 'raises', subject: 1, wanted: 0 },
  ],
  ['assertNoLogs', { relation: 'raises', subject: 1, wanted: 0, negated: true }],
);

/** pytest, unittest, NumPy, pandas, Django. */
const PYTHON: Dialect = {
  expects: new Set(),
  matchers: new Map(),
  asserts: PYTHON_ASSERTS,
  assertOwners: wordSet('self cls pytest np testing npt tm case tc'),
  assertModules: /^(unittest|pytest|numpy\.testing|pandas\.testing|django\.test|asserts|hamcrest|nose\.tools)/,
  fails: wordSet('pytest.fail self.fail fail'),
  skips: new Map([
    ['pytest.skip', 'skip'],
    ['skip', 'skip'],
    ['self.skipTest', 'skip'],
    ['pytest.xfail', 'fails'],
    ['pytest.importorskip', 'skip'],
    ['unittest.SkipTest', 'skip'],
    ['SkipTest', 'skip'],
  ]),
  runs: wordSet('map filter all any list sorted run_until_complete subTest'),
  doubles: /(^|\.)(Mock|MagicMock|AsyncMock|NonCallableMock|PropertyMock|create_autospec|sentinel|patch(\.object|\.dict|\.multiple)?)$/,
};

/** The standard library's macros are read as statements; these are calls of others. */
const RUST: Dialect = {
  expects: new Set(),
  matchers: new Map(),
  asserts: matcherTable(
    ['assert_snapshot assert_debug_snapshot assert_json_snapshot assert_yaml_snapshot assert_display_snapshot', 'snapshot'],
    ['assert_approx_eq assert_relative_eq assert_abs_diff_eq assert_ulps_eq', 'close'],
    ['should_panic', { relation: 'raises', subject: 1, wanted: 0 }],
  ),
  assertOwners: new Set(),
  assertModules: /$^/,
  fails: new Set(),
  skips: new Map(),
  runs: wordSet('for_each map filter all any block_on catch_unwind with scope spawn'),
  doubles: /$^/,
};

const DIALECTS: Readonly<Record<Language, Dialect>> = { javascript: JAVASCRIPT, python: PYTHON, rust: RUST };
