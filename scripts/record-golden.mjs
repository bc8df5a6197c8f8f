// Records the sessions of fixtures/golden anew: each a list of steps, judged by the built library at fixed times. What is kept
// is what replay reads: the journal and the blobs. `node scripts/record-golden.mjs [name …] [--again]`; without --again a
// session that is there stays as it is, so that a later version must judge it the same.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decide, editTasks, parseLoop, parseTasks } from '../dist/index.js';
import { root } from './tools.mjs';

// Without a state folder, the journals are not signed with a key that nobody has.
process.env.XDG_STATE_HOME = '/dev/null';

const GOLDEN = join(root, 'fixtures', 'golden');
const START = Date.parse('2026-03-01T10:00:00Z');
const STEP_MS = 5 * 60_000;

/** What a step does to the session before it is judged. */
const put = (path, content) => (session) => {
  fs.mkdirSync(dirname(join(session, path)), { recursive: true });
  fs.writeFileSync(join(session, path), typeof content === 'string' ? content : `${JSON.stringify(content, null, 1)}\n`);
};
const drop = (path) => (session) => fs.rmSync(join(session, path), { recursive: true });
const append = (path, text) => (session) => fs.appendFileSync(join(session, path), text);
const folderAt = (path) => (session) => {
  fs.rmSync(join(session, path), { force: true });
  fs.mkdirSync(join(session, path));
};
/** Sets cells of tasks, by id, and adds rows whose ids are new. */
const tasks = (rows) => (session) => {
  const path = join(session, 'tasks.csv');
  const file = parseTasks(fs.readFileSync(path, 'utf8'));
  const known = new Set(file.tasks.map((task) => task.id));
  const set = new Map(Object.entries(rows).filter(([id]) => known.has(id)));
  const add = Object.entries(rows).flatMap(([id, row]) => (known.has(id) ? [] : [{ id, ...row }]));
  fs.writeFileSync(path, editTasks(file, { set, add }));
};

const audit = (critical, high) =>
  `## Scores\n- Accessibility: 5/10\n- Consistency: 7/10\n\n### Critical\n${critical.map((text) => `- ${text}\n`).join('') || '- None\n'}\n### High\n${high.map((text) => `- ${text}\n`).join('') || '- None\n'}`;
const again = (id, signal, score) => ({
  [id]: { status: 'completed', audit_signal: signal, audit_score: score, artifacts_produced: `artifacts/audit/${id}.md` },
});
const review = (score, signal, ...findings) =>
  put('artifacts/review-results.json', {
    review_score: score,
    gc_signal: signal,
    findings: findings.map(([severity, file, line, message]) => ({ severity, file, line, message })),
  });
const ended = (how) =>
  put('results/until.json', { command: 'npm test', exit_status: 1, signal: null, timed_out: false, output_tail: '1 failed\n', ...how });
const checked = (n) => ({ [`WORK-${n}`]: { status: 'completed' }, [`CHECK-re-${n}`]: { status: 'completed' } });
const KEY = { severity: 'critical', file: 'src/pay.ts', line: 3, message: 'The key is in the source' };
const LOCK = ['High', 'src/api/orders.ts', 17, 'Two requests may change the same order at once'];
const LEAK = ['Medium', 'src/api/orders.ts', 50, 'The error text leaks the table name'];
const CARDS = ['Critical', 'src/pay.ts', 88, 'Card numbers are logged'];
const run = (layer, passed, coverage, ...failed) =>
  put(`results/run-${layer}.json`, {
    layer,
    pass_rate: passed / 20,
    coverage,
    total: 20,
    passed,
    failed: 20 - passed,
    failures: failed.map((name) => ({ name, file: 'test/total.test.ts', message: 'expected 1, received 2' })),
  });
const entry = (worker, type, data) =>
  append('discoveries.ndjson', `${JSON.stringify({ ts: '2026-03-01T09:00:00Z', worker, type, data })}\n`);
const critique = (round, severity, challenge) =>
  entry(`CHALLENGE-rev-${round}`, 'critique', { idea: 'peer relay', severity, challenge, gc_round: round });
const challenged = (round, summary) => ({
  [`IDEA-rev-${round}`]: { status: 'completed' },
  [`CHALLENGE-rev-${round}`]: { status: 'completed', gc_round: String(round), severity_summary: summary },
});
const validation = (report) => put('validation/validation-report.json', report);
const checks = (tests, errors) => ({
  passed: tests === 'passed',
  total_regressions: errors,
  checks: { tests: { status: tests, errors }, types: { status: 'passed' } },
});
const clarity = (verdict, score, ...findings) => put('artifacts/docs-review.json', { page: 'a.md', verdict, clarity: score, findings });

