// `umpire guard`: finds skipped, weakened or deleted tests. Prints the findings as text, JSON or SARIF.

import { guardProject } from '../../engine/guard.js';
import type { GuardRun } from '../../engine/guard.js';
import { guardJson, guardPage } from '../../views/guard-page.js';
import { guardSarif } from '../../views/guard-sarif.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import { VERSION } from './version.generated.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';
import type { Output } from './output.js';

const FLAGS: FlagKinds = {
  '--base': 'value',
  '--scope': 'value',
  '--project': 'value',
  '--report-before': 'value',
  '--report-after': 'value',
  '--run': 'value',
  '--run-minutes': 'value',
  '--staged': 'switch',
  '--revert': 'switch',
  '--strict': 'switch',
  '--json': 'switch',
  '--sarif': 'switch',
  '--help': 'switch',
};

export async function runGuard(args: readonly string[], { write, writeProgress, isColored }: Output): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'guard');
  const { values, switches } = parsed;
  if (switches.has('--help')) return showHelp('guard');
  refuseExtra(parsed, 0, 'guard', 'Name the base with --base.');
  const scope = values.get('--scope');
  if (scope !== undefined && scope !== 'testing' && scope !== 'any')
    throw usage(`--scope takes testing or any, not "${scope.slice(0, 40)}".`, 'guard');
  const [json, sarif] = [switches.has('--json'), switches.has('--sarif')];
  if (switches.has('--staged') && switches.has('--revert'))
    throw usage('Use --revert or --staged, not both: --revert changes files on disk, --staged reads staged files.', 'guard');
  if (json && sarif) throw usage('Use --json or --sarif, not both.', 'guard');
  const command = values.get('--run');
  const minutes = minutesOf(values.get('--run-minutes'));
  if (command === undefined && minutes !== undefined) throw usage('--run-minutes needs --run.', 'guard');
  if (command !== undefined && switches.has('--revert'))
    throw usage('Use --run or --revert, not both: run the tests first, then revert.', 'guard');
  const stop = new AbortController();
  const retrial =
    command === undefined
      ? {}
      : {
          retrial: {
            command,
            ...(minutes === undefined ? {} : { minutes }),
            signal: stop.signal,
            onStep: (line: string) => writeProgress(`umpire: ${line}\n`),
            ...(await import('./terminal-questions.js')).trustQuestion(write),
          },
        };
  const onInterrupt = () => stop.abort();
  if (command !== undefined) for (const signal of INTERRUPTS) process.once(signal, onInterrupt);
  const given = (flag: string, key: string) => (values.has(flag) ? { [key]: values.get(flag) } : {});
  const notes: string[] = [];
  const run = await guardProject({
    ...given('--base', 'base'),
    ...given('--project', 'project'),
    ...given('--report-before', 'reportBefore'),
    ...given('--report-after', 'reportAfter'),
    ...(scope === undefined ? {} : { scope }),
    staged: switches.has('--staged'),
    revert: switches.has('--revert'),
    ...retrial,
    onNote: (note) => void notes.push(`Note: ${note}\n`),
  });
  for (const signal of INTERRUPTS) process.off(signal, onInterrupt);
  if (stop.signal.aborted) return { stderr: 'umpire: Stopped.\n', exit: 130 };
  const stdout = json
    ? `${JSON.stringify(guardJson(run))}\n`
    : sarif
      ? guardSarif(withRemainingFindings(run), VERSION)
      : guardPage(run, { columns: process.stdout.isTTY ? process.stdout.columns : 80, color: isColored(1) });
  return { stdout, ...(notes.length === 0 ? {} : { stderr: notes.join('') }), exit: exitOf(run, switches.has('--strict')) };
}

/** A retrial that says nothing is an error: somebody asked for it. */
function exitOf({ findings, notes, reverted, isBlind, retrial }: GuardRun, isStrict: boolean): number {
  if ((reverted?.left ?? findings).length > 0 || (isStrict && notes.length > 0)) return 3;
  return isBlind || (retrial?.problem ?? null) !== null ? 1 : 0;
}

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;
const MOST_MINUTES = 24 * 60;

function minutesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const minutes = Number(text);
  if (!/^\d+$/.test(text) || minutes < 1 || minutes > MOST_MINUTES)
    throw usage(`--run-minutes takes a whole number from 1 to ${MOST_MINUTES}, not "${text.slice(0, 40)}".`, 'guard');
  return minutes;
}

/** After a revert, SARIF lists the remaining findings. */
function withRemainingFindings(run: GuardRun): GuardRun {
  return { ...run, findings: run.reverted?.left ?? run.findings };
}
