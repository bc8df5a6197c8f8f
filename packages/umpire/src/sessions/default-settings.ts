// The settings of a project and their defaults. settings.ts reads the file; it is loaded only if there is one.

import { PROJECT_SETTINGS, usualValues } from '@umpire/core/model/options.js';
import type { SettingValues } from '@umpire/core/model/options.js';
import type { GuardAllowance } from '@umpire/guard/findings/allowances.js';

/** A command as a text, or as a list of its words. */
export type CommandLine = string | readonly string[];

/** Ways to call a person: several may be set. */
export interface NotifyWays {
  readonly command?: CommandLine;
  /** The address of a Slack webhook, or the name of the environment variable that holds it. */
  readonly slack?: string;
  /** The same for any server that takes JSON. */
  readonly webhook?: string;
  readonly desktop?: boolean;
}

/** Permissions for an ACP agent beside reading and editing in its folders. */
export const ALLOWABLE = ['execute', 'fetch', 'other'] as const;
export type Allowable = (typeof ALLOWABLE)[number];

/** One agent. Fields that are left out keep the agent's own values. */
export interface AgentSettings {
  readonly runs:
    | { readonly kind: 'command'; readonly command: CommandLine }
    /** A program that speaks the Agent Client Protocol. */
    | { readonly kind: 'acp'; readonly command: CommandLine }
    /** A file of answers, relative to the project. */
    | { readonly kind: 'script'; readonly path: string }
    | { readonly kind: 'person' }
    /** An agent that comes with Umpire, with these settings: the one of this name, or `uses`. */
    | { readonly kind: 'preset'; readonly uses?: string };
  readonly timeoutMinutes?: number;
  /** The signal that asks it to finish; null if there is none. */
  readonly finish?: 'SIGINT' | 'SIGTERM' | null;
  readonly graceSeconds?: number;
  readonly allow?: readonly Allowable[];
  /** For a preset: its model, and arguments before Umpire's own. */
  readonly model?: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Text on a background, by token path. */
export interface ColourPair {
  readonly text: string;
  readonly background: string;
  /** Large text and parts of the interface need less contrast. */
  readonly kind: 'text' | 'large' | 'ui';
}

/** A flaky test whose failure counts for nothing for a while. */
export interface QuarantinedTest {
  /** Its full name, or its titles joined by ` > `. */
  readonly test: string;
  readonly reason: string;
  /** The last day on which it holds, as YYYY-MM-DD. */
  readonly until: string;
}

/** The test runners that Umpire knows; `runners/registry.ts` has what it knows of each. */
export const RUNNER_NAMES = ['vitest', 'jest', 'mocha', 'node', 'pytest'] as const;
export type RunnerName = (typeof RUNNER_NAMES)[number];

/** The critics that Umpire runs itself. `null`: found in the project's files. */
export interface CriticSettings {
  /** The time limit of one tool. */
  readonly timeoutMinutes: number;
  /** `none`: the project has no tests, so none are missed. */
  readonly tests: 'none' | null;
  readonly quarantine: readonly QuarantinedTest[];
  readonly testing: {
    readonly runner: RunnerName | null;
    /** Patterns of test files by layer. All other files are L1. */
    readonly layers: Readonly<Record<string, readonly string[]>>;
  };
  readonly debt: {
    /** How often a test with a changed result runs again. */
    readonly reruns: number;
    /** Commands instead of those found; false leaves the check out, and the report says so. */
    readonly checks: Readonly<Partial<Record<'types' | 'lint' | 'quality', CommandLine | false>>>;
    /** A function more complex than this is a finding. */
    readonly complexity: number;
  };
  readonly design: {
    /** Patterns of token files; empty means every token file in the project. */
    readonly tokens: readonly string[];
    readonly industry: 'standard' | 'strict';
    readonly pairs: readonly ColourPair[];
    /** Spacing is a multiple of this, in pixels. */
    readonly grid: number;
  };
  readonly review: {
    /** Patterns of reports that the review reads beside its linters. */
    readonly reports: readonly string[];
  };
}

/** The guard in runs of one loop. */
export interface LoopGuard {
  /** `obey`: reverted before the work is merged. `tell`: reported. `off`: not checked. */
  readonly breaches: 'obey' | 'tell' | 'off';
  /** What may change: tests alone, or source too. */
  readonly scope: 'testing' | 'any';
}

export interface GuardSettings {
  /** What `umpire guard` lets change without a flag: only tests, or source too. Null if not set. */
  readonly scope: 'testing' | 'any' | null;
  readonly allowances: readonly GuardAllowance[];
  /** By loop. Others use Umpire's defaults. */
  readonly loops: Readonly<Record<string, Partial<LoopGuard>>>;
}

export interface Settings extends SettingValues<typeof PROJECT_SETTINGS> {
  /** Agents of the project's own, by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Names of agents in the project's settings that do not count, since nobody trusted them. */
  readonly untrustedAgents: readonly string[];
  /** The agent of a role, by name. */
  readonly roles: Readonly<Record<string, string>>;
  /** The agent of every other role. */
  readonly agent: string | null;
  /** By role, or `*`: agents that take over while the plan of the one before is used up. */
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  /** The generator's agent from this round on. */
  readonly stronger: { readonly agent: string; readonly fromRound: number } | null;
  /** Asks before a session that may need more agent runs than this. */
  readonly askAboveRuns: number;
  /** The engine on which sessions start; null: this machine. */
  readonly engine: string | null;
  /** Further folders that programs in the sandbox may write to: absolute, from the home folder (`~/`), or from the project. */
  readonly sandboxWrite: readonly string[];
  /** Runs when a person is needed. */
  readonly notify: CommandLine | NotifyWays | null;
  /** Runs `notify` at the end of a session too. */
  readonly notifyAtEnd: boolean;
  readonly testing: {
    /** The coverage target of a layer, in percent. Other layers have the loop's. */
    readonly targets: Readonly<Record<string, number>>;
  };
  readonly critics: CriticSettings;
  readonly guard: GuardSettings;
  readonly workspace: {
    /** The folder for worktrees; null for Umpire's own. */
    readonly home: string | null;
    /** Paths of the project that worktrees share with it. */
    readonly link: readonly string[];
    /** Untracked files that every worktree gets a copy of. */
    readonly copy: readonly string[];
    /** A shell command that prepares each new worktree. */
    readonly setup: string | null;
  };
}

export const DEFAULT_SETTINGS: Settings = {
  ...usualValues(PROJECT_SETTINGS),
  agents: {},
  untrustedAgents: [],
  roles: {},
  agent: null,
  fallbacks: {},
  stronger: null,
  askAboveRuns: 50,
  engine: null,
  sandboxWrite: [],
  notify: null,
  notifyAtEnd: false,
  testing: { targets: {} },
  critics: {
    timeoutMinutes: 20,
    tests: null,
    quarantine: [],
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
