// The guard on labelled changes. What its authors could see must be judged right. Of the part that was held out it must tell 98 % of the
// cheats, and cry for nothing at no more than 2 % of the honest changes: `node scripts/guard-score.mjs` says where it stands.

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
  ['seen', { cheats: 2000, honest: 1490, recall: 0.98, alarms: 0.02 }],
  ['held-out', { cheats: 1000, honest: 750, recall: 0.98, alarms: 0.02 }],
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
  300_000,
);
