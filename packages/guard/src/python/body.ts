// Walks through a test's body as it would run, without running it: helpers are entered, loops over literals written out, and every
// assertion is noted with how it is reached, who waits for it and what becomes of its failure.

import { CallWalk, MOST_WORK } from './calls.js';
import { CAUGHT, draft, noticed, parseCall, raisingDraft, raisingOf } from './checks.js';
import type { Raising } from './checks.js';
import {
  asserts,
  caughtBy,
  checksIn,
  constantTruth,
  eats,
  failsAtOnce,
  failsInside,
  failsLate,
  forgets,
  forgives,
  isMissing,
  handsOut,
  isOwnAssertion,
  lastCall,
  lastRaising,
  letsGo,
  makesErrors,
  mayRaise,
  soughtIn,
  truthOfRow,
} from './flow.js';
import { SILENT } from './matchers.js';
import { examplesOf } from './examples.js';
import { behindName, givenBy } from './contexts.js';
import { isMentioned } from './mentions.js';
import { isSkipError } from './names.js';
import { START } from './notes.js';
import type { Place } from './notes.js';
import { print, printValue } from './print.js';
import { questions } from './questions.js';
import { raisedByItself } from './raised.js';
import { bindEntries, isEmptyList, isUncertain, rowsOf } from './rows.js';
import { bind, declare, valueOf } from './scope.js';
import type { Callable, Env, Value } from './scope.js';
import { isSwitchedOff } from './switches.js';
import type { Expr, FunctionStmt, Handler, Stmt } from './tree.js';
import { dotted, lastName, positional, settled, spanOf } from './tree.js';

const MOST_ASSERTIONS = 300;
const MOST_ROWS = 40;
const FORGOTTEN = 'in a task whose failure is kept and never looked at';
/** Not the failure of a check, but of what is called before it. */
const OTHERS_GO = 'in a try whose except lets the failure go';
const UNCALLED = 'in a function that is never called';
const MAYBE_CALLED = 'in a function that may never be called';
const COMPOUND: ReadonlySet<Stmt['type']> = new Set(['If', 'For', 'While', 'Try', 'With', 'Match']);

/** Everything seen in one test, or in one helper. */
export class BodyWalk extends CallWalk {
  /** Walks the function; `args` are the values of its parameters, by name. */
  run(
    fn: Callable,
    args: ReadonlyMap<string, Value>,
    how: { readonly open?: boolean; readonly never?: string; readonly floating?: boolean } = {},
  ): void {
    const { open = false, never = null, floating = false } = how;
    const place: Place = { ...START, open, floating, reach: never === null ? 'always' : 'never', why: never };
    const env = fn.env.child();
    for (const { name } of fn.node.params) env.set(name, args.get(name) ?? { node: null, env, text: name });
    for (const [name, value] of args) env.set(name, value);
    this.inside(fn, env, place);
    this.pending = [];
  }

  /** A property asks for a number of examples. */
  examples(decorators: readonly { readonly node: Expr; readonly env: Env }[]): void {
    const asked = examplesOf(decorators);
    if (asked !== null) this.note([draft('range', asked.about, asked.count, asked.env, { op: '>=' })], asked.about, asked.env, START);
  }

  /** What runs before or after the test: its checks and skips count, its returns do not. */
  around(fn: Callable, args: ReadonlyMap<string, Value>): void {
    const env = fn.env.child();
    for (const [name, value] of args) if (!env.parent?.has(name)) env.set(name, value);
    this.inside(fn, env, { ...START, own: false });
  }

  protected block(statements: readonly Stmt[], env: Env, place: Place): void {
    for (const statement of statements) if (statement.type === 'Function' || statement.type === 'Class') declare(statement, env);
    let current = place;
    for (const statement of statements) {
      const within = COMPOUND.has(statement.type) ? 1 : 0;
      this.level += within;
      this.statement(statement, env, current);
      this.own.note(statement, env, this.calls);
      this.level -= within;
      if (statement.type === 'Return') current = this.never(current, 'after a return');
      else if (statement.type === 'Raise') current = this.never(current, 'after a raise');
      else if (statement.type === 'Continue' || statement.type === 'Break') current = this.never(current, 'after the loop was left');
      else current = this.afterLeaving(statement, current);
    }
    this.leftOver(statements, env, place);
  }

  /** Functions of the block that were not walked through: those that nobody speaks of first, for they may be alone to call the others. */
  private leftOver(statements: readonly Stmt[], env: Env, place: Place): void {
    const left = statements.filter((statement) => statement.type === 'Function').filter(({ name }) => !handsOut(statements, name));
    if (left.length === 0) return;
    const [pending, around] = [this.pending, this.innermost()];
    this.pending = [];
    for (const node of left) if (!isMentioned(node, around)) this.uncalled(node, env, this.never(place, UNCALLED));
    for (const node of left) if (isMentioned(node, around)) this.uncalled(node, env, this.maybe(place, MAYBE_CALLED));
    this.pending = pending;
  }

