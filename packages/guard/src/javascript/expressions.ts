// Walks through the expressions of a test as they would run: calls, callbacks, promises, helpers, and the assertions among them.
// Statements are javascript/body.ts's.

import type { AssertionFact, Span } from '../facts.js';
import { ALWAYS, assertionOf } from './assertion.js';
import { ITERATIONS, TRIES, callingOf, failsGiven, failsInside, isHanded, mentions, passesOn, planned, signals } from './callbacks.js';
import { parseAssertion } from './checks.js';
import { asserts, mayAssert } from './asserting.js';
import { countOf } from './counts.js';
import { askedByName, failing } from './guards.js';
import { keptIn, mayBeEmpty, unlessKept } from './loops.js';
import type { Parsed } from './checks.js';
import { entrywise } from './entrywise.js';
import { singly } from './questions.js';
import { rowsOf } from './rows.js';
import { runnerOf } from './runner.js';
import { patternNames } from './names.js';
import { OwnCalls } from './own-calls.js';
import { endsEarly, handsOn } from './runner-callback.js';
import { waitedFor } from './place.js';
import type { Place } from './place.js';
import { Waited, asMarker } from './waiting.js';
import { functionOf, valueOf } from './scope.js';
import type { Env, Value } from './scope.js';
import { at, bare, isFunction, isLiteral, listAt, nameOf, propertyName, settled, spanOf } from './tree.js';
import type { Node, Tree } from './tree.js';

export const MOST_ROWS = 40;
const DEEPEST = 5;
export const MOST_WORK = 20_000;

export interface BodySkip {
  readonly span: Span;
  readonly conditional: boolean;
}

/** What is seen on the way. */
export abstract class ExpressionWalk {
  readonly assertions: AssertionFact[] = [];
  readonly returns: Span[] = [];
  readonly skips: BodySkip[] = [];
  /** Assertions that are wanted to fail. */
  readonly reversed: Span[] = [];
  protected readonly pending: Node[] = [];
  protected readonly entered = new Set<Node>();
  protected readonly done: Set<string>;
  protected readonly since = new Map<string, number>();
  /** What variables hold after a try that failed and whose catch let it go. */
  protected readonly fallbacks = new Map<string, ReadonlySet<string>>();
  protected readonly own = new OwnCalls();
  protected readonly isPlanned: boolean;
  protected readonly isEarly: boolean;
  private readonly waits: Waited;
  /** The expression that is the whole of a statement. */
  protected alone: Node | null = null;
  protected calls = 0;
  protected work = 0;

