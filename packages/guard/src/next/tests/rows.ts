// Tables that a test runs over: one set of names and values for each row.

import type { FunctionValue, Value } from '../syntax/nodes.js';
import { lastName, positional } from '../syntax/walk.js';
import type { Test } from './facts.js';

export type Row = ReadonlyMap<string, Value>;

const MOST_ROWS = 60;

/** Rows of the innermost table with the names of the test's parameters; empty where the table is not written down. */
export function rowsOf(test: Test): readonly Row[] {
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
  return [];
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
