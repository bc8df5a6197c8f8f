// What a replacement in Python tests is put in place of: a module of the project and the names down from there, however it is spelled.

import type { TestFact } from '../facts.js';
import { Fixtures } from './fixtures.js';
import { fullName } from './names.js';
import { classOf } from './scope.js';
import type { Env, Module } from './scope.js';
import type { Expr, Stmt } from './tree.js';
import { dotted, lastName, positional, settled, statementsIn, textOf } from './tree.js';
import { stemOf } from './units.js';
import type { Imported } from './units.js';

/** What is replaced: a module of the project or a package, and the names down from there. */
export interface Target {
  readonly stem: string;
  readonly names: readonly string[];
  readonly text: string;
}

const DEEPEST = 4;

export class Targets {
  private handed: Fixtures | null = null;
  /** All statements of the file, and those that stand in no function. */
  private statements: { readonly all: readonly Stmt[]; readonly top: readonly Stmt[] } | null = null;

  constructor(
    private readonly module: Module,
    private readonly byName: ReadonlyMap<string, Imported>,
    private readonly tests: readonly TestFact[],
    private readonly findUnits: () => ReadonlySet<string>,
  ) {}

  private get fixtures(): Fixtures {
    this.handed ??= new Fixtures(this.module);
    return this.handed;
  }

