// What names stand for in a Python file: variables, parameters, columns of tables, attributes of self, imports. Nothing is run: a
// name that cannot be followed stays a name.

import type { Lookup } from '../facts.js';
import { roleOf } from '../paths.js';
import { ModulePaths } from './module-paths.js';
import { parseTree } from './parse.js';
import type { ClassStmt, Expr, FunctionStmt, Stmt, Tree } from './tree.js';
import { blocksOf, dotted, lastName, positional, settled } from './tree.js';

/** An expression or definition and the names around it; or a text where there is nothing to point at. */
export interface Value {
  readonly node: Expr | FunctionStmt | ClassStmt | null;
  readonly env: Env;
  readonly text?: string;
  /** A part of a value that is no literal: `base` with `.name` or `[0]` after it. */
  readonly base?: Value;
  readonly access?: string;
  /** Known by the name it was given: mocks, and lists that are filled later. */
  readonly label?: string;
  /** A column of a table or a loop variable: a template keeps its name. */
  readonly row?: boolean;
  /** Imported: the module, and the name there; empty for the module itself. */
  readonly source?: { readonly module: string; readonly level: number; readonly name: string };
}

export class Env {
  private readonly names = new Map<string, Value | null>();
  constructor(
    readonly parent: Env | null,
    readonly module: Module,
  ) {}

  find(name: string): Value | null {
    const own = this.names.get(name);
    return own === undefined ? (this.parent?.find(name) ?? null) : own;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  set(name: string, value: Value | null): void {
    this.names.set(name, value);
  }

  /** Names that begin so: the attributes of `self`. */
  under(prefix: string): ReadonlyMap<string, Value> {
    const found = new Map(this.parent?.under(prefix) ?? []);
    for (const [name, value] of this.names) if (value !== null && name.startsWith(prefix)) found.set(name, value);
    return found;
  }

  child(): Env {
    return new Env(this, this.module);
  }
}

/** One parsed file with the names of its top level. */
export class Module {
  readonly env: Env;
  constructor(
    readonly tree: Tree,
    readonly project: Project,
  ) {
    this.env = new Env(null, this);
    for (const statement of tree.body) declareAll(statement, this.env);
  }
}

function declareAll(statement: Stmt, env: Env): void {
  declare(statement, env);
  if (statement.type === 'Function' || statement.type === 'Class') return;
  for (const block of blocksOf(statement)) for (const inner of block) declareAll(inner, env);
}

/** Takes up the names that a statement gives. */
export function declare(statement: Stmt, env: Env): void {
  if (statement.type === 'Function' || statement.type === 'Class') env.set(statement.name, { node: statement, env });
  else if (statement.type === 'Import') {
    for (const { name, local } of statement.names) {
      const { module, level } = statement;
      if (statement.from) env.set(local, { node: null, env, source: { module, level, name } });
      else if (local === name && name.includes('.'))
        env.set(name.split('.')[0] ?? name, { node: null, env, source: { module: name.split('.')[0] ?? name, level: 0, name: '' } });
      else env.set(local, { node: null, env, source: { module: name, level: 0, name: '' } });
    }
  } else if (statement.type === 'Assign' && statement.value !== null) {
    for (const target of statement.targets) bind(target, valueOf(statement.value, env), env);
  }
}

/** Callables whose result is known by the name it is given. */
const MAKERS: ReadonlySet<string> = new Set(
  'Mock MagicMock AsyncMock NonCallableMock PropertyMock create_autospec mock_open patch object stub spy mocker Event Queue list dict set defaultdict deque Counter StringIO BytesIO'.split(
    ' ',
  ),
);

/** A list that others fill, a mock that others call: it is known by its name. */
export function isFilledLater(node: Expr): boolean {
  const inner = settled(node);
  if (inner.type === 'List' || inner.type === 'Set') return inner.items.length === 0;
  if (inner.type === 'Dict') return inner.entries.length === 0;
  return (
    inner.type === 'Call' &&
    MAKERS.has(lastName(inner.callee)) &&
    (positional(inner.args).length === 0 || /[mM]ock|autospec|patch|object/.test(lastName(inner.callee)))
  );
}

export function valueOf(node: Expr, env: Env): Value {
  if (node.type === 'Name') {
    const known = env.find(node.name);
    if (known !== null) return known;
  }
  return { node, env };
}

/** Gives the names of a target what they stand for in `value`. */
export function bind(target: Expr, value: Value, env: Env, row = false): void {
  const marked = row && value.row !== true ? { ...value, row } : value;
  if (target.type === 'Name') env.set(target.name, named(marked, target.name));
  else if (target.type === 'Attribute') {
    const name = dotted(target);
    if (name !== '') env.set(name, named(marked, name));
  } else if (target.type === 'Tuple' || target.type === 'List') {
    for (const [index, item] of target.items.entries()) {
      if (item.type === 'Star') bindOwn(item.value, env, row);
      else bind(item, elementOf(value, index, env), env, row);
    }
  } else if (target.type === 'Subscript') {
    const name = dotted(target.object);
    const known = name === '' ? null : env.find(name);
    if (known !== null && known.node !== null) env.set(name, { ...known, label: name });
  }
}

function named(value: Value, name: string): Value {
  const { node } = value;
  if (value.label !== undefined || node === null || node.type === 'Function' || node.type === 'Class') return value;
  if (isFilledLater(node) || mentions(node, name, value.env)) return { ...value, label: name };
  return value;
}

/** `x = x + 1`: what it stands for cannot be written out. */
function mentions(node: Expr, name: string, env: Env): boolean {
  if (node.type === 'Name') return node.name === name;
  const open: Expr[] = [node];
  for (let count = 0; count < 200 && open.length > 0; count += 1) {
    const next = open.pop();
    if (next === undefined) break;
    if (next.type === 'Name' && next.name === name && env.has(name)) return true;
    if (next.type === 'Call') open.push(next.callee, ...next.args.map(({ value }) => value));
    else if (next.type === 'Binary') open.push(next.left, next.right);
    else if (next.type === 'Attribute' || next.type === 'Subscript') open.push(next.object);
    else if (next.type === 'Await') open.push(next.value);
  }
  return false;
}

/** Names that stand for themselves: parameters of a function that is not called here. */
export function bindOwn(target: Expr, env: Env, row = false): void {
  if (target.type === 'Name') env.set(target.name, { node: null, env, text: target.name, ...(row ? { row } : {}) });
  else if (target.type === 'Tuple' || target.type === 'List')
    for (const item of target.items) bindOwn(item.type === 'Star' ? item.value : item, env, row);
}

export function elementOf(value: Value, index: number, env: Env): Value {
  const { node } = value;
  const inner = node === null || node.type === 'Function' || node.type === 'Class' ? null : settled(node);
  if (inner !== null && (inner.type === 'List' || inner.type === 'Tuple')) {
    const item = inner.items[index];
    if (item !== undefined && !inner.items.slice(0, index + 1).some(({ type }) => type === 'Star')) return valueOf(item, value.env);
  }
  return { node: null, env, base: value, access: `[${index}]` };
}

/** The value under a key of a dictionary literal; null where it is none, or not there. */
export function entryOf(value: Value, key: string): Value | null {
  const { node } = value;
  if (node?.type !== 'Dict') return null;
  const found = node.entries.findLast((entry) => entry.key?.type === 'String' && entry.key.value === key);
  return found === undefined ? null : valueOf(found.value, value.env);
}

/** All modules of one version of the tree that were asked for. */
export class Project {
  private readonly modules = new Map<string, Module | null>();
  private readonly paths = new ModulePaths((file) => this.modules.get(file) instanceof Module || this.lookup(file) !== null);
  private readonly submodules = new WeakMap<object, string | null>();
  private readonly homes = new WeakMap<object, string | null>();
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
    return text === null ? null : this.open(file, text);
  }

