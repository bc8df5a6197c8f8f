// Takes the wrappers off a check: `expect(a > 3).toBe(true)` asks whether `a` is above 3, `expect(x.length).toBe(2)` for the size
// of `x`, `toEqual(expect.anything())` whether there is anything. What remains can be compared across styles.

import type { CheckKind } from '../facts.js';
import type { Draft } from './checks.js';
import { at, bare, holesAt, isLiteral, listAt, nameOf, propertyName, settled, textAt } from './tree.js';
import type { Node } from './tree.js';
import { asymmetric } from './placeholders.js';
import { fitsAll, isRegex, letters, sourceOf } from './patterns.js';

/** The draft with every wrapper taken off that is known. */
export function question(draft: Draft): Draft {
  let current = draft;
  for (let round = 0; round < 5; round += 1) {
    const next = peel(current);
    if (next === current) return current;
    current = next;
  }
  return current;
}

/** `expect(a && b).toBe(true)` asks two things. */
export function singly(draft: Draft): readonly Draft[] {
  const subject = settled(draft.subject);
  const both = subject?.type === 'LogicalExpression' && textAt(subject, 'operator') === '&&' && draft.suffix === '';
  if (!both || wantedBoolean(draft) !== true) return [draft];
  return [at(subject, 'left'), at(subject, 'right')].flatMap((side) => singly({ ...draft, subject: side }));
}

function peel(draft: Draft): Draft {
  const subject = settled(draft.subject);
  if (subject === null) return draft;
  const wanted = wantedBoolean(draft);
  if (wanted !== null && draft.suffix === '') {
    const asked = peelBoolean(draft, subject, wanted);
    if (asked !== draft) return asked;
  }
  if (draft.kind === 'differs' && subject.type === 'CallExpression' && draft.suffix === '' && draft.expected.length === 1) {
    const sought = soughtIn(draft, subject, '!==', draft.expected[0] ?? null, true);
    if (sought !== null) return sought;
  }
  if (draft.kind === 'equal' || draft.kind === 'range') {
    const asked = peelValue(draft, subject);
    if (asked !== draft) return asked;
  }
  if (draft.kind === 'differs' || draft.kind === 'range') {
    const filled = notEmpty(draft, subject);
    if (filled !== null) return filled;
  }
  if (draft.kind === 'differs' && ['null', 'undefined'].includes(print0(draft)))
    return { ...draft, kind: 'exists', expected: [], constant: null };
  const length = draft.kind === 'equal' ? /\.(length|size)$/.exec(draft.suffix) : null;
  if (length !== null) return { ...draft, kind: 'size', suffix: draft.suffix.slice(0, length.index) };
  const copied = draft.suffix === '' ? copiedFrom(subject) : null;
  if (copied !== null && (draft.kind === 'equal' || draft.kind === 'size')) return { ...draft, subject: copied };
  if (draft.kind === 'size' && print0(draft) === '0') return { ...draft, kind: 'equal', expected: [], constant: 'empty' };
  if (draft.kind === 'equal' && ['[]', '{}', '""'].includes(print0(draft))) return { ...draft, expected: [], constant: 'empty' };
  if (
    draft.kind === 'equal' &&
    /^(err|error|e)$/.test(nameOf(subject)) &&
    ['null', 'undefined'].includes(print0(draft) || (draft.constant ?? ''))
  ) {
    return { ...draft, kind: 'silent', expected: [], constant: null };
  }
  if (
    draft.kind === 'contain' &&
    subject.type === 'ArrayExpression' &&
    draft.expected.length === 1 &&
    !isConstant(draft.expected[0] ?? null)
  ) {
    return { ...draft, kind: 'oneOf', subject: draft.expected[0] ?? null, expected: [subject] };
  }
  if (draft.kind === 'equal' && isConstant(subject) && draft.expected.length === 1 && !isConstant(draft.expected[0] ?? null)) {
    return { ...draft, subject: draft.expected[0] ?? null, expected: [subject] };
  }
  return peelExpected(draft);
}

