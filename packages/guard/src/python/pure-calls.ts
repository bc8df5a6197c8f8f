// Functions of Python without effects, over known values: built-in ones, and methods of texts, lists and dictionaries. Everything else
// is not known, and so is the order of what was sorted: who sorts before comparing does not ask for it. Sizes are bounded.

import { Closure, Dict, Opaque, Row, UNKNOWN, inWords, isScalar } from './plain-values.js';
import type { Plain } from './plain-values.js';

const MOST_ITEMS = 200;
const LONGEST = 2000;
/** A text that is made of one part over and over says more by how often. */
const LONGEST_REPEATED = 40;

const BUILT_IN: ReadonlySet<string> = new Set(
  'list tuple set dict str int float bool len range zip enumerate sum min max abs reversed'.split(' '),
);

export function isBuiltIn(name: string): boolean {
  return BUILT_IN.has(name);
}

export function callBuiltIn(name: string, args: readonly Plain[], named: ReadonlyMap<string, Plain>): Plain {
  const [first] = args;
  if (name === 'dict') return dictOf(first, named);
  if (named.size > 0) return unknown();
  if (name === 'zip') return zipped(args.map(itemsOf));
  if (name === 'range') return range(args.map(numberOf));
  if (first === undefined || (args.length > 1 && name !== 'max' && name !== 'min')) return unknown();
  switch (name) {
    case 'list':
    case 'tuple':
      return new Row(name, itemsOf(first));
    case 'set':
      return setOf(itemsOf(first));
    case 'str':
      return textFor(first);
    case 'int':
      return wholeNumber(first);
    case 'float':
      return typeof first === 'number' ? first : unknown();
    case 'bool':
      return truthOf(first);
    case 'len':
      return typeof first === 'string' ? first.length : itemsOf(first).length;
    case 'enumerate':
      return new Row(
        'list',
        itemsOf(first).map((item, index) => new Row('tuple', [index, item])),
      );
    case 'reversed':
      return new Row('list', itemsOf(first).toReversed());
    case 'sum':
      return itemsOf(first).reduce((sum: number, item) => sum + numberOf(item), 0);
    case 'abs':
      return Math.abs(numberOf(first));
    case 'max':
      return Math.max(...(args.length === 1 ? itemsOf(first) : args).map(numberOf));
    case 'min':
      return Math.min(...(args.length === 1 ? itemsOf(first) : args).map(numberOf));
    default:
      return unknown();
  }
}

export function callMethod(owner: Plain, name: string, args: readonly Plain[]): Plain {
  if (typeof owner === 'string') return ofText(owner, name, args);
  if (owner instanceof Dict) return ofDict(owner, name, args);
  if (owner instanceof Row && name === 'copy') return owner;
  return unknown();
}

function ofText(text: string, name: string, args: readonly Plain[]): Plain {
  const [first, second] = args;
  switch (name) {
    case 'split':
      if (args.length === 0)
        return new Row(
          'list',
          text.split(/\s+/).filter((word) => word !== ''),
        );
      return args.length === 1 && first !== '' ? new Row('list', text.split(textOf(first))) : unknown();
    case 'splitlines':
      return new Row('list', text.replace(/\n$/, '').split('\n'));
    case 'join':
      return bounded(itemsOf(first).map(textOf).join(text));
    case 'strip':
      return args.length === 0 ? text.trim() : unknown();
    case 'upper':
      return text.toUpperCase();
    case 'lower':
      return text.toLowerCase();
    case 'replace':
      return args.length === 2 && first !== '' ? bounded(text.replaceAll(textOf(first), () => textOf(second))) : unknown();
    case 'startswith':
      return text.startsWith(textOf(first));
    case 'endswith':
      return text.endsWith(textOf(first));
    default:
      return unknown();
  }
}

function ofDict({ entries }: Dict, name: string, args: readonly Plain[]): Plain {
  if (name === 'get' && isScalar(args[0])) return entries.get(args[0]) ?? args[1] ?? null;
  if (args.length > 0) return unknown();
  switch (name) {
    case 'keys':
      return new Row('list', [...entries.keys()]);
    case 'values':
      return new Row('list', [...entries.values()]);
    case 'items':
      return new Row(
        'list',
        [...entries].map((entry) => new Row('tuple', entry)),
      );
    case 'copy':
      return new Dict(entries);
    default:
      return unknown();
  }
}

export function operate(left: Plain, op: string, right: Plain): Plain {
  if (typeof left === 'number' && typeof right === 'number') return arithmetic(left, op, right);
  if (op === '+' && typeof left === 'string' && typeof right === 'string') return bounded(left + right);
  if (op === '+' && left instanceof Row && right instanceof Row && left.kind === right.kind && left.kind !== 'set')
    return row(left.kind, [...left.items, ...right.items]);
  if (op === '|' && left instanceof Dict && right instanceof Dict) return new Dict(new Map([...left.entries, ...right.entries]));
  if (op === '|' && left instanceof Row && right instanceof Row && left.kind === 'set') return setOf([...left.items, ...right.items]);
  if (op !== '*' || typeof right !== 'number' || !Number.isInteger(right) || right < 0) return unknown();
  if (typeof left === 'string') return left.length * right <= LONGEST_REPEATED ? left.repeat(right) : unknown();
  if (!(left instanceof Row) || left.kind === 'set' || left.items.length * right > MOST_ITEMS) return unknown();
  return new Row(left.kind, Array.from({ length: right }, () => left.items).flat());
}