  /** `if x: continue` leaves what follows to a condition. */
  private afterLeaving(statement: Stmt, place: Place): Place {
    const inner = statement.type === 'Expression' ? settled(statement.value) : null;
    if (inner?.type === 'Call' && lastName(inner.callee) === 'assume') return this.maybe(place, 'after an assume');
    if (statement.type !== 'If') return place;
    const leaving = statement.branches.filter(({ body }) => body.some(({ type }) => type === 'Continue' || type === 'Break'));
    return leaving.length === 0 ? place : this.maybe(place, 'after a way out of the loop');
  }

  /** A function of the test that asserts and is never called: its checks never run. */
  private uncalled(node: FunctionStmt, env: Env, place: Place): void {
    if (this.entered.has(node) || node.decorators.length > 0 || node.name.startsWith('__')) return;
    this.enter({ node, env, bound: 0 }, null, env, place);
  }

  private statement(node: Stmt, env: Env, place: Place): void {
    if (this.assertions.length > MOST_ASSERTIONS || (this.work += 1) > MOST_WORK) return;
    switch (node.type) {
      case 'Assert':
        this.visit(node.test, env, place);
        return this.note(questions(draft('truthy', node.test, null, env)), node, env, place);
      case 'Expression':
        this.visit(node.value, env, forgets(node.value) ? this.losing(place, FORGOTTEN) : place);
        this.drop(node.value, env);
        return this.count(node.value, env, place);
      case 'Assign':
        return this.assignment(node, env, place);
      case 'Update':
        this.visit(node.value, env, place);
        if (dotted(node.target) !== '') env.set(dotted(node.target), { node: null, env, text: dotted(node.target) });
        return;
      case 'Return':
        if (node.value !== null) this.visit(node.value, env, place, place.taken);
        if (place.own) this.pending.push({ node, branch: place.branch });
        return;
      case 'Raise':
        if (node.value !== null && isSkipError(node.value, env)) this.skip(node, env, place);
        return;
      case 'If':
        return this.branches(node, env, place);
      case 'For':
        return this.loop(node, env, place);
      case 'While':
        this.visit(node.test, env, place);
        return this.repeat(node, env, place);
      case 'Try':
        return this.attempt(node, env, place);
      case 'With':
        return this.context(node, env, place);
      case 'Match':
        for (const one of node.cases) this.block(one, env, this.maybe(place, 'in one case of a match'));
        return;
      case 'Import':
        return declare(node, env);
      case 'Function':
        if (node.decorators.length > 0) this.enter({ node, env, bound: 0 }, null, env, this.maybe(place, MAYBE_CALLED));
        return;
      case 'Delete':
        this.calls += 1;
        return;
      case 'Break':
      case 'Class':
      case 'Continue':
      case 'Other':
      case 'Pass':
        return;
    }
  }

  private assignment(node: Extract<Stmt, { type: 'Assign' }>, env: Env, place: Place): void {
    if (node.value === null) return;
    if (node.value.type !== 'Lambda') {
      const unread = node.targets.every((target) => target.type !== 'Attribute' && this.isUnread(namesIn(target)));
      const lost = unread && forgets(node.value) ? this.losing(place, FORGOTTEN) : place;
      this.visit(node.value, env, lost, !this.isLeft(node.targets, node.value, env));
      if (unread) this.drop(node.value, env);
    }
    this.count(node.value, env, place);
    const inner = settled(node.value);
    const raising = inner.type === 'Call' ? parseCall(inner, env) : null;
    for (const target of node.targets) {
      this.flagged(target, node.value, env, place);
      if (target.type === 'Subscript' || (target.type === 'Attribute' && dotted(target.object) !== 'self')) this.calls += 1;
      if (raising !== null && raising.called !== null) bind(target, { node: null, env, text: CAUGHT }, env);
      else bind(target, valueOf(node.value, env), env);
      for (const name of namesIn(target)) this.since.set(name, this.calls);
      this.unpacked(target, node, env, place);
    }
  }

  /** `reached = True` in a block within the test, after `reached = False`: what it holds later depends on the way that is taken. */
  private flagged(target: Expr, value: Expr, env: Env, place: Place): void {
    const name = dotted(target);
    const old = name === '' ? null : env.find(name);
    if (this.level === 0) this.flags.delete(name);
    else if (old === null ? place.reach === 'maybe' : old.node?.type !== value.type || print(value, env) !== printValue(old))
      this.flags.add(name);
  }

