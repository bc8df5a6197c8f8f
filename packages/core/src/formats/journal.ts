// The lines of journal.ndjson: versioned, numbered, each with the hash of the line before and, where the writer has a key, an HMAC. The
// caller passes the hash function and the key.

export interface Envelope {
  readonly seq: number;
  readonly ts: string;
  /** Milliseconds since the line before, or since this process opened the journal, by a clock that nobody sets. */
  readonly ms?: number;
  readonly type: string;
  readonly data: unknown;
}

export interface ParsedJournal {
  readonly events: readonly Envelope[];
  /** The hash of the last whole line, or the start value of every chain. */
  readonly head: string;
  /** Length of the whole, valid lines. */
  readonly goodLength: number;
  /** The last line was cut off while being written. It is ignored, and the next write removes it. */
  readonly torn: string | null;
  readonly authentication: Authentication;
}

/** Longer lines are not written, and not read: an agent's file without a newline must not fill the memory. */
export const LONGEST_LINE_BYTES = 32 * 1024 * 1024;

export type JournalFault =
  | { readonly kind: 'broken'; readonly line: number; readonly detail: string }
  | { readonly kind: 'newer'; readonly line: number; readonly version: number };

export type JournalResult = { readonly ok: true; readonly journal: ParsedJournal } | { readonly ok: false; readonly fault: JournalFault };

export type Hash = (text: string) => string;

/** Signs lines: without the key nobody can continue or change a signed journal. */
export interface JournalKey {
  /** Eight hexadecimal digits that tell keys apart. */
  readonly id: string;
  /** The HMAC of a digest, as 64 hexadecimal digits. */
  readonly sign: (digest: string) => string;
}

/** The first line decides. `not authenticated here`: it was signed with a key that the reader does not have. */
export type Authentication = 'authenticated' | 'not authenticated' | 'not authenticated here';

export const CHAIN_START = '0'.repeat(64);

/** Every line ends with this, 64 hexadecimal digits, a quote and a brace. */
const TAIL = ',"hash":"';
const TAIL_LENGTH = TAIL.length + 66;
/** A signed line has this before it, with the key's id, a dash, 64 hexadecimal digits and a quote. */
const MAC = ',"mac":"';
const MAC_LENGTH = MAC.length + 74;

/** One line with its newline, and its hash for the next line. */
export function printJournalLine(
  version: number,
  event: Envelope,
  prev: string,
  hash: Hash,
  key: JournalKey | null = null,
): { readonly line: string; readonly head: string } {
  // Only the data needs a serializer: times, types and hashes hold nothing that JSON escapes.
  const { seq, ts, ms, type, data } = event;
  const passed = ms === undefined ? '' : `"ms":${ms},`;
  const unsigned = `{"v":${version},"seq":${seq},"ts":"${ts}","type":"${type}","data":${JSON.stringify(data)},${passed}"prev":"${prev}"}`;
  const body = key === null ? unsigned : `${unsigned.slice(0, -1)}${MAC}${macOf(key, hash(unsigned))}"}`;
  const head = hash(body);
  return { line: `${body.slice(0, -1)},"hash":"${head}"}\n`, head };
}

function macOf({ id, sign }: JournalKey, digest: string): string {
  return `${id}-${sign(digest)}`;
}

export function parseJournal(text: string, knownVersion: number, hash: Hash): JournalResult {
  const events: Envelope[] = [];
  const { fault, ...journal } = scanJournal([{ text }], knownVersion, hash, (event) => {
    events.push(event);
    return null;
  });
  return fault === null ? { ok: true, journal: { events, ...journal } } : { ok: false, fault };
}

/** The lines up to the first invalid one. */
export interface ScannedJournal extends Omit<ParsedJournal, 'events'> {
  readonly lines: number;
  /** The first invalid line, if any. */
  readonly fault: JournalFault | null;
}

/** A part of a journal. */
export interface JournalPart {
  readonly text: string;
  /** Why the next line is not read. It ends the journal. */
  readonly fault?: string;
  /** The hash of a part of the text plus a closing brace, if there is a cheaper way to compute it. */
  readonly hashOf?: (from: number, to: number) => string;
}

/**
 * The same for a journal in parts, so that a long history need not be in memory. Every part but the last ends with a line ending.
 * `take` receives each event and returns a problem, if any.
 */
