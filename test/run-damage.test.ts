// V9: cycles of the testing loop in real runs with node:test: new tests that fail are kept as suspected bugs, damage is reverted in the
// smallest unit, and what helps stays.

import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, eventsOfType, jsonOf, makeProject, textOf, verdictsOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

/** `half` has a bug: it rounds up. */
const SOURCE = `exports.sum = (a, b) => a + b;
exports.half = (n) => Math.ceil(n / 2);
exports.sign = (n) => {
  if (n > 0) return 1;
  if (n < 0) return -1;
  return 0;
};
`;
const tests = (...lines: readonly string[]) =>
  [
    "const { test } = require('node:test');",
    "const assert = require('node:assert');",
    "const m = require('./math.js');",
    ...lines,
    '',
  ].join('\n');
const SUM = "test('adds', () => assert.strictEqual(m.sum(1, 2), 3));";
const BROKEN_SUM = "test('adds', () => assert.strictEqual(m.sum(1, 2), 4));";
const HALF = "test('halves', () => assert.strictEqual(m.half(3), 1));";
const SIGN = "test('signs', () => { for (const n of [1, -1, 0]) assert.strictEqual(m.sign(n), n); });";
const SOME_SIGNS = "test('signs', () => { for (const n of [1, -1]) assert.strictEqual(m.sign(n), n); });";

function mathProject(): RunProject {
  return makeProject({
    files: {
      'package.json': '{"name":"math","scripts":{"test":"node --test"}}\n',
      'math.js': SOURCE,
      'math.test.js': tests(SUM),
    },
    config: { guard: { loops: { testing: 'off' } } },
  });
}

/** A shell command that writes a file. */
const put = (file: string, text: string) => `cat > ${file} <<'END'\n${text}END\n`;
const RUN = ['run', 'testing', 'cover math', '--mode', 'targeted'];

it('V9: keeps a cycle whose new test found a bug, and lists the bug until the test passes', SOAK, async () => {
  const project = mathProject();
  const agent = project.sh(`case $id in TESTGEN-001) ${put('more.test.js', tests(HALF, SIGN))};; esac
cp "$UMPIRE_TASK_FILE" "$beside/$id.json"
complete done`);
  const { exit, session, err } = await project.umpire(...RUN, ...agent);
  expect({ exit, verdicts: verdictsOf(session) }, err).toEqual({ exit: 0, verdicts: ['TESTRUN-001 CONVERGE T2 0/3'] });
  expect(jsonOf(session, 'results', 'run-L1.json')).toMatchObject({
    total: 2,
    passed: 2,
    pass_rate: 1,
    coverage: 100,
    failures: [],
    regressions_measured: 0,
    suspected_bugs: [{ name: 'halves', file: 'more.test.js' }],
  });
  expect(eventsOfType(session, 'DamageReverted')).toEqual([]);
  expect(err).toContain('Suspected bugs (new tests that fail): halves.');
  expect(err).toMatch(/Session complete\. The work was approved\. 1 suspected bug: halves\./);
  expect(textOf(session, 'verdicts/testing-L1-round-0.md')).toMatch(/- Suspected bug: halves \(more\.test\.js:\d+\)\n/);
});

it('V9: apply leaves out files with new tests that fail, unless it is asked for them', SOAK, async () => {
  const project = mathProject();
  const agent = project.sh(`case $id in TESTGEN-001) ${put('more.test.js', tests(HALF))}
${put('sign.test.js', tests(SIGN))};; esac
complete done`);
  const { session } = await project.umpire(...RUN, ...agent);
  const first = await project.umpire('apply', session);
  expect({ exit: first.exit, out: first.out }).toEqual({ exit: 0, out: 'sign.test.js\n' });
  expect(first.err).toContain('Left out, because new tests fail there: more.test.js. Take them too: umpire apply');
  const all = await project.umpire('apply', session, '--with-failing-tests');
  expect({ exit: all.exit, out: all.out }).toEqual({ exit: 0, out: 'more.test.js\n' });
});

