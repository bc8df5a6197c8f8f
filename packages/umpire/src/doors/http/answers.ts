// The answers of the dashboard's server, and the requests that act: all that packages/dashboard knows of Umpire.

import type { Verdict } from '@umpire/core/model/vocabulary.js';
import type { AnswerOption } from '../../views/session-question.js';
import type { SessionEntry } from '../../views/list-page.js';
import type { TaskRun } from '../../views/session-history.js';
import type { SessionView } from '../../views/session-view.js';

/** A session in the list. `id`: its folder in the project, as other requests name it. */
export interface ListedSession extends Omit<SessionEntry, 'path'> {
  readonly id: string;
}

export interface SessionsAnswer {
  /** The project's folder, or the engine's address without its password. */
  readonly project: string;
  readonly isEngine: boolean;
  readonly version: string;
  /** Latest first. */
  readonly sessions: readonly ListedSession[];
  /** So many were not read yet: ask again. */
  readonly unread: number;
}

export interface LogAnswer {
  readonly name: string;
  readonly task: string;
  readonly attempt: number;
  readonly bytes: number;
}

/** What was measured and spent when the verdict was given. */
export interface TimedVerdict extends Verdict {
  readonly at: string;
  /** Numbers that the loop judges by, such as coverage and score. */
  readonly measures: Readonly<Record<string, number>>;
  /** Of the session until then. */
  readonly costUsd: number;
  readonly tokens: number;
}

export interface SessionAnswer extends SessionView {
  readonly project: string;
  readonly id: string;
  readonly name: string;
  /** On an engine: the workers that run its tasks, or why nothing runs. */
  readonly fleet: readonly string[] | null;
  /** The first and the last event; null without events. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** Oldest first. */
  readonly verdicts: readonly TimedVerdict[];
  /** By task: agent, duration and cost of each attempt. */
  readonly runs: Readonly<Record<string, readonly TaskRun[]>>;
  /** Outputs of agents, latest last. */
  readonly logs: readonly LogAnswer[];
  /** How the open question can be answered; empty if it cannot be answered now. */
  readonly options: readonly AnswerOption[];
  /** By fingerprint: the findings that a person dismissed or may dismiss. */
  readonly rulings: Readonly<Record<string, FindingRuling>>;
  /** The task whose output explains the question. */
  readonly askedAbout: string | null;
  /** An edit of tasks.csv waits for a person. */
  readonly heldEdit: AnswerOption | null;
  /** It can go on without an answer: `umpire resume`. */
  readonly canResume: boolean;
  /** Its failed tasks can run again: `umpire resume --retry`. */
  readonly canRetry: boolean;
  /** Why the process that continued it ended early. */
  readonly trouble: string | null;
}

export interface FindingRuling {
  /** By whom and why it was dismissed; null if it is open. */
  readonly dismissed: string | null;
  /** Why it cannot be dismissed; null if it can. */
  readonly refusal: string | null;
}

/** One day, loop and agent. */
export interface CostPart {
  /** In UTC: `2026-03-01`. */
  readonly day: string;
  readonly loop: string;
  readonly agent: string;
  readonly costUsd: number;
  readonly tokens: number;
  readonly attempts: number;
}

export interface CostsAnswer {
  readonly parts: readonly CostPart[];
  /** Agents that did not report their cost. */
  readonly unreported: readonly string[];
}

/** Sent when these sessions changed; empty if only the list changed. */
export interface ChangeAnswer {
  readonly sessions: readonly string[];
}

/** A piece of an agent's output. `isNew`: it replaces what was sent before. */
export interface OutputAnswer {
  readonly text: string;
  readonly isNew: boolean;
}

/** `POST /api/answer`. `question`: the key of the question that the person saw. */
export interface AnswerRequest {
  readonly id: string;
  readonly question: string;
  readonly answer: AnswerOption['answer'];
  readonly reason?: string;
  readonly goal?: string;
  readonly rounds?: number;
  readonly minutes?: number;
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** `POST /api/dismiss`. `finding`: a fingerprint. */
export interface DismissRequest {
  readonly id: string;
  readonly finding: string;
  readonly reason: string;
}

/** `POST /api/resume`. `retry`: failed tasks run again. */
export interface ResumeRequest {
  readonly id: string;
  readonly retry?: boolean;
}

export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}
