// Preloaded into the command: writes every change of the folder UMPIRE_RECORD to the file UMPIRE_RECORD_TO, and every sync, as
// power-loss.ts reads them. A file is named by its inode, so that a rename keeps it. With UMPIRE_RECORD_BESIDE (a folder), that folder is
// copied at every change: what other programs wrote (git) lies there.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const root = process.env.UMPIRE_RECORD;
const original = { ...fs };
const trace = original.openSync(process.env.UMPIRE_RECORD_TO, 'a');
let beside;
let count = 0;
/** Open files below the root. */
const files = new Map();

const isWithin = (place) => typeof place === 'string' && (place === root || place.startsWith(root + path.sep));
const statOf = (place) => original.lstatSync(place, { throwIfNoEntry: false });

function note(change) {
  original.writeSync(trace, `${JSON.stringify(change)}\n`);
  if (beside !== undefined)
    original.cpSync(beside, `${process.env.UMPIRE_RECORD_TO}-${++count}`, { recursive: true, verbatimSymlinks: true });
}

/** A freed inode is used again: each file gets a number of its own. */
const numbers = new Map();
let last = 0;
const numberOf = (place) => numbers.get(statOf(place).ino);

/** Notes an entry that is new. */
function noteNew(place, before) {
  const stat = statOf(place);
  if (before !== undefined || stat === undefined) return;
  if (stat.isDirectory()) return note({ type: 'folder', path: place });
  const isLink = stat.nlink > 1 && numbers.has(stat.ino);
  if (!isLink) numbers.set(stat.ino, ++last);
  note({ type: 'file', path: place, file: numbers.get(stat.ino) });
}

function noteBytes(place) {
  if (statOf(place)?.isFile()) note({ type: 'write', file: numberOf(place), bytes: original.readFileSync(place).toString('base64') });
}

function noteAll(folder) {
  noteNew(folder);
  for (const name of original.readdirSync(folder)) {
    const place = path.join(folder, name);
    if (statOf(place).isDirectory()) noteAll(place);
    else {
      noteNew(place);
      noteBytes(place);
    }
  }
}
function wrap(name, around) {
  fs[name] = (...args) => around((...changed) => original[name].apply(fs, changed), ...args);
}

wrap('openSync', (call, place, ...rest) => {
  const before = isWithin(place) ? statOf(place) : undefined;
  const fd = call(place, ...rest);
  if (!isWithin(place)) return fd;
  files.set(fd, place);
  noteNew(place, before);
  if (before?.isFile() && original.fstatSync(fd).size < before.size) noteBytes(place);
  return fd;
});
wrap('closeSync', (call, fd) => {
  files.delete(fd);
  return call(fd);
});
for (const name of ['writeSync', 'ftruncateSync'])
  wrap(name, (call, fd, ...rest) => {
    const done = call(fd, ...rest);
    if (files.has(fd)) noteBytes(files.get(fd));
    return done;
  });
for (const name of ['writeFileSync', 'appendFileSync', 'truncateSync'])
  wrap(name, (call, target, ...rest) => {
    const place = typeof target === 'number' ? files.get(target) : target;
    const before = isWithin(place) ? statOf(place) : undefined;
    const done = call(target, ...rest);
    if (isWithin(place)) {
      noteNew(place, before);
      noteBytes(place);
    }
    return done;
  });
for (const name of ['linkSync', 'copyFileSync', 'renameSync', 'symlinkSync'])
  wrap(name, (call, from, to, ...rest) => {
    const before = isWithin(to) ? statOf(to) : undefined;
    const done = call(from, to, ...rest);
    if (name === 'renameSync' && (isWithin(from) || isWithin(to))) note({ type: 'rename', from, path: to, file: numberOf(to) });
    else if (isWithin(to)) {
      noteNew(to, before);
      if (name === 'copyFileSync') noteBytes(to);
    }
    return done;
  });
for (const name of ['unlinkSync', 'rmSync', 'rmdirSync'])
  wrap(name, (call, place, ...rest) => {
    const before = isWithin(place) ? statOf(place) : undefined;
    const done = call(place, ...rest);
    if (before !== undefined) note({ type: 'unlink', path: place });
    return done;
  });
wrap('mkdirSync', (call, place, ...rest) => {
  const made = [];
  if (isWithin(place)) for (let at = place; isWithin(at) && statOf(at) === undefined; at = path.dirname(at)) made.unshift(at);
  const done = call(place, ...rest);
  for (const folder of made) noteNew(folder, undefined);
  return done;
});

function noteSync(fd) {
  const place = files.get(fd);
  const stat = place === undefined ? undefined : original.fstatSync(fd);
  if (stat !== undefined) note(stat.isDirectory() ? { type: 'sync folder', path: place } : { type: 'sync', file: numbers.get(stat.ino) });
}
for (const name of ['fsyncSync', 'fdatasyncSync'])
  wrap(name, (call, fd) => {
    call(fd);
    noteSync(fd);
  });
wrap('fdatasync', (call, fd, done) =>
  call(fd, (error) => {
    if (error === null) noteSync(fd);
    done(error);
  }),
);

noteAll(root);
note({ type: 'start' });
beside = process.env.UMPIRE_RECORD_BESIDE;
