// Walks through a test as it runs: which checks it comes by, and what may keep one from running or from being heard.

import type { FunctionValue, Place, Source, Statement, Value, ValueOf } from '../syntax/nodes.js';
import { truthOf } from '../syntax/fold.js';
import { dottedName, eachBelow, lastName, negate, positional, someValueIn, eachStatement } from '../syntax/walk.js';
import { chainQuestions, isFail, questionsOf, questionsOfCall } from './checks.js';
import type { Question } from './checks.js';
import type { Dialect } from './dialect.js';
import type { Check, Double, Mark, Obstacle, ObstacleKind, Test, Walked } from './facts.js';
import { itemsOf, makeRow, rowsFor, listRows } from './rows.js';
import type { Row } from './rows.js';
import { isSubtest } from './registration.js';
import { expand } from './scope.js';
import type { Scope } from './scope.js';

/** Helpers that call helpers are followed so deep. */
const DEEPEST = 4;
/** Longer walks are of generated tests: the rest is not followed. */
const MOST_CHECKS = 3000;
const MOST_ROWS = 60;

/** Finds a function of another file: a helper that a test imports. */
export type Lookup = (
  from: Source,
  module: string,
  name: string,
) => { readonly call: FunctionValue; readonly scope: Scope; readonly source: Source } | null;

export function walkTest(test: Test, dialect: Dialect, lookup: Lookup): Walked {
  const walk = new Walk(dialect, lookup);
  for (const hook of test.hooks) walk.body(hook, test.scope, test.source, [], 0);
  const fromHooks = walk.checks.length;
  const { run } = test;
  if (run !== null) {
    // `done()` and `t.plan(2)`.
    const { params, body } = run;

    const names = new Set(params.flatMap((parameter) => parameter.names));
    const isOne = (value: Value): boolean => value.kind === 'name' && names.has(value.name);
    walk.isWaitedFor =
      names.size > 0 &&
      someValueIn(
        body,
        (value) =>
          value.kind === 'call' &&
          (isOne(value.callee) ||
            lastName(value.callee) === 'plan' ||
            (/^(then|catch|end|expect|finally)$/.test(lastName(value.callee)) && value.args.some((argument) => isOne(argument.value)))),
      );
    const rows = listRows(test);
    const isNever = test.tables.some((table) => table.kind === 'list' && table.items.length === 0);
    const around: readonly Obstacle[] = isNever ? [{ kind: 'never-run', condition: null, ...test.head }] : [];
    if (rows.length === 0) walk.function(run, test.scope.inner([run.body]), test.source, around, 0);
    else for (const given of rows) walk.function(run, test.scope.instance([run.body], given), test.source, [], 0);
  }
  return {
    checks: walk.checks.slice(fromHooks),
    marks: walk.marks,
    tables: [...test.tables, ...walk.tables],
    doubles: walk.doubles,
    calls: walk.calls,
  };
}

class Walk implements Walked {
  readonly checks: Check[] = [];
  readonly marks: Mark[] = [];
  readonly tables: Value[] = [];
  readonly doubles: Double[] = [];
  readonly calls = new Set<string>();
  private readonly open = new Set<FunctionValue>();
  /** The runner waits for a call of the test's own, or for a number of checks. */
  isWaitedFor = false;

  constructor(
    private readonly dialect: Dialect,
    private readonly lookup: Lookup,
  ) {}

  function(run: FunctionValue, scope: Scope, source: Source, obstacles: readonly Obstacle[], depth: number): void {
    if (this.open.has(run) || this.checks.length > MOST_CHECKS) return;
    this.open.add(run);
    this.body(run.body, scope, source, obstacles, depth);
    this.open.delete(run);
  }

  body(body: readonly Statement[], scope: Scope, source: Source, around: readonly Obstacle[], depth: number): void {
    const leaving: Obstacle[] = [];
    for (const statement of body) {
      this.statement(statement, scope, source, leaving.length === 0 ? around : around.concat(leaving), depth);
      const leaves = leavesUnder(statement, this.dialect);
      if (leaves !== null) leaving.push(leaves);
    }
  }

