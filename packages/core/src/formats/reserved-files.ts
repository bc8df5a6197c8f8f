// The files and folders that Umpire writes in a session folder, and how each is protected from agents. Agents may write evidence, the
// board and task results.

interface ReservedFile {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'repository';
  /** Every task asks agents to leave it alone. */
  readonly inPrompt: boolean;
  /** Umpire refuses an agent's request to change it. */
  readonly refused: boolean;
  /** The sandbox makes it inaccessible. */
  readonly sealed: boolean;
}

const ALL = { inPrompt: true, refused: true, sealed: true } as const;
const NOT_IN_PROMPT = { inPrompt: false, refused: true, sealed: true } as const;
const OPEN = { inPrompt: false, refused: false, sealed: false } as const;

const RESERVED_FILES: readonly ReservedFile[] = [
  // Not sealed: Umpire accepts or refuses each edit with a reason, and replaces the file while agents run.
  { name: 'tasks.csv', kind: 'file', ...ALL, sealed: false },
  { name: 'journal.ndjson', kind: 'file', ...ALL },
  { name: 'verdicts', kind: 'folder', ...ALL },
  { name: 'blobs', kind: 'folder', ...ALL },
  { name: 'logs', kind: 'folder', ...ALL },
  { name: 'earlier', kind: 'folder', ...ALL },
  { name: '.umpire-lock', kind: 'file', ...NOT_IN_PROMPT },
  // Replaced while agents run, like tasks.csv.
  { name: '.umpire-tasks.csv', kind: 'file', ...NOT_IN_PROMPT, sealed: false },
  { name: '.umpire-tasks-next.csv', kind: 'file', ...NOT_IN_PROMPT, sealed: false },
  { name: 'snapshot.git', kind: 'repository', ...NOT_IN_PROMPT },
  // The board belongs to the agents. A results table written by somebody else is left alone.
  { name: 'discoveries.ndjson', kind: 'file', ...OPEN },
  { name: 'results.csv', kind: 'file', ...OPEN },
];

/** Tasks of a loop may not use these names for their details. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(RESERVED_FILES.map(({ name }) => name));

export const REFUSED_NAMES: ReadonlySet<string> = new Set(RESERVED_FILES.filter(({ refused }) => refused).map(({ name }) => name));

export const SEALED_NAMES: readonly string[] = RESERVED_FILES.filter(({ sealed }) => sealed).map(({ name }) => name);

/** Created before sealing, because a missing folder cannot be sealed. */
export const SEALED_FOLDERS: readonly string[] = RESERVED_FILES.filter(({ sealed, kind }) => sealed && kind === 'folder').map(
  ({ name }) => name,
);

/** For agents: `tasks.csv, journal.ndjson, verdicts/ and blobs/`. */
export const RESERVED_FILES_TEXT: string = RESERVED_FILES.filter(({ inPrompt }) => inPrompt)
  .map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
  .join(', ')
  .replace(/, ([^,]*)$/, ' and $1');
