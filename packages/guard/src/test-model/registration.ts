// Calls that tell a JavaScript runner of a test or a suite: `it.skip('title', fn)`, `test.each(rows)('title', fn)`, `t.test()`.

import { SUITE_NAMES, TEST_NAMES } from './dialect.js';
import type { FunctionValue, Value, ValueOf } from '../syntax/nodes.js';
import { truthOf } from '../syntax/fold.js';
import { dottedName, negate, positional } from '../syntax/walk.js';
import type { Mark, MarkKind } from './facts.js';
import type { Scope } from './scope.js';

export interface Registration {
  readonly kind: 'test' | 'suite';
  readonly title: Value | null;
  /** Null: there is nothing to run yet. */
  readonly run: FunctionValue | null;
  readonly marks: readonly Mark[];
  readonly tables: readonly Value[];
}

const MODIFIERS: Readonly<Record<string, MarkKind>> = {
  skip: 'skip',
  only: 'only',
  todo: 'todo',
  failing: 'fails',
  fails: 'fails',
  fixme: 'skip',
  fail: 'fails',
};
const PLAIN =
  /^(concurrent|sequential|serial|parallel|shuffle|each|for|skipIf|runIf|if|unless|cb|describe|extend|step|concurrently|macro|test|it|slow|module)$/;

/** Null where the call registers nothing. */
export function registrationOf(call: ValueOf<'call'>, scope: Scope): Registration | null {
  const links: { readonly name: string; readonly call: ValueOf<'call'> | null; readonly at: Value }[] = [];
  let inner: Value = call.callee;
  let pending: ValueOf<'call'> | null = null;
  for (;;) {
    if (inner.kind === 'member') {
      links.unshift({ name: inner.name, call: pending, at: inner });
      pending = null;
      inner = inner.object;
    } else if (inner.kind === 'call' && pending === null) {
      pending = inner;
      inner = inner.callee;
    } else break;
  }
  if (inner.kind !== 'name') return null;
  const args = positional(call);
  const kind = classifyRegistration(
    inner.name,
    links.map(({ name }) => name),
    scope,
    args,
  );
  if (kind === null) return null;
  const marks: Mark[] = [];
  const tables: Value[] = [];
  const place = { from: inner.from, to: call.callee.to };
  if (/^x(it|test|describe|specify|context|suite)$/.test(inner.name)) marks.push({ kind: 'skip', condition: null, ...place });
  if (/^f(it|test|describe|specify|context)$/.test(inner.name)) marks.push({ kind: 'only', condition: null, ...place });
  for (const { name, call: used } of links) {
    const modifier = MODIFIERS[name];
    if (modifier !== undefined) marks.push({ kind: modifier, condition: null, ...place });
    const [first] = used === null ? [] : positional(used);
    if ((name === 'each' || name === 'for') && first !== undefined) tables.push(first);
    if (/^(skipIf|runIf|if|unless)$/.test(name)) {
      const condition = first ?? call;
      marks.push({ kind: 'skip', condition: /^(runIf|if)$/.test(name) ? negate(condition) : condition, ...place });
    }
  }
  for (const argument of args) if (argument.kind === 'record') marks.push(...optionMarks(argument));
  const run = args.findLast((argument): argument is FunctionValue => argument.kind === 'function') ?? namedRun(args, scope);
  const [title] = args;
  if (title === undefined) return null;
  return { kind, title: title.kind === 'function' ? null : title, run, marks, tables };
}

/** `it('title', run)` where `run` is a function of the file. */
function namedRun(args: readonly Value[], scope: Scope): FunctionValue | null {
  const last = args.at(-1);
  if (last?.kind === 'name') return scope.find(last.name)?.call ?? null;
  // `it('x', wrap(async () => {}))`
  const [inner] = last?.kind === 'call' ? last.args.flatMap(({ value }) => (value.kind === 'function' ? [value] : [])) : [];
  return inner ?? null;
}

function optionMarks(options: ValueOf<'record'>): readonly Mark[] {
  return options.entries.flatMap(({ key, value }): readonly Mark[] => {
    // A test that runs again until it passes may fail.
    if (key?.kind === 'text' && /^retr(?:y|ies)$/.test(key.value))
      return truthOf(value) === 'false' ? [] : [{ kind: 'fails', condition: null, from: value.from, to: value.to }];
    const kind =
      key?.kind === 'text'
        ? ({ skip: 'skip', todo: 'todo', only: 'only', fails: 'fails', expectFailure: 'fails' } as const)[key.value as 'skip']
        : undefined;
    if (kind === undefined) return [];
    const truth = truthOf(value);
    return truth === 'false' ? [] : [{ kind, condition: truth === 'true' ? null : value, from: value.from, to: value.to }];
  });
}

function classifyRegistration(root: string, links: readonly string[], scope: Scope, args: readonly Value[]): Registration['kind'] | null {
  const isPlain = links.every((name) => MODIFIERS[name] !== undefined || PLAIN.test(name));
  if (TEST_NAMES.has(root) && isPlain) {
    // Inside a test `test.skip()` skips it, and `test` may be any function.
    if (
      args[0] === undefined ||
      (args[0].kind !== 'text' && args[0].kind !== 'template' && !args.some(({ kind }) => kind === 'function') && args.length < 2)
    )
      return null;
    if (links.includes('describe')) return 'suite';
    return links[0] === 'step' ? null : 'test';
  }
  if (SUITE_NAMES.has(root) && isPlain) return 'suite';
  const last = links.findLast((name) => MODIFIERS[name] === undefined);
  if (last === undefined || !args.some(({ kind }) => kind === 'function')) {
    // `const t = require('tap'); t('title', fn)`: the runner under a name of its own.
    const module = links.length === 0 ? scope.moduleOf(root) : null;
    return module !== null &&
      RUNNERS.test(module.path) &&
      /^(test|it|\*|default)$/.test(module.name) &&
      args.some(({ kind }) => kind === 'function')
      ? 'test'
      : null;
  }
  if (last === 'test' || last === 'it') return OWNERS.has(root) || scope.moduleOf(root) !== null || root.length <= 3 ? 'test' : null;
  if (last === 'describe' || last === 'suite' || (last === 'module' && root === 'QUnit')) return 'suite';
  return null;
}

const OWNERS: ReadonlySet<string> = new Set(['t', 'tap', 'QUnit', 'test', 'suite', 'group', 'ctx', 'context', 'childTest', 'st', 'Deno']);
const RUNNERS = /^(node:test|tap|tape|ava|uvu|bun:test|@jest\/globals|vitest|mocha|japa)$/;

/** A call inside a test that registers another test: it is read as a test of its own. */
export function isSubtest(call: ValueOf<'call'>): boolean {
  return (
    /^\w+\.(test|it|describe)(\.\w+)?$/.test(dottedName(call.callee)) &&
    call.args.some(({ value }) => value.kind === 'function') &&
    call.args[0]?.value.kind !== 'function'
  );
}
