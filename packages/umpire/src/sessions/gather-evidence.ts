// Gathers a loop's evidence from a store (the session folder, or what a verdict recorded of it): finds each source, reads it
// with its reader and keeps its bytes.

import { join, normalize } from 'node:path';
import type { Discovery, EvidenceRef, Finding, Reading, Task, Grade } from '@umpire/core/model/vocabulary.js';
import type { RecordedEvidence } from '@umpire/core/decider/events.js';
import type { LocatedEvidence } from '@umpire/core/decider/decide-verdict.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { entriesOfRound, printDiscovery, roundStated } from '@umpire/core/formats/discoveries.js';
import { parseFindingsCell } from '@umpire/core/formats/findings-cell.js';
import { mergeObjects, setOwn } from '@umpire/core/formats/merge-objects.js';
import { READER_LISTS } from '@umpire/core/formats/reader-outputs.js';
import { READERS } from '@umpire/core/formats/readers.js';
import { countFindings } from '@umpire/core/formats/severity.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import type { Loop, EvidenceSource } from '@umpire/core/loops/loop.js';
import { BOARD } from './board.js';
import { sha256 } from './hash.js';
import type { Board } from './board.js';
import { listFiles, readBytes } from './session-folder.js';
import type { FileRead, SessionFolder } from './session-folder.js';

/** Entries of one type on the board, in its order. */
export type BoardPart =
  | { readonly state: 'ok'; readonly entries: readonly Discovery[] }
  | { readonly state: 'unreadable'; readonly problem: string }
  | { readonly state: 'unread' };

/** Where evidence comes from: the session folder now, or the record of an earlier verdict. */
export interface EvidenceStore {
  /** False once the deadline is over. */
  readonly isReached: (name: string) => boolean;
  /** `large`: the file exists, but decided nothing at the time and was not kept. */
  readonly read: (path: string) => FileRead | { readonly kind: 'large' };
  /** The names of the files in a folder. */
  readonly list: (folder: string) => readonly string[];
  readonly board: (name: string, type: string) => BoardPart;
  /** The grade of this evidence (V3); undefined: an earlier version recorded none, and the loop's file states it. */
  readonly gradeOf: (path: string, sha256: string) => Grade | undefined;
}

/** The session folder as it is now. `measured`: by path, the hash of the evidence that Umpire left there. */
export function folderStore(
  folder: SessionFolder,
  board: Board,
  expired: () => boolean,
  measured: ReadonlyMap<string, string>,
): EvidenceStore {
  return {
    isReached: () => !expired(),
    read: (path) => readBytes(folder, path),
    list: (path) => listFiles(folder, path),
    gradeOf: (path, hash) => (measured.get(path) === hash ? 'measured' : 'testified'),
    board: (_, type) => {
      if (board.state === 'unread') return { state: 'unread' };
      if (board.state === 'unreadable') return { state: 'unreadable', problem: board.problem ?? 'it could not be read' };
      return { state: 'ok', entries: board.scan.entries.filter((entry) => entry.type === type) };
    },
  };
}

export interface GatherInput {
  readonly store: EvidenceStore;
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly critic: Task | null;
  /** The critic's row and those of critics that ran at the same time. */
  readonly peers: readonly Task[];
  /** The last row of these roles about the work that the critic judges. */
  readonly rowBeside: (roles: readonly string[]) => Task | null;
}

interface GatheredSource {
  readonly exhibit: LocatedEvidence;
  readonly record: RecordedEvidence;
  readonly content: string | Uint8Array | null;
}

export interface Gathering {
  readonly exhibits: Readonly<Record<string, LocatedEvidence>>;
  /** The evidence itself, by its hash. */
  readonly blobs: ReadonlyMap<string, string | Uint8Array>;
  /** Each source as it was found, before another replaced it. */
  readonly record: Readonly<Record<string, RecordedEvidence>>;
  readonly sources: ReadonlyMap<string, GatheredSource>;
}

/** Text as it was found, or why there is none. */
interface LocatedText {
  readonly path: string;
  readonly content: string | Uint8Array | null;
  readonly state: 'ok' | 'missing' | 'unreadable' | 'unread';
  readonly problem: string | null;
  /** Why no bytes could be read, without the path. */
  readonly fault?: string;
  /** It exists, but decides nothing and is too large to keep: treated as missing. */
  readonly large?: true;
}

