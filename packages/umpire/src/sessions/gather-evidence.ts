// Gathers the evidence of a round from a store (the session folder, or what a verdict recorded of it): finds each source, reads it
// with its reader and keeps its bytes.

import { join, normalize } from 'node:path';
import type { Discovery, Task, Grade } from '@umpire/core/model/vocabulary.js';
import { findParallelCritics, findRowBeside } from '@umpire/core/decider/chains.js';
import type { Evidence, FoundEvidence, Round } from '@umpire/core/decider/decide-verdict.js';
import type { RecordedEvidence } from '@umpire/core/decider/events.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { entriesOfRound, printDiscovery, roundStated } from '@umpire/core/formats/discoveries.js';
import { parseFindingsCell } from '@umpire/core/formats/findings-cell.js';
import { mergeObjects, setOwn } from '@umpire/core/formats/merge-objects.js';
import { READER_LISTS } from '@umpire/core/formats/reader-outputs.js';
import { READERS } from '@umpire/core/formats/readers.js';
import { NO_COUNTS } from '@umpire/core/formats/severity.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
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
  /** The grade of this evidence (V3); undefined: none was recorded, and the loop's file states it. */
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

/** What says which evidence a round needs, and where it is. */
type RoundSought = Pick<Round, 'loop' | 'chain' | 'round' | 'tasks' | 'waves' | 'critic'>;

/** `earlier`: evidence gathered a moment ago for another round of the chain. Only sources that depend on the round are read again. */
export function gatherEvidence(store: EvidenceStore, round: RoundSought, earlier: Evidence | null = null): Evidence {
  const { loop, tasks, waves, critic } = round;
  const deciding = decidingSources(loop);
  const input: SourceInput = { ...round, store, peers: findParallelCritics(loop, tasks, waves, critic) };
  const found: Record<string, FoundEvidence> = {};
  const findSource = (name: string, source: EvidenceSource): FoundEvidence => {
    if (Object.hasOwn(found, name)) return found[name] as FoundEvidence;
    const known = earlier?.[name];
    const dependsOnRound =
      'discoveries' in source && (source.of === 'round' || (typeof source.of === 'object' && source.of.worker.includes('{round}')));
    // Another source may have replaced a missing one.
    if (known !== undefined && !dependsOnRound && known.record.state !== 'missing') return (found[name] = known);
    const other = source.beside === undefined ? undefined : loop.evidence[source.beside];
    const beside = other === undefined ? null : () => textOf(findSource(source.beside as string, other));
    const located = store.isReached(name) ? locate(name, source, input) : UNREAD;
    return (found[name] = readEvidence(source, located, { ...input, beside }, deciding.includes(name)));
  };
  for (const [name, source] of Object.entries(loop.evidence)) findSource(name, source);
  const evidence: Record<string, FoundEvidence> = {};
  for (const name of Object.keys(loop.evidence)) {
    const own = found[name] as FoundEvidence;
    evidence[name] = own.state === 'missing' ? replaceMissing(loop, name, found) : own;
  }
  return evidence;
}

function textOf({ content }: FoundEvidence): string | null {
  return content === null ? null : withoutColours(typeof content === 'string' ? content : decodeTolerantly(content));
}

