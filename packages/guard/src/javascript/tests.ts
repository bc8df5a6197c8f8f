// Finds the tests of a file as its runner would: suites, tables, loops, shared behaviours and aliases followed, tests that the
// runner never sees noted as hidden.

import type { Span, TestFact, TestMark } from '../facts.js';
import { at, bare, isFunction, isLiteral, listAt, nameOf, ownNodes, propertyName, settled, spanOf } from './tree.js';
import type { Node, Tree } from './tree.js';
import { hookOf } from './names.js';
import { assignHooked, bind, declareStatement, functionOf, valueOf } from './scope.js';
import type { Env, Module, Value } from './scope.js';
import { bindOwn, printValue, squeeze } from './print.js';
import { BodyWalk } from './body.js';
import { Glance } from './glance.js';
import { FoundTest } from '../found-test.js';
import { joinedRows, walkThrough } from './found.js';
import type { Passage } from './found.js';
import { rowsOf } from './rows.js';
import { bodyOf, cutBy, filtered, registers, rowArguments, titleOf } from './registering.js';
import { optionMarks, runnerOf } from './runner.js';
import type { Runner } from './runner.js';

const MOST_ROWS = 40;
const DEEPEST = 12;

interface Scene {
  readonly titles: readonly string[];
  readonly env: Env;
  readonly marks: readonly TestMark[];
  readonly condition: Span | null;
  readonly hidden: Span | null;
  readonly returns: Span[];
  /** Rows of the loops around. */
  readonly rows: readonly string[] | null;
  readonly open: boolean;
  readonly depth: number;
  /** The call that led into another file: tests registered there belong here. */
  readonly site: Span | null;
  /** Hooks that run around each test; what they assert every test asserts. */
  readonly hooks: Value[];
}

const STANDS_FOR_TEST = /^(it|test|specify)$/;

export function testsOf(module: Module, hides: boolean): readonly TestFact[] {
  return new TestSearch(module, hides).run();
}

class TestSearch {
  private readonly found = new Map<string, { readonly fact: TestFact; readonly passages: Passage[] }>();
  private readonly entered = new Set<Node>();
  private readonly dormant: { readonly node: Node; readonly scene: Scene }[] = [];
  private work = 0;

  constructor(
    private readonly module: Module,
    private readonly hides: boolean,
  ) {}

  run(): readonly TestFact[] {
    const scene: Scene = {
      titles: [],
      env: this.module.env,
      marks: [],
      condition: null,
      hidden: null,
      returns: [],
      rows: null,
      open: false,
      depth: 0,
      site: null,
      hooks: [],
    };
    this.statements(listAt(this.module.tree.program, 'body'), scene, false);
    for (const { node, scene: around } of this.dormant) {
      if (!this.hides || this.entered.has(node)) continue;
      const hidden = spanOf(this.module.tree, node.start, Math.min(node.end, node.start + 80));
      this.enter({ node, env: around.env }, null, { ...around, hidden });
    }
    return [...this.found.values()].map(({ fact }) => fact);
  }

  private span(node: Node, env: Env): Span {
    return spanOf(env.module.tree, node.start, node.end);
  }

  private statements(statements: readonly Node[], scene: Scene, declare: boolean): void {
    if (declare) for (const statement of statements) if (statement.type === 'FunctionDeclaration') declareStatement(statement, scene.env);
    for (const statement of statements) {
      const hook = hookOf(statement);
      if (hook !== null) scene.hooks.push({ node: hook.fn, env: scene.env });
      // Of the whole file they were assigned when it was opened.
      if (hook !== null && declare) assignHooked(statement, scene.env);
    }
    for (const statement of statements) {
      const inner = statement.type.startsWith('Export') ? (at(statement, 'declaration') ?? statement) : statement;
      if (declare && inner.type === 'VariableDeclaration') declareStatement(inner, scene.env);
      this.statement(inner, scene);
      if (inner.type === 'ReturnStatement' && at(inner, 'argument') === null) scene.returns.push(this.span(inner, scene.env));
    }
  }

