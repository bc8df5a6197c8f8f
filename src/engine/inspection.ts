// The guard's look at one task's work in a run. Loaded late: with it come the parsers.

import { UmpireError, isUmpireError } from '../errors.js';
import type { GuardAllowance } from '../guard/allowances.js';
import type { GuardScope } from '../guard/change.js';
import type { Correction } from '../guard/taking-back.js';
import type { Breach } from '../brain/run-messages.js';
import { fileReader } from '../workspace/change-reader.js';
import type { Work } from '../workspace/inspector.js';
import { corrections, lookAt } from './guard-look.js';

export interface Inspection {
  readonly scope: GuardScope;
  /** Breaches are taken back, not only told. */
  readonly takesBack: boolean;
  readonly allowances: readonly GuardAllowance[];
  readonly today: string;
}

export interface Inspected {
  readonly breaches: readonly Breach[];
  readonly corrections: readonly Correction[];
}

const MOST_BREACHES = 50;

export function inspectWork({ change, folder }: Work, { scope, takesBack, allowances, today }: Inspection): Inspected {
  try {
    const request = { change, scope, same: fileReader(folder), allowances, today };
    const { findings } = lookAt(request);
    const made = takesBack && findings.length > 0 ? corrections(request, findings) : [];
    const how = new Map(made.map((one) => [one.path, one.how]));
    const breaches = findings.slice(0, MOST_BREACHES).map(({ rule, file, line, message }) => {
      return { rule, file, line, message, taken: takesBack ? (how.get(file) ?? 'file') : null };
    });
    return { breaches, corrections: made };
  } catch (error) {
    if (isUmpireError(error)) throw error;
    // Work that could not be looked at is not merged.
    throw new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
