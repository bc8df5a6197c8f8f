import { expect, it } from 'vitest';
import { fold } from '@umpire/core/decider/evolve.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import type { Event } from '@umpire/core/decider/events.js';
import type { Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { ESCALATED, recorded } from '../../../../test/support/session-events.js';
import { columnsOf } from './safe-text.js';
import { answerOptions, questionPage } from './session-question.js';

function runOf(story: readonly Event[]): RunState {
  return fold(recorded(story)).run as RunState;
}

const RUN = runOf(ESCALATED);
const QUESTION = currentQuestion(RUN) as Question;
const SCREEN = { columns: 80, rows: 24, color: false };

it('says what each answer of the loop does', () => {
  expect(questionPage(RUN, QUESTION, 'review-payments', null, SCREEN)).toMatchSnapshot();
});

it('shows a plan as far as the screen has room, then its path', () => {
  const text = Array.from({ length: 60 }, (_, at) => `Step ${at + 1} of a plan${' and more'.repeat(20)}`).join('\n');
  const question = { kind: 'plan', key: 'plan:PLAN-1:1', task: 'DEV-001' } as const;
  const lines = questionPage(RUN, question, 'review-payments', { path: 'artifacts/plan/PLAN-1.md', text }, SCREEN);
  expect(lines.length).toBeLessThan(SCREEN.rows);
  expect(lines.filter((line) => columnsOf(line) > 80)).toEqual([]);
  expect(lines.some((line) => line.startsWith('  Step 1 of a plan'))).toBe(true);
  expect(lines.find((line) => line.includes('more lines'))).toMatch(/^ {2}\d+ more lines: artifacts\/plan\/PLAN-1\.md$/);
  const short = questionPage(RUN, question, 'review-payments', { path: 'artifacts/PLAN-1.md', text: 'One step.\n' }, SCREEN);
  expect(short.slice(-7)).toEqual([
    '  One step.',
    '  (artifacts/PLAN-1.md)',
    '',
    '  1  approve  The tasks of the plan start.',
    '  2  revise   The plan is made again, and its author reads your words. Then you',
    '              are asked again.',
    '  3  abort    The session ends as aborted. Its work and reports are kept.',
  ]);
});

it('offers to continue after an edit, and to try again after a used-up plan', () => {
  const edit = { kind: 'edit', key: 'edit:verdict:9', task: null, seq: 9 } as const;
  const limit = { kind: 'limit', key: 'limit:DEV-001:1', task: 'DEV-001', agent: 'claude', resetsAt: null } as const;
  expect([edit, limit].map((question) => answerOptions(RUN, question)[0])).toMatchObject([
    { answer: 'resume', label: 'Judge my changes' },
    { answer: 'resume', label: 'Try again' },
  ]);
});
