// Agents known by name: how to start coding agents without a person, following their documentation. Each task gets the permissions of its
// role, and no safeguard is skipped. `NAME-acp` uses the Agent Client Protocol instead.

import { basename, isAbsolute, join, relative } from 'node:path';
import type { Assignment } from '@umpire/core/model/ports.js';
import type { AcpSpec } from './acp-agent.js';
import { READING_COMMANDS, projectCommands } from './allowed-commands.js';
import { resultSchema } from './prompt.js';
import type { ClaimedTaskFiles } from './task-files.js';

/** One run of a coding agent. */
export interface PresetTask {
  readonly assignment: Assignment;
  readonly files: Pick<ClaimedTaskFiles, 'write'>;
  /** `system`: what must hold for the whole conversation; may be empty. `user`: the message. */
  readonly prompt: { readonly system: string; readonly user: string };
  /** The agent's own id of the conversation to continue; null: a new one. */
  readonly conversation: string | null;
}

export interface PresetPlan {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message: string;
}

export interface Preset {
  readonly program: string;
  readonly subcommand?: string;
  readonly plan: (task: PresetTask) => PresetPlan;
  /** It continues a conversation only in the folder where the conversation began. */
  readonly isBoundToFolder?: true;
  /** It reads JSON messages (claude-input.ts). */
  readonly readsMessages?: true;
  /** What a task may do beside reading, in a few words. */
  readonly permissions: (task: PermissionQuery) => string;
}

/** They get access to the session folder for evidence and the result. */
const PRESETS: Readonly<Record<string, Preset>> = {
  claude: { program: 'claude', plan: planClaude, readsMessages: true, permissions: rulesInWords },
  codex: {
    program: 'codex',
    subcommand: 'exec',
    plan: planCodex,
    permissions: () => 'write in its working folder and the session folder; run any command there without network (its own sandbox)',
  },
  gemini: { program: 'gemini', plan: planGemini, isBoundToFolder: true, permissions: rulesInWords },
  // In another folder it would go on in the old one.
  opencode: {
    program: 'opencode',
    subcommand: 'run',
    plan: planOpencode,
    isBoundToFolder: true,
    permissions: (task) => (task.writes ? `${editsInWords(task)}; run any command that your opencode settings allow` : rulesInWords(task)),
  },
};

/** None without a value. */
function option(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [name, value];
}

/** `--add-dir` and `--allowedTools` take several words, so an option follows them, or nothing. */
function planClaude({ assignment, files, prompt, conversation }: PresetTask): PresetPlan {
  const { session, writes, budget } = assignment;
  const mayEdit = writes || !isPlainPath(session);
  const rules = [
    ...(mayEdit ? [] : [`Edit(/${session}/**)`]),
    ...projectCommands(assignment).flatMap((command) => [`Bash(${command})`, `Bash(${command}:*)`]),
  ];
  const args = [
    '-p',
    ...option('--input-format', 'stream-json'),
    ...option('--output-format', 'stream-json'),
    '--verbose',
    // With these events, the usage of each message is known before the end.
    '--include-partial-messages',
    ...option('--permission-mode', mayEdit ? 'acceptEdits' : 'default'),
    ...(rules.length === 0 ? [] : ['--allowedTools', ...rules]),
    ...option('--json-schema', JSON.stringify(resultSchema(assignment))),
    ...option('--append-system-prompt-file', prompt.system === '' ? null : files.write('system.md', prompt.system)),
    ...option('--max-budget-usd', budget.costUsd === null ? null : dollars(budget.costUsd)),
    ...option('--resume', conversation),
    ...option('--add-dir', session),
  ];
  return { args, message: messageOf(prompt, conversation) };
}

/** The signs that a rule for files reads as a pattern. */
function isPlainPath(path: string): boolean {
  return /^[\w./ @+=,-]+$/.test(path);
}

/** It refuses zero. */
function dollars(amount: number): string {
  return String(Math.max(0.0001, Number(amount.toFixed(4))));
}

/** A continued conversation keeps its old system prompt, so the new one is in the message too. */
function messageOf({ system, user }: PresetTask['prompt'], conversation: string | null): string {
  return conversation === null ? user : joined(system, user);
}

function joined(system: string, user: string): string {
  return system === '' ? user : `${system.trimEnd()}\n\n${user}`;
}

/** The system limits one argument to 128 kB. */
const MAX_ARGUMENT_CHARS = 30_000;

/**
 * Its sandbox allows writes in the working folder and the added folder, also to tasks that only read: with less they could not write their
 * evidence. A folder without git has its snapshot repository elsewhere.
 */
function planCodex({ assignment, files, prompt, conversation }: PresetTask): PresetPlan {
  const isLong = prompt.system.length > MAX_ARGUMENT_CHARS;
  const args = [
    '--json',
    ...option('--sandbox', 'workspace-write'),
    '--skip-git-repo-check',
    ...option('--color', 'never'),
    ...option('--add-dir', assignment.session),
    ...option('--output-schema', files.write('schema.json', JSON.stringify(resultSchema(assignment)))),
    ...option('--config', prompt.system === '' || isLong ? null : `developer_instructions=${JSON.stringify(prompt.system)}`),
    ...option('resume', conversation),
    '-',
  ];
  return { args, message: isLong ? joined(prompt.system, prompt.user) : messageOf(prompt, conversation) };
}

