// Assertions that a test class writes itself, under the names of unittest's: whether they still check what they are given.

import { CORE } from './matchers.js';
import type { ClassStmt, FunctionStmt, Stmt } from './tree.js';
import { descend, dotted, expressionsIn, lastName } from './tree.js';

interface Overridden {
  readonly kind: 'assertions';
  readonly key: string;
  readonly node: Stmt;
}

/** A test class with assertions of its own in place of unittest's. */
export function overriddenIn(node: ClassStmt): readonly Overridden[] {
  const found: Overridden[] = [];
  for (const statement of node.body) {
    if (statement.type === 'Function' && isAssertion(statement.name) && !checksOn(statement))
      found.push({ kind: 'assertions', key: `${statement.name} of its own`, node: statement });
    if (
      statement.type === 'Assign' &&
      statement.targets.some((target) => dotted(target) === 'failureException' || CORE.has(dotted(target)))
    ) {
      found.push({ kind: 'assertions', key: dotted(statement.targets[0] ?? null), node: statement });
    }
    if (statement.type === 'Function' && statement.name === '__eq__' && answersTrue(statement.body))
      found.push({ kind: 'assertions', key: `${node.name}.__eq__`, node: statement });
  }
  return found;
}

function isAssertion(name: string): boolean {
  return CORE.has(name) || /^assert(Raises|RaisesRegexp?|Warns|WarnsRegex|Logs|NoLogs)$/.test(name);
}

/** An assertion of its own that hands all it is given on to another one. */
function checksOn(node: FunctionStmt): boolean {
  const calls = [...expressionsIn(node.body, false)].flatMap((one) =>
    one.type === 'Call' && lastName(one.callee).startsWith('assert') && one.callee.type === 'Attribute' ? [one] : [],
  );
  const given = node.params.slice(1).filter(({ star }) => star === '');
  const onward = calls.some(
    (one) => one.callee.type === 'Attribute' && one.callee.object.type === 'Call' && lastName(one.callee) === node.name,
  );
  const wanted = given.map(({ name }) => name);
  const passed = new Set(calls.flatMap((one) => one.args.map(({ value }) => dotted(value))));
  if (onward) return wanted.length > 0 && wanted.every((name) => passed.has(name));
  const read = new Set(calls.flatMap((one) => one.args.flatMap(({ value }) => [...descend(value)].map(dotted))));
  return /^assert(Logs|NoLogs|Warns|Raises)/.test(node.name) && wanted.length > 0 && wanted.every((name) => read.has(name));
}

/** A method that only leads on to the one it stands for. */
export function callsSuper({ body }: FunctionStmt): boolean {
  if (body.length !== 1) return false;
  return [...expressionsIn(body, false)].some((one) => one.type === 'Call' && dotted(one.callee) === 'super');
}

function answersTrue(body: readonly Stmt[]): boolean {
  const [only, ...more] = body.filter((statement) => !(statement.type === 'Expression' && statement.value.type === 'String'));
  return more.length === 0 && only?.type === 'Return' && only.value?.type === 'Constant' && only.value.name === 'True';
}
