// What stands in for something in Python tests: whether it does the work of the unit, what it answers, whether tests ask it.

import type { ReplacementFact, TestFact } from '../facts.js';
import { isConstant } from './constants.js';
import { standsStill } from './fake-clocks.js';
import { print } from './print.js';
import { classOf } from './scope.js';
import type { Env, Value } from './scope.js';
import type { Argument, Expr } from './tree.js';
import { dotted, keyword, lastName } from './tree.js';

/** Assertions of a file without any unit ask a mock of these names for what it was told. */
export function isToldBy(tests: readonly TestFact[], names: readonly string[]): boolean {
  // Most tests do not name them, and need not be walked through.
  const naming = tests.filter(({ span }) => names.some((one) => span.text.includes(`${one}.`)));
  return naming.some(({ assertions }) =>
    assertions.some(
      ({ tautology, span }) => tautology?.includes('a mock for') === true && names.some((one) => span.text.includes(`${one}.`)),
    ),
  );
}

/** What tests ask a mock of these names for, after it was told just that. */
export function toldIn(tests: readonly TestFact[], names: readonly string[]): string | null {
  const asked = (subject: string): boolean => names.some((name) => subject.startsWith(name) && /^[.(]/.test(subject.slice(name.length)));
  const told = tests
    .flatMap(({ assertions }) => assertions)
    .find(({ tautology, subject }) => tautology?.includes('a mock for') === true && asked(subject));
  return told?.expected ?? null;
}

/** A function or class, or an object of the module's own making; loggers, clients and constants are no part of the work. */
export function doesWork({ node, env }: Value, member: string | null): boolean {
  if (node === null || node.type === 'Function' || node.type === 'Lambda' || node.type === 'Name' || node.type === 'Attribute') return true;
  if (node.type === 'Class')
    return !node.body.some((statement) => statement.type === 'Assign' && statement.targets.some((target) => dotted(target) === member));
  if (node.type !== 'Call') return false;
  return lastName(node.callee) === 'partial' || classOf(node, env)?.env.module === env.module;
}

/** The constant that a stand-in always answers with; null where it is none, or one that stands everywhere. */
export function answerOf(args: readonly Argument[], env: Env): string | null {
  const lambda = args.map(({ value }) => value).find(({ type }) => type === 'Lambda');
  const answer = keyword(args, 'return_value') ?? (lambda?.type === 'Lambda' ? lambda.body : null);
  if (answer === null || !isConstant(answer)) return null;
  const text = print(answer, env);
  return /^(|-?\d|""|\[\]|\{\}|\(\)|None|True|False)$/.test(text) ? null : text;
}

interface Injected {
  readonly kind: ReplacementFact['kind'];
  readonly key: string;
  readonly node: Expr;
  readonly moving?: boolean;
  readonly faint?: boolean;
}

/** `Cache(clock=…)`: a clock that is handed over, which stands still or that tests may move. */
export function injectedClock({ args }: Extract<Expr, { type: 'Call' }>, env: Env, tested: boolean): readonly Injected[] {
  const clocks = args.filter(({ name }) => name !== null && /^(clock|now|timer|time_source|time_func)$/.test(name));
  return clocks.flatMap(({ name, value }): readonly Injected[] => {
    const still = standsStill(value, env.module, tested);
    const fake = value.type === 'Name' && env.find(value.name)?.source === undefined;
    return still || fake ? [{ kind: 'clock', key: `${name}=`, node: value, ...(still ? { faint: true } : { moving: true }) }] : [];
  });
}
