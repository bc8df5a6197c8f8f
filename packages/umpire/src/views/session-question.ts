// The open question of a session, and each way to answer it: the terminal, the page and the commands are drawn from these.

import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { describeQuestion } from '@umpire/core/decider/answers.js';
import { answersIn, neededAmount } from '@umpire/core/decider/question.js';
import type { EventData, PersonAnswered } from '@umpire/core/decider/events.js';
import { flagOf } from '@umpire/core/model/options.js';
import { AMOUNTS, ANSWERS } from '@umpire/core/model/questions.js';
import type { Amount, Answer, Question } from '@umpire/core/model/questions.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { lineOf, wrap, clip, showHidden } from './safe-text.js';
import { count, duration } from './words.js';
import { paint } from './colors.js';

export interface QuestionView {
  readonly kind: Question['kind'];
  readonly key: string;
  readonly task: string | null;
  /** What the session waits for, in a few words. */
  readonly what: string;
  readonly detail: string;
  /** What is asked about, where a task's change is; else empty. May be cut. */
  readonly patch: string;
  /** The command that shows all of it; empty for none. */
  readonly see: string;
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
    patch: question.kind === 'judge-changed' ? (question.kept?.patch ?? '') : '',
    see: seeCommand(run, question, session),
    more: run.questions.filter(({ key }) => key !== question.key).length,
    later,
    answers: later ? [] : waysToAnswer(run, question, session),
  };
}

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

/** A folder without git has its commits where only Umpire looks. */
function seeCommand(run: RunState, question: Question, session: string): string {
  if (question.kind !== 'judge-changed') return '';
  if (question.kept === null) return `umpire diff ${quoteWord(session)}`;
  return run.started.workspace?.kind === 'git' ? `git show ${question.kept.commit.slice(0, 12)}` : '';
}

const MOST_FILES = 3;

