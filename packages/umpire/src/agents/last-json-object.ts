// Finds the last complete JSON object in text, also inside prose or a code fence. Looks at every character a bounded number of times.
// result.ts interprets the object.

/** Only this much of the end of the output is searched; a larger result file is refused. */
export const MAX_RESULT_BYTES = 1024 * 1024;

/** Explains a missing result when the output was longer. */
export const LAST_SEARCHED = 'Umpire searches only the last 1 MB of its output for a result';

/** Limit of looks per character; only adversarial text comes near it. */
const MAX_LOOKS = 16;

/** The object's text, or null. `{}` does not count: it is common in prose and says nothing. */
export function findLastObject(text: string): string | null {
  const line = text.trimEnd();
  const last = line.slice(line.lastIndexOf('\n') + 1);
  // The usual case. No other object can contain one that fills the last line.
  if (last.startsWith('{"') && parsesAsJson(last)) return last;
  return new Search(text).run();
}

function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** What may come next: after `{` a key or the end, after `[` a value or the end, after a value a comma or the end. */
type Want = 'first-key' | 'key' | 'colon' | 'first-value' | 'value' | 'next';

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Reads forward from each unread `{`. An object reads the same at any nesting level, so an object that was open when a read failed would
 * fail at the same place and is not tried again. That bounds the cost of nesting.
 */
class Search {
  private readonly tried: Uint8Array;
  private start = -1;
  private end = -1;
  private looks = 0;

  constructor(private readonly text: string) {
    this.tried = new Uint8Array(text.length);
  }

  run(): string | null {
    const { text } = this;
    for (let at = text.indexOf('{'); at >= 0 && this.looks <= text.length * MAX_LOOKS;) {
      const stopped = this.tried[at] === 1 ? at : this.readFrom(at);
      this.looks += Math.abs(stopped) - at + 1;
      at = text.indexOf('{', stopped > at ? stopped : at + 1);
    }
    return this.end < 0 ? null : text.slice(this.start, this.end);
  }

  /** Returns the end of the object that begins here, or the negated position of the error. Keeps the last object that closed. */
  private readFrom(from: number): number {
    const { text } = this;
    /** Start of each open object or list; lists are negative. */
    const open: number[] = [];
    let want: Want = 'value';
    let at = from;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
        at += 1;
        continue;
      }
      if (code === CLOSE || code === CLOSE_LIST) {
        const began = open.at(-1) ?? 0;
        const fits =
          code === CLOSE
            ? began >= 0 && (want === 'next' || want === 'first-key')
            : began < 0 && (want === 'next' || want === 'first-value');
        if (!fits) return -at;
        open.pop();
        at += 1;
        if (code === CLOSE && want === 'next') this.keep(began, at);
        if (open.length === 0) return at;
        want = 'next';
        continue;
      }
      const read = this.readToken(at, code, want, open);
      if (read === null) return -at;
      [at, want] = read;
    }
    return -at;
  }

  /** Reads one token that closes nothing. Returns its end and what must follow, or null where it does not fit. */
  private readToken(at: number, code: number, want: Want, open: number[]): readonly [number, Want] | null {
    if (want === 'colon') return code === COLON ? [at + 1, 'value'] : null;
    if (want === 'next') return code === COMMA ? [at + 1, (open.at(-1) ?? 0) < 0 ? 'value' : 'key'] : null;
    if (code === QUOTE) {
      const end = findQuoteEnd(this.text, at);
      if (end < 0) this.looks += ~end - at;
      return end < 0 ? null : [end, want === 'key' || want === 'first-key' ? 'colon' : 'next'];
    }
    if (want === 'key' || want === 'first-key') return null;
    if (code === OPEN) {
      open.push(at);
      this.tried[at] = 1;
      return [at + 1, 'first-key'];
    }
    if (code === OPEN_LIST) {
      open.push(-at - 1);
      return [at + 1, 'first-value'];
    }
    SCALAR.lastIndex = at;
    return SCALAR.test(this.text) ? [SCALAR.lastIndex, 'next'] : null;
  }

  private keep(start: number, end: number): void {
    if (end <= this.end) return;
    this.start = start;
    this.end = end;
  }
}

/** Returns the end of the string that begins here, or the bitwise complement of the position of the error. */
function findQuoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return ~at;
    if (code === BACKSLASH) {
      at += 1;
      const escaped = text.charAt(at);
      if (!(escaped === 'u' ? /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5)) : escaped !== '' && '"\\/bfnrt'.includes(escaped)))
        return ~at;
    }
  }
  return ~text.length;
}
