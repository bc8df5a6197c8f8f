// What tests stand on and a test file replaces: unit, module, clock, assertions. Fakes of collaborators and fake timers are no facts.

import type { ReplacementFact, TestFact } from '../facts.js';
import {
  at,
  bare,
  childrenOf,
  descend,
  isFunction,
  isLiteral,
  keyName,
  listAt,
  nameOf,
  nodesOf,
  propertyName,
  spanOf,
  textAt,
} from './tree.js';
import type { Node } from './tree.js';
import { joinPath } from './paths.js';
import { importedBy } from './names.js';
import type { Module } from './scope.js';
import { squeeze } from './print.js';
import { roleOf } from '../paths.js';
import { alwaysPasses, calleeText, givesConstant, isAskedAbout, rootName, saysYes, throwsUnless } from './answers.js';
import { ASSERTION_PACKAGES, MATCHERS } from './matchers.js';
import { ANSWERS, ASSERTING, BUILT_IN, CLOCK, GLOBALS, LOOKED_AT, METHODS, MOCKING, MODULE_MOCKS, SPIES, WORDS } from './doubles.js';
import { cachedModule, isAsked, leadsOn } from './hooked.js';
import { Origins, stemOf } from './units.js';
import type { Imported } from './units.js';

interface Replaced {
  readonly kind: ReplacementFact['kind'];
  readonly key: string;
  readonly node: Node;
}

/** A program that tests start, as a worker or a process: how it ends says nothing about them. */
const STARTED = /\b(parentPort|workerData)\b|\bprocess\.send\b/;

export class ReplacementSearch {
  private traced: Origins | null = null;
  private readonly byName = new Map<string, Imported>();
  private known: ReadonlySet<string> | null = null;

  constructor(
    private readonly module: Module,
    imports: readonly Imported[],
    private readonly findUnits: () => ReadonlySet<string>,
    private readonly tests: readonly TestFact[],
  ) {
    for (const one of imports) this.byName.set(one.local, one);
  }

  private get origins(): Origins {
    this.traced ??= new Origins(this.module);
    return this.traced;
  }

  /** Finding the units means walking through every test: only where something is replaced. */
  private get units(): ReadonlySet<string> {
    this.known ??= this.findUnits();
    return this.known;
  }

  run(): readonly ReplacementFact[] {
    if (!WORDS.test(this.module.tree.text)) return [];
    const found: Replaced[] = [];
    const answered = new Set<Node>();
    for (const node of nodesOf(this.module.tree)) {
      const chained = answered.has(node);
      if (LOOKED_AT.has(node.type)) found.push(...this.at(node, chained));
      const member = node.type === 'MemberExpression';
      const carries = (member && ANSWERS.test(propertyName(node))) || (chained && (member || node.type === 'CallExpression'));
      if (carries) for (const child of childrenOf(node)) if (chained || child === node['object']) answered.add(child);
    }
    const started = this.tests.length === 0 && STARTED.test(this.module.tree.text);
    return found.map((one) => this.factOf(one)).filter((fact) => fact.key !== 'process.exit' || (fact.test === null && !started));
  }

  private factOf({ kind, key, node }: Replaced): ReplacementFact {
    const inside = this.tests.find(
      (test) => test.span.file === this.module.tree.file && test.span.from <= node.start && node.end <= test.span.to,
    );
    return { kind, key, span: spanOf(this.module.tree, node.start, node.end), test: inside?.path ?? null, suite: this.suiteAround(node) };
  }

  private suiteAround(node: Node): readonly string[] {
    const titles: string[] = [];
    const walk = (current: Node): void => {
      for (const child of childrenOf(current)) {
        if (child.start > node.start || child.end < node.end) continue;
        if (child.type === 'CallExpression' && /^(describe|context|suite)$/.test(rootName(at(child, 'callee')))) {
          const title = bare(listAt(child, 'arguments')[0] ?? null)?.['value'];
          if (typeof title === 'string' && listAt(child, 'arguments').length > 1) titles.push(title);
        }
        return walk(child);
      }
    };
    walk(this.module.tree.program);
    return titles;
  }

