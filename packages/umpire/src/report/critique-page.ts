// What a critic's run came to, for a terminal: the outcome first, then what was found, what could not be measured, and the next step.

import type { CheckOutcome } from '@umpire/core/model.js';
import { lineOf } from './foreign-text.js';

export interface CritiqueView {
  readonly loop: string;
  readonly session: string;
  readonly task: string;
  readonly outcome: CheckOutcome;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

const MEANING: Readonly<Record<CheckOutcome, string>> = {
  pass: 'it passes',
  fail: 'it does not pass',
  error: 'it could not be measured',
  timeout: 'a tool took too long and was ended',
  missing: 'there was nothing to measure with',
};

export function critiquePage({ loop, session, task, outcome, summary, outputs, files, notes }: CritiqueView): string {
  const cells = Object.entries(outputs).filter(([, value]) => value !== '');
  const others = notes.filter((note) => note !== summary).slice(0, 20);
  const lines = [
    `${loop} ${outcome}: ${MEANING[outcome]}`,
    ...(summary === '' ? [] : ['', lineOf(summary)]),
    ...(cells.length === 0 ? [] : ['', ...cells.map(([name, value]) => `  ${name.padEnd(18)} ${lineOf(value)}`)]),
    ...(others.length === 0 ? [] : ['', 'Notes', ...others.map((note) => `  ${lineOf(note)}`)]),
    ...(files.length === 0 ? [] : ['', 'Evidence', ...files.map((file) => `  ${session}/${file}`)]),
    '',
    files.length === 0 ? 'Nothing was written that could be judged.' : `Judge it (task ${task}) with: umpire decide ${loop} ${session}`,
  ];
  return `${lines.join('\n')}\n`;
}
