// Finds the tests of a file, in the order in which they stand.

import { dialectOf, HOOK_NAMES } from './dialect.js';
import type { Dialect } from './dialect.js';
import type { Mark, Test } from './facts.js';
import { itemsOf, makeRow, rowsFor } from './rows.js';
import { registrationOf } from './registration.js';
import type { Registration } from './registration.js';
import { Scope, expand, resolveTable } from './scope.js';
import type { FunctionValue, Place, Source, Statement, Value, ValueOf } from '../syntax/nodes.js';
import { truthOf } from '../syntax/fold.js';
import { print } from '../syntax/print.js';
import { lowerDoctests } from '../syntax/python/doctests.js';
import { isTestAttribute } from '../syntax/rust/test-items.js';
import { dottedName, eachStatement, keyword, lastName, negate, positional, someValueIn } from '../syntax/walk.js';

export interface FoundTests {
  readonly source: Source;
  readonly tests: readonly Test[];
  readonly scope: Scope;
  readonly dialect: Dialect;
}

/** `readsDoctests`: the project runs the examples of docstrings too. */
export function findTests(source: Source, readsDoctests = false): FoundTests {
  const scope = new Scope([source.body], null, source.language);
  const around: Around = { path: [], scope, marks: [], hooks: [], tables: [], columns: null };
  const dialect = dialectOf(source.language);
  const tests: Test[] = [];
  if (source.language === 'javascript') new JavaScriptFinder(source, tests).body(source.body, around, 0);
  else if (source.language === 'rust') new RustFinder(source, tests).body(source.body, around);
  else {
    new PythonFinder(source, tests).module(around);
    if (readsDoctests) tests.push(...findDoctests(source, around));
  }
  // Tests of the same titles are told apart by their number.

  const counts = new Map<string, number>();
  return {
    source,
    tests: tests.map((test) => {
      const id = test.path.join('\0');
      const count = (counts.get(id) ?? 0) + 1;
      counts.set(id, count);
      return count === 1 ? test : { ...test, path: [...test.path.slice(0, -1), `${test.path.at(-1) ?? ''} (${count})`] };
    }),
    scope,
    dialect,
  };
}

interface Around {
  readonly path: readonly string[];
  readonly scope: Scope;
  readonly marks: readonly Mark[];
  readonly hooks: readonly (readonly Statement[])[];
  readonly tables: readonly Value[];
  readonly columns: readonly (readonly string[])[] | null;
}

const DEEPEST = 3;
const MOST_ROWS = 60;

class JavaScriptFinder {
  private readonly open = new Set<FunctionValue>();

  constructor(
    private readonly source: Source,
    private readonly tests: Test[],
  ) {}

  body(body: readonly Statement[], around: Around, depth: number): void {
    const hooks = [
      ...around.hooks,
      ...body.flatMap((statement: Statement): readonly (readonly Statement[])[] => {
        if (statement.kind !== 'expression') return [];
        const call = statement.value.kind === 'await' ? statement.value.value : statement.value;
        if (
          call.kind !== 'call' ||
          !/^(beforeEach|beforeAll|before|setup)$/.test(lastName(call.callee)) ||
          !HOOK_NAMES.has(lastName(call.callee))
        )
          return [];
        return call.args.flatMap(({ value }) => (value.kind === 'function' ? [value.body] : []));
      }),
    ];
    for (const statement of body) this.statement(statement, { ...around, hooks }, depth);
  }

  private statement(statement: Statement, around: Around, depth: number): void {
    switch (statement.kind) {
      case 'expression':
      case 'return':
      case 'assign':
        if (statement.value !== null) this.value(statement.value, around, depth, statement);
        return;
      case 'if':
        // Under the runner the condition of in-source tests always holds.
        if (isInSource(statement)) this.body(statement.then, around, depth);
        else this.body(statement.then, { ...around, marks: [...around.marks, conditional(negate(statement.test), statement)] }, depth);
        this.body(statement.other, { ...around, marks: [...around.marks, conditional(statement.test, statement)] }, depth);
        return;
      case 'loop':
        this.loop(statement, around, depth);
        return;
      case 'block':
        this.body(statement.body, { ...around, scope: around.scope.inner([statement.body]) }, depth);
        return;
      case 'try':
        this.body(statement.body, around, depth);
        return;
      case 'assert':
      case 'class':
      case 'function':
      case 'import':
      case 'jump':
      case 'other':
      case 'raise':
      case 'with':
    }
  }

