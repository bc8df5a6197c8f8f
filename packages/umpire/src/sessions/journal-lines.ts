// The lines that Umpire writes, each held against those before it. Any other line fits its hash only because somebody made it fit.

import { UmpireError } from '@umpire/core/errors.js';
import { EVENT_SHAPES } from '@umpire/core/decider/event-shapes.js';
import { chainKey } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import type { Event, Recorded, VerdictGiven } from '@umpire/core/decider/events.js';
import { pendingEffects } from '@umpire/core/decider/pending-effects.js';
import { object } from '@umpire/core/formats/shape.js';
import type { Shape } from '@umpire/core/formats/shape.js';
import { isTimestamp } from '@umpire/core/formats/timestamp.js';
import { LONGEST_LINE, printJournalLine } from '@umpire/core/formats/journal.js';
import type { Envelope, Hash } from '@umpire/core/formats/journal.js';
import { sha256 } from './hash.js';

type DataOf<T> = Extract<Event, { readonly type: T }>['data'];
type Rule<D> = readonly [holds: (data: D, before: SessionState) => boolean, otherwise: string];

const OF_FROZEN_LOOP: Rule<{ readonly loop: string }> = [
  ({ loop }, { frozen }) => frozen.has(loop),
  'no line before it froze the rules of its loop',
];

const IN_RUN: Rule<unknown> = [(_, { run }) => run !== null, 'no line before it started a session'];

const OF_TASK: Rule<{ readonly task: string }> = [
  ({ task }, { run }) => run !== null && run.at.has(task),
  'it speaks of a task that no line before it made',
];

/** What holds of each kind of line after those before it. That its data is of the right shape is known by then. */
const RULES: { readonly [T in Event['type']]: readonly Rule<DataOf<T>>[] } = {
  SessionObserved: [[(_, { observed }) => !observed, 'the session was observed before']],
  RulesFrozen: [
    [({ loop, rules }) => rules.loop === loop, 'it holds no rules of its loop'],
    [({ hash, rules }) => hash === sha256(JSON.stringify(rules)), 'its rules do not fit their hash'],
    [({ loop }, { frozen }) => !frozen.has(loop), 'the rules of its loop were frozen before'],
  ],
  TargetFrozen: [
    OF_FROZEN_LOOP,
    [({ loop, chain }, { targets }) => !targets.has(chainKey(loop, chain)), 'the target of its chain was frozen before'],
  ],
  CapChanged: [OF_FROZEN_LOOP, [({ loop, from }, { frozen }) => from === frozen.get(loop)?.cap, 'it does not change the cap that held']],
  ChainNamed: [OF_FROZEN_LOOP],
  ChainContinued: [OF_FROZEN_LOOP],
  RoundsRecalled: [OF_FROZEN_LOOP],
  VerdictGiven: [
    [
      ({ verdict }, { frozen }) => verdict.status === 'partial' || frozen.has(verdict.loop),
      'it is a decided verdict, and no line before it froze the rules',
    ],
    [
      ({ verdict, scene }) => verdict.status === 'partial' || (scene?.rules ?? null) === null,
      'it is a decided verdict with rules of its own; one is given by the frozen rules alone',
    ],
    [
      ({ verdict, scene }, { frozen }) =>
        verdict.status !== 'partial' || scene === undefined || (scene.rules !== null) !== frozen.has(verdict.loop),
      'a partial verdict brings its rules where none were frozen before it, and only there',
    ],
    [hasTarget, 'no line before it froze the target of its chain'],
  ],
  VerdictProjected: [
    [
      ({ verdict }, { verdicts }) => [...verdicts.values()].some((past) => past.some(({ seq }) => seq === verdict)),
      'it points at a line that is no verdict before it',
    ],
  ],
  SessionStarted: [
    [(_, { run }) => run === null, 'the session was started before'],
    [({ loop, frozen }) => frozen === undefined || frozen.rules.loop === loop, 'it holds no rules of its loop'],
    [({ frozen }) => frozen === undefined || frozen.hash === sha256(JSON.stringify(frozen.rules)), 'its rules do not fit their hash'],
  ],
  RunBegun: [IN_RUN],
  TaskStarted: [OF_TASK],
  TaskSubmitted: [OF_TASK],
  TaskFinished: [OF_TASK],
  TaskAsked: [OF_TASK],
  TaskInterrupted: [OF_TASK],
  TaskPostponed: [OF_TASK],
  WaitEnded: [OF_TASK],
  TimePassed: [IN_RUN],
  TaskSkipped: [OF_TASK],
  TasksReopened: [IN_RUN],
  JudgingFailed: [OF_TASK],
  TasksEdited: [IN_RUN],
  EditRefused: [IN_RUN],
  PersonCalled: [IN_RUN],
  PersonAnswered: [IN_RUN],
  PersonEdited: [IN_RUN],
  StrayChanges: [IN_RUN],
  WorkReverted: [IN_RUN],
  SessionEnded: [IN_RUN, [endsSo, 'it holds no end that follows from the lines before it']],
};

