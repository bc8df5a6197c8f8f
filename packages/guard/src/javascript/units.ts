// Which modules a test file is about: the ones that it is named after, that its suites are named after, that its assertions call.

import type { AssertionFact, ImportFact, TestFact } from '../facts.js';
import { at, bare, descend, isFunction, listAt, nameOf, nodesOf, ownNodes, propertyName, settled, spanOf } from './tree.js';
import type { Node } from './tree.js';
import { joinPath } from './paths.js';
import { importedBy, isMaker, patternNames } from './names.js';
import type { Module } from './scope.js';
import { ASSERTION_PACKAGES } from './matchers.js';
import { put } from '../keyed-lists.js';

/** A path without ending and `/index`: two specifiers of one module have the same. */
export function stemOf(path: string): string {
  return path.replace(/\.(json|[cm]?[jt]sx?)$/, '').replace(/\/index$/, '');
}

function wordOf(path: string): string {
  const name = stemOf(path).split('/').at(-1) ?? '';
  return name
    .replace(/[._-](tests?|spec|e2e|unit|integration|int)$/i, '')
    .replace(/[._-]/g, '')
    .toLowerCase();
}

/** Everything imported in a file, wherever it stands: local name, what it is there, module. */
export interface Imported {
  readonly local: string;
  readonly name: string;
  readonly specifier: string;
  readonly stem: string;
  readonly node: Node;
}

