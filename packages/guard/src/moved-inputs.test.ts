// What looks like a rewritten expectation, a lost or a free check, and is none; each beside a sibling that is one.

import { describe, expect, it } from 'vitest';
import { guard } from './guard.js';

/** The rules that a test's new body breaks, where source changes with it. */
function rulesOf(before: string, after: string, head = ''): readonly string[] {
  const file = (body: string) =>
    `import { expect, expectTypeOf, it, vi } from 'vitest'\nimport { load, name, old, make } from './load'\n${head}it('works', async () => {\n${body}\n})\n`;
  const files = [
    { path: 'src/load.test.ts', before: file(before), after: file(after) },
    { path: 'src/load.ts', before: 'export const a = 1\n', after: 'export const a = 2\n' },
  ];
  return [...new Set(guard({ change: { files }, scope: 'any' }).findings.map(({ rule }) => rule))];
}

describe('a wanted value', () => {
  it.each([
    [
      'follows an input that is made in another way',
      'const one = old.make("a")\nconst box = load()\nbox.add(one)\nexpect(box.all()).toEqual([one])',
      'const one = make.link("*").make("a")\nconst box = load()\nbox.add(one)\nexpect(box.all()).toEqual([one])',
    ],
    [
      'follows a number that the test is given',
      'const count = 2000\nexpect(name(count - 1)[`T${count - 1}`].id).toBe(`x/T${count - 1}`)',
      'const count = 64\nexpect(name(count - 1).all[`T${count - 1}`].id).toBe(`x/T${count - 1}`)',
    ],
    [
      'is told by a spy in the same words',
      'load(1)\nexpect(getLog().log).toBe("An unhandled error occurred in the endpoint one. [Error: this was expected]")',
      'const spy = vi.spyOn(console, "error")\nload(1)\nexpect(spy).toHaveBeenLastCalledWith("An unhandled error occurred in the endpoint one.", Error("this was expected"))',
    ],
    [
      'is empty, as a spy that is never called',
      'load(1)\nexpect(getLog().log).toMatchInlineSnapshot(`""`)',
      'const spy = vi.spyOn(console, "error")\nload(1)\nexpect(spy).not.toHaveBeenCalled()',
    ],
    [
      'gets a key more, of which any value will do',
      'expect(load(1)).toEqual({ id: expect.any(String), n: 1 })',
      'expect(load(1)).toEqual({ id: expect.any(String), key: expect.any(String), n: 1 })',
    ],
  ])('%s', (_, before, after) => {
    expect(rulesOf(before, after)).toEqual([]);
  });

  it.each([
    ['a number that nothing was given for', 'expect(load(2)).toBe(4)', 'expect(load(2)).toBe(5)', 'rebaselined'],
    ['another than the test is given', 'expect(name(2000).T1.id).toBe("x/T1")', 'expect(name(64).T1.id).toBe("x/T9")', 'rebaselined'],
    [
      'a value that is lost in what is made',
      'const all = [...old.list(), "x"]\nexpect(load()).toEqual(all)',
      'const all = [...old.list()]\nexpect(load()).toEqual(all)',
      'rebaselined',
    ],
    [
      'a key that may now be anything',
      'expect(load(1)).toEqual({ id: "a", n: 1 })',
      'expect(load(1)).toEqual({ id: expect.any(String), n: 1 })',
      'assertion-weakened',
    ],
  ])('is told where it is %s', (_, before, after, rule) => {
    expect(rulesOf(before, after)).toEqual([rule]);
  });
});

describe('a check of types', () => {
  const typed = (text: string) => `expect(load(1)).toBe(1)\n${text}`;

  it.each([
    [
      'expectTypeOf(load).parameter(0).toEqualTypeOf<string | number>()',
      'expectTypeOf<Parameters<typeof load>[0]>().toEqualTypeOf<string | number>()',
    ],
    ['expectTypeOf(load(1)).toEqualTypeOf<A | B>()', 'expectTypeOf(load(1)).toEqualTypeOf<\n  | A\n  | B\n>()'],
    ['expectTypeOf(load(1)).toEqualTypeOf<A>()', 'function View() {\n  expectTypeOf(load(1)).toEqualTypeOf<A>()\n}'],
  ])('stays in other words or in a function that only the compiler reads: %s', (before, after) => {
    expect(rulesOf(typed(before), typed(after))).toEqual([]);
  });

  it.each([
    ['expectTypeOf(load(1)).toEqualTypeOf<string>()', 'expectTypeOf(load(1)).toEqualTypeOf<unknown>()', 'rebaselined'],
    [
      'expectTypeOf<Of<1>>().toEqualTypeOf<A>()\nexpectTypeOf<Of<2>>().toEqualTypeOf<B>()',
      'expectTypeOf<Of<1>>().toEqualTypeOf<A>()',
      'assertion-removed',
    ],
  ])('is told where another type is wanted, or none: %s', (before, after, rule) => {
    expect(rulesOf(typed(before), typed(after))).toEqual([rule]);
  });
});

describe('a check in a new test', () => {
  const kept = 'expect(load(1)).toBe(1)';
  const added = (text: string) => rulesOf(kept, `${kept}\n${text}`);

  it.each([
    ['a list that holds the value itself', 'const one = make(1)\nexpect([...one]).toEqual([one])'],
    [
      'a count that was noted before',
      'let calls = 0\nconst run = make(() => { calls++ })\nconst noted = calls\nrun.go()\nexpect(calls).toBe(noted)',
    ],
    [
      'a listener that is asked about',
      'const heard = vi.fn()\nprocess.on("unhandledRejection", heard)\nawait load(2)\nexpect(heard).not.toHaveBeenCalled()',
    ],
    [
      'a listener that writes down',
      'const heard = []\nprocess.on("unhandledRejection", (error) => heard.push(error))\nawait load(2)\nexpect(heard).toEqual([])',
    ],
  ])('may fail: %s', (_, text) => {
    expect(added(text)).toEqual([]);
  });

  it.each([
    ['a copy', 'const one = make(1)\nexpect([...one]).toEqual([...one])', 'assertion-tautological'],
    ['another name', 'const one = make(1)\nconst two = one\nexpect(one).toBe(two)', 'assertion-tautological'],
    ['a listener that hears nothing', 'process.on("unhandledRejection", () => {})\nawait load(2)', 'assertion-swallowed'],
  ])('cannot: %s', (_, text, rule) => {
    expect(added(text)).toEqual([rule]);
  });

  it('may use an assert of the project that throws, and none that does not', () => {
    const own = (body: string) =>
      rulesOf(kept, kept, '').length === 0 &&
      rulesOf(kept, `${kept}\nfunction assert(ok: boolean, text: string) { ${body} }\nassert(load(2) === 2, "two")`);
    expect([own('if (!ok) throw new Error(text)'), own('console.log(text)')]).toEqual([[], ['assertions-patched']]);
  });
});
