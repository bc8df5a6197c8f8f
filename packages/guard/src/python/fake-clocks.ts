// Clocks that Python tests make themselves: whether such a clock can move on, or always tells the same time.

import { isConstant } from './constants.js';
import { methodOf } from './scope.js';
import type { Module } from './scope.js';
import type { ClassStmt, Expr, FunctionStmt, Stmt } from './tree.js';
import { dotted, keyword, lastName, settled, statementsIn } from './tree.js';

const TELLING = /^(__call__|now|utcnow|today|time|time_ns|monotonic|perf_counter|get_time|current_time)$/;
const MOVING = /^(advance|tick|move|move_to|shift|forward|sleep|step|set|set_time|travel|jump|wait|add|__iadd__)$/;
const CLOCK = /clock|time|now|date/i;

export interface FakeClock {
  readonly key: string;
  readonly node: FunctionStmt;
  readonly still: boolean;
}

/** Classes of a test file that tell the time, each with whether it stands still. */
export function fakeClocks(module: Module, tested: boolean): readonly FakeClock[] {
  return module.tree.body.flatMap((type): readonly FakeClock[] => {
    if (type.type !== 'Class' || !CLOCK.test(type.name) || /^Test|TestCase$|Tests$/.test(type.name)) return [];
    return tellers(type).map((node) => ({ key: `${type.name}.${node.name}`, node, still: isStillIn(node, type, module, tested) }));
  });
}

function tellers(type: ClassStmt): readonly FunctionStmt[] {
  return type.body.filter((one): one is FunctionStmt => one.type === 'Function' && TELLING.test(one.name));
}

/** It answers with a constant, or with a field that nothing writes to once it is made. */
function isStillIn(method: FunctionStmt, type: ClassStmt, module: Module, tested: boolean): boolean {
  const answer = answerOf(method);
  if (answer === null) return false;
  if (isTime(answer)) return true;
  if (answer.type !== 'Attribute' || dotted(answer.object) !== (method.params[0]?.name ?? '')) return false;
  const movers = type.body.filter((one): one is FunctionStmt => one.type === 'Function' && MOVING.test(one.name));
  const elsewhere = type.body.filter((one) => one.type === 'Function' && one.name !== '__init__' && one.name !== '__post_init__');
  if (writes(elsewhere, answer.name)) return false;
  if (movers.length > 0 && !tested) return true;
  const outside = module.tree.body.filter((one) => one !== type);
  return tested && !writes(outside, answer.name);
}

/** The only thing that a function gives back. */
function answerOf({ body }: FunctionStmt): Expr | null {
  const answers = [...statementsIn(body, false)].flatMap((one) =>
    one.type === 'Return' && one.value !== null ? [settled(one.value)] : [],
  );
  const plain = [...statementsIn(body, false)].every(({ type }) => type === 'Return' || type === 'Expression');
  return plain && answers.length === 1 ? (answers[0] ?? null) : null;
}

/** A constant, or a date of constants. */
function isTime(node: Expr): boolean {
  if (node.type === 'Call' && /^(datetime|date|float|int|Decimal)$/.test(lastName(node.callee)))
    return node.args.every(({ value }) => isTime(value) || dotted(value) !== '');
  return isConstant(node);
}

/** Something is put into a field of this name, or into what it holds; of `owner` alone, where one is given. */
function writes(body: readonly Stmt[], name: string, owner: string | null = null): boolean {
  for (const statement of statementsIn(body, true)) {
    const targets = statement.type === 'Update' ? [statement.target] : statement.type === 'Assign' ? statement.targets : [];
    for (const target of targets) {
      const field = target.type === 'Subscript' ? target.object : target;
      if (field.type === 'Attribute' && field.name === name && (owner === null || dotted(field.object) === owner)) return true;
    }
  }
  return false;
}

/** A clock that is handed over by hand, or under a name: whether it always tells the same. */
export function standsStill(value: Expr, module: Module, tested: boolean, depth = 0): boolean {
  const inner = settled(value);
  if (depth > 4) return false;
  if (inner.type === 'Lambda') return isTime(inner.body);
  if (inner.type === 'Call') {
    const told = lastName(inner.callee).endsWith('Mock') ? keyword(inner.args, 'return_value') : null;
    if (told !== null) return isTime(told);
    const type = inner.callee.type === 'Name' ? module.env.find(inner.callee.name) : null;
    const method = type?.node?.type === 'Class' ? methodOf({ node: type.node, env: type.env }, '__call__') : null;
    return method?.node.type === 'Function' && type?.node?.type === 'Class' && isStillIn(method.node, type.node, module, tested);
  }
  if (inner.type !== 'Name' || writes(module.tree.body, 'return_value', inner.name)) return false;
  const known = module.env.find(inner.name)?.node;
  if (known?.type === 'Function' && known.decorators.length === 0) return isTime(answerOf(known) ?? inner);
  const given = [...statementsIn(module.tree.body, true)].flatMap((one) => {
    if (one.type === 'Assign' && one.value !== null && one.targets.some((target) => dotted(target) === inner.name)) return [one.value];
    const answer = one.type === 'Function' && one.name === inner.name ? answerOf(one) : null;
    return answer === null ? [] : [answer];
  });
  return given.length > 0 && given.every((one) => one !== inner && standsStill(one, module, tested, depth + 1));
}