  /** A dotted name; `f'{__name__}.total'` speaks of the test file itself. */
  targetText(node: Expr | null): string | null {
    if (node?.type !== 'Format') return textOf(node?.type === 'Name' ? this.given(node) : node);
    const own = stemOf(this.module.tree.file).replace(/\//g, '.');
    const pieces = node.parts.map((part) =>
      typeof part === 'string' ? part : dotted(part) === '__name__' ? own : fullName(part, this.module.env),
    );
    return pieces.every((piece) => !piece.includes('{')) ? pieces.join('') : null;
  }

  /** The longest part of a dotted name that is a file of the project is its module. */
  fromText(text: string): Target {
    const names = text.split('.');
    for (let count = names.length; count > 0; count -= 1) {
      const path = this.module.project.resolve(this.module.tree.file, names.slice(0, count).join('.'), 0);
      if (path !== null && !path.endsWith('/__init__.py')) return { stem: stemOf(path), names: names.slice(count), text };
      const plain = names.slice(0, count).join('/');
      if (this.findUnits().has(plain)) return { stem: plain, names: names.slice(count), text };
    }
    return { stem: '', names, text };
  }

  fromExpression(node: Expr, env: Env, names: readonly string[]): Target {
    const held = this.spelled(settled(node));
    if (typeof held === 'string') return this.fromText([held, ...names].join('.'));
    const inner = held.type === 'Call' && lastName(held.callee) === 'type' ? (positional(held.args)[0] ?? held) : held;
    const text = [fullName(inner, env) || dotted(inner), ...names].join('.');
    const path = dotted(inner).split('.');
    const count = path.findLastIndex((_name, index) => this.byName.has(path.slice(0, index + 1).join('.'))) + 1;
    const imported = this.byName.get(path.slice(0, count).join('.'));
    if (imported !== undefined) {
      const own = imported.name === '' ? path.slice(count) : [imported.name, ...path.slice(count)];
      return { stem: imported.stem, names: [...own, ...names], text };
    }
    const made = this.madeOf(inner, env);
    return made === null ? { stem: '', names: text.split('.'), text } : { stem: made.stem, names: [made.name, ...names], text };
  }

  /** Names of members that an argument stands for: a text, one that a variable holds, or those that a loop walks over. */
  members(node: Expr | null): readonly string[] {
    if (node === null) return [];
    if (node.type === 'Binary' && node.op === '+') {
      const [left, right] = [this.members(node.left), this.members(node.right)];
      return left.flatMap((head) => right.map((tail) => head + tail));
    }
    if (node.type !== 'Name') return node.type === 'String' ? [node.value] : [];
    const loop = this.lastAround(
      node,
      (one) => one.type === 'For' && dotted(one.target) === node.name && one.start < node.start && node.end <= one.end,
    );
    const over = loop?.type === 'For' ? loop.over : null;
    if (over?.type === 'Tuple' || over?.type === 'List') return over.items.flatMap((item) => textOf(item) ?? []);
    return [textOf(this.given(node))].flatMap((text) => text ?? []);
  }

  /** `getattr(cart, 'Cart')` is `cart.Cart`, and so is a variable that holds it. Of a module that is asked for by name, the dotted name. */
  private spelled(node: Expr, depth = 0): Expr | string {
    if (depth > DEEPEST) return node;
    if (node.type === 'Call') {
      const name = fullName(node.callee, this.module.env);
      const [first = null, second = null] = positional(node.args);
      if (/^(importlib\.import_module|__import__)$/.test(name)) return textOf(first) ?? node;
      const member = name === 'getattr' || name === 'builtins.getattr' ? textOf(second) : null;
      return first === null || member === null ? node : this.withMember(first, member, node, depth);
    }
    if (node.type === 'Subscript' && fullName(node.object, this.module.env) === 'sys.modules') return textOf(node.index[0] ?? null) ?? node;
    if (node.type === 'Attribute' && dotted(node) === '') return this.withMember(node.object, node.name, node, depth);
    if (node.type !== 'Name' || this.byName.has(node.name)) return node;
    const given = this.given(node);
    const leads = given?.type === 'Name' || given?.type === 'Call' || given?.type === 'Subscript';
    const there = given !== null && leads ? this.spelled(given, depth + 1) : node;
    return typeof there === 'string' || dotted(there) !== '' ? there : node;
  }

  private withMember(object: Expr, name: string, { start, end }: Expr, depth: number): Expr | string {
    const owner = this.spelled(object, depth + 1);
    return typeof owner === 'string' ? `${owner}.${name}` : { type: 'Attribute', start, end, object: owner, name };
  }

  /** What a name was last given before a place, in the functions around it or at the top of the file. */
  given(node: Extract<Expr, { type: 'Name' }>): Expr | null {
    const at = this.lastAround(
      node,
      (one) => one.type === 'Assign' && one.start < node.start && one.targets.some((target) => dotted(target) === node.name),
    );
    return at?.type === 'Assign' ? at.value : null;
  }

  /** The last that fits of the functions that a place is in, the innermost first, or of the file; nothing of other functions. */
  private lastAround({ start, end }: Expr, fits: (one: Stmt) => boolean): Stmt | undefined {
    const { body } = this.module.tree;
    const { all, top } = (this.statements ??= { all: statementsIn(body, true), top: statementsIn(body, false) });
    const homes = all.filter((one) => one.type === 'Function' && one.start <= start && end <= one.end);
    for (const home of homes.toReversed()) {
      const found = home.type === 'Function' ? statementsIn(home.body, false).findLast(fits) : undefined;
      if (found !== undefined) return found;
    }
    return top.findLast(fits);
  }

  /** The class of the project that a variable of the tests holds. */
  private madeOf(node: Expr, env: Env): { readonly stem: string; readonly name: string } | null {
    const names = dotted(node).split('.');
    const local = names[0] === 'self' ? names.slice(0, 2).join('.') : (names[0] ?? '');
    if (local !== dotted(node) && !this.isAskedOf(dotted(node))) return null;
    for (const statement of statementsIn(this.module.tree.body, true)) {
      if (statement.type !== 'Assign' || statement.value === null || !statement.targets.some((target) => dotted(target) === local))
        continue;
      const value = settled(statement.value);
      const root = value.type === 'Call' ? dotted(value.callee).split('.')[0] : '';
      const imported = this.byName.get(root ?? '');
      if (imported !== undefined) return { stem: imported.stem, name: imported.name };
    }
    const fixture = this.fixtures.find(local) === null ? null : this.fixtures.value(local, env);
    const given = fixture?.node;
    const known = given !== null && given !== undefined && given.type !== 'Function' && given.type !== 'Class';
    const type = known && fixture !== null ? classOf(given, fixture.env) : classOf(node, env);
    return type === null ? null : { stem: stemOf(type.env.module.tree.file), name: type.node.name };
  }

  /** An assertion asks what an object holds by its full name: it is no mere collaborator of the object. */
  private isAskedOf(name: string): boolean {
    return this.tests.some(({ assertions }) =>
      assertions.some(({ kind, span }) => !kind.startsWith('called') && span.text.includes(`${name}.`) && span.text.includes('(')),
    );
  }
}
