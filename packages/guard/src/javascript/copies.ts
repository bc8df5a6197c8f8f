// Copies of a value: what is compared with a copy of itself cannot differ.

import { print } from './print.js';
import { valueOf } from './scope.js';
import type { Env } from './scope.js';
import { at, bare, holesAt, isFunction, isLiteral, listAt, nameOf, propertyName, settled, soleExpression } from './tree.js';
import type { Node } from './tree.js';

/** Steps that are the same to the value they give, whether they copy or not. */
const STEPS: Readonly<Record<string, string>> = { sort: 'sort', toSorted: 'sort', reverse: 'reverse', toReversed: 'reverse' };
const MOST_STEPS = 12;

/** Where a value comes from when copies are looked through. */
export interface Origin {
  /** The expression that made it, and the names around that. */
  readonly node: Node | null;
  readonly env: Env;
  readonly steps: string;
  /** Variables on the way, the one that holds the original last. */
  readonly names: readonly string[];
  readonly copied: boolean;
  /** Sorted or turned round where it lies: the original is another now too. */
  readonly inPlace: boolean;
  /** By way of JSON: what is no plain data comes back as something else. */
  readonly soft: boolean;
}

export function originOf(node: Node | null, env: Env): Origin {
  let inner = settled(node);
  let around = env;
  const steps: string[] = [];
  const names: string[] = [];
  let copied = false;
  let inPlace = false;
  let soft = false;
  for (let count = 0; count < MOST_STEPS && inner !== null; count += 1) {
    const next = originalOf(inner);
    if (next !== null) {
      inner = settled(next.node);
      const moves = next.step !== '' && next.copies !== true && inner?.type === 'Identifier';
      inPlace ||= moves;
      copied ||= !moves;
      soft ||= next.soft === true;
      if (next.step !== '' && steps[0] !== next.step) steps.unshift(next.step);
      continue;
    }
    const value = inner.type === 'Identifier' ? valueOf(inner, around) : null;
    if (value === null || value.node === null || value.node === inner || value.named === true || value.source !== undefined) break;
    names.push(nameOf(inner));
    inner = settled(value.node);
    around = value.env;
  }
  return { node: inner, env: around, steps: steps.join(''), names, copied, inPlace, soft };
}

/** Canonical text of the value that `node` is a copy of, with the steps that were taken on the way. */
export function uncopied({ node, env, steps }: Origin): string {
  return node === null ? '' : print(node, env) + steps;
}

interface Original {
  readonly node: Node | null;
  readonly step: string;
  readonly copies?: boolean;
  readonly soft?: boolean;
}

const copyOf = (node: Node | null, step = ''): Original => ({ node, step, copies: true });

/** What a copy is made of; null where the node is none. */
function originalOf(node: Node): Original | null {
  if (node.type === 'ArrayExpression') {
    return spreadAlone(holesAt(node, 'elements'));
  }
  if (node.type === 'ObjectExpression') {
    return spreadAlone(listAt(node, 'properties'));
  }
  if (node.type === 'TemplateLiteral') {
    const [only = null, ...more] = listAt(node, 'expressions');
    const around = listAt(node, 'quasis').some((quasi) => (quasi['value'] as { raw?: string }).raw !== '');
    return only !== null && more.length === 0 && !around ? copyOf(only) : null;
  }
  const args = listAt(node, 'arguments');
  const callee = bare(at(node, 'callee'));
  if (node.type === 'NewExpression') {
    const name = nameOf(callee);
    return /^(Set|Map)$/.test(name) && args.length === 1 ? copyOf(args[0] ?? null, ` ${name}`) : null;
  }
  if (node.type !== 'CallExpression' || callee === null) return null;
  if (callee.type !== 'MemberExpression')
    return /^(structuredClone|cloneDeep|String|Number)$/.test(nameOf(callee)) && args.length === 1 ? copyOf(args[0] ?? null) : null;
  return byMethod(callee, args);
}

function spreadAlone(entries: readonly (Node | null)[]): Original | null {
  const only = entries[0];
  return only?.type === 'SpreadElement' && entries.length === 1 ? copyOf(at(only, 'argument')) : null;
}

