// The guard's look at one task's work in a run. Loaded late: with it come the parsers.

import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import type { GuardAllowance } from '@umpire/guard/allowances.js';
import type { GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/finding.js';
import { KnownBefore } from '@umpire/guard/guard.js';
import { roleOf } from '@umpire/guard/paths.js';
import type { Correction } from '@umpire/guard/taking-back.js';
import type { Breach } from '@umpire/core/decider/events.js';
import type { TestResult } from '@umpire/core/model.js';
import { onDiskIn, readerOf } from '../workspace/change-reader.js';
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
  /** What the plain loop runs. */
  readonly command?: string | undefined;
}

export interface Inspected {
  readonly breaches: readonly Breach[];
  readonly corrections: readonly Correction[];
}

const MOST_BREACHES = 50;

/** Where source may change, a new package may be the point of the change, or the program that is to pass. A new wanted value may be it anywhere. A person is told. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(['lockfile-changed', 'command-changed']);

/** What keeps a tool from looking. In a test it makes the test lie; in source a person may have to weigh it. */
const MARKS: ReadonlySet<string> = new Set(['type-suppressed', 'any-used', 'lint-disabled']);

function isForAPerson({ rule, file }: GuardFinding): boolean {
  return FOR_A_PERSON.has(rule) || (MARKS.has(rule) && roleOf(file) === 'source');
}

export function inspectWork({ change, folder }: Work, { scope, takesBack, allowances, today, measured, command }: Inspection): Inspected {
  try {
    const ran = measured.length === 0 ? {} : { ran: { before: measured } };
    const request = {
      change,
      scope,
      same: readerOf(onDiskIn(folder)),
      ...ran,
      allowances,
      today,
      known: new KnownBefore(),
      everyRewrite: true,
      newTestsCheck: scope === 'testing',
      mustBeRead: true,
      command,
    };
    const { findings } = lookAt(request);
    const isTaken = (finding: GuardFinding): boolean =>
      takesBack && finding.rule !== 'rebaselined' && !(scope === 'any' && isForAPerson(finding));
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
