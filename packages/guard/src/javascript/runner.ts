// Which calls register tests, suites and hooks, and how they are marked: `it.skip`, `describe.only.each`, aliases, options.

import type { TestMark } from '../facts.js';
import { at, bare, isFunction, isLiteral, keyName, listAt, nameOf, propertyName, spanOf } from './tree.js';
import type { Node } from './tree.js';
import { importedBy } from './names.js';
import { follow, memberOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { print } from './print.js';

export interface Runner {
  readonly base: 'test' | 'suite' | 'hook';
  readonly name: string;
  readonly marks: readonly TestMark[];
  /** The rows that it is called for: an array, or a tagged template. */
  readonly table: Node | null;
  readonly tableEnv: Env | null;
  /** `each` hands the entries of a row over one by one, `for` the row as it is. */
  readonly spread: boolean;
  /** It makes a generator of a test that is one, and leaves it there. */
  readonly idle?: boolean;
}

const BASES: ReadonlyMap<string, Runner['base']> = new Map([
  ...['it', 'test', 'specify', 'xit', 'xtest', 'xspecify', 'fit', 'ftest', 'bench'].map((name) => [name, 'test'] as const),
  ...['describe', 'context', 'suite', 'xdescribe', 'xcontext', 'xsuite', 'fdescribe', 'fcontext'].map((name) => [name, 'suite'] as const),
  ...['before', 'after', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll', 'setup', 'teardown', 'suiteSetup', 'suiteTeardown'].map(
    (name) => [name, 'hook'] as const,
  ),
]);

const MODIFIERS: Readonly<Record<string, TestMark['kind']>> = {
  skip: 'skipped',
  todo: 'skipped',
  only: 'focused',
  fails: 'failing',
  failing: 'failing',
  fail: 'failing',
  fixme: 'skipped',
  expectFailure: 'failing',
};

const RUNNERS: ReadonlySet<string> = new Set([
  'vitest',
  'node:test',
  'test',
  '@jest/globals',
  'mocha',
  'bun:test',
  '@playwright/test',
  'jest',
]);

/** Runners that do not walk through generators, as Jest does. */
const IDLE: ReadonlySet<string> = new Set(['vitest', 'node:test', 'bun:test', '@playwright/test']);

function markOf(kind: TestMark['kind'], node: Node, env: Env, key: string): TestMark {
  return { kind, span: spanOf(env.module.tree, node.start, node.end), key };
}

function baseRunner(name: string, node: Node, env: Env): Runner | null {
  const base = BASES.get(name);
  if (base === undefined) return null;
  const crossed = /^x(it|test|specify|describe|context|suite)$/.test(name);
  const focused = /^f(it|test|describe|context)$/.test(name);
  const marks = crossed ? [markOf('skipped', node, env, 'skip')] : focused ? [markOf('focused', node, env, 'only')] : [];
  return { base, name, marks, table: null, tableEnv: null, spread: true };
}

function fromName(node: Node, env: Env, depth: number): Runner | null {
  const name = nameOf(node);
  const value = env.find(name);
  if (value === null) return baseRunner(name, node, env);
  if (value.source !== undefined) return imported(value, name, node, env);
  if (value.base !== undefined) return fromPart(value, node, env, depth);
  if (value.text !== undefined || value.node === null) return null;
  const inner = bare(value.node);
  if (inner === null || isFunction(inner)) return null;
  const runner = runnerOf(inner, value.env, depth + 1);
  return runner === null
    ? null
    : { ...runner, marks: runner.marks.map((mark) => ({ ...mark, span: spanOf(env.module.tree, node.start, node.end) })) };
}

/** `const { skip: later } = it`: the modifier is in the name of the part. */
function fromPart(value: Value, node: Node, env: Env, depth: number): Runner | null {
  const base = value.base;
  const name = (value.access ?? '').slice(1);
  if (base === undefined || depth > 6) return null;
  const runner = base.source === undefined ? runnerOf(base.node, base.env, depth + 1) : imported(base, base.imported ?? '', node, env);
  if (runner === null) return null;
  const kind = MODIFIERS[name];
  return kind === undefined ? runner : { ...runner, marks: [...runner.marks, markOf(kind, node, env, name === 'todo' ? 'skip' : name)] };
}

function imported(value: Value, name: string, node: Node, env: Env): Runner | null {
  const wanted = value.imported === 'default' || value.imported === '*' ? name : (value.imported ?? name);
  if (RUNNERS.has(value.source ?? '')) {
    const known = baseRunner(wanted, node, env) ?? (value.imported === 'default' ? baseRunner('test', node, env) : null);
    return known !== null && IDLE.has(value.source ?? '') ? { ...known, idle: true } : known;
  }
  const target = follow(value);
  const inner = bare(target?.node ?? null);
  if (isFunction(inner)) return null;
  const known = inner === null || target === null ? null : runnerOf(inner, target.env, 6);
  if (known === null) return baseRunner(wanted, node, env);
  return { ...known, marks: known.marks.map((mark) => ({ ...mark, span: spanOf(env.module.tree, node.start, node.end) })) };
}

/** The runner that a callee leads to; null where it is none. */
export function runnerOf(callee: Node | null, env: Env, depth = 0): Runner | null {
  const node = bare(callee);
  if (node === null || depth > 8) return null;
  if (node.type === 'Identifier') return fromName(node, env, depth);
  if (node.type === 'ConditionalExpression') return chosen(node, env, depth);
  if (node.type === 'LogicalExpression') return runnerOf(at(node, 'right'), env, depth + 1);
  if (node.type === 'MemberExpression') return fromMember(node, env, depth);
  if (node.type === 'TaggedTemplateExpression') {
    const runner = eachOf(at(node, 'tag'), env, depth);
    return runner === null ? null : { ...runner, table: at(node, 'quasi'), tableEnv: env };
  }
  if (node.type === 'AwaitExpression') return fromModule(node, env);
  return node.type === 'CallExpression' ? (fromModule(node, env) ?? fromCall(node, env, depth)) : null;
}

/** A runner that is required or imported where it is used, without a name: called itself, or one of its parts. */
function fromModule(node: Node, env: Env): Runner | null {
  const source = importedBy(node);
  const runner = source !== null && RUNNERS.has(source) ? baseRunner('test', node, env) : null;
  return runner !== null && IDLE.has(source ?? '') ? { ...runner, idle: true } : runner;
}

/** `it.each`, `test.for`: the runner before it. */
function eachOf(callee: Node | null, env: Env, depth: number): Runner | null {
  const node = bare(callee);
  if (node?.type !== 'MemberExpression' || !['each', 'for'].includes(propertyName(node))) return null;
  const runner = runnerOf(at(node, 'object'), env, depth + 1);
  return runner === null ? null : { ...runner, spread: propertyName(node) === 'each' };
}

function chosen(node: Node, env: Env, depth: number): Runner | null {
  const yes = runnerOf(at(node, 'consequent'), env, depth + 1);
  const no = runnerOf(at(node, 'alternate'), env, depth + 1);
  const runner = yes ?? no;
  if (runner === null) return null;
  const test = bare(at(node, 'test'));
  return { ...runner, marks: [markOf('conditional', node, env, `if ${print(test, env)}`)] };
}

function fromMember(node: Node, env: Env, depth: number): Runner | null {
  const name = propertyName(node);
  const runner = runnerOf(at(node, 'object'), env, depth + 1);
  if (runner !== null) {
    const kind = MODIFIERS[name];
    if (kind !== undefined) return { ...runner, marks: [...runner.marks, markOf(kind, node, env, name === 'todo' ? 'skip' : name)] };
    if (BASES.has(name) && runner.name === 'test') return baseRunner(name, node, env);
    return ['concurrent', 'sequential', 'serial', 'parallel', 'shuffle'].includes(name) ? runner : null;
  }
  const owner = bare(at(node, 'object'));
  const value = owner?.type === 'Identifier' ? env.find(nameOf(owner)) : undefined;
  if (value === undefined || owner?.type !== 'Identifier') return null;
  const object = value?.node === undefined || value.node === null ? null : bare(value.node);
  if (value !== null && object?.type === 'ObjectExpression') {
    const part = memberOf(value, name, env);
    return part.node === null ? null : runnerOf(part.node, part.env, depth + 1);
  }
  const context = value?.text !== undefined && ['test', 'it', 'describe'].includes(name);
  const namespace = value?.source !== undefined && RUNNERS.has(value.source);
  return context || namespace ? baseRunner(name, node, env) : null;
}

function fromCall(node: Node, env: Env, depth: number): Runner | null {
  const callee = bare(at(node, 'callee'));
  const each = eachOf(callee, env, depth);
  const first = listAt(node, 'arguments')[0] ?? null;
  if (each !== null) return { ...each, table: first, tableEnv: env };
  if (callee?.type !== 'MemberExpression') return null;
  const name = propertyName(callee);
  if (!['skipIf', 'runIf', 'extend'].includes(name)) return null;
  const runner = runnerOf(at(callee, 'object'), env, depth + 1);
  if (runner === null || name === 'extend') return runner;
  const condition = bare(first);
  const known = isLiteral(condition) ? Boolean(condition['value']) : null;
  if (known === null) return { ...runner, marks: [...runner.marks, markOf('conditional', node, env, `${name} ${print(condition, env)}`)] };
  return known === (name === 'skipIf') ? { ...runner, marks: [...runner.marks, markOf('skipped', node, env, 'skip')] } : runner;
}

/** The properties of an options object, also of one in a variable or spread into it. */
function optionsOf(node: Node | null, env: Env, depth: number): readonly Node[] {
  const inner = bare(node);
  if (inner === null || depth > 3) return [];
  if (inner.type === 'Identifier') {
    const value = env.find(nameOf(inner));
    const target = value === null ? null : follow(value);
    return target === null || isFunction(bare(target.node)) ? [] : optionsOf(target.node, target.env, depth + 1);
  }
  if (inner.type !== 'ObjectExpression') return [];
  return listAt(inner, 'properties').flatMap((property) =>
    property.type === 'Property' ? [property] : optionsOf(at(property, 'argument'), env, depth + 1),
  );
}

/** Marks given as options: `{ skip: true }`, `{ todo: 'later' }`, `{ skip: process.platform === 'win32' }`. */
export function optionMarks(call: Node, env: Env): readonly TestMark[] {
  const marks: TestMark[] = [];
  for (const argument of listAt(call, 'arguments').slice(1)) {
    for (const property of optionsOf(argument, env, 0)) {
      const name = keyName(property);
      const kind = MODIFIERS[name];
      const value = bare(at(property, 'value'));
      if (kind === undefined || value === null) continue;
      const known = isLiteral(value) ? Boolean(value['value']) : value.type === 'TemplateLiteral' ? true : null;
      if (known === true) marks.push(markOf(kind, property, env, name === 'todo' ? 'skip' : name));
      else if (known === null) marks.push(markOf(kind === 'skipped' ? 'conditional' : kind, property, env, `${name} ${print(value, env)}`));
    }
  }
  return marks;
}
