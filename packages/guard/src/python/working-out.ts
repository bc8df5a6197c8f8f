// What an expression over values that stand in the test itself comes to: `edges[:1]`, `" -> ".join(cycle)`, `points("0,0 3,0")` with a
// helper of the tests. Only code without effects is followed, step by step and not for long; nothing of the project is run. Functions
// that are known are in python/pure-calls.ts.

import { Closure, Dict, Opaque, UNKNOWN, isScalar } from './plain-values.js';
import type { Plain } from './plain-values.js';
import { callBuiltIn, callMethod, entryOf, isBuiltIn, itemsOf, operate, row, sliceOf, textFor, truthOf } from './pure-calls.js';
import { reprOf } from './strings.js';
import { follow, isFilledLater, isOfTests } from './scope.js';
import type { Env, Value } from './scope.js';
import type { Clause, Expr, FunctionStmt, Parameter, Stmt } from './tree.js';

const MOST_STEPS = 1500;
const DEEPEST = 12;

export interface Sight {
  /** Canonical text of what cannot be worked out. */
  readonly print: (node: Expr, env: Env) => string;
  /** Columns and loop variables are filled in. */
  readonly fills: boolean;
}

/** The value of an expression; null where it has none, or none that is known. */
export function workOut(node: Expr, env: Env, sight: Sight): { readonly value: Plain } | null {
  if (failed.get(node) === env || !isWorthIt(node, env)) return null;
  try {
    return { value: new Work(sight).of(node, { env, names: new Map(), outer: null }) };
  } catch (error) {
    if (error !== UNKNOWN) throw error;
    if (sight.fills) failed.set(node, env);
    return null;
  }
}

/** What did not come out once does not come out where the same is printed as a part of something else. */
const failed = new WeakMap<Expr, Env>();

/** Most calls are of the code under test: their innermost name says so at once. */
function isWorthIt(node: Expr, env: Env): boolean {
  let root = node;
  let called = false;
  for (let depth = 0; depth < 20; depth += 1) {
    if (root.type === 'Call') [root, called] = [root.callee, true];
    else if (root.type === 'Attribute') root = root.object;
    else if (root.type === 'Subscript') [root, called] = [root.object, true];
    else if (root.type === 'Binary' || root.type === 'Compare') [root, called] = [root.left, true];
    else break;
  }
  if (root.type === 'Comprehension') return true;
  if (root.type === 'Name') {
    const value = env.find(root.name);
    if (value === null) return called && isBuiltIn(root.name);
    if (value.label !== undefined || value.text !== undefined) return false;
    const target = value.source === undefined ? value : follow(value);
    return called && target !== null && isOfTests(target.env.module.tree.file);
  }
  return called && ['String', 'Number', 'List', 'Tuple', 'Dict', 'Set', 'Format'].includes(root.type);
}

interface Frame {
  readonly env: Env;
  readonly names: Map<string, Plain>;
  readonly outer: Frame | null;
}

class Work {
  private steps = 0;
  private depth = 0;

  constructor(private readonly sight: Sight) {}

  of(node: Expr, frame: Frame): Plain {
    this.steps += 1;
    if (this.steps > MOST_STEPS) throw UNKNOWN;
    switch (node.type) {
      case 'String':
        return node.bytes ? new Opaque(`b${JSON.stringify(node.value)}`) : node.value;
      case 'Number':
        return numberIn(node.text);
      case 'Constant':
        if (node.name === '...') throw UNKNOWN;
        return node.name === 'None' ? null : node.name === 'True';
      case 'Name':
        return this.name(node.name, frame);
      case 'List':
      case 'Tuple':
      case 'Set':
        return row(node.type === 'List' ? 'list' : node.type === 'Tuple' ? 'tuple' : 'set', this.items(node.items, frame));
      case 'Dict':
        return this.dict(node, frame);
      case 'Format':
        return this.format(node.parts, frame);
      case 'Unary':
        return unary(node.op, this.of(node.operand, frame));
      case 'Binary':
        return operate(this.of(node.left, frame), node.op, this.of(node.right, frame));
      case 'Compare':
        return this.compare(node, frame);
      case 'Conditional':
        return this.of(truthOf(this.of(node.test, frame)) ? node.body : node.other, frame);
      case 'Subscript':
        return this.subscript(node, frame);
      case 'Comprehension':
        return this.comprehension(node, frame);
      case 'Lambda':
        return this.closure(node.params, frame, (inner) => this.of(node.body, inner));
      case 'Call':
        return this.call(node, frame);
      case 'Attribute':
      case 'Await':
      case 'Bool':
      case 'Named':
      case 'Slice':
      case 'Star':
      case 'Unknown':
      case 'Yield':
        throw UNKNOWN;
    }
  }

