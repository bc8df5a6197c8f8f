// Calls a person in the ways of the settings: a command, a Slack or other webhook, a note on the desktop. A command that is a text runs in a
// shell, so that it can use the UMPIRE_ variables; a list runs without one. No message shows an address: it may be a password.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readShell } from '@umpire/core/formats/shell-text.js';
import { networkFault } from '../forge/github-access.js';
import { lineOf } from '../views/safe-text.js';
import type { CommandLine, NotifyWays, Settings } from '../sessions/settings.js';
import { findPersonalProgram, isWebAddress } from '../sessions/environment.js';

interface NotifyResult {
  /** The program only: the rest of the command may hold a password. */
  readonly program: string;
  readonly problem: string | null;
}

export interface PersonNotice {
  /** For the journal: the programs and ways that were tried. */
  readonly by: string;
  /** What failed, as the start of a sentence. */
  readonly problems: readonly string[];
}

/** `env`: with the UMPIRE_ variables of the session, which are the message. Never throws. */
export async function callPersonBy(ways: NonNullable<Settings['notify']>, options: NotifyOptions): Promise<PersonNotice> {
  const { command, slack, webhook, desktop = false } = typeof ways === 'string' || isWords(ways) ? { command: ways } : ways;
  const value = (name: string) => lineOf(options.env[`UMPIRE_${name}`] ?? '', MOST_CHARS);
  const [session, loop, goal, status, question, reason] = ['SESSION_NAME', 'LOOP', 'GOAL', 'STATUS', 'QUESTION', 'REASON'].map(value);
  const text = status === 'awaiting' ? `${session} waits for a person: ${question}` : `${session} has ended: ${status}. ${reason}`;
  const message = { text: text.trim(), session, loop, goal, status, question, reason };
  const told = await Promise.all([
    ...(command === undefined ? [] : [runNotifyCommand(command, options)]),
    ...(slack === undefined ? [] : [postMessage('slack', slack, { text: slackText(message.text) }, options)]),
    ...(webhook === undefined ? [] : [postMessage('webhook', webhook, message, options)]),
    ...(desktop ? [tellDesktop(message.text, options)] : []),
  ]);
  const results = told.filter((one) => one !== null);
  return {
    by: results.map(({ program }) => program).join(', ') || 'nobody',
    problems: results.flatMap(({ program, problem }, index) => {
      const what = index === 0 && command !== undefined ? `The notify command (${program})` : `notify.${program}`;
      return problem === null ? [] : [`${what} failed: ${problem}`];
    }),
  };
}

function isWords(ways: readonly string[] | NotifyWays): ways is readonly string[] {
  return Array.isArray(ways);
}

const MOST_CHARS = 500;

/** Slack reads these three as its own markup. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const POST_MS = 10_000;

/** `named`: the address, or the variable that holds it. */
async function postMessage(
  program: 'slack' | 'webhook',
  named: string,
  message: unknown,
  { env, signal, waitMs = POST_MS }: NotifyOptions,
): Promise<NotifyResult> {
  const url = isWebAddress(named) ? named : (env[named] ?? '');
  if (url === '') return { program, problem: `the variable ${named} is not set` };
  if (!isWebAddress(url)) return { program, problem: `the variable ${named} holds no https address` };
  const limit = AbortSignal.timeout(waitMs);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'umpire' },
      body: JSON.stringify(message),
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    await answer.body?.cancel();
    return { program, problem: answer.ok ? null : `the server answered ${answer.status}` };
  } catch (error) {
    return { program, problem: limit.aborted ? `no answer within ${waitMs / 1000} seconds` : networkFault(error) };
  }
}

const SCRIPT = ['on run argv', 'display notification (item 1 of argv) with title "Umpire"', 'end run'];

/** Null: this machine has no such program, as on a server. */
async function tellDesktop(text: string, options: NotifyOptions): Promise<NotifyResult | null> {
  const ways: readonly (readonly [program: string, ...args: readonly string[]])[] = [
    ['notify-send', '--', 'Umpire', slackText(text)],
    ['osascript', ...SCRIPT.flatMap((line) => ['-e', line]), text],
  ];
  for (const [name, ...args] of ways) {
    const program = findPersonalProgram(name);
    if (program !== null) return { ...(await runNotifyCommand([program, ...args], options)), program: 'desktop' };
  }
  return null;
}

export interface NotifyOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number;
}

const WAIT_MS = 30_000;

export async function runNotifyCommand(command: CommandLine, { cwd, env, signal, waitMs = WAIT_MS }: NotifyOptions): Promise<NotifyResult> {
  const [file = '', ...args] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  let child: ChildProcess;
  try {
    child = spawn(file, args, { cwd, env, stdio: 'ignore', detached: true });
  } catch (error) {
    // A goal may be longer than an environment variable may be.
    return { program: nameProgram(command), problem: String(error) };
  }
  const stop = (): void => {
    // Ends the command and everything it started.
    const pid = child.pid;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  const timer = setTimeout(stop, waitMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const problem = await new Promise<string | null>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(code === 0 ? null : (signal ?? `exit status ${String(code)}${explainStatus(code)}`)));
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  return { program: nameProgram(command), problem };
}

function nameProgram(command: CommandLine): string {
  if (typeof command !== 'string') return command[0] ?? '/bin/sh';
  const { commands, unreadFrom } = readShell(command);
  return (unreadFrom === null ? commands[0]?.words[0] : null) ?? '/bin/sh';
}

/** Explains the exit status of a shell. */
function explainStatus(code: number | null): string {
  return code === 127 ? ' (no such program)' : '';
}