  private at(node: Node, chained: boolean): readonly Replaced[] {
    if (node.type === 'CallExpression') return this.call(node, chained);
    if (node.type === 'AssignmentExpression') return this.assignment(node);
    if (node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration') return this.declaration(node);
    return [];
  }

  private call(node: Node, chained: boolean): readonly Replaced[] {
    const callee = bare(at(node, 'callee'));
    const args = listAt(node, 'arguments');
    if (callee?.type !== 'MemberExpression') return [];
    const name = propertyName(callee);
    const owner = bare(at(callee, 'object'));
    const first = bare(args[0] ?? null);
    const text = isLiteral(first) && typeof first['value'] === 'string' ? first['value'] : '';
    const mocking =
      (MODULE_MOCKS.has(name) || SPIES.has(name)) && MOCKING.test(squeeze(this.module.tree.text.slice(owner?.start ?? 0, owner?.end ?? 0)));
    // `vi.mock(import('./cart'), …)` names the module for the type checker as well.
    const mocked = first?.type === 'ImportExpression' ? (importedBy(first) ?? '') : text;
    if (MODULE_MOCKS.has(name) && mocking && mocked !== '' && args.length < 3) return this.moduleMock(node, mocked, args[1] ?? null);
    if (name === 'stubGlobal' && CLOCK.has(text)) return [{ kind: 'clock', key: text, node }];
    if (name === 'stubGlobal' && ASSERTING.has(text)) return [{ kind: 'assertions', key: text, node }];
    if (name === 'extend' && nameOf(owner) === 'expect') return this.extension(node, first);
    const testers = name === 'addEqualityTesters' || name === 'addSnapshotSerializer';
    if (testers && first !== null && (givesConstant(first) || (name === 'addEqualityTesters' && saysYes(first))))
      return [{ kind: 'assertions', key: name, node }];
    if (nameOf(owner) === 'process' && name === 'exit' && isLiteral(first) && first['value'] === 0)
      return [{ kind: 'failures', key: 'process.exit', node }];
    if (
      nameOf(owner) === 'process' &&
      /^(on|once|addListener)$/.test(name) &&
      /^(uncaughtException|unhandledRejection|exit|beforeExit)$/.test(text) &&
      !isAskedAbout(args[1] ?? null, this.module.tree.text)
    )
      return [{ kind: 'failures', key: text, node }];
    if (/^overwrite(Method|Property|ChainableMethod)$/.test(name)) return [{ kind: 'assertions', key: name, node }];
    if (/^add(Method|Property|ChainableMethod)$/.test(name)) {
      const method = text === '' ? bare(args[1] ?? null)?.['value'] : text;
      return typeof method === 'string' && MATCHERS.has(method) ? [{ kind: 'assertions', key: method, node }] : [];
    }
    if (
      (nameOf(owner) === 'Object' || nameOf(owner) === 'Reflect') &&
      (name === 'assign' || (name === 'set' && !isLiteral(bare(args[2] ?? null))) || name.startsWith('define'))
    )
      return this.defined(node, name, args);
    if ((name === 'spyOn' || (SPIES.has(name) && mocking)) && args.length >= 2) return this.spy(node, name, args, chained);
    return [];
  }

  private moduleMock(node: Node, specifier: string, factory: Node | null): readonly Replaced[] {
    if (ASSERTION_PACKAGES.has(specifier) && specifier !== 'sinon') return [{ kind: 'assertions', key: specifier, node }];
    if (!specifier.startsWith('.')) return [];
    const stem = stemOf(joinPath(this.module.tree.file, specifier));
    if (this.asserts(specifier)) return [{ kind: 'assertions', key: stem, node }];
    if (!this.units.has(stem) || this.leavesReal(stem, factory)) return [];
    return [{ kind: 'module', key: stem, node }];
  }

  /** A file of the tests that asserts for them. */
  private asserts(specifier: string): boolean {
    const path = this.module.project.resolve(this.module.tree.file, specifier);
    if (path === null || !['support', 'test'].includes(roleOf(path))) return false;
    const target = this.module.project.load(path);
    return target !== null && [...descend(target.tree.program)].some((node) => /^(expect|assert)$/.test(nameOf(node)));
  }

  /** A partial mock that keeps everything the file imports. */
  private leavesReal(stem: string, factory: Node | null): boolean {
    const options = bare(factory);
    if (options?.type === 'ObjectExpression') return listAt(options, 'properties').some((property) => keyName(property) === 'spy');
    if (options === null) return false;
    const object = [...descend(options)].find(
      (node) => node.type === 'ObjectExpression' && listAt(node, 'properties').some((one) => one.type === 'SpreadElement'),
    );
    if (object === undefined) return false;
    const keys = new Set(listAt(object, 'properties').map(keyName));
    return [...this.byName.values()].every((one) => one.stem !== stem || (!keys.has(one.name) && one.name !== '*'));
  }

  private extension(node: Node, object: Node | null): readonly Replaced[] {
    if (object?.type !== 'ObjectExpression') return this.importedMatchers(node, object);
    const found: Replaced[] = [];
    for (const property of listAt(object, 'properties')) {
      const key = keyName(property);
      if (/^to[A-Z]/.test(key) && MATCHERS.has(key)) found.push({ kind: 'assertions', key, node });
      else if (alwaysPasses(at(property, 'value'))) found.push({ kind: 'assertions', key: `${key} passes`, node: property });
    }
    return found;
  }

  /** `expect.extend(matchers)`: matchers that lie in another file or variable. */
  private importedMatchers(node: Node, object: Node | null): readonly Replaced[] {
    const value = object === null ? null : this.module.env.find(nameOf(object));
    const specifier = value?.source ?? importedBy(object);
    if (specifier === null || specifier === undefined)
      return value?.node === undefined || value.node === null ? [] : this.extension(node, bare(value.node));
    const path = this.module.project.resolve(this.module.tree.file, specifier);
    const target = path === null ? null : this.module.project.load(path);
    const names = target === null ? [] : [...target.exports.keys()];
    const own = names.find((name) => /^to[A-Z]/.test(name) && MATCHERS.has(name));
    return own === undefined ? [] : [{ kind: 'assertions', key: own, node }];
  }

  private defined(node: Node, name: string, args: readonly Node[]): readonly Replaced[] {
    const target = bare(args[0] ?? null);
    const second = bare(args[1] ?? null);
    const head = rootName(target);
    const keys = second?.type === 'ObjectExpression' ? listAt(second, 'properties').map(keyName) : [String(second?.['value'] ?? '')];
    if (GLOBALS.has(head)) {
      const key = keys.find((one) => ASSERTING.has(one) || CLOCK.has(one));
      return key === undefined ? [] : [{ kind: CLOCK.has(key) ? 'clock' : 'assertions', key, node }];
    }
    if (ASSERTING.has(head)) return [{ kind: 'assertions', key: `${head}.${keys[0] ?? ''}`, node }];
    if (head === 'Date' || head === 'performance') return [{ kind: 'clock', key: head, node }];
    if (!this.isUnit(target)) return [];
    const functions = name === 'assign' ? listAt(second, 'properties').some((property) => isFunction(bare(at(property, 'value')))) : true;
    return functions ? [{ kind: 'unit', key: `${head}.${keys.join(',')}`, node }] : [];
  }

  private spy(node: Node, name: string, args: readonly Node[], chained: boolean): readonly Replaced[] {
    const target = bare(args[0] ?? null);
    const member = String(bare(args[1] ?? null)?.['value'] ?? '');
    const head = rootName(target);
    if (ASSERTING.has(head) && (chained || name !== 'spyOn')) return [{ kind: 'assertions', key: `${head}.${member}`, node }];
    if (
      (chained || args.length > 2) &&
      BUILT_IN.test(`${squeeze(this.module.tree.text.slice(target?.start ?? 0, target?.end ?? 0))}.${member}`)
    ) {
      return [{ kind: 'assertions', key: `${head}.${member}`, node }];
    }
    const replaced = chained || args.length > 2 || name === 'stub' || name.startsWith('replace') || this.answersLater(node);
    if (!replaced) return [];
    const clock =
      (GLOBALS.has(head) && CLOCK.has(member)) || ((head === 'Date' || head === 'performance') && member === 'now') || head === 'timers';
    if (clock) return this.moves(node) ? [] : [{ kind: 'clock', key: `${head}.${member}`, node }];
    return this.isUnit(target) ? [{ kind: 'unit', key: `${head}.${member}`, node }] : [];
  }

  /** `const spy = spyOn(…)`, and an answer given to it further down. */
  private answersLater(node: Node): boolean {
    const name = this.holderOf(node);
    if (name === '') return false;
    for (const below of nodesOf(this.module.tree)) {
      if (below.type === 'MemberExpression' && rootName(below) === name && ANSWERS.test(propertyName(below))) return true;
    }
    return false;
  }

  /** The variable that a call is put into. */
  private holderOf(node: Node): string {
    for (const below of nodesOf(this.module.tree)) {
      if (
        below.type === 'VariableDeclarator' &&
        below.start <= node.start &&
        node.end <= below.end &&
        !isFunction(bare(at(below, 'init')))
      ) {
        return nameOf(at(below, 'id'));
      }
    }
    return '';
  }

  /** A clock that the tests set forward again and again still runs. */
  private moves(node: Node): boolean {
    const name = this.holderOf(node);
    const values = new Set<string>();
    for (const below of nodesOf(this.module.tree)) {
      if (below.type !== 'CallExpression') continue;
      const callee = bare(at(below, 'callee'));
      if (callee?.type !== 'MemberExpression' || !ANSWERS.test(propertyName(callee))) continue;
      const around = below.start <= node.start && node.end <= below.end;
      if (around || (name !== '' && rootName(callee) === name)) {
        const [first] = listAt(below, 'arguments');
        if (first !== undefined) values.add(squeeze(this.module.tree.text.slice(first.start, first.end)));
        if (this.readsMovingName(first ?? null)) return true;
      }
    }
    return values.size > 1;
  }

  /** `() => now`, where tests give `now` new values. */
  private readsMovingName(node: Node | null): boolean {
    const inner = bare(node);
    const body = isFunction(inner) ? bare(at(inner, 'body')) : null;
    const name = nameOf(body);
    if (name === '') return false;
    let given = 0;
    for (const below of nodesOf(this.module.tree)) {
      if (below.type === 'AssignmentExpression' && nameOf(at(below, 'left')) === name) given += 1;
      if (below.type === 'UpdateExpression' && nameOf(at(below, 'argument')) === name) given += 1;
    }
    return given > 0;
  }

  private assignment(node: Node): readonly Replaced[] {
    const left = bare(at(node, 'left'));
    const right = bare(at(node, 'right'));
    if (left === null || right === null || textAt(node, 'operator') !== '=') return [];
    const head = rootName(left);
    const text = squeeze(this.module.tree.text.slice(left.start, left.end));
    const restores = this.restores(left, right);
    if (left.type === 'Identifier') {
      if (restores) return [];
      return head === 'expect' || head === 'assert'
        ? this.own(node, right, head)
        : CLOCK.has(head)
          ? [{ kind: 'clock', key: head, node }]
          : [];
    }
    if (left.type !== 'MemberExpression' || restores) return [];
    if (isFunction(right) && !/\b(expect|assert)\b/.test(text) && leadsOn(left, right, this.origins, this.module)) return [];
    const member = propertyName(left);
    if (head === 'process' && member === 'exitCode' && isLiteral(right) && right['value'] === 0)
      return [{ kind: 'failures', key: text, node }];
    const cached = cachedModule(left, this.origins);
    if (cached !== undefined) {
      if (ASSERTION_PACKAGES.has(cached)) return [{ kind: 'assertions', key: cached, node }];
      const stem = stemOf(joinPath(this.module.tree.file, cached));
      return cached.startsWith('.') && this.units.has(stem) ? [{ kind: 'module', key: stem, node }] : [];
    }
    if (/^(state|status)$/.test(member) && isLiteral(right) && /^pass(ed)?$/.test(String(right['value'])))
      return [{ kind: 'failures', key: text, node }];
    if (/^require\("(node:)?(assert|chai|expect)/.test(text)) return [{ kind: 'assertions', key: text, node }];
    if (GLOBALS.has(head) && (ASSERTING.has(member) || /\.(expect|assert)\./.test(`${text}.`)))
      return [{ kind: 'assertions', key: text, node }];
    if (/(^|\.)assert\.\w+$/.test(text) && (isFunction(right) || right.type === 'CallExpression'))
      return [{ kind: 'assertions', key: text, node }];
    if (BUILT_IN.test(text)) return [{ kind: 'assertions', key: text, node }];
    if (ASSERTING.has(head)) return isLiteral(right) ? [] : [{ kind: 'assertions', key: text, node }];
    const clock =
      (GLOBALS.has(head) && (CLOCK.has(member) || /\.(Date|performance)\./.test(text))) ||
      head === 'Date' ||
      (head === 'performance' && member === 'now');
    if (clock) return this.readsMovingName(right) ? [] : [{ kind: 'clock', key: text, node }];
    const answer = isFunction(right) || (right.type === 'CallExpression' && /\.(fn|stub|fake|spy)$/.test(calleeText(right, this.module)));
    const owner = bare(at(left, 'object'));
    const replaces = answer && this.isUnit(owner) && (this.byName.has(nameOf(owner)) || isAsked(left, this.tests));
    return replaces ? [{ kind: 'unit', key: text, node }] : [];
  }

  /** Puts back what was kept before: `Date.now = realNow`. */
  private restores(left: Node, right: Node): boolean {
    if (right.type !== 'Identifier' && right.type !== 'MemberExpression') return false;
    const heads = this.origins.headsOf(right);
    if (right.type === 'MemberExpression' && heads[0] === rootName(left)) return false;
    return heads.length === 1
      ? GLOBALS.has(heads[0] ?? '') || /^(real|original|old|saved|actual|native)/i.test(heads[0] ?? '')
      : heads.slice(1).some((name) => name === rootName(left) || GLOBALS.has(name) || CLOCK.has(name) || ASSERTING.has(name));
  }

  /** A local `expect` or `assert` that stands in for the real one. */
  private declaration(node: Node): readonly Replaced[] {
    const id = at(node, 'id');
    const name = nameOf(id);
    if (name !== 'expect' && name !== 'assert' && !METHODS.test(name)) return [];
    const init = node.type === 'FunctionDeclaration' ? node : bare(at(node, 'init'));
    if (name === 'assert' && throwsUnless(init)) return [];
    if (node.type === 'FunctionDeclaration') return [{ kind: 'assertions', key: name, node }];
    return init === null ? [] : this.own(node, init, name);
  }

  private own(node: Node, right: Node, name: string): readonly Replaced[] {
    const callee = right.type === 'CallExpression' ? bare(at(right, 'callee')) : null;
    const made =
      callee?.type === 'Identifier'
        ? nameOf(callee) !== 'require'
        : callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'Object';
    const own = isFunction(right) || right.type === 'ObjectExpression' || right.type === 'NewExpression' || made;
    return own ? [{ kind: 'assertions', key: name, node }] : [];
  }

  private isUnit(target: Node | null): boolean {
    if (target === null) return false;
    return this.origins.headsOf(target).some((name) => {
      const imported = this.byName.get(name);
      return imported !== undefined && this.units.has(imported.stem);
    });
  }
}
