// Fixtures and set-up of Python tests: what a test's parameters and attributes of self hold, and what runs around it.

import { roleOf } from '../paths.js';
import { fixtureMark, isAutomatic } from './names.js';
import { fixtureTable } from './tables.js';
import { basesOf, declare, follow, functionOf, isFilledLater } from './scope.js';
import type { Callable, Env, Module, TypeValue, Value } from './scope.js';
import type { ClassStmt, FunctionStmt, Stmt } from './tree.js';
import { dotted, keyword, statementsIn, textOf } from './tree.js';

const DEEPEST = 5;

export interface Fixture {
  readonly node: FunctionStmt;
  readonly env: Env;
  readonly automatic: boolean;
}

/** The fixtures that a test file sees: its own, and those of conftest.py in its folder and above. */
export class Fixtures {
  private readonly known: Map<string, Fixture>;

  /** `above`: fixtures of the same file, to which those of a class come. */
  constructor(module: Module, above: Fixtures | null = null) {
    this.known = new Map(above?.known);
    if (above !== null) return;
    for (const one of conftestsOf(module)) this.collect(one.tree.body, one.env);
    this.collect(module.tree.body, module.env);
    for (const statement of module.tree.body) {
      if (statement.type !== 'Import') continue;
      for (const { local } of statement.names) {
        const value = module.env.find(local);
        const target = value?.source === undefined ? null : follow(value);
        if (target?.node?.type === 'Function') this.add(target.node, target.env);
      }
    }
  }

  /** With the fixtures of a class. */
  within(body: readonly Stmt[], env: Env): void {
    this.collect(body, env);
  }

  private collect(body: readonly Stmt[], env: Env): void {
    for (const statement of statementsIn(body, false)) if (statement.type === 'Function') this.add(statement, env);
  }

  private add(node: FunctionStmt, env: Env): void {
    const mark = fixtureMark(node, env);
    if (mark === null) return;
    const name = mark.type === 'Call' ? (textOf(keyword(mark.args, 'name')) ?? node.name) : node.name;
    this.known.set(name, { node, env, automatic: isAutomatic(mark) });
  }

  find(name: string): Fixture | null {
    return this.known.get(name) ?? null;
  }

  /** The fixtures that run for a test that asks for these: automatic ones, and what each of them asks for itself. */
  reached(names: Iterable<string>): ReadonlySet<Fixture> {
    const asked = [...names].flatMap((name) => this.known.get(name) ?? []);
    const found = new Set([...[...this.known.values()].filter(({ automatic }) => automatic), ...asked]);
    for (const { node } of found)
      for (const { name } of node.params) {
        const below = this.known.get(name);
        if (below !== undefined) found.add(below);
      }
    return found;
  }

  /** What a parameter of this name holds. */
  value(name: string, fallback: Env, depth = 0, param: Value | null = null): Value {
    const fixture = this.known.get(name);
    const own: Value = { node: null, env: fallback, text: name };
    if (fixture === undefined || depth > DEEPEST) return own;
    const env = this.inside(fixture, depth);
    if (param !== null) env.set('request.param', param);
    for (const statement of fixture.node.body) declare(statement, env);
    const last = fixture.node.body.findLast((statement) => statement.type === 'Return' || isYield(statement));
    if (last?.type === 'Return' && last.value !== null) return given(last.value, env, name);
    if (last?.type === 'Expression' && last.value.type === 'Yield' && last.value.value !== null) return given(last.value.value, env, name);
    return own;
  }

  /** The names inside a fixture: its own parameters are fixtures too. */
  inside(fixture: Fixture, depth = 0): Env {
    const env = fixture.env.child();
    for (const parameter of fixture.node.params)
      env.set(
        parameter.name,
        parameter.name === fixture.node.name ? { node: null, env, text: parameter.name } : this.value(parameter.name, env, depth + 1),
      );
    return env;
  }

