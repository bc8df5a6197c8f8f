// `umpire check`: a loop in, a proof or a counterexample out.

import { check } from '../../sessions/check-loop.js';
import { checkHeadline, checkJson, checkPage } from '../../views/check-page.js';
import { rulesPage, loopGraph } from '../../views/loop-page.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';

const EXIT = { proven: 0, refuted: 3, 'proven in part': 5 } as const;

export async function runCheck({ loop: name, json = false, graph = false, table = false }: Given<'check'>): Promise<CommandOutcome> {
  const forms = Object.entries({ json, graph, table }).flatMap(([form, isAsked]) => (isAsked ? [`--${form}`] : []));
  if (forms.length > 1) throw usage(`Use only one of ${forms.join(', ')}.`, 'check');
  const { loop, proof, placeOf } = await check(name);
  const stdout = json
    ? `${JSON.stringify(checkJson(proof, placeOf))}\n`
    : graph
      ? loopGraph(loop, proof)
      : table
        ? rulesPage(loop)
        : checkPage(loop, proof, placeOf);
  // The page starts with the result. The other forms print it on stderr.
  const stderr = forms.length === 0 ? '' : `${checkHeadline(proof)}\n`;
  return { stdout, stderr, exit: EXIT[proof.result] };
}
