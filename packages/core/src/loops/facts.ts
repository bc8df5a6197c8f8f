// Extracts a loop's facts from its evidence.

import type { Anomaly, Item, Scalar } from '../model/vocabulary.js';
import { quote } from '../formats/reader.js';
import { parseScore } from '../formats/score-text.js';
import type { At, EvidenceReadings, FactSpec, Facts, FactValue, Loop } from './loop.js';
import { fillTemplate, showNumber } from './template.js';
import { countFindingsIn } from './verdict-findings.js';

/** Names in lists, and numbers, at the chain's last revision. Null: there is nothing to compare with. */
export type PastLists = Readonly<Record<string, readonly string[]>> | null;

export function extractFacts(loop: Loop, gathered: EvidenceReadings, past: PastLists): Facts {
  const facts: Record<string, FactValue> = {};
  for (const name of Object.keys(loop.facts)) facts[name] = drawFact(loop, loop.facts[name] as FactSpec, gathered, past);
  return facts;
}

function drawFact(loop: Loop, spec: FactSpec, gathered: EvidenceReadings, past: PastLists): FactValue {
  if ('state' in spec) return gathered[spec.state]?.state ?? 'missing';
  if ('found' in spec) return spec.found.some((name) => gathered[name]?.reading);
  if ('counted' in spec) return spec.counted.some((name) => gathered[name]?.reading?.counts);
  if ('findings' in spec) return countFindingsIn(loop, spec.findings, spec.severity, gathered);
  if ('count' in spec) return countItems(spec, gathered, past);
  if ('number' in spec) return numberOrChange(spec, numberAt(spec, gathered), past);
  if ('enum' in spec) return wordAt(spec, gathered);
  const value = valueAt(spec.flag, gathered);
  return value === null ? null : toFlag(value);
}

export function valueAt(at: At, gathered: EvidenceReadings): Scalar | null {
  for (const dotted of at) {
    const value = oneValue(dotted, gathered);
    if (value !== null) return value;
  }
  return null;
}

function oneValue(dotted: string, gathered: EvidenceReadings): Scalar | null {
  const dot = dotted.indexOf('.');
  const values = gathered[dotted.slice(0, dot)]?.reading?.values;
  const key = dotted.slice(dot + 1);
  if (values === undefined || !Object.hasOwn(values, key)) return null;
  const value = values[key];
  return value === undefined || value === '' ? null : value;
}

function wordAt(spec: EnumSpec, gathered: EvidenceReadings): string | null {
  if (spec.worst !== undefined) {
    const words = new Set(readAll(spec, gathered).map(({ read }) => read));
    return spec.enum.findLast((word) => words.has(word)) ?? null;
  }
  const value = valueAt(spec.at, gathered);
  return value === null ? null : toWord(value, spec.enum);
}

function numberAt(spec: NumberSpec, gathered: EvidenceReadings): number | null {
  if (spec.worst === undefined) {
    const value = valueAt(spec.at, gathered);
    return value === null ? null : toNumber(value, spec.number);
  }
  const numbers = readAll(spec, gathered).flatMap(({ read }) => (typeof read === 'number' ? [read] : []));
  return numbers.length === 0 ? null : spec.worst === 'lowest' ? Math.min(...numbers) : Math.max(...numbers);
}

/** Every value that the evidence has for this fact. `read` is null for an unknown word, a number out of bounds, and no number at all. */
function readAll(spec: EnumSpec | NumberSpec, gathered: EvidenceReadings) {
  return spec.at.flatMap((dotted) => {
    const value = oneValue(dotted, gathered);
    if (value === null) return [];
    return [{ dotted, value, read: 'enum' in spec ? toWord(value, spec.enum) : toNumber(value, spec.number) }];
  });
}

/** V5: numbers that are none or out of bounds, and values of several sources that should agree and do not. */
export function valueAnomalies(loop: Loop, gathered: EvidenceReadings): readonly Anomaly[] {
  const messages: string[] = [];
  const what = (dotted: string) => {
    const [source = '', value = ''] = dotted.split('.');
    return `${value} of ${loop.evidence[source]?.what ?? source}`;
  };
  for (const spec of Object.values(loop.facts)) {
    if (!('number' in spec) && !('enum' in spec)) continue;
    const all = readAll(spec, gathered);
    for (const { dotted, value, read } of 'number' in spec ? all : [])
      if (read === null)
        messages.push(
          `${what(dotted)} is ${quote(String(value))}; expected a number from ${(spec as NumberSpec).number.join(' to ')}; ignored`,
        );
    const known = all.filter(({ read }) => read !== null);
    if (spec.worst === undefined || new Set(known.map(({ read }) => read)).size < 2) continue;
    messages.push(`${known.map(({ dotted, read }) => `${what(dotted)} is ${String(read)}`).join(', ')}; using the worse`);
  }
  return messages.map((message) => ({ rule: 'V5', message }));
}

