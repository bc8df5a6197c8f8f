// Canonical text of an expression: the same for the same meaning, whatever the layout, quotes, casts, awaits and names of variables.

import { at, bare, holesAt, isFunction, keyName, listAt, nameOf, propertyName, soleExpression, textAt } from './tree.js';
import type { Node } from './tree.js';
import { rowsOf } from './rows.js';
import { Env, bind, elementOf, follow, memberOf, valueOf } from './scope.js';
import type { Value } from './scope.js';
import { plainText } from './plain-values.js';
import { mayComeOut, workOut } from './working-out.js';
import { entriesOf } from '../properties.js';

const DEEPEST = 24;
const LONGEST = 3000;

/** `template`: columns of tables and loop variables keep their names. */
export interface Printing {
  readonly template: boolean;
  /** Told when a column or loop variable was filled in. */
  readonly seen?: { rows: boolean };
}

const PLAIN: Printing = { template: false };

/** A text, and what it was made with. */
interface Kept {
  readonly env: Env;
  text: string;
  /** A column or loop variable was filled in. */
  rows: boolean;
  /** A list was written out, which a template does not do. */
  mapped: boolean;
  readonly depth: number;
  /** How deep the parts of it were. */
  deepest: number;
}

/** Nothing is cut off at such a depth: texts are the same wherever they stand. */
const FREE = 11;

/** Checks of a test ask for the same again and again. Texts are kept for as long as their names hold what they held. */
const texts = new Map<Node, Kept>();
/** Those that may have been cut off somewhere: they are the same at the same depth. */
const deep = new Map<Node, Kept>();
let since = -1;
/** The text that is being made. */
let making: Kept | null = null;

export function print(node: Node | null, env: Env, how: Printing = PLAIN, depth = 0): string {
  const inner = bare(node);
  if (inner === null) return '';
  if (depth > DEEPEST) return '…';
  // Most nodes are one of these, and need nothing of what the others do.
  if (inner.type === 'Literal') return cut(printLiteral(inner));
  if (inner.type === 'Identifier' && depth > 0) return cut(printName(nameOf(inner), env, how, depth + 1));
  const kept = known(inner, env, how, depth) ?? made(inner, env, how, depth);
  if (depth > 0 && making !== null) {
    making.rows ||= kept.rows;
    making.mapped ||= kept.mapped;
    making.deepest = Math.max(making.deepest, depth + kept.deepest - kept.depth);
  } else if (kept.rows && how.seen !== undefined) how.seen.rows = true;
  return kept.text;
}

function known(node: Node, env: Env, how: Printing, depth: number): Kept | null {
  if (since !== Env.changes) {
    since = Env.changes;
    texts.clear();
    deep.clear();
  }
  const kept = texts.get(node);
  if (kept !== undefined && kept.env === env && depth + kept.deepest - kept.depth <= FREE) return fits(kept, how);
  const cut = deep.get(node);
  return cut === undefined || cut.env !== env || cut.depth !== depth ? null : fits(cut, how);
}

/** A template leaves names where others fill in values. */
function fits(kept: Kept, how: Printing): Kept | null {
  return how.template && (kept.rows || kept.mapped) ? null : kept;
}

function made(node: Node, env: Env, how: Printing, depth: number): Kept {
  const outer = making;
  const kept: Kept = { env, text: '', rows: false, mapped: false, depth, deepest: depth };
  making = kept;
  kept.text = cut(node.type === 'Identifier' ? printName(nameOf(node), env, how, depth + 1) : printed(node, env, how, depth + 1));
  making = outer;
  if (!how.template) (kept.deepest <= FREE ? texts : deep).set(node, kept);
  return kept;
}

function cut(text: string): string {
  return text.length > LONGEST ? text.slice(0, LONGEST) : text;
}

export function printValue(value: Value, how: Printing = PLAIN, depth = 0): string {
  if (value.text !== undefined) return value.text;
  if (value.base !== undefined) return depth > DEEPEST ? '…' : printValue(value.base, how, depth + 1) + (value.access ?? '');
  if (value.source !== undefined) return value.imported ?? '';
  return print(value.node, value.env, how, depth);
}

