// Checks a person's answer against the open question and turns it into events.

import { UmpireError } from '../model/errors.js';
import { repeatEdit } from './edits.js';
import type { SessionState } from './evolve.js';
import { GRANTS, HIGHEST_CAP, fitsOption, flagOf } from '../model/options.js';
import type { Option } from '../model/options.js';
import type { Event, PlanEdit } from './events.js';
import { AMOUNTS, ANSWERS } from '../model/questions.js';
import type { Amount, Answer, AnswerVia, Question } from '../model/questions.js';
import { answersIn, answersTo, currentQuestion, neededAmount } from './question.js';
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
  const { needsReason = false, needsGoal = false, says } = ANSWERS[given.answer];
  if (needsReason && given.reason.trim() === '') throw refuse(session, `${given.answer} needs --reason "${says}"`, allowed);
  if (needsGoal && (given.goal ?? '').trim() === '') throw refuse(session, `${given.answer} needs --goal "the new goal"`, allowed);
  if (!needsGoal && given.goal !== undefined) throw refuse(session, `--goal does not belong to ${given.answer}`, allowed);
  refuseUnexplained(session, given, allowed);
  if (given.answer === 'extend') {
    for (const [name, row] of Object.entries(GRANTS) as [Amount, Option][])
      if (!fitsOption(row, given[name])) throw refuse(session, `${given[name]} is not a valid number of ${AMOUNTS[name].unit}`, allowed);
    const cap = state.frozen.get(run.started.loop)?.cap ?? 0;
    const needed = neededAmount(question);
    if (needed !== null && given[needed] <= 0)
      throw refuse(session, `extend needs ${flagOf(needed)} ${GRANTS[needed].value} here`, allowed);
    if (given.rounds > 0 && cap >= HIGHEST_CAP)
      throw refuse(session, `the cap is ${cap}, and the maximum is ${HIGHEST_CAP} rounds`, allowed);
  }
  return [answered(question.key, given.answer === 'extend' ? given : { ...given, ...NOTHING_GRANTED })];
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

export const NOTHING_GRANTED = { rounds: 0, costUsd: 0, minutes: 0, tokens: 0 };

function answered(key: string, given: AnswerGiven): Event {
  return { type: 'PersonAnswered', data: { key, ...given } };
}

function refuse(session: string, detail: string, allowed: readonly Answer[]): UmpireError {
  return new UmpireError('answer-refused', { session, detail, allowed: allowed.join(', ') });
}

/** As in "Waiting for …". */
export function describeQuestion(question: Question): string {
  switch (question.kind) {
    case 'plan':
      return `approval of the plan of ${question.task}`;
    case 'escalation':
      return `your decision (rule ${question.rule})`;
    case 'judge-changed':
      return `your decision: may the tests change? (rule ${question.rule})`;
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
