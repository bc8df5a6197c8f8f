// Runs one task with a coding agent (presets.ts), in as many runs of its program as that needs: it continues a conversation, or starts a
// new one where that is not possible, and asks once more for a result where the agent ended without one.

import type { Agent, Assignment, Ending, Watch } from '@umpire/core/ports.js';
import { lineOf } from '../report/safe-text.js';
import type { EndedProcess, ProgramOutcome, ProgramResult, ProgramSpec } from './program-agent.js';
import { completedWithout, programRunner, withTaskFiles } from './program-agent.js';
import type { Launch } from './child-process.js';
import { ClaudeInput } from './claude-input.js';
import { EventStream } from './event-stream.js';
import type { AgentReport } from './event-stream.js';
import type { Guardian } from './guardian.js';
import type { Preset, PresetTask } from './presets.js';
import { askAgainFor, promptsFor } from './prompts.js';
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
      const start = (conversation: Conversation | null, prompt: PresetTask['prompt'], task: Assignment) =>
        runProgram(
          planRun(spec, { assignment: task, files, prompt, conversation: conversation?.id ?? null }, conversation, watch),
          files,
          task,
        );
      const known = readConversation(assignment.conversation, preset, assignment.workdir);
      const prompt = promptsFor(assignment, files);
      const first = await start(known, prompt, assignment);
      // A conversation may have been deleted, or be too long.
      const isLost = known !== null && first.hasNotBegun && !watch.signal.aborted;
      const outcome = isLost ? await start(null, prompt, assignment) : first;
      const conversation = conversationAfter(outcome.report, isLost ? null : known);
      const ending = outcome.lacksResult ? await endWithoutResult(outcome, conversation, assignment) : outcome.ending;
      return conversation === null ? ending : { ...ending, conversation: writeConversation(conversation, preset, assignment.workdir) };

      async function endWithoutResult(
        { ending: broken }: ProgramOutcome,
        same: Conversation | null,
        { check, timeoutMs }: Assignment,
      ): Promise<Ending> {
        // The check decides, whatever the agent says.
        if (check !== null) return completedWithout(outcome, assignment);
        if (same === null || watch.signal.aborted) return broken;
        files.clear();
        const short = { ...assignment, timeoutMs: Math.min(timeoutMs, ASK_AGAIN_MS) };
        const reason = broken.kind === 'broken' ? broken.reason : '';
        const second = await start(same, { system: '', user: askAgainFor(assignment, reason) }, short);
        const usage = sumUsage(broken.usage ?? UNKNOWN_USAGE, second.ending.usage ?? UNKNOWN_USAGE);
        return { ...(second.ending.kind === 'broken' ? broken : second.ending), usage };
      }
    });
  return { name, run };
}

function planRun(
  { preset, finish = 'SIGINT', model, args = [] }: CodingAgentSpec,
  task: PresetTask,
  known: Conversation | null,
  watch: Watch,
) {
  const plan = preset.plan(task);
  const input = preset.readsMessages === true ? new ClaudeInput(plan.message) : null;
  let isTurnEnded = false;
  const events = new EventStream(known?.tokens ?? 0, () => {
    isTurnEnded = true;
    input?.end();
  });
  const log: Watch['log'] = (stream, chunk) => {
    watch.log(stream, chunk);
    if (stream === 'stdout') events.write(chunk);
  };
  const readEnd = ({ code, signal, stopped }: EndedProcess): ProgramResult => {
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
interface Conversation {
  readonly id: string;
  /** All its tokens so far, where the agent counts those. */
  readonly tokens: number;
}

/** `ID`, `ID#TOKENS`, or `ID#FOLDER` for an agent that continues only there. Null where it cannot continue. */
function readConversation(text: string | null, { isBoundToFolder }: Preset, workdir: string): Conversation | null {
  const [, id, , note = ''] = /^([A-Za-z0-9][\w.-]{0,199})(#(.*))?$/s.exec(text ?? '') ?? [];
  if (id === undefined || (isBoundToFolder === true && note !== workdir)) return null;
  return { id, tokens: Number(note) || 0 };
}

function writeConversation({ id, tokens }: Conversation, { isBoundToFolder }: Preset, workdir: string): string {
  if (isBoundToFolder === true) return `${id}#${workdir}`;
  return tokens === 0 ? id : `${id}#${tokens}`;
}

/** A killed agent does not report its count, so the next run counts from the old one. */
function conversationAfter(report: AgentReport | null, before: Conversation | null): Conversation | null {
  const id = report?.conversation ?? before?.id;
  return id === undefined ? null : { id, tokens: report?.conversationTokens ?? before?.tokens ?? 0 };
}
