// What tests stand on and a Python test file replaces: the unit under test, its module, the clock, the assertions. Fakes of
// collaborators are usual and no facts.

import type { ReplacementFact, TestFact } from '../facts.js';
import { isClock, isMoving, isStamp, tellsTime } from './clock.js';
import { fakeClocks } from './fake-clocks.js';
import { fixtureMark, fullName } from './names.js';
import { callsSuper, overriddenIn } from './own-assertions.js';
import { print } from './print.js';
import { methodOf } from './scope.js';
import type { Env, Module } from './scope.js';
import { Targets } from './targets.js';
import type { Target } from './targets.js';
import { answerOf, doesWork, injectedClock, isToldBy, toldIn } from './stand-ins.js';
import { TestUses, usesIn } from './uses.js';
import { stemOf, wordOf } from './units.js';
import type { Imported } from './units.js';
import type { Argument, ClassStmt, Expr, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, expressionsOf, keyword } from './tree.js';
import { lastName, positional, settled, spanOf, statementsIn, textOf } from './tree.js';

interface Replaced {
  readonly kind: ReplacementFact['kind'];
  readonly key: string;
  readonly node: { readonly start: number; readonly end: number };
  readonly gives?: string;
  readonly moving?: boolean;
  readonly faint?: boolean;
}

const ASSERTING =
  /^(unittest(\.case)?\.(TestCase|case\.TestCase)(\.|$)|pytest\.(raises|approx|fail|warns|assume)|(builtins\.)?AssertionError$|unittest\.mock\.(Mock|MagicMock|NonCallableMock|AsyncMock|CallableMixin)(\.|$)|numpy\.testing|np\.testing)/;

/** Names of what reaches out of the program, or is its own business: to replace them is usual. */
const OUTWARD =
  /^_|send|post|^get|put|fetch|request|connect|open|close|read|write|load|save|publish|deliver|upload|download|sleep|now|today|query|execute|commit|call|notify|mail/i;

const REPLACING: ReadonlySet<string> = new Set('patch setattr __setattr__ object replace multiple dict setitem delitem update'.split(' '));

export class ReplacementSearch {
  private known: ReadonlySet<string> | null = null;
  private readonly byName = new Map<string, Imported>();
  private used: ReadonlySet<string> | null = null;
  private readonly targets: Targets;
  private readonly around: TestUses;
  /** What stands in the body of a class: it hides no name of the module. */
  private inClasses: ReadonlySet<Stmt> | null = null;
  private functions: ReadonlySet<string> | null = null;

  constructor(
    private readonly module: Module,
    imports: readonly Imported[],
    private readonly findUnits: () => ReadonlySet<string>,
    private readonly tests: readonly TestFact[],
    /** Says whether tests use what is replaced, where they are not in this file. */
    private readonly usedAround: ((name: string) => boolean) | null = null,
  ) {
    for (const one of imports) this.byName.set(one.local, one);
    this.around = new TestUses(module, tests);
    this.targets = new Targets(module, this.byName, tests, () => this.units);
  }

  private get uses(): ReadonlySet<string> {
    this.used ??= usesIn(this.module.tree.body);
    return this.used;
  }

  private get members(): ReadonlySet<Stmt> {
    this.inClasses ??= new Set(statementsIn(this.module.tree.body, true).flatMap((one) => (one.type === 'Class' ? one.body : [])));
    return this.inClasses;
  }

  /** Functions that tests and fixtures make within themselves, save those that call what a variable has kept: it may be the real one. */
  private get made(): ReadonlySet<string> {
    this.functions ??= new Set(
      statementsIn(this.module.tree.body, true).flatMap((one) => {
        if (one.type !== 'Function' || this.members.has(one)) return [];
        const kept = expressionsIn(one.body, true).some(
          (node) => node.type === 'Call' && node.callee.type === 'Name' && this.targets.given(node.callee) !== null,
        );
        return kept ? [] : [one.name];
      }),
    );
    return this.functions;
  }

