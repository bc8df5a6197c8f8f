// Parses the arguments of a command: flags in any place, then the rest. `--` ends the flags. Small, since it runs at every start.

import { UmpireError } from '@umpire/core/model/errors.js';
import { describeOption, flagOf, parseOption } from '@umpire/core/model/options.js';
import type { OptionValues, Options } from '@umpire/core/model/options.js';
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

/** The flags of these options. */
export function flagKinds(rows: Options): FlagKinds {
  const kinds = { flag: 'switch', texts: 'list', agents: 'list' } as const;
  return Object.fromEntries(
    Object.entries(rows).map(([name, { takes }]) => [flagOf(name), kinds[takes.type as keyof typeof kinds] ?? 'value']),
  );
}

/** The values of these options. Throws `usage` for a text that is none. */
export function readOptions<Rows extends Options>(parsed: ParsedArguments, rows: Rows, command: string): OptionValues<Rows> {
  const values = Object.entries(rows).flatMap(([name, row]) => {
    const flag = flagOf(name);
    const value = parsed.switches.has(flag) || (parsed.lists.get(flag) ?? parsed.values.get(flag));
    if (typeof value !== 'string') return value === undefined ? [] : [[name, value]];
    const read = parseOption(row, value);
    if (read === undefined) throw usage(`${flag} takes ${describeOption(row)}, not "${value.slice(0, 40)}".`, command);
    return [[name, read]];
  });
  return Object.fromEntries(values) as OptionValues<Rows>;
}

/** Throws `usage` if there are more than `most` arguments besides the flags. */
export function refuseExtra({ rest }: ParsedArguments, most: number, command: string, hint?: string): void {
  const extra = rest[most];
  if (extra !== undefined) throw usage(`Unexpected argument "${extra.slice(0, 40)}".${hint === undefined ? '' : ` ${hint}`}`, command);
}

export function usage(detail: string, command: string): UmpireError {
  return new UmpireError('usage', { detail, command });
}
