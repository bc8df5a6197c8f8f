// The open question of a session as it is asked at a terminal: the reason, the plan, and each answer with what it does.

import type { Question } from '@umpire/core/model/questions.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { paint } from './colors.js';
import { clip, lineOf, wrap } from './safe-text.js';
import { answerOptions, moreWords, needWords, questionView } from './session-question.js';

export interface PlanText {
  readonly path: string;
  readonly text: string;
}

export interface QuestionScreen {
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
