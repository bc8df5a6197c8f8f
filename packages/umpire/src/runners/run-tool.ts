// Runs one tool of the project for the critics: finds its package, streams and bounds its output, reports how it ended.

import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject, nameOf, parseJson } from '@umpire/core/formats/json-text.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { Watch } from '@umpire/core/model/ports.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { runChildProcess, TailBuffer } from '../agents/child-process.js';
import type { ChildEnd } from '../agents/child-process.js';
import { sweepProcesses } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import type { CriticSettings } from '../sessions/settings.js';
import { inheritedVariables, elapsedMs } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';

/** What the tools of a project are run for. */
export interface ToolJob {
  /** Where they run, absolute: the project, or the session's worktree. */
  readonly project: string;
  /** The session folder, absolute. Evidence goes there. */
  readonly session: string;
  readonly settings: CriticSettings;
  readonly guardian: Guardian;
  /** `log` gets what tools print, while they run. Aborted: end the tools and resolve. */
  readonly watch: Watch;
  /** For the whole run. A tool that is still at work then is ended, and its outcome is `timeout`. */
  readonly timeoutMs: number;
  readonly now: () => Date;
  /** One line for people about what happens now. */
  readonly say: (line: string) => void;
}

export interface ProgramCall {
  /** For people and for the provenance: `vitest`. */
  readonly name: string;
  /** Null where it is not known. */
  readonly version?: string | null;
  readonly argv: readonly string[];
  /** Absolute. */
  readonly workdir: string;
  /** Beside the environment of this process, without what belongs to a test run around it. */
  readonly env?: Readonly<Record<string, string>>;
  /** The shorter of this, the settings' time for one tool and what is left of the job's holds. */
  readonly timeoutMs?: number;
  /** A file, absolute, that gets what the tool prints, both streams in their order; of very much the start and the end. */
  readonly keepOutput?: string;
  /** A file, absolute, that gets stdout alone: a report that the tool prints. */
  readonly keepStdout?: string;
  /** stderr comes by stdout, so that both are in their order. */
  readonly joinsStderr?: boolean;
  /** Its output is not shown while it runs: for questions to a tool. */
  readonly isQuiet?: boolean;
  /** Where reports of this call lie: not shown in the provenance as a path of this machine. */
  readonly scratch?: string;
}

export interface ToolRun {
  /** `timeout`: it was ended. `interrupted`: the run is being stopped. Whether `ended` is good news, the exit status and reports say. */
  readonly outcome: 'ended' | 'timeout' | 'unstarted' | 'interrupted';
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started, or which time limit it exceeded; null where it ended by itself. */
  readonly problem: string | null;
  /** The start and the end of what it printed, both streams; the end is empty where the start has it all. */
  readonly head: string;
  readonly tail: string;
  readonly use: ToolUse;
}

const GRACE_MS = 5000;
const SHOWN_BYTES = 16 * 1024;

/** When the first tool of a job began: all of them share the job's time. */
const began = new WeakMap<ToolJob, number>();

/** The rest of the job's time. The first call starts its clock; a job derived from another has a clock of its own. */
export function timeLeft(job: ToolJob): number {
  const start = began.get(job) ?? elapsedMs();
  began.set(job, start);
  return Math.max(0, job.timeoutMs - (elapsedMs() - start));
}

/** Never rejects for what the tool does. */
export async function runTool(job: ToolJob, call: ProgramCall): Promise<ToolRun> {
  const started = job.now();
  const left = timeLeft(job);
  const timeoutMs = Math.min(call.timeoutMs ?? Infinity, job.settings.timeoutMinutes * MINUTE_MS, left);
  if (job.watch.signal.aborted) return unmade(job, call, started, 'interrupted');
  if (left <= 0) return unmade(job, call, started, 'timeout');
  const mark = `UMPIRE_CALL=${job.guardian.run}-${randomUUID()}`;
  const kept = new KeptOutput(call.keepOutput ?? null);
  const alone = new KeptOutput(call.keepStdout ?? null, WHOLE);
  const start = new OutputStart(SHOWN_BYTES);
  const tail = new TailBuffer(SHOWN_BYTES);
  // As in a CI: no colours, no questions, no snapshot written because there was none.
  const inherited = Object.entries(withoutTestRun(inheritedVariables())).filter(([name]) => !OF_PERSON.test(name));
  const around = { ...Object.fromEntries(inherited), CI: 'true', NO_COLOR: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const launch = {
    argv: call.joinsStderr === true ? ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...call.argv] : call.argv,
    workdir: call.workdir,
    env: {
      ...around,
      ...environmentIn(around)(call.workdir),
      ...call.env,
      UMPIRE_RUN: job.guardian.run,
      UMPIRE_CALL: mark.slice('UMPIRE_CALL='.length),
    },
    isCheck: true,
    mark,
    input: '',
    timeoutMs,
    finish: 'SIGTERM' as const,
    graceMs: GRACE_MS,
    tailBytes: 0,
  };
  const log = (stream: 'stdout' | 'stderr', chunk: Uint8Array): void => {
    if (call.isQuiet !== true) job.watch.log(stream, chunk);
    kept.add(chunk);
    if (stream === 'stdout') alone.add(chunk);
    tail.add(start.take(chunk));
  };
  try {
    const end = await runChildProcess(launch, job.guardian, { signal: job.watch.signal, log });
    // Nothing that a test started outlives it, also where it left the group.
    sweepProcesses(launch.mark);
    return {
      ...howItEnded(end, job, call, timeoutMs),
      head: start.text(),
      tail: Buffer.from(tail.bytes()).toString('utf8'),
      use: useOf(job, call, started, end),
    };
  } finally {
    kept.close();
    alone.close();
  }
}