  /** Values of `request.param` of the fixtures that a test asks for. */
  tables(names: readonly string[]): readonly { readonly names: readonly string[]; readonly rows: readonly Value[] | null }[] {
    return names.flatMap((name) => {
      const fixture = this.known.get(name);
      const mark = fixture === undefined ? null : fixtureMark(fixture.node, fixture.env);
      const rows = fixture === undefined || mark === null ? undefined : fixtureTable(mark, fixture.env);
      return rows === undefined ? [] : [{ names: [`${name}.param`], rows }];
    });
  }
}

function isYield(statement: Stmt): boolean {
  return statement.type === 'Expression' && statement.value.type === 'Yield';
}

function given(node: Extract<Value['node'], { type: 'Name' }> | NonNullable<Value['node']>, env: Env, name: string): Value {
  if (node.type === 'Name' || node.type === 'Attribute') {
    const known = env.find(dotted(node));
    if (known !== null) return known.label === undefined ? known : { ...known, label: name };
  }
  return node.type !== 'Function' && node.type !== 'Class' && isFilledLater(node) ? { node, env, label: name } : { node, env };
}

export function conftestsOf(module: Module): readonly Module[] {
  const folders = module.tree.file.split('/').slice(0, -1);
  const found: Module[] = [];
  for (let count = 0; count <= folders.length; count += 1) {
    const path = [...folders.slice(0, count), 'conftest.py'].join('/');
    const one = path === module.tree.file ? null : module.project.load(path);
    if (one !== null && roleOf(path) !== 'source') found.push(one);
  }
  return found;
}

const SETUPS: ReadonlySet<string> = new Set(['setUp', 'setup_method', 'setup', 'setUpClass', 'setup_class', 'asyncSetUp', 'setUpTestData']);
const TEARDOWNS: ReadonlySet<string> = new Set(['tearDown', 'teardown_method', 'teardown', 'asyncTearDown', 'tearDownClass']);

interface Surround {
  readonly before: readonly Callable[];
  readonly after: readonly Callable[];
}

/** Methods that run around each test of a class, inherited ones too. */
export function surroundOf(type: TypeValue, depth = 0): Surround {
  const own = (names: ReadonlySet<string>): readonly Callable[] =>
    type.node.body.flatMap((statement): readonly Callable[] => {
      if (statement.type === 'Function' && names.has(statement.name)) return [{ node: statement, env: type.env, bound: 1 }];
      // `setUp = prepare`.
      const isGiven = statement.type === 'Assign' && statement.targets.some((target) => names.has(dotted(target)));
      const given = isGiven && statement.value !== null ? functionOf(statement.value, type.env) : null;
      return given === null ? [] : [{ ...given, bound: 1 }];
    });
  const above = depth > 4 ? [] : basesOf(type).map((base) => surroundOf(base, depth + 1));
  return {
    before: [...above.flatMap(({ before }) => before), ...own(SETUPS)],
    after: [...own(TEARDOWNS), ...above.flatMap(({ after }) => after)],
  };
}

export function isSurround(name: string): boolean {
  return (
    SETUPS.has(name) ||
    TEARDOWNS.has(name) ||
    /^(setUpModule|tearDownModule|setup_module|teardown_module|setup_function|teardown_function|load_tests|runTest)$/.test(name)
  );
}

/** Gives `self` what set-up puts there. */
export function declareSelf(type: ClassStmt, before: readonly Callable[], env: Env): void {
  for (const statement of type.body)
    if (statement.type === 'Assign' && statement.value !== null) {
      for (const target of statement.targets) if (target.type === 'Name') env.set(`self.${target.name}`, { node: statement.value, env });
    }
  for (const { node } of before)
    if (node.type === 'Function') for (const statement of statementsIn(node.body, false)) declare(statement, env);
  for (const [name, value] of env.under('cls.')) env.set(`self.${name.slice(4)}`, value);
}
