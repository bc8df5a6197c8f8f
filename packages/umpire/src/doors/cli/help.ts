// The help of the program and of each command, from its description. Loaded late, since no verdict needs it.

import { flagOf } from '@umpire/core/model/options.js';
import type { Option } from '@umpire/core/model/options.js';
import { ANSWERS, QUESTIONS } from '@umpire/core/model/questions.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { FORMATS } from '@umpire/reports/formats.js';
import { AGENT_NAMES } from '../../agents/known/known-agents.js';
import { wrap } from '../../views/safe-text.js';
import { standingWord, printUsage } from './arguments.js';
import { COMMANDS } from './commands.js';
import type { Command, CommandName } from './commands.js';

/** The column of what a line says. */
const SECOND = 25;
const OVERVIEW_SECOND = 30;

/** `umpire help`, or the help of a command. */
export function helpText(name: CommandName | 'umpire'): string {
  return `${(name === 'umpire' ? overview() : commandHelp(name, COMMANDS[name])).join('\n')}\n`;
}

export const HELP_TOPICS = ['umpire', ...Object.keys(COMMANDS)] as readonly ('umpire' | CommandName)[];

function commandHelp(name: string, command: Command): readonly string[] {
  const { summary, usage = [printUsage(name, command)], about = [], places = [], options, more = [], exits, examples } = command;
  const standing = places.map((option) =>
    describeEntry(standingWord(option, command), options[option] === undefined ? '' : helpWords(options[option])),
  );
  const flags = Object.entries(options)
    .filter(([option]) => !places.includes(option))
    .map(([option, row]) => {
      const short = row.short === undefined ? '' : `${row.short}, `;
      return describeEntry(`${short}${flagOf(option)}${row.value === '' ? '' : ` ${row.value}`}`, helpWords(row));
    });
  return [
    summary,
    '',
    ...usage.map((line, at) => `${at === 0 ? 'Usage: ' : '       '}${line}`),
    ...about.flatMap((paragraph) => ['', ...paragraph.split('\n').flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, '')))]),
    ...(standing.length === 0 ? [] : ['', ...standing.flat()]),
    ...(flags.length === 0 ? [] : ['', 'Flags', ...flags.flat()]),
    ...more.flatMap((part) => ['', ...(typeof part === 'string' ? part.split('\n') : LISTS[part.list]())]),
    '',
    ...exitLines(exits),
    '',
    'Examples',
    ...examples.map((line) => `  ${line}`),
  ];
}

function helpWords({ help, setting, takes, isNeeded }: Option): string {
  if (takes.type === 'loop' && isNeeded === true) return `${help}: ${BUILTIN_NAMES.join(', ')}`;
  return takes.type === 'flag' || setting === undefined || setting.usual === null ? help : `${help} (default: ${setting.usual})`;
}

function describeEntry(head: string, words: string, column = SECOND): readonly string[] {
  const indent = ' '.repeat(column);
  const first = `  ${head}`;
  return first.length < column ? wrap(words, indent, first.padEnd(column)) : [first, ...wrap(words, indent)];
}

function exitLines(exits: Command['exits']): readonly string[] {
  const isInOrder = exits.every(([status], at) => at === 0 || Number(exits[at - 1]?.[0]) <= Number(status));
  return [
    `Exit status${isInOrder ? '' : ' (the first that applies)'}`,
    ...exits.flatMap(([status, words]) => wrap(words, ' '.repeat(7), `  ${status.padEnd(5)}`)),
  ];
}

const LISTS = {
  agents: () => [
    'Agents',
    ...describeEntry(AGENT_NAMES.join(', '), 'a new process for each task'),
    ...describeEntry(`${AGENT_NAMES[0] ?? ''}-acp, ...`, 'one conversation over ACP'),
    ...describeEntry('person', 'you, at this terminal'),
    ...describeEntry('any other name', 'an agent in umpire.config.yaml'),
  ],
  answers: () => [
    'Answers',
    ...Object.entries(ANSWERS).flatMap(([answer, { does }]) => describeEntry(answer, does)),
    '',
    'Answers to',
    ...Object.values(QUESTIONS).flatMap(({ about, answers }) => describeEntry(about, answers.join(', '))),
  ],
  formats: () => ['Formats', ...wrap(FORMATS.map(({ id }) => id).join(', '), '  ')],
};

function overview(): readonly string[] {
  const all: readonly (readonly [string, Command])[] = Object.entries(COMMANDS);
  const groups = [...new Set(all.map(([, { group }]) => group))].filter((group) => group !== '');
  const lineOf = ([name, command]: readonly [string, Command]) => {
    const { summary, places = [] } = command;
    const standing = [name, ...places.map((option) => standingWord(option, command))].join(' ');
    return describeEntry(standing, `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`.replace(/\.$/, ''), OVERVIEW_SECOND);
  };
  return [
    'Run and judge generator-critic loops of coding agents.',
    '',
    ...wrap('A generator works, a critic measures, and Umpire decides: done, another round, or ask a person.', ''),
    '',
    'Usage: umpire <command> [arguments] [flags]',
    '',
    ...groups.flatMap((group) => [group, ...all.filter(([, command]) => command.group === group).flatMap(lineOf)]),
    '',
    ...all.filter(([, { group }]) => group === '').flatMap(lineOf),
    ...describeEntry('help [command]', 'show this text, or the help of a command', OVERVIEW_SECOND),
    ...describeEntry('--version', 'print the version', OVERVIEW_SECOND),
    ...describeEntry('--color WHEN', 'always, never or auto; every command takes it', OVERVIEW_SECOND),
    '',
    'Loops',
    ...wrap(`${BUILTIN_NAMES.join(', ')}, or a loop file of your own`, '  '),
    '',
    ...exitLines([
      ['0', 'success'],
      ['1', 'error'],
      ['2', 'wrong usage'],
      ['3', 'failed: another round, a finding, or a difference'],
      ['4', 'a person must answer'],
      ['5', 'partial result'],
      ['130', 'stopped by Ctrl-C'],
    ]),
    '',
    'Examples',
    '  umpire until "npm test" --agent claude',
    '  umpire run testing "cover the parser" --agent codex --target 90',
  ];
}
