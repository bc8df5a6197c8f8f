// Code in Python tests that decides from outside which tests run and how they end: hooks of pytest, files to leave out.

import type { HookFact } from '../facts.js';
import { roleOf } from '../paths.js';
import { exitsOf } from './exits.js';
import { fullName } from './names.js';
import { squeeze } from './print.js';
import type { Env, Module } from './scope.js';
import { switchesIn } from './switches.js';
import type { FunctionStmt, Stmt } from './tree.js';
import { dotted, expressionsIn, spanOf, statementsIn, textOf } from './tree.js';

const HOOKS =
  /^pytest_(collection_modifyitems|ignore_collect|collect_file|collect_directory|pycollect_makeitem|runtest_setup|runtest_call|runtest_protocol|runtest_makereport|itemcollected|pyfunc_call|deselected|sessionfinish|generate_tests|configure|cmdline_main|load_initial_conftests|report_teststatus|exception_interact)$/;
/** Hooks that leave something out by their nature. */
const LEAVING = /ignore_collect|collect_file|collect_directory|makeitem|pyfunc_call|report_teststatus/;

export function hooksOf(module: Module): readonly HookFact[] {
  const { tree } = module;
  const facts: HookFact[] = [];
  const add = (name: string, node: { readonly start: number; readonly end: number }, switches: readonly string[] = []): void => {
    const span = spanOf(tree, node.start, node.end);
    facts.push({ name, span, key: [name, squeeze(span.text), ...switches].join(' ') });
  };
  for (const statement of statementsIn(tree.body, false)) {
    if (statement.type === 'Function' && HOOKS.test(statement.name) && decides(statement, module.env))
      add(statement.name, statement, switchesIn(statement.body, module.env));
    if (statement.type === 'Function' && !HOOKS.test(statement.name) && isConftest(tree.file))
      for (const one of forgiving(statement)) add(one.name, one.node);
    const name = ignored(statement);
    if (name !== null && isConftest(tree.file)) add(name, statement);
    if (isConftest(tree.file)) for (const hook of pluginHooks(statement, module)) add(hook.name, statement, [hook.text]);
  }
  if (isConftest(tree.file))
    for (const { name, node, hook } of exitsOf(module)) if (!facts.some((fact) => fact.name === hook)) add(name, node);
  return facts;
}

/** `pytest_plugins = ['quiet']`: hooks of a file that is no part of the tests by its place. Others are looked at themselves. */
function pluginHooks(statement: Stmt, { tree, project }: Module): readonly { readonly name: string; readonly text: string }[] {
  if (statement.type !== 'Assign' || !statement.targets.some((target) => dotted(target) === 'pytest_plugins')) return [];
  return expressionsIn([statement], false).flatMap((expression) => {
    const name = textOf(expression);
    const path = name === null ? null : project.resolve(tree.file, name, 0);
    const plugin = path === null || roleOf(path) !== 'source' ? null : project.load(path);
    return (plugin?.tree.body ?? []).flatMap((fn) =>
      plugin !== null && fn.type === 'Function' && HOOKS.test(fn.name) && decides(fn, plugin.env)
        ? [{ name: fn.name, text: squeeze(spanOf(plugin.tree, fn.start, fn.end).text) }]
        : [],
    );
  });
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
function decides(node: FunctionStmt, env: Env): boolean {
  if (LEAVING.test(node.name)) return true;
  for (const expression of expressionsIn(node.body, true)) {
    const name = fullName(expression, env);
    if (/(^|\.)mark\.(skip|skipif|xfail)$|^pytest\.(skip|xfail|exit)$|(^|\.)pytest_deselected$|^os\._exit$|^sys\.exit$/.test(name))
      return true;
    const called = expression.type === 'Call' && expression.callee.type === 'Attribute' ? expression.callee : null;
    if (called !== null && /^(remove|clear|pop)$/.test(called.name) && dotted(called.object) === 'items') return true;
    if (textOf(expression) === 'passed') return true;
  }
  return [...statementsIn(node.body, true)].some(rewrites);
}

/** `session.testsfailed = 0` of a fixture: what has failed is forgotten. */
function forgiving(fn: FunctionStmt): readonly { readonly name: string; readonly node: Stmt }[] {
  return statementsIn(fn.body, true).flatMap((node) => {
    const targets = node.type === 'Assign' ? node.targets : [];
    return targets.flatMap((target) =>
      /(^|\.)session\.(testsfailed|exitstatus)$/.test(dotted(target)) ? [{ name: dotted(target), node }] : [],
    );
  });
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
      ['outcome', 'exitstatus', 'excinfo', 'shouldstop', 'shouldfail', 'testsfailed'].includes(target.name) ||
      /(^|\.)config\.(option\.\w+|args)$/.test(dotted(target))
    );
  });
}
