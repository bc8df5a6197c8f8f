// Which modules a Python test file is about: the ones that it is named after, and that its assertions call.

import type { AssertionFact, ImportFact, TestFact } from '../facts.js';
import { roleOf } from '../paths.js';
import { Fixtures } from './fixtures.js';
import { fixtureMark } from './names.js';
import type { Module } from './scope.js';
import type { Stmt } from './tree.js';
import { dotted, expressionsIn, lastName, spanOf, statementsIn } from './tree.js';

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
  let heads: ReadonlySet<string> | null = null;
  // Asked last: it takes a walk through every test.
  const isAsked = (name: string) => (heads ??= new Set(tests.flatMap((test) => test.assertions.flatMap(askedNames)))).has(name);
  for (const one of [...imports, ...around]) {
    if (roleOf(`${one.stem}.py`) !== 'source') continue;
    const named = wordOf(one.stem) === about || (one.known && (titles.has(wordOf(one.stem)) || titles.has(one.name.toLowerCase())));
    if (named || (one.known && (isAsked(one.local) || (one.name !== '' && isAsked(one.name))))) units.add(one.stem);
  }
  return units;
}

/** Of a file that hands out fixtures: the modules of what they make. */
export function madeUnits(module: Module, imports: readonly Imported[]): ReadonlySet<string> {
  const heads = new Set<string>();
  const fixtures = new Fixtures(module);
  for (const statement of module.tree.body) {
    if (statement.type !== 'Function' || fixtureMark(statement, module.env) === null) continue;
    const { node } = fixtures.value(statement.name, module.env);
    if (node?.type === 'Call') heads.add(dotted(node.callee).split('.')[0] ?? '');
  }
  return new Set(
    imports.filter((one) => one.known && heads.has(one.local) && roleOf(`${one.stem}.py`) === 'source').map(({ stem }) => stem),
  );
}

/**
 * Where each name comes from: by import, or from the file itself. In a file that imports what it is named after, only a definition
 * that is asked about and never gets to anything of the project is its own; another may be the unit under a handier name, or a helper.
 */
export function importFacts(module: Module, imports: readonly Imported[], tests: readonly TestFact[]): readonly ImportFact[] {
  const { tree } = module;
  const fact = (name: string, stem: string, node: Stmt, known: boolean): ImportFact => {
    return { name, source: stem.includes('/') || !known ? stem : `./${stem}`, span: spanOf(tree, node.start, node.end), asserting: true };
  };
  const facts = imports.map((one) => fact(one.local, one.stem, one.node, one.known));
  const about = wordOf(stemOf(tree.file));
  const own = definitionsIn(tree.body);
  const alone = imports.every((one) => wordOf(one.stem) !== about);
  let known: readonly Using[] | null = null;
  const reaching = (through: readonly Imported[]) => reachingNames((known ??= usesOf(own)), through);
  let all: ReadonlySet<string> | null = null;
  const taken = new Set(imports.map(({ local }) => local));
  // It calls on what bears its own name in the project, by another name or through a module.
  const leadsTo = (name: string) => reaching(imports.filter((one) => one.name === name || one.name === '')).has(name);
  let heads: ReadonlySet<string> | null = null;
  // Asked last: it takes a walk through every test.
  const isAsked = (name: string) => (heads ??= headsAsked(tree.body, tests)).has(name);
  return [
    ...facts,
    ...own.flatMap(({ name, node, top }) => {
      const isApart = () => !(all ??= reaching(imports)).has(name) || (top && node.type === 'Function' && !leadsTo(name));
      const kept =
        alone && top && node.type !== 'Assign' ? true : !taken.has(name) && isSpoken(name, tree.text) && isApart() && isAsked(name);
      return kept ? [fact(name, stemOf(tree.file), node, true)] : [];
    }),
  ];
}

/** Not only where it is made. */
function isSpoken(name: string, text: string): boolean {
  const first = text.indexOf(name);
  return text.includes(name, first + name.length);
}

/** Names at the head of what assertions ask about, as they are written; of a variable, the head of what it was given. */
function headsAsked(body: readonly Stmt[], tests: readonly TestFact[]): ReadonlySet<string> {
  const written = tests.flatMap(({ assertions }) =>
    assertions.flatMap(({ kind, span }) =>
      ABOUT_CALLS.has(kind)
        ? []
        : (/^(?:assert\s|[\w.]*assert\w*\()\s*(?:(?:len|str|list|sorted|set|dict)\()?([A-Za-z_]\w*)/.exec(span.text)?.[1] ?? []),
    ),
  );
  const heads = new Set(written);
  for (const statement of statementsIn(body, true)) {
    if (statement.type !== 'Assign' || statement.value?.type !== 'Call') continue;
    if (statement.targets.some((target) => heads.has(dotted(target)))) heads.add(dotted(statement.value.callee).split('.')[0] ?? '');
  }
  return heads;
}

interface Definition {
  readonly name: string;
  readonly node: Stmt;
  readonly top: boolean;
}

/** Functions, classes and objects made up on the spot, at the top of the file and in its tests. */
function definitionsIn(body: readonly Stmt[]): readonly Definition[] {
  const inTests = body.flatMap((node) => (node.type === 'Function' && node.name.startsWith('test') ? node.body : []));
  const all = [...body.map((node) => ({ node, top: true })), ...inTests.map((node) => ({ node, top: false }))];
  return all.flatMap(({ node, top }): readonly Definition[] => {
    if (node.type === 'Function' || node.type === 'Class') return [{ name: node.name, node, top }];
    if (node.type !== 'Assign' || node.value === null || node.targets.length !== 1) return [];
    const made = node.value.type === 'Lambda' || (node.value.type === 'Call' && lastName(node.value.callee) === 'SimpleNamespace');
    const [target] = node.targets;
    return made && target?.type === 'Name' ? [{ name: target.name, node, top }] : [];
  });
}

interface Using {
  readonly name: string;
  readonly names: ReadonlySet<string>;
  readonly fixture: boolean;
}

function usesOf(own: readonly Definition[]): readonly Using[] {
  return own.map(({ name, node }) => ({
    name,
    names: new Set([...expressionsIn([node], true)].flatMap((one) => (one.type === 'Name' ? [one.name] : []))),
    fixture: node.type === 'Function' && node.decorators.length > 0,
  }));
}

/** Names of definitions that get to something imported from the project, by way of each other too. Fixtures are asked for by name. */
function reachingNames(uses: readonly Using[], imports: readonly Imported[]): ReadonlySet<string> {
  const reached = new Set(
    imports
      .filter(({ stem }) => roleOf(`${stem}.py`) === 'source')
      .filter(({ known }) => known)
      .map(({ local }) => local.split('.')[0] ?? ''),
  );
  for (let grown = true; grown;) {
    const before = reached.size;
    for (const { name, names, fixture } of uses)
      if (fixture || [...names].some((one) => one !== name && reached.has(one))) reached.add(name);
    grown = reached.size > before;
  }
  return reached;
}
