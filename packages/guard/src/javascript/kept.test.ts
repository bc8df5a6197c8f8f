// Checks that stay under another spelling, elsewhere in the test or in another test; and what only looks as if they did.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';
import type { FileChange, GuardScope } from '../change.js';

const HEAD = "import { expect, it, vi } from 'vitest'\nimport { load } from './load'\n";

/** The rules that a change of files breaks. */
function broken(files: readonly FileChange[], scope: GuardScope = 'testing'): readonly string[] {
  return [...new Set(guard({ change: { files }, scope }).findings.map(({ rule }) => rule))];
}

/** The rules that a change of one test's body breaks. */
function rulesOf(before: string, after: string): readonly string[] {
  const file = (body: string) => `${HEAD}it('works', async () => {\n${body}\n})\n`;
  return broken([{ path: 'src/load.test.ts', before: file(before), after: file(after) }]);
}

describe('kept', () => {
  it.each([
    ['a guard that throws', 'const r = load(1)\nexpect(r.ok).toBe(true)', 'const r = load(1)\nif (!r.ok) throw new Error("no")'],
    ['a guard that wants false', 'const r = load(1)\nexpect(r.ok).toBe(false)', 'const r = load(1)\nif (r.ok) throw new Error("no")'],
    [
      'a guard with two sides',
      'const r = load(1)\nexpect(r.a).toBe(1)\nexpect(r.b).toBe("x")',
      'const r = load(1)\nif (r.a !== 1 || r.b !== "x") throw new Error("no")',
    ],
    ['not null by other names', 'expect(load(1) !== null).toBe(true)', 'expect(load(1)).not.toBeNull()'],
    ['a size as a property', 'const c = load(1)\nexpect(c.size).toBe(0)', 'const c = load(1)\nexpect(c).toHaveProperty("size", 0)'],
    [
      'every as a loop',
      'const l = load(3)\nexpect(l).toHaveLength(3)\nexpect(l.every((id) => /^[a-z]$/.test(id))).toBe(true)',
      'const l = load(3)\nexpect(l).toHaveLength(3)\nfor (const id of l) expect(id).toMatch(/^[a-z]$/)',
    ],
    [
      'a counter as a spy',
      'let calls = 0\nload(() => { calls += 1 })\nexpect(calls).toBe(2)',
      'const spy = vi.fn()\nload(spy)\nexpect(spy).toHaveBeenCalledTimes(2)',
    ],
    [
      'calls of two spies in one list',
      'const [a, b] = [vi.fn(), vi.fn()]\nload(a, b)\nexpect(a).toHaveBeenCalledTimes(1)\nexpect(b).toHaveBeenCalledTimes(1)\nexpect(b).toHaveBeenCalledWith("ok")',
      'const seen = []\nload(() => seen.push(["a"]), (x) => seen.push(["b", x]))\nexpect(seen).toEqual([["a"], ["b", "ok"]])',
    ],
    [
      'a method that is never called, beside a list of all calls',
      'const log = { info: vi.fn(), error: vi.fn() }\nload(log)\nexpect(log.info).toHaveBeenCalledWith("start")\nexpect(log.error).not.toHaveBeenCalled()',
      'const log = new Lines()\nload(log)\nexpect(log.lines).toEqual(["info start"])',
    ],
    ['lines of a text', 'expect(load(1)).toMatchSnapshot()', 'expect(load(1).split("\\n")).toEqual(["<b>", "</b>"])'],
    [
      'there, by a property',
      'const u = load(1)\nexpect(u).toBeTruthy()\nexpect(u.name).toBe("A")',
      'const u = load(1)\nexpect(u.name).toBe("A")',
    ],
    ['not in a list that is told', 'expect(load(1)).not.toContain("x")', 'expect([...load(1)].sort()).toEqual(["a", "b"])'],
    ['there, by what is read', 'expect(load(1).has("key")).toBe(true)', 'expect(load(1).get("key")).toEqual({ n: 1 })'],
    [
      'a pattern by the message it spells',
      'const e = await load(1).catch((r) => r)\nexpect(e.message).toMatch(/no key here/)\nexpect(e.line).toBe(3)',
      'await expect(load(1)).rejects.toMatchObject({ message: "no key here", line: 3 })',
    ],
    [
      'one of a list that has a name',
      'expect(["a", "b"]).toContain(load(["a", "b"]))',
      'const all = ["a", "b"]\nexpect(all).toContain(load(all))',
    ],
    [
      'a loop over a list of known length',
      'for (let i = 0; i < 9; i++) expect(load(i)).toBeLessThan(6)',
      'const take = (n, draw) => Array.from({ length: n }, draw)\nfor (const one of take(9, () => load(1))) expect(one).toBeLessThan(6)',
    ],
    [
      'there, by a list of all files',
      'load(1)\nexpect(existsSync(join(root, "a.txt"))).toBe(true)',
      'load(1)\nexpect(readdirSync(root)).toEqual(["a.txt", "b.txt"])',
    ],
    [
      'a whole by its parts, two of them in one text',
      'expect(load(1)).toEqual({ host: "h", port: 80, path: "/" })',
      'const { host, port, path } = load(1)\nexpect(host + ":" + port).toBe("h:80")\nexpect(path).toBe("/")',
    ],
    [
      'how much is in a list of an error',
      'const e = await load(1).catch((r) => r)\nexpect(e.problems).toHaveLength(2)\nexpect(e.message).toMatch(/^bad file: a/)',
      'await expect(load(1)).rejects.toMatchObject({ problems: ["a", "b"], message: "bad file: a; b" })',
    ],
    [
      'a snapshot by the markup that it held',
      'const { root } = load(1)\nexpect(root.firstChild).toMatchSnapshot()',
      'const { root } = load(1)\nexpect(root.innerHTML).toBe("<p>Hi</p>")',
    ],
    [
      'the order of two spies',
      'const [a, b] = [vi.fn(), vi.fn()]\nload(a, b)\nexpect(a.calledBefore(b)).toBe(true)',
      'const [a, b] = [vi.fn(), vi.fn()]\nload(a, b)\nexpect(a.mock.invocationCallOrder[0]).toBeLessThan(b.mock.invocationCallOrder[0])',
    ],
    [
      'a helper within the question',
      'const r = load(1)\nexpect(r.status).toBe(200)\nexpect(r.body).toBe("hi")',
      'const bodyOf = (r) => {\n  expect(r.status).toBe(200)\n  return r.body\n}\nexpect(bodyOf(load(1))).toBe("hi")',
    ],
  ])('%s', (_name, before, after) => {
    expect(rulesOf(before, after)).toEqual([]);
  });

  it('a throw that a new test asks about in other words', () => {
    const one = "it('one', async () => {\n  await expect(load(1)).rejects.toThrow(RangeError)\n";
    const two = '  await expect(load(2)).rejects.toThrow("unknown key colour")\n';
    const told = '  const e = await load(2).catch((r) => r)\n  expect(e.message).toContain("unknown key colour")\n';
    const before = `${HEAD}${one}${two}})\n`;
    const after = `${HEAD}${one}})\nit('two', async () => {\n${told}})\n`;
    expect(broken([{ path: 'src/load.test.ts', before, after }])).toEqual([]);
    const shorter = after.replace('unknown key colour', 'unknown');
    expect(broken([{ path: 'src/load.test.ts', before, after: shorter }])).toEqual(['assertion-removed']);
  });

  it('a callback that a helper calls from several places', () => {
    const head = "import { assert } from 'chai'\nimport { open } from './load'\n";
    const collect = "function collect(x, back) {\n  open(x).on('error', (e) => back(e)).on('end', () => back(null, x))\n}\n";
    const before = `${head}${collect}it('works', (done) => {\n  collect(1, (error, jobs) => {\n    assert.deepEqual(jobs, ["a", "b"])\n    done()\n  })\n})\n`;
    const after = `${head}async function collect(x) {\n  const all = []\n  for await (const one of open(x)) all.push(one)\n  return all\n}\nit('works', async () => {\n  assert.deepEqual(await collect(1), ["a", "b"])\n})\n`;
    expect(broken([{ path: 'src/load.test.js', before, after }])).toEqual([]);
  });
});

