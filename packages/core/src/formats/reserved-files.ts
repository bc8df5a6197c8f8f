// What Umpire writes in a session folder, and what that means for agents: the one list. Files that agents write or edit with good
// reason (evidence, the board, results of tasks) are not held back from them.

interface OwnPlace {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'repository';
  /** Agents are told in every task to leave it as it is. */
  readonly told: boolean;
  /** An agent that asks leave to change it is refused. */
  readonly refused: boolean;
  /** A sandbox keeps it out of reach. */
  readonly sealed: boolean;
}

const ALL = { told: true, refused: true, sealed: true } as const;
const UNTOLD = { told: false, refused: true, sealed: true } as const;
const OPEN = { told: false, refused: false, sealed: false } as const;

const PLACES: readonly OwnPlace[] = [
  // Not sealed: an edit of it is taken up, or refused with the reason, whoever made it; and it is replaced while agents run.
  { name: 'tasks.csv', kind: 'file', ...ALL, sealed: false },
  { name: 'journal.ndjson', kind: 'file', ...ALL },
  { name: 'verdicts', kind: 'folder', ...ALL },
  { name: 'blobs', kind: 'folder', ...ALL },
  { name: 'logs', kind: 'folder', ...ALL },
  { name: 'earlier', kind: 'folder', ...ALL },
  { name: '.umpire-lock', kind: 'file', ...UNTOLD },
  // Replaced while agents run, as tasks.csv is.
  { name: '.umpire-tasks.csv', kind: 'file', ...UNTOLD, sealed: false },
  { name: '.umpire-tasks-next.csv', kind: 'file', ...UNTOLD, sealed: false },
  { name: 'snapshot.git', kind: 'repository', ...UNTOLD },
  // The board is the agents' own; a table that somebody else wrote is left as it is.
  { name: 'discoveries.ndjson', kind: 'file', ...OPEN },
  { name: 'results.csv', kind: 'file', ...OPEN },
];

/** No task of a loop has its details there. */
export const OWN_NAMES: ReadonlySet<string> = new Set(PLACES.map(({ name }) => name));

export const REFUSED_NAMES: ReadonlySet<string> = new Set(PLACES.filter(({ refused }) => refused).map(({ name }) => name));

export const SEALED_NAMES: readonly string[] = PLACES.filter(({ sealed }) => sealed).map(({ name }) => name);

/** Those that are made before they are sealed: what is not there cannot be. */
export const SEALED_FOLDERS: readonly string[] = PLACES.filter(({ sealed, kind }) => sealed && kind === 'folder').map(({ name }) => name);

/** As agents read it: `tasks.csv, journal.ndjson, verdicts/ and blobs/`. */
export const TOLD_PLACES: string = PLACES.filter(({ told }) => told)
  .map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
  .join(', ')
  .replace(/, ([^,]*)$/, ' and $1');
