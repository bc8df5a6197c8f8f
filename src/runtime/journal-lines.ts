// The lines that Umpire writes, each held against those before it. Any other line fits its hash only because somebody made it fit.

import { chainKey } from '../brain/evolve.js';
import { pending } from '../brain/pending.js';
import type { SessionState } from '../brain/evolve.js';
import type { Event, Recorded, VerdictGiven } from '../brain/messages.js';
import { sha256 } from './hash.js';

type DataOf<T> = Extract<Event, { readonly type: T }>['data'];
type Rule<D> = readonly [holds: (data: D, before: SessionState) => boolean, otherwise: string];

const OF_FROZEN_LOOP: Rule<{ readonly loop: string }> = [
  ({ loop }, { frozen }) => isText(loop) && frozen.has(loop),
  'no line before it froze the rules of its loop',
];

const IN_RUN: Rule<unknown> = [(_, { run }) => run !== null, 'no line before it started a session'];

const OF_TASK: Rule<{ readonly task: string }> = [
  ({ task }, { run }) => run !== null && run.at.has(task),
  'it speaks of a task that no line before it made',
];

/** What holds of each kind of line. Types say what Umpire writes; a forger's data may be anything. */
const RULES: { readonly [T in Event['type']]: readonly Rule<DataOf<T>>[] } = {
  SessionObserved: [[(_, { observed }) => !observed, 'the session was observed before']],
  RulesFrozen: [
    [
      ({ loop, rules, cap, chains }) => isText(loop) && isObject(rules) && rules.loop === loop && isWhole(cap) && areTexts(chains),
      'it holds no rules of its loop',
    ],
    [({ hash, rules }) => hash === sha256(JSON.stringify(rules)), 'its rules do not fit their hash'],
    [({ loop }, { frozen }) => !frozen.has(loop), 'the rules of its loop were frozen before'],
  ],
  TargetFrozen: [
    OF_FROZEN_LOOP,
    [({ chain, target }) => isText(chain) && typeof target === 'number', 'it holds no target'],
    [({ loop, chain }, { targets }) => !targets.has(chainKey(loop, chain)), 'the target of its chain was frozen before'],
  ],
  CapChanged: [
    OF_FROZEN_LOOP,
    [({ loop, from, to }, { frozen }) => from === frozen.get(loop)?.cap && isWhole(to), 'it does not change the cap that held'],
  ],
  ChainNamed: [OF_FROZEN_LOOP, [({ chain }) => isText(chain), 'it names no chain']],
  ChainContinued: [OF_FROZEN_LOOP, [({ chain, of }) => isText(chain) && areTexts(of), 'it names no chains']],
  RoundsRecalled: [
    OF_FROZEN_LOOP,
    [
      ({ chains }) => isList(chains) && chains.every((one) => isObject(one) && isText(one.chain) && isWhole(one.round)),
      'it holds no rounds',
    ],
  ],
  VerdictGiven: [
    [isVerdict, 'it holds no verdict'],
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
        verdict.status !== 'partial' || scene === undefined || isObject(scene.rules) !== frozen.has(verdict.loop),
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
    [
      ({ loop, rows, settings, gates, writers }) =>
        isText(loop) && isList(rows) && isObject(settings) && areTexts(gates) && areTexts(writers),
      'it holds no session',
    ],
    [
      ({ loop, frozen }) =>
        frozen === undefined ||
        (isObject(frozen) && isObject(frozen.rules) && frozen.rules.loop === loop && isWhole(frozen.cap) && areTexts(frozen.chains)),
      'it holds no rules of its loop',
    ],
    [({ frozen }) => frozen === undefined || frozen.hash === sha256(JSON.stringify(frozen.rules)), 'its rules do not fit their hash'],
  ],
  RunBegun: [IN_RUN, [({ run, settings }) => isText(run) && isObject(settings), 'it holds no run']],
  TaskStarted: [OF_TASK],
  TaskSubmitted: [OF_TASK, [({ commit }) => isText(commit), 'it holds no commit']],
  TaskFinished: [OF_TASK, [({ status, outputs }) => ['completed', 'failed'].includes(status) && isObject(outputs), 'it holds no result']],
  TaskAsked: [OF_TASK],
  TaskInterrupted: [OF_TASK],
  TaskSkipped: [OF_TASK],
  TasksReopened: [IN_RUN, [({ tasks }) => areTexts(tasks), 'it names no tasks']],
  JudgingFailed: [OF_TASK],
  TasksEdited: [IN_RUN, [({ set, add }) => isObject(set) && isList(add), 'it holds no edit']],
  EditRefused: [IN_RUN],
  PersonCalled: [IN_RUN],
  PersonAnswered: [IN_RUN, [({ key, answer }) => isText(key) && isText(answer), 'it holds no answer']],
  PersonEdited: [IN_RUN],
  StrayChanges: [IN_RUN],
  WorkReverted: [IN_RUN],
  SessionEnded: [IN_RUN, [endsSo, 'it holds no end that follows from the lines before it']],
};

/** Events of a later version that changed no meaning are passed over. */
export function isKnown(event: Recorded): boolean {
  return Object.hasOwn(RULES, event.type);
}

/** Why Umpire does not write this line after those before it; null where it does. */
export function faultOf(event: Recorded, before: SessionState): string | null {
  if (!isTime(event.ts)) return unwritten('its time is none');
  if (!before.observed && event.type !== 'SessionObserved' && event.type !== 'SessionStarted')
    return unwritten('the first line says what was observed, and this one does not');
  if (!isObject(event.data)) return unwritten('it holds no data');
  if (!isKnown(event)) return null;
  const rules: readonly Rule<never>[] = RULES[event.type];
  const broken = rules.find(([holds]) => !holds(event.data as never, before));
  return broken === undefined ? null : unwritten(broken[1]);
}

function unwritten(why: string): string {
  return `Umpire writes no such line: ${why}`;
}

/** An end is what was pending when it was recorded. */
function endsSo({ outcome, unverified }: DataOf<'SessionEnded'>, before: SessionState): boolean {
  const [due] = pending(before);
  return due?.type === 'EndSession' && due.outcome === outcome && due.unverified === unverified;
}

function isVerdict({ verdict, lists, scene }: VerdictGiven): boolean {
  if (!isObject(verdict) || !isObject(lists) || (scene !== undefined && !isObject(scene))) return false;
  const { loop, chain, decision, outcome, rule, round, maxRounds, status } = verdict;
  return (
    [loop, chain, decision, rule].every(isText) &&
    [round, maxRounds].every(isWhole) &&
    ['converge', 'revise', 'accept', 'escalate'].includes(outcome) &&
    ['decided', 'partial'].includes(status)
  );
}

function hasTarget({ verdict }: VerdictGiven, { frozen, targets }: SessionState): boolean {
  const isHeld = verdict.status === 'decided' && frozen.get(verdict.loop)?.rules.target !== undefined;
  return !isHeld || targets.has(chainKey(verdict.loop, verdict.chain));
}

function isTime(ts: string): boolean {
  const time = new Date(ts);
  return !Number.isNaN(time.getTime()) && time.toISOString() === ts;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isWhole(value: unknown): boolean {
  return Number.isInteger(value);
}
