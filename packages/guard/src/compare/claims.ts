// A check as claims: the smallest things that it says of one value each. `x` equals `{ a: 1, b: 2 }` says that `x.a` is 1, that `x.b` is 2,
// and that `x` has no other keys. Two versions of a test are compared claim by claim, however they are written.

import { print } from '../syntax/print.js';
import { truthOf } from '../syntax/fold.js';
import type { Value } from '../syntax/nodes.js';
import { dottedName, positional, rootName, someValue } from '../syntax/walk.js';
import { SAME, constant } from '../test-model/checks.js';
import type { Check, Relation } from '../test-model/facts.js';
import { expand } from '../test-model/scope.js';
import type { Scope } from '../test-model/scope.js';
import { dialectOf } from '../test-model/dialect.js';

export interface Claim {
  readonly check: Check;
  readonly relation: Relation;
  readonly negated: boolean;
  readonly wanted: Value | null;
  readonly detail: string;
  /** What it is about, as it is written, and with names replaced by what they stand for. */
  readonly raw: string;
  readonly full: string;
  /** What the whole check is about, where this is a part of it. */
  readonly whole: string | null;
  readonly strength: number;
}

export interface Claims {
  readonly claims: readonly Claim[];
  /** Checks that hold whatever the code does. */
  readonly vacuous: readonly Check[];
}

/** Of longer literals one claim is made. */
const MOST_PARTS = 60;
const DEEPEST = 4;

export function claimsOf(checks: readonly Check[]): Claims {
  const claims: Claim[] = [];
  const vacuous: Check[] = [];
  for (const check of checks) {
    if (check.relation === 'never') continue;
    if (isVacuous(check)) vacuous.push(check);
    else splitCheck(check, check, 0, claims);
  }
  return { claims, vacuous };
}

type Asked = Pick<Check, 'relation' | 'negated' | 'subject' | 'wanted' | 'detail'>;

function splitCheck(check: Check, asked: Asked, depth: number, claims: Claim[]): void {
  const { relation, negated, subject, detail } = asked;
  const wanted = asked.wanted === null ? null : expand(asked.wanted, check.scope);
  const addClaim = (parts: Partial<Asked> = {}): void => {
    const one = { relation, negated, subject, wanted, detail, ...parts };
    if (one.wanted !== null && one.relation === 'equal' && !one.negated && wildcard(one.wanted) !== null) {
      const loose = wildcard(one.wanted) as Loose;
      if (loose.relation !== null) {
        if (loose.relation === 'partial') splitCheck(check, { ...one, relation: 'partial', wanted: loose.wanted }, depth + 1, claims);
        else claims.push(makeClaim(check, { ...one, relation: loose.relation, negated: loose.negated, wanted: loose.wanted }));
      } else claims.push(makeClaim(check, { ...one, relation: 'type', wanted: null, detail: 'anything' }));
      return;
    }
    claims.push(makeClaim(check, one));
  };
  if (relation === 'called' && detail === 'with' && wanted?.kind === 'list' && !negated && wanted.items.length > 0) {
    wanted.items.forEach((item, index) => {
      splitCheck(
        check,
        {
          ...asked,
          relation: 'equal',
          detail: '',
          subject: {
            from: item.from,
            to: item.to,
            kind: 'index',
            object: subject,
            index: { from: item.from, to: item.to, kind: 'text', value: `argument ${index}` },
          },
          wanted: item,
        },
        depth + 1,
        claims,
      );
    });
    claims.push(makeClaim(check, { relation: 'called', negated, subject, wanted: null, detail: 'times' }));
    return;
  }
  // The very same object is wanted, not one like it.
  if (detail === SAME && depth === 0 && !negated && asked.wanted?.kind === 'name' && (wanted?.kind === 'list' || wanted?.kind === 'record'))
    claims.push(makeClaim(check, { relation, negated, subject, wanted: asked.wanted, detail }));
  if (negated || wanted === null || depth > DEEPEST || (relation !== 'equal' && relation !== 'partial')) {
    addClaim();
    return;
  }
  if (
    wanted.kind === 'record' &&
    wanted.entries.length <= MOST_PARTS &&
    wanted.entries.every(({ key }) => key === null || key.kind === 'text' || key.kind === 'number')
  ) {
    for (const { key, value } of wanted.entries) {
      if (key === null) {
        if (value.kind === 'record') splitCheck(check, { ...asked, wanted: value }, depth, claims);
        else addClaim({ relation: 'partial', wanted: value });
      } else splitCheck(check, { ...asked, subject: selectEntry(subject, key), wanted: value }, depth + 1, claims);
    }
    if (relation === 'equal') claims.push(makeClaim(check, { relation: 'shape', negated, subject, wanted: null, detail: '' }));
    return;
  }
  if (
    wanted.kind === 'list' &&
    wanted.type !== 'set' &&
    wanted.items.length > 0 &&
    wanted.items.length <= MOST_PARTS &&
    wanted.items.every(({ kind }) => kind !== 'spread')
  ) {
    wanted.items.forEach((item, index) => {
      splitCheck(
        check,
        {
          ...asked,
          subject: {
            from: item.from,
            to: item.to,
            kind: 'index',
            object: subject,
            index: { from: item.from, to: item.to, kind: 'number', value: index },
          },
          wanted: item,
        },
        depth + 1,
        claims,
      );
    });
    claims.push(makeClaim(check, { relation: 'length', negated, subject, wanted: constant(wanted.items.length, subject), detail: '' }));
    return;
  }
  addClaim();
}

