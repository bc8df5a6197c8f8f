// Journals with valid hashes and wrong data: every field of every kind of line is removed or replaced, in real sessions of every
// loop. Every reader either works or names the line; none crashes.

import { given, silentOutput } from '../support/in-process.js';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runList, runReport, runStatus } from '@umpire/umpire/doors/cli/look.js';
import { runLogs } from '@umpire/umpire/doors/cli/logs.js';
import { runReplay } from '@umpire/umpire/doors/cli/replay.js';
import type { Event } from '@umpire/core/decider/events.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import { resolve, resume } from '@umpire/umpire/engine/session.js';
import { clean } from '@umpire/umpire/engine/clean.js';
import { apply, diff } from '@umpire/umpire/engine/session-work.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Agent } from '@umpire/core/model/ports.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { checkJournal } from '@umpire/umpire/sessions/journal-file.js';
import { isSoak } from '../support/campaign.js';
import { GOLDEN, forge, goldenNames, linesOf, sha256 } from '../support/journal.js';
import type { Line } from '../support/journal.js';
import { COMPLETE, ESCALATED, answered, begun, done, escalation, start, verdict, writeStory } from '../support/session-events.js';

const base = mkdtempSync(join(tmpdir(), 'umpire-damage-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const project = join(base, 'project');
mkdirSync(project);

const own = { project, workspace: null, writers: [] };

/** The kinds of lines that the other sessions lack, each at least once. */
const ODD: readonly Event[] = [
  ...begun(undefined, own),
  { type: 'TasksEdited', data: { set: { 'DEV-001': { title: 'Develop' } }, add: [], columns: ['id', 'title'], told: ['DEV-001: title'] } },
  { type: 'EditRefused', data: { reason: 'it is done', kept: 'tasks.refused-1.csv' } },
  start('DESIGN-001'),
  { type: 'TaskAsked', data: { task: 'DESIGN-001', attempt: 1, question: 'Which?', usage: NO_USAGE } },
  { type: 'PersonCalled', data: { key: 'question:DESIGN-001:1', by: '' } },
  answered('question:DESIGN-001:1', 'answer', { reason: 'This one.' }),
  start('DESIGN-001', 'claude', 2),
  { type: 'TaskInterrupted', data: { task: 'DESIGN-001', attempt: 2, why: 'Ctrl-C' } },
  start('DESIGN-001', 'claude', 3),
  { type: 'TaskPostponed', data: { task: 'DESIGN-001', attempt: 3, why: 'Overloaded.', waitMs: 30_000, usage: NO_USAGE } },
  { type: 'TimePassed', data: { atWork: 0, waiting: 1 } },
  { type: 'WaitEnded', data: { task: 'DESIGN-001' } },
  start('DESIGN-001', 'claude', 4),
  done('DESIGN-001', { attempt: 4 }),
  { type: 'PersonEdited', data: { commit: '', files: ['a.ts'] } },
  { type: 'StrayChanges', data: { wave: 1, files: ['b.ts'] } },
  start('DEV-001'),
  done('DEV-001', {
    files: ['a.ts'],
    evidence: { 'a.json': null },
    measured: true,
    breaches: [{ rule: 'skipped', file: 'a.test.ts', line: 3, message: 'A test is skipped.', taken: 'hunk' }],
  }),
  { type: 'TaskSkipped', data: { task: 'VERIFY-001', reason: 'as asked' } },
  { type: 'TasksReopened', data: { tasks: ['VERIFY-001'], why: 'A person retries what failed.' } },
  start('VERIFY-001'),
  done('VERIFY-001'),
  start('REVIEW-001'),
  done('REVIEW-001'),
  { type: 'JudgingFailed', data: { task: 'REVIEW-001', attempt: 1, rule: 'R9', message: 'Nothing.', hint: 'Review.' } },
  start('REVIEW-001', 'claude', 2),
  done('REVIEW-001', { attempt: 2 }),
  { type: 'CapChanged', data: { loop: 'review', from: 3, to: 4, by: '--max-rounds' } },
  { type: 'ChainNamed', data: { loop: 'review', chain: '2', by: '--layer' } },
  { type: 'ChainContinued', data: { loop: 'review', chain: '3', of: ['1'] } },
  { type: 'RoundsRecalled', data: { loop: 'review', chains: [{ chain: '4', round: 2, open: true, target: 80 }] } },
  verdict('REVIEW-001', { outcome: 'revise', decision: 'FIX', round: 1 }),
  { type: 'WorkReverted', data: { verdict: 33, tasks: ['DEV-001'], head: null, files: [], ok: true } },
  escalation('REVIEW-001', 2),
];

/** An agent that completes every task. */
const willing: Agent = {
  run: async () => ({ kind: 'completed', findings: 'Done.', error: '', outputs: {}, usage: NO_USAGE }),
} as unknown as Agent;
const agents = { claude: willing, codex: willing };

const HUGE = 'x'.repeat(1 << 16);
const VALUES: readonly unknown[] = [
  undefined,
  null,
  -1,
  0.5,
  1e308,
  '',
  HUGE,
  '../../x',
  [],
  [null],
  [HUGE],
  {},
  { a: null },
  true,
  9_007_199_254_740_991,
];

const SOME_VALUES: readonly unknown[] = [undefined, null, 7, 'x', [], {}];

type Path = readonly (string | number)[];

/** Every path in a value; of a list the first and the last entry. */
function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (Array.isArray(value)) {
    for (const at of new Set([0, value.length - 1])) if (at >= 0 && at < value.length) yield* placesIn(value[at], [...path, at]);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) yield* placesIn(one, [...path, name]);
}

function put(target: unknown, path: Path, value: unknown): void {
  const [name, ...rest] = path;
  const held = target as Record<string | number, unknown>;
  if (rest.length > 0) put(held[name!], rest, value);
  else if (value === undefined) Reflect.deleteProperty(held, name!);
  else held[name!] = value;
}

/** As a forger would: the hash of the rules is right. */
function rehash(data: Record<string, unknown>): void {
  const frozen = (data['frozen'] ?? data) as Record<string, unknown> | null;
  if (typeof frozen === 'object' && frozen?.['rules'] !== undefined) frozen['hash'] = sha256(JSON.stringify(frozen['rules']));
}

const DOORS: Readonly<Record<string, (folder: string, loop: string) => unknown>> = {
  status: (folder) => runStatus(given('status', folder), silentOutput()),
  statusJson: (folder) => runStatus(given('status', folder, '--json'), silentOutput()),
  report: (folder) => runReport(given('report', folder), silentOutput()),
  reportJson: (folder) => runReport(given('report', folder, '--json'), silentOutput()),
  logs: (folder) => runLogs(given('logs', folder), silentOutput()),
  list: (folder) => runList(given('list', '--project', join(folder, '..', '..', '..')), silentOutput()),
  replay: (folder) => runReplay(given('replay', folder)),
  decide: (folder, loop) => decide({ loop, session: folder, dryRun: true }),
  diff: (folder) => diff(folder),
  diffRound: (folder) => diff(folder, 1),
  apply: (folder) => apply(folder),
  clean: (folder) => clean(folder),
  resolve: (folder) => resolve({ session: folder, answer: 'abort', reason: 'no', agents }),
  resume: (folder) => resume({ session: folder, agents }),
};

/** The error of a command, unless it is an answer or a known UmpireError. */
async function faultAt(door: string, folder: string, loop: string): Promise<string | null> {
  try {
    await DOORS[door]!(folder, loop);
    return null;
  } catch (error) {
    if (isUmpireError(error)) return error.code === 'internal' ? error.message : null;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

const STORIES: Readonly<Record<string, readonly Event[]>> = { complete: COMPLETE, escalated: ESCALATED, odd: ODD };

/** A copy of the session in its own project. */
function sessionOf(name: string, at: number): string {
  const folder = join(base, String(at), '.umpire', 'sessions', name);
  if (Object.hasOwn(STORIES, name)) writeStory(folder, STORIES[name]!);
  else cpSync(join(GOLDEN, name), folder, { recursive: true });
  return folder;
}

const seen = new Set<string>();
let made = 0;

it.each([...goldenNames(), ...Object.keys(STORIES)])('no damaged line of %s crashes a reader', { timeout: 600_000 }, async (name) => {
  const whole = sessionOf(name, ++made);
  const lines = linesOf(whole).map((line) => JSON.parse(line) as Line);
  const checked = checkJournal(openFolder(whole));
  expect(checked).toMatchObject({ chain: { unbroken: true } });
  const loop = checked.found ? ([...checked.state.frozen.keys()][0] ?? 'review') : 'review';
  const text = readFileSync(join(whole, 'journal.ndjson'), 'utf8');
  const isRun = checked.found && checked.state.run !== null;
  const faults: string[] = [];
  let tried = 0;
  for (const [index, line] of lines.entries()) {
    for (const path of placesIn(line.data)) {
      const place = `${line.type} ${path.map((part) => (typeof part === 'number' ? '*' : part)).join('.')}`;
      if (seen.has(place)) continue;
      seen.add(place);
      // Every place in the soak, every 25th in the fast tests.
      if (!isSoak && seen.size % 25 !== 0) continue;
      for (const value of path.includes('rules') ? SOME_VALUES : VALUES) {
        forge(whole, (events) => {
          put(events[index]!.data, path, value);
          rehash(events[index]!.data);
        });
        tried++;
        const broken = checkJournal(openFolder(whole));
        const isBroken = broken.found && !broken.chain.unbroken;
        // A readable journal goes through every command, an unreadable one through one of them in turn.
        const doors = Object.keys(DOORS).filter(
          (door) => isRun || !['resume', 'resolve', 'apply', 'clean', 'diff', 'diffRound'].includes(door),
        );
        for (const door of isBroken ? [doors[tried % doors.length]!] : doors) {
          const fault = await faultAt(door, whole, loop);
          if (fault !== null)
            faults.push(`${door}: line ${index + 1}, ${place} = ${JSON.stringify(value)?.slice(0, 40)}: ${fault.slice(0, 400)}`);
          if (door === 'resolve' || door === 'resume' || door === 'clean') {
            rmSync(whole, { recursive: true, force: true });
            sessionOf(name, made);
          }
        }
        writeFileSync(join(whole, 'journal.ndjson'), text);
      }
    }
  }
  expect(faults.slice(0, 5)).toEqual([]);
});
