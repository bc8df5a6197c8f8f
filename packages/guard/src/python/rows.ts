// The rows of a table or loop, where they are literals: in the file, or in one that it imports.

import type { Expr } from './tree.js';
import { lastName, positional, settled, statementsIn } from './tree.js';
import { bind, bindOwn, elementOf, follow, valueOf } from './scope.js';
import type { Env, Value } from './scope.js';

const DEEPEST = 6;
const LONGEST_RANGE = 60;

/** The rows; null where they are not known. */
export function rowsOf(node: Expr | null, env: Env, depth = 0): readonly Value[] | null {
  if (node === null || depth > DEEPEST) return null;
  const inner = settled(node);
  switch (inner.type) {
    case 'List':
    case 'Tuple':
    case 'Set':
      return items(inner.items, env, depth);
    case 'String':
      return Array.from(inner.value, (letter) => ({
        node: { type: 'String', start: inner.start, end: inner.end, value: letter, bytes: false },
        env,
      }));
    case 'Dict':
      return inner.entries.every(({ key }) => key !== null)
        ? inner.entries.flatMap(({ key }) => (key === null ? [] : [valueOf(key, env)]))
        : null;
    case 'Name':
    case 'Attribute':
      return behind(inner, env, depth);
    case 'Binary': {
      const [left, right] = [rowsOf(inner.left, env, depth + 1), rowsOf(inner.right, env, depth + 1)];
      return inner.op === '+' && left !== null && right !== null ? [...left, ...right] : null;
    }
    case 'Call':
      return called(inner, env, depth);
    case 'Comprehension':
      return madeRows(inner, env, depth);
    case 'Await':
    case 'Bool':
    case 'Compare':
    case 'Conditional':
    case 'Constant':
    case 'Format':
    case 'Lambda':
    case 'Named':
    case 'Number':
    case 'Slice':
    case 'Star':
    case 'Subscript':
    case 'Unary':
    case 'Unknown':
    case 'Yield':
      return null;
  }
}

function items(nodes: readonly Expr[], env: Env, depth: number): readonly Value[] | null {
  const rows: Value[] = [];
  for (const node of nodes) {
    if (node.type !== 'Star') rows.push(valueOf(node, env));
    else {
      const more = rowsOf(node.value, env, depth + 1);
      if (more === null) return null;
      rows.push(...more);
    }
  }
  return rows;
}

/** `[(n, n * n) for n in (1, 2)]`: one row for each that is walked over. */
function madeRows(node: Extract<Expr, { type: 'Comprehension' }>, env: Env, depth: number): readonly Value[] | null {
  const [clause] = node.clauses;
  const [element] = node.elements;
  if (clause === undefined || element === undefined || node.kind === '{' || node.clauses.length > 1 || clause.conditions.length > 0)
    return null;
  return (
    rowsOf(clause.over, env, depth + 1)?.map((row) => {
      const inner = env.child();
      bind(clause.target, row, inner);
      return valueOf(element, inner);
    }) ?? null
  );
}

/** `{n: f(n) for n in (1, 2)}.items()`: one entry for each that is walked over. */
function madeEntries(node: Extract<Expr, { type: 'Comprehension' }>, what: string, env: Env, depth: number): readonly Value[] | null {
  const [key, value] = node.elements;
  if (node.kind !== '{' || key === undefined || value === undefined) return null;
  const element: Expr = { type: 'Tuple', start: key.start, end: value.end, items: [key, value] };
  const wanted = what === 'keys' ? key : what === 'values' ? value : element;
  return madeRows({ ...node, kind: '[', elements: [wanted] }, env, depth);
}

/** `[row for row in ROWS if …]` or `ROWS[:1]` of a table that is known, or one that rows are taken from: some of it is left out. */
export function siftedBy(node: Expr | null, env: Env): Expr | null {
  const inner = node === null ? null : settled(node);
  if (inner?.type === 'Subscript')
    return inner.index.some(({ type }) => type === 'Slice') && rowsOf(inner.object, env) !== null ? inner : null;
  if (inner?.type === 'Name') return cutBy(inner.name, env);
  if (inner?.type !== 'Comprehension' || inner.clauses.length !== 1) return null;
  const [clause] = inner.clauses;
  const [element] = inner.elements;
  if (clause === undefined || clause.conditions.length === 0 || element?.type !== 'Name' || clause.target.type !== 'Name') return null;
  return element.name === clause.target.name && rowsOf(clause.over, env) !== null ? inner : null;
}

