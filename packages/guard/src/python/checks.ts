// Reads one assertion: which value it asks about and what it wants. Wrappers that belong to the question (`len(x)`, `not x`, `x in y`)
// are taken off the value by python/questions.ts. Where it stands is python/body.ts's.

import type { CheckKind } from '../facts.js';
import type { Argument, Expr } from './tree.js';
import { dotted, keyword, lastName, positional, settled, textOf } from './tree.js';
import type { Env } from './scope.js';
import { ARRAYS, MOCKS, operatorOf, RAISING, SILENT, UNITTEST } from './matchers.js';
import type { Matcher } from './matchers.js';

/** A check before its texts are written out. */
export interface Draft {
  readonly kind: CheckKind;
  readonly subject: Expr | null;
  /** Written after the subject: `.name` of `hasattr(x, 'name')`. */
  readonly suffix: string;
  readonly expected: readonly Expr[];
  readonly constant: string | null;
  readonly op: string | null;
  readonly tolerance: Tolerance | null;
  /** Options that let more through: `check_dtype=False`. */
  readonly loose: number;
  readonly tautology: string | null;
  /** The names around it, where a helper was looked through. */
  readonly env: Env;
  /** It speaks for every value of a list that is not known here. */
  readonly over: Expr | null;
}

/** `places`: decimals. `relative` and `absolute` as in pytest.approx. */
export interface Tolerance {
  readonly places: Expr | number | null;
  readonly relative: Expr | number | null;
  readonly absolute: Expr | number | null;
}

export function draft(kind: CheckKind, subject: Expr | null, expected: Expr | null, env: Env, more: Partial<Draft> = {}): Draft {
  const wanted = expected === null ? [] : [expected];
  return {
    kind,
    subject,
    suffix: '',
    expected: wanted,
    constant: null,
    op: null,
    tolerance: null,
    loose: 0,
    tautology: null,
    env,
    over: null,
    ...more,
  };
}

export interface Raising {
  readonly types: readonly Expr[];
  readonly detail: Expr | null;
  readonly name: string;
}

export interface Parsed {
  readonly drafts: readonly Draft[];
  /** `pytest.fail()`: no check, but a way to fail. */
  readonly fails: boolean;
  /** Called with the function that must raise. */
  readonly called: Expr | null;
}

const NOTHING: Parsed = { drafts: [], fails: false, called: null };

/** The assertion that a call is; null where it is none. */
export function parseCall(node: Extract<Expr, { type: 'Call' }>, env: Env): Parsed | null {
  const name = lastName(node.callee);
  const owner = node.callee.type === 'Attribute' ? node.callee.object : null;
  const mock = MOCKS.get(name);
  if (mock !== undefined && owner !== null)
    return { ...NOTHING, drafts: [methodDraft(mock, name, [{ name: null, star: '', value: owner }, ...node.args], env)] };
  if (name === 'fail' && (owner === null || ['pytest', 'self', 'cls'].includes(dotted(owner)))) return { ...NOTHING, fails: true };
  if (isSnapshot(owner) && ['assert_match', 'check', 'assert_match_dir'].includes(name)) {
    return { ...NOTHING, drafts: [draft('snapshot', positional(node.args)[0] ?? null, null, env)] };
  }
  if (name === 'match' && owner !== null && positional(node.args).length === 1 && isCaught(owner, env)) {
    return { ...NOTHING, drafts: [draft('match', owner, positional(node.args)[0] ?? null, env)] };
  }
  const array = ARRAYS.get(name);
  if (array !== undefined) return { ...NOTHING, drafts: [methodDraft(array, name, node.args, env)] };
  if (RAISING.has(name)) return raisingCall(node, name, env);
  if (owner === null || !/^assert[A-Z_]|^fail(Unless|If)$/.test(name) || !isCase(owner)) return null;
  const known = UNITTEST.get(name);
  if (known !== undefined) return { ...NOTHING, drafts: [methodDraft(known, name, node.args, env)] };
  return null;
}

/** What a method of TestCase asks, whatever it is called through. */
export function knownMethod(name: string, args: readonly Argument[], env: Env): Draft {
  return methodDraft(UNITTEST.get(name) ?? { kind: 'custom', wants: 'value' }, name, args, env);
}

/** A method `assert…` of the project, known only by its name. */
export function customCall(node: Extract<Expr, { type: 'Call' }>, env: Env): Draft | null {
  const name = lastName(node.callee);
  if (!/^assert[A-Z_]/.test(name) || SILENT.has(name) || RAISING.has(name)) return null;
  const [subject = null, ...expected] = node.args.map(({ value }) => value);
  return draft('custom', subject, null, env, { expected, constant: name });
}

function isCase(owner: Expr): boolean {
  const name = dotted(owner);
  return /^(self|cls|case|tc|testcase|test)$/i.test(name) || owner.type === 'Call';
}

/** What `pytest.raises(…) as x` caught. */
function isCaught(owner: Expr, env: Env): boolean {
  return owner.type === 'Name' && env.find(owner.name)?.text === CAUGHT;
}

/** Stands for the error that a context caught. */
export const CAUGHT = 'error';

function isSnapshot(owner: Expr | null): boolean {
  return owner !== null && /snapshot|regression/i.test(dotted(owner));
}

