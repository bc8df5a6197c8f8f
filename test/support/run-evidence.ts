// Evidence of critics as answers of the scripted agent: for each loop one that approves and one with findings. The paths are those
// that the loops read.

type Answer = Readonly<Record<string, unknown>>;

/** All other tasks complete. */
export const REST: Answer = { result: { findings: '{id} is done.' } };

/** Each task of a writing role writes one file. */
export function writer(role: string, more: Answer = {}): Answer {
  return { role, write: { 'work/{id}.txt': '{id}, attempt {attempt}\n' }, result: { findings: '{id} wrote work/{id}.txt.' }, ...more };
}

export function audit(signal: 'audit_passed' | 'audit_result' | 'fix_required', who: Answer = { role: 'reviewer' }): Answer {
  const isGood = signal !== 'fix_required';
  const score = isGood ? 9 : 4;
  const found = isGood ? 'None' : '- Contrast is 2.1:1 (tokens.json:4)';
  const scores = `## Dimension Scores\n\n| Dimension | Score |\n|---|---|\n| Consistency | ${score} |`;
  const page = `# Audit {id}\n\n- Signal: ${signal}\n- Score: ${score}/10\n\n${scores}\n\n## Findings\n\n### Critical\n${found}\n`;
  return {
    ...who,
    write: { 'session:artifacts/audit/{id}.md': page },
    result: {
      findings: `{id} says ${signal}.`,
      audit_signal: signal,
      audit_score: score,
      artifacts_produced: 'artifacts/audit/{id}.md',
    },
  };
}

export interface TestRun {
  readonly passed: number;
  readonly coverage: number;
  /** Names of tests that failed. */
  readonly failing?: readonly string[];
}

export function testRun(layer: string, { passed, coverage, failing = [] }: TestRun, who: Answer): Answer {
  const failures = failing.map((name) => ({ name, file: 'test/a.test.ts', message: `expected 1 to be 2 in ${name}` }));
  const run = { layer, pass_rate: passed / 100, coverage, total: 100, passed, failed: 100 - passed, failures };
  return {
    ...who,
    write: {
      [`session:results/run-${layer}.json`]: { json: run },
      [`session:results/output-${layer}.txt`]: `${passed} of 100 passed\n`,
    },
    result: { findings: `{id}: ${passed} of 100 passed.`, pass_rate: passed / 100, coverage_achieved: coverage },
  };
}

export const GOOD_RUN: TestRun = { passed: 100, coverage: 90 };
export const POOR_RUN: TestRun = { passed: 90, coverage: 60, failing: ['adds'] };

export function validation(regressions: number, who: Answer = { role: 'validator' }): Answer {
  const status = regressions === 0 ? 'passed' : 'failed';
  const report = {
    passed: regressions === 0,
    total_regressions: regressions,
    checks: {
      tests: { status, errors: regressions },
      types: { status: 'passed' },
      lint: { status: 'passed' },
      quality: { status: 'passed' },
    },
    debt_score_before: 40,
    debt_score_after: 30,
  };
  return {
    ...who,
    write: { 'session:validation/validation-report.json': { json: report } },
    result: { findings: `{id}: ${regressions} regressions.` },
  };
}

export interface Reviewed {
  readonly score: number;
  readonly signal: 'CONVERGED' | 'REVISION_NEEDED';
  readonly findings?: readonly Answer[];
}

export const GOOD_REVIEW: Reviewed = { score: 9, signal: 'CONVERGED' };
export const POOR_REVIEW: Reviewed = {
  score: 5,
  signal: 'REVISION_NEEDED',
  findings: [{ severity: 'High', message: 'The total is wrong', file: 'src/total.ts', line: 3 }],
};

export function review({ score, signal, findings = [] }: Reviewed, who: Answer = { role: 'reviewer' }): Answer {
  return {
    ...who,
    write: { 'session:artifacts/review-results.json': { json: { review_score: score, gc_signal: signal, findings } } },
    result: { findings: `{id}: ${signal} at ${score}.`, review_score: score, gc_signal: signal },
  };
}

/** `worst`: such as `CRITICAL:1 HIGH:0 MEDIUM:0 LOW:2`. */
export function challenge(worst: string, who: Answer = { role: 'challenger' }): Answer {
  return { ...who, result: { findings: `{id}: ${worst}.`, severity_summary: worst, gc_signal: '' } };
}

export const SMALL = 'CRITICAL:0 HIGH:0 MEDIUM:1 LOW:1';
export const LARGE = 'CRITICAL:1 HIGH:0 MEDIUM:0 LOW:0';
