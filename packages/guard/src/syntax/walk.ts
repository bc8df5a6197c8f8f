// Ways through a tree.

import type { Argument, FunctionValue, Statement, Value, ValueOf } from './nodes.js';

/** Values right below this one; bodies of functions are left out. */
export function partsOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'template':
      return value.parts.filter((part) => typeof part !== 'string');
    case 'list':
      return value.items;
    case 'record':
      return value.entries.flatMap(({ key, value: inner }) => (key === null ? [inner] : [key, inner]));
    case 'member':
      return [value.object];
    case 'index':
      return [value.object, value.index];
    case 'call':
      return [value.callee, ...value.args.map(({ value: inner }) => inner)];
    case 'unary':
      return [value.operand];
    case 'binary':
      return [value.left, value.right];
    case 'choice':
      return [value.test, value.then, value.other];
    case 'await':
    case 'spread':
      return [value.value];
    case 'assign':
      return [value.target, value.value];
    case 'other':
      return value.parts;
    case 'function':
      return value.params.flatMap(({ fallback }) => (fallback === null ? [] : [fallback]));
    case 'name':
    case 'text':
    case 'number':
    case 'constant':
    case 'pattern':
      return [];
  }
}

/** Values that stand in the statement itself, not in its blocks. */
export function valuesOf(statement: Statement): readonly Value[] {
  switch (statement.kind) {
    case 'expression':
      return [statement.value];
    case 'assign':
      return statement.value === null ? statement.targets : [...statement.targets, statement.value];
    case 'return':
    case 'raise':
      return statement.value === null ? [] : [statement.value];
    case 'assert':
    case 'if':
      return [statement.test];
    case 'loop':
      return [statement.target, statement.over].filter((value) => value !== null);
    case 'try':
      return statement.handlers.flatMap(({ caught }) => (caught === null ? [] : [caught]));
    case 'with':
      return statement.items.flatMap(({ value, target }) => (target === null ? [value] : [value, target]));
    case 'function':
      return [...statement.decorators, ...partsOf(statement.value)];
    case 'class':
      return [...statement.decorators, ...statement.bases];
    case 'other':
      return statement.values;
    case 'import':
    case 'jump':
    case 'block':
      return [];
  }
}

/** Blocks within a statement; those of functions and classes too. */
export function blocksOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case 'if':
      return [statement.then, statement.other];
    case 'loop':
    case 'with':
    case 'class':
    case 'block':
      return [statement.body];
    case 'try':
      return [statement.body, ...statement.handlers.map(({ body }) => body), statement.other, statement.final];
    case 'function':
      return [statement.value.body];
    case 'assert':
    case 'assign':
    case 'expression':
    case 'import':
    case 'jump':
    case 'other':
    case 'raise':
    case 'return':
      return [];
  }
}

/** Calls `visit` for every value in the statements, bodies of functions included, outer ones first. `visit` returns false to stop there. */
export function eachValue(body: readonly Statement[], visit: (value: Value) => boolean | void): void {
  for (const statement of body) {
    for (const value of valuesOf(statement)) eachBelow(value, visit);
    for (const block of blocksOf(statement)) eachValue(block, visit);
  }
}

export function eachBelow(value: Value, visit: (value: Value) => boolean | void): void {
  if (visit(value) === false) return;
  for (const part of partsOf(value)) eachBelow(part, visit);
  if (value.kind === 'function') eachValue(value.body, visit);
}

/** Calls `visit` for every statement, however deep, those of functions in values too. */
export function eachStatement(body: readonly Statement[], visit: (statement: Statement) => boolean | void): void {
  for (const statement of body) {
    if (visit(statement) === false) continue;
    for (const value of valuesOf(statement)) eachFunction(value, (inner) => eachStatement(inner.body, visit));
    for (const block of blocksOf(statement)) eachStatement(block, visit);
  }
}

/** The outermost functions of a value. */
export function eachFunction(value: Value, visit: (inner: FunctionValue) => void): void {
  if (value.kind === 'function') visit(value);
  else for (const part of partsOf(value)) eachFunction(part, visit);
}

export function someValue(value: Value, test: (value: Value) => boolean): boolean {
  let found = false;
  eachBelow(value, (inner) => {
    found ||= test(inner);
    return !found;
  });
  return found;
}

export function someValueIn(body: readonly Statement[], test: (value: Value) => boolean): boolean {
  let found = false;
  eachValue(body, (inner) => {
    found ||= test(inner);
    return !found;
  });
  return found;
}

/** `a.b.c` as text; empty where it is no chain of names. */
export function dottedName(value: Value | null | undefined): string {
  if (value?.kind === 'name') return value.name;
  if (value?.kind !== 'member') return '';
  const owner = dottedName(value.object);
  return owner === '' ? '' : `${owner}.${value.name}`;
}

/** That the condition does not hold, at its own place. */
export function negate(condition: Value): Value {
  return { from: condition.from, to: condition.to, kind: 'unary', op: 'not', operand: condition };
}

/** The last name of a callee: `raises` of `pytest.raises`, also of `x().raises`. */
export function lastName(value: Value | null | undefined): string {
  return value?.kind === 'name' || value?.kind === 'member' ? value.name : '';
}

/** The name that a chain of members, calls and indexes begins with. */
export function rootName(value: Value): string {
  let inner = value;
  for (;;) {
    if (inner.kind === 'name') return inner.name;
    if (inner.kind === 'member' || inner.kind === 'index') inner = inner.object;
    else if (inner.kind === 'call') inner = inner.callee;
    else if (inner.kind === 'await') inner = inner.value;
    else return '';
  }
}

/** Arguments without a name. */
export function positional(call: ValueOf<'call'>): readonly Value[] {
  return call.args.filter(({ name }) => name === null).map(({ value }) => value);
}

export function keyword(call: ValueOf<'call'>, name: string): Value | null {
  return call.args.find((argument: Argument) => argument.name === name)?.value ?? null;
}

/** Names that an assignment binds. */
export function boundNames(target: Value): readonly string[] {
  switch (target.kind) {
    case 'name':
      return [target.name];
    case 'list':
      return target.items.flatMap(boundNames);
    case 'record':
      return target.entries.flatMap(({ value }) => boundNames(value));
    case 'spread':
      return boundNames(target.value);
    case 'assign':
      return boundNames(target.target);
    case 'await':
    case 'binary':
    case 'call':
    case 'choice':
    case 'constant':
    case 'function':
    case 'index':
    case 'member':
    case 'number':
    case 'other':
    case 'pattern':
    case 'template':
    case 'text':
    case 'unary':
      return [];
  }
}
