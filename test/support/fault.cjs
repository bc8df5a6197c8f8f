// Preloaded into the command: ends the process with SIGKILL at the n-th change it makes to the disk (before it, or in the
// middle of a write), or lets that change fail as a full disk does. UMPIRE_FAULT is kill:N, tear:N or full:N; with :END after it,
// only changes of paths that end so are counted.
'use strict';
const fs = require('node:fs');

const [kind, at, end = ''] = (process.env.UMPIRE_FAULT || 'none:0').split(':');
const CHANGES = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'renameSync',
  'fsyncSync',
  'linkSync',
  'unlinkSync',
  'mkdirSync',
  'truncateSync',
];
const WRITES = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT;
let count = 0;

function isChange(name, args) {
  if (end !== '' && !args.some((arg) => typeof arg === 'string' && arg.endsWith(end))) return false;
  if (name === 'openSync') return typeof args[1] === 'number' ? (args[1] & WRITES) !== 0 : args[1] !== 'r' && args[1] !== undefined;
  if (name === 'writeSync') return args[0] > 2;
  return true;
}

function fail() {
  const error = new Error('ENOSPC: no space left on device');
  error.code = 'ENOSPC';
  throw error;
}

/** Half of the data, then the end. */
function tear(original, args) {
  const [target, data] = args;
  const half = typeof data === 'string' ? data.slice(0, Math.floor(data.length / 2)) : data.subarray(0, Math.floor(data.length / 2));
  original(target, half, ...args.slice(2));
  process.kill(process.pid, 'SIGKILL');
}

let inside = false;
for (const name of CHANGES) {
  const original = fs[name];
  fs[name] = function changed(...args) {
    if (inside || !isChange(name, args)) return original.apply(fs, args);
    count++;
    inside = true;
    try {
      if (count === Number(at)) {
        if (kind === 'kill') process.kill(process.pid, 'SIGKILL');
        if (kind === 'full' && name !== 'unlinkSync' && name !== 'renameSync') fail();
        if (kind === 'tear' && name === 'writeFileSync') tear(original, args);
      }
      return original.apply(fs, args);
    } finally {
      inside = false;
    }
  };
}
process.on('exit', () => {
  if (process.env.UMPIRE_FAULT_COUNT) fs.writeSync(2, `changes: ${count}\n`);
});
