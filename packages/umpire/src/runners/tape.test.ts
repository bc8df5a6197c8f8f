// What the listener hears of tape's tests, on a tape of a few lines with the inner files and events of tape 4 and 5. The real one is tried by
// `npm run languages`.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { askForNames, readNames } from './command-names.js';

cleanUpAfterwards();

const TAPE = {
  'package.json': '{"scripts":{"test":"node test/all.js"}}',
  'node_modules/tape/package.json': '{"name":"tape","version":"5.0.0","main":"index.js"}',
  'node_modules/tape/lib/results.js': `
module.exports = class Results {
  constructor() { this.tests = []; this._only = null; setImmediate(() => this.tests.forEach((t) => (this._only === null || t === this._only) && t.run())); }
  push(t) { this.tests.push(t); }
};`,
  'node_modules/tape/lib/test.js': `
const { EventEmitter } = require('node:events');
module.exports = class Test extends EventEmitter {
  constructor(name, body) { super(); Object.assign(this, { name, body, _skip: false, _todo: false }); }
  static skip(name) { return new Test(name, () => {}); }
  ok(value, name) { this.emit('result', { ok: Boolean(value), name, operator: 'ok', expected: true, actual: value }); }
  comment(text) { this.emit('result', text); }
  end() { this.emit('end'); }
  test(name, body) { const t = new Test(name, body); this.emit('test', t); t.run(); }
  run() { this.emit('prerun'); this.body(this); }
};`,
  'node_modules/tape/index.js': `
const Results = require('./lib/results');
const Test = require('./lib/test');
const make = () => { const results = new Results(); return Object.assign((name, body) => { const t = new Test(name, body); results.push(t); return t; }, { results }); };
let harness;
function lazyLoad(name, body) { harness ??= make(); process.on('exit', () => process.removeAllListeners('exit')); return harness(name, body); }
lazyLoad.only = function (name, body) { const t = lazyLoad(name, body); harness.results._only = t; return t; };
module.exports = Object.assign(lazyLoad, { createHarness: make, skip: Test.skip });`,
};

const CART = `const test = require('tape');
test('adds', (t) => { t.ok(1, 'fine'); t.comment('a remark'); t.end(); });
test('prices', (t) => { t.test('in euros', (s) => { s.ok(0, 'is five'); s.end(); }); t.end(); });
test('shows nothing', (t) => t.end());
test.skip('rounds', (t) => t.end());
`;

function run(files: Readonly<Record<string, string>>, command = 'npm test') {
  const project = temporaryFolder();
  writeFiles(project, { ...TAPE, ...files });
  const scratch = mkdtempSync(join(temporaryFolder(), 'scratch-'));
  const asked = askForNames(command, scratch, project);
  const { stdout } = spawnSync('sh', ['-c', asked.command], { cwd: project, env: { ...process.env, ...asked.env }, encoding: 'utf8' });
  const printed = join(scratch, 'printed.txt');
  writeFileSync(printed, stdout);
  const names = readNames({ reports: asked.reports(printed), set: [], printed, workdir: project, sinceMs: 0 });
  return { printed: stdout, names: names?.map(({ status, id, line }) => `${status} ${id}:${line}`) ?? null };
}

it('names tests by their file, whatever the output is piped to, and prints nothing more', () => {
  const { names, printed } = run({ 'test/all.js': "require('./cart.js');", 'test/cart.js': CART }, 'node test/all.js | cat');
  expect(names).toEqual(['passed test/cart.js > adds:2', 'skipped test/cart.js > rounds:5', 'failed test/cart.js > prices > in euros:3']);
  expect(printed).toBe('');
});

it('takes tests that a helper declares for those of the file that calls it', () => {
  const helper =
    "const tape = require('tape');\nmodule.exports.check = function check(name) { tape(name, (t) => { t.ok(1); t.end(); }); };\n";
  const { names } = run({ 'test/helper.js': helper, 'test/all.js': "require('./helper.js').check('adds');\n" });
  expect(names).toEqual(['passed test/all.js > adds:1']);
});

it('a test that did not end has failed, and one left out by .only was skipped', () => {
  const test = "const test = require('tape');\ntest('a', (t) => t.end());\ntest.only('b', (t) => { t.ok(1); process.exit(0); });\n";
  expect(run({ 'test/all.js': test }).names).toEqual(['skipped test/all.js > a:2', 'failed test/all.js > b:3']);
});

it('gives no names where a process was killed before it told its own', () => {
  const test = "const test = require('tape');\ntest('a', (t) => { t.ok(1); process.kill(process.pid, 'SIGKILL'); });\n";
  expect(run({ 'test/all.js': test }).names).toBeNull();
});

it('leaves out what the tests of a plugin run in a harness of their own, or in another process', () => {
  const inner = "const { createHarness } = require('tape');\ncreateHarness()('fails on purpose', (t) => { t.ok(0); t.end(); });\n";
  const outer = `${inner}require('tape')('adds', (t) => { require('node:child_process').spawnSync(process.execPath, ['test/other.js']); t.ok(1); t.end(); });\n`;
  const other = "require('tape')('fails elsewhere', (t) => { t.ok(0); t.end(); });\n";
  expect(run({ 'test/all.js': outer, 'test/other.js': other }).names).toEqual(['passed test/all.js > adds:3']);
});

it('a name with control characters is shown by their codes', () => {
  const test = "require('tape')('a\\u001b[2Jb', (t) => { t.ok(1); t.end(); });\n";
  expect(run({ 'test/all.js': test }).names).toEqual(['passed test/all.js > a\\u001b[2Jb:1']);
});