/** `x.key` and `x['key']` are the same. */
function selectEntry(object: Value, key: Value): Value {
  const place = { from: object.from, to: object.to };
  return key.kind === 'text' ? { ...place, kind: 'member', object, name: key.value } : { ...place, kind: 'index', object, index: key };
}

interface Loose {
  readonly relation: Relation | null;
  readonly negated: boolean;
  readonly wanted: Value | null;
}

/** `expect.any(Number)`, `mock.ANY` and their kin: they ask less than a value. */
function wildcard(value: Value): Loose | null {
  if (value.kind === 'call') {
    const name = dottedName(value.callee);
    const [first = null] = positional(value);
    const loose = (relation: Relation | null, negated = false, wanted: Value | null = first): Loose => ({ relation, negated, wanted });
    if (/^(expect|jasmine)\.any$/.test(name) || name === 'sinon.match') return loose('type');
    if (/^(expect|jasmine)\.anything$/.test(name)) return loose('equal', true, constant('undefined', value));
    if (/^(expect|jasmine)\.objectContaining$/.test(name)) return loose('partial');
    if (/^(expect|jasmine)\.(arrayContaining|stringContaining)$/.test(name)) return loose('contains');
    if (/^(expect|jasmine)\.stringMatching$/.test(name)) return loose('matches');
    if (/^expect\.closeTo$/.test(name)) return loose('close');
    if (/(^|\.)(IsA|IsStr|IsInt|IsInstance|IsDict|IsList|IsDatetime|AnyThing|IsPartialDict)$/.test(name)) return loose('type');
    return null;
  }
  return /(^|\.)(ANY|sinon\.match\.any)$/.test(dottedName(value)) ? { relation: null, negated: false, wanted: null } : null;
}

function makeClaim(check: Check, { relation, negated, subject, wanted, detail }: Asked): Claim {
  const full = print(expand(subject, check.scope));
  return {
    check,
    relation,
    negated,
    wanted,
    detail,
    raw: check.scope.isInstance ? full : print(normalizeValue(subject)),
    full,
    whole:
      subject === check.subject
        ? null
        : check.scope.isInstance
          ? print(expand(check.subject, check.scope))
          : print(normalizeValue(check.subject)),
    strength: strengthOf(relation, negated, wanted, detail),
  };
}

/** `x['a']` reads like `x.a`. */
function normalizeValue(value: Value): Value {
  return value.kind === 'index' && value.index.kind === 'text'
    ? { ...value, kind: 'member', object: normalizeValue(value.object), name: value.index.value }
    : value;
}

const STRENGTHS: Readonly<Record<Relation, number>> = {
  equal: 10,
  snapshot: 9,
  close: 8,
  partial: 8,
  length: 6,
  raises: 4,
  own: 10,
  contains: 5,
  matches: 5,
  called: 4,
  compare: 4,
  shape: 2,
  type: 3,
  truthy: 2,
  never: 0,
};

/** How narrow a claim is: how few wrong values it lets through. */
export function strengthOf(relation: Relation, negated: boolean, wanted: Value | null, detail: string): number {
  if (relation === 'raises')
    return negated
      ? 1
      : 4 +
          (wanted === null || isBroad(wanted) ? 0 : 3) +
          (detail === '' &&
          !(
            wanted !== null &&
            (wanted.kind === 'text' || wanted.kind === 'pattern' || wanted.kind === 'template' || wanted.kind === 'record') &&
            !isCatchAll(wanted)
          )
            ? 0
            : 6);
  if (relation === 'called') return negated ? 4 : detail === 'with' ? 9 : detail === 'times' ? 6 : 4;
  if (relation === 'matches' && wanted !== null && isCatchAll(wanted)) return 1;
  if (relation === 'type' && detail === 'anything') return 0;
  if (relation === 'truthy') return negated ? 3 : 2;
  if (relation === 'equal' && negated) return 1;
  if (relation === 'snapshot' && detail === 'new') return 1;
  if (relation === 'equal' && wanted === null) return 3;
  return negated ? Math.min(4, STRENGTHS[relation]) : STRENGTHS[relation];
}

/** A pattern that fits any text. */
export function isCatchAll(value: Value): boolean {
  const source = value.kind === 'pattern' ? value.source.replace(/\/\w*$/, '') : value.kind === 'text' ? value.value : null;
  return source !== null && /^\^?(?:\(?\.[*+]\)?|\[\\s\\S\][*+]|\\[sS][*+]|\\w[*+]?|\.|)\$?$/.test(source);
}

