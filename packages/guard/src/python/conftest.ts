// What a conftest.py, or a file that tests take fixtures from, replaces for the tests around it: told only where a test file that is named
// after the module asks for it.

import type { ReplacementFact, TestFact } from '../facts.js';
import { roleOf } from '../paths.js';
import { conftestsOf, Fixtures } from './fixtures.js';
import { isConftest } from './hooks.js';
import { fixtureMark, isAutomatic } from './names.js';
import { ReplacementSearch } from './replacements.js';
import type { Module } from './scope.js';
import { testsOf } from './tests.js';
import type { Expr, FunctionStmt } from './tree.js';
import { dotted, expressionsIn, keyword, lastName, positional, spanOf, statementsIn, textOf } from './tree.js';
import { importsOf, stemOf, unitsOf } from './units.js';
import type { Imported } from './units.js';

export function replacedAround(module: Module, imports: readonly Imported[]): readonly ReplacementFact[] {
  const stems = new Set([...imports.filter(({ known }) => known).map(({ stem }) => stem), ...namedStems(module)]);
  const facts: ReplacementFact[] = [];
  for (const stem of stems) {
    if (roleOf(`${stem}.py`) !== 'source') continue;
    const search = new ReplacementSearch(
      module,
      imports,
      () => new Set([stem]),
      [],
      () => true,
    );
    const found = search.run().filter(({ kind }) => kind === 'unit' || kind === 'module');
    const felt = found.flatMap((fact) => {
      const by = feltBy(module, fact);
      return by === null ? [] : [{ fact, by }];
    });
    const file = felt.length === 0 ? null : fileAround(module, stem);
    if (file === null) continue;
    for (const { fact, by } of felt) {
      const tests = by === 'all' ? file.tests : askingFor(file, by);
      if (fact.kind === 'module' ? tests.length > 0 : isAsked(tests, fact.key)) facts.push(fact);
    }
  }
  return [...facts, ...mockedFixtures(module, imports)];
}

/** Fixtures that hand out a mock made after a class of the unit, where the tests of that unit ask the fixture. */
function mockedFixtures(module: Module, imports: readonly Imported[]): readonly ReplacementFact[] {
  const fixtures = new Fixtures(module);
  return module.tree.body.flatMap((statement): readonly ReplacementFact[] => {
    if (statement.type !== 'Function' || fixtureMark(statement, module.env) === null) return [];
    const { node } = fixtures.value(statement.name, module.env);
    if (node?.type !== 'Call' || !/Mock$|^create_autospec$/.test(lastName(node.callee))) return [];
    const spec = keyword(node.args, 'spec') ?? keyword(node.args, 'spec_set') ?? positional(node.args)[0] ?? null;
    const head = spec === null ? '' : (dotted(spec).split('.')[0] ?? '');
    const stem = imports.find(({ known, local }) => known && local === head)?.stem;
    const tests = stem === undefined || roleOf(`${stem}.py`) !== 'source' ? [] : (fileAround(module, stem)?.tests ?? []);
    const { name } = statement;
    const asked = tests.some(({ assertions }) =>
      assertions.some(({ kind, span }) => !kind.startsWith('called') && new RegExp(`\\b${name}[.(]`).test(span.text)),
    );
    const span = spanOf(module.tree, node.start, node.end);
    return asked ? [{ kind: 'unit', key: `${name} as mock`, span, test: null }] : [];
  });
}

/** Modules of the project that are spoken of as text: `'shop.cart.total'`. */
function namedStems(module: Module): readonly string[] {
  const stems: string[] = [];
  for (const expression of expressionsIn(module.tree.body, true)) {
    const names = textOf(expression)?.split('.') ?? [];
    if (names.length === 0 || names.length > 8 || !names.every((name) => /^[A-Za-z_]\w*$/.test(name))) continue;
    for (let count = names.length; count > 0; count -= 1) {
      const path = module.project.resolve(module.tree.file, names.slice(0, count).join('.'), 0);
      if (path !== null) stems.push(stemOf(path));
    }
  }
  return stems;
}

/** The tests that feel what is replaced at a place: all of them, or those that ask for one of these fixtures; null where none does. */
type FeltBy = 'all' | ReadonlySet<string> | null;

