// `umpire ci`: judges a change in a CI job. Prints annotations or text, and writes the reports that the service shows.

import { appendFileSync, writeFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { ciServiceIn, judgeChange } from '../ci.js';
import { ciMarkdown, ciPage, ciSarif, ciSummary, codeQuality, githubAnnotations, failsJob } from '../../views/ci-report.js';
import type { CiReport, FailOn } from '../../views/ci-report.js';
import { lineOf } from '../../views/safe-text.js';
import { faultOf } from '../../sessions/session-folder.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Given } from './commands.js';
import type { Output } from './output.js';
import { VERSION } from './version.generated.js';

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

export async function runCi(
  { failOn = 'high', noReview = false, sarif, codeQuality: quality, ...request }: Given<'ci'>,
  { writeProgress }: Output,
): Promise<CommandOutcome> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  for (const signal of INTERRUPTS) process.once(signal, onInterrupt);
  const report = await judgeChange({
    ...request,
    review: !noReview,
    signal: stop.signal,
    // A runner takes commands from the beginning of a line.
    onNote: (note) => writeProgress(`umpire: ${lineOf(note)}\n`),
  });
  for (const signal of INTERRUPTS) process.off(signal, onInterrupt);
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped.\n', exit: 130 };
  if (sarif !== undefined) writeReport(sarif, ciSarif(report, VERSION));
  if (quality !== undefined) writeReport(quality, codeQuality(report));
  return { ...shown(report, failOn), exit: exitOf(report, failOn) };
}

function shown(report: CiReport, failOn: FailOn): Pick<CommandOutcome, 'stdout' | 'stderr'> {
  if (ciServiceIn(process.env) !== 'github') return { stdout: ciPage(report, failOn) };
  const summary = process.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') writeReport(summary, ciMarkdown(report, failOn), appendFileSync);
  return { stdout: githubAnnotations(report), stderr: `${ciSummary(report, failOn)}\n` };
}

function writeReport(path: string, text: string, write: (path: string, text: string) => void = writeFileSync): void {
  try {
    write(path, text);
  } catch (error) {
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

function exitOf({ guard, review, findings }: CiReport, failOn: FailOn): number {
  if (findings.some((finding) => failsJob(finding, failOn))) return 3;
  const isBroken = [guard, review].some((outcome) => outcome === 'error' || outcome === 'timeout');
  return isBroken ? 1 : 0;
}
