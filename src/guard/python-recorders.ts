// Checks of calls in one language: what a mock was called with, and what a fake of the tests wrote down, are the same question.

import { draft } from './python-checks.js';
import type { Draft } from './python-checks.js';
import { classOf, isOfTests } from './python-scope.js';
import type { Env, TypeValue } from './python-scope.js';
import type { Expr, FunctionStmt } from './python-tree.js';
import { dotted, lastName, positional, statementsIn } from './python-tree.js';

/** The draft as a question about calls, where it is one; else as it is. */
export function aboutCalls(one: Draft): readonly Draft[] {
  return ofFake(one) ?? ofMock(one) ?? ofList(one) ?? [one];
}

/** A list of the test that others fill: its length is how often they did. */
function ofList(one: Draft): readonly Draft[] | null {
  const { env, subject } = one;
  const [wanted] = one.expected;
  if (one.kind !== 'equal' || subject?.type !== 'Name' || wanted?.type !== 'List') return null;
  const value = env.find(subject.name);
  if (value?.label === undefined || value.node?.type !== 'List' || value.node.items.length > 0) return null;
  return [one, counted(subject, wanted.items.length, env)];
}

function counted(subject: Expr | null, count: number, env: Env): Draft {
  return draft('calledTimes', subject, null, env, { constant: String(count) });
}

/** Lists of calls are taken apart: one question a call, and how many there were. */
function ofMock(one: Draft): readonly Draft[] | null {
  const { env, expected } = one;
  if (one.kind !== 'calledWith') return null;
  if (one.op === 'assert_called_once_with' || one.op === 'assert_awaited_once_with')
    return [{ ...one, op: null }, counted(one.subject, 1, env)];
  const [list] = expected;
  if (expected.length !== 1 || list?.type !== 'List') return null;
  const calls = list.items.map((item) => callOf(item, one.subject));
  if (calls.some((call) => call === null)) return null;
  const asked = calls.flatMap((call) => (call === null ? [] : [draft('calledWith', call.subject, null, env, { expected: call.args })]));
  return one.op !== null && /has_(calls|awaits)/.test(one.op)
    ? asked
    : [...asked, counted(asked[0]?.subject ?? one.subject, asked.length, env)];
}

/** `call('a', 1)`, and `call.send('a')` of a mock's method. */
function callOf(item: Expr, subject: Expr | null): { readonly subject: Expr | null; readonly args: readonly Expr[] } | null {
  if (item.type !== 'Call') return null;
  const names = dotted(item.callee).split('.');
  const at = names.indexOf('call');
  if (at < 0) return null;
  let about = subject;
  for (const name of names.slice(at + 1))
    if (about !== null) about = { type: 'Attribute', start: item.start, end: item.end, object: about, name };
  return { subject: about, args: item.args.map(({ name, value }) => (name === null ? value : named(name, value))) };
}

function named(name: string, value: Expr): Expr {
  const { start, end } = value;
  return { type: 'Call', start, end, callee: { type: 'Name', start, end, name: `${name}=` }, args: [{ name: null, star: '', value }] };
}

/** A list of a fake that one of its methods fills: which, and with what. */
interface Recorder {
  readonly method: string;
  readonly kept: 'all' | 'one' | 'tuple';
}

function ofFake(one: Draft): readonly Draft[] | null {
  const { env, subject } = one;
  if (subject?.type !== 'Attribute' || one.suffix !== '' || !['equal', 'size', 'truthy', 'falsy', 'oneOf', 'contain'].includes(one.kind))
    return null;
  const owner = dotted(subject.object);
  const type = owner === '' ? null : classOf(subject.object, env);
  const recorder = type === null || !isOfTests(type.env.module.tree.file) ? null : recorderOf(type, subject.name);
  if (recorder === null) return null;
  const about: Expr = { type: 'Unknown', start: subject.start, end: subject.end, text: `${owner}.${recorder.method}` };
  const [wanted] = one.expected;
  if (one.kind === 'falsy') return [counted(about, 0, env)];
  if (one.kind === 'truthy') return [draft('called', about, null, env)];
  if (one.kind === 'size') return [draft('calledTimes', about, wanted ?? null, env)];
  if (wanted === undefined) return null;
  if (one.kind === 'contain') return [draft('calledWith', about, null, env, { expected: argumentsIn(wanted, recorder) })];
  if (one.kind !== 'equal' || wanted.type !== 'List' || wanted.items.some(({ type: kind }) => kind === 'Star')) return null;
  const calls = wanted.items.map((item) => draft('calledWith', about, null, env, { expected: argumentsIn(item, recorder) }));
  return [...calls, counted(about, calls.length, env)];
}

function argumentsIn(item: Expr, recorder: Recorder): readonly Expr[] {
  return recorder.kept !== 'one' && item.type === 'Tuple' ? item.items : [item];
}

function recorderOf(type: TypeValue, name: string): Recorder | null {
  const found: Recorder[] = [];
  for (const method of type.node.body) {
    if (method.type !== 'Function') continue;
    for (const statement of statementsIn(method.body, false)) {
      const call = statement.type === 'Expression' && statement.value.type === 'Call' ? statement.value : null;
      if (
        call === null ||
        lastName(call.callee) !== 'append' ||
        call.callee.type !== 'Attribute' ||
        dotted(call.callee.object) !== `self.${name}`
      )
        continue;
      found.push({ method: method.name, kept: keptBy(positional(call.args)[0] ?? null, method) });
    }
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

function keptBy(value: Expr | null, method: FunctionStmt): Recorder['kept'] {
  if (value?.type === 'Tuple') return 'tuple';
  const all = value?.type === 'Name' && method.params.some(({ name, star }) => star === '*' && name === value.name);
  return all ? 'all' : 'one';
}
