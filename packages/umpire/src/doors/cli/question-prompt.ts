// Asks the open question of a session at this terminal: the choice, then the reason or the amount that it needs. Enter or Ctrl-C leaves it
// for later. Loaded only for a terminal.

import { readdirSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { ResolveParameters } from '../../engine/session.js';
import { answerOptions, questionPage } from '../../views/session-question.js';
import type { AnswerOption, PlanText } from '../../views/session-question.js';
import { showHidden } from '../../views/safe-text.js';
import { openFolder, readPart } from '../../sessions/session-folder.js';
import type { Output } from './output.js';

/** What `umpire resolve` or `umpire resume` would be called with. */
type PromptAnswer =
  | { readonly answer: 'resume' }
  | Pick<ResolveParameters, 'answer' | 'reason' | 'rounds' | 'minutes' | 'costUsd' | 'tokens' | 'goal'>;

interface AskedQuestion {
  readonly run: RunState;
  readonly question: Question;
  /** The session's folder, and its name in commands. */
  readonly session: string;
  readonly word: string;
}

/** Null: left for later. */
export async function askQuestion(
  { run, question, session, word }: AskedQuestion,
  { write, isColored }: Output,
): Promise<PromptAnswer | null> {
  await dropEarlierInput();
  // Some terminals do not know their size.
  const [columns, rows] = [process.stderr.columns || 80, process.stderr.rows || 24];
  const plan = question.kind === 'plan' ? findPlan(session, question.task) : null;
  const page = questionPage(run, question, word, plan, { columns, rows, color: isColored(2) });
  write(2, `\n${page.join('\n')}\n`);
  const lines = openPrompt();
  try {
    const chosen = await askChoice(lines, answerOptions(run, question), write);
    return chosen === null ? null : await askDetails(lines, chosen);
  } finally {
    lines.close();
  }
}

async function askChoice(lines: Lines, options: readonly AnswerOption[], write: Output['write']): Promise<AnswerOption | null> {
  for (;;) {
    const said = await lines.ask(`Answer (1-${options.length}, Enter: later): `);
    if (said === null || said === '') return null;
    const chosen = options.find(({ answer }, index) => answer === said || String(index + 1) === said);
    if (chosen !== undefined) return chosen;
    write(2, `Type a number from 1 to ${options.length}, or the word beside it.\n`);
  }
}

/** An answer that needs a reason, a goal or an amount is not given without it. */
async function askDetails(lines: Lines, { answer, reason: need, says, grant, needsGoal }: AnswerOption): Promise<PromptAnswer | null> {
  if (answer === 'resume') return { answer };
  const goal = needsGoal ? await lines.ask('The new goal: ') : undefined;
  if (goal === null || goal === '') return null;
  const amount = grant === null ? undefined : await lines.ask(`How many more ${grant.unit}? [${grant.usual}] `);
  if (amount === null) return null;
  const isNeeded = need === 'needed' || need === 'asked';
  const reason = await lines.ask(isNeeded ? `${says.charAt(0).toUpperCase()}${says.slice(1)}: ` : 'Reason (Enter: none): ');
  if (reason === null || (isNeeded && reason === '')) return null;
  return {
    answer,
    reason,
    ...(goal === undefined ? {} : { goal }),
    ...(grant === null || amount === undefined ? {} : { [grant.field]: amount === '' ? grant.usual : Number(amount) }),
  };
}

interface Lines {
  /** One line; null at Ctrl-C and at the end of the input. */
  readonly ask: (prompt: string) => Promise<string | null>;
  readonly close: () => void;
}

function openPrompt(): Lines {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const said: (string | null)[] = [];
  let take: ((line: string | null) => void) | null = null;
  const hear = (line: string | null) => {
    const waiting = take;
    take = null;
    if (waiting === null) said.push(line);
    else waiting(line);
  };
  const onLeave = () => {
    process.stderr.write('\n');
    hear(null);
  };
  reader
    .on('line', (line) => hear(line.trim()))
    .on('SIGINT', onLeave)
    .on('close', onLeave);
  return {
    ask: (prompt) => {
      reader.setPrompt(prompt);
      reader.prompt();
      const early = said.shift();
      if (early === undefined) return new Promise((done) => (take = done));
      process.stderr.write('\n');
      return Promise.resolve(early);
    },
    close: () => {
      reader.off('close', onLeave).close();
    },
  };
}

const DROP_MS = 50;

/** Keys that were pressed while the run went on are no answer. */
function dropEarlierInput(): Promise<void> {
  const { stdin } = process;
  const drop = () => undefined;
  stdin.setRawMode(true).on('data', drop).resume();
  return new Promise((done) => {
    setTimeout(() => {
      stdin.off('data', drop).pause().setRawMode(false);
      done();
    }, DROP_MS);
  });
}

const MOST_PLAN_BYTES = 64 * 1024;

/** The planner's file in artifacts/, which has the task's id as its name. */
function findPlan(session: string, task: string): PlanText | null {
  const folder = openFolder(session);
  let paths: readonly string[];
  try {
    paths = readdirSync(join(folder.root, 'artifacts'), { recursive: true, encoding: 'utf8' });
  } catch {
    return null;
  }
  const found = paths.find((path) => basename(path, extname(path)) === task);
  const text = found === undefined ? '' : showHidden(readPart(folder, join('artifacts', found), 0, MOST_PLAN_BYTES).toString('utf8'));
  if (found === undefined || text.trim() === '') return null;
  const path = join(folder.root, 'artifacts', found);
  const near = relative(process.cwd(), path);
  return { path: near.startsWith('..') ? path : near, text };
}
