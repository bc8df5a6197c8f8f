// The languages whose tests Umpire runs: their names for people, which files are sources, and which of these are tests. One row a language.

interface Language {
  /** For people. */
  readonly title: string;
  /** Patterns of source files, tests among them. */
  readonly sources: readonly string[];
  /** Patterns of test files, by the names that people give them. */
  readonly tests: readonly string[];
}

const JS = '{js,cjs,mjs,jsx,ts,cts,mts,tsx}';
const C = '{c,cc,cpp,cxx}';

const LANGUAGE_ROWS = {
  script: { title: 'JavaScript and TypeScript', sources: [`**/*.${JS}`], tests: [`**/*.{test,spec}.${JS}`, `**/__tests__/**/*.${JS}`] },
  python: { title: 'Python', sources: ['**/*.py'], tests: ['**/test_*.py', '**/*_test.py'] },
  go: { title: 'Go', sources: ['**/*.go'], tests: ['**/*_test.go'] },
  rust: { title: 'Rust', sources: ['**/*.rs'], tests: ['**/tests/**/*.rs', '**/tests.rs'] },
  java: { title: 'Java and Kotlin', sources: ['**/*.{java,kt}'], tests: ['**/src/test/**/*.{java,kt}', '**/*{Test,Tests,Spec}.{java,kt}'] },
  dotnet: { title: 'C# and F#', sources: ['**/*.{cs,fs}'], tests: ['**/*{Test,Tests}.{cs,fs}'] },
  ruby: { title: 'Ruby', sources: ['**/*.rb'], tests: ['**/*_{spec,test}.rb', '**/test_*.rb'] },
  php: { title: 'PHP', sources: ['**/*.php'], tests: ['**/*Test.php', '**/*.phpt'] },
  elixir: { title: 'Elixir', sources: ['**/*.{ex,exs}'], tests: ['**/*_test.exs'] },
  c: {
    title: 'C and C++',
    sources: ['**/*.{c,cc,cpp,cxx,h,hh,hpp}'],
    tests: [`**/{test,tests}/**/*.${C}`, `**/{test_*,*_test,*_tests,*_unittest}.${C}`],
  },
  shell: { title: 'Shell', sources: ['**/*.{sh,bash}'], tests: ['**/*.bats', '**/{test,tests}/**/*.{sh,bash}'] },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof LANGUAGE_ROWS;

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = LANGUAGE_ROWS;
