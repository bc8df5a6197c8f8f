// Turns what a program returned (its result file, or the last JSON object in its output) and its exit status into the ending of the task.
// Pure. Hostile input is neither slow nor more than text. Critics judge the work itself.

import { basename } from 'node:path';
import { MAX_CELL, MAX_FINDINGS } from '../sessions/run-task.js';
import { readFault } from '@umpire/core/formats/agent-event.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { NO_API_ERROR_INFO, readApiError } from '@umpire/core/formats/model-api-error.js';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Assignment, Ending, Usage } from '@umpire/core/model/ports.js';
import type { AgentReport } from './event-stream.js';
import type { AgentFault } from './failure-cause.js';
import { cutText, lineOf } from '../views/safe-text.js';
import { findWrappedAnswer, readAnyEvent } from './known/known-agents.js';
import { LAST_SEARCHED, MAX_RESULT_BYTES, findLastObject } from './last-json-object.js';
import { UNKNOWN_USAGE, readUsage } from './known/known-agent.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** How it ended, as the end of a sentence, where more than the exit status is known. */
  readonly words?: string;
}

export interface ProgramOutput {
  /** The bytes of the result file; null where there is none. */
  readonly file: Uint8Array | null;
  /** Why the result file could not be read. */
  readonly fault?: string;
  /** The end of the output. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exit: Exit;
  /** The events that it printed, where it does; then stdout itself has no result. */
  readonly report?: AgentReport | null;
}

export const CLEAN_EXIT: Exit = { code: 0, signal: null };

export interface ResultReading {
  readonly ending: Ending;
  /** It ended as it should, but without a valid result: it may be asked for one. */
  readonly lacksResult: boolean;
}

/** `name`: the agent's name for the reason. */
export function readProgramResult(handed: ProgramOutput, assignment: Assignment, name: string): ResultReading {
  const found = findResult(handed);
  const ending = found.ok
    ? endingOf(found.object, assignment, found.where, found.usage ?? readUsage(found.object) ?? UNKNOWN_USAGE)
    : endBroken(`${nameAgent(name)} ${found.problem}${describeLostOutput(handed, assignment)}`, found.usage);
  const hasFault = (handed.report?.fault ?? null) !== null;
  if (isClean(handed.exit)) {
    // Its answer explains more than stderr.
    const isExplained = !found.ok && found.isAnswered === true && !hasFault;
    return { ending: isExplained ? ending : addLastOutput(ending, handed), lacksResult: ending.kind === 'broken' && !hasFault };
  }
  if (ending.kind === 'failed') return { ending, lacksResult: false };
  const although =
    ending.kind === 'completed' ? ', although its result says completed' : ending.kind === 'asked' ? ', although it asked a question' : '';
  const { usage = UNKNOWN_USAGE } = ending;
  return {
    ending: addLastOutput(endBroken(`${nameAgent(name)} ${describeExit(handed.exit)}${although}.`, usage), handed),
    lacksResult: false,
  };
}

/** Says that the output was too long to search, and where to find all of it. */
function describeLostOutput({ file, fault, stdout, report = null }: ProgramOutput, { session, task }: Assignment): string {
  const isFull = report === null && stdout.length >= MAX_RESULT_BYTES;
  const lost = report?.lost ?? (isFull ? LAST_SEARCHED : null);
  if (lost === null || file !== null || fault !== undefined) return '';
  return ` ${lost}; it should write its result to the file at UMPIRE_RESULT_FILE. ${fullOutputHint(session, task.id)}`;
}

/** How a person sees the full output. */
export function fullOutputHint(session: string, task: string): string {
  return `Full output: umpire logs ${basename(session)} ${task}`;
}

