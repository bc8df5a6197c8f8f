// Questions that are asked through a function: `isinstance(x, T)`, `re.match(p, x)`, `all(…)`, a helper of the tests that compares.

import type { CheckKind } from '../facts.js';
import { draft } from './checks.js';
import type { Draft } from './checks.js';
import { isConstant, isTrue } from './constants.js';
import { returnedBy } from './receiver.js';
import { bindEntries, rowsOf } from './rows.js';
import { bind, bindOwn } from './scope.js';
import type { Env } from './scope.js';
import type { Expr } from './tree.js';
import { dotted, keyword, lastName, positional, textOf } from './tree.js';

const MOST_ROWS = 40;

/** Calls of functions that answer yes or no. */
export function peelPredicate(one: Draft, subject: Extract<Expr, { type: 'Call' }>, wanted: boolean): readonly Draft[] | null {
  const { env } = one;
  const name = lastName(subject.callee);
  const owner = subject.callee.type === 'Attribute' ? subject.callee.object : null;
  const [first = null, second = null] = positional(subject.args);
  const ask = (kind: CheckKind, about: Expr | null, expected: Expr | null, more: Partial<Draft> = {}): readonly Draft[] => [
    draft(wanted ? kind : 'lacks', about, expected, env, more),
  ];
  if (owner === null || /^(math|np|numpy|operator|inspect|asyncio)$/.test(dotted(owner))) {
    const known = peelFunction(one, subject, name, first, second, wanted);
    if (known !== null) return known;
  }
  if (wanted && first?.type === 'Lambda' && /wait|poll|eventually|until|retry/i.test(name)) return [draft('truthy', first.body, null, env)];
  if (owner === null || first === null) return looked(one, subject, wanted);
  if (dotted(owner) === 're' && ['match', 'search', 'fullmatch'].includes(name)) return ask('match', second, first, { op: 're' });
  if (name === 'startswith' || name === 'endswith') return ask('match', owner, first);
  if (name === 'issubset') return ask('contain', first, owner);
  if (name === 'issuperset') return ask('contain', owner, first);
  if (/^(called|awaited)(_once)?_with$|^asser|^assret|^called_once$/.test(name) && wanted) {
    return [draft('truthy', subject, null, env, { tautology: 'a mock answers every call with something true' })];
  }
  return looked(one, subject, wanted);
}

function peelFunction(
  one: Draft,
  subject: Extract<Expr, { type: 'Call' }>,
  name: string,
  first: Expr | null,
  second: Expr | null,
  wanted: boolean,
): readonly Draft[] | null {
  const { env } = one;
  const opposite = (kind: CheckKind, other: CheckKind): CheckKind => (wanted ? kind : other);
  switch (name) {
    case 'bool':
      return [draft(opposite('truthy', 'falsy'), first, null, env)];
    case 'isinstance':
      return [typed(first, second, wanted, env)];
    case 'issubclass':
      return [draft(opposite('type', 'lacks'), first, second, env)];
    case 'callable':
      return [draft(opposite('type', 'lacks'), first, null, env, { constant: 'callable' })];
    case 'hasattr':
      return [draft(opposite('exists', 'lacks'), first, null, env, { suffix: `.${textOf(second) ?? ''}` })];
    case 'len':
      return [draft(opposite('truthy', 'falsy'), first, null, env)];
    case 'isclose':
    case 'allclose': {
      const relative = keyword(subject.args, 'rel_tol') ?? keyword(subject.args, 'rtol') ?? (name === 'isclose' ? 1e-9 : 1e-5);
      const absolute = keyword(subject.args, 'abs_tol') ?? keyword(subject.args, 'atol') ?? 0;
      return [draft(opposite('close', 'differs'), first, second, env, { tolerance: { places: null, relative, absolute } })];
    }
    case 'array_equal':
      return [draft(opposite('equal', 'differs'), first, second, env)];
    case 'all':
    case 'any':
      return quantified(name, first, wanted, env);
    default:
      return null;
  }
}

function typed(subject: Expr | null, type: Expr | null, wanted: boolean, env: Env): Draft {
  const free = wanted && dotted(type) === 'object' ? 'everything is an object' : null;
  return draft(wanted ? 'type' : 'lacks', subject, type, env, { tautology: free });
}

/** `all(x > 0 for x in xs)` asks of every `x`; `any` whether one is among them. */
function quantified(name: string, first: Expr | null, wanted: boolean, env: Env): readonly Draft[] | null {
  if (first?.type === 'List' || first?.type === 'Tuple') {
    if (name === 'all' && wanted) return first.items.map((item) => draft('truthy', item, null, env));
    return [
      draft('oneOf', first, first, env, {
        tautology: first.items.some((item) => isConstant(item) && isTrue(item)) ? 'one of them is always true' : null,
      }),
    ];
  }
  if (first?.type !== 'Comprehension') return null;
  const [element] = first.elements;
  const every = (name === 'all') === wanted;
  if (element === undefined) return null;
  const [only, ...others] = first.clauses;
  const known = every && only !== undefined && others.length === 0 && only.conditions.length === 0 ? rowsOf(only.over, env) : null;
  if (only !== undefined && known !== null && known.length > 0 && known.length <= MOST_ROWS)
    return known.map((row) => {
      const inner = env.child();
      bind(only.target, row, inner, true);
      return draft(wanted ? 'truthy' : 'falsy', element, null, inner);
    });
  if (every) {
    const inner = env.child();
    for (const { target, over } of first.clauses) bindEntries(target, over, inner);
    return [draft(wanted ? 'truthy' : 'falsy', element, null, inner, { over: first })];
  }
  const [clause] = first.clauses;
  const rows = clause === undefined ? null : rowsOf(clause.over, env);
  if (rows !== null && rows.length > 1) {
    const inner = env.child();
    for (const { target } of first.clauses) bindOwn(target, inner, true);
    return [draft('oneOf', element, first, inner)];
  }
  return [draft('contain', clause?.over ?? first, first, env)];
}

/** `mock.called`, `mock.call_count`. */
export function peelFlag(subject: Extract<Expr, { type: 'Attribute' }>, wanted: boolean, env: Env): readonly Draft[] | null {
  if (subject.name !== 'called' && subject.name !== 'awaited') return null;
  return [draft(wanted ? 'called' : 'calledTimes', subject.object, null, env, { constant: wanted ? null : '0' })];
}

/** A helper of the tests that only gives back a comparison is looked through. */
function looked(one: Draft, subject: Extract<Expr, { type: 'Call' }>, wanted: boolean): readonly Draft[] | null {
  const made = returnedBy(subject, one.env);
  if (made === null || made.node === null || made.node.type === 'Function' || made.node.type === 'Class') return null;
  return [draft(wanted ? 'truthy' : 'falsy', made.node, null, made.env)];
}
