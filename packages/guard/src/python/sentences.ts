// Checks that are written as sentences: hamcrest's `assert_that(x, equal_to(1))`, assertpy's `assert_that(x).is_equal_to(1)`, and the
// functions of pytest-check. What remains is the same draft that a plain assert makes.

import type { CheckKind } from '../facts.js';
import { draft } from './checks.js';
import type { Draft } from './checks.js';
import type { Env } from './scope.js';
import type { Argument, Expr } from './tree.js';
import { dotted, keyword, lastName, positional, settled } from './tree.js';

type Call = Extract<Expr, { type: 'Call' }>;

/** Names of both libraries, without `is_` and the like at their front. */
const KINDS: Readonly<Record<string, CheckKind>> = {
  equal_to: 'equal',
  same_instance: 'equal',
  same_as: 'equal',
  not_equal_to: 'differs',
  has_length: 'size',
  length: 'size',
  has_item: 'contain',
  has_key: 'contain',
  contain_key: 'contain',
  has_entry: 'contain',
  has_entries: 'contain',
  has_items: 'contain',
  contains_string: 'match',
  contains: 'contain',
  does_not_contain: 'lacks',
  starts_with: 'match',
  ends_with: 'match',
  matches_regexp: 'match',
  matches: 'match',
  close_to: 'close',
  greater_than: 'range',
  greater_than_or_equal_to: 'range',
  less_than: 'range',
  less_than_or_equal_to: 'range',
  instance_of: 'type',
  in: 'oneOf',
  one_of: 'oneOf',
};

/** Those that want nothing but one constant, or only ask whether. */
const BARE: Readonly<Record<string, readonly [CheckKind, string | null]>> = {
  none: ['equal', 'None'],
  none_value: ['equal', 'None'],
  not_none: ['exists', null],
  not_none_value: ['exists', null],
  true: ['truthy', null],
  false: ['falsy', null],
  empty: ['falsy', null],
  not_empty: ['truthy', null],
  anything: ['exists', null],
};

const OPERATORS: Readonly<Record<string, string>> = {
  greater_than: '>',
  greater_than_or_equal_to: '>=',
  less_than: '<',
  less_than_or_equal_to: '<=',
};

/** Functions of pytest-check by the methods of TestCase that they stand for. */
const CHECKS: Readonly<Record<string, string>> = {
  equal: 'assertEqual',
  not_equal: 'assertNotEqual',
  is_: 'assertIs',
  is_true: 'assertTrue',
  is_false: 'assertFalse',
  is_none: 'assertIsNone',
  is_not_none: 'assertIsNotNone',
  is_in: 'assertIn',
  is_not_in: 'assertNotIn',
  is_instance: 'assertIsInstance',
  almost_equal: 'assertAlmostEqual',
  greater: 'assertGreater',
  greater_equal: 'assertGreaterEqual',
  less: 'assertLess',
  less_equal: 'assertLessEqual',
};

/** The method of TestCase that `check.equal(a, b)` stands for; null where it is none. */
export function checkedBy(node: Call): string | null {
  const owner = node.callee.type === 'Attribute' ? dotted(node.callee.object) : '';
  return /^(pytest_)?check$/.test(owner) ? (CHECKS[lastName(node.callee)] ?? null) : null;
}

/** The drafts of a sentence; null where the call is none. */
export function sentence(node: Call, env: Env): readonly Draft[] | null {
  const [subject, matcher] = positional(node.args);
  if (lastName(node.callee) === 'assert_that') {
    if (subject === undefined) return null;
    return matcher === undefined ? [draft('truthy', subject, null, env)] : matched(subject, settled(matcher), env);
  }
  return chained(node, env);
}

function bareName(name: string): string {
  return name.replace(/^is_(?=.)/, '');
}

