// Reads what a call or a condition asks: about which value, in which relation, for what.

import { FILLERS } from './dialect.js';
import type { Value, ValueOf } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import { dottedName, keyword, lastName, positional, rootName } from '../syntax/walk.js';
import type { Asking, Dialect } from './dialect.js';
import type { Check, Relation } from './facts.js';
import { expand } from './scope.js';
import type { Scope } from './scope.js';

/** A check without its place: the walk knows that. */
export type Question = Pick<Check, 'relation' | 'negated' | 'subject' | 'wanted' | 'detail'> & {
  /** A promise that has to be waited for. */
  readonly isPromise?: boolean;
};

const makeQuestion = (relation: Relation, subject: Value, wanted: Value | null = null, negated = false, detail = ''): Question => ({
  relation,
  subject,
  wanted,
  negated,
  detail,
});

const SIGNS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=']);
const TURNED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

/** What it means that a condition holds. */
export function questionsOf(condition: Value, scope: Scope, negated = false): readonly Question[] {
  return conditionQuestions(condition, scope, negated).map((question) => calledQuestion(question) ?? question);
}

function conditionQuestions(condition: Value, scope: Scope, negated: boolean): readonly Question[] {
  switch (condition.kind) {
    case 'unary':
      if (condition.op === 'not') return questionsOf(condition.operand, scope, !negated);
      break;
    case 'binary': {
      const { op, left, right } = condition;
      if (op === (negated ? 'or' : 'and')) return [...questionsOf(left, scope, negated), ...questionsOf(right, scope, negated)];
      if (op === '==') return [equality(left, right, negated, scope)];
      if (op === 'is') return [{ ...equality(left, right, negated, scope), detail: SAME }];
      if (op === '!=' || op === 'is not') return [equality(left, right, !negated, scope)];
      if (op === 'in' || op === 'not in') {
        const isNot = negated !== (op === 'not in');
        return [
          right.kind === 'list' && !isWritten(left)
            ? makeQuestion('contains', left, right, isNot, 'one of')
            : makeQuestion('contains', right, left, isNot),
        ];
      }
      if (op === 'or' && !negated) {
        const either = eitherOf(condition, scope);
        if (either !== null) return [either];
      }
      if (op === 'instanceof') return [makeQuestion('type', left, right, negated)];
      if (SIGNS.has(op))
        return [
          isKnownValue(left, scope)
            ? makeQuestion('compare', right, left, negated, TURNED[op])
            : makeQuestion('compare', left, right, negated, op),
        ];
      break;
    }
    case 'call': {
      const asked = questionOfPredicate(condition, negated, scope);
      if (asked !== null) return [asked];
      break;
    }
    case 'assign':
    case 'await':
    case 'choice':
    case 'constant':
    case 'function':
    case 'index':
    case 'list':
    case 'member':
    case 'name':
    case 'number':
    case 'other':
    case 'pattern':
    case 'record':
    case 'spread':
    case 'template':
    case 'text':
  }
  return [makeQuestion('truthy', condition, null, negated)];
}

function isKnownValue(value: Value, scope: Scope): boolean {
  return scope.isLiteral(value) || scope.isLiteral(expand(value, scope));
}

/** `x == 1 or x == 2`: one of several values will do. */
function eitherOf(condition: ValueOf<'binary'>, scope: Scope): Question | null {
  const parts: Question[] = [];
  const collectChecks = (value: Value): boolean => {
    if (value.kind === 'binary' && value.op === 'or') return collectChecks(value.left) && collectChecks(value.right);
    const questions = questionsOf(value, scope);
    parts.push(...questions);
    return questions.length === 1;
  };
  if (!collectChecks(condition)) return null;
  const [first] = parts;
  if (first === undefined || parts.some(({ subject }) => print(subject) !== print(first.subject))) return null;
  return makeQuestion('contains', first.subject, null, false, 'one of');
}

/** A list or record with names in it is written down too. */
function isWritten({ kind }: Value): boolean {
  return (
    kind === 'list' ||
    kind === 'record' ||
    kind === 'text' ||
    kind === 'number' ||
    kind === 'constant' ||
    kind === 'template' ||
    kind === 'pattern'
  );
}

