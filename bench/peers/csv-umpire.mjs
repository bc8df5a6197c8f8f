// Every value of a CSV file once, by Umpire's reader. Called with FILE and BUNDLE (our sources as one module that exports `parseCsv` and
// `cellValue`); prints {seconds, rssMb, facts} as JSON: reading the file is part of the time.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [file, bundle] = process.argv.slice(2);
const { parseCsv, cellValue } = await import(pathToFileURL(bundle).href);

const start = performance.now();
const { document } = parseCsv(readFileSync(file, 'utf8'));
let characters = 0;
for (let record = 0; record < document.records; record += 1) {
  for (let column = 0; column < document.columns; column += 1) characters += cellValue(document, record, column).length;
}
const seconds = (performance.now() - start) / 1000;
const facts = { records: document.records, characters };
console.log(JSON.stringify({ seconds, rssMb: process.resourceUsage().maxRSS / 1000, facts }));
