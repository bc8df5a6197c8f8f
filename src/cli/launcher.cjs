#!/usr/bin/env node
// Starts the command. Node compiles a file anew at every start, and that costs more than a verdict; so the compiled code is
// kept beside the file, for this version of Node, and left aside where it does not fit. Each built-in loop has a file of its own
// with only what it needs: less to load.
'use strict';
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

const LOOPS = ['design', 'testing', 'debt', 'review', 'brainstorm', 'until'];
const use = LOOPS.includes(process.argv[3]) ? process.argv[3] : 'other';
const filename = path.join(__dirname, use === 'other' ? 'main.cjs' : `main-${use}.cjs`);
/** Set by the build: code kept for other content must not be taken for this one, and V8 itself compares lengths only. */
const BUILD = 'unbuilt';
const kept = path.join(__dirname, `main.${BUILD}-${process.version}-${process.platform}-${process.arch}-${use}.cache`);

function readKept() {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** For the next start. Where the folder cannot be written, every start compiles: slower, but right. */
function keep(script) {
  try {
    writeFileSync(`${kept}.${process.pid}`, script.createCachedData());
    renameSync(`${kept}.${process.pid}`, kept);
  } catch {
    return;
  }
}

const cachedData = readKept();
const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', () => keep(script));
script.runInThisContext()(require, __dirname);
