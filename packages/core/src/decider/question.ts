// The question that a session asks a person, and its allowed answers. Tasks that build on the subject of the question wait. Once nothing
// else is left to do, the session stops until it is answered.

import { ANSWERS, QUESTIONS } from '../model/questions.js';
import type { Amount, Answer, Question } from '../model/questions.js';
import { hasWaveEnded, findTask } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

/** The oldest open question; null if there is none. */
export function currentQuestion(run: RunState): Question | null {
  if (run.ended !== null || run.aborted !== null) return null;
  return run.questions[0] ?? budgetQuestion(run);
}

/** The same, but null while the session continues with other work. */
export function awaitedQuestion(run: RunState): Question | null {
  return hasOtherWork(run) ? null : currentQuestion(run);
}

/** Whether there is work that no question blocks. */
export function hasOtherWork(run: RunState): boolean {
  if (run.running.size > 0 || run.submitted.size > 0) return true;
  for (const id of run.unjudged) if (hasWaveEnded(run, findTask(run, id) as TaskState)) return true;
  return run.front < run.open.length && budgetQuestion(run) === null;
}

/** The question for an exceeded limit; null if no limit is exceeded. */
export function budgetQuestion(run: RunState): Question | null {
  // Nothing is left to pay for.
  if (run.wave >= run.open.length) return null;
  const { maxMinutes, maxCostUsd, maxTokens } = run.settings;
  const spent: readonly (readonly ['minutes' | 'cost' | 'tokens', number | null, number])[] = [
    ['minutes', maxMinutes, run.activeMs / 60_000],
    ['cost', maxCostUsd, run.costUsd],
    ['tokens', maxTokens, run.tokens],
  ];
  for (const [what, limit, used] of spent)
    if (limit !== null && used >= limit) return { kind: 'budget', key: `budget:${what}:${limit}`, what, limit, spent: used };
  return null;
}

/** Whether the question is about missing evidence, or about the manual fix for it. */
export function isAboutEvidence(question: Question): boolean {
  return question.kind === 'no-evidence' || (question.kind === 'edit' && question.seq === null);
}

/** What `extend` must add here; null if nothing. */
export function neededAmount(question: Question): Amount | null {
  if (question.kind === 'budget') return question.what === 'cost' ? 'costUsd' : question.what;
  return question.kind === 'escalation' || (question.kind === 'edit' && question.seq !== null) ? 'rounds' : null;
}

/** The allowed answers in this session, the most common first. */
export function answersIn(run: RunState, question: Question): readonly Answer[] {
  const { frozen, judged, critic } = run.started;
  const offered = frozen?.rules.ask.options.map(({ id }): Answer => id);
  // Without its critic nobody would judge the work.
  const mustStay = question.kind === 'blocked' && judged && findTask(run, question.task)?.role === critic;
  return answersTo(question).filter((answer) => {
    const { isOffered = false, isByHand = false, isOnTests = false } = ANSWERS[answer];
    if (isOnTests && (run.started.command === undefined || run.started.allowsTestEdits === true)) return false;
    if (answer === 'agree' && mustStay) return false;
    return !(isOffered && offered?.includes(answer) === false) && !(isByHand && run.isOnEngine);
  });
}

/**
 * What a verdict that calls a person asks. A2: where a command decides and its tests passed only on changed terms, whether they may change.
 * `rule`: of the deciding row.
 */
export function escalationKind(run: RunState | null, rule: string): 'escalation' | 'judge-changed' {
  if (run === null || run.started.command === undefined || run.started.allowsTestEdits === true) return 'escalation';
  return asksAboutTests(run, rule) || run.keptChange !== null ? 'judge-changed' : 'escalation';
}

/** The work as it is passes on changed terms. */
export function asksAboutTests(run: RunState, rule: string): boolean {
  const { table = [] } = run.started.frozen?.rules ?? {};
  return table.some(({ id, then, asks }) => id === rule && then === 'escalate' && asks === 'judge-changed');
}

/** The answers to such a question in any session. */
export function answersTo(question: Question): readonly Answer[] {
  return QUESTIONS[question.kind].answers;
}
