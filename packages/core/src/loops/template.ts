// Texts with holes: `{name}`, `{name:noun}` (counted, with its plural), `{name:%}` and `{name:/10}` (a unit set behind it),
// `{name%}` (a share as a percentage), `{name?yes|no}` (a flag in words). Compiled once, filled often. A hole with nothing
// to say reads `none`, or what stands behind a last `|`: `{name:%|not measured}`, `{name?yes|no|unknown}`.

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
  /** What it reads with nothing to say. */
  readonly absent: string;
}

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
  for (let open = text.indexOf('{'); open >= 0; open = text.indexOf('{', open + 1)) {
    const close = text.indexOf('}', open);
    const hole = close < 0 ? null : parseHole(text.slice(open + 1, close));
    if (hole === null) continue;
    literals.push(text.slice(from, open));
    holes.push(hole);
    from = close + 1;
  }
  return { literals, holes, last: text.slice(from) };
}

/** What stands between braces, or null where it is no hole. Scanned by hand: a pattern costs more at a cold start. */
function parseHole(inside: string): Hole | null {
  let end = 0;
  while (end < inside.length && isNamePart(inside.charCodeAt(end))) end++;
  const name = inside.slice(0, end);
  const rest = inside.slice(end);
  const first = name.charCodeAt(0);
  if (name === '' || isDigit(first) || first === DOT || rest.includes('{')) return null;
  const bare = { name, noun: '', nouns: '', unit: '', percent: false, yes: 'true', no: 'false', absent: 'none' };
  if (rest === '') return bare;
  const [form = '', ...words] = rest.split('|');
  if (form.startsWith('?')) {
    const [no, absent = 'none', more] = words;
    return no === undefined || more !== undefined ? null : { ...bare, yes: form.slice(1), no, absent };
  }
  if (words.length > 1) return null;
  const [absent = 'none'] = words;
  if (form === '' || form === '%') return { ...bare, percent: form === '%', absent };
  if (!form.startsWith(':')) return null;
  const suffix = form.slice(1);
  if (!isLetter(suffix.charCodeAt(0))) return { ...bare, unit: suffix, absent };
  const nouns = plural(suffix);
  return { ...bare, noun: suffix, nouns, absent: words[0] ?? `an unknown number of ${nouns}` };
}

const DOT = 46;

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isNamePart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 95 || code === DOT;
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

const KNOWN = new Map<string, Template>();
/** Texts of loops are few; findings and the like never come here as templates. */
const MOST_KNOWN = 1000;

export function fillTemplate(text: string, lookup: Lookup): string {
  const known = KNOWN.get(text);
  if (known !== undefined) return known.fill(lookup);
  const template = compileTemplate(text);
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(text, template);
  return template.fill(lookup);
}

function show(value: unknown, hole: Hole): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return hole.absent;
    if (hole.percent) return `${showNumber(value * 100)}%`;
    if (hole.noun === '') return showNumber(value) + hole.unit;
    return `${showNumber(value)} ${value === 1 ? hole.noun : hole.nouns}`;
  }
  if (value === null || value === undefined || value === '') return hole.absent;
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
  const vowel = 'aeiou'.includes(noun.charAt(noun.length - 2));
  return noun.endsWith('y') && !vowel ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