  private statement(node: Node, scene: Scene): void {
    if ((this.work += 1) > 100_000 || scene.depth > DEEPEST) return;
    switch (node.type) {
      case 'ExpressionStatement':
        return this.expression(at(node, 'expression'), scene);
      case 'ReturnStatement':
        return this.expression(at(node, 'argument'), scene);
      case 'VariableDeclaration':
        for (const declarator of listAt(node, 'declarations')) this.declared(at(declarator, 'init'), scene);
        return;
      case 'FunctionDeclaration':
        return this.declared(node, scene);
      case 'IfStatement':
        return this.branches(node, scene);
      case 'BlockStatement':
        return this.statements(listAt(node, 'body'), { ...scene, env: scene.env.child() }, true);
      case 'ForOfStatement': {
        const left = at(node, 'left');
        const pattern = left?.type === 'VariableDeclaration' ? at(listAt(left, 'declarations')[0], 'id') : left;
        return this.loop(pattern, at(node, 'right'), (env, rows) => this.inner(at(node, 'body'), { ...scene, ...rows, env }), scene);
      }
      case 'ForStatement':
      case 'ForInStatement':
      case 'WhileStatement':
        return this.inner(at(node, 'body'), { ...scene, env: scene.env.child(), open: true });
      case 'TryStatement':
        return this.inner(at(node, 'block'), scene);
      default:
        return;
    }
  }

  private inner(body: Node | null, scene: Scene): void {
    if (body === null) return;
    this.statement(body, { ...scene, depth: scene.depth + 1 });
  }

  private declared(node: Node | null, scene: Scene): void {
    const inner = settled(node);
    if (isFunction(inner)) {
      if (registers(inner, scene.env.module.tree)) this.dormant.push({ node: inner, scene: { ...scene, env: scene.env } });
    } else if (inner?.type === 'CallExpression') this.expression(inner, scene);
  }

  private branches(node: Node, scene: Scene): void {
    const test = bare(at(node, 'test'));
    const known = isLiteral(test) ? Boolean(test['value']) : null;
    const span = test === null ? this.span(node, scene.env) : this.span(test, scene.env);
    const never = { ...scene, hidden: span };
    const maybe = { ...scene, condition: scene.condition ?? span };
    for (const one of ownNodes(node))
      if (one.type === 'ReturnStatement' && scene.titles.length > 0) scene.returns.push(this.span(one, scene.env));
    this.inner(at(node, 'consequent'), known === null ? maybe : known ? scene : never);
    this.inner(at(node, 'alternate'), known === true ? never : maybe);
  }

  private loop(pattern: Node | null, over: Node | null, body: (env: Env, rows: Partial<Scene>) => void, scene: Scene): void {
    const rows = rowsOf(over, scene.env);
    const texts = rows?.map((row) => printValue(row)) ?? null;
    if (rows === null || rows.length > MOST_ROWS) {
      const env = scene.env.child();
      if (pattern !== null) bindOwn(pattern, env);
      return body(env, { open: true, rows: texts, condition: scene.condition ?? filtered(over, scene.env) });
    }
    if (rows.length === 0 && over !== null) {
      const env = scene.env.child();
      if (pattern !== null) bindOwn(pattern, env);
      return body(env, { open: true, hidden: this.span(over, scene.env) });
    }
    for (const [index, row] of rows.entries()) {
      const env = scene.env.child();
      if (pattern !== null) bind(pattern, row, env, true);
      body(env, { rows: [...(scene.rows ?? []), texts?.[index] ?? ''] });
    }
  }

