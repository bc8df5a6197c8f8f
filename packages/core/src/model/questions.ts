// The questions that a session asks a person, and the answers to them.

/**
 * `answer` replies to an agent's question. `take-edits` needs no question: it takes up a held edit of tasks.csv. The last four answer an
 * agent that is blocked.
 */
export const ANSWERS = [
  'force-approve',
  'manual-fix',
  'extend',
  'abort',
  'approve',
  'revise',
  'answer',
  'take-edits',
  'agree',
  'insist',
  'change-goal',
  'stop',
] as const;
export type Answer = (typeof ANSWERS)[number];

/** A question to a person, on which the session waits. */
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
  /** The critic left nothing that could be judged, twice. */
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
  /** An agent says that it cannot or should not do its task (V17). */
  | { readonly kind: 'blocked'; readonly key: string; readonly task: string; readonly reason: string }
  /** The plan of the task's agent is used up. `resetsAt`: when it is renewed, if known. Resuming the session tries again. */
  | {
      readonly kind: 'limit';
      readonly key: string;
      readonly task: string;
      readonly agent: string;
      readonly resetsAt: string | null;
    }
  /** A person fixes the project by hand; the critic runs again afterwards. `seq`: the verdict that led to it, if any. */
  | { readonly kind: 'edit'; readonly key: string; readonly task: string | null; readonly seq: number | null }
  | {
      readonly kind: 'budget';
      readonly key: string;
      readonly what: 'minutes' | 'cost' | 'tokens';
      readonly limit: number;
      readonly spent: number;
    };

/** Where a person answered. `prompt`: a run asked at its terminal. Without a terminal, an answer needs a reason. `library`: a program passed the answer on. */
export const ANSWER_WAYS = ['terminal', 'no terminal', 'prompt', 'dashboard', 'library'] as const;
export type AnswerVia = (typeof ANSWER_WAYS)[number];