/** The ending of a result object. `where`: where it was found. */
export function endingOf(
  object: JsonObject,
  assignment: Assignment,
  where = 'The result',
  usage: Usage = readUsage(object) ?? NO_USAGE,
): Ending {
  const { id } = assignment.task;
  const given = own(object, 'id');
  const refuseResult = (detail: string): Ending => endBroken(`${where} is invalid: ${detail}.`, usage);
  if (given !== undefined && given !== null && cellText(given).trim() !== id)
    return refuseResult(`its id is ${quoteValue(given)}, but the task is ${quoteValue(id)}`);
  const status = own(object, 'status') ?? undefined;
  const question = own(object, 'question');
  if (status === undefined && typeof question === 'string' && question.trim() !== '') {
    if (!assignment.interactive)
      return refuseResult('it asks a question, but the task is not interactive; expected status completed or failed');
    return { kind: 'asked', question: fitCell(question, MAX_CELL), usage };
  }
  if (status === undefined) return refuseResult('it has no status; expected completed or failed');
  const kind = typeof status === 'string' ? status.trim().toLowerCase() : '';
  if (kind === 'blocked') return { kind, reason: blockedReason(object), usage };
  if (kind !== 'completed' && kind !== 'failed')
    return refuseResult(`its status is ${quoteValue(status)}; expected completed, failed or blocked`);
  const error = fitCell(own(object, 'error'), MAX_CELL);
  return {
    kind,
    findings: fitCell(own(object, 'findings'), MAX_FINDINGS, '; '),
    error: kind === 'failed' && error === '' ? 'The agent reported failed without a reason.' : error,
    outputs: Object.fromEntries(assignment.outputs.map((column) => [column, fitCell(own(object, column), MAX_CELL)])),
    usage,
  };
}

/** The reason is in `error`, like that of a failure. Agents may put it elsewhere. */
function blockedReason(object: JsonObject): string {
  const given = ['error', 'reason', 'findings'].map((name) => fitCell(own(object, name), MAX_CELL, '; ')).find((text) => text !== '');
  return given ?? 'The agent gave no reason.';
}

/** As the end of a sentence. */
export function describeExit({ code, signal, words }: Exit): string {
  if (words !== undefined) return words;
  return signal === null ? `exited with status ${code ?? 'unknown'}` : `was killed by signal ${signal}`;
}

type FoundResult =
  | { readonly ok: true; readonly object: JsonObject; readonly where: string; readonly usage: Usage | null }
  | { readonly ok: false; readonly problem: string; readonly usage: Usage; readonly isAnswered?: boolean };

/** A result file that is not empty counts; otherwise the output. */
function findResult({ file, fault, stdout, report = null }: ProgramOutput): FoundResult {
  const printed = decodeTolerantly(stdout.subarray(Math.max(0, stdout.length - MAX_RESULT_BYTES)));
  const text = file === null ? '' : decodeTolerantly(file).trim();
  // The agent's own count, before the word of the one who wrote the result: in a preset that is its model.
  const spent = (): Usage | null => report?.usage ?? spentIn(printed);
  if (fault !== undefined) return missing(`left an unreadable result file: ${fault}.`, spent());
  if (text !== '') {
    const object = parseLastObject(text);
    if (object === null) return missing('wrote a result file without a JSON object.', spent());
    return { ok: true, object, where: 'The result file', usage: spent() };
  }
  const object = report === null ? parseLastObject(printed) : null;
  if (object === null && report === null)
    return missing(`returned no result: no result file and no JSON object in its output. ${LAST_LINE}`, null);
  const answer = report ?? findWrappedAnswer(object ?? {});
  if (answer === null) return { ok: true, object: object ?? {}, where: 'The last JSON object on its output', usage: null };
  const inner = parseLastObject(answer.text);
  const usage = answer.usage;
  if (inner === null)
    return {
      ...missing(`returned no result: its answer has no JSON object. It answered: ${firstWords(answer.text)}.`, usage),
      isAnswered: answer.text.trim() !== '',
    };
  return { ok: true, object: inner, where: 'The last JSON object of its answer', usage };
}

/** For authors of a program who have not read the docs yet. */
const LAST_LINE = 'Its last line should be: {"status":"completed","findings":"what it did"} (docs/agents.md, "Your own program").';

function missing(problem: string, usage: Usage | null): Extract<FoundResult, { ok: false }> {
  return { ok: false, problem, usage: usage ?? UNKNOWN_USAGE };
}

/** The usage that a coding agent prints while its result is in the file. */
function spentIn(printed: string): Usage | null {
  const object = parseLastObject(printed);
  return object === null ? null : (findWrappedAnswer(object)?.usage ?? null);
}

