// Tables of Python tests: parametrize of pytest, on tests, classes and fixtures; expand of parameterized; data that is drawn at random.

import type { TestMark } from '../facts.js';
import { markList } from './marks.js';
import { fullName } from './names.js';
import { printValue } from './print.js';
import { columnsOf, rowsOf, siftedBy } from './rows.js';
import type { Env, Value } from './scope.js';
import type { Expr, FunctionStmt } from './tree.js';
import { keyword, positional } from './tree.js';

const MOST_ROWS = 40;

export interface Table {
  readonly names: readonly string[];
  /** Null: not known. */
  readonly rows: readonly Value[] | null;
}

/** One call of the test: its parameters by name. */
export type Row = ReadonlyMap<string, Value>;

export interface Tables {
  /** Null: there are tables, and their rows are not known, or too many. */
  readonly rows: readonly Row[] | null;
  readonly texts: readonly string[] | null;
  readonly marks: readonly TestMark[];
  /** Values are drawn, or not known. */
  readonly open: boolean;
  /** Some rows of a known table are left out. */
  readonly sifted: Expr | null;
}

export function tablesOf(
  decorators: readonly { readonly node: Expr; readonly env: Env }[],
  fn: FunctionStmt,
  more: readonly Table[],
  idle: ReadonlySet<string>,
): Tables {
  const tables: Table[] = [...more];
  const marks: TestMark[] = [];
  let drawn = false;
  let sifted: Expr | null = null;
  for (const { node, env } of decorators) {
    const name = fullName(node, env);
    if (/(^|\.)hypothesis\.given$|^given$/.test(name)) drawn = true;
    const table = tableOf(node, name, env, fn);
    if (table === null) continue;
    tables.push(table);
    if (node.type === 'Call') sifted ??= siftedBy(positional(node.args)[1] ?? keyword(node.args, 'argvalues'), env);
    for (const row of table.rows ?? [])
      if (row.node?.type === 'Call') marks.push(...markList(keyword(row.node.args, 'marks'), row.env, idle));
  }
  if (tables.length === 0) return { rows: [new Map()], texts: null, marks, open: drawn, sifted };
  const combined = combine(tables);
  const texts = tables.every(({ rows }) => rows !== null) ? tables.flatMap(({ rows }) => rows?.map((row) => printValue(row)) ?? []) : null;
  return { rows: combined, texts, marks, open: drawn || combined === null, sifted };
}

function tableOf(node: Expr, name: string, env: Env, fn: FunctionStmt): Table | null {
  if (node.type !== 'Call') return null;
  const [first = null, second = null] = positional(node.args);
  if (/(^|\.)mark\.parametrize$/.test(name)) {
    const names = namesOf(first ?? keyword(node.args, 'argnames'));
    return { names, rows: rowsOf(second ?? keyword(node.args, 'argvalues'), env) };
  }
  if (/(^|\.)parameterized(\.expand)?$/.test(name))
    return { names: fn.params.slice(1).map((parameter) => parameter.name), rows: rowsOf(first, env) };
  if (/^ddt\.data$/.test(name))
    return {
      names: fn.params.slice(1).map((parameter) => parameter.name),
      rows: positional(node.args).map((value) => ({ node: value, env })),
    };
  return null;
}

function namesOf(node: Expr | null): readonly string[] {
  if (node?.type === 'String')
    return node.value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  if (node?.type !== 'List' && node?.type !== 'Tuple') return [];
  return node.items.flatMap((item) => (item.type === 'String' ? [item.value] : []));
}

function combine(tables: readonly Table[]): readonly Row[] | null {
  let rows: readonly Row[] = [new Map()];
  for (const table of tables) {
    if (table.rows === null || rows.length * table.rows.length > MOST_ROWS) return null;
    const own = table.rows;
    rows = rows.flatMap((row) =>
      own.map((value) => {
        const columns = columnsOf(value, table.names.length);
        return new Map([
          ...row,
          ...table.names.flatMap((name, index): [string, Value][] =>
            columns[index] === undefined ? [] : [[name, { ...columns[index], row: true }]],
          ),
        ]);
      }),
    );
  }
  return rows;
}

/** `@pytest.fixture(params=[…])`: what `request.param` may be. */
export function fixtureTable(mark: Expr, env: Env): readonly Value[] | null | undefined {
  const params = mark.type === 'Call' ? keyword(mark.args, 'params') : null;
  return params === null ? undefined : rowsOf(params, env);
}
