// Where commands write: the process's own stdout and stderr, or a buffer in a test. Every text passes here, and hidden characters in it
// become visible (W8): no command can forget to clean foreign text.

import { writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { isatty } from 'node:tty';
import { splitAtColors, wantsColor } from '../../views/colors.js';
import { showHidden, wrap } from '../../views/safe-text.js';

export interface Output {
  /**
   * Writes all of the data, also into a pipe that is full for a moment: text without hidden characters, bytes as they are. Null if it is
   * written or nobody reads any more (a closed pipe, a terminal that is gone), else the reason, such as a full disk.
   */
  readonly write: (fd: 1 | 2, data: string | Uint8Array) => string | null;
  /** Writes progress to stderr without hidden characters, and drops it if the reader is slow or gone. */
  readonly writeProgress: (data: string | Uint8Array) => void;
  /** Whether the stream shows Umpire's own colours. */
  readonly isColored: (fd: 1 | 2) => boolean;
}

/** Where the bytes go. */
interface Sink {
  readonly writeAll: (fd: 1 | 2, bytes: Uint8Array) => string | null;
  readonly writeProgress: (bytes: Uint8Array) => void;
  readonly isColored: (fd: 1 | 2) => boolean;
  /** The width of a terminal; undefined elsewhere. Messages wrap there at words. */
  readonly columns?: (fd: 1 | 2) => number | undefined;
}

export function createOutput({ writeAll: writeBytes, writeProgress: writeSome, isColored, columns }: Sink): Output {
  const textOf = cleanChunks();
  return {
    write: (fd, data) => {
      if (typeof data !== 'string') return writeBytes(fd, data);
      const text = fd === 2 ? wrapMessages(data, columns?.(2)) : data;
      return writeBytes(fd, Buffer.from(cleanText(text, isColored(fd))));
    },
    isColored,
    writeProgress: (data) => writeSome(Buffer.from(typeof data === 'string' ? showHidden(data) : textOf(data))),
  };
}

/** The text without hidden characters; Umpire's own colours stay if they are shown. */
export function cleanText(text: string, isColored: boolean): string {
  const parts = isColored ? splitAtColors(text) : [text];
  return parts.map((part, at) => (at % 2 === 1 ? part : showHidden(part, Infinity))).join('');
}

/** Wraps long lines at words, under their indent. Commands to copy stay whole, and so do lines with colours, which are wrapped already. */
function wrapMessages(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < MIN_COLUMNS) return text;
  const lines = text.split('\n').map((line) => {
    if (line.length <= columns || line.startsWith('  umpire ') || splitAtColors(line).length > 1) return line;
    return wrap(line.trimStart(), /^ */.exec(line)?.[0] ?? '', undefined, columns).join('\n');
  });
  return lines.join('\n');
}

const MIN_COLUMNS = 40;

/** Turns a tool's output into text. The start of a colour and of a character waits for its end. */
function cleanChunks(): (chunk: Uint8Array) => string {
  const decoder = new StringDecoder('utf8');
  let held = '';
  return (chunk) => {
    const text = held + decoder.write(chunk);
    held = UNFINISHED.exec(text)?.[0] ?? '';
    return showHidden(text.slice(0, text.length - held.length));
  };
}

const UNFINISHED = new RegExp(`(?:${String.fromCharCode(27)}(?:\\[[\\d;:]{0,40})?|\\r)$`);

/** `color`: the value of --color; another value counts as auto, and the command line refuses it. */
export function processOutput(color: string): Output {
  return createOutput({
    writeAll,
    writeProgress,
    isColored: (fd) => wantsColor(color, process.env, isatty(fd)),
    columns: (fd) => (isatty(fd) ? (fd === 1 ? process.stdout : process.stderr).columns : undefined),
  });
}

function writeAll(fd: 1 | 2, bytes: Uint8Array): string | null {
  let from = 0;
  while (from < bytes.length) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'EIO') return null;
      if (code !== 'EAGAIN') return message;
    }
  }
  return null;
}

function writeProgress(data: Uint8Array): void {
  try {
    writeSync(2, data);
  } catch {
    // Nobody is reading.
  }
}

export interface CommandOutcome {
  readonly stdout?: string;
  /** Written to stdout after the text, unchanged: bytes of a patch or an agent's output. */
  readonly bytes?: Uint8Array;
  readonly stderr?: string;
  /** stderr is a summary of stdout: a terminal that shows both gets it last. */
  readonly sumsUp?: boolean;
  readonly exit: number;
  /** What is done even if stdout cannot be written; the exit status then stays. Without this text, a failed write is an error. */
  readonly stands?: string;
}

type OutputPart = readonly [fd: 1 | 2, data: string | Uint8Array];

/** The parts in the order of writing. `isSeen`: stdout and stderr are both a terminal. */
export function partsOf({ stdout, bytes, stderr, sumsUp }: CommandOutcome, isSeen: boolean): readonly OutputPart[] {
  const data = [stdout, bytes].flatMap((part) => (part === undefined ? [] : [[1, part] as const]));
  const said = stderr === undefined ? [] : [[2, stderr] as const];
  return sumsUp === true && isSeen ? [...data, ...said.map(([fd, text]) => [fd, `\n${text}`] as const)] : [...said, ...data];
}

/** Runs an act with a signal that Ctrl-C aborts. */
export async function runUntilInterrupted(act: (signal: AbortSignal) => Promise<CommandOutcome>): Promise<CommandOutcome> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const outcome = await act(stop.signal);
    return stop.signal.aborted ? { stderr: 'umpire: Stopped. Nothing was changed.\n', exit: 130 } : outcome;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