export function importsOf(module: Module): readonly Imported[] {
  const { file, program } = module.tree;
  const found: Imported[] = [];
  const add = (local: string, name: string, specifier: string, node: Node) => {
    const stem = specifier.startsWith('.') ? stemOf(joinPath(file, specifier)) : specifier;
    found.push({ local, name, specifier, stem, node });
  };
  const everywhere = /\brequire\(|\bimport\(/.test(module.tree.text);
  for (const node of everywhere ? descend(program) : listAt(program, 'body')) {
    if (node.type === 'ImportDeclaration') {
      const specifier = String(at(node, 'source')?.['value'] ?? '');
      if (node['importKind'] === 'type') continue;
      for (const one of listAt(node, 'specifiers')) {
        const imported = at(one, 'imported');
        add(
          nameOf(at(one, 'local')),
          imported === null ? (one.type === 'ImportDefaultSpecifier' ? 'default' : '*') : nameOf(imported),
          specifier,
          node,
        );
      }
    } else if (node.type === 'VariableDeclarator') {
      const init = settled(at(node, 'init'));
      const member = init?.type === 'MemberExpression' ? settled(at(init, 'object')) : init;
      const specifier = importedBy(member ?? null);
      if (specifier === null) continue;
      const id = at(node, 'id');
      if (id?.type === 'Identifier') add(nameOf(id), init?.type === 'MemberExpression' ? propertyName(init) : '*', specifier, node);
      else for (const name of patternNames(id)) add(name, name, specifier, node);
    }
  }
  return found;
}

/** `this.mailer`, as tests keep it in their context; else nothing. */
function ownField(node: Node | null): string {
  const inner = bare(node);
  return inner?.type === 'MemberExpression' && at(inner, 'object')?.type === 'ThisExpression' ? `this.${propertyName(inner)}` : '';
}

/** What a variable was made from: the names at the head of everything ever put into it. */
export class Origins {
  private readonly made = new Map<string, Node[]>();

  constructor(module: Module) {
    const add = (name: string, node: Node | null) => {
      if (name !== '' && node !== null) put(this.made, name, node);
    };
    for (const node of nodesOf(module.tree)) {
      if (node.type === 'VariableDeclarator') for (const name of patternNames(at(node, 'id'))) add(name, at(node, 'init'));
      else if (node.type === 'AssignmentExpression') add(nameOf(at(node, 'left')) || ownField(at(node, 'left')), at(node, 'right'));
      else if (node.type === 'FunctionDeclaration') add(nameOf(at(node, 'id')), node);
    }
  }

  /** Everything that was ever put into a variable. */
  madeOf(name: string): readonly Node[] {
    return this.made.get(name) ?? [];
  }

  headsOf(node: Node | null, depth = 0): readonly string[] {
    const inner = settled(node);
    if (inner === null || depth > 5) return [];
    if (inner.type === 'Identifier') {
      const name = nameOf(inner);
      return [name, ...(this.made.get(name) ?? []).flatMap((init) => this.headsOf(init, depth + 1))];
    }
    const field = ownField(inner);
    if (field !== '') return (this.made.get(field) ?? []).flatMap((init) => this.headsOf(init, depth + 1));
    if (inner.type === 'MemberExpression') return this.headsOf(at(inner, 'object'), depth + 0.1);
    if (inner.type === 'ObjectExpression')
      return listAt(inner, 'properties').flatMap((property) => this.headsOf(at(property, 'value'), depth + 1));
    if (inner.type === 'NewExpression' || inner.type === 'CallExpression') return this.headsOf(at(inner, 'callee'), depth + 0.1);
    if (isFunction(inner)) {
      const body = at(inner, 'body');
      if (body !== null && body.type !== 'BlockStatement') return this.headsOf(body, depth + 1);
      return [...ownNodes(inner)]
        .filter((below) => below.type === 'ReturnStatement')
        .flatMap((below) => this.headsOf(at(below, 'argument'), depth + 1));
    }
    return [];
  }
}

const ABOUT_CALLS: ReadonlySet<AssertionFact['kind']> = new Set(['called', 'calledTimes', 'calledWith']);

/** Names at the head of what an assertion asks about, also within `renderHook(() => useCounter())`. */
function askedNames(assertion: AssertionFact): readonly string[] {
  if (ABOUT_CALLS.has(assertion.kind)) return [];
  const names: string[] = [];
  const first = /^(?:new )?([\w$]+)/.exec(assertion.subject);
  if (first !== null) names.push(first[1] ?? '');
  const served = /^(?:request|supertest|agent|inject)\((?:new )?([\w$]+)/.exec(assertion.subject);
  if (served !== null) names.push(served[1] ?? '');
  for (const inner of assertion.subject.matchAll(/=>(?:new )?([\w$]+)[(.]/g)) names.push(inner[1] ?? '');
  for (const element of assertion.subject.matchAll(/<([A-Z][\w$]*)/g)) names.push(element[1] ?? '');
  return names;
}

/** Stems of the modules under test. */
export function unitsOf(module: Module, imports: readonly Imported[], tests: readonly TestFact[]): ReadonlySet<string> {
  const units = new Set<string>();
  const own = imports.filter((one) => one.specifier.startsWith('.'));
  const about = wordOf(module.tree.file);
  const titles = new Set(tests.flatMap((test) => test.path.slice(0, -1)).map((title) => title.replace(/[^\w]/g, '').toLowerCase()));
  const asked = new Set(tests.flatMap((test) => test.assertions.flatMap(askedNames)));
  for (const one of own) {
    const named =
      wordOf(one.stem) === about ||
      titles.has(wordOf(one.stem)) ||
      titles.has(one.local.toLowerCase()) ||
      titles.has(one.name.toLowerCase());
    if (named || asked.has(one.local) || (one.name !== '*' && one.name !== 'default' && asked.has(one.name))) units.add(one.stem);
  }
  for (const path of mockedPaths(module)) if (wordOf(path) === about) units.add(path);
  return units;
}

/** Modules named in calls: a unit may be mocked first and imported by `await import()` later. */
function mockedPaths(module: Module): readonly string[] {
  const paths: string[] = [];
  for (const node of nodesOf(module.tree)) {
    if (node.type !== 'CallExpression') continue;
    const value = bare(listAt(node, 'arguments')[0] ?? null)?.['value'];
    if (typeof value === 'string' && value.startsWith('.')) paths.push(stemOf(joinPath(module.tree.file, value)));
  }
  return paths;
}

export function importFacts(module: Module, imports: readonly Imported[]): readonly ImportFact[] {
  return [...imports.map((one) => importFact(module, one)), ...ownFacts(module), ...localFacts(module)];
}

/** Classes and functions that the file makes itself: one that was imported from source before is a stand-in for it. */
function ownFacts(module: Module): readonly ImportFact[] {
  const { tree } = module;
  return listAt(tree.program, 'body').flatMap((statement) => {
    if (statement.type !== 'ClassDeclaration' && statement.type !== 'FunctionDeclaration') return [];
    const name = nameOf(at(statement, 'id'));
    if (name === '' || /^(expect|assert|should)$/.test(name)) return [];
    return [{ name, source: stemOf(tree.file), span: spanOf(tree, statement.start, statement.end), asserting: true }];
  });
}

/** Functions, classes and objects with functions that the file keeps in variables, and functions within its tests. */
function localFacts(module: Module): readonly ImportFact[] {
  const { tree } = module;
  const source = stemOf(tree.file);
  const top = new Set(listAt(tree.program, 'body'));
  const found: ImportFact[] = [];
  for (const node of nodesOf(tree)) {
    const declared = node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration';
    if ((!declared && node.type !== 'VariableDeclarator') || top.has(node)) continue;
    const names = declared ? [nameOf(at(node, 'id'))] : isStandIn(bare(at(node, 'init'))) ? patternNames(at(node, 'id')) : [];
    for (const name of names)
      if (name !== '' && !/^(expect|assert|should)$/.test(name))
        found.push({ name, source, span: spanOf(tree, node.start, node.end), asserting: true, local: true });
  }
  return found;
}

function isStandIn(node: Node | null): boolean {
  if (isFunction(node) || node?.type === 'ClassExpression') return true;
  if (node?.type === 'CallExpression') return isMaker(node) && listAt(node, 'arguments').some((argument) => isFunction(bare(argument)));
  if (node?.type !== 'ObjectExpression') return false;
  return listAt(node, 'properties').some((property) => isFunction(bare(at(property, 'value'))));
}

function importFact(module: Module, one: Imported): ImportFact {
  return {
    name: one.local,
    source: one.stem,
    span: spanOf(module.tree, one.node.start, one.node.end),
    asserting:
      !/^(expect|assert|should)$/.test(one.local) ||
      ASSERTION_PACKAGES.has(one.specifier) ||
      (one.specifier.startsWith('.') ? leadsToAssertions(module, one) : true),
  };
}

/** The name leads on to a package that asserts; one that is made in the project need not. */
function leadsToAssertions(module: Module, one: Imported): boolean {
  const path = module.project.resolve(module.tree.file, one.specifier);
  const target = path === null ? null : module.project.load(path);
  if (target === null) return true;
  const value = target.exports.get(one.name === '*' ? 'default' : one.name);
  if (value === undefined || one.name === '*') return importsOf(target).some(({ specifier }) => ASSERTION_PACKAGES.has(specifier));
  if (value.source !== undefined) return ASSERTION_PACKAGES.has(value.source) || value.source.startsWith('.');
  const node = settled(value.node);
  if (node?.type === 'CallExpression') return /^(extend|configure|use)$/.test(propertyName(bare(at(node, 'callee')) ?? node));
  return node?.type === 'Identifier' || node?.type === 'MemberExpression';
}
