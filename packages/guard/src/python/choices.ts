// Which tests run by a choice that is written outside of them: a skip in what others take their set-up from, a suite of its own, names
// given to the runner. Each is told like a test that bears the mark.

import type { HookFact, TestFact, TestMark } from '../facts.js';
import { isSurround } from './fixtures.js';
import { isConftest } from './hooks.js';
import { markList, marksOf } from './marks.js';
import { skipsOf } from './module-skips.js';
import { fixtureMark, fullName, isAutomatic, isSkipError, skipOf } from './names.js';
import { runSkips } from './own-runs.js';
import { squeeze } from './print.js';
import { kindOf } from './runner.js';
import type { Env, Module } from './scope.js';
import { switchesIn } from './switches.js';
import type { ClassStmt, Expr, FunctionStmt, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, keyword, lastName, positional, spanOf, statementsIn, textOf } from './tree.js';

/** `isAlone`: the file has no tests, and others take what is in it. */
export function choicesOf(module: Module, isAlone: boolean): readonly TestFact[] {
  const facts: TestFact[] = [];
  for (const statement of statementsIn(module.tree.body, false)) {
    if (isAlone) facts.push(...skipsFor(module, statement));
    if (statement.type === 'Function' && statement.name === 'suite' && choosesSuite(statement))
      facts.push(markedFact(module, statement, 'suite', 'focused'));
    if (statement.type !== 'Expression') continue;
    for (const node of descend(statement.value))
      if (node.type === 'Call' && choosesTests(node, fullName(node.callee, module.env)))
        facts.push(markedFact(module, node, dotted(node.callee), 'focused'));
  }
  return facts;
}

/** A skip for every test that is around, or that takes its set-up or its marks from here. */
function skipsFor(module: Module, statement: Stmt): readonly TestFact[] {
  const { env, tree } = module;
  const fact = (node: Stmt, name: string) => [markedFact(module, node, name, 'skipped')];
  if (statement.type === 'Class') return skipsOfClass(module, statement);
  if (statement.type === 'Function') {
    const skipping = isSurround(statement.name) ? stops(statement, env) : skipsAll(statement, env);
    const own = skipping ? fact(statement, statement.name) : [];
    // Switched on by a name that stands elsewhere, it is one more choice, though its text is the same.
    const isSwitched = skipping && switchesIn(statement.body, env).length > 0 && stops(statement, env);
    return isSwitched ? [...own, ...fact(statement, `${statement.name} always`)] : own;
  }
  // In a conftest.py it marks nothing.
  if (statement.type !== 'Assign' || isConftest(tree.file) || !statement.targets.some((target) => dotted(target) === 'pytestmark'))
    return [];
  return markList(statement.value, env, new Set()).some(({ kind }) => kind === 'skipped') ? fact(statement, 'pytestmark') : [];
}

function skipsOfClass(module: Module, type: ClassStmt): readonly TestFact[] {
  const { env, tree } = module;
  const methods = type.body.filter(
    (one): one is FunctionStmt => one.type === 'Function' && (isSurround(one.name) ? stops(one, env) : skipsAll(one, env)),
  );
  const found = methods.map((one) => markedFact(module, one, `${type.name}.${one.name}`, 'skipped'));
  const kind = kindOf({ node: type, env });
  if (kind !== 'case' && kind !== 'async') return found;
  const runs = runSkips({ node: type, env }).filter((mark) => mark.kind === 'skipped' && mark.span.file === tree.file);
  return [
    ...found,
    ...runs.map(({ span, key }) => markedFact(module, { start: span.from, end: span.to }, `${type.name}.${key}`, 'skipped')),
  ];
}

/** Marks, and decorators that set one, under the names that tests of other files take them by. */
export function marksTaken({ tree, env }: Module, idle: ReadonlySet<string>): readonly HookFact[] {
  if (!/skip|xfail|expectedFailure/.test(tree.text)) return [];
  return tree.body.flatMap((statement): readonly HookFact[] => {
    const name = statement.type === 'Function' ? statement.name : statement.type === 'Assign' ? dotted(statement.targets[0] ?? null) : '';
    if (!/^[A-Za-z]\w*$/.test(name) || /^pytest|^test/.test(name) || isSurround(name)) return [];
    const { start, end } = statement;
    const kind = marksOf({ type: 'Name', start, end, name }, env, idle).find((mark) => mark.settled !== true)?.kind;
    if (kind === undefined || kind === 'focused') return [];
    const span = spanOf(tree, start, end);
    return [{ name, span, key: `${name} ${squeeze(span.text)}`, mark: kind }];
  });
}

/** It skips whatever happens, by way of a helper too. */
function stops(node: FunctionStmt, env: Env): boolean {
  return skipsOf({ node, env, bound: 0 }).some(({ kind }) => kind !== 'conditional');
}

/** A fixture that every test gets, and that skips, if under a condition. */
function skipsAll(node: FunctionStmt, env: Env): boolean {
  const mark = fixtureMark(node, env);
  if (mark === null || !isAutomatic(mark)) return false;
  const raises = statementsIn(node.body, true).some((one) => one.type === 'Raise' && one.value !== null && isSkipError(one.value, env));
  return (
    raises ||
    expressionsIn(node.body, true).some((one) => one.type === 'Call' && /^(skip|xfail)$/.test(skipOf(one, env) ?? '')) ||
    stops(node, env)
  );
}

function choosesSuite(node: FunctionStmt): boolean {
  for (const expression of expressionsIn(node.body, true))
    if (expression.type === 'Call' && /^(addTest|loadTestsFromName)$/.test(lastName(expression.callee))) return true;
  return false;
}

/** `unittest.main(defaultTest='X.test_a')`, `pytest.main(['-k', 'x'])`. */
function choosesTests(node: Extract<Expr, { type: 'Call' }>, name: string): boolean {
  if (name === 'unittest.main') {
    const argv = keyword(node.args, 'argv');
    return (
      keyword(node.args, 'defaultTest') !== null ||
      (argv?.type === 'List' && argv.items.slice(1).some((item) => !/^(-v|-b|-f|-q|first-arg.*)?$/.test(textOf(item) ?? '')))
    );
  }
  if (name !== 'pytest.main') return false;
  const list = positional(node.args)[0] ?? null;
  return list !== null && [...descend(list)].some((item) => /^-k|^-m$|::|^--(deselect|ignore|lf|last-failed)/.test(textOf(item) ?? ''));
}

function markedFact(
  module: Module,
  node: { readonly start: number; readonly end: number },
  name: string,
  kind: TestMark['kind'],
): TestFact {
  const span = spanOf(module.tree, node.start, node.end);
  const title = `${name} ${squeeze(span.text).slice(0, 300)}`;
  const marks: readonly TestMark[] = [{ kind, span, key: name }];
  return {
    path: [title],
    span,
    head: span,
    marks,
    outer: marks,
    condition: null,
    hidden: null,
    empty: false,
    rows: null,
    assertions: [],
    returns: [],
    branches: [],
    body: '',
  };
}
