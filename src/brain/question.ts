// What a session waits for a person to say. A question stands until it is answered; nothing new is started meanwhile.

import type { Answer } from './run-messages.js';
import type { RunState } from './run-state.js';

export type Question =
  /** A plan waits for approval. */
  | { readonly kind: 'plan'; readonly key: string; readonly task: string }
  /** A verdict called for a person. */
  | {
      readonly kind: 'escalation';
      readonly key: string;
      readonly seq: number;
      readonly task: string | null;
      readonly rule: string;
      readonly reason: string;
    }
  /** The critic left nothing to judge, twice. */
  | {
      readonly kind: 'no-evidence';
      readonly key: string;
      readonly task: string;
      readonly rule: string;
      readonly message: string;
      readonly hint: string;
    }
  /** An interactive task asks. */
  | { readonly kind: 'question'; readonly key: string; readonly task: string; readonly question: string }
  /** A person mends by hand; the critic runs again afterwards. */
  | { readonly kind: 'edit'; readonly key: string; readonly task: string | null }
  | {
      readonly kind: 'budget';
      readonly key: string;
      readonly what: 'minutes' | 'cost' | 'tokens';
      readonly limit: number;
      readonly spent: number;
    };

/** The question that the session waits on, the oldest first; null where it waits on none. */
export function questionOf(run: RunState): Question | null {
  if (run.ended !== null || run.aborted !== null) return null;
  return run.questions[0] ?? budgetQuestion(run);
}

function budgetQuestion(run: RunState): Question | null {
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
      return ['force-approve', 'abort'];
    case 'budget':
      return ['extend', 'abort'];
  }
}