/** What the file takes from a list of its own: `ROWS.pop()`, `del ROWS[1:]`, `ROWS[1:] = []`, `ROWS = ROWS[:1]`. */
function cutBy(name: string, env: Env): Expr | null {
  const isIt = (node: Expr): boolean => node.type === 'Name' && node.name === name;
  const isPart = (node: Expr): boolean => node.type === 'Subscript' && isIt(node.object);
  for (const one of statementsIn(env.module.tree.body, false)) {
    if (one.type === 'Delete' || one.type === 'Assign') {
      const part = one.targets.find(isPart);
      if (part !== undefined && (one.type === 'Delete' || (part.type === 'Subscript' && part.index.some(({ type }) => type === 'Slice'))))
        return part;
      if (one.type === 'Assign' && one.value !== null && isPart(one.value) && one.targets.some(isIt)) return one.value;
    }
    const call = one.type === 'Expression' || one.type === 'Assign' ? one.value : null;
    if (call?.type !== 'Call' || call.callee.type !== 'Attribute') continue;
    if (isIt(call.callee.object) && /^(pop|clear|remove)$/.test(call.callee.name)) return call;
  }
  return null;
}

function target(node: Expr, env: Env): Value | null {
  const name =
    node.type === 'Name' ? node.name : node.type === 'Attribute' && node.object.type === 'Name' ? `${node.object.name}.${node.name}` : '';
  const value = env.find(name);
  if (value !== null) return follow(value);
  const owner = node.type === 'Attribute' && node.object.type === 'Name' ? env.find(node.object.name) : null;
  if (owner?.source === undefined || node.type !== 'Attribute') return null;
  const { module, name: imported } = owner.source;
  return follow({ ...owner, source: { ...owner.source, module: imported === '' ? module : `${module}.${imported}`, name: node.name } });
}

function behind(node: Expr, env: Env, depth: number): readonly Value[] | null {
  const value = target(node, env);
  if (value === null || value.node === null || value.label !== undefined) return null;
  if (value.node.type === 'Function' || value.node.type === 'Class') return null;
  return rowsOf(value.node, value.env, depth + 1);
}

/** Gives a loop's names what they stand for where the rows are not known: of `for x in made()` an entry of `made()`. */
export function bindEntries(target: Expr, over: Expr, env: Env): void {
  bindOwn(target, env, true);
  const inner = settled(over);
  if (inner.type === 'Call' && inner.callee.type === 'Name' && inner.callee.name === 'enumerate') {
    const [value] = positional(inner.args);
    const [, entry] = target.type === 'Tuple' ? target.items : [];
    if (value !== undefined && entry?.type === 'Name') bindEntries(entry, value, env);
    return;
  }
  const walked = inner.type === 'Call' && NO_VALUES.test(lastName(inner.callee));
  if (target.type !== 'Name' || walked || (inner.type !== 'Call' && inner.type !== 'Name' && inner.type !== 'Attribute')) return;
  env.set(target.name, { node: null, env, base: valueOf(inner, env), access: '[*]', row: true });
}

/** Calls whose entries are made for the walk: they say nothing about a value under test. */
const NO_VALUES = /^(range|zip|product|permutations|combinations|items|keys|values|count|reversed|sorted)$/;

/** A literal list that a name stands for, also one that is filled later. */
export function isEmptyList(node: Expr, env: Env): boolean {
  const inner = settled(node);
  if (inner.type === 'List' || inner.type === 'Tuple' || inner.type === 'Set') return inner.items.length === 0;
  if (inner.type === 'Dict') return inner.entries.length === 0;
  if (inner.type === 'String') return inner.value === '';
  const rows = rowsOf(inner, env);
  return rows !== null && rows.length === 0;
}

/** What is walked over is computed or filtered: it may be empty. */
export function isUncertain(node: Expr, env: Env, depth = 0): boolean {
  const inner = settled(node);
  if (inner.type === 'Comprehension') return inner.clauses.some(({ conditions }) => conditions.length > 0);
  if (inner.type === 'Name' && depth < 4) {
    const held = env.find(inner.name)?.node;
    return held?.type === 'Comprehension' && isUncertain(held, env, depth + 1);
  }
  return inner.type === 'Call' && !/^(range|enumerate|zip|product|permutations|combinations)$/.test(lastName(inner.callee));
}

