// Traces of earlier verdicts outside the journal: Umpire's own lines on the board, and a mark at the end of each verdict page.
// They remain if the journal is deleted or cut back; the strictest of them applies. Each describes every chain of its loop, so
// one is enough.

import type { Discovery, Verdict } from '@umpire/core/model/vocabulary.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { ChainProgress, VerdictGiven } from '@umpire/core/decider/events.js';
import { MOST_ROUNDS } from '@umpire/core/model/options.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { listFiles, readTail } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { sha256 } from './hash.js';

export const PAGES = 'verdicts';

const MARK = /<!-- umpire (\{.*\}) -->\s*$/;
/** The mark is at the end of its page. Names of chains may be long. */
const MARK_BYTES = 64 * 1024;
const PLAIN_NAME = /^[A-Za-z0-9._-]{1,60}$/;

/** The path of a verdict's page. A chain name that is no valid file name gets a hash. */
export function pageOf({ loop, chain, round }: Pick<Verdict, 'loop' | 'chain' | 'round'>): string {
  const name = PLAIN_NAME.test(chain) ? chain : `${chain.slice(0, 40).replace(/[^A-Za-z0-9._-]/g, '_')}-${sha256(chain).slice(0, 12)}`;
  return `${PAGES}/${loop}-${name}-round-${round}.md`;
}

type Judged = Pick<VerdictGiven, 'verdict' | 'report' | 'target'>;

export function pageText({ verdict, report, target }: Judged, others: readonly ChainProgress[]): string {
  // The last line of a page, an HTML comment that rendered Markdown does not show.
  const { loop, chain, round, maxRounds, outcome, unverified } = verdict;
  const mark: Record<string, unknown> = { loop, chain, round, maxRounds, outcome, unverified };
  if (target !== null) mark['target'] = target;
  if (others.length > 0) mark['others'] = others;
  return report + `\n<!-- umpire ${JSON.stringify(mark).replaceAll('--', '-\\u002d')} -->\n`;
}

/** Is this the page of the verdict? What its mark says of other chains depends on when it was written. */
export function isPageOf({ report }: Pick<Judged, 'report'>, text: string | null): boolean {
  return text !== null && text.startsWith(report) && /^\n<!-- umpire \{.*\} -->\n$/.test(text.slice(report.length));
}

/** Reads only pages that the journal does not know of. */
export function findTraces(folder: SessionFolder, entries: readonly Discovery[], loop: string, state: SessionState): Traces {
  const onBoard = entries.filter((entry) => entry.type === 'gc_decision' && entry.worker === 'umpire').map((entry) => entry.data);
  // A chain is open if any trace says so: a trace that closes it may be forged too.
  const decisions = [...onBoard, ...marksOf(folder, loop, state)];
  const chains = new Map<string, ChainProgress>();
  const judged = new Map<string, number>();
  const targets = new Map<string, number>();
  let cap: number | null = null;
  const noteChain = (chain: string, round: number, open: boolean) => {
    const before = chains.get(chain);
    chains.set(chain, { chain, round: Math.max(round, before?.round ?? 0), open: open || (before?.open ?? false) });
  };
  const holdTarget = (chain: string, target: number) => targets.set(chain, Math.max(targets.get(chain) ?? 0, target));
  for (const { loop: named, chain, round, outcome, status, maxRounds, target, unverified, others } of decisions) {
    if (named !== loop || status === 'partial' || typeof chain !== 'string' || !isRoundCount(round)) continue;
    judged.set(chain, Math.max(round, judged.get(chain) ?? 0));
    noteChain(chain, outcome === 'revise' ? round + 1 : round, outcome !== 'converge' || unverified === true);
    for (const other of Array.isArray(others) ? (others as readonly Partial<ChainProgress>[]) : []) {
      if (typeof other?.chain === 'string' && isRoundCount(other.round)) noteChain(other.chain, other.round, other.open !== false);
      if (typeof other?.chain === 'string' && typeof other.target === 'number') holdTarget(other.chain, other.target);
    }
    if (isRoundCount(maxRounds) && maxRounds > 0) cap = Math.min(cap ?? maxRounds, maxRounds);
    if (typeof target === 'number') holdTarget(chain, target);
  }
  return { chains, judged, targets, cap };
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

function isRoundCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_ROUNDS + 1;
}
