// Which modules a Python test file is about: the ones that it is named after, and that its assertions call.

import type { AssertionFact, ImportFact, TestFact } from './facts.js';
import { roleOf } from './paths.js';
import { Fixtures } from './python-fixtures.js';
import { fixtureMark } from './python-scope.js';
import type { Module } from './python-scope.js';
import type { Stmt } from './python-tree.js';
import { dotted, spanOf, statementsIn } from './python-tree.js';

/** Everything imported in a file, wherever it stands. */
export interface Imported {
  readonly local: string;
  /** Its name there; empty for the module itself. */
  readonly name: string;
  /** The module's path without ending: two ways to import one module have the same. */
  readonly stem: string;
  readonly node: Stmt;
  /** A file of the project. */
  readonly known: boolean;
}

export function stemOf(path: string): string {
  return path.replace(/\.py$/, '').replace(/\/__init__$/, '');
}

export function wordOf(stem: string): string {
  const name = stem.split('/').at(-1) ?? '';
  return name
    .replace(/^tests?_|_(tests?|unit|integration|int|spec)$/gi, '')
    .replace(/_/g, '')
    .toLowerCase();
}

export function importsOf(module: Module): readonly Imported[] {
  const { file, body } = module.tree;
  const found: Imported[] = [];
  for (const node of statementsIn(body, true)) {
    if (node.type !== 'Import') continue;
    for (const { name, local } of node.names) {
      const inner = node.from ? module.project.resolve(file, node.module === '' ? name : `${node.module}.${name}`, node.level) : null;
      const outer = module.project.resolve(file, node.from ? node.module : name, node.level);
      const path = inner ?? outer;
      const dottedName = node.from ? node.module : name;
      const stem = path === null ? dottedName.replace(/\./g, '/') : stemOf(path);
      found.push({ local, name: node.from && inner === null ? name : '', stem, node, known: path !== null });
    }
  }
  return found;
}

const ABOUT_CALLS: ReadonlySet<AssertionFact['kind']> = new Set(['called', 'calledTimes', 'calledWith']);

/** Names at the head of what an assertion asks about. */
function askedNames(assertion: AssertionFact): readonly string[] {
  if (ABOUT_CALLS.has(assertion.kind)) return [];
  const first = /^(?:(?:len|str|list|sorted|set|dict|next|repr|int|float|tuple|sum|round)\()*([A-Za-z_]\w*)/.exec(assertion.subject);
  return first === null ? [] : [first[1] ?? ''];
}

/** Stems of the modules under test. `around`: files whose fixtures the tests use. */
export function unitsOf(
  module: Module,
  imports: readonly Imported[],
  around: readonly Imported[],
  tests: readonly TestFact[],
): ReadonlySet<string> {
  const units = new Set<string>();
  const about = wordOf(stemOf(module.tree.file));
  const titles = new Set(
    tests.flatMap((test) => test.path.slice(0, -1)).map((title) => title.replace(/^Tests?|(Tests?|TestCase|Case)$/g, '').toLowerCase()),
  );
  const asked = new Set(tests.flatMap((test) => test.assertions.flatMap(askedNames)));
  for (const one of [...imports, ...around]) {
    if (roleOf(`${one.stem}.py`) !== 'source') continue;
    const named = wordOf(one.stem) === about || (one.known && (titles.has(wordOf(one.stem)) || titles.has(one.name.toLowerCase())));
    if (named || (one.known && (asked.has(one.local) || (one.name !== '' && asked.has(one.name))))) units.add(one.stem);
  }
  return units;
}

/** Of a file that hands out fixtures: the modules of what they make. */
export function madeUnits(module: Module, imports: readonly Imported[]): ReadonlySet<string> {
  const heads = new Set<string>();
  const fixtures = new Fixtures(module);
  for (const statement of module.tree.body) {
    if (statement.type !== 'Function' || fixtureMark(statement) === null) continue;
    const { node } = fixtures.value(statement.name, module.env);
    if (node?.type === 'Call') heads.add(dotted(node.callee).split('.')[0] ?? '');
  }
  return new Set(
    imports.filter((one) => one.known && heads.has(one.local) && roleOf(`${one.stem}.py`) === 'source').map(({ stem }) => stem),
  );
}

/** Where each name comes from. A file that imports nothing of what it is named after has the names that it defines from itself. */
export function importFacts(module: Module, imports: readonly Imported[]): readonly ImportFact[] {
  const { tree } = module;
  const fact = (name: string, stem: string, node: Stmt, known: boolean): ImportFact => {
    return { name, source: stem.includes('/') || !known ? stem : `./${stem}`, span: spanOf(tree, node.start, node.end), asserting: true };
  };
  const facts = imports.map((one) => fact(one.local, one.stem, one.node, one.known));
  const about = wordOf(stemOf(tree.file));
  if (imports.some((one) => wordOf(one.stem) === about)) return facts;
  const own = tree.body.filter((statement) => statement.type === 'Function' || statement.type === 'Class');
  return [...facts, ...own.map((statement) => fact(statement.name, stemOf(tree.file), statement, true))];
}
