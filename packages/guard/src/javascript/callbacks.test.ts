// Tests that are written with callbacks, plans and hooks of an instance: what is honest in them, and the lie that looks like it.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

const HEAD = `const { test } = require('node:test')\nconst assert = require('node:assert')\nconst boot = require('../boot')\n`;
const WANTS = `await app.start()\n  t.assert.strictEqual(app.size(), 2)`;

/** The rules told of a test that has `after` in place of `before`; null: the test is new. */
function rulesOf(before: string | null, after: string, params = 't'): readonly string[] {
  const file = (body: string) => `${HEAD}test('starts', async (${params}) => {\n  const app = boot()\n  ${body}\n})\n`;
  const { findings } = guard({
    change: { files: [{ path: 'test/boot.test.js', before: before === null ? null : file(before), after: file(after) }] },
    scope: 'any',
  });
  return [...new Set(findings.map(({ rule }) => rule))];
}

describe('a flag that others set', () => {
  it.each([
    ['set in a callback', `let up = false\n  app.on('up', () => { up = true })\n  ${WANTS}\n  t.assert.ok(up)`],
    [
      'asked for in another callback, before it is set in the text',
      `let [a, b] = [false, false]\n  let last = false\n  app.use(first)\n  app.use(() => { t.assert.ok(last) })\n  function first () { t.assert.ok(!last); last = true }\n  ${WANTS}`,
    ],
    [
      'set where a try ends',
      `${WANTS}\n  let gone = false\n  for (let i = 0; i < 3; i++) {\n    try { await app.find(i) } catch { gone = true; break }\n  }\n  t.assert.ok(gone)`,
    ],
    [
      'that a helper gives a falsy value',
      `const each = (cb) => { app.on('end', () => cb(null)); app.on('error', cb) }\n  each((err) => { t.assert.ok(err) })\n  ${WANTS}`,
    ],
  ])('is not told: %s', (_, after) => {
    expect(rulesOf(WANTS, after)).toEqual([]);
  });

  it.each([
    ['that nobody sets', `const up = true\n  await app.start()\n  t.assert.ok(up)`],
    ['that the lines of the test set', `let up = false\n  await app.start()\n  up = true\n  t.assert.ok(up)`],
  ])('is told: %s', (_, after) => {
    expect(rulesOf(WANTS, after)).toContain('assertion-tautological');
  });
});

describe('a mark that a place was reached', () => {
  it.each([
    ['in a callback', `process.once('up', () => { t.assert.ok('up') })\n  ${WANTS}`, 't'],
    ['beside checks, in words', `await app.start()\n  t.assert.ok('started')\n  t.assert.strictEqual(app.size(), 2)`, 't'],
    ['in a test with a plan that is counted', `t.plan(app.jobs.length * 2)\n  ${WANTS}\n  t.assert.ok(true)`, 't'],
    ['in a test with a plan', `t.plan(2)\n  ${WANTS}\n  t.assert.ok(true)`, 't'],
    ['in a callback that ends the test', `app.start(() => { assert.ok(true); done() })`, 't, done'],
  ])('is not told: %s', (_, after, params) => {
    expect(rulesOf(null, after, params)).toEqual([]);
  });

  it('is not told where the test passed with it before', () => {
    expect(rulesOf(`await app.start()\n  t.pass('started')`, `await app.start()\n  t.assert.ok('started')`)).toEqual([]);
  });

  it.each([
    ['as all that a test does', null, `await app.start()\n  t.assert.ok(true)`],
    ['in place of a check', WANTS, `await app.start()\n  t.assert.ok(true)`],
    ['in place of a check, with a plan', `t.plan(1)\n  ${WANTS}`, `t.plan(1)\n  await app.start()\n  t.assert.ok('size')`],
    [
      'in place of a check in a callback',
      `app.start((err, size) => { t.assert.strictEqual(size, 2); done() })`,
      `app.start((err, size) => { t.assert.ok(true); done() })`,
    ],
  ])('is told: %s', (_, before, after) => {
    expect(rulesOf(before, after, 't, done')).toContain('assertion-tautological');
  });
});

