// What names stand for: variables, parameters, table columns and imports of one version of the tree. Nothing is run: a name that
// cannot be followed stays a name.

import type { Lookup } from '../facts.js';
import { candidates, isOfTests, joinPath } from './paths.js';
import { declaredNames, hookAssignments, importedBy, isMaker, patternNames } from './names.js';
import { at, bare, holesAt, isFunction, isLiteral, keyName, listAt, nameOf, parseTree, propertyName, settled } from './tree.js';
import type { Node, Tree } from './tree.js';

/** An expression and the names around it; or a text where there is no expression to point at. */
export interface Value {
  readonly node: Node | null;
  readonly env: Env;
  readonly text?: string;
  /** A part of a value that is not a literal: `base` with `.name` or `[0]` after it. */
  readonly base?: Value;
  readonly access?: string;
  /** Declared under a name of its own, which is how it is written: functions, mocks. */
  readonly named?: boolean;
  /** The name it was declared under. */
  readonly label?: string;
  /** A column of a table or a loop variable: a template keeps its name. */
  readonly row?: boolean;
  /** Where it is imported from. */
  readonly source?: string;
  readonly imported?: string;
  /** The callback by which a test tells the runner that it has ended. */
  readonly ends?: boolean;
}

export class Env {
  /** How often a name was given another value after somebody had asked: what was told before then may no longer hold. */
  static changes = 0;
  private names: Map<string, Value | null> | null = null;
  private isAsked = false;
  readonly depth: number;
  constructor(
    readonly parent: Env | null,
    readonly module: Module,
  ) {
    this.depth = parent === null ? 0 : parent.depth + 1;
  }

  find(name: string): Value | null {
    this.isAsked = true;
    const value = this.names?.get(name);
    return value === undefined ? (this.parent?.find(name) ?? null) : value;
  }

  has(name: string): boolean {
    return this.names?.has(name) === true;
  }

  set(name: string, value: Value | null): void {
    if (this.isAsked) Env.changes += 1;
    (this.names ??= new Map()).set(name, value);
  }

  /** Changes the name where it was declared. */
  assign(name: string, value: Value | null): void {
    (this.ownerOf(name) ?? this).set(name, value);
  }

  /** Changes the name where it was declared, but nowhere outside of `outer`: what one test puts there is nothing to another. */
  assignWithin(name: string, value: Value | null, outer: Env): void {
    const owner = this.ownerOf(name);
    if (owner !== null && owner.depth > outer.depth) owner.set(name, value);
    else this.belowOf(outer).set(name, value);
  }

  private belowOf(outer: Env): Env {
    return this.parent === null || this.parent.depth <= outer.depth ? this : this.parent.belowOf(outer);
  }

  private ownerOf(name: string): Env | null {
    return this.has(name) ? this : (this.parent?.ownerOf(name) ?? null);
  }

  child(): Env {
    return new Env(this, this.module);
  }
}

/** One parsed file with the names of its top level. */
export class Module {
  readonly env: Env;
  readonly exports = new Map<string, Value>();
  constructor(
    readonly tree: Tree,
    readonly project: Project,
  ) {
    this.env = new Env(null, this);
    for (const statement of listAt(tree.program, 'body')) this.declare(statement);
    for (const statement of listAt(tree.program, 'body')) assignHooked(statement, this.env);
  }

