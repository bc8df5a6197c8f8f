// What a project sets for Umpire, and what holds where it sets nothing. Reading the file is settings.ts's, which is loaded only
// where there is one.

/** Words as a person writes them, or already cut. */
export type CommandLine = string | readonly string[];

/** What the agents of one name are. Left out: the agent's own. */
export interface AgentSettings {
  readonly runs:
    | { readonly kind: 'command'; readonly command: CommandLine }
    /** A file of answers, relative to the project. */
    | { readonly kind: 'script'; readonly path: string }
    | { readonly kind: 'person' }
    /** The agent that comes with Umpire under this name, with what stands here changed. */
    | { readonly kind: 'preset' };
  readonly timeoutMinutes?: number;
  /** How it is asked to finish; null: it cannot be asked. */
  readonly finish?: 'SIGINT' | 'SIGTERM' | null;
  readonly graceSeconds?: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface Settings {
  readonly strict: boolean;
  /** Agents of the project's own, by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** The agent of a role, by name. */
  readonly roles: Readonly<Record<string, string>>;
  /** The agent of every other role. */
  readonly agent: string | null;
  readonly concurrency: number;
  readonly maxRounds: number | null;
  readonly maxMinutes: number | null;
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  readonly stopWhenStalled: boolean;
  /** Run where a person is needed. */
  readonly notify: CommandLine | null;
  /** For one task. */
  readonly timeoutMinutes: number;
  readonly workspace: {
    /** Where worktrees lie; null: where Umpire puts them. */
    readonly home: string | null;
    /** Paths of the project that worktrees share with it. */
    readonly link: readonly string[];
    /** Files of the project that git does not know and worktrees need. */
    readonly copy: readonly string[];
    /** Run by a shell in each new worktree. */
    readonly setup: string | null;
  };
}

/** What holds in a project without a file of settings. */
export const DEFAULT_SETTINGS: Settings = {
  strict: false,
  agents: {},
  roles: {},
  agent: null,
  concurrency: 3,
  maxRounds: null,
  maxMinutes: null,
  maxCostUsd: null,
  maxTokens: null,
  stopWhenStalled: false,
  notify: null,
  timeoutMinutes: 30,
  workspace: { home: null, link: [], copy: [], setup: null },
};