export function scanJournal(
  pieces: Iterable<JournalPart>,
  knownVersion: number,
  hash: Hash,
  take: (event: Envelope) => string | null,
  key: JournalKey | null = null,
): ScannedJournal {
  let head = CHAIN_START;
  let lines = 0;
  let before = 0;
  let authentication: Authentication = 'not authenticated';
  const end = (goodLength: number, torn: string | null, fault: JournalFault | null): ScannedJournal => {
    return { lines, head, goodLength, torn, authentication, fault };
  };
  for (const { text, hashOf, fault: unread } of pieces) {
    if (unread !== undefined) return end(before, null, { kind: 'broken', line: lines + 1, detail: unread });
    let from = 0;
    const bodyHash: BodyHash = (raw, at) => (hashOf === undefined ? hash(`${raw.slice(0, at)}}`) : hashOf(from, from + at));
    while (from < text.length) {
      const newline = text.indexOf('\n', from);
      if (newline < 0) return end(before + from, text.slice(from), null);
      const raw = text.slice(from, newline);
      if (lines === 0) authentication = authenticationBy(raw, key);
      const signer = authentication === 'authenticated' ? key : null;
      const parsed = parseLine(raw, lines + 1, head, knownVersion, bodyHash, signer);
      const fault = parsed.ok ? faultBy(take(parsed.event), lines + 1) : parsed.fault;
      if (fault !== null || !parsed.ok) return end(before + from, null, fault);
      lines++;
      head = parsed.head;
      from = newline + 1;
    }
    before += from;
  }
  return end(before, null, null);
}

export function authenticationBy(first: string, key: JournalKey | null): Authentication {
  const mac = macIn(first);
  if (mac === null) return 'not authenticated';
  return key !== null && mac.startsWith(`${key.id}-`) ? 'authenticated' : 'not authenticated here';
}

function macIn(raw: string): string | null {
  const at = raw.length - TAIL_LENGTH - MAC_LENGTH;
  return at > 0 && raw.startsWith(MAC, at) ? raw.slice(at + MAC.length, at + MAC_LENGTH - 1) : null;
}

function faultBy(detail: string | null, line: number): JournalFault | null {
  return detail === null ? null : { kind: 'broken', line, detail };
}

/** The hash of the first `at` characters of a line, closed by a brace. */
type BodyHash = (raw: string, at: number) => string;

type LineResult =
  | { readonly ok: true; readonly event: Envelope; readonly head: string }
  | { readonly ok: false; readonly fault: JournalFault };

/** `key`: the line must be signed with it. */
function parseLine(raw: string, line: number, prev: string, knownVersion: number, hashOf: BodyHash, key: JournalKey | null): LineResult {
  const broken = (detail: string): LineResult => ({ ok: false, fault: { kind: 'broken', line, detail } });
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return broken('the line is not JSON');
  }
  if (typeof value !== 'object' || value === null) return broken('the line is not an object');
  const { v, seq, ts, ms, type, data, prev: claimed, hash: told } = value as Record<string, unknown>;
  if (typeof v === 'number' && v > knownVersion) return { ok: false, fault: { kind: 'newer', line, version: v } };
  const at = raw.length - TAIL_LENGTH;
  if (!raw.startsWith(TAIL, at) || !raw.endsWith('"}') || typeof v !== 'number' || typeof ts !== 'string' || typeof type !== 'string')
    return broken('the line lacks a required member (v, seq, ts, type, data, prev, hash)');
  if (seq !== line) return broken(`the line has the number ${String(seq)}`);
  if (claimed !== prev) return broken('it does not continue the line before it: a line was changed, added or removed');
  const head = hashOf(raw, at);
  if (head !== told) return broken('the line was changed (its hash does not match)');
  if (key !== null) {
    const mac = macIn(raw);
    if (mac !== macOf(key, hashOf(raw, at - MAC_LENGTH)))
      return broken(`its HMAC is ${mac === null ? 'missing' : 'wrong'}: the line was not written with the key of this machine`);
  }
  if (ms === undefined) return { ok: true, event: { seq, ts, type, data }, head };
  if (!Number.isSafeInteger(ms) || (ms as number) < 0) return broken('its ms is not a number of milliseconds');
  return { ok: true, event: { seq, ts, ms: ms as number, type, data }, head };
}
