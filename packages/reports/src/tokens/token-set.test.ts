import { describe, expect, it } from 'vitest';
import { readTokenFile } from './token-file.js';
import { TokenSet, type ColourMode } from './token-set.js';

function setOf(...files: readonly (readonly [string, object])[]): TokenSet {
  return new TokenSet(files.map(([name, tree]) => readTokenFile(JSON.stringify(tree), name)));
}

function value(set: TokenSet, path: string, context: ColourMode = null): unknown {
  const token = set.tokens.find((each) => each.path === path);
  if (token === undefined) throw new Error(`no ${path}`);
  const resolved = set.resolve(token, context);
  return resolved.ok ? resolved.value : `${resolved.problem}: ${resolved.reference}`;
}

const number = (of: unknown) => ({ $type: 'number', $value: of });

describe('references', () => {
  it('are followed through tokens, pointers, parts and lists', () => {
    const set = setOf([
      'a.json',
      {
        one: number(1),
        two: number('{one}'),
        three: number({ $ref: '#/two/$value' }),
        ease: { $type: 'cubicBezier', $value: [0, '{one}', { $ref: '#/other/$value/1' }, 1] },
        other: { $type: 'cubicBezier', $value: [0, 0.5, 1, 1] },
        root: { $root: number(7), half: number('{root.$root}') },
        old: number('{one.$value}'),
        'a/b': number(9),
        escaped: number({ $ref: '#/a~1b/$value' }),
        described: { $description: 'text', inner: number({ $ref: '#/$extensions/base' }) },
        $extensions: { base: 5 },
      },
    ]);
    expect(['two', 'three', 'ease', 'root.half', 'old', 'escaped', 'described.inner'].map((path) => value(set, path))).toEqual([
      1,
      1,
      [0, 1, 0.5, 1],
      7,
      1,
      9,
      5,
    ]);
  });

  it('say where they fail', () => {
    const set = setOf([
      'a.json',
      {
        gone: number('{nowhere}'),
        group: number('{folder}'),
        folder: { one: number(1) },
        deep: number({ $ref: '#/folder/one/$value/x' }),
        self: number('{self}'),
        a: number('{b}'),
        b: number('{a}'),
        pointer: number({ $ref: 'other.json#/a' }),
        odd: number({ $ref: '#/%zz/$value' }),
      },
    ]);
    expect(['gone', 'group', 'deep', 'self', 'a', 'b', 'pointer', 'odd'].map((path) => value(set, path))).toEqual([
      'missing: {nowhere}',
      'group: {folder}',
      'missing: #/folder/one/$value/x',
      'cycle: self > self',
      'cycle: a > b > a',
      'cycle: a > b > a',
      'missing: other.json#/a',
      'missing: #/%zz/$value',
    ]);
  });

  it('are only what is written as one', () => {
    const set = setOf(['a.json', { a: number('{x}{y}'), b: number(`{${'x'.repeat(2000)}}`), c: number({ $ref: '#'.repeat(2000) }) }]);
    expect([value(set, 'a'), value(set, 'b')]).toEqual(['{x}{y}', `{${'x'.repeat(2000)}}`]);
    expect(value(set, 'c')).toEqual({ $ref: '#'.repeat(2000) });
  });

  it('that multiply cost no more than their number', () => {
    const tree: Record<string, unknown> = { t0: number(1) };
    for (let at = 1; at <= 60; at += 1) tree[`t${at}`] = { $type: 'cubicBezier', $value: [`{t${at - 1}}`, `{t${at - 1}}`] };
    expect(value(setOf(['a.json', tree]), 't60')).toHaveLength(2);
  });

  it('further than anybody follows are a circle', () => {
    const tree: Record<string, unknown> = { t0: number(1) };
    for (let at = 1; at <= 300; at += 1) tree[`t${at}`] = number(`{t${at - 1}}`);
    const tokens = Object.entries(tree).toReversed();
    expect(value(setOf(['a.json', Object.fromEntries(tokens)]), 't300')).toMatch(/^cycle/);
  });
});

describe('modes', () => {
  const themed = [
    ['base.json', { gray: number(1), text: number('{gray}') }],
    ['dark.json', { gray: number(2) }],
  ] as const;

  it('of dark alone change what the other files say', () => {
    const set = setOf(...themed);
    expect(set.contexts).toEqual(['light', 'dark']);
    expect([value(set, 'text', 'light'), value(set, 'text', 'dark')]).toEqual([1, 2]);
    expect(set.within('dark').map(({ file, path }) => `${file} ${path}`)).toEqual(['dark.json gray', 'base.json text']);
  });

  it('prefer the nearest of several files', () => {
    const set = setOf(
      ['a/one.json', { size: number(1) }],
      ['b/one.json', { size: number(2) }],
      ['b/two.json', { use: number('{size}') }],
      ['a/two.json', { own: number('{size}') }],
    );
    expect([value(set, 'use'), value(set, 'own')]).toEqual([2, 1]);
  });

  it('are told by a resolver document', () => {
    const document = {
      version: '2025.10',
      modifiers: {
        theme: {
          contexts: { light: [{ $ref: './x/one.json' }], Dark: [{ $ref: '../y.json' }, { inline: number(3) }], wide: [{ $ref: 'z.json' }] },
        },
      },
      sets: { own: { sources: [{ plain: number(4) }] }, broken: { sources: 'none' } },
      resolutionOrder: [],
    };
    const set = setOf(
      ['a/t.json', document],
      ['a/x/one.json', { n: number(1) }],
      ['y.json', { n: number(2) }],
      ['a/z.json', { m: number(0) }],
    );
    expect(set.tokens.map(({ file, path, theme }) => `${file} ${path} ${theme ?? '-'}`)).toEqual([
      'a/t.json plain -',
      'a/t.json inline dark',
      'a/x/one.json n light',
      'y.json n dark',
      'a/z.json m -',
    ]);
  });
});