  /** The full name of what is imported, where that is a module by itself. Asked for with every name that is read, so kept. */
  submodule(from: string, source: NonNullable<Value['source']>): string | null {
    const known = this.submodules.get(source);
    if (known !== undefined) return known;
    const module = source.module === '' ? source.name : `${source.module}.${source.name}`;
    const found = this.resolve(from, module, source.level) === null ? null : module;
    this.submodules.set(source, found);
    return found;
  }

  /** The file of what is imported, kept by the import itself. */
  home(from: string, source: NonNullable<Value['source']>): string | null {
    const known = this.homes.get(source);
    if (known !== undefined) return known;
    const found = this.resolve(from, source.module, source.level);
    this.homes.set(source, found);
    return found;
  }

  /** The file of a module as seen from another; null where it is a package from elsewhere. */
  resolve(from: string, module: string, level: number): string | null {
    return this.paths.resolve(from, module, level);
  }
}

/** The value behind an import that leads to a file of the tree. */
export function follow(value: Value): Value | null {
  let current = value;
  for (let depth = 0; depth < 6 && current.source !== undefined; depth += 1) {
    const { module } = current.env;
    const { source } = current;
    if (source.name === '') return null;
    const path = module.project.home(module.tree.file, source);
    const next = path === null ? null : (module.project.load(path)?.env.find(source.name) ?? null);
    if (next === null) return null;
    current = next;
  }
  return current.source === undefined ? current : null;
}

