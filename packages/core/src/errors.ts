// Errors that the person at the keyboard can mend. Thrown at the edges, printed by the doors. Expected outcomes of a loop are verdicts,
// not errors; bugs are no such errors either: they crash.

import { ERRORS } from './error-catalogue.js';

export type ErrorCode = keyof typeof ERRORS;

/** An error that the person at the keyboard can mend. `rule` is the loop's row that asked for it, where one did. */
export class UmpireError extends Error {
  readonly hint: string;
  readonly exit: 1 | 2;

  constructor(
    readonly code: ErrorCode,
    params: Readonly<Record<string, string | number>> = {},
    readonly rule?: string,
  ) {
    const entry = ERRORS[code];
    super(fill(entry.message, params));
    this.name = 'UmpireError';
    this.hint = fill(entry.hint, params);
    this.exit = entry.exit;
  }
}

/** Also where it comes from another copy of this file: the command and what it loads late are bundled apart. */
export function isUmpireError(error: unknown): error is UmpireError {
  return error instanceof Error && error.name === 'UmpireError' && 'hint' in error;
}

function fill(text: string, params: Readonly<Record<string, string | number>>): string {
  const filled = text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
  return filled.replace(/([?!])\.$/, '$1');
}
