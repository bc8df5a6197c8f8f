// What a piece of evidence is bound to, as the critics write it into their evidence: what was judged, by which tools, when, and how
// each ended. Read back for people; no verdict rests on it.

import { isObject, own, parseJson } from './json-text.js';

/** One run of one tool, as it stands in the evidence. */
export interface ToolUse {
  readonly name: string;
  readonly version: string | null;
  /** Its words. Paths are relative to the project; `<reports>` is a folder that is gone by now. */
  readonly command: readonly string[];
  readonly workdir: string;
  readonly started: string;
  readonly ended: string;
  readonly exit_status: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
}

/** What was judged. */
export interface Judged {
  /** Null where there is no git, or no commit yet. */
  readonly commit: string | null;
  /** sha-256 of what differs from the commit; without a commit, of all files; null where nothing differs. */
  readonly content: string | null;
}

export interface Provenance extends Judged {
  readonly started: string;
  readonly ended: string;
  readonly tools: readonly ToolUse[];
}

const MOST_TOOLS = 100;

/** The member `provenance` of evidence in JSON; null where it has none that can be read. */
export function readProvenance(text: string): Provenance | null {
  if (!text.includes('"provenance"')) return null;
  const json = parseJson(text);
  const value = json.ok && isObject(json.value) ? own(json.value, 'provenance') : undefined;
  if (!isObject(value)) return null;
  const tools = own(value, 'tools');
  return {
    commit: textOf(own(value, 'commit')),
    content: textOf(own(value, 'content')),
    started: textOf(own(value, 'started')) ?? '',
    ended: textOf(own(value, 'ended')) ?? '',
    tools: (Array.isArray(tools) ? tools : []).slice(0, MOST_TOOLS).filter(isObject).map(toolOf),
  };
}

function toolOf(value: Readonly<Record<string, unknown>>): ToolUse {
  const command = own(value, 'command');
  const status = own(value, 'exit_status');
  return {
    name: textOf(own(value, 'name')) ?? 'a tool',
    version: textOf(own(value, 'version')),
    command: (Array.isArray(command) ? command : []).filter((word): word is string => typeof word === 'string'),
    workdir: textOf(own(value, 'workdir')) ?? '.',
    started: textOf(own(value, 'started')) ?? '',
    ended: textOf(own(value, 'ended')) ?? '',
    exit_status: typeof status === 'number' ? status : null,
    signal: textOf(own(value, 'signal')),
    timed_out: own(value, 'timed_out') === true,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
