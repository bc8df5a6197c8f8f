// The facts of a SARIF report by Umpire's reader. Called with FILE and BUNDLE (our sources as one module that exports `openReport`);
// prints {seconds, rssMb, facts} as JSON: reading the file is part of the time.

import { closeSync, openSync, readSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, bundle] = process.argv.slice(2);
const { openReport, formatById } = await import(pathToFileURL(bundle).href);

const start = performance.now();
const reader = openReport({ format: formatById('sarif') });
const input = openSync(file, 'r');
const buffer = Buffer.alloc(256 * 1024);
for (let count = readSync(input, buffer); count > 0; count = readSync(input, buffer)) reader.write(buffer.subarray(0, count));
closeSync(input);
const { counts, findings } = reader.end();
const seconds = (performance.now() - start) / 1000;

const { message, artifact, line } = findings[0];
const rssMb = process.resourceUsage().maxRSS / 1000;
console.log(JSON.stringify({ seconds, rssMb, facts: { counts, first: { message, artifact, line } } }));
