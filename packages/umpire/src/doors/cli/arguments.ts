// Reads the words of a command by its description: flags in any place, and what stands without a flag. `--` ends the flags. Small, since it
// runs at every start.

import { describeOption, flagOf, isRepeated, parseOption } from '@umpire/core/model/options.js';
import type { Option } from '@umpire/core/model/options.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { COMMANDS } from './commands.js';
import type { Command, CommandName, Given } from './commands.js';

/** The values by name, or `help` where the help was asked for. Throws `usage`. */
export function readArguments<Name extends CommandName>(name: Name, words: readonly string[]): Given<Name> | 'help' {
  const { places = [], options, extraHint }: Command = COMMANDS[name];
  const values = new Map<string, unknown>();
  const named = new Map<string, string>();
  for (const [option, { short }] of Object.entries(options)) {
    if (places.includes(option)) continue;
    named.set(flagOf(option), option);
    if (short !== undefined) named.set(short, option);
  }
  /** `shown`: as the person knows the option. */
  const take = (option: string, word: string, shown: string): void => {
    const row = options[option] as Option;
    const value = parseOption(row, word);
    if (value === undefined) {
      const meant = 'words' in row.takes && row.takes.words !== undefined ? didYouMean(word, row.takes.words) : '';
      throw usage(`${shown} takes ${describeOption(row)}, not "${word.slice(0, 40)}".${meant}`, name);
    }
    const before = values.get(option);
    values.set(option, isRepeated(row) ? [...(Array.isArray(before) ? before : []), value] : value);
  };
  let standing = 0;
  const stand = (word: string): void => {
    const option = places[Math.min(standing, places.length - 1)];
    if (option === undefined || (standing >= places.length && !isRepeated(options[option] as Option)))
      throw usage(`Unexpected argument "${word.slice(0, 40)}".${extraHint === undefined ? '' : ` ${extraHint}`}`, name);
    standing += 1;
    take(option, word, `<${option}>`);
  };
  let hasFlags = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!hasFlags || !word.startsWith('-') || word === '-') {
      stand(word);
      continue;
    }
    if (word === '--') {
      hasFlags = false;
      continue;
    }
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    if (flag === '--help' || flag === '-h') return 'help';
    const option = named.get(flag);
    if (option === undefined) {
      if (flag === '--engine') throw new UmpireError('engine-command', { command: name });
      throw usage(`Unknown flag "${flag.slice(0, 40)}".${didYouMean(flag, [...named.keys()])}`, name);
    }
    if (options[option]?.takes.type === 'flag') {
      if (equals >= 0) throw usage(`${flag} takes no value.`, name);
      values.set(option, true);
      continue;
    }
    const value = equals < 0 ? words[++at] : word.slice(equals + 1);
    if (value === undefined || value === '' || (equals < 0 && value.startsWith('--'))) throw usage(`${flag} needs a value.`, name);
    take(option, value, flag);
  }
  const missing = places.find((option) => options[option]?.isNeeded === true && !values.has(option));
  if (missing !== undefined) throw usage(`Missing <${missing}>: ${printUsage(name, COMMANDS[name])}`, name);
  return Object.fromEntries(values) as Given<Name>;
}

/** `umpire decide <loop> <session> [flags]`. */
export function printUsage(name: string, command: Command): string {
  const { places = [], options } = command;
  const words = [name, ...places.map((option) => standingWord(option, command))];
  return `umpire ${words.join(' ')}${Object.keys(options).length > places.length ? ' [flags]' : ''}`;
}

/** `<loop>`, `[session]`, `<reports...>`. */
export function standingWord(option: string, { options }: Command): string {
  const row = options[option] as Option;
  const word = `${option}${isRepeated(row) ? '...' : ''}`;
  return row.isNeeded === true ? `<${word}>` : `[${word}]`;
}

export function usage(detail: string, command: string): UmpireError {
  return new UmpireError('usage', { detail, command });
}
