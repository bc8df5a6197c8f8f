// Gathers a loop's evidence from a place (the session folder, or what a verdict recorded of it): finds each source, reads
// it with its reader, keeps its bytes.

import { join, normalize } from 'node:path';
import type { Discovery, EvidenceRef, Finding, Reading, Task } from '@umpire/core/model.js';
import type { RecordedEvidence } from '@umpire/core/decider/events.js';
import type { LocatedEvidence } from '@umpire/core/decider/decide-verdict.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { entriesOfRound, printDiscovery, roundStated } from '@umpire/core/formats/discoveries.js';
import { parseFindingsCell } from '@umpire/core/formats/findings-cell.js';
import { mergeObjects, setOwn } from '@umpire/core/formats/merge-objects.js';
import { READERS } from '@umpire/core/formats/readers.js';
import { countFindings } from '@umpire/core/formats/severity.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import type { Loop, EvidenceSource } from '@umpire/core/loops/loop.js';
import { BOARD } from './board.js';
import { sha256 } from './hash.js';
import type { Place } from './place.js';

export interface GatherInput {
  readonly place: Place;
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly critic: Task | null;
  /** The critic's row and those of critics that ran beside it. */
  readonly peers: readonly Task[];
}

export interface Gathering {
  readonly exhibits: Readonly<Record<string, LocatedEvidence>>;
  /** The evidence itself, by its hash. */
  readonly blobs: ReadonlyMap<string, string | Uint8Array>;
  /** What each source was found to be, before another stood in for it. */
  readonly record: Readonly<Record<string, RecordedEvidence>>;
}

/** Text as it was found, or why there is none. */
interface Found {
  readonly path: string;
  readonly content: string | Uint8Array | null;
  readonly state: 'ok' | 'missing' | 'unreadable' | 'unread';
  readonly problem: string | null;
  /** Why no bytes could be read, without the path. */
  readonly fault?: string;
  /** There, but it decides nothing and is too large to keep: as good as missing. */
  readonly large?: true;
}

export function gather(input: GatherInput): Gathering {
  const blobs = new Map<string, string | Uint8Array>();
  const found: Record<string, LocatedEvidence> = {};
  const record: Record<string, RecordedEvidence> = {};
  const { evidence } = input.loop;
  const names = Object.keys(evidence);
  const deciding = decidingSources(input.loop);
  for (const name of names) {
    const source = evidence[name] as EvidenceSource;
    const here = keepable(input.place.isReached(name) ? find(name, source, input) : UNREAD, deciding.includes(name));
    const exhibit = read(source, here, input, blobs);
    found[name] = exhibit;
    record[name] = recordOf(exhibit, here, input.place);
  }
  const exhibits: Record<string, LocatedEvidence> = {};
  for (const name of names) {
    const exhibit = found[name] as LocatedEvidence;
    const standIn = exhibit.state === 'missing' ? standInFor(input.loop, name, found) : null;
    exhibits[name] = standIn ?? exhibit;
  }
  return { exhibits, blobs, record };
}

/** The first that was read of those that stand in for each other, in the order of `else`; none behind one that cannot be read. */
function standInFor(loop: Loop, name: string, found: Readonly<Record<string, LocatedEvidence>>): LocatedEvidence | null {
  for (let next = loop.evidence[name]?.else; next !== undefined && next !== name; next = loop.evidence[next]?.else) {
    const exhibit = found[next];
    if (exhibit === undefined || exhibit.state === 'missing') continue;
    const { state, reading, reader, problem } = exhibit;
    return state === 'ok' ? { state, reading, ref: null, reader, problem } : null;
  }
  return null;
}

const UNREAD: Found = { path: '', content: null, state: 'unread', problem: null };

/** What decides nothing is kept only where it is not large: a log of gigabytes is no use to a verdict. */
const MOST_ASIDE = 4 * 1024 * 1024;

function keepable(found: Found, decides: boolean): Found {
  const isLarge = found.content !== null && found.content.length > MOST_ASIDE;
  return isLarge && !decides ? tooLarge(found.path) : found;
}

function tooLarge(path: string): Found {
  return { path, content: null, state: 'missing', problem: null, large: true };
}

function recordOf({ state, ref }: LocatedEvidence, { path, large, fault }: Found, place: GatherInput['place']): RecordedEvidence {
  const grade = ref === null ? undefined : place.gradeOf?.(ref.path);
  if (ref !== null) {
    const kept = { state, path: ref.path, sha256: ref.sha256 };
    return grade === undefined ? kept : mergeObjects(kept, { grade });
  }
  if (fault !== undefined) return { state, path, problem: fault };
  return large === true ? { state, path } : { state };
}