function printed(node: Node, env: Env, how: Printing, depth: number): string {
  const sub = (below: Node | null) => print(below, env, how, depth);
  switch (node.type) {
    case 'AwaitExpression':
      return sub(at(node, 'argument'));
    case 'TemplateLiteral':
      return printTemplate(node, sub);
    case 'MemberExpression':
      return printMember(node, env, how, depth);
    case 'CallExpression':
      if (isRequestCheck(node)) return sub(at(at(node, 'callee'), 'object'));
      return (
        printWorkedOut(node, env, how, depth) ??
        printInlined(node, env, how, depth) ??
        printMapped(node, env, how, depth) ??
        `${sub(at(node, 'callee'))}(${printList(listAt(node, 'arguments'), sub)})`
      );
    case 'NewExpression':
      return `new ${sub(at(node, 'callee'))}(${printList(listAt(node, 'arguments'), sub)})`;
    case 'ArrayExpression':
      return printWorkedOut(node, env, how, depth) ?? `[${holesAt(node, 'elements').map(sub).join(',')}]`;
    case 'ObjectExpression':
      return printObject(node, sub);
    case 'SpreadElement':
      return `...${sub(at(node, 'argument'))}`;
    case 'UnaryExpression':
      return `${textAt(node, 'operator')}${textAt(node, 'operator').length > 1 ? ' ' : ''}${sub(at(node, 'argument'))}`;
    case 'BinaryExpression':
      return folded(sub(at(node, 'left')), textAt(node, 'operator'), sub(at(node, 'right')));
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return `${sub(at(node, 'left'))}${spaced(textAt(node, 'operator'))}${sub(at(node, 'right'))}`;
    case 'ConditionalExpression':
      return `${sub(at(node, 'test'))}?${sub(at(node, 'consequent'))}:${sub(at(node, 'alternate'))}`;
    default:
      return isFunction(node) ? printFunction(node, env, how, depth) : squeeze(env.module.tree.text.slice(node.start, node.end));
  }
}

/** `request(app).get('/').expect(200)` gives what it gives without its check. */
function isRequestCheck(node: Node): boolean {
  const callee = bare(at(node, 'callee'));
  if (callee?.type !== 'MemberExpression' || propertyName(callee) !== 'expect') return false;
  return bare(at(callee, 'object'))?.type === 'CallExpression' && listAt(node, 'arguments').length > 0;
}

/** What is made of written-down values by code without effects is what comes of it. */
function printWorkedOut(node: Node, env: Env, how: Printing, depth: number): string | null {
  if (depth > 12 || !mayComeOut(node, env)) return null;
  let filled = false;
  const found = workOut(node, env, {
    print: (below, inner) => print(below, inner, how, depth + 1),
    fills: !how.template,
    filled: () => {
      filled = true;
    },
  });
  const text = found === null ? null : plainText(found.value);
  if (text !== null && filled && making !== null) making.rows = true;
  return text;
}

/** A small function of the same file stands for its expression: `make()` is what it makes. */
function printInlined(node: Node, env: Env, how: Printing, depth: number): string | null {
  const callee = bare(at(node, 'callee'));
  if (callee?.type !== 'Identifier' || depth > 16) return null;
  const known = env.find(nameOf(callee));
  const value = known === null || known.source === undefined ? known : follow(known);
  const fn = value === null || (known === value && value.env.module !== env.module) ? null : bare(value.node);
  if (value === null || !isFunction(fn) || fn['generator'] === true) return null;
  const only = soleExpression(at(fn, 'body'));
  if (only === null || bare(only)?.type === 'JSXElement') return null;
  const inner = value.env.child();
  const args = listAt(node, 'arguments');
  for (const [index, parameter] of listAt(fn, 'params').entries()) {
    const argument = args[index];
    const fallback = parameter.type === 'AssignmentPattern' ? at(parameter, 'right') : null;
    if (argument?.type === 'SpreadElement') return null;
    if (parameter.type === 'RestElement') {
      const elements = args.slice(index);
      if (elements.some((element) => element.type === 'SpreadElement')) return null;
      const rest: Node = { type: 'ArrayExpression', start: node.start, end: node.end, elements };
      bind(at(parameter, 'argument') ?? parameter, { node: rest, env }, inner);
      continue;
    }
    if (argument !== undefined) bind(parameter, valueOf(argument, env), inner);
    else if (fallback !== null) bind(parameter, valueOf(fallback, inner), inner);
    else bindOwn(parameter, inner);
  }
  return print(only, inner, how, depth + 2);
}

const MOST_MAPPED = 12;

