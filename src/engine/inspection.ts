// The guard's look at one task's work in a run. Loaded late: with it come the parsers.

import { UmpireError, isUmpireError } from '../errors.js';
import type { GuardAllowance } from '../guard/allowances.js';
import type { GuardScope } from '../guard/change.js';
import type { GuardFinding } from '../guard/finding.js';
import { KnownBefore } from '../guard/guard.js';
import type { Correction } from '../guard/taking-back.js';
import type { Breach } from '../brain/run-messages.js';
import type { TestResult } from '../model.js';
import { fileReader } from '../workspace/change-reader.js';
import type { Work } from '../workspace/inspector.js';
import { corrections, lookAt } from './guard-look.js';
import type { LookRequest } from './guard-look.js';

export interface Inspection {
  readonly scope: GuardScope;
  /** Breaches are taken back, not only told. */
  readonly takesBack: boolean;
  readonly allowances: readonly GuardAllowance[];
  readonly today: string;
  /** Tests as they were measured on the commit that the task began with. */
  readonly measured: readonly TestResult[];
}

export interface Inspected {
  readonly breaches: readonly Breach[];
  readonly corrections: readonly Correction[];
}

const MOST_BREACHES = 50;

/** Where source may change, these may be the point of the change: a new wanted value, a new package. A person is told. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(['rebaselined', 'lockfile-changed']);

export function inspectWork({ change, folder }: Work, { scope, takesBack, allowances, today, measured }: Inspection): Inspected {
  try {
    const ran = measured.length === 0 ? {} : { ran: { before: measured } };
    const request = { change, scope, same: fileReader(folder), ...ran, allowances, today, known: new KnownBefore() };
    const { findings } = lookAt(request);
    const isTaken = ({ rule }: GuardFinding): boolean => takesBack && !(scope === 'any' && FOR_A_PERSON.has(rule));
    const lies = findings.filter(isTaken);
    if (lies.length === 0) return { breaches: told(findings), corrections: [] };
    const { corrections: made, change: honest } = corrections(request, lies, isTaken);
    const how = new Map(made.map((one) => [one.path, one.how]));
    const taken = lies.map((finding) => breachOf(finding, how.get(finding.file) ?? 'file'));
    return {
      breaches: [...taken, ...leftFor({ ...request, change: honest }, findings, isTaken)].slice(0, MOST_BREACHES),
      corrections: made,
    };
  } catch (error) {
    if (isUmpireError(error)) throw error;
    // Work that could not be looked at is not merged.
    throw new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

/** What a person is told of once the rest is taken back: some of it may have gone with it. */
function leftFor(request: LookRequest, all: readonly GuardFinding[], isTaken: (finding: GuardFinding) => boolean): readonly Breach[] {
  return all.every(isTaken) ? [] : told(lookAt(request).findings.filter((finding) => !isTaken(finding)));
}

function told(findings: readonly GuardFinding[]): readonly Breach[] {
  return findings.slice(0, MOST_BREACHES).map((finding) => breachOf(finding, null));
}

function breachOf({ rule, file, line, message }: GuardFinding, taken: Breach['taken']): Breach {
  return { rule, file, line, message, taken };
}
