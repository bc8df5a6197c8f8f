// The agent that speaks the Agent Client Protocol (SPEC section 7): JSON-RPC over stdin and stdout, one message a line. What is said is
// acp-conversation.ts's; here its bytes become lines, lines go to the log, and what came of it becomes the ending of the task.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import { LineStream } from '@umpire/reports/line-stream.js';
import type { Agent, Watch } from '@umpire/core/ports.js';
import type { Allowable } from '../sessions/default-settings.js';
import { packageRoot } from '../sessions/package-root.js';
import { Conversation } from './acp-conversation.js';
import type { Guardian } from './guardian.js';
import { programAgent } from './program.js';
import type { Ended, Handover, ProgramSpec } from './program.js';
import { promptFor } from './prompt.js';
import { CLEAN_EXIT, exitWords, keptWords } from './result.js';

export interface AcpSpec extends ProgramSpec {
  /** What it may do when it asks, beside reading and editing in its folders. */
  readonly allow?: readonly Allowable[];
  /** This command it may run, too: the one that is to pass. */
  readonly command?: string;
  /** So long it may take to be ready for the task. */
  readonly readyMs?: number;
}

/** Agents that are started with `npx` may have to be fetched first. */
const READY_MS = 120_000;

const LF = 0x0a;

/** Diffs of whole files come in one message. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;

export function acpAgent(spec: AcpSpec, guardian: Guardian): Agent {
  const { allow = [], command, readyMs = READY_MS } = spec;
  return programAgent(spec, guardian, (assignment, slot, watch) => {
    const { workdir, session, writes } = assignment;
    const log = new TalkLog(watch, (text) => conversation.hear(text));
    const conversation = new Conversation({
      places: { workdir, session, writes, allow, ...(command === undefined ? {} : { command }) },
      prompt: promptFor(assignment, slot),
      version: ownVersion(),
      readyMs,
      tell: (words) => log.tell(words),
    });
    const take: Watch['log'] = (stream, chunk) => {
      if (stream === 'stderr') watch.log(stream, chunk);
      else if (log.take(chunk) > LONGEST_MESSAGE)
        conversation.settle(`printed a line of more than 16 MB. ${keptWords(session, assignment.task.id)}`, true);
    };
    return {
      input: conversation,
      finish: 'SIGTERM',
      watch: { signal: watch.signal, log: take },
      handed: (end) => {
        log.end();
        return handoverOf(conversation, end);
      },
    };
  });
}

function handoverOf(conversation: Conversation, { code, signal }: Ended): Handover {
  const { told, words, open, refused } = conversation.end();
  // An agent that could not do its task may have been kept from it.
  const note = refused === null ? {} : { note: `What it last asked leave for was ${refused}.` };
  // When its turn has ended it is told to go: how it does that says nothing.
  if (words !== undefined) return { exit: words === null ? CLEAN_EXIT : { code, signal, words }, told, isOrderly: words === null, ...note };
  const when = open === 'session/prompt' ? 'in the middle of its turn' : `before it answered ${open}`;
  return { exit: { code, signal, words: `${exitWords({ code, signal })} ${when}` }, told, isOrderly: false, ...note };
}

/** What it prints goes to the log as it comes; what Umpire says goes between two lines of it. */
class TalkLog {
  private untold = '';
  private isAtLineEnd = true;
  /** Of the line that has not ended. */
  private length = 0;
  private readonly lines: LineStream;

  constructor(
    private readonly watch: Watch,
    hear: (text: string) => void,
  ) {
    this.lines = new LineStream(({ text }) => hear(text), LONGEST_MESSAGE);
  }

  /** Says how long the line is that has not ended. */
  take(chunk: Uint8Array): number {
    const end = chunk.lastIndexOf(LF) + 1;
    // Whole lines first: what is answered to them is told right behind them.
    if (end > 0) this.pass(chunk.subarray(0, end));
    if (end < chunk.length) this.pass(chunk.subarray(end));
    this.length = (end > 0 ? 0 : this.length) + chunk.length - end;
    return this.length;
  }

  tell(words: string): void {
    this.untold += `${words}\n`;
  }

  end(): void {
    if (this.untold !== '' && !this.isAtLineEnd) this.untold = `\n${this.untold}`;
    this.flush();
  }

  private pass(chunk: Uint8Array): void {
    if (this.isAtLineEnd) this.flush();
    this.watch.log('stdout', chunk);
    this.lines.write(chunk);
    this.isAtLineEnd = chunk.at(-1) === LF;
    if (this.isAtLineEnd) this.flush();
  }

  private flush(): void {
    const words = this.untold;
    this.untold = '';
    if (words !== '') this.watch.log('stdout', Buffer.from(words));
  }
}

let version: string | null = null;

/** Agents are told who talks with them. */
function ownVersion(): string {
  return (version ??= readVersion());
}

function readVersion(): string {
  try {
    const read = parseJson(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
    const said = read.ok && isObject(read.value) ? own(read.value, 'version') : null;
    return typeof said === 'string' ? said : '0';
  } catch {
    return '0';
  }
}
