// What a conftest.py replaces for every test around it: told only where a test file that is named after the module asks for it.

import type { ReplacementFact, TestFact } from '../facts.js';
import { roleOf } from '../paths.js';
import { Fixtures } from './fixtures.js';
import { fixtureMark, isAutomatic } from './names.js';
import { ReplacementSearch } from './replacements.js';
import type { Module } from './scope.js';
import { testsOf } from './tests.js';
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
    const found = search.run().filter((fact) => (fact.kind === 'unit' || fact.kind === 'module') && isAutomaticAt(module, fact));
    const tests = found.length === 0 ? [] : testsAround(module, stem);
    facts.push(...found.filter((fact) => (fact.kind === 'module' ? tests.length > 0 : isAsked(tests, fact.key))));
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
    const tests = stem === undefined || roleOf(`${stem}.py`) !== 'source' ? [] : testsAround(module, stem);
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

/** At import, in a hook of pytest, or in a fixture that every test gets. */
function isAutomaticAt(module: Module, { span }: ReplacementFact): boolean {
  const around = [...statementsIn(module.tree.body, true)].filter(
    (statement) => (statement.type === 'Function' || statement.type === 'Class') && statement.start < span.from && span.to <= statement.end,
  );
  const [outer, ...inner] = around;
  if (outer === undefined) return true;
  if (outer.type !== 'Function' || inner.length > 0) return false;
  const mark = fixtureMark(outer, module.env);
  return mark === null ? outer.name.startsWith('pytest_') : isAutomatic(mark);
}

/** Tests of the module in the file that bears its name, beside the conftest.py or in a usual folder below. */
function testsAround(module: Module, stem: string): readonly TestFact[] {
  const folder = module.tree.file.replace(/[^/]*$/, '');
  const word = stem.split('/').at(-1) ?? '';
  for (const below of ['', 'tests/', 'test/', 'unit/', 'tests/unit/'])
    for (const name of [`test_${word}.py`, `${word}_test.py`]) {
      const file = module.project.load(`${folder}${below}${name}`);
      if (file === null) continue;
      const tests = testsOf(file, true);
      if (unitsOf(file, importsOf(file), [], tests).has(stem)) return tests;
    }
  return [];
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
