// Errors that a user can fix. Outcomes of a loop are verdicts, not errors. Bugs are plain errors and crash.

import { ERRORS } from './error-catalogue.js';

export type ErrorCode = keyof typeof ERRORS;

/** An error that a user can fix. `rule` is the row of the loop that raised it, if any. */
export class UmpireError extends Error {
  readonly hint: string;
  readonly exit: 1 | 2;

  constructor(
    readonly code: ErrorCode,
    params: Readonly<Record<string, string | number>> = {},
    readonly rule?: string,
  ) {
    const entry = ERRORS[code];
    // A stack keeps its lines; a foreign name or message may not add lines to an error.
    const values = code === 'internal' ? params : oneLineEach(params);
    super(fillPlaceholders(entry.message, values));
    this.name = 'UmpireError';
    this.hint = fillPlaceholders(entry.hint, values);
    this.exit = entry.exit;
  }
}

/** Compares by name, not by class: lazily loaded code is bundled separately and has its own copy of the class. */
export function isUmpireError(error: unknown): error is UmpireError {
  return error instanceof Error && error.name === 'UmpireError' && 'hint' in error;
}

function oneLineEach(params: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value).replace(/\s*[\r\n]\s*/g, ' ')]));
}

function fillPlaceholders(text: string, params: Readonly<Record<string, string | number>>): string {
  const filled = text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
  return filled.replace(/([?!])\.$/, '$1');
}
