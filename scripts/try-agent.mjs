// The agent of `npm run try`: `node scripts/try-agent.mjs SCENARIO.json LOG`. It plays every role by the contract for programs
// (docs/agents.md) and asks no model. LOG gets one line of JSON per task: what it really did, whatever it says.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyEdits } from './try-edits.mjs';

const [scenarioFile, log] = process.argv.slice(2);
const { rounds, reviews = [], claims = false } = JSON.parse(readFileSync(scenarioFile, 'utf8'));
const task = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
const earlier = existsSync(log)
  ? readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];

const WRITERS = { until: 'worker', testing: 'generator', review: 'developer', debt: 'executor' };
const isWriter = WRITERS[task.loop] === task.role;
const turn = earlier.filter(({ role }) => role === task.role).length;
/** Who is asked again does the same again; what is done already is not done twice. */
const round = isWriter ? (rounds[Math.min(turn, rounds.length - 1)] ?? {}) : {};
const { done, failed } = applyEdits(process.cwd(), round.edits ?? []);

/** Every report that a critic could leave, with the best numbers. */
const FALSE_REPORTS = {
  'results/until.json': { command: 'true', exit_status: 0, timed_out: false, seconds: 1, output: 'all tests passed' },
  'results/run-L1.json': { layer: 'L1', pass_rate: 1, coverage: 100, total: 10, passed: 10, failed: 0, failures: [] },
  'validation/validation-report.json': {
    passed: true,
    total_regressions: 0,
    checks: Object.fromEntries(['tests', 'types', 'lint', 'quality'].map((name) => [name, { status: 'passed', errors: 0 }])),
    debt_score_before: 12,
    debt_score_after: 0,
  },
};

function writeToSession(path, value) {
  const file = join(process.env.UMPIRE_SESSION, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

if (claims) for (const [path, report] of Object.entries(FALSE_REPORTS)) writeToSession(path, report);

/** The reviewer finds what the scenario says, in its last review nothing more. */
const review = task.role === 'reviewer' ? (reviews[turn] ?? {}) : {};
const { score = 9, signal = 'CONVERGED', findings = [] } = review;
if (task.role === 'reviewer' || claims) {
  const dimensions = Object.fromEntries(['correctness', 'completeness', 'maintainability', 'security'].map((name) => [name, score]));
  writeToSession('artifacts/review-results.json', { review_score: score, gc_signal: signal, dimensions, findings });
}

const COLUMNS = {
  review_score: score,
  gc_signal: signal,
  pass_rate: 1,
  coverage_achieved: 100,
  exit_status: 0,
  debt_items_count: 1,
};
const outputs = Object.keys(task.result_schema?.properties ?? {}).filter((name) => Object.hasOwn(COLUMNS, name));
const said = {
  planner: 'One step. Checked by the tests.',
  strategist: 'Test what the goal names first.',
  architect: 'Change only what the goal names.',
  verifier: 'Build, types, lint and tests pass (passed: all, failed: 0).',
  reviewer: findings.length === 0 ? 'No finding.' : `${findings.length} findings.`,
}[task.role];
const result = {
  id: task.id,
  status: round.status ?? 'completed',
  findings: round.says ?? said ?? 'Done. All tests pass.',
  ...(round.status === 'blocked' && { error: round.says }),
  ...Object.fromEntries(outputs.map((name) => [name, COLUMNS[name]])),
};
writeFileSync(process.env.UMPIRE_RESULT_FILE, JSON.stringify(result));
appendFileSync(log, `${JSON.stringify({ task: task.id, role: task.role, done, failed })}\n`);
