// The round in the state files (V14): after a verdict, the file of the loop says which round the chain's next evidence will have, such as
// `iteration` in session-state.json. Beside it, `umpire.rounds` has the values that Umpire wrote, by chain: such a value is nobody's claim.

import { join } from 'node:path';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { roundAfter } from '@umpire/core/decider/rounds.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import { setOwn } from '@umpire/core/formats/merge-objects.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { lstatOf } from './file-system.js';
import { readBytes } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';

export const STATE = 'session-state.json';

type Json = Record<string, unknown>;

export interface RoundFile {
  readonly file: string;
  /** The place in the file, such as `rounds.{chain}`. */
  readonly at: string;
}

/** The state file in which the loop keeps its round; null if it keeps it elsewhere. */
export function roundFileOf(loop: Loop): RoundFile | null {
  return loop.round.from.find((source) => 'file' in source) ?? null;
}

/** What Umpire wrote into a state file, by chain. */
export function writtenRounds(state: unknown): ReadonlyMap<string, number> {
  const block = isObject(state) ? own(state, 'umpire') : undefined;
  const rounds = isObject(block) ? own(block, 'rounds') : undefined;
  const entries = Object.entries(isObject(rounds) ? rounds : {});
  return new Map(
    entries.flatMap(([chain, round]) =>
      typeof round === 'number' && Number.isInteger(round) && round >= 0 ? [[chain, round] as const] : [],
    ),
  );
}

/**
 * The state file with the round after a verdict; other keys stay. Null where it says so already. A file that is no JSON object, or a link,
 * is somebody else's and stays as it is.
 */
export function readProjectedRound(
  folder: SessionFolder,
  loop: Loop,
  verdict: Verdict,
): { readonly path: string; readonly text: string } | null {
  const place = roundFileOf(loop);
  if (place === null || verdict.status === 'partial') return null;
  const read = readBytes(folder, place.file);
  if (read.kind === 'unreadable' || lstatOf(join(folder.root, place.file))?.isSymbolicLink() === true) return null;
  const parsed = read.kind === 'missing' ? null : parseJson(decodeTolerantly(read.bytes));
  if (parsed !== null && !(parsed.ok && isObject(parsed.value))) return null;
  const state: Json = { ...(parsed?.value as Json | undefined) };
  const round = verdict.outcome === 'revise' ? verdict.round + 1 : verdict.round;
  if (!setAt(state, place.at, verdict.chain, round) || !setAt(state, 'umpire.rounds.{chain}', verdict.chain, round)) return null;
  const text = `${JSON.stringify(state, null, 2)}\n`;
  return read.kind === 'bytes' && read.bytes.toString('utf8') === text ? null : { path: place.file, text };
}

/** The round keys of session-state.json in a session that Umpire runs. */
export function roundKeys(loop: Loop, { verdicts }: SessionState): Json {
  const place = roundFileOf(loop);
  const state: Json = {};
  if (place?.file !== STATE) return state;
  const chains = [...verdicts.values()].flatMap((past) => {
    const last = past.findLast(({ verdict }) => verdict.status === 'decided');
    return last === undefined ? [] : [{ chain: last.verdict.chain, seq: last.seq, round: roundAfter(past) }];
  });
  for (const { chain, round } of chains.toSorted((a, b) => a.seq - b.seq)) {
    setAt(state, place.at, chain, round);
    setAt(state, 'umpire.rounds.{chain}', chain, round);
  }
  return state;
}

/** False if the way there leads through something that is no object. */
function setAt(state: Json, at: string, chain: string, value: number): boolean {
  const keys = at.split('.').map((part) => part.replaceAll('{chain}', chain));
  let inside = state;
  for (const key of keys.slice(0, -1)) {
    const found = own(inside, key) ?? {};
    if (!isObject(found)) return false;
    const copy: Json = { ...found };
    setOwn<unknown>(inside, key, copy);
    inside = copy;
  }
  setOwn<unknown>(inside, keys.at(-1) ?? at, value);
  return true;
}
