// Finds the tests of a Python file as pytest and unittest would: functions, classes, inherited methods, tables and decorators
// followed; tests that the runner never sees are noted as hidden.

import type { Span, TestFact, TestMark } from '../facts.js';
import { FoundTest } from '../found-test.js';
import type { Outline } from '../found-test.js';
import { BodyWalk } from './body.js';
import { constantTruth } from './flow.js';
import { distinctMarks, walkedOf } from './found.js';
import { declareSelf, Fixtures, isSurround, surroundOf } from './fixtures.js';
import { isAsyncMark, markList, marksOf, settingsOf } from './marks.js';
import type { Settings } from './marks.js';
import { functionSkips, importedMarks, importSkips, setupSkips, skipsOf } from './module-skips.js';
import { fixtureMark } from './names.js';
import { runSkips } from './own-runs.js';
import { printBody } from './print.js';
import { basesOf, valueOf } from './scope.js';
import type { Callable, Env, Module, TypeValue, Value } from './scope.js';
import { chosenBy, decorated, headOf, isChosen, isOfPytest, isSetter, isTestName, kindOf, takesAway, unmade, usedNames } from './runner.js';
import type { Chosen } from './runner.js';
import { tablesOf } from './tables.js';
import type { ClassStmt, Expr, FunctionStmt, Stmt } from './tree.js';
import { dotted, expressionsIn, lastName, positional, spanOf } from './tree.js';
import { mayRun } from './waiting.js';

const MOST_TESTS = 2000;

interface Scene {
  readonly titles: readonly string[];
  readonly env: Env;
  readonly marks: readonly TestMark[];
  readonly decorators: readonly { readonly node: Expr; readonly env: Env }[];
  readonly condition: Span | null;
  readonly hidden: Span | null;
  /** A later definition of the same name stands in its place. */
  readonly shadowed: boolean;
  readonly type: TypeValue | null;
  /** What its class runs before and after each test. */
  readonly surround: readonly Callable[];
  readonly fixtures: Fixtures;
  readonly asynchronous: boolean;
}

interface Loader {
  readonly span: Span;
  readonly chosen: Chosen;
}

export function testsOf(module: Module, hides: boolean): readonly TestFact[] {
  return new TestSearch(module, hides).run();
}

class TestSearch {
  private readonly found: TestFact[] = [];
  /** Marks put async tests on an event loop here: those that bear none are on none. */
  private isMarked = false;
  private names: ReadonlySet<string> | null = null;
  private perFunction: readonly TestMark[] | null = null;
  private readonly settings: Settings;
  private readonly chosen: Loader | null;
  private readonly fixtures: Fixtures;

  constructor(
    private readonly module: Module,
    private readonly hides: boolean,
  ) {
    this.settings = settingsOf(module.project.lookup);
    this.chosen = this.loader();
    this.fixtures = new Fixtures(module);
  }

  run(): readonly TestFact[] {
    const { tree, env } = this.module;
    const scene: Scene = {
      titles: [],
      env,
      marks: this.moduleMarks(),
      decorators: [],
      condition: null,
      hidden: this.switchedOff(tree.body),
      shadowed: false,
      type: null,
      surround: [],
      fixtures: this.fixtures,
      asynchronous: this.asyncMarks(tree.body, env),
    };
    this.block(tree.body, scene);
    return this.found;
  }

  private get used(): ReadonlySet<string> {
    this.names ??= usedNames(this.module.tree.body);
    return this.names;
  }

  private span(node: { readonly start: number; readonly end: number }): Span {
    return spanOf(this.module.tree, node.start, node.end);
  }

  /** `pytestmark`, and a skip of the whole module. */
  private moduleMarks(): readonly TestMark[] {
    const { tree, env } = this.module;
    const marks = [...this.listed(tree.body, env)];
    const loader = this.chosen;
    if (loader !== null) marks.push({ kind: 'focused', span: loader.span, key: 'load_tests' });
    marks.push(...importedMarks(this.module, this.settings.idle), ...importSkips(this.module), ...setupSkips(this.module));
    return marks;
  }

  private listed(body: readonly Stmt[], env: Env): readonly TestMark[] {
    const lists = body.flatMap((statement) =>
      statement.type === 'Assign' && statement.targets.some((target) => dotted(target) === 'pytestmark') ? [statement.value] : [],
    );
    return lists.flatMap((list) => markList(list, env, this.settings.idle));
  }

