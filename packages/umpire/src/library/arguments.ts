// What a program hands to the library, looked at before anything is done: types say it too, and not every caller has them. A name
// that is not known is refused, since a limit that is misspelt would be no limit.

import { UmpireError } from '@umpire/core/errors.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';

export interface Kind {
  readonly fits: (value: unknown) => boolean;
  /** Behind "it is": what is expected. */
  readonly words: string;
}

const MOST_MS = 8.64e15;

export const TEXT: Kind = { fits: (value) => typeof value === 'string', words: 'a text' };
export const PATH: Kind = {
  fits: (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\0'),
  words: 'the path of a folder, as a text',
};
export const TEXTS: Kind = {
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  words: 'a list of texts',
};
export const NAMES: Kind = { fits: (value) => TEXT.fits(value) || TEXTS.fits(value), words: 'a text or a list of texts' };
export const FLAG: Kind = { fits: (value) => typeof value === 'boolean', words: 'true or false' };
export const CALL: Kind = { fits: (value) => typeof value === 'function', words: 'a function' };
export const NUMBER: Kind = { fits: (value) => typeof value === 'number' && !Number.isNaN(value), words: 'a number' };
export const FROM_ZERO: Kind = { fits: (value) => typeof value === 'number' && value >= 0, words: 'a number that is not negative' };
export const DATE: Kind = {
  fits: (value) => value instanceof Date && Math.abs(value.getTime()) <= MOST_MS,
  words: 'a Date that is a time',
};
export const LOOP: Kind = {
  fits: (value) => (typeof value === 'string' ? value !== '' : isObject(value)),
  words: "a built-in loop's name, the path of a loop file, or what defineLoop gave",
};
export const OBJECT: Kind = { fits: isObject, words: 'an object' };
export const SIGNAL: Kind = {
  fits: (value) => isObject(value) && typeof value['aborted'] === 'boolean' && typeof value['addEventListener'] === 'function',
  words: 'an AbortSignal',
};

export function oneOf(...words: readonly string[]): Kind {
  return { fits: (value) => words.some((word) => word === value), words: `one of ${words.join(', ')}` };
}

/** A number from `least` to `most`. */
export function within([least, most]: readonly [least: number, most: number], isWhole = false): Kind {
  const fits = (value: unknown) => typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  return { fits, words: `a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}` };
}

/** Every name that a door takes, with what is expected behind it. */
export type Takes<Request> = { readonly [Name in keyof Required<Request>]: Kind };

/** What is undefined counts as left out. `needs`: what may not be. */
export function checkRequest<Request extends object>(
  door: string,
  request: Request,
  takes: Takes<Request>,
  needs: readonly (keyof Request & string)[] = [],
): void {
  const given: unknown = request;
  if (!isObject(given)) throw wrong(door, `it takes an object: ${door}({ ${needs.length === 0 ? '...' : needs.join(', ')} })`);
  const kinds: Readonly<Record<string, Kind>> = takes;
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const known = Object.keys(kinds);
      throw wrong(door, `it takes no "${name.slice(0, 40)}".${didYouMean(name, known)} It takes ${known.join(', ')}`);
    }
    if (value !== undefined) checkValue(door, name, value, kind);
  }
  for (const name of needs) if (given[name] === undefined) throw wrong(door, `it needs ${name}, which is ${words(kinds, name)}`);
}

function words(kinds: Readonly<Record<string, Kind>>, name: string): string {
  return kinds[name]?.words ?? 'missing';
}

export function checkValue(door: string, name: string, value: unknown, kind: Kind): void {
  if (!kind.fits(value)) throw wrong(door, `${name} is to be ${kind.words}, and is ${shown(value)}`);
}

export function wrong(door: string, detail: string): UmpireError {
  return new UmpireError('argument', { door, detail });
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