function read(source: EvidenceSource, found: Found, input: GatherInput, blobs: Map<string, string | Uint8Array>): LocatedEvidence {
  const reader = 'reader' in source ? source.reader : 'row';
  if (found.content === null) return { state: found.state, reading: null, ref: null, reader, problem: found.problem };
  const hash = sha256(found.content);
  blobs.set(hash, found.content);
  const grade = input.place.gradeOf?.(found.path) ?? source.grade;
  const ref: EvidenceRef = { path: found.path, sha256: hash, grade };
  if ('row' in source) return { state: 'ok', reading: readRow(input.loop, input.critic), ref, reader, problem: null };
  const text = typeof found.content === 'string' ? found.content : decodeTolerantly(found.content);
  const readWith = Object.hasOwn(READERS, reader) ? READERS[reader] : undefined;
  // Rules come from the journal, which may be of another version or anybody's.
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

function find(name: string, source: EvidenceSource, input: GatherInput): Found {
  if ('row' in source) return findRow(input);
  if ('column' in source) return findColumn(source.column, input);
  if ('file' in source)
    return findFile(
      source.file.map((path) => path.replaceAll('{chain}', input.chain)),
      input,
    );
  if ('folder' in source) return findInFolder(source, input);
  return findOnBoard(name, source, input);
}

function missing(where: string): Found {
  return { path: where, content: null, state: 'missing', problem: `Looked for ${where}.` };
}

/** What E4 calls the row: its id, its output columns and findings, not its status or wave. */
export function rowOutputs(loop: Loop, row: Task): string {
  const { id, role, columns } = row;
  const told: Record<string, string> = { id, role, findings: columns['findings'] ?? '' };
  for (const column of loop.columns.out) setOwn(told, column, columns[column] ?? '');
  return JSON.stringify(told);
}

function findRow({ loop, critic }: GatherInput): Found {
  if (critic === null) return missing(`a finished ${loop.roles.critic} row in tasks.csv`);
  return { path: `tasks.csv#${critic.id}`, content: rowOutputs(loop, critic), state: 'ok', problem: null };
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

function findColumn(column: string, { loop, critic, peers }: GatherInput): Found {
  const cell = peers
    .map((peer) => (peer.columns[column] ?? '').trim())
    .filter((text) => text !== '')
    .join('\n');
  if (critic === null || cell === '') return missing(`${column} of a finished ${loop.roles.critic} row in tasks.csv`);
  return { path: `tasks.csv#${critic.id}.${column}`, content: cell, state: 'ok', problem: null };
}

function findFile(paths: readonly string[], { place }: GatherInput): Found {
  for (const path of paths) {
    const read = place.read(path);
    if (read.kind === 'bytes') return { path, content: read.bytes, state: 'ok', problem: null };
    if (read.kind === 'large') return tooLarge(path);
    if (read.kind === 'unreadable')
      return { path, content: null, state: 'unreadable', problem: `${path}: ${read.problem}.`, fault: read.problem };
  }
  return missing(paths.join(' and '));
}

type FolderSource = Extract<EvidenceSource, { folder: readonly string[] }>;

/** The file that the row names, else one whose name holds the row's id, else the last by name. */
function findInFolder(declared: FolderSource, input: GatherInput): Found {
  const folders = declared.folder.map((folder) => folder.replaceAll('{chain}', input.chain));
  const source = { ...declared, folder: folders };
  const named = source.named === undefined ? [] : namedPaths(input.critic?.columns[source.named] ?? '', source);
  for (const path of named) {
    const found = findFile([path], input);
    if (found.state !== 'missing' || found.large === true) return found;
  }
  const paths = folders.flatMap((folder) =>
    input.place
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

/** Paths that a cell names, kept inside the session, reports of the source's folders first. */
function namedPaths(cell: string, source: FolderSource): readonly string[] {
  const names = cell
    .split(/[;,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('/'));
  const paths = names.flatMap((name) => [name, ...source.folder.map((folder) => join(folder, name))]).map((path) => normalize(path));
  const inside = [...new Set(paths)].filter((path) => path !== '..' && !path.startsWith('../') && !path.endsWith('/'));
  const ours = (path: string) => source.folder.some((folder) => path.startsWith(`${folder}/`));
  return [...inside.filter(ours), ...inside.filter((path) => !ours(path))];
}

function holdsId(path: string, id: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const at = name.indexOf(id.toLowerCase());
  return at >= 0 && !/\d/.test(name.charAt(at + id.length));
}

/** Names in the order that people expect: 9 before 10. */
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

function findOnBoard(name: string, source: BoardSource, input: GatherInput): Found {
  const board = input.place.board(name, source.discoveries);
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