  /** Finding the units means walking through every test: only where something is replaced. */
  private get units(): ReadonlySet<string> {
    this.known ??= this.findUnits();
    return this.known;
  }

  run(): readonly ReplacementFact[] {
    const found: Replaced[] = [];
    const { tree, env } = this.module;
    for (const statement of statementsIn(tree.body, true)) {
      for (const expression of expressionsOf(statement))
        for (const node of descend(expression))
          if (node.type === 'Call') found.push(...this.call(node, env), ...injectedClock(node, env, this.tests.length > 0));
      if (statement.type === 'Assign' && statement.value !== null)
        for (const target of statement.targets) found.push(...this.assignment(target, statement.value, statement));
      if (statement.type === 'Class') found.push(...overriddenIn(statement));
      if (statement.type === 'Function' || statement.type === 'Class') found.push(...this.shadowed(statement));
    }
    // A class around a clock is no class of tests: the whole file may use it.
    const clocks = fakeClocks(this.module, this.tests.length > 0).map(({ key, node, still }): ReplacementFact => ({
      kind: 'clock',
      key,
      span: spanOf(tree, node.start, node.end),
      test: null,
      ...(still ? { faint: true } : { moving: true }),
    }));
    return [...found.map((one) => this.factOf(one)), ...clocks];
  }

  private factOf({ node, ...replaced }: Replaced): ReplacementFact {
    const { tree } = this.module;
    const inside = this.tests.find((test) => test.span.file === tree.file && test.span.from <= node.start && node.end <= test.span.to);
    const around = tree.body.find((statement) => statement.type === 'Class' && statement.start <= node.start && node.end <= statement.end);
    const suite = around?.type === 'Class' ? { suite: [around.name] } : {};
    return { ...replaced, span: spanOf(tree, node.start, node.end), test: inside?.path ?? null, ...suite };
  }

  private call(node: Extract<Expr, { type: 'Call' }>, env: Env): readonly Replaced[] {
    const { callee } = node;
    const isOwn = callee.type === 'Attribute' || (callee.type === 'Name' && env.find(callee.name) === null);
    if (isOwn && !REPLACING.has(callee.name)) return [];
    const full = fullName(node.callee, env).split('.');
    const name = full.at(-1) ?? lastName(node.callee);
    const owner = full.at(-2) ?? '';
    const [first = null, second = null] = positional(node.args);
    const text = this.targets.targetText(first);
    if (name === 'patch' && text !== null) return this.replaced(this.targets.fromText(text), node, node.args);
    const isPlain = name === '__setattr__' || (node.callee.type === 'Name' && node.callee.name === 'setattr');
    if (isPlain && !this.stands(positional(node.args)[2] ?? node, env)) return [];
    if (name === 'setattr' && text !== null) return this.replaced(this.targets.fromText(text), node, node.args);
    if ((name === 'object' && owner === 'patch') || name === 'setattr' || isPlain || (name === 'replace' && owner === 'monkeypatch')) {
      if (first === null) return [];
      const members = this.targets.members(second);
      return members.flatMap((member) => this.replaced(this.targets.fromExpression(first, env, [member]), node, node.args));
    }
    if (name === 'multiple' && owner === 'patch') {
      const target = text === null ? (first === null ? null : this.targets.fromExpression(first, env, [])) : this.targets.fromText(text);
      const keys = node.args.flatMap((argument) => argument.name ?? []);
      return keys.flatMap((key) => (target === null ? [] : this.replaced({ ...target, names: [...target.names, key] }, node, node.args)));
    }
    const modules = first !== null && /(^|\.)sys\.modules$|^sys\.modules$/.test(fullName(first, env)) ? true : text === 'sys.modules';
    if (name === 'dict' && owner === 'patch' && modules) return moduleNames(second).flatMap((one) => this.moduleReplaced(one, node));
    if ((name === 'setitem' || name === 'delitem') && modules) return this.moduleReplaced(textOf(second) ?? '', node);
    if (name === 'update' && node.callee.type === 'Attribute' && dotted(node.callee.object) === 'sys.modules')
      return moduleNames(first).flatMap((one) => this.moduleReplaced(one, node));
    return [];
  }

