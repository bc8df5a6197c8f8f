// Functions of the language without effects, over known values: methods of texts and lists, and a few globals. Everything else is not
// known, and so is the order of what was sorted: who sorts before comparing does not ask for it. Sizes are bounded: a test may say
// `'x'.repeat(1e9)`.

import { Closure, Opaque, UNKNOWN, isList, isPlain, isRecord } from './plain-values.js';
import type { Plain } from './plain-values.js';

const MOST_ELEMENTS = 200;
const LONGEST = 2000;
/** A text that is made of one part over and over says more by how often. */
const LONGEST_REPEATED = 40;

const GLOBALS: ReadonlySet<string> = new Set(['Array', 'Object', 'Number', 'String', 'Boolean', 'Math', 'JSON']);

export function isGlobal(name: string): boolean {
  return GLOBALS.has(name);
}

/** `Object.keys(x)`, or `Number(x)` where there is no method. */
export function callGlobal(owner: string, method: string | null, args: readonly Plain[]): Plain {
  const [first, second] = args;
  switch (method === null ? owner : `${owner}.${method}`) {
    case 'Number':
      return isPlain(first) ? Number(first) : unknown();
    case 'String':
      return isPlain(first) ? String(first) : unknown();
    case 'Boolean':
      return first instanceof Opaque ? unknown() : Boolean(first);
    case 'Array':
      return args.length === 1 && typeof first === 'number' ? filled(first, undefined) : args;
    case 'Array.of':
      return args;
    case 'Array.from':
      return arrayFrom(first, second);
    case 'Object.keys':
      return Object.keys(recordOf(first));
    case 'Object.values':
      return Object.values(recordOf(first));
    case 'Object.entries':
      return Object.entries(recordOf(first));
    case 'Object.fromEntries':
      return recordFrom(listOf(first));
    case 'Object.assign':
      return Object.assign(Object.create(null) as Record<string, Plain>, ...args.map(recordOf)) as Plain;
    case 'Object.freeze':
      return first;
    case 'JSON.stringify':
      return args.length === 1 && isKnown(first) ? bounded(JSON.stringify(first) ?? '') : unknown();
    case 'Math.max':
      return Math.max(...args.map(numberOf));
    case 'Math.min':
      return Math.min(...args.map(numberOf));
    case 'Math.round':
      return Math.round(numberOf(first));
    case 'Math.floor':
      return Math.floor(numberOf(first));
    case 'Math.ceil':
      return Math.ceil(numberOf(first));
    case 'Math.abs':
      return Math.abs(numberOf(first));
    default:
      return unknown();
  }
}

export function callMethod(owner: Plain, name: string, args: readonly Plain[]): Plain {
  if (typeof owner === 'string') return bounded(ofText(owner, name, args));
  if (isList(owner)) return bounded(ofList(owner, name, args));
  if (isRecord(owner) && Object.hasOwn(owner, name)) {
    const held = owner[name];
    if (held instanceof Closure) return held.run(args);
  }
  if (typeof owner === 'number' && name === 'toFixed') return owner.toFixed(Math.min(20, Math.max(0, numberOf(args[0] ?? 0))));
  if (typeof owner === 'number' && name === 'toString' && args.length === 0) return String(owner);
  return unknown();
}

function ofText(text: string, name: string, args: readonly Plain[]): Plain {
  const [first, second] = args;
  switch (name) {
    case 'slice':
    case 'substring':
      return text[name](numberOf(first ?? 0), second === undefined ? undefined : numberOf(second));
    case 'split':
      return args.length === 1 ? text.split(separatorOf(first)) : unknown();
    case 'trim':
    case 'trimStart':
    case 'trimEnd':
    case 'toUpperCase':
    case 'toLowerCase':
    case 'toString':
      return args.length === 0 ? text[name]() : unknown();
    case 'repeat':
      return text.length * numberOf(first) <= LONGEST_REPEATED && numberOf(first) >= 0 ? text.repeat(numberOf(first)) : unknown();
    case 'padStart':
    case 'padEnd':
      return numberOf(first) <= LONGEST_REPEATED ? text[name](numberOf(first), second === undefined ? ' ' : textOf(second)) : unknown();
    case 'replace':
      return text.replace(textOf(first), () => textOf(second));
    case 'replaceAll':
      return text.replaceAll(textOf(first), () => textOf(second));
    case 'concat':
      return text + args.map(textOf).join('');
    case 'at':
    case 'charAt':
      return text[name](numberOf(first));
    case 'includes':
    case 'startsWith':
    case 'endsWith':
    case 'indexOf':
      return args.length === 1 ? text[name](textOf(first)) : unknown();
    default:
      return unknown();
  }
}

