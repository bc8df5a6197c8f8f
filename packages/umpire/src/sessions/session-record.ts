// Reads one session for display: the valid part of its journal, the process that runs it, and the tasks of a session that Umpire
// does not run. Takes no lock and writes nothing.

import { isUmpireError } from '@umpire/core/model/errors.js';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import type { Provenance } from '@umpire/core/formats/provenance.js';
import { stateWordOf } from '../views/session-view.js';
import type { SessionSurroundings, StateWord } from '../views/session-view.js';
import { openFolder } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { checkJournal, JOURNAL } from './journal-file.js';
import { holderOf } from './lock.js';
import { blobsIn } from './recorded-evidence.js';
import { describeFormulas, readTasks } from './tasks-file.js';

export interface SessionRecord {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly name: string;
  readonly state: SessionState;
  readonly events: readonly Recorded[];
  readonly word: StateWord;
  /** tasks.csv with its waves, of a session that Umpire does not run. */
  readonly tasks: SessionSurroundings['tasks'];
  /** The first broken line of the journal. */
  readonly brokenAt: number | null;
  /** Notes about the files, a sentence each. */
  readonly notes: readonly string[];
}

/** Throws if the folder does not exist or its journal cannot be read at all. */
export function readSession(path: string): SessionRecord {
  const folder = openFolder(path);
  const journal = checkJournal(folder);
  const { events, state, chain } = journal.found ? journal : { events: [], state: NEW_SESSION, chain: null };
  const holder = holderOf(folder);
  const isHeld = holder !== null && !holder.isDead;
  const notes: string[] = [];
  if (chain !== null && !chain.unbroken)
    notes.push(`${JOURNAL} is broken at line ${chain.line}: ${chain.detail}. Umpire shows only the lines before it.`);
  if (chain !== null && chain.unbroken && chain.torn !== null)
    notes.push(`Line ${chain.torn} of ${JOURNAL} is incomplete (a crash, or a write in progress). Umpire ignores it.`);
  if (isHeld && state.run !== null) notes.push(`Running in ${holder.who}.`);
  const listed = state.run === null ? listTasks(folder) : { tasks: [], notes: [] };
  notes.push(...listed.notes);
  const brokenAt = chain !== null && !chain.unbroken ? chain.line : null;
  const word = brokenAt === null ? stateWordOf(state, isHeld) : 'unreadable';
  return { path: folder.root, name: folder.name, state, events, word, tasks: listed.tasks, brokenAt, notes };
}

/** Where the evidence of the verdicts was measured, by hash. Evidence that is gone or has no provenance is left out. */
export function provenanceIn({ path, state }: SessionRecord): ReadonlyMap<string, Provenance> {
  const readBlob = blobsIn(openFolder(path));
  const evidence = [...state.verdicts.values()].flat().flatMap(({ verdict }) => verdict.evidence);
  // Provenance in an agent's own file is only testimony.
  const hashes = new Set(evidence.filter(({ grade }) => grade === 'measured').map(({ sha256 }) => sha256));
  const found = new Map<string, Provenance>();
  for (const hash of hashes) {
    const bytes = readBlob(hash);
    const provenance = typeof bytes === 'string' ? null : readProvenance(decodeTolerantly(bytes));
    if (provenance !== null) found.set(hash, provenance);
  }
  return found;
}

interface ListedTasks {
  readonly tasks: SessionSurroundings['tasks'];
  readonly notes: readonly string[];
}

function listTasks(folder: SessionFolder): ListedTasks {
  const read = readTasks(folder);
  if (read.kind === 'missing') return { tasks: [], notes: [] };
  if (read.kind === 'problem') return { tasks: [], notes: [read.problem.message] };
  const formulas = describeFormulas(read.file);
  const notes = formulas === null ? [] : [formulas];
  try {
    const { tasks } = read.file;
    const waves = checkGraph(tasks);
    return { tasks: tasks.map((task, index) => ({ task, wave: waves[index] ?? 1 })), notes };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { tasks: [], notes: [error.message, ...notes] };
  }
}