  private statement(statement: Statement, scope: Scope, source: Source, obstacles: readonly Obstacle[], depth: number): void {
    const withObstacle = (kind: ObstacleKind, place: Place, condition: Value | null = null): readonly Obstacle[] => [
      ...obstacles,
      { kind, condition, from: place.from, to: place.to },
    ];
    switch (statement.kind) {
      case 'assert':
        this.value(statement.test, scope, source, obstacles, depth, true);
        this.ask(questionsOf(statement.test, scope), statement, scope, source, obstacles);
        return;
      case 'expression':
        this.value(statement.value, scope, source, obstacles, depth, false);
        return;
      case 'assign':
        if (statement.value !== null) this.value(statement.value, scope, source, obstacles, depth, isWaited(statement, source));
        this.double(statement, source);
        return;
      case 'return':
        if (statement.value !== null) this.value(statement.value, scope, source, obstacles, depth, true);
        return;
      case 'raise':
        if (statement.value !== null) this.raised(statement.value, obstacles);
        return;
      case 'if': {
        this.value(statement.test, scope, source, obstacles, depth, true);
        if (isThrowing(statement.then, this.dialect) && statement.other.length === 0) {
          this.ask(questionsOf(statement.test, scope, true), statement, scope, source, obstacles);
          return;
        }
        const isEither = this.asks(statement.then) && this.asks(statement.other);
        const truth = isEither ? 'unknown' : truthOf(expand(statement.test, scope));
        const then =
          truth === 'true' || isEither ? obstacles : withObstacle(truth === 'false' ? 'never-run' : 'condition', statement, statement.test);
        const other =
          truth === 'false' || isEither
            ? obstacles
            : withObstacle(truth === 'true' ? 'never-run' : 'condition', statement, negate(statement.test));
        this.body(statement.then, scope, source, then, depth);
        this.body(statement.other, scope, source, other, depth);
        return;
      }
      case 'loop': {
        if (statement.over !== null) {
          this.value(statement.over, scope, source, obstacles, depth, true);
          if (statement.target !== null) this.tables.push(expand(statement.over, scope));
        }
        const over = statement.over === null ? null : expand(statement.over, scope);
        const isEmpty = over?.kind === 'list' && over.items.length === 0;
        const isFull = over !== null && itemsOf(over).length > 0;
        const inner = isEmpty ? withObstacle('never-run', statement) : isFull ? obstacles : withObstacle('loop', statement);
        const rows = over !== null && statement.target !== null ? rowsFor(itemsOf(over), statement.target) : [];
        if (rows.length === 0 || rows.length > MOST_ROWS) this.body(statement.body, scope, source, inner, depth);
        else for (const given of rows) this.body(statement.body, scope.instance([statement.body], given), source, inner, depth);
        return;
      }
      case 'try':
        this.tried(statement, scope, source, obstacles, depth);
        return;
      case 'with': {
        let inner = obstacles;
        for (const { value } of statement.items) {
          const [asked] = value.kind === 'call' ? questionsOfCall(value, this.dialect, scope) : [];
          if (asked?.relation !== 'raises') this.value(value, scope, source, obstacles, depth, true);
          if (value.kind === 'call' && lastName(value.callee) === 'suppress') inner = withObstacle('swallowed', statement);
          if (asked?.relation === 'raises') {
            this.raises(asked, statement, value, scope, source, obstacles);
            if (asked.wanted !== null && /^(AssertionError|Exception|BaseException|panic)$/.test(dottedName(asked.wanted)))
              inner = withObstacle('swallowed', statement);
          }
        }
        this.body(statement.body, scope, source, inner, depth);
        return;
      }
      case 'block':
        this.body(statement.body, scope, source, obstacles, depth);
        return;
      case 'other':
        for (const value of statement.values) this.value(value, scope, source, obstacles, depth, true);
        return;
      case 'function':
      case 'class':
      case 'import':
      case 'jump':
    }
  }

  /** Something is checked in the block. */
  private asks(body: readonly Statement[]): boolean {
    return body.length > 0 && mayCheck({ kind: 'function', from: 0, to: 0, params: [], body, isAsync: false }, this.dialect);
  }

  /** What is asked is the block, so the block is the subject. */
  private raises(asked: Question, statement: ValueOfWith, call: Value, scope: Scope, source: Source, obstacles: readonly Obstacle[]): void {
    const subject: Value = { from: statement.from, to: statement.to, kind: 'function', params: [], body: statement.body, isAsync: false };
    this.push({ ...asked, subject }, call, scope, source, obstacles);
  }