  constructor(
    protected readonly root: Node,
    protected readonly tree: Tree,
  ) {
    this.done = new Set(['done', 'resolve', 'finish']);
    for (const name of listAt(root, 'params').flatMap(patternNames)) if (name !== 't') this.done.add(name);
    this.waits = new Waited(root, this.done);
    this.isEarly = endsEarly(root);
    this.isPlanned = /ssertions\(|plan\(/.test(tree.text.slice(root.start, root.end)) && planned(root);
  }

  /** Walks a function with its parameters bound to `args`. */
  protected abstract enter(fn: Value, args: readonly Value[] | null, place: Place, own?: boolean): void;

  protected visit(node: Node, env: Env, place: Place): void {
    if ((this.work += 1) > MOST_WORK) return;
    const inner = bare(node);
    if (inner === null) return;
    switch (inner.type) {
      case 'AwaitExpression':
      case 'YieldExpression': {
        const value = at(inner, 'argument');
        if (value !== null) this.visit(value, env, waitedFor(place));
        return;
      }
      case 'CallExpression':
      case 'MemberExpression':
      case 'NewExpression':
        return this.call(inner, env, place);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return this.enter({ node: inner, env }, null, {
          ...this.maybe(place, 'in a function that may never be called'),
          depth: place.depth + 1,
        });
      case 'LogicalExpression':
        this.child(inner, 'left', env, place);
        return this.child(inner, 'right', env, this.maybe(place, 'under a condition'));
      case 'ConditionalExpression':
        this.child(inner, 'consequent', env, this.maybe(place, 'under a condition'));
        return this.child(inner, 'alternate', env, this.maybe(place, 'under a condition'));
      case 'UnaryExpression':
        return this.child(inner, 'argument', env, waitedFor(place, false));
      case 'AssignmentExpression':
        this.marking(inner, env, place);
        return this.child(inner, 'right', env, waitedFor(place));
      case 'Identifier':
      case 'Literal':
      case 'ClassExpression':
        return;
      default:
        for (const key in inner) this.parts(inner[key], env, place);
    }
  }

  /** A test that marks itself through its context: `task.fails = true`, `task.mode = 'skip'`. */
  protected marking(node: Node, env: Env, place: Place): void {
    const left = bare(at(node, 'left'));
    const value = bare(at(node, 'right'))?.['value'];
    if (left?.type !== 'MemberExpression') return;
    const name = propertyName(left);
    const span = spanOf(env.module.tree, node.start, node.end);
    if ((name === 'fails' || name === 'expectFailure') && value === true) this.reversed.push(span);
    if ((name === 'mode' && (value === 'skip' || value === 'todo')) || (name === 'pending' && value === true)) {
      this.skips.push({ span, conditional: place.reach !== 'always' });
    }
  }

  protected child(node: Node, key: string, env: Env, place: Place): void {
    const below = at(node, key);
    if (below !== null) this.visit(below, env, place);
  }

  protected parts(value: unknown, env: Env, place: Place): void {
    if (Array.isArray(value)) for (const item of value) this.parts(item, env, place);
    else if (typeof value === 'object' && value !== null && typeof (value as Node).type === 'string') this.visit(value as Node, env, place);
  }

  protected call(node: Node, env: Env, place: Place): void {
    const parsed = node.type === 'NewExpression' ? null : parseAssertion(node, env);
    if (parsed !== null && (parsed.implied !== true || this.alone === node)) return this.assertion(node, parsed, env, place);
    if (node.type === 'MemberExpression') return this.child(node, 'object', env, place);
    const callee = bare(at(node, 'callee'));
    if (callee === null || this.skipping(node, callee, env, place)) return;
    const runner = node.type === 'CallExpression' ? runnerOf(callee, env) : null;
    if (runner !== null && runner.base !== 'hook' && listAt(node, 'arguments').length > 1) return this.confirm(node);
    const name = callee.type === 'MemberExpression' ? propertyName(callee) : nameOf(callee);
    if (callee.type === 'MemberExpression' && this.promise(node, callee, name, env, place)) return;
    if (callee.type === 'MemberExpression' && ITERATIONS.has(name) && this.iteration(node, callee, name, env, place)) return;
    const bound = callee.type === 'MemberExpression' && /^(call|apply)$/.test(name) ? bare(at(callee, 'object')) : callee;
    const target = node.type === 'CallExpression' && place.depth < DEEPEST ? functionOf(bound, env) : null;
    if (target !== null) {
      if (callee.type === 'MemberExpression') this.child(callee, 'object', env, waitedFor(place));
      return this.helper(target, node, env, place);
    }
    if (this.alone === node && /^(expect|assert|verify|should|ensure)[A-Z_]\w*$/.test(name)) this.unknown(node, callee, name, env, place);
    if (callee.type === 'MemberExpression') this.child(callee, 'object', env, waitedFor(place));
    else if (isFunction(callee))
      this.enter({ node: callee, env }, null, { ...place, floating: place.floating || (callee['async'] === true && !place.waited) });
    this.handed(node, callee, env, place);
  }

  /** Arguments: functions run or do not, the rest is looked through. */
  protected handed(node: Node, callee: Node, env: Env, place: Place): void {
    const calling = callingOf(callee, node.type === 'NewExpression');
    for (const argument of listAt(node, 'arguments')) {
      const fn = functionOf(argument, env);
      if (fn === null || fn.node === null) {
        this.visit(argument, env, waitedFor(place, place.waited || bare(argument)?.type === 'CallExpression'));
        continue;
      }
      if (fn.node !== bare(argument) && this.entered.has(fn.node)) continue;
      if (node.type === 'NewExpression') for (const name of listAt(fn.node, 'params').flatMap(patternNames)) this.done.add(name);
      const told = signals(fn.node, this.done) || handsOn(fn.node, fn.env, 1);
      const tried = TRIES.test(callee.type === 'MemberExpression' ? propertyName(callee) : nameOf(callee));
      const loose = calling.later || ((tried || fn.node['async'] === true) && !place.waited);
      const reached = calling.why === null || told ? place : this.maybe(place, calling.why);
      const heard = told || (calling.why !== null && (place.heard || this.waits.after(node)));
      const lazy = (tried || fn.node['async'] === true || calling.later) && !heard;
      this.enter(fn, null, {
        ...reached,
        polled: tried || place.polled,
        heard,
        depth: place.depth + 1,
        open: true,
        floating: place.floating || (lazy && loose),
      });
    }
  }

  protected helper(target: Value, node: Node, env: Env, place: Place): void {
    if (target.node === null) return;
    const args: Value[] = [];
    let spread = false;
    for (const argument of listAt(node, 'arguments')) {
      if (argument.type === 'SpreadElement') spread = true;
      else {
        args.push(valueOf(argument, env));
        if (!isFunction(bare(argument))) this.visit(argument, env, waitedFor(place));
      }
    }
    const again = place.reach === 'maybe' && this.entered.has(target.node) && isHanded(at(node, 'callee'), env);
    this.entered.add(target.node);
    if (again || !mayAssert(target, 0)) return;
    const floating = place.floating || (target.node['async'] === true && !place.waited);
    if (target.node['generator'] === true && !place.waited)
      return this.enter(target, args, { ...place, reach: 'never', why: 'in a generator that nobody runs' });
    this.enter(target, spread ? null : args, { ...place, floating, depth: place.depth + 1 });
  }

  protected skipping(node: Node, callee: Node, env: Env, place: Place): boolean {
    const member = callee.type === 'MemberExpression';
    const name = member ? propertyName(callee) : nameOf(callee);
    if (!['skip', 'todo', 'pending', 'fixme', 'fail'].includes(name)) return false;
    const owner = member ? bare(at(callee, 'object')) : callee;
    const context = owner?.type === 'ThisExpression' || (owner?.type === 'Identifier' && env.find(nameOf(owner))?.text === nameOf(owner));
    const ofRunner = owner?.type === 'Identifier' && env.find(nameOf(owner))?.source === '@playwright/test';
    if (!context && !ofRunner && !(name === 'pending' && !member)) return false;
    if (name === 'fail' && !ofRunner) return false;
    if (name === 'fail') return this.reversed.push(spanOf(env.module.tree, node.start, node.end)) > 0;
    const condition = listAt(node, 'arguments')[0];
    const given = condition !== undefined && !isLiteral(bare(condition)) && bare(condition)?.type !== 'TemplateLiteral';
    this.skips.push({
      span: spanOf(env.module.tree, node.start, node.end),
      conditional: place.reach !== 'always' || place.under || given,
    });
    return true;
  }

  /** `.then`, `.catch`, `.finally`, and the combinators of Promise. */
  protected promise(node: Node, callee: Node, name: string, env: Env, place: Place): boolean {
    const [first = null, second = null] = listAt(node, 'arguments');
    const owner = bare(at(callee, 'object'));
    if (nameOf(owner) === 'Promise') {
      if (!['all', 'allSettled', 'race', 'any'].includes(name) || first === null) return false;
      const other = `in Promise.${name}, where another promise may come first`;
      const lost = name === 'allSettled' ? 'in Promise.allSettled, which never rejects' : name === 'all' ? place.swallowed : other;
      this.visit(first, env, { ...place, swallowed: lost });
      return true;
    }
    if (!['then', 'catch', 'finally'].includes(name) || owner === null) return false;
    const waited = place.waited || (name !== 'finally' && (handsOn(first, env) || handsOn(second, env)));
    const after = { ...place, floating: place.floating || !waited, depth: place.depth + 1 };
    const handler = name === 'catch' ? first : name === 'then' ? second : null;
    const caught = functionOf(handler, env);
    const lets =
      handler !== null &&
      !(caught !== null && passesOn(at(caught.node, 'body'), caught.env, this.done, listAt(caught.node, 'params').flatMap(patternNames))) &&
      !failsGiven(handler, this.done);
    this.visit(owner, env, { ...place, waited, swallowed: lets ? 'in a promise whose catch lets it go' : place.swallowed });
    const told = (fn: Value | null) => fn?.node !== null && fn?.node !== undefined && signals(fn.node, this.done);
    const then = name === 'catch' ? null : functionOf(first, env);
    const count = this.assertions.length;
    const wantsFailure = lets && then !== null && then.node !== null && failsInside(at(then.node, 'body'), then.env);
    const passedBy = lets && name === 'then' && !wantsFailure ? this.maybe(after, 'in a then that a failure passes by unheard') : after;
    if (then !== null) this.enter(then, null, told(then) ? { ...after, heard: true, floating: place.floating } : passedBy);
    if (wantsFailure && this.assertions.slice(0, count).some((fact) => fact.swallowed !== null))
      this.reversed.push(spanOf(env.module.tree, node.start, node.end));
    if (caught !== null) {
      const failing = name === 'then' && then?.node !== null && then?.node !== undefined && failsInside(at(then.node, 'body'), then.env);
      const reached = failing ? after : this.maybe(after, 'in a catch that need not be reached');
      this.enter(caught, null, told(caught) ? { ...reached, floating: place.floating } : reached);
    }
    return true;
  }

  protected iteration(node: Node, callee: Node, name: string, env: Env, place: Place): boolean {
    const fn = functionOf(listAt(node, 'arguments')[0] ?? null, env);
    if (fn === null || fn.node === null) return false;
    const owner = at(callee, 'object');
    if (owner !== null) this.visit(owner, env, waitedFor(place));
    const loose = fn.node['async'] === true && (name === 'forEach' || !place.waited);
    const inner = { ...place, floating: place.floating || loose, depth: place.depth + 1 };
    const rows = rowsOf(owner, env);
    if (rows === null || rows.length > MOST_ROWS) {
      const kept = keptIn(owner, listAt(fn.node, 'params')[0] ?? null, env);
      const open = { ...inner, open: true, kept: kept ?? place.kept };
      const computed = rows === null && mayBeEmpty(owner, env, this.assertions);
      this.enter(fn, null, computed ? this.maybe(open, 'in a loop that may have nothing to walk over') : open);
    } else if (rows.length === 0) this.enter(fn, null, { ...inner, reach: 'never', why: 'in a loop over an empty list' });
    else for (const row of rows) this.enter(fn, [{ ...row, row: true }], inner);
    return true;
  }

  protected assertion(node: Node, parsed: Parsed, env: Env, place: Place): void {
    if (parsed.drafts.length > 0) this.confirm(node);
    // One check more than was planned for fails the test as well.
    if (parsed.fails && place.swallowed !== null && !this.isPlanned)
      return this.assertion(node, { ...parsed, fails: false, drafts: [failing(node)] }, env, place);
    if (parsed.end !== undefined) return this.request(parsed, parsed.end, env, place, spanOf(env.module.tree, node.start, node.end));
    const lost = (place.floating && !this.isPlanned) || (parsed.asynchronous && !place.waited);
    const waiting = lost ? 'floating' : parsed.asynchronous ? 'awaited' : 'sync';
    const span = spanOf(env.module.tree, node.start, node.end);
    const fresh = (name: string) => (this.since.get(name) ?? 0) === this.calls;
    const swallowedAt = place.lostAt === null || place.lostAt.file === span.file ? null : place.lostAt;
    const standing = {
      reach: place.reach,
      reachWhy: place.why,
      swallowed: place.swallowed,
      swallowedAt,
      waiting,
      open: place.open,
      fresh,
    } as const;
    for (const { draft, env: around } of parsed.drafts.flatMap(singly).flatMap((one) => entrywise(one, env))) {
      const asked = this.own.judged(unlessKept(assertionOf(draft, around, span, standing), place.kept), draft.subject, env, this.calls);
      const plain = place.polled ? { ...asked, polled: true } : asked;
      const fact =
        this.fallbacks.get(nameOf(settled(draft.subject)))?.has(plain.expected ?? '') === true ? { ...plain, swallowed: LEFT } : plain;
      this.assertions.push(...countOf(fact), asMarker(fact, draft.subject, this.isPlanned || place.heard));
    }
    if (parsed.mustThrow.length === 0) this.asking(parsed.drafts[0]?.subject ?? null, env, waitedFor(place));
    for (const fn of parsed.within) {
      const target = functionOf(fn, env);
      const loose = target?.node?.['async'] === true && !(parsed.asynchronous && place.waited);
      if (target !== null) this.enter(target, null, { ...place, floating: place.floating || loose, depth: place.depth + 1 });
    }
    for (const fn of parsed.mustThrow) this.reverse(fn, span, env);
  }

  /** What is asked about may come from a helper that asserts by itself: `expect(await bodyOf(request)).toBe(…)`. */
  protected asking(subject: Node | null, env: Env, place: Place): void {
    for (let node = settled(subject); node !== null; node = settled(at(node, node.type === 'MemberExpression' ? 'object' : 'callee'))) {
      if (node.type !== 'CallExpression' && node.type !== 'MemberExpression') return;
      const target = node.type === 'CallExpression' && place.depth < DEEPEST ? functionOf(at(node, 'callee'), env) : null;
      if (target !== null && mayAssert(target, 0)) return this.helper(target, node, env, place);
    }
  }

  /** A helper that cannot be looked into, and by its name asserts. */
  protected unknown(node: Node, callee: Node, name: string, env: Env, place: Place): void {
    const draft = askedByName(node, callee, name);
    this.assertion(node, { drafts: [draft], asynchronous: false, fails: false, plan: null, within: [], mustThrow: [] }, env, place);
  }

  /** A request that ends in a callback: who does not look at the error does not hear of the failure. */
  protected request(parsed: Parsed, end: Node | null, env: Env, place: Place, span: Span): void {
    const fn = functionOf(end, env);
    const [error] = listAt(fn?.node, 'params').flatMap(patternNames);
    const body = at(fn?.node, 'body');
    const ends = handsOn(end, env) || this.done.has(nameOf(end)) || (fn !== null && fn.node !== null && signals(fn.node, this.done));
    const heard = fn === null ? ends : error !== undefined && body !== null && mentions(body, error);
    const swallowed = heard ? place.swallowed : 'in a request whose error nobody looks at';
    const waiting = this.isEarly || !(ends || place.waited || this.isPlanned) ? 'floating' : 'sync';
    const standing = { ...ALWAYS, reach: place.reach, reachWhy: place.why, swallowed, waiting, open: place.open } as const;
    for (const draft of parsed.drafts) this.assertions.push(assertionOf(draft, env, span, standing));
    for (const one of [fn, ...parsed.within.map((node) => functionOf(node, env))])
      if (one !== null) this.enter(one, null, { ...place, depth: place.depth + 1 });
  }

  /** `expect(() => { expect(…) }).toThrow()`: the test passes because its check fails. */
  protected reverse(node: Node, span: Span, env: Env): void {
    const target = functionOf(node, env) ?? { node: settled(node), env };
    if (target.node === null || target.node.type === 'Identifier') return;
    if (isFunction(target.node)) this.entered.add(target.node);
    if (asserts(target.node, target.env, 0)) this.reversed.push(span);
  }

  /** A return before this place ends the test too early. */
  protected confirm(node: Node): void {
    for (let index = this.pending.length - 1; index >= 0; index -= 1) {
      const early = this.pending[index] as Node;
      if (early.end <= node.start || this.rootTreeDiffers(node)) {
        this.returns.push(this.spanIn(early));
        this.pending.splice(index, 1);
      }
    }
  }

  protected rootTreeDiffers(node: Node): boolean {
    return node.start < this.root.start || node.end > this.root.end;
  }

  protected spanIn(node: Node): Span {
    return spanOf(this.tree, node.start, node.end);
  }

  protected maybe(place: Place, why: string): Place {
    if (place.reach !== 'always') return place;
    if (this.isPlanned) return place.under ? place : { ...place, under: true };
    return { ...place, reach: 'maybe', why };
  }
}

const LEFT = 'after a try whose catch leaves the wanted value in place';