function methodDraft(matcher: Matcher, name: string, args: readonly Argument[], env: Env): Draft {
  const { kind, wants } = matcher;
  const plain = positional(args);
  const first = plain[0] ?? keyword(args, 'first') ?? keyword(args, 'actual');
  const second = plain[1] ?? keyword(args, 'second') ?? keyword(args, 'desired') ?? keyword(args, 'expected');
  if (wants === 'list') {
    const expected = args.slice(1).map((argument): Expr => (argument.name === null ? argument.value : named(argument)));
    return draft(kind, first, null, env, { expected, op: name });
  }
  if (wants === 'turned') return draft(kind, second, first, env, { op: name });
  if (wants === 'value') {
    if (/^assert(Count|Items)Equal$/.test(name)) return unordered(draft(kind, first, second, env, { op: name }));
    const loose = args.filter((argument) => argument.name?.startsWith('check_') === true && dotted(argument.value) === '').length;
    const tolerance = kind === 'close' ? toleranceOf(name, args) : null;
    return draft(kind, first, second, env, { op: operatorOf(name) ?? name, tolerance, loose });
  }
  return draft(kind, first, null, env, { constant: wants === null ? null : wants.constant, op: name });
}

/** The same entries in any order: `sorted(a) == sorted(b)`. */
function unordered(one: Draft): Draft {
  const sorted = (value: Expr): Expr => {
    if (value.type === 'List' || value.type === 'Tuple') return { ...value, type: 'List' };
    const { start, end } = value;
    return { type: 'Call', start, end, callee: { type: 'Name', start, end, name: 'sorted' }, args: [{ name: null, star: '', value }] };
  };
  return { ...one, subject: one.subject === null ? null : sorted(one.subject), expected: one.expected.map(sorted) };
}

/** `key=value` as a text of its own: order of keywords does not count. */
function named({ name, value }: Argument): Expr {
  return {
    type: 'Call',
    start: value.start,
    end: value.end,
    callee: { type: 'Name', start: value.start, end: value.end, name: `${name ?? ''}=` },
    args: [{ name: null, star: '', value }],
  };
}

function toleranceOf(name: string, args: readonly Argument[]): Tolerance {
  const plain = positional(args);
  const none = { places: null, relative: null, absolute: null };
  if (name === 'assert_allclose')
    return { ...none, relative: keyword(args, 'rtol') ?? plain[2] ?? 1e-7, absolute: keyword(args, 'atol') ?? plain[3] ?? 0 };
  if (name === 'assert_approx_equal') return { ...none, places: keyword(args, 'significant') ?? plain[2] ?? 7 };
  if (name === 'assert_array_almost_equal') return { ...none, places: keyword(args, 'decimal') ?? plain[2] ?? 6 };
  const delta = keyword(args, 'delta');
  if (delta !== null) return { ...none, absolute: delta };
  return { ...none, places: keyword(args, 'places') ?? keyword(args, 'decimal') ?? plain[2] ?? 7 };
}

/** `pytest.raises(E, f, x)`, `self.assertRaises(E, f, x)`: the form that calls by itself. */
function raisingCall(node: Extract<Expr, { type: 'Call' }>, name: string, env: Env): Parsed | null {
  const raising = raisingOf(node);
  if (raising === null) return null;
  const plain = positional(node.args);
  const called = plain[/Regex|Message/.test(name) ? 2 : 1] ?? null;
  if (called === null) return null;
  const rest = node.args.slice(node.args.findIndex(({ value }) => value === called) + 1).filter((argument) => argument.name !== 'match');
  const inner = settled(called);
  const subject: Expr =
    inner.type === 'Lambda' ? inner.body : { type: 'Call', start: called.start, end: node.end, callee: called, args: rest };
  return { ...NOTHING, drafts: [raisingDraft(raising, subject, env)], called };
}

/** What a context wants to be raised; null where it is no such context. */
export function raisingOf(node: Expr): Raising | null {
  const inner = settled(node);
  if (inner.type !== 'Call') return null;
  const name = lastName(inner.callee);
  if (!RAISING.has(name)) return null;
  const plain = positional(inner.args);
  const type = plain[0] ?? keyword(inner.args, 'expected_exception') ?? keyword(inner.args, 'exception') ?? null;
  const second = /Regex|Message/.test(name)
    ? (plain[1] ?? keyword(inner.args, 'expected_regex') ?? keyword(inner.args, 'expected_message'))
    : null;
  const detail = second ?? keyword(inner.args, 'match') ?? keyword(inner.args, 'check') ?? keyword(inner.args, 'level');
  const types = type === null ? [] : type.type === 'Tuple' || type.type === 'List' ? type.items : [type];
  return { types, detail: textOf(detail) === '' || /^[.*^$+]*$/.test(textOf(detail) ?? 'x') ? null : detail, name };
}

export function raisingDraft(raising: Raising, subject: Expr | null, env: Env): Draft {
  const { types, detail, name } = raising;
  return draft('throws', subject, null, env, {
    expected: detail === null ? types : [...types, detail],
    constant: String(types.length),
    op: name,
  });
}

/** A context that wants logs, queries or templates in place of an error; null where it wants an error. */
export function noticed(raising: Raising, env: Env): Draft | null {
  const about: Expr = { type: 'Unknown', start: 0, end: 0, text: 'logs' };
  if (raising.name === 'assertNumQueries' || raising.name === 'django_assert_num_queries')
    return draft('calledTimes', { ...about, text: 'queries' }, null, env, { expected: raising.types });
  return raising.name === 'assertLogs' || raising.name === 'assertTemplateUsed' ? draft('exists', about, null, env) : null;
}