  private branches(node: Extract<Stmt, { type: 'If' }>, env: Env, place: Place): void {
    const [only] = node.branches;
    if (node.branches.length === 1 && only !== undefined && only.test !== null && failsAtOnce(only.body))
      this.note(questions(draft('falsy', only.test, null, env)), node, env, place);
    let rest = place;
    for (const { test, body } of node.branches) {
      if (test === null) {
        this.block(body, env, rest);
        continue;
      }
      this.visit(test, env, rest);
      const told = truthOfRow(test, env, (name) => this.isParameter(name));
      if (told === true) return this.block(body, env, rest);
      if (told === false) continue;
      const known = constantTruth(test) ?? (isSwitchedOff(test, body, env) ? true : null);
      const never: Place = { ...rest, reach: 'never', why: 'under a condition that is never true' };
      const branch = known === null && checksIn(body, env);
      this.block(body, env, known === null ? { ...this.maybe(rest, 'under a condition'), branch } : known ? rest : never);
      rest = known === null ? this.maybe(rest, 'under a condition') : known ? never : rest;
    }
  }

  private loop(node: Extract<Stmt, { type: 'For' }>, env: Env, place: Place): void {
    this.visit(node.over, env, place);
    const rows = rowsOf(node.over, env);
    if (rows !== null && rows.length > 0 && rows.length <= MOST_ROWS) {
      for (const row of rows) {
        bind(node.target, row, env, true);
        this.block(node.body, env, place);
      }
    } else {
      bindEntries(node.target, node.over, env);
      const empty = isEmptyList(node.over, env);
      const computed = rows === null && isUncertain(node.over, env);
      const open = { ...place, open: true };
      const reserved = place.reserved || this.isHandedOver(node.over, env);
      const never: Place = { ...open, reach: 'never', why: 'in a loop over an empty list', reserved };
      this.block(node.body, env, empty ? never : computed ? this.maybe(open, 'in a loop that may have nothing to walk over') : open);
    }
    const sought = soughtIn(node);
    if (sought !== null) this.note(questions(draft('truthy', sought, null, env)), node, env, place);
    this.block(node.other, env, place);
  }

  /** A parameter, a column or a field of the test class: empty in this case, and not in others. */
  private isHandedOver(over: Expr, env: Env): boolean {
    const inner = settled(over);
    const from = inner.type === 'Call' && inner.callee.type === 'Attribute' ? inner.callee.object : inner;
    const name = dotted(from);
    return this.isParameter(name) || env.find(name)?.row === true || (name.startsWith('self.') && !this.since.has(name));
  }

  private repeat(node: Extract<Stmt, { type: 'While' }>, env: Env, place: Place): void {
    const known = constantTruth(node.test);
    if (known === null && failsLate(node.body)) this.note(questions(draft('falsy', node.test, null, env)), node, env, place);
    const never: Place = { ...place, reach: 'never', why: 'in a loop that never runs' };
    this.block(
      node.body,
      env,
      known === false ? never : { ...(known === true ? place : this.maybe(place, 'in a loop that may never run')), open: true },
    );
    this.block(node.other, env, place);
  }

  private attempt(node: Extract<Stmt, { type: 'Try' }>, env: Env, place: Place): void {
    const lost = this.lostIn(node, env);
    this.expected(node, env, place);
    const kept = lost === null && node.handlers.some((handler) => caughtBy(handler.caught, env)) ? null : place.swallowed;
    this.block(node.body, env, { ...place, swallowed: lost ?? kept, reserved: place.reserved || lost === OTHERS_GO });
    for (const handler of node.handlers) this.handler(handler, node, env, place);
    const careless = node.handlers.some((handler) => letsGo(handler, env));
    this.block(node.other, env, careless ? this.maybe(place, 'after a try whose except lets the failure go') : place);
    this.block(node.final, env, place);
    const subject = forgives(node, env) ? lastCall(node.body) : null;
    if (subject !== null)
      this.forgiven(
        node.handlers.map(({ caught }) => caught),
        subject,
        node,
        env,
        place,
      );
  }

  /** `try: f(); self.fail()` wants `f` to raise what is caught. */
  private expected(node: Extract<Stmt, { type: 'Try' }>, env: Env, place: Place): void {
    const at = node.body.findIndex((statement) => failsAtOnce([statement]));
    const [first] = node.handlers;
    if (first === undefined || (at < 0 && !failsAtOnce(node.other))) return;
    const subject = lastCall(at < 0 ? node.body : node.body.slice(0, at));
    if (subject === null) return;
    const caught = first.caught?.type === 'Tuple' ? first.caught.items : first.caught === null ? [] : [first.caught];
    const lost = at >= 0 && node.handlers.some((handler) => caughtBy(handler.caught, env) && letsGo(handler, env));
    const raising: Raising = { types: caught, detail: null, name: 'raises' };
    const where = lost ? this.losing(place, 'in a try whose except lets it go') : place;
    this.note([raisingDraft(raising, subject, env)], node, env, where);
  }