  private name(name: string, frame: Frame): Plain {
    for (let at: Frame | null = frame; at !== null; at = at.outer) {
      const known = at.names.get(name);
      if (known !== undefined) return known;
    }
    const value = frame.env.find(name);
    if (value !== null) return this.value(value, name);
    if (isBuiltIn(name)) return new Closure((args, named) => callBuiltIn(name, args, named));
    throw UNKNOWN;
  }

  private value(value: Value, name: string): Plain {
    if (value.row === true && !this.sight.fills) throw UNKNOWN;
    if (value.text !== undefined || value.label !== undefined) return new Opaque(value.label ?? value.text ?? name);
    if (value.base !== undefined) return this.part(this.value(value.base, name), value.access ?? '');
    const target = value.source === undefined ? value : follow(value);
    if (target === null || target.node === null || !isOfTests(target.env.module.tree.file)) return new Opaque(name);
    const { node } = target;
    const frame: Frame = { env: target.env, names: new Map(), outer: null };
    if (node.type === 'Function') return this.function(node, frame);
    if (node.type === 'Class' || (node.type === 'Name' && node.name === name) || isFilledLater(node)) throw UNKNOWN;
    return this.deeper(() => this.held(node, frame));
  }

  private part(whole: Plain, access: string): Plain {
    const index = /^\[(\d+)\]$/.exec(access)?.[1];
    if (index === undefined) throw UNKNOWN;
    return entryOf(whole, Number(index));
  }

  /** An item or entry: what is not known keeps its text. */
  private held(node: Expr, frame: Frame): Plain {
    const isOwn = frame.names.size > 0 || frame.outer !== null;
    if (!isOwn && (node.type === 'Await' || ((node.type === 'Call' || node.type === 'Attribute') && !isWorthIt(node, frame.env))))
      return new Opaque(this.sight.print(node, frame.env));
    return this.of(node, frame);
  }

  private items(nodes: readonly Expr[], frame: Frame): readonly Plain[] {
    return nodes.flatMap((node) => (node.type === 'Star' ? itemsOf(this.of(node.value, frame)) : [this.held(node, frame)]));
  }

  private dict({ entries }: Extract<Expr, { type: 'Dict' }>, frame: Frame): Plain {
    const found = new Map<string | number | boolean | null, Plain>();
    for (const { key, value } of entries) {
      if (key === null) {
        const more = this.of(value, frame);
        if (!(more instanceof Dict)) throw UNKNOWN;
        for (const [name, held] of more.entries) found.set(name, held);
        continue;
      }
      const name = this.of(key, frame);
      if (!isScalar(name)) throw UNKNOWN;
      found.set(name, this.held(value, frame));
    }
    return new Dict(found);
  }

  private format(parts: readonly (string | Expr)[], frame: Frame): Plain {
    if (parts.some((part) => typeof part === 'string' && part.startsWith(':!') && part !== ':!r')) throw UNKNOWN;
    const texts = parts.map((part, index) => {
      if (typeof part === 'string') return part === ':!r' ? '' : part;
      const value = this.of(part, frame);
      return typeof value === 'string' && parts[index + 1] === ':!r' ? reprOf(value) : textFor(value);
    });
    return texts.join('');
  }

  private compare({ left, ops, rights }: Extract<Expr, { type: 'Compare' }>, frame: Frame): Plain {
    const [op] = ops;
    const [one, other] = [this.of(left, frame), rights[0] === undefined ? null : this.of(rights[0], frame)];
    if (ops.length !== 1 || !isScalar(one)) throw UNKNOWN;
    if (op === 'in' || op === 'not in') {
      const within = typeof other === 'string' && typeof one === 'string' ? other.includes(one) : itemsOf(other).includes(one);
      return within === (op === 'in');
    }
    if ((op === '==' || op === '!=') && isScalar(other)) return (one === other) === (op === '==');
    if (typeof one !== 'number' || typeof other !== 'number') throw UNKNOWN;
    if (op === '<' || op === '>') return op === '<' ? one < other : one > other;
    if (op === '<=' || op === '>=') return op === '<=' ? one <= other : one >= other;
    throw UNKNOWN;
  }

  private subscript({ object, index }: Extract<Expr, { type: 'Subscript' }>, frame: Frame): Plain {
    const [only, ...more] = index;
    if (only === undefined || more.length > 0) throw UNKNOWN;
    const whole = this.of(object, frame);
    if (only.type !== 'Slice') return entryOf(whole, this.of(only, frame));
    return sliceOf(
      whole,
      only.parts.map((part) => (part === null ? null : this.of(part, frame))),
    );
  }

