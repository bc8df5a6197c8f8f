// The agent over the Agent Client Protocol (SPEC section 7): JSON-RPC over stdin and stdout, one message per line. acp-conversation.ts owns
// the messages; this file splits the bytes into lines, writes the log and turns the outcome into the ending of the task.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import { LineStream } from '@umpire/reports/line-stream.js';
import type { Agent, Watch } from '@umpire/core/model/ports.js';
import type { Allowable } from '../sessions/settings.js';
import { packageRoot } from '../sessions/package-root.js';
import { AcpConversation } from './acp-conversation.js';
import { allowedCommands } from './permissions.js';
import type { Guardian } from './guardian.js';
import { findLastObject } from './last-json-object.js';
import { completedWithout, programRunner, withTaskFiles, readConversation, writeConversation } from './program-agent.js';
import type { ProgramRun, ProgramSpec } from './program-agent.js';
import { fullPromptFor, promptForResult } from './prompt.js';
import { CLEAN_EXIT, describeExit, fullOutputHint } from './result.js';
import { readResultFile } from './task-files.js';

export interface AcpSpec extends ProgramSpec {
  /** Kinds of tools that it may use on request, besides reading and editing in its folders. */
  readonly allow?: readonly Allowable[];
  /** Time limit until the agent accepts the task. */
  readonly readyMs?: number;
  /** False: the tokens that it reports are not those of its turn. */
  readonly countsTokens?: boolean;
}

/** Long enough for `npx` to download an agent. */
const READY_MS = 120_000;

const LF = 0x0a;

/** Diffs of whole files come in one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export function acpAgent(spec: AcpSpec, guardian: Guardian): Agent {
  const { name, allow = [], readyMs = READY_MS, countsTokens = true } = spec;
  const runProgram = programRunner(spec, guardian);
  return {
    name,
    run: (assignment, watch) =>
      withTaskFiles(assignment, watch, async (taskFiles) => {
        const { workdir, session, writes } = assignment;
        const known = readConversation(assignment.conversation);
        const log = new DialogueLog(watch, (text) => conversation.handleLine(text));
        const conversation = new AcpConversation({
          scope: { workdir, session, writes, allow, commands: allowedCommands(assignment) },
          prompt: fullPromptFor(assignment, taskFiles),
          askAgain: (answer) => {
            // The request for a missing result; null where there is one, or where it does not matter.
            if (assignment.check !== null || readResultFile(taskFiles.resultFile).file !== null || findLastObject(answer) !== null)
              return null;
            return promptForResult(assignment);
          },
          conversation: known === null ? null : { id: known.id, costUsd: Number(known.note) || 0 },
          // The protocol wants the version of the client.
          version: (version ??= readOwnVersion()),
          readyMs,
          countsTokens,
          tell: (words) => log.tell(words),
        });
        const plan: ProgramRun = {
          input: conversation,
          finish: 'SIGTERM',
          watch: {
            signal: watch.signal,
            log: (stream, chunk) => {
              if (stream === 'stderr') watch.log(stream, chunk);
              else if (log.take(chunk) > MAX_MESSAGE_BYTES)
                conversation.settle(`printed a line of more than 16 MB. ${fullOutputHint(session, assignment.task.id)}`, true);
            },
          },
          readEnd: (end) => {
            log.end();
            const { code, signal } = end;
            const { report, words, open, refused } = conversation.end();
            // A refused permission may explain why the agent failed.
            const note = refused === null ? {} : { note: `Last permission request: ${refused}.` };
            // After its turn Umpire closes the agent, so its exit status means nothing.
            if (words !== undefined)
              return { exit: words === null ? CLEAN_EXIT : { code, signal, words }, report, isOrderly: words === null, ...note };
            const when = open === 'session/prompt' ? 'in the middle of its turn' : `before it answered ${open}`;
            return { exit: { code, signal, words: `${describeExit({ code, signal })} ${when}` }, report, isOrderly: false, ...note };
          },
        };
        const outcome = await runProgram(plan, taskFiles, assignment);
        const ending = outcome.lacksResult && assignment.check !== null ? completedWithout(outcome, assignment) : outcome.ending;
        const id = outcome.report?.conversation;
        const { costUsd } = conversation.end();
        return id === undefined ? ending : { ...ending, conversation: writeConversation({ id, note: String(costUsd ?? '') }) };
      }),
  };
}

/** Writes the agent's output to the log as it comes, and Umpire's own lines between two lines of it. */
class DialogueLog {
  private untold = '';
  private isAtLineEnd = true;
  private length = 0;
  private readonly lines: LineStream;

  constructor(
    private readonly watch: Watch,
    hear: (text: string) => void,
  ) {
    this.lines = new LineStream((text) => hear(text), MAX_MESSAGE_BYTES);
  }

  take(chunk: Uint8Array): number {
    const end = chunk.lastIndexOf(LF) + 1;
    // Whole lines first, so that Umpire's answers to them follow directly.
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

function readOwnVersion(): string {
  try {
    const read = parseJson(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
    const said = read.ok && isObject(read.value) ? own(read.value, 'version') : null;
    return typeof said === 'string' ? said : '0';
  } catch {
    return '0';
  }
}
