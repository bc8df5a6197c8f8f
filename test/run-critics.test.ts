// Runs with built-in critics: real test runners and linters measure the work. An agent's statement does not count against a measurement.

import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { runInProcess } from './support/in-process.js';
import { REST, audit } from './support/run-evidence.js';
import { cleanUpProjects, eventsOfType, jsonOf, makeProject, rowsOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const SUM = 'exports.sum = (a, b) => a + b;\nexports.never = () => {\n  return 1;\n};\n';
const test = (expected: number) =>
  `const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('./sum.js');\ntest('adds', () => assert.strictEqual(sum(1, 2), ${expected}));\n`;
const FILES = { 'package.json': '{"name":"sums","scripts":{"test":"node --test"}}\n', 'sum.js': SUM, 'sum.test.js': test(4) };
const PLANTED = '{"layer":"L1","pass_rate":1,"coverage":100,"total":9,"passed":9,"failed":0,"failures":[]}';
const plant = `mkdir -p "$UMPIRE_SESSION/results"; echo '${PLANTED}' > "$UMPIRE_SESSION/results/run-L1.json"`;

it('runs the tests itself until they meet the target, whatever agents claim', async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh(
    `${plant}\ncase "$id" in TESTGEN-fix-*) sed -i 's/sum(1, 2), 4/sum(1, 2), 3/' sum.test.js;; esac\ncomplete "all is well" '"pass_rate":"1"'`,
  );
  const { exit, session, err } = await project.umpire('run', 'testing', 'cover sum', '--mode', 'targeted', '--target', '50', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }, err).toEqual({
    exit: 0,
    verdicts: [expect.stringContaining('RETRY'), expect.stringContaining('CONVERGE')],
  });
  expect(
    eventsOfType(session, 'TaskStarted')
      .filter(({ agent: name }) => name === 'builtin')
      .map(({ task }) => task),
  ).toEqual(['TESTRUN-001', 'TESTRUN-fix-L1-1']);
  expect(rowsOf(session)['TESTRUN-001']).toMatchObject({ status: 'completed', pass_rate: '0' });
  const measured = jsonOf(session, 'results', 'run-L1.json');
  expect(measured).toMatchObject({ total: 1, passed: 1, failed: 0, provenance: { tools: [{ exit_status: 0 }] } });
  const { out } = await project.umpire('report', session);
  expect(out).toContain('Evidence: results/run-L1.json, measured');
  expect(out).toContain('Measured on commit');
  expect(eventsOfType(session, 'TaskFinished').filter(({ measured: isMeasured }) => isMeasured === true)).toHaveLength(2);
  expect(out).toMatch(/: `node --test/);
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('uses the built-in critic if named, and refuses it in a loop that has none', SOAK, async () => {
  const project = makeProject({ files: FILES, answers: [{ result: { findings: 'played' } }] });
  const { session } = await project.umpire('run', 'testing', 'x', '--mode', 'targeted', '--max-rounds', '1', '--agent', 'builtin');
  const agents = eventsOfType(session, 'TaskStarted').map(({ task, agent }) => `${task} ${agent}`);
  expect(agents.slice(0, 3)).toEqual(['STRATEGY-001 play', 'TESTGEN-001 play', 'TESTRUN-001 builtin']);
  const { exit, err } = await project.umpire('until', 'true', '--agent', 'builtin');
  expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining('no built-in critic for "until"') as string });
});

it('counts the built-in audit as measured, as it was when the critic ended', SOAK, async () => {
  const colour = (value: string) => ({ $type: 'color', $value: value });
  const tokens = { color: { text: colour('#222222'), background: colour('#ffffff') } };
  const project = makeProject({ files: { 'a.tokens.json': `${JSON.stringify(tokens)}\n` } });
  const { session, err } = await project.umpire('run', 'design', 'a button', '--max-rounds', '1', ...project.sh('complete done'));
  const audit = eventsOfType(session, 'TaskFinished').find(({ task }) => task === 'AUDIT-001');
  expect(audit, err).toMatchObject({
    measured: true,
    evidence: { 'artifacts/audit/AUDIT-001.json': expect.stringMatching(/^\w{64}$/) as string },
  });
  const { out } = await project.umpire('report', session);
  expect(out).toContain('Evidence: artifacts/audit/AUDIT-001.json, measured');
  expect(out).toContain('Measured on commit');
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('V2: the builder of a design does not break a test that passed', SOAK, async () => {
  const answers = [
    audit('audit_passed'),
    { role: 'builder', attempt: 1, write: { 'sum.js': 'exports.sum = () => 5;\n' }, result: { findings: 'built' } },
    { role: 'builder', write: { 'button.js': 'exports.button = 1;\n' }, result: { findings: 'built well' } },
    REST,
  ];
  const project = makeProject({ files: { ...FILES, 'sum.test.js': test(3) }, answers });
  const { exit, session, err } = await project.umpire('run', 'design', 'a button', '--mode', 'component');
  expect({ exit, build: rowsOf(session)['BUILD-001'] }, err).toMatchObject({
    exit: 1,
    build: { status: 'failed', error: expect.stringMatching(/^Passed at the base and fails now: sum\.test\.js > adds/) as string },
  });
  const again = await project.umpire('resume', session, '--retry');
  expect({ exit: again.exit, build: rowsOf(session)['BUILD-001'] }, again.err).toMatchObject({ exit: 0, build: { status: 'completed' } });
});

it('uses the agent named for a critic’s role instead of the built-in critic', async () => {
  const project = makeProject({ files: FILES });
  const agent = project.sh(`[ "$role" = executor ] && { ${plant}; }\ncomplete done`);
  const named = ['--agent', 'executor=helper'];
  project.commit({ 'umpire.config.yaml': JSON.stringify({ agents: { helper: { command: agent[1]?.split(' ') } } }) });
  const { exit, session } = await project.umpire('run', 'testing', 'x', '--mode', 'targeted', ...agent, ...named);
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 0, verdicts: [expect.stringContaining('CONVERGE')] });
  expect(eventsOfType(session, 'SessionEnded')).toMatchObject([{ unverified: false }]);
});

const NOT_MEASURED = 'TESTRUN-001 was not measured: No test runner found.';

/** A run without a test runner, in this process. Its agent claims that all tests pass. */
async function runUnmeasured(...flags: readonly string[]) {
  const project = makeProject();
  const agent = project.sh(`[ "$role" = executor ] && { ${plant}; }\ncomplete done`);
  const env = { HOME: project.beside, UMPIRE_WORKTREES: project.worktrees, UMPIRE_SESSION: undefined };
  const umpire = (...args: readonly string[]) => runInProcess(project.root, args, env);
  const { exit, stdout } = await umpire('run', 'testing', 'x', '--mode', 'targeted', ...flags, ...agent);
  return { umpire, exit, session: stdout.trimEnd().split('\n').at(-1) ?? '' };
}

it('V2: without a test runner the agent reports, and the session ends as unverified', async () => {
  const { umpire, exit, session } = await runUnmeasured();
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 0, verdicts: [expect.stringContaining('CONVERGE')] });
  expect(rowsOf(session)['TESTRUN-001']?.['findings']).toContain('Testified, not measured. done');
  const reason = expect.stringMatching(new RegExp(`${NOT_MEASURED}.* The agent's word decided\\.`)) as string;
  expect(eventsOfType(session, 'VerdictGiven')).toMatchObject([{ verdict: { rule: 'T2', unverified: true, reason } }]);
  expect(eventsOfType(session, 'SessionEnded')).toMatchObject([{ outcome: 'complete', unverified: true, reason }]);
  const { stdout } = await umpire('report', session);
  expect(stdout).toContain('Evidence: results/run-L1.json, testified');
  expect(stdout).toContain(`Waiver: ${NOT_MEASURED}`);
  expect((await umpire('replay', session)).exit).toBe(0);
});

