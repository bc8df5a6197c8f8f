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
  readonly nouns: string;
  readonly unit: string;
  readonly percent: boolean;
  readonly yes: string;
  readonly no: string;
}

const HOLE = /\{([A-Za-z_][\w.]*)(?::([^{}]*)|(%)|\?([^|{}]*)\|([^|{}]*))?\}/g;

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
        out += (literals[i] as string) + show(lookup(hole.name), hole);
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
      nouns: counted ? plural(suffix) : '',
      unit: counted ? '' : suffix,
      percent: match[3] === '%',
      yes: match[4] ?? 'true',
      no: match[5] ?? 'false',
    });
    from = match.index + match[0].length;
  }
  return { literals, holes, last: text.slice(from) };
}

/**
 * The same text as code: `values` says how each name is read. Several times as fast, and worth it from the second use on.
 * Literals and names enter as JSON, nothing else does.
 */
export function writeTemplate(text: string, args: string, values: (name: string) => string): (...args: never[]) => string {
  const { literals, holes, last } = cutHoles(text);
  const parts = holes.map((hole, index) => `${JSON.stringify(literals[index])} + show(${values(hole.name)}, holes[${index}])`);
  const code = `return (${args}) => ${[...parts, JSON.stringify(last)].join(' + ')};`;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function('show', 'holes', code)(show, holes) as (...args: never[]) => string;
}

export function fillTemplate(text: string, lookup: Lookup): string {
  return compileTemplate(text).fill(lookup);
}

function show(value: unknown, hole: Hole): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'none';
    if (hole.percent) return `${showNumber(value * 100)}%`;
    if (hole.noun === '') return showNumber(value) + hole.unit;
    return `${showNumber(value)} ${value === 1 ? hole.noun : hole.nouns}`;
  }
  if (value === null || value === undefined || value === '') return hole.noun === '' ? 'none' : `an unknown number of ${hole.nouns}`;
  if (typeof value === 'boolean') return value ? hole.yes : hole.no;
  return (typeof value === 'string' ? value : JSON.stringify(value)) + hole.unit;
}

/** `.01` to `.99`, and nothing for 0. */
const FRACTIONS: readonly string[] = Array.from({ length: 100 }, (_, n) => (n === 0 ? '' : String(n / 100).slice(1)));

/** At most two decimals; cut, not rounded, so that 94.999 never reads as 95. */
export function showNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const hundredths = Math.abs(value) * 100;
  const nearest = Math.round(hundredths);
  const kept = Math.abs(hundredths - nearest) < 1e-6 ? nearest : Math.trunc(hundredths);
  const text = String(Math.trunc(kept / 100)) + (FRACTIONS[kept % 100] as string);
  return value < 0 && kept > 0 ? `-${text}` : text;
}

function plural(noun: string): string {
  return noun.endsWith('y') && !/[aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