interface Kind {
  readonly shape: Shape<unknown>;
  readonly rules: readonly Rule<never>[];
}

const KINDS: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(RULES) as Event['type'][]).map((type) => [type, { shape: EVENT_SHAPES[type], rules: RULES[type] }]),
);

/** Of a later version: it has data. */
const LATER: Kind = { shape: object({}), rules: [] };

/** Why Umpire does not write a line; of one that it does write, whether this version knows what it means. */
export type LineCheck = { readonly fault: string } | { readonly fault: null; readonly isKnown: boolean };

const KNOWN: LineCheck = { fault: null, isKnown: true };
/** Events of a later version that changed no meaning are passed over. */
const UNKNOWN: LineCheck = { fault: null, isKnown: false };

/** Is this a line that Umpire writes after those before it? */
export function checkLine({ ts, type, data }: Recorded, before: SessionState): LineCheck {
  if (!isTimestamp(ts)) return unwritten('its time is none');
  if (!before.observed && type !== 'SessionObserved' && type !== 'SessionStarted')
    return unwritten('the first line says what was observed, and this one does not');
  const kind = KINDS.get(type) ?? LATER;
  const wrong = kind.shape(data);
  if (wrong !== null) return unwritten(wrongWords(wrong));
  if (kind === LATER) return UNKNOWN;
  const { rules } = kind;
  for (let at = 0; at < rules.length; at++) {
    const rule = rules[at] as Rule<never>;
    if (!rule[0](data as never, before)) return unwritten(rule[1]);
  }
  return KNOWN;
}

function wrongWords(path: string): string {
  return path === '' ? 'it holds no data' : `its ${path} is missing or of the wrong kind`;
}

function unwritten(why: string): LineCheck {
  return { fault: `Umpire writes no such line: ${why}` };
}

/** An end is what was pending when it was recorded. */
function endsSo({ outcome, unverified }: DataOf<'SessionEnded'>, before: SessionState): boolean {
  const [due] = pendingEffects(before);
  return due?.type === 'EndSession' && due.outcome === outcome && due.unverified === unverified;
}

function hasTarget({ verdict }: VerdictGiven, { frozen, targets }: SessionState): boolean {
  const isHeld = verdict.status === 'decided' && frozen.get(verdict.loop)?.rules.target !== undefined;
  return !isHeld || targets.has(chainKey(verdict.loop, verdict.chain));
}

/** The line as it is written. One that could not be read again is refused before anything of it is on the disk. */
export function lineOf(event: Envelope, prev: string, hash: Hash): ReturnType<typeof printJournalLine> {
  // A program without types may have handed in anything.
  const wrong = KINDS.get(event.type)?.shape(event.data) ?? null;
  if (wrong !== null) throw new UmpireError('internal', { detail: `no line can hold this ${event.type}: ${wrongWords(wrong)}` });
  let printed: ReturnType<typeof printJournalLine> | null = null;
  try {
    printed = printJournalLine(JOURNAL_VERSION, event, prev, hash);
  } catch (error) {
    // A text that is longer than any can be.
    if (!(error instanceof RangeError)) throw error;
  }
  if (printed === null || printed.line.length > LONGEST_LINE)
    throw new UmpireError('journal-line-long', { type: event.type, most: Math.round(LONGEST_LINE / 1048576) });
  return printed;
}
