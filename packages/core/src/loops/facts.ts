// Draws a loop's facts from the readings of its evidence. Pure: what was read goes in, facts come out.

import type { Anomaly, Counts, Finding, Item, Reading, Scalar, Severity } from '../model.js';
import { SEVERITIES } from '../model.js';
import { parseScore } from '../formats/score-text.js';
import type { At, EvidenceState, FactSpec, Facts, FactValue, Loop } from './loop.js';
import { fillTemplate } from './template.js';

/** One piece of evidence as it was found. */
export interface Gathered {
  readonly state: EvidenceState;
  readonly reading: Reading | null;
}

export type GatheredAll = Readonly<Record<string, Gathered>>;

/** Names in lists, and numbers, at the chain's last revision, to compare with. */
export type PastLists = Readonly<Record<string, readonly string[]>> | null;

export function drawFacts(loop: Loop, gathered: GatheredAll, past: PastLists): Facts {
  const facts: Record<string, FactValue> = {};
  for (const name of Object.keys(loop.facts)) facts[name] = drawFact(loop.facts[name] as FactSpec, gathered, past);
  return facts;
}

function drawFact(spec: FactSpec, gathered: GatheredAll, past: PastLists): FactValue {
  if ('state' in spec) return gathered[spec.state]?.state ?? 'missing';
  if ('found' in spec) return spec.found.some((name) => gathered[name]?.reading);
  if ('counted' in spec) return spec.counted.some((name) => gathered[name]?.reading?.counts);
  if ('findings' in spec) return worstCount(spec.findings, spec.severity, gathered);
  if ('count' in spec) return countItems(spec, gathered, past);
  const value = valueAt('flag' in spec ? spec.flag : spec.at, gathered);
  if (value === null) return null;
  if ('flag' in spec) return toFlag(value);
  if ('number' in spec) return sinceThen(spec, toNumber(value, spec.number), past);
  return toWord(value, spec.enum);
}

export function valueAt(at: At, gathered: GatheredAll): Scalar | null {
  for (const dotted of at) {
    const dot = dotted.indexOf('.');
    const values = gathered[dotted.slice(0, dot)]?.reading?.values;
    const key = dotted.slice(dot + 1);
    if (values !== undefined && Object.hasOwn(values, key)) {
      const value = values[key];
      if (value !== undefined && value !== '') return value;
    }
  }
  return null;
}

/** Null where the evidence was not read, or has no such list: a list that nobody wrote is not an empty one. */
export function listAt(dotted: string, gathered: GatheredAll): readonly Item[] | null {
  const dot = dotted.indexOf('.');
  const lists = gathered[dotted.slice(0, dot)]?.reading?.lists;
  const key = dotted.slice(dot + 1);
  return (lists !== undefined && Object.hasOwn(lists, key) ? lists[key] : undefined) ?? null;
}

/** A number as agents write it: 8, "8", "8/10", "80/100", "85%". Out of bounds is no number. */
function toNumber(value: Scalar, [low, high]: readonly [number, number]): number | null {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? numberIn(value, high) : NaN;
  return number >= low && number <= high ? number : null;
}

type NumberSpec = Extract<FactSpec, { number: unknown }>;

/** The numbers that such a fact may be. */
export function rangeOf({ number: [low, high], change }: NumberSpec): readonly [number, number] {
  return change === undefined ? [low, high] : [low - high, high - low];
}

/** The number itself, or what it rose by. Arithmetic with fractions is off by a little. */
function sinceThen(spec: NumberSpec, now: number | null, past: PastLists): number | null {
  if (spec.change === undefined || now === null) return now;
  const then = past?.[numberKey(spec)]?.[0];
  return then === undefined ? null : Math.round((now - Number(then)) * 1e9) / 1e9;
}

/** What a compared number is kept under, beside the compared lists: no list has such a name. */
function numberKey({ number, at }: NumberSpec): string {
  return `number ${JSON.stringify([...number, ...at])}`;
}

/** A text on a scale of its own is brought to the one that is wanted. */
function numberIn(text: string, high: number): number {
  if (/^\s*-?\d+(?:\.\d+)?\s*$/.test(text)) return Number(text);
  const score = parseScore(text);
  if (score === null) return NaN;
  return score.outOf === null ? score.value : Number(((score.value * high) / score.outOf).toPrecision(15));
}

/** A cell of a row is text, so `true` and `false` count as words too. */
function toFlag(value: Scalar): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = String(value).trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