/** The module that a dotted name stands for, with the import that it comes from. */
function moduleBehind(node: Expr, env: Env): { readonly value: Value; readonly module: string; readonly level: number } | null {
  if (node.type !== 'Name' && node.type !== 'Attribute') return null;
  const owner = node.type === 'Attribute' ? moduleBehind(node.object, env) : null;
  const value = node.type === 'Name' ? env.find(node.name) : (owner?.value ?? null);
  const source = node.type === 'Name' ? value?.source : owner === null ? undefined : { ...owner, name: node.name };
  if (value === null || source === undefined) return null;
  if (source.name === '') return { value, module: source.module, level: source.level };
  const { project, tree } = value.env.module;
  const module = project.submodule(tree.file, source);
  return module === null ? null : { value, module, level: source.level };
}

/** What `module.name` imports, as if it were imported by its name; null where the owner is no module. */
export function memberOf(node: Expr, env: Env): Value | null {
  const owner = node.type === 'Attribute' ? moduleBehind(node.object, env) : null;
  if (owner === null || node.type !== 'Attribute') return null;
  return { ...owner.value, source: { module: owner.module, level: owner.level, name: node.name } };
}

/** A file that belongs to tests: its helpers are entered, those of source are not. */
export function isOfTests(file: string): boolean {
  const known = OF_TESTS.get(file);
  if (known !== undefined) return known;
  if (OF_TESTS.size > MOST_FILES) OF_TESTS.clear();
  const found = roleOf(file) !== 'source';
  OF_TESTS.set(file, found);
  return found;
}

/** Asked for with every call that is read; a path always has the same role. */
const OF_TESTS = new Map<string, boolean>();
const MOST_FILES = 5000;

export interface Callable {
  readonly node: FunctionStmt | Extract<Expr, { type: 'Lambda' }>;
  readonly env: Env;
  /** Names that are set already: `self` of a method. */
  readonly bound: number;
}

/** The function that an expression leads to; source is not entered unless asked for. */
export function functionOf(node: Expr, env: Env, source = false): Callable | null {
  if (node.type === 'Lambda') return { node, env, bound: 0 };
  if (node.type === 'Name') {
    const value = env.find(node.name);
    return value === null ? null : callable(value, source);
  }
  if (node.type === 'Call' && lastName(node.callee) === 'partial') {
    const [first] = positional(node.args);
    return first === undefined ? null : functionOf(first, env, source);
  }
  if (node.type !== 'Attribute') return null;
  const known = env.find(dotted(node));
  if (known !== null) return callable(known, source);
  const member = memberOf(node, env);
  if (member !== null) return callable(member, source);
  const type = classOf(node.object, env);
  const method = type === null ? null : methodOf(type, node.name);
  return method === null || (!source && !isOfTests(method.env.module.tree.file)) ? null : method;
}

function callable(value: Value, source: boolean): Callable | null {
  const target = follow(value);
  if (target === null || target.node === null || (!source && !isOfTests(target.env.module.tree.file))) return null;
  if (target.node.type === 'Function' || target.node.type === 'Lambda') return { node: target.node, env: target.env, bound: 0 };
  return target.node.type === 'Name' && target.env !== value.env ? functionOf(target.node, target.env, source) : null;
}

export interface TypeValue {
  readonly node: ClassStmt;
  readonly env: Env;
}

/** The class that an expression is made of, where that can be seen. */
export function classOf(node: Expr, env: Env, depth = 0): TypeValue | null {
  const inner = settled(node);
  if (depth > 6) return null;
  if (inner.type === 'Name' || inner.type === 'Attribute') {
    const value = env.find(dotted(inner)) ?? memberOf(inner, env);
    const target = value === null ? null : follow(value);
    if (target === null || target.node === null) return null;
    if (target.node.type === 'Class') return { node: target.node, env: target.env };
    return target.node.type === 'Function' ? null : classOf(target.node, target.env, depth + 1);
  }
  return inner.type === 'Call' ? classOf(inner.callee, env, depth + 1) : null;
}

export function basesOf(type: TypeValue): readonly TypeValue[] {
  return type.node.bases.flatMap(({ name, value }) => {
    const base = name === null ? classOf(value, type.env) : null;
    return base === null || base.node === type.node ? [] : [base];
  });
}

export function methodOf(type: TypeValue, name: string, depth = 0): Callable | null {
  const own = type.node.body.findLast((statement): statement is FunctionStmt => statement.type === 'Function' && statement.name === name);
  if (own !== undefined) return { node: own, env: type.env, bound: isStatic(own) ? 0 : 1 };
  if (depth > 5) return null;
  for (const base of basesOf(type)) {
    const found = methodOf(base, name, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function isStatic(node: FunctionStmt): boolean {
  return node.decorators.some((decorator) => dotted(decorator) === 'staticmethod');
}