/** Null if the evidence was not read or does not contain the list. A missing list is not an empty one. */
export function listAt(dotted: string, gathered: EvidenceReadings): readonly Item[] | null {
  const dot = dotted.indexOf('.');
  const lists = gathered[dotted.slice(0, dot)]?.reading?.lists;
  const key = dotted.slice(dot + 1);
  return (lists !== undefined && Object.hasOwn(lists, key) ? lists[key] : undefined) ?? null;
}

/** A number as agents write it: 8, "8", "8/10", "80/100", "85%". Null if it is out of bounds. */
function toNumber(value: Scalar, [low, high]: readonly [number, number]): number | null {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? numberIn(value, high) : NaN;
  return number >= low && number <= high ? number : null;
}

type NumberSpec = Extract<FactSpec, { number: unknown }>;
type EnumSpec = Extract<FactSpec, { enum: unknown }>;

/** The lowest and highest value of such a fact. */
export function rangeOf({ number: [low, high], change }: NumberSpec): readonly [number, number] {
  return change === undefined ? [low, high] : [low - high, high - low];
}

/** The number itself, or its change. Rounded, because arithmetic with fractions is not exact. */
function numberOrChange(spec: NumberSpec, now: number | null, past: PastLists): number | null {
  if (spec.change === undefined || now === null) return now;
  const then = past?.[numberKey(spec)]?.[0];
  return then === undefined ? null : Math.round((now - Number(then)) * 1e9) / 1e9;
}

/** The key of a compared number among the compared lists. No list has such a name. */
function numberKey({ number, at }: NumberSpec): string {
  return `number ${JSON.stringify([...number, ...at])}`;
}

/** Converts a score such as 8/10 to the scale of the fact. */
function numberIn(text: string, high: number): number {
  if (/^\s*-?\d+(?:\.\d+)?\s*$/.test(text)) return Number(text);
  const score = parseScore(text);
  if (score === null) return NaN;
  return score.outOf === null ? score.value : Number(((score.value * high) / score.outOf).toPrecision(15));
}

/** Cells are text, so the words `true` and `false` count too. */
function toFlag(value: Scalar): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = String(value).trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

function toWord(value: Scalar, words: readonly string[]): string | null {
  const said = String(value);
  // Most are spelled exactly.
  return words.includes(said) ? said : (words.find((word) => sameWord(word, said)) ?? null);
}

/** Case, blanks, `-` and `_` make no difference. */
export function sameWord(one: string, other: string): boolean {
  return normal(one) === normal(other);
}

