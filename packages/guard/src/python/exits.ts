// Places in Python tests where the whole run is ended as if all were well: `os._exit(0)` at import, in a hook, in a setup.

import { caughtBy, constantTruth } from './flow.js';
import { fixtureMark, fullName, isAutomatic } from './names.js';
import type { Env, Module } from './scope.js';
import type { Expr, FunctionStmt, Stmt } from './tree.js';
import { dotted, expressionsOf, keyword, lastName, parts, positional, statementsIn } from './tree.js';

export interface Exit {
  /** What ends the run: `os._exit`. */
  readonly name: string;
  readonly node: { readonly start: number; readonly end: number };
  /** The hook of pytest that it stands in. */
  readonly hook: string | null;
}

const SETUP =
  /^(setup|teardown)(_(module|function|class|method))?$|^(setUp|tearDown)(Module|Class)?$|^async(SetUp|TearDown)$|^(load_tests|__init_subclass__)$/;

export function exitsOf(module: Module): readonly Exit[] {
  const { tree, env } = module;
  if (!/exit|quit/i.test(tree.text)) return [];
  const found: Exit[] = [...exitsIn(tree.body, env, null, FREE)];
  for (const statement of statementsIn(tree.body, false)) {
    const members = statement.type === 'Class' ? statement.body : [statement];
    for (const fn of members) if (fn.type === 'Function') found.push(...exitsOfFunction(fn, env));
  }
  return found;
}

/** Only what runs without being called by a test; of a test itself, what no failure could tell of. */
function exitsOfFunction(fn: FunctionStmt, env: Env): readonly Exit[] {
  const mark = fixtureMark(fn, env);
  if (fn.name.startsWith('pytest_')) return exitsIn(fn.body, env, fn.name, FREE);
  if (SETUP.test(fn.name) || (mark !== null && isAutomatic(mark))) return exitsIn(fn.body, env, null, { soft: false, branches: true });
  return mark === null && fn.name.startsWith('test') ? exitsIn(fn.body, env, null, { soft: false, branches: false }) : [];
}

/**
 * What counts. `soft`: exits that are errors, too; where the runner or the test catches these, they are told as a failure. `branches`:
 * what stands under a condition; in a test that may be the child of a fork.
 */
interface Counted {
  readonly soft: boolean;
  readonly branches: boolean;
}

const FREE: Counted = { soft: true, branches: true };

function exitsIn(body: readonly Stmt[], env: Env, hook: string | null, how: Counted): readonly Exit[] {
  return body.flatMap((statement): readonly Exit[] => {
    const own = ownExits(statement, env).filter(({ name }) => how.soft || name === 'os._exit' || name === 'pytest.exit');
    return [
      ...own.map((one) => ({ ...one, hook })),
      ...blocksRun(statement, env, how).flatMap(([inner, as]) => exitsIn(inner, env, hook, as)),
    ];
  });
}

/** The blocks of a statement that may run, and what counts in them. */
function blocksRun(statement: Stmt, env: Env, how: Counted): readonly (readonly [readonly Stmt[], Counted])[] {
  const hard: Counted = { ...how, soft: false };
  if (statement.type === 'If')
    return statement.branches.flatMap(({ test, body }) =>
      !how.branches || (test !== null && (constantTruth(test) === false || isFork(test))) ? [] : [[body, how] as const],
    );
  if (statement.type === 'Try') {
    const kept = statement.handlers.some(({ caught }) => caughtBy(caught, env) || dotted(caught) === 'SystemExit');
    const handlers = how.branches ? statement.handlers.map(({ body }) => [body, how] as const) : [];
    return [[statement.body, kept ? hard : how], [statement.other, how], [statement.final, how], ...handlers];
  }
  if (statement.type === 'With') {
    const wanted = statement.items.some(
      ({ value }) => value.type === 'Call' && /^(raises|assertRaises|suppress)/.test(lastName(value.callee)),
    );
    return [[statement.body, wanted ? hard : how]];
  }
  return statement.type === 'For' || statement.type === 'While' ? [[statement.body, how]] : [];
}

/** `if pid == 0`, `if not os.fork()`: the child of a fork may end as it likes. */
function isFork(test: Expr): boolean {
  if (test.type === 'Unary') return isFork(test.operand);
  if (test.type === 'Compare') return isFork(test.left);
  return /pid|child/i.test(dotted(test)) || (test.type === 'Call' && lastName(test.callee) === 'fork');
}

function ownExits(statement: Stmt, env: Env): readonly Omit<Exit, 'hook'>[] {
  if (statement.type === 'Function' || statement.type === 'Class') return [];
  if (statement.type === 'Raise') {
    const { value } = statement;
    const name = value === null ? '' : fullName(value, env);
    if (name !== 'SystemExit') return [];
    return value?.type !== 'Call' || isFine(positional(value.args)[0] ?? null) ? [{ name, node: statement }] : [];
  }
  return expressionsOf(statement).flatMap((expression) => callsIn(expression, env));
}

/** Calls that run with the statement; a lambda does not, save one that is kept for the end of the run. */
function callsIn(node: Expr, env: Env): readonly Omit<Exit, 'hook'>[] {
  const found: Omit<Exit, 'hook'>[] = [];
  const open: Expr[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.type === 'Lambda') continue;
    if (next.type === 'Call') {
      const name = fullName(next.callee, env);
      const [first, second = null] = positional(next.args);
      if (endsWell(name, next, env)) found.push({ name, node: next });
      else if (name === 'atexit.register' && first?.type === 'Lambda') open.push(first.body);
      else if (name === 'atexit.register' && first !== undefined && fullName(first, env) === 'os._exit' && isFine(second))
        found.push({ name: 'os._exit', node: next });
    }
    open.push(...parts(next));
  }
  return found;
}

function endsWell(name: string, node: Extract<Expr, { type: 'Call' }>, env: Env): boolean {
  if (name === 'pytest.exit') {
    const code = keyword(node.args, 'returncode') ?? positional(node.args)[1] ?? null;
    return code !== null && isFine(code);
  }
  const builtIn = /^(exit|quit)$/.test(dotted(node.callee)) && env.find(dotted(node.callee)) === null;
  if ((!builtIn && name !== 'os._exit' && name !== 'sys.exit') || node.args.some(({ star }) => star !== '')) return false;
  return isFine(node.args[0]?.value ?? null);
}

/** The code that says all is well: 0, None, False, or none at all. */
function isFine(code: Expr | null): boolean {
  if (code === null) return true;
  if (code.type === 'Number') return Number(code.text) === 0;
  if (code.type === 'Constant') return code.name === 'None' || code.name === 'False';
  return /(^|\.)(EX_OK|ExitCode\.OK)$/.test(dotted(code));
}
