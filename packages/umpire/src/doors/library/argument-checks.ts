// Checks the arguments of library functions, since JavaScript callers have no types. Unknown names are refused: a misspelt limit would
// be no limit.

import { UmpireError } from '@umpire/core/model/errors.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';

export interface ArgumentType {
  readonly fits: (value: unknown) => boolean;
  /** What is expected, after "must be". */
  readonly expected: string;
}

const MOST_MS = 8.64e15;

export const TEXT: ArgumentType = { fits: (value) => typeof value === 'string', expected: 'a string' };
export const PATH: ArgumentType = {
  fits: (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\0'),
  expected: 'the path of a folder',
};
export const TEXTS: ArgumentType = {
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  expected: 'a list of strings',
};
export const NAMES: ArgumentType = { fits: (value) => TEXT.fits(value) || TEXTS.fits(value), expected: 'a string or a list of strings' };
export const FLAG: ArgumentType = { fits: (value) => typeof value === 'boolean', expected: 'true or false' };
export const CALL: ArgumentType = { fits: (value) => typeof value === 'function', expected: 'a function' };
export const NUMBER: ArgumentType = { fits: (value) => typeof value === 'number' && !Number.isNaN(value), expected: 'a number' };
export const FROM_ZERO: ArgumentType = { fits: (value) => typeof value === 'number' && value >= 0, expected: 'a number of at least 0' };
export const DATE: ArgumentType = {
  fits: (value) => value instanceof Date && Math.abs(value.getTime()) <= MOST_MS,
  expected: 'a valid Date',
};
export const LOOP: ArgumentType = {
  fits: (value) => (typeof value === 'string' ? value !== '' : isObject(value)),
  expected: "a built-in loop's name, the path of a loop file, or a loop from defineLoop",
};
export const OBJECT: ArgumentType = { fits: isObject, expected: 'an object' };
export const SIGNAL: ArgumentType = {
  fits: (value) => isObject(value) && typeof value['aborted'] === 'boolean' && typeof value['addEventListener'] === 'function',
  expected: 'an AbortSignal',
};

export function oneOf(...words: readonly string[]): ArgumentType {
  return { fits: (value) => words.some((word) => word === value), expected: `one of ${words.join(', ')}` };
}

/** A number from `least` to `most`. */
export function within([least, most]: readonly [least: number, most: number], isWhole = false): ArgumentType {
  const fits = (value: unknown) => typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  return { fits, expected: `a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}` };
}

/** Every argument of a function with its type. */
export type ArgumentTypes<Request> = { readonly [Name in keyof Required<Request>]: ArgumentType };

/** An undefined argument counts as left out. `needs`: the required arguments. */
export function checkRequest<Request extends object>(
  call: string,
  request: Request,
  takes: ArgumentTypes<Request>,
  needs: readonly (keyof Request & string)[] = [],
): void {
  const given: unknown = request;
  if (!isObject(given)) throw argumentError(call, `pass an object: ${call}({ ${needs.length === 0 ? '...' : needs.join(', ')} })`);
  const kinds: Readonly<Record<string, ArgumentType>> = takes;
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const known = Object.keys(kinds);
      throw argumentError(call, `there is no argument "${name.slice(0, 40)}".${didYouMean(name, known)} Arguments: ${known.join(', ')}`);
    }
    if (value !== undefined) checkValue(call, name, value, kind);
  }
  for (const name of needs)
    if (given[name] === undefined) throw argumentError(call, `${name} is missing; it must be ${kinds[name]?.expected ?? 'given'}`);
}

export function checkValue(call: string, name: string, value: unknown, kind: ArgumentType): void {
  if (!kind.fits(value)) throw argumentError(call, `${name} must be ${kind.expected}, not ${describeValue(value)}`);
}

export function argumentError(call: string, detail: string): UmpireError {
  return new UmpireError('argument', { door: call, detail });
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