/** Of two sides the one that is not written down is asked about. */
function equality(left: Value, right: Value, negated: boolean, scope: Scope): Question {
  const isTurned = (isKnownValue(left, scope) && !isKnownValue(right, scope)) || (isWritten(left) && !isWritten(right));
  const [subject, wanted] = isTurned ? [right, left] : [left, right];
  if (subject.kind === 'unary' && subject.op === 'typeof') return makeQuestion('type', subject.operand, wanted, negated);
  const length = lengthSubject(subject, scope);
  if (length !== null) return makeQuestion('length', length, wanted, negated);
  const inner =
    subject.kind === 'call' && dottedName(subject.callee) === 'type' && scope.isBuiltIn('type', 'python')
      ? positional(subject)[0]
      : undefined;
  if (inner !== undefined) return makeQuestion('type', inner, wanted, negated);
  if (wanted.kind === 'call' && APPROXIMATE.test(dottedName(wanted.callee)))
    return makeQuestion('close', subject, positional(wanted)[0] ?? null, negated, print(wanted));
  return makeQuestion('equal', subject, wanted, negated);
}

const APPROXIMATE = /(^|\.)approx$/;

/** `x.length`, `len(x)`, `x.size`. */
export function lengthSubject(value: Value, scope: Scope): Value | null {
  if (value.kind === 'member' && (value.name === 'length' || value.name === 'size')) {
    const { object } = value;
    return object.kind === 'call' && dottedName(object.callee) === 'Object.keys' ? (positional(object)[0] ?? object) : object;
  }
  if (value.kind === 'call' && dottedName(value.callee) === 'len' && scope.isBuiltIn('len', 'python')) return positional(value)[0] ?? null;
  return null;
}

/** `spy.mock.calls.length`, `spy.callCount`, `mock.call_count` and their kin: how often or with what a stand-in was called. */
function calledQuestion({ relation, subject, wanted, negated }: Question): Question | null {
  const path = subject.kind === 'call' && subject.args.length === 0 ? subject.callee : subject;
  if (path.kind !== 'member') return calledWith(subject, wanted, negated);
  const owner = path.object;
  if (relation === 'length' && path.name === 'calls')
    return makeQuestion('called', owner.kind === 'member' && owner.name === 'mock' ? owner.object : owner, wanted, negated, 'times');
  if (relation !== 'equal' && relation !== 'truthy') return null;
  if (path.name === 'callCount' || path.name === 'call_count' || path.name === 'await_count')
    return makeQuestion('called', owner.kind === 'member' && owner.name === 'mock' ? owner.object : owner, wanted, negated, 'times');
  if (/^called(Once|Twice)?$/.test(path.name))
    return makeQuestion(
      'called',
      owner,
      path.name === 'called' ? null : constant(path.name === 'calledOnce' ? 1 : 2, path),
      negated !== (wanted?.kind === 'constant' && wanted.value === 'false'),
      path.name === 'called' ? '' : 'times',
    );
  if (/^(call_args|call_args_list|mock_calls)$/.test(path.name)) return makeQuestion('called', owner, wanted, negated, 'with');
  return calledWith(subject, wanted, negated);
}

