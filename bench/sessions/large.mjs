// Writes a large brainstorm session: completed ideas in a hundred waves, a last finished challenger, a synthesis that
// waits for it, and a board of discoveries with one critique in a thousand. The same size gives the same bytes.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../harness.mjs';

const WAVES = 100;
const COLUMNS = 'id,title,description,role,angle,gc_round,deps,context_from,exec_mode,wave,status,findings,gc_signal,severity_summary,error';
const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];
const CHUNK = 1 << 20;

/** Lines to a file in chunks: a million lines do not fit one string comfortably. */
function writeLines(path, lines) {
  const file = openSync(path, 'w');
  let pending = '';
  for (const text of lines) {
    pending += `${text}\n`;
    if (pending.length < CHUNK) continue;
    writeSync(file, pending);
    pending = '';
  }
  writeSync(file, pending);
  closeSync(file);
}

const ideaId = (number) => `IDEA-${String(number + 1).padStart(6, '0')}`;

/** `count` rows in all. Each idea waits for one to three of the wave before it. */
function* taskLines(count, counts) {
  const random = seededRandom(count);
  const ideas = count - 2;
  const size = Math.ceil(ideas / WAVES);
  yield COLUMNS;
  for (let number = 0; number < ideas; number += 1) {
    const wave = Math.floor(number / size);
    const deps = new Set();
    for (let left = wave === 0 ? 0 : 1 + Math.floor(random() * 3); left > 0; left -= 1) deps.add(ideaId((wave - 1) * size + Math.floor(random() * size)));
    const list = [...deps].join(';');
    yield `${ideaId(number)},Idea ${number},"Think about part ${number}, and say what it costs",ideator,angle ${number % 7},0,${list},${list},csv-wave,${wave + 1},completed,"Part ${number}: three ideas, one of them cheap",,,`;
  }
  const summary = SEVERITIES.map((severity, index) => `${severity}:${counts[index]}`).join(' ');
  const waves = Math.ceil(ideas / size);
  yield `CHALLENGE-001,Challenge,Challenge the ideas,challenger,,0,${ideaId(ideas - 1)},${ideaId(ideas - 1)},csv-wave,${waves + 1},completed,The ideas do not hold yet,REVISION_NEEDED,${summary},`;
  yield `SYNTH-001,Synthesis,Bring the ideas together,synthesizer,,0,CHALLENGE-001,CHALLENGE-001,csv-wave,${waves + 2},pending,,,,`;
}

function* discoveryLines(count, counts) {
  const random = seededRandom(count + 1);
  for (let number = 0; number < count; number += 1) {
    const ts = new Date(Date.UTC(2026, 0, 1) + number * 100).toISOString();
    if (number % 1000 === 999) {
      const index = Math.floor(random() * SEVERITIES.length);
      counts[index] += 1;
      const data = { idea: ideaId(number % 1000), severity: SEVERITIES[index], challenge: `Challenge ${number}: nobody has priced this`, gc_round: 0 };
      yield JSON.stringify({ ts, worker: 'CHALLENGE-001', type: 'critique', data });
    } else {
      const data = { title: `Idea ${number}`, angle: `angle ${number % 7}`, description: `What came to mind at step ${number}` };
      yield JSON.stringify({ ts, worker: ideaId(number % 1000), type: 'idea', data });
    }
  }
}

export function writeLargeSession(folder, tasks, discoveries) {
  mkdirSync(folder, { recursive: true });
  const counts = [0, 0, 0, 0];
  writeLines(join(folder, 'discoveries.ndjson'), discoveryLines(discoveries, counts));
  writeLines(join(folder, 'tasks.csv'), taskLines(tasks, counts));
  return { critical: counts[0] };
}