/** `not.toHaveLength(0)`, `not.toEqual([])`, `x.length >= 1`: there is something in it. Null where it asks for another thing. */
function notEmpty(draft: Draft, subject: Node): Draft | null {
  const wanted = print0(draft) || (draft.constant ?? '');
  const { start, end } = subject;
  const isLength = subject.type === 'MemberExpression' && /^(length|size)$/.test(propertyName(subject)) && draft.suffix === '';
  const above = (size: Node): Draft => {
    const none: Node = { type: 'Literal', start, end, value: 0, raw: '0' };
    return { ...draft, kind: 'range', subject: size, expected: [none], constant: null, matcher: 'above', delta: null };
  };
  if (draft.kind === 'range') return isLength && wanted === '1' && OPERATORS[draft.matcher] === '>=' ? above(subject) : null;
  if (isLength) return wanted === '0' ? above(subject) : null;
  const counted = /^not (toHaveLength|lengthOf|length|sizeOf|toHaveSize|toHaveCount)$/.test(draft.matcher);
  if (draft.suffix !== '' || !(counted ? wanted === '0' : ['[]', '{}', '""', 'empty'].includes(wanted))) return null;
  const property: Node = { type: 'Identifier', start, end, name: 'length' };
  return above({ type: 'MemberExpression', start, end, object: subject, property, computed: false });
}

/** Of `[...x]`, `Array.from(x)`, `Object.entries(x)`: `x`. */
function copiedFrom(subject: Node): Node | null {
  if (subject.type === 'ArrayExpression') {
    const elements = holesAt(subject, 'elements');
    return elements.length === 1 && elements[0]?.type === 'SpreadElement' ? at(elements[0], 'argument') : null;
  }
  if (subject.type !== 'CallExpression') return null;
  const callee = bare(at(subject, 'callee'));
  const args = listAt(subject, 'arguments');
  if (callee?.type !== 'MemberExpression' || args.length !== 1) return null;
  const name = `${nameOf(bare(at(callee, 'object')))}.${propertyName(callee)}`;
  return ['Array.from', 'Object.entries', 'Object.fromEntries'].includes(name) ? (args[0] ?? null) : null;
}

/** The wanted value where it is a small literal: `0`, `[]`, `null`. */
function print0(draft: Draft): string {
  const inner = draft.expected.length === 1 ? bare(draft.expected[0] ?? null) : null;
  if (inner === null) return '';
  if (inner.type === 'ArrayExpression') return holesAt(inner, 'elements').length === 0 ? '[]' : '';
  if (inner.type === 'ObjectExpression') return listAt(inner, 'properties').length === 0 ? '{}' : '';
  if (inner.type === 'Identifier') return nameOf(inner);
  return isLiteral(inner) ? (inner['value'] === '' ? '""' : String(inner['value'])) : '';
}

function wantedBoolean(draft: Draft): boolean | null {
  if (draft.kind === 'truthy') return true;
  if (draft.kind === 'falsy') return false;
  if (draft.kind !== 'equal') return null;
  if (draft.constant !== null) return draft.constant === 'true' ? true : draft.constant === 'false' ? false : null;
  const value =
    draft.expected.length === 1 && isLiteral(bare(draft.expected[0] ?? null)) ? bare(draft.expected[0] ?? null)?.['value'] : null;
  return typeof value === 'boolean' ? value : null;
}