  /** Over a list that is written down, the tests of each element are tests of their own. */
  private loop({ body, over, target }: Extract<Statement, { kind: 'loop' }>, around: Around, depth: number): void {
    const table = over === null || target === null ? null : expand(over, around.scope);
    const rows = table === null || target === null ? [] : rowsFor(itemsOf(table), target);
    if (rows.length === 0 || rows.length > MOST_ROWS)
      this.body(
        body,
        { ...around, scope: around.scope.inner([body]), tables: table === null ? around.tables : [...around.tables, table] },
        depth,
      );
    else for (const row of rows) this.body(body, { ...around, scope: around.scope.instance([body], row) }, depth);
  }

  private value(value: Value, around: Around, depth: number, place: Place): void {
    if (value.kind === 'await') this.value(value.value, around, depth, place);
    else if (value.kind === 'binary')
      this.value(
        value.right,
        { ...around, marks: [...around.marks, conditional(value.op === 'and' ? negate(value.left) : value.left, value)] },
        depth,
        place,
      );
    else if (value.kind === 'choice')
      for (const part of [value.then, value.other]) {
        const condition = part === value.then ? negate(value.test) : value.test;
        this.value(part, { ...around, marks: [...around.marks, conditional(condition, value)] }, depth, place);
      }
    else if (value.kind === 'call') this.call(value, around, depth, place);
  }

  private call(call: ValueOf<'call'>, around: Around, depth: number, place: Place): void {
    const found = registrationOf(call, around.scope);
    if (found !== null) this.register(found, call, around, depth, place);
    else {
      const name = lastName(call.callee);
      if (name === 'forEach' && call.callee.kind === 'member') {
        const table = expand(call.callee.object, around.scope);
        const tables = [...around.tables, table.kind === 'call' && table.args[0] !== undefined ? table.args[0].value : table];
        for (const { value } of call.args) {
          if (value.kind !== 'function') continue;
          const [name] = value.params[0]?.names ?? [];
          const items = itemsOf(table);
          if (items.length === 0 || items.length > MOST_ROWS || name === undefined)
            this.body(value.body, { ...around, tables, scope: around.scope.inner([value.body]) }, depth);
          else
            for (const item of items)
              this.body(
                value.body,
                { ...around, scope: around.scope.instance([value.body], makeRow(value.params[0]?.names ?? [], item)) },
                depth,
              );
        }
      } else this.helper(call, around, depth);
    }
  }

  private register(
    { kind, title, run, marks, tables }: Registration,
    call: ValueOf<'call'>,
    around: Around,
    depth: number,
    place: Place,
  ): void {
    const path = [...around.path, readTitle(title, around.scope)];
    const inner = {
      ...around,
      path,
      marks: [...around.marks, ...marks],
      tables: [...around.tables, ...tables.map((table) => resolveTable(table, around.scope))],
    };
    if (kind === 'suite') {
      if (run !== null) this.body(run.body, { ...inner, scope: around.scope.inner([run.body]) }, depth);
      return;
    }
    const head = { from: call.from, to: title?.to ?? call.callee.to };
    this.tests.push({ ...inner, source: this.source, from: place.from, to: place.to, head, run });
    // Tests within a test: `t.test()`.
    if (
      run !== null &&
      run.params.length > 0 &&
      depth < DEEPEST &&
      someValueIn(run.body, (value) => value.kind === 'call' && /\.(test|describe|it)$/.test(dottedName(value.callee)))
    )
      this.nested(run, { ...inner, scope: around.scope.inner([run.body]), marks: inner.marks }, depth + 1);
  }

  private nested(run: FunctionValue, around: Around, depth: number): void {
    for (const statement of run.body) {
      const value = statement.kind === 'expression' || statement.kind === 'return' ? statement.value : null;
      const call = value?.kind === 'await' ? value.value : value;
      if (call?.kind === 'call' && /\.(test|describe|it)$/.test(dottedName(call.callee))) this.call(call, around, depth, statement);
      else if (statement.kind === 'loop' || statement.kind === 'if' || statement.kind === 'block') this.statement(statement, around, depth);
    }
  }