  private asyncMarks(body: readonly Stmt[], env: Env): boolean {
    return body.some(
      (statement) =>
        statement.type === 'Assign' &&
        statement.value !== null &&
        statement.targets.some((target) => dotted(target) === 'pytestmark') &&
        isAsyncMark(statement.value, env),
    );
  }

  /** `load_tests` decides what unittest runs, unless it gives back what it was given. */
  private loader(): Loader | null {
    const chosen = chosenBy(this.module.env.find('load_tests')?.node ?? null);
    return chosen === null ? null : { span: this.span(chosen.node), chosen };
  }

  /** `__test__ = False` among the statements of a module or class. */
  private switchedOff(body: readonly Stmt[]): Span | null {
    const off = body.find(
      (statement) =>
        statement.type === 'Assign' &&
        statement.targets.some((target) => dotted(target) === '__test__') &&
        statement.value !== null &&
        constantTruth(statement.value) === false,
    );
    return off === undefined ? null : this.span(off);
  }

  private block(statements: readonly Stmt[], scene: Scene): void {
    const last = new Map<string, Stmt>();
    for (const statement of statements) {
      if (statement.type === 'Function' || statement.type === 'Class') last.set(statement.name, statement);
      for (const [name, hider] of unmade(statement)) last.set(name, hider);
    }
    for (const statement of statements) {
      if (this.found.length > MOST_TESTS) return;
      if (statement.type === 'Function' || statement.type === 'Class') {
        const over = last.get(statement.name);
        const isOver = over !== undefined && over !== statement && over.start > statement.start && !isSetter(over);
        const inner = isOver ? { ...scene, hidden: scene.hidden ?? this.span(headOf(over)), shadowed: true } : scene;
        if (statement.type === 'Function') this.method(statement, inner);
        else this.suite(statement, inner);
      } else this.nested(statement, scene);
    }
  }

  private nested(statement: Stmt, scene: Scene): void {
    if (statement.type === 'If') {
      let rest = scene;
      for (const { test, body } of statement.branches) {
        const known = test === null ? true : constantTruth(test);
        const span = this.span(test ?? statement);
        const maybe = { ...rest, condition: rest.condition ?? span };
        this.block(body, test === null ? rest : known === null ? maybe : known ? rest : { ...rest, hidden: rest.hidden ?? span });
        rest = known === null ? maybe : known ? { ...rest, hidden: rest.hidden ?? span } : rest;
      }
    } else if (statement.type === 'Try') {
      this.block(statement.body, scene);
      for (const handler of statement.handlers) this.block(handler.body, { ...scene, condition: scene.condition ?? this.span(handler) });
      this.block(statement.other, { ...scene, condition: scene.condition ?? this.span(statement) });
    } else if (statement.type === 'With') this.block(statement.body, scene);
    else if (statement.type === 'For' || statement.type === 'While')
      this.block(statement.body, { ...scene, condition: scene.condition ?? this.span(statement) });
  }

  private suite(node: ClassStmt, scene: Scene): void {
    const type: TypeValue = { node, env: scene.env };
    const kind = kindOf(type);
    const inherited = this.inheritedTests(type);
    const own = node.body.some((statement) => statement.type === 'Function' && isTestName(statement.name));
    if (!own && inherited.length === 0 && kind === 'none') return;
    const off = this.switchedOff(node.body);
    if (kind === 'none' && (!this.hides || this.used.has(node.name))) return;
    const hidden = scene.hidden ?? off ?? (kind === 'none' ? this.span(headOf(node)) : null);
    const surround = surroundOf(type);
    const env = scene.env.child();
    for (const base of basesOf(type)) declareSelf(base.node, [], env);
    declareSelf(node, surround.before, env);
    const fixtures = new Fixtures(this.module, this.fixtures);
    fixtures.within(node.body, scene.env);
    const skips = [...surround.before.flatMap((fn) => skipsOf(fn)), ...(kind === 'case' || kind === 'async' ? runSkips(type) : [])];
    const inner: Scene = {
      ...scene,
      titles: [...scene.titles, node.name],
      env,
      marks: [
        ...scene.marks,
        ...node.decorators.flatMap((one) => marksOf(one, scene.env, this.settings.idle)),
        ...this.listed(node.body, scene.env),
        ...skips,
      ],
      decorators: [...scene.decorators, ...node.decorators.map((one) => ({ node: one, env: scene.env }))],
      hidden,
      type,
      surround: [...surround.before, ...surround.after],
      fixtures,
      asynchronous:
        scene.asynchronous ||
        node.decorators.some((one) => isAsyncMark(one, scene.env)) ||
        this.asyncMarks(node.body, scene.env) ||
        kind === 'async',
    };
    this.block(node.body, inner);
    for (const { node: method, env: home } of inherited)
      if (method.type === 'Function') this.test(method, { ...inner, env: inner.env }, home);
  }

