// The question that a session asks a person, and its allowed answers. Tasks that build on the subject of the question wait. Once nothing
// else is left to do, the session stops until it is answered.

import type { Answer, Question } from '../model/questions.js';
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

/**
 * The allowed answers in this session. The loop's `ask` decides whether force-approve and manual-fix are offered. The other answers do not
 * weaken the rules, so they are always allowed.
 */
export function answersIn(run: RunState, question: Question): readonly Answer[] {
  const rules = run.started.frozen?.rules;
  // Without its critic nobody would judge the work.
  if (question.kind === 'blocked' && run.started.judged && findTask(run, question.task)?.role === run.started.critic)
    return answersTo(question).filter((answer) => answer !== 'agree');
  if (rules === undefined) return answersTo(question);
  const offered = new Set<string>(rules.ask.options.map(({ id }) => id));
  return answersTo(question).filter((answer) => (answer !== 'force-approve' && answer !== 'manual-fix') || offered.has(answer));
}

/** The answers to such a question, the most common first. */
export function answersTo(question: Question): readonly Answer[] {
  switch (question.kind) {
    case 'plan':
      return ['approve', 'revise', 'abort'];
    case 'escalation':
      return ['force-approve', 'manual-fix', 'extend', 'abort'];
    case 'no-evidence':
      return ['manual-fix', 'extend', 'force-approve', 'abort'];
    case 'question':
      return ['answer', 'abort'];
    case 'limit':
      return ['abort'];
    case 'blocked':
      return ['agree', 'insist', 'change-goal', 'stop'];
    case 'edit':
      return ['extend', 'force-approve', 'abort'];
    case 'budget':
      return ['extend', 'abort'];
  }
}
