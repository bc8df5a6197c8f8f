// Bytes of XML as text: the five entities and numbered characters, the declared encoding, and the text of an element gathered
// piece by piece. Nothing is ever fetched or declared: an entity that XML itself does not know stays as it is written.

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const LONGEST_ENTITY = 12;

/** `&lt;&#65;` → `<A` */
export function withoutEntities(text: string): string {
  let amp = text.indexOf('&');
  if (amp < 0) return text;
  let plain = '';
  let from = 0;
  for (; amp >= 0; amp = text.indexOf('&', amp + 1)) {
    const name = text.slice(amp + 1, amp + LONGEST_ENTITY);
    const end = name.indexOf(';');
    const meant = end < 0 ? null : characterOf(name.slice(0, end));
    if (meant === null) continue;
    plain += text.slice(from, amp) + meant;
    from = amp + 1 + end + 1;
  }
  return plain + text.slice(from);
}

function characterOf(name: string): string | null {
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? null;
  const isHex = name.startsWith('#x');
  const digits = name.slice(isHex ? 2 : 1);
  if (!(isHex ? /^[0-9A-Fa-f]+$/ : /^[0-9]+$/).test(digits)) return null;
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
  return String.fromCodePoint(code);
}

/** How bytes become characters: `utf-8`, or the one-byte alphabet of Western Europe. Null: not an encoding that is read. */
export function encodingNamed(name: string): 'utf-8' | 'windows-1252' | null {
  const plain = name.toLowerCase().replaceAll('_', '-');
  // UTF-16 was turned into UTF-8 before it came here; only the declaration still says otherwise.
  if (['utf-8', 'utf8', 'us-ascii', 'ascii', 'utf-16', 'utf-16le', 'utf-16be'].includes(plain)) return 'utf-8';
  return ['iso-8859-1', 'latin1', 'latin-1', 'windows-1252', 'cp1252'].includes(plain) ? 'windows-1252' : null;
}

/** The first so many bytes of an element's text, from pieces cut anywhere. */
export class XmlText {
  private readonly bytes = new Uint8Array(4096);
  private length = 0;
  private left = 0;
  /** Bytes that found no room. */
  private beyond = 0;
  private done = '';
  private decoder = new TextDecoder();

  encoding(name: 'utf-8' | 'windows-1252'): void {
    this.decoder = new TextDecoder(name);
  }

  /** Starts anew; at most `limit` bytes are kept. */
  begin(limit: number): void {
    this.left = Math.min(limit, this.bytes.length);
    this.length = 0;
    this.beyond = 0;
    this.done = '';
  }

  add(chunk: Uint8Array, from: number, to: number): void {
    const count = Math.min(to - from, this.left);
    this.beyond += to - from - count;
    if (count === 0) return;
    this.bytes.set(chunk.subarray(from, from + count), this.length);
    this.length += count;
    this.left -= count;
  }

  /** The last so many bytes were no text. */
  takeBack(count: number): void {
    const kept = Math.max(0, count - this.beyond);
    this.beyond = Math.max(0, this.beyond - count);
    this.length -= kept;
    this.left += kept;
  }

  /** What was added so far is plain text; entities in it count. CDATA comes after `flush(false)` and ends with `flush(true)`. */
  flush(isCdata: boolean): void {
    if (this.length === 0) return;
    const text = this.decoder.decode(this.bytes.subarray(0, this.length));
    this.done += isCdata ? text : withoutEntities(text);
    this.length = 0;
  }

  end(): string {
    this.flush(false);
    // A character that the limit cut in two.
    return this.beyond > 0 && this.done.endsWith('\ufffd') ? this.done.slice(0, -1) : this.done;
  }
}
