// Does a command keep a runner at work, so that it never ends? Read from its words and from the scripts that it calls; nothing is run.

import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { listOwnCommands } from './command-names.js';
import { findRunnerCall } from './package-scripts.js';
import { RUNNERS } from './registry.js';

export interface WatchedCall {
  /** As it is called. */
  readonly call: string;
  /** The script that it stands in; empty for the command itself. */
  readonly script: string;
  /** The same call, once. */
  readonly instead: string;
}

/** The first call of a runner that watches files; null where none does. */
export function findWatchedCall(command: string, folder: string): WatchedCall | null {
  for (const { env, words, script } of listOwnCommands(command, folder)) {
    const call = findRunnerCall({ env, words });
    const watches = call === null ? undefined : RUNNERS[call.runner].watches;
    if (call === null || watches === undefined) continue;
    const isVerb = (word: string): boolean => word === call.args[0] && watches.verbs?.includes(word) === true;
    const isFlag = (word: string): boolean => watches.flags.some((flag) => word === flag || word.startsWith(`${flag}=`));
    const isAsked = (word: string): boolean => isVerb(word) || (isFlag(word) && !word.endsWith('=false'));
    if (![...call.nodeArgs, ...call.args].some(isAsked)) continue;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${quoteWord(value)}`);
    const show = (shown: readonly string[]): string => [...variables, ...shown.map(quoteWord)].join(' ');
    // A shell finds no program of a package.
    const isOfPackage = script !== '' && RUNNERS[call.runner].dependency !== null && words[0] !== 'npx';
    const once = words.filter((word, at) => at === 0 || !isAsked(word));
    return { call: show(words), script, instead: show(isOfPackage ? ['npx', ...once] : once) };
  }
  return null;
}
