// The critic of the plain loop: runs the person's own command in the session's worktree and writes its result as evidence. The command
// comes from the command line, so a shell reads it; no text of a task is ever part of it.

import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import { runChildProcess } from '../agents/child-process.js';
import type { ChildEnd } from '../agents/child-process.js';
import type { Guardian } from '../agents/guardian.js';
import { lastWhole, tellingLines } from './failure-lines.js';
import { lineOf } from '../report/safe-text.js';
import { PRINTED_NOTHING } from '../report/words.js';
import { elapsedMs } from '../sessions/clock.js';
import { statOf } from '../sessions/file-system.js';
import { inheritedVariables } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';
import { forgetCheckedFolders, MAX_BYTES, openFolder, placeFor, writeAtomically } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';

export const RESULT = 'results/until.json';
const OUTPUT = 'results/output-until.txt';
const MARK = 'results/.began';
const REPORTS = { sarif: 'results/until-report.sarif', json: 'results/until-report.json', md: 'results/until-report.md' } as const;
const TAIL_BYTES = 64 * 1024;
const GRACE_MS = 5000;

type EndedChild = Extract<ChildEnd, { kind: 'ended' }>;

/** `report`: a file that the command writes, relative to where it runs; else SARIF files it leaves at the top are found. */
export function checkCommand(command: string, report: string | null, guardian: Guardian): Agent {
  const run = async (assignment: Assignment, watch: Watch): Promise<Ending> => {
    if (watch.signal.aborted) return { kind: 'interrupted' };
    const mark = `UMPIRE_CHECK=${assignment.session}#${assignment.attempt}`;
    const around = inheritedVariables();
    const env = { ...around, ...environmentIn(around)(assignment.workdir), UMPIRE_RUN: guardian.run, UMPIRE_SESSION: assignment.session };
    const launch = {
      argv: ['/bin/sh', '-c', command],
      workdir: assignment.workdir,
      writable: [assignment.session],
      env: { ...env, UMPIRE_CHECK: mark.slice('UMPIRE_CHECK='.length) },
      mark,
      input: '',
      timeoutMs: assignment.timeoutMs,
      finish: 'SIGTERM' as const,
      graceMs: GRACE_MS,
      tailBytes: TAIL_BYTES,
    };
    const folder = openFolder(assignment.session);
    clearOld(folder);
    const began = elapsedMs();
    const startedMs = statSync(placeFor(folder, MARK)).mtimeMs;
    const printed: Buffer[] = [];
    let bytes = 0;
    let isCut = false;
    const log: Watch['log'] = (stream, chunk) => {
      watch.log(stream, chunk);
      printed.push(Buffer.from(chunk));
      bytes += chunk.length;
      while (bytes - (printed[0]?.length ?? 0) > TAIL_BYTES) {
        bytes -= printed.shift()?.length ?? 0;
        isCut = true;
      }
    };
    const end = await runChildProcess(launch, guardian, { ...watch, log });
    forgetCheckedFolders(folder);
    if (end.kind === 'ended' && end.stopped?.by === 'abort') return { kind: 'interrupted' };
    if (end.kind === 'unstarted')
      return { kind: 'broken', reason: `The command could not be started: ${end.error.message}.`, usage: NO_USAGE };
    const problem = takeReport(folder, assignment.workdir, report, startedMs);
    const output = lastWhole(Buffer.concat(printed).toString('utf8'), Infinity, isCut);
    return leave(folder, { command, problem, durationMs: Math.round(elapsedMs() - began) }, end, output);
  };
  return { name: 'check', run };
}

/** Results of an earlier round are no evidence of this one. The mark's time is the file system's own: reports are held against it. */
function clearOld(folder: SessionFolder): void {
  for (const path of [RESULT, OUTPUT, ...Object.values(REPORTS)]) rmSync(placeFor(folder, path), { force: true });
  writeAtomically(folder, MARK, '', false);
}

/**
 * A report that the command wrote while it ran becomes evidence. One that was there before, or is no file, does not: where it was
 * asked for by name, what is wrong with it is returned.
 */
function takeReport(folder: SessionFolder, workdir: string, named: string | null, sinceMs: number): string | null {
  const candidates = named === null ? readdirSync(workdir).filter((name) => name.endsWith('.sarif')) : [named];
  for (const name of candidates) {
    const place = join(workdir, name);
    const problem = problemWith(place, sinceMs);
    if (problem !== null && named !== null) return `The report ${lineOf(name, 100)} ${problem}.`;
    if (problem !== null) continue;
    const kind = name.endsWith('.md') ? 'md' : name.endsWith('.json') ? 'json' : 'sarif';
    writeAtomically(folder, REPORTS[kind], readFileSync(place), false);
    return null;
  }
  return null;
}

function problemWith(place: string, sinceMs: number): string | null {
  const stat = statOf(place);
  if (stat === undefined) return 'was not written to the folder where the command runs';
  if (!stat.isFile()) return 'is not a file';
  if (stat.mtimeMs < sinceMs) return 'is older than this run of the command';
  return stat.size > MAX_BYTES ? 'is too large to read' : null;
}

/** What these mean in every shell. */
const SHELL_SAYS: Readonly<Record<number, string>> = {
  126: ': the program may not be executed',
  127: ': program not found',
};

interface CommandResult {
  readonly command: string;
  /** What is wrong with the report that was asked for; null where nothing is. */
  readonly problem: string | null;
  readonly durationMs: number;
}

function leave(folder: SessionFolder, { command, problem, durationMs }: CommandResult, end: EndedChild, output: string): Ending {
  const timedOut = end.stopped?.by === 'timeout';
  const result = {
    command,
    exit_status: end.code,
    signal: end.signal,
    timed_out: timedOut,
    ...(problem === null ? {} : { report_problem: problem }),
    duration_ms: durationMs,
    output_tail: lastWhole(output, 4000),
  };
  writeAtomically(folder, RESULT, `${JSON.stringify(result, null, 2)}\n`, false);
  writeAtomically(folder, OUTPUT, output, false);
  const how = timedOut
    ? 'timed out'
    : end.code === null
      ? `was killed by ${end.signal ?? 'a signal'}`
      : `${end.code === 0 ? 'passed' : 'failed'} (exit status ${end.code}${SHELL_SAYS[end.code] ?? ''})`;
  const { lines, isFailure } = tellingLines(output, timedOut || end.code !== 0);
  const silent = output.trim() === '' && end.code !== 0 ? ` ${PRINTED_NOTHING}` : '';
  const said = lines.length === 0 ? silent : ` ${isFailure ? 'Failures' : 'Last lines'}: ${lines.join(' / ')}`;
  const asked = problem === null ? '' : ` ${problem}`;
  const findings = `The command ${how}.${asked}${said}`.slice(0, 500);
  return { kind: 'completed', findings, error: '', outputs: { exit_status: String(end.code ?? '') }, usage: NO_USAGE };
}
