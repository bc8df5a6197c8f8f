// Parses the arguments of a command: flags in any place, then the rest. `--` ends the flags. Small, since it runs at every start.

import { UmpireError } from '@umpire/core/model/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { addToList } from '@umpire/core/formats/multimap.js';

/** `value`: takes a value. `list`: takes one and may be repeated. `switch`: takes none. */
export type FlagKinds = Readonly<Record<string, 'value' | 'list' | 'switch'>>;

export interface ParsedArguments {
  readonly values: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly rest: readonly string[];
}

export function parseArguments(args: readonly string[], kinds: FlagKinds, command: string): ParsedArguments {
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
    if (kind === undefined) throw usage(`Unknown flag "${flag.slice(0, 40)}".${didYouMean(flag, Object.keys(kinds))}`, command);
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

/** A whole number in the range, or undefined without the flag. */
export function wholeNumber(parsed: ParsedArguments, flag: string, command: string, range: Range): number | undefined {
  return numberOf(parsed, flag, command, range, 'whole number', /^-?\d{1,15}$/);
}

/** A number in the range, or undefined without the flag. */
export function decimal(parsed: ParsedArguments, flag: string, command: string, range: Range): number | undefined {
  return numberOf(parsed, flag, command, range, 'number', /^-?\d{1,15}(\.\d{1,6})?$/);
}

type Range = readonly [least: number, most: number];

function numberOf(parsed: ParsedArguments, flag: string, command: string, range: Range, what: string, form: RegExp): number | undefined {
  const text = parsed.values.get(flag);
  if (text === undefined) return undefined;
  const [least, most] = range;
  const value = form.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw usage(`${flag} takes a ${what} from ${least} to ${most}, not "${text.slice(0, 40)}".`, command);
}

/** Throws `usage` if there are more than `most` arguments besides the flags. */
export function refuseExtra({ rest }: ParsedArguments, most: number, command: string, hint?: string): void {
  const extra = rest[most];
  if (extra !== undefined) throw usage(`Unexpected argument "${extra.slice(0, 40)}".${hint === undefined ? '' : ` ${hint}`}`, command);
}

export function usage(detail: string, command: string): UmpireError {
  return new UmpireError('usage', { detail, command });
}