/** At import, in a hook of pytest and in a fixture that every test gets it is all of them. Functions are followed to who calls them. */
function feltBy(module: Module, { span }: ReplacementFact): FeltBy {
  const around = [...statementsIn(module.tree.body, true)].filter(
    (statement) => (statement.type === 'Function' || statement.type === 'Class') && statement.start < span.from && span.to <= statement.end,
  );
  const [outer, ...inner] = around;
  if (outer === undefined) return 'all';
  return outer.type !== 'Function' || inner.length > 0 ? null : feltThrough(module, outer, new Set());
}

function feltThrough(module: Module, fn: FunctionStmt, seen: Set<FunctionStmt>): FeltBy {
  if (seen.has(fn)) return null;
  seen.add(fn);
  const mark = fixtureMark(fn, module.env);
  if (mark !== null) return isAutomatic(mark) ? 'all' : new Set([nameOf(fn, mark)]);
  if (fn.name.startsWith('pytest_')) return 'all';
  const names = new Set<string>();
  for (const other of module.tree.body) {
    if (other.type !== 'Function' || !calls(other, fn.name)) continue;
    const by = feltThrough(module, other, seen);
    if (by === 'all') return by;
    for (const name of by ?? []) names.add(name);
  }
  return names.size === 0 ? null : names;
}

function calls({ body }: FunctionStmt, name: string): boolean {
  return expressionsIn(body, true).some((node) => node.type === 'Call' && dotted(node.callee) === name);
}

function nameOf(fn: FunctionStmt, mark: Expr): string {
  return (mark.type === 'Call' ? textOf(keyword(mark.args, 'name')) : null) ?? fn.name;
}

/** The file of tests that bears the name of a module, and the file that they take fixtures from. */
interface TestFile {
  readonly module: Module;
  readonly tests: readonly TestFact[];
  readonly from: Module;
}

/** Tests that ask for one of the fixtures: as a parameter, by a mark, by way of another fixture. */
function askingFor({ module, tests, from }: TestFile, names: ReadonlySet<string>): readonly TestFact[] {
  const asked = new Set(names);
  const fixtures = [from, module].flatMap(({ tree, env }) =>
    tree.body.flatMap((fn) => {
      const mark = fn.type === 'Function' ? fixtureMark(fn, env) : null;
      return fn.type === 'Function' && mark !== null ? [{ fn, name: nameOf(fn, mark), automatic: isAutomatic(mark) }] : [];
    }),
  );
  // Each turn adds a fixture, or is the last.
  for (let size = -1; size !== asked.size;) {
    size = asked.size;
    for (const { fn, name } of fixtures) if (fn.params.some((param) => asked.has(param.name))) asked.add(name);
  }
  const marked = [...module.tree.text.matchAll(/usefixtures\(([^()]*)\)/g)].flatMap(([, list = '']) => list.match(/\w+/g) ?? []);
  if (fixtures.some(({ name, automatic }) => automatic && asked.has(name)) || marked.some((name) => asked.has(name))) return tests;
  return tests.filter(({ span }) => span.text.match(/\w+/g)?.some((word) => asked.has(word)) === true);
}

/** Tests of the module in the file that bears its name, beside the conftest.py or in a usual folder below. */
function fileAround(module: Module, stem: string): TestFile | null {
  const folder = module.tree.file.replace(/[^/]*$/, '');
  const word = stem.split('/').at(-1) ?? '';
  for (const below of ['', 'tests/', 'test/', 'unit/', 'tests/unit/'])
    for (const name of [`test_${word}.py`, `${word}_test.py`]) {
      const file = module.project.load(`${folder}${below}${name}`);
      if (file === null || !takesFrom(file, module)) continue;
      const tests = testsOf(file, true);
      if (unitsOf(file, importsOf(file), [], tests).has(stem)) return { module: file, tests, from: module };
    }
  return null;
}

/** A conftest.py is taken from by all; another file is named by its tests, or by a conftest.py around them. */
function takesFrom(file: Module, { tree }: Module): boolean {
  if (isConftest(tree.file)) return true;
  const name = new RegExp(`\\b${/([^/]*)\.py$/.exec(tree.file)?.[1] ?? ''}\\b`);
  return [file, ...conftestsOf(file)].some((one) => name.test(one.tree.text));
}

/** An assertion asks for what the call of it answers. */
function isAsked(tests: readonly TestFact[], key: string): boolean {
  const call = `${key.split('.').at(-1) ?? key}(`;
  return tests.some(({ assertions }) =>
    assertions.some(({ kind, subject }) => {
      const at = subject.indexOf(call);
      return !kind.startsWith('called') && at >= 0 && !/\w/.test(subject[at - 1] ?? ' ');
    }),
  );
}
