// Canonical text of a Python expression: the same for the same meaning, whatever the layout, quotes, brackets, awaits and names of
// variables.

import type { ClassStmt, Expr, FunctionStmt, Stmt } from './tree.js';
import { dotted, settled } from './tree.js';
import { bindOwn, elementOf, entryOf, follow, memberOf, valueOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { fieldOf, returnedBy } from './receiver.js';
import { CAUGHT } from './checks.js';
import { plainText } from './plain-values.js';
import { reprOf } from './strings.js';
import { workOut } from './working-out.js';

const DEEPEST = 24;
const LONGEST = 3000;

/** `template`: columns of tables and loop variables keep their names. */
export interface Printing {
  readonly template: boolean;
}

const PLAIN: Printing = { template: false };

export function print(node: Expr | null, env: Env, how: Printing = PLAIN, depth = 0): string {
  if (node === null) return '';
  if (depth > DEEPEST) return '…';
  const text = printed(node, env, how, depth + 1);
  return text.length > LONGEST ? text.slice(0, LONGEST) : text;
}

export function printValue(value: Value, how: Printing = PLAIN, depth = 0): string {
  if (value.text !== undefined) return value.text;
  if (value.label !== undefined) return value.label;
  if (depth > DEEPEST) return '…';
  if (value.base !== undefined) return printedItem(value, how, depth) ?? printValue(value.base, how, depth + 1) + (value.access ?? '');
  if (value.source !== undefined) return value.source.name === '' ? value.source.module : value.source.name;
  if (value.node === null) return '';
  return value.node.type === 'Function' || value.node.type === 'Class' ? value.node.name : print(value.node, value.env, how, depth);
}

/** One of several values that a function of the tests gives back. */
function printedItem({ base, access = '' }: Value, how: Printing, depth: number): string | null {
  const index = /^\[(\d+)\]$/.exec(access)?.[1];
  const call = base?.node?.type === 'Call' && index !== undefined && depth < DEEPEST / 2 ? base.node : null;
  const made = call === null || base === undefined ? null : returnedBy(call, base.env);
  const item = made?.node?.type === 'Tuple' ? made.node.items[Number(index)] : undefined;
  return item === undefined || made === null ? null : print(item, made.env, how, depth + 2);
}

/** What is made of written-down values by code without effects is what comes of it. */
function printWorkedOut(node: Expr, env: Env, how: Printing, depth: number): string | null {
  if (depth > DEEPEST / 2) return null;
  const found = workOut(node, env, { print: (below, inner) => print(below, inner, how, depth + 1), fills: !how.template });
  return found === null ? null : plainText(found.value);
}

const MADE: ReadonlySet<Expr['type']> = new Set(['Call', 'Subscript', 'Binary', 'Comprehension', 'Compare']);

function printed(node: Expr, env: Env, how: Printing, depth: number): string {
  return (MADE.has(node.type) ? printWorkedOut(node, env, how, depth) : null) ?? spelt(node, env, how, depth);
}

function spelt(node: Expr, env: Env, how: Printing, depth: number): string {
  const sub = (below: Expr | null) => print(below, env, how, depth);
  switch (node.type) {
    case 'Name':
      return printName(node.name, env, how, depth);
    case 'Number':
      return printNumber(node.text);
    case 'String':
      return (node.bytes ? 'b' : '') + JSON.stringify(node.value);
    case 'Constant':
      return node.name;
    case 'Format':
      return printFormat(node.parts, sub);
    case 'List':
      return `[${itemTexts(node.items, env, how, sub).join(',')}]`;
    case 'Tuple':
      return `(${itemTexts(node.items, env, how, sub).join(',')})`;
    case 'Set':
      return `{${node.items.map(sub).toSorted().join(',')}}`;
    case 'Dict':
      return printDict(node, sub);
    case 'Call': {
      const inner = settled(node);
      if (inner !== node) return sub(inner);
      return printCall(node, env, how, depth);
    }
    case 'Attribute':
      return printAttribute(node, env, how, depth);
    case 'Subscript':
      return printSubscript(node, env, how, depth);
    case 'Slice':
      return node.parts.map(sub).join(':');
    case 'Unary':
      return node.op === 'not' ? `not ${sub(node.operand)}` : `${node.op}${sub(node.operand)}`;
    case 'Binary':
      return `${operand(node.left, sub)}${node.op}${operand(node.right, sub)}`;
    case 'Compare':
      return `${sub(node.left)}${node.ops.map((op, index) => `${spaced(op)}${sub(node.rights[index] ?? null)}`).join('')}`;
    case 'Bool':
      return node.values.map(sub).join(` ${node.op} `);
    case 'Conditional':
      return `${sub(node.body)} if ${sub(node.test)} else ${sub(node.other)}`;
    case 'Await':
      return sub(node.value);
    case 'Star':
      return `*${sub(node.value)}`;
    case 'Named':
      return sub(node.value);
    case 'Yield':
      return `yield ${sub(node.value)}`;
    case 'Lambda':
    case 'Comprehension':
      return printInner(node, env, how, depth);
    case 'Unknown':
      return squeeze(node.text);
  }
}

function spaced(op: string): string {
  return /^[a-z]/.test(op) ? ` ${op} ` : op;
}

function operand(node: Expr, sub: (node: Expr | null) => string): string {
  return node.type === 'Binary' ? `(${sub(node)})` : sub(node);
}

function printNumber(text: string): string {
  const plain = text.replace(/_/g, '').toLowerCase();
  if (/^0[box]/.test(plain)) return String(Number(plain));
  const value = Number(plain);
  if (Number.isNaN(value) || /^\d{16,}$/.test(plain)) return plain;
  return String(value);
}

/** Names are followed to what they were given; imports keep the name that they have at home. */
function printName(name: string, env: Env, how: Printing, depth: number): string {
  const value = env.find(name);
  if (value === null) return name;
  if (value.row === true && how.template) return name;
  if (value.source !== undefined) return printImported(value, name, how, depth);
  return printValue(value, how, depth);
}

function printImported(value: Value, name: string, how: Printing, depth: number): string {
  const target = follow(value);
  const constant = target !== null && target.node !== null && isConstantNode(target.node);
  return constant ? printValue(target, how, depth) : value.source?.name || name;
}

/** Constants of other files are written out: a wanted value may be kept there. */
function isConstantNode(node: Expr | FunctionStmt | ClassStmt): boolean {
  return ['Number', 'String', 'Constant', 'List', 'Tuple', 'Dict', 'Set', 'Unary'].includes(node.type);
}

function printFormat(pieces: readonly (string | Expr)[], sub: (node: Expr | null) => string): string {
  const texts = pieces.map((piece, index) => {
    if (typeof piece === 'string') return piece === ':!r' ? '' : piece.startsWith(':!') ? null : piece;
    const spelled = sub(piece);
    const text = constantText(spelled);
    return text !== null && spelled.startsWith('"') && pieces[index + 1] === ':!r' ? reprOf(text) : text;
  });
  if (texts.every((text) => text !== null)) return JSON.stringify(texts.join(''));
  return `f"${pieces.map((piece) => (typeof piece === 'string' ? piece : `{${sub(piece)}}`)).join('')}"`;
}

/** What a printed constant is inside a text; null where it is none. */
function constantText(text: string): string | null {
  if (text.startsWith('"') && text.endsWith('"')) {
    try {
      return String(JSON.parse(text));
    } catch {
      return null;
    }
  }
  return /^-?[0-9][0-9.e+]*$/.test(text) || ['True', 'False', 'None'].includes(text) ? text : null;
}

function printDict(node: Extract<Expr, { type: 'Dict' }>, sub: (node: Expr | null) => string): string {
  const texts = node.entries.map(({ key, value }) => (key === null ? `**${sub(value)}` : `${sub(key)}:${sub(value)}`));
  return `{${(node.entries.some(({ key }) => key === null) ? texts : texts.toSorted()).join(',')}}`;
}

function printCall(node: Extract<Expr, { type: 'Call' }>, env: Env, how: Printing, depth: number): string {
  const sub = (below: Expr | null) => print(below, env, how, depth);
  const plain = node.args.filter(({ name, star }) => name === null && star !== '**').flatMap(({ star, value }) => spread(star, sub(value)));
  const named = node.args
    .flatMap(({ name, star, value }) => (name === null ? (star === '**' ? unfolded(value, env, sub) : []) : [`${name}=${sub(value)}`]))
    .toSorted();
  if (node.callee.type === 'Name' && node.callee.name === 'dict' && plain.length === 0 && env.find('dict') === null) {
    const entries = node.args.map(({ name, value }) => `${JSON.stringify(name)}:${sub(value)}`);
    return `{${entries.toSorted().join(',')}}`;
  }
  const made = depth < DEEPEST / 2 ? returnedBy(node, env) : null;
  if (made !== null && made.node !== null) return printValue(made, how, depth + 2);
  return `${sub(node.callee)}(${[...plain, ...named].join(',')})`;
}

/** A list or tuple is written there, or under the name that stands there. */
function isListed(node: Expr, env: Env, how: Printing): boolean {
  const held = node.type === 'Name' ? env.find(node.name) : null;
  const kept = held === null ? node : held.label === undefined && !(held.row === true && how.template) ? held.node : null;
  return kept?.type === 'List' || kept?.type === 'Tuple';
}

/** `[1, *[2, 3]]` is `[1, 2, 3]`. */
function itemTexts(items: readonly Expr[], env: Env, how: Printing, sub: (node: Expr | null) => string): readonly string[] {
  return items.flatMap((item) => {
    if (item.type !== 'Star' || !isListed(item.value, env, how)) return [sub(item)];
    const inner = sub(item.value).slice(1, -1);
    return inner === '' ? [] : [inner];
  });
}

/** `f(*(1, 2))` is `f(1, 2)`. */
function spread(star: string, text: string): readonly string[] {
  if (star === '') return [text];
  return /^[([][^()[\]{}"]*[)\]]$/.test(text) ? [text.slice(1, -1)].filter((inner) => inner !== '') : [star + text];
}

/** `f(**{'a': 1})` is `f(a=1)`. */
function unfolded(node: Expr, env: Env, sub: (node: Expr | null) => string): readonly string[] {
  const held = node.type === 'Name' ? env.find(node.name) : null;
  const inner = node.type === 'Dict' ? node : held?.label === undefined && held?.node?.type === 'Dict' ? held.node : null;
  if (inner === null || inner.entries.some(({ key }) => key?.type !== 'String')) return [`**${sub(node)}`];
  const text = (value: Expr) => (held === null ? sub(value) : print(value, held.env));
  return inner.entries.map(({ key, value }) => `${key?.type === 'String' ? key.value : ''}=${text(value)}`);
}

function printAttribute(node: Extract<Expr, { type: 'Attribute' }>, env: Env, how: Printing, depth: number): string {
  const known = env.find(dotted(node));
  if (known !== null) return known.row === true && how.template ? dotted(node) : printValue(known, how, depth);
  const member = memberOf(node, env);
  if (member !== null) return printImported(member, node.name, how, depth);
  if (node.object.type === 'Name') {
    const value = env.find(node.object.name);
    if (value?.text === CAUGHT && (node.name === 'value' || node.name === 'exception')) return CAUGHT;
    const field = value === null || value.label !== undefined || (value.row === true && how.template) ? null : fieldOf(value, node.name);
    if (field !== null) return printValue(field, how, depth);
  }
  return `${print(node.object, env, how, depth)}.${node.name}`;
}

function printSubscript(node: Extract<Expr, { type: 'Subscript' }>, env: Env, how: Printing, depth: number): string {
  const entry = depth > DEEPEST ? null : entryAt(node, env, how);
  if (entry !== null) return printValue(entry, how, depth);
  return `${print(node.object, env, how, depth)}[${node.index.map((index) => print(index, env, how, depth)).join(',')}]`;
}

/** The entry of a list or dictionary that is written down, also of one within another: `ROLES['admin'][0]`. */
export function entryAt(node: Expr, env: Env, how: Printing = PLAIN, level = 0): Value | null {
  if (node.type === 'Name') {
    const value = env.find(node.name);
    if (value === null || value.label !== undefined || (value.row === true && how.template)) return null;
    return value.source === undefined ? value : follow(value);
  }
  const [only] = node.type === 'Subscript' && node.index.length === 1 ? node.index : [];
  if (node.type !== 'Subscript' || only === undefined || level > 4) return null;
  const owner = entryAt(node.object, env, how, level + 1);
  const held = only.type === 'Name' ? entryAt(only, env, how, level + 1)?.node : only;
  if (owner === null || held === null || held === undefined) return null;
  if (held.type === 'String') return entryOf(owner, held.value);
  if (owner.node?.type === 'Dict' && (held.type === 'Number' || held.type === 'Tuple' || held.type === 'Constant')) {
    const key = print(held, env, how);
    const found = owner.node.entries.findLast((entry) => entry.key !== null && print(entry.key, owner.env, how) === key);
    return found === undefined ? null : valueOf(found.value, owner.env);
  }
  const list = owner.node?.type === 'List' || owner.node?.type === 'Tuple';
  const element = list && held.type === 'Number' ? elementOf(owner, Number(held.text), env) : null;
  return element === null || element.base !== undefined ? null : element;
}

function printInner(node: Extract<Expr, { type: 'Lambda' | 'Comprehension' }>, env: Env, how: Printing, depth: number): string {
  const inner = env.child();
  if (node.type === 'Lambda') {
    for (const { name } of node.params) inner.set(name, { node: null, env, text: name });
    return `lambda ${node.params.map(({ name }) => name).join(',')}:${print(node.body, inner, how, depth)}`;
  }
  for (const { target } of node.clauses) bindOwn(target, inner);
  const clauses = node.clauses.map(({ target, over, conditions }) => {
    const filters = conditions.map((condition) => ` if ${print(condition, inner, how, depth)}`).join('');
    return ` for ${print(target, inner, how, depth)} in ${print(over, inner, how, depth)}${filters}`;
  });
  const close = node.kind === '[' ? ']' : node.kind === '{' ? '}' : ')';
  return `${node.kind}${node.elements.map((element) => print(element, inner, how, depth)).join(':')}${clauses.join('')}${close}`;
}

/** Statements by their text, without comments and docstrings: for telling renamed and moved tests. */
export function printBody(body: readonly Stmt[], text: string): string {
  const kept = body.filter((statement) => !(statement.type === 'Expression' && statement.value.type === 'String'));
  return kept.map((statement) => squeeze(text.slice(statement.start, statement.end))).join(';');
}

/** Source with layout taken out. */
export function squeeze(text: string): string {
  return text
    .slice(0, LONGEST)
    .replace(/#[^\n"']*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([^\w ]) ?/g, '$1')
    .replace(/,(?=[)\]}])/g, '')
    .replace(/'/g, '"')
    .trim();
}