/** [what is changed, what decide is asked beside loop and session, the verdict and rule that must come of it] */
const SESSIONS = {
  'design-to-the-cap': {
    loop: 'design',
    from: 'fixtures/spec/D7/session',
    steps: [
      [[], {}, 'REVISION D7'],
      [
        [
          put('artifacts/audit/AUDIT-re-001.md', audit([], ['Ghost has no focus state (specs/button.md:18)'])),
          tasks(again('AUDIT-re-001', 'fix_required', '6')),
        ],
        {},
        'REVISION D7',
      ],
      [
        [
          put('artifacts/audit/AUDIT-re-002.md', audit(['Contrast is 2.1:1 (tokens/color.json:42)'], [])),
          tasks(again('AUDIT-re-002', 'audit_passed', '6.5')),
        ],
        {},
        'ESCALATE D8',
      ],
    ],
  },
  'design-partial-then-passed': {
    loop: 'design',
    from: 'fixtures/spec/D5/session',
    steps: [
      [[], { deadlineMs: 0 }, 'REVISION E1'],
      [[], {}, 'CONVERGE D5'],
      [[tasks({ 'AUDIT-001': { audit_signal: '' } })], { deadlineMs: 0 }, 'REVISION E1'],
    ],
  },
  'design-full-disk': {
    loop: 'design',
    from: 'fixtures/spec/D7/session',
    steps: [
      [[drop('session-state.json')], { full: true }, 'ESCALATE D9'],
      [[], {}, 'REVISION D7'],
    ],
  },
  'design-signals-that-contradict': {
    loop: 'design',
    from: 'fixtures/spec/D3/session',
    steps: [
      [[], {}, 'REVISION D7'],
      [[put('artifacts/audit/AUDIT-re-001.md', audit([], [])), tasks(again('AUDIT-re-001', '', '5'))], {}, 'REVISION D7'],
      [
        [put('artifacts/audit/AUDIT-re-002.md', '# Audit\n\n- Accessibility: 8/10\n'), tasks(again('AUDIT-re-002', 'audit_result', '8'))],
        {},
        'CONVERGE D6',
      ],
    ],
  },
  'testing-two-layers': {
    loop: 'testing',
    from: 'fixtures/spec/T3/session',
    steps: [
      [[run('L1', 18, 71, 'adds tax', 'rounds down')], { layer: 'L1' }, 'RETRY T3'],
      [
        [
          run('L1', 17, 72, 'adds tax', 'rounds down', 'rounds up'),
          entry('gc-loop-L1-R1', 'fix_applied', { file: 'test/total.test.ts', change: 'mended' }),
        ],
        { layer: 'L1' },
        'RETRY T6',
      ],
      [[run('L2', 20, 91)], { layer: 'L2' }, 'CONVERGE T2'],
      [[run('L1', 18, 75, 'adds tax', 'rounds up')], { layer: 'L1' }, 'RETRY T3'],
      [[run('L1', 19, 79, 'adds tax')], { layer: 'L1' }, 'ACCEPT T4'],
      [[run('L1', 19, 79, 'adds tax')], { layer: 'L1', strict: true }, 'ESCALATE T4'],
    ],
  },
  'testing-target-of-its-own': {
    loop: 'testing',
    from: 'fixtures/spec/T5/session',
    steps: [
      [[tasks({ 'TESTRUN-001': { coverage_target: '60' } }), run('L1', 19, 55)], {}, 'RETRY T3'],
      [[tasks({ 'TESTRUN-001': { coverage_target: '10' } }), run('L1', 19, null)], {}, 'CONVERGE T2'],
      [[], { strict: true }, 'ESCALATE T2'],
    ],
  },
  'debt-unreadable-to-the-cap': {
    loop: 'debt',
    from: 'fixtures/spec/B2/session',
    steps: [
      [[], {}, 'retry B4'],
      [[validation('{"passed": tru')], {}, 'retry B4'],
      [[folderAt('validation/validation-report.json')], {}, 'retry B4'],
      [[drop('validation/validation-report.json'), validation('nothing')], {}, 'escalate B2'],
    ],
  },
  'debt-regressions-mended': {
    loop: 'debt',
    from: 'fixtures/spec/B6/session',
    steps: [
      [[entry('TDVAL-001', 'regression_found', { test: 'refund', detail: 'rounds twice' })], {}, 'retry B4'],
      [[validation(checks('failed', 1))], {}, 'retry B4'],
      [[validation(checks('passed', 0))], {}, 'pipeline_complete B3'],
    ],
  },
  'review-cap-raised': {
    loop: 'review',
    from: 'fixtures/spec/R4/session',
    steps: [
      [[put('task-analysis.json', { max_iterations: 2 })], {}, 'FIX R4'],
      [[review(6, 'REVISION_NEEDED', LOCK, LEAK), put('task-analysis.json', { max_iterations: 9 })], {}, 'ESCALATE R5'],
      [[], { maxRounds: 4 }, 'FIX R4'],
      [[review(8, 'CONVERGED', CARDS)], {}, 'FIX R6'],
      [[review(8.5, 'CONVERGED', LEAK)], {}, 'CONVERGE R1'],
    ],
  },
  'review-by-the-row-two-sprints': {
    loop: 'review',
    from: 'fixtures/spec/R1-row/session',
    steps: [
      [[drop('session-state.json')], {}, 'CONVERGE R1'],
      [
        [
          tasks({
            'REVIEW-002': {
              description: 'Review the second sprint.',
              role: 'reviewer',
              sprint_num: '2',
              deps: 'REVIEW-001',
              status: 'completed',
              gc_signal: 'REVISION_NEEDED',
              findings: '[HIGH] Orders are not locked (src/api/orders.ts:17)',
            },
          }),
        ],
        {},
        'FIX R4',
      ],
      [[tasks({ 'REVIEW-re-002-1': { status: 'completed', review_score: '7.5', gc_signal: 'REVISION_NEEDED' } })], {}, 'CONVERGE R3'],
    ],
  },
  'review-waiver-and-strict': {
    loop: 'review',
    from: 'fixtures/spec/R2/session',
    steps: [
      [[put('session-state.json', '{"iteration": tw')], {}, 'CONVERGE R2'],
      [[], { strict: true }, 'ESCALATE R2'],
      [[review(null, 'REVISION_NEEDED', LOCK, LEAK)], {}, 'FIX R4'],
    ],
  },
  // Recorded by a version that listed the findings of one source of each severity: what two of them said stands there twice.
  'review-told-twice': {
    loop: 'review',
    from: 'fixtures/spec/R2/session',
    steps: [
      [
        [review(4, 'REVISION_NEEDED', LOCK), tasks({ 'REVIEW-001': { findings: `[MEDIUM] ${LOCK[3]} (${LOCK[1]}:${LOCK[2]})` } })],
        {},
        'FIX R4',
      ],
    ],
  },
  'brainstorm-forced': {
    loop: 'brainstorm',
    from: 'fixtures/spec/C3/session',
    steps: [
      [[append('discoveries.ndjson', '{"ts": "2025-\n')], {}, 'REVISION C3'],
      [[critique(1, 'HIGH', 'A phone cannot run it'), tasks(challenged(1, 'CRITICAL:1 HIGH:0 MEDIUM:0 LOW:0'))], {}, 'REVISION C2'],
      [[critique(2, 'CRITICAL', 'The relay sees every note'), tasks(challenged(2, 'CRITICAL:1 HIGH:0 MEDIUM:0 LOW:0'))], {}, 'CONVERGE C1'],
      [[], { strict: true }, 'ESCALATE C1'],
    ],
  },
  'brainstorm-planned-revisions': {
    loop: 'brainstorm',
    from: 'fixtures/spec/C2-planned/session',
    steps: [
      [[], {}, 'REVISION C2'],
      [
        [put('critiques/CHALLENGE-rev-1.md', '# Critique\n\n- [MEDIUM] History grows without bound\n'), tasks(challenged(1, ''))],
        {},
        'CONVERGE C4',
      ],
    ],
  },
  'brainstorm-no-critique': {
    loop: 'brainstorm',
    from: 'fixtures/spec/C5/session',
    steps: [[[], {}, 'CONVERGE C5']],
  },
  'brainstorm-partly-read': {
    loop: 'brainstorm',
    from: 'fixtures/spec/C3/session',
    steps: [
      [[], { deadlineMs: 1000, startedAt: 0, looks: 3 }, 'REVISION E1'],
      [[], { deadlineMs: 1000, startedAt: 0, looks: 4 }, 'REVISION E1'],
      [[], {}, 'REVISION C3'],
    ],
  },
  'until-passes-at-last': {
    loop: 'until',
    from: 'fixtures/spec/U8/session',
    steps: [
      [[], {}, 'retry U8'],
      [[ended({ exit_status: null, signal: 'SIGKILL', timed_out: true }), tasks(checked(1))], {}, 'retry U8'],
      [[ended({ exit_status: 0 }), put('results/until-report.json', { findings: [KEY] }), tasks(checked(2))], {}, 'retry U6'],
      [[put('results/until-report.json', '{"findings": ['), tasks(checked(3))], {}, 'retry U7'],
      [[drop('results/until-report.json'), tasks(checked(4))], {}, 'pass U5'],
    ],
  },
  'until-to-the-cap': {
    loop: 'until',
    from: 'fixtures/spec/U8/session',
    steps: [
      [[], { maxRounds: 1 }, 'retry U8'],
      [[ended({ exit_status: null, signal: 'SIGSEGV' }), tasks(checked(1))], {}, 'escalate U9'],
    ],
  },
  'docs-review-example': {
    loop: parseLoop(fs.readFileSync(join(root, 'examples', 'docs-review', 'docs-review.yaml'), 'utf8'), 'docs-review.yaml'),
    from: 'examples/docs-review/session',
    steps: [
      [[], {}, 'REWRITE P8'],
      [[clarity('approved', 8, { severity: 'Critical', message: 'No warning before restore', file: 'a.md', line: 20 })], {}, 'REWRITE P8'],
      [[clarity('maybe', 8, { severity: 'Low', message: 'A typo', file: 'a.md', line: 2 })], {}, 'ACCEPT P9'],
      [[], { strict: true }, 'ASK P9'],
      [[clarity('approved', 9)], {}, 'PUBLISH P7'],
    ],
  },
};

