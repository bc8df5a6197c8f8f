// `umpire ci`: judges a change in a CI job. Prints annotations or text, and writes the reports that the service shows.

import { appendFileSync, writeFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import { ciServiceIn, judgeChange } from '../ci.js';
import { ciMarkdown, ciPage, ciSarif, ciSummary, codeQuality, githubAnnotations, failsJob } from '../../views/ci-report.js';
import type { CiReport, FailOn } from '../../views/ci-report.js';
import { lineOf } from '../../views/safe-text.js';
import { faultOf } from '../../sessions/session-folder.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import type { Output } from './output.js';
import { showHelp } from './show-help.js';
import { VERSION } from './version.generated.js';

const FLAGS: FlagKinds = {
  '--base': 'value',
  '--fail-on': 'value',
  '--sarif': 'value',
  '--code-quality': 'value',
  '--project': 'value',
  '--no-review': 'switch',
  '--help': 'switch',
};

const FAIL_ON: readonly FailOn[] = [...SEVERITIES, 'never'];
const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

export async function runCi(args: readonly string[], { writeProgress }: Output): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'ci');
  if (parsed.switches.has('--help')) return showHelp('ci');
  refuseExtra(parsed, 0, 'ci', 'Name the base with --base.');
  const asked = parsed.values.get('--fail-on') ?? 'high';
  const failOn = FAIL_ON.find((word) => word === asked);
  if (failOn === undefined) throw usage(`--fail-on takes ${FAIL_ON.join(', ')}, not "${asked.slice(0, 40)}".`, 'ci');
  const given = (flag: string, key: string) => (parsed.values.has(flag) ? { [key]: parsed.values.get(flag) } : {});
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  for (const signal of INTERRUPTS) process.once(signal, onInterrupt);
  const report = await judgeChange({
    ...given('--project', 'project'),
    ...given('--base', 'base'),
    review: !parsed.switches.has('--no-review'),
    signal: stop.signal,
    // A runner takes commands from the beginning of a line.
    onNote: (note) => writeProgress(`umpire: ${lineOf(note)}\n`),
  });
  for (const signal of INTERRUPTS) process.off(signal, onInterrupt);
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped.\n', exit: 130 };
  const [sarif, quality] = [parsed.values.get('--sarif'), parsed.values.get('--code-quality')];
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
