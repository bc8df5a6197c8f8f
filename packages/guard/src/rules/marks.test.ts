// Marks that keep a tool from looking: which of them are new, which are checks themselves, and which were only said anew.

import { describe, expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import { guard } from '../guard.js';

/** Rule and line of what a change of files breaks. */
function broken(files: readonly FileChange[]): readonly string[] {
  return guard({ change: { files }, scope: 'any' }).findings.map(({ rule, line }) => `${rule} ${line}`);
}

const change = (path: string, before: string, after: string) => broken([{ path, before, after }]);

const HEAD = "import { expect, expectTypeOf, it } from 'vitest'\nimport { pipe } from './pipe'\n";
const body = (text: string, title = 'works') => `it('${title}', () => {\n${text}\n})\n`;
const kept = body('expectTypeOf(pipe(1)).toEqualTypeOf<number>()', 'types');

describe('a test of types', () => {
  it.each([
    'src/pipe.test-d.ts',
    'src/pipe.tst.ts',
    'test/types/pipe.ts',
    'type-tests/pipe.ts',
    'test/pipe.types.ts',
    'src/pipe.type-test.ts',
  ])('may expect errors and any: %s', (path) => {
    const before = `${HEAD}${kept}`;
    expect(change(path, before, `${before}const loose = pipe({} as any)\n// @ts-expect-error no text\npipe('x')\n`)).toEqual([]);
  });

  it('may not cast the value that it asks about, nor ignore an error', () => {
    const before = `${HEAD}${kept}`;
    const after = `${HEAD}${body('expectTypeOf(pipe(1) as any).toEqualTypeOf<number>()', 'types')}// @ts-ignore\npipe('x')\n`;
    expect(change('src/pipe.test-d.ts', before, after)).toEqual(['any-used 4', 'type-suppressed 6']);
  });

  it('does not pay for what is hidden elsewhere', () => {
    const files = [
      { path: 'src/pipe.test-d.ts', before: `${HEAD}${kept}// @ts-expect-error no text\npipe('x')\n`, after: `${HEAD}${kept}` },
      { path: 'src/load.ts', before: 'load(1)\n', after: "// @ts-expect-error later\nload('1')\n" },
    ];
    expect(broken(files)).toEqual(['type-suppressed 1']);
  });
});

describe('an expected error within a test', () => {
  const wrong = "// @ts-expect-error no text\npipe('x')";

  it('is a check where only the compiler looks at the statement, and the file asks about types', () => {
    const before = `${HEAD}${kept}${body('const made = pipe(2)\nexpect(made).toBe(2)')}`;
    const after = `${HEAD}${kept}${body(`const made = pipe(2)\nexpect(made).toBe(2)\n${wrong}\npipe.name`)}`;
    expect(change('src/pipe.test.ts', before, after)).toEqual([]);
  });

  it.each([
    ['over a part of a statement', "pipe({\n  // @ts-expect-error no text\n  by: 'x',\n})"],
    ['over a call that must throw', "// @ts-expect-error no text\nexpect(() => pipe('x')).toThrow('no text')"],
    ['over a variable that nobody reads', "// @ts-expect-error no text\nconst refused: number = pipe('x')"],
    [
      'over a second one of the same value',
      "const made = pipe(2)\n// @ts-expect-error no text\nmade.add('x')\n// @ts-expect-error nothing\nmade.add()",
    ],
  ])('is a check there %s', (_, text) => {
    const before = `${HEAD}${kept}${body('expect(pipe(1)).toBe(1)')}`;
    expect(change('src/pipe.test.ts', before, `${before}${body(`expect(pipe(3)).toBe(3)\n${text}`, 'more')}`)).toEqual([]);
  });

  it.each([
    ['the file asks about no types', `import { expect, it } from 'vitest'\n`, '', wrong],
    [
      'what it does is looked at',
      HEAD,
      kept,
      "const made = pipe(2)\n// @ts-expect-error no text\nmade.add('x')\nexpect(made.size).toBe(2)",
    ],
    ['its value is kept', HEAD, kept, "// @ts-expect-error no text\nconst made = pipe('x')\nexpect(made).toBe('x')"],
    ['it is an assertion', HEAD, kept, "// @ts-expect-error no text\nexpect(pipe('x')).toBe('x')"],
  ])('hides one where %s', (_, head, types, text) => {
    const before = `${head}${types}${body('expect(pipe(1)).toBe(1)')}`;
    const after = `${before}${body(text, 'more')}`;
    expect(change('src/pipe.test.ts', before, after).map((found) => found.split(' ')[0])).toEqual(['type-suppressed']);
  });

  it('says more than one that was ignored, and less the other way round', () => {
    const [ignored, expected] = ["// @ts-ignore\nload('1')\n", "// @ts-expect-error\nload('1')\n"];
    expect([change('src/a.ts', ignored, expected), change('src/a.ts', expected, ignored)]).toEqual([[], ['type-suppressed 1']]);
  });
});

describe('any', () => {
  it('is told once a line, at the line that is new', () => {
    const old = 'const a: any = 1\nconst b: any = 2\n';
    expect(change('src/a.ts', old, `const c = new Map<any, any>()\n${old}`)).toEqual(['any-used 1']);
  });

  it('is no hole in a bound: what is within it keeps its own type', () => {
    const after =
      'export type Of<T> = T extends (...args: any[]) => infer R ? R : never\nexport function f<T extends Record<string, any>>(t: T): T { return t }\n';
    expect(change('src/a.ts', 'export {}\n', after)).toEqual([]);
    expect(change('src/a.ts', 'export {}\n', 'export type Of<T> = T extends string ? any : never\n')).toEqual(['any-used 1']);
  });

  it('may stand in declarations, which are written by the compiler', () => {
    expect(['a.d.ts', 'a.d.mts', 'a.d.cts'].map((name) => change(`types/${name}`, 'export {}\n', 'export declare const a: any\n'))).toEqual(
      [[], [], []],
    );
  });
});

describe('a comment for a linter', () => {
  it.each([
    ['// eslint-disable-next-line @typescript-eslint/no-explicit-any', '// oxlint-disable-next-line typescript/no-explicit-any'],
    ['// eslint-disable-next-line @typescript-eslint/no-explicit-any -- old', '// biome-ignore lint/suspicious/noExplicitAny: old'],
    ['// eslint-disable-next-line no-restricted-syntax', '// oxlint-disable-next-line own/no-dispose'],
    ['/* eslint-disable no-console, no-alert */', '/* oxlint-disable no-alert, no-console */'],
  ])('is not new where another linter was told: %s', (before, after) => {
    expect(change('src/a.ts', `${before}\ncall(1)\n`, `${after}\ncall(1)\n`)).toEqual([]);
  });

  it.each([
    ['more rules', '// eslint-disable-next-line no-console', '// oxlint-disable-next-line no-console, no-alert'],
    ['all rules', '// eslint-disable-next-line no-console', '// oxlint-disable-next-line'],
    ['the whole file', '// eslint-disable-next-line no-console', '/* oxlint-disable no-console */'],
    ['another rule of the same linter', '// eslint-disable-next-line no-console', '// eslint-disable-next-line no-alert'],
  ])('is new where it lets pass %s', (_, before, after) => {
    expect(change('src/a.ts', `${before}\ncall(1)\n`, `${after}\ncall(1)\n`)).toEqual(['lint-disabled 1']);
  });

  it('does nothing within another comment', () => {
    expect(change('src/a.ts', 'call(1)\n', '// // eslint-disable-next-line no-console\n// call(1)\n//   // @ts-expect-error\n')).toEqual(
      [],
    );
    expect(change('src/a.ts', 'call(1)\n', '/// eslint-disable-next-line no-console\ncall(1)\n')).toEqual(['lint-disabled 1']);
  });
});