/** What is halved or taken to a power may be no number that both languages write alike. */
function arithmetic(left: number, op: string, right: number): Plain {
  const value =
    op === '+'
      ? left + right
      : op === '-'
        ? left - right
        : op === '*'
          ? left * right
          : op === '//' && right !== 0
            ? Math.floor(left / right)
            : null;
  return value !== null && Number.isSafeInteger(value) ? value : unknown();
}

export function sliceOf(whole: Plain, bounds: readonly (Plain | null)[]): Plain {
  const [from, to, step] = bounds.map((bound) => (bound === null ? undefined : numberOf(bound)));
  if (step !== undefined && step !== 1 && !(step === -1 && from === undefined && to === undefined)) return unknown();
  if (typeof whole === 'string') return step === -1 ? unknown() : whole.slice(from, to);
  if (!(whole instanceof Row) || whole.kind === 'set') return unknown();
  return new Row(whole.kind, step === -1 ? whole.items.toReversed() : whole.items.slice(from, to));
}

export function entryOf(whole: Plain, key: Plain): Plain {
  if (whole instanceof Dict) return (isScalar(key) ? whole.entries.get(key) : undefined) ?? unknown();
  if (typeof key !== 'number') return unknown();
  if (typeof whole === 'string') return whole.at(key) ?? unknown();
  return whole instanceof Row && whole.kind !== 'set' ? (whole.items.at(key) ?? unknown()) : unknown();
}

/** What a text holds where a value is put into it. */
export function textFor(value: Plain): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : unknown();
  return isScalar(value) ? inWords(value) : unknown();
}

export function truthOf(value: Plain): boolean {
  if (value instanceof Opaque || value instanceof Closure) return unknown();
  if (value instanceof Row) return value.items.length > 0;
  return value instanceof Dict ? value.entries.size > 0 : Boolean(value);
}

export function itemsOf(value: Plain | undefined): readonly Plain[] {
  if (value instanceof Row) return value.items;
  if (value instanceof Dict) return [...value.entries.keys()];
  return typeof value === 'string' ? Array.from(value) : unknown();
}

export function row(kind: Row['kind'], items: readonly Plain[]): Row {
  return items.length > MOST_ITEMS ? unknown() : kind === 'set' ? setOf(items) : new Row(kind, items);
}

function setOf(items: readonly Plain[]): Row {
  return items.every(isScalar) ? new Row('set', [...new Set(items)]) : unknown();
}

function dictOf(first: Plain | undefined, named: ReadonlyMap<string, Plain>): Plain {
  const start = first instanceof Dict ? [...first.entries] : first === undefined ? [] : pairsOf(first);
  return new Dict(new Map([...start, ...named]));
}

function pairsOf(value: Plain): readonly (readonly [string | number | boolean | null, Plain])[] {
  return itemsOf(value).map((pair) => {
    const [key, held, ...more] = itemsOf(pair);
    return isScalar(key) && held !== undefined && more.length === 0 ? ([key, held] as const) : unknown();
  });
}

function zipped(lists: readonly (readonly Plain[])[]): Plain {
  const shortest = Math.min(...lists.map(({ length }) => length), MOST_ITEMS);
  return new Row(
    'list',
    Array.from(
      { length: lists.length === 0 ? 0 : shortest },
      (_, index) =>
        new Row(
          'tuple',
          lists.map((list) => list[index] ?? null),
        ),
    ),
  );
}

function range(bounds: readonly number[]): Plain {
  const [from, to, step] = bounds.length === 1 ? [0, bounds[0] ?? 0, 1] : [bounds[0] ?? 0, bounds[1] ?? 0, bounds[2] ?? 1];
  const size = step === 0 ? unknown() : Math.max(0, Math.ceil((to - from) / step));
  return size > MOST_ITEMS
    ? unknown()
    : new Row(
        'list',
        Array.from({ length: size }, (_, index) => from + index * step),
      );
}

function wholeNumber(value: Plain): Plain {
  if (typeof value === 'string') return /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : unknown();
  return Math.trunc(numberOf(value));
}

function bounded(text: string): string {
  return text.length > LONGEST ? unknown() : text;
}

function numberOf(value: Plain | undefined): number {
  return typeof value === 'number' ? value : unknown();
}

function textOf(value: Plain | undefined): string {
  return typeof value === 'string' ? value : unknown();
}

function unknown(): never {
  throw UNKNOWN;
}