  private tried(
    statement: Extract<Statement, { kind: 'try' }>,
    scope: Scope,
    source: Source,
    obstacles: readonly Obstacle[],
    depth: number,
  ): void {
    const swallowing = statement.handlers.some((handler) => this.swallows(handler.body, handler.caught));
    // What must throw says so: `fail()` at the end of the block, and checks in the handler.
    const demands =
      someStatement(
        statement.body,
        (inner) => inner.kind === 'expression' && isFail(inner.value.kind === 'await' ? inner.value.value : inner.value, this.dialect),
      ) || statement.body.some((inner) => inner.kind === 'raise');
    const inside =
      swallowing && !demands
        ? [...obstacles, { kind: 'swallowed' as const, condition: null, from: statement.from, to: statement.to }]
        : obstacles;
    this.body(statement.body, scope, source, inside, depth);
    this.body(statement.other, scope, source, inside, depth);
    for (const { body } of statement.handlers)
      this.body(
        body,
        scope,
        source,
        demands ? obstacles : [...obstacles, { kind: 'handler', condition: null, from: statement.from, to: statement.to }],
        depth,
      );
    this.body(statement.final, scope, source, obstacles, depth);
  }

  /** A handler that hears a failed check and says nothing of it. */
  private swallows(body: readonly Statement[], caught: Value | null): boolean {
    if (caught !== null && !CATCHES_CHECKS.test(readBoundNames(caught))) return false;
    const speaks = someStatement(
      body,
      (inner) => inner.kind === 'raise' || inner.kind === 'assert' || (inner.kind === 'return' && inner.value !== null),
    );
    const asks = someValueIn(
      body,
      (value) =>
        value.kind === 'call' &&
        (isFail(value, this.dialect) ||
          /^(expect|assert\w*|should|fail|reject|skip|skipTest)$/i.test(lastName(value.callee)) ||
          (/^(done|next|cb|callback|end|resolve)$/.test(lastName(value.callee)) && value.args.length > 0) ||
          /^(assert|t|self)\./.test(dottedName(value.callee))),
    );
    return !speaks && !asks;
  }

  private raised(value: Value, obstacles: readonly Obstacle[]): void {
    const name = lastName(value.kind === 'call' ? value.callee : value);
    if (name.endsWith('SkipTest')) this.marks.push({ kind: 'skip', condition: conditionOf(obstacles), from: value.from, to: value.to });
  }

  private ask(questions: readonly Question[], place: Place, scope: Scope, source: Source, obstacles: readonly Obstacle[]): void {
    for (const question of questions) this.push(question, place, scope, source, obstacles);
  }

  private push(question: Question, place: Place, scope: Scope, source: Source, obstacles: readonly Obstacle[]): void {
    const { isPromise: _, ...rest } = question;
    this.checks.push({ ...rest, from: place.from, to: place.to, scope, source, obstacles });
  }

  /** `isUsed`: the value is awaited, returned or held, so a promise is not lost. */
  private value(value: Value, scope: Scope, source: Source, obstacles: readonly Obstacle[], depth: number, isUsed: boolean): void {
    switch (value.kind) {
      case 'await':
        this.value(value.value, scope, source, obstacles, depth, true);
        return;
      case 'call':
        this.call(value, scope, source, obstacles, depth, isUsed);
        return;
      case 'member': {
        const questions = chainQuestions(value, this.dialect, scope);
        this.ask(questions, value, scope, source, obstacles);
        if (questions.length === 0) this.value(value.object, scope, source, obstacles, depth, isUsed);
        return;
      }
      case 'choice':
        this.value(value.test, scope, source, obstacles, depth, true);
        for (const part of [value.then, value.other])
          this.value(
            part,
            scope,
            source,
            [...obstacles, { kind: 'condition', condition: value.test, from: value.from, to: value.to }],
            depth,
            isUsed,
          );
        return;
      case 'binary': {
        this.value(value.left, scope, source, obstacles, depth, true);
        const inner: readonly Obstacle[] =
          value.op === 'and' || value.op === 'or' || value.op === '??'
            ? [...obstacles, { kind: 'condition', condition: value.left, from: value.from, to: value.to }]
            : obstacles;
        this.value(value.right, scope, source, inner, depth, true);
        return;
      }
      case 'function':
        this.function(
          value,
          scope.inner([value.body]),
          source,
          [...obstacles, { kind: 'callback', condition: null, from: value.from, to: value.to }],
          depth,
        );
        return;
      case 'unary':
        this.value(value.operand, scope, source, obstacles, depth, value.op !== 'void');
        return;
      case 'list':
        for (const item of value.items) this.value(item, scope, source, obstacles, depth, isUsed);
        return;
      case 'record':
        for (const { value: inner } of value.entries) this.value(inner, scope, source, obstacles, depth, true);
        return;
      case 'assign':
        this.value(value.value, scope, source, obstacles, depth, true);
        return;
      case 'index':
        this.value(value.object, scope, source, obstacles, depth, true);
        return;
      case 'spread':
        this.value(value.value, scope, source, obstacles, depth, true);
        return;
      case 'template':
        for (const part of value.parts) if (typeof part !== 'string') this.value(part, scope, source, obstacles, depth, true);
        return;
      case 'other':
        for (const part of value.parts) this.value(part, scope, source, obstacles, depth, true);
        return;
      case 'constant':
      case 'name':
      case 'number':
      case 'pattern':
      case 'text':
    }
  }

