// Reads a command's words: flags with or without a value, in any place. `--` ends the flags. Small on purpose: this runs
// at every start.

import { UmpireError } from '@umpire/core/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { addToList } from '@umpire/core/formats/multimap.js';

/** A flag that takes a value, one that may be given several times, or one that is there or not. */
export type FlagKinds = Readonly<Record<string, 'value' | 'list' | 'switch'>>;

export interface Words {
  readonly values: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly rest: readonly string[];
}

export function readWords(args: readonly string[], kinds: FlagKinds, command: string): Words {
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const switches = new Set<string>();
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    if (word === '--') {
      rest.push(...args.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      rest.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const flag = word === '-h' ? '--help' : equals < 0 ? word : word.slice(0, equals);
    const kind = Object.hasOwn(kinds, flag) ? kinds[flag] : undefined;
    if (kind === undefined) throw usage(`There is no flag "${flag.slice(0, 40)}".${didYouMean(flag, Object.keys(kinds))}`, command);
    if (kind === 'switch') {
      if (equals >= 0) throw usage(`${flag} takes no value.`, command);
      switches.add(flag);
      continue;
    }
    const value = equals < 0 ? args[++i] : word.slice(equals + 1);
    if (value === undefined || value === '' || (equals < 0 && value.startsWith('--'))) throw usage(`${flag} needs a value.`, command);
    if (kind === 'list') addToList(lists, flag, value);
    else values.set(flag, value);
  }
  return { values, lists, switches, rest };
}

/** A whole number of the range, or undefined where the flag was not given. */
export function wholeNumber(words: Words, flag: string, command: string, range: Range): number | undefined {
  return numberOf(words, flag, command, range, 'whole number', /^-?\d{1,15}$/);
}

/** A number of the range that need not be whole, or undefined where the flag was not given. */
export function decimal(words: Words, flag: string, command: string, range: Range): number | undefined {
  return numberOf(words, flag, command, range, 'number', /^-?\d{1,15}(\.\d{1,6})?$/);
}

type Range = readonly [least: number, most: number];

function numberOf(words: Words, flag: string, command: string, range: Range, what: string, form: RegExp): number | undefined {
  const text = words.values.get(flag);
  if (text === undefined) return undefined;
  const [least, most] = range;
  const value = form.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw usage(`${flag} takes a ${what} from ${least} to ${most}, not "${text.slice(0, 40)}".`, command);
}

export function usage(detail: string, command: string): UmpireError {
  return new UmpireError('usage', { detail, command });
}
