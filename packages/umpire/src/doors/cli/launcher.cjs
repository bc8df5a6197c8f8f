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
const NODE = `${process.version}-${process.platform}-${process.arch}`;

function readKept(kept) {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

/** For the next start. Where the folder cannot be written, every start compiles: slower, but right. */
function keep(script, kept) {
  try {
    writeFileSync(`${kept}.${process.pid}`, script.createCachedData());
    renameSync(`${kept}.${process.pid}`, kept);
  } catch {
    return;
  }
}

/** The function that a text is, compiled now or by an earlier start. */
function compiled(filename, text, name) {
  const kept = path.join(__dirname, `${name}.cache`);
  const cachedData = readKept(kept);
  const script = new Script(text, { filename, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) process.once('exit', () => keep(script, kept));
  return script.runInThisContext();
}

const loaded = new Map();

/** What a command loads late from this folder is kept compiled too. */
function load(id) {
  const name = /^\.\/([\w-]+)\.cjs$/.exec(id)?.[1];
  if (name === undefined) return require(id);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const file = path.join(__dirname, `${name}.cjs`);
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
  compiled(file, text, `${name}.${BUILD}-${NODE}`)(module.exports, load, module, file, __dirname);
  return module.exports;
}

compiled(filename, readFileSync(filename, 'latin1'), `main.${BUILD}-${NODE}-${use}`)(load, __dirname);