/** `spy.mock.calls[0]`, `spy.firstCall.args`. */
function calledWith(subject: Value, wanted: Value | null, negated: boolean): Question | null {
  const found = /^(.*?)\.(?:mock\.calls\[|firstCall\.args|lastCall\.args|mock\.lastCall|args\[0\]$)/.exec(print(subject))?.[1];
  if (found === undefined) return null;
  return makeQuestion('called', rootOf(subject), wanted, negated, 'with');
}

function rootOf(value: Value): Value {
  let inner = value;
  while ((inner.kind === 'member' && /^(mock|calls|firstCall|lastCall|args|arguments)$/.test(inner.name)) || inner.kind === 'index')
    inner = inner.object;
  return inner.kind === 'member' && /^(mock|calls)$/.test(inner.name) ? rootOf(inner.object) : inner;
}

/** Calls that say yes or no. */
function questionOfPredicate(call: ValueOf<'call'>, negated: boolean, scope: Scope): Question | null {
  const name = lastName(call.callee);
  const [first, second] = positional(call);
  // A function of the project may have the name: called with literals alone, it is what is tested.
  const isTested = (): boolean => [first, second].every((value) => value === undefined || isKnownValue(value, scope));
  const isOwn = call.callee.kind === 'name' && scope.find(name) !== null;
  const owner = call.callee.kind === 'member' ? call.callee.object : null;
  if (first === undefined) return null;
  switch (name) {
    case 'isinstance':
    case 'issubclass':
      return isOwn ? null : makeQuestion('type', first, second ?? null, negated);
    case 'isArray':
    case 'callable':
      return isOwn ? null : makeQuestion('type', first, null, negated, name);
    case 'includes':
    case 'has':
    case 'startsWith':
    case 'endsWith':
    case 'startswith':
    case 'endswith':
      return owner === null ? null : makeQuestion('contains', owner, first, negated, name.toLowerCase());
    case 'test':
      return owner === null ? null : makeQuestion('matches', first, owner, negated);
    case 'match':
    case 'search':
    case 'fullmatch':
      return owner !== null && second !== undefined && !isTested() ? makeQuestion('matches', second, first, negated) : null;
    case 'isEqual':
    case 'deepEqual':
    case 'isDeepStrictEqual':
    case 'array_equal':
      return second === undefined || isTested() ? null : makeQuestion('equal', first, second, negated);
    case 'allclose':
    case 'isclose':
      return second === undefined || isTested() ? null : makeQuestion('close', first, second, negated);
    case 'bool':
    case 'Boolean':
      return isOwn ? null : makeQuestion('truthy', first, null, negated);
    default:
      return null;
  }
}

/** What a call asks; empty where it is no check. */
export function questionsOfCall(call: ValueOf<'call'>, dialect: Dialect, scope: Scope): readonly Question[] {
  return askedOf(call, dialect, scope).map((question) => calledQuestion(question) ?? question);
}

function askedOf(call: ValueOf<'call'>, dialect: Dialect, scope: Scope): readonly Question[] {
  const chained = chainQuestions(call, dialect, scope);
  if (chained.length > 0) return chained;
  const requested = requestQuestions(call, dialect);
  if (requested.length > 0) return requested.map((one) => ({ ...one, isPromise: true }));
  return assertQuestions(call, dialect, scope);
}

interface Link {
  readonly name: string;
  readonly call: ValueOf<'call'> | null;
}

/** `expect(x).not.toBe(1)` as `x` and its links. */
/** Asks for the very same object: a detail of `equal`. */
export const SAME = 'same';
const IDENTITY: ReadonlySet<string> = new Set(['toBe', 'strictEqual', 'is', 'assertIs']);

function readChain(value: Value, dialect: Dialect): { readonly root: ValueOf<'call'>; readonly links: readonly Link[] } | null {
  const links: Link[] = [];
  let inner = value;
  // What is done with the promise of a check is no part of the check.
  if (inner.kind === 'call' && /^(then|catch|finally)$/.test(lastName(inner.callee))) return null;
  for (;;) {
    if (inner.kind === 'await') inner = inner.value;
    else if (inner.kind === 'call' && inner.callee.kind === 'member') {
      const { object, name } = inner.callee;
      if (object.kind === 'name' && dialect.expects.has(object.name)) return { root: inner, links: links.toReversed() };
      links.push({ name, call: inner });
      inner = object;
    } else if (inner.kind === 'member') {
      links.push({ name: inner.name, call: null });
      inner = inner.object;
    } else break;
  }
  if (inner.kind !== 'call' || inner.callee.kind !== 'name' || !dialect.expects.has(inner.callee.name)) return shouldChain(value);
  return { root: inner, links: links.toReversed() };
}

/** `x.should.equal(1)`. */
function shouldChain(value: Value): { readonly root: ValueOf<'call'>; readonly links: readonly Link[] } | null {
  const links: Link[] = [];
  let inner = value;
  while (inner.kind === 'member' || (inner.kind === 'call' && inner.callee.kind === 'member')) {
    const call = inner.kind === 'call' ? inner : null;
    const member = (inner.kind === 'call' ? inner.callee : inner) as ValueOf<'member'>;
    if (member.name === 'should' && call === null) {
      const callee: Value = { from: member.from, to: member.to, kind: 'name', name: 'expect' };
      return {
        root: { from: value.from, to: value.to, kind: 'call', callee, args: [{ name: null, value: member.object }], isNew: false },
        links: links.toReversed(),
      };
    }
    links.push({ name: member.name, call });
    inner = member.object;
  }
  return null;
}

/** Questions of a chain of matchers; the outermost call or member is given. */
export function chainQuestions(value: Value, dialect: Dialect, scope: Scope): readonly Question[] {
  if (dialect.expects.size === 0) return [];
  const chain = readChain(value, dialect);
  if (chain === null) return [];
  const [subject] = positional(chain.root);
  if (subject === undefined) return [];
  const questions: Question[] = [];
  let [negated, isPromise, isRejected] = [false, false, false];
  for (const { name, call } of chain.links) {
    if (name === 'not' || name === 'never') negated = !negated;
    else if (name === 'resolves' && call === null) isPromise = true;
    else if (name === 'rejects' && call === null) [isPromise, isRejected] = [true, true];
    else if (name === 'eventually') isPromise = true;
    else {
      const asking = dialect.matchers.get(name);
      if (asking === undefined || (call === null && asking.constant === undefined && !BARE.has(name))) {
        if (call === null || FILLERS.has(name)) continue;
        questions.push({ ...makeQuestion('own', subject, positional(call)[0] ?? null, negated, name), isPromise });
      } else if (name !== 'property' && FILLERS.has(name) && call === null) continue;
      else questions.push(...matcherQuestions(subject, asking, name, call, negated, isPromise, isRejected, scope));
    }
  }
  if (questions.length === 0 && isRejected) return [];
  return questions;
}

/** Matchers without brackets and without a value of their own. */
const BARE: ReadonlySet<string> = new Set(['ok', 'called', 'rejected', 'fulfilled', 'exist', 'arguments']);

function matcherQuestions(
  subject: Value,
  asking: Asking,
  name: string,
  call: ValueOf<'call'> | null,
  turned: boolean,
  isPromise: boolean,
  isRejected: boolean,
  scope: Scope,
): readonly Question[] {
  const args = call === null ? [] : positional(call);
  const negated = (asking.negated ?? false) !== turned;
  const waits = isPromise || name.startsWith('reject') || name === 'fulfilled' || name === 'become';
  const makeAsked = (relation: Relation, wanted: Value | null, detail = asking.detail ?? ''): Question => ({
    ...makeQuestion(relation, subject, wanted, negated, detail),
    isPromise: waits,
  });
  if (asking.relation === 'raises') {
    const [first = null, second = null] = args.map((arg) => expand(arg, scope));
    const { type, message } = thrown(first, second);
    return [makeAsked('raises', type, message)];
  }
  if (isRejected && (asking.relation === 'equal' || asking.relation === 'partial')) {
    const { type, message } = thrown(args[0] ?? null, null);
    return [makeAsked('raises', type, message === '' && args[0] !== undefined ? print(args[0]) : message)];
  }
  if (asking.constant !== undefined) return [makeAsked(asking.relation, constant(asking.constant, subject))];
  // Of types the wanted one stands in angle brackets.
  if (asking.relation === 'equal' && args.length === 0 && call !== null && !INLINE.test(name)) return [makeAsked('own', null, name)];
  // `expect(a === b).toBe(true)` asks what the condition says.
  const wanted = args[0] ?? null;
  if (
    asking.relation === 'equal' &&
    wanted?.kind === 'constant' &&
    (wanted.value === 'true' || wanted.value === 'false') &&
    subject.kind !== 'name'
  ) {
    const inner = questionsOf(subject, scope, negated !== (wanted.value === 'false'));
    if (subject.kind === 'binary' || subject.kind === 'unary' || inner.some(({ relation }) => relation !== 'truthy')) return inner;
  }
  if (asking.relation === 'truthy' && subject.kind !== 'name')
    return questionsOf(subject, scope, negated).map((one) => ({ ...one, isPromise: waits }));
  if (name === 'toHaveProperty' || name === 'property') {
    const [key, held] = args;
    if (held !== undefined && key?.kind === 'text') return [{ ...makeAsked('equal', held), subject: selectMember(subject, key.value) }];
    return [makeAsked('contains', key ?? null, 'property')];
  }
  if (asking.relation === 'close') return [makeAsked('close', wanted, args[1] === undefined ? '' : print(args[1]))];
  if (asking.relation === 'compare') return [makeAsked('compare', wanted, COMPARES[name] ?? name)];
  if (asking.relation === 'called') return [makeAsked('called', asking.detail === 'with' ? makeList(args, subject) : wanted)];
  if (asking.relation === 'equal') {
    const length = lengthSubject(subject, scope);
    if (length !== null) return [{ ...makeAsked('length', wanted), subject: length }];
    if (subject.kind === 'unary' && subject.op === 'typeof') return [{ ...makeAsked('type', wanted), subject: subject.operand }];
    if (INLINE.test(name) && wanted === null) return [makeAsked('snapshot', null, 'new')];
  }
  return [makeAsked(asking.relation, wanted, IDENTITY.has(name) ? SAME : (asking.detail ?? ''))];
}

const INLINE = /InlineSnapshot$/;

const COMPARES: Readonly<Record<string, string>> = {
  toBeGreaterThan: '>',
  above: '>',
  gt: '>',
  greaterThan: '>',
  isAbove: '>',
  toBeLessThan: '<',
  below: '<',
  lt: '<',
  lessThan: '<',
  isBelow: '<',
  toBeGreaterThanOrEqual: '>=',
  least: '>=',
  gte: '>=',
  isAtLeast: '>=',
  toBeLessThanOrEqual: '<=',
  most: '<=',
  lte: '<=',
  isAtMost: '<=',
  assertGreater: '>',
  assertGreaterEqual: '>=',
  assertLess: '<',
  assertLessEqual: '<=',
};

export function constant(value: string | number, { from, to }: Value): Value {
  return typeof value === 'number' ? { from, to, kind: 'number', value } : { from, to, kind: 'constant', value };
}

/** `object.a.b[0]` by a path of keys. */
export function selectMember(object: Value, path: string): Value {
  return path
    .split('.')
    .reduce<Value>((owner, name) => ({ from: object.from, to: object.to, kind: 'member', object: owner, name }), object);
}

function makeList(items: readonly Value[], { from, to }: Value): Value {
  return { from, to, kind: 'list', type: 'list', items };
}

/** Supertest: `request(app).get('/').expect(200, body)`. */
function requestQuestions(call: ValueOf<'call'>, dialect: Dialect): readonly Question[] {
  if (dialect.expects.size === 0 || call.callee.kind !== 'member' || call.callee.name !== 'expect' || call.callee.object.kind !== 'call')
    return [];
  const object = requestOf(call.callee.object);
  return positional(call).flatMap((argument, index, all): readonly Question[] => {
    if (argument.kind === 'function' || argument.kind === 'name') return [];
    if (argument.kind === 'number') return [makeQuestion('equal', selectMember(object, 'status'), argument)];
    const header = all[index + 1];
    if (argument.kind === 'text' && index === 0 && header !== undefined && header.kind !== 'function' && header.kind !== 'name')
      return [
        makeQuestion(
          header.kind === 'pattern' ? 'matches' : 'equal',
          selectMember(object, `headers.${argument.value.toLowerCase()}`),
          header,
        ),
      ];
    if (index === 1 && all[0]?.kind === 'text') return [];
    return [makeQuestion(argument.kind === 'pattern' ? 'matches' : 'equal', selectMember(object, 'body'), argument)];
  });
}

/** The request without what is expected of it. */
function requestOf(value: Value): Value {
  if (value.kind === 'call' && value.callee.kind === 'member' && value.callee.name === 'expect') return requestOf(value.callee.object);
  return value;
}

function assertQuestions(written: ValueOf<'call'>, dialect: Dialect, scope: Scope): readonly Question[] {
  const call = { ...written, callee: assertionOf(written.callee, scope) };
  const name = lastName(call.callee);
  const asking = dialect.asserts.get(name) ?? (ownAssert(call, dialect) ? { relation: 'own' as const, detail: name } : undefined);
  if (asking === undefined || !isAssert(call, name, dialect, scope)) return [];
  const args = positional(call);
  const negated = asking.negated ?? false;
  if (asking.subject === -1) {
    if (call.callee.kind !== 'member') return [];
    const wanted = asking.constant !== undefined ? constant(asking.constant, call) : asking.detail === 'with' ? readRecordCall(call) : null;
    return [makeQuestion('called', call.callee.object, wanted, negated, asking.detail)];
  }
  if (asking.relation === 'raises') return [raisesOf(call, asking, args, dialect, scope)];
  const subject = args[asking.subject ?? 0];
  if (subject === undefined) return asking.relation === 'own' ? [makeQuestion('own', call, null, negated, name)] : [];
  const wanted = asking.constant !== undefined ? constant(asking.constant, subject) : (args[asking.wanted ?? 1] ?? null);
  if (asking.relation === 'truthy') return questionsOf(subject, scope, negated);
  if (asking.relation === 'equal' && wanted !== null) {
    const found = equality(subject, wanted, negated, scope);
    const asked = found.relation === 'equal' && IDENTITY.has(name) ? { ...found, detail: SAME } : found;
    const both =
      asked.wanted?.kind === 'constant' && (asked.wanted.value === 'true' || asked.wanted.value === 'false')
        ? questionsOf(asked.subject, scope, negated !== (asked.wanted.value === 'false'))
        : [];
    return both.some(({ relation }) => relation !== 'truthy') ? both : [asked];
  }
  if (asking.relation === 'own')
    return [makeQuestion('own', subject, wanted === null ? null : makeList(args.slice(1), subject), negated, asking.detail ?? name)];
  const detail =
    asking.relation === 'compare'
      ? (COMPARES[name] ?? name)
      : asking.relation === 'close'
        ? closeness(call, args)
        : (asking.detail ?? (asking.relation === 'type' && wanted === null ? name : ''));
  return [makeQuestion(asking.relation, subject, wanted, negated, detail)];
}

/** `const { throws } = assert`: the name stands for a member. */
function assertionOf(callee: Value, scope: Scope): Value {
  const held = callee.kind === 'name' ? (scope.find(callee.name)?.value ?? null) : null;
  return held?.kind === 'member' && dottedName(held) !== '' ? held : callee;
}

const PLAN = /^(?:tspl|plan)$/;

function closeness(call: ValueOf<'call'>, args: readonly Value[]): string {
  const named = ['places', 'delta', 'rtol', 'atol', 'decimal'].flatMap((name) => {
    const value = keyword(call, name);
    return value === null ? [] : [`${name}=${print(value)}`];
  });
  return [...(args[2] === undefined ? [] : [print(args[2])]), ...named].join(' ');
}

function readRecordCall(call: ValueOf<'call'>): Value {
  const items = call.args.map(({ name, value }): Value =>
    name === null
      ? value
      : { ...value, from: value.from, kind: 'assign', target: { from: value.from, to: value.to, kind: 'name', name }, op: '=', value },
  );
  return makeList(items, call);
}

/** `with pytest.raises(ValueError, match='x')` and `assert.throws(() => f(), TypeError)`. */
function raisesOf(call: ValueOf<'call'>, asking: Asking, args: readonly Value[], dialect: Dialect, scope: Scope): Question {
  const isPython = dialect.expects.size === 0;
  const wanted = args[asking.wanted ?? 1] ?? null;
  const match = keyword(call, 'match') ?? (/Regex|Message/.test(lastName(call.callee)) ? (args[1] ?? null) : null);
  const subject = args[asking.subject ?? 0] ?? call;
  const isAsync =
    lastName(call.callee) === 'rejects' || lastName(call.callee) === 'doesNotReject' || lastName(call.callee).endsWith('Async');
  if (isPython) {
    // `assertRaises(ValueError, f, 1)` asks about `f(1)`.
    const [run, ...given] = args.slice(match === null || keyword(call, 'match') !== null ? 1 : 2);
    const asked: Value =
      run === undefined
        ? call
        : { from: call.from, to: call.to, kind: 'call', callee: run, args: given.map((value) => ({ name: null, value })), isNew: false };
    return makeQuestion('raises', asked, wanted, asking.negated ?? false, match === null ? '' : print(expand(match, scope)));
  }
  const { type, message } = thrown(wanted, args[(asking.wanted ?? 1) + 1] ?? null);
  return { ...makeQuestion('raises', subject, type, asking.negated ?? false, message), isPromise: isAsync };
}

/** The type and the message that a test expects of an error. */
function thrown(first: Value | null, second: Value | null): { readonly type: Value | null; readonly message: string } {
  if (first === null) return { type: null, message: '' };
  if (first.kind === 'text' || first.kind === 'pattern' || first.kind === 'template') return { type: null, message: print(first) };
  if (first.kind === 'record') {
    const entry = first.entries.find(({ key }) => key?.kind === 'text' && /^(message|code|name)$/.test(key.value));
    return { type: null, message: entry === undefined ? print(first) : print(entry.value) };
  }
  if (first.kind === 'call') return { type: first.callee, message: first.args[0] === undefined ? '' : print(first.args[0].value) };
  return { type: first, message: second === null ? '' : print(second) };
}

/** A function whose name says that it asserts: a project's own. */
function ownAssert(call: ValueOf<'call'>, dialect: Dialect): boolean {
  const name = lastName(call.callee);
  return /^(assert|check|verify|ensure|should|expect|must)(_|[A-Z])\w*/.test(name) && !dialect.expects.has(name);
}

function isAssert(call: ValueOf<'call'>, name: string, dialect: Dialect, scope: Scope): boolean {
  const { callee } = call;
  if (/^assert/i.test(name) || ownAssert(call, dialect)) return true;
  if (callee.kind === 'name') {
    const module = scope.moduleOf(name)?.path;
    return (module !== undefined && dialect.assertModules.test(module)) || (name === 'raises' && module !== undefined);
  }
  if (callee.kind !== 'member') return false;
  const owner = dottedName(callee.object);
  if (owner === '') return false;
  const root = rootName(callee.object);
  // `const plan = tspl(t)`, `const check = assert`: the object under another name.
  const held = scope.find(root)?.value ?? null;
  const isPlan = held?.kind === 'call' && PLAN.test(dottedName(held.callee));
  const given = isPlan ? positional(held) : held === null ? [] : [held];
  // What an assertion gives back is no such object: `const { message } = await t.throwsAsync(run)`.
  if (given.some((one) => dottedName(one) !== '' && (dialect.assertOwners.has(dottedName(one)) || dialect.assertOwners.has(rootName(one)))))
    return true;
  if (dialect.assertOwners.has(owner) || dialect.assertOwners.has(root) || /(^|\.)assert(\.\w+)?$/.test(owner)) return true;
  // What the runner gives a test has a short name: `t`, `st`, `tt`.
  if (dialect.expects.size > 0 && root.length <= 3 && scope.find(root) === null) return true;
  const module = scope.moduleOf(root)?.path;
  return module !== undefined && dialect.assertModules.test(module);
}

/** A call that fails the test wherever it is reached. */
export function isFail(value: Value, dialect: Dialect): boolean {
  if (value.kind !== 'call') return false;
  const name = dottedName(value.callee);
  return dialect.fails.has(name) || /(^|\.)(fail|unreachable)$/.test(name);
}
