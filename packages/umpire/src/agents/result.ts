// From what a program handed in (its result file, or the last JSON object that it printed) and how it exited, to the ending of
// its task. Pure. Hostile input is never slow and never more than text; whether the work was any good is for a critic to say.

import { basename } from 'node:path';
import { MAX_CELL, MAX_FINDINGS } from '../sessions/ending.js';
import { agentEventIn, faultIn } from '@umpire/core/formats/agent-event.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { NO_API_ERROR_INFO, readApiError } from '@umpire/core/formats/model-api-error.js';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import type { Assignment, Ending, Usage } from '@umpire/core/ports.js';
import type { Told } from './event-stream.js';
import type { Fault } from './fault-cause.js';
import { cutText, showLine } from './hidden-text.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES, findLastObject } from './last-object.js';
import { answerIn, usageOf } from './usage.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** How it ended, as the end of a sentence, where that is told by more than its exit. */
  readonly words?: string;
}

export interface Handed {
  /** The bytes of the result file; null where there is none. */
  readonly file: Uint8Array | null;
  /** Why the result file could not be read, where it could not. */
  readonly fault?: string;
  /** The end of what it printed. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exit: Exit;
  /** What it told in events while it ran, where it does; then its output is not for people and holds no result. */
  readonly told?: Told | null;
}

export const CLEAN_EXIT: Exit = { code: 0, signal: null };

/** `name`: the agent's, for the reason. */
export function readResult(handed: Handed, assignment: Assignment, name: string): Ending {
  const found = findResult(handed);
  const ending = found.ok
    ? endingOf(found.object, assignment, found.where, found.usage)
    : broken(`${named(name)} ${found.problem}${lostWords(handed, assignment)}`, found.usage);
  // What it answered says more than what it printed beside it.
  if (isClean(handed.exit) && !found.ok && found.isAnswered === true && (handed.told?.fault ?? null) === null) return ending;
  if (isClean(handed.exit) || ending.kind === 'failed') return withLastWords(ending, handed);
  const although =
    ending.kind === 'completed' ? ', although its result says completed' : ending.kind === 'asked' ? ', although it asked a question' : '';
  const { usage = NO_USAGE } = ending;
  return withLastWords(broken(`${named(name)} ${exitWords(handed.exit)}${although}.`, usage), handed);
}

/** Where there was too much to read, that is said, and where all of it lies. */
function lostWords({ file, fault, stdout, told = null }: Handed, { session, task }: Assignment): string {
  const isFull = told === null && stdout.length >= MAX_RESULT_BYTES;
  const lost = told?.lost ?? (isFull ? LAST_SEARCHED : null);
  if (lost === null || file !== null || fault !== undefined) return '';
  return ` ${lost}; have it write its result to the file that UMPIRE_RESULT_FILE names. ${keptWords(session, task.id)}`;
}

/** Where a person finds all that it printed. */
export function keptWords(session: string, task: string): string {
  return `All that it printed is kept: umpire logs ${basename(session)} ${task}`;
}

/** The ending that a result object stands for. `where` says where it was found. */
export function endingOf(object: JsonObject, assignment: Assignment, where = 'The result', spent: Usage | null = null): Ending {
  const usage = spent ?? usageOf(object) ?? NO_USAGE;
  const { id } = assignment.task;
  const given = own(object, 'id');
  const invalid = (detail: string): Ending => broken(`${where} is invalid: ${detail}.`, usage);
  if (given !== undefined && given !== null && cellText(given).trim() !== id)
    return invalid(`its id is ${quote(given)}, and the task is ${quote(id)}`);
  const status = own(object, 'status');
  const question = own(object, 'question');
  if (status === undefined && typeof question === 'string' && question.trim() !== '') {
    if (!assignment.interactive)
      return invalid('it asks a question, and this task is not interactive; it needs status completed or failed');
    return { kind: 'asked', question: cell(question, MAX_CELL), usage };
  }
  if (status === undefined) return invalid('it has no status; completed or failed is expected');
  const kind = typeof status === 'string' ? status.trim().toLowerCase() : '';
  if (kind !== 'completed' && kind !== 'failed') return invalid(`its status is ${quote(status)}, and completed or failed is expected`);
  const error = cell(own(object, 'error'), MAX_CELL);
  return {
    kind,
    findings: cell(own(object, 'findings'), MAX_FINDINGS, '; '),
    error: kind === 'failed' && error === '' ? 'The agent handed in failed without a reason.' : error,
    outputs: Object.fromEntries(assignment.outputs.map((column) => [column, cell(own(object, column), MAX_CELL)])),
    usage,
  };
}

/** How a program exited, as the end of a sentence. */
export function exitWords({ code, signal, words }: Exit): string {
  if (words !== undefined) return words;
  return signal === null ? `exited with status ${code ?? 'unknown'}` : `was ended by the signal ${signal}`;
}

type Found =
  | { readonly ok: true; readonly object: JsonObject; readonly where: string; readonly usage: Usage | null }
  | { readonly ok: false; readonly problem: string; readonly usage: Usage; readonly isAnswered?: boolean };

