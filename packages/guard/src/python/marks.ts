// Marks on Python tests: decorators, `pytestmark`, rows of a table, whatever name they were given; and marks that the settings leave out.

import type { Lookup, TestMark } from '../facts.js';
import { isConstant } from './constants.js';
import { fullName } from './names.js';
import { follow } from './scope.js';
import type { Env } from './scope.js';
import { settledTruth } from './switches.js';
import type { Argument, Expr } from './tree.js';
import { descend, expressionsIn, keyword, lastName, positional, spanOf } from './tree.js';

/** The call behind a mark that was kept under a name, with the names around it. */
function callOf(node: Expr, env: Env, depth = 0): Condition {
  if (node.type === 'Call') return { args: node.args, env };
  if (node.type !== 'Name' || depth > 5) return { args: [], env };
  const value = env.find(node.name);
  const target = value === null ? null : follow(value);
  if (target === null || target.node === null || target.node.type === 'Function' || target.node.type === 'Class') return { args: [], env };
  return callOf(target.node, target.env, depth + 1);
}

interface Condition {
  readonly args: readonly Argument[];
  readonly env: Env;
}

/** The marks that a decorator (or an entry of `pytestmark`) sets. */
export function marksOf(node: Expr, env: Env, idle: ReadonlySet<string>): readonly TestMark[] {
  const name = fullName(node, env);
  const span = spanOf(env.module.tree, node.start, node.end);
  const mark = (kind: TestMark['kind']): readonly TestMark[] => [{ kind, span, key: name }];
  if (
    /(^|\.)mark\.(skip|skip_test)$|^unittest(\.case)?\.skip$|^nose\.tools\.nottest$|^django\.test\.(skip|skipUnlessDBFeature)$/.test(name)
  )
    return mark('skipped');
  if (/(^|\.)mark\.skipif$|^unittest(\.case)?\.skip(If|Unless)$/.test(name))
    return conditional(callOf(node, env), name.endsWith('Unless'), mark);
  if (/(^|\.)mark\.xfail$|^unittest(\.case)?\.expectedFailure$/.test(name)) return mark('failing');
  if (/(^|\.)mark\.(only|focus|focused|solo|run_only|this)$/.test(name)) return mark('focused');
  const own = /(^|\.)mark\.(\w+)$/.exec(name);
  if (own !== null) return idle.has(own[2] ?? '') ? mark('skipped') : [];
  return wrapped(node, env, mark);
}

function conditional(
  { args, env }: Condition,
  unless: boolean,
  mark: (kind: TestMark['kind']) => readonly TestMark[],
): readonly TestMark[] {
  const condition = positional(args)[0] ?? keyword(args, 'condition');
  const known = condition === null ? null : settledTruth(condition, env);
  if (condition === null || known === null) return mark('conditional');
  if (known !== unless) return mark('skipped');
  // A name may be given another value, elsewhere and later.
  return isConstant(condition) && condition.type !== 'String' ? [] : mark('conditional').map((one) => ({ ...one, settled: true }));
}

/** A decorator of the tests themselves that hands out a mark. */
function wrapped(node: Expr, env: Env, mark: (kind: TestMark['kind']) => readonly TestMark[]): readonly TestMark[] {
  const callee = node.type === 'Call' ? node.callee : node;
  const value = callee.type === 'Name' ? env.find(callee.name) : null;
  const target = value === null ? null : follow(value);
  if (target?.node?.type !== 'Function') return [];
  for (const below of expressionsIn(target.node.body, true)) {
    const name = below.type === 'Attribute' || below.type === 'Name' ? fullName(below, target.env) : '';
    if (/^pytest\.mark\.skip$|^unittest\.skip$/.test(name))
      return mark(target.node.body.some(({ type }) => type === 'If') ? 'conditional' : 'skipped');
    if (/^pytest\.mark\.skipif$|^unittest\.skip(If|Unless)$/.test(name)) return mark('conditional');
    if (/^pytest\.mark\.xfail$|^unittest\.expectedFailure$/.test(name)) return mark('failing');
  }
  return [];
}

/** Marks in `pytestmark = […]` and in `marks=` of a row, where the list may be kept under a name. */
export function markList(node: Expr | null, env: Env, idle: ReadonlySet<string>): readonly TestMark[] {
  if (node === null) return [];
  const held = node.type === 'Name' ? env.find(node.name) : null;
  const { node: list, env: around } = (held === null ? null : follow(held)) ?? { node, env };
  if (list?.type === 'List' || list?.type === 'Tuple') return list.items.flatMap((item) => marksOf(item, around, idle));
  return marksOf(node, env, idle);
}

/** The test is marked to run on an event loop. */
export function isAsyncMark(node: Expr, env: Env): boolean {
  for (const below of descend(node)) if (/(^|\.)mark\.(asyncio|anyio|trio|gen_test)$/.test(fullName(below, env))) return true;
  return lastName(node) === 'gen_test' || lastName(node) === 'async_test';
}

export interface Settings {
  /** Marks whose tests the settings leave out. */
  readonly idle: ReadonlySet<string>;
  /** Async tests run without a mark; null where no settings were found. */
  readonly auto: boolean | null;
}

const FILES = ['pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini'];

const KNOWN = new WeakMap<Lookup, Settings>();

/** What the settings of one version of the tree say; they are read once. */
export function settingsOf(lookup: Lookup): Settings {
  const known = KNOWN.get(lookup);
  if (known !== undefined) return known;
  const read = readSettings(lookup);
  KNOWN.set(lookup, read);
  return read;
}

function readSettings(lookup: Lookup): Settings {
  const idle = new Set<string>();
  let auto: boolean | null = null;
  for (const file of FILES) {
    const text = lookup(file);
    if (text === null || !/pytest/.test(text)) continue;
    auto = auto === true || /(asyncio|anyio|trio)_mode\s*=\s*["']?(auto|true)/.test(text);
    for (const option of text.matchAll(/-m[ =]?\s*\\?["']([^"'\n]{1,200})["']/g)) {
      for (const name of (option[1] ?? '').matchAll(/\bnot (\w+)/g)) idle.add(name[1] ?? '');
    }
  }
  return { idle, auto };
}
