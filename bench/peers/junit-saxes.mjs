// The facts of a JUnit report by saxes and plain handlers: every test once by class and name, how it ended, how long it took,
// how it failed. Called with FILE; prints {seconds, rssMb, facts} as JSON: reading the file is part of the time.

import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';

const STATUSES = { failure: 'failed', error: 'errored', skipped: 'skipped' };

const start = performance.now();
const tests = new Map();
const suites = [];
let current = null;
let text = '';

const parser = new SaxesParser();
parser.on('opentag', ({ name, attributes }) => {
  text = '';
  if (name === 'testsuite') suites.push(attributes.name);
  if (name === 'testcase') {
    const id = [attributes.classname, ...suites, attributes.name].join(' > ');
    current = { id, status: 'passed', message: null, durationMs: Number(attributes.time) * 1000 };
  }
  if (current !== null && name in STATUSES) {
    current.status = STATUSES[name];
    current.message = attributes.message ?? null;
  }
});
parser.on('text', (piece) => (text += piece));
parser.on('closetag', ({ name }) => {
  if (name === 'testsuite') suites.pop();
  if (current !== null && name in STATUSES) current.message ??= text.slice(0, 500);
  if (name === 'testcase') {
    tests.set(current.id, current);
    current = null;
  }
  text = '';
});

const input = openSync(process.argv[2], 'r');
const buffer = Buffer.alloc(256 * 1024);
const decoder = new StringDecoder('utf8');
for (let count = readSync(input, buffer); count > 0; count = readSync(input, buffer))
  parser.write(decoder.write(buffer.subarray(0, count)));
parser.write(decoder.end()).close();
closeSync(input);

const facts = { total: tests.size, passed: 0, failed: 0, errored: 0, skipped: 0, firstFailure: null };
for (const { status, message } of tests.values()) {
  facts[status] += 1;
  if (status === 'failed') facts.firstFailure ??= message;
}
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ seconds, rssMb: process.resourceUsage().maxRSS / 1000, facts }));
