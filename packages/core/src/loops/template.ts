// Text templates with placeholders: `{name}`, `{name:noun}` (a count with singular or plural), `{name:%}` and `{name:/10}` (with a unit),
// `{name%}` (a share as a percentage), `{name?yes|no}` (a flag in words). An absent value prints `none`, or the text after a last `|`:
// `{name:%|not measured}`, `{name?yes|no|unknown}`.

export type ValueLookup = (name: string) => unknown;

export interface Template {
  readonly names: readonly string[];
  readonly fill: (lookup: ValueLookup) => string;
}

interface Placeholder {
  readonly name: string;
  readonly noun: string;
  readonly nouns: string;
  readonly unit: string;
  readonly percent: boolean;
  readonly yes: string;
  readonly no: string;
  /** The text for an absent value. */
  readonly absent: string;
}

/** Parsed at the first use, because a verdict fills few of a loop's texts. */
export function compileTemplate(text: string): Template {
  let parts: Parts | null = null;
  const split = () => (parts ??= splitPlaceholders(text));
  return {
    get names() {
      return split().holes.map((hole) => hole.name);
    },
    fill: (lookup) => {
      const { literals, holes, last } = parts ?? split();
      let out = '';
      for (let i = 0; i < holes.length; i++) {
        const hole = holes[i] as Placeholder;
        out += (literals[i] as string) + show(lookup(hole.name), hole);
      }
      return out + last;
    },
  };
}

interface Parts {
  /** The text before each placeholder. */
  readonly literals: readonly string[];
  readonly holes: readonly Placeholder[];
  readonly last: string;
}

function splitPlaceholders(text: string): Parts {
  const literals: string[] = [];
  const holes: Placeholder[] = [];
  let from = 0;
  for (let open = text.indexOf('{'); open >= 0; open = text.indexOf('{', open + 1)) {
    const close = text.indexOf('}', open);
    const hole = close < 0 ? null : parsePlaceholder(text.slice(open + 1, close));
    if (hole === null) continue;
    literals.push(text.slice(from, open));
    holes.push(hole);
    from = close + 1;
  }
  return { literals, holes, last: text.slice(from) };
}

/** Null if the text between braces is not a placeholder. Scanned by hand, because a RegExp costs more at a cold start. */
function parsePlaceholder(inside: string): Placeholder | null {
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
 * Generates code that fills the text; `values` gives the expression for each name. Several times as fast, and worth it from the second
 * use on. Only JSON literals and these expressions enter the code.
 */
export function writeTemplate(text: string, args: string, values: (name: string) => string): (...args: never[]) => string {
  const { literals, holes, last } = splitPlaceholders(text);
  const parts = holes.map((hole, index) => `${JSON.stringify(literals[index])} + show(${values(hole.name)}, holes[${index}])`);
  const code = `return (${args}) => ${[...parts, JSON.stringify(last)].join(' + ')};`;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function('show', 'holes', code)(show, holes) as (...args: never[]) => string;
}

const KNOWN = new Map<string, Template>();
/** A loop has few texts. Findings and other outside texts are never used as templates. */
const MOST_KNOWN = 1000;

export function fillTemplate(text: string, lookup: ValueLookup): string {
  const known = KNOWN.get(text);
  if (known !== undefined) return known.fill(lookup);
  const template = compileTemplate(text);
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(text, template);
  return template.fill(lookup);
}

function show(value: unknown, hole: Placeholder): string {
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

/** At most two decimals. Cut, not rounded, so that 94.999 is not shown as 95. */
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
