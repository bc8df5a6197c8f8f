// Reports of knip, in the shapes of its versions.

import { expect, test } from 'vitest';
import { readKnip } from './knip-findings.js';

const brief = (value: unknown) =>
  readKnip(value)?.map(({ severity, rule, artifact, line, message }) => `${severity} ${rule} ${artifact}:${line} ${message}`) ?? null;

test('lists by file', () =>
  expect(
    brief({
      issues: [
        { file: 'src/dead.js', files: [{ name: 'src/dead.js' }], exports: [] },
        { file: 'package.json', owners: ['@a'], dependencies: [{ name: 'left-pad', line: 3 }], unlisted: [{ name: 'x' }], catalog: ['y'] },
        {
          file: 'src/a.js',
          unresolved: [{ name: './b.js', line: 2 }],
          duplicates: [
            [
              { name: 'go', line: 4 },
              { name: 'default', line: 5 },
            ],
            [],
          ],
        },
        { file: 'src/e.ts', enumMembers: [{ name: 'Red', namespace: 'Colour', line: 7 }, 3, {}], exports: null },
      ],
    }),
  ).toEqual([
    'medium unused/files src/dead.js:null unused file',
    'medium unused/dependencies package.json:3 unused dependency: left-pad',
    'medium unused/unlisted package.json:null dependency that is not listed: x',
    'low unused/catalog package.json:null unused (catalog): y',
    'high unused/unresolved src/a.js:2 import that cannot be resolved: ./b.js',
    'low unused/duplicates src/a.js:4 export under several names: go, default',
    'low unused/enumMembers src/e.ts:7 unused member of an enum: Colour.Red',
  ]));

test('older shapes: files at the top, members by their owner', () =>
  expect(brief({ files: ['src/dead.js', 3], issues: [{ enumMembers: { Colour: [{ name: 'Red', line: 7 }] } }, 'x'] })).toEqual([
    'medium unused/files src/dead.js:null unused file',
    'low unused/enumMembers null:null unused member of an enum: Colour.Red',
  ]));

test('nothing unused, and no report at all', () => {
  expect(brief({ issues: [] })).toEqual([]);
  expect([null, [], {}, { issues: 'none' }, 3].map(brief)).toEqual([null, null, null, null, null]);
});
