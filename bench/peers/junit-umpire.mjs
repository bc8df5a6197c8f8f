// The facts of a JUnit report by Umpire's reader. Called with FILE and BUNDLE (our sources as one module that exports `openReport`);
// prints {seconds, rssMb, facts} as JSON: reading the file is part of the time.

import { closeSync, openSync, readSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, bundle] = process.argv.slice(2);
const { openReport, formatById } = await import(pathToFileURL(bundle).href);

const start = performance.now();
const reader = openReport({ format: formatById('junit') });
const input = openSync(file, 'r');
const buffer = Buffer.alloc(256 * 1024);
for (let count = readSync(input, buffer); count > 0; count = readSync(input, buffer)) reader.write(buffer.subarray(0, count));
closeSync(input);
const { tests, results } = reader.end();
const seconds = (performance.now() - start) / 1000;

const firstFailure = results.find(({ status }) => status === 'failed')?.message ?? null;
const rssMb = process.resourceUsage().maxRSS / 1000;
console.log(JSON.stringify({ seconds, rssMb, facts: { ...tests, firstFailure } }));