/** `earlier`: the same evidence, gathered a moment ago for another round. Only sources that depend on the round are read again. */
export function gatherEvidence(input: GatherInput, earlier: Gathering | null = null): Gathering {
  const { evidence } = input.loop;
  const deciding = decidingSources(input.loop);
  const sources = new Map<string, GatheredSource>();
  const blobs = new Map<string, string | Uint8Array>();
  const record: Record<string, RecordedEvidence> = {};
  for (const [name, source] of Object.entries(evidence)) {
    const known = dependsOnRound(source) ? undefined : earlier?.sources.get(name);
    const gathered = known ?? gatherSource(name, source, input, deciding.includes(name));
    sources.set(name, gathered);
    record[name] = gathered.record;
    const hash = gathered.exhibit.ref?.sha256;
    if (hash !== undefined && gathered.content !== null) blobs.set(hash, gathered.content);
  }
  const exhibits: Record<string, LocatedEvidence> = {};
  for (const [name, { exhibit }] of sources) {
    const standIn = exhibit.state === 'missing' ? standInFor(input.loop, name, sources) : null;
    exhibits[name] = standIn ?? exhibit;
  }
  return { exhibits, blobs, record, sources };
}

function gatherSource(name: string, source: EvidenceSource, input: GatherInput, decides: boolean): GatheredSource {
  const located = keepable(input.store.isReached(name) ? find(name, source, input) : UNREAD, decides);
  const exhibit = read(source, located, input);
  return { exhibit, record: recordOf(exhibit, located, input.store), content: located.content };
}

function dependsOnRound(source: EvidenceSource): boolean {
  return 'discoveries' in source && (source.of === 'round' || (typeof source.of === 'object' && source.of.worker.includes('{round}')));
}

/** The first readable source in the order of `else`. An unreadable one ends the search. */
function standInFor(loop: Loop, name: string, sources: ReadonlyMap<string, GatheredSource>): LocatedEvidence | null {
  for (let next = loop.evidence[name]?.else; next !== undefined && next !== name; next = loop.evidence[next]?.else) {
    const exhibit = sources.get(next)?.exhibit;
    if (exhibit === undefined || exhibit.state === 'missing') continue;
    const { state, reading, reader, problem } = exhibit;
    const isRow = 'row' in (loop.evidence[next] ?? {});
    const whole = isRow && reading !== null ? { ...reading, lists: { ...emptyLists(loop.evidence[name]), ...reading.lists } } : reading;
    return state === 'ok' ? { state, reading: whole, ref: null, reader, problem } : null;
  }
  return null;
}

/** A row lists nothing, so every list of the file that it replaces is empty. */
function emptyLists(source: EvidenceSource | undefined): Readonly<Record<string, readonly never[]>> {
  const names = source !== undefined && 'reader' in source ? (READER_LISTS[source.reader] ?? []) : [];
  return Object.fromEntries(names.map((name) => [name, []]));
}

const UNREAD: LocatedText = { path: '', content: null, state: 'unread', problem: null };

/** Larger evidence that decides nothing is not kept: a log of gigabytes is no use to a verdict. */
const MAX_SIDE_BYTES = 4 * 1024 * 1024;

function keepable(found: LocatedText, decides: boolean): LocatedText {
  const isLarge = found.content !== null && found.content.length > MAX_SIDE_BYTES;
  return isLarge && !decides ? tooLarge(found.path) : found;
}

function tooLarge(path: string): LocatedText {
  return { path, content: null, state: 'missing', problem: null, large: true };
}

function recordOf({ state, ref }: LocatedEvidence, { path, large, fault }: LocatedText, store: EvidenceStore): RecordedEvidence {
  const grade = ref === null ? undefined : store.gradeOf(ref.path, ref.sha256);
  if (ref !== null) {
    const kept = { state, path: ref.path, sha256: ref.sha256 };
    return grade === undefined ? kept : mergeObjects(kept, { grade });
  }
  if (fault !== undefined) return { state, path, problem: fault };
  return large === true ? { state, path } : { state };
}

