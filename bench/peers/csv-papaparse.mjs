// The same values by papaparse, row by row: that was its fastest way here, twice as fast as all rows at once. Called with FILE; prints
// {seconds, rssMb, facts} as JSON.

import { readFileSync } from 'node:fs';
import Papa from 'papaparse';

const start = performance.now();
let records = 0;
let characters = 0;
Papa.parse(readFileSync(process.argv[2], 'utf8'), {
  skipEmptyLines: true,
  step: ({ data }) => {
    records += 1;
    for (const value of data) characters += value.length;
  },
});
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ seconds, rssMb: process.resourceUsage().maxRSS / 1000, facts: { records, characters } }));
