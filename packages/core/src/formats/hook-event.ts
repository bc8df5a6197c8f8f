// The hook events of Claude Code, Codex and Gemini CLI: a session starts, a tool is about to run, or the agent is about to stop.

import { isObject } from './json-text.js';

export type HookKind = 'start' | 'stop' | 'substop' | 'tool';

export interface HookEvent {
  /** The agent's working folder; null if not given. */
  readonly cwd: string | null;
  /** The id of the agent's session. */
  readonly session: string | null;
  /** The hook already sent the agent back once, and it wants to stop again. */
  readonly isAgain: boolean;
  /** Why the agent says that it cannot go on, in a line of its last message; null if it does not. */
  readonly blocked: string | null;
  readonly tool: string;
  /** The file that the tool works on; null if none. */
  readonly path: string | null;
  /** The shell command that the tool runs. */
  readonly command: string | null;
}

/** Event names of the agents. */
export const HOOK_EVENTS: Readonly<Record<string, HookKind>> = {
  SessionStart: 'start',
  Stop: 'stop',
  SubagentStop: 'substop',
  AfterAgent: 'stop',
  PreToolUse: 'tool',
  BeforeTool: 'tool',
};

/** The event of that name, ignoring case; null if unknown. */
export function hookKindOf(name: string): HookKind | null {
  const known = Object.keys(HOOK_EVENTS).find((one) => one.toLowerCase() === name.toLowerCase());
  return known === undefined ? null : (HOOK_EVENTS[known] ?? null);
}

/** Missing or malformed members are left out, because agents differ. */
export function hookEventOf(given: Readonly<Record<string, unknown>>): HookEvent {
  const input = isObject(given['tool_input']) ? given['tool_input'] : {};
  const paths = ['file_path', 'notebook_path', 'absolute_path', 'path'].map((name) => textOf(input[name]));
  return {
    cwd: textOf(given['cwd']),
    session: textOf(given['session_id']),
    isAgain: given['stop_hook_active'] === true,
    blocked: blockedIn(textOf(given['last_assistant_message']) ?? textOf(given['prompt_response']) ?? ''),
    tool: textOf(given['tool_name']) ?? '',
    path: paths.find((path) => path !== null) ?? null,
    command: textOf(input['command']),
  };
}

function blockedIn(message: string): string | null {
  return /^[\s*_`>]*UMPIRE-BLOCKED:[\s*_`]*(\S.*)$/m.exec(message)?.[1]?.trim() ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : null;
}