function read(source: EvidenceSource, found: LocatedText, input: GatherInput): LocatedEvidence {
  const reader = 'reader' in source ? source.reader : 'row';
  if (found.content === null) return { state: found.state, reading: null, ref: null, reader, problem: found.problem };
  const hash = sha256(found.content);
  const grade = input.store.gradeOf(found.path, hash) ?? source.grade;
  const ref: EvidenceRef = { path: found.path, sha256: hash, grade };
  if ('row' in source) return { state: 'ok', reading: readRow(input.loop, rowFor(source.row, input)), ref, reader, problem: null };
  const text = typeof found.content === 'string' ? found.content : decodeTolerantly(found.content);
  const readWith = Object.hasOwn(READERS, reader) ? READERS[reader] : undefined;
  // The rules come from the journal, which another version of Umpire may have written.
  if (readWith === undefined)
    return {
      state: 'unreadable',
      reading: null,
      ref,
      reader,
      problem: `${found.path}: this Umpire has no reader "${reader.slice(0, 40)}"`,
    };
  const result = readWith(text, { path: found.path });
  if (result.ok) return { state: 'ok', reading: result.reading, ref, reader, problem: null };
  const { line, problem } = result.unreadable;
  return { state: 'unreadable', reading: null, ref, reader, problem: `${found.path}${line === undefined ? '' : `:${line}`}: ${problem}` };
}

function find(name: string, source: EvidenceSource, input: GatherInput): LocatedText {
  if ('row' in source) return findRow(source.row, input);
  if ('column' in source) return findColumn(source.column, input);
  if ('file' in source)
    return findFile(
      source.file.map((path) => path.replaceAll('{chain}', input.chain)),
      input,
    );
  if ('folder' in source) return findInFolder(source, input);
  return findOnBoard(name, source, input);
}

function missing(where: string): LocatedText {
  return { path: where, content: null, state: 'missing', problem: `Looked for ${where}.` };
}

/** The row as rule E4 compares it: its id, output columns and findings, not its status or wave. */
export function rowOutputs(loop: Loop, row: Task): string {
  const { id, role, columns } = row;
  const outputs: Record<string, string> = { id, role, findings: columns['findings'] ?? '' };
  for (const column of loop.columns.out) setOwn(outputs, column, columns[column] ?? '');
  return JSON.stringify(outputs);
}

type RowSource = Extract<EvidenceSource, { row: unknown }>['row'];

function rowFor(role: RowSource, { critic, rowBeside }: GatherInput): Task | null {
  return role === 'critic' ? critic : rowBeside(role);
}

function findRow(role: RowSource, input: GatherInput): LocatedText {
  const { loop } = input;
  const row = rowFor(role, input);
  if (row === null) return missing(`a finished ${role === 'critic' ? loop.roles.critic : role.join(' or ')} row in tasks.csv`);
  return { path: `tasks.csv#${row.id}`, content: rowOutputs(loop, row), state: 'ok', problem: null };
}

function readRow(loop: Loop, row: Task | null): Reading {
  const values: Record<string, string> = {};
  for (const column of loop.columns.out) {
    const cell = (row?.columns[column] ?? '').trim();
    if (cell !== '') values[column] = cell;
  }
  const { findings, notes }: { findings: readonly Finding[]; notes: readonly string[] } = parseFindingsCell(row?.columns['findings'] ?? '');
  return { values, findings, counts: countFindings(findings), lists: {}, notes };
}

function findColumn(column: string, { loop, critic, peers }: GatherInput): LocatedText {
  const cell = peers
    .map((peer) => (peer.columns[column] ?? '').trim())
    .filter((text) => text !== '')
    .join('\n');
  if (critic === null || cell === '') return missing(`${column} of a finished ${loop.roles.critic} row in tasks.csv`);
  return { path: `tasks.csv#${critic.id}.${column}`, content: cell, state: 'ok', problem: null };
}

function findFile(paths: readonly string[], { store }: GatherInput): LocatedText {
  for (const path of paths) {
    const read = store.read(path);
    if (read.kind === 'bytes') return { path, content: read.bytes, state: 'ok', problem: null };
    if (read.kind === 'large') return tooLarge(path);
    if (read.kind === 'unreadable')
      return { path, content: null, state: 'unreadable', problem: `${path}: ${read.problem}.`, fault: read.problem };
  }
  return missing(paths.join(' and '));
}

