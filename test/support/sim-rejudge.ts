// Judges a recorded verdict again, as `umpire replay` does: only from the blobs and the journal before its line.

import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { VerdictGiven } from '@umpire/core/decider/events.js';
import { findDifferences, readRecordedRound } from '@umpire/umpire/sessions/replay-verdict.js';
import { Broken } from './sim-world.js';

export function rejudge(before: SessionState, given: VerdictGiven, blobs: ReadonlyMap<string, string | Uint8Array>): void {
  const { chain, round } = given.verdict;
  const read = readRecordedRound((hash) => readFrom(blobs, hash), before, given);
  if (!read.ok) throw new Broken('rejudged', `${chain} round ${round}: ${read.why}`);
  const [first] = findDifferences(read.recorded);
  if (first !== undefined)
    throw new Broken('rejudged', `${chain} round ${round}: ${first.field} was ${show(first.was)} and is ${show(first.is)}`);
}

function readFrom(blobs: ReadonlyMap<string, string | Uint8Array>, hash: string): Buffer | string {
  const blob = blobs.get(hash);
  return blob === undefined ? `the blob ${hash.slice(0, 8)} was not kept` : Buffer.from(blob as string);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200);
}
