// The second thread of parallel-reader.ts: reads batches of changed files from the back of the list until it meets the first thread.

import { workerData } from 'node:worker_threads';
import type { FileChange } from '@umpire/guard/change.js';
import { isFlat } from '@umpire/guard/javascript/depth.js';
import { roleOf } from '@umpire/guard/paths.js';
import { helpersAmong, Reading } from '@umpire/guard/reading.js';
import { tell } from '@umpire/guard/told.js';
import { createFileReader } from '../workspace/read-change.js';
import { filesOf, takeBatch } from './parallel-reader.js';
import type { BatchFacts, ThreadData } from './parallel-reader.js';

const { files, same, batches, taken, port } = workerData as ThreadData;
const look = createFileReader(same);
const helpers = helpersAmong(files);

/** The first thread reads deeply nested files, since its stack has another size. */
function isForFirst({ path, before, after }: FileChange): boolean {
  return [before, after].some((text) => text !== null && !isFlat(path, text));
}

/** Files that tests may import are checked now, the tests themselves later. */
const left = new Set(
  files.filter((file) => roleOf(file.path) !== 'test' && isForFirst(file)).flatMap(({ path, renamedFrom }) => [path, renamedFrom ?? path]),
);
/** A file that imports one for the first thread is for the first thread too. */
const asked = { isDeep: false };

/** Reads a file outside the change. */
function unchanged(path: string): string | null {
  const text = left.has(path) ? null : look(path);
  if (left.has(path) || (text !== null && !isFlat(path, text))) asked.isDeep = true;
  return text;
}

const reading = new Reading({ files: files.filter(({ path }) => !left.has(path)) }, unchanged);

for (let last = batches.length - 1; !asked.isDeep && takeBatch(taken, batches.length); last -= 1) {
  const here = filesOf(batches[last], files).filter((file) => !left.has(file.path) && !isForFirst(file));
  const told: BatchFacts = here.map((file) => {
    const facts = tell(reading.read(file), reading.isReached(file, helpers));
    reading.forget(file);
    return [file.path, facts];
  });
  if (!asked.isDeep) port.postMessage(told);
}
port.close();