  /** Tests of base classes that the runner does not collect by themselves. */
  private inheritedTests(type: TypeValue, depth = 0): readonly Callable[] {
    if (depth > 4) return [];
    const own = new Set(type.node.body.flatMap((statement) => (statement.type === 'Function' ? [statement.name] : [])));
    const found: Callable[] = [];
    for (const base of basesOf(type)) {
      const collected = base.env.module === this.module && kindOf(base) !== 'none' && this.switchedOff(base.node.body) === null;
      if (collected) continue;
      for (const statement of base.node.body) {
        if (statement.type === 'Function' && isTestName(statement.name) && !own.has(statement.name))
          found.push({ node: statement, env: base.env, bound: 1 });
      }
      found.push(...this.inheritedTests(base, depth + 1).filter(({ node }) => node.type === 'Function' && !own.has(node.name)));
    }
    return found;
  }

  private method(node: FunctionStmt, scene: Scene): void {
    if (fixtureMark(node, scene.env) !== null || isSurround(node.name) || /^(pytest_|__)/.test(node.name)) return;
    if (isTestName(node.name)) return this.test(node, scene, scene.env);
    if (!this.hides || this.used.has(node.name)) return;
    const hidden = scene.hidden ?? this.span(node.head);
    if (node.body.some((statement) => statement.type === 'Function' && isTestName(statement.name)))
      return this.block(node.body, { ...scene, hidden });
    this.test(node, { ...scene, hidden }, scene.env, true);
  }

  private test(node: FunctionStmt, scene: Scene, home: Env, asserting = false): void {
    const { fixtures } = scene;
    const own = node.decorators.map((one) => ({ node: one, env: home }));
    const decorators = [...scene.decorators, ...own];
    const names = node.params.map(({ name }) => name);
    const tables = tablesOf(decorators, node, fixtures.tables(names), this.settings.idle);
    let known: BodyWalk | null = null;
    const walk = (): BodyWalk => {
      if (known === null) (known = this.walk(node, scene, home, tables.rows, tables.open)).examples(decorators);
      return known;
    };
    if (asserting && walk().assertions.length === 0) return;
    const around = scene.type === null ? [...scene.marks, ...(this.perFunction ??= functionSkips(this.module))] : scene.marks;
    const outer = [...around, ...own.flatMap((one) => marksOf(one.node, one.env, this.settings.idle)), ...tables.marks];
    const inherited = home.module !== this.module || (scene.type !== null && !scene.type.node.body.includes(node) && !asserting);
    const place = inherited && scene.type !== null ? headOf(scene.type.node) : node;
    const marked = scene.asynchronous || decorators.some((one) => isAsyncMark(one.node, one.env));
    if (node.async && marked) this.isMarked = true;
    const isLoose = node.async && !marked && isOfPytest(scene.type);
    const body = () => printBody(node.body, home.module.tree.text);
    const outline: Outline = {
      path: [...scene.titles, node.name],
      span: this.span(place),
      head: this.span(inherited ? place : node.head),
      outer: distinctMarks(outer),
      condition: scene.condition ?? (tables.sifted === null ? null : this.span(tables.sifted)),
      hidden: scene.hidden ?? this.offBy(node, scene.titles) ?? this.leftOut(scene.titles, node.name),
      empty: node.body.length <= 2 && /^(pass|\.\.\.)?$/.test(body()),
    };
    const ways = { walk: () => walkedOf(walk(), outer, scene.shadowed, isLoose && this.isIdle()), rows: () => tables.texts, body };
    this.found.push(new FoundTest(outline, ways));
  }

