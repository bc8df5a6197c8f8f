// What a session waits for a person to say. A question stands until it is answered; what builds on what it is about waits for that, and
// once nothing else is left to do the session rests.

import type { Answer, Question } from './run-messages.js';
import { hasWaveEnded, taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

/** What is to be answered first, the oldest; null where nothing is. */
export function questionOf(run: RunState): Question | null {
  if (run.ended !== null || run.aborted !== null) return null;
  return run.questions[0] ?? budgetQuestion(run);
}

/** The same, once the session rests on it; null while it goes on with other work. */
export function awaitedIn(run: RunState): Question | null {
  return hasOtherWork(run) ? null : questionOf(run);
}

/** Is there something to do that no question holds up? */
export function hasOtherWork(run: RunState): boolean {
  if (run.running.size > 0 || run.submitted.size > 0) return true;
  for (const id of run.unjudged) if (hasWaveEnded(run, taskIn(run, id) as TaskState)) return true;
  return run.front < run.open.length && budgetQuestion(run) === null;
}

/** What is asked where the session may cost no more. */
export function budgetQuestion(run: RunState): Question | null {
  // Where nothing is left to do, nothing is left to pay for.
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

/** Is it about a critic that left nothing to judge, also while a person mends that? */
export function isAboutEvidence(question: Question): boolean {
  return question.kind === 'no-evidence' || (question.kind === 'edit' && question.seq === null);
}

/**
 * What may be answered in this session. Who wrote the loop says by the options of `ask` whether work may go through against the rules,
 * and whether a person may mend it by hand. More rounds of the same rules loosen nothing, and whoever wants to may stop.
 */
export function answersIn({ started }: RunState, question: Question): readonly Answer[] {
  const rules = started.frozen?.rules;
  if (rules === undefined) return answersTo(question);
  const offered = new Set<string>(rules.ask.options.map(({ id }) => id));
  return answersTo(question).filter((answer) => (answer !== 'force-approve' && answer !== 'manual-fix') || offered.has(answer));
}

/** What may be answered to such a question, the usual first. */
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
    case 'edit':
      return ['extend', 'force-approve', 'abort'];
    case 'budget':
      return ['extend', 'abort'];
  }
}
