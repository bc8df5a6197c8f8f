// Walks through the expressions of a test: calls that assert, helpers that are entered, functions that are handed on.

import { isCoroutine } from './assertion.js';
import { customCall, draft, knownMethod, parseCall, raisingOf } from './checks.js';
import type { Draft, Parsed } from './checks.js';
import { waitedFor } from './flow.js';
import { skipOf } from './names.js';
import { Notes } from './notes.js';
import type { Place } from './notes.js';
import { questions } from './questions.js';
import { raisedByItself } from './raised.js';
import { checkedBy, sentence } from './sentences.js';
import { chainedClass, selfOf } from './receiver.js';
import { bindOwn, functionOf, isOfTests, methodOf, valueOf } from './scope.js';
import type { Callable, Env, TypeValue, Value } from './scope.js';
import type { Argument, Expr, FunctionStmt, Stmt } from './tree.js';
import { dotted, lastName, parts, positional, textOf } from './tree.js';
import { filled, isPending, leavesWaiting, runsFunction, takes, usesOf } from './waiting.js';

export const MOST_WORK = 20_000;
const DEEPEST = 5;

export abstract class CallWalk extends Notes {
  protected readonly entered = new Set<object>();
  private readonly active = new Set<Callable['node']>();
  private readonly presets = new Map<object, ReadonlyMap<string, Value>>();
  protected work = 0;
  /** How many blocks deep in the function that is walked through. */
  protected level = 0;

  protected abstract block(statements: readonly Stmt[], env: Env, place: Place): void;

  protected override isParameter(name: string): boolean {
    return [...this.active].at(-1)?.params.some((param) => param.name === name) === true;
  }

  /** What the parameters of a function hold when it is called with `*args`. */
  preset(node: object, args: ReadonlyMap<string, Value>): void {
    this.presets.set(node, args);
  }

  protected inside(fn: Callable, env: Env, place: Place): void {
    if (this.active.has(fn.node)) return;
    this.entered.add(fn.node);
    this.active.add(fn.node);
    const level = this.level;
    this.level = 0;
    if (fn.node.type === 'Lambda') this.visit(fn.node.body, env, place, place.taken);
    else this.block(fn.node.body, env, fn.node.async ? { ...place, async: true } : place);
    this.active.delete(fn.node);
    this.level = level;
  }

  /** The body of the function that is walked through. */
  protected innermost(): readonly Stmt[] {
    const node = [...this.active].at(-1);
    return node?.type === 'Function' ? node.body : [];
  }

  /** `held`: its value is kept, so a coroutine may be awaited later. */
  protected visit(node: Expr, env: Env, place: Place, held = false): void {
    if ((this.work += 1) > MOST_WORK) return;
    switch (node.type) {
      case 'Await':
        return this.visit(node.value, env, place, true);
      case 'Call':
        return this.call(node, env, place, held);
      case 'Bool': {
        const [first, ...more] = node.values;
        if (first !== undefined) this.visit(first, env, place);
        for (const value of more) this.visit(value, env, this.maybe(place, 'under a condition'));
        return;
      }
      case 'Conditional':
        this.visit(node.body, env, this.maybe(place, 'under a condition'));
        return this.visit(node.other, env, this.maybe(place, 'under a condition'));
      case 'Named':
        this.visit(node.value, env, place, true);
        env.set(node.name, valueOf(node.value, env));
        return;
      case 'Comprehension': {
        const inner = env.child();
        for (const { target } of node.clauses) bindOwn(target, inner, true);
        for (const element of node.elements) this.visit(element, inner, { ...place, open: true }, held);
        return;
      }
      case 'Lambda':
        return;
      case 'Attribute':
      case 'Binary':
      case 'Compare':
      case 'Constant':
      case 'Dict':
      case 'Format':
      case 'List':
      case 'Name':
      case 'Number':
      case 'Set':
      case 'Slice':
      case 'Star':
      case 'String':
      case 'Subscript':
      case 'Tuple':
      case 'Unary':
      case 'Unknown':
      case 'Yield':
        for (const part of parts(node)) this.visit(part, env, place, true);
    }
  }