function matched(subject: Expr, matcher: Expr, env: Env): readonly Draft[] {
  const custom = (): readonly Draft[] => [draft('custom', subject, matcher, env, { constant: 'assert_that' })];
  if (matcher.type !== 'Call') return custom();
  const name = lastName(matcher.callee);
  const args = positional(matcher.args);
  const [first] = args;
  if (name === 'all_of') return args.flatMap((one) => matched(subject, settled(one), env));
  if ((name === 'is_' || name === 'described_as') && first !== undefined) {
    const inner = settled(first);
    const nested = inner.type === 'Call' && (KINDS[bareName(lastName(inner.callee))] !== undefined || lastName(inner.callee) in BARE);
    return nested ? matched(subject, inner, env) : [draft('equal', subject, inner, env)];
  }
  if (name === 'not_' || name === 'is_not') {
    const inner = first === undefined ? null : settled(first);
    return [draft(inner?.type === 'Call' && lastName(inner.callee) === 'has_item' ? 'lacks' : 'differs', subject, inner, env)];
  }
  if (/^contains(_exactly|_inanyorder)?$/.test(name)) return [draft('equal', subject, listed(args, matcher), env)];
  if (name === 'has_property' && first?.type === 'String') {
    const { start, end } = matcher;
    const about: Expr = { type: 'Attribute', start, end, object: subject, name: first.value };
    const [, wanted] = args;
    if (wanted === undefined) return [draft('exists', about, null, env)];
    const inner = settled(wanted);
    return inner.type === 'Call' && isMatcher(inner) ? matched(about, inner, env) : [draft('equal', about, wanted, env)];
  }
  return simple(subject, name, matcher.args, env) ?? custom();
}

function isMatcher(node: Call): boolean {
  const name = bareName(lastName(node.callee));
  return name in KINDS || name in BARE || name === '' || /^(all_of|not_|is_not|contains_\w+)$/.test(lastName(node.callee));
}

function listed(items: readonly Expr[], { start, end }: Expr): Expr {
  return { type: 'List', start, end, items };
}

/** One link or matcher with plain arguments. */
function simple(subject: Expr, called: string, args: readonly Argument[], env: Env): readonly Draft[] | null {
  const name = called in KINDS ? called : bareName(called);
  const [first, second] = positional(args);
  const bare = BARE[name];
  if (bare !== undefined && first === undefined) return [draft(bare[0], subject, null, env, { constant: bare[1] })];
  const kind = KINDS[name];
  const wanted = first ?? args[0]?.value;
  if (kind === undefined || wanted === undefined) return null;
  if (kind === 'close') {
    const absolute = second ?? keyword(args, 'delta') ?? keyword(args, 'tolerance') ?? null;
    return [draft(kind, subject, wanted, env, { tolerance: { places: null, relative: null, absolute } })];
  }
  if (kind === 'contain' || kind === 'lacks') return positional(args).map((one) => draft(kind, subject, one, env));
  if (kind === 'oneOf' && first?.type !== 'List') return [draft(kind, subject, listed(positional(args), wanted), env)];
  const op = OPERATORS[name];
  return [draft(kind, subject, wanted, env, op === undefined ? {} : { op })];
}

/** `assert_that(x).is_length(2).contains('a')`: one draft a link. */
function chained(node: Call, env: Env): readonly Draft[] | null {
  const links: Call[] = [];
  let inner: Expr = node;
  while (inner.type === 'Call' && inner.callee.type === 'Attribute') {
    links.unshift(inner);
    inner = settled(inner.callee.object);
  }
  if (links.length === 0 || inner.type !== 'Call' || lastName(inner.callee) !== 'assert_that') return null;
  const args = positional(inner.args);
  const [subject] = args;
  if (subject === undefined || args.length > 1) return null;
  return links.flatMap((link) => {
    const name = lastName(link.callee);
    const last = link.args.at(-1)?.value ?? null;
    if (name === 'described_as') return [];
    return simple(subject, name, link.args, env) ?? [draft('custom', subject, last, env, { constant: name })];
  });
}
