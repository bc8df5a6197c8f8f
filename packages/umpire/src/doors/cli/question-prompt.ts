// Asks the open question of a session at this terminal: the choice, then the reason or the amount that it needs. Enter or Ctrl-C leaves it
// for later. Loaded only for a terminal.

import { readdirSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { ResolveParameters } from '../../engine/session.js';
import { choicesOf, questionPage } from '../../views/question-page.js';
import type { AnswerChoice, PlanText } from '../../views/question-page.js';
import { showHidden } from '../../views/safe-text.js';
import { openFolder, readPart } from '../../sessions/session-folder.js';
import type { Output } from './output.js';

/** What `umpire resolve` or `umpire resume` would be called with. */
export type PromptAnswer =
  | { readonly answer: 'resume' }
  | Pick<ResolveParameters, 'answer' | 'reason' | 'rounds' | 'minutes' | 'costUsd' | 'tokens' | 'goal'>;

export interface AskedQuestion {
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
  const lines = openLines();
  try {
    const choice = await askChoice(lines, choicesOf(run, question), write);
    if (choice === null) return null;
    return choice === 'resume' ? { answer: 'resume' } : await askDetails(lines, question, choice);
  } finally {
    lines.close();
  }
}

async function askChoice(lines: Lines, choices: readonly AnswerChoice[], write: Output['write']): Promise<AnswerChoice['answer'] | null> {
  for (;;) {
    const said = await lines.ask(`Answer (1-${choices.length}, Enter: later): `);
    if (said === null || said === '') return null;
    const chosen = choices.find(({ answer }, index) => answer === said || String(index + 1) === said);
    if (chosen !== undefined) return chosen.answer;
    write(2, `Type a number from 1 to ${choices.length}, or the word beside it.\n`);
  }
}

type GivenAnswer = Exclude<PromptAnswer, { answer: 'resume' }>;

/** An answer that needs a reason, a goal or an amount is not given without it. */
async function askDetails(lines: Lines, question: Question, answer: GivenAnswer['answer']): Promise<GivenAnswer | null> {
  const given = (more: Partial<GivenAnswer>): GivenAnswer => ({ answer, reason: '', ...more });
  switch (answer) {
    case 'change-goal': {
      const goal = await lines.ask('The new goal: ');
      return goal === null || goal === '' ? null : given({ goal });
    }
    case 'extend': {
      const amount = amountOf(question);
      if (amount === null) return withReason(lines, given({}));
      const said = await lines.ask(`How many more ${amount.unit}? [${amount.usual}] `);
      return said === null ? null : withReason(lines, given({ [amount.field]: said === '' ? amount.usual : Number(said) }));
    }
    case 'answer':
    case 'insist':
    case 'force-approve':
    case 'revise': {
      const reason = await lines.ask(NEEDED[answer]);
      return reason === null || reason === '' ? null : given({ reason });
    }
    case 'approve':
    case 'manual-fix':
    case 'agree':
    case 'take-edits':
    case 'stop':
    case 'abort':
      return withReason(lines, given({}));
  }
}

const NEEDED = {
  answer: 'Your answer: ',
  insist: 'Why it should be done: ',
  'force-approve': 'Why (every report shows it): ',
  revise: 'What to change: ',
} as const;

async function withReason(lines: Lines, given: GivenAnswer): Promise<GivenAnswer | null> {
  const reason = await lines.ask('Reason (Enter: none): ');
  return reason === null ? null : { ...given, reason };
}

function amountOf(
  question: Question,
): { readonly field: 'rounds' | 'minutes' | 'costUsd' | 'tokens'; readonly unit: string; readonly usual: number } | null {
  if (question.kind === 'escalation' || (question.kind === 'edit' && question.seq !== null))
    return { field: 'rounds', unit: 'rounds', usual: 1 };
  if (question.kind !== 'budget') return null;
  switch (question.what) {
    case 'minutes':
      return { field: 'minutes', unit: 'minutes', usual: 30 };
    case 'cost':
      return { field: 'costUsd', unit: 'dollars', usual: 5 };
    case 'tokens':
      return { field: 'tokens', unit: 'tokens', usual: 100_000 };
  }
}

interface Lines {
  /** One line; null at Ctrl-C and at the end of the input. */
  readonly ask: (prompt: string) => Promise<string | null>;
  readonly close: () => void;
}

function openLines(): Lines {
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