  private call(call: ValueOf<'call'>, scope: Scope, source: Source, obstacles: readonly Obstacle[], depth: number, isUsed: boolean): void {
    const name = dottedName(call.callee);
    if (depth === 0) this.calls.add(name === '' ? `.${lastName(call.callee)}` : name);
    const kind = this.dialect.skips.get(name);
    // `test.skip('title', fn)` is a test, not a skip inside one.
    if (
      kind !== undefined &&
      !call.args.some(({ value }) => value.kind === 'function' && value.body.length > 0) &&
      isRunners(name, scope)
    ) {
      const [first] = positional(call);
      const isConditional = name.startsWith('test.') && first !== undefined && first.kind !== 'text';
      const condition = isConditional ? first : name.endsWith('importorskip') ? call : conditionOf(obstacles);
      this.marks.push({ kind, condition, from: call.from, to: call.to });
      return;
    }
    if (source.language === 'javascript' && isSubtest(call)) return;
    if (name === 'Promise.allSettled') {
      for (const { value } of call.args)
        this.value(value, scope, source, [...obstacles, { kind: 'swallowed', condition: null, from: call.from, to: call.to }], depth, true);
      return;
    }
    const double = doubleOf(call, source, this.dialect);
    if (double !== null) this.doubles.push(double);
    const questions = questionsOfCall(call, this.dialect, scope);
    if (questions.length > 0) {
      const isLost =
        !isUsed && !this.isWaitedFor && questions.some(({ isPromise }) => isPromise === true) && source.language === 'javascript';
      const heard = isLost ? [...obstacles, { kind: 'unawaited' as const, condition: null, from: call.from, to: call.to }] : obstacles;
      const own = questions.every(({ relation }) => relation === 'own') ? this.helper(call, scope, source, obstacles, depth) : false;
      if (!own) this.ask(questions, call, scope, source, heard);
      // A check inside what must throw passes by failing.
      const isTurned = questions.some(({ relation, negated }) => relation === 'raises' && !negated);
      this.inner(
        call,
        scope,
        source,
        isTurned ? [...heard, { kind: 'swallowed', condition: null, from: call.from, to: call.to }] : heard,
        depth,
        true,
      );
      return;
    }
    if (isFail(call, this.dialect)) {
      this.push({ relation: 'never', subject: call, wanted: null, negated: false, detail: '' }, call, scope, source, obstacles);
      return;
    }
    if (this.helper(call, scope, source, obstacles, depth)) {
      for (const { value } of call.args) if (value.kind !== 'function') this.value(value, scope, source, obstacles, depth, true);
      return;
    }
    this.inner(call, scope, source, obstacles, depth, false, isUsed);
  }