/** The file counts where something was written to it; else what was printed last. */
function findResult({ file, fault, stdout, told = null }: Handed): Found {
  const printed = decodeTolerantly(stdout.subarray(Math.max(0, stdout.length - MAX_RESULT_BYTES)));
  const text = file === null ? '' : decodeTolerantly(file).trim();
  const spent = (): Usage | null => told?.usage ?? spentIn(printed);
  if (fault !== undefined) return missing(`left a result file that cannot be taken: ${fault}.`, spent());
  if (text !== '') {
    const object = objectIn(text);
    if (object === null) return missing('wrote a result file without a JSON object in it.', spent());
    return { ok: true, object, where: 'The result file', usage: usageOf(object) ?? spent() };
  }
  const object = told === null ? objectIn(printed) : null;
  if (object === null && told === null)
    return missing(`handed in no result: it wrote no result file and printed no JSON object. ${LAST_LINE}`, null);
  const answer = told ?? answerIn(object ?? {});
  if (answer === null) return { ok: true, object: object ?? {}, where: 'The last JSON object on its output', usage: null };
  const inner = objectIn(answer.text);
  const usage = answer.usage;
  if (inner === null)
    return {
      ...missing(`handed in no result: its answer holds no JSON object. It ends: ${lastWords(answer.text)}`, usage),
      isAnswered: answer.text.trim() !== '',
    };
  return { ok: true, object: inner, where: 'The last JSON object of its answer', usage: usageOf(inner) ?? usage };
}

/** For whoever writes a program, and has not read the contract yet. */
const LAST_LINE = 'Have it print as its last line: {"status":"completed","findings":"what it did"} (docs/agents.md, "A program").';

function missing(problem: string, usage: Usage | null): Extract<Found, { ok: false }> {
  return { ok: false, problem, usage: usage ?? NO_USAGE };
}

/** What a model's own command line says it used, where the result itself is in the file. */
function spentIn(printed: string): Usage | null {
  const object = objectIn(printed);
  return object === null ? null : (answerIn(object)?.usage ?? null);
}

function objectIn(text: string): JsonObject | null {
  const last = findLastObject(text);
  const parsed = last === null ? null : parseJson(last);
  return parsed !== null && parsed.ok && isObject(parsed.value) ? parsed.value : null;
}

function isClean({ code, signal, words }: Exit): boolean {
  return code === CLEAN_EXIT.code && signal === null && words === undefined;
}

/** A broken ending tells what the program said last went wrong, or else said last on stderr: that is most often why. */
function withLastWords(ending: Ending, { stdout, stderr, exit, told = null }: Handed): Ending {
  if (ending.kind !== 'broken') return ending;
  const errors = withoutColours(decodeTolerantly(stderr)).trimEnd();
  // A model's own command line that broke may say why in its answer, and nowhere else.
  const answered = () => (isClean(exit) ? '' : (answerIn(objectIn(decodeTolerantly(stdout)) ?? {})?.text ?? ''));
  const words = lastWords(told?.fault ?? faultAtEnd(errors) ?? (errors === '' ? answered() : errors));
  return words === '""' ? ending : { ...ending, reason: `${ending.reason} Its last words were ${words}.` };
}

/** Errors are printed as JSON too, over several lines, and the last line of one says nothing. */
function faultAtEnd(text: string): string | null {
  const object = text.endsWith('}') ? objectIn(text) : null;
  return object === null ? null : faultIn(object);
}

/** The object that the text ends with. One that only stands in it may be quoted, or belong to something that was mended since. */
function objectEnding(text: string): JsonObject | null {
  const last = text.endsWith('}') ? findLastObject(text) : null;
  return last !== null && text.endsWith(last) ? objectIn(last) : null;
}

/** What went wrong by its own account, in a form made for programs. What it printed for people is none, whatever that speaks of. */
export function faultOf({ stdout, stderr, exit, told = null }: Handed): Fault | null {
  if (told !== null && told.fault !== null) return { words: told.fault, ...(told.signs ?? NO_API_ERROR_INFO) };
  const error = objectEnding(withoutColours(decodeTolerantly(stderr)).trimEnd());
  const words = error === null ? null : faultIn(error);
  if (words !== null) return { words, ...readApiError(error) };
  if (told !== null || isClean(exit)) return null;
  const object = objectEnding(decodeTolerantly(stdout).trimEnd());
  // A script may have started a coding agent in its place.
  const event = object === null ? null : agentEventIn(object);
  if (event?.kind === 'failed' || event?.kind === 'ended') return event.why === null ? null : { words: event.why, ...event.signs };
  const inner = object === null ? undefined : own(object, 'error');
  return isObject(inner) ? { words: faultIn({ error: inner }) ?? '', ...readApiError(inner) } : null;
}

function lastWords(text: string): string {
  const line = text.trimEnd();
  return JSON.stringify(showLine(line.slice(line.lastIndexOf('\n') + 1), 200));
}

function broken(reason: string, usage: Usage): Ending {
  return { kind: 'broken', reason, usage };
}

function named(name: string): string {
  return `The agent ${quote(name)}`;
}

function quote(value: unknown): string {
  return JSON.stringify(showLine(cellText(value), 60));
}

/** A value as the text of a cell: no character that a terminal obeys, no half characters, and not too long. */
function cell(value: unknown, most: number, separator = ';'): string {
  const text = cellText(value, separator)
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd');
  return cutText(text.trim(), most);
}

/** Lists of plain values are joined; what is nested deeper is JSON. */
export function cellText(value: unknown, separator = ';'): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object' || entry === null))
    return value.map((entry) => cellText(entry)).join(separator);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