/** A list that is written down is mapped entry by entry: `['a', 'b'].map((x) => f(x))` is `[f('a'), f('b')]`. */
function printMapped(node: Node, env: Env, how: Printing, depth: number): string | null {
  const callee = bare(at(node, 'callee'));
  if (callee?.type !== 'MemberExpression' || propertyName(callee) !== 'map' || how.template || depth > 12) return null;
  const owner = bare(at(callee, 'object'));
  const [fn = null, ...more] = listAt(node, 'arguments').map(bare);
  const only = isFunction(fn) ? soleExpression(at(fn, 'body')) : null;
  if (only === null || more.length > 0 || listAt(fn, 'params').length !== 1 || !isCall(only)) return null;
  const rows = rowsOf(owner, env);
  if (rows === null || rows.length === 0 || rows.length > MOST_MAPPED) return null;
  if (making !== null) making.mapped = true;
  const written = rows.map((row) => {
    const inner = env.child();
    bind(listAt(fn, 'params')[0] as Node, row, inner);
    return print(only, inner, how, depth + 2);
  });
  return `[${written.join(',')}]`;
}

function isCall(node: Node): boolean {
  const inner = bare(node);
  return inner?.type === 'CallExpression' || (inner?.type === 'AwaitExpression' && isCall(at(inner, 'argument') ?? inner));
}

const NUMBER = /^-?[0-9][0-9.e+]*$/;

/** Arithmetic over numbers is worked out: `60 * 1000` is 60000. */
function folded(left: string, operator: string, right: string): string {
  if (NUMBER.test(left) && NUMBER.test(right)) {
    const [one, other] = [Number(left), Number(right)];
    const value =
      operator === '+'
        ? one + other
        : operator === '-'
          ? one - other
          : operator === '*'
            ? one * other
            : operator === '/'
              ? one / other
              : null;
    if (value !== null && Number.isFinite(value)) return String(value);
  }
  return `${left}${spaced(operator)}${right}`;
}

function spaced(operator: string): string {
  return /^[a-z]/.test(operator) ? ` ${operator} ` : operator;
}

function printList(nodes: readonly Node[], sub: (node: Node | null) => string): string {
  return nodes.map(sub).join(',');
}

function printName(name: string, env: Env, how: Printing, depth: number): string {
  const value = env.find(name);
  if (value === null) return name;
  if (value.row === true) {
    if (how.template) return name;
    if (making !== null) making.rows = true;
  }
  if (value.source !== undefined) return value.imported === 'default' || value.imported === '*' ? name : (value.imported ?? name);
  if (value.label !== undefined) return value.label;
  if (value.named === true && !isFunction(bare(value.node))) return name;
  if (value.node !== null && refersTo(value.node, name, value.env, env)) return name;
  return printValue(value, how, depth);
}

/** A name whose value mentions itself (`x = x + 1`) stays a name. */
function refersTo(node: Node, name: string, own: Env, env: Env): boolean {
  return own === env && bare(node)?.type === 'Identifier' && nameOf(bare(node)) === name;
}