/** Without a person it runs no command that no policy allows, and edits only in trusted folders; a worktree is always new. */
function planGemini({ assignment, files, prompt, conversation }: PresetTask): PresetPlan {
  const { session, writes } = assignment;
  const args = [
    ...option('--approval-mode', writes ? 'auto_edit' : 'default'),
    ...option('--output-format', 'stream-json'),
    ...option('--policy', files.write('policy.toml', geminiPolicy(assignment))),
    ...option('--include-directories', session),
    ...option('--resume', conversation),
  ];
  const env = { GEMINI_CLI_TRUST_WORKSPACE: process.env['GEMINI_CLI_TRUST_WORKSPACE'] ?? 'true' };
  return { args, env, message: joined(prompt.system, prompt.user) };
}

function geminiPolicy(assignment: Assignment): string {
  const commands = [...READING_COMMANDS, ...projectCommands(assignment)];
  const path = JSON.stringify(assignment.session)
    .slice(1, -1)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [
    policyRule('allow', 'toolName = "run_shell_command"', `commandPrefix = ${tomlList(commands)}`),
    // Readers write only there. It refuses a pattern that could take long, so that one rule cannot say all of this.
    policyRule('allow', EDIT_TOOLS, `argsPattern = ${JSON.stringify(`"file_path":"${path}/[^"]*"`)}`),
    policyRule('deny', EDIT_TOOLS, `argsPattern = ${JSON.stringify(String.raw`"file_path":"[^"]*/\.\./`)}`),
  ].join('\n');
}

const EDIT_TOOLS = 'toolName = ["write_file", "replace"]';

function policyRule(decision: 'allow' | 'deny', ...conditions: readonly string[]): string {
  return ['[[rule]]', ...conditions, `decision = "${decision}"`, `priority = ${decision === 'allow' ? 500 : 600}`, ''].join('\n');
}

function tomlList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}

/** It refuses what it would have to ask for, such as other folders. Writers run commands as its own settings say. */
function planOpencode({ assignment, prompt, conversation }: PresetTask): PresetPlan {
  const { session, workdir, writes } = assignment;
  const inSession = { [`${session}/*`]: 'allow', [`${relative(workdir, session)}/*`]: 'allow' };
  const commands = [...READING_COMMANDS, ...projectCommands(assignment)].flatMap((command) => [command, `${command} *`]);
  const reading = {
    edit: { '*': 'deny', ...inSession },
    bash: { '*': 'deny', ...Object.fromEntries(commands.map((command) => [command, 'allow'])) },
  };
  const permission = { external_directory: { [`${session}/*`]: 'allow' }, ...(writes ? {} : reading) };
  const args = [...option('--format', 'json'), ...option('--session', conversation)];
  return { args, env: { OPENCODE_PERMISSION: JSON.stringify(permission) }, message: joined(prompt.system, prompt.user) };
}

/**
 * These ask for permissions (acp-permission.ts). Agents that do not accept folders over the protocol get the session folder as an argument.
 */
const ACP_PRESETS: Readonly<Record<string, (session: string) => Omit<AcpSpec, 'name'>>> = {
  // After its turn it would ask its model what a person may type next.
  'claude-acp': () => ({ argv: ['claude-agent-acp'], env: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' } }),
  'codex-acp': () => ({ argv: ['codex-acp'] }),
  'gemini-acp': (session) => ({ argv: ['gemini', '--acp', '--include-directories', session] }),
  // It reports the usage of its last message alone.
  'opencode-acp': () => ({ argv: ['opencode', 'acp'], countsTokens: false }),
};

export const PRESET_NAMES: readonly string[] = [...Object.keys(PRESETS), ...Object.keys(ACP_PRESETS)];

interface NamedPreset {
  readonly name: string;
  readonly argv: readonly string[];
  readonly preset: Preset;
}

/** A preset that runs once per task; null for an unknown name. */
export function presetFor(name: string): NamedPreset | null {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  return preset === undefined ? null : { name, argv: [preset.program], preset };
}

/** An ACP preset; null for an unknown name. */
export function acpPresetFor(name: string, session: string): AcpSpec | null {
  const spec = Object.hasOwn(ACP_PRESETS, name) ? ACP_PRESETS[name] : undefined;
  return spec === undefined ? null : { name, ...spec(session) };
}

export interface PermissionQuery {
  readonly writes: boolean;
  readonly commands: readonly string[];
}

/** What the agent of this name may do in a task, beside reading, for people. */
export function describePermissions(name: string, query: PermissionQuery, isAcp = Object.hasOwn(ACP_PRESETS, name)): string {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name]?.permissions(query) ?? '';
  if (isAcp) return `${rulesInWords(query)}; Umpire answers what else it asks for`;
  return 'what your own account may do';
}

function rulesInWords(query: PermissionQuery): string {
  const commands = query.commands.map((command) => `\`${command}\``);
  return `${editsInWords(query)}; run ${['commands that only read', ...commands].join(', ')}`;
}

function editsInWords({ writes }: PermissionQuery): string {
  return writes ? 'edit files in its working folder and the session folder' : 'edit files in the session folder alone';
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
