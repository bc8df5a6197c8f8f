// `umpire check`: a loop in, a proof or a counterexample out.

import { check } from '../../sessions/check-loop.js';
import { checkHeadline, checkJson, checkPage } from '../../views/check-page.js';
import { loopGraph } from '../../views/loop-graph.js';
import { rulesPage } from '../../views/loop-page.js';
import { parseArguments, refuseExtra, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

const FLAGS: FlagKinds = { '--json': 'switch', '--graph': 'switch', '--table': 'switch', '--help': 'switch' };

const EXIT = { proven: 0, refuted: 3, 'proven in part': 5 } as const;

export async function runCheck(args: readonly string[]): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'check');
  if (parsed.switches.has('--help')) return showHelp('check');
  const [name] = parsed.rest;
  if (name === undefined) throw usage('Missing <loop>: a built-in loop, or the path of a loop file.', 'check');
  refuseExtra(parsed, 1, 'check');
  const forms = ['--json', '--graph', '--table'].filter((flag) => parsed.switches.has(flag));
  if (forms.length > 1) throw usage(`Use only one of ${forms.join(', ')}.`, 'check');
  const { loop, proof, placeOf } = await check(name);
  const stdout = parsed.switches.has('--json')
    ? `${JSON.stringify(checkJson(proof, placeOf))}\n`
    : parsed.switches.has('--graph')
      ? loopGraph(loop, proof)
      : parsed.switches.has('--table')
        ? rulesPage(loop)
        : checkPage(loop, proof, placeOf);
  // The page starts with the result. The other forms print it on stderr.
  const stderr = forms.length === 0 ? '' : `${checkHeadline(proof)}\n`;
  return { stdout, stderr, exit: EXIT[proof.result] };
}
