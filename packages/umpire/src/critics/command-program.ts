// Can the person's command decide? Before anything begins: is there a program for it, and does its exit status say whether it passed?
// `npm test || true` always passes, and so does `npm test; echo done`. So a slip of the pen sets no agent to work.

import { spawn } from 'node:child_process';
import { quoteWord, readShell } from '@umpire/core/formats/shell-text.js';
import type { ShellCommand, ShellList } from '@umpire/core/formats/shell-text.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { findWatchedCall } from '../runners/watch-mode.js';
import { findPersonalProgram, inheritedVariables } from '../sessions/environment.js';

/** The program that a command begins with and cannot pass without, where its text says so plainly. */
export function findFirstProgram(command: string): string | null {
  const { commands, background, unreadFrom } = readShell(command);
  const [first] = commands;
  // Another command decides then, or may stand in for it.
  const isAlone = commands.every(({ operator }) => operator === '' || operator === '&&') && background === null && unreadFrom === null;
  // A path, a quoted name, a variable or a function that is defined here says less.
  const isPlain = first?.group === null && first.start === command.search(/\S/) && Object.keys(first.env).length === 0;
  const program = isAlone && isPlain ? (first.written[0] ?? '') : '';
  return /^[A-Za-z_][\w.+-]*$/.test(program) && command.startsWith(program, first?.start) ? program : null;
}

/** Throws where the shell knows no such program, builtin or keyword. */
export async function requireProgram(command: string, folder: string): Promise<void> {
  const program = findFirstProgram(command);
  const status = program === null ? null : await runForStatus('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], folder);
  // A shell that cannot be asked says nothing against the program.
  if (program !== null && status !== 0 && status !== null) throw new UmpireError('command-unknown', { program });
}

/** W4: throws where the command passes although what it runs failed, or never ends. */
export async function requireExitStatus(command: string, folder: string): Promise<void> {
  const watched = findWatchedCall(command, folder);
  if (watched !== null) {
    const { call, script, instead } = watched;
    const where = script === '' ? '' : ` in the script ${quoteWord(script)} of package.json`;
    throw new UmpireError('command-watches', { call, where, instead: quoteWord(instead) });
  }
  const { hidden, pipe } = readExitStatus(command);
  if (hidden !== null) throw new UmpireError('command-status', { why: hidden.why, instead: quoteWord(hidden.instead), first: '' });
  if (pipe === null || (await findShell(command, folder)) !== null) return;
  const why = `it has a pipe, and no shell with pipefail was found, so ${pipe.why}`;
  throw new UmpireError('command-status', { why, instead: quoteWord(pipe.instead), first: 'Install bash, or leave the pipe out. ' });
}

export const SYSTEM_SHELL: readonly string[] = ['/bin/sh', '-c'];

/**
 * The shell and its flags for the command. With a pipe it is one that fails where any part of the pipe does; null if there is none.
 * Without a pipe it is the system's own.
 */
export async function findShell(command: string, folder: string): Promise<readonly string[] | null> {
  if (readExitStatus(command).pipe === null) return SYSTEM_SHELL;
  const bash = findPersonalProgram('bash');
  // By its full path: the check may have folders of the worktree in its PATH, and an agent writes there.
  for (const shell of [...(bash === null ? [] : [bash]), '/bin/sh'])
    if ((await runForStatus(shell, ['-o', 'pipefail', '-c', ':'], folder)) === 0) return [shell, '-o', 'pipefail', '-c'];
  return null;
}

/** Null where it could not be started, or a signal ended it. */
function runForStatus(program: string, args: readonly string[], folder: string): Promise<number | null> {
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore', env: inheritedVariables() });
  return new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('exit', (code) => resolve(code));
  });
}

interface HiddenStatus {
  /** `it ends in "|| true"` */
  readonly why: string;
  /** The command whose status counts. */
  readonly instead: string;
}

interface ExitStatus {
  /** It has a pipe, whose status is that of its last part unless the shell has `pipefail`. */
  readonly pipe: HiddenStatus | null;
  /** Its status says nothing. Null where it says something, or where its text cannot be read. */
  readonly hidden: HiddenStatus | null;
}

export function readExitStatus(text: string): ExitStatus {
  const shell = readShell(text);
  const hidden = shell.unreadFrom === null ? findHidden(text, shell) : null;
  // `a || true; true` takes two steps.
  const instead = hidden === null ? '' : (readExitStatus(hidden.instead).hidden?.instead ?? hidden.instead);
  return { pipe: findPipe(text, shell), hidden: hidden === null ? null : { ...hidden, instead } };
}