  /** What stands in the call: its owner, its arguments, functions it is given. */
  private inner(
    call: ValueOf<'call'>,
    scope: Scope,
    source: Source,
    obstacles: readonly Obstacle[],
    depth: number,
    isCheck: boolean,
    isUsed = true,
  ): void {
    const { callee } = call;
    if (callee.kind === 'member')
      this.value(
        callee.object,
        scope,
        source,
        this.isForgiven(call) ? [...obstacles, { kind: 'swallowed', condition: null, from: call.from, to: call.to }] : obstacles,
        depth,
        isUsed,
      );
    else if (callee.kind !== 'name') this.value(callee, scope, source, obstacles, depth, isUsed);
    const name = lastName(callee);
    for (const { value } of call.args) {
      if (value.kind !== 'function') {
        this.value(value, scope, source, obstacles, depth, true);
        continue;
      }
      const runsIt = isCheck || this.dialect.runs.has(name) || (callee.kind === 'function' && true);
      const isLater = ((LATER.test(name) && !isUsed) || TIMERS.test(name)) && !this.isWaitedFor;
      const isLost = value.isAsync && !isUsed && (name === 'forEach' || name === 'map');
      const extra: readonly Obstacle[] =
        isLater || isLost
          ? [{ kind: 'unawaited', condition: null, from: call.from, to: call.to }]
          : runsIt
            ? this.elementsOf(call, scope)
            : [{ kind: 'callback', condition: null, from: value.from, to: value.to }];
      if (name === 'catch')
        this.function(
          value,
          scope.inner([value.body]),
          source,
          [...obstacles, { kind: 'handler', condition: null, from: value.from, to: value.to }],
          depth,
        );
      else {
        const rows = runsIt && (name === 'forEach' || name === 'map') ? this.rowsOver(call, value, scope) : [];
        if (rows.length === 0) this.function(value, scope.inner([value.body]), source, [...obstacles, ...extra], depth);
        else for (const row of rows) this.function(value, scope.instance([value.body], row), source, [...obstacles, ...extra], depth);
      }
    }
  }

  /** What the function is given for each element of a list that is written down. */
  private rowsOver(call: ValueOf<'call'>, { params }: FunctionValue, scope: Scope): readonly Row[] {
    const list = call.callee.kind === 'member' ? expand(call.callee.object, scope) : null;
    const [first] = params;
    if (list?.kind !== 'list' || first === undefined || list.items.length > MOST_ROWS) return [];
    return list.items.map((item) => makeRow(first.names, item));
  }

  /** `promise.catch(() => {})`. */
  private isForgiven(call: ValueOf<'call'>): boolean {
    const [first, second] = positional(call);
    const name = lastName(call.callee);
    const handler = name === 'catch' ? first : name === 'then' ? second : undefined;
    if (handler === undefined) return false;
    return handler.kind === 'function' ? this.swallows(handler.body, null) : /^console\.|noop|ignore|^Boolean$/.test(dottedName(handler));
  }

  /** `[1, 2].forEach(f)` runs over a list: it counts as a table, and an empty one runs nothing. */
  private elementsOf(call: ValueOf<'call'>, scope: Scope): readonly Obstacle[] {
    const name = lastName(call.callee);
    if (call.callee.kind !== 'member' || (name !== 'forEach' && name !== 'map')) return [];
    const list = expand(call.callee.object, scope);
    this.tables.push(list);
    if (list.kind !== 'list') return [{ kind: 'loop', condition: null, from: call.from, to: call.to }];
    return list.items.length === 0 ? [{ kind: 'never-run', condition: null, from: call.from, to: call.to }] : [];
  }

  /** A function of the test's own that checks something: its body is walked with what it is given. True where it was. */
  private helper(call: ValueOf<'call'>, scope: Scope, source: Source, obstacles: readonly Obstacle[], depth: number): boolean {
    if (depth >= DEEPEST) return false;
    const found = this.functionOf(call.callee, scope, source);
    if (found === null || !mayCheck(found.call, this.dialect)) return false;
    const given = new Map<string, Value>();
    const params = found.call.params.filter(({ names }) => names[0] !== 'self' && names[0] !== 'cls');
    const args = positional(call);
    params.forEach(({ names, fallback, isRest }, index) => {
      const [name] = names;
      if (isRest && name !== undefined) {
        given.set(name, { from: call.from, to: call.to, kind: 'list', type: 'list', items: args.slice(index) });
        return;
      }
      const value =
        (name === undefined ? undefined : call.args.find((argument) => argument.name === name)?.value) ?? args[index] ?? fallback;
      if (name !== undefined && names.length === 1 && value !== null && value !== undefined) given.set(name, value);
    });
    const before = this.checks.length;
    this.function(found.call, found.scope.inner([found.call.body], given, scope), found.source, obstacles, depth + 1);
    // What a helper checks stands where it is called.
    for (let index = before; index < this.checks.length; index += 1) {
      const check = this.checks[index] as Check;
      if (depth === 0) this.checks[index] = { ...check, from: call.from, to: call.to, source };
    }
    return this.checks.length > before;
  }

