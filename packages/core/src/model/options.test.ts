// One check for a text of the command line, a value of a program and a value of umpire.config.yaml.

import { expect, it } from 'vitest';
import { CRITIQUE, RUN, fitsOption, flagOf, parseOption, settingKey } from './options.js';
import type { Option } from './options.js';

it.each<[keyof typeof RUN, string, unknown]>([
  ['maxRounds', '3', 3],
  ['maxRounds', '1.5', undefined],
  ['maxRounds', '101', undefined],
  ['maxMinutes', '0.5', 0.5],
  ['maxMinutes', '1e3', undefined],
  ['target', '80', 80],
  ['target', '120', undefined],
  ['target', '-1', undefined],
  ['target', ' L1 = 90 , L2=70.5', { L1: 90, L2: 70.5 }],
  ['target', 'L1=90,L1=80', undefined],
  ['target', '=90', undefined],
  ['target', 'L1=', undefined],
  ['project', ' ', undefined],
  ['goal', '', ''],
])('reads --%s %j as %j', (name, word, value) => {
  expect(parseOption(RUN[name], word)).toEqual(value);
});

it.each<[Option, readonly unknown[], readonly unknown[]]>([
  [RUN.strict, [true, false], [1, 'no', null]],
  [RUN.maxRounds, [1, 100], [0, 101, 1.5, NaN, Infinity, '3']],
  [RUN.target, [0, { L1: 90 }, {}], [120, NaN, { L1: 120 }, [80], null]],
  [RUN.agent, ['claude', ['claude', 'a=codex']], [1, [1]]],
  [RUN.project, ['.'], ['', 'a\0b']],
  [CRITIQUE.industry, ['strict'], ['Strict', undefined]],
])('takes %j', (row, fitting, others) => {
  expect(fitting.filter((value) => !fitsOption(row, value))).toEqual([]);
  expect(others.filter((value) => fitsOption(row, value))).toEqual([]);
});

it('has a flag and a key for each name', () => {
  expect([flagOf('maxCostUsd'), settingKey('maxCostUsd')]).toEqual(['--max-cost-usd', 'max_cost_usd']);
});