  private lostIn(node: Extract<Stmt, { type: 'Try' }>, env: Env): string | null {
    if (node.final.some(({ type }) => type === 'Return' || type === 'Break' || type === 'Continue'))
      return 'in a try whose finally throws the failure away';
    const catching = node.handlers.find((handler) => caughtBy(handler.caught, env));
    if (catching !== undefined) return letsGo(catching, env) ? 'in a try whose except lets it go' : null;
    const other = node.handlers.some((handler) => !isMissing(handler, env) && letsGo(handler, env)) && !failsInside(node.body);
    return other && mayRaise(node.body) ? OTHERS_GO : null;
  }

  private handler(handler: Handler, node: Extract<Stmt, { type: 'Try' }>, env: Env, place: Place): void {
    const fails = failsInside(node.body) || node.other.some((statement) => failsInside([statement]));
    const inner = env.child();
    if (handler.name !== null) inner.set(handler.name, { node: null, env: inner, text: CAUGHT });
    this.block(handler.body, inner, fails ? place : this.maybe(place, 'in an except that need not be reached'));
  }

  private context(node: Extract<Stmt, { type: 'With' }>, env: Env, place: Place): void {
    let inner = place;
    const raisings: { readonly raising: Raising; readonly item: Expr }[] = [];
    for (const { value, target } of node.items) {
      const call = settled(value);
      const raising = raisingOf(behindName(call, env));
      const name = call.type === 'Call' ? lastName(call.callee) : '';
      if (raising === null) {
        this.visit(value, env, place, true);
        this.count(value, env, place);
      } else raisings.push({ raising, item: value });
      if (target !== null) {
        if (raising !== null) bind(target, { node: null, env, text: noticed(raising, env) === null ? CAUGHT : 'logs' }, env);
        else bind(target, givenBy(call, env) ?? { node: null, env, base: valueOf(value, env), access: '' }, env);
      }
      if (name === 'suppress' && call.type === 'Call') {
        const all = positional(call.args).some((type) => caughtBy(type, env));
        const subject = node.body.some((statement) => asserts(statement, env)) ? null : lastCall(node.body);
        if (subject !== null) this.forgiven(positional(call.args), subject, node, env, place);
        if (all || mayRaise(node.body))
          inner = { ...this.losing(place, 'in a suppress that lets it go'), reserved: place.reserved || !all };
      } else if (call.type === 'Call' && eats(call, env)) inner = this.losing(place, 'in a block whose context lets it go');
      else if (SILENT.has(name) || (name === 'catch_warnings' && makesErrors(node.body)))
        this.note([draft('silent', lastCall(node.body), null, env)], node, env, place);
    }
    if (raisings.length === 0) return this.block(node.body, env, inner);
    for (const { raising, item } of raisings) this.raised(node, raising, item, env, inner);
  }

  /** The body of `with raises(…)`: what stands after the line that raises is never reached. */
  private raised(node: Extract<Stmt, { type: 'With' }>, raising: Raising, item: Expr, env: Env, place: Place): void {
    const span = { start: item.start, end: item.end };
    const reversed = raising.types.some((type) => caughtBy(type, env)) && node.body.some((statement) => asserts(statement, env));
    const first = node.body.findIndex((statement) => mayRaise([statement]) && statement.type !== 'Assert');
    const raises = !/Logs|NumQueries|num_queries|TemplateUsed|warns|Warns|deprecated_call/.test(raising.name);
    for (const [index, statement] of node.body.entries()) {
      const late = raises && first >= 0 && index > first && index > lastRaising(node.body);
      if (item.type === 'Name' && statement.type === 'Assert') continue;
      const where: Place = late ? { ...place, reach: 'never', why: 'after the line that raises' } : place;
      if (statement.type === 'Assert' && raises && !late && !reversed)
        this.statement(statement, env, {
          ...where,
          reach: 'never',
          why: 'in a block that is left by the error',
          reserved: statement === node.body.at(-1),
        });
      else if (!(reversed && asserts(statement, env))) this.statement(statement, env, where);
    }
    const subject = lastCall(node.body);
    const tautology = node.items.length === 1 ? raisedByItself(node.body, raising, env) : null;
    this.note(
      [noticed(raising, env) ?? { ...raisingDraft(raising, subject, env), tautology }],
      { ...node, ...span, end: node.end },
      env,
      place,
    );
    if (reversed && subject === null) this.reversed.push(spanOf(env.module.tree, node.start, node.end));
    else if (reversed && node.body.some((statement) => statement.type === 'Assert' || isOwnAssertion(statement, env)))
      this.reversed.push(spanOf(env.module.tree, node.start, node.end));
  }
}

function namesIn(target: Expr): readonly string[] {
  if (target.type === 'Tuple' || target.type === 'List') return target.items.flatMap(namesIn);
  const name = dotted(target);
  return name === '' ? [] : [name];
}
