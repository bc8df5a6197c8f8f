// What is left of earlier verdicts outside the journal: Umpire's own lines on the board, and a mark at the end of each
// verdict's page. They outlive a deleted journal, and of what they say the strictest holds.

import type { Discovery, Verdict } from '../model.js';
import type { Trace, Traces } from '../brain/chains.js';
import { listFiles, readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';

export const PAGES = 'verdicts';

const MOST_ROUNDS = 10_000;
const MARK = /<!-- umpire (\{.*\}) -->\s*$/;

/** The path of a verdict's page. */
export function pageOf(verdict: Verdict): string {
  return `${PAGES}/${verdict.loop}-${verdict.chain.replace(/[^A-Za-z0-9._-]/g, '_')}-round-${verdict.round}.md`;
}

/** The line that a page ends in: invisible where Markdown is shown. */
export function markOf({ loop, chain, round, maxRounds, outcome, unverified }: Verdict, target: number | null): string {
  return `\n<!-- umpire ${JSON.stringify({ loop, chain, round, maxRounds, outcome, unverified, ...(target === null ? {} : { target }) })} -->\n`;
}

/** `withPages`: the journal is gone, so the pages are asked too. */
export function findTraces(folder: SessionFolder, entries: readonly Discovery[], loop: string, withPages: boolean): Traces {
  const onBoard = entries.filter((entry) => entry.type === 'gc_decision' && entry.worker === 'umpire').map((entry) => entry.data);
  return tracesOf([...onBoard, ...(withPages ? marksOf(folder) : [])], loop);
}

function marksOf(folder: SessionFolder): readonly Readonly<Record<string, unknown>>[] {
  return listFiles(folder, PAGES).flatMap((name) => {
    const read = readBytes(folder, `${PAGES}/${name}`);
    const mark = read.kind === 'bytes' ? MARK.exec(read.bytes.subarray(-600).toString('utf8'))?.[1] : undefined;
    if (mark === undefined) return [];
    try {
      return [JSON.parse(mark) as Readonly<Record<string, unknown>>];
    } catch {
      return [];
    }
  });
}

function tracesOf(decisions: readonly Readonly<Record<string, unknown>>[], loop: string): Traces {
  const chains = new Map<string, Trace>();
  const targets = new Map<string, number>();
  let cap: number | null = null;
  for (const { loop: judged, chain, round, outcome, status, maxRounds, target } of decisions) {
    if (judged !== loop || status === 'partial' || typeof chain !== 'string' || !isCount(round)) continue;
    const reached = outcome === 'revise' ? round + 1 : round;
    const before = chains.get(chain);
    if (before === undefined || reached >= before.round) chains.set(chain, { round: reached, open: outcome !== 'converge' });
    if (isCount(maxRounds) && maxRounds > 0) cap = Math.min(cap ?? maxRounds, maxRounds);
    if (typeof target === 'number') targets.set(chain, Math.max(targets.get(chain) ?? 0, target));
  }
  return { chains, targets, cap };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_ROUNDS;
}