function toWord(value: Scalar, words: readonly string[]): string | null {
  const said = String(value);
  // Most are written as they are asked for.
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

function worstCount(names: readonly string[], severity: Severity | undefined, gathered: GatheredAll): number | null {
  let worst: number | null = null;
  for (const name of names) {
    const counts = gathered[name]?.reading?.counts;
    if (counts === undefined) continue;
    const count = severity === undefined ? total(counts) : counts[severity];
    worst = Math.max(worst ?? 0, count);
  }
  return worst;
}

export function total(counts: Counts): number {
  return counts.critical + counts.high + counts.medium + counts.low;
}

type CountSpec = Extract<FactSpec, { count: string }>;

function countItems(spec: CountSpec, gathered: GatheredAll, past: PastLists): number | null {
  const items = wantedItems(spec, gathered);
  if (items === null || spec.change === undefined) return items?.length ?? null;
  const before = past?.[listKey(spec)];
  if (before === undefined) return null;
  const then = new Set(before);
  const now = new Set(itemNames(items));
  const added = [...now].filter((name) => !then.has(name)).length;
  return spec.change === 'new' ? added : [...then].filter((name) => !now.has(name)).length - added;
}

/** The items of the list that the fact asks for. */
function wantedItems(spec: CountSpec, gathered: GatheredAll): readonly Item[] | null {
  const wanted = Object.entries(spec.where ?? {});
  const isWanted = (item: Item) => wanted.every(([field, value]) => isText(item[field], value)) && isBelow(item, spec.below);
  return listAt(spec.count, gathered)?.filter(isWanted) ?? null;
}

/** What the names of a compared list are kept under: the list, and which of its items are meant. */
export function listKey({ count, where, below }: CountSpec): string {
  const part = JSON.stringify({ where, below });
  return part === '{}' ? count : `${count} ${part}`;
}

/** A flag or a number is the text it is written as: `where: { blocking: "true" }` also counts what says true. */
function isText(field: Item[string] | undefined, text: string): boolean {
  return field === text || (typeof field !== 'string' && field !== null && field !== undefined && String(field) === text);
}

function isBelow(item: Item, below: number | undefined): boolean {
  if (below === undefined) return true;
  const { score, threshold } = item;
  return typeof score === 'number' && score < (typeof threshold === 'number' ? threshold : below);
}

/** What tells an entry of a list from another, from round to round: its name, else its id, else all that it says. */
export function itemNames(items: readonly Item[]): readonly string[] {
  return items.map((item) => {
    const name = item['name'] ?? item['id'];
    if (name === null || name === undefined) return JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return item['file'] ? `${String(item['file'])} > ${String(name)}` : String(name);
  });
}

/** The lists and numbers that some fact compares with the round before. */
export function comparedLists(loop: Loop, gathered: GatheredAll): Record<string, readonly string[]> {
  const out: Record<string, readonly string[]> = {};
  for (const spec of Object.values(loop.facts)) {
    if ('number' in spec && spec.change !== undefined) {
      const value = valueAt(spec.at, gathered);
      const now = value === null ? null : toNumber(value, spec.number);
      if (now !== null) out[numberKey(spec)] = [String(now)];
    }
    if (!('count' in spec) || spec.change === undefined) continue;
    const items = wantedItems(spec, gathered);
    if (items !== null) out[listKey(spec)] = itemNames(items);
  }
  return out;
}

/** The findings that the verdict rests on: of each severity, those of the source that has most of them. */
export function drawFindings(loop: Loop, gathered: GatheredAll): readonly Finding[] {
  const names = decidingSources(loop).filter((name) => (gathered[name]?.reading?.findings.length ?? 0) > 0);
  if (names.length === 0) return [];
  return SEVERITIES.flatMap((severity) => {
    let most: readonly Finding[] = [];
    for (const name of names) {
      const found = (gathered[name]?.reading?.findings ?? []).filter((finding) => finding.severity === severity);
      if (found.length > most.length) most = found;
    }
    return most;
  });
}

/** Severity counts: the worst that any deciding source has. */
export function drawCounts(loop: Loop, gathered: GatheredAll): Counts {
  const names = decidingSources(loop);
  const count = (severity: Severity) => worstCount(names, severity, gathered) ?? 0;
  return { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') };
}

/** The sources that some fact is drawn from, and those that stand in for them. */
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

/** The names of the sources that a fact is drawn from. */
export function evidenceOf(spec: FactSpec): readonly string[] {
  if ('state' in spec) return [spec.state];
  if ('found' in spec) return spec.found;
  if ('counted' in spec) return spec.counted;
  if ('findings' in spec) return spec.findings;
  const at = 'count' in spec ? [spec.count] : 'flag' in spec ? spec.flag : spec.at;
  return at.map((dotted) => dotted.split('.')[0] ?? '');
}

/** Where sources that should agree do not. */
export function disagreement(loop: Loop, gathered: GatheredAll): Anomaly | null {
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
