// What an expression over values that stand in the test itself comes to: `events.slice(0, 1)`, `parse('0,0 3,0')` with a helper of the
// tests. Only code without effects is followed, step by step and not for long; nothing of the project is run. Methods that are known
// are in javascript/pure-methods.ts.

import { at, bare, holesAt, isFunction, keyName, listAt, nameOf, propertyName, textAt } from './tree.js';
import type { Node } from './tree.js';
import { patternNames } from './names.js';
import { asText, binary, truth, unary } from './operators.js';
import { callGlobal, callMethod, isGlobal } from './pure-methods.js';
import { isChanging, isPure } from './purity.js';
import { Closure, Opaque, UNKNOWN, isList, isRecord } from './plain-values.js';
import type { Plain } from './plain-values.js';
import { Env, follow, functionOf } from './scope.js';
import type { Value } from './scope.js';

const MOST_STEPS = 1500;
const DEEPEST = 12;

export interface Sight {
  /** Canonical text of what cannot be worked out. */
  readonly print: (node: Node, env: Env) => string;
  /** Columns and loop variables are filled in. */
  readonly fills: boolean;
  /** Told of each that is. */
  readonly filled: () => void;
}

/** Said before anything is made ready for it: most calls and lists do not come out. */
export function mayComeOut(node: Node, env: Env): boolean {
  return failed.get(node) !== env && isWorthIt(node, env, canRun);
}

/** Most functions of the tests have effects, and what begins with a call of one does not come out. */
function canRun(value: Value): boolean {
  const target = value.source === undefined ? value : follow(value);
  const fn = target === null || value.base !== undefined ? null : bare(target.node);
  return target === null || !isFunction(fn) || isPure(fn, target.env);
}

/** The value of a call or list that may come out; null where it has none, or none that is known. */
export function workOut(node: Node, env: Env, sight: Sight): { readonly value: Plain } | null {
  try {
    return { value: new Work(sight).of(node, { env, names: new Map(), outer: null }) };
  } catch (error) {
    if (error !== UNKNOWN) throw error;
    if (sight.fills) failed.set(node, env);
    return null;
  }
}

/** What did not come out once does not come out where the same is printed as a part of something else. */
const failed = new WeakMap<Node, Env>();

/** Most calls are of the code under test: their innermost name says so at once, or what it stands for. */
function isWorthIt(node: Node, env: Env, fits: (value: Value) => boolean = () => true): boolean {
  let root: Node | null = bare(node);
  let called = false;
  for (let depth = 0; depth < 20 && root !== null; depth += 1) {
    if (root.type === 'CallExpression') {
      root = bare(at(root, 'callee'));
      called = true;
    } else if (root.type === 'MemberExpression') root = bare(at(root, 'object'));
    else break;
  }
  if (root === null) return false;
  if (root.type === 'ArrayExpression') return called || holesAt(root, 'elements').some((element) => element?.type === 'SpreadElement');
  if (root.type !== 'Identifier') return called && ['Literal', 'TemplateLiteral', 'ObjectExpression', 'NewExpression'].includes(root.type);
  const value = env.find(nameOf(root));
  if (value === null) return called && isGlobal(nameOf(root));
  return called && value.text === undefined && (value.source === undefined || follow(value) !== null) && fits(value);
}

interface Frame {
  readonly env: Env;
  readonly names: Map<string, Plain>;
  readonly outer: Frame | null;
}

/** What names stand for that did not come out, for as long as names hold what they held: many expressions of a file begin with one. */
const hopeless = new WeakMap<Value, { readonly name: string; readonly changes: number }>();

class Work {
  private steps = 0;
  private depth = 0;

  constructor(private readonly sight: Sight) {}