function normal(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

type CountSpec = Extract<FactSpec, { count: string }>;

function countItems(spec: CountSpec, gathered: EvidenceReadings, past: PastLists): number | null {
  const items = wantedItems(spec, gathered);
  if (items === null || spec.change === undefined) return items?.length ?? null;
  const before = past?.[listKey(spec)];
  if (before === undefined) return null;
  const then = new Set(before);
  const now = new Set(itemNames(items));
  const added = [...now].filter((name) => !then.has(name)).length;
  return spec.change === 'new' ? added : [...then].filter((name) => !now.has(name)).length - added;
}

/** The items of the list that match the fact's `where` and `below`. */
function wantedItems(spec: CountSpec, gathered: EvidenceReadings): readonly Item[] | null {
  const wanted = Object.entries(spec.where ?? {});
  const isWanted = (item: Item) => wanted.every(([field, value]) => isText(item[field], value)) && isBelow(item, spec.below);
  return listAt(spec.count, gathered)?.filter(isWanted) ?? null;
}

/** The names of the items that a fact counts: `types, lint`. Null if it counts none, or no list. */
export function namesOfItems(spec: FactSpec | undefined, gathered: EvidenceReadings): string | null {
  const items = spec !== undefined && 'count' in spec ? (wantedItems(spec, gathered) ?? []) : [];
  const shown = items.slice(0, MOST_NAMED);
  const below = spec !== undefined && 'count' in spec ? spec.below : undefined;
  const names = below === undefined ? itemNames(shown) : shown.map((item, at) => `${itemNames(shown)[at]} ${scoreWords(item, below)}`);
  return names.length === 0 ? null : `${names.join(', ')}${items.length > MOST_NAMED ? ` and ${items.length - MOST_NAMED} more` : ''}`;
}

const MOST_NAMED = 20;

/** `(4/10, threshold 6)`. Readers turn scores into tenths. */
function scoreWords({ score, threshold }: Item, below: number): string {
  return `(${showNumber(Number(score))}/10, threshold ${showNumber(typeof threshold === 'number' ? threshold : below)})`;
}

/** The key of a compared list: its name and the filter of its items. */
export function listKey({ count, where, below }: CountSpec): string {
  const part = JSON.stringify({ where, below });
  return part === '{}' ? count : `${count} ${part}`;
}

/** A flag or a number counts as its text: `where: { blocking: "true" }` also matches true. */
function isText(field: Item[string] | undefined, text: string): boolean {
  return field === text || (typeof field !== 'string' && field !== null && field !== undefined && String(field) === text);
}

function isBelow(item: Item, below: number | undefined): boolean {
  if (below === undefined) return true;
  const { score, threshold } = item;
  return typeof score === 'number' && score < (typeof threshold === 'number' ? threshold : below);
}

/** Identifies the entries of a list between rounds: by name, else by id, else by all fields. */
export function itemNames(items: readonly Item[]): readonly string[] {
  return items.map((item) => {
    const name = item['name'] ?? item['id'];
    if (name === null || name === undefined) return JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return item['file'] ? `${String(item['file'])} > ${String(name)}` : String(name);
  });
}

/** The lists and numbers that a fact compares with the previous round. */
export function comparedLists(loop: Loop, gathered: EvidenceReadings): Record<string, readonly string[]> {
  const out: Record<string, readonly string[]> = {};
  for (const spec of Object.values(loop.facts)) {
    if ('number' in spec && spec.change !== undefined) {
      const now = numberAt(spec, gathered);
      if (now !== null) out[numberKey(spec)] = [String(now)];
    }
    if (!('count' in spec) || spec.change === undefined) continue;
    const items = wantedItems(spec, gathered);
    if (items !== null) out[listKey(spec)] = itemNames(items);
  }
  return out;
}

/** The sources that facts use, and their substitutes (`else`). Cached. */
export function decidingSources(loop: Loop): readonly string[] {
  const known = DECIDING.get(loop);
  if (known !== undefined) return known;
  const names = findDeciding(loop);
  DECIDING.set(loop, names);
  return names;
}

const DECIDING = new WeakMap<Loop, readonly string[]>();

function findDeciding(loop: Loop): readonly string[] {
  const used = new Set(Object.values(loop.facts).flatMap(evidenceOf));
  for (const name of used) {
    const standIn = loop.evidence[name]?.else;
    if (standIn !== undefined) used.add(standIn);
  }
  return Object.keys(loop.evidence).filter((name) => used.has(name));
}

/** The names of the sources that a fact uses. */
export function evidenceOf(spec: FactSpec): readonly string[] {
  if ('state' in spec) return [spec.state];
  if ('found' in spec) return spec.found;
  if ('counted' in spec) return spec.counted;
  if ('findings' in spec) return spec.findings;
  const at = 'count' in spec ? [spec.count] : 'flag' in spec ? spec.flag : spec.at;
  return at.map((dotted) => dotted.split('.')[0] ?? '');
}

/** An anomaly if sources that should agree have different counts. */
export function disagreement(loop: Loop, gathered: EvidenceReadings): Anomaly | null {
  if (loop.agree === undefined) return null;
  const said = loop.agree.sources.flatMap((name) => {
    const counts = gathered[name]?.reading?.counts;
    if (counts === undefined) return [];
    return [{ what: loop.evidence[name]?.what ?? name, text: `${counts.critical}/${counts.high}/${counts.medium}/${counts.low}` }];
  });
  if (new Set(said.map((one) => one.text)).size < 2) return null;
  const detail = `Critical/High/Medium/Low: ${said.map((one) => `${one.what} ${one.text}`).join(', ')}`;
  return { rule: loop.agree.id, message: fillTemplate(loop.agree.why, (name) => (name === 'detail' ? detail : null)) };
}