  private declare(statement: Node): void {
    if (statement.type === 'ImportDeclaration') return this.declareImports(statement);
    if (statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration') return this.declareExport(statement);
    if (statement.type === 'ExpressionStatement') return this.declareCommonExport(at(statement, 'expression'));
    declareStatement(statement, this.env);
  }

  private declareImports(statement: Node): void {
    const source = String(at(statement, 'source')?.['value'] ?? '');
    for (const specifier of listAt(statement, 'specifiers')) {
      const imported = at(specifier, 'imported');
      const plain = specifier.type === 'ImportDefaultSpecifier' ? 'default' : '*';
      const name = imported === null ? plain : isLiteral(imported) ? String(imported['value']) : nameOf(imported);
      this.env.set(nameOf(at(specifier, 'local')), { node: null, env: this.env, source, imported: name });
    }
  }

  private declareExport(statement: Node): void {
    const declaration = at(statement, 'declaration');
    if (declaration !== null) {
      declareStatement(declaration, this.env);
      const names = declaredNames(declaration);
      for (const name of names) {
        const value = this.env.find(name);
        if (value !== null) this.exports.set(name, value);
      }
      if (statement.type === 'ExportDefaultDeclaration') {
        this.exports.set('default', this.env.find(names[0] ?? '') ?? { node: declaration, env: this.env });
      }
      return;
    }
    const source = at(statement, 'source');
    for (const specifier of listAt(statement, 'specifiers')) {
      const local = nameOf(at(specifier, 'local'));
      const name = nameOf(at(specifier, 'exported'));
      if (source === null) this.exports.set(name, this.env.find(local) ?? { node: at(specifier, 'local'), env: this.env });
      else this.exports.set(name, { node: null, env: this.env, source: String(source['value']), imported: local });
    }
  }

  /** `module.exports = …`, `exports.name = …`. */
  private declareCommonExport(expression: Node | null): void {
    if (expression?.type !== 'AssignmentExpression') return;
    const left = bare(at(expression, 'left'));
    const right = bare(at(expression, 'right'));
    if (left?.type !== 'MemberExpression' || right === null) return;
    const owner = at(left, 'object');
    const name = propertyName(left);
    if (nameOf(owner) === 'module' && name === 'exports') {
      this.exports.set('default', { node: right, env: this.env });
      if (right.type !== 'ObjectExpression') return;
      for (const property of listAt(right, 'properties')) {
        const value = at(property, 'value');
        if (value !== null) this.exports.set(keyName(property), valueOf(value, this.env));
      }
    } else if (nameOf(owner) === 'exports' || (owner?.type === 'MemberExpression' && propertyName(owner) === 'exports')) {
      this.exports.set(name, valueOf(right, this.env));
    }
  }
}

/** All modules of one version of the tree that were asked for. */
export class Project {
  readonly modules = new Map<string, Module | null>();
  constructor(readonly lookup: Lookup) {}

  open(file: string, text: string): Module {
    const module = new Module(parseTree(file, text), this);
    this.modules.set(file, module);
    return module;
  }

  load(file: string): Module | null {
    const known = this.modules.get(file);
    if (known !== undefined) return known;
    this.modules.set(file, null);
    const text = this.lookup(file);
    return text === null ? null : this.open(file, file.endsWith('.json') ? `export default ${text}` : text);
  }

  /** The file that a specifier leads to; null where it is a package, or where there is none. */
  resolve(from: string, specifier: string): string | null {
    if (!specifier.startsWith('.')) return null;
    const base = joinPath(from, specifier);
    for (const path of candidates(base)) if (this.modules.get(path) !== undefined || this.lookup(path) !== null) return path;
    return null;
  }
}

export function valueOf(node: Node, env: Env): Value {
  const inner = bare(node);
  const known = inner?.type === 'Identifier' ? env.find(nameOf(inner)) : null;
  return known ?? { node, env, named: isFunction(inner) || isMaker(node) };
}

/** What hooks put into variables, tests find there. */
export function assignHooked(statement: Node, env: Env): void {
  for (const { name, right } of hookAssignments(statement)) {
    const value = valueOf(right, env);
    env.assign(name, value.named === true ? { ...value, label: name } : value);
  }
}

export function declareStatement(statement: Node, env: Env): void {
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
    const name = nameOf(at(statement, 'id'));
    if (name !== '') env.set(name, { node: statement, env, named: true, label: name });
  } else if (statement.type === 'VariableDeclaration') {
    for (const declarator of listAt(statement, 'declarations')) declare(declarator, env);
  }
}

function declare(declarator: Node, env: Env): void {
  const id = at(declarator, 'id');
  const init = at(declarator, 'init');
  if (id === null) return;
  if (init === null) {
    for (const name of patternNames(id)) if (!env.has(name)) env.set(name, null);
    return;
  }
  const value = valueOf(init, env);
  const label = id.type === 'Identifier' && value.named === true && value.label === undefined ? nameOf(id) : undefined;
  bind(id, label === undefined ? value : { ...value, label }, env);
}

