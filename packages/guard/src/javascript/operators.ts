// What operators make of values that are known: `javascript/working-out.ts` finds the values.

import { Opaque, UNKNOWN, isPlain } from './plain-values.js';
import type { Plain } from './plain-values.js';

export function truth(value: Plain): boolean {
  if (value instanceof Opaque) throw UNKNOWN;
  return Boolean(value);
}

export function asText(value: Plain): string {
  if (typeof value === 'string') return value;
  if (!isPlain(value)) throw UNKNOWN;
  return String(value);
}

export function unary(operator: string, value: Plain): Plain {
  if (operator === '!') return !truth(value);
  if (typeof value !== 'number') throw UNKNOWN;
  if (operator === '-') return -value;
  if (operator === '+') return value;
  throw UNKNOWN;
}

export function binary(left: Plain, operator: string, right: Plain): Plain {
  if (operator === '+' && (typeof left === 'string' || typeof right === 'string')) return asText(left) + asText(right);
  if (operator === '===' || operator === '!==') {
    if (!isPlain(left) || !isPlain(right)) throw UNKNOWN;
    return (left === right) === (operator === '===');
  }
  if (typeof left !== 'number' || typeof right !== 'number') throw UNKNOWN;
  return arithmetic(left, operator, right);
}

function arithmetic(left: number, operator: string, right: number): Plain {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      throw UNKNOWN;
  }
}