/** The next file that is written beside its place (the new tasks.csv) meets a full disk; what follows does not. */
function fillDiskOnce() {
  const { openSync } = fs;
  fs.openSync = (path, ...rest) => {
    if (!String(path).includes('.umpire-tmp-')) return openSync(path, ...rest);
    fs.openSync = openSync;
    syncBuiltinESMExports();
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  };
  syncBuiltinESMExports();
}

/** Time stands still for so many looks at the clock, then it is late. */
function runLate(looks) {
  const uptime = process.uptime.bind(process);
  let left = looks;
  process.uptime = () => (left-- > 0 ? 0 : 1e6);
  return () => {
    process.uptime = uptime;
  };
}

async function record(name, { loop, from, steps }, into) {
  const work = fs.mkdtempSync(join(tmpdir(), 'umpire-golden-'));
  try {
    const session = join(work, name);
    fs.cpSync(join(root, from), session, { recursive: true });
    let open = [];
    for (const [index, [changes, { full, looks, ...asked }, expected]] of steps.entries()) {
      // The generator has done what the last verdict asked for.
      if (open.length > 0) tasks(Object.fromEntries(open.map(({ id }) => [id, { status: 'completed' }])))(session);
      for (const change of changes) change(session);
      if (full) fillDiskOnce();
      const onTime = looks === undefined ? () => {} : runLate(looks);
      const { verdict, repeated } = await decide({ loop, session, now: new Date(START + index * STEP_MS), ...asked });
      onTime();
      open = verdict.tasks;
      const came = `${verdict.decision} ${verdict.rule}${repeated ? ' (repeated)' : ''}`;
      if (came !== expected) throw new Error(`${name}, step ${index + 1}: ${came} came of it, not ${expected}. ${verdict.reason}`);
    }
    fs.rmSync(into, { recursive: true, force: true });
    fs.mkdirSync(into, { recursive: true });
    for (const part of ['journal.ndjson', 'blobs'].filter((one) => fs.existsSync(join(session, one))))
      fs.cpSync(join(session, part), join(into, part), { recursive: true });
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const unknown = [...names.filter((name) => !(name in SESSIONS)), ...words.filter((word) => word.startsWith('--') && word !== '--again')];
if (unknown.length > 0) {
  console.error(`Not known: ${unknown.join(', ')}. Sessions: ${Object.keys(SESSIONS).join(', ')}.`);
  process.exit(2);
}
for (const [name, session] of Object.entries(SESSIONS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const into = join(GOLDEN, name);
  if (fs.existsSync(into) && !words.includes('--again')) {
    console.error(`${name}: is there already, left as it is (--again records it anew)`);
    continue;
  }
  await record(name, session, into);
  console.error(`${name}: ${session.steps.length} steps recorded`);
}