function howItEnded(
  end: ChildEnd,
  job: ToolJob,
  call: ProgramCall,
  limitMs: number,
): Pick<ToolRun, 'outcome' | 'code' | 'signal' | 'problem'> {
  if (end.kind === 'unstarted') return { outcome: 'unstarted', code: null, signal: null, problem: whyUnstarted(end.error, call) };
  const outcome = end.stopped === null ? 'ended' : end.stopped.by === 'timeout' ? 'timeout' : 'interrupted';
  const problem = outcome === 'timeout' ? describeTimeout(job, call, limitMs) : null;
  return { outcome, code: end.code, signal: end.signal, problem };
}

const MINUTE_MS = 60_000;

/** Names the limit that was reached, and the setting that raises it. */
function describeTimeout({ settings }: Pick<ToolJob, 'settings'>, { name, timeoutMs }: ProgramCall, limitMs: number): string {
  if (limitMs === settings.timeoutMinutes * MINUTE_MS)
    return `${name} timed out after ${printLimit(limitMs)}. Allow more with critics.timeout_minutes in umpire.config.yaml.`;
  if (limitMs === timeoutMs) return `${name} timed out after ${printLimit(limitMs)}.`;
  return `${name} timed out: ${WHOLE_LIMIT}.`;
}

/** Of all tools of a critic together. */
export const WHOLE_LIMIT = 'the time limit of the task was reached. Allow more with timeout_minutes in umpire.config.yaml';

export function printLimit(ms: number): string {
  return ms < MINUTE_MS ? `${ms / 1000} s` : `${Number((ms / MINUTE_MS).toFixed(1))} min`;
}

/** Why a run says nothing: it did not come to its own end. Null where it did. */
export function whyUnended(
  { outcome, problem }: Pick<ToolRun, 'outcome' | 'problem'>,
  name: string,
): { readonly outcome: 'timeout' | 'error' | 'missing'; readonly problem: string } | null {
  switch (outcome) {
    case 'timeout':
      return { outcome: 'timeout', problem: problem ?? `${name} timed out.` };
    case 'interrupted':
      return { outcome: 'error', problem: `${name} was stopped before it finished.` };
    case 'unstarted':
      return { outcome: 'missing', problem: problem ?? `${name} could not be started.` };
    case 'ended':
      return null;
  }
}

/** `exit status 1`, `killed by SIGTERM` */
export function howToolEnded({ code, signal }: Pick<ToolRun, 'code' | 'signal'>): string {
  return code === null ? `killed by ${signal ?? 'a signal'}` : `exit status ${code}`;
}

/** A missing working folder is reported in the same words as a missing program. */
function whyUnstarted(error: NodeJS.ErrnoException, { name, workdir, argv }: ProgramCall): string {
  if (error.code === 'ENOENT' && !existsSync(workdir)) return `${name} could not be started: its folder is gone.`;
  if (error.code === 'ENOENT') return `${name} could not be started: program ${argv[0] ?? ''} not found. Install it or fix the PATH.`;
  if (error.code === 'E2BIG') return `${name} could not be started: its arguments are too long.`;
  return `${name} could not be started: ${error.code ?? error.message}.`;
}

function useOf(job: ToolJob, call: ProgramCall, started: Date, end: ChildEnd | null): ToolUse {
  const ended = end?.kind === 'ended' ? end : null;
  const places = { project: job.project, scratch: call.scratch };
  return {
    name: call.name,
    version: call.version ?? null,
    command: shownWords(call.argv, places),
    workdir: shownWord(resolve(call.workdir), places),
    started: started.toISOString(),
    ended: job.now().toISOString(),
    exit_status: ended?.code ?? null,
    signal: ended?.signal ?? null,
    timed_out: ended?.stopped?.by === 'timeout',
  };
}

