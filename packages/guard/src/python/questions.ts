// Takes the wrappers off a check: `assert len(x) == 2` asks for the size of `x`, `assertTrue(a > 3)` whether `a` is above 3,
// `x == mock.ANY` whether there is anything. What remains can be compared across styles.

import type { Argument, Expr } from './tree.js';
import { dotted, keyword, lastName, positional, settled, textOf } from './tree.js';
import { isConstant, isTrue } from './constants.js';
import { peelFlag, peelPredicate } from './predicates.js';
import { print } from './print.js';
import { fieldNames, fieldOf, returnedBy } from './receiver.js';
import { rowsOf } from './rows.js';
import { equalOf, isAnything } from './sameness.js';
import { bind } from './scope.js';
import type { Env, Value } from './scope.js';
import { CAUGHT, draft } from './checks.js';
import { isWritten, lifted, literalOf } from './held.js';
import type { Draft } from './checks.js';

/** Drafts with every wrapper taken off that is known; a conjunction is several. */
export function questions(start: Draft, depth = 0): readonly Draft[] {
  if (depth > 8) return [start];
  const next = peel(start);
  if (next.length === 1 && next[0] === start) return [start];
  return next.flatMap((one) => questions({ ...one, over: one.over ?? start.over, loose: Math.max(one.loose, start.loose) }, depth + 1));
}

function peel(one: Draft): readonly Draft[] {
  const subject = one.subject === null ? null : settled(one.subject);
  if (subject === null) return [one];
  const held = lifted(one, subject);
  if (held !== null) return [held];
  const wanted = wantedBoolean(one);
  if (wanted !== null && one.suffix === '') {
    const asked = peelBoolean(one, subject, wanted);
    if (asked !== null) return asked;
  }
  const several = nearby(one, subject) ?? gathered(one, subject);
  if (several !== null) return several;
  if (one.kind === 'equal' || one.kind === 'range' || one.kind === 'differs') {
    const asked = peelValue(one, subject);
    if (asked !== null) return [asked];
  }
  return [peelExpected(one, subject)];
}

function wantedBoolean(one: Draft): boolean | null {
  if (one.kind === 'truthy') return true;
  if (one.kind === 'falsy') return false;
  const [only] = one.expected;
  if (one.kind !== 'equal' || only?.type !== 'Constant') return null;
  return only.name === 'True' ? true : only.name === 'False' ? false : null;
}

function peelBoolean(one: Draft, subject: Expr, wanted: boolean): readonly Draft[] | null {
  const { env } = one;
  switch (subject.type) {
    case 'Unary':
      return subject.op === 'not' ? [draft(wanted ? 'falsy' : 'truthy', subject.operand, null, env)] : null;
    case 'Bool': {
      const every = (subject.op === 'and') === wanted;
      if (every) return subject.values.map((value) => draft(wanted ? 'truthy' : 'falsy', value, null, env));
      return [orDraft(subject, wanted, env)];
    }
    case 'Conditional': {
      const free =
        isTrue(subject.body) === wanted && isConstant(subject.body) ? true : isTrue(subject.other) === wanted && isConstant(subject.other);
      if (free) return [draft('oneOf', subject.test, subject, env, { tautology: 'one branch of it is always true' })];
      return null;
    }
    case 'Compare':
      return peelComparison(subject, wanted, env);
    case 'Call':
      return peelPredicate(one, subject, wanted);
    case 'Attribute':
      return peelFlag(subject, wanted, env);
    case 'Tuple':
      return wanted && subject.items.length > 0 ? [draft('truthy', subject, null, env, { tautology: 'a tuple is always true' })] : null;
    case 'Await':
    case 'Binary':
    case 'Comprehension':
    case 'Constant':
    case 'Dict':
    case 'Format':
    case 'Lambda':
    case 'List':
    case 'Name':
    case 'Named':
    case 'Number':
    case 'Set':
    case 'Slice':
    case 'Star':
    case 'String':
    case 'Subscript':
    case 'Unknown':
    case 'Yield':
      return null;
  }
}