  /** Async tests without a mark of their own are never awaited. */
  private isIdle(): boolean {
    return this.settings.auto !== true && (this.isMarked || this.settings.auto === false);
  }

  /** `load_tests` names tests, and this is none of them. */
  private leftOut(titles: readonly string[], name: string): Span | null {
    if (this.chosen === null || titles.length === 0) return null;
    return isChosen(this.chosen.chosen, titles.at(-1) ?? '', name) ? null : this.chosen.span;
  }

  /** `test_x.__test__ = False`, `del TestA.test_x`. */
  private offBy({ name }: FunctionStmt, titles: readonly string[]): Span | null {
    const off = this.module.tree.body.find(
      (statement) =>
        (statement.type === 'Assign' && statement.targets.some((target) => dotted(target) === `${name}.__test__`)) ||
        (titles.length > 0 && takesAway(statement, [...titles, name].join('.'))),
    );
    return off === undefined ? null : this.span(off);
  }

  private walk(node: FunctionStmt, scene: Scene, home: Env, rows: readonly ReadonlyMap<string, Value>[] | null, open: boolean): BodyWalk {
    const walk = new BodyWalk(this.module.tree);
    const env = home === scene.env || home.module !== this.module ? scene.env : scene.env;
    const fn: Callable = { node, env: home.module === this.module ? env : withSelf(home, env), bound: 0 };
    const plain = scene.type !== null && node.async && kindOf(scene.type) === 'case' && !node.decorators.some(mayRun);
    const how = {
      open,
      floating: plain,
      ...(isGenerator(node, home.module.tree.text) ? { never: 'in a generator that nobody walks through' } : {}),
    };
    for (const row of rows ?? [new Map<string, Value>()]) {
      const args = new Map<string, Value>();
      for (const [index, { name, fallback }] of node.params.entries()) {
        if (scene.type !== null && index === 0) args.set(name, { node: scene.type.node, env: scene.type.env, text: name });
        else {
          const param = row.get(`${name}.param`) ?? null;
          args.set(name, row.get(name) ?? (fallback === null ? scene.fixtures.value(name, env, 0, param) : valueOf(fallback, env)));
        }
      }
      for (const [name, value] of row) args.set(name, value);
      if (scene.type !== null) walkSelf(args, env);
      this.around(walk, node, scene, args);
      const outer = decorated(fn, walk, args, home);
      walk.run(outer ?? fn, outer === null ? args : new Map(), how);
    }
    if (rows !== null && rows.length === 0) walk.run(fn, new Map(), { open: true, never: 'in a table without rows' });
    return walk;
  }

  /** Set-up and fixtures may assert and skip too. */
  private around(walk: BodyWalk, node: FunctionStmt, scene: Scene, args: ReadonlyMap<string, Value>): void {
    const { fixtures } = scene;
    const wanted = new Set(node.params.map(({ name }) => name));
    for (const decorator of node.decorators)
      if (decorator.type === 'Call' && lastName(decorator.callee) === 'usefixtures')
        for (const one of positional(decorator.args)) if (one.type === 'String') wanted.add(one.value);
    for (const fixture of fixtures.reached(wanted)) {
      walk.around({ node: fixture.node, env: fixtures.inside(fixture), bound: 0 }, args);
    }
    for (const fn of scene.surround) walk.around({ ...fn, env: withSelf(fn.env, scene.env) }, args);
  }
}

/** A test with a `yield` of its own only makes a generator. */
function isGenerator(node: FunctionStmt, text: string): boolean {
  if (!text.slice(node.start, node.end).includes('yield')) return false;
  if (
    node.decorators.some((one) =>
      /gen_test|inlineCallbacks|coroutine|contextmanager|gen_cluster/.test(dotted(one.type === 'Call' ? one.callee : one)),
    )
  )
    return false;
  for (const expression of expressionsIn(node.body, false)) if (expression.type === 'Yield') return true;
  return false;
}

function withSelf(home: Env, env: Env): Env {
  const inner = home.child();
  for (const [name, value] of env.under('self.')) inner.set(name, value);
  return inner;
}

function walkSelf(args: Map<string, Value>, env: Env): void {
  for (const [name, value] of env.under('self.')) args.set(name, value);
}
