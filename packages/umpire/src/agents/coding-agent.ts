// Runs one task with a coding agent (presets.ts), in as many runs of its program as that needs: it continues a conversation, or starts a
// new one where that is not possible, and asks once more for a result where the agent ended without one.

import type { Agent, Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { lineOf } from '../views/safe-text.js';
import type { EndedProcess, ProgramResult, ProgramSpec } from './program-agent.js';
import { completedWithout, programRunner, withTaskFiles } from './program-agent.js';
import type { Launch } from './child-process.js';
import { ClaudeInput } from './claude-input.js';
import { readConversation, writeConversation } from './conversation.js';
import { EventStream } from './event-stream.js';
import type { AgentReport } from './event-stream.js';
import type { Guardian } from './guardian.js';
import { LineFilter } from './line-filter.js';
import type { Preset, PresetTask } from './presets.js';
import { askAgainFor } from './missing-result.js';
import { promptFor, systemPromptFor } from './prompt.js';
import { CLEAN_EXIT } from './result.js';
import { sumUsage, UNKNOWN_USAGE } from './usage.js';

export interface CodingAgentSpec extends ProgramSpec {
  readonly preset: Preset;
  /** The signal that asks the program to finish; null: it cannot be asked. */
  readonly finish?: Launch['finish'];
  readonly model?: string;
  /** The person's own arguments. */
  readonly args?: readonly string[];
}

/** It only has to repeat what it did. */
const ASK_AGAIN_MS = 5 * 60_000;

export function codingAgent(spec: CodingAgentSpec, guardian: Guardian): Agent {
  const { name, preset } = spec;
  const runProgram = programRunner(spec, guardian);
  const run = (assignment: Assignment, watch: Watch): Promise<Ending> =>
    withTaskFiles(assignment, watch, async (files) => {
      const { workdir, check } = assignment;
      const start = (conversation: OwnConversation | null, prompt: PresetTask['prompt'], task = assignment) => {
        const id = conversation?.id ?? null;
        return runProgram(planRun(spec, { assignment: task, files, prompt, conversation: id }, conversation, watch), files, task);
      };
      const prompt = { system: systemPromptFor(assignment, files), user: promptFor(assignment) };
      let conversation = conversationFrom(assignment.conversation, preset, workdir);
      let outcome = await start(conversation, prompt);
      // The conversation may have been deleted, or be too long.
      if (conversation !== null && outcome.hasNotBegun && !watch.signal.aborted) {
        conversation = null;
        outcome = await start(null, prompt);
      }
      conversation = conversationAfter(outcome.report, conversation);
      let { ending } = outcome;
      // Where a check decides, the agent's word does not matter.
      if (outcome.lacksResult && check !== null) ending = completedWithout(outcome, assignment);
      else if (outcome.lacksResult && conversation !== null && !watch.signal.aborted) {
        files.clear();
        const again = await start(conversation, { system: '', user: askAgainFor(assignment, ending) }, shortened(assignment, ending));
        conversation = conversationAfter(again.report, conversation);
        ending = afterAskingAgain(ending, again.ending);
      }
      return conversation === null ? ending : { ...ending, conversation: conversationText(conversation, preset, workdir) };
    });
  return { name, run };
}

/** Less time and the rest of the budget. */
function shortened(assignment: Assignment, { usage = UNKNOWN_USAGE }: Ending): Assignment {
  const { budget, timeoutMs } = assignment;
  const costUsd = budget.costUsd === null ? null : Math.max(0, budget.costUsd - usage.costUsd);
  return { ...assignment, budget: { ...budget, costUsd }, timeoutMs: Math.min(timeoutMs, ASK_AGAIN_MS) };
}

/** Without a result, the first answer is the reason, unless a server is. */
function afterAskingAgain(first: Ending, second: Ending): Ending {
  const isServer = second.kind === 'broken' && (second.passing !== undefined || second.limit !== undefined);
  const usage = sumUsage(first.usage ?? UNKNOWN_USAGE, second.usage ?? UNKNOWN_USAGE);
  return { ...(second.kind === 'broken' && !isServer ? first : second), usage };
}

/** Claude Code prints each message in small pieces, then as a whole. */
const PIECE_EVENT = '{"type":"stream_event","event":{"type":"content_block_';

function planRun(
  { preset, finish = 'SIGINT', model, args = [] }: CodingAgentSpec,
  task: PresetTask,
  known: OwnConversation | null,
  watch: Watch,
) {
  const plan = preset.plan(task);
  const input = preset.readsMessages === true ? new ClaudeInput(plan.message) : null;
  let isTurnEnded = false;
  const events = new EventStream(known?.tokens ?? 0, () => {
    isTurnEnded = true;
    input?.end();
  });
  const logged = new LineFilter(PIECE_EVENT, (chunk) => watch.log('stdout', chunk));
  const log: Watch['log'] = (stream, chunk) => {
    if (stream === 'stderr') return watch.log(stream, chunk);
    logged.write(chunk);
    events.write(chunk);
  };
  const readEnd = ({ code, signal, stopped }: EndedProcess): ProgramResult => {
    logged.end();
    const report = events.end();
    // After its turn Umpire closes the agent, so its exit status means nothing.
    const isDone = input !== null && isTurnEnded && report?.fault === null;
    return {
      exit: isDone ? CLEAN_EXIT : { code, signal },
      report,
      isOrderly: stopped?.how === 'asked' && (isDone || code === 0),
      ...deniedToolNote(report),
    };
  };
  return {
    args: [
      ...(preset.subcommand === undefined ? [] : [preset.subcommand]),
      ...args,
      ...(model === undefined ? [] : ['--model', model]),
      ...plan.args,
    ],
    ...(plan.env === undefined ? {} : { env: plan.env }),
    input: input ?? plan.message,
    finish,
    watch: { signal: watch.signal, log },
    readEnd,
  };
}

/** A denied tool may explain why the agent failed. */
function deniedToolNote(report: AgentReport | null): { readonly note?: string } {
  if (report?.refused === undefined) return {};
  const what = JSON.stringify(lineOf(report.refused, 200));
  return { note: `Its permissions denied ${what}; allow it in its own settings (docs/agents.md, "Presets").` };
}

/** A conversation of the agent that can go on. */
interface OwnConversation {
  readonly id: string;
  /** All its tokens so far, where the agent counts those. */
  readonly tokens: number;
}

/** Null for an agent that continues only in another folder. */
function conversationFrom(text: string | null, { isBoundToFolder }: Preset, workdir: string): OwnConversation | null {
  const read = readConversation(text);
  if (read === null || (isBoundToFolder === true && read.note !== workdir)) return null;
  return { id: read.id, tokens: Number(read.note) || 0 };
}

function conversationText({ id, tokens }: OwnConversation, { isBoundToFolder }: Preset, workdir: string): string {
  return writeConversation({ id, note: isBoundToFolder === true ? workdir : tokens === 0 ? '' : String(tokens) });
}

/** A killed agent does not report its count, so the next run counts from the old one. */
function conversationAfter(report: AgentReport | null, before: OwnConversation | null): OwnConversation | null {
  const id = report?.conversation ?? before?.id;
  return id === undefined ? null : { id, tokens: report?.conversationTokens ?? before?.tokens ?? 0 };
}
