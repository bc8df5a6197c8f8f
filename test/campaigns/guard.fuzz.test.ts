// Random edits of test files, on both sides of a change: the guard never throws and is never slow. UMPIRE_AMOUNT sets how many
// inputs there are.

import { expect, test } from 'vitest';
import { guardChange } from '@umpire/guard/guard.js';
import { readCases } from '../support/guard-cases.js';
import { SEED, amountOf, isSoak } from '../support/campaign.js';
import { mutations } from '../support/mutate.js';

const INPUTS = amountOf(500, 100_000);
/** CPU time, since other processes slow the machine too. */
const MAX_MS = 1000;

interface Language {
  readonly prefix: string;
  readonly code: RegExp;
  /** The paths of the edited text, in turn. */
  readonly paths: readonly string[];
  /** The other file of the change. */
  readonly second: string;
  /** A file that is the same on both sides, with the first file's original text. */
  readonly shared: string | null;
  readonly every: number;
  readonly changes: number;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  TypeScript: {
    prefix: 'js',
    code: /\.[cm]?[jt]sx?$/,
    paths: ['src/x.test.ts', 'test/x.spec.js', 'test/setup.ts', 'src/x.tsx', 'src/x.ts'],
    second: 'test/y.test.ts',
    shared: null,
    every: 5,
    changes: Math.ceil(INPUTS / 50),
  },
  Python: {
    prefix: 'py',
    code: /\.py$/,
    paths: ['tests/test_x.py', 'tests/conftest.py', 'tests/helpers.py', 'app/x.py'],
    second: 'tests/test_y.py',
    shared: 'conftest.py',
    every: 4,
    changes: Math.ceil(INPUTS / 500),
  },
};

/** In the fast tests, one seed in so many. */
const QUICK_SHARE = 6;

function seedsOf({ prefix, code, every }: Language): readonly string[] {
  const texts = readCases('seen')
    .filter(({ id }) => id.startsWith(prefix))
    .flatMap(({ files }) => files)
    .flatMap(({ path, before, after }) => (code.test(path) ? [before, after].filter((text) => text !== null) : []));
  return texts.filter((_text, index) => index % (isSoak ? every : every * QUICK_SHARE) === 0);
}

test.each(Object.entries(LANGUAGES))(
  'random edits of tests in %s',
  (_name, language) => {
    const { paths, second, shared, changes } = language;
    const texts = seedsOf(language);
    let [worst, index] = [0, 0];
    let last = texts[0] ?? '';
    for (const text of mutations(texts, texts.length + changes, SEED)) {
      const before = texts[index % texts.length] ?? '';
      const files = [
        { path: paths[index % paths.length] ?? '', before, after: text },
        { path: second, before: text, after: last },
      ];
      const start = process.cpuUsage();
      const same = (path: string) => (shared !== null && path.endsWith(shared) ? before : null);
      const { findings } = guardChange({ change: { files }, scope: 'testing', same });
      worst = Math.max(worst, process.cpuUsage(start).user / 1000);
      for (const { line, after } of findings) expect(line >= 1 && (after === null || after.from <= after.to)).toBe(true);
      last = text;
      index += 1;
    }
    expect(worst).toBeLessThan(MAX_MS);
  },
  900_000,
);
