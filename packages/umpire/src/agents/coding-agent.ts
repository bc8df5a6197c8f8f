// Runs one task with a coding agent (known/), in as many runs of its program as that needs: it continues a conversation, or starts a
// new one where that is not possible, and asks once more for a result where the agent ended without one.

import type { Agent, Watch } from '@umpire/core/model/ports.js';
import { lineOf } from '../views/safe-text.js';
import { completedWithout, programRunner, withTaskFiles, readConversation, writeConversation } from './program-agent.js';
import type { ProgramRun, ProgramSpec } from './program-agent.js';
import type { Dialogue, DialogueInput, Launch } from './child-process.js';
import { EventStream } from './event-stream.js';
import type { AgentReport } from './event-stream.js';
import type { Guardian } from './guardian.js';
import type { AgentTask, KnownAgent } from './known/known-agent.js';
import { promptFor, promptForResult, resultSchema, systemPromptFor } from './prompt.js';
import { CLEAN_EXIT } from './result.js';
import { sumUsage, UNKNOWN_USAGE } from './known/known-agent.js';

export interface CodingAgentSpec extends ProgramSpec {
  readonly agent: KnownAgent;
  /** The signal that asks the program to finish; null: it cannot be asked. */
  readonly finish?: Launch['finish'];
  readonly model?: string;
  readonly args?: readonly string[];
}

/** A conversation of the agent that can go on. */
interface OwnConversation {
  readonly id: string;
  /** All its tokens so far, where the agent counts those. */
  readonly tokens: number;
}

/** It only has to repeat what it did. */
const ASK_AGAIN_MS = 5 * 60_000;

export function codingAgent(spec: CodingAgentSpec, guardian: Guardian): Agent {
  const { isBoundToFolder = false } = spec.agent;
  const runProgram = programRunner(spec, guardian);
  return {
    name: spec.name,
    run: (assignment, watch) =>
      withTaskFiles(assignment, watch, async (files) => {
        const { workdir, check, budget, timeoutMs } = assignment;
        const known = readConversation(assignment.conversation);
        const isElsewhere = isBoundToFolder && known?.note !== workdir;
        let conversation: OwnConversation | null = known === null || isElsewhere ? null : { id: known.id, tokens: Number(known.note) || 0 };
        const runOnce = async (prompt: AgentTask['prompt'], task = assignment) => {
          const id = conversation?.id ?? null;
          const asked = { assignment: task, write: files.write, schema: JSON.stringify(resultSchema(task)), prompt, conversation: id };
          const outcome = await runProgram(planRun(spec, asked, conversation?.tokens ?? 0, watch), files, task);
          // A killed agent does not report its count, so the next run counts from the old one.
          const next = outcome.report?.conversation ?? id;
          if (next !== null) conversation = { id: next, tokens: outcome.report?.conversationTokens ?? conversation?.tokens ?? 0 };
          return outcome;
        };
        const prompt = { system: systemPromptFor(assignment, files), user: promptFor(assignment) };
        const isContinued = conversation !== null;
        let outcome = await runOnce(prompt);
        // The conversation may have been deleted, or be too long.
        if (isContinued && outcome.hasNotBegun && !watch.signal.aborted) {
          conversation = null;
          outcome = await runOnce(prompt);
        }
        let { ending } = outcome;
        // Where a check decides, the agent's word does not matter.
        if (outcome.lacksResult && check !== null) ending = completedWithout(outcome, assignment);
        else if (outcome.lacksResult && conversation !== null && !watch.signal.aborted) {
          files.clear();
          const spent = ending.usage ?? UNKNOWN_USAGE;
          const costUsd = budget.costUsd === null ? null : Math.max(0, budget.costUsd - spent.costUsd);
          const shorter = { ...assignment, budget: { ...budget, costUsd }, timeoutMs: Math.min(timeoutMs, ASK_AGAIN_MS) };
          const again = (await runOnce({ system: '', user: promptForResult(assignment, ending) }, shorter)).ending;
          // Without a result, the first answer is the reason, unless a server is.
          const isBroken = again.kind === 'broken' && again.passing === undefined && again.limit === undefined;
          ending = { ...(isBroken ? ending : again), usage: sumUsage(spent, again.usage ?? UNKNOWN_USAGE) };
        }
        if (conversation === null) return ending;
        const { id, tokens } = conversation;
        return { ...ending, conversation: writeConversation({ id, note: isBoundToFolder ? workdir : tokens === 0 ? '' : String(tokens) }) };
      }),
  };
}

