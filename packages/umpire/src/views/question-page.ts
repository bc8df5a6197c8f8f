// The open question of a session as it is asked at a terminal: the reason, the plan, and each answer with what it does.

import { answersIn, isAboutEvidence } from '@umpire/core/decider/question.js';
import type { Answer, Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { paint } from './colors.js';
import { clip, lineOf, wrap } from './safe-text.js';
import { moreWords, needWords, questionView } from './session-question.js';

/** `resume` is no answer: it continues the session. */
export interface AnswerChoice {
  readonly answer: Answer | 'resume';
  readonly means: string;
}

export interface PlanText {
  readonly path: string;
  readonly text: string;
}

export interface QuestionScreen {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

/** The choices, the most common first. */
export function choicesOf(run: RunState, question: Question): readonly AnswerChoice[] {
  const options = run.started.frozen?.rules.ask.options ?? [];
  const meansOf = (answer: Answer) =>
    (question.kind === 'escalation' ? options.find(({ id }) => id === answer)?.means : undefined) ?? meaning(question, answer);
  const answers = answersIn(run, question).map((answer) => ({ answer, means: lineOf(meansOf(answer)) }));
  if (question.kind === 'edit') return [{ answer: 'resume', means: 'your edit is done; the critic judges it' }, ...answers];
  if (question.kind === 'limit') return [{ answer: 'resume', means: 'try again now' }, ...answers];
  return answers;
}

function meaning(question: Question, answer: Answer): string {
  switch (answer) {
    case 'approve':
      return 'start the tasks of the plan';
    case 'revise':
      return 'send the plan back and say what to change';
    case 'force-approve':
      return 'approve without clean evidence; marked unverified';
    case 'manual-fix':
      return 'change the files yourself; the critic judges your work';
    case 'extend':
      if (question.kind === 'budget') return `allow more ${question.what === 'cost' ? 'dollars' : question.what}`;
      return isAboutEvidence(question) ? 'let the critic try again' : 'allow more rounds';
    case 'answer':
      return 'answer the agent; it continues';
    case 'agree':
      return 'the agent is right; drop the task';
    case 'insist':
      return 'do it all the same; the agent reads your reason';
    case 'change-goal':
      return 'change the goal of the session';
    case 'take-edits':
      return 'take up the held edit of tasks.csv';
    case 'stop':
    case 'abort':
      return 'end the session and keep everything';
  }
}

export function questionPage(
  run: RunState,
  question: Question,
  session: string,
  plan: PlanText | null,
  { columns, rows, color }: QuestionScreen,
): readonly string[] {
  const view = questionView(run, question, session);
  const choices = choicesOf(run, question);
  const width = Math.max(...choices.map(({ answer }) => answer.length));
  const answers = choices.flatMap(({ answer, means }, index) => {
    const start = `  ${index + 1}  ${paint('bold', answer, color)}${' '.repeat(width - answer.length)}  `;
    const [first = '', ...rest] = wrap(means, ' '.repeat(width + 7), ' '.repeat(width + 7), columns);
    return [`${start}${first.slice(width + 7)}`, ...rest];
  });
  const head = wrap(`${lineOf(needWords(question, view), 300)}${moreWords(view)}`, '', '', columns).map((line) =>
    paint('yellow', line, color),
  );
  const detail = lineOf(view.detail, 1200);
  const why = detail === '' ? [] : wrap(detail, '  ', '  ', columns);
  const room = rows - head.length - why.length - answers.length - 6;
  const plans = planLines(plan, Math.max(4, room), columns, color);
  return [...head, ...why, ...plans, '', ...answers];
}

function planLines(plan: PlanText | null, most: number, columns: number, color: boolean): readonly string[] {
  if (plan === null) return [];
  const lines = plan.text.trimEnd().split('\n');
  const shown = lines.length <= most ? lines : lines.slice(0, most - 1);
  const rest = lines.length - shown.length;
  const where = lineOf(plan.path);
  const end = rest === 0 ? `  (${where})` : `  ${rest} more lines: ${where}`;
  return ['', ...shown.map((line) => `  ${clip(line.replace(/\s+$/, ''), columns - 2)}`), paint('dim', end, color)];
}