  private expression(node: Node | null, scene: Scene): void {
    const inner = settled(node);
    if (inner === null) return;
    if (inner.type === 'LogicalExpression' || inner.type === 'ConditionalExpression') {
      const condition = scene.condition ?? this.span(inner, scene.env);
      for (const key of ['right', 'consequent', 'alternate']) this.expression(at(inner, key), { ...scene, condition });
    }
    if (inner.type === 'UnaryExpression') return this.expression(at(inner, 'argument'), scene);
    if (inner.type !== 'CallExpression') return;
    const callee = bare(at(inner, 'callee'));
    const runner = runnerOf(callee, scene.env);
    if (runner?.base === 'suite') return this.suite(inner, runner, scene);
    if (runner?.base === 'test') return this.test(inner, runner, scene);
    if (runner !== null) return;
    const chained = chainedTo(callee);
    if (chained !== null && runnerOf(at(chained, 'callee'), scene.env) !== null) return this.expression(chained, scene);
    if (isFunction(callee)) return this.enter({ node: callee, env: scene.env }, [], scene);
    const target = functionOf(callee, scene.env);
    if (target !== null) {
      const args = listAt(inner, 'arguments').map((argument) => valueOf(argument, scene.env));
      if (STANDS_FOR_TEST.test(nameOf(callee)) && !registers(target.node, target.env.module.tree))
        return this.shadowed(inner, callee, scene);
      const site = target.env.module === this.module ? scene.site : (scene.site ?? this.span(inner, scene.env));
      return registers(target.node, target.env.module.tree)
        ? this.enter(target, args, { ...scene, site, depth: scene.depth + 1 })
        : undefined;
    }
    if (callee?.type === 'MemberExpression' && ['forEach', 'map'].includes(propertyName(callee))) {
      const fn = functionOf(listAt(inner, 'arguments')[0] ?? null, scene.env);
      if (fn?.node === undefined || fn.node === null || !registers(fn.node, fn.env.module.tree)) return;
      const body = fn.node;
      return this.loop(
        listAt(body, 'params')[0] ?? null,
        at(callee, 'object'),
        (env, rows) => this.body(body, { ...scene, ...rows, env }),
        scene,
      );
    }
    for (const argument of listAt(inner, 'arguments'))
      if (isFunction(bare(argument)) && registers(bare(argument), scene.env.module.tree))
        this.body(bare(argument) as Node, { ...scene, env: scene.env.child() });
  }

  /** `it` is a function of the file's own, and it registers nothing. */
  private shadowed(call: Node, callee: Node | null, scene: Scene): void {
    const hidden = callee === null ? this.span(call, scene.env) : this.span(callee, scene.env);
    this.test(call, { base: 'test', name: 'it', marks: [], table: null, tableEnv: null, spread: true }, { ...scene, hidden });
  }

  private enter(fn: Value, args: readonly Value[] | null, scene: Scene): void {
    if (fn.node === null || scene.depth > DEEPEST) return;
    this.entered.add(fn.node);
    const env = fn.env.child();
    for (const [index, parameter] of listAt(fn.node, 'params').entries()) {
      const value = args?.[index];
      if (value === undefined) bindOwn(parameter, env);
      else bind(parameter, value, env, value.row === true);
    }
    this.body(fn.node, { ...scene, env });
  }

  private body(fn: Node, scene: Scene): void {
    this.entered.add(fn);
    const body = at(fn, 'body');
    if (body === null) return;
    const inner = { ...scene, depth: scene.depth + 1 };
    if (body.type === 'BlockStatement') this.statements(listAt(body, 'body'), inner, true);
    else this.expression(body, inner);
  }

  private suite(call: Node, runner: Runner, scene: Scene): void {
    const [first = null] = listAt(call, 'arguments');
    const fn = bodyOf(call, scene.env);
    const titles = [...scene.titles, titleOf(first, scene.env)];
    const marks = [...scene.marks, ...runner.marks, ...optionMarks(call, scene.env)];
    if (fn === null) return;
    const rows = runner.table === null ? null : rowsOf(runner.table, runner.tableEnv ?? scene.env);
    const inner = (): Scene => ({ ...scene, titles, marks, returns: [...scene.returns], hooks: [...scene.hooks], depth: scene.depth + 1 });
    if (runner.table === null) return this.enter(fn, null, inner());
    if (rows === null || rows.length > MOST_ROWS) return this.enter(fn, null, { ...inner(), open: true });
    for (const row of rows)
      this.enter(fn, rowArguments(row, runner.spread), { ...inner(), rows: [...(scene.rows ?? []), printValue(row)] });
  }

