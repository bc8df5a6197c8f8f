// What a session waits for a person to say. A question stands until it is answered; nothing new is started meanwhile.

import type { Answer, Question } from './run-messages.js';
import type { RunState } from './run-state.js';

/** The question that the session waits on, the oldest first; null where it waits on none. */
export function questionOf(run: RunState): Question | null {
  if (run.ended !== null || run.aborted !== null) return null;
  return run.questions[0] ?? budgetQuestion(run);
}

function budgetQuestion(run: RunState): Question | null {
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

/** What may be answered, the usual first. */
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