const MOST_WORDS = 60;

export interface ShownPlaces {
  readonly project: string;
  readonly scratch?: string | undefined;
}

/** A command's words for the evidence: no place of this machine where it can be avoided, and no list without an end. */
export function shownWords(argv: readonly string[], places: ShownPlaces): readonly string[] {
  const words = argv.slice(0, MOST_WORDS).map((word) => (word === process.execPath ? 'node' : shownWord(word, places)));
  return argv.length > MOST_WORDS ? [...words, `… and ${argv.length - MOST_WORDS} more`] : words;
}

export function shownWord(word: string, { project, scratch }: ShownPlaces): string {
  const hidden = scratch === undefined ? word : word.replaceAll(scratch, '<reports>');
  if (hidden === project) return '.';
  return hidden.replaceAll(`${project}/`, '').replaceAll(project, '.');
}

const MOST_ERROR_LINES = 4;
const LONGEST_ERROR = 300;
const LONGEST_OUTPUT_LINE = 1000;

/** Where an error begins: `SyntaxError: …`, `Error [ERR_X]: …`, `ERROR: …`, `failed to load …`, `a.json(2,1): error TS1005: …`. */
const BEGINS =
  /^(?:uncaught |PHP |\[ERROR\] )?(?:[A-Za-z]{0,40}(?:Error|Exception)(?: \[\w{1,60}\])?:|(?:error|fatal|failed|cannot|exception)\b)|: error \w/i;
