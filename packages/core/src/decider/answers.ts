// A person's answer to what a session waits on: checked against what may be answered, and turned into events.

import { UmpireError } from '../errors.js';
import type { SessionState } from './evolve.js';
import type { Event } from './messages.js';
import { answersIn, answersTo, isAboutEvidence, questionOf } from './question.js';
import type { Question } from './run-messages.js';
import { HIGHEST_CAP } from './messages.js';
import type { Answer } from './run-messages.js';

export interface AnswerGiven {
  readonly answer: Answer;
  readonly reason: string;
  readonly rounds: number;
  readonly costUsd: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly by: string;
  readonly who?: string;
}

/** What nobody could understand later without a word from the person. */
const NEEDED: ReadonlyMap<Answer, string> = new Map([
  ['force-approve', 'a reason, which every report will show'],
  ['answer', 'your words to the agent: --reason "your answer"'],
]);

/** Throws `nothing-asked` or `answer-refused`, with what may be answered. */
export function answerEvents(state: SessionState, session: string, given: AnswerGiven): readonly Event[] {
  const { run } = state;
  const question = run === null ? null : questionOf(run);
  if (run === null || question === null) {
    if (run !== null && run.ended === null && given.answer === 'abort') return [answered('abort', given)];
    throw new UmpireError('nothing-asked', {
      session,
      detail: run?.ended == null ? 'it is not waiting' : `it has ended as ${run.ended.outcome}`,
    });
  }
  const allowed = answersIn(run, question);
  if (answersTo(question).includes(given.answer) && !allowed.includes(given.answer))
    throw refuse(session, `the loop ${run.started.loop} does not offer "${given.answer}" (\`ask\` in its file)`, allowed);
  if (!allowed.includes(given.answer))
    throw refuse(session, `it waits on ${describe(question)}, and "${given.answer}" is no answer to that`, allowed);
  if (given.reason.trim() === '' && NEEDED.has(given.answer))
    throw refuse(session, `${given.answer} needs ${NEEDED.get(given.answer)}`, allowed);
  if (given.answer === 'extend') {
    const odd = GRANTS.find((field) => !isGrant(given[field], field));
    if (odd !== undefined) throw refuse(session, `${String(given[odd])} is no number of ${WORDS[odd]} to grant`, allowed);
    const cap = state.frozen.get(run.started.loop)?.cap ?? 0;
    const needs = neededFor(question);
    if (needs !== null && given[needs.field] <= 0) throw refuse(session, `extend needs ${needs.flag} here`, allowed);
    if (given.rounds > 0 && cap >= HIGHEST_CAP)
      throw refuse(session, `the cap is ${cap}, and no loop has more than ${HIGHEST_CAP} rounds`, allowed);
  }
  return [
    answered(
      question.key,
      given.answer === 'extend' ? { ...given, rounds: Math.min(given.rounds, HIGHEST_CAP) } : { ...given, ...NOTHING_GRANTED },
    ),
  ];
}

const GRANTS = ['rounds', 'costUsd', 'minutes', 'tokens'] as const;
const WORDS = { rounds: 'rounds', costUsd: 'dollars', minutes: 'minutes', tokens: 'tokens' };

/** What is no number would lift a limit, and another one once it has been through the journal. */
function isGrant(value: number, field: (typeof GRANTS)[number]): boolean {
  return Number.isFinite(value) && value >= 0 && (Number.isInteger(value) || field === 'costUsd' || field === 'minutes');
}

const NOTHING_GRANTED = { rounds: 0, costUsd: 0, minutes: 0, tokens: 0 };

function answered(key: string, given: AnswerGiven): Event {
  return { type: 'PersonAnswered', data: { key, ...given } };
}

function refuse(session: string, detail: string, allowed: readonly Answer[]): UmpireError {
  return new UmpireError('answer-refused', { session, detail, allowed: allowed.join(', ') });
}

function neededFor(question: Question): { readonly field: 'rounds' | 'costUsd' | 'minutes' | 'tokens'; readonly flag: string } | null {
  if (isAboutEvidence(question)) return null;
  if (question.kind === 'escalation' || question.kind === 'edit') return { field: 'rounds', flag: '--rounds N' };
  if (question.kind !== 'budget') return null;
  switch (question.what) {
    case 'minutes':
      return { field: 'minutes', flag: '--minutes M' };
    case 'cost':
      return { field: 'costUsd', flag: '--cost-usd X' };
    case 'tokens':
      return { field: 'tokens', flag: '--tokens N' };
  }
}

/** What is waited on, in a few words. */
export function describe(question: Question): string {
  switch (question.kind) {
    case 'plan':
      return `approval of the plan of ${question.task}`;
    case 'escalation':
      return `a decision on an escalation (rule ${question.rule})`;
    case 'no-evidence':
      return `a decision: ${question.task} left nothing to judge (rule ${question.rule})`;
    case 'question':
      return `an answer to ${question.task}`;
    case 'edit':
      return 'your edit';
    case 'budget':
      return `more ${question.what === 'cost' ? 'money' : question.what}: ${describeBudget(question)}`;
  }
}

function describeBudget({ what, limit, spent }: Extract<Question, { kind: 'budget' }>): string {
  if (what === 'cost') return `$${spent.toFixed(2)} of $${limit.toFixed(2)} are spent`;
  return `${what === 'minutes' ? spent.toFixed(1) : spent} of ${limit} ${what} are spent`;
}
