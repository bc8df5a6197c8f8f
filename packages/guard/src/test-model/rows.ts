// Tables that a test runs over: one set of names and values for each row.

import type { FunctionValue, Value, ValueOf } from '../syntax/nodes.js';
import { dottedName, lastName, positional } from '../syntax/walk.js';
import type { Test } from './facts.js';

export type Row = ReadonlyMap<string, Value>;

const MOST_ROWS = 60;

/** Rows of the innermost table with the names of the test's parameters; empty where the table is not written down. */
export function listRows(test: Test): readonly Row[] {
  const table = test.tables.at(-1);
  const { run } = test;
  if (table === undefined || run === null) return [];
  const names = test.columns ?? run.params.map((parameter) => parameter.names);
  const items = itemsOf(table);
  if (items.length === 0 || items.length > MOST_ROWS || test.tables.length > 1) return [];
  return items.map((item) => boundTo(item, names, test.columns !== null && test.columns !== undefined && names.length === 1));
}

/** Values of a literal table. */
export function itemsOf(table: Value): readonly Value[] {
  if (table.kind === 'list')
    return table.items.map((item) => (item.kind === 'call' && lastName(item.callee) === 'param' ? packed(positional(item), item) : item));
  if (table.kind === 'call') {
    const record = readRowEntries(table);
    if (record?.kind === 'record')
      return record.entries.flatMap(({ key, value }) => (key === null ? [] : [packed([key, value], { ...value, from: key.from })]));
  }
  return table.kind === 'template' ? templateRows(table) : [];
}

/** `Object.entries(x)` and `x.items()`. */
function readRowEntries({ callee, args }: ValueOf<'call'>): Value | undefined {
  if (dottedName(callee) === 'Object.entries') return args[0]?.value;
  return callee.kind === 'member' && callee.name === 'items' && args.length === 0 ? callee.object : undefined;
}

/** Of a table in a template: the first line names the columns. */
function templateRows({ parts, from, to }: ValueOf<'template'>): readonly Value[] {
  const [head = ''] = parts;
  if (typeof head !== 'string') return [];
  const names = (head.trim().split('\n')[0] ?? '').split('|').map((name) => name.trim());
  const values = parts.filter((part) => typeof part !== 'string');
  const rows: Value[] = [];
  for (let at = 0; at + names.length <= values.length; at += names.length) {
    const entries = names.map((name, index) => ({
      key: { from, to, kind: 'text' as const, value: name },
      value: values[at + index] as Value,
    }));
    rows.push({ from: values[at]?.from ?? from, to: values[at + names.length - 1]?.to ?? to, kind: 'record', entries });
  }
  return rows;
}

function packed(items: readonly Value[], { from, to }: Value): Value {
  return items.length === 1 && items[0] !== undefined ? items[0] : { from, to, kind: 'list', type: 'tuple', items };
}

function boundTo(item: Value, names: FunctionNames, isWhole: boolean): Row {
  const given = new Map<string, Value>();
  const [first] = names;
  if (item.kind === 'list' && !isWhole && (names.length > 1 || item.items.length === 1))
    item.items.forEach((value, index) => {
      const name = names[index]?.[0];
      if (name !== undefined) given.set(name, value);
    });
  else if (item.kind === 'record' && first !== undefined && names.length === 1 && first.length > 1) {
    for (const { key, value } of item.entries) if (key?.kind === 'text') given.set(key.value, value);
  } else if (first?.[0] !== undefined) given.set(first[0], item);
  return given;
}

type FunctionNames = readonly FunctionValue['params'][number]['names'][];

/** Of `for (const [a, b] of rows)`. */
export function rowsFor(items: readonly Value[], target: Value): readonly Row[] {
  return items.map((item) => {
    const given = new Map<string, Value>();
    bind(target, item, given);
    return given;
  });
}

function bind(target: Value, item: Value, given: Map<string, Value>): void {
  if (target.kind === 'name') given.set(target.name, item);
  else if (target.kind === 'list' && item.kind === 'list')
    target.items.forEach((inner, index) => {
      const value = item.items[index];
      if (value !== undefined) bind(inner, value, given);
    });
  else if (target.kind === 'record' && item.kind === 'record')
    for (const { key, value: inner } of target.entries) {
      const held = item.entries.find((entry) => entry.key?.kind === 'text' && key?.kind === 'text' && entry.key.value === key.value);
      if (held !== undefined) bind(inner, held.value, given);
    }
}

/** Names of one parameter, destructured or not, for one element. */
export function makeRow(names: readonly string[], item: Value): Row {
  const [first] = names;
  if (names.length > 1 && item.kind === 'list')
    return new Map(names.flatMap((name, index) => (item.items[index] === undefined ? [] : [[name, item.items[index]] as const])));
  if (names.length > 1 && item.kind === 'record')
    return new Map(item.entries.flatMap(({ key, value }) => (key?.kind === 'text' ? [[key.value, value] as const] : [])));
  return first === undefined ? new Map() : new Map([[first, item]]);
}
