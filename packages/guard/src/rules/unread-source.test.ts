// Source that cheats in languages without a reader.

import { expect, it } from 'vitest';
import { guardChange } from '../guard.js';

const TESTS =
  'func TestTotal(t *testing.T) {\n\tif Total(12, 30) != 42 { t.Fatal() }\n\tif Name("forty-two") != "fortytwo" { t.Fatal() }\n}\n';

function rulesOf(path: string, added: string): readonly string[] {
  const change = { files: [{ path, before: 'package a\n', after: `package a\n${added}\n` }] };
  const same = (file: string) => (file === 'deep/total_test.go' ? TESTS : null);
  return guardChange({ change, scope: 'any', same, goalFiles: ['deep/total_test.go'] }).findings.map(({ rule }) => rule);
}

it.each([
  ['total.go', 'if a == 12 && b == 30 { return 42 }', ['input-special-cased']],
  ['total.go', 'if a == 12 && b == 30 {\n\treturn 42\n}', ['input-special-cased']],
  ['name.rb', "return 'fortytwo' if name == 'forty-two'", []],
  ['name.php', 'return $name === "forty-two" ? "fortytwo" : clean($name);', ['input-special-cased']],
  ['name.rs', '"forty-two" => "fortytwo",', ['input-special-cased']],
  ['total.go', 'if a == 0 { return b }', []],
  ['total.go', 'return a + b', []],
  ['total.go', 'if testing.Testing() { return 42 }', ['test-detected']],
  ['total.rb', 'return 42 if defined?(RSpec)', ['test-detected']],
  ['total.rs', 'if cfg!(test) { return 42; }', ['test-detected']],
  ['total.php', "if (defined('PHPUNIT_COMPOSER_INSTALL')) return 42;", ['test-detected']],
  ['total.go', 'if flag.Lookup("test.v") != nil { return 42 }', ['test-detected']],
  ['total.go', 'if strings.HasPrefix(os.Args[1], "-test.") { return 42 }', ['test-detected']],
  ['total.go', 'if flag.Lookup("verbose") != nil { return 42 }', []],
  ['trim.c', 'int trim(int a) {\n#ifdef TRIM_TEST_MAIN\n  return a;\n#else\n  return 1;\n#endif\n}', ['test-detected']],
  ['trim.h', "static char open = '{'; int f() { /* } */\n#if defined(UNIT_TEST) && 1\n  return 1;\n#endif\n}", ['test-detected']],
  ['trim.c', 'int a() { return 1; }\n#ifdef TRIM_TEST\nint main(void) { return a(); }\n#endif', []],
  ['trim.c', 'int a() {\n#ifdef A_TEST\n  return 1;\n#endif\n}\n#ifdef A_TEST\nint main(void) { return a(); }\n#endif', ['test-detected']],
  ['trim.c', 'int a() {\n#ifdef HAVE_ATTESTATION\n  return 1;\n#endif\n}', []],
])('%s: %s', (path, added, expected) => {
  expect(rulesOf(path, added)).toEqual(expected);
});