  of(node: Node | null, frame: Frame): Plain {
    const inner = bare(node);
    this.steps += 1;
    if (inner === null || this.steps > MOST_STEPS) throw UNKNOWN;
    switch (inner.type) {
      case 'Literal':
        return this.literal(inner);
      case 'Identifier':
        return this.name(nameOf(inner), frame);
      case 'TemplateLiteral':
        return this.template(inner, frame);
      case 'ArrayExpression':
        return this.list(holesAt(inner, 'elements'), frame);
      case 'ObjectExpression':
        return this.record(inner, frame);
      case 'UnaryExpression':
        return unary(textAt(inner, 'operator'), this.of(at(inner, 'argument'), frame));
      case 'BinaryExpression':
        return binary(this.of(at(inner, 'left'), frame), textAt(inner, 'operator'), this.of(at(inner, 'right'), frame));
      case 'LogicalExpression':
        return this.logical(inner, frame);
      case 'ConditionalExpression':
        return this.of(at(inner, truth(this.of(at(inner, 'test'), frame)) ? 'consequent' : 'alternate'), frame);
      case 'MemberExpression':
        return this.member(inner, frame);
      case 'CallExpression':
      case 'NewExpression':
        return this.call(inner, frame);
      default:
        if (isFunction(inner) && inner['async'] !== true && inner['generator'] !== true) return this.closure(inner, frame);
        throw UNKNOWN;
    }
  }

  private literal(node: Node): Plain {
    const value = node['value'];
    if (node['regex'] !== undefined && node['regex'] !== null) return new Opaque(textAt(node, 'raw'));
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    throw UNKNOWN;
  }

  private name(name: string, frame: Frame): Plain {
    for (let at: Frame | null = frame; at !== null; at = at.outer) {
      const known = at.names.get(name);
      if (known !== undefined || at.names.has(name)) return known;
    }
    const value = frame.env.find(name);
    if (value !== null) return this.value(value, name);
    if (name === 'undefined') return undefined;
    if (isGlobal(name)) return new Closure((args) => callGlobal(name, null, args));
    throw UNKNOWN;
  }

  private value(value: Value, name: string): Plain {
    if (value.row === true) {
      if (!this.sight.fills) throw UNKNOWN;
      this.sight.filled();
    }
    if (value.text !== undefined) return value.text === 'undefined' ? undefined : new Opaque(value.text);
    if (value.base !== undefined) return this.part(this.value(value.base, name), value.access ?? '');
    const target = value.source === undefined ? value : follow(value);
    if (target === null || target.node === null) return new Opaque(name);
    const known = hopeless.get(value);
    if (known?.name === name && known.changes === Env.changes) throw UNKNOWN;
    try {
      const frame: Frame = { env: target.env, names: new Map(), outer: null };
      const node = bare(target.node);
      if (node === null || nameOf(node) === name || isChanging(node, name, target.env.module.tree)) throw UNKNOWN;
      return this.deeper(() => this.held(node, frame));
    } catch (error) {
      // What was given up for its length or depth, or for a row, may be known elsewhere.
      const isTired = this.steps > MOST_STEPS || this.depth >= DEEPEST;
      if (error === UNKNOWN && this.sight.fills && !isTired) hopeless.set(value, { name, changes: Env.changes });
      throw error;
    }
  }

  private part(whole: Plain, access: string): Plain {
    const [, key, index] = /^(?:\.([\p{L}_$][\p{L}\p{N}_$]*)|\[(\d+)\])$/u.exec(access) ?? [];
    if (key !== undefined) return property(whole, key);
    if (index !== undefined && isList(whole)) return whole[Number(index)];
    throw UNKNOWN;
  }

  /** An element or argument: what is not known keeps its text. */
  private held(node: Node, frame: Frame): Plain {
    const inner = bare(node);
    if (inner !== null && frame.names.size === 0 && frame.outer === null && isOfOthers(inner, frame.env)) {
      return new Opaque(this.sight.print(inner, frame.env));
    }
    return this.of(inner, frame);
  }

