// The sessions that the adversary attacks: for each loop a first session folder, and a critic that always has findings.

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineLoop } from '@umpire/core/loops/define-loop.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import { readLoopFile } from '@umpire/umpire/sessions/loop-files.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { printTasks } from '@umpire/core/formats/tasks-csv.js';

const root = join(import.meta.dirname, '..', '..');

export interface AttackSetup {
  readonly name: string;
  /** The loop as it is passed to `decide`. */
  readonly asked: string | Loop;
  readonly loop: Loop;
  readonly begin: (folder: string) => void;
  /** The critic's report for this round: other bytes for each `n`, and never an approval. */
  readonly report: (folder: string, n: number) => Readonly<Record<string, string>>;
  /** The output columns of a critic's row with findings. */
  readonly outputs: (n: number) => Readonly<Record<string, string>>;
  /** An id that a planned row of the critic could have. */
  readonly row: (n: number) => string;
  /** The id of a re-check, as the loop would name it. */
  readonly recheck: (chain: string, n: number) => string;
}

const copy = (from: string) => (folder: string) => cpSync(join(root, from), folder, { recursive: true });
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function builtin(name: string, setup: Omit<AttackSetup, 'name' | 'asked' | 'loop'>): AttackSetup {
  const loop = builtinLoop(name);
  if (loop === null) throw new Error(`There is no built-in loop ${name}.`);
  return { name, asked: name, loop, ...setup };
}

const design = builtin('design', {
  begin: copy('fixtures/spec/D7/session'),
  report: (_, n) => ({
    'artifacts/audit/AUDIT-001.md': `# Audit\n\n- Signal: fix_required\n\n## Findings\n\n### Critical\n- Contrast is 2.${n}:1 (tokens.json:4${n})\n`,
  }),
  outputs: (n) => ({ audit_signal: 'fix_required', audit_score: `4.${n}`, artifacts_produced: 'artifacts/audit/AUDIT-001.md' }),
  row: (n) => `AUDIT-00${n}`,
  recheck: (chain, n) => (chain === 'AUDIT-001' ? `AUDIT-re-00${n}` : `${chain.replace('AUDIT-', 'AUDIT-re-')}-${n}`),
});

const testing = builtin('testing', {
  begin: copy('fixtures/spec/T3/session'),
  report: (folder, n) => {
    const results = join(folder, 'results');
    const runs = existsSync(results) ? readdirSync(results).filter((name) => name.startsWith('run-')) : [];
    const names = runs.length === 0 ? ['run-L1.json'] : runs;
    const run = { pass_rate: 0.97, coverage: 40 + n, total: 100, passed: 97, failed: 3, failures: [] };
    return Object.fromEntries(names.map((name) => [`results/${name}`, json({ layer: name.slice(4, -5), ...run })]));
  },
  outputs: (n) => ({ pass_rate: '0.97', coverage_achieved: String(40 + n) }),
  row: (n) => `TESTRUN-00${n}`,
  recheck: (chain, n) => `TESTRUN-fix-${chain}-${n}`,
});

const debt = builtin('debt', {
  begin: copy('fixtures/spec/B4/session'),
  report: (_, n) => ({
    'validation/validation-report.json': json({
      passed: false,
      total_regressions: n + 1,
      checks: { tests: { status: 'failed', errors: n + 1 } },
    }),
  }),
  outputs: (n) => ({ debt_items_count: String(n + 1) }),
  row: (n) => `TDVAL-00${n}`,
  recheck: (_, n) => `TDVAL-recheck-${n}`,
});

const review = builtin('review', {
  begin: copy('fixtures/spec/R4/session'),
  report: (_, n) => ({
    'artifacts/review-results.json': json({
      review_score: Number(`5.${n}`),
      gc_signal: 'REVISION_NEEDED',
      findings: [{ severity: 'High', file: 'src/a.ts', line: n + 1, message: `It fails in case ${n}` }],
    }),
  }),
  outputs: (n) => ({ review_score: `5.${n}`, gc_signal: 'REVISION_NEEDED' }),
  row: (n) => `REVIEW-00${n}`,
  recheck: (chain, n) => (/[2-9]$/.test(chain) ? `REVIEW-re-00${chain.at(-1)}-${n}` : `REVIEW-re-00${n}`),
});

const brainstorm = builtin('brainstorm', {
  begin: copy('fixtures/spec/C2/session'),
  report: (_, n) => ({
    'critiques/critique.md': `# Critique\n\n- [CRITICAL] The relay sees plain text, case ${n}\n- [HIGH] It costs ${n}\n`,
  }),
  outputs: (n) => ({ gc_signal: 'REVISION_NEEDED', severity_summary: `CRITICAL:1 HIGH:2 MEDIUM:${n} LOW:0` }),
  row: (n) => `CHALLENGE-00${n}`,
  recheck: (_, n) => `CHALLENGE-rev-${n}`,
});

