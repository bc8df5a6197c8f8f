// Resuming a long session against reading and parsing its journal: `readFileSync`, then `JSON.parse` of every line.
// Ours is RESUME below: what the runtime does before it asks what is pending. Half the journal is measured too: twice
// the events may take twice the time and no more.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, atMost, importSources, interleave, line, ms, scratchFolder, timeMs } from './harness.mjs';

const EVENTS = 100_000;
const BAR = 2;
/** A straight line is 2; the rest is a noisy moment. */
const LINEAR = 2.4;

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** A session of many tasks: each is started and finished, in waves of a thousand. */
function eventAt(seq) {
  const task = Math.floor((seq - 1) / 2);
  const id = `TASK-${String(task).padStart(6, '0')}`;
  const ts = new Date(Date.UTC(2026, 0, 1) + seq * 100).toISOString();
  if (seq % 2 === 1)
    return { seq, ts, type: 'TaskStarted', data: { task: id, attempt: 1, wave: 1 + Math.floor(task / 1000), agent: 'scripted' } };
  const data = {
    task: id,
    attempt: 1,
    ending: 'completed',
    findings: `Read part ${task} and found nothing to change.`,
    error: '',
    outputs: {},
  };
  return { seq, ts, type: 'TaskFinished', data };
}

function writeJournal(path, events, { printJournalLine, CHAIN_START }) {
  let head = CHAIN_START;
  const lines = [];
  for (let seq = 1; seq <= events; seq += 1) {
    const printed = printJournalLine(1, eventAt(seq), head, sha256);
    head = printed.head;
    lines.push(printed.line);
  }
  writeFileSync(path, lines.join(''));
}

/** Reads and parses, and nothing else. */
function parseAlone(path) {
  const text = readFileSync(path, 'utf8');
  const events = [];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    events.push(JSON.parse(text.slice(from, end)));
    from = end + 1;
  }
  return events.length;
}

/** The place where a resume is plugged in: from the journal's path to the number of events that it folded. */
const RESUME = {
  what: 'chain verified, not yet folded',
  sources: { 'src/formats/journal.ts': ['parseJournal', 'printJournalLine', 'CHAIN_START'], 'src/runtime/hash.ts': ['sha256'] },
  run(ours, path) {
    const result = ours.parseJournal(readFileSync(path, 'utf8'), 1, ours.sha256);
    assert(result.ok === true, `the journal is refused: ${JSON.stringify(result.fault)}`);
    return result.journal.events.length;
  },
};

export async function run({ runs = 7 } = {}) {
  const ours = await importSources(RESUME.sources);
  const scratch = scratchFolder('resume');
  try {
    const [whole, half] = [join(scratch.path, 'whole.ndjson'), join(scratch.path, 'half.ndjson')];
    writeJournal(whole, EVENTS, ours);
    writeJournal(half, EVENTS / 2, ours);
    assert(parseAlone(whole) === EVENTS && RESUME.run(ours, whole) === EVENTS, 'events were lost');
    const contenders = {
      alone: () => timeMs(() => parseAlone(whole)),
      whole: () => timeMs(() => RESUME.run(ours, whole)),
      half: () => timeMs(() => RESUME.run(ours, half)),
    };
    await interleave(contenders, 2);
    const taken = await interleave(contenders, runs);
    return [
      line({
        name: `resume of 100,000 events (${RESUME.what}) : read and parse`,
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
