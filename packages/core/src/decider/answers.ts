// Checks a person's answer against the open question and turns it into events.

import { UmpireError } from '../model/errors.js';
import { repeatEdit } from './edits.js';
import type { SessionState } from './evolve.js';
import { HIGHEST_CAP } from '../model/options.js';
import type { Event, PlanEdit } from './events.js';
import type { Answer, AnswerVia, Question } from '../model/questions.js';
import { answersIn, answersTo, isAboutEvidence, currentQuestion } from './question.js';
import type { RunState } from './run-state.js';

export interface AnswerGiven {
  readonly answer: Answer;
  readonly reason: string;
  readonly rounds: number;
  readonly costUsd: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly by: string;
  readonly who?: string;
  readonly via?: AnswerVia;
  /** For `change-goal`. */
  readonly goal?: string;
}

/** Answers that make no sense without a reason. */
const NEEDED_REASONS: ReadonlyMap<Answer, string> = new Map([
  ['force-approve', '--reason "why"; every report shows it'],
  ['answer', '--reason "your answer to the agent"'],
  ['insist', '--reason "why it should be done all the same"; the agent reads it'],
]);

/** Throws `nothing-asked`, or `answer-refused` with the allowed answers. */
export function answerEvents(state: SessionState, session: string, said: AnswerGiven): readonly Event[] {
  const { run } = state;
  const question = run === null ? null : currentQuestion(run);
  // Every other question is ended by `abort`, so people say it here too.
  const given: AnswerGiven = question?.kind === 'blocked' && said.answer === 'abort' ? { ...said, answer: 'stop' } : said;
  if (run?.heldEdit != null && run.aborted === null && given.answer === 'take-edits')
    return takeHeldEdit(state, run, run.heldEdit, session, given);
  if (run === null || question === null) {
    if (run !== null && run.ended === null && given.answer === 'abort') {
      refuseUnexplained(session, given, ['abort']);
      return [answered('abort', given)];
    }
    throw new UmpireError('nothing-asked', {
      session,
      detail:
        given.answer === 'take-edits'
          ? 'no edit of tasks.csv is held'
          : run?.ended == null
            ? 'it has no open question'
            : `it has ended as ${run.ended.outcome}`,
    });
  }
  const allowed = answersIn(run, question);
  if (given.answer === 'agree' && question.kind === 'blocked' && !allowed.includes('agree'))
    throw refuse(session, `${question.task} is the critic; without it nobody judges the work`, allowed);
  if (answersTo(question).includes(given.answer) && !allowed.includes(given.answer))
    throw refuse(session, `the loop ${run.started.loop} does not offer "${given.answer}" (see \`ask\` in its file)`, allowed);
  if (!allowed.includes(given.answer))
    throw refuse(session, `the session waits for ${describeQuestion(question)}, so "${given.answer}" does not apply`, allowed);
  if (given.reason.trim() === '' && NEEDED_REASONS.has(given.answer))
    throw refuse(session, `${given.answer} needs ${NEEDED_REASONS.get(given.answer)}`, allowed);
  if (given.answer === 'change-goal' && (given.goal ?? '').trim() === '')
    throw refuse(session, 'change-goal needs --goal "the new goal"', allowed);
  if (given.answer !== 'change-goal' && given.goal !== undefined) throw refuse(session, '--goal belongs to change-goal', allowed);
  refuseUnexplained(session, given, allowed);
  if (given.answer === 'extend') {
    const odd = GRANTS.find((field) => !isGrant(given[field], field));
    if (odd !== undefined) throw refuse(session, `${String(given[odd])} is not a valid number of ${UNITS[odd]}`, allowed);
    const cap = state.frozen.get(run.started.loop)?.cap ?? 0;
    const needs = neededFor(question);
    if (needs !== null && given[needs.field] <= 0) throw refuse(session, `extend needs ${needs.flag} here`, allowed);
    if (given.rounds > 0 && cap >= HIGHEST_CAP)
      throw refuse(session, `the cap is ${cap}, and the maximum is ${HIGHEST_CAP} rounds`, allowed);
  }
  return [
    answered(
      question.key,
      given.answer === 'extend' ? { ...given, rounds: Math.min(given.rounds, HIGHEST_CAP) } : { ...given, ...NOTHING_GRANTED },
    ),
  ];
}

/** Without a terminal, a script may have answered. A flag such as --max-rounds is explicit enough. */
function refuseUnexplained(session: string, { reason, via, by }: AnswerGiven, allowed: readonly Answer[]): void {
  if (reason.trim() === '' && via === 'no terminal' && by === 'resolve')
    throw refuse(session, 'without a terminal an answer needs --reason "why"', allowed);
}

/** At any time, whatever the session waits for. Tasks that it adds continue an ended session. */
function takeHeldEdit({ frozen }: SessionState, run: RunState, held: PlanEdit, session: string, given: AnswerGiven): readonly Event[] {
  refuseUnexplained(session, given, ['take-edits']);
  const edit = repeatEdit(run, held, frozen.get(run.started.loop)?.rules.columns.out ?? []);
  if (edit.kind === 'refused') {
    const question = currentQuestion(run);
    const detail = `the held edit contradicts the session now (${edit.reason}); make the rest of it again in tasks.csv while no task runs`;
    throw question === null ? new UmpireError('nothing-asked', { session, detail }) : refuse(session, detail, answersIn(run, question));
  }
  const taken = answered('edits', { ...given, ...NOTHING_GRANTED });
  if (edit.kind === 'none') return [taken];
  const { set, add, columns, told } = edit;
  return [taken, { type: 'TasksEdited', data: { set, add, columns, told } }];
}

const GRANTS = ['rounds', 'costUsd', 'minutes', 'tokens'] as const;
const UNITS = { rounds: 'rounds', costUsd: 'dollars', minutes: 'minutes', tokens: 'tokens' };

/** Infinity and NaN would lift a limit, and become null in the journal. */
function isGrant(value: number, field: (typeof GRANTS)[number]): boolean {
  return Number.isFinite(value) && value >= 0 && (Number.isInteger(value) || field === 'costUsd' || field === 'minutes');
}

export const NOTHING_GRANTED = { rounds: 0, costUsd: 0, minutes: 0, tokens: 0 };

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

/** As in "Waiting for …". */
export function describeQuestion(question: Question): string {
  switch (question.kind) {
    case 'plan':
      return `approval of the plan of ${question.task}`;
    case 'escalation':
      return `your decision (rule ${question.rule})`;
    case 'no-evidence':
      return `your decision: ${question.task} left nothing to judge (rule ${question.rule})`;
    case 'question':
      return `an answer to ${question.task}`;
    case 'blocked':
      return `your decision: ${question.task} is blocked`;
    case 'limit':
      return `the plan of ${question.agent}, which is used up${question.resetsAt === null ? '' : ` until ${question.resetsAt.slice(0, 16).replace('T', ' ')} UTC`}`;
    case 'edit':
      return 'your edit';
    case 'budget':
      return describeBudget(question);
  }
}

function describeBudget({ what, limit, spent }: Extract<Question, { kind: 'budget' }>): string {
  if (what === 'cost') return `a larger budget: $${spent.toFixed(2)} of $${limit.toFixed(2)} used`;
  return `more ${what}: ${what === 'minutes' ? spent.toFixed(1) : spent} of ${limit} used`;
}