describe('lost', () => {
  it.each([
    ['a guard is less than a value', 'expect(load(1).n).toBe(5)', 'if (!load(1).n) throw new Error("no")', ['assertion-weakened']],
    [
      'a filter asks what the loop asks',
      'for (const r of load(1)) expect(r.n).toBeGreaterThan(0)',
      'for (const r of load(1).filter((x) => x.n > 0)) expect(r.n).toBeGreaterThan(0)',
      ['assertion-tautological'],
    ],
    [
      'a call is not told by what comes back',
      'const send = vi.fn()\nconst user = load(send, "ada@x.org", "Ada")\nexpect(send).toHaveBeenCalledWith({ to: "ada@x.org", subject: "Welcome, Ada" })',
      'const user = load(() => {}, "ada@x.org", "Ada")\nexpect(user.name).toBe("Ada")',
      ['assertion-removed'],
    ],
    [
      'a loop over what may be empty',
      'for (let i = 0; i < 9; i++) expect(load(i)).toBeLessThan(6)',
      'const take = (n, draw) => load(n).filter(draw)\nfor (const one of take(9, Boolean)) expect(one).toBeLessThan(6)',
      ['assertion-unreached'],
    ],
    [
      'a list of an error may be of any length',
      'const e = await load(1).catch((r) => r)\nexpect(e.problems).toHaveLength(2)\nexpect(e.message).toMatch(/^bad file: a/)',
      'await expect(load(1)).rejects.toMatchObject({ message: "bad file: a; b" })',
      ['assertion-removed'],
    ],
    [
      'a snapshot by a word of it',
      'const { root } = load(1)\nexpect(root.firstChild).toMatchSnapshot()',
      'const { root } = load(1)\nexpect(root.innerHTML).toContain("Hi")',
      ['assertion-removed'],
    ],
    [
      'a set has no order',
      'expect(load(1)).toEqual(["a", "b"])',
      'expect(new Set(load(1))).toEqual(new Set(["a", "b"]))',
      ['assertion-weakened'],
    ],
    [
      'the wanted value in place of a failure',
      'expect(await load(1)).toBe("done")',
      'const r = await load(1).catch(() => "done")\nexpect(r).toBe("done")',
      ['assertion-weakened'],
    ],
    [
      'the wanted value may come first',
      'const r = await load(1)\nexpect(r).toEqual({ n: 1 })',
      'const r = await Promise.race([load(1), Promise.resolve({ n: 1 })])\nexpect(r).toEqual({ n: 1 })',
      ['assertion-weakened'],
    ],
    [
      'the wanted value was there before the try',
      'const r = await load(1)\nexpect(r).toBe("A")',
      'let r = "A"\ntry {\n  r = await load(1)\n} catch {}\nexpect(r).toBe("A")',
      ['assertion-swallowed'],
    ],
    [
      'either side of the wanted value fits',
      'expect(load(1)).toBe(3)',
      'const r = load(1)\nexpect(r).toBe(r === 3 ? 3 : r)',
      ['assertion-tautological'],
    ],
    [
      'the rest is read off the value',
      'expect(load(1)).toEqual({ id: 1, kind: "a" })',
      'const r = load(1)\nexpect(r).toEqual({ ...r, id: 1 })',
      ['assertion-tautological'],
    ],
  ])('%s', (_name, before, after, rules) => {
    expect(rulesOf(before, after)).toEqual(rules);
  });

  it('done before the callback has run', () => {
    const file = (first: string, last: string) =>
      `import { assert } from 'chai'\nimport { open } from './load'\nit('works', (done) => {\n  open(1).on('end', (n) => {\n    assert.equal(n, 2)\n${first}  })\n${last}})\n`;
    const files = [{ path: 'src/load.test.js', before: file('    done()\n', ''), after: file('', '  done()\n') }];
    expect(broken(files)).toEqual(['assertion-unawaited']);
  });

  it('a failure that the runner is told to want', () => {
    const file = (first: string) =>
      `import { expect, test } from '@playwright/test'\ntest('opens', async ({ page }) => {\n${first}  await expect(page).toHaveTitle('x')\n})\n`;
    expect(broken([{ path: 'e2e/a.spec.ts', before: file(''), after: file('  test.fail()\n') }])).toEqual(['failure-expected']);
  });

  it('wanted values rewritten with source: turned round, another size, a file that a program writes', () => {
    const source = { path: 'src/load.ts', before: 'export const load = () => 1\n', after: 'export const load = () => 2\n' };
    const file = (body: string) => `${HEAD}it('works', () => {\n  ${body}\n})\n`;
    const change = (before: string, after: string) =>
      broken([source, { path: 'src/load.test.ts', before: file(before), after: file(after) }], 'any');
    expect(change('expect(load(1)).not.toContain("x")', 'expect(load(1)).toContain("x")')).toEqual(['rebaselined']);
    expect(change('expect(load(1)).toHaveLength(2)', 'expect(load(1)).toHaveLength(4)')).toEqual(['rebaselined']);
    expect(change('expect(() => load(1)).toThrow(RangeError)', 'expect(load(1)).toEqual([1])')).toEqual(['rebaselined']);
    expect(change('expect(() => load(1)).toThrow(RangeError)', 'expect(load(2)).toEqual([1])')).not.toEqual(['rebaselined']);
    const output = (before: string, after: string) => broken([source, { path: 'test/fixtures/a.toc.md', before, after }], 'any');
    expect(output('- a\n- b\n', '- a\n- c\n')).toEqual(['rebaselined']);
    expect(output('- a\n- b\n', '- a\n- b\n- c\n')).toEqual([]);
  });
});
