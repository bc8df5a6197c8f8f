// Wanted values in files of their own that the test itself writes before it asks.

import { describe, expect, test } from 'vitest';
import { rulesFor, testOf } from '../../../../test/support/python-change.js';

const HEAD = 'from json import dump, load\nimport os\nimport pickle\n\nGOLDEN = "tests/golden/cart.json"\n\n\n';
const READ = 'with open(GOLDEN) as file:\n    want = json.load(file)\n';
const golden = (write: string, read = READ, rest = '') => HEAD + testOf(`got = total_of([1, 2])\n${write}${read}${rest}assert got == want`);
const opened = (put: string, mode = 'w') => `with open(GOLDEN, "${mode}") as file:\n    ${put}\n`;

describe('a golden file that the test writes first', () => {
  test.each([
    ['json.dump', opened('json.dump(got, file)'), READ],
    ['by names of arguments', opened('json.dump(obj=got, fp=file, indent=2)'), READ],
    ['by a variable', 'file = open(GOLDEN, "w")\njson.dump(got, file)\nfile.close()\n', READ],
    ['in one line', 'json.dump(got, open(GOLDEN, "w"))\n', 'want = json.load(open(GOLDEN))\n'],
    ['as a text', opened('file.write(json.dumps(got))'), READ],
    ['pickle', opened('pickle.dump(got, file)', 'wb'), 'with open(GOLDEN, "rb") as file:\n    want = pickle.load(file)\n'],
    ['functions by their own names', opened('dump(got, file)'), 'with open(GOLDEN) as file:\n    want = load(file)\n'],
  ])('%s', (_name, write, read) => {
    expect(rulesFor(golden('', read), golden(write, read))).toEqual(['assertion-tautological']);
  });

  test.each([
    ['another file', golden('with open("out.json", "w") as file:\n    json.dump(got, file)\n')],
    ['another value', golden(opened('json.dump([1, 2], file)'))],
    [
      'when somebody asks for it',
      golden(`if os.environ.get("UPDATE"):\n    ${opened('json.dump(got, file)').replace('\n    ', '\n        ')}`),
    ],
    ['after it was read', golden('', READ, 'with open("out.json", "w") as file:\n    json.dump(got, file)\n')],
  ])('not: %s', (_name, after) => {
    expect(rulesFor(golden(''), after)).toEqual([]);
  });

  test('a value that only passes through a file', () => {
    const through = 'path = tmp_path / "x.json"\nwith open(path, "w") as file:\n    json.dump(total_of([1]), file)\n';
    const added = testOf(
      `${through}with open(path) as file:\n    data = json.load(file)\nassert total_of([1]) == data`,
      'def test_b(tmp_path):',
    );
    expect(rulesFor(golden(''), `${golden('')}\n\n${added}`)).toEqual([]);
  });

  test('a file that the unit loads', () => {
    const before = testOf('assert total_of([1]) == 1');
    const added = testOf('json.dump(total_of([1]), open("x.json", "w"))\nassert total_of([1]) == load(open("x.json"))', 'def test_b():');
    expect(rulesFor(before, `from shop.store import load\n\n\n${before}\n\n${added}`)).toEqual([]);
  });
});