function parseLastObject(text: string): JsonObject | null {
  const last = findLastObject(text);
  const parsed = last === null ? null : parseJson(last);
  return parsed !== null && parsed.ok && isObject(parsed.value) ? parsed.value : null;
}

function isClean({ code, signal, words }: Exit): boolean {
  return code === CLEAN_EXIT.code && signal === null && words === undefined;
}

/** Adds the last error, or the last line on stderr: mostly the cause. */
function addLastOutput(ending: Ending, { stdout, stderr, exit, report = null }: ProgramOutput): Ending {
  if (ending.kind !== 'broken') return ending;
  const errors = withoutColours(decodeTolerantly(stderr)).trimEnd();
  // A coding agent that failed may give the reason only in its answer.
  const answerText = () => (isClean(exit) ? '' : (findWrappedAnswer(parseLastObject(decodeTolerantly(stdout)) ?? {})?.text ?? ''));
  const fault = report?.fault ?? null;
  // An agent's own error begins with its reason; of other output the last line is mostly the reason.
  // Errors may be JSON over several lines, whose last line says nothing.
  const object = errors.endsWith('}') ? parseLastObject(errors) : null;
  const text = (object === null ? null : readFault(object)) ?? (errors === '' ? answerText() : errors);
  const line = text.trimEnd();
  const words = fault === null ? JSON.stringify(lineOf(line.slice(line.lastIndexOf('\n') + 1), 200)) : firstWords(fault);
  return words === '""' ? ending : { ...ending, reason: `${ending.reason} Last output: ${words}.` };
}

/** The object at the very end of the text. An earlier one may be quoted, or belong to an error that was solved. */
function objectEnding(text: string): JsonObject | null {
  const last = text.endsWith('}') ? findLastObject(text) : null;
  return last !== null && text.endsWith(last) ? parseLastObject(last) : null;
}

/** The program's own error in a machine-readable form. Text for people does not count, whatever it says. */
export function findProgramFault({ stdout, stderr, exit, report = null }: ProgramOutput): AgentFault | null {
  if (report !== null && report.fault !== null) return { words: report.fault, ...(report.signs ?? NO_API_ERROR_INFO) };
  const error = objectEnding(withoutColours(decodeTolerantly(stderr)).trimEnd());
  const words = error === null ? null : readFault(error);
  if (words !== null) return { words, ...readApiError(error) };
  if (report !== null || isClean(exit)) return null;
  const object = objectEnding(decodeTolerantly(stdout).trimEnd());
  // A script may have run a coding agent.
  const event = object === null ? null : readAnyEvent(object);
  if (event?.kind === 'failed' || event?.kind === 'ended') return event.why === null ? null : { words: event.why, ...event.signs };
  const inner = object === null ? undefined : own(object, 'error');
  return isObject(inner) ? { words: readFault({ error: inner }) ?? '', ...readApiError(inner) } : null;
}

const MAX_PARAGRAPH_CHARS = 500;

/** The first paragraph, on one line. */
export function firstParagraph(text: string): string {
  const [first = ''] = text.trim().split(/\n\s*\n/, 1);
  return lineOf(first, MAX_PARAGRAPH_CHARS);
}

function firstWords(text: string): string {
  return JSON.stringify(firstParagraph(text));
}

export function endBroken(reason: string, usage: Usage = NO_USAGE): Extract<Ending, { kind: 'broken' }> {
  return { kind: 'broken', reason, usage };
}

function nameAgent(name: string): string {
  return `The agent ${quoteValue(name)}`;
}

function quoteValue(value: unknown): string {
  return JSON.stringify(lineOf(cellText(value), 60));
}

/** A value as the text of a cell: no control characters, no half characters, limited length. */
function fitCell(value: unknown, most: number, separator = ';'): string {
  const text = cellText(value, separator)
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd');
  return cutText(text.trim(), most);
}

/** Joins lists of plain values; deeper values become JSON. */
export function cellText(value: unknown, separator = ';'): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object' || entry === null))
    return value.map((entry) => cellText(entry)).join(separator);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
