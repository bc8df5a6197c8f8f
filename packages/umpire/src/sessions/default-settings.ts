// What a project sets for Umpire, and what holds where it sets nothing. Reading the file is settings.ts's, which is loaded only
// where there is one.

import type { GuardAllowance } from '@umpire/guard/allowances.js';

/** Words as a person writes them, or already cut. */
export type CommandLine = string | readonly string[];

/** What an agent over ACP may be allowed when it asks, beside reading and editing in its folders. */
export const ALLOWABLE = ['execute', 'fetch', 'other'] as const;
export type Allowable = (typeof ALLOWABLE)[number];

/** What the agents of one name are. Left out: the agent's own. */
export interface AgentSettings {
  readonly runs:
    | { readonly kind: 'command'; readonly command: CommandLine }
    /** A program that speaks the Agent Client Protocol. */
    | { readonly kind: 'acp'; readonly command: CommandLine }
    /** A file of answers, relative to the project. */
    | { readonly kind: 'script'; readonly path: string }
    | { readonly kind: 'person' }
    /** The agent that comes with Umpire under this name, with what stands here changed. */
    | { readonly kind: 'preset' };
  readonly timeoutMinutes?: number;
  /** How it is asked to finish; null: it cannot be asked. */
  readonly finish?: 'SIGINT' | 'SIGTERM' | null;
  readonly graceSeconds?: number;
  readonly allow?: readonly Allowable[];
  readonly env: Readonly<Record<string, string>>;
}

/** Text on a background, by token path. */
export interface ColourPair {
  readonly text: string;
  readonly background: string;
  /** Large text and parts of the interface need less contrast. */
  readonly kind: 'text' | 'large' | 'ui';
}

/** What the critics that Umpire runs itself are told. `null`: found from the project's own files. */
export interface CriticSettings {
  /** For one tool. */
  readonly timeoutMinutes: number;
  readonly testing: {
    readonly runner: 'vitest' | 'jest' | 'mocha' | 'node' | 'pytest' | null;
    /** Patterns of test files by layer; a file that no other layer claims is of L1. */
    readonly layers: Readonly<Record<string, readonly string[]>>;
  };
  readonly debt: {
    /** How often a test that changed its mind is run again. */
    readonly reruns: number;
    /** Commands in place of what is found; false: this check is left out, and the report says so. */
    readonly checks: Readonly<Partial<Record<'types' | 'lint' | 'quality', CommandLine | false>>>;
    /** A function more complex than this is a finding. */
    readonly complexity: number;
  };
  readonly design: {
    /** Patterns of token files; empty: every file of tokens in the project. */
    readonly tokens: readonly string[];
    readonly industry: 'standard' | 'strict';
    readonly pairs: readonly ColourPair[];
    /** Spacing is a multiple of this, in pixels. */
    readonly grid: number;
  };
  readonly review: {
    /** Patterns of reports to gather beside what linters say. */
    readonly reports: readonly string[];
  };
}

/** How the guard stands over the runs of one loop. */
export interface LoopGuard {
  /** `obey`: taken back before the work is merged. `tell`: told. `off`: not looked for. */
  readonly breaches: 'obey' | 'tell' | 'off';
  /** What may change: tests alone, or source too. */
  readonly scope: 'testing' | 'any';
}

export interface GuardSettings {
  /** What `umpire guard` lets change, where no flag says it: tests alone, or source too. Null: nobody said. */
  readonly scope: 'testing' | 'any' | null;
  readonly allowances: readonly GuardAllowance[];
  /** By the name of a loop. Left out: as Umpire has it. */
  readonly loops: Readonly<Record<string, Partial<LoopGuard>>>;
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
  readonly sandbox: {
    /** Programs of every run are held in one. */
    readonly isOn: boolean;
    /** Where they may write beside their work: absolute, from the home folder (`~/`), or from the project. */
    readonly write: readonly string[];
  };
  /** Run where a person is needed. */
  readonly notify: CommandLine | null;
  /** And where a session has ended. */
  readonly notifyAtEnd: boolean;
  /** For one task. */
  readonly timeoutMinutes: number;
  /** How often a task is tried again by itself where its model's server was out of reach. */
  readonly retries: number;
  readonly critics: CriticSettings;
  readonly guard: GuardSettings;
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
  sandbox: { isOn: false, write: [] },
  notify: null,
  notifyAtEnd: false,
  timeoutMinutes: 30,
  retries: 4,
  critics: {
    timeoutMinutes: 20,
    testing: {
      runner: null,
      layers: { L2: ['**/*.{integration,int}.*', '**/integration/**'], L3: ['**/*.e2e.*', '**/{e2e,end-to-end}/**'] },
    },
    debt: { reruns: 3, checks: {}, complexity: 15 },
    design: { tokens: [], industry: 'standard', pairs: [], grid: 4 },
    review: { reports: ['**/*.sarif'] },
  },
  guard: { scope: null, allowances: [], loops: {} },
  workspace: { home: null, link: [], copy: [], setup: null },
};
