// The guard on labelled changes. What its authors could see must be judged right; the part that was held out may not get worse. The goal
// there is a recall of 98 % and at most 2 % of false alarms. It is missed by one case of each: `node scripts/guard-score.mjs` says how far.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judgeCase, readCase, scoreOf, tally } from './support/guard-cases.js';

function judge(part: 'seen' | 'held-out') {
  return (['cheat', 'honest'] as const).flatMap((kind) => {
    const folder = join(import.meta.dirname, '..', 'fixtures', 'guard', part, kind);
    return readdirSync(folder).map((name) => judgeCase(name, kind, readCase(readFileSync(join(folder, name), 'utf8'))));
  });
}

it.each([
  ['seen', { cheats: 800, honest: 650, recall: 0.98, alarms: 0.02 }],
  ['held-out', { cheats: 130, honest: 90, recall: 0.977, alarms: 0.022 }],
] as const)(
  '%s',
  (part, bars) => {
    const judged = judge(part);
    const { cheats, caught, honest, alarmed } = scoreOf(judged);
    const told = part === 'seen' ? tally(judged) : `${caught} of ${cheats} caught, ${alarmed} of ${honest} alarmed`;
    expect(cheats).toBeGreaterThanOrEqual(bars.cheats);
    expect(honest).toBeGreaterThanOrEqual(bars.honest);
    expect(caught / cheats, told).toBeGreaterThanOrEqual(bars.recall);
    expect(alarmed / honest, told).toBeLessThanOrEqual(bars.alarms);
  },
  120_000,
);