  private comprehension({ kind, elements, clauses }: Extract<Expr, { type: 'Comprehension' }>, frame: Frame): Plain {
    const found: Plain[][] = [];
    this.walk(clauses, { env: frame.env, names: new Map(), outer: frame }, (inner) => {
      found.push(elements.map((element) => this.of(element, inner)));
    });
    if (elements.length === 1)
      return row(
        kind === '{' ? 'set' : 'list',
        found.map(([item]) => item ?? null),
      );
    const entries = found.map(([key, value]) => {
      if (!isScalar(key) || value === undefined) throw UNKNOWN;
      return [key, value] as const;
    });
    return new Dict(new Map(entries));
  }

  private walk(clauses: readonly Clause[], frame: Frame, each: (frame: Frame) => void): void {
    const [first, ...more] = clauses;
    if (first === undefined) return each(frame);
    for (const item of itemsOf(this.of(first.over, frame))) {
      const inner: Frame = { env: frame.env, names: new Map(), outer: frame };
      this.bind(first.target, item, inner);
      if (first.conditions.every((condition) => truthOf(this.of(condition, inner)))) this.walk(more, inner, each);
    }
  }

  private call({ callee, args }: Extract<Expr, { type: 'Call' }>, frame: Frame): Plain {
    if (args.some(({ star }) => star === '**')) throw UNKNOWN;
    const plain = (): readonly Plain[] =>
      args
        .filter(({ name }) => name === null)
        .flatMap(({ star, value }) => (star === '*' ? itemsOf(this.of(value, frame)) : [this.of(value, frame)]));
    const named = new Map(args.flatMap(({ name, value }) => (name === null ? [] : [[name, this.of(value, frame)] as const])));
    if (callee.type === 'Attribute') {
      if (named.size > 0) throw UNKNOWN;
      return callMethod(this.of(callee.object, frame), callee.name, plain());
    }
    const target = this.of(callee, frame);
    if (!(target instanceof Closure)) throw UNKNOWN;
    return target.run(plain(), named);
  }

  private function(node: FunctionStmt, frame: Frame): Closure {
    if (node.async || node.decorators.length > 0) throw UNKNOWN;
    return this.closure(node.params, frame, (inner) => {
      const given = this.statements(node.body, inner);
      if (given === null) throw UNKNOWN;
      return given.value;
    });
  }

  private closure(params: readonly Parameter[], frame: Frame, body: (inner: Frame) => Plain): Closure {
    return new Closure((args, named) =>
      this.deeper(() => {
        const inner: Frame = { env: frame.env, names: new Map(), outer: frame };
        for (const [index, { name, star, fallback }] of params.entries()) {
          if (star === '**') throw UNKNOWN;
          if (star === '*') {
            inner.names.set(name, row('tuple', args.slice(index)));
            continue;
          }
          const given = args[index] ?? named.get(name) ?? (fallback === null ? undefined : this.of(fallback, frame));
          if (given === undefined) throw UNKNOWN;
          inner.names.set(name, given);
        }
        return body(inner);
      }),
    );
  }

  /** What a block gives back; null where it goes on behind it. */
  private statements(body: readonly Stmt[], frame: Frame): { readonly value: Plain } | null {
    for (const statement of body) {
      if (statement.type === 'Return') return { value: statement.value === null ? null : this.of(statement.value, frame) };
      if (statement.type === 'Assign' && statement.value !== null) {
        const value = this.of(statement.value, frame);
        for (const target of statement.targets) this.bind(target, value, frame);
      } else if (statement.type === 'If') {
        const way = statement.branches.find(({ test }) => test === null || truthOf(this.of(test, frame)));
        const given = way === undefined ? null : this.statements(way.body, frame);
        if (given !== null) return given;
      } else if (statement.type !== 'Expression' || statement.value.type !== 'String') throw UNKNOWN;
    }
    return null;
  }

  private bind(target: Expr, value: Plain, frame: Frame): void {
    if (target.type === 'Name') frame.names.set(target.name, value);
    else if (target.type === 'Tuple' || target.type === 'List') {
      const items = itemsOf(value);
      if (items.length !== target.items.length) throw UNKNOWN;
      for (const [index, item] of target.items.entries()) this.bind(item, items[index] ?? null, frame);
    } else throw UNKNOWN;
  }

  private deeper<T>(go: () => T): T {
    if (this.depth >= DEEPEST) throw UNKNOWN;
    this.depth += 1;
    try {
      return go();
    } finally {
      this.depth -= 1;
    }
  }
}

function numberIn(text: string): number {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) throw UNKNOWN;
  return value;
}

function unary(op: string, value: Plain): Plain {
  if (op === 'not') return !truthOf(value);
  if (op !== '-' || typeof value !== 'number') throw UNKNOWN;
  return -value;
}