const example = join(root, 'examples', 'docs-review', 'docs-review.yaml');

const docsReview: AttackSetup = {
  name: 'docs-review',
  asked: readLoopFile(example),
  loop: readLoopFile(example),
  begin: copy('examples/docs-review/session'),
  report: (_, n) => ({
    'artifacts/docs-review.json': json({
      verdict: 'changes',
      clarity: Number(`4.${n}`),
      findings: [{ severity: 'High', message: `Step ${n} is missing`, file: 'artifacts/backup.md', line: n + 1 }],
    }),
  }),
  outputs: (n) => ({ verdict: 'changes', clarity: `4.${n}` }),
  row: (n) => `EDIT-00${n}`,
  recheck: (_, n) => `EDIT-re-${n}`,
};

/** A loop with features that no other loop combines: chains and rounds by column, a cap by file, a target, a forced end. */
export const modules: Loop = defineLoop({
  loop: 'modules',
  title: 'A checker measures each module; a mender mends it.',
  roles: { generator: 'mender', critic: 'checker', judge: 'judge' },
  words: { converge: 'DONE', revise: 'MEND', accept: 'TAKE', escalate: 'ASK' },
  chain: { column: 'module', what: 'modules' },
  round: { first: 0, counts: 'menders sent, from 0', from: [{ column: 'gc_round' }] },
  cap: { default: 2, from: { file: 'plan.json', at: 'max_rounds' } },
  target: { default: 70, column: 'target', what: 'share that must hold' },
  columns: { in: ['module', 'gc_round', 'target'], out: ['share'] },
  evidence: {
    check: { file: 'check.json', reader: 'json', grade: 'testified', what: 'the check', else: 'row' },
    row: { row: 'critic', grade: 'testified', what: "the checker's row", optional: true },
  },
  facts: { check: { state: 'check' }, share: { number: [0, 100], at: 'check.share' } },
  repairs: [{ id: 'M1', when: { share: 'absent' }, set: { share: 0 }, why: 'No share was told; taken as 0.' }],
  table: [
    { id: 'M2', when: { share: '>=target' }, then: 'converge', why: '{share} holds.', next: 'Go on.' },
    { id: 'M3', when: { round: '<cap' }, then: 'revise', why: 'Only {share} holds.', next: 'Execute {tasks}.' },
    { id: 'M4', then: 'converge', waiver: 'the rounds are spent', why: 'Only {share} holds, and it ends here.', next: 'Go on.' },
  ],
  tasks: [
    { id: 'MEND-{chain}-{next}', title: 'Mend', description: 'Mend {chain}.', role: 'mender', after: 'critic', copy: ['module', 'target'] },
    {
      id: 'CHECK-{chain}-{next}',
      title: 'Check again',
      description: 'Check {chain} again.',
      role: 'checker',
      after: 'previous',
      recheck: true,
      copy: ['module', 'target'],
      set: { gc_round: '{next}' },
    },
  ],
  report: [{ heading: 'Verdict', blocks: ['{verdict}', { reasons: true }] }],
  ask: { question: 'What now?', options: [{ id: 'abort', means: 'stop' }] },
});

function beginModules(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const columns = ['id', 'title', 'description', 'role', 'module', 'gc_round', 'target', 'deps', 'wave', 'status', 'findings', 'share'];
  const row = (id: string, module: string, wave: string) => {
    const given = { role: 'checker', module, gc_round: '0', target: '70', wave, status: 'completed', share: '31' };
    return { id, title: 'Check', description: `Check ${module}`, ...given };
  };
  writeFileSync(join(folder, 'tasks.csv'), printTasks(columns, [row('CHECK-B-0', 'B', '1'), row('CHECK-A-0', 'A', '2')]));
  writeFileSync(join(folder, 'plan.json'), json({ max_rounds: 3 }));
}

const own: AttackSetup = {
  name: 'modules',
  asked: modules,
  loop: modules,
  begin: beginModules,
  report: (_, n) => ({ 'check.json': json({ share: 30 + n }) }),
  outputs: (n) => ({ share: String(30 + n) }),
  row: (n) => `CHECK-N${n}`,
  recheck: (chain, n) => `CHECK-${chain}-${n}`,
};

export const ATTACK_SETUPS: readonly AttackSetup[] = [design, testing, debt, review, brainstorm, docsReview, own];

/** Writes files into a folder, and creates their folders. */
export function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true) rmSync(place, { recursive: true });
    writeFileSync(place, content);
  }
}