  private call(node: Extract<Expr, { type: 'Call' }>, env: Env, place: Place, held: boolean): void {
    const name = lastName(node.callee);
    if (this.isSkip(node, name, env, place)) return;
    const target = place.depth < DEEPEST ? this.targetOf(node.callee, env) : null;
    const parsed = target === null ? (parseCall(node, env) ?? this.spoken(node, env)) : null;
    if (parsed !== null) return this.parsed(parsed, node, env, place);
    const own = target === null ? customCall(node, env) : null;
    if (own !== null) return this.note([own], node, env, place);
    const awaited = waitedFor(node, target);
    if (awaited !== null) this.note(questions(draft('truthy', awaited, null, env)), node, env, place);
    if (node.callee.type === 'Attribute') this.visit(node.callee.object, env, place, takes(name));
    if (target !== null) return this.helper(target, node, env, awaited === null ? place : { ...place, polled: true }, held);
    this.handed(node, name, env, place, held);
  }

  private targetOf(callee: Expr, env: Env): Callable | null {
    const known = functionOf(callee, env);
    if (known !== null || callee.type !== 'Attribute') return known;
    const type = chainedClass(callee.object, env);
    if (type === null || !isOfTests(type.env.module.tree.file)) return null;
    return methodOf(type, callee.name) ?? handedBy(type, callee);
  }

  /** Checks of libraries that write them as sentences. */
  private spoken(node: Extract<Expr, { type: 'Call' }>, env: Env): Parsed | null {
    const method = checkedBy(node);
    const drafts = method === null ? sentence(node, env) : [knownMethod(method, node.args, env)];
    return drafts === null ? null : { drafts, fails: false, called: null };
  }

  private parsed(parsed: Parsed, node: Extract<Expr, { type: 'Call' }>, env: Env, place: Place): void {
    for (const { value } of node.args) if (value !== parsed.called) this.visit(value, env, place, true);
    const raising = parsed.called === null ? null : raisingOf(node);
    const { start, end } = node;
    const drafts = parsed.drafts.map((one): Draft => {
      if (raising === null || one.subject === null) return one;
      return { ...one, tautology: raisedByItself([{ type: 'Expression', start, end, value: one.subject }], raising, env) };
    });
    this.note(
      drafts.flatMap((one) => questions(one)),
      node,
      env,
      place,
    );
  }

  /** Arguments: functions run or do not, the rest is looked through. */
  private handed(node: Extract<Expr, { type: 'Call' }>, name: string, env: Env, place: Place, held: boolean): void {
    const list = filled(node);
    const kept = list === null ? held || !leavesWaiting(node, env) : this.isTaken(list);
    const [first, ...given] = runsFunction(node) ? node.args : [];
    const run = first === undefined ? null : functionOf(first.value, env);
    if (run !== null) return this.enter(run, given, env, { ...place, floating: place.floating || !kept, depth: place.depth + 1 });
    for (const { value } of node.args) {
      const fn = value.type === 'Lambda' || value.type === 'Name' || value.type === 'Attribute' ? functionOf(value, env) : null;
      if (fn === null) {
        this.visit(value, env, place, kept);
        continue;
      }
      if (this.entered.has(fn.node)) continue;
      const lost = name === 'Thread' || name === 'Process' || name === 'Timer' ? 'in a thread, where its failure is lost' : place.swallowed;
      this.enter(fn, null, env, {
        ...this.maybe(place, 'in a function that may never be called'),
        swallowed: lost,
        depth: place.depth + 1,
        open: true,
        taken: true,
      });
    }
  }

  private helper(target: Callable, node: Extract<Expr, { type: 'Call' }>, env: Env, place: Place, held: boolean): void {
    for (const { value } of node.args) if (value.type !== 'Lambda') this.visit(value, env, place, true);
    const floating = place.floating || (target.node.type === 'Function' && target.node.async && !held);
    const from = target.bound > 0 && node.callee.type === 'Attribute' ? receiving(node.callee.object, env) : env;
    this.enter(target, node.args, from, { ...place, floating, depth: place.depth + 1, taken: held });
  }

  /** One of the functions that are walked through awaits the name, or hands it on. */
  protected isTaken(name: string): boolean {
    return [...this.active].some((node) => node.type === 'Function' && usesOf(node.body).taken.has(name));
  }

  /** Nothing ever reads them. */
  protected isUnread(names: readonly string[]): boolean {
    const bodies = [...this.active].flatMap((node) => (node.type === 'Function' ? [usesOf(node.body).read] : []));
    return names.length > 0 && names.every((name) => !bodies.some((read) => read.has(name)));
  }

  /** A coroutine or task is put where nobody takes it up. */
  protected isLeft(targets: readonly Expr[], value: Expr, env: Env): boolean {
    return targets.every((target) => target.type === 'Name' && !this.isTaken(target.name)) && isPending(value, env);
  }

