// What agents are told in real runs: a failing command, a second round, a review with findings, a layer of tests.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject } from '../../../../test/support/git-project.js';
import type { Agent, Assignment } from '@umpire/core/ports.js';
import { NO_USAGE } from '@umpire/core/ports.js';
import { run } from './session.js';

cleanUpAfterwards();

type Act = (
  assignment: Assignment,
  write: (path: string, text: string) => void,
) => { readonly findings?: string; readonly outputs?: Readonly<Record<string, string>> };

/** Runs a session with one function for all roles, and returns the assignments by task. */
async function assignmentsIn(files: Readonly<Record<string, string>>, request: Pick<Parameters<typeof run>[0], 'loop'>, act: Act) {
  const { root } = gitProject({ 'umpire.config.yaml': 'critics: { tests: none }\n', ...files });
  const seen = new Map<string, Assignment>();
  const mine: Agent = {
    name: 'mine',
    run: (assignment) => {
      seen.set(assignment.task.id, assignment);
      const write = (path: string, text: string) => {
        const place = join(path.startsWith('artifacts/') || path.startsWith('results/') ? assignment.session : assignment.workdir, path);
        mkdirSync(dirname(place), { recursive: true });
        writeFileSync(place, text);
      };
      return Promise.resolve({ kind: 'completed', findings: '', error: '', outputs: {}, usage: NO_USAGE, ...act(assignment, write) });
    },
  };
  const session = join(root, `.umpire/sessions/${request.loop as string}`);
  const report = await run({ goal: 'Sums are right', project: root, session, agent: ['mine'], agents: { mine }, ...request });
  return { report, of: (id: string) => seen.get(id) as Assignment };
}

it('a failed command tells its output, and the next round what was tried and changed', async () => {
  const command = `printf 'FAIL sum.test\\n'; test "$(cat sum.txt)" = 2`;
  const request = { loop: 'until', command, trustExitStatus: true };
  const { report, of } = await assignmentsIn({ 'sum.txt': '0\n' }, request, ({ task }, write) => {
    write('sum.txt', task.id === 'WORK-1' ? '1\n' : '2\n');
    return { findings: `${task.id} changed the sum` };
  });
  expect(report.status).toBe('complete');
  const first = of('WORK-1');
  expect(first).toMatchObject({ check: command, failure: expect.stringContaining('FAIL sum.test'), changed: [], diff: '', history: [] });
  expect(first.commands[0]).toBe(command);
  expect(of('WORK-2')).toMatchObject({
    base: expect.stringMatching(/^[0-9a-f]{40}$/),
    changed: ['sum.txt'],
    diff: expect.stringContaining('-0\n+1'),
    history: [{ round: 1, tried: ['WORK-1: WORK-1 changed the sum'], verdict: expect.stringContaining('failed') }],
    outputs: [],
  });
});

it('a review tells its critic the change, and a fix its own findings, as data and not in the instruction', async () => {
  const finding = { severity: 'Critical', message: 'Anybody can refund', file: 'src/pay.ts', line: 1 };
  const request = { loop: 'review', mode: 'sprint', goal: 'Add refunds' };
  const { report, of } = await assignmentsIn({ 'package.json': '{"scripts":{"test":"x"}}' }, request, ({ task, role }, write) => {
    if (role.name === 'developer') write('src/pay.ts', `${task.id}\n`);
    if (role.name !== 'reviewer') return { findings: `${task.id} done`, outputs: { review_score: '0' } };
    const isFirst = task.id === 'REVIEW-001';
    const results = {
      review_score: isFirst ? 4 : 9,
      gc_signal: isFirst ? 'REVISION_NEEDED' : 'CONVERGED',
      findings: isFirst ? [finding] : [],
    };
    write('artifacts/review-results.json', JSON.stringify(results));
    return {};
  });
  expect(report.status).toBe('complete');
  expect(of('DEV-001')).toMatchObject({ diff: '', outputs: [], commands: expect.arrayContaining(['npm test']) });
  expect(of('REVIEW-001')).toMatchObject({
    changed: ['src/pay.ts'],
    diff: expect.stringContaining('+DEV-001'),
    outputTypes: { review_score: 'number', gc_signal: ['CONVERGED', 'REVISION_NEEDED'] },
    history: [],
  });
  expect(of('FIX-1-1')).toMatchObject({
    instruction: 'Fix these review findings in src/pay.ts and nothing else: those below.',
    findings: [{ message: 'Anybody can refund' }],
    history: [{ round: 1, tried: ['DEV-001: DEV-001 done'] }],
  });
});

it('a test layer names the files that belong in it, and the code that it does not cover', async () => {
  const layers = 'critics: { tests: none, testing: { layers: { L2: ["it/**"] } } }\n';
  const run1 = (pass: number) =>
    JSON.stringify({
      layer: 'L1',
      pass_rate: pass,
      coverage: 90,
      total: 2,
      passed: 2 * pass,
      failed: 2 - 2 * pass,
      uncovered: [{ file: 'a.js', pct: 50, lines: [3, 4] }],
    });
  const request = { loop: 'testing', mode: 'targeted' };
  const { of } = await assignmentsIn({ 'umpire.config.yaml': layers }, request, ({ task, role }, write) => {
    if (role.name === 'generator') write(`test/${task.id}.test.js`, 'x\n');
    if (role.name === 'executor') write('results/run-L1.json', run1(task.id === 'TESTRUN-001' ? 0.5 : 1));
    return {};
  });
  expect(of('TESTGEN-001').rules).toContain('A test counts in layer L1 unless its path matches `it/**`.');
  expect(of('TESTGEN-fix-L1-1')).toMatchObject({ failure: expect.stringContaining('a.js (50 %): lines 3, 4'), outputs: ['test_files'] });
});