function printLiteral(node: Node): string {
  if (node['regex'] !== undefined && node['regex'] !== null) return textAt(node, 'raw');
  if (typeof node['bigint'] === 'string') return `${node['bigint']}n`;
  const value = node['value'];
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function printTemplate(node: Node, sub: (node: Node | null) => string): string {
  const quasis = listAt(node, 'quasis').map((quasi) => {
    const value = quasi['value'] as { cooked?: string | null; raw?: string } | undefined;
    return value?.cooked ?? value?.raw ?? '';
  });
  const holes = listAt(node, 'expressions').map(sub);
  const parts = holes.map(constantText);
  if (parts.every((part) => part !== null)) return JSON.stringify(quasis.map((quasi, index) => quasi + (parts[index] ?? '')).join(''));
  return `\`${quasis.map((quasi, index) => (index < holes.length ? `${quasi}\${${holes[index] ?? ''}}` : quasi)).join('')}\``;
}

/** What a printed constant is inside a text; null where it is none. */
function constantText(text: string): string | null {
  if (text.startsWith('"')) {
    try {
      return String(JSON.parse(text));
    } catch {
      return null;
    }
  }
  return /^-?[0-9][0-9.e+]*$/.test(text) || ['true', 'false', 'null', 'undefined', 'NaN', 'Infinity'].includes(text) ? text : null;
}

function printMember(node: Node, env: Env, how: Printing, depth: number): string {
  const owner = bare(at(node, 'object'));
  const name = propertyName(node);
  if (owner?.type === 'Identifier') {
    const value = env.find(nameOf(owner));
    const rowed = value?.row === true && how.template;
    if (value?.row === true && making !== null) making.rows = true;
    if (value !== null && !rowed && value.named !== true) {
      const literal = bare((value.source === undefined ? value : (follow(value) ?? value)).node);
      if (literal?.type === 'ObjectExpression' && name !== '') {
        const member = memberOf(value.source === undefined ? value : (follow(value) ?? value), name, env);
        if (member.node !== null) return printValue(member, how, depth);
      }
      const index = bare(at(node, 'property'));
      if (literal?.type === 'ArrayExpression' && typeof index?.['value'] === 'number') {
        const element = elementOf(value, index['value'], env);
        if (element.node !== null) return printValue(element, how, depth);
      }
    }
    if (value?.source !== undefined && value.imported === '*' && name !== '') return name;
  }
  const object = print(owner, env, how, depth);
  if (name !== '') return `${object}.${name}`;
  const key = print(at(node, 'property'), env, how, depth);
  const plain = /^"([\p{L}_$][\p{L}\p{N}_$]*)"$/u.exec(key);
  return plain === null ? `${object}[${key}]` : `${object}.${plain[1] ?? ''}`;
}

function printObject(node: Node, sub: (node: Node | null) => string): string {
  const properties = listAt(node, 'properties');
  const texts = properties.map((property) => {
    if (property.type !== 'Property') return sub(property);
    const key = keyName(property);
    const value = at(property, 'value');
    return `${key === '' ? `[${sub(at(property, 'key'))}]` : key}:${sub(value)}`;
  });
  const merged = properties.every((property) => property.type === 'Property') ? texts : merge(texts);
  return `{${(merged.some((text) => text.startsWith('...')) ? merged : merged.toSorted()).join(',')}}`;
}

/** Objects that are spread into another are written out: `{...{a:1,b:2},b:3}` is `{a:1,b:3}`. */
function merge(texts: readonly string[]): readonly string[] {
  const known = texts.map((text) => entriesOf(text.startsWith('...') ? text.slice(3) : `{${text}}`));
  if (known.some((entries) => entries === null)) return texts;
  const all = new Map(known.flatMap((entries) => [...(entries ?? [])]));
  return [...all].map(([key, value]) => `${key}:${value}`);
}

/** A function by its body, as `=>body`. Parameters keep their names. */
function printFunction(node: Node, env: Env, how: Printing, depth: number): string {
  const inner = env.child();
  for (const parameter of listAt(node, 'params')) bindOwn(parameter, inner);
  const parameters = listAt(node, 'params').map((parameter) => parameterText(parameter, env.module.tree.text));
  const body = at(node, 'body');
  const only = soleExpression(body);
  const text = only === null ? statements(body, inner, how, depth) : print(only, inner, how, depth);
  return `(${parameters.join(',')})=>${text}`;
}

/** A parameter without its type: whether types are read depends on the rest of the file. */
function parameterText(parameter: Node, text: string): string {
  if (parameter.type === 'Identifier') return nameOf(parameter);
  const [left, right] = [at(parameter, 'left'), at(parameter, 'right')];
  if (parameter.type === 'AssignmentPattern' && left !== null && right !== null)
    return `${parameterText(left, text)}=${squeeze(text.slice(right.start, right.end))}`;
  return squeeze(text.slice(parameter.start, at(parameter, 'typeAnnotation')?.start ?? parameter.end));
}

/** Parameters of a function that is not called here stand for themselves. */
export function bindOwn(parameter: Node, env: Env): void {
  bind(parameter, { node: null, env, text: '' }, env);
  for (const name of namesIn(parameter)) env.set(name, { node: null, env, text: name });
}

function namesIn(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [nameOf(pattern)];
  const below = [at(pattern, 'left'), at(pattern, 'argument'), at(pattern, 'value'), at(pattern, 'parameter')];
  const lists = [...listAt(pattern, 'properties'), ...listAt(pattern, 'elements')];
  return [...below, ...lists].flatMap((node) => (node === null ? [] : namesIn(node)));
}

function statements(body: Node | null, env: Env, how: Printing, depth: number): string {
  const texts = listAt(body, 'body').map((statement) => {
    if (statement.type === 'ExpressionStatement') return print(at(statement, 'expression'), env, how, depth);
    if (statement.type === 'ReturnStatement') return `return ${print(at(statement, 'argument'), env, how, depth)}`;
    return squeeze(env.module.tree.text.slice(statement.start, statement.end));
  });
  return `{${texts.join(';')}}`;
}

/** Source with layout taken out: for what is not printed node by node. */
export function squeeze(text: string): string {
  return text
    .slice(0, LONGEST)
    .replace(/\s+/g, ' ')
    .replace(/ ?([^\w$ ]) ?/g, '$1')
    .replace(/'/g, '"')
    .replace(/;(?=[}]|$)/g, '')
    .trim();
}