const ALWAYS_PASSES: ReadonlySet<string> = new Set(['true', '/bin/true', '/usr/bin/true', ':', 'echo', 'printf']);

/** Can a failure come of it? An assignment alone has the status of its substitution. */
function isWork({ words, env, group, isOpaque }: ShellCommand): boolean {
  if (isOpaque || group !== null) return isOpaque || group?.commands.some(isWork) === true;
  const [program, argument] = words;
  if (program === undefined) return Object.keys(env).length > 0;
  return !ALWAYS_PASSES.has(program) && !(program === 'exit' && argument === '0');
}

/** `|| exit 1`, `|| { echo failed; exit 1; }`: the shell ends here, so nothing after it hides the failure. */
function exitsShell(command: ShellCommand | undefined): boolean {
  if (command === undefined || command.group !== null) return command !== undefined && exitsShell(command.group?.commands.at(-1));
  return command.words[0] === 'exit' && command.words[1] !== '0';
}

function startsStatement({ operator }: ShellCommand): boolean {
  return operator === '' || operator === ';' || operator === '&';
}

function findHidden(text: string, { commands, background }: ShellList): HiddenStatus | null {
  if (background !== null && commands.slice(commands.findLastIndex(startsStatement)).some(isWork))
    return { why: 'it ends in "&", so nothing waits for the command', instead: cutText(text, background, background + 1) };
  for (const [at, command] of [...commands.entries()].toReversed()) {
    // In a pipe every part counts, and `| { grep -v x || true; }` is how one is left out.
    if (command.group !== null && !command.isOpaque && command.operator !== '|') {
      const inside = findHidden(text, command.group);
      if (inside !== null) return inside;
    }
    const before = commands.slice(0, at);
    // Where everything before it always passes, `|| command` never runs.
    if (isWork(command) && command.operator === '||') return findHidden(text, { commands: before, background: null });
    if (isWork(command) || command.operator === '|') return null;
    const instead = cutText(text, command.operatorAt, command.end);
    const said = showCommand(text, command);
    if (command.operator === '||') return before.some(isWork) ? { why: `it ends in "|| ${said}"`, instead } : null;
    // `&&` keeps the status of the commands before it.
    if (command.operator === '&&') continue;
    if (!isUnguarded(before)) return null;
    const isPrinting = command.words[0] === 'echo' || command.words[0] === 'printf';
    return {
      why:
        command.operator === '&' ? `"&" runs the command before "${said}" in the background` : `it ends in "${said}", which always passes`,
      instead: isPrinting ? `${cutText(text, command.operatorAt, text.length)} && ${text.slice(command.start)}` : instead,
    };
  }
  return null;
}

/** Is there a command whose failure neither `set -e` nor `|| exit` keeps? */
function isUnguarded(commands: readonly ShellCommand[]): boolean {
  let stopsAtFailure = false;
  return commands.some((command, at) => {
    const isSet = command.words[0] === 'set';
    stopsAtFailure ||= isSet && command.words.some((word) => /^-[a-z]*e/.test(word) || word === 'errexit');
    const next = commands.findIndex((other, index) => index > at && startsStatement(other));
    const end = commands.slice(at, next < 0 ? undefined : next).at(-1);
    return isWork(command) && !isSet && !stopsAtFailure && !(end?.operator === '||' && exitsShell(end));
  });
}

/** The first pipe, also in a group. */
function findPipe(text: string, { commands }: ShellList): HiddenStatus | null {
  const first = commands.findIndex(({ operator }) => operator === '|');
  const start = commands[first];
  if (start === undefined)
    return commands.reduce<HiddenStatus | null>((found, { group }) => found ?? (group === null ? null : findPipe(text, group)), null);
  const after = commands.findIndex(({ operator }, at) => at > first && operator !== '|');
  const end = commands[after < 0 ? commands.length - 1 : after - 1] ?? start;
  return { why: `only "${showCommand(text, end)}" decides whether it passes`, instead: cutText(text, start.operatorAt, end.end) };
}

const SHOWN_LENGTH = 60;

function showCommand(text: string, { start, end }: ShellCommand): string {
  const written = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return written.length > SHOWN_LENGTH ? `${written.slice(0, SHOWN_LENGTH)}...` : written;
}

/** The text without a part of it and the blanks before that. */
function cutText(text: string, from: number, to: number): string {
  return `${text.slice(0, from).replace(/(?:\s|\\\n)+$/, '')}${text.slice(to)}`.trim();
}
