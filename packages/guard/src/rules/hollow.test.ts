// New tests that check nothing, each beside one that does, or that may.

import { describe, expect, it, test } from 'vitest';
import { guard } from '../guard.js';

const SOURCES: Readonly<Record<string, string>> = {
  'src/parse.js': 'export const parse = (text) => text;\n',
  'test/help.js': 'export const sameAs = (a, b) => { if (a !== b) throw new Error("differs"); };\n',
  'src/invoice/__init__.py': '',
  'src/invoice/lines.py': 'def due(paid):\n    return paid\n',
};

function rulesOf(path: string, after: string, newTestsCheck = true): readonly string[] {
  const same = (file: string): string | null => SOURCES[file] ?? null;
  const { findings } = guard({ change: { files: [{ path, before: null, after }] }, scope: 'testing', same, newTestsCheck });
  return findings.map(({ rule }) => rule);
}

const HEAD = "import { it } from 'vitest';\nimport { parse } from '../src/parse.js';\n";
const javascript = (body: string, title = 'parses', more = '') => `${HEAD}${more}it('${title}', async () => { ${body} });\n`;
const python = (body: string, name = 'test_due', more = '') => `from invoice.lines import due\n${more}\n\ndef ${name}():\n    ${body}\n`;

describe('JavaScript', () => {
  test.each([
    ['a call', javascript("parse('a');")],
    ['an awaited call', javascript("await parse('a');")],
    ['calls in a loop', javascript("for (const text of ['a', 'b']) parse(text);")],
    ['a result that is let go', javascript("const found = parse('a'); found.trim();")],
    ['a try that lets all go', javascript("try { parse('a'); } catch {}")],
    [
      'all of a module',
      `import { it } from 'vitest';\nimport * as all from '../src/parse.js';\nit('parses', () => { all.parse('a'); });\n`,
    ],
    ['no body', javascript('')],
  ])('%s is hollow', (_name, text) => {
    expect(rulesOf('test/new.test.js', text)).toEqual(['test-hollow']);
  });

  test.each([
    ['a check', `import { expect } from 'vitest';\n${javascript("expect(parse('a')).toBe('a');")}`],
    ['a throw of its own', javascript("if (parse('a') !== 'a') throw new Error('differs');")],
    ['a helper of the tests', javascript("sameAs(parse('a'), 'a');", 'parses', "import { sameAs } from './help.js';\n")],
    ['a helper from elsewhere', javascript("kit(parse('a'));", 'parses', "import { kit } from 'kit';\n")],
    [
      'a property',
      javascript('fc.assert(fc.property(fc.string(), (text) => parse(text) === text));', 'parses', "import fc from 'fast-check';\n"),
    ],
    ['a title that says what it is for', javascript("parse('');", 'does not throw on nothing')],
    ['one that says it shorter', javascript("parse('');", 'doesn’t throw on nothing')],
    ['one about time', javascript("parse('a'.repeat(9));", 'ends in time')],
    ['waiting for what must come', javascript("const made = parse('a'); await new Promise((resolve) => made.once('end', resolve));")],
    ['steps through a page', javascript('const login = parse(page, 1); await login.open();')],
    ['what only the compiler checks', javascript("const made = parse('a'); made satisfies string;")],
    ['a body that is written elsewhere', `${HEAD}import { parses } from './help.js';\nit('parses', parses);\n`],
    ['no body as yet', `${HEAD}it('parses');\n`],
    ['a benchmark', `import { bench } from 'vitest';\nimport { parse } from '../src/parse.js';\nbench('parses', () => { parse('a'); });\n`],
    [
      'a callback that the runner waits for',
      `import { it } from 'mocha';\nimport { parse } from '../src/parse.js';\nit('parses', (next) => { parse('a', next); });\n`,
    ],
  ])('%s is not', (_name, text) => {
    expect(rulesOf('test/new.test.js', text)).not.toContain('test-hollow');
  });
});

describe('Python', () => {
  test.each([
    ['a call', python('due(1)')],
    ['a result that is let go', python('left = due(1)\n    print(left)')],
    ['a try that lets all go', python('try:\n        due(1)\n    except Exception:\n        pass')],
    ['no body', python('pass')],
    ['no body in a class', 'class TestDue:\n    def test_due(self):\n        """Due."""\n'],
  ])('%s is hollow', (_name, text) => {
    expect(rulesOf('tests/test_new.py', text)).toEqual(['test-hollow']);
  });

  test.each([
    ['a check', python('assert due(1) == 1')],
    ['an error that is wanted', python('with pytest.raises(ValueError):\n        due(1)', 'test_due', 'import pytest\n')],
    ['a helper from elsewhere', python('same(due(1), 1)', 'test_due', 'from kit import same\n')],
    ['a name that says what it is for', python('due(1)', 'test_does_not_raise')],
    ['a name of unittest that says so', python('due(1)', 'testDoesNotRaise')],
    ['one that leaves all to a fixture', 'def test_boots(app):\n    pass\n'],
  ])('%s is not', (_name, text) => {
    expect(rulesOf('tests/test_new.py', text)).not.toContain('test-hollow');
  });
});

it('is told only where it is asked for, and never of a test that was there', () => {
  const text = javascript("parse('a');");
  expect(rulesOf('test/new.test.js', text, false)).toEqual([]);
  const files = [{ path: 'test/new.test.js', before: text, after: `${text}// the end\n` }];
  expect(guard({ change: { files }, scope: 'testing', same: () => null, newTestsCheck: true }).findings).toEqual([]);
});
