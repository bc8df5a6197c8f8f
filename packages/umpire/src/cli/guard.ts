// `umpire guard`: what in a change makes tests lie. Findings go to stdout, in words, JSON or SARIF; the exit status says whether
// there is a breach.

import { setFlagsFromString } from 'node:v8';
import { guardProject } from '../commands/guard.js';
import type { GuardRun } from '../commands/guard.js';
import { guardJson } from '../report/guard-json.js';
import { guardPage } from '../report/guard-page.js';
import { guardSarif } from '../report/guard-sarif.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import { VERSION } from './help.js';
import type { Outcome } from './outcome.js';
import { RUN_HELP } from './run-help.js';

const FLAGS: FlagKinds = {
  '--base': 'value',
  '--scope': 'value',
  '--project': 'value',
  '--report-before': 'value',
  '--report-after': 'value',
  '--staged': 'switch',
  '--revert': 'switch',
  '--json': 'switch',
  '--sarif': 'switch',
  '--help': 'switch',
};

export async function runGuard(args: readonly string[]): Promise<Outcome> {
  const { values, switches, rest } = readWords(args, FLAGS, 'guard');
  if (switches.has('--help')) return { stdout: RUN_HELP.guard, exit: 0 };
  if (rest[0] !== undefined) throw usage(`"${rest[0].slice(0, 40)}" is one word too many; the base goes with --base.`, 'guard');
  const scope = values.get('--scope');
  if (scope !== undefined && scope !== 'testing' && scope !== 'any')
    throw usage(`--scope takes testing or any, not "${scope.slice(0, 40)}".`, 'guard');
  const [json, sarif] = [switches.has('--json'), switches.has('--sarif')];
  if (switches.has('--staged') && switches.has('--revert'))
    throw usage('--revert changes your files, and --staged looks at what git holds of them: use one of the two.', 'guard');
  if (json && sarif) throw usage('It prints JSON or SARIF, not both.', 'guard');
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
    around: unhurried,
    onNote: (note) => void notes.push(`Note: ${note}\n`),
  });
  const stdout = json ? `${JSON.stringify(guardJson(run))}\n` : sarif ? guardSarif(shown(run), VERSION) : guardPage(run, terminal());
  return { stdout, ...(notes.length === 0 ? {} : { stderr: notes.join('') }), exit: exitOf(run) };
}

/** How much a function must have run before V8 thinks of optimizing it, as its versions have it. */
const BUDGETS: Readonly<Record<string, number>> = { '11.3': 67_584 };

/**
 * A look lasts seconds. Inlining the flat code of the guard costs a quarter of the CPU time, and optimizing what runs a little costs
 * more than it brings, most of all where two threads share two cores. Set back at the end: compiled code that is kept for the next start
 * is only good under the same flags.
 */
function unhurried<Seen>(look: () => Seen): Seen {
  const budget = BUDGETS[process.versions.v8.split('.', 2).join('.')];
  const set = (inlines: boolean, factor: number): void => {
    setFlagsFromString(inlines ? '--turbo-inlining' : '--no-turbo-inlining');
    if (budget !== undefined) setFlagsFromString(`--interrupt-budget=${budget * factor}`);
  };
  set(false, PATIENCE);
  try {
    return look();
  } finally {
    set(true, 1);
  }
}

const PATIENCE = 8;

function exitOf({ findings, reverted, isBlind }: GuardRun): number {
  if ((reverted?.left ?? findings).length > 0) return 3;
  return isBlind ? 1 : 0;
}

/** After a revert a tool is told of what is left. */
function shown(run: GuardRun): GuardRun {
  return { ...run, findings: run.reverted?.left ?? run.findings };
}

function terminal(): { readonly columns: number; readonly color: boolean } {
  const isTerminal = process.stdout.isTTY;
  return { columns: isTerminal ? process.stdout.columns : 80, color: isTerminal && process.env['NO_COLOR'] === undefined };
}