  private list(elements: readonly (Node | null)[], frame: Frame): Plain {
    const found: Plain[] = [];
    for (const element of elements) {
      if (element === null) throw UNKNOWN;
      if (element.type !== 'SpreadElement') found.push(this.held(element, frame));
      else found.push(...this.spread(element, frame));
    }
    return found;
  }

  private spread(element: Node, frame: Frame): readonly Plain[] {
    const value = this.of(at(element, 'argument'), frame);
    if (typeof value === 'string') return Array.from(value);
    if (!isList(value)) throw UNKNOWN;
    return value;
  }

  private record(node: Node, frame: Frame): Plain {
    const found: Record<string, Plain> = Object.create(null) as Record<string, Plain>;
    for (const entry of listAt(node, 'properties')) {
      if (entry.type === 'SpreadElement') {
        const value = this.of(at(entry, 'argument'), frame);
        if (!isRecord(value)) throw UNKNOWN;
        Object.assign(found, value);
        continue;
      }
      const value = at(entry, 'value');
      if (entry['kind'] !== 'init' || value === null) throw UNKNOWN;
      const key = entry['computed'] === true ? this.of(at(entry, 'key'), frame) : keyName(entry);
      if (typeof key !== 'string' && typeof key !== 'number') throw UNKNOWN;
      found[key] = this.held(value, frame);
    }
    return found;
  }

  private template(node: Node, frame: Frame): Plain {
    const texts = listAt(node, 'quasis').map((quasi) => (quasi['value'] as { cooked?: string | null } | undefined)?.cooked ?? '');
    const parts = listAt(node, 'expressions').map((part) => asText(this.of(part, frame)));
    return texts.map((text, index) => text + (parts[index] ?? '')).join('');
  }

  private logical(node: Node, frame: Frame): Plain {
    const left = this.of(at(node, 'left'), frame);
    const operator = textAt(node, 'operator');
    if (left instanceof Opaque) throw UNKNOWN;
    const isDone = operator === '??' ? left !== null && left !== undefined : truth(left) === (operator === '||');
    return isDone ? left : this.of(at(node, 'right'), frame);
  }

  private member(node: Node, frame: Frame): Plain {
    const owner = this.of(at(node, 'object'), frame);
    if (node['computed'] !== true) return property(owner, propertyName(node));
    const key = this.of(at(node, 'property'), frame);
    if (isList(owner) && typeof key === 'number') return owner[key];
    if (typeof owner === 'string' && typeof key === 'number') return owner[key];
    if (typeof key === 'string') return property(owner, key);
    throw UNKNOWN;
  }

  private call(node: Node, frame: Frame): Plain {
    const callee = bare(at(node, 'callee'));
    if (callee?.type === 'MemberExpression') {
      const [owner, name] = [bare(at(callee, 'object')), propertyName(callee)];
      if (owner?.type === 'Identifier' && this.isFree(nameOf(owner), frame)) return callGlobal(nameOf(owner), name, this.args(node, frame));
      if (owner?.type !== 'Identifier' || name !== 'fill') return callMethod(this.of(owner, frame), name, this.args(node, frame));
    }
    if (callee?.type !== 'Identifier') throw UNKNOWN;
    if (this.isFree(nameOf(callee), frame)) return callGlobal(nameOf(callee), null, this.args(node, frame));
    if (node.type === 'NewExpression') throw UNKNOWN;
    const target = this.name(nameOf(callee), frame);
    if (!(target instanceof Closure)) throw UNKNOWN;
    return target.run(this.args(node, frame));
  }

  private args(node: Node, frame: Frame): readonly Plain[] {
    const found: Plain[] = [];
    for (const one of listAt(node, 'arguments')) {
      if (one.type === 'SpreadElement') found.push(...this.spread(one, frame));
      else found.push(this.of(one, frame));
    }
    return found;
  }

  private isFree(name: string, frame: Frame): boolean {
    if (!isGlobal(name) || frame.env.find(name) !== null) return false;
    for (let at: Frame | null = frame; at !== null; at = at.outer) if (at.names.has(name)) return false;
    return true;
  }

