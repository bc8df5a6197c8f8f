// The command. stdout is data, stderr is progress; the exit status is a contract. Everything it does is the work of engine/ and runtime/.

import { isatty } from 'node:tty';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { meant } from '@umpire/core/formats/nearest-word.js';
import { runDecide } from './decide.js';
import { HELP, VERSION } from './help.js';
import { partsOf } from './outcome.js';
import type { Outcome } from './outcome.js';
import { writeAll } from './writing.js';

async function main(args: readonly string[]): Promise<Outcome> {
  const [command, ...rest] = args;
  if (command === undefined) return { stderr: HELP.umpire, exit: 2 };
  if (command === '--help' || command === '-h' || command === 'help') return help(rest[0]);
  if (command === '--version' || command === '-v') return { stdout: `${VERSION}\n`, exit: 0 };
  if (command === 'decide') return runDecide(rest);
  const late = Object.hasOwn(LATE, command) ? LATE[command] : undefined;
  if (late !== undefined) return late(rest);
  if (command === 'warm-up') return warmUp(rest);
  throw unknown(command, COMMANDS);
}

/** Commands that no verdict needs: loaded when they are asked for. */
const LATE: Readonly<Record<string, (args: readonly string[]) => Promise<Outcome>>> = {
  check: async (args) => (await import('./check.js')).runCheck(args),
  replay: async (args) => (await import('./replay.js')).runReplay(args),
  critique: async (args) => (await import('./critique.js')).runCritique(args),
  run: async (args) => (await import('./run.js')).runRun(args),
  until: async (args) => (await import('./run.js')).runUntil(args),
  resume: async (args) => (await import('./run.js')).runResume(args),
  resolve: async (args) => (await import('./run.js')).runResolve(args),
  diff: async (args) => (await import('./work.js')).runDiff(args),
  apply: async (args) => (await import('./work.js')).runApply(args),
  clean: async (args) => (await import('./clean.js')).runClean(args),
  status: async (args) => (await import('./status.js')).runStatus(args),
  list: async (args) => (await import('./list.js')).runList(args),
  report: async (args) => (await import('./report.js')).runReport(args),
  logs: async (args) => (await import('./logs.js')).runLogs(args),
  read: async (args) => (await import('./read.js')).runRead(args),
  doctor: async (args) => (await import('./doctor.js')).runDoctor(args),
  init: async (args) => (await import('./init.js')).runInit(args),
  hook: async (args) => (await import('./hook.js')).runHook(args),
  serve: async (args) => (await import('./serve.js')).runServe(args),
  mcp: async (args) => (await import('./mcp.js')).runMcp(args),
  guard: async (args) => (await import('./guard.js')).runGuard(args),
};

const COMMANDS = ['decide', 'help', ...Object.keys(LATE)];

function unknown(command: string, known: readonly string[]): UmpireError {
  return new UmpireError('unknown-command', { name: command.slice(0, 40), meant: meant(command, known) });
}

async function help(command: string | undefined): Promise<Outcome> {
  if (command === undefined || command === 'umpire' || command === 'help' || command.startsWith('-'))
    return { stdout: HELP.umpire, exit: 0 };
  const texts: Readonly<Record<string, string>> = {
    ...HELP,
    ...(await import('./run-help.js')).RUN_HELP,
    ...(await import('./look-help.js')).LOOK_HELP,
    ...(await import('./agent-help.js')).AGENT_HELP,
  };
  const text = Object.hasOwn(texts, command) ? texts[command] : undefined;
  if (text === undefined) throw unknown(command, Object.keys(texts));
  return { stdout: text, exit: 0 };
}

/** For the build: judges a sample session, so that the code kept for the next start holds what a verdict runs through. */
async function warmUp(args: readonly string[]): Promise<Outcome> {
  await runDecide([...args, '--json']);
  await runDecide(args);
  return { exit: 0 };
}

function failure(error: unknown, json: boolean): Outcome {
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

/** Ends the process. Node aborts where it finds the terminal gone whose settings it would put back: then by what a closed terminal sends. */
function leave(exit: number, terminals: readonly number[]): never {
  if (terminals.some((fd) => !isatty(fd))) process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
  process.exit(exit);
}

async function start(): Promise<void> {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  const args = process.argv.slice(2);
  const json = args.includes('--json');
  const outcome = await main(args).catch((error: unknown) => failure(error, json));
  for (const [fd, data] of partsOf(outcome, process.stdout.isTTY && process.stderr.isTTY)) {
    const detail = writeAll(fd, data);
    if (detail === null || fd === 2) continue;
    const fault = new UmpireError('write-failed', { path: 'stdout', detail });
    // Who would run it again for the line that was lost would do all the work again.
    if (outcome.stands !== undefined) writeAll(2, `umpire: ${fault.message} ${outcome.stands}\n`);
    if (outcome.stands !== undefined) break;
    // Half of what was asked for must not pass for the whole.
    writeAll(2, failure(fault, false).stderr ?? '');
    leave(1, terminals);
  }
  // All is written by now, synchronously: there is nothing left to wait for.
  leave(outcome.exit, terminals);
}

void start();
