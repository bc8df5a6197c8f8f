// The open question of a session, and the commands that answer it.

import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { describeQuestion } from '@umpire/core/decider/answers.js';
import { answersIn, isAboutEvidence } from '@umpire/core/decider/question.js';
import type { EventData, PersonAnswered } from '@umpire/core/decider/events.js';
import type { Question, Answer } from '@umpire/core/model/questions.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { lineOf, wrap } from './safe-text.js';
import { count, duration } from './words.js';

export interface QuestionView {
  readonly kind: Question['kind'];
  readonly key: string;
  readonly task: string | null;
  /** What the session waits for, in a few words. */
  readonly what: string;
  /** The reason, the agent's question, or the plan. */
  readonly detail: string;
  /** How many more questions are open. */
  readonly more: number;
  /** Other tasks still run: the question can be answered once they are done. */
  readonly later: boolean;
  /** The possible answers, the most common first, each with its command. */
  readonly answers: readonly { readonly answer: string; readonly command: string }[];
}

/** Says what the edit would change, and how to take it up. */
export function heldEditWords({ told, kept }: EventData<'EditHeld'>, session: string): string {
  const changes = lineOf(told.join('; '), 300);
  return `An edit of tasks.csv is held, because tasks ran since Umpire wrote the file and may have made it: ${changes}. It is kept as ${kept}. If it is yours: umpire resolve ${quoteWord(session)} take-edits`;
}

/** `session`: the session as commands name it. */
export function questionView(run: RunState, question: Question, session: string, later = false): QuestionView {
  return {
    kind: question.kind,
    key: question.key,
    task: 'task' in question ? question.task : null,
    ...questionWords(run, question),
    more: run.questions.filter(({ key }) => key !== question.key).length,
    later,
    answers: later ? [] : waysToAnswer(run, question, session),
  };
}

/** A sentence with what the session waits for. */
export function waitWords({ what, later }: Pick<QuestionView, 'what' | 'later'>): string {
  return later ? `Once the other tasks are done, it waits for ${what}.` : `Waiting for ${what}.`;
}

/** The sentence in which a run calls a person. */
export function needWords(question: Question, view: Pick<QuestionView, 'what' | 'later'>): string {
  if (question.kind !== 'budget') return waitWords(view);
  const { what, spent, limit } = question;
  if (what === 'cost') return `Budget exceeded: $${spent.toFixed(2)} of $${limit.toFixed(2)}.`;
  if (what === 'minutes') return `Budget exceeded: ${duration(spent * 60_000)} of ${duration(limit * 60_000)}.`;
  return `Budget exceeded: ${spent} of ${limit} ${what}.`;
}

/** A sentence with a space before it; empty if it is the only question. */
export function moreWords({ more }: Pick<QuestionView, 'more'>): string {
  return more === 0 ? '' : ` ${count(more, 'more question')} ${more === 1 ? 'follows' : 'follow'}.`;
}

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
    case 'blocked':
      return question.reason;
    case 'limit': {
      const when = question.resetsAt === null ? 'Nobody knows until when. Resume the session later' : 'Resume the session then';
      // `--agent NAME` does not change a role that has an agent of its own.

      const role = findTask(run, question.task)?.role ?? '';
      return `${when}, or now with another agent: --agent ${Object.hasOwn(run.settings.agents, role) ? `${role}=` : ''}NAME. With --wait-for-limits Umpire waits by itself.`;
    }
    case 'edit':
      return 'Make your changes in the work folder, then resume the session: its critic judges them.';
    case 'budget':
      return 'No new task starts until you grant more.';
  }
}

/** The most common first. On an engine nobody has the session's worktree at hand. */
export function possibleAnswers(run: RunState, question: Question): readonly Answer[] {
  return answersIn(run, question).filter((answer) => answer !== 'manual-fix' || !run.isOnEngine);
}

/** The possible answers with their commands. */
export function waysToAnswer(run: RunState, question: Question, session: string): QuestionView['answers'] {
  const name = quoteWord(session);
  const ways = possibleAnswers(run, question).map((answer) => ({
    answer,
    command: `umpire resolve ${name} ${answer}${flagsFor(question, answer)}`,
  }));
  return question.kind === 'edit' || question.kind === 'limit' ? [{ answer: 'resume', command: `umpire resume ${name}` }, ...ways] : ways;
}

/** The flags that the answer needs, with placeholder values. */
function flagsFor(question: Question, answer: Answer): string {
  switch (answer) {
    case 'approve':
    case 'manual-fix':
    case 'abort':
    case 'take-edits':
    case 'agree':
    case 'stop':
      return '';
    case 'insist':
      return ' --reason "why it should be done"';
    case 'change-goal':
      return ' --goal "the new goal"';
    case 'force-approve':
      return ' --reason "why"';
    case 'revise':
      return ' --reason "what to change"';
    case 'answer':
      return ' --reason "your answer"';
    case 'extend':
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
}

/** Each command on its own line. */
export function answerLines(question: Pick<QuestionView, 'answers'>): readonly string[] {
  return question.answers.length === 0 ? [] : ['Answer with one of:', ...question.answers.map(({ command }) => commandLine(command))];
}

/** Next steps, with each command on its own line, so that it is never wrapped. */
export function stepLines(steps: readonly { readonly what: string; readonly command: string | null }[]): readonly string[] {
  return steps.flatMap(({ what, command }) =>
    command === null ? wrap(lineOf(what), '  ', '') : [`${lineOf(what)}:`, commandLine(command)],
  );
}

function commandLine(command: string): string {
  return `  ${lineOf(command)}`;
}

/** `2 rounds, $5.00 more`; empty if the answer granted nothing. */
export function grantWords({ rounds, minutes, costUsd, tokens }: PersonAnswered): string {
  const grants = [
    ...(rounds > 0 ? [count(rounds, 'round')] : []),
    ...(minutes > 0 ? [`${minutes} min`] : []),
    ...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : []),
    ...(tokens > 0 ? [count(tokens, 'token')] : []),
  ];
  return grants.length === 0 ? '' : `${grants.join(', ')} more`;
}