  private closure(fn: Node, frame: Frame): Closure {
    if (!isPure(fn, frame.env)) throw UNKNOWN;
    return new Closure((args) =>
      this.deeper(() => {
        const inner: Frame = { env: frame.env, names: new Map(), outer: frame };
        for (const [index, parameter] of listAt(fn, 'params').entries()) {
          if (parameter.type === 'RestElement') this.bind(at(parameter, 'argument'), args.slice(index), inner);
          else this.bind(parameter, args[index], inner);
        }
        const body = at(fn, 'body');
        if (body?.type !== 'BlockStatement') return this.of(body, inner);
        const given = this.statements(listAt(body, 'body'), inner);
        if (given === null) throw UNKNOWN;
        return given.value;
      }),
    );
  }

  /** What a block gives back; null where it goes on behind it. */
  private statements(body: readonly Node[], frame: Frame): { readonly value: Plain } | null {
    for (const statement of body) {
      const given = this.statement(statement, frame);
      if (given !== null) return given;
    }
    return null;
  }

  private statement(statement: Node, frame: Frame): { readonly value: Plain } | null {
    if (statement.type === 'ReturnStatement') return { value: this.of(at(statement, 'argument'), frame) };
    if (statement.type === 'BlockStatement')
      return this.statements(listAt(statement, 'body'), { ...frame, names: new Map(), outer: frame });
    if (statement.type === 'IfStatement') {
      const way = at(statement, truth(this.of(at(statement, 'test'), frame)) ? 'consequent' : 'alternate');
      return way === null ? null : this.statement(way, frame);
    }
    if (statement.type !== 'VariableDeclaration' || statement['kind'] !== 'const') throw UNKNOWN;
    for (const declarator of listAt(statement, 'declarations'))
      this.bind(at(declarator, 'id'), this.of(at(declarator, 'init'), frame), frame);
    return null;
  }

  private bind(pattern: Node | null, value: Plain, frame: Frame): void {
    if (pattern?.type === 'Identifier') frame.names.set(nameOf(pattern), value);
    else if (pattern?.type === 'AssignmentPattern')
      this.bind(at(pattern, 'left'), value === undefined ? this.of(at(pattern, 'right'), frame) : value, frame);
    else if (pattern?.type === 'ArrayPattern' && isList(value)) {
      for (const [index, element] of holesAt(pattern, 'elements').entries()) {
        if (element === null) continue;
        if (element.type === 'RestElement') this.bind(at(element, 'argument'), value.slice(index), frame);
        else this.bind(element, value[index], frame);
      }
    } else if (pattern?.type === 'ObjectPattern') {
      const entries = listAt(pattern, 'properties');
      if (entries.some((entry) => entry.type !== 'Property' || keyName(entry) === '')) throw UNKNOWN;
      for (const entry of entries) this.bind(at(entry, 'value'), property(value, keyName(entry)), frame);
    } else {
      for (const name of patternNames(pattern)) frame.names.set(name, new Opaque(name));
      throw UNKNOWN;
    }
  }

  private deeper<T>(go: () => T): T {
    if (this.depth >= DEEPEST) throw UNKNOWN;
    this.depth += 1;
    const found = go();
    // Where it is not known, all of the work is given up.
    this.depth -= 1;
    return found;
  }
}

/** A call of something that is not the tests' own: its text stands for it. */
function isOfOthers(node: Node, env: Env): boolean {
  if (node.type === 'AwaitExpression') return true;
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  return !isWorthIt(node, env) && functionOf(at(node, 'callee'), env) === null;
}

function property(owner: Plain, key: string): Plain {
  if ((typeof owner === 'string' || isList(owner)) && key === 'length') return owner.length;
  if (!isRecord(owner)) throw UNKNOWN;
  return Object.hasOwn(owner, key) ? owner[key] : undefined;
}
