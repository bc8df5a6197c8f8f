// What a Python file holds around its tests, statement by statement: definitions by their names, and frames, which every test may feel.
// What of it a change may reach tests by is untouched.ts's.

import type { Outside, TestFact } from '../facts.js';
import { textWithout } from '../stretches.js';
import type { Stretch } from '../stretches.js';
import { conftestsOf, isSurround } from './fixtures.js';
import { fixtureMark, fullName, isAutomatic } from './names.js';
import { classOf, follow } from './scope.js';
import type { Module, TypeValue } from './scope.js';
import type { ClassStmt, FunctionStmt, Stmt } from './tree.js';
import { descend, textOf } from './tree.js';

/** Names that the runner asks for by itself. */
const ASKED_FOR =
  /^(pytest\w*|__\w+__|collect_ignore\w*|setUp\w*|tearDown\w*|set_?up\w*|tear_?down\w*|load_tests|run|runTest|debug|doCleanups|subTest|skipTest|fail|failureException|longMessage|maxDiff|default\w*|_call\w*|databases|fixtures|client_class|settings)$/i;

/** Of these it is known what they call by themselves. */
const PLAIN_BASE = /^(object|unittest(\.case|\.async_case)?\.(TestCase|IsolatedAsyncioTestCase))$/;

/** What ends a test that asked for a fixture, and it may be asked for by a setting. */
const ENDS_TESTS = /skip|xfail|exit|fail|raise|importor/i;

export function outsideOf(module: Module, tests: readonly TestFact[]): readonly Outside[] {
  const { body, file } = module.tree;
  const spans = tests.filter(({ span }) => span.file === file).map(({ span }) => ({ start: span.from, end: span.to }));
  const surroundings = new Surroundings(module, spans);
  surroundings.walk(body);
  return surroundings.found;
}

class Surroundings {
  readonly found: Outside[] = [];
  /** The class at the top of the file that is looked at. */
  private within: string | null = null;
  /** A class from elsewhere may call what this one holds. */
  private isCalled = false;
  private above: string | null = null;

  constructor(
    private readonly module: Module,
    private readonly spans: readonly Stretch[],
  ) {}

  walk(statements: readonly Stmt[]): void {
    for (const one of statements) {
      const inside = this.spans.filter(({ start, end }) => one.start <= start && end <= one.end);
      if (inside.length > 0) this.around(one, inside);
      else if (one.type === 'Import') this.imported(one);
      else if (!isSaid(one)) {
        const text = this.text(one);
        const names = this.isCalled ? null : this.declaredBy(one, text);
        this.add(names === null ? 'frame' : 'declared', text, names ?? []);
      }
    }
  }

  private text({ start, end }: Stretch): string {
    return this.module.tree.text.slice(start, end);
  }

  private add(kind: Outside['kind'], text: string, names: readonly string[] = []): void {
    this.found.push({ kind, text, names, ...(this.within === null ? {} : { within: this.within }) });
  }

  /** A statement that holds tests; the test itself is no surrounding. */
  private around(one: Stmt, inside: readonly Stretch[]): void {
    const [within, isCalled] = [this.within, this.isCalled];
    if (one.type === 'Class') {
      this.within ??= one.name;
      this.isCalled ||= !isOwn({ node: one, env: this.module.env });
    }
    this.framed(one, inside);
    [this.within, this.isCalled] = [within, isCalled];
  }

  private framed(one: Stmt, inside: readonly Stretch[]): void {
    if (inside.some(({ start, end }) => start === one.start && end === one.end)) return;
    const first = one.type === 'Class' ? one.body[0] : undefined;
    // Tests that a class inherits stand at its head, and may feel all that is in it.
    if (one.type === 'Class' && first !== undefined && inside.every(({ start }) => start >= first.start)) {
      this.add('frame', this.text({ start: one.start, end: first.start }));
      return this.walk(one.body);
    }
    this.add('frame', textWithout(this.module.tree.text, one, inside));
  }

  /** The names by which others come to what a statement makes; null where they need none. */
  private declaredBy(one: Stmt, text: string): readonly string[] | null {
    const names =
      one.type === 'Assign' ? assignedBy(one) : one.type === 'Function' || one.type === 'Class' ? this.definedBy(one, text) : null;
    return names === null || names.some((name) => ASKED_FOR.test(name)) ? null : names;
  }

  /** A fixture may have another name than its function, and be asked for by fixtures of conftest.py. */
  private definedBy(one: FunctionStmt | ClassStmt, text: string): readonly string[] | null {
    const mark = one.type === 'Function' ? fixtureMark(one, this.module.env) : null;
    if (isSurround(one.name) || (mark !== null && (isAutomatic(mark) || ENDS_TESTS.test(text)))) return null;
    if (mark === null) return [one.name];
    this.above ??= conftestsOf(this.module)
      .map(({ tree }) => tree.text)
      .join('\n');
    const names = [one.name, ...descend(mark).flatMap((node) => textOf(node) ?? [])];
    return names.some((name) => this.above?.includes(name)) ? null : names;
  }

  /** Of another file: who asks for it need not name it here. */
  private isFixture(local: string): boolean {
    const value = this.module.env.find(local);
    const target = value?.source === undefined ? null : follow(value);
    return target?.node?.type === 'Function' && fixtureMark(target.node, target.env) !== null;
  }

  private imported({ module, level, from, names }: Extract<Stmt, { type: 'Import' }>): void {
    for (const { name, local } of names) {
      const text = `${'.'.repeat(level)}${module} ${name} as ${local}`;
      if (name === '*' || this.isFixture(local)) this.add('frame', text);
      else this.add('declared', text, [from ? local : (local.split('.')[0] as string)]);
    }
  }
}

/** A text that stands for itself, and `pass`. */
function isSaid(one: Stmt): boolean {
  return one.type === 'Pass' || (one.type === 'Expression' && one.value.type === 'String');
}

function assignedBy({ targets }: Extract<Stmt, { type: 'Assign' }>): readonly string[] | null {
  const all = targets.flatMap((target) => (target.type === 'Tuple' || target.type === 'List' ? target.items : [target]));
  return all.every(({ type }) => type === 'Name') ? all.flatMap((target) => (target.type === 'Name' ? [target.name] : [])) : null;
}

/** No class of another file is above it, but for those that everybody has. */
function isOwn(type: TypeValue, depth = 0): boolean {
  const bases = type.node.bases.filter(({ name }) => name === null);
  return bases.every(({ value }) => {
    const base = classOf(value, type.env);
    if (base === null) return PLAIN_BASE.test(fullName(value, type.env));
    return base.env.module === type.env.module && depth < DEEPEST && isOwn(base, depth + 1);
  });
}

const DEEPEST = 6;
