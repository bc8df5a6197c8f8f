// Agents known by name: how the command lines of coding agents are started without a person at them, by their own documentation.
// Conservative: edits are allowed, nothing that skips their safeguards is. With `-acp` behind its name each is talked with over the Agent
// Client Protocol instead.

import type { AcpSpec } from './acp.js';
import type { CommandSpec } from './command.js';

/** `command`: the one that is to pass, where the loop is about one. */
type Preset = (session: string, command?: string) => CommandSpec;

/** All read the prompt from stdin. The session folder is opened to them, since evidence and the result go there. */
const PRESETS: Readonly<Record<string, Preset>> = {
  // Its one event, the result, carries what the run cost. Not `stream-json`: asked to finish it then does not say what it used.
  // `--add-dir` takes several folders, so it comes last.
  claude: (session, command) => ({
    name: 'claude',
    argv: ['claude', '-p', '--output-format', 'json', '--permission-mode', 'acceptEdits', ...allowing(command), '--add-dir', session],
    finish: 'SIGINT',
    events: true,
  }),
  // Events carry what the run used. Its sandbox lets it write in the working folder and the added one. A folder without git has a
  // snapshot repository elsewhere.
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
  // Without a person it edits nothing in a folder that it was not told to trust, and a worktree is always a new one.
  gemini: (session) => ({
    name: 'gemini',
    argv: ['gemini', '--approval-mode', 'auto_edit', '--output-format', 'json', '--include-directories', session],
    env: { GEMINI_CLI_TRUST_WORKSPACE: process.env['GEMINI_CLI_TRUST_WORKSPACE'] ?? 'true' },
    finish: 'SIGINT',
  }),
  // It edits by default and refuses what it would have to ask for; folders other than its own are among that.
  opencode: (session) => ({
    name: 'opencode',
    argv: ['opencode', 'run', '--format', 'json'],
    env: { OPENCODE_PERMISSION: JSON.stringify({ external_directory: { [`${session}/*`]: 'allow' } }) },
    finish: 'SIGINT',
    events: true,
  }),
};

/**
 * What is to pass may also be tried: Umpire runs it in the same folder anyway. A rule of Claude Code allows exactly the command in it,
 * but for signs that mean something else there.
 */
function allowing(command: string | undefined): readonly string[] {
  const isPlain = command !== undefined && /^[^()*\\\r\n]{1,1000}$/.test(command) && !/^\s|\s$/.test(command);
  return isPlain ? ['--allowedTools', `Bash(${command})`] : [];
}

/** They ask what they may do (acp-permission.ts). The session folder is named to those that do not take it over the protocol. */
const ACP_PRESETS: Readonly<Record<string, (session: string) => readonly string[]>> = {
  'claude-acp': () => ['claude-agent-acp'],
  'codex-acp': () => ['codex-acp'],
  'gemini-acp': (session) => ['gemini', '--acp', '--include-directories', session],
  'opencode-acp': () => ['opencode', 'acp'],
};

export const PRESET_NAMES: readonly string[] = [...Object.keys(PRESETS), ...Object.keys(ACP_PRESETS)];

/** The command of a preset that is run once, with arguments of the person's own put before the rest; null where there is none. */
export function presetFor(name: string, session: string, args: readonly string[] = [], command?: string): CommandSpec | null {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined) return null;
  const spec = preset(session, command);
  const head = spec.argv.findIndex((word) => word.startsWith('-'));
  const at = head < 0 ? spec.argv.length : head;
  return { ...spec, argv: [...spec.argv.slice(0, at), ...args, ...spec.argv.slice(at)] };
}

/** A preset over ACP; null where there is none. */
export function acpPresetFor(name: string, session: string, command?: string): AcpSpec | null {
  const words = Object.hasOwn(ACP_PRESETS, name) ? ACP_PRESETS[name] : undefined;
  return words === undefined ? null : { name, argv: words(session), ...(command === undefined ? {} : { command }) };
}