function orDraft(subject: Extract<Expr, { type: 'Bool' }>, wanted: boolean, env: Env): Draft {
  const free = subject.values.some((value) => isConstant(value) && isTrue(value) === wanted);
  const [first = subject] = subject.values;
  const left = first.type === 'Compare' ? first.left : first;
  const same = subject.values.every((value) => value.type === 'Compare' && value.ops.join() === '==');
  const items = same ? subject.values.flatMap((value) => (value.type === 'Compare' ? value.rights : [])) : subject.values;
  const list: Expr = { type: 'List', start: subject.start, end: subject.end, items };
  const denied = new Set(
    subject.values.flatMap((value) => (value.type === 'Unary' && value.op === 'not' ? [print(value.operand, env)] : [])),
  );
  const always = free || subject.values.some((value) => denied.has(print(value, env)));
  return draft('oneOf', left, list, env, { op: same ? null : 'or', tautology: always ? 'one side of the or is always true' : null });
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const OPPOSITE: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

function peelComparison(subject: Extract<Expr, { type: 'Compare' }>, wanted: boolean, env: Env): readonly Draft[] | null {
  if (subject.ops.length > 1 && !wanted) return null;
  let left = subject.left;
  return subject.ops.flatMap((op, index) => {
    const right = subject.rights[index] ?? left;
    const asked = (wanted ? included(left, op, right, env) : null) ?? [comparison(left, op, right, wanted, env)];
    left = right;
    return asked;
  });
}

function comparison(left: Expr, op: string, right: Expr, wanted: boolean, env: Env): Draft {
  if (['==', 'is', '!=', 'is not', '<>'].includes(op)) {
    const same = (op === '==' || op === 'is') === wanted;
    const [subject, expected] = isConstant(left) && !isConstant(right) ? [right, left] : [left, right];
    if (!same && expected.type === 'Constant' && expected.name === 'None') return draft('exists', subject, null, env);
    if (!same && expected.type === 'Constant' && expected.name !== '...')
      return draft(expected.name === 'True' ? 'falsy' : 'truthy', subject, null, env);
    return draft(same ? 'equal' : 'differs', subject, expected, env);
  }
  if (op === 'in' || op === 'not in') {
    const within = (op === 'in') === wanted;
    const several = right.type === 'List' || right.type === 'Tuple' || right.type === 'Set' || lastNameOfCall(right) === 'range';
    if (several && !isConstant(left)) return draft(within ? 'oneOf' : 'lacks', left, right, env);
    return draft(within ? 'contain' : 'lacks', right, left, env);
  }
  const turned = isConstant(left) && !isConstant(right);
  const seen = turned ? (FLIPPED[op] ?? op) : op;
  const kept = wanted ? seen : (OPPOSITE[seen] ?? seen);
  return draft('range', turned ? right : left, turned ? left : right, env, { op: kept });
}

/** `{'a', 'b'} <= set(x)`: one is part of the other; null where they are no sets. */
function included(left: Expr, op: string, right: Expr, env: Env): readonly Draft[] | null {
  const [part, whole] = op === '<=' ? [left, right] : op === '>=' ? [right, left] : [null, null];
  if (part === null || whole === null || !(isSet(part) || isSet(whole))) return null;
  const owner =
    whole.type === 'Call' && lastName(whole.callee) === 'set'
      ? (positional(whole.args)[0] ?? whole)
      : whole.type === 'Call' && whole.callee.type === 'Attribute'
        ? whole.callee.object
        : whole;
  if (part.type === 'Set') return part.items.map((item) => draft('contain', owner, item, env));
  return [draft('contain', owner, part.type === 'Call' && part.callee.type === 'Attribute' ? part.callee.object : part, env)];
}

function isSet(node: Expr): boolean {
  if (node.type === 'Set') return true;
  return node.type === 'Call' && ['set', 'frozenset', 'keys', 'items'].includes(lastName(node.callee));
}

function lastNameOfCall(node: Expr): string {
  return node.type === 'Call' ? lastName(node.callee) : '';
}

/** Of `list(x.items())` the `x`: two of them are as equal as what they are made of, and in the same order. */
function itemsOf(node: Expr): Expr | null {
  const inner = node.type === 'Call' && lastName(node.callee) === 'list' ? positional(node.args)[0] : undefined;
  return inner?.type === 'Call' && inner.callee.type === 'Attribute' && inner.callee.name === 'items' ? inner.callee.object : null;
}

/** `[f(x) for x in (1, 2)] == [3, 4]` and `(a, b) == (1, 2)` ask for each value by itself; null where they do not. */
function gathered(one: Draft, asked: Expr): readonly Draft[] | null {
  const { env } = one;
  const expected = rowLiteral(one.expected[0] ?? null, env) ?? literalOf(one.expected[0] ?? null, env);
  const subject = literalOf(asked, env);
  if (one.kind !== 'equal' || expected === null || subject === null || one.constant !== null) return null;
  const made = subject.type === 'Call' && (isConstant(expected) || expected.type === 'Call') ? returnedBy(subject, env) : null;
  if (made?.node?.type === 'Call' && expected.type === 'Call') return byFields(made.node, made.env, expected, env);
  if (made?.node?.type === 'Tuple') return gathered({ ...one, subject: made.node, env: made.env }, made.node);
  const [items, wanted] = [itemsOf(subject), itemsOf(expected)];
  if (items !== null && wanted !== null) return [draft('equal', items, wanted, env)];
  if ((subject.type === 'Tuple' || subject.type === 'List') && subject.type === expected.type) {
    const plain =
      subject.items.length === expected.items.length &&
      subject.items.length > 0 &&
      ![...subject.items, ...expected.items].some(({ type }) => type === 'Star');
    return plain && !isConstant(subject)
      ? subject.items.map((item, index) => draft('equal', item, expected.items[index] ?? null, env))
      : null;
  }
  if (subject.type !== 'Comprehension' || subject.clauses.length !== 1) return null;
  const [clause] = subject.clauses;
  const [element, value] = subject.elements;
  const turned = clause === undefined || /^(sorted|reversed|set)$/.test(lastNameOfCall(clause.over));
  const rows = turned || clause.conditions.length > 0 ? null : rowsOf(clause.over, env);
  if (clause === undefined || element === undefined || rows === null || rows.length === 0 || rows.length > 40) return null;
  const inside = (row: Value): Env => {
    const inner = env.child();
    bind(clause.target, row, inner, true);
    return inner;
  };
  const listed = (subject.kind === '[' && expected.type === 'List') || (subject.kind === '(' && expected.type === 'Tuple');
  if (listed && (expected.type === 'List' || expected.type === 'Tuple') && expected.items.length === rows.length) {
    return rows.map((row, index) => draft('equal', element, expected.items[index] ?? null, inside(row)));
  }
  if (subject.kind !== '{' || value === undefined || expected.type !== 'Dict' || expected.entries.length !== rows.length) return null;
  return rows.map((row, index) => draft('equal', value, expected.entries[index]?.value ?? null, inside(row)));
}

/** `x == approx({'a': 1.5})` asks for each entry by itself, with the same tolerance. */
function nearby(one: Draft, subject: Expr): readonly Draft[] | null {
  const [only] = one.expected;
  if (one.kind !== 'equal' || only?.type !== 'Call' || lastName(only.callee) !== 'approx') return null;
  const [first, ...more] = only.args;
  const record = first === undefined ? null : literalOf(first.value, one.env);
  if (record?.type !== 'Dict' || record.entries.length === 0) return null;
  return record.entries.flatMap(({ key, value }) => {
    const { start, end } = value;
    const near: Expr = { ...only, args: [argument(value), ...more] };
    return key === null ? [] : [draft('equal', { type: 'Subscript', start, end, object: subject, index: [key] }, near, one.env)];
  });
}

type Call = Extract<Expr, { type: 'Call' }>;

/** `Result(code, out) == Result(0, 'x')` of a record of the tests: each field by itself. */
function byFields(subject: Call, around: Env, expected: Call, env: Env): readonly Draft[] | null {
  const names = fieldNames(subject, around);
  if (names.length === 0 || lastName(subject.callee) !== lastName(expected.callee)) return null;
  const wanted = names.map(
    (name, index) => positional(expected.args)[index] ?? keyword(expected.args, name) ?? fallbackOf(expected, name, env),
  );
  const values = names.map((name, index) => positional(subject.args)[index] ?? keyword(subject.args, name));
  if (!wanted.every((value) => value === null || isConstant(literalOf(value, env)))) return null;
  return values.flatMap((value, index) => {
    const want = wanted[index] ?? null;
    return value === null || want === null ? [] : [draft('equal', value, want, around)];
  });
}

/** What a field that is not given holds, where that is written down. */
function fallbackOf(record: Call, name: string, env: Env): Expr | null {
  const node = fieldOf({ node: record, env }, name)?.node ?? null;
  return node !== null && node.type !== 'Function' && node.type !== 'Class' && isConstant(node) ? node : null;
}

/** The dictionary that a column of the row at hand holds. */
function rowLiteral(node: Expr | null, env: Env): Expr | null {
  const value = node?.type === 'Name' ? env.find(node.name) : null;
  return value?.row === true && value.node?.type === 'Dict' && isConstant(value.node) ? value.node : null;
}

/** `error.args == ('x',)` and `error.args[0] == 'x'` ask for its message. */
function peelMessage(one: Draft, subject: Expr): Draft | null {
  const [index] = subject.type === 'Subscript' ? subject.index : [];
  const list = subject.type !== 'Subscript' ? subject : index?.type === 'Number' && index.text === '0' ? subject.object : null;
  if (one.kind !== 'equal' || list?.type !== 'Attribute' || list.name !== 'args' || print(list.object, one.env) !== CAUGHT) return null;
  const [wanted] = one.expected;
  const only = list !== subject ? wanted : wanted?.type === 'Tuple' && wanted.items.length === 1 ? wanted.items[0] : undefined;
  if (only === undefined) return null;
  const { start, end } = subject;
  const message: Expr = { type: 'Call', start, end, callee: { type: 'Name', start, end, name: 'str' }, args: [argument(list.object)] };
  return { ...one, subject: message, expected: [only] };
}

/** `text.splitlines() == ['a', 'b']` asks for a text of two lines. */
function peelLines(one: Draft, subject: Expr): Draft | null {
  if (one.kind !== 'equal' || subject.type !== 'Call' || subject.callee.type !== 'Attribute') return null;
  const { name, object } = subject.callee;
  const ended = name === 'splitlines' && subject.args.length === 0;
  if (!ended && !(name === 'split' && textOf(positional(subject.args)[0] ?? null) === '\n')) return null;
  const wanted = literalOf(one.expected[0] ?? null, one.env);
  const lines = wanted?.type === 'List' ? wanted.items.map(textOf) : [];
  if (lines.length === 0 || lines.includes(null)) return null;
  const { start, end } = subject;
  const text: Expr = { type: 'String', start, end, value: lines.join('\n') + (ended ? '\n' : ''), bytes: false };
  return { ...one, subject: object, expected: [text] };
}

function argument(value: Expr): Argument {
  return { name: null, star: '', value };
}

function peelValue(one: Draft, subject: Expr): Draft | null {
  const [expected = null] = one.expected;
  const message = peelMessage(one, subject) ?? peelLines(one, subject);
  if (message !== null) return message;
  if (subject.type === 'Call') {
    const name = lastName(subject.callee);
    const [first = null] = positional(subject.args);
    if (subject.callee.type === 'Name' && name === 'len' && first !== null) return sized(one, first);
    if (name === 'type' && one.kind === 'equal') return { ...one, kind: 'type', subject: first };
    if (name === 'abs' && one.kind === 'range') return peelDistance(one, first);
    if (name === 'round' && one.kind === 'equal') return rounded(one, subject);
  }
  if (subject.type === 'Attribute' && one.kind === 'equal' && one.suffix === '') {
    if (subject.name === 'call_count' || subject.name === 'await_count') return { ...one, kind: 'calledTimes', subject: subject.object };
    if (['call_args', 'await_args', 'call_args_list', 'mock_calls', 'method_calls', 'await_args_list'].includes(subject.name)) {
      const list = expected !== null && lastNameOfCall(expected) === 'call' && expected.type === 'Call';
      return {
        ...one,
        kind: 'calledWith',
        subject: subject.object,
        expected: list ? expected.args.map(({ value }) => value) : one.expected,
      };
    }
  }
  if (one.kind === 'equal' && expected !== null && isWritten(subject, one.env) && !isWritten(expected, one.env))
    return { ...one, subject: expected, expected: [subject] };
  return null;
}

/** `round(x, 2)` and `np.round(x, 2)`; of a method, as in `x.round(2)`, the value stands before it. */
function rounded(one: Draft, { callee, args }: Extract<Expr, { type: 'Call' }>): Draft | null {
  const own = callee.type === 'Attribute' && !/^(np|numpy|math|jnp)$/.test(dotted(callee.object)) ? callee.object : null;
  const [subject = null, places = null] = own === null ? positional(args) : [own, ...positional(args)];
  return subject === null ? null : { ...one, kind: 'close', subject, tolerance: { places: places ?? 0, relative: null, absolute: null } };
}

function sized(one: Draft, owner: Expr): Draft | null {
  if (one.kind === 'differs') return null;
  const [expected = null] = one.expected;
  if (one.kind === 'equal') {
    if (owner.type === 'Attribute' && /^(mock_calls|call_args_list)$/.test(owner.name))
      return { ...one, kind: 'calledTimes', subject: owner.object };
    return { ...one, kind: 'size', subject: owner };
  }
  const bound = expected?.type === 'Number' ? Number(expected.text) : expected?.type === 'Unary' ? -1 : null;
  const free = bound !== null && ((one.op === '>=' && bound <= 0) || (one.op === '>' && bound < 0));
  return { ...one, subject: owner, tautology: free ? 'a length is never below zero' : one.tautology };
}

/** `abs(a - b) < 0.1` asks whether `a` is close to `b`. */
function peelDistance(one: Draft, difference: Expr | null): Draft | null {
  if (difference?.type !== 'Binary' || difference.op !== '-' || one.op === null || !one.op.startsWith('<')) return null;
  return {
    ...one,
    kind: 'close',
    subject: difference.left,
    expected: [difference.right],
    tolerance: { places: null, relative: null, absolute: one.expected[0] ?? null },
  };
}

function peelExpected(one: Draft, subject: Expr): Draft {
  const [only] = one.expected;
  if (one.kind === 'exists' && subject.type === 'Call') {
    const [first, second] = positional(subject.args);
    if (dotted(subject.callee).startsWith('re.') && second !== undefined && first !== undefined)
      return draft('match', second, first, one.env);
  }
  if (only === undefined) return one;
  if (one.kind === 'equal') {
    const name = only.type === 'Call' ? lastName(only.callee) : lastName(only);
    if (name === 'approx' && only.type === 'Call') {
      const [wanted = null, relative = null, absolute = null] = positional(only.args);
      const given = { relative: keyword(only.args, 'rel') ?? relative, absolute: keyword(only.args, 'abs') ?? absolute };
      const tolerance = { places: null, relative: given.relative ?? (given.absolute === null ? 1e-6 : null), absolute: given.absolute };
      return { ...one, kind: 'close', expected: wanted === null ? [] : [wanted], tolerance };
    }
    if (one.tautology === null && name !== 'ANY' && isAnything(only, one.env))
      return { ...one, tautology: 'it compares with what equals everything' };
    if (name === 'ANY' || equalOf(only, one.env)?.type === 'Constant') return { ...one, kind: 'exists', expected: [] };
    if (name === 'snapshot' || dotted(only).startsWith('snapshot')) {
      const inline = only.type === 'Call' ? (positional(only.args)[0] ?? null) : null;
      return inline === null ? { ...one, kind: 'snapshot', expected: [] } : { ...one, expected: [inline] };
    }
    if (settled(subject).type === 'Call' && lastNameOfCall(settled(subject)) === 'approx' && only.type !== 'Call')
      return { ...one, subject: only, expected: [subject] };
  }
  const several = subject.type === 'List' || subject.type === 'Tuple' || subject.type === 'Set';
  if (one.kind === 'contain' && several && !isConstant(only)) return { ...one, kind: 'oneOf', subject: only, expected: [subject] };
  if (one.kind === 'contain' && only.type === 'String')
    return only.value === '' ? { ...one, kind: 'exists', expected: [] } : { ...one, kind: 'match' };
  if (one.kind === 'match') return peelPattern(one, only);
  return one;
}

function peelPattern(one: Draft, pattern: Expr): Draft {
  const source = textOf(pattern);
  if (source === null) return one;
  if (source.replace(/\\[dwsbDWSB]/g, '').replace(/[\\^$.*+?()[\]{}|]/g, '') === '') return { ...one, kind: 'exists', expected: [] };
  return one;
}