type FolderSource = Extract<EvidenceSource, { folder: readonly string[] }>;

/** The file that the row names, else one whose name contains the row's id, else the last by name. */
function findInFolder(declared: FolderSource, input: GatherInput): LocatedText {
  const folders = declared.folder.map((folder) => folder.replaceAll('{chain}', input.chain));
  const source = { ...declared, folder: folders };
  const named = source.named === undefined ? [] : namedPaths(input.critic?.columns[source.named] ?? '', source);
  for (const path of named) {
    const found = findFile([path], input);
    if (found.state !== 'missing' || found.large === true) return found;
  }
  const paths = folders.flatMap((folder) =>
    input.store
      .list(folder)
      .filter((name) => !name.startsWith('.') && isWanted(`${folder}/${name}`, source))
      .toSorted(byName)
      .map((name) => `${folder}/${name}`),
  );
  const { critic } = input;
  const own = critic === null ? undefined : paths.findLast((path) => holdsId(path, critic.id));
  if (own !== undefined) return findFile([own], input);
  const cell = source.named === undefined ? '' : (input.critic?.columns[source.named] ?? '').trim();
  if (named.length > 0) return missing(`${cell}, which the row names in ${source.named ?? ''}`);
  const last = lastOfFirstFolder(paths, source.folder);
  return last === undefined ? missing(source.folder.map((folder) => `a report in ${folder}/`).join(' and ')) : findFile([last], input);
}

function lastOfFirstFolder(paths: readonly string[], folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    const last = paths.findLast((path) => path.startsWith(`${folder}/`));
    if (last !== undefined) return last;
  }
  return undefined;
}

function isWanted(path: string, source: FolderSource): boolean {
  return source.match === undefined || source.match.some((word) => path.toLowerCase().includes(word.toLowerCase()));
}

/** The paths in a cell that stay inside the session, those in the source's folders first. */
function namedPaths(cell: string, source: FolderSource): readonly string[] {
  const names = cell
    .split(/[;,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('/'));
  const paths = names.flatMap((name) => [name, ...source.folder.map((folder) => join(folder, name))]).map((path) => normalize(path));
  const inside = [...new Set(paths)].filter((path) => path !== '..' && !path.startsWith('../') && !path.endsWith('/'));
  const isInFolders = (path: string) => source.folder.some((folder) => path.startsWith(`${folder}/`));
  return [...inside.filter(isInFolders), ...inside.filter((path) => !isInFolders(path))];
}

function holdsId(path: string, id: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const at = name.indexOf(id.toLowerCase());
  return at >= 0 && !/\d/.test(name.charAt(at + id.length));
}

/** In natural order: 9 before 10. */
function byName(a: string, b: string): number {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const x = left[i] ?? '';
    const y = right[i] ?? '';
    if (x === y) continue;
    const numbers = i % 2 === 1 ? Number(x) - Number(y) : 0;
    if (numbers !== 0) return numbers;
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}

type BoardSource = Extract<EvidenceSource, { discoveries: string }>;

function findOnBoard(name: string, source: BoardSource, input: GatherInput): LocatedText {
  const board = input.store.board(name, source.discoveries);
  const path = `${BOARD}#${source.discoveries}`;
  if (board.state === 'unread') return UNREAD;
  if (board.state === 'unreadable')
    return { path, content: null, state: 'unreadable', problem: `${BOARD}: ${board.problem}.`, fault: board.problem };
  const entries = pickEntries(board.entries, source, input);
  if (entries.length === 0) return missing(`${source.discoveries} entries in ${BOARD}`);
  const content = entries.map(({ ts, worker, type, data }) => printDiscovery({ ts, worker, type, data })).join('');
  return { path, content, state: 'ok', problem: null };
}

function pickEntries(entries: readonly Discovery[], source: BoardSource, input: GatherInput): readonly Discovery[] {
  if (source.of === 'all') return entries;
  if (source.of === 'round') {
    const stated = roundStated(input.critic?.columns);
    const workers = new Set(input.peers.map((peer) => peer.id));
    return entriesOfRound(entries, workers, Number.isNaN(stated) ? input.round : stated);
  }
  const worker = source.of.worker.replaceAll('{chain}', input.chain).replaceAll('{round}', String(input.round));
  return entries.filter((entry) => entry.worker === worker);
}