/** A line of a stack. */
const FRAME = /^at \S/;
/** What tools print around their errors. */
const AROUND =
  /^(?:Oops! Something went wrong|ESLint: \d|Node\.js v\d|\{"|\[INFO\]|\[ERROR\]\s*(?:$|For more|Re-run|To see|\[Help|-> \[Help))/;

/**
 * What a tool that broke says went wrong: the lines where its error begins, not the end of the stack below it. For people; nothing is
 * decided by it. `which`: the first error of a tool that ends with one, or the last of one that may have printed the errors of others before.
 * Without any that is known as one, the last lines.
 */
export function errorWords({ head, tail }: Pick<ToolRun, 'head' | 'tail'>, which: 'first' | 'last', places: ShownPlaces | null): string {
  const lines = withoutColours(`${head}${tail}`)
    .split('\n')
    .map((line) => stripMarks(line.slice(0, LONGEST_OUTPUT_LINE)))
    .filter((line) => line !== '' && !AROUND.test(line));
  const isStart = (line: string): boolean => BEGINS.test(line);
  const start = which === 'first' ? lines.findIndex(isStart) : lines.findLastIndex(isStart);
  const shown = (text: string): string => (places === null ? text : shownWord(text, places));
  if (start < 0) return lastThatFit(lines.map(shown)).slice(0, LONGEST_ERROR);
  const block = lines.slice(start, start + MOST_ERROR_LINES);
  const end = block.findIndex((line) => FRAME.test(line));
  return shown((end < 0 ? block : block.slice(0, end)).join(' / ')).slice(0, LONGEST_ERROR);
}

/** Up to three, each from its start. */
function lastThatFit(lines: readonly string[]): string {
  const [last = '', ...before] = lines.slice(-3).toReversed();
  let text = last;
  for (const line of before) {
    if (line.length + text.length + ' / '.length > LONGEST_ERROR) break;
    text = `${line} / ${text}`;
  }
  return text;
}

/** Without the marks and frames that tools draw; empty where the line is nothing else. */
function stripMarks(line: string): string {
  const trimmed = line.trim();
  return /[\p{L}\p{N}]/u.test(trimmed) ? trimmed.replace(/^(?:[^\p{L}\p{N}[\]({"'`/.-]|x (?=[A-Z])){1,40}/u, '').trim() : '';
}

function unmade(job: ToolJob, call: ProgramCall, started: Date, outcome: 'timeout' | 'interrupted'): ToolRun {
  const use = { ...useOf(job, call, started, null), timed_out: outcome === 'timeout' };
  const problem = outcome === 'timeout' ? `${call.name} did not start: ${WHOLE_LIMIT}.` : null;
  return { outcome, code: null, signal: null, problem, head: '', tail: '', use };
}

/** Variables of a test run around this one: a runner below it would take itself for a part of that. */
const TEST_RUN =
  /^(?:VITEST|VITEST_(?:MODE|POOL_ID|WORKER_ID|VM_POOL)|__VITEST.*|JEST_WORKER_ID|MOCHA_WORKER_ID|NYC_CONFIG|NODE_TEST_CONTEXT|NODE_V8_COVERAGE|NODE_CHANNEL_FD|NODE_UNIQUE_ID|PYTEST_CURRENT_TEST)$/;
/** Of the person, and no business of a tool. */
const OF_PERSON = /^(?:UMPIRE_.*|NODE_ENV|FORCE_COLOR)$/;

export function withoutTestRun(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !TEST_RUN.test(name)));
}

/** The first bytes of a stream; `take` returns the rest. */
class OutputStart {
  private readonly pieces: Buffer[] = [];
  private room: number;

  constructor(most: number) {
    this.room = most;
  }

  take(chunk: Uint8Array): Uint8Array {
    const mine = chunk.subarray(0, this.room);
    if (mine.length > 0) this.pieces.push(Buffer.from(mine));
    this.room -= mine.length;
    return chunk.subarray(mine.length);
  }

  text(): string {
    return Buffer.concat(this.pieces).toString('utf8');
  }
}

export interface FoundTool {
  /** Absolute: a file for `process.execPath`. */
  readonly bin: string;
  readonly version: string | null;
}

/** The package's own command, as Node would find the package from this folder upwards. `npx` would download what is not there. */
export function findTool(from: string, name: string, command = name.slice(name.lastIndexOf('/') + 1)): FoundTool | null {
  const found = findPackage(from, name);
  if (found === null) return null;
  const { bin } = found.manifest;
  const path: unknown = typeof bin === 'string' ? bin : isObject(bin) ? bin[command] : undefined;
  if (typeof path !== 'string') return null;
  const place = join(found.folder, path);
  return existsSync(place) ? { bin: place, version: found.version } : null;
}

export interface FoundPackage {
  readonly folder: string;
  readonly version: string | null;
  readonly manifest: Readonly<Record<string, unknown>>;
}

export function findPackage(from: string, name: string): FoundPackage | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    const manifest = readManifest(place);
    if (manifest !== null) {
      const { version } = manifest;
      return { folder: place, version: typeof version === 'string' ? version : null, manifest };
    }
    if (dirname(folder) === folder) return null;
  }
}

/** The package.json of a folder; null where there is none, or none that can be read. */
export function readManifest(folder: string): Readonly<Record<string, unknown>> | null {
  const text = manifestText(folder);
  const json = text === null ? null : parseJson(text);
  return json?.ok === true && isObject(json.value) ? json.value : null;
}

/** What is wrong with the package.json of a folder; null where it can be read, or there is none. */
export function manifestFault(folder: string): string | null {
  const text = manifestText(folder);
  if (text === null) return null;
  const json = parseJson(text);
  if (!json.ok) return json.problem;
  return isObject(json.value) ? null : `it is ${nameOf(json.value)}; expected an object`;
}

function manifestText(folder: string): string | null {
  try {
    return readFileSync(join(folder, 'package.json'), 'utf8');
  } catch {
    return null;
  }
}

/** Of output for people. */
const HALF_BYTES = 8 * 1024 * 1024;

/** Of a report that a tool prints: nothing of it can be left out, so one that is larger is cut off, and cannot be read. */
const WHOLE = { start: 256 * 1024 * 1024, end: 0 };

/** The output of a tool in a file. Of very much output the start and the end are kept, so no test fills the disk. */
export class KeptOutput {
  private readonly file: number | null;
  private written = 0;
  private rest: TailBuffer | null = null;
  private beyond = 0;

  /** Null keeps nothing. */
  constructor(
    path: string | null,
    private readonly bounds = { start: HALF_BYTES, end: HALF_BYTES },
  ) {
    if (path !== null) mkdirSync(dirname(path), { recursive: true });
    this.file = path === null ? null : openSync(path, 'w');
  }

  add(chunk: Uint8Array): void {
    if (this.file === null) return;
    const now = chunk.subarray(0, Math.max(0, this.bounds.start - this.written));
    if (now.length > 0) writeSync(this.file, now);
    this.written += now.length;
    if (now.length === chunk.length || this.bounds.end === 0) return;
    this.rest ??= new TailBuffer(this.bounds.end);
    this.rest.add(chunk.subarray(now.length));
    this.beyond += chunk.length - now.length;
  }

  close(): void {
    if (this.file === null) return;
    if (this.rest !== null) {
      const end = this.rest.bytes();
      if (this.beyond > end.length) writeSync(this.file, `\n[${this.beyond - end.length} bytes omitted]\n`);
      writeSync(this.file, end);
    }
    closeSync(this.file);
  }
}
