// Code in Python tests that decides from outside which tests run and how they end: hooks of pytest, files to leave out, a choice of
// tests in the file itself.

import type { HookFact, TestFact, TestMark } from '../facts.js';
import { exitsOf } from './exits.js';
import { fullName } from './marks.js';
import { squeeze } from './print.js';
import { fixtureMark, isAutomatic } from './scope.js';
import type { Module } from './scope.js';
import type { Expr, FunctionStmt, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, keyword, lastName, positional, spanOf, statementsIn, textOf } from './tree.js';

const HOOKS =
  /^pytest_(collection_modifyitems|ignore_collect|collect_file|collect_directory|pycollect_makeitem|runtest_setup|runtest_call|runtest_protocol|runtest_makereport|itemcollected|pyfunc_call|deselected|sessionfinish|generate_tests|configure|cmdline_main|load_initial_conftests|report_teststatus|exception_interact)$/;
/** Hooks that leave something out by their nature. */
const LEAVING = /ignore_collect|collect_file|collect_directory|makeitem|pyfunc_call|report_teststatus/;

export function hooksOf(module: Module): readonly HookFact[] {
  const { tree } = module;
  const facts: HookFact[] = [];
  const add = (name: string, node: { readonly start: number; readonly end: number }): void => {
    const span = spanOf(tree, node.start, node.end);
    facts.push({ name, span, key: `${name} ${squeeze(span.text)}` });
  };
  for (const statement of statementsIn(tree.body, false)) {
    if (statement.type === 'Function' && HOOKS.test(statement.name) && decides(statement)) add(statement.name, statement);
    const name = ignored(statement);
    if (name !== null && isConftest(tree.file)) add(name, statement);
  }
  if (isConftest(tree.file))
    for (const { name, node, hook } of exitsOf(module)) if (!facts.some((fact) => fact.name === hook)) add(name, node);
  return facts;
}

/** The file of settings that pytest reads for every test around it. */
export function isConftest(file: string): boolean {
  return /(^|\/)conftest\.py$/.test(file);
}

const IGNORE = /^collect_ignore(_glob)?$/;

/** `collect_ignore = […]`, `collect_ignore.append(…)`, `os.environ['PYTEST_ADDOPTS'] = …`. */
function ignored(statement: Stmt): string | null {
  if (statement.type === 'Assign' || statement.type === 'Update') {
    const targets = statement.type === 'Assign' ? statement.targets : [statement.target];
    const empty = statement.value?.type === 'List' && statement.value.items.length === 0;
    const name = targets.map(dotted).find((target) => IGNORE.test(target));
    if (name !== undefined) return empty ? null : name;
    return targets.some(
      (target) => target.type === 'Subscript' && target.index.some((index) => /^PYTEST_|^PYTHONOPTIMIZE$/.test(textOf(index) ?? '')),
    )
      ? 'PYTEST_ADDOPTS'
      : null;
  }
  const call = statement.type === 'Expression' && statement.value.type === 'Call' ? statement.value.callee : null;
  return call?.type === 'Attribute' && IGNORE.test(dotted(call.object)) ? dotted(call.object) : null;
}

/** The hook leaves tests out, skips them, or rewrites how they ended. */
function decides(node: FunctionStmt): boolean {
  if (LEAVING.test(node.name)) return true;
  for (const expression of expressionsIn(node.body, true)) {
    const name = dotted(expression);
    if (/(^|\.)mark\.(skip|skipif|xfail)$|^pytest\.(skip|xfail|exit)$|(^|\.)pytest_deselected$|^os\._exit$|^sys\.exit$/.test(name))
      return true;
    const called = expression.type === 'Call' && expression.callee.type === 'Attribute' ? expression.callee : null;
    if (called !== null && /^(remove|clear|pop)$/.test(called.name) && dotted(called.object) === 'items') return true;
    if (textOf(expression) === 'passed') return true;
  }
  return [...statementsIn(node.body, true)].some(rewrites);
}

/** `items[:] = …`, `report.outcome = 'passed'`, `session.exitstatus = 0`, `config.option.keyword = …`. */
function rewrites(statement: Stmt): boolean {
  if (statement.type === 'Delete')
    return statement.targets.some((target) => target.type === 'Subscript' && dotted(target.object) === 'items');
  if (statement.type !== 'Assign') return false;
  return statement.targets.some((target) => {
    if (target.type === 'Subscript') return dotted(target.object) === 'items';
    if (target.type !== 'Attribute') return false;
    return (
      ['outcome', 'exitstatus', 'excinfo', 'shouldstop', 'shouldfail'].includes(target.name) ||
      /(^|\.)config\.(option\.\w+|args)$/.test(dotted(target))
    );
  });
}

/** A skip for every test around, and a choice of tests by the file itself: each is told like a test that bears the mark. */
export function choicesOf(module: Module): readonly TestFact[] {
  const facts: TestFact[] = [];
  const conftest = isConftest(module.tree.file);
  for (const statement of statementsIn(module.tree.body, false)) {
    if (conftest && statement.type === 'Function' && skipsAll(statement))
      facts.push(markedFact(module, statement, statement.name, 'skipped'));
    if (statement.type === 'Function' && statement.name === 'suite' && choosesSuite(statement))
      facts.push(markedFact(module, statement, 'suite', 'focused'));
    if (statement.type !== 'Expression') continue;
    for (const node of descend(statement.value))
      if (node.type === 'Call' && choosesTests(node, fullName(node.callee, module.env)))
        facts.push(markedFact(module, node, dotted(node.callee), 'focused'));
  }
  return facts;
}

function skipsAll(node: FunctionStmt): boolean {
  const mark = fixtureMark(node);
  if (mark === null || !isAutomatic(mark)) return false;
  for (const expression of expressionsIn(node.body, true)) if (/^pytest\.(skip|xfail)$/.test(dotted(expression))) return true;
  return false;
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