  private moduleReplaced(name: string, node: Expr | Stmt): readonly Replaced[] {
    const path = this.module.project.resolve(this.module.tree.file, name, 0);
    const stem = path === null ? name.replace(/\./g, '/') : stemOf(path);
    if (/^(unittest|pytest)/.test(name)) return [{ kind: 'assertions', key: name, node }];
    if (/^(time|datetime)$/.test(name)) return [{ kind: 'clock', key: name, node }];
    const named = wordOf(stem) === wordOf(stemOf(this.module.tree.file));
    return named || this.isUnitStem(stem) ? [{ kind: 'module', key: stem, node }] : [];
  }

  private isUnitStem(stem: string): boolean {
    return this.units.has(stem) || [...this.units].some((unit) => unit.endsWith(`/${stem}`));
  }

  private replaced(target: Target, node: Expr | Stmt, args: readonly Argument[]): readonly Replaced[] {
    const { stem, names, text } = target;
    if (keyword(args, 'wraps') !== null) return [];
    if (ASSERTING.test(text)) return [{ kind: 'assertions', key: text, node }];
    if (isClock(text))
      return isMoving(node, args, this.module) || isStamp(node, args, this.module, this.tests) ? [] : [{ kind: 'clock', key: text, node }];
    if (/^__(eq|ne|bool|contains|len)__$/.test(names.at(-1) ?? '')) return [{ kind: 'assertions', key: text, node }];
    if (stem === stemOf(this.module.tree.file)) return this.shadow(names[0] ?? '', node);
    if (stem === '' && !this.byName.has(names[0] ?? '') && this.around.asserts(text, node)) return [{ kind: 'unit', key: text, node }];
    if (stem === '' || !this.isUnitStem(stem)) return [];
    if (names.length === 0) return [{ kind: 'module', key: stem, node }];
    if (!this.isOwn(stem, names)) return [];
    if (tellsTime(text) && !this.isUsed(names, node))
      return [{ kind: 'clock', key: names.join('.'), node, ...(isMoving(node, args, this.module) ? { moving: true } : { faint: true }) }];
    if (this.isUsed(names, node)) return [{ kind: 'unit', key: names.join('.'), node }];
    const gives = this.tests.length === 0 || OUTWARD.test(names.at(-1) ?? '') ? null : answerOf(args, this.module.env);
    return gives === null ? [] : [{ kind: 'unit', key: names.join('.'), node, gives }];
  }

  /** Defined in the module itself; what it only imports is a collaborator. */
  private isOwn(stem: string, [name = '', member]: readonly string[]): boolean {
    const { project } = this.module;
    const target = project.load(`${stem}.py`) ?? project.load(`${stem}/__init__.py`);
    if (target === null) return true;
    const value = target.env.find(name);
    return value !== null && value.source === undefined && doesWork(value, member ?? null);
  }

  /** The tests themselves use what is replaced: they get the answer that they gave. */
  private isUsed(names: readonly string[], place: Expr | Stmt): boolean {
    const last = names.at(-1) ?? '';
    if (this.usedAround !== null) return this.usedAround(last);
    if (this.tests.length > 0) return this.around.has(last, place) ?? this.uses.has(last);
    return !OUTWARD.test(last);
  }

