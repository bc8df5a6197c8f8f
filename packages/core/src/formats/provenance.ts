// The origin of evidence: what was judged, by which tools, when, and how each ended. Critics write it for people. No rule uses it, but
// evidence of another commit than the judged one approves nothing.

import { isObject, own, parseJson } from './json-text.js';
import { sarifRevision } from './sarif.js';
import { listIn } from './json-values.js';

/** One run of one tool. */
export interface ToolUse {
  readonly name: string;
  readonly version: string | null;
  /** The arguments. Paths are relative to the project; `<reports>` is a temporary folder. */
  readonly command: readonly string[];
  readonly workdir: string;
  readonly started: string;
  readonly ended: string;
  readonly exit_status: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
}

/** The state that was judged. */
export interface JudgedState {
  /** Null without git or without a commit. */
  readonly commit: string | null;
  /** sha-256 of the changes since the commit, or of all files without a commit. Null if nothing changed. */
  readonly content: string | null;
}

export interface Provenance extends JudgedState {
  /** The checkout had changes since the commit, and they were judged too. */
  readonly uncommitted?: true;
  readonly started: string;
  readonly ended: string;
  readonly tools: readonly ToolUse[];
}

const MOST_TOOLS = 100;

/** The `provenance` member of evidence in JSON. Null if missing or malformed. */
export function readProvenance(text: string): Provenance | null {
  if (!text.includes('"provenance"')) return null;
  const json = parseJson(text);
  const value = json.ok && isObject(json.value) ? own(json.value, 'provenance') : undefined;
  if (!isObject(value)) return null;
  const tools = own(value, 'tools');
  return {
    commit: readTextField(own(value, 'commit')),
    content: readTextField(own(value, 'content')),
    started: readTextField(own(value, 'started')) ?? '',
    ended: readTextField(own(value, 'ended')) ?? '',
    tools: (Array.isArray(tools) ? tools : []).slice(0, MOST_TOOLS).filter(isObject).map(toolOf),
  };
}

/** The commits that a report in JSON says it is about: Umpire's own record, and SARIF's. */
export function commitsNamedIn(text: string): readonly string[] {
  const own = readProvenance(text)?.commit ?? null;
  if (own !== null || !text.includes('"versionControlProvenance"')) return own === null ? [] : [own];
  const json = parseJson(text);
  return json.ok ? listIn(json.value, 'runs').flatMap((run) => listIn(run, 'versionControlProvenance').map(sarifRevision)) : [];
}

/** Shorter ids, tags and revisions of other systems than git cannot be compared. */
const COMMIT_ID = /^[0-9a-f]{7,64}$/i;

/** The commit that is named instead of the judged one. Null where one of them is the judged one, or none can be compared. */
export function otherCommit(named: readonly string[], judged: string | null): string | null {
  const ids = named.filter((id) => COMMIT_ID.test(id));
  return judged === null || ids.some((id) => judged.startsWith(id.toLowerCase())) ? null : (ids[0] ?? null);
}

function toolOf(value: Readonly<Record<string, unknown>>): ToolUse {
  const command = own(value, 'command');
  const status = own(value, 'exit_status');
  return {
    name: readTextField(own(value, 'name')) ?? 'a tool',
    version: readTextField(own(value, 'version')),
    command: (Array.isArray(command) ? command : []).filter((word): word is string => typeof word === 'string'),
    workdir: readTextField(own(value, 'workdir')) ?? '.',
    started: readTextField(own(value, 'started')) ?? '',
    ended: readTextField(own(value, 'ended')) ?? '',
    exit_status: typeof status === 'number' ? status : null,
    signal: readTextField(own(value, 'signal')),
    timed_out: own(value, 'timed_out') === true,
  };
}

function readTextField(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
