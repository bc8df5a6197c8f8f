// Checks that each journal line is one that Umpire writes after the lines before it. A forged line may have a valid hash, but
// rarely fits the history.

import { UmpireError } from '@umpire/core/model/errors.js';
import { chainKey } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { EVENTS, JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import type { Event, EventData, Recorded, VerdictGiven } from '@umpire/core/decider/events.js';
import { pendingEffects } from '@umpire/core/decider/pending-effects.js';
import { isPlain } from '@umpire/core/model/schema.js';
import { isTimestamp } from '@umpire/core/formats/timestamp.js';
import { LONGEST_LINE_BYTES, printJournalLine } from '@umpire/core/formats/journal.js';
import type { Envelope, Hash, JournalKey } from '@umpire/core/formats/journal.js';
import { sha256 } from './hash.js';

type LineRule<D> = readonly [holds: (data: D, before: SessionState) => boolean, otherwise: string];

const OF_FROZEN_LOOP: LineRule<{ readonly loop: string }> = [
  ({ loop }, { frozen }) => frozen.has(loop),
  'no earlier line froze the rules of its loop',
];

const IN_RUN: LineRule<unknown> = [(_, { run }) => run !== null, 'no earlier line started a session'];

const OF_TASK: LineRule<{ readonly task: string }> = [
  ({ task }, { run }) => run !== null && run.at.has(task),
  'it names a task that no earlier line created',
];

/** What must be true of each kind of line after those before it. Its data has been checked by then. */
const RULES: { readonly [T in Event['type']]: readonly LineRule<EventData<T>>[] } = {
  SessionObserved: [[(_, { observed }) => !observed, 'the session was already observed']],
  RulesFrozen: [
    [({ loop, rules }) => rules.loop === loop, 'its rules are for another loop'],
    [({ hash, rules }) => hash === sha256(JSON.stringify(rules)), 'its rules do not match their hash'],
    [({ loop }, { frozen }) => !frozen.has(loop), 'the rules of its loop were already frozen'],
  ],
  TargetFrozen: [
    OF_FROZEN_LOOP,
    [({ loop, chain }, { targets }) => !targets.has(chainKey(loop, chain)), 'the target of its chain was already frozen'],
  ],
  CapChanged: [OF_FROZEN_LOOP, [({ loop, from }, { frozen }) => from === frozen.get(loop)?.cap, 'it does not start from the current cap']],
  ChainNamed: [OF_FROZEN_LOOP],
  ChainContinued: [OF_FROZEN_LOOP],
  RoundsRecalled: [OF_FROZEN_LOOP],
  EvidenceMeasured: [[(_, { run }) => run === null, 'Umpire runs this session']],
  VerdictGiven: [
    [
      ({ verdict }, { frozen }) => verdict.status === 'partial' || frozen.has(verdict.loop),
      'it is a decided verdict, but no earlier line froze the rules',
    ],
    [
      ({ verdict, scene }) => verdict.status === 'partial' || (scene.rules ?? null) === null,
      'it is a decided verdict with its own rules instead of the frozen ones',
    ],
    [
      ({ verdict, scene }, { frozen }) =>
        verdict.status !== 'partial' || scene === undefined || (scene.rules !== null) !== frozen.has(verdict.loop),
      'a partial verdict contains its rules if, and only if, none were frozen before',
    ],
    [hasTarget, 'no earlier line froze the target of its chain'],
  ],
  VerdictProjected: [
    [
      ({ verdict }, { verdicts }) => [...verdicts.values()].some((past) => past.some(({ seq }) => seq === verdict)),
      'it names a line that is no earlier verdict',
    ],
  ],
  FindingRuled: [
    [
      ({ verdict, finding }, { verdicts }) =>
        [...verdicts.values()].some((past) =>
          past.some((one) => one.seq === verdict && one.verdict.findings.some(({ fingerprint }) => fingerprint === finding.fingerprint)),
        ),
      'no earlier verdict lists its finding',
    ],
  ],
  SessionStarted: [
    [(_, { run }) => run === null, 'the session was already started'],
    [({ loop, frozen }) => frozen === undefined || frozen.rules.loop === loop, 'its rules are for another loop'],
    [({ frozen }) => frozen === undefined || frozen.hash === sha256(JSON.stringify(frozen.rules)), 'its rules do not match their hash'],
  ],
  RunBegun: [IN_RUN],
  TaskStarted: [OF_TASK],
  TaskSubmitted: [OF_TASK],
  TaskFinished: [OF_TASK],
  EvidenceRepeated: [OF_TASK, [isPendingRepeat, 'the earlier lines do not lead to it']],
  TaskAsked: [OF_TASK],
  TaskBlocked: [OF_TASK],
  TaskInterrupted: [OF_TASK],
  FolderChanged: [OF_TASK],
  TaskPostponed: [OF_TASK],
  TaskLimited: [OF_TASK],
  WaitEnded: [OF_TASK],
  TimePassed: [IN_RUN],
  TaskSkipped: [OF_TASK],
  TasksReopened: [IN_RUN],
  JudgingFailed: [OF_TASK],
  TasksEdited: [IN_RUN],
  EditHeld: [IN_RUN],
  EditRefused: [IN_RUN],
  PersonCalled: [IN_RUN],
  PersonAnswered: [IN_RUN],
  PersonEdited: [IN_RUN],
  StrayChanges: [IN_RUN],
  WorkReverted: [IN_RUN],
  KeptChangeTaken: [OF_TASK],
  DamageReverted: [IN_RUN, [isPendingRevert, 'the earlier lines do not lead to it']],
  SessionEnded: [IN_RUN, [isPendingEnd, 'the earlier lines lead to another end']],
};

function isEventType(type: string): type is Event['type'] {
  return Object.hasOwn(EVENTS, type);
}

/** Why Umpire would not write this line; else whether this version knows its type. */
export type LineCheck = { readonly fault: string } | { readonly fault: null; readonly isKnown: boolean };

const KNOWN: LineCheck = { fault: null, isKnown: true };
/** Lines of a later version that change no meaning are skipped. */
const UNKNOWN: LineCheck = { fault: null, isKnown: false };

export function checkLine({ ts, type, data }: Recorded, before: SessionState): LineCheck {
  if (!isTimestamp(ts)) return faultLine('its time is not a valid timestamp');
  if (!before.observed && type !== 'SessionObserved' && type !== 'SessionStarted')
    return faultLine('the first line must start or observe the session');
  // A line of a later version: only its data is checked to be an object.
  if (!isEventType(type)) return isPlain(data) ? UNKNOWN : faultLine(describeWrong(''));
  const wrong = EVENTS[type].findFault(data);
  if (wrong !== null) return faultLine(describeWrong(wrong));
  const rules: readonly LineRule<never>[] = RULES[type];
  for (let at = 0; at < rules.length; at++) {
    const rule = rules[at] as LineRule<never>;
    if (!rule[0](data as never, before)) return faultLine(rule[1]);
  }
  return KNOWN;
}

function describeWrong(path: string): string {
  return path === '' ? 'it has no data' : `its ${path} is missing or has the wrong type`;
}

function faultLine(why: string): LineCheck {
  return { fault: `Umpire writes no such line: ${why}` };
}

/** The recorded end must be the one that was pending. */
function isPendingEnd({ outcome, unverified }: EventData<'SessionEnded'>, before: SessionState): boolean {
  const [due] = pendingEffects(before);
  return due?.type === 'EndSession' && due.outcome === outcome && due.unverified === unverified;
}

/** Evidence counts again only where nothing changed: an agent that writes such a line gains nothing by it. */
function isPendingRepeat({ task, attempt, of }: EventData<'EvidenceRepeated'>, before: SessionState): boolean {
  const [due] = pendingEffects(before);
  return due?.type === 'RepeatEvidence' && due.task === task && due.attempt === attempt && due.of === of;
}

function isPendingRevert({ critic, attempt, unit }: EventData<'DamageReverted'>, before: SessionState): boolean {
  const [due] = pendingEffects(before);
  return due?.type === 'RevertDamage' && due.critic === critic && due.attempt === attempt && due.unit === unit;
}

function hasTarget({ verdict }: VerdictGiven, { frozen, targets }: SessionState): boolean {
  const isHeld = verdict.status === 'decided' && frozen.get(verdict.loop)?.rules.target !== undefined;
  return !isHeld || targets.has(chainKey(verdict.loop, verdict.chain));
}

/** Prints a line. A line that could not be read again is refused before it is written. */
export function lineOf(event: Envelope, prev: string, hash: Hash, key: JournalKey | null): ReturnType<typeof printJournalLine> {
  // Callers without type checks may pass anything.
  const wrong = isEventType(event.type) ? EVENTS[event.type].findFault(event.data) : null;
  if (wrong !== null) throw new UmpireError('internal', { detail: `invalid ${event.type} event: ${describeWrong(wrong)}` });
  let printed: ReturnType<typeof printJournalLine> | null = null;
  try {
    printed = printJournalLine(JOURNAL_VERSION, event, prev, hash, key);
  } catch (error) {
    // A RangeError means that the text is too long for a string.
    if (!(error instanceof RangeError)) throw error;
  }
  if (printed === null || isLongerThan(printed.line, LONGEST_LINE_BYTES))
    throw new UmpireError('journal-line-long', { type: event.type, most: Math.round(LONGEST_LINE_BYTES / 1048576) });
  return printed;
}

/** Counts the bytes only where the characters do not decide: a character has at most three. */
function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
