// What coding agents tell a hook about an event, as Claude Code and Gemini CLI write it: a session that begins, a tool that is about to be
// used, or an agent that is about to stop.

import { isObject } from './json-text.js';

export type HookKind = 'start' | 'stop' | 'tool';

export interface HookEvent {
  /** Where the agent works; null where it does not say so. */
  readonly cwd: string | null;
  /** The id of the agent's own session. */
  readonly session: string | null;
  /** It was sent back once already, and wants to stop again. */
  readonly isAgain: boolean;
  readonly tool: string;
  /** The file that the tool is about; null where it is about none. */
  readonly path: string | null;
  /** The command that the tool runs in a shell. */
  readonly command: string | null;
}

/** Agents' own names of the events. */
export const HOOK_EVENTS: Readonly<Record<string, HookKind>> = {
  SessionStart: 'start',
  Stop: 'stop',
  SubagentStop: 'stop',
  AfterAgent: 'stop',
  PreToolUse: 'tool',
  BeforeTool: 'tool',
};

/** The event of that name, in any case; null where there is none. */
export function hookKindOf(name: string): HookKind | null {
  const known = Object.keys(HOOK_EVENTS).find((one) => one.toLowerCase() === name.toLowerCase());
  return known === undefined ? null : (HOOK_EVENTS[known] ?? null);
}

/** What is not there, or is no text, is left out: agents differ. */
export function hookEventOf(given: Readonly<Record<string, unknown>>): HookEvent {
  const input = isObject(given['tool_input']) ? given['tool_input'] : {};
  const paths = ['file_path', 'notebook_path', 'absolute_path', 'path'].map((name) => textOf(input[name]));
  return {
    cwd: textOf(given['cwd']),
    session: textOf(given['session_id']),
    isAgain: given['stop_hook_active'] === true,
    tool: textOf(given['tool_name']) ?? '',
    path: paths.find((path) => path !== null) ?? null,
    command: textOf(input['command']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : null;
}