/** Patterns of a test are not run: they may take for ever. These do not. */
const SEPARATORS: Readonly<Record<string, RegExp>> = {
  '/\\s+/': /\s+/,
  '/\\s/': /\s/,
  '/\\n/': /\n/,
  '/\\r?\\n/': /\r?\n/,
  '/,/': /,/,
  '/, /': /, /,
};

function separatorOf(value: Plain): string | RegExp {
  return value instanceof Opaque ? (SEPARATORS[value.text] ?? unknown()) : textOf(value);
}

function ofList(list: readonly Plain[], name: string, args: readonly Plain[]): Plain {
  const [first, second] = args;
  switch (name) {
    case 'slice':
      return list.slice(...args.map(numberOf));
    case 'concat':
      return [...list, ...args.flatMap((one) => (isList(one) ? one : [one instanceof Opaque ? unknown() : one]))];
    case 'join':
      return list
        .map((one) => (one === null || one === undefined ? '' : textOf(isPlain(one) ? String(one) : one)))
        .join(args.length === 0 ? ',' : textOf(first));
    case 'at':
      return list.at(numberOf(first));
    case 'flat':
      return list.flatMap((one) => (isList(one) ? one : [one instanceof Opaque ? unknown() : one]));
    case 'map':
      return list.map((one, index) => functionIn(first)([one, index]));
    case 'flatMap':
      return list.flatMap((one, index) => {
        const made = functionIn(first)([one, index]);
        return isList(made) ? made : [made instanceof Opaque ? unknown() : made];
      });
    case 'filter':
      return list.filter((one, index) => truthOf(functionIn(first)([one, index])));
    case 'find':
      return list.find((one, index) => truthOf(functionIn(first)([one, index])));
    case 'some':
      return list.some((one, index) => truthOf(functionIn(first)([one, index])));
    case 'every':
      return list.every((one, index) => truthOf(functionIn(first)([one, index])));
    case 'reduce':
      return args.length === 2 ? list.reduce((sum, one, index) => functionIn(first)([sum, one, index]), second) : unknown();
    case 'fill':
      return args.length === 1 ? list.map(() => first) : unknown();
    case 'includes':
    case 'indexOf':
      return isPlain(first) && list.every(isPlain) ? list[name](first) : unknown();
    default:
      return unknown();
  }
}

function arrayFrom(source: Plain, map: Plain): Plain {
  const list = isList(source)
    ? source
    : typeof source === 'string'
      ? Array.from(source)
      : isRecord(source) && typeof source['length'] === 'number'
        ? filled(source['length'], undefined)
        : unknown();
  return map === undefined ? list : list.map((one, index) => functionIn(map)([one, index]));
}

function filled(length: number, value: Plain): readonly Plain[] {
  if (!Number.isInteger(length) || length < 0 || length > MOST_ELEMENTS) return unknown();
  return Array.from({ length }, () => value);
}

function recordFrom(entries: readonly Plain[]): Plain {
  const found = Object.create(null) as Record<string, Plain>;
  for (const entry of entries) {
    const [key, value] = listOf(entry);
    found[textOf(isPlain(key) ? String(key) : key)] = value;
  }
  return found;
}

/** Nothing in it is only known by its text. */
function isKnown(value: Plain): boolean {
  if (value === undefined || value instanceof Opaque || value instanceof Closure) return false;
  return isPlain(value) || (isList(value) ? value : Object.values(value)).every(isKnown);
}

function bounded(value: Plain): Plain {
  if (isList(value) && value.length > MOST_ELEMENTS) return unknown();
  return typeof value === 'string' && value.length > LONGEST ? unknown() : value;
}

function functionIn(value: Plain): Closure['run'] {
  return value instanceof Closure ? value.run : unknown();
}

function truthOf(value: Plain): boolean {
  return value instanceof Opaque ? unknown() : Boolean(value);
}

function numberOf(value: Plain): number {
  return typeof value === 'number' ? value : unknown();
}

function textOf(value: Plain): string {
  return typeof value === 'string' ? value : unknown();
}

function listOf(value: Plain): readonly Plain[] {
  return isList(value) ? value : unknown();
}

function recordOf(value: Plain): Readonly<Record<string, Plain>> {
  return isRecord(value) ? value : unknown();
}

function unknown(): never {
  throw UNKNOWN;
}
