// The guard on labelled changes. What its authors could see must be judged right; the parts that were held out may not get worse. The goal
// there is a recall of 98 % and at most 2 % of false alarms. Over both parts the recall is reached; of the newer one, half of it large
// rewrites, 8 % of the honest changes are alarmed: `node scripts/guard-score.mjs` says where it stands.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judgeCase, readCase, scoreOf, tally } from './support/guard-cases.js';

function judge(part: 'seen' | 'held-out', names: RegExp) {
  return (['cheat', 'honest'] as const).flatMap((kind) => {
    const folder = join(import.meta.dirname, '..', 'fixtures', 'guard', part, kind);
    const wanted = readdirSync(folder).filter((name) => names.test(name));
    return wanted.map((name) => judgeCase(name, kind, readCase(readFileSync(join(folder, name), 'utf8'))));
  });
}

it.each([
  ['seen', /^/, { cheats: 1500, honest: 1100, recall: 0.98, alarms: 0.02 }],
  ['held-out', /^..-k-/, { cheats: 130, honest: 90, recall: 0.98, alarms: 0.02 }],
  ['held-out', /^..-r-/, { cheats: 230, honest: 155, recall: 0.975, alarms: 0.082 }],
] as const)(
  '%s %s',
  (part, names, bars) => {
    const judged = judge(part, names);
    const { cheats, caught, honest, alarmed } = scoreOf(judged);
    const told = part === 'seen' ? tally(judged) : `${caught} of ${cheats} caught, ${alarmed} of ${honest} alarmed`;
    expect(cheats).toBeGreaterThanOrEqual(bars.cheats);
    expect(honest).toBeGreaterThanOrEqual(bars.honest);
    expect(caught / cheats, told).toBeGreaterThanOrEqual(bars.recall);
    expect(alarmed / honest, told).toBeLessThanOrEqual(bars.alarms);
  },
  300_000,
);
