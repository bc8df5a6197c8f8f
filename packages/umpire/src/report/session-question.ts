// What a session waits for a person to say, and the very commands that say it.

import { describeQuestion } from '@umpire/core/decider/answers.js';
import { answersIn, isAboutEvidence } from '@umpire/core/decider/question.js';
import type { Question, Answer, PersonAnswered } from '@umpire/core/decider/events.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { lineOf, wrap } from './foreign-text.js';
import { count } from './words.js';

export interface QuestionView {
  readonly kind: Question['kind'];
  readonly key: string;
  readonly task: string | null;
  /** What is waited on, in a few words. */
  readonly what: string;
  /** The reason, the agent's words, or the plan: for people. */
  readonly detail: string;
  /** How many more are to be answered after it. */
  readonly more: number;
  /** A process is at work on the rest: it is to be answered once that is done, and not now. */
  readonly later: boolean;
  /** What may be answered now, the usual first, each with the command that does it. */
  readonly answers: readonly { readonly answer: string; readonly command: string }[];
}

/** `session`: the word by which commands know it. */
export function questionView(run: RunState, question: Question, session: string, later = false): QuestionView {
  return {
    kind: question.kind,
    key: question.key,
    task: 'task' in question ? question.task : null,
    ...questionWords(run, question),
    more: moreAfter(run, question),
    later,
    answers: later ? [] : waysToAnswer(run, question, session),
  };
}

function moreAfter(run: RunState, question: Question): number {
  return run.questions.filter(({ key }) => key !== question.key).length;
}

/** `It waits on …`, and how many more come after it. */
export function waitWords({ what, later }: Pick<QuestionView, 'what' | 'later'>): string {
  return later ? `Once the rest is done, it waits on ${what}.` : `It waits on ${what}.`;
}

/** A sentence of its own, with the space before it; nothing, where it is the only question. */
export function moreWords({ more }: Pick<QuestionView, 'more'>): string {
  return more === 0 ? '' : ` After it ${count(more, 'more question')} ${more === 1 ? 'is' : 'are'} open.`;
}

/** The question for people, whoever answers it. */
export function questionWords(run: RunState, question: Question): Pick<QuestionView, 'what' | 'detail'> {
  return { what: describeQuestion(question), detail: detailOf(run, question) };
}

function detailOf(run: RunState, question: Question): string {
  switch (question.kind) {
    case 'plan':
      return findTask(run, question.task)?.row['findings'] ?? '';
    case 'escalation':
      return question.reason;
    case 'no-evidence':
      return `${question.message} ${question.hint}`;
    case 'question':
      return question.question;
    case 'edit':
      return 'Mend it in the folder where the work is, then let the session go on: its critic judges what you did.';
    case 'budget':
      return 'Nothing new is started until more is granted.';
  }
}

/** What may be answered, the usual first. `session`: the word by which commands know it. */
export function waysToAnswer(run: RunState, question: Question, session: string): QuestionView['answers'] {
  const name = shellWord(session);
  const ways = answersIn(run, question).map((answer) => ({
    answer,
    command: `umpire resolve ${name} ${answer}${flagsFor(question, answer)}`,
  }));
  return question.kind === 'edit' ? [{ answer: 'resume', command: `umpire resume ${name}` }, ...ways] : ways;
}

/** The flags that the answer needs, with something to put in their place. */
function flagsFor(question: Question, answer: Answer): string {
  switch (answer) {
    case 'approve':
    case 'manual-fix':
    case 'abort':
      return '';
    case 'force-approve':
      return ' --reason "why"';
    case 'revise':
      return ' --reason "what to change"';
    case 'answer':
      return ' --reason "your answer"';
    case 'extend':
      return grantFor(question);
  }
}

function grantFor(question: Question): string {
  if (question.kind === 'escalation' || (question.kind === 'edit' && !isAboutEvidence(question))) return ' --rounds 1';
  if (question.kind !== 'budget') return '';
  switch (question.what) {
    case 'minutes':
      return ' --minutes 30';
    case 'cost':
      return ' --cost-usd 5';
    case 'tokens':
      return ' --tokens 100000';
  }
}

/** Each command that answers, on a line of its own: as a shell takes it. */
export function answerLines(question: Pick<QuestionView, 'answers'>): readonly string[] {
  return question.answers.length === 0 ? [] : ['Answer with one of:', ...question.answers.map(({ command }) => commandLine(command))];
}

/** What to do now: the commands on lines of their own, so that no terminal splits them. */
export function stepLines(steps: readonly { readonly what: string; readonly command: string | null }[]): readonly string[] {
  return steps.flatMap(({ what, command }) =>
    command === null ? wrap(lineOf(what), '  ', '') : [`${lineOf(what)}:`, commandLine(command)],
  );
}

/** Never wrapped: it is there to be copied. */
function commandLine(command: string): string {
  return `  ${lineOf(command)}`;
}

/** What an answer granted: `2 rounds, $5.00 more`, or nothing. */
export function grantWords({ rounds, minutes, costUsd, tokens }: PersonAnswered): string {
  const grants = [
    ...(rounds > 0 ? [count(rounds, 'round')] : []),
    ...(minutes > 0 ? [`${minutes} min`] : []),
    ...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : []),
    ...(tokens > 0 ? [count(tokens, 'token')] : []),
  ];
  return grants.length === 0 ? '' : `${grants.join(', ')} more`;
}

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