/** `tokens`: those of the conversation before this run. */
function planRun(
  { agent, finish = 'SIGINT', model, args = [] }: CodingAgentSpec,
  task: AgentTask,
  tokens: number,
  watch: Watch,
): ProgramRun {
  const plan = agent.plan(task);
  const messages = agent.messages === undefined ? null : new MessageInput(agent.messages, plan.message);
  let isTurnEnded = false;
  const events = new EventStream(tokens, () => {
    isTurnEnded = true;
    messages?.end();
  });
  const keepLine = (chunk: Uint8Array): void => watch.log('stdout', chunk);
  const logged = agent.unlogged === undefined ? null : new LineFilter(agent.unlogged, keepLine);
  return {
    args: [
      ...(agent.subcommand === undefined ? [] : [agent.subcommand]),
      ...args,
      ...(model === undefined ? [] : ['--model', model]),
      ...plan.args,
    ],
    ...(plan.env === undefined ? {} : { env: plan.env }),
    input: messages ?? plan.message,
    finish,
    watch: {
      signal: watch.signal,
      log: (stream, chunk) => {
        if (stream === 'stderr') return watch.log(stream, chunk);
        if (logged === null) keepLine(chunk);
        else logged.write(chunk);
        events.write(chunk);
      },
    },
    readEnd: ({ code, signal, stopped }) => {
      logged?.end();
      const report = events.end();
      // After its turn Umpire closes the agent, so its exit status means nothing.
      const isDone = messages !== null && isTurnEnded && report?.fault === null;
      return {
        exit: isDone ? CLEAN_EXIT : { code, signal },
        report,
        isOrderly: stopped?.how === 'asked' && (isDone || code === 0),
        ...describeDenied(report),
      };
    },
  };
}

/** A denied tool may explain why the agent failed. */
function describeDenied(report: AgentReport | null): { readonly note?: string } {
  if (report?.refused === undefined) return {};
  const what = JSON.stringify(lineOf(report.refused, 200));
  return { note: `Its permissions denied ${what}; allow it in its own settings (docs/agents.md, "Presets").` };
}

/** The prompt as a message. Asked to finish, the agent gets another one. */
class MessageInput implements Dialogue {
  private line: DialogueInput | null = null;

  constructor(
    private readonly messages: NonNullable<KnownAgent['messages']>,
    private readonly prompt: string,
  ) {}

  begin(line: DialogueInput): void {
    this.line = line;
    line.say(`${JSON.stringify(this.messages.prompt(this.prompt))}\n`);
  }

  finish(): boolean {
    this.line?.say(`${JSON.stringify(this.messages.interrupt)}\n`);
    return true;
  }

  /** Call this when the turn has ended: the agent would wait for another message. */
  end(): void {
    this.line?.leave(false);
  }
}

// Leaves out the lines that begin with certain words, while the others pass on as they come. Memory is bounded: only the beginning of a line
// is held.

const LF = 0x0a;

export class LineFilter {
  /** The beginning of the current line; null once it is decided. */
  private held: Buffer | null = Buffer.alloc(0);
  private isDropped = false;
  private readonly prefix: Buffer;

  constructor(
    prefix: string,
    private readonly pass: (chunk: Uint8Array) => void,
  ) {
    this.prefix = Buffer.from(prefix);
  }

  write(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.take(chunk.subarray(from, end + 1));
      this.decide();
      this.held = Buffer.alloc(0);
      from = end + 1;
    }
    if (from < chunk.length) this.take(chunk.subarray(from));
  }

  end(): void {
    this.decide();
  }

  private take(piece: Uint8Array): void {
    if (this.held === null) {
      if (!this.isDropped) this.pass(piece);
      return;
    }
    this.held = Buffer.concat([this.held, piece]);
    if (this.held.length >= this.prefix.length) this.decide();
  }

  private decide(): void {
    const { held, prefix } = this;
    if (held === null) return;
    this.held = null;
    this.isDropped = held.length >= prefix.length && held.subarray(0, prefix.length).equals(prefix);
    if (!this.isDropped && held.length > 0) this.pass(held);
  }
}
