// Which readers count severities in whatever they can read, and which never do. The others may or may not: what a loop must
// be ready for. `readers.test.ts` and the fuzz tests hold each to its word.

export const COUNTS: Readonly<Record<string, 'always' | 'never'>> = {
  audit: 'always',
  'review-json': 'always',
  'validation-json': 'always',
  'run-json': 'always',
  entries: 'never',
  text: 'never',
  'command-result': 'never',
};