function asked(draft: Draft, kind: CheckKind, subject: Node | null, expected: Node | null, constant: string | null = null): Draft {
  return { ...draft, kind, subject, expected: expected === null ? [] : [expected], constant, matcher: kind, delta: null };
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const OPPOSITE: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
const NAMES: Readonly<Record<string, string>> = { '<': 'below', '<=': 'most', '>': 'above', '>=': 'least' };
const OPERATORS: Readonly<Record<string, string>> = {
  toBeGreaterThan: '>',
  toBeGreaterThanOrEqual: '>=',
  toBeLessThan: '<',
  toBeLessThanOrEqual: '<=',
  above: '>',
  least: '>=',
  below: '<',
  most: '<=',
};

function peelBoolean(draft: Draft, subject: Node, wanted: boolean): Draft {
  if (subject.type === 'UnaryExpression' && textAt(subject, 'operator') === '!') {
    return asked(draft, wanted ? 'falsy' : 'truthy', at(subject, 'argument'), null);
  }
  if (subject.type === 'LogicalExpression' && textAt(subject, 'operator') === '||' && wanted)
    return asked(draft, 'oneOf', at(subject, 'left'), subject);
  if (subject.type === 'BinaryExpression') return peelComparison(draft, subject, wanted);
  if (subject.type === 'CallExpression') return peelPredicate(draft, subject, wanted);
  if (subject.type === 'MemberExpression') {
    const name = propertyName(subject);
    if (name === 'called') return asked(draft, wanted ? 'called' : 'calledTimes', at(subject, 'object'), null, wanted ? null : '0');
    if (name === 'notCalled') return asked(draft, 'calledTimes', at(subject, 'object'), null, '0');
    if (name === 'calledOnce' && wanted) return asked(draft, 'calledTimes', at(subject, 'object'), null, '1');
  }
  return draft;
}

function peelComparison(draft: Draft, subject: Node, wanted: boolean): Draft {
  const operator = textAt(subject, 'operator');
  const [left, right] = [at(subject, 'left'), at(subject, 'right')];
  const sought = bare(left)?.type === 'CallExpression' ? soughtIn(draft, bare(left), operator, right, wanted) : null;
  if (sought !== null) return sought;
  if (['===', '==', '!==', '!='].includes(operator)) {
    const same = operator.startsWith('=') === wanted;
    const plain = isConstant(left)
      ? asked(draft, same ? 'equal' : 'differs', right, left)
      : asked(draft, same ? 'equal' : 'differs', left, right);
    const nothing = [left, right].map(bare).some((side) => nameOf(side) === 'undefined' || (isLiteral(side) && side['value'] === null));
    return operator.length === 2 && !nothing ? { ...plain, loose: true } : plain;
  }
  if (operator in FLIPPED) {
    const turned = isConstant(left);
    const seen = turned ? (FLIPPED[operator] ?? operator) : operator;
    const kept = wanted ? seen : (OPPOSITE[seen] ?? seen);
    return { ...asked(draft, 'range', turned ? right : left, turned ? left : right), matcher: NAMES[kept] ?? 'above' };
  }
  if (operator === 'instanceof') return asked(draft, wanted ? 'type' : 'lacks', left, right);
  if (operator !== 'in') return draft;
  const key = bare(left)?.['value'];
  if (typeof key !== 'string') return asked(draft, wanted ? 'contain' : 'lacks', right, left);
  return { ...asked(draft, wanted ? 'exists' : 'equal', right, null, wanted ? null : 'undefined'), suffix: `.${key}` };
}

/** `list.indexOf(x) === -1`, `text.indexOf(x) >= 0`: whether it is in there. */
function soughtIn(draft: Draft, call: Node | null, operator: string, bound: Node | null, wanted: boolean): Draft | null {
  const callee = bare(at(call, 'callee'));
  const [first = null, ...more] = listAt(call, 'arguments');
  if (callee?.type !== 'MemberExpression' || !/^(lastI|i|findI)ndex(Of)?$/.test(propertyName(callee)) || more.length > 0) return null;
  const limit = bare(bound);
  const value = limit?.type === 'UnaryExpression' && textAt(limit, 'operator') === '-' ? -1 : limit?.['value'];
  const absent = value === -1 ? ['===', '==', '<='] : value === 0 ? ['<'] : [];
  const present = value === -1 ? ['!==', '!=', '>'] : value === 0 ? ['>='] : [];
  if (!absent.includes(operator) && !present.includes(operator)) return null;
  return asked(draft, present.includes(operator) === wanted ? 'contain' : 'lacks', at(callee, 'object'), first);
}

function peelPredicate(draft: Draft, subject: Node, wanted: boolean): Draft {
  const callee = bare(at(subject, 'callee'));
  const args = listAt(subject, 'arguments');
  const [first = null, second = null] = args;
  if (nameOf(callee) === 'Boolean') return asked(draft, wanted ? 'truthy' : 'falsy', first, null);
  if (nameOf(callee) === 'isDeepStrictEqual') return asked(draft, wanted ? 'equal' : 'differs', first, second);
  if (callee?.type !== 'MemberExpression') return draft;
  const owner = bare(at(callee, 'object'));
  const name = propertyName(callee);
  if ((nameOf(owner) === 'Array' || nameOf(owner) === 'Number') && name.startsWith('is'))
    return asked(draft, wanted ? 'type' : 'lacks', first, null, name);
  if (nameOf(owner) === 'Object' && name === 'is') return asked(draft, wanted ? 'equal' : 'differs', first, second);
  if (name === 'includes' && args.length === 1) {
    if (owner?.type === 'ArrayExpression') return asked(draft, wanted ? 'oneOf' : 'lacks', first, owner);
    return asked(draft, wanted ? 'contain' : 'lacks', owner, first);
  }
  if (name === 'some' && wanted) return asked(draft, 'contain', owner, first);
  if (name === 'startsWith' || name === 'endsWith') return asked(draft, wanted ? 'match' : 'lacks', owner, first);
  if (name === 'test' && isRegex(owner)) return asked(draft, wanted ? 'match' : 'lacks', first, owner);
  if (name === 'match' && isRegex(bare(first))) return asked(draft, wanted ? 'match' : 'lacks', owner, first);
  if (name === 'calledBefore' && wanted) return { ...asked(draft, 'range', owner, first), matcher: 'below' };
  if (/^called(Once)?With/.test(name)) return { ...asked(draft, wanted ? 'calledWith' : 'lacks', owner, null), expected: args };
  return draft;
}

function peelValue(draft: Draft, subject: Node): Draft {
  const known = draft.suffix === '' && draft.kind === 'equal';
  if (subject.type === 'UnaryExpression' && textAt(subject, 'operator') === 'typeof' && known)
    return { ...draft, kind: 'type', subject: at(subject, 'argument') };
  if (subject.type === 'CallExpression' && draft.suffix === '' && draft.expected.length === 1) {
    const operator = draft.kind === 'equal' ? '===' : (OPERATORS[draft.matcher] ?? '');
    const sought = soughtIn(draft, subject, operator, draft.expected[0] ?? null, true);
    if (sought !== null) return sought;
  }
  if (draft.kind === 'range' && subject.type === 'CallExpression') return peelDistance(draft, subject);
  if (known && subject.type === 'CallExpression') {
    const capped = peelCap(draft, subject);
    if (capped !== null) return capped;
  }
  if (!known) return draft;
  if (subject.type === 'MemberExpression' || subject.type === 'CallExpression') {
    const member = subject.type === 'MemberExpression' ? subject : bare(at(subject, 'callee'));
    if (member?.type !== 'MemberExpression') return draft;
    const name = propertyName(member);
    const owner = bare(at(member, 'object'));
    if (name === 'callCount') return { ...draft, kind: 'calledTimes', subject: unmocked(owner) };
    if (name === 'count' && owner?.type === 'MemberExpression' && propertyName(owner) === 'calls')
      return { ...draft, kind: 'calledTimes', subject: at(owner, 'object') };
    if (name === 'count' && subject.type === 'CallExpression' && isOfPage(owner)) return { ...draft, kind: 'size', subject: owner };
    if (subject.type !== 'MemberExpression') return draft;
    if (name === 'length' || name === 'size') return peelLength(draft, owner);
    if (name === 'calls' && owner?.type === 'MemberExpression' && propertyName(owner) === 'mock') {
      return { ...draft, kind: 'calledWith', subject: at(owner, 'object') };
    }
  }
  return draft;
}

/** Elements of a page: `page.locator('.row')`, `page.getByRole('listitem')`. */
function isOfPage(node: Node | null): boolean {
  const callee = node?.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
  return callee?.type === 'MemberExpression' && /^(locator|getBy\w+|filter|first|last|nth)$/.test(propertyName(callee));
}

function unmocked(owner: Node | null): Node | null {
  return owner?.type === 'MemberExpression' && propertyName(owner) === 'mock' ? bare(at(owner, 'object')) : owner;
}

function peelLength(draft: Draft, owner: Node | null): Draft {
  const calls = owner?.type === 'MemberExpression' && propertyName(owner) === 'calls' ? bare(at(owner, 'object')) : null;
  if (calls?.type === 'MemberExpression' && propertyName(calls) === 'mock')
    return { ...draft, kind: 'calledTimes', subject: unmocked(calls) };
  if (owner?.type === 'CallExpression') {
    const callee = bare(at(owner, 'callee'));
    const keyed = callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'Object';
    if (keyed) return { ...draft, kind: 'size', subject: listAt(owner, 'arguments')[0] ?? null };
  }
  return { ...draft, kind: 'size', subject: owner };
}

/** `Math.min(a, 5)` that is 5 asks whether `a` is 5 at least. */
function peelCap(draft: Draft, subject: Node): Draft | null {
  const callee = bare(at(subject, 'callee'));
  const [first, second, ...more] = listAt(subject, 'arguments');
  const wanted = bare(draft.expected[0] ?? null);
  if (callee?.type !== 'MemberExpression' || nameOf(bare(at(callee, 'object'))) !== 'Math' || more.length > 0) return null;
  if (first === undefined || second === undefined || !isLiteral(wanted) || !/^(min|max)$/.test(propertyName(callee))) return null;
  const caps = (node: Node) => isLiteral(bare(node)) && bare(node)?.['value'] === wanted['value'];
  const asks = caps(second) ? first : caps(first) ? second : null;
  if (asks === null) return null;
  return { ...draft, kind: 'range', subject: asks, matcher: propertyName(callee) === 'min' ? 'least' : 'most' };
}

/** `Math.abs(a - b) < 0.1` asks whether `a` is close to `b`. */
function peelDistance(draft: Draft, subject: Node): Draft {
  const callee = bare(at(subject, 'callee'));
  const difference = bare(listAt(subject, 'arguments')[0] ?? null);
  const distance = callee?.type === 'MemberExpression' && nameOf(bare(at(callee, 'object'))) === 'Math' && propertyName(callee) === 'abs';
  if (!distance || difference?.type !== 'BinaryExpression' || textAt(difference, 'operator') !== '-') return draft;
  if (!/^(below|most|toBeLessThan|toBeLessThanOrEqual|lt|lte|isBelow|isAtMost|lessThan)$/.test(draft.matcher)) return draft;
  const right = at(difference, 'right');
  return {
    ...draft,
    kind: 'close',
    subject: at(difference, 'left'),
    expected: right === null ? [] : [right],
    delta: draft.expected[0] ?? null,
    matcher: 'closeTo',
  };
}

function peelExpected(draft: Draft): Draft {
  const [only] = draft.expected;
  if (draft.matcher === 'toMatchInlineSnapshot' && draft.kind === 'snapshot' && only === undefined) return { ...draft, kind: 'exists' };
  if (draft.kind === 'equal' && /^toHave(TextContent|Text|URL|Title)$/.test(draft.matcher) && isRegex(bare(only ?? null)))
    return { ...draft, kind: 'match', matcher: 'match' };
  if (draft.kind === 'match') return peelPattern(draft);
  if (only === undefined || draft.expected.length !== 1) return draft;
  if (draft.kind === 'contain' && partsOf(only) === 0) return { ...draft, kind: 'exists', expected: [] };
  if (draft.kind === 'calledWith' && isCalls(draft) && bare(only)?.type !== 'ArrayExpression') return draft;
  if (draft.kind !== 'equal') return draft;
  const loose = asymmetric(only);
  if (loose === null) return draft;
  const [first = null] = loose.args;
  if (loose.name === 'anything') return { ...draft, kind: 'exists', expected: [] };
  if (loose.name === 'any') return { ...draft, kind: 'type', expected: first === null ? [] : [first] };
  if (loose.name === 'stringContaining' || loose.name === 'stringMatching')
    return { ...draft, kind: 'match', expected: first === null ? [] : [first] };
  return { ...draft, kind: partsOf(first) === 0 ? 'exists' : 'contain', expected: first === null ? [] : [first] };
}

function isCalls(draft: Draft): boolean {
  return draft.matcher === 'equal';
}

function peelPattern(draft: Draft): Draft {
  const pattern = bare(draft.expected[0] ?? null);
  if (isLiteral(pattern) && pattern['value'] === '') return { ...draft, kind: 'exists', expected: [] };
  if (!isRegex(pattern)) return draft;
  const source = sourceOf(pattern);
  if (letters(source) === '' || fitsAll(source)) return { ...draft, kind: 'exists', expected: [] };
  const whole = /^\^.*\$$/s.test(source) && !/[*+?|[{.]/.test(source.replace(/\\./g, ''));
  if (!whole) return draft;
  return { ...draft, kind: 'equal', expected: [], constant: JSON.stringify(source.slice(1, -1).replace(/\\(.)/g, '$1')) };
}

export function partsOf(node: Node | null): number | null {
  const inner = bare(node);
  if (inner?.type === 'ArrayExpression') return holesAt(inner, 'elements').length;
  if (inner?.type !== 'ObjectExpression') return null;
  return listAt(inner, 'properties').reduce((sum, property) => sum + Math.max(1, partsOf(at(property, 'value')) ?? 1), 0);
}

/** Functions of the language that give the same for the same: `Number('9')`, `Math.max(1, 2)`, `'a'.toUpperCase()`. */
function isPure(node: Node | null): boolean {
  const callee = bare(node);
  if (callee?.type === 'Identifier')
    return ['Number', 'String', 'Boolean', 'BigInt', 'parseInt', 'parseFloat', 'isNaN'].includes(nameOf(callee));
  if (callee?.type !== 'MemberExpression') return false;
  const owner = bare(at(callee, 'object'));
  return ['Math', 'JSON', 'Object', 'Number', 'String', 'Array'].includes(nameOf(owner))
    ? propertyName(callee) !== 'random'
    : isLiteral(owner);
}

/** Made of literals alone. */
export function isConstant(node: Node | null): boolean {
  const inner = bare(node);
  if (inner === null) return false;
  if (inner.type === 'Literal') return !isRegex(inner);
  if (inner.type === 'Identifier') return ['undefined', 'NaN', 'Infinity'].includes(nameOf(inner));
  if (inner.type === 'UnaryExpression') return isConstant(at(inner, 'argument'));
  if (inner.type === 'CallExpression') return isPure(at(inner, 'callee')) && listAt(inner, 'arguments').every(isConstant);
  if (inner.type === 'TemplateLiteral') return listAt(inner, 'expressions').every(isConstant);
  if (inner.type === 'ArrayExpression') return holesAt(inner, 'elements').every((element) => element !== null && isConstant(element));
  if (inner.type === 'ObjectExpression')
    return listAt(inner, 'properties').every((property) => property.type === 'Property' && isConstant(at(property, 'value')));
  return inner.type === 'BinaryExpression' && isConstant(at(inner, 'left')) && isConstant(at(inner, 'right'));
}
