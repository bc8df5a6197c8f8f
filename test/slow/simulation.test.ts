import { describe, expect, it } from 'vitest';
import { simplify, tryOut } from '../support/sim-trial.js';
import type { Tally } from '../support/sim-trial.js';

const SIMULATIONS = Number(process.env['UMPIRE_SIMULATIONS'] ?? 10_000);
const SEED = Number(process.env['UMPIRE_SEED'] ?? 20_250_307);

describe('a simulated session', () => {
  it('holds', async () => {
    const tally: Tally = new Map();
    const failures = new Map<string, string[]>();
    const began = performance.now();
    for (let n = 0; n < SIMULATIONS; n++) {
      const failure = await tryOut(SEED + n, { tally });
      if (failure === null) continue;
      const list = failures.get(failure.kind) ?? [];
      if (list.length < 3) {
        const least = list.length < 1 ? await simplify(SEED + n, failure) : failure;
        list.push(`seed ${SEED + n}: ${list.length < 1 ? least.text : least.text.split('\n')[0]}`);
      } else list.push('');
      failures.set(failure.kind, list);
    }
    console.log(`${SIMULATIONS} in ${Math.round(performance.now() - began)} ms`);
    console.log(
      [...tally]
        .sort()
        .map(([a, b]) => `${a}: ${b}`)
        .join('\n'),
    );
    for (const [kind, list] of failures) console.log(`=== ${kind}: ${list.length}\n${list.filter(Boolean).join('\n')}`);
    expect([...failures.keys()]).toEqual([]);
  }, 600_000);
});