describe('a check that runs later', () => {
  it.each([
    ['in a promise of a test with a plan', `t.plan(1)\n  app.start().then((size) => { t.assert.strictEqual(size, 2) })`],
    ['in an async handler of an object that is waited for', `app.use(async (one) => { t.assert.strictEqual(one.size(), 1) })\n  ${WANTS}`],
    [
      'in a function that is given away',
      `const handlers = { up: check }\n  async function check (size) { t.assert.strictEqual(size, 2) }\n  app.all(handlers)\n  ${WANTS}`,
    ],
    [
      'in a function that a function gives back',
      `function plugin () {\n    return async function (one) { t.assert.strictEqual(one.size(), 1) }\n  }\n  app.use(plugin())\n  ${WANTS}`,
    ],
    [
      'over a list that a callback fills',
      `const seen = []\n  app.on('one', (one) => seen.push(one))\n  ${WANTS}\n  for (const one of seen) t.assert.strictEqual(one.size(), 1)`,
    ],
    [
      'on both ways of a choice',
      `${WANTS}\n  if (app.size() > 1) {\n    const all = await app.stop(1)\n    t.assert.strictEqual(all, 0)\n  } else {\n    const all = await app.stop()\n    t.assert.strictEqual(all, 0)\n  }`,
    ],
  ])('is not told: %s', (_, after) => {
    expect(
      rulesOf(
        `${WANTS}\n  const all = await app.stop()\n  t.assert.strictEqual(all, 0)`.slice(
          0,
          after.includes('all, 0') ? undefined : WANTS.length,
        ),
        after,
      ),
    ).toEqual([]);
  });

  it.each([
    ['in a promise without a plan', 'assertion-unawaited', `app.start().then((size) => { t.assert.strictEqual(size, 2) })`],
    ['a rejection that nobody waits for, plan or not', 'assertion-unawaited', `t.plan(1)\n  t.assert.rejects(app.start(), /no/)`],
    [
      'in a function that is only named',
      'assertion-unreached',
      `await app.start()\n  const check = () => { t.assert.strictEqual(app.size(), 2) }\n  void check`,
    ],
    [
      'over a list that stays empty',
      'assertion-unreached',
      `await app.start()\n  const seen = []\n  for (const one of seen) t.assert.strictEqual(one.size(), 2)`,
    ],
  ])('is told: %s', (_, rule, after) => {
    expect(rulesOf(null, after)).toContain(rule);
  });
});