  /** Notes a coroutine of the unit that nobody will ever run. */
  protected drop(value: Expr, env: Env): void {
    if (value.type === 'Call' && isCoroutine(value, env, 0) && functionOf(value.callee, env) === null) this.dropped = true;
  }

  protected enter(fn: Callable, args: readonly Argument[] | null, from: Env, place: Place): void {
    const env = fn.env.child();
    const params = fn.node.params.slice(fn.bound);
    if (fn.bound > 0 && fn.node.params[0] !== undefined) {
      const self = fn.node.params[0].name;
      env.set(self, from.find(self) ?? { node: null, env, text: self });
      for (const [name, value] of from.under(`${self}.`)) env.set(name, value);
    }
    const spread = args === null || args.some(({ star }) => star !== '');
    const plain = args === null ? [] : positional(args);
    for (const [index, { name, star, fallback }] of params.entries()) {
      if (star !== '' && !spread && args !== null) {
        env.set(name, {
          node: gatheredArguments(
            args,
            star,
            index,
            params.map((one) => one.name),
          ),
          env: from,
        });
        continue;
      }
      const given = args?.find((argument) => argument.name === name)?.value ?? (star === '' ? plain[index] : undefined);
      if (given !== undefined) env.set(name, valueOf(given, from));
      else if (!spread && fallback !== null) env.set(name, { node: fallback, env: fn.env });
      else env.set(name, this.presets.get(fn.node)?.get(name) ?? { node: null, env, text: name });
    }
    for (const [name, value] of this.presets.get(fn.node) ?? []) if (name.includes('.')) env.set(name, value);
    this.inside(fn, env, { ...place, own: false });
  }

  /** `request.applymarker(pytest.mark.xfail)`: a mark that is hung on while the test runs. */
  private marked(node: Extract<Expr, { type: 'Call' }>, env: Env, place: Place): boolean {
    const [mark] = positional(node.args);
    const name = mark === undefined ? '' : (textOf(mark) ?? lastName(mark.type === 'Call' ? mark.callee : mark));
    if (/^(skip|skipif|xfail)$/.test(name)) this.skip(node, env, name === 'skipif' ? this.maybe(place, '') : place, name === 'xfail');
    return true;
  }

  private isSkip(node: Extract<Expr, { type: 'Call' }>, name: string, env: Env, place: Place): boolean {
    if (name === 'applymarker' || name === 'add_marker') return this.marked(node, env, place);
    const skip = skipOf(node, env);
    if (skip === null) return false;
    this.skip(node, env, skip === 'importorskip' ? this.maybe(place, '') : place, skip === 'xfail');
    return true;
  }
}

/** What `__getattr__` of a class of the tests gives back under a name: a function that it makes itself. */
function handedBy(type: TypeValue, { name, start, end }: Extract<Expr, { type: 'Attribute' }>): Callable | null {
  const made = methodOf(type, '__getattr__');
  const body = made?.node.type === 'Function' ? made.node.body : [];
  const last = body.at(-1);
  const given = last?.type === 'Return' && last.value?.type === 'Name' ? last.value.name : '';
  const node = body.find((statement): statement is FunctionStmt => statement.type === 'Function' && statement.name === given);
  if (made === null || node === undefined) return null;
  const env = made.env.child();
  env.set(made.node.params[1]?.name ?? '', { node: { type: 'String', start, end, value: name, bytes: false }, env });
  return { node, env, bound: 0 };
}

/** The names around a call, with what the object's constructor put into `self`. */
function receiving(object: Expr, env: Env): Env {
  const held = dotted(object) === 'self' ? new Map<string, Value>() : selfOf(object, env);
  if (held.size === 0) return env;
  const inner = env.child();
  for (const [name, value] of held) inner.set(name, value);
  return inner;
}

/** What `*args` or `**options` of a helper hold in one call. */
function gatheredArguments(args: readonly Argument[], star: '*' | '**', index: number, known: readonly string[]): Expr {
  const place = { start: args[0]?.value.start ?? 0, end: args.at(-1)?.value.end ?? 0 };
  if (star === '*') return { type: 'Tuple', ...place, items: positional(args).slice(index) };
  const entries = args.flatMap(({ name, value }) => {
    const key: Expr = { type: 'String', start: value.start, end: value.end, value: name ?? '', bytes: false };
    return name === null || known.includes(name) ? [] : [{ key, value }];
  });
  return { type: 'Dict', ...place, entries };
}
