// Runs one command line: finds the command, runs it, and turns errors into text and an exit status. Tests call it in-process.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { didYouMean } from '@umpire/core/formats/nearest-word.js';
import { elapsedMs } from '../../sessions/clock.js';
import { runDecide } from './decide.js';
import type { CommandOutcome } from './command-outcome.js';
import { COLOR_CHOICES } from '../../views/colors.js';
import { usage } from './flags.js';
import { processOutput } from './output.js';
import type { Output } from './output.js';
import { VERSION } from './version.generated.js';

export interface CommandLineOptions {
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
    return failureOutcome(error, args.includes('--json'));
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
  if (command === undefined) return { stderr: (await import('./help.js')).HELP.umpire, exit: 2 };
  if (command === '--help' || command === '-h' || command === 'help') return helpFor(rest[0]);
  if (command === '--version' || command === '-v') return { stdout: `${VERSION}\n`, exit: 0 };
  if (command === 'decide') return runDecide(rest, context.startedAt);
  const late = Object.hasOwn(LATE, command) ? LATE[command] : undefined;
  if (late !== undefined) return (await onEngine(command, rest, (args) => late(args, context.output))) ?? late(rest, context.output);
  if (command === 'warm-up') return warmUp(rest);
  if (command === 'complete') return (await import('./completion.js')).runComplete(rest);
  throw unknownCommand(command, COMMANDS);
}

const LOOKING: ReadonlySet<string> = new Set(['status', 'report', 'logs', 'replay', 'list', 'diff']);

const HERE_ONLY: ReadonlySet<string> = new Set(['apply', 'clean', 'decide', 'critique', 'mcp', 'guard', 'doctor']);

/** Commands that look can look at sessions of an engine. Null: it is about this machine. */
async function onEngine(
  command: string,
  args: readonly string[],
  look: (args: readonly string[]) => Promise<CommandOutcome>,
): Promise<CommandOutcome | null> {
  if (HERE_ONLY.has(command) && args.some((word) => word === '--engine' || word.startsWith('--engine=')))
    throw new UmpireError('engine-command', { command });
  if (!LOOKING.has(command) || args.includes('--help') || args.includes('-h')) return null;
  const { url, rest } = await (await import('./engine-choice.js')).takeEngine(args, command);
  if (url === null) return look(rest);
  const { listThere, lookThere } = await import('./fleet.js');
  return command === 'list' ? listThere(url, rest) : lookThere(url, command, rest, look);
}

/** Commands that no verdict needs: loaded only when called. */
const LATE: Readonly<Record<string, (args: readonly string[], output: Output) => Promise<CommandOutcome>>> = {
  check: async (args) => (await import('./check.js')).runCheck(args),
  replay: async (args) => (await import('./replay.js')).runReplay(args),
  critique: async (args, output) => (await import('./critique.js')).runCritique(args, output),
  run: async (args, output) => (await import('./run.js')).runRun(args, output),
  until: async (args, output) => (await import('./run.js')).runUntil(args, output),
  resume: async (args, output) => (await import('./run.js')).runResume(args, output),
  resolve: async (args, output) => (await import('./run.js')).runResolve(args, output),
  dismiss: async (args, output) => (await import('./dismiss.js')).runDismiss(args, output),
  diff: async (args, output) => (await import('./diff-apply.js')).runDiff(args, process.stdout.isTTY, output.isColored(1)),
  apply: async (args) => (await import('./diff-apply.js')).runApply(args),
  pr: async (args) => (await import('./pr.js')).runPr(args),
  clean: async (args) => (await import('./clean.js')).runClean(args),
  status: async (args, output) => (await import('./status.js')).runStatus(args, output.isColored(1)),
  list: async (args, output) => (await import('./list.js')).runList(args, output.isColored(1)),
  report: async (args, output) => (await import('./report.js')).runReport(args, output.isColored(1)),
  logs: async (args, output) => (await import('./logs.js')).runLogs(args, process.stdout.isTTY, output),
  read: async (args, output) => (await import('./read.js')).runRead(args, output.isColored(1)),
  doctor: async (args, output) => (await import('./doctor.js')).runDoctor(args, output.isColored(1)),
  trust: async (args, output) => (await import('./trust.js')).runTrust(args, output),
  init: async (args) => (await import('./init.js')).runInit(args),
  hook: async (args) => (await import('./hook.js')).runHook(args),
  worker: async (args, output) => (await import('./worker.js')).runWorker(args, output),
  engine: async (args) => (await import('./engine.js')).runEngine(args),
  serve: async (args, output) => (await import('./serve.js')).runServe(args, output),
  mcp: async (args) => (await import('./mcp.js')).runMcp(args),
  ci: async (args, output) => (await import('./ci.js')).runCi(args, output),
  guard: async (args, output) => (await import('./guard.js')).runGuard(args, output),
  completion: async (args) => (await import('./completion.js')).runCompletion(args),
};

/** Every command, for help on a misspelt one. */
export const COMMANDS = ['decide', 'help', ...Object.keys(LATE)];

function unknownCommand(command: string, known: readonly string[]): UmpireError {
  return new UmpireError('unknown-command', { name: command.slice(0, 40), meant: didYouMean(command, known) });
}

async function helpFor(command: string | undefined): Promise<CommandOutcome> {
  const { HELP } = await import('./help.js');
  const topic = command === undefined || command === 'help' || command.startsWith('-') ? 'umpire' : command;
  if (!Object.hasOwn(HELP, topic)) throw unknownCommand(topic, Object.keys(HELP));
  return { stdout: HELP[topic as keyof typeof HELP], exit: 0 };
}

/** For the build: judges a sample session, so that the compiled code kept for the next start holds what a verdict runs through. */
async function warmUp(args: readonly string[]): Promise<CommandOutcome> {
  await runDecide([...args, '--json']);
  await runDecide(args);
  return { exit: 0 };
}
