// Loaded by `node --require` into a measured command: writes the peak resident memory, in kilobytes, when it ends.

const { writeFileSync } = require('node:fs');

const file = process.env.BENCH_MAX_RSS_FILE;
if (file) process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