  private test(call: Node, runner: Runner, scene: Scene): void {
    const args = listAt(call, 'arguments');
    const fn = bodyOf(call, scene.env);
    const rowed = scene.rows !== null && !scene.open;
    const title = titleOf(args[0] ?? null, scene.env, rowed);
    const path = [...scene.titles, title];
    const rows = runner.table === null ? null : rowsOf(runner.table, runner.tableEnv ?? scene.env);
    const { hooks } = scene;
    const walk = <Walk extends BodyWalk>(kind: new (root: Node, tree: Tree) => Walk): Walk =>
      walkOf(kind, fn, rows, runner, { ...scene, hooks });
    const passage: Passage = { walk: () => walk(BodyWalk), rows: () => rowTexts(rows, runner, scene) };
    const node = fn?.node ?? null;
    if (node !== null) this.entered.add(node);
    const nested = fn !== null && registers(at(node, 'body'), fn.env.module.tree);
    if (nested) this.subtests(fn, path, runner, call, scene);
    if (nested && !walk(Glance).asserts) return;
    const end = Math.min(call.end, args[0]?.end ?? call.end);
    const head = spanOf(scene.env.module.tree, call.start, end);
    const body = at(node, 'body');
    const key = `${scene.site?.from ?? ''} ${call.start} ${path.join(' > ')}`;
    const known = this.found.get(key);
    if (known !== undefined) return void known.passages.push(passage);
    const passages = [passage];
    const marks = [...scene.marks, ...runner.marks, ...optionMarks(call, scene.env)];
    const returns = [...scene.returns];
    const fact = new FoundTest(
      {
        path,
        span: scene.site ?? this.span(call, scene.env),
        head: scene.site ?? head,
        outer: marks,
        condition:
          scene.condition ??
          (rows === null && scene.rows === null && !scene.open ? filtered(runner.table, runner.tableEnv ?? scene.env) : null) ??
          cutBy(runner.table, runner.tableEnv ?? scene.env),
        hidden: scene.hidden,
        empty: body === null || (body.type === 'BlockStatement' && listAt(body, 'body').length === 0),
      },
      {
        walk: () => walkThrough(passages, { marks, returns }),
        rows: () => joinedRows(passages),
        body: () => (body === null ? '' : squeeze(fn?.env.module.tree.text.slice(body.start, body.end) ?? '')),
      },
    );
    this.found.set(key, { fact, passages });
  }

  private subtests(fn: Value, path: readonly string[], runner: Runner, call: Node, scene: Scene): void {
    const marks = [...scene.marks, ...runner.marks, ...optionMarks(call, scene.env)];
    this.enter(fn, null, { ...scene, titles: path, marks, returns: [...scene.returns], depth: scene.depth + 1 });
  }
}

/** Of `it('x', …).retries(2).timeout(9)`: the call that registers the test. */
function chainedTo(callee: Node | null): Node | null {
  let inner = callee;
  for (let depth = 0; depth < 4 && inner?.type === 'MemberExpression' && CHAINED.test(propertyName(inner)); depth += 1) {
    const call = bare(at(inner, 'object'));
    if (call?.type !== 'CallExpression') return null;
    inner = bare(at(call, 'callee'));
    if (inner?.type !== 'MemberExpression' || !CHAINED.test(propertyName(inner))) return call;
  }
  return null;
}

const CHAINED = /^(retries|timeout|slow)$/;

function rowTexts(rows: readonly Value[] | null, runner: Runner, scene: Scene): readonly string[] | null {
  if (runner.table === null) return scene.rows;
  return rows === null ? null : [...(scene.rows ?? []), ...rows.map((row) => printValue(row))];
}

function walkOf<Walk extends BodyWalk>(
  kind: new (root: Node, tree: Tree) => Walk,
  fn: Value | null,
  rows: readonly Value[] | null,
  runner: Runner,
  scene: Scene,
): Walk {
  const node = fn?.node ?? null;
  const walk = new kind(node ?? { type: 'None', start: 0, end: 0 }, fn?.env.module.tree ?? scene.env.module.tree);
  if (fn === null || node === null) return walk;
  if (node['generator'] === true && runner.idle === true) {
    walk.run(fn, null, true, 'in a generator that nobody runs');
    return walk;
  }
  if (runner.table === null || rows === null || rows.length > MOST_ROWS) walk.run(fn, null, scene.open || runner.table !== null);
  else for (const row of rows) walk.run(fn, rowArguments(row, runner.spread), scene.open);
  if (rows?.length === 0) walk.run(fn, null, true, 'in a table without rows');
  if (scene.hooks.length > 0) walk.around(scene.hooks);
  return walk;
}
