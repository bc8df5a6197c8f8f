// The answers that a page offers for an open question: what each will do, and what it needs from the person.

import { isAboutEvidence } from '@umpire/core/decider/question.js';
import type { Answer, Question } from '@umpire/core/model/questions.js';
import { currentWave } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { possibleAnswers } from './session-question.js';
import { count } from './words.js';

export type GrantField = 'rounds' | 'minutes' | 'costUsd' | 'tokens';

export interface AnswerOption {
  readonly answer: Answer | 'resume';
  /** On the button. */
  readonly label: string;
  /** What happens then, in a sentence. */
  readonly does: string;
  readonly reason: 'needed' | 'optional' | 'none';
  /** Asks for the reason. */
  readonly reasonLabel: string;
  /** The number that it needs, with a usual value. */
  readonly grant: { readonly field: GrantField; readonly label: string; readonly usual: number } | null;
  readonly needsGoal: boolean;
  /** It ends the session, or approves without clean evidence: never the first choice. */
  readonly isGrave: boolean;
}

const PLAIN = { reason: 'optional', reasonLabel: 'Reason', grant: null, needsGoal: false, isGrave: false } as const;

/** In the order of the commands. */
export function answerOptions(run: RunState, question: Question): readonly AnswerOption[] {
  const asked = possibleAnswers(run, question).map((answer) => optionFor(run, question, answer));
  return question.kind === 'edit' || question.kind === 'limit' ? [resumeOption(question), ...asked] : asked;
}

/** For a held edit of tasks.csv, whatever the session asks. */
export const TAKE_EDITS: AnswerOption = {
  ...PLAIN,
  answer: 'take-edits',
  label: 'Take the edit',
  does: 'The held edit is yours: its changes of tasks.csv become part of the plan.',
};

function resumeOption(question: Question): AnswerOption {
  const does =
    question.kind === 'edit'
      ? 'Your changes in the work folder are committed to the session, and the critic judges them.'
      : 'The task runs again with the same agent. If its plan is still used up, the session stops here again.';
  return { ...PLAIN, answer: 'resume', label: question.kind === 'edit' ? 'Judge my changes' : 'Try again', does, reason: 'none' };
}

function optionFor(run: RunState, question: Question, answer: Answer): AnswerOption {
  switch (answer) {
    case 'approve':
      return { ...PLAIN, answer, label: 'Approve the plan', does: `${nextTasks(run)} with this plan.` };
    case 'revise': {
      const does = 'The plan is made again, and its author reads your words. Then you are asked again.';
      return { ...PLAIN, answer, label: 'Ask for another plan', does, reasonLabel: 'what to change' };
    }
    case 'answer': {
      const does = 'The agent reads your answer and goes on with its task.';
      return { ...PLAIN, answer, label: 'Send the answer', does, reason: 'needed', reasonLabel: 'Your answer' };
    }
    case 'agree':
      return { ...PLAIN, answer, label: 'Agree', does: 'The task is skipped. The critic judges the rest.' };
    case 'insist': {
      const does = 'The task runs again, and the agent reads why it should be done all the same.';
      return { ...PLAIN, answer, label: 'Insist', does, reason: 'needed', reasonLabel: 'why it should be done' };
    }
    case 'change-goal': {
      const does = 'The new goal replaces the old one and is recorded. The task runs again with it.';
      return { ...PLAIN, answer, label: 'Change the goal', does, needsGoal: true };
    }
    case 'extend': {
      const base = { ...PLAIN, answer: 'extend', label: 'Continue' } as const;
      if (isAboutEvidence(question)) return { ...base, label: 'Run the critic again', does: 'The critic runs again, twice at most.' };
      if (question.kind !== 'budget') {
        const does = 'Adds rounds above the cap. The session goes on with the next one.';
        return { ...base, does, grant: { field: 'rounds', label: 'More rounds', usual: 1 } };
      }
      switch (question.what) {
        case 'minutes':
          return {
            ...base,
            does: 'Raises the limit by these minutes and goes on.',
            grant: { field: 'minutes', label: 'More minutes', usual: 30 },
          };
        case 'cost':
          return {
            ...base,
            does: 'Raises the budget by this sum and goes on.',
            grant: { field: 'costUsd', label: 'More dollars', usual: 5 },
          };
        case 'tokens':
          return {
            ...base,
            does: 'Raises the limit by these tokens and goes on.',
            grant: { field: 'tokens', label: 'More tokens', usual: 100_000 },
          };
      }
    }
    case 'manual-fix': {
      const does = 'The session waits while you change the files of its work folder. The critic then judges your changes.';
      return { ...PLAIN, answer, label: 'Fix it myself', does };
    }
    case 'force-approve': {
      const does =
        'The work counts as approved without clean evidence. The verdict is marked unverified, and every report shows your reason.';
      return { ...PLAIN, answer, label: 'Approve anyway', does, reason: 'needed', isGrave: true };
    }
    case 'abort':
    case 'stop': {
      const does = 'The session ends as aborted. Its work and reports are kept.';
      return { ...PLAIN, answer, label: answer === 'stop' ? 'Stop the session' : 'Abort the session', does, isGrave: true };
    }
    case 'take-edits':
      return TAKE_EDITS;
  }
}

function nextTasks(run: RunState): string {
  const wave = currentWave(run);
  const next = run.tasks.filter((task) => task.wave === wave && task.status === 'pending').length;
  return next === 0 ? 'The session goes on' : `${count(next, 'task')} of wave ${wave} ${next === 1 ? 'starts' : 'start'}`;
}