/** Every error is one of these. */
export function isBroad(wanted: Value): boolean {
  if (wanted.kind === 'list') return wanted.items.some(isBroad);
  return /^(Exception|BaseException|Error|object|Object|Throwable)$/.test(dottedName(wanted));
}

/** Whether a check holds whatever the code does. */
export function isVacuous(check: Check): boolean {
  const { relation, negated, wanted, scope } = check;
  const subject = expand(check.subject, scope);
  const asked = wanted === null ? null : expand(wanted, scope);
  if (relation === 'own' || relation === 'snapshot' || relation === 'raises' || relation === 'called')
    return relation === 'raises' && isThrower(subject);
  if (scope.isLiteral(subject) && (asked === null || scope.isLiteral(asked))) return true;
  // A name may hold what a call answered earlier, when it may have answered something else. The same name on both sides is the same answer.
  const isEarlier =
    wanted !== null &&
    [check.subject, wanted].some((value) => holdsAnswer(value, scope)) &&
    !someValue(wanted, (part) => print(part) === print(check.subject));
  // The wanted value is made from the very value that is asked about.
  if (
    !isEarlier &&
    relation === 'equal' &&
    !negated &&
    asked !== null &&
    asked.kind !== 'name' &&
    subject.kind !== 'name' &&
    asked.kind !== 'call' &&
    subject.kind === 'call' &&
    print(asked).includes(print(subject))
  )
    return true;
  if (relation === 'truthy' && truthOf(subject) === (negated ? 'false' : 'true')) return true;
  if (
    relation === 'truthy' &&
    !negated &&
    (subject.kind === 'list' || subject.kind === 'record' || subject.kind === 'function') &&
    check.source.language === 'javascript'
  )
    return true;
  // What is written down is neither null nor undefined.
  if (relation === 'equal' && negated && asked?.kind === 'constant' && (subject.kind === 'list' || subject.kind === 'record')) return true;
  if (!isEarlier && (relation === 'equal' || relation === 'close') && !negated && asked !== null && print(subject) === print(copied(asked)))
    return true;
  if (relation === 'compare' && asked?.kind === 'number') {
    const isSize =
      subject.kind === 'member'
        ? subject.name === 'length' || subject.name === 'size'
        : subject.kind === 'call' && dottedName(subject.callee) === 'len' && scope.isBuiltIn('len', 'python');
    if (isSize && !negated && ((check.detail === '>=' && asked.value <= 0) || (check.detail === '>' && asked.value < 0))) return true;
  }
  if (relation === 'contains' && !negated && asked?.kind === 'text' && asked.value === '') return true;
  if (
    relation === 'contains' &&
    !negated &&
    subject.kind === 'list' &&
    asked !== null &&
    [...subject.items].some((item) => print(item) === print(asked))
  )
    return true;
  if (
    relation === 'matches' &&
    !negated &&
    asked !== null &&
    isCatchAll(asked) &&
    asked.kind === 'pattern' &&
    !/\+|\./.test(asked.source.replace('.*', ''))
  )
    return true;
  if (relation === 'type' && asked !== null && /^(object|Object)$/.test(dottedName(asked)) && check.source.language === 'python')
    return true;
  // What a stand-in of the test gives was put there by the test.

  if (subject.kind !== 'call') return false;
  const { callee } = subject;
  const root = rootName(check.subject.kind === 'await' ? check.subject.value : check.subject);
  const held = check.scope.find(root)?.value;
  const made = held?.kind === 'await' ? held.value : held;
  const isDouble = (value: Value): boolean =>
    value.kind === 'call' && dialectOf(check.source.language).doubles.test(dottedName(rootCallee(value)));
  if (made !== undefined && made !== null && check.subject.kind === 'call' && check.subject.callee.kind === 'name') return isDouble(made);
  return callee.kind === 'call' && isDouble(callee);
}

/** A name in it stands for the answer of a call. */
function holdsAnswer(value: Value, scope: Scope): boolean {
  return someValue(value, (part) => {
    const held = part.kind === 'name' ? (scope.find(part.name)?.value ?? null) : null;
    return held !== null && !scope.isLiteral(held) && someValue(held, ({ kind }) => kind === 'call');
  });
}

/** `[...xs]` is `xs` again. */
function copied(value: Value): Value {
  if (value.kind !== 'list' || value.items.length !== 1) return value;
  const [only] = value.items;
  return only?.kind === 'spread' ? only.value : value;
}

/** `() => { throw new Error() }` throws by itself. */
function isThrower(subject: Value): boolean {
  if (subject.kind !== 'function') return false;
  const [first] = subject.body;
  return first?.kind === 'raise';
}

/** `jest.fn` of `jest.fn().mockReturnValue(1)`. */
function rootCallee(value: Value): Value {
  let inner = value;
  for (;;) {
    if (inner.kind !== 'call') return inner;
    const { callee }: { callee: Value } = inner;
    if (callee.kind === 'member' && callee.object.kind === 'call') inner = callee.object;
    else return callee;
  }
}
