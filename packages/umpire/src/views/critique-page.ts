// `umpire critique` for a terminal: the outcome, the findings, notes, and the next step.

import type { CheckOutcome } from '@umpire/core/model/vocabulary.js';
import { lineOf } from './safe-text.js';

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

const SUBJECTS: Readonly<Record<string, string>> = { testing: 'Tests', debt: 'Validation', design: 'Design audit', review: 'Review' };

const OUTCOMES: Readonly<Record<CheckOutcome, string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'could not be measured',
  timeout: 'timed out',
  missing: 'could not run',
};

export function critiquePage({ loop, session, task, outcome, summary, outputs, files, notes }: CritiqueView): string {
  const cells = Object.entries(outputs).filter(([, value]) => value !== '');
  const others = notes.filter((note) => !summary.includes(note)).slice(0, 20);
  const lines = [
    `${SUBJECTS[loop] ?? loop} ${OUTCOMES[outcome]}`,
    ...(summary === '' ? [] : ['', lineOf(summary)]),
    ...(cells.length === 0 ? [] : ['', ...cells.map(([name, value]) => `  ${name.padEnd(18)} ${lineOf(value)}`)]),
    ...(others.length === 0 ? [] : ['', 'Notes', ...others.map((note) => `  ${lineOf(note)}`)]),
    ...(files.length === 0 ? [] : ['', 'Evidence', ...files.map((file) => `  ${session}/${file}`)]),
    '',
    files.length === 0 ? 'No evidence was written, so there is nothing to judge.' : `Judge ${task} with: umpire decide ${loop} ${session}`,
  ];
  return `${lines.join('\n')}\n`;
}
