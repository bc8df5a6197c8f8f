// The questions that a session asks a person, and the answers to them.

export interface AnswerRow {
  /** On its button. */
  readonly label: string;
  /** What happens then: a sentence. */
  readonly does: string;
  /** What its reason says, in commands and where it is asked for. */
  readonly says?: string;
  /** Without that reason it is refused. */
  readonly needsReason?: true;
  readonly needsGoal?: true;
  /** It ends the session. */
  readonly isEnd?: true;
  /** It approves without clean evidence. */
  readonly isWaiver?: true;
  /** It is possible only if the loop's `ask` offers it: it weakens the rules, or leaves the work to a person. */
  readonly isOffered?: true;
  /** It is possible only where a command decides. */
  readonly isOnTests?: true;
  /** It needs the session's worktree, which nobody has at hand on an engine. */
  readonly isByHand?: true;
}

/** Every answer. What it does to a session: `applyAnswer` in decider/evolve.ts. */
const ROWS = {
  'force-approve': {
    label: 'Approve anyway',
    does: 'The session continues with the work as it is. The verdict is marked unverified, and every report shows your reason.',
    says: 'why',
    needsReason: true,
    isWaiver: true,
    isOffered: true,
  },
  'manual-fix': {
    label: 'Fix it myself',
    does: 'The session waits while you change the files of its work folder. After umpire resume the critic judges them.',
    isOffered: true,
    isByHand: true,
  },
  extend: { label: 'Continue', does: 'More is added to the exceeded limit, or the critic runs again, and the session continues.' },
  abort: { label: 'Abort the session', does: 'The session ends as aborted. Its work and reports are kept.', isEnd: true },
  approve: { label: 'Approve the plan', does: 'The tasks of the plan start.' },
  revise: {
    label: 'Ask for another plan',
    does: 'The plan is made again, and its author reads your words. Then you are asked again.',
    says: 'what to change',
  },
  answer: {
    label: 'Send the answer',
    does: 'The agent reads your answer and continues with its task.',
    says: 'your answer',
    needsReason: true,
  },
  'take-edits': { label: 'Take the edit', does: 'The held edit of tasks.csv is yours and becomes part of the plan. Possible at any time.' },
  agree: { label: 'Agree', does: 'The task is skipped. The critic judges the rest.' },
  insist: {
    label: 'Insist',
    does: 'The task runs again, and the agent reads why it should be done all the same.',
    says: 'why it should be done',
    needsReason: true,
  },
  'accept-tests': {
    label: 'Let the tests change',
    does: 'Tests may change: a change of them that was reverted is judged; without one the agent works once more. The verdict is then marked unverified.',
    says: 'what is wrong with the tests',
    isOnTests: true,
  },
  'change-goal': {
    label: 'Change the goal',
    does: 'The new goal replaces the old one and is recorded. The task runs again with it.',
    needsGoal: true,
  },
  stop: { label: 'Stop the session', does: 'The session ends as aborted. Its work and reports are kept.', isEnd: true },
} as const satisfies Readonly<Record<string, AnswerRow>>;

export type Answer = keyof typeof ROWS;
export const ANSWERS: Readonly<Record<Answer, AnswerRow>> = ROWS;
export const ANSWER_NAMES = Object.keys(ROWS) as readonly Answer[];

/** Every question: what the session waits on, and its answers, the most common first. */
export const QUESTIONS = {
  escalation: {
    about: 'an escalation: the rounds ran out, or a rule asks for a person',
    answers: ['force-approve', 'manual-fix', 'extend', 'abort'],
  },
  'no-evidence': { about: 'a critic that left nothing to judge, twice', answers: ['manual-fix', 'extend', 'force-approve', 'abort'] },
  plan: { about: 'a plan', answers: ['approve', 'revise', 'abort'] },
  budget: { about: 'an exceeded budget', answers: ['extend', 'abort'] },
  question: { about: 'a question of an agent', answers: ['answer', 'abort'] },
  blocked: { about: 'an agent that is blocked', answers: ['agree', 'insist', 'accept-tests', 'change-goal', 'stop'] },
  'judge-changed': {
    about: 'a change of tests, without which the command does not pass',
    answers: ['accept-tests', 'insist', 'manual-fix', 'abort'],
  },
  limit: { about: "an agent's used-up plan; umpire resume tries again", answers: ['abort'] },
  edit: { about: 'your edit; umpire resume continues after it', answers: ['extend', 'force-approve', 'abort'] },
} as const satisfies Readonly<Record<Question['kind'], { readonly about: string; readonly answers: readonly Answer[] }>>;

/** What `extend` may add, by option: the unit, and a usual amount. */
export const AMOUNTS = {
  rounds: { unit: 'rounds', usual: 1 },
  minutes: { unit: 'minutes', usual: 30 },
  costUsd: { unit: 'dollars', usual: 5 },
  tokens: { unit: 'tokens', usual: 100_000 },
} as const;
export type Amount = keyof typeof AMOUNTS;

/** A change that was reverted in a task's work, kept as a commit on top of that work. */
export interface KeptChange {
  readonly task: string;
  readonly commit: string;
  readonly files: readonly string[];
  /** May be cut. */
  readonly patch: string;
}

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
  /** The command passes only on changed terms (A2): in the work as it is, or with a change of tests that was reverted and kept. */
  | {
      readonly kind: 'judge-changed';
      readonly key: string;
      readonly seq: number;
      readonly task: string | null;
      readonly rule: string;
      readonly reason: string;
      readonly kept: KeptChange | null;
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