  private functionOf(
    callee: Value,
    scope: Scope,
    source: Source,
  ): { readonly call: FunctionValue; readonly scope: Scope; readonly source: Source } | null {
    const name =
      callee.kind === 'member' &&
      callee.object.kind === 'name' &&
      (callee.object.name === 'self' || callee.object.name === 'this' || callee.object.name === 'cls')
        ? callee.name
        : callee.kind === 'name'
          ? callee.name
          : '';
    if (name === '') return null;
    const definition = scope.find(name);
    if (definition?.call !== null && definition?.call !== undefined) return { call: definition.call, scope, source };
    return definition?.module === null || definition?.module === undefined
      ? null
      : this.lookup(source, definition.module.path, definition.module.name);
  }

  private double(statement: Extract<Statement, { kind: 'assign' }>, source: Source): void {
    const [target] = statement.targets;
    if (target?.kind !== 'member' || statement.value === null || target.object.kind !== 'name') return;
    const { value } = statement;
    const isStandIn = value.kind === 'function' || (value.kind === 'call' && this.dialect.doubles.test(dottedName(value.callee)));
    if (!isStandIn || target.object.name === 'this' || target.object.name === 'self') return;
    this.doubles.push({ kind: 'member', target: `${target.object.name}.${target.name}`, source, from: statement.from, to: statement.to });
  }
}

/** What comes of them must be waited for. */
const LATER = /^(then|finally|waitFor|waitUntil|eventually|step)$/;
const TIMERS = /^(setTimeout|setImmediate|queueMicrotask|nextTick)$/;

/** A promise that is held under a name is waited for where the name is. */
function isWaited({ targets: [target], to }: Extract<Statement, { kind: 'assign' }>, { text, language }: Source): boolean {
  if (language !== 'javascript' || target?.kind !== 'name') return true;
  const name = target.name.replaceAll('$', String.raw`\$`);
  return new RegExp(
    String.raw`\b(?:await|return|yield)\b[^;\n]*\b${name}\b|\b${name}\s*\.\s*(?:then|end|finally)\b|\(\s*\[?[^()]*\b${name}\b`,
  ).test(text.slice(to, to + NEAR));
}

/** As far as a promise's name is looked for. */
const NEAR = 4000;

type ValueOfWith = Extract<Statement, { kind: 'with' }>;

/** Names of exceptions that a failed check is one of. */
const CATCHES_CHECKS = /\b(AssertionError|Exception|BaseException|Error|failures?)\b|^$/;

function readBoundNames(value: Value): string {
  const names: string[] = [];
  eachBelow(value, (inner) => {
    if (inner.kind === 'name' || inner.kind === 'member') names.push(inner.name);
  });
  return names.join(' ');
}

/** The innermost condition, for a skip that stands under one. */
function conditionOf(obstacles: readonly Obstacle[]): Value | null {
  return obstacles.findLast(({ condition }) => condition !== null)?.condition ?? null;
}

/** A function of the project may have the same name. */
function isRunners(name: string, scope: Scope): boolean {
  if (name.includes('.')) return true;
  const known = scope.find(name);
  return known === null || (known.module !== null && /pytest|unittest|vitest|jest|mocha|tap|node:test/.test(known.module.path));
}

/** A block that fails the test and does nothing else. */
function isThrowing(body: readonly Statement[], dialect: Dialect): boolean {
  const last = body.at(-1);
  if (last === undefined || body.length > 2) return false;
  if (last.kind === 'raise')
    return last.value !== null && !/SkipTest|Skip$/.test(lastName(last.value.kind === 'call' ? last.value.callee : last.value));
  return last.kind === 'expression' && isFail(last.value, dialect);
}