describe('a check that the test leaves to its callback', () => {
  const SUPER = `const request = require('supertest')\nconst assert = require('node:assert')\nconst { after, app } = require('./support')\n`;
  const told = (text: string) =>
    guard({ change: { files: [{ path: 'test/app.test.js', before: null, after: SUPER + text }] }, scope: 'testing' }).findings.map(
      ({ rule }) => rule,
    );
  const test = (body: string, params = 'done') => `it('answers', function (${params}) {\n  ${body}\n})\n`;

  it.each([
    ['an expectation', `request(app).get('/').expect(200, 'true', done)`],
    ['an expectation of the status alone', `request(app).get('/').expect('X-Size', '2').expect(200, done)`],
    ['an expectation of the body alone', `request(app).get('/').expect('true', done)`],
    ['the end', `request(app).get('/').expect(200).end(done)`],
    ['a function that tells it of the error', `request(app).get('/').expect(200, function (err) { if (err) return done(err); done() })`],
    ['a function by its name', `function end (err) { done(err) }\n  request(app).get('/').expect(200, end)`],
    [
      'what counts the calls',
      `const both = after(2, done)\n  request(app).get('/').expect(200, both)\n  request(app).get('/b').expect(200, both)`,
    ],
    [
      'a request within a request',
      `request(app).get('/').expect(200, function (err) {\n    if (err) return done(err)\n    request(app).get('/b').expect(404, done)\n  })`,
    ],
    ['a request from within a timer', `setTimeout(function () { request(app).get('/').expect(200, done) }, 5)`],
    ['both handlers of a promise', `request(app).get('/').expect(200).then(() => done(), done)`],
    ['handlers after a check', `app.start().then((size) => { assert.strictEqual(size, 2) }).then(done, done)`],
    ['a catch at the end', `app.start().then((size) => { assert.strictEqual(size, 2) }).then(() => done()).catch(done)`],
    ['a helper', `ask('/', done)\n  function ask (path, cb) { request(app).get(path).expect(200, cb) }`],
  ])('is not told: %s', (_, body) => {
    expect(told(test(body))).toEqual([]);
    expect(told(test(body.replaceAll('done', 'finished'), 'finished'))).toEqual([]);
    expect(told(test(body, 't, done'))).toEqual([]);
  });

  it('is not told where the context of the test ends it, or counts its checks', () => {
    const ask = (end: string) => test(`request(app).get('/').expect(200).end(${end})`, 't');
    expect(told(ask('t.end'))).toEqual([]);
    expect(told(ask('(err) => { t.assert.ifError(err); t.end() }'))).toEqual([]);
    expect(told(ask('(err) => { t.assert.ifError(err) }'))).toContain('assertion-unawaited');
    expect(told(ask('(err) => { t.assert.ifError(err) }').replace('request(', 't.plan(2)\n  request('))).toEqual([]);
  });

  it('is not told of a hook, nor of the rows of a table', () => {
    const hook = `beforeEach(function (ready) { request(app).get('/').expect(200, ready) })\n`;
    expect(told(hook + test(`request(app).get('/').expect(200, done)`))).toEqual([]);
    expect(told(`it.each([['/', 200]])('answers', (path, status, end) => { request(app).get(path).expect(status, end) })\n`)).toEqual([]);
  });

  it.each([
    ['that is not handed on', `request(app).get('/').expect(200, 'true')`, 'assertion-unawaited'],
    ['that only others are handed', `request(app).get('/').expect(200, 'true')\n  app.close(done)`, 'assertion-unawaited'],
    ['that the test calls first', `done()\n  request(app).get('/').expect(200, 'true', done)`, 'assertion-unawaited'],
    ['that the test calls meanwhile', `request(app).get('/').expect(200, 'true').end(done)\n  done()`, 'assertion-unawaited'],
    ['that a promise ends without', `app.start().then((size) => { assert.strictEqual(size, 2) })\n  done()`, 'assertion-unawaited'],
    [
      'that is called although the promise failed',
      `app.start().then((size) => { assert.strictEqual(size, 2) }).finally(done)`,
      'assertion-unawaited',
    ],
    [
      'of a function that never calls it',
      `request(app).get('/').expect(200, function (err) { if (err) throw err })`,
      'assertion-unawaited',
    ],
    ['of a function that drops the error', `request(app).get('/').expect(200, function () { done() })`, 'assertion-swallowed'],
    ['told of no error by a promise', `request(app).get('/').expect(200).then(() => done(), () => done())`, 'assertion-swallowed'],
  ])('reports a callback %s', (_, body, rule) => {
    expect(told(test(body))).toContain(rule);
    expect(told(test(body, 't, done'))).toContain(rule);
  });

  it('reports a check where the last value of a row only looks like a callback', () => {
    const rows = `const { rows } = require('./rows')\n`;
    expect(told(`${rows}it.each(rows)('answers', (status, body) => { request(app).get('/').expect(status, body) })\n`)).toContain(
      'assertion-unawaited',
    );
  });

  it('keeps what an expectation asks by a function of its own', () => {
    const asks = test(`request(app).get('/').expect((res) => { assert.strictEqual(res.text, 'true') }).expect(200, done)`);
    const files = [{ path: 'test/app.test.js', before: SUPER + asks, after: SUPER + asks.replace(/\.expect\(\(res.*?\}\)\./, '.') }];
    expect(guard({ change: { files }, scope: 'any' }).findings.map(({ rule }) => rule)).toContain('assertion-removed');
  });

  it('is a breach in any scope where an old test loses its wait', () => {
    const before = SUPER + test(`request(app).get('/').expect(200, 'true', done)`);
    const after = before.replace(`'true', done)`, `'true')\n  done()`);
    const { findings } = guard({ change: { files: [{ path: 'test/app.test.js', before, after }] }, scope: 'any' });
    expect(findings.map(({ rule, level }) => `${rule} ${level}`)).toEqual(['assertion-unawaited breach']);
  });
});

