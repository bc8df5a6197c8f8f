import { expect, it } from 'vitest';
import { fileTheme, modeTheme } from './name-words.js';
import { readTokenFile } from './token-file.js';

function read(tree: object) {
  const { tokens, faults } = readTokenFile(JSON.stringify(tree, null, 1), 'a.json');
  return {
    tokens: tokens.map(({ path, type, line, deprecated }) => `${line} ${path} ${type ?? '-'}${deprecated ? ' deprecated' : ''}`),
    faults: faults.map(({ line, severity, rule, path, cause }) => `${line} ${severity} ${rule} ${path}: ${cause}`),
  };
}

const one = { $value: 1 };

it('inherits types and deprecation from the nearest group', () => {
  expect(
    read({
      $type: 'number',
      a: { $deprecated: true, one, b: { $type: 'color', $deprecated: false, $root: one, c: { $type: 'dimension', ...one } } },
    }),
  ).toEqual({
    tokens: ['5 a.one number deprecated', '11 a.b.$root color', '14 a.b.c dimension'],
    faults: [],
  });
});

it('takes over what a group extends, by either form, also from a group that extends another', () => {
  const tree = {
    a: { $extends: '{b}', own: one },
    b: { $extends: '#/c', two: one },
    c: { $type: 'number', three: one, two: one },
    d: { $ref: '#/c' },
  };
  expect(read(tree)).toEqual({
    tokens: [
      '4 a.own -',
      '10 b.two -',
      '16 c.three number',
      '19 c.two number',
      '3 a.two -',
      '9 b.three number',
      '24 d.three number',
      '24 d.two number',
      '3 a.three number',
    ],
    faults: [],
  });
});

it('refuses to extend what holds it, what lies in it and what is not there', () => {
  expect(
    read({ a: { $extends: '{a}', one, b: { $extends: '{a}', c: { one } } }, d: { $extends: '{d.e}', e: { one } }, f: { $extends: 5, one } })
      .faults,
  ).toEqual([
    '3 critical extends a: $extends leads to a group that holds this one, or lies in it',
    '8 critical extends a.b: $extends leads to a group that holds this one, or lies in it',
    '17 critical extends d: $extends leads to a group that holds this one, or lies in it',
    '25 critical extends f: $extends leads to no group of this file',
  ]);
});

it('says so where extending has no end, or makes far too much', () => {
  const circle = read({ a: { x: { $extends: '{b}' }, one }, b: { y: { $extends: '{a}' }, two: one } });
  expect(circle.faults).toEqual(['4 critical extends a.x: groups that extend each other make tokens without an end']);
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`g${at}`, { $extends: '{base}' }]));
  const base = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`b${at}`, one]));
  const { tokens, faults } = read({ base, ...many });
  expect({ tokens: tokens.length, faults: [...new Set(faults.map((fault) => fault.split(': ')[1]))] }).toEqual({
    tokens: 20_100,
    faults: [
      'more than 500 groups extend others, and the rest was not followed',
      'extending makes more than 20000 tokens, and the rest was left out',
    ],
  });
});

it('says what is no token', () => {
  expect(
    read({ a: 1, b: { $root: {} }, c: { $type: 5, ...one, d: one, $odd: 1 }, e: { $type: 'color' }, $unknown: 1, 'f.g': one, $schema: 's' })
      .faults,
  ).toEqual([
    '2 critical no-token a: a name without "$" holds a token or a group, and this is a plain value',
    '4 critical no-token b.$root: $root is a token and needs a $value',
    '7 critical type c: the $type is no text',
    '9 critical token-and-group c: a token cannot hold others, and this one holds "d"',
    '12 medium property c: "$odd" is no property of a token',
    '14 medium no-value e: a $type, and the $value is missing, so it is no token',
    '17 medium property (top): "$unknown" is no property of a group',
    '18 critical name f.g: a name may not hold "{", "}" or "."',
  ]);
});

it('reads modes from extensions, below a vendor too', () => {
  const $extensions = { mode: { dark: 2, wide: 3 }, 'com.example': { modes: { 'Light mode': { $value: 4 } } }, other: 5 };
  const [token] = readTokenFile(JSON.stringify({ a: { ...one, $extensions } }), 'a.json').tokens;
  expect([...(token?.modes ?? [])]).toEqual([
    ['dark', 2],
    ['Light mode', 4],
  ]);
});

it('tells modes from shades', () => {
  const roles = (tree: object) => readTokenFile(JSON.stringify(tree), 'a.json').tokens.map(({ role, theme }) => `${role} ${theme ?? '-'}`);
  expect(roles({ light: { a: one, b: one }, dark: { a: one } })).toEqual(['a light', 'b light', 'a dark']);
  expect(roles({ text: { light: one, dark: one } })).toEqual(['text light', 'text dark']);
  expect(roles({ red: { light: one, main: one, dark: one } })).toEqual(['red.light -', 'red.main -', 'red.dark -']);
  expect(roles({ light: { a: one }, dark: { b: one } })).toEqual(['light.a -', 'dark.b -']);
  expect(roles({ light: { a: one } })).toEqual(['light.a -']);
});

it('knows the mode of a file by its name and folders', () => {
  const files = [
    'dark.json',
    'theme-light.tokens.json',
    'tokens.dark.json',
    'themes/dark/color.json',
    'light-high-contrast.json',
    'light-and-dark.json',
    'base.json',
    'darkroom.json',
    'a/light mode/b.tokens',
  ];
  expect(files.map(fileTheme)).toEqual(['dark', 'light', 'dark', 'dark', null, null, null, null, 'light']);
  expect(['Dark', 'lightMode', 'dark-blue', 'theme'].map(modeTheme)).toEqual(['dark', 'light', null, null]);
});
