// Which names a change is seen to rename, and what of the old judge follows.

import { describe, expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import { findRenames, followRenames } from './renames.js';

const SOURCE: FileChange = {
  path: 'src/sort.ts',
  before: 'export function normalize(aliases: string[]) {\n  return aliases.toSorted();\n}\n',
  after: 'export function sortAliases(aliases: string[]) {\n  return aliases.toSorted();\n}\n',
};
const WAS =
  "import { normalize } from '../src/sort';\n\ntest('normalize', () => {\n  expect(normalize(['b', 'a'])).toEqual(['a', 'b']);\n});\n";
const TESTS: FileChange = { path: 'test/sort.test.ts', before: WAS, after: WAS.replaceAll('normalize', 'sortAliases') };

const KINDS: FileChange = {
  path: 'src/kind.ts',
  before:
    "export const Kind = {\n  List: 'list',\n  Set: 'set',\n};\nexport const kindOf = (v) => (Array.isArray(v) ? Kind.Set : Kind.List);\n",
  after: "export const Kind = {\n  Group: 'list',\n};\nexport const kindOf = (v) => (Array.isArray(v) ? Kind.Group : Kind.Group);\n",
};
const KIND_TEST = "test('kind', () => {\n  expect(kindOf([])).toBe(Kind.List);\n});\n";

const pairs = (...files: FileChange[]) => [...findRenames({ files })];

describe('renames of a change', () => {
  it('are names that changed alike in the product and in its tests', () => {
    expect(pairs(SOURCE, TESTS)).toEqual([['normalize', 'sortAliases']]);
    const commented = { ...SOURCE, after: `// It was called normalize.\n${SOURCE.after}` };
    expect(pairs(commented, TESTS)).toEqual([['normalize', 'sortAliases']]);
  });

  it.each<readonly [string, readonly FileChange[]]>([
    ['only the tests have another name', [{ ...SOURCE, after: SOURCE.before }, TESTS]],
    ['the product lost a name and got another elsewhere', [{ ...SOURCE, after: 'export const sortAliases = () => [];\n' }, TESTS]],
    ['the new name was there before', [{ ...SOURCE, before: `${SOURCE.before}const sortAliases = 1;\n` }, TESTS]],
    ['two names became one', [KINDS, { path: 'kind.test.ts', before: KIND_TEST, after: KIND_TEST.replace('List', 'Group') }]],
    [
      'what the test expects is quoted',
      [
        { path: 'src/say.ts', before: "say('normalize');\n", after: "say('sortAliases');\n" },
        { path: 'say.test.ts', before: "expect(said).toBe('normalize');\n", after: "expect(said).toBe('sortAliases');\n" },
      ],
    ],
  ])('are none where %s', (_, files) => {
    expect(pairs(...files)).toEqual([]);
  });

  it('are told apart by their order where lines look alike', () => {
    const [was, is] = ['kind = ErrorOnUnknown;\nkind = IgnoreUnknown;\n', 'kind = Fail;\nkind = Skip;\n'];
    const files = ['kind.go', 'kind_test.go'].map((path) => ({ path, before: was, after: is }));
    expect(pairs(...files)).toEqual([
      ['ErrorOnUnknown', 'Fail'],
      ['IgnoreUnknown', 'Skip'],
    ]);
  });

  it('are followed by tests, but for what is quoted', () => {
    expect(followRenames(TESTS.path, WAS, findRenames({ files: [SOURCE, TESTS] }))).toBe(
      "import { sortAliases } from '../src/sort';\n\ntest('normalize', () => {\n  expect(sortAliases(['b', 'a'])).toEqual(['a', 'b']);\n});\n",
    );
    expect(followRenames('package.json', '{"normalize":1}', new Map([['normalize', 'x']]))).toBe('{"normalize":1}');
  });
});
