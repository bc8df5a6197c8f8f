// discoveries.ndjson, the board of the agents: one JSON object a line, append-only, and the reader `entries`. The file may be large and
// is not trusted: it is read in chunks with bounded memory, and malformed lines are skipped and counted.

import type { Discovery, Item, Scalar } from '../model/vocabulary.js';
import { isObject, nameOf, own, parseJson, findRepeatedKey } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { readable, record } from './reader.js';
import type { Reader } from './reader.js';

export interface DiscoveryScan {
  /** Entries of the wanted types, in file order. */
  readonly entries: readonly (Discovery & { readonly line: number })[];
  /** All lines, including blank and malformed ones. */
  readonly lines: number;
  readonly malformed: number;
  readonly firstMalformed: { readonly line: number; readonly problem: string } | null;
  /** False if the next append must start with a line ending. An empty file needs none. */
  readonly endsWithNewline: boolean;
  readonly bytes: number;
}

/** Longer lines are rejected, to bound memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const BLOCK_BYTES = 64 * 1024;

/** One line with its line ending. */
export function printDiscovery(discovery: Discovery): string {
  const { ts, worker, type, data } = discovery;
  const json = JSON.stringify({ ts, worker, type, data });
  // Valid JSON, but many tools break lines at these characters.
  return `${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}

/**
 * The entries of one round. First choice: entries with this `gc_round`, plus those of `workers` without a round. Second: those of
 * `workers`. Last: all entries that are not of an earlier round. `round` is NaN if unknown.
 */
export function entriesOfRound<T extends Discovery>(entries: readonly T[], workers: ReadonlySet<string>, round: number): readonly T[] {
  const plain = entries.filter((entry) => entry.data['gc_round'] === undefined);
  const own = plain.filter((entry) => workers.has(entry.worker));
  const ofRound = entries.filter((entry) => entry.data['gc_round'] !== undefined && Number(entry.data['gc_round']) === round);
  if (ofRound.length > 0) return [...ofRound, ...own];
  if (own.length > 0) return own;
  return entries.filter((entry) => !(Number(entry.data['gc_round']) < round));
}

/** The round in the critic's row; NaN if it has none. */
export function roundStated(row: Readonly<Record<string, string>> | undefined): number {
  const stated = Number(row?.['gc_round']?.trim() || Number.NaN);
  return Number.isInteger(stated) ? stated : Number.NaN;
}

/** Push the bytes of the file in chunks of any size, then call `end`. Chunks are not kept, so their buffers may be reused. */
export class DiscoveryScanner {
  private readonly entries: (Discovery & { readonly line: number })[] = [];
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The line that has no newline yet. */
  private readonly rest: LineBuffer;
  private lines = 0;
  private malformed = 0;
  private firstMalformed: DiscoveryScan['firstMalformed'] = null;
  private bytes = 0;
  private lastByte = NEWLINE;

  constructor(
    private readonly types: ReadonlySet<string>,
    private readonly maxLineBytes: number = MAX_LINE_BYTES,
  ) {
    this.rest = new LineBuffer(maxLineBytes);
  }

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.lastByte = chunk.at(-1) ?? this.lastByte;
    // A block is never longer than a line may be, so only lines that span blocks need measuring.
    const step = Math.min(BLOCK_BYTES, this.maxLineBytes);
    for (let at = 0; at < chunk.length; at += step) this.pushBlock(chunk.subarray(at, at + step));
  }

  end(): DiscoveryScan {
    if (this.rest.size > 0) this.endRest();
    const { entries, lines, malformed, firstMalformed, bytes } = this;
    return { entries, lines, malformed, firstMalformed, endsWithNewline: this.lastByte === NEWLINE, bytes };
  }

  private pushBlock(block: Uint8Array): void {
    const first = block.indexOf(NEWLINE);
    if (first === -1) {
      this.rest.append(block);
      return;
    }
    this.rest.append(block.subarray(0, first));
    this.endRest();
    const last = block.lastIndexOf(NEWLINE);
    // Decodes all whole lines at once: a call per line would cost more than parsing.
    if (last > first) this.takeLines(this.decoder.decode(block.subarray(first + 1, last)));
    this.rest.append(block.subarray(last + 1));
  }

  private endRest(): void {
    const line = this.rest.take();
    if (line === null) this.reject(++this.lines, `it is longer than ${this.maxLineBytes} bytes`);
    else this.takeLines(this.decoder.decode(line));
  }

  private takeLines(text: string): void {
    for (let start = 0; start <= text.length;) {
      const newline = text.indexOf('\n', start);
      const end = newline === -1 ? text.length : newline;
      this.takeLine(text.slice(start, end), ++this.lines);
      start = end + 1;
    }
  }

  private takeLine(text: string, line: number): void {
    const json = line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
    const entry = readEntry(json);
    if (entry === null) return;
    if (typeof entry === 'string') this.reject(line, entry);
    else if (this.types.has(entry.type)) this.entries.push({ ...entry, line });
  }

  private reject(line: number, problem: string): void {
    this.malformed++;
    this.firstMalformed ??= { line, problem };
  }
}

/** Collects one line from pieces. Past the limit it only counts, so that an endless line costs no memory. */
class LineBuffer {
  size = 0;
  private bytes = new Uint8Array(1024);

  constructor(private readonly limit: number) {}

  append(piece: Uint8Array): void {
    const size = this.size + piece.length;
    if (size <= this.limit) {
      if (size > this.bytes.length) {
        const wider = new Uint8Array(Math.max(size, Math.min(this.bytes.length * 2, this.limit)));
        wider.set(this.bytes.subarray(0, this.size));
        this.bytes = wider;
      }
      this.bytes.set(piece, this.size);
    }
    this.size = size;
  }

  /** The line, valid until the next append. Null if it was too long. */
  take(): Uint8Array | null {
    const { size } = this;
    this.size = 0;
    return size > this.limit ? null : this.bytes.subarray(0, size);
  }
}

/** Null for a blank line, a string for a problem. */
function readEntry(json: string): Discovery | string | null {
  const text = json.trim();
  if (text === '') return null;
  // Tested before parsing, because a thrown error costs many times a parsed line.
  if (!text.startsWith('{') || !text.endsWith('}')) return 'it is not a JSON object';
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return 'it is not JSON';
  }
  const { ts, worker, type, data } = value;
  if (typeof type !== 'string') return 'its "type" is missing or not a string';
  if (!isObject(data)) return 'its "data" is missing or not an object';
  return { ts: typeof ts === 'string' ? ts : '', worker: typeof worker === 'string' ? worker : '', type, data };
}

export interface BoardEntry {
  readonly line: number;
  readonly worker: string;
  readonly data: JsonObject;
  /** A key that the entry repeats, which makes its meaning unclear. */
  readonly repeated?: string;
}

export const readEntries: Reader = (text) => {
  const { entries, notes } = splitEntries(text);
  return readable({ lists: [['entries', entries.map(({ worker, data }) => ({ ...scalarsOf(data), worker }))]], notes });
};

/** Skips broken lines with a note. An entry without `data` is its own data. */
export function splitEntries(text: string): { readonly entries: readonly BoardEntry[]; readonly notes: readonly string[] } {
  const entries: BoardEntry[] = [];
  const notes: string[] = [];
  text.split('\n').forEach((line, index) => {
    const start = line.trimStart()[0];
    if (start === undefined) return;
    // Tested first: a board full of other text would cost an exception per line.
    if (start !== '{' && start !== '[') {
      notes.push(`ignored the entry on line ${index + 1}: it is not a JSON object`);
      return;
    }
    const json = parseJson(line, index + 1);
    if (!json.ok) notes.push(`ignored an entry: ${json.problem}`);
    else if (!isObject(json.value)) notes.push(`ignored the entry on line ${index + 1}: it is ${nameOf(json.value)}, expected an object`);
    else {
      const worker = own(json.value, 'worker');
      const data = own(json.value, 'data');
      const repeated = findRepeatedKey(line)?.key;
      entries.push({
        line: index + 1,
        worker: typeof worker === 'string' ? worker : '',
        data: isObject(data) ? data : json.value,
        ...(repeated === undefined ? {} : { repeated }),
      });
    }
  });
  return { entries, notes };
}

/** The members that a list item may hold: strings, finite numbers, booleans, null. */
export function scalarsOf(object: JsonObject): Item {
  return record(Object.entries(object).filter((member): member is [string, Scalar | null] => isScalar(member[1]) || member[1] === null));
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}
