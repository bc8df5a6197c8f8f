// `umpire check`: a loop in, a proof or a counterexample out.

import { check } from '../sessions/check.js';
import { checkHeadline, checkJson, checkPage } from '../report/check-page.js';
import { loopGraph } from '../report/loop-graph.js';
import { rulesPage } from '../report/loop-page.js';
import { readWords, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import { HELP } from './help.js';
import type { Outcome } from './outcome.js';

const FLAGS: FlagKinds = { '--json': 'switch', '--graph': 'switch', '--table': 'switch', '--help': 'switch' };

const EXIT = { proven: 0, refuted: 3, 'proven in part': 5 } as const;

export async function runCheck(args: readonly string[]): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'check');
  if (words.switches.has('--help')) return { stdout: HELP.check, exit: 0 };
  const [name, extra] = words.rest;
  if (name === undefined) throw usage('It needs a loop: a built-in one, or the path of a loop file.', 'check');
  if (extra !== undefined) throw usage(`"${extra}" is one word too many.`, 'check');
  const forms = ['--json', '--graph', '--table'].filter((flag) => words.switches.has(flag));
  if (forms.length > 1) throw usage(`${forms.join(' and ')} cannot be had together: each prints something else.`, 'check');
  const { loop, proof, placeOf } = await check(name);
  const stdout = words.switches.has('--json')
    ? `${JSON.stringify(checkJson(proof, placeOf))}\n`
    : words.switches.has('--graph')
      ? loopGraph(loop, proof)
      : words.switches.has('--table')
        ? rulesPage(loop)
        : checkPage(loop, proof, placeOf);
  // The page says it all by itself; the other forms get a line for the person who watches.
  const stderr = forms.length === 0 ? '' : `${checkHeadline(proof)}\n`;
  return { stdout, stderr, exit: EXIT[proof.result] };
}