  private assignment(target: Expr, value: Expr, statement: Stmt): readonly Replaced[] {
    const { env } = this.module;
    if (target.type === 'Subscript') {
      const [index] = target.index;
      if (/(^|\.)view_functions$/.test(dotted(target.object)) && this.stands(value, env))
        return this.isUnitStem(this.targets.fromExpression(target.object, env, []).stem)
          ? [{ kind: 'unit', key: print(target, env), node: statement }]
          : [];
      if (dotted(target.object) === 'sys.modules' && index?.type === 'String') return this.moduleReplaced(index.value, statement);
      return this.entry(target.object, textOf(index ?? null), value, statement);
    }
    const mocked = this.mockOfUnit(target, value, statement);
    const made = value.type === 'Name' && env.find(value.name)?.node?.type === 'Class' && ASSERTING.test(fullName(target, env));
    if (mocked.length > 0 || !(made || this.stands(value, env))) return mocked;
    if (target.type === 'Name')
      return this.members.has(statement) || this.leadsOn(value, target.name) ? [] : this.shadow(target.name, statement);
    if (target.type !== 'Attribute') return [];
    const owner = this.targets.fromExpression(target.object, env, [target.name]);
    return this.replaced(owner, statement, value.type === 'Call' ? value.args : [{ name: null, star: '', value }]);
  }

  /** `cart.__dict__['total'] = …`, `vars(cart)['total'] = …`, `globals()['total'] = …`. */
  private entry(names: Expr, member: string | null, value: Expr, statement: Stmt): readonly Replaced[] {
    const { env } = this.module;
    if (member === null || !this.stands(value, env)) return [];
    const called = names.type === 'Call' ? dotted(names.callee) : '';
    if (called === 'globals') return this.shadow(member, statement);
    const [first = null] = names.type === 'Call' && called === 'vars' ? positional(names.args) : [];
    const owner = names.type === 'Attribute' && names.name === '__dict__' ? names.object : first;
    return owner === null
      ? []
      : this.replaced(this.targets.fromExpression(owner, env, [member]), statement, [{ name: null, star: '', value }]);
  }

  /** A function or mock in place of the real one; a name that was kept is put back. */
  private stands(value: Expr, env: Env): boolean {
    const inner = settled(value);
    if (inner.type === 'Lambda') return true;
    if (inner.type === 'Call')
      return /Mock$|^create_autospec$|^staticmethod$|^classmethod$|^property$|^PropertyMock$|^partial$/.test(lastName(inner.callee));
    if (inner.type !== 'Name') return false;
    return env.find(inner.name)?.node?.type === 'Function' || this.made.has(inner.name);
  }

  /** A function of the tests that calls the real one. */
  private leadsOn(value: Expr, name: string): boolean {
    const held = value.type === 'Name' ? this.module.env.find(value.name)?.node : null;
    if (held?.type !== 'Function') return false;
    return [...expressionsIn(held.body, true)].some((node) => node.type === 'Call' && dotted(node.callee) === name);
  }

  /** A definition in the test file under the name of what it imports from the unit, or of an assertion. */
  private shadowed(node: Extract<Stmt, { type: 'Function' | 'Class' }>): readonly Replaced[] {
    const taking = node.type === 'Class' || node.params.length > 0;
    if (taking && /^(raises|approx|assert_called_with)$/.test(node.name)) return [{ kind: 'assertions', key: node.name, node }];
    if (node.decorators.length > 0 || this.members.has(node)) return node.type === 'Class' ? this.derived(node) : [];
    return [...this.shadow(node.name, node), ...(node.type === 'Class' ? this.derived(node) : [])];
  }

  private shadow(name: string, node: Stmt | Expr): readonly Replaced[] {
    const imported = this.byName.get(name);
    return imported === undefined || !this.isUnitStem(imported.stem) ? [] : [{ kind: 'unit', key: name, node }];
  }