it('V9: lists a bug until its test passes, and does not ask to mend the test', SOAK, async () => {
  const project = mathProject();
  const agent = project.sh(`cp "$UMPIRE_TASK_FILE" "$beside/$id.json"
case $id in
  TESTGEN-001) ${put('half.test.js', tests(HALF))};;
  TESTGEN-fix-L1-1) ${put('sign.test.js', tests(SIGN))};;
esac
complete done`);
  const { exit, session, err } = await project.umpire(...RUN, '--target', '95', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }, err).toEqual({
    exit: 0,
    verdicts: ['TESTRUN-001 RETRY T3 0/3', 'TESTRUN-fix-L1-1 CONVERGE T2 1/3'],
  });
  const asked = JSON.parse(textOf(project.beside, 'TESTGEN-fix-L1-1.json')) as {
    description: string;
    findings: unknown[];
    rules: string[];
  };
  expect(asked.description).not.toContain('halves');
  expect(asked.findings).toEqual([]);
  expect(asked.rules.join()).toContain('These new tests fail and show suspected bugs: halves.');
  const pages = [0, 1].map((round) => textOf(session, `verdicts/testing-L1-round-${round}.md`));
  for (const page of pages) expect(page).toContain('- Suspected bug: halves (half.test.js:');
  expect(pages[1]).not.toContain('fixed');
});

it('V9: reverts the file in which a test regressed, keeps the rest of the cycle, and tells the next task', SOAK, async () => {
  const project = mathProject();
  const agent = project.sh(`cp "$UMPIRE_TASK_FILE" "$beside/$id.json"
case $id in TESTGEN-001) ${put('math.test.js', tests(BROKEN_SUM))}
${put('half.test.js', tests("test('halves', () => assert.strictEqual(m.half(4), 2));"))};; esac
complete done`);
  const { exit, session, err } = await project.umpire(...RUN, '--target', '95', '--max-rounds', '1', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }, err).toEqual({
    exit: 0,
    verdicts: ['TESTRUN-001 RETRY T3 0/1', 'TESTRUN-fix-L1-1 ACCEPT T4 1/1 unverified'],
  });
  expect(eventsOfType(session, 'DamageReverted')).toMatchObject([
    { critic: 'TESTRUN-001', unit: 'files', files: ['math.test.js'], tests: ['math.test.js > adds'], ok: true },
  ]);
  expect((await project.umpire('diff', session)).out).toMatch(/^diff --git a\/half\.test\.js b\/half\.test\.js\nnew file/);
  const asked = JSON.parse(textOf(project.beside, 'TESTGEN-fix-L1-1.json')) as { description: string; rules: string[] };
  expect(asked.description).not.toContain('adds');
  expect(asked.rules.join()).toContain(
    'Umpire reverted the changes of math.test.js by TESTGEN-001: a test that passed before fails (math.test.js > adds).',
  );
  expect(textOf(session, 'verdicts/testing-L1-round-0.md')).toContain('Anomaly (T6): Umpire reverted the changes of math.test.js');
  expect(eventsOfType(session, 'TaskStarted').filter(({ task }) => task === 'TESTRUN-001')).toHaveLength(2);
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('V9: reverts a later cycle that lowered coverage, and keeps its new files', SOAK, async () => {
  const project = mathProject();
  const agent = project.sh(`case $id in
  TESTGEN-001) ${put('sign.test.js', tests(SOME_SIGNS))};;
  TESTGEN-fix-L1-1) ${put('sign.test.js', tests("test('signs', () => assert.strictEqual(m.sign(1), 1));"))}
${put('zero.test.js', tests("test('zero', () => assert.strictEqual(m.sum(0, 0), 0));"))};;
esac
complete done`);
  const { session, err } = await project.umpire(...RUN, '--target', '100', '--max-rounds', '1', ...agent);
  expect(eventsOfType(session, 'DamageReverted'), err).toMatchObject([
    { critic: 'TESTRUN-fix-L1-1', unit: 'existing', files: ['sign.test.js'], tests: [], ok: true },
  ]);
  const { out } = await project.umpire('diff', session);
  expect([...out.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file]) => file)).toEqual(['sign.test.js', 'zero.test.js']);
  expect(out).toContain('[1, -1]');
  expect((await project.umpire('replay', session)).exit).toBe(0);
});