/** What a statement means for those behind it: it may leave the test, or surely does. */
function leavesUnder(statement: Statement, dialect: Dialect): Obstacle | null {
  const place = { from: statement.from, to: statement.to };
  if (statement.kind === 'return' || statement.kind === 'raise') return { kind: 'never-run', condition: null, ...place };
  if (
    statement.kind === 'expression' &&
    statement.value.kind === 'call' &&
    (dialect.skips.get(dottedName(statement.value.callee)) ?? '') !== ''
  )
    return null;
  if (statement.kind !== 'if') return null;
  const leaves = (body: readonly Statement[]): boolean =>
    (body.length === 1 && body[0]?.kind === 'jump') ||
    body.some((inner) => inner.kind === 'return' || (inner.kind === 'if' && (leaves(inner.then) || leaves(inner.other))));
  if (isThrowing(statement.then, dialect)) return null;
  return leaves(statement.then) || leaves(statement.other) ? { kind: 'early-return', condition: statement.test, ...place } : null;
}

function someStatement(body: readonly Statement[], test: (statement: Statement) => boolean): boolean {
  let found = false;
  eachStatement(body, (statement) => {
    found ||= test(statement);
    return !found;
  });
  return found;
}

const CHECKING = new WeakMap<FunctionValue, boolean>();

/** Only functions that check something, or call others that may, are walked. */
export function mayCheck(call: FunctionValue, dialect: Dialect): boolean {
  const known = CHECKING.get(call);
  if (known !== undefined) return known;
  let found = false;
  eachStatement(call.body, (statement) => {
    found ||= statement.kind === 'assert' || statement.kind === 'raise';
    if (found) return false;
    return undefined;
  });
  found ||= someValueIn(call.body, (value) => {
    if (value.kind === 'call') {
      const name = lastName(value.callee);
      return (
        dialect.expects.has(name) ||
        dialect.asserts.has(name) ||
        /^(assert|check|verify|expect|should)/i.test(name) ||
        isFail(value, dialect)
      );
    }
    return false;
  });
  CHECKING.set(call, found);
  return found;
}

const MODULE_MOCKS: ReadonlySet<string> = new Set([
  'jest.mock',
  'vi.mock',
  'jest.doMock',
  'vi.doMock',
  'mock.module',
  't.mock.module',
  'jest.unstable_mockModule',
  'proxyquire',
]);

/** What the call replaces; null where it replaces nothing, or only watches. */
export function doubleOf(call: ValueOf<'call'>, source: Source, dialect: Dialect): Double | null {
  const makeDouble = (kind: Double['kind'], target: string): Double => ({ kind, target, source, from: call.from, to: call.to });
  const name = dottedName(call.callee);
  const [first, second, third] = positional(call);
  if (dialect.expects.size > 0) {
    if (MODULE_MOCKS.has(name)) return first?.kind === 'text' ? makeDouble('module', first.value) : null;
    // `jest.spyOn(a, 'b').mockReturnValue(1)`: without the second call it only watches.
    if (/^mock(Return|Resolved|Rejected|Implementation)/.test(lastName(call.callee)) && call.callee.kind === 'member') {
      const spied = call.callee.object;
      if (spied.kind === 'call' && /(^|\.)spyOn$/.test(dottedName(spied.callee))) return spiedOn(positional(spied), makeDouble);
      return null;
    }
    if (name === 'sinon.stub' || name === 'mock.method' || name === 't.mock.method')
      return second === undefined ? null : spiedOn([first as Value, second], makeDouble);
    if (name === 'Object.defineProperty')
      return second?.kind === 'text' && third !== undefined && first !== undefined ? spiedOn([first, second], makeDouble) : null;
    return null;
  }
  if (/(^|\.)patch\.object$/.test(name))
    return first !== undefined && second?.kind === 'text' ? makeDouble('member', `${dottedName(first)}.${second.value}`) : null;
  if (/(^|\.)patch$/.test(name)) return first?.kind === 'text' ? makeDouble('member', first.value) : null;
  if (/(^|\.)setattr$/.test(name)) {
    if (first?.kind === 'text') return makeDouble('member', first.value);
    return first !== undefined && second?.kind === 'text' && dottedName(first) !== ''
      ? makeDouble('member', `${dottedName(first)}.${second.value}`)
      : null;
  }
  return null;
}

function spiedOn([object, member]: readonly Value[], made: (kind: Double['kind'], target: string) => Double): Double | null {
  return object !== undefined && member?.kind === 'text' && dottedName(object) !== ''
    ? made('member', `${dottedName(object)}.${member.value}`)
    : null;
}
