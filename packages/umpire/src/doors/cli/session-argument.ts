// What commands on sessions share: from a name to a session and back, what it waits for, and the exit status of a run.

import { describeQuestion } from '@umpire/core/decider/answers.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Question } from '@umpire/core/model/questions.js';
import type { RunResult } from '../../engine/session.js';
import { answerLines, questionView } from '../../views/session-question.js';
import { basename, relative } from 'node:path';
import { findSurroundings } from '../../engine/session-work.js';
import { missesTarget } from '../../views/session-view.js';
import type { SessionSurroundings } from '../../views/session-view.js';
import { lineOf } from '../../views/safe-text.js';
import { findActiveUntil } from '../../sessions/active-until.js';
import { projectAt, sessionFolders, latestSession, resolveSession } from '../../sessions/find-sessions.js';
import { readSession } from '../../sessions/session-record.js';
import type { SessionRecord } from '../../sessions/session-record.js';

/** The named session, or the latest. */
export function readNamedSession(named: string | undefined, project = '.'): SessionRecord {
  return readSession(named === undefined ? latestSession(project) : resolveSession(named, project));
}

/** Facts for a report that are not in the session's state. `decide` needs a folder; the other commands also take a name. */
export async function surroundingsOf(record: SessionRecord): Promise<SessionSurroundings> {
  const found = await findSurroundings(record, record.state.run === null ? pathWord(record.path) : sessionWord(record.path));
  return { ...found, notes: [...found.notes, ...untilNotes(record.path)] };
}

/** Whether this session judges the person's own agent sessions. */
function untilNotes(path: string): readonly string[] {
  const active = findActiveUntil(path);
  if (active?.session !== path) return [];
  const who = active.agent === null ? 'The next agent session that stops in this project' : 'The agent session in this project';
  return [`${who} is sent back until this passes: ${lineOf(active.command, 200)}. End it with: umpire until --here --stop`];
}

/** The name if it is unique in this project and does not look like a flag, else the path. */
export function sessionWord(path: string): string {
  const name = basename(path);
  const known = sessionFolders(projectAt('.')).filter((one) => basename(one) === name);
  return known.length === 1 && known[0] === path && !name.startsWith('-') ? name : pathWord(path);
}

function pathWord(path: string): string {
  const near = relative(process.cwd(), path);
  if (near === '') return '.';
  if (near.startsWith('..')) return path;
  return near.includes('/') ? near : `./${near}`;
}

/** What the session waits for, and the commands that answer. `word`: the session as commands name it. */
export function waitLines(run: RunState, question: Question, word: string, intro = 'Waiting for'): string {
  const answers = answerLines(questionView(run, question, word));
  return `${[`${intro} ${lineOf(describeQuestion(question), 300)}.`, ...answers].join('\n')}\n`;
}

const TARGET_MISSED = 3;
const EXIT = { complete: 0, failed: 1, aborted: 1, awaiting: 4, interrupted: 130 } as const;

/** `aborts`: the person has just aborted it. */
export function runExit({ status, state }: RunResult, aborts: boolean): number {
  if (missesTarget(state)) return TARGET_MISSED;
  return aborts && status === 'aborted' ? 0 : EXIT[status];
}
