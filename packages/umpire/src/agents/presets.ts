// Agents known by name: how to start coding agents without a person, following their documentation. Presets allow edits and skip no
// safeguard. `NAME-acp` uses the Agent Client Protocol instead.

import { basename, isAbsolute, join } from 'node:path';
import type { AcpSpec } from './acp-agent.js';
import type { CommandSpec } from './program-agent.js';

/** `command`: the check command of the loop, where there is one. */
type Preset = (session: string, command?: string) => CommandSpec;

/** All read the prompt from stdin. They get access to the session folder for evidence and the result. */
const PRESETS: Readonly<Record<string, Preset>> = {
  // The result event has the cost. Not `stream-json`: an interrupted run would not report its usage. `--add-dir` takes
  // several folders, so it comes last.
  claude: (session, command) => ({
    name: 'claude',
    argv: [
      'claude',
      '-p',
      '--output-format',
      'json',
      '--permission-mode',
      'acceptEdits',
      ...allowedToolArgs(command),
      '--add-dir',
      session,
    ],
    finish: 'SIGINT',
    events: true,
  }),
  // Events have the usage. Its sandbox allows writes in the working folder and the added folder. A folder without git has its snapshot
  // repository elsewhere.
  codex: (session) => ({
    name: 'codex',
    argv: [
      'codex',
      'exec',
      '--json',
      '--sandbox',
      'workspace-write',
      '--skip-git-repo-check',
      '--color',
      'never',
      '--add-dir',
      session,
      '-',
    ],
    finish: 'SIGINT',
    events: true,
  }),
  // Without a person it edits only in trusted folders, and a worktree is always new.
  gemini: (session) => ({
    name: 'gemini',
    argv: ['gemini', '--approval-mode', 'auto_edit', '--output-format', 'json', '--include-directories', session],
    env: { GEMINI_CLI_TRUST_WORKSPACE: process.env['GEMINI_CLI_TRUST_WORKSPACE'] ?? 'true' },
    finish: 'SIGINT',
  }),
  // It edits by default and refuses what it would have to ask for, such as other folders.
  opencode: (session) => ({
    name: 'opencode',
    argv: ['opencode', 'run', '--format', 'json'],
    env: { OPENCODE_PERMISSION: JSON.stringify({ external_directory: { [`${session}/*`]: 'allow' } }) },
    finish: 'SIGINT',
    events: true,
  }),
};

/**
 * Allows the check command, which Umpire runs in the same folder anyway. A Claude Code rule matches exactly this command, unless it has
 * characters with another meaning there.
 */
function allowedToolArgs(command: string | undefined): readonly string[] {
  const isPlain = command !== undefined && /^[^()*\\\r\n]{1,1000}$/.test(command) && !/^\s|\s$/.test(command);
  return isPlain ? ['--allowedTools', `Bash(${command})`] : [];
}

/**
 * These ask for permissions (acp-permission.ts). Agents that do not accept folders over the protocol get the session folder as an argument.
 */
const ACP_PRESETS: Readonly<Record<string, (session: string) => readonly string[]>> = {
  'claude-acp': () => ['claude-agent-acp'],
  'codex-acp': () => ['codex-acp'],
  'gemini-acp': (session) => ['gemini', '--acp', '--include-directories', session],
  'opencode-acp': () => ['opencode', 'acp'],
};

export const PRESET_NAMES: readonly string[] = [...Object.keys(PRESETS), ...Object.keys(ACP_PRESETS)];

/** The command of a preset that runs once per task, with the person's own arguments first; null for an unknown name. */
export function presetFor(name: string, session: string, args: readonly string[] = [], command?: string): CommandSpec | null {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined) return null;
  const spec = preset(session, command);
  const head = spec.argv.findIndex((word) => word.startsWith('-'));
  const at = head < 0 ? spec.argv.length : head;
  return { ...spec, argv: [...spec.argv.slice(0, at), ...args, ...spec.argv.slice(at)] };
}

/** An ACP preset; null for an unknown name. */
export function acpPresetFor(name: string, session: string, command?: string): AcpSpec | null {
  const words = Object.hasOwn(ACP_PRESETS, name) ? ACP_PRESETS[name] : undefined;
  return words === undefined ? null : { name, argv: words(session), ...(command === undefined ? {} : { command }) };
}

/** Presets that report tokens but no cost. */
export const WITHOUT_COST: ReadonlySet<string> = new Set(['codex', 'codex-acp', 'gemini', 'gemini-acp', 'opencode-acp']);

/** A file or folder where an agent keeps its login, settings and history. */
export interface AgentState {
  readonly place: string;
  /** The file in it that keeps the person signed in. The agent renews it. */
  readonly login?: string;
  /** Folders of old conversations and logs, which can have gigabytes. A new task needs none of them. */
  readonly emptied?: readonly string[];
}

/** Variables that move a folder count only with an absolute path. */
type PlaceOf = (variable: string, usual: string) => string;

const CLAUDE_EMPTIED =
  'backups debug file-history image-cache logs paste-cache projects session-env shell-snapshots statsig tasks telemetry todos';

const claudeState = (placeOf: PlaceOf): readonly AgentState[] => [
  { place: placeOf('CLAUDE_CONFIG_DIR', '.claude'), login: '.credentials.json', emptied: CLAUDE_EMPTIED.split(' ') },
  { place: placeOf('', '.claude.json') },
];

const codexState = (placeOf: PlaceOf): readonly AgentState[] => [
  { place: placeOf('CODEX_HOME', '.codex'), login: 'auth.json', emptied: ['archived_sessions', 'log', 'sessions', 'tmp'] },
];

const geminiState = (placeOf: PlaceOf): readonly AgentState[] => [
  { place: join(placeOf('GEMINI_CLI_HOME', ''), '.gemini'), login: 'oauth_creds.json', emptied: ['history', 'tmp'] },
];

const opencodeState = (placeOf: PlaceOf): readonly AgentState[] => [
  { place: join(placeOf('XDG_CONFIG_HOME', '.config'), 'opencode') },
  { place: placeOf('OPENCODE_CONFIG_DIR', '.config/opencode') },
  {
    place: join(placeOf('XDG_DATA_HOME', '.local/share'), 'opencode'),
    login: 'auth.json',
    emptied: ['log', 'project', 'snapshot', 'storage', 'tool-output', 'worktree'],
  },
  { place: join(placeOf('XDG_STATE_HOME', '.local/state'), 'opencode') },
  { place: join(placeOf('XDG_CACHE_HOME', '.cache'), 'opencode') },
];

/** By program, so that a preset, its ACP form and a `command:` with the same program have the same. */
const STATES: Readonly<Record<string, (placeOf: PlaceOf) => readonly AgentState[]>> = {
  claude: claudeState,
  'claude-agent-acp': claudeState,
  codex: codexState,
  'codex-acp': codexState,
  gemini: geminiState,
  opencode: opencodeState,
};

/** Where the agent with this program keeps its state; none for other programs. */
export function stateOf(program: string, env: Readonly<Record<string, string>>, home: string): readonly AgentState[] {
  const name = basename(program);
  const states = Object.hasOwn(STATES, name) ? STATES[name] : undefined;
  const placeOf: PlaceOf = (variable, usual) => {
    const named = env[variable] ?? '';
    return isAbsolute(named) ? named : join(home, usual);
  };
  return states?.(placeOf) ?? [];
}
