// What skips all tests of a Python file at once: at its import, in the set-up around its tests, by a mark that is imported.

import type { HookFact, TestMark } from '../facts.js';
import { roleOf } from '../paths.js';
import { BodyWalk } from './body.js';
import { markList } from './marks.js';
import { skipOf } from './names.js';
import { squeeze } from './print.js';
import { chosenBy } from './runner.js';
import { follow } from './scope.js';
import type { Callable, Env, Module, Value } from './scope.js';
import type { Expr, FunctionStmt, Stmt } from './tree.js';
import { descend, expressionsOf, spanOf } from './tree.js';

/** Where a file says nothing of the kind, only what it calls elsewhere may skip. */
const SKIPPING = /skip|xfail|exit/i;

/** Calls and raises that are reached when the file is imported: a skip there ends the import, and no test of the file runs. */
export function importSkips(module: Module): readonly TestMark[] {
  const own = ownSkips(module);
  return own.length > 0 ? own : loadedSkips(module, new Set([module.tree.file]));
}

function ownSkips({ tree, env }: Module): readonly TestMark[] {
  const body = runAtImport(tree.body, env, SKIPPING.test(tree.text));
  // Without a call and a raise nothing is skipped.
  if (!body.some(({ start, end }) => /\(|\braise\b/.test(tree.text.slice(start, end)))) return [];
  return skipsOf({ node: moduleFunction(body), env, bound: 0 });
}

/** What helpers of the tests skip when they are imported: that ends the import of whoever asks for them. */
function loadedSkips({ tree, project }: Module, seen: Set<string>): readonly TestMark[] {
  for (const by of tree.body) {
    if (by.type !== 'Import') continue;
    const names = by.from ? [by.module] : by.names.map(({ name }) => name);
    for (const path of names.map((name) => project.resolve(tree.file, name, by.level))) {
      if (path === null || seen.has(path) || roleOf(path) === 'source') continue;
      seen.add(path);
      const loaded = project.load(path);
      if (loaded === null) continue;
      const own = SKIPPING.test(loaded.tree.text) ? ownSkips(loaded) : [];
      const found = own.length > 0 ? own : loadedSkips(loaded, seen);
      if (found.length > 0) return found.map((mark) => ({ ...mark, span: spanOf(tree, by.start, by.end) }));
    }
  }
  return [];
}

/** Of a file without tests: what ends the import of those that ask for it, or chooses among the tests of its folder. */
export function sweepingOf(module: Module): readonly HookFact[] {
  const { tree, env } = module;
  const skipped = SKIPPING.test(tree.text) ? ownSkips(module).filter(({ kind }) => kind === 'skipped') : [];
  const chosen = chosenBy(env.find('load_tests')?.node ?? null);
  const facts = skipped.map(({ span }) => ({ name: 'a skip at import', span }));
  if (chosen !== null) facts.push({ name: 'load_tests', span: spanOf(tree, chosen.node.start, chosen.node.end) });
  return facts.map(({ name, span }) => ({ name, span, key: `${name} ${squeeze(span.text)}` }));
}

const PLAIN: ReadonlySet<Stmt['type']> = new Set(['Expression', 'If', 'Try', 'Raise', 'Assign']);
const MORE: ReadonlySet<Stmt['type']> = new Set(['For', 'While', 'With', 'Match', 'Assert', 'Update']);

/** `spoken`: the file speaks of skips. Bodies of classes run at import, and so do decorators, bases and default arguments. */
function runAtImport(body: readonly Stmt[], env: Env, spoken: boolean): readonly Stmt[] {
  return body.flatMap((one): readonly Stmt[] => {
    if (one.type !== 'Function' && one.type !== 'Class') return PLAIN.has(one.type) || (spoken && MORE.has(one.type)) ? [one] : [];
    const heads = spoken ? expressionsOf(one).filter((node) => skips(node, env)) : [];
    const inner = one.type === 'Class' ? runAtImport(one.body, env, spoken) : [];
    return [...heads.map((value): Stmt => ({ type: 'Expression', start: value.start, end: value.end, value })), ...inner];
  });
}

function skips(node: Expr, env: Env): boolean {
  return descend(node).some((below) => below.type === 'Call' && skipOf(below, env) !== null);
}

/** What skips in the set-up of the module, which every test of it comes by. */
export function setupSkips(module: Module): readonly TestMark[] {
  return ['setUpModule', 'setup_module'].flatMap((name) => skipsNamed(module, name));
}

/** pytest calls it for each function, and for no method. */
export function functionSkips(module: Module): readonly TestMark[] {
  return skipsNamed(module, 'setup_function');
}

function skipsNamed(module: Module, name: string): readonly TestMark[] {
  const { value, by } = taken(module, name) ?? { value: null, by: null };
  if (value?.node?.type !== 'Function') return [];
  const marks = skipsOf({ node: value.node, env: value.env, bound: 0 });
  return by === null ? marks : marks.map((mark) => ({ ...mark, span: spanOf(module.tree, by.start, by.end) }));
}

/** `from .marks import pytestmark`: the marks of another file are those of this one. */
export function importedMarks(module: Module, idle: ReadonlySet<string>): readonly TestMark[] {
  const found = taken(module, 'pytestmark');
  const node = found?.value.node ?? null;
  if (found?.by == null || node === null || node.type === 'Function' || node.type === 'Class') return [];
  const span = spanOf(module.tree, found.by.start, found.by.end);
  return markList(node, found.value.env, idle).map((mark) => ({ ...mark, span }));
}

/** What the file has under a name, with the import that it came by. */
function taken(module: Module, name: string): { readonly value: Value; readonly by: Stmt | null } | null {
  const { tree, env, project } = module;
  const own = env.find(name);
  if (own !== null) {
    const value = follow(own);
    const by =
      own.source === undefined ? null : tree.body.find((one) => one.type === 'Import' && one.names.some(({ local }) => local === name));
    return value === null ? null : { value, by: by ?? null };
  }
  for (const by of tree.body) {
    if (by.type !== 'Import' || !by.names.some((one) => one.name === '*')) continue;
    const path = project.resolve(tree.file, by.module, by.level);
    const value = (path === null ? null : project.load(path))?.env.find(name) ?? null;
    const target = value === null ? null : follow(value);
    if (target !== null) return { value: target, by };
  }
  return null;
}

/** What a function skips, wherever it is called. */
export function skipsOf(fn: Callable): readonly TestMark[] {
  const walk = new BodyWalk(fn.env.module.tree);
  walk.run(fn, new Map());
  return walk.skips.map(({ span, kind }) => ({ kind, span, key: 'skip()' }));
}

function moduleFunction(body: readonly Stmt[]): FunctionStmt {
  return {
    type: 'Function',
    start: 0,
    end: 0,
    name: '',
    params: [],
    returns: null,
    decorators: [],
    body,
    async: false,
    head: { start: 0, end: 0 },
  };
}
