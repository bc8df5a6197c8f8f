// A small seeded mutator for the fuzz tests: the same seeds, count and seed give the same texts on every machine.
// It knows nothing of any format; the fuzz tests bring their own small, valid seeds.

const MAX_LENGTH = 16_384;

const TOKENS: readonly string[] = [
  ['"', '""', '"""', "'", '`', ',', ';', '\t', ':', '|', '#', '&', '<', '>', '/', '\\', '\\"', '=', '+', '-', '@', ' '],
  ['\n', '\r', '\r\n', '\n\n', '\n\r', '\u0000', '\u001b[31m', '\u0085', '\u2028', '\u2029', '\ufeff', '\ufffd', '\ud800', '\udc00'],
  ['\u{1f600}', 'é', '＝', '\u202e', '{', '}', '[', ']', '{}', '[]', '(', ')', 'null', 'true', 'false', 'NaN', 'undefined'],
  ['__proto__', 'constructor', 'toString', '"__proto__":{"x":1},', '../../etc/passwd', '%s', '${x}', '{detail}', '$&', '$1'],
  ['<!DOCTYPE a [<!ENTITY b "c">]>', '&b;', '<![CDATA[', ']]>', '<!--', '-->', '&amp;', '\\u0000', '\\ud800'],
  ['- ', '* ', '| --- |', '## ', '\n## ', '\n- ', '\n| '],
].flat();

const NUMBERS: readonly string[] = [
  ['0', '-0', '-1', '1', '0.1', '1e3', '+1.5e3', '1e308', '1e999', '-1e999', '1e-999', '0x10', '1_000', '١٢', '2147483648'],
  ['9007199254740993', '-9223372036854775809', '18446744073709551616', '9'.repeat(400), `0.${'0'.repeat(400)}1`],
].flat();

const NESTS: readonly (readonly [open: string, close: string])[] = [
  ['[', ']'],
  ['{"a":', '}'],
  ['<a>', '</a>'],
  ['"', '"'],
  ['(', ')'],
  ['- ', ''],
  ['  ', ''],
];

/** Yields `count` texts: first the seeds themselves, then seeds changed in one to four places. */
export function* mutations(seeds: readonly string[], count: number, seed: number): Generator<string> {
  if (seeds.length === 0) throw new Error('mutations needs at least one seed');
  const below = randomBelow(seed);
  for (let made = 0; made < count; made++) {
    const whole = seeds[made];
    if (whole !== undefined) {
      yield whole;
      continue;
    }
    let text = pick(seeds, below);
    for (let changes = 1 + below(4); changes > 0; changes--) text = mutate(text, seeds, below);
    yield text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
  }
}

export type Below = (limit: number) => number;

function mutate(text: string, seeds: readonly string[], below: Below): string {
  const at = below(text.length + 1);
  const length = below(Math.min(text.length - at, 64) + 1);
  const insert = (added: string, dropped = 0): string => text.slice(0, at) + added + text.slice(at + dropped);
  switch (below(12)) {
    case 0:
      return flip(text, below(8), below(Math.max(text.length, 1)));
    case 1:
      return text.slice(0, at);
    case 2:
      return text.slice(at);
    case 3:
      return insert('', length);
    case 4:
      return insert(text.slice(at, at + length).repeat(1 + below(4)));
    case 5:
      return insert(String.fromCharCode(below(8) === 0 ? below(0x10000) : below(0x100)), below(2));
    case 6:
      return insert(pick(NUMBERS, below), length);
    case 7:
      return splice(text, at, pick(seeds, below), below);
    case 8:
      return insert(nest(below));
    case 9:
      return swapLines(text, below);
    default:
      return insert(pick(TOKENS, below), below(3) === 0 ? length : 0);
  }
}

/** One bit of one byte: non-ASCII characters have it flipped in their low byte. */
function flip(text: string, bit: number, at: number): string {
  if (text.length === 0) return '';
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1);
}

function splice(text: string, at: number, other: string, below: Below): string {
  const from = below(other.length + 1);
  const piece = other.slice(from, from + below(other.length - from + 1));
  return text.slice(0, at) + piece + (below(2) === 0 ? text.slice(at) : '');
}

/** Mostly shallow; now and then deep enough to overflow the stack of a reader that recurses without a limit. */
function nest(below: Below): string {
  const [open, close] = pick(NESTS, below);
  const depth = below(16) === 0 ? 4_000 : 1 + below(40);
  return open.repeat(depth) + (below(2) === 0 ? close.repeat(depth) : '');
}

function swapLines(text: string, below: Below): string {
  const lines = text.split('\n');
  const a = below(lines.length);
  const b = below(lines.length);
  const line = lines[a] ?? '';
  lines[a] = lines[b] ?? '';
  lines[b] = line;
  return lines.join('\n');
}

export function pick<T>(items: readonly T[], below: Below): T {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** mulberry32: 32 bits of state are plenty here. */
export function randomBelow(seed: number): Below {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}
