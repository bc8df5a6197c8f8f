// What each assertion method of unittest, mock, numpy and pandas asks. Which value it asks about is python/checks.ts's.

import type { CheckKind } from '../facts.js';

/**
 * `value`: asks about the first argument and wants the second. `turned`: the other way round. `list`: about the owner, wants all
 * arguments. Else: asks about the first argument and wants this constant, or (null) nothing in particular.
 */
export interface Matcher {
  readonly kind: CheckKind;
  readonly wants: 'value' | 'turned' | 'list' | { readonly constant: string } | null;
}

const value = (kind: CheckKind): Matcher => ({ kind, wants: 'value' });
const turned = (kind: CheckKind): Matcher => ({ kind, wants: 'turned' });
const list = (kind: CheckKind): Matcher => ({ kind, wants: 'list' });
const bare = (kind: CheckKind): Matcher => ({ kind, wants: null });
const constant = (text: string, kind: CheckKind = 'equal'): Matcher => ({ kind, wants: { constant: text } });

function table(groups: readonly (readonly [Matcher, string])[]): ReadonlyMap<string, Matcher> {
  return new Map(groups.flatMap(([matcher, names]) => names.split(' ').map((name) => [name, matcher] as const)));
}

/** Methods of TestCase. */
export const UNITTEST: ReadonlyMap<string, Matcher> = table([
  [value('equal'), 'assertEqual assertEquals assertIs assertDictEqual assertListEqual assertTupleEqual assertSetEqual assertSequenceEqual'],
  [value('equal'), 'assertMultiLineEqual assertQuerySetEqual assertQuerysetEqual assertJSONEqual assertXMLEqual assertHTMLEqual'],
  [value('equal'), 'assertCountEqual assertItemsEqual'],
  [value('differs'), 'assertNotEqual assertNotEquals assertIsNot'],
  [bare('truthy'), 'assertTrue assert_ failUnless'],
  [bare('falsy'), 'assertFalse failIf'],
  [constant('None'), 'assertIsNone'],
  [bare('exists'), 'assertIsNotNone'],
  [turned('contain'), 'assertIn'],
  [value('contain'), 'assertContains'],
  [value('lacks'), 'assertNotContains'],
  [turned('lacks'), 'assertNotIn'],
  [turned('contain'), 'assertDictContainsSubset'],
  [value('type'), 'assertIsInstance'],
  [value('lacks'), 'assertNotIsInstance'],
  [value('range'), 'assertGreater assertGreaterEqual assertLess assertLessEqual'],
  [value('close'), 'assertAlmostEqual assertAlmostEquals'],
  [value('differs'), 'assertNotAlmostEqual'],
  [value('match'), 'assertRegex assertRegexpMatches assertStartsWith assertEndsWith'],
  [value('lacks'), 'assertNotRegex'],
  [bare('snapshot'), 'assertMatchSnapshot assertSnapshot'],
]);

/** What every TestCase has: a class that defines one of these anew has assertions of its own. Others are names that projects choose too. */
export const CORE: ReadonlySet<string> = new Set(
  [...UNITTEST.keys()].filter((name) => !/Contains$|Query|JSON|XML|HTML|Snapshot|With$/.test(name)),
);

/** Methods of mocks, asked about the mock itself. */
export const MOCKS: ReadonlyMap<string, Matcher> = table([
  [bare('called'), 'assert_called assert_awaited'],
  [constant('1', 'calledTimes'), 'assert_called_once assert_awaited_once'],
  [constant('0', 'calledTimes'), 'assert_not_called assert_not_awaited'],
  [list('calledWith'), 'assert_called_with assert_called_once_with assert_any_call assert_has_calls'],
  [list('calledWith'), 'assert_awaited_with assert_awaited_once_with assert_any_await assert_has_awaits'],
]);

/** Functions of numpy.testing and pandas.testing. */
export const ARRAYS: ReadonlyMap<string, Matcher> = table([
  [value('close'), 'assert_allclose assert_almost_equal assert_array_almost_equal assert_approx_equal'],
  [value('equal'), 'assert_array_equal assert_equal assert_frame_equal assert_series_equal assert_index_equal'],
  [value('range'), 'assert_array_less'],
]);

/** Contexts that want something raised, warned of or logged in them. */
export const RAISING: ReadonlySet<string> = new Set(
  'raises assertRaises assertRaisesRegex assertRaisesRegexp assertRaisesMessage RaisesGroup warns assertWarns assertWarnsRegex deprecated_call assertLogs assertNumQueries django_assert_num_queries assertTemplateUsed'.split(
    ' ',
  ),
);

/** Contexts and methods that must not see something: they assert without a raise. */
export const SILENT: ReadonlySet<string> = new Set(['assertNoLogs', 'not_raises', 'does_not_raise']);

const OPERATORS: Readonly<Record<string, '<' | '<=' | '>' | '>='>> = {
  assertGreater: '>',
  assertGreaterEqual: '>=',
  assertLess: '<',
  assertLessEqual: '<=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

export function operatorOf(name: string): '<' | '<=' | '>' | '>=' | null {
  return OPERATORS[name] ?? null;
}

/** How deep the classes of Python lie below BaseException: the deeper, the fewer errors fit. */
const DEPTHS: Readonly<Record<string, number>> = {
  BaseException: 0,
  Exception: 1,
  Warning: 2,
  ArithmeticError: 2,
  LookupError: 2,
  OSError: 2,
  IOError: 2,
  EnvironmentError: 2,
  RuntimeError: 2,
  ValueError: 2,
  ImportError: 2,
  NameError: 2,
  UnicodeError: 3,
  UnicodeDecodeError: 4,
  UnicodeEncodeError: 4,
  JSONDecodeError: 3,
  InvalidOperation: 3,
  ZeroDivisionError: 3,
  OverflowError: 3,
  IndexError: 3,
  KeyError: 3,
  FileNotFoundError: 3,
  FileExistsError: 3,
  PermissionError: 3,
  NotADirectoryError: 3,
  IsADirectoryError: 3,
  TimeoutError: 3,
  ConnectionError: 3,
  ConnectionResetError: 4,
  ConnectionRefusedError: 4,
  BrokenPipeError: 4,
  NotImplementedError: 3,
  RecursionError: 3,
  ModuleNotFoundError: 3,
  DeprecationWarning: 3,
  UserWarning: 3,
  RuntimeWarning: 3,
};

export function depthOfError(name: string): number | null {
  return DEPTHS[name] ?? null;
}

/** Classes that nearly every failure fits. */
export const ANY_ERROR: ReadonlySet<string> = new Set(['Exception', 'BaseException', 'Warning']);
