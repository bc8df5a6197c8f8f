// The same sums of an lcov tracefile by lcov-parse. Called with FILE; prints {seconds, rssMb, facts} as JSON.

import parse from 'lcov-parse';

const start = performance.now();
parse(process.argv[2], (error, files) => {
  if (error) throw new Error(error);
  const facts = {};
  const add = (kind, details, isCovered) => {
    facts[kind] ??= { covered: 0, total: 0 };
    facts[kind].total += details.length;
    facts[kind].covered += details.filter(isCovered).length;
  };
  for (const { lines, branches, functions } of files) {
    add('lines', lines.details, ({ hit }) => hit > 0);
    add('branches', branches.details, ({ taken }) => taken > 0);
    add('functions', functions.details, ({ hit }) => hit > 0);
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ seconds, rssMb: process.resourceUsage().maxRSS / 1000, facts }));
});
