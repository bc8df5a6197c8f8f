// Runs the person's command once, by a shell, and takes the names of its tests from that very run. The command comes from the command line;
// no text of a task is ever part of it.

import { rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import type { Watch } from '@umpire/core/model/ports.js';
import { runChildProcess } from '../agents/child-process.js';
import type { ChildEnd } from '../agents/child-process.js';
import type { Guardian } from '../agents/guardian.js';
import { askForNames, readNames } from '../runners/command-names.js';
import { sayTimeLimits } from '../runners/registry.js';
import type { SetReport } from '../runners/command-names.js';
import { listSetTests } from '../runners/settings-command.js';
import type { CriticSettings } from '../sessions/settings.js';
import { failuresInReports } from '../runners/report-file.js';
import type { WrittenFailures } from '../runners/report-file.js';
import { KeptOutput, withoutTestRun } from '../runners/run-tool.js';
import { inheritedVariables, elapsedMs } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';
import { makeScratch } from '../sessions/session-folder.js';
import { findShell, SYSTEM_SHELL } from './command-program.js';
import { lastWhole } from './failure-lines.js';

/** Runners print their summary before a long list of failures, so much more than the tail is searched for what failed. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
/** A list of tests that is cut off would make the rest look deleted, so names are read from whole outputs alone. */
const NAMED_BYTES = 64 * 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const GRACE_MS = 5000;

export interface CommandCall {
  readonly command: string;
  /** Takes the exit status of a pipe as it is: that of its last part. */
  readonly trustsExitStatus: boolean;
  readonly workdir: string;
  /** Finds processes of the command that left its group. */
  readonly mark: string;
  readonly timeoutMs: number;
  /** Test reports that the settings name. */
  readonly reports: readonly SetReport[];
}

export interface CommandRun {
  readonly end: Pick<Extract<ChildEnd, { kind: 'ended' }>, 'code' | 'signal' | 'stopped'>;
  /** The end of what it printed, of both streams. */
  readonly output: string;
  /** Every test that it named; null where it named none, or some may be missing. */
  readonly results: readonly TestResult[] | null;
  /** What test reports that the command wrote say; null where there are none. */
  readonly written: WrittenFailures | null;
  /** When it began, by the clock of the file system. */
  readonly startedMs: number;
  readonly durationMs: number;
}

/** `unstarted`: why, as a sentence. */
export type CommandEnd = CommandRun | { readonly unstarted: string };

export async function runShellCommand(call: CommandCall, guardian: Guardian, watch: Watch): Promise<CommandEnd> {
  const { command, trustsExitStatus, workdir, mark, timeoutMs } = call;
  const shell = trustsExitStatus ? SYSTEM_SHELL : await findShell(command, workdir);
  if (shell === null) return { unstarted: 'The command has a pipe, and no shell with pipefail was found. Install bash.' };
  const scratch = makeScratch('command');
  const whole = join(scratch, 'printed.txt');
  const kept = new KeptOutput(whole, { start: NAMED_BYTES, end: 0 });
  try {
    writeFileSync(join(scratch, 'began'), '');
    // Reports are held against it, and the time of the file system is not that of this process.
    const startedMs = statSync(join(scratch, 'began')).mtimeMs;
    const printed: Buffer[] = [];
    let [bytes, all, isCut] = [0, 0, false];
    const log: Watch['log'] = (stream, chunk) => {
      watch.log(stream, chunk);
      kept.add(chunk);
      printed.push(Buffer.from(chunk));
      bytes += chunk.length;
      all += chunk.length;
      while (bytes - (printed[0]?.length ?? 0) > SEARCHED_BYTES) {
        bytes -= printed.shift()?.length ?? 0;
        isCut = true;
      }
    };
    const asked = askForNames(command, scratch, workdir);
    const around = withoutTestRun(inheritedVariables());
    const own = { ...asked.env, UMPIRE_RUN: guardian.run, UMPIRE_CHECK: mark };
    const launch = {
      // Both streams in one, in their order: some runners name a test on one of them and its program on the other.
      argv: ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...shell, asked.command],
      workdir,
      writable: [scratch],
      env: { ...around, ...environmentIn(around)(workdir), ...own },
      isCheck: true,
      mark: `UMPIRE_CHECK=${mark}`,
      input: '',
      timeoutMs,
      finish: 'SIGTERM' as const,
      graceMs: GRACE_MS,
      tailBytes: TAIL_BYTES,
    };
    const began = elapsedMs();
    const end = await runChildProcess(launch, guardian, { ...watch, log });
    const durationMs = Math.round(elapsedMs() - began);
    if (end.kind === 'unstarted') return { unstarted: `The command could not be started: ${end.error.message}.` };
    const isWhole = end.stopped === null && end.code !== null;
    const printedAt = all <= NAMED_BYTES ? whole : null;
    const output = lastWhole(Buffer.concat(printed).toString('utf8'), Infinity, isCut)
      .split('\n')
      // A runner says where it wrote the report that Umpire asked for.
      .filter((line) => !line.includes(basename(scratch)))
      .join('\n');
    const reports = { reports: asked.reports(printedAt), set: call.reports, printed: printedAt, workdir, sinceMs: startedMs };
    const results = isWhole ? readNames(reports) : null;
    return {
      end,
      output,
      results: results === null ? null : sayTimeLimits(results, output),
      written: failuresInReports(workdir, startedMs),
      startedMs,
      durationMs,
    };
  } finally {
    kept.close();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Of the project and its packages: the command of `until` may be what writes them. */
export function listSetReports(settings: Pick<CriticSettings, 'tests' | 'packages'>): readonly SetReport[] {
  return listSetTests(settings).flatMap(({ path, tests }) =>
    tests === 'none' || tests.report === undefined ? [] : [{ report: join(path, tests.report), format: tests.format ?? null }],
  );
}