  /** A function of the file that registers tests: `testCase('title', input)`. */
  private helper(call: ValueOf<'call'>, around: Around, depth: number): void {
    if (depth >= DEEPEST || call.callee.kind === 'function') {
      if (call.callee.kind === 'function') this.body(call.callee.body, { ...around, scope: around.scope.inner([call.callee.body]) }, depth);
      return;
    }
    const run = call.callee.kind === 'name' ? (around.scope.find(call.callee.name)?.call ?? null) : null;
    if (
      run === null ||
      this.open.has(run) ||
      !someValueIn(run.body, (value) => value.kind === 'call' && registrationOf(value, around.scope) !== null)
    )
      return;
    this.open.add(run);
    const given = new Map<string, Value>();
    const args = positional(call);
    run.params.forEach(({ names }, index) => {
      const [name, value] = [names[0], args[index]];
      if (name !== undefined && names.length === 1 && value !== undefined) given.set(name, value);
    });
    this.body(run.body, { ...around, scope: around.scope.inner([run.body], given, around.scope) }, depth + 1);
    this.open.delete(run);
  }
}

/** `if (import.meta.vitest) { … }` */
export function isInSource(statement: Statement): boolean {
  return statement.kind === 'if' && print(statement.test).includes('import.meta.vitest');
}

function conditional(condition: Value, { from, to }: Place): Mark {
  return { kind: 'skip', condition, from, to };
}

function readTitle(title: Value | null, scope: Scope): string {
  if (title === null) return '';
  const value = expand(title, scope);
  return value.kind === 'text' ? value.value : print(value);
}

class PythonFinder {
  constructor(
    private readonly source: Source,
    private readonly tests: Test[],
  ) {}

  module(around: Around): void {
    this.body(this.source.body, { ...around, marks: moduleMarks(this.source.body) });
  }

  private body(body: readonly Statement[], around: Around, isClass = false): void {
    for (const statement of body) {
      switch (statement.kind) {
        case 'function':
          if (
            statement.name.startsWith('test') &&
            !statement.decorators.some((decorator) =>
              /(^|\.)fixture$/.test(dottedName(decorator.kind === 'call' ? decorator.callee : decorator)),
            )
          )
            this.test(statement, around);
          break;
        case 'class':
          if (!isClass || statement.name.startsWith('Test')) this.suite(statement, around);
          break;
        case 'if':
          this.body(statement.then, { ...around, marks: [...around.marks, conditional(negate(statement.test), statement)] }, isClass);
          this.body(statement.other, { ...around, marks: [...around.marks, conditional(statement.test, statement)] }, isClass);
          break;
        case 'try':
          this.body([...statement.body, ...statement.other], around, isClass);
          break;
        case 'with':
        case 'block':
          this.body(statement.body, around, isClass);
          break;
        case 'assert':
        case 'assign':
        case 'expression':
        case 'import':
        case 'jump':
        case 'loop':
        case 'other':
        case 'raise':
        case 'return':
      }
    }
  }

  private suite(statement: Extract<Statement, { kind: 'class' }>, around: Around): void {
    const { name, bases } = statement;
    if (
      !(
        /^Test|Tests?$|TestCase|Case$/.test(name) ||
        bases.some((base) => /Test|Case/.test(lastName(base.kind === 'call' ? base.callee : base)))
      )
    )
      return;
    const scope = around.scope.inner([statement.body]);
    const marks = [...around.marks, ...readMarks(statement.decorators), ...moduleMarks(statement.body)];
    const hooks = [
      ...around.hooks,
      ...statement.body.flatMap((inner) =>
        inner.kind === 'function' && /^(setUp|setup_method|setup|asyncSetUp)$/.test(inner.name) ? [inner.value.body] : [],
      ),
    ];
    const tables = [...around.tables, ...readTables(statement.decorators, around.scope)];
    this.body(
      statement.body,
      { path: [...around.path, statement.name], scope, marks, hooks, tables, columns: readColumns(statement.decorators) ?? around.columns },
      true,
    );
  }

