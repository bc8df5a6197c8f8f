// Codes by which Python linters name their rules: `F401`, `W291`. Flake8 and Ruff have no severities beside them.

import type { Severity } from '@umpire/core/model.js';

/** A warning by its own letter; everything else ends the linter with 1, as an error does. */
export function codeSeverity(code: string): Severity {
  return /^W\d/.test(code) ? 'medium' : 'high';
}
