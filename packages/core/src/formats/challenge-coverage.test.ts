// Counts which ideas were challenged in which dimensions.

import { expect, it } from 'vitest';
import { coverChallenges, ideasInPage } from './challenge-coverage.js';
import type { ChallengedIdea } from './challenge-coverage.js';

const on = (idea: string, dimension: string, more: object = {}) => ({
  type: 'critique',
  data: { idea, dimension, severity: 'LOW', ...more },
});

function check(ideas: readonly string[], board: Parameters<typeof coverChallenges>[1], expected: readonly ChallengedIdea[]): void {
  expect(coverChallenges(ideas, board)).toEqual(expected);
}

const ALL = ['assumption', 'feasibility', 'risk', 'competition'] as const;

it('names the dimensions that no critique challenged', () => {
  const whole = ALL.map((dimension) => on('I-1', dimension));
  check(
    ['I-1', 'I-2'],
    [...whole, on('I-2', 'Risk'), on('I-2', 'Competitive alternatives')],
    [
      { idea: 'I-1', challenged: ALL, missing: [] },
      { idea: 'I-2', challenged: ['risk', 'competition'], missing: ['assumption', 'feasibility'] },
    ],
  );
});

it('counts ideas named only on the board, and lists inside an entry', () => {
  const list = { type: 'critique', data: { idea: 'I-9', challenges: [{ dimension: 'risk' }, { dimension: 'assumptions' }, 'x', null] } };
  check(
    [],
    [{ type: 'idea', data: { id: 'I-3' } }, list],
    [
      { idea: 'I-3', challenged: [], missing: ALL },
      { idea: 'I-9', challenged: ['assumption', 'risk'], missing: ['feasibility', 'competition'] },
    ],
  );
});

it('ignores a critique without an idea', () => {
  check([], [{ type: 'critique', data: { severity: 'HIGH' } }, on('', 'risk'), { type: 'fix_applied', data: { idea: 'x' } }], []);
  check(['I-1'], [on('I-1', 'taste'), on('I-1', '')], [{ idea: 'I-1', challenged: [], missing: ALL }]);
});

it('finds ideas by their headings', () => {
  expect(ideasInPage('# Ideas IDEA-001\n## I-1 Load late\ntext\n### Idea A12: x\n## Summary\n#### B-2\n##I-4 no\n')).toEqual([
    'I-1',
    'A12',
    'B-2',
  ]);
});