/** Gives the names of a pattern what they stand for in `value`. */
export function bind(pattern: Node, value: Value, env: Env, row = false): void {
  if (pattern.type === 'Identifier') {
    env.set(nameOf(pattern), named(value, row));
  } else if (pattern.type === 'AssignmentPattern') {
    const left = at(pattern, 'left');
    if (left !== null) bind(left, value, env, row);
  } else if (pattern.type === 'ObjectPattern') {
    for (const property of listAt(pattern, 'properties')) {
      if (property.type === 'Property') bindProperty(property, value, env, row);
      else for (const name of patternNames(property)) env.set(name, restOf(pattern, value, env, row, name));
    }
  } else if (pattern.type === 'ArrayPattern') {
    for (const [index, element] of holesAt(pattern, 'elements').entries()) {
      if (element === null) continue;
      if (element.type === 'RestElement') for (const name of patternNames(element)) env.set(name, { node: null, env, text: name, row });
      else bind(element, elementOf(value, index, env), env, row);
    }
  }
}

/** `{ id, ...rest } = f()`: what is left of a value that a call gave, without the parts that were taken out. */
function restOf(pattern: Node, value: Value, env: Env, row: boolean, name: string): Value {
  if (row || (value.base === undefined && settled(value.node)?.type !== 'CallExpression')) return { node: null, env, text: name, row };
  const keys = listAt(pattern, 'properties').flatMap((property) => (property.type === 'Property' ? [keyName(property)] : []));
  return { node: null, env, base: value, access: `[without ${keys.join(' ')}]` };
}

function named(value: Value, row: boolean): Value {
  const source = importedBy(value.node);
  if (source !== null) return { node: null, env: value.env, source, imported: '*' };
  return row && value.row !== true ? { ...value, row } : value;
}

function bindProperty(property: Node, value: Value, env: Env, row: boolean): void {
  const pattern = at(property, 'value');
  const key = keyName(property);
  if (pattern === null) return;
  const member = memberOf(value, key, env);
  const fallback = pattern.type === 'AssignmentPattern' ? at(pattern, 'right') : null;
  const missing = fallback !== null && member.node === null && member.text === 'undefined';
  bind(pattern, missing ? valueOf(fallback, env) : member, env, row);
}

/** The property `key` of a value, followed into an object literal or a module. */
export function memberOf(value: Value, key: string, env: Env): Value {
  const source = value.source ?? importedBy(value.node);
  if (source !== null && source !== undefined && (value.imported ?? '*') === '*')
    return { node: null, env: value.env, source, imported: key };
  const node = settled(value.node);
  if (node?.type === 'ObjectExpression') {
    const properties = listAt(node, 'properties');
    const found = properties.findLast((property) => property.type === 'Property' && keyName(property) === key);
    const inner = found === undefined ? null : at(found, 'value');
    if (inner !== null) return valueOf(inner, value.env);
    if (properties.every((property) => property.type === 'Property')) return { node: null, env, text: 'undefined' };
  }
  const made = node === null ? null : madeBy(node, value.env);
  if (made !== null && made.node?.type === 'ObjectExpression') return memberOf(made, key, env);
  return { node: null, env, base: value, access: `.${key}` };
}

/** What a call of a function of the tests gives back, where that is an object written down there. */
function madeBy(node: Node, env: Env): Value | null {
  if (node.type !== 'CallExpression' || env.depth > 40 || making >= MOST_MAKING) return null;
  // A function that calls itself while it makes what it gives back has no end.
  making += 1;
  try {
    return madeNow(node, env);
  } finally {
    making -= 1;
  }
}

const MOST_MAKING = 5;
let making = 0;
function madeNow(node: Node, env: Env): Value | null {
  const fn = functionOf(at(node, 'callee'), env);
  if (fn === null || fn.node === null) return null;
  const inner = fn.env.child();
  const args = listAt(node, 'arguments');
  const parameters = listAt(fn.node, 'params').slice(0, args.length);
  parameters.forEach((parameter, index) => bind(parameter, valueOf(args[index] as Node, env), inner));
  const body = at(fn.node, 'body');
  if (body === null || body.type !== 'BlockStatement') return body === null ? null : { node: settled(body), env: inner };
  for (const statement of listAt(body, 'body')) {
    declareStatement(statement, inner);
    if (statement.type === 'ReturnStatement') return { node: settled(at(statement, 'argument')), env: inner };
  }
  return null;
}