interface SourceInput extends RoundSought {
  readonly store: EvidenceStore;
  /** The critic's row and those of critics that ran at the same time. */
  readonly peers: readonly Task[];
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

const UNREAD: LocatedText = { path: '', content: null, state: 'unread', problem: null };

function findNothing(where: string): LocatedText {
  return { path: where, content: null, state: 'missing', problem: `Looked for ${where}.` };
}

function leaveOutLarge(path: string): LocatedText {
  return { path, content: null, state: 'missing', problem: null, large: true };
}

/** The first readable source in the order of `else`. An unreadable one ends the search. */
function replaceMissing(loop: Loop, name: string, found: Readonly<Record<string, FoundEvidence>>): FoundEvidence {
  const own = found[name] as FoundEvidence;
  for (let next = loop.evidence[name]?.else; next !== undefined && next !== name; next = loop.evidence[next]?.else) {
    const other = found[next];
    if (other === undefined || other.state === 'missing') continue;
    const { state, reader, problem, reading } = other;
    if (state !== 'ok') return own;
    // A row lists nothing, so every list of the file that it replaces is empty.
    const source = loop.evidence[name];
    const lists =
      source !== undefined && 'reader' in source && 'row' in (loop.evidence[next] ?? {}) ? (READER_LISTS[source.reader] ?? []) : [];
    const whole =
      reading === null ? null : { ...reading, lists: { ...Object.fromEntries(lists.map((list) => [list, []])), ...reading.lists } };
    return { state, reading: whole, ref: null, reader, problem, record: own.record, content: own.content };
  }
  return own;
}

/** Larger evidence that decides nothing is not kept: a log of gigabytes is no use to a verdict. */
const MAX_SIDE_BYTES = 4 * 1024 * 1024;

interface ReadInput extends SourceInput {
  readonly beside: (() => string | null) | null;
}

function readEvidence(source: EvidenceSource, located: LocatedText, input: ReadInput, decides: boolean): FoundEvidence {
  const isLarge = located.content !== null && located.content.length > MAX_SIDE_BYTES;
  const text = isLarge && !decides ? leaveOutLarge(located.path) : located;
  const { path, content, state, problem, fault, large } = text;
  const reader = 'reader' in source ? source.reader : 'row';
  if (content === null) {
    const record: RecordedEvidence = fault === undefined ? (large === true ? { state, path } : { state }) : { state, path, problem: fault };
    return { state, reading: null, ref: null, reader, problem, record, content };
  }
  const hash = sha256(content);
  const grade = input.store.gradeOf(path, hash);
  const read = readContent(source, reader, path, content, input);
  const kept = { state: read.state, path, sha256: hash };
  return {
    ...read,
    ref: { path, sha256: hash, grade: grade ?? source.grade },
    reader,
    record: grade === undefined ? kept : mergeObjects(kept, { grade }),
    content,
  };
}

function readContent(
  source: EvidenceSource,
  reader: string,
  path: string,
  content: string | Uint8Array,
  input: ReadInput,
): Pick<FoundEvidence, 'state' | 'reading' | 'problem'> {
  if ('row' in source) {
    const row = findSourceRow(source.row, input);
    const values: Record<string, string> = {};
    for (const column of input.loop.columns.out) {
      const cell = (row?.columns[column] ?? '').trim();
      if (cell !== '') values[column] = cell;
    }
    const { findings, counts, unread, notes } = parseFindingsCell(row?.columns['findings'] ?? '');
    const reading = { values, findings, counts: counts ?? NO_COUNTS, lists: {}, unread, notes };
    return { state: 'ok', reading, problem: null };
  }
  const readWith = Object.hasOwn(READERS, reader) ? READERS[reader] : undefined;
  // The rules come from the journal, which another version of Umpire may have written.
  if (readWith === undefined)
    return { state: 'unreadable', reading: null, problem: `${path}: this Umpire has no reader "${reader.slice(0, 40)}"` };
  const result = readWith(typeof content === 'string' ? content : decodeTolerantly(content), {
    path,
    ...(input.beside === null ? {} : { beside: input.beside }),
  });
  if (result.ok) return { state: 'ok', reading: result.reading, problem: null };
  const { line, problem } = result.unreadable;
  return { state: 'unreadable', reading: null, problem: `${path}${line === undefined ? '' : `:${line}`}: ${problem}` };
}

function locate(name: string, source: EvidenceSource, input: SourceInput): LocatedText {
  const { loop, chain, critic, peers, store } = input;
  if ('row' in source) {
    const row = findSourceRow(source.row, input);
    if (row !== null) return { path: `tasks.csv#${row.id}`, content: printRowOutputs(loop, row), state: 'ok', problem: null };
    return findNothing(`a finished ${source.row === 'critic' ? loop.roles.critic : source.row.join(' or ')} row in tasks.csv`);
  }
  if ('column' in source) {
    const cells = peers.map((peer) => (peer.columns[source.column] ?? '').trim()).filter((text) => text !== '');
    if (critic === null || cells.length === 0) return findNothing(`${source.column} of a finished ${loop.roles.critic} row in tasks.csv`);
    return { path: `tasks.csv#${critic.task.id}.${source.column}`, content: cells.join('\n'), state: 'ok', problem: null };
  }
  if ('file' in source) {
    const paths = source.file.map((path) => path.replaceAll('{chain}', chain));
    return readFirst(paths, store);
  }
  if ('folder' in source) return findInFolder(source, input);
  const board = store.board(name, source.discoveries);
  const path = `${BOARD}#${source.discoveries}`;
  if (board.state === 'unread') return UNREAD;
  if (board.state === 'unreadable')
    return { path, content: null, state: 'unreadable', problem: `${BOARD}: ${board.problem}.`, fault: board.problem };
  const entries = pickEntries(board.entries, source, input);
  if (entries.length === 0) return findNothing(`${source.discoveries} entries in ${BOARD}`);
  const content = entries.map(({ ts, worker, type, data }) => printDiscovery({ ts, worker, type, data })).join('');
  return { path, content, state: 'ok', problem: null };
}

/** The row as rule E4 compares it: its id, output columns and findings, not its status or wave. */
export function printRowOutputs(loop: Loop, row: Task): string {
  const { id, role, columns } = row;
  const outputs: Record<string, string> = { id, role, findings: columns['findings'] ?? '' };
  for (const column of loop.columns.out) setOwn(outputs, column, columns[column] ?? '');
  return JSON.stringify(outputs);
}

/** The critic's row, or the last row of these roles about the work that the critic judges. */
function findSourceRow(role: Extract<EvidenceSource, { row: unknown }>['row'], { loop, tasks, waves, critic }: SourceInput): Task | null {
  return role === 'critic' ? (critic?.task ?? null) : findRowBeside(loop, tasks, waves, critic, role);
}

function readFirst(paths: readonly string[], store: EvidenceStore): LocatedText {
  for (const path of paths) {
    const read = store.read(path);
    if (read.kind === 'bytes') return { path, content: read.bytes, state: 'ok', problem: null };
    if (read.kind === 'large') return leaveOutLarge(path);
    if (read.kind === 'unreadable')
      return { path, content: null, state: 'unreadable', problem: `${path}: ${read.problem}.`, fault: read.problem };
  }
  return findNothing(paths.join(' and '));
}

type FolderSource = Extract<EvidenceSource, { folder: readonly string[] }>;

/** The file that the row names, else one whose name contains the row's id, else the last by name. */
function findInFolder(source: FolderSource, { store, chain, critic }: SourceInput): LocatedText {
  const folders = source.folder.map((folder) => folder.replaceAll('{chain}', chain));
  const cell = source.named === undefined ? '' : (critic?.task.columns[source.named] ?? '').trim();
  const named = listNamedPaths(cell, folders);
  for (const path of named) {
    const found = readFirst([path], store);
    if (found.state !== 'missing' || found.large === true) return found;
  }
  const words = source.match?.map((word) => word.toLowerCase());
  const paths = folders.flatMap((folder) =>
    store
      .list(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted(compareNames)
      .map((name) => `${folder}/${name}`)
      .filter((path) => words === undefined || words.some((word) => path.toLowerCase().includes(word))),
  );
  const id = critic?.task.id.toLowerCase();
  const own = paths.findLast((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
    const at = id === undefined ? -1 : name.indexOf(id);
    return id !== undefined && at >= 0 && !/\d/.test(name.charAt(at + id.length));
  });
  if (own !== undefined) return readFirst([own], store);
  if (named.length > 0) return findNothing(`${cell}, which the row names in ${source.named ?? ''}`);
  const first = folders.find((folder) => paths.some((path) => path.startsWith(`${folder}/`)));
  const last = first === undefined ? undefined : paths.findLast((path) => path.startsWith(`${first}/`));
  return last === undefined ? findNothing(folders.map((folder) => `a report in ${folder}/`).join(' and ')) : readFirst([last], store);
}

/** The paths in a cell that stay inside the session, those in the source's folders first. */
function listNamedPaths(cell: string, folders: readonly string[]): readonly string[] {
  const names = cell
    .split(/[;,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('/'));
  const paths = names.flatMap((name) => [name, ...folders.map((folder) => join(folder, name))]).map((path) => normalize(path));
  const inside = [...new Set(paths)].filter((path) => path !== '..' && !path.startsWith('../') && !path.endsWith('/'));
  const isInFolder = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
  return [...inside.filter(isInFolder), ...inside.filter((path) => !isInFolder(path))];
}

/** In natural order: 9 before 10. */
function compareNames(a: string, b: string): number {
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

function pickEntries(entries: readonly Discovery[], { of }: BoardSource, input: SourceInput): readonly Discovery[] {
  const { chain, round, critic, peers } = input;
  if (of === 'all') return entries;
  if (of === 'round') {
    const stated = roundStated(critic?.task.columns);
    return entriesOfRound(entries, new Set(peers.map((peer) => peer.id)), Number.isNaN(stated) ? round : stated);
  }
  const worker = of.worker.replaceAll('{chain}', chain).replaceAll('{round}', String(round));
  return entries.filter((entry) => entry.worker === worker);
}
