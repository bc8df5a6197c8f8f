// Runs one command line: finds the command, runs it, and turns errors into text and an exit status. Tests call it in-process.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { runDecide } from './decide.js';
import type { CommandOutcome, Output } from './output.js';
import { COLOR_CHOICES } from '../../views/colors.js';
import { readArguments, usage } from './arguments.js';
import { COMMANDS } from './commands.js';
import type { Command, CommandName, Given } from './commands.js';
import { processOutput } from './output.js';
import { VERSION } from './version.generated.js';
import { elapsedMs } from '../../sessions/environment.js';

interface CommandLineOptions {
  /** When the command started, in milliseconds since the process started. `decide --deadline-ms` counts from here. */
  readonly startedAt?: number;
  /** Receives what a command writes while it runs. The rest is in the outcome. */
  readonly output?: Output;
}

/** Runs a command line without the program's name, such as `['decide', 'testing', 'folder']`. Errors become part of the outcome. */
export async function runCommandLine(words: readonly string[], options: CommandLineOptions = {}): Promise<CommandOutcome> {
  const { args, color } = takeColorFlag(words);
  const context = { startedAt: options.startedAt ?? elapsedMs(), output: options.output ?? processOutput(color) };
  try {
    if (!COLOR_CHOICES.some((choice) => choice === color))
      throw usage(`--color takes ${COLOR_CHOICES.join(', ')}, not "${color.slice(0, 40)}".`, args[0] ?? 'help');
    return await runCommand(args, context);
  } catch (error) {
    const outcome = failureOutcome(error, args.includes('--json'));
    // For a coding agent, status 2 refuses.
    return args[0] === 'hook' && isUmpireError(error) ? { ...outcome, exit: 1 } : outcome;
  }
}

/** Takes --color, which every command has, out of the arguments. */
export function takeColorFlag(words: readonly string[]): { readonly args: readonly string[]; readonly color: string } {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const at = words.findIndex((word, index) => index < end && (word === '--color' || word.startsWith('--color=')));
  if (at < 0) return { args: words, color: 'auto' };
  const [word = '', next = ''] = words.slice(at, end);
  const isApart = word === '--color';
  return { args: words.toSpliced(at, isApart ? 2 : 1), color: isApart ? next : word.slice('--color='.length) };
}

export function failureOutcome(error: unknown, json: boolean): CommandOutcome {
  const known = isUmpireError(error)
    ? error
    : new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  const stderr = `umpire: ${known.message}\n${known.hint}\n`;
  if (!json) return { stderr, exit: known.exit };
  const { code, message, hint, rule } = known;
  return {
    stdout: `${JSON.stringify({ error: { code, message, hint }, ...(rule === undefined ? {} : { rule }) })}\n`,
    stderr,
    exit: known.exit,
  };
}

type Context = Required<CommandLineOptions>;

async function runCommand(args: readonly string[], context: Context): Promise<CommandOutcome> {
  const [command, ...rest] = args;
  if (command === undefined) return { stderr: (await import('./help.js')).helpText('umpire'), exit: 2 };
  if (command === '--help' || command === '-h' || command === 'help') return showHelp(rest[0]);
  if (command === '--version' || command === '-v') return { stdout: `${VERSION}\n`, exit: 0 };
  if (isCommand(command)) return startCommand(command, rest, context);
  if (command === 'warm-up') {
    // For the build: judges a sample session, so that the compiled code kept for the next start holds what a verdict runs through.
    await startCommand('decide', [...rest, '--json'], context);
    await startCommand('decide', rest, context);
    return { exit: 0 };
  }
  if (command === 'complete') return (await import('./completion.js')).runComplete(rest);
  throw unknownCommand(command);
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

async function startCommand(name: CommandName, words: readonly string[], context: Context): Promise<CommandOutcome> {
  const given = readArguments(name, words);
  if (given === 'help') return showHelp(name);
  const act = ACTS[name] as (given: object, context: Context) => Promise<CommandOutcome>;
  const { isLooking }: Command = COMMANDS[name];
  if (isLooking !== true) return act(given, context);
  const looked = given as Pick<Given<'logs'>, 'engine' | 'project' | 'session' | 'follow'>;
  const url = await (await import('./engine-choice.js')).engineFor(looked, looked.session);
  if (url === null) return act(given, context);
  const { listThere, lookThere } = await import('./fleet.js');
  return name === 'list'
    ? listThere(url, given as Given<'list'>)
    : lookThere(url, name, looked, (session) => act({ ...given, session }, context));
}

/** What each command does. All but `decide` are loaded only when called. */
const ACTS: { readonly [Name in CommandName]: (given: Given<Name>, context: Context) => Promise<CommandOutcome> } = {
  decide: (given, { startedAt }) => runDecide(given, startedAt),
  check: async (given) => (await import('./check.js')).runCheck(given),
  replay: async (given) => (await import('./replay.js')).runReplay(given),
  critique: async (given, { output }) => (await import('./critique.js')).runCritique(given, output),
  run: async (given, { output }) => (await import('./run.js')).runRun(given, output),
  until: async (given, { output }) => (await import('./run.js')).runUntil(given, output),
  resume: async (given, { output }) => (await import('./run.js')).runResume(given, output),
  resolve: async (given, { output }) => (await import('./run.js')).runResolve(given, output),
  dismiss: async (given, { output }) => (await import('./dismiss.js')).runDismiss(given, output),
  diff: async (given, { output }) => (await import('./diff-apply.js')).runDiff(given, output),
  apply: async (given, { output }) => (await import('./diff-apply.js')).runApply(given, output),
  pr: async (given) => (await import('./pr.js')).runPr(given),
  clean: async (given) => (await import('./clean.js')).runClean(given),
  status: async (given, { output }) => (await import('./look.js')).runStatus(given, output),
  list: async (given, { output }) => (await import('./look.js')).runList(given, output),
  report: async (given, { output }) => (await import('./look.js')).runReport(given, output),
  logs: async (given, { output }) => (await import('./logs.js')).runLogs(given, output),
  read: async (given, { output }) => (await import('./read.js')).runRead(given, output),
  doctor: async (given, { output }) => (await import('./doctor.js')).runDoctor(given, output),
  trust: async (given, { output }) => (await import('./trust.js')).runTrust(given, output),
  init: async (given) => (await import('./init.js')).runInit(given),
  hook: async (given) => (await import('./hook.js')).runHook(given),
  worker: async (given, { output }) => (await import('./worker.js')).runWorker(given, output),
  engine: async (given) => (await import('./engine.js')).runEngine(given),
  serve: async (given, { output }) => (await import('./serve.js')).runServe(given, output),
  mcp: async (given) => (await import('./mcp.js')).runMcp(given),
  ci: async (given, { output }) => (await import('./ci.js')).runCi(given, output),
  guard: async (given, { output }) => (await import('./guard.js')).runGuard(given, output),
  completion: async (given) => (await import('./completion.js')).runCompletion(given),
};

function unknownCommand(command: string): UmpireError {
  return new UmpireError('unknown-command', { name: command.slice(0, 40), meant: didYouMean(command, ['help', ...Object.keys(COMMANDS)]) });
}

async function showHelp(command: string | undefined): Promise<CommandOutcome> {
  const topic = command === undefined || command === 'help' || command.startsWith('-') ? 'umpire' : command;
  if (topic !== 'umpire' && !isCommand(topic)) throw unknownCommand(topic);
  return { stdout: (await import('./help.js')).helpText(topic), exit: 0 };
}
