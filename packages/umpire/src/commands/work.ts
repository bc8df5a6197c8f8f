// The doors to what a session made: show it, bring it over. Clearing it away is clearing.ts.

import { UmpireError } from '@umpire/core/errors.js';
import { workOfRound, commitsOfChain } from '@umpire/core/decider/critic-scope.js';
import type { RoundWork } from '@umpire/core/decider/critic-scope.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { openFolder } from '../sessions/folder.js';
import { foldJournal } from '../sessions/journal-file.js';
import { checkJournal } from '../sessions/journal-check.js';
import { acquireLock } from '../sessions/lock.js';
import { applySession } from '../workspace/apply.js';
import type { Applied } from '../workspace/apply.js';
import { diffOf, diffOfStretches, stepsTo } from '../workspace/difference.js';
import type { BranchStep } from '../workspace/difference.js';
import type { SessionPlace } from '../workspace/site.js';
import { inTurn } from './turns.js';
import { homeReader } from './homes.js';
import type { HomeOf } from './homes.js';
import { isUnbegun } from './opened.js';
import { projectOf } from './places.js';

export interface Made {
  readonly run: RunState;
  readonly rules: Loop | null;
  readonly place: SessionPlace;
}

/** The session and where its work lies. Throws where others run it, or it changes no project. */
export async function openMade(session: string, homeOf: HomeOf = homeReader()): Promise<Made> {
  const folder = openFolder(session);
  const { run, frozen } = foldJournal(folder).state;
  if (run === null) throw new UmpireError(isUnbegun(folder) ? 'not-begun' : 'not-run', { session: folder.name });
  const { workspace } = run.started;
  if (workspace === null) throw new UmpireError('no-work', { session: folder.name, loop: run.started.loop });
  const project = projectOf(run.started.project, folder.root);
  const rules = frozen.get(run.started.loop)?.rules ?? null;
  return { run, rules, place: { project, session: run.started.session, home: await homeOf(project), sessionFolder: folder.root } };
}

/** The patch of the whole session, or of what a round judged; `chain` says of which, where several have the round. */
export async function diff(session: string, round?: number, chain?: string): Promise<string> {
  return (await patchOf(session, round, chain === undefined ? {} : { chain })).toString('utf8');
}

/** The same, byte for byte. `brief`: for reading only. */
export async function patchOf(
  session: string,
  round?: number,
  { brief = false, chain }: { readonly brief?: boolean; readonly chain?: string } = {},
): Promise<Buffer> {
  const { run, rules, place } = await openMade(session);
  if (round === undefined || rules === null) return diffOf(place, { brief });
  const work = roundIn(run, place.session, round, chain);
  const steps = await stepsTo(place, work.to);
  const isOwn = commitsOfChain(run, rules, work.chain, steps);
  const begun = steps.findIndex(({ commit }) => commit === work.from) + 1;
  const stretches: { from: string; to: string }[] = [];
  // What other chains did in between is left out.
  for (let index = begun; index < steps.length; index++) {
    if (isOwn[index] !== true) continue;
    const first = steps[index] as BranchStep;
    while (isOwn[index + 1] === true) index++;
    stretches.push({ from: first.parent, to: (steps[index] as BranchStep).commit });
  }
  return diffOfStretches(place, stretches, brief);
}

function roundIn(run: RunState, session: string, round: number, chain: string | undefined): RoundWork {
  const judged = workOfRound(run, round);
  const asked = chain === undefined ? judged : judged.filter((one) => one.chain === chain);
  const [first, second] = asked;
  if (first === undefined) {
    const chains = new Set(run.marks.map((mark) => mark.chain));
    const words = run.marks.map((mark) => (chains.size > 1 ? `${mark.round} of ${mark.chain}` : String(mark.round)));
    throw new UmpireError('round-unknown', { round, session, known: words.length === 0 ? 'none' : [...new Set(words)].join(', ') });
  }
  if (second !== undefined) {
    const chains = asked.map((one) => one.chain).join(', ');
    const detail = `Round ${round} of the session ${session} was judged in several chains: ${chains}. Say which one: --chain ${first.chain}.`;
    throw new UmpireError('usage', { detail, command: 'diff' });
  }
  return first;
}

/** Brings the result over into the person's checkout, as changes that are not committed. */
export async function apply(
  session: string,
  { force = false }: { readonly force?: boolean } = {},
): Promise<Applied & { readonly unverified: boolean }> {
  const folder = openFolder(session);
  const lock = await acquireLock(folder, 1000);
  try {
    const checked = checkJournal(folder);
    if (checked.found && !checked.chain.unbroken) {
      const { line, detail } = checked.chain;
      throw new UmpireError('journal-broken', { line, detail });
    }
    const { run, place } = await openMade(session);
    const outcome = run.ended?.outcome ?? 'not ended';
    if (outcome !== 'complete' && !force) throw new UmpireError('not-complete', { session: place.session, outcome });
    const applied = await inTurn(place.home, () => applySession(place));
    return { ...applied, unverified: run.ended?.unverified ?? true };
  } finally {
    lock.release();
  }
}