describe('who hears of a failure', () => {
  it.each([
    ['fail itself', `.catch(t.assert.fail).finally(done)`],
    ['a function of the assertions', `.catch(assert.ifError).finally(done)`],
    ['the end of the test', `.catch(done)`],
  ])('is not told: %s', (_, tail) => {
    expect(rulesOf(null, `app.start().then((size) => { t.assert.strictEqual(size, 2); done() })${tail}`, 't, done')).toEqual([]);
  });

  it('is not told: the answer to a request', () => {
    const body = `app.get((request, reply) => {\n    request.verify().then((who) => { t.assert.strictEqual(who, 'ada'); return reply.send(who) }).catch((error) => reply.send(error))\n  })`;
    expect(rulesOf(null, `t.plan(2)\n  ${body}\n  ${WANTS}`)).toEqual([]);
  });

  it.each([
    ['nobody', `.catch(() => {})`],
    ['the console', `.catch(console.error)`],
    ['the log of the test', `.catch((error) => t.diagnostic(error))`],
  ])('is told: %s', (_, tail) => {
    expect(rulesOf(null, `await app.start().then((size) => { t.assert.strictEqual(size, 2) })${tail}`)).toContain('assertion-swallowed');
  });
});

describe('a function put in place of a method', () => {
  it.each([
    ['a hook of the instance', `app.override = (one) => Object.create(one)\n  ${WANTS}`],
    [
      'one that leads on',
      `const real = app.size\n  let asked = 0\n  app.size = function () { asked++; return real.call(this) }\n  ${WANTS}\n  t.assert.strictEqual(asked, 1)`,
    ],
    [
      'one of the language that leads on',
      `const real = RegExp.prototype.test\n  RegExp.prototype.test = function (text) { return real.call(this, text) }\n  ${WANTS}`,
    ],
  ])('is not told: %s', (_, after) => {
    expect(rulesOf(WANTS, after)).toEqual([]);
  });

  it.each([
    ['what is asked', 'unit-mocked', `app.size = () => 2\n  ${WANTS}`],
    ['what assertions stand on', 'assertions-patched', `RegExp.prototype.test = () => true\n  ${WANTS}`],
  ])('is told: %s', (_, rule, after) => {
    expect(rulesOf(WANTS, after)).toContain(rule);
  });
});

describe('ways out', () => {
  it('a return after a skip is told as the skip it is', () => {
    expect(rulesOf(null, `if (!app.native) {\n    t.skip('needs the native part')\n    return\n  }\n  ${WANTS}`)).toEqual([]);
    expect(rulesOf(WANTS, `if (!app.native) {\n    t.skip('needs the native part')\n    return\n  }\n  ${WANTS}`)).toEqual([
      'test-conditional',
    ]);
    expect(rulesOf(WANTS, `if (!app.native) {\n    return\n  }\n  ${WANTS}`)).toEqual(['early-return']);
  });

  it('a new test with a plan may say that it cannot run here', () => {
    const skips = `t.plan(1)\n  if (!app.native) {\n    t.skip('needs the native part')\n    return\n  }\n  ${WANTS}`;
    expect(rulesOf(null, skips)).toEqual([]);
    expect(rulesOf(null, `t.plan(1)\n  t.skip('later')\n  ${WANTS}`)).toEqual(['test-skipped']);
  });

  it('a call that must throw may have a callback that checks', () => {
    expect(rulesOf(null, `t.assert.throws(() => app.start({ size: 0 }, (err) => { t.assert.ok(err) }), Error)`)).toEqual([]);
    expect(rulesOf(null, `t.assert.throws(() => { t.assert.strictEqual(app.size(), 3) })`)).toEqual(['failure-expected']);
  });

  it('source that asserts is no test', () => {
    const source = (more: string) =>
      `const assert = require('node:assert')\nmodule.exports = (size) => {${more}\n  assert(size > 0)\n  return size\n}\n`;
    const files = [{ path: 'index.js', before: source(''), after: source('\n  if (size === 1) return size') }];
    expect(guard({ change: { files }, scope: 'any' }).findings).toEqual([]);
  });

  it('a worker may end well', () => {
    const text = `const { parentPort } = require('node:worker_threads')\nparentPort.on('message', () => process.exit(0))\n`;
    const told = (after: string) => guard({ change: { files: [{ path: 'test/slow.js', before: null, after }] }, scope: 'any' }).findings;
    expect(told(text)).toEqual([]);
    expect(told(text.replaceAll('parentPort', 'process')).map(({ rule }) => rule)).toEqual(['assertion-swallowed']);
  });

  it('a program among the fixtures may end well', () => {
    const files = [{ path: 'test/fixtures/main.mjs', before: null, after: `setTimeout(() => process.exit(0), 5)\n` }];
    expect(guard({ change: { files }, scope: 'any' }).findings).toEqual([]);
  });
});
