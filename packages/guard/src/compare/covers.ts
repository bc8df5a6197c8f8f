// Whether a claim of the new version asks as much as one of the old version about the same value.

import { foldScalar } from '../syntax/fold.js';
import type { Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import { lastName, someValue } from '../syntax/walk.js';
import { SAME } from '../test-model/checks.js';
import { isBroad, isCatchAll } from './claims.js';
import type { Claim } from './claims.js';

/** `changed`: as much is asked, for another value. */
export type Cover = 'yes' | 'changed' | 'weaker';

export function coverClaim(after: Claim, before: Claim): Cover {
  if (after.relation !== before.relation) {
    if (isEmptiness(after) && isEmptiness(before)) return 'yes';
    if (after.negated === before.negated && impliedBy(after, before)) return 'yes';
    if (before.relation === 'equal' && before.negated && !after.negated && after.relation !== 'truthy') return 'yes';
    return after.strength >= before.strength ? 'yes' : 'weaker';
  }
  if (after.negated !== before.negated) return after.strength >= before.strength ? 'changed' : 'weaker';
  if (isSameWanted(after, before)) return 'yes';
  if (isLooser(after, before)) return 'weaker';
  return after.strength < before.strength ? 'weaker' : 'changed';
}

function isSameWanted(after: Claim, before: Claim): boolean {
  const printOperand = (value: Value | null): string => (value === null ? '' : print(value));
  if (printOperand(after.wanted) !== printOperand(before.wanted)) return false;
  // Of what is written down, equal is as good as the same.
  return (
    after.detail === before.detail ||
    (after.relation === 'equal' &&
      (after.detail === SAME || after.wanted === null || isScalarValue(after.wanted) || !hasNamedSubject(before)))
  );
}

/** `xs == []`, `len(xs) == 0`, `not xs`. */
function isEmptiness({ relation, negated, wanted }: Claim): boolean {
  if (relation === 'truthy') return negated;
  if (negated || wanted === null) return false;
  if (relation === 'length') return wanted.kind === 'number' && wanted.value === 0;
  return (
    relation === 'equal' &&
    ((wanted.kind === 'list' && wanted.items.length === 0) ||
      (wanted.kind === 'record' && wanted.entries.length === 0) ||
      (wanted.kind === 'text' && wanted.value === ''))
  );
}

/** The expected value is a name, so the check may be about the very same object. */
function hasNamedSubject({ check, whole }: Claim): boolean {
  return whole === null && (check.wanted?.kind === 'name' || check.wanted?.kind === 'member');
}

function isScalarValue(value: Value): boolean {
  return foldScalar(value) !== undefined || value.kind === 'constant' || value.kind === 'template';
}

/** An exact value says all that a part of it says. */
function impliedBy(after: Claim, before: Claim): boolean {
  if (after.relation === 'shape' || after.relation === 'length')
    return (
      before.relation === 'type' ||
      before.relation === 'truthy' ||
      before.relation === 'shape' ||
      (before.relation === 'length' && after.relation === 'shape')
    );
  return (after.relation === 'equal' || after.relation === 'snapshot') && !after.negated && before.strength <= after.strength;
}

function isLooser(after: Claim, before: Claim): boolean {
  const [now, old] = [after.wanted, before.wanted];
  switch (after.relation) {
    case 'raises':
      if (before.detail !== '' && (after.detail === '' || isPartOf(after.detail, before.detail))) return true;
      if (old !== null && !isBroad(old) && (now === null || isBroad(now))) return after.detail === '' || before.detail !== '';
      if (now !== null && old !== null && catchesMore(now, old)) return true;
      return now !== null && old !== null && isPart(now, old);
    case 'contains':
    case 'matches':
      return now !== null && old !== null && ((isCatchAll(now) && !isCatchAll(old)) || isPart(now, old));
    case 'compare':
      return isWider(after, before);
    case 'close':
      return isCoarser(after.detail, before.detail);
    case 'called':
      return before.detail !== '' && after.detail === '';
    case 'equal':
      // What the code answers is right by definition.
      if (now !== null && old !== null && before.check.scope.isLiteral(old) && asksCode(now, after)) return true;
      if (before.detail === SAME && after.detail !== SAME && now !== null && old !== null && print(now) === print(old))
        return hasNamedSubject(before) && !isScalarValue(now);
      return now?.kind === 'pattern' && old !== null && old.kind === 'pattern' && isPart(now, old);
    case 'length':
    case 'never':
    case 'own':
    case 'partial':
    case 'shape':
    case 'snapshot':
    case 'truthy':
    case 'type':
      return false;
  }
}

/** The wanted value is computed by a call, and not written down. */
function asksCode(now: Value, { check, negated }: Claim): boolean {
  return !negated && !check.scope.isLiteral(now) && someValue(now, ({ kind }) => kind === 'call');
}

/** Built-in exceptions of Python, by one that catches them too. */
const CATCHES: Readonly<Record<string, RegExp>> = {
  LookupError: /^(?:KeyError|IndexError)$/,
  ArithmeticError: /^(?:ZeroDivisionError|OverflowError|FloatingPointError)$/,
  OSError:
    /^(?:FileNotFoundError|FileExistsError|PermissionError|NotADirectoryError|IsADirectoryError|TimeoutError|ConnectionError|ConnectionRefusedError)$/,
  ValueError: /^Unicode\w*Error$/,
  RuntimeError: /^(?:NotImplementedError|RecursionError)$/,
  ImportError: /^ModuleNotFoundError$/,
};

function catchesMore(now: Value, old: Value): boolean {
  const [names, known] = [now, old].map((value) => (value.kind === 'list' ? value.items : [value]).map((one) => lastName(one)));
  if (names === undefined || known === undefined) return false;
  const isCaught = (name: string): boolean => names.some((one) => one === name || CATCHES[one]?.test(name) === true);
  return known.every(isCaught) && names.some((name) => !known.includes(name));
}

/** A part of the text that was asked for. */
function isPart(now: Value, old: Value): boolean {
  const text = (value: Value): string | null =>
    value.kind === 'text' ? value.value : value.kind === 'pattern' ? value.source.replace(/\/\w*$/, '') : null;
  const [less, more] = [text(now), text(old)];
  return less !== null && more !== null && isPartOf(less, more);
}

function isPartOf(less: string, more: string): boolean {
  const stripQuoting = (words: string): string => words.replace(/^["'`^/]+|[.!"'`$/]+$/g, '').replace(/\\(.)/g, '$1');
  return stripQuoting(less).length < stripQuoting(more).length && stripQuoting(more).includes(stripQuoting(less));
}

function isWider(after: Claim, before: Claim): boolean {
  if (after.wanted === null || before.wanted === null) return false;
  const [texts, numbers] = [
    [print(after.wanted), print(before.wanted)],
    [foldScalar(after.wanted), foldScalar(before.wanted)],
  ];
  if (after.detail[0] !== before.detail[0]) return false;
  if (texts[0] === texts[1]) return after.detail.length > before.detail.length !== before.negated;
  let [now, old] = numbers;
  // `2 * base` and `20 * base`: the one number that differs says which bound is wider.
  if (typeof now !== 'number' || typeof old !== 'number') {
    const [parts = [], others = []] = texts.map((text) => text.split(/(\d+(?:\.\d+)?)/));
    const differing = parts.flatMap((part, at) => (part === others[at] ? [] : [at]));
    const [at = 0] = differing;
    if (parts.length !== others.length || differing.length !== 1 || at % 2 === 0 || /[-/]/.test(texts.join(''))) return false;
    [now, old] = [Number(parts[at]), Number(others[at])];
  }
  return before.detail.startsWith('<') !== before.negated ? now > old : now < old;
}

/** Fewer digits, or a larger difference. */
function isCoarser(now: string, old: string): boolean {
  const readNumber = (text: string): number | null => {
    const found = /(-?\d+(?:\.\d+)?(?:e-?\d+)?)\)?\s*$/i.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  const [after, before] = [readNumber(now), readNumber(old)];
  const isDigits = (text: string): boolean => text === '' || /^\d+$/.test(text) || text.includes('places') || text.includes('decimal');
  if (isDigits(now) && isDigits(old)) return (after ?? 2) < (before ?? 2);
  if (after === null || before === null) return old === '' && now !== '' && !isDigits(now);
  return after > before;
}
