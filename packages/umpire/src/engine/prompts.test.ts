// What agents are told: each loop runs with one function in all roles, and the prompts that a program would get are pages in
// __snapshots__/prompts-*.md. Read such a page as if you were the agent: is every sentence needed, true and in the right order?

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitIn, gitProject } from '../../../../test/support/git-project.js';
import type { Agent, Assignment } from '@umpire/core/model/ports.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import { promptFor, systemPromptFor } from '../agents/prompt.js';
import { fence } from '../views/safe-text.js';
import { resolve, run } from './session.js';

cleanUpAfterwards();

interface Answer {
  readonly findings?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** Files of the project. */
  readonly work?: Readonly<Record<string, string>>;
  /** Files of the session. */
  readonly evidence?: Readonly<Record<string, unknown>>;
}

interface Story {
  readonly loop: string;
  readonly mode: string;
  readonly goal: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command?: string;
  /** By task id. */
  readonly answers: Readonly<Record<string, Answer>>;
}

/** Runs the story to its end and returns the assignments in the order of their tasks. */
async function play({ answers, files, ...request }: Story): Promise<readonly Assignment[]> {
  const { root } = gitProject({ 'umpire.config.yaml': 'critics: { tests: none }\n', ...files });
  const seen: Assignment[] = [];
  const mine: Agent = {
    name: 'mine',
    run: (assignment) => {
      seen.push(assignment);
      const { base, changed, workdir } = assignment;
      // The command that the prompt names works where the agent is.
      if (base !== null) expect(gitIn(workdir, 'diff', '--name-only', base).split('\n').filter(Boolean)).toEqual([...changed].toSorted());
      const { findings = 'Done.', outputs = {}, work = {}, evidence = {} } = answers[assignment.task.id] ?? {};
      for (const [path, text] of Object.entries(work)) writeTo(assignment.workdir, path, text);
      for (const [path, text] of Object.entries(evidence))
        writeTo(assignment.session, path, typeof text === 'string' ? text : JSON.stringify(text));
      return Promise.resolve({ kind: 'completed', findings, error: '', outputs, usage: NO_USAGE });
    },
  };
  const session = join(root, `.umpire/sessions/${request.loop}`);
  let report = await run({ ...request, project: root, session, agent: ['mine'], agents: { mine }, concurrency: 1 });
  while (report.question?.kind === 'plan') report = await resolve({ session, answer: 'approve', reason: 'A good plan.', agents: { mine } });
  expect(report.status).toBe('complete');
  return seen;
}

