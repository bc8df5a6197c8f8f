// The languages whose tests Umpire runs: their names for people, which files are sources, and which of these are tests. One row a language.

interface Language {
  /** For people. */
  readonly title: string;
  /** Patterns of source files, tests among them. */
  readonly sources: readonly string[];
  /** Patterns of test files, by the names that people give them. */
  readonly tests: readonly string[];
  /** What begins the declaration of a test: a row of a table is not told from another, so the count is about right. */
  readonly declares: RegExp;
}

const JS = '{js,cjs,mjs,jsx,ts,cts,mts,tsx}';
const C = '{c,cc,cpp,cxx}';
const JS_TEST =
  /^[ \t]*(?:(?:await|return|void) )?(?:[xf]?(?:it|test|specify)|Deno\.test|t\.test|tape)(?:\.(?:only|skip|ignore|todo|each|concurrent|sequential|failing|fails|serial|skipIf|runIf|for)\b(?:\([^\n()]*\))?)*\s*[(`<]/gm;

const LANGUAGE_ROWS = {
  script: {
    title: 'JavaScript and TypeScript',
    sources: [`**/*.${JS}`],
    tests: [`**/*.{test,spec}.${JS}`, `**/__tests__/**/*.${JS}`],
    declares: JS_TEST,
  },
  python: { title: 'Python', sources: ['**/*.py'], tests: ['**/test_*.py', '**/*_test.py'], declares: /^[ \t]*(?:async )?def test\w*\(/gm },
  go: { title: 'Go', sources: ['**/*.go'], tests: ['**/*_test.go'], declares: /^func (?!TestMain\()(?:Test|Example|Fuzz)\w*\(/gm },
  rust: {
    title: 'Rust',
    sources: ['**/*.rs'],
    tests: ['**/tests/**/*.rs', '**/tests.rs'],
    declares: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b/g,
  },
  java: {
    title: 'Java and Kotlin',
    sources: ['**/*.{java,kt}'],
    tests: ['**/src/test/**/*.{java,kt}', '**/*{Test,Tests,Spec}.{java,kt}'],
    declares: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/g,
  },
  dotnet: {
    title: 'C# and F#',
    sources: ['**/*.{cs,fs}'],
    tests: ['**/*{Test,Tests}.{cs,fs}'],
    declares: /\[(?:Test|TestCase|Fact|Theory|TestMethod|DataTestMethod)\b/g,
  },
  ruby: {
    title: 'Ruby',
    sources: ['**/*.rb'],
    tests: ['**/*_{spec,test}.rb', '**/test_*.rb'],
    declares: /^[ \t]*(?:(?:x?it|specify|xspecify|example|xexample|scenario|pending|test)[ (]['"{]|def test_\w+)/gm,
  },
  php: { title: 'PHP', sources: ['**/*.php'], tests: ['**/*Test.php', '**/*.phpt'], declares: /\bfunction test\w*\(|#\[Test\]|@test\b/g },
  elixir: { title: 'Elixir', sources: ['**/*.{ex,exs}'], tests: ['**/*_test.exs'], declares: /^[ \t]*(?:test|property) ["(]/gm },
  c: {
    title: 'C and C++',
    sources: ['**/*.{c,cc,cpp,cxx,h,hh,hpp}'],
    tests: [`**/{test,tests}/**/*.${C}`, `**/{test_*,*_test,*_tests,*_unittest}.${C}`],
    declares: /^[ \t]*(?:add_test|\w*discover_tests|TEST(?:_F|_P|_CASE)?|SCENARIO)\s*\(/gm,
  },
  shell: {
    title: 'Shell',
    sources: ['**/*.{sh,bash}'],
    tests: ['**/*.bats', '**/{test,tests}/**/*.{sh,bash}'],
    declares: /^[ \t]*@test /gm,
  },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof LANGUAGE_ROWS;

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = LANGUAGE_ROWS;
