// Runners and assertion libraries of Python: pytest, unittest, unittest.mock, NumPy's and pandas' assertions.

import type { Asking, Dialect } from './dialect.js';
import type { Relation } from './facts.js';

function assertTable(...groups: readonly (readonly [string, Relation | Asking])[]): ReadonlyMap<string, Asking> {
  return new Map(
    groups.flatMap(([names, asking]) =>
      names.split(' ').map((name) => [name, typeof asking === 'string' ? { relation: asking } : asking] as const),
    ),
  );
}

const ASSERTS = assertTable(
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

const nameSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

export const PYTHON: Dialect = {
  expects: new Set(),
  matchers: new Map(),
  asserts: ASSERTS,
  assertOwners: nameSet('self cls pytest np testing npt tm case tc'),
  assertModules: /^(unittest|pytest|numpy\.testing|pandas\.testing|django\.test|asserts|hamcrest|nose\.tools)/,
  fails: nameSet('pytest.fail self.fail fail'),
  skips: new Map([
    ['pytest.skip', 'skip'],
    ['skip', 'skip'],
    ['self.skipTest', 'skip'],
    ['pytest.xfail', 'fails'],
    ['pytest.importorskip', 'skip'],
    ['unittest.SkipTest', 'skip'],
    ['SkipTest', 'skip'],
  ]),
  runs: nameSet('map filter all any list sorted run_until_complete subTest'),
  doubles: /(^|\.)(Mock|MagicMock|AsyncMock|NonCallableMock|PropertyMock|create_autospec|sentinel|patch(\.object|\.dict|\.multiple)?)$/,
};
