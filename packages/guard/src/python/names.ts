// What names lead to, whatever they were imported or kept as: `pytest.mark.skip`, the decorator of a fixture, a call that skips.

import { follow } from './scope.js';
import type { Env, Value } from './scope.js';
import type { Expr, FunctionStmt } from './tree.js';
import { dotted, keyword, lastName, positional } from './tree.js';

/** The full name of an expression: `pytest.mark.skip`, whatever it was imported or kept as. */
export function fullName(node: Expr, env: Env, depth = 0): string {
  if (depth > 6) return '';
  if (node.type === 'Attribute') {
    const owner = fullName(node.object, env, depth + 1);
    return owner === '' ? '' : `${owner}.${node.name}`;
  }
  if (node.type === 'Call') return fullName(node.callee, env, depth + 1);
  if (node.type !== 'Name') return '';
  const value = env.find(node.name);
  if (value === null) return node.name;
  if (value.source !== undefined) {
    const kept = follow(value);
    if (kept !== null && kept.node !== null && kept.node.type !== 'Function' && kept.node.type !== 'Class')
      return fullName(kept.node, kept.env, depth + 1);
    const { module, name } = value.source;
    return name === '' ? module : `${module}.${name}`;
  }
  if (value.node === null || value.node.type === 'Function' || value.node.type === 'Class') return node.name;
  return fullName(value.node, value.env, depth + 1);
}

/** The decorator that makes a function a fixture; of one that is kept under a name, the call that made it. */
export function fixtureMark(node: FunctionStmt, env: Env): Expr | null {
  for (const decorator of node.decorators) {
    const mark = madeFixture(decorator, env);
    if (mark !== null) return mark;
  }
  return null;
}

const FIXTURE = /(^|\.)(async_)?fixture$|^yield_fixture$/;

function madeFixture(decorator: Expr, env: Env): Expr | null {
  const callee = decorator.type === 'Call' ? decorator.callee : decorator;
  if (FIXTURE.test(dotted(callee))) return decorator;
  if (callee.type !== 'Name') return null;
  const value = env.find(callee.name);
  const kept = value === null ? null : keptCall(value.source === undefined ? value : follow(value));
  // `fx = pytest.fixture(autouse=True)`, `fx = partial(pytest.fixture, autouse=True)`: what was said there holds.
  if (kept !== null) {
    const [first = null] = lastName(kept.node.callee) === 'partial' ? positional(kept.node.args) : [kept.node.callee];
    return first !== null && FIXTURE.test(fullName(first, kept.env)) ? kept.node : null;
  }
  return FIXTURE.test(fullName(callee, env)) ? decorator : null;
}

function keptCall(value: Value | null): { readonly node: Extract<Expr, { type: 'Call' }>; readonly env: Env } | null {
  return value?.node?.type === 'Call' ? { node: value.node, env: value.env } : null;
}

/** It runs for every test, or may: a variable says so. */
export function isAutomatic(mark: Expr): boolean {
  const wanted = mark.type === 'Call' ? keyword(mark.args, 'autouse') : null;
  return wanted !== null && !(wanted.type === 'Constant' && wanted.name === 'False');
}

const SKIPPING = /^_?pytest\.(outcomes\.)?(skip|xfail|exit|importorskip)$/;
const SKIPS: ReadonlySet<string> = new Set(['skip', 'xfail', 'exit', 'importorskip']);

/** What ends a test by a call: `skip`, `xfail`, `exit`, `importorskip` of pytest, `skipTest` of unittest; null where the call is none. */
export function skipOf({ callee }: Extract<Expr, { type: 'Call' }>, env: Env): string | null {
  const name = lastName(callee);
  if (name === 'skipTest') return name;
  const named = SKIPS.has(name);
  // Asked of every call of a test: most lead to nothing of the kind.
  if (!named && (callee.type !== 'Name' || !mayBeKept(env.find(name)))) return null;
  if (named && name === 'importorskip' && callee.type === 'Name') return name;
  return SKIPPING.exec(fullName(callee, env))?.[2] ?? null;
}

/** `stop = pytest.skip`, `from pytest import skip as stop`, in this file or where it comes from. */
function mayBeKept(value: Value | null): boolean {
  const held = value?.source === undefined || SKIPS.has(value.source.name) ? value : follow(value);
  return held !== null && (SKIPS.has(held.source?.name ?? '') || (held.node?.type === 'Attribute' && SKIPS.has(held.node.name)));
}

/** `raise unittest.SkipTest`, also by another name. */
export function isSkipError(raised: Expr, env: Env): boolean {
  const dottedName = dotted(raised.type === 'Call' ? raised.callee : raised);
  return SKIP_ERROR.test(dottedName) || SKIP_ERROR.test(fullName(raised, env));
}

const SKIP_ERROR = /(^|\.)SkipTest$|(^|\.)Skipped$|^pytest\.skip\.Exception$/;