const WRAPPERS: ReadonlySet<string> = new Set(['list', 'tuple', 'sorted', 'set', 'reversed', 'iter', 'frozenset']);

function called(node: Extract<Expr, { type: 'Call' }>, env: Env, depth: number): readonly Value[] | null {
  const name = lastName(node.callee);
  const args = positional(node.args);
  const [first = null] = args;
  if (node.callee.type === 'Attribute' && ['items', 'keys', 'values'].includes(name) && args.length === 0)
    return dictRows(node.callee.object, name, env, depth);
  if (node.callee.type !== 'Name') return null;
  if (WRAPPERS.has(name)) return first === null ? [] : rowsOf(first, env, depth + 1);
  if (name === 'range') return rangeRows(args, env);
  if (name === 'enumerate') {
    const rows = rowsOf(first, env, depth + 1);
    return rows?.map((row, index) => pair(node, [number(node, index), row])) ?? null;
  }
  if (name === 'zip') {
    const columns = args.map((argument) => rowsOf(argument, env, depth + 1));
    const known = columns.filter((column) => column !== null);
    if (known.length === 0) return null;
    const length = Math.min(...known.map((column) => column.length));
    // Of a value that is not known here, entry by entry.
    const entry = (column: number, index: number): Value =>
      columns[column]?.[index] ?? { node: null, env, base: valueOf(args[column] as Expr, env), access: `[${index}]` };
    return Array.from({ length }, (_none, index) =>
      pair(
        node,
        columns.map((_column, column) => entry(column, index)),
      ),
    );
  }
  return null;
}

function number(node: Expr, value: number): Value | Expr {
  return { type: 'Number', start: node.start, end: node.end, text: String(value) };
}

/** A tuple of values that may come from different places. */
function pair(node: Expr, values: readonly (Value | Expr)[]): Value {
  const first = values.find((value): value is Value => 'env' in value);
  const own = (first as Value).env.child();
  const items = values.map((value, index): Expr => {
    if (!('env' in value)) return value;
    own.set(` ${index}`, value);
    return { type: 'Name', start: node.start, end: node.end, name: ` ${index}` };
  });
  return { node: { type: 'Tuple', start: node.start, end: node.end, items }, env: own };
}

function rangeRows(args: readonly Expr[], env: Env): readonly Value[] | null {
  const bounds = args.map((argument) => (argument.type === 'Number' ? Number(argument.text) : Number.NaN));
  if (bounds.length === 0 || bounds.some((bound) => Number.isNaN(bound))) return null;
  const [from, to] = bounds.length === 1 ? [0, bounds[0] ?? 0] : [bounds[0] ?? 0, bounds[1] ?? 0];
  const step = bounds[2] ?? 1;
  if (step <= 0 || (to - from) / step > LONGEST_RANGE) return null;
  const rows: Value[] = [];
  for (let value = from; value < to; value += step) rows.push({ node: { type: 'Number', start: 0, end: 0, text: String(value) }, env });
  return rows;
}

function dictRows(node: Expr, what: string, env: Env, depth: number): readonly Value[] | null {
  const value: Value | null = node.type === 'Dict' || node.type === 'Comprehension' ? { node, env } : target(node, env);
  if (value?.node?.type === 'Comprehension' && value.label === undefined) return madeEntries(value.node, what, value.env, depth);
  if (value?.node?.type !== 'Dict' || value.label !== undefined) return null;
  if (value.node.entries.some(({ key }) => key === null)) return null;
  return value.node.entries.flatMap((entry): readonly Value[] => {
    if (entry.key === null) return [];
    if (what === 'keys') return [valueOf(entry.key, value.env)];
    if (what === 'values') return [valueOf(entry.value, value.env)];
    return [{ node: { type: 'Tuple', start: entry.key.start, end: entry.value.end, items: [entry.key, entry.value] }, env: value.env }];
  });
}

/** Of a row of `parametrize` its columns: `pytest.param(1, 2, id='x')` is `(1, 2)`. */
export function columnsOf(row: Value, count: number): readonly Value[] {
  const { node } = row;
  if (node?.type === 'Call' && lastName(node.callee) === 'param')
    return positional(node.args).map((argument) => valueOf(argument, row.env));
  if (count === 1) return [row];
  return Array.from({ length: count }, (_none, index) => elementOf(row, index, row.env));
}