  /** A class of the tests that answers in place of the unit that it is made from. */
  private derived(node: ClassStmt): readonly Replaced[] {
    const base = node.bases
      .map(({ value }) => this.byName.get(dotted(value).split('.')[0] ?? ''))
      .find((one) => one !== undefined && this.isUnitStem(one.stem));
    if (base === undefined) return [];
    const methods = node.body.flatMap((statement) =>
      statement.type === 'Function' && !statement.name.startsWith('__') && !callsSuper(statement) ? [statement.name] : [],
    );
    const answering = methods.filter((method) => this.answers(base, method));
    const asked =
      this.asked().some((subject) => subject.startsWith(`${node.name}(`) && methods.some((method) => subject.includes(`.${method}(`))) ||
      (this.uses.has(node.name) && answering.some((method) => this.isAsked(method)));
    return asked ? [{ kind: 'unit', key: `${node.name} of its own`, node }] : [];
  }

  /** The class of the unit answers to the method by itself: it is no gap that is left to others. */
  private answers(base: Imported, method: string): boolean {
    const module = this.module.project.load(`${base.stem}.py`) ?? this.module.project.load(`${base.stem}/__init__.py`);
    const type = module?.env.find(base.name)?.node;
    const own = type?.type === 'Class' ? methodOf({ node: type, env: module?.env ?? this.module.env }, method)?.node : null;
    return own?.type === 'Function' && own.body.some(({ type: kind }) => kind === 'Return');
  }

  /** An assertion calls it by name. */
  private isAsked(method: string): boolean {
    return this.tests.some(({ assertions }) =>
      assertions.some(({ kind, span }) => !kind.startsWith('called') && span.text.includes(`.${method}(`)),
    );
  }

  /** What assertions ask about, calls of mocks aside. */
  private asked(): readonly string[] {
    return this.tests.flatMap(({ assertions }) =>
      assertions.filter(({ kind }) => !kind.startsWith('called')).map(({ subject }) => subject),
    );
  }

  /** The fixture that a statement stands in: tests know by its name what it hands out. */
  private fixturesAround(node: Stmt): readonly string[] {
    return [...statementsIn(this.module.tree.body, true)].flatMap((statement) =>
      statement.type === 'Function' &&
      fixtureMark(statement, this.module.env) !== null &&
      statement.start <= node.start &&
      node.end <= statement.end
        ? [statement.name]
        : [],
    );
  }

  /** `cart = Mock(spec=Cart)`, and the assertions ask `cart`. */
  private mockOfUnit(target: Expr, value: Expr, node: Stmt): readonly Replaced[] {
    const inner = settled(value);
    if (inner.type !== 'Call' || !/Mock$|^create_autospec$/.test(lastName(inner.callee))) return [];
    const spec = keyword(inner.args, 'spec') ?? keyword(inner.args, 'spec_set') ?? positional(inner.args)[0] ?? null;
    const imported = spec === null ? undefined : this.byName.get(dotted(spec).split('.')[0] ?? '');
    const name = dotted(target);
    const names = [name, ...this.fixturesAround(node)];
    const own = this.tests.find(({ span }) => span.file === this.module.tree.file && span.from <= node.start && node.end <= span.to);
    const alone = spec === null && this.units.size === 0 && isToldBy(this.tests, names);
    if (name === '') return [];
    if (!alone && (imported === undefined || !this.isUnitStem(imported.stem))) {
      const gives = spec === null ? toldIn(own === undefined ? this.tests : [own], names) : null;
      return gives === null ? [] : [{ kind: 'unit', key: `${name} as mock`, node, gives }];
    }
    const asked = this.tests.some((test) =>
      test.assertions.some(
        ({ kind, span, subject }) =>
          !kind.startsWith('called') &&
          names.some((one) =>
            [`${one}.`, `${one}(`].some((call) => span.text.includes(call) || (test === own && subject.startsWith(call))),
          ),
      ),
    );
    return asked ? [{ kind: 'unit', key: `${name} as mock`, node }] : [];
  }
}

function moduleNames(node: Expr | null): readonly string[] {
  return node?.type === 'Dict' ? node.entries.flatMap(({ key }) => textOf(key) ?? []) : [];
}