function nameFew(files: readonly string[]): string {
  const rest = files.length - MOST_FILES;
  return `${files.slice(0, MOST_FILES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function detailOf(run: RunState, question: Question): string {
  switch (question.kind) {
    case 'plan':
      return findTask(run, question.task)?.row['findings'] ?? '';
    case 'escalation':
      return question.reason;
    case 'judge-changed': {
      const { reason, kept } = question;
      if (kept === null) return reason;
      return `${reason} ${kept.task} changed ${nameFew(kept.files)}; that was reverted and kept.`;
    }
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

export interface AnswerOption {
  readonly answer: Answer | 'resume';
  /** On the button. */
  readonly label: string;
  /** What happens then, in a sentence. */
  readonly does: string;
  /** `asked`: it may be left out at the command line, but whoever is asked says it. */
  readonly reason: 'needed' | 'asked' | 'optional' | 'none';
  /** What the reason says. */
  readonly says: string;
  /** What it adds, with the unit and a usual amount. */
  readonly grant: { readonly field: Amount; readonly unit: string; readonly usual: number } | null;
  readonly needsGoal: boolean;
  /** It ends the session, or approves without clean evidence: never the first choice. */
  readonly isGrave: boolean;
}

/** The most common first. Of an escalation, the loop says what its answers do. */
export function answerOptions(run: RunState, question: Question): readonly AnswerOption[] {
  const said = question.kind === 'escalation' ? (run.started.frozen?.rules.ask.options ?? []) : [];
  const options = answersIn(run, question).map((answer) => {
    const means = said.find(({ id }) => id === answer)?.means;
    return { ...optionFor(answer, answer === 'extend' ? neededAmount(question) : null), ...(means === undefined ? {} : { does: means }) };
  });
  return question.kind === 'edit' || question.kind === 'limit' ? [RESUMING[question.kind], ...options] : options;
}

function optionFor(answer: Answer, amount: Amount | null): AnswerOption {
  const { label, does, says, needsReason = false, needsGoal = false, isEnd = false, isWaiver = false } = ANSWERS[answer];
  return {
    answer,
    label,
    does,
    reason: needsReason ? 'needed' : says === undefined ? 'optional' : 'asked',
    says: says ?? 'reason',
    grant: amount === null ? null : { field: amount, ...AMOUNTS[amount] },
    needsGoal,
    isGrave: isEnd || isWaiver,
  };
}

/** For a held edit of tasks.csv, whatever the session asks. */
export const TAKE_EDITS: AnswerOption = optionFor('take-edits', null);

const RESUME_OPTION = { ...optionFor('approve', null), answer: 'resume', reason: 'none' } as const;
const RESUMING = {
  edit: { ...RESUME_OPTION, label: 'Judge my changes', does: 'Your changes in the work folder are committed, and the critic judges them.' },
  limit: { ...RESUME_OPTION, label: 'Try again', does: 'The task runs again. If the plan is still used up, the session stops again.' },
} as const;

export function waysToAnswer(run: RunState, question: Question, session: string): QuestionView['answers'] {
  const name = quoteWord(session);
  return answerOptions(run, question).map(({ answer, reason, says, grant, needsGoal }) => {
    if (answer === 'resume') return { answer, command: `umpire resume ${name}` };
    const words = reason === 'needed' || reason === 'asked' ? ` --reason "${says}"` : '';
    const goal = needsGoal ? ' --goal "the new goal"' : '';
    const amount = grant === null ? '' : ` ${flagOf(grant.field)} ${grant.usual}`;
    return { answer, command: `umpire resolve ${name} ${answer}${words}${goal}${amount}` };
  });
}

export function answerLines({ answers, see }: Pick<QuestionView, 'answers' | 'see'>): readonly string[] {
  const seen = see === '' ? [] : ['See the change:', commandLine(see)];
  return answers.length === 0 ? [] : [...seen, 'Answer with one of:', ...answers.map(({ command }) => commandLine(command))];
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

// The open question of a session as it is asked at a terminal: the reason, the plan, and each answer with what it does.

export interface PlanText {
  readonly path: string;
  readonly text: string;
}

interface QuestionScreen {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

export function questionPage(
  run: RunState,
  question: Question,
  session: string,
  plan: PlanText | null,
  { columns, rows, color }: QuestionScreen,
): readonly string[] {
  const view = questionView(run, question, session);
  const choices = answerOptions(run, question);
  const width = Math.max(...choices.map(({ answer }) => answer.length));
  const answers = choices.flatMap(({ answer, does }, index) => {
    const start = `  ${index + 1}  ${paint('bold', answer, color)}${' '.repeat(width - answer.length)}  `;
    const [first = '', ...rest] = wrap(lineOf(does), ' '.repeat(width + 7), ' '.repeat(width + 7), columns);
    return [`${start}${first.slice(width + 7)}`, ...rest];
  });
  const head = wrap(`${lineOf(needWords(question, view), 300)}${moreWords(view)}`, '', '', columns).map((line) =>
    paint('yellow', line, color),
  );
  const detail = lineOf(view.detail, 1200);
  const why = detail === '' ? [] : wrap(detail, '  ', '  ', columns);
  const room = rows - head.length - why.length - answers.length - 6;
  const shown = plan ?? patchText(view);
  const plans = planLines(shown, Math.max(plan === null ? LEAST_PATCH_LINES : 4, room), columns, color);
  return [...head, ...why, ...plans, '', ...answers];
}

/** On a small screen the reason may scroll away, and the change not. */
const LEAST_PATCH_LINES = 12;
const PATCH_HEAD = /^(?:diff --git |index |--- )/;

/** The change that a person is asked about, and the command that shows all of it. */
function patchText({ patch, see }: Pick<QuestionView, 'patch' | 'see'>): PlanText | null {
  if (patch + see === '') return null;
  const lines = patch.split('\n').filter((line) => !PATCH_HEAD.test(line));
  return { path: see, text: showHidden(lines.join('\n')) };
}

function planLines(plan: PlanText | null, most: number, columns: number, color: boolean): readonly string[] {
  if (plan === null) return [];
  const text = plan.text.trimEnd();
  const lines = text === '' ? [] : text.split('\n');
  const shown = lines.length <= most ? lines : lines.slice(0, most - 1);
  const rest = lines.length - shown.length;
  const where = lineOf(plan.path);
  const end = rest === 0 ? (where === '' ? '' : `  (${where})`) : `  ${rest} more lines: ${where}`;
  return ['', ...shown.map((line) => `  ${clip(line.replace(/\s+$/, ''), columns - 2)}`), paint('dim', end, color)];
}
