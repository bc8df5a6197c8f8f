// The least that durable rounds cost on this disk: the lines and files of one real session, written again and again, with its syncs at
// its places. Lines are printed and hashed as Umpire does it; nothing is decided. Called with SESSIONS ROUNDS FOLDER; prints as
// umpire-rounds.mjs does.

import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdirSync, openSync, readFileSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pairSession, stepsIn } from './pair-session.mjs';

const WARM_UP = 20;
const [sessions, rounds] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4];

mkdirSync(folder, { recursive: true });
await pairSession(folder, rounds)('model');
const model = join(folder, 'model');
const events = readFileSync(join(model, 'journal.ndjson'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const paths = readdirSync(model, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== 'journal.ndjson')
  .map((entry) => join(entry.parentPath, entry.name).slice(model.length + 1));
const files = paths.map((path) => [path, readFileSync(join(model, path), 'utf8')]);
const folders = [...new Set(paths.map(dirname))].filter((path) => path !== '.');

const lineOf = ({ seq, ts, type, data }, prev) => {
  const body = `{"v":1,"seq":${seq},"ts":"${ts}","type":"${type}","data":${JSON.stringify(data)},"prev":"${prev}"}`;
  const hash = createHash('sha256').update(body).digest('hex');
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}\n`, hash };
};

function writeSession(name) {
  const place = join(folder, name);
  mkdirSync(place);
  const journal = openSync(join(place, 'journal.ndjson'), 'ax');
  let prev = '0'.repeat(64);
  let text = '';
  for (const event of events) {
    const { line, hash } = lineOf(event, prev);
    prev = hash;
    text += line;
    // An agent is called, or the end is told: what came before is on the disk.
    if (event.type !== 'TaskStarted' && event.type !== 'SessionEnded') continue;
    writeSync(journal, text);
    fdatasyncSync(journal);
    text = '';
  }
  for (const path of folders) mkdirSync(join(place, path), { recursive: true });
  for (const [path, content] of files) writeFileSync(join(place, path), content, { flag: 'wx', encoding: 'utf8' });
  writeSync(journal, text);
  closeSync(journal);
}

for (let index = 0; index < WARM_UP; index += 1) writeSession(`warm-${index}`);
const start = performance.now();
for (let index = 0; index < sessions; index += 1) writeSession(`session-${index}`);
const seconds = (performance.now() - start) / 1000;
const peakKb = process.resourceUsage().maxRSS;
console.log(JSON.stringify({ rounds: sessions * rounds, steps: sessions * stepsIn(model), seconds, peakKb, synced: true }));
