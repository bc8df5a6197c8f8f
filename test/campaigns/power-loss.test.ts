// The machine loses power during a run, at any change that Umpire makes to the session: `resume` ends with the same verdicts, and no finished
// task runs again. Verdicts of `decide` are in crash.test.ts.

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '@umpire/umpire/sessions/journal-file.js';
import { blobsIn, openRecordedEvidence } from '@umpire/umpire/sessions/recorded-evidence.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { SEED, SOAK } from '../support/campaign.js';
import { randomBelow } from '../support/mutate.js';
import { LOSSES, diskAfter, readTrace, writeDisk } from '../support/power-loss.js';
import { GOOD_REVIEW, LARGE, POOR_REVIEW, REST, SMALL, challenge, review, writer } from '../support/run-evidence.js';
import { cleanUpProjects, endOf, makeProject, standingOf, verdictsOf } from '../support/run-project.js';

cleanUpProjects();

const recorder = join(import.meta.dirname, '..', 'support', 'power-recorder.cjs');

const STORIES = [
  {
    loop: 'brainstorm',
    mode: 'deep',
    plain: true,
    every: 2,
    answers: [challenge(LARGE, { task: 'CHALLENGE-001' }), challenge(SMALL), REST],
  },
  {
    loop: 'review',
    mode: 'sprint',
    plain: false,
    every: 9,
    answers: [review(POOR_REVIEW, { task: 'REVIEW-001' }), review(GOOD_REVIEW), writer('developer'), REST],
  },
];

/** What is wrong with the journal: evidence that it names and that is gone, a task that ran again after its end. */
function faultsOf(session: string): readonly string[] {
  const folder = openFolder(session);
  const finished = new Set<string>();
  return readJournal(folder).events.flatMap((event) => {
    if (event.type === 'TaskFinished') finished.add(event.data.task);
    if (event.type === 'TaskStarted' && finished.has(event.data.task)) return [`${event.data.task} ran again`];
    if (event.type !== 'VerdictGiven') return [];
    const opened = openRecordedEvidence(blobsIn(folder), event.data.scene);
    return opened.ok ? [] : opened.lost;
  });
}

/** With the reason where tasks.csv cannot be read. */
function standingAt(session: string): readonly string[] {
  try {
    return standingOf(session);
  } catch (error) {
    return [String(error)];
  }
}

it.each(STORIES)(
  '$loop continues after every power loss',
  { timeout: 1_800_000, ...SOAK },
  async ({ loop, mode, plain, every, answers }) => {
    const project = makeProject({ answers, plain });
    const recorded = join(project.root, '.umpire');
    const session = join(recorded, 'sessions', 's');
    const trace = `${project.beside}-trace`;
    mkdirSync(recorded);
    const args = ['run', loop, 'what is wanted', '--mode', mode, '--session', session];
    const env = {
      NODE_OPTIONS: `--require ${recorder}`,
      UMPIRE_RECORD: recorded,
      UMPIRE_RECORD_TO: trace,
      UMPIRE_RECORD_BESIDE: project.beside,
    };
    try {
      const calm = await project.startWith({ env }, ...args).ended;
      const wanted = { exit: calm.exit, verdicts: verdictsOf(session), end: endOf(session), standing: standingOf(session), faults: [] };
      expect(wanted.verdicts.length).toBeGreaterThan(1);
      const told = readTrace(trace);
      for (let at = 1; at <= told.changes.length; at += every) {
        for (const loss of LOSSES) {
          const where = `${loss} after change ${at} of ${told.changes.length}: ${JSON.stringify({ ...told.changes[at - 1], bytes: '' })}`;
          rmSync(project.beside, { recursive: true });
          cpSync(`${trace}-${at}`, project.beside, { recursive: true, verbatimSymlinks: true });
          rmSync(recorded, { recursive: true });
          writeDisk(diskAfter(told, at, loss, randomBelow(SEED + at)));
          const isBegun = existsSync(join(session, 'journal.ndjson')) && readJournal(openFolder(session)).state.run !== null;
          const faults = isBegun ? faultsOf(session) : [];
          const after = isBegun ? await project.umpire('resume', session) : await project.umpire(...args);
          const found = { exit: after.exit, verdicts: verdictsOf(session), end: endOf(session), standing: standingAt(session), faults };
          const said = after.exit === wanted.exit ? '' : after.err;
          const replay = (await project.umpire('replay', session)).exit;
          expect({ where, ...found, said, left: faultsOf(session), replay }).toEqual({ where, ...wanted, said: '', left: [], replay: 0 });
        }
      }
    } finally {
      for (let at = 0; ; at++) {
        if (at > 0 && !existsSync(`${trace}-${at}`)) break;
        rmSync(at === 0 ? trace : `${trace}-${at}`, { recursive: true, force: true });
      }
    }
  },
);
