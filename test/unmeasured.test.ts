// What a verdict says of coverage that nobody measured.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decide, newSession } from './support/command.js';

it('says that no coverage was measured, and what to do about it', () => {
  const folder = newSession();
  mkdirSync(join(folder, 'results'), { recursive: true });
  const seen = [2, 3].map((failed) => {
    const run = { layer: 'L1', pass_rate: 0.5, total: 4, passed: 2, failed, failures: [{ name: 'a', message: `${failed}` }] };
    writeFileSync(join(folder, 'results', 'run-L1.json'), JSON.stringify(run));
    return decide('testing', folder, '--max-rounds', '1', '--json').json;
  });
  const todo = expect.stringContaining('Get a coverage tool') as string;
  expect(seen).toMatchObject([
    { rule: 'T3', reason: expect.stringContaining('No coverage was measured') as string, nextStep: todo },
    { rule: 'T4', reason: expect.stringContaining('no coverage was measured') as string, nextStep: todo },
  ]);
});