  private test(statement: Extract<Statement, { kind: 'function' }>, around: Around): void {
    const tables = [...around.tables, ...readTables(statement.decorators, around.scope)];
    const path = [...around.path, statement.name];
    // `pytest.param(1, marks=pytest.mark.skip)`: the test runs, but not for this row.
    const rows = tables.flatMap((table) =>
      table.kind === 'list'
        ? table.items.flatMap((row: Value): readonly Mark[] => {
            const marks = row.kind === 'call' ? keyword(row, 'marks') : null;
            if (marks === null) return [];
            return (marks.kind === 'list' ? marks.items : [marks]).flatMap((one) => {
              const mark = readMark(one);
              return mark === null ? [] : [{ ...mark, condition: mark.condition ?? row }];
            });
          })
        : [],
    );
    const from = Math.min(statement.from, ...statement.decorators.map((decorator) => decorator.from));
    this.tests.push({
      ...around,
      source: this.source,
      path,
      from,
      to: statement.to,
      head: statement.head,
      run: statement.value,
      marks: [...around.marks, ...readMarks(statement.decorators), ...rows],
      tables,
      columns: readColumns(statement.decorators) ?? around.columns,
    });
  }
}

function readTables(decorators: readonly Value[], scope: Scope): readonly Value[] {
  return decorators.flatMap((decorator) => {
    if (decorator.kind !== 'call' || !/(^|\.)(parametrize|expand|data|parameters|product)$/.test(dottedName(decorator.callee))) return [];
    const args = positional(decorator);
    const table = args[1] ?? keyword(decorator, 'argvalues') ?? (lastName(decorator.callee) === 'parametrize' ? undefined : args[0]);
    return table === undefined ? [] : [resolveTable(table, scope)];
  });
}

/** Names of the columns of a parametrized test: `'a, b'`, `['a', 'b']`. */
function readColumns(decorators: readonly Value[]): readonly (readonly string[])[] | null {
  const table = decorators.findLast(
    (decorator): decorator is ValueOf<'call'> => decorator.kind === 'call' && lastName(decorator.callee) === 'parametrize',
  );
  const [first] = table === undefined ? [] : positional(table);
  if (first?.kind === 'text') return first.value.split(',').map((name) => [name.trim()]);
  return first?.kind === 'list' ? first.items.map((item) => (item.kind === 'text' ? [item.value] : [])) : null;
}

/** `pytest.mark.skipif(condition)` and its kin. */
export function readMark(decorator: Value): Mark | null {
  const call = decorator.kind === 'call' ? decorator : null;
  const name = lastName(call?.callee ?? decorator);
  const place = { from: decorator.from, to: decorator.to };
  const [first] = call === null ? [] : positional(call);
  switch (name) {
    case 'skip':
    case 'skip_test':
      return { kind: 'skip', condition: null, ...place };
    case 'skipUnless':
      return { kind: 'skip', condition: first === undefined ? decorator : negate(first), ...place };
    case 'flaky':
      return { kind: 'fails', condition: null, ...place };
    case 'skipif':
    case 'skipIf':
    case 'skip_if':
    case 'skipUnlessDBFeature':
    case 'skipIfDBFeature':
      return { kind: 'skip', condition: first ?? decorator, ...place };
    case 'xfail': {
      const condition = first ?? (call === null ? null : keyword(call, 'condition'));
      return { kind: 'fails', condition: condition === null || condition.kind === 'text' ? null : condition, ...place };
    }
    case 'expectedFailure':
      return { kind: 'fails', condition: null, ...place };
    default:
      return null;
  }
}

function readMarks(decorators: readonly Value[]): readonly Mark[] {
  return decorators.map(readMark).filter((mark) => mark !== null);
}

