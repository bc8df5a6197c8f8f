// The same facts of a SARIF report by stream-json's pick and streamArray. Called with FILE; prints {seconds, rssMb, facts} as JSON.
// The rules are in the file's head: they are picked first, and that reading stops where they end.

import { createReadStream } from 'node:fs';
import chain from 'stream-chain';
import { parser } from 'stream-json';
import { pick } from 'stream-json/filters/pick.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { SarifFacts } from './sarif-facts.mjs';

const HEAD = 1 << 20;
const [file] = process.argv.slice(2);

async function eachOf(path, input, take) {
  for await (const { value } of chain([input, parser(), pick({ filter: path, once: true }), streamArray()])) take(value);
}

const start = performance.now();
const rules = [];
await eachOf('runs.0.tool.driver.rules', createReadStream(file, { end: HEAD }), (rule) => rules.push(rule)).catch((error) => {
  // The head ends in the middle of a result, long after the rules.
  if (rules.length === 0) throw error;
});
const found = new SarifFacts(rules);
await eachOf('runs.0.results', createReadStream(file), (result) => found.add(result));
const facts = found.facts();
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ seconds, rssMb: process.resourceUsage().maxRSS / 1000, facts }));
