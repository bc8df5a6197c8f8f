// The events that coding agents send to their hooks: a session starts, a tool is about to run, or the agent is about to stop.

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
  /** The files that the tool works on. */
  readonly paths: readonly string[];
  /** The shell command that the tool runs. */
  readonly command: string | null;
}

/** Missing or malformed members are left out, because agents differ. */
export function hookEventOf(given: Readonly<Record<string, unknown>>): HookEvent {
  const input = isObject(given['tool_input']) ? given['tool_input'] : {};
  const named = PATHS.flatMap((name) => readInputText(input[name]) ?? []).slice(0, 1);
  // Codex and opencode edit with a patch, whose text is no shell command.
  const patch = PATCHES.map((name) => readInputText(input[name]) ?? '').find((text) => text.includes('*** Begin Patch')) ?? null;
  return {
    cwd: readInputText(given['cwd']),
    session: readInputText(given['session_id']),
    isAgain: given['stop_hook_active'] === true,
    blocked: blockedIn(readInputText(given['last_assistant_message']) ?? readInputText(given['prompt_response']) ?? ''),
    tool: readInputText(given['tool_name']) ?? '',
    paths: patch === null ? named : [...named, ...pathsInPatch(patch)],
    command: patch === null || patch !== readInputText(input['command']) ? readInputText(input['command']) : null,
  };
}

const PATHS = ['file_path', 'notebook_path', 'absolute_path', 'path', 'filePath'];
const PATCHES = ['command', 'input', 'patch', 'patchText'];

function pathsInPatch(patch: string): readonly string[] {
  return [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].flatMap(([, path]) => path?.trim() ?? []);
}

function blockedIn(message: string): string | null {
  return /^[\s*_`>]*UMPIRE-BLOCKED:[\s*_`]*(\S.*)$/m.exec(message)?.[1]?.trim() ?? null;
}

function readInputText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : null;
}