/** `pytestmark = …`, `__test__ = False` and `pytest.skip(allow_module_level=True)`. */
function moduleMarks(body: readonly Statement[]): readonly Mark[] {
  const marks: Mark[] = [];
  eachStatement(body, (statement) => {
    if (statement.kind === 'function' || statement.kind === 'class') return false;
    if (statement.kind === 'assign' && statement.value !== null) {
      const [target] = statement.targets;
      if (target?.kind === 'name' && target.name === 'pytestmark')
        marks.push(...readMarks(statement.value.kind === 'list' ? statement.value.items : [statement.value]));
      if (target?.kind === 'name' && target.name === '__test__' && statement.value.kind === 'constant' && statement.value.value === 'false')
        marks.push({ kind: 'skip', condition: null, from: statement.from, to: statement.to });
    }
    if (statement.kind === 'if') {
      const under = moduleMarks(statement.then).map((mark) => ({ ...mark, condition: mark.condition ?? statement.test }));
      marks.push(
        ...under,
        ...moduleMarks(statement.other).map((mark) => ({ ...mark, condition: mark.condition ?? negate(statement.test) })),
      );
      return false;
    }
    if (
      statement.kind === 'expression' &&
      statement.value.kind === 'call' &&
      /^(pytest\.skip|pytest\.importorskip|importorskip)$/.test(dottedName(statement.value.callee))
    )
      marks.push({
        kind: 'skip',
        condition: lastName(statement.value.callee) === 'importorskip' ? statement.value : null,
        from: statement.from,
        to: statement.to,
      });
    if (
      statement.kind === 'raise' &&
      statement.value !== null &&
      lastName(statement.value.kind === 'call' ? statement.value.callee : statement.value).endsWith('SkipTest')
    )
      marks.push({ kind: 'skip', condition: null, from: statement.from, to: statement.to });
    return undefined;
  });
  return marks;
}

function findDoctests(source: Source, around: Around): readonly Test[] {
  return lowerDoctests(source.text).map(({ name, from, to, body }) => {
    const place = { from, to };
    const run: FunctionValue = { ...place, kind: 'function', params: [], body, isAsync: false };
    return { ...around, ...place, source, path: [`${name} doctest`.trim()], head: place, run };
  });
}

class RustFinder {
  constructor(
    private readonly source: Source,
    private readonly tests: Test[],
  ) {}

  body(body: readonly Statement[], around: Around): void {
    for (const statement of body) {
      if (statement.kind === 'class')
        this.body(statement.body, {
          ...around,
          path: [...around.path, statement.name],
          scope: around.scope.inner([statement.body]),
          marks: [...around.marks, ...attributeMarks(statement.decorators)],
        });
      else if (statement.kind === 'function' && statement.decorators.some((decorator) => isTestAttribute(attributeName(decorator))))
        this.tests.push({
          ...around,
          source: this.source,
          path: [...around.path, statement.name],
          from: statement.from,
          to: statement.to,
          head: statement.head,
          run: statement.value,
          marks: [...around.marks, ...attributeMarks(statement.decorators)],
          tables: attributeRows(statement.decorators),
          columns: null,
        });
    }
  }
}

function attributeName(attribute: Value): string {
  const name = attribute.kind === 'call' ? attribute.callee : attribute.kind === 'binary' ? attribute.left : attribute;
  return name.kind === 'name' ? name.name : '';
}

/** `#[ignore]`, `#[cfg(any())]`, `#[cfg_attr(miri, ignore)]`. What holds under every test is no mark. */
function attributeMarks(attributes: readonly Value[]): readonly Mark[] {
  return attributes.flatMap((attribute): readonly Mark[] => {
    const place = { from: attribute.from, to: attribute.to };
    const name = attributeName(attribute);
    if (name === 'ignore') return [{ kind: 'skip', condition: null, ...place }];
    const [condition, ...marks] = attribute.kind === 'call' ? positional(attribute) : [];
    if (condition === undefined || !(name === 'cfg' || (name === 'cfg_attr' && marks.some((mark) => attributeName(mark) === 'ignore'))))
      return [];
    const truth = truthOf(condition);
    // Under `cfg` it runs where the condition holds, under `cfg_attr` where it does not.
    if (truth === 'unknown') return [{ kind: 'skip', condition, ...place }];
    return (truth === 'true') === (name === 'cfg') ? [] : [{ kind: 'skip', condition: null, ...place }];
  });
}

/** `#[case(1, 2)]` and `#[test_case(1 => 2)]`: a row each. */
function attributeRows(attributes: readonly Value[]): readonly Value[] {
  const items = attributes.flatMap((attribute): readonly Value[] =>
    attribute.kind === 'call' && /(?:^|::)(?:case|test_case)$/.test(attributeName(attribute))
      ? [{ kind: 'list', type: 'tuple', items: positional(attribute), from: attribute.from, to: attribute.to }]
      : [],
  );
  const [first] = items;
  return first === undefined ? [] : [{ kind: 'list', type: 'list', items, from: first.from, to: first.to }];
}
