// The same facts of a SARIF report by reading it whole and JSON.parse. Called with FILE; prints {seconds, rssMb, facts} as JSON.

import { readFileSync } from 'node:fs';
import { SarifFacts } from './sarif-facts.mjs';

const start = performance.now();
const [run] = JSON.parse(readFileSync(process.argv[2], 'utf8')).runs;
const found = new SarifFacts(run.tool.driver.rules);
for (const result of run.results) found.add(result);
const facts = found.facts();
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ seconds, rssMb: process.resourceUsage().maxRSS / 1000, facts }));
