// Texts with holes: `{name}`, `{name:noun}` (counted, with its plural), `{name:%}` and `{name:/10}` (a unit set behind it),
// `{name%}` (a share as a percentage), `{name?yes|no}` (a flag in words). Compiled once, filled often. A hole with nothing
// to say reads `none`.

export type Lookup = (name: string) => unknown;

export interface Template {
  readonly names: readonly string[];
  readonly fill: (lookup: Lookup) => string;
}

interface Hole {
  readonly name: string;
  readonly noun: string;
  readonly unit: string;
  readonly percent: boolean;
  readonly yes: string;
  readonly no: string;
  /** Texts shown before: the same few values come again and again. */
  readonly shown: Map<unknown, string>;
}

const HOLE = /\{([A-Za-z_][\w.]*)(?::([^{}]*)|(%)|\?([^|{}]*)\|([^|{}]*))?\}/g;
const MOST_SHOWN = 256;

/** Cut into its holes at the first use: a verdict fills few of the texts that a loop has. */
export function compileTemplate(text: string): Template {
  let parts: Parts | null = null;
  const cut = () => (parts ??= cutHoles(text));
  return {
    get names() {
      return cut().holes.map((hole) => hole.name);
    },
    fill: (lookup) => {
      const { literals, holes, last } = parts ?? cut();
      let out = '';
      for (let i = 0; i < holes.length; i++) {
        const hole = holes[i] as Hole;
        out += (literals[i] as string) + showOnce(lookup(hole.name), hole);
      }
      return out + last;
    },
  };
}

interface Parts {
  /** The text before each hole. */
  readonly literals: readonly string[];
  readonly holes: readonly Hole[];
  readonly last: string;
}

function cutHoles(text: string): Parts {
  const literals: string[] = [];
  const holes: Hole[] = [];
  let from = 0;
  for (const match of text.matchAll(HOLE)) {
    literals.push(text.slice(from, match.index));
    const suffix = match[2] ?? '';
    const counted = /^[A-Za-z]/.test(suffix);
    holes.push({
      name: match[1] ?? '',
      noun: counted ? suffix : '',
      unit: counted ? '' : suffix,
      percent: match[3] === '%',
      yes: match[4] ?? 'true',
      no: match[5] ?? 'false',
      shown: new Map(),
    });
    from = match.index + match[0].length;
  }
  return { literals, holes, last: text.slice(from) };
}

export function fillTemplate(text: string, lookup: Lookup): string {
  return compileTemplate(text).fill(lookup);
}

function showOnce(value: unknown, hole: Hole): string {
  const known = hole.shown.get(value);
  if (known !== undefined) return known;
  const text = show(value, hole);
  if (hole.shown.size < MOST_SHOWN) hole.shown.set(value, text);
  return text;
}

function show(value: unknown, hole: Hole): string {
  if (value === null || value === undefined || value === '') return hole.noun === '' ? 'none' : `no ${plural(hole.noun)}`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'none';
    if (hole.percent) return `${showNumber(value * 100)}%`;
    if (hole.noun === '') return showNumber(value) + hole.unit;
    return `${showNumber(value)} ${value === 1 ? hole.noun : plural(hole.noun)}`;
  }
  if (typeof value === 'boolean') return value ? hole.yes : hole.no;
  return (typeof value === 'string' ? value : JSON.stringify(value)) + hole.unit;
}

/** At most two decimals; cut, not rounded, so that 94.999 never reads as 95. */
export function showNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const hundredths = value * 100;
  const nearest = Math.round(hundredths);
  const kept = Math.abs(hundredths - nearest) < 1e-6 ? nearest : Math.trunc(hundredths);
  return String(kept / 100);
}

function plural(noun: string): string {
  return noun.endsWith('y') && !/[aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