it('V2: with --strict, a person decides about work that no test runner measured', SOAK, async () => {
  const { umpire, exit, session } = await runUnmeasured('--strict');
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [expect.stringContaining('ESCALATE')] });
  expect(eventsOfType(session, 'SessionEnded')).toEqual([]);
  expect((await umpire('replay', session)).exit).toBe(0);
});

it('does not approve if the tests hang', SOAK, async () => {
  const hang = "require('node:test').test('waits', () => new Promise(() => setInterval(() => {}, 1000)));\n";
  const project = makeProject({ files: { ...FILES, 'sum.test.js': hang }, config: { critics: { timeout_minutes: 0.03 } } });
  const { exit, session } = await project.umpire('run', 'testing', 'x', '--mode', 'targeted', ...project.sh(`${plant}\ncomplete done`));
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [] });
  expect(rowsOf(session)['TESTRUN-001']?.['error']).toContain('timeout');
});

it('counts the findings in a challenger’s files, besides its result', SOAK, async () => {
  const project = makeProject();
  const line = (severity: string) =>
    `printf '{"ts":"2026-03-03T14:12:00Z","worker":"%s","type":"critique","data":{"idea":"I-1","dimension":"risk","severity":"${severity}","challenge":"c"}}\\n' "$id" >> "$UMPIRE_SESSION/discoveries.ndjson"`;
  const agent = project.sh(`[ "$role" = challenger ] && { ${line('LOW')}; }\ncomplete done`);
  const { exit, session } = await project.umpire('run', 'brainstorm', 'ideas', '--mode', 'deep', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 0, verdicts: [expect.stringContaining('CONVERGE')] });
  expect(rowsOf(session)['CHALLENGE-001']).toMatchObject({
    severity_summary: 'CRITICAL:0 HIGH:0 MEDIUM:0 LOW:1',
    findings: '1 critique: CRITICAL:0 HIGH:0 MEDIUM:0 LOW:1. I-1 was not challenged for assumption, feasibility, competition. done',
  });
  expect(jsonOf(session, 'results', 'challenges.json')).toMatchObject({ outcome: 'fail', critiques: 1 });
});
