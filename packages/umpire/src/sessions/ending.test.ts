// What of an agent's ending is recorded, whatever it hands in.

import { expect, it } from 'vitest';
import type { Ending } from '@umpire/core/ports.js';
import { plainEnding } from './ending.js';

const DONE: Ending = {
  kind: 'completed',
  findings: 'Did it.',
  error: '',
  outputs: { review_score: '9' },
  usage: { tokens: 5, costUsd: 0.5 },
};

function check(ending: Ending, expected: Ending): void {
  expect(plainEnding(ending, ['review_score', 'gc_signal'])).toStrictEqual(expected);
}

it('leaves a proper ending as it is', () => {
  check(DONE, DONE);
  check({ kind: 'interrupted' }, { kind: 'interrupted' });
});

it("takes the loop's own columns, and no cell that says what the task is", () => {
  const outputs = { review_score: '9', id: 'OTHER', description: '', sprint_num: '2', ['__proto__']: 'x' };
  check({ ...DONE, outputs }, DONE);
});

it('takes numbers that are numbers', () => {
  const free = { tokens: 0, costUsd: 0 };
  check({ ...DONE, usage: { tokens: Number.NaN, costUsd: -3 } }, { ...DONE, usage: free });
  check(
    { kind: 'broken', reason: 'It broke.', usage: { tokens: -0, costUsd: Infinity } },
    { kind: 'broken', reason: 'It broke.', usage: free },
  );
  check({ kind: 'interrupted', usage: { tokens: 7, costUsd: Number.NaN } }, { kind: 'interrupted', usage: { tokens: 7, costUsd: 0 } });
});

it('cuts text that is too long, and leaves no half character', () => {
  const long = plainEnding({ ...DONE, findings: `${'x'.repeat(499)}\u{1f600}` }, []);
  expect(long).toMatchObject({ findings: `${'x'.repeat(499)}\ufffd` });
  check(
    { kind: 'asked', question: 'Which\ud800?', usage: { tokens: 1, costUsd: 0 } },
    { kind: 'asked', question: 'Which\ufffd?', usage: { tokens: 1, costUsd: 0 } },
  );
});
