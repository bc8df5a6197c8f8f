// What is left of earlier verdicts outside the journal: Umpire's own lines on the board, and a mark at the end of each
// verdict's page. They outlive a journal that was deleted or cut back, and of what they say the strictest holds. Each tells
// of every chain of its loop, so that any one of them is enough.

import type { Discovery, Verdict } from '@umpire/core/model.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { ChainProgress } from '@umpire/core/decider/events.js';
import { MOST_ROUNDS } from '@umpire/core/decider/rounds.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { listFiles, readTail } from './folder.js';
import type { SessionFolder } from './folder.js';
import { sha256 } from './hash.js';

export const PAGES = 'verdicts';

const MARK = /<!-- umpire (\{.*\}) -->\s*$/;
/** A mark is at the end of its page; names of chains may be long. */
const MARK_BYTES = 64 * 1024;
const PLAIN_NAME = /^[A-Za-z0-9._-]{1,60}$/;

/** The path of a verdict's page. A chain whose name makes no file name gets one that no other chain has. */
export function pageOf({ loop, chain, round }: Pick<Verdict, 'loop' | 'chain' | 'round'>): string {
  const name = PLAIN_NAME.test(chain) ? chain : `${chain.slice(0, 40).replace(/[^A-Za-z0-9._-]/g, '_')}-${sha256(chain).slice(0, 12)}`;
  return `${PAGES}/${loop}-${name}-round-${round}.md`;
}

/** The line that a page ends in: invisible where Markdown is shown. */
export function markOf(verdict: Verdict, target: number | null, others: readonly ChainProgress[]): string {
  const { loop, chain, round, maxRounds, outcome, unverified } = verdict;
  const told: Record<string, unknown> = { loop, chain, round, maxRounds, outcome, unverified };
  if (target !== null) told['target'] = target;
  // How far the other chains of the loop have come, where there are others.
  if (others.length > 0) told['others'] = others;
  return `\n<!-- umpire ${JSON.stringify(told).replaceAll('--', '-\\u002d')} -->\n`;
}

/** Pages are read only where the journal does not know of them. */
export function findTraces(folder: SessionFolder, entries: readonly Discovery[], loop: string, state: SessionState): Traces {
  const onBoard = entries.filter((entry) => entry.type === 'gc_decision' && entry.worker === 'umpire').map((entry) => entry.data);
  return tracesOf([...onBoard, ...marksOf(folder, loop, state)], loop);
}

function marksOf(folder: SessionFolder, loop: string, state: SessionState): readonly Readonly<Record<string, unknown>>[] {
  const names = listFiles(folder, PAGES).filter((name) => name.startsWith(`${loop}-`));
  if (names.length === 0) return [];
  const known = new Set([...state.verdicts.values()].flatMap((past) => past.map(({ verdict }) => pageOf(verdict))));
  return names.flatMap((name) => {
    const path = `${PAGES}/${name}`;
    const mark = known.has(path) ? undefined : MARK.exec(readTail(folder, path, MARK_BYTES).toString('utf8'))?.[1];
    if (mark === undefined) return [];
    try {
      return [JSON.parse(mark) as Readonly<Record<string, unknown>>];
    } catch {
      return [];
    }
  });
}

/** A chain is open where any line says so: what closes it can be forged as well as what opens it. */
function tracesOf(decisions: readonly Readonly<Record<string, unknown>>[], loop: string): Traces {
  const chains = new Map<string, ChainProgress>();
  const judged = new Map<string, number>();
  const targets = new Map<string, number>();
  let cap: number | null = null;
  const note = (chain: string, round: number, open: boolean) => {
    const before = chains.get(chain);
    chains.set(chain, { chain, round: Math.max(round, before?.round ?? 0), open: open || (before?.open ?? false) });
  };
  const hold = (chain: string, target: number) => targets.set(chain, Math.max(targets.get(chain) ?? 0, target));
  for (const { loop: named, chain, round, outcome, status, maxRounds, target, unverified, others } of decisions) {
    if (named !== loop || status === 'partial' || typeof chain !== 'string' || !isCount(round)) continue;
    judged.set(chain, Math.max(round, judged.get(chain) ?? 0));
    note(chain, outcome === 'revise' ? round + 1 : round, outcome !== 'converge' || unverified === true);
    for (const other of Array.isArray(others) ? (others as readonly Partial<ChainProgress>[]) : []) {
      if (typeof other?.chain === 'string' && isCount(other.round)) note(other.chain, other.round, other.open !== false);
      if (typeof other?.chain === 'string' && typeof other.target === 'number') hold(other.chain, other.target);
    }
    if (isCount(maxRounds) && maxRounds > 0) cap = Math.min(cap ?? maxRounds, maxRounds);
    if (typeof target === 'number') hold(chain, target);
  }
  return { chains, judged, targets, cap };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_ROUNDS + 1;
}
