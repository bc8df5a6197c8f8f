// One session as its folder tells it to a reader: the journal as far as it holds, who is at work in it, and the tasks of a session
// that others run. Takes no lock and writes nothing.

import { isUmpireError } from '@umpire/core/errors.js';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import type { Provenance } from '@umpire/core/formats/provenance.js';
import { stateWordOf } from '../report/session-view.js';
import type { SessionSurroundings, StateWord } from '../report/session-view.js';
import { openFolder } from './folder.js';
import type { SessionFolder } from './folder.js';
import { checkJournal } from './journal-check.js';
import { JOURNAL } from './journal-file.js';
import { holderOf } from './lock.js';
import { blobsIn } from './recorded-place.js';
import { readTasks } from './tasks-file.js';

export interface SessionRecord {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly name: string;
  readonly state: SessionState;
  readonly events: readonly Recorded[];
  readonly word: StateWord;
  /** tasks.csv with its waves, of a session that others run. */
  readonly tasks: SessionSurroundings['tasks'];
  /** The first line of the journal that does not hold. */
  readonly brokenAt: number | null;
  /** What a person should know of the files, a sentence each. */
  readonly notes: readonly string[];
}

/** Throws where there is no such folder, or its journal cannot be read at all. */
export function readSession(path: string): SessionRecord {
  const folder = openFolder(path);
  const journal = checkJournal(folder);
  const { events, state, chain } = journal.found ? journal : { events: [], state: NEW_SESSION, chain: null };
  const holder = holderOf(folder);
  const isHeld = holder !== null && !holder.isDead;
  const notes: string[] = [];
  if (chain !== null && !chain.unbroken)
    notes.push(`${JOURNAL} is broken at line ${chain.line}: ${chain.detail}. What is shown is what the lines before it tell.`);
  if (chain !== null && chain.unbroken && chain.torn !== null)
    notes.push(`Line ${chain.torn} of ${JOURNAL} is not whole: a crash cut it off, or it is being written. It is left out.`);
  if (isHeld && state.run !== null) notes.push(`At work in it: ${holder.who}.`);
  const listed = state.run === null ? listTasks(folder) : { tasks: [] };
  if (listed.problem !== undefined) notes.push(listed.problem);
  const brokenAt = chain !== null && !chain.unbroken ? chain.line : null;
  const word = brokenAt === null ? stateWordOf(state, isHeld) : 'unreadable';
  return { path: folder.root, name: folder.name, state, events, word, tasks: listed.tasks, brokenAt, notes };
}

/** What the evidence of its verdicts is bound to, by hash. Evidence that is gone, or says nothing of it, is left out. */
export function provenanceIn({ path, state }: SessionRecord): ReadonlyMap<string, Provenance> {
  const readBlob = blobsIn(openFolder(path));
  const evidence = [...state.verdicts.values()].flat().flatMap(({ verdict }) => verdict.evidence);
  // What an agent says of where its numbers come from is part of its word.
  const hashes = new Set(evidence.filter(({ grade }) => grade === 'measured' || state.run === null).map(({ sha256 }) => sha256));
  const found = new Map<string, Provenance>();
  for (const hash of hashes) {
    const bytes = readBlob(hash);
    const provenance = typeof bytes === 'string' ? null : readProvenance(decodeTolerantly(bytes));
    if (provenance !== null) found.set(hash, provenance);
  }
  return found;
}

interface Listed {
  readonly tasks: SessionSurroundings['tasks'];
  readonly problem?: string;
}

function listTasks(folder: SessionFolder): Listed {
  const read = readTasks(folder);
  if (read.kind === 'missing') return { tasks: [] };
  if (read.kind === 'problem') return { tasks: [], problem: read.problem.message };
  try {
    const { tasks } = read.file;
    const waves = checkGraph(tasks);
    return { tasks: tasks.map((task, index) => ({ task, wave: waves[index] ?? 1 })) };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { tasks: [], problem: error.message };
  }
}
