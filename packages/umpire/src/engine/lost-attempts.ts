// Attempts that were at work when Umpire was killed. Their logs have what the agents printed until then: what they used, and the
// conversation that the next attempt continues, with the files that they had changed.

import type { Event } from '@umpire/core/decider/events.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import type { Workspace } from '@umpire/core/model/ports.js';
import { readConversation, writeConversation } from '../agents/conversation.js';
import { EventStream } from '../agents/event-stream.js';
import { listLogs, logsOf, readLog } from '../sessions/agent-logs.js';
import type { OpenedSession } from './opened-session.js';

/** `tasks`: those that were running. One that printed no events of a coding agent says nothing, and simply runs again. */
export async function lostAttempts(
  { journal, folder }: OpenedSession,
  tasks: readonly string[],
  workspace: Workspace | null,
): Promise<readonly Event[]> {
  const run = journal.state.run as RunState;
  const logs = tasks.length === 0 ? [] : listLogs(folder.root);
  const events: Event[] = [];
  for (const task of tasks.flatMap((id) => findTask(run, id) ?? [])) {
    const log = logsOf(logs, task.id).find(({ attempt }) => attempt === task.attempt);
    const report = log === undefined ? null : reportIn(readLog(folder.root, log));
    if (report === null) continue;
    const { usage } = report;
    // The log is the agent's own text.
    const conversation = readConversation(report.conversation ?? null)?.id;
    const { id, attempt } = task;
    // The folder is known until its worktree is given back.
    const talk = conversation === undefined ? {} : { conversation: conversationText(conversation, task, workspace) };
    const isWriter = run.started.writers.includes(task.role);
    const left = workspace === null || !isWriter || conversation === undefined ? null : await keepFiles(workspace, task);
    events.push({
      type: 'TaskInterrupted',
      data: { task: id, attempt, why: 'Umpire was killed', usage, ...(left === null ? {} : { left }), ...talk },
    });
  }
  return events;
}

/** With the note of the run before, or the folder: an agent that is bound to its folder continues only there. */
function conversationText(id: string, task: TaskState, workspace: Workspace | null): string {
  const before = readConversation(task.conversation?.id ?? null);
  const folder = workspace?.placeOf(task.id, task.attempt) ?? '';
  return writeConversation({ id, note: before?.id === id ? before.note : folder });
}

function reportIn(log: Uint8Array): ReturnType<EventStream['end']> {
  const events = new EventStream();
  events.write(log);
  return events.end();
}

/** Null where there is nothing to keep, or the worktree is gone. */
async function keepFiles(workspace: Workspace, { id, attempt }: TaskState): ReturnType<Workspace['keep']> {
  try {
    const left = await workspace.keep(id, attempt);
    await workspace.giveBack(id, attempt);
    return left === null ? null : { commit: left.commit, files: left.files.slice(0, 50) };
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}
