// Resuming a long session against reading and parsing its journal: `readFileSync`, then `JSON.parse` of every line.
// Ours is RESUME below: what the runtime does before it asks what is pending. Half the journal is measured too: twice
// the events may take twice the time and no more.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, atMost, importSources, interleave, line, ms, scratchFolder, timeMs } from './harness.mjs';

const EVENTS = 100_000;
const BAR = 2;
/** A straight line is 2; the rest is a noisy moment. */
const LINEAR = 2.4;

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const SETTINGS = {
  agents: { '*': 'scripted' },
  agentCommand: null,
  concurrency: 3,
  maxMinutes: null,
  maxCostUsd: null,
  maxTokens: null,
  stopWhenStalled: false,
  strict: false,
  yes: false,
  timeoutMinutes: 30,
};

const idOf = (task) => `TASK-${String(task).padStart(6, '0')}`;

/** The first lines: what `umpire run` records of so many tasks, in waves of a thousand. */
function beginning(tasks) {
  const columns = ['id', 'title', 'description', 'role', 'deps', 'context_from', 'exec_mode', 'wave', 'status', 'findings', 'error'];
  const rows = Array.from({ length: tasks }, (_, task) => {
    const deps = task < 1000 ? '' : idOf(task - 1000);
    const wave = String(1 + Math.floor(task / 1000));
    return {
      id: idOf(task),
      title: `Part ${task}`,
      description: `Read part ${task}.`,
      role: 'scanner',
      deps,
      context_from: deps,
      exec_mode: 'csv-wave',
      wave,
      status: 'pending',
      findings: '',
      error: '',
    };
  });
  const plan = { session: 'long', loop: 'debt', goal: 'read it all', project: '/project', loopFolder: null, mode: 'scan', why: 'as asked' };
  const more = { critic: 'validator', judged: false, columns, rows, gates: [], writers: [], settings: SETTINGS, workspace: null };
  return [
    { type: 'SessionStarted', data: { ...plan, ...more } },
    { type: 'RunBegun', data: { run: 'first', by: 'run', settings: SETTINGS, head: null } },
  ];
}

/** Each task is started and finished. */
function eventAt(seq, first) {
  const ts = new Date(Date.UTC(2026, 0, 1) + seq * 100).toISOString();
  const opening = first[seq - 1];
  if (opening !== undefined) return { seq, ts, ...opening };
  const at = seq - 1 - first.length;
  const task = Math.floor(at / 2);
  if (at % 2 === 0) return { seq, ts, type: 'TaskStarted', data: { task: idOf(task), attempt: 1, agent: 'scripted' } };
  const findings = `Read part ${task} and found nothing to change.`;
  const data = { task: idOf(task), attempt: 1, status: 'completed', findings, error: '', outputs: {}, usage: { tokens: 0, costUsd: 0 } };
  return { seq, ts, type: 'TaskFinished', data };
}

function writeJournal(path, events, { printJournalLine, CHAIN_START }) {
  let head = CHAIN_START;
  const lines = [];
  const first = beginning(events / 2 - 1);
  for (let seq = 1; seq <= events; seq += 1) {
    const printed = printJournalLine(1, eventAt(seq, first), head, sha256);
    head = printed.head;
    lines.push(printed.line);
  }
  mkdirSync(path);
  writeFileSync(join(path, 'journal.ndjson'), lines.join(''));
}

/** Reads and parses, and nothing else. */
function parseAlone(path) {
  const text = readFileSync(join(path, 'journal.ndjson'), 'utf8');
  const events = [];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    events.push(JSON.parse(text.slice(from, end)));
    from = end + 1;
  }
  return events.length;
}

/** What `umpire resume` does before it asks what is pending, and asking it. */
const SOURCES = {
  'packages/core/src/formats/journal.ts': ['printJournalLine', 'CHAIN_START'],
  'packages/umpire/src/sessions/session-folder.ts': ['openFolder'],
  'packages/umpire/src/sessions/journal-file.ts': ['foldJournal'],
  'packages/core/src/decider/pending-effects.ts': ['pendingEffects'],
};

function resume(ours, path) {
  const { state, torn } = ours.foldJournal(ours.openFolder(path));
  assert(!torn && ours.pendingEffects(state)[0]?.type === 'EndSession', 'the session is not at its end');
  return state.events;
}

export async function run({ runs = 7 } = {}) {
  const ours = await importSources(SOURCES);
  const scratch = scratchFolder('resume');
  try {
    const [whole, half] = [join(scratch.path, 'whole'), join(scratch.path, 'half')];
    writeJournal(whole, EVENTS, ours);
    writeJournal(half, EVENTS / 2, ours);
    assert(parseAlone(whole) === EVENTS && resume(ours, whole) === EVENTS, 'events were lost');
    const contenders = {
      alone: () => timeMs(() => parseAlone(whole)),
      whole: () => timeMs(() => resume(ours, whole)),
      half: () => timeMs(() => resume(ours, half)),
    };
    await interleave(contenders, 2);
    const taken = await interleave(contenders, runs);
    return [
      line({
        name: `resume of 100,000 events : read and parse`,
        ours: ms(taken.whole),
        theirs: ms(taken.alone),
        ratio: taken.whole / taken.alone,
        bar: atMost(BAR),
      }),
      line({
        name: 'resume of 100,000 events : of 50,000',
        ours: ms(taken.whole),
        theirs: ms(taken.half),
        ratio: taken.whole / taken.half,
        bar: atMost(LINEAR),
      }),
    ];
  } finally {
    scratch.remove();
  }
}