function writeTo(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The prompts of these tasks as one page, without what differs from machine to machine. */
function pageOf(loop: string, assignments: readonly Assignment[]): string {
  const known = new Set<string>();
  const parts = assignments.flatMap((assignment) => {
    const { task, role, session, workdir, base } = assignment;
    const files = { taskFile: `${session}/tasks/${task.id}.json`, resultFile: `${session}/tasks/${task.id}-result.json` };
    const plain = (text: string) => {
      const placed = text
        .replaceAll(session, '/home/ann/shop/.umpire/sessions/s')
        .replaceAll(workdir, '/home/ann/umpire-worktrees/shop/s/work');
      return (base === null ? placed : placed.replaceAll(base, 'b45e000')).replace(/^index .*\n/gm, '');
    };
    const system = known.has(role.name) ? [] : ['### System prompt', fence(plain(systemPromptFor(assignment, files)), 'markdown')];
    known.add(role.name);
    return [`## ${task.id}, ${role.name}`, ...system, '### Prompt', fence(plain(promptFor(assignment)), 'markdown')];
  });
  return `${[`# Prompts of the ${loop} loop`, ...parts].join('\n\n')}\n`;
}

async function expectPage(loop: string, assignments: readonly Assignment[]): Promise<(id: string) => Assignment> {
  await expect(pageOf(loop, assignments)).toMatchFileSnapshot(`__snapshots__/prompts-${loop}.md`);
  return (id) => assignments.find(({ task }) => task.id === id) as Assignment;
}

const PACKAGE = '{"scripts": {"test": "vitest run", "lint": "eslint .", "start": "node server.js"}}\n';
const TOTAL = 'export const total = (items) => items.reduce((sum, item) => sum + item.price, 0);\n';

it('until: the failing output, then what was tried and what changed', async () => {
  const output =
    ' FAIL  test/total.test.js > total > counts pieces\nAssertionError: expected 3 to be 6\n  test/total.test.js:4:19\n\n Tests  1 failed | 11 passed (12)\n';
  const half = TOTAL.replace('item.price', 'item.price * item.count');
  const tasks = await play({
    loop: 'until',
    mode: 'check-first',
    goal: 'total() counts the pieces of an item',
    command: 'sh test.sh',
    files: {
      'package.json': PACKAGE,
      'src/total.js': TOTAL,
      'output.txt': output,
      'test.sh': 'grep -q "count ?? 1" src/total.js || { cat output.txt; exit 1; }\n',
    },
    answers: {
      'WORK-1': { findings: 'total() multiplies by count. 11 of 12 tests pass.', work: { 'src/total.js': half } },
      'WORK-2': { findings: 'A missing count is 1.', work: { 'src/total.js': half.replace('item.count', '(item.count ?? 1)') } },
    },
  });
  const of = await expectPage('until', tasks);
  expect(of('WORK-1')).toMatchObject({
    check: 'sh test.sh',
    failure: expect.stringContaining('expected 3 to be 6'),
    changed: [],
    diff: '',
    history: [],
  });
  expect(of('WORK-1').commands.slice(0, 2)).toEqual(['sh test.sh', 'npm test']);
  expect(of('WORK-2')).toMatchObject({
    base: expect.stringMatching(/^[0-9a-f]{40}$/),
    changed: ['src/total.js'],
    diff: expect.stringContaining('+export const total'),
    history: [
      { round: 1, tried: ['WORK-1: total() multiplies by count. 11 of 12 tests pass.'], verdict: expect.stringContaining('failed') },
    ],
    outputs: [],
  });
});

it('review: the change for the critic, and for a fix its own findings, as data and not in the instruction', async () => {
  const findings = [
    { severity: 'Critical', message: 'Any customer can refund any order', file: 'src/refund.js', line: 1 },
    { severity: 'High', message: 'A negative amount is paid out', file: 'src/amount.js', line: 1 },
    { severity: 'Low', message: 'refund() has no comment', file: 'src/refund.js', line: 1 },
  ];
  const tasks = await play({
    loop: 'review',
    mode: 'sprint',
    goal: 'Customers can return an order and get their money back',
    files: { 'package.json': PACKAGE },
    answers: {
      'DESIGN-001': { findings: '2 files, 3 acceptance criteria.' },
      'DEV-001': {
        findings: 'refund() with 3 tests. Tests and lint pass.',
        outputs: { review_score: '10' },
        work: {
          'src/refund.js': 'export const refund = (order) => pay(order);\n',
          'src/amount.js': 'export const amount = (order) => order.sum;\n',
        },
      },
      'VERIFY-001': { findings: '14 tests pass. AC-1, AC-2 and AC-3 hold.' },
      'REVIEW-001': {
        findings: '1 Critical, 1 High, 1 Low.',
        evidence: { 'artifacts/review-results.json': { review_score: 4, gc_signal: 'REVISION_NEEDED', findings } },
      },
      'FIX-1-1': {
        findings: 'refund() checks the owner.',
        work: { 'src/refund.js': 'export const refund = (order, user) => order.owner === user && pay(order);\n' },
      },
      'REVIEW-re-001': { evidence: { 'artifacts/review-results.json': { review_score: 9, gc_signal: 'CONVERGED', findings: [] } } },
    },
  });
  const of = await expectPage('review', tasks);
  expect(of('DEV-001')).toMatchObject({ diff: '', outputs: [], commands: expect.arrayContaining(['npm run lint']) });
  expect(of('REVIEW-001')).toMatchObject({
    changed: ['src/amount.js', 'src/refund.js'],
    outputs: ['review_score', 'gc_signal'],
    history: [],
  });
  expect(of('FIX-1-1')).toMatchObject({
    instruction: 'Fix these review findings in src/refund.js and nothing else: see below.',
    findings: [{ message: 'Any customer can refund any order' }],
    history: [{ round: 1, tried: ['DEV-001: refund() with 3 tests. Tests and lint pass.'] }],
  });
});

it('testing: where the tests of a layer belong, and the code that they do not cover', async () => {
  const testFile = (name: string) =>
    `import { expect, test } from 'vitest';\nimport { total } from '../src/total.js';\ntest('${name}', () => expect(total([{ price: 2 }])).toBe(2));\n`;
  const ran = (layer: string, passed: number) => ({
    [`results/run-${layer}.json`]: {
      layer,
      pass_rate: passed / 4,
      coverage: passed === 4 ? 91 : 62.5,
      total: 4,
      passed,
      failed: 4 - passed,
      failures:
        passed === 4 ? [] : [{ name: 'total > rounds up', file: 'test/total.test.js', line: 9, message: 'expected 1080, received 1079.5' }],
      uncovered: passed === 4 ? [] : [{ file: 'src/coupon.js', pct: 20, lines: [3, 4, 8] }],
    },
  });
  const tasks = await play({
    loop: 'testing',
    mode: 'standard',
    goal: 'Test the checkout before we change it',
    files: { 'package.json': PACKAGE, 'src/total.js': TOTAL },
    answers: {
      'STRATEGY-001': { findings: 'Baseline L1: 9 tests, 48 % lines. First: rounding (src/total.js).' },
      'TESTGEN-001': { findings: '4 tests for total().', work: { 'test/total.test.js': testFile('total') } },
      'TESTRUN-001': { findings: '3 of 4 pass, lines 62.5 %.', evidence: ran('L1', 3) },
      'TESTGEN-fix-L1-1': {
        findings: 'Rounding test corrected, 2 tests for coupons.',
        work: { 'test/coupon.test.js': testFile('coupon') },
      },
      'TESTRUN-fix-L1-1': { findings: '4 of 4 pass, lines 91 %.', evidence: ran('L1', 4) },
      'TESTGEN-002': { work: { 'test/integration/checkout.test.js': testFile('checkout') } },
      'TESTRUN-002': { evidence: ran('L2', 4) },
    },
  });
  const of = await expectPage('testing', tasks);
  expect(of('TESTGEN-002').rules).toContain(
    'A test counts in layer L2 only if its path matches `**/*.{integration,int}.*`, `**/integration/**`.',
  );
  expect(of('TESTGEN-fix-L1-1')).toMatchObject({
    failure: expect.stringContaining('src/coupon.js (20 %): lines 3, 4, 8'),
    outputs: ['test_files'],
  });
});

it('debt: the plan, the work and the regressions', async () => {
  const checks = {
    types: { status: 'passed', errors: 0 },
    lint: { status: 'passed', errors: 0 },
    quality: { status: 'passed', errors: 0 },
  };
  const valid = (failed: number) => ({
    'validation/validation-report.json': {
      passed: failed === 0,
      total_regressions: failed,
      checks: { tests: { status: failed === 0 ? 'passed' : 'failed', errors: failed }, ...checks },
      debt_score_before: 46,
      debt_score_after: 30,
    },
  });
  const tasks = await play({
    loop: 'debt',
    mode: 'remediate',
    goal: 'One parser for offsets instead of three',
    files: { 'package.json': PACKAGE, 'src/offset.js': 'export const offset = 1;\n' },
    answers: {
      'TDSCAN-001': { findings: '14 items, score 46. Worst: src/format.js:112.' },
      'TDEVAL-001': { findings: '13 items, 1 dropped. Pay now: TD-01, TD-04.' },
      'TDPLAN-001': { findings: '3 steps for 9 items, expected score 30.' },
      'TDFIX-001': { findings: 'Steps 1 to 3 done.', work: { 'src/offset.js': 'export const offset = 2;\n' } },
      'TDVAL-001': { findings: '1 regression: offset sign.', evidence: valid(1) },
      'TDFIX-fix-1': { findings: 'The sign is kept.', work: { 'src/offset.js': 'export const offset = 3;\n' } },
      'TDVAL-recheck-1': { evidence: valid(0) },
    },
  });
  await expectPage('debt', tasks);
});

it('design: the audit and the fix', async () => {
  const audit = (score: number, signal: string, critical: string) =>
    `# Audit: button\n**Score**: ${score} / 10\n**Signal**: ${signal}\n## Dimensions\n| Dimension | Score | Threshold |\n|---|---|---|\n| Accessibility | ${score} | 6 |\n## Findings\n### Critical\n- ${critical}\n### High\n- None\n### Medium\n- None\n### Low\n- None\n`;
  const bad = 'The label on the hover background is 3.23:1, 4.5:1 is needed (artifacts/design/button.tokens.json:9)';
  const tasks = await play({
    loop: 'design',
    mode: 'component',
    goal: 'A button that works in the dark theme',
    files: { 'package.json': PACKAGE },
    answers: {
      'RESEARCH-001': { findings: 'Four variants; ghost has no focus state (src/ui/button.css:14-88).' },
      'DESIGN-001': { findings: 'Tokens and five states.', outputs: { artifacts_produced: 'artifacts/design/button.tokens.json' } },
      'AUDIT-001': {
        findings: '1 Critical (contrast).',
        outputs: { audit_signal: 'fix_required', audit_score: '4', artifacts_produced: 'artifacts/audit/AUDIT-001.md' },
        evidence: { 'artifacts/audit/AUDIT-001.md': audit(4, 'fix_required', bad) },
      },
      'DESIGN-fix-001': { findings: 'Hover label 5.8:1.' },
      'AUDIT-re-001': {
        findings: 'Contrast is fixed.',
        outputs: { audit_signal: 'audit_passed', audit_score: '8', artifacts_produced: 'artifacts/audit/AUDIT-re-001.md' },
        evidence: { 'artifacts/audit/AUDIT-re-001.md': audit(8, 'audit_passed', 'None') },
      },
      'BUILD-001': { work: { 'src/ui/button.css': '.button { color: var(--label); }\n' } },
    },
  });
  await expectPage('design', tasks);
});

it('brainstorm: the challenges and the answers', async () => {
  const tasks = await play({
    loop: 'brainstorm',
    mode: 'deep',
    goal: 'How do we cut cold starts in half?',
    files: { 'package.json': PACKAGE },
    answers: {
      'IDEA-001': { findings: 'I-1 lazy PDF library, I-2 smaller bundle.' },
      'CHALLENGE-001': {
        findings: '[HIGH] X-1 on I-1: every third request exports a PDF.',
        outputs: { severity_summary: 'CRITICAL:0 HIGH:1 MEDIUM:0 LOW:0' },
      },
      'IDEA-rev-1': { findings: 'I-1 dropped (X-1), I-3 added.' },
      'CHALLENGE-rev-1': {
        findings: '2 challenges, none above Medium.',
        outputs: { severity_summary: 'CRITICAL:0 HIGH:0 MEDIUM:2 LOW:0' },
      },
      'SYNTH-001': { findings: 'P-1 smaller start. 2 Medium challenges open.' },
    },
  });
  await expectPage('brainstorm', tasks);
});