function byMethod(callee: Node, args: readonly Node[]): Original | null {
  const owner = at(callee, 'object');
  const name = propertyName(callee);
  const [first = null, second = null] = args;
  switch (`${nameOf(bare(owner))}.${name}`) {
    case 'Array.from':
    case 'Object.freeze':
    case 'Promise.resolve':
    case '_.cloneDeep':
    case '_.clone':
      return args.length === 1 ? copyOf(first) : null;
    case 'Object.assign':
      return args.length === 2 && isEmptyLiteral(first) ? copyOf(second) : null;
    case 'Object.fromEntries':
      return argumentOf(first, 'Object', 'entries');
    case 'JSON.parse': {
      const written = argumentOf(first, 'JSON', 'stringify');
      return written === null ? null : { ...written, soft: true };
    }
    case 'JSON.stringify':
      return args.length === 1 ? copyOf(first, ' json') : null;
  }
  const start = first === null || (isLiteral(bare(first)) && bare(first)?.['value'] === 0);
  if (name === 'slice' && start && second === null) return copyOf(owner);
  if (name === 'concat' && (first === null || isEmptyLiteral(first)) && second === null) return copyOf(owner);
  if (name === 'toString' && first === null) return copyOf(owner);
  if (name === 'map' && second === null && givesBack(first)) return copyOf(owner);
  if (name === 'filter' && second === null && takesAll(first)) return copyOf(owner);
  const step = args.length === 0 ? STEPS[name] : undefined;
  return step === undefined ? null : { node: owner, step: ` ${step}`, copies: name.startsWith('to') };
}

/** `(x) => x`. */
function givesBack(node: Node | null): boolean {
  const fn = bare(node);
  const only = isFunction(fn) ? bare(soleExpression(at(fn, 'body'))) : null;
  const name = isFunction(fn) ? nameOf(listAt(fn, 'params')[0]) : '';
  return name !== '' && nameOf(only) === name;
}

/** `() => true`. */
function takesAll(node: Node | null): boolean {
  const fn = bare(node);
  const only = isFunction(fn) ? bare(soleExpression(at(fn, 'body'))) : null;
  return isLiteral(only) && only['value'] === true;
}

function isEmptyLiteral(node: Node | null): boolean {
  const inner = bare(node);
  return (
    (inner?.type === 'ObjectExpression' && listAt(inner, 'properties').length === 0) ||
    (inner?.type === 'ArrayExpression' && holesAt(inner, 'elements').length === 0)
  );
}

/** Of `Object.entries(x)`: `x`. */
function argumentOf(node: Node | null, owner: string, name: string): Original | null {
  const call = settled(node);
  const callee = call?.type === 'CallExpression' ? bare(at(call, 'callee')) : null;
  const fits = callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === owner && propertyName(callee) === name;
  return fits ? copyOf(listAt(call, 'arguments')[0] ?? null) : null;
}

/** Every entry of an object or list literal is read off `subject`, or a copy of it; `some`: one of them at least. */
export function builtFrom(inner: Node | null, subject: string, env: Env, some = false): boolean {
  if (inner === null || !subject.includes('(')) return false;
  const from = (below: Node | null): boolean => {
    const text = print(below, env);
    return text === subject || text === `...${subject}` || text.startsWith(`${subject}.`) || text.startsWith(`${subject}[`);
  };
  if (inner.type === 'ObjectExpression') {
    const properties = listAt(inner, 'properties');
    if (properties.some((property) => property.type === 'SpreadElement' && print(at(property, 'argument'), env) === subject)) return true;
    const read = properties.filter((property) => from(property.type === 'Property' ? at(property, 'value') : property));
    return read.length > 0 && (some || read.length === properties.length);
  }
  if (inner.type === 'ConditionalExpression') return from(at(inner, 'consequent')) || from(at(inner, 'alternate'));
  if (inner.type !== 'ArrayExpression') return false;
  // A list with the value itself in it is another value.
  const read = listAt(inner, 'elements').filter((element) => from(element) && print(element, env) !== subject);
  return read.length > 0 && (some || read.length === listAt(inner, 'elements').length);
}

/** The value behind a name, where it is known. */
export function resolved(node: Node | null, env: Env): Node | null {
  const inner = bare(node);
  if (inner?.type !== 'Identifier') return inner;
  const value = env.find(nameOf(inner));
  return value?.node === undefined || value?.node === null ? inner : bare(value.node);
}