/** A method of the class that a value is made of, also after calls that give the object back: `page.add(1).expectTotal(1)`. */
function methodOf(value: Value, name: string, depth: number): Value | null {
  const target = classOf(value, depth);
  const method = listAt(at(target?.node, 'body'), 'body').find((member) => member.type === 'MethodDefinition' && keyName(member) === name);
  const fn = method === undefined ? null : at(method, 'value');
  return fn === null || target === null ? null : { node: fn, env: target.env };
}

function classOf(value: Value, depth: number): Value | null {
  const node = settled(value.node);
  if (node === null || depth > 8)
    return value.source === undefined ? null : classOf(follow(value) ?? { node: null, env: value.env }, depth + 1);
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') return { node, env: value.env };
  if (node.type === 'Identifier') {
    const known = value.env.find(nameOf(node));
    return known === null ? null : classOf(known, depth + 1);
  }
  if (node.type === 'NewExpression') return classOf({ node: at(node, 'callee'), env: value.env }, depth + 1);
  if (node.type !== 'CallExpression') return null;
  const callee = bare(at(node, 'callee'));
  if (callee?.type === 'MemberExpression') return classOf({ node: at(callee, 'object'), env: value.env }, depth + 1);
  const made = madeBy(node, value.env);
  return made === null || made.node === null ? null : classOf(made, depth + 1);
}

export function elementOf(value: Value, index: number, env: Env): Value {
  const node = settled(value.node);
  if (node?.type !== 'ArrayExpression') return { node: null, env, base: value, access: `[${index}]` };
  const element = holesAt(node, 'elements')[index] ?? null;
  return element === null || element.type === 'SpreadElement' ? { node: null, env, text: 'undefined' } : valueOf(element, value.env);
}

const followed = new WeakMap<Value, Value | null>();

/** The value behind an import that leads to another file of the tests. */
export function follow(value: Value): Value | null {
  if (value.source === undefined) return value;
  const known = followed.get(value);
  if (known !== undefined) return known;
  const found = followImport(value);
  followed.set(value, found);
  return found;
}

function followImport(value: Value): Value | null {
  let current = value;
  for (let depth = 0; depth < 6 && current.source !== undefined; depth += 1) {
    const module = current.env.module;
    const ofTests = current.source.startsWith('.') && isOfTests(joinPath(module.tree.file, current.source));
    const path = ofTests ? module.project.resolve(module.tree.file, current.source) : null;
    const target = path === null ? null : module.project.load(path);
    const name = current.imported ?? 'default';
    const next = target?.exports.get(name === '*' ? 'default' : name);
    if (next === undefined) return null;
    current = next;
  }
  return current.source === undefined ? current : null;
}

/** The function that an expression leads to, and the names around it. */
export function functionOf(node: Node | null, env: Env): Value | null {
  const inner = bare(node);
  if (inner === null) return null;
  if (isFunction(inner)) return { node: inner, env };
  if (inner.type === 'Identifier') {
    const value = env.find(nameOf(inner));
    const target = value === null ? null : follow(value);
    return target !== null && isFunction(bare(target.node)) ? { node: bare(target.node), env: target.env } : null;
  }
  if (inner.type === 'CallExpression') {
    const made = madeBy(inner, env);
    return made !== null && isFunction(made.node) ? made : null;
  }
  if (inner.type !== 'MemberExpression') return null;
  const owner = settled(at(inner, 'object'));
  const value =
    owner?.type === 'Identifier'
      ? env.find(nameOf(owner))
      : owner?.type === 'CallExpression' || owner?.type === 'NewExpression'
        ? { node: owner, env }
        : null;
  if (value === null) return null;
  const method = methodOf(value, propertyName(inner), 0);
  if (method !== null) return method;
  const member = memberOf(value, propertyName(inner), env);
  const target = follow(member);
  return target !== null && isFunction(bare(target.node)) ? { node: bare(target.node), env: target.env } : null;
}
