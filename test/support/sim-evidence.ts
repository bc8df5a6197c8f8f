// The evidence of simulated critics, for every built-in loop: honest approval and findings, lies, garbage or nothing.

import type { Discovery } from '@umpire/core/model/vocabulary.js';
import type { Assignment } from '@umpire/core/model/ports.js';
import type { SeededRandom } from './sim-random.js';
import type { World } from './sim-world.js';

/** The kind of evidence a critic leaves. */
export type Mood =
  | 'praise'
  | 'complaint'
  /** A Critical finding together with an approval. */
  | 'lie'
  /** Signals and numbers that contradict each other or are invalid. */
  | 'muddle'
  | 'garbage'
  | 'empty'
  /** The evidence stays unchanged. */
  | 'silence';

type Cells = Readonly<Record<string, string>>;

export interface Left {
  readonly files: Readonly<Record<string, string>>;
  readonly entries: readonly Discovery[];
  readonly outputs: Cells;
  readonly findings: string;
}

interface Said {
  readonly mood: Exclude<Mood, 'garbage' | 'empty' | 'silence'>;
  readonly id: string;
  readonly task: Assignment['task'];
  readonly chance: SeededRandom;
  readonly world: World;
}

export const NOTHING: Left = { files: {}, entries: [], outputs: {}, findings: '' };

const GARBAGE = ['{"review_score": 9, "gc_sig', 'null', '[]', '\u0000\u0001', '# Audit\n\n', '{}', 'CRITICAL:\n', '"ok"', '{"a":'];

export function leave(loop: string, mood: Mood, assignment: Assignment, chance: SeededRandom, world: World): Left {
  if (mood === 'silence') return NOTHING;
  const say = SAYINGS[loop];
  if (say === undefined) throw new Error(`There is no critic for ${loop}.`);
  const { task } = assignment;
  if (mood === 'garbage' || mood === 'empty') {
    const { files } = say({ mood: 'praise', id: task.id, task, chance, world });
    const text = () => (mood === 'empty' ? chance.pick(['', ' \n']) : chance.pick(GARBAGE));
    const outputs =
      mood === 'empty' ? {} : Object.fromEntries(assignment.outputs.map((name) => [name, chance.pick(['', 'x', '\uFFFD', '-1', 'NaN'])]));
    return { files: Object.fromEntries(Object.keys(files).map((path) => [path, text()])), entries: [], outputs, findings: '' };
  }
  return say({ mood, id: task.id, task, chance, world });
}

const json = (value: unknown) => JSON.stringify(value);

/** High findings in a few files. */
function complaints(chance: SeededRandom, severity: string) {
  return Array.from({ length: chance.within(1, 3) }, (_, n) => ({
    severity,
    file: `src/${chance.pick(['a', 'b', 'c'])}.ts`,
    line: n + 1,
    message: `Case ${chance.below(50)} fails`,
  }));
}

const review = ({ mood, chance }: Said): Left => {
  const say = (gc_signal: unknown, review_score: unknown, findings: unknown): Left => ({
    files: { 'artifacts/review-results.json': json({ gc_signal, review_score, findings }) },
    entries: [],
    outputs: { gc_signal: String(gc_signal), review_score: String(review_score) },
    findings: 'Reviewed.',
  });
  switch (mood) {
    case 'praise':
      return say('CONVERGED', chance.within(5, 10), []);
    case 'complaint':
      return say('REVISION_NEEDED', chance.within(1, 6), chance.hits(0.9) ? complaints(chance, 'High') : []);
    case 'lie':
      return say('CONVERGED', 10, complaints(chance, 'Critical'));
    case 'muddle':
      return say(
        chance.pick([null, 'PERHAPS', 'REVISION_NEEDED']),
        chance.pick([null, 9, 'good', 400]),
        chance.pick([[], null, 'none', complaints(chance, 'awful')]),
      );
  }
};

const design = ({ mood, id, chance }: Said): Left => {
  const path = `artifacts/audit/${id}.md`;
  const say = (signal: string, score: string, page: string, names = path): Left => ({
    files: { [path]: `# Audit\n\n${page}\n` },
    entries: [],
    outputs: { audit_signal: signal, audit_score: score, artifacts_produced: names },
    findings: 'Audited.',
  });
  const finding = () => `- Contrast is 2.${chance.below(9)}:1 (tokens.json:${chance.within(1, 90)})`;
  switch (mood) {
    case 'praise':
      return chance.hits(0.8)
        ? say('audit_passed', '9', '## Findings\n\nNone')
        : say('audit_result', '7', `## Findings\n\n### Low\n${finding()}`);
    case 'complaint':
      return say(
        'fix_required',
        '5',
        chance.hits(0.8) ? `## Findings\n\n### High\n${finding()}\n${finding()}` : '| Dimension | Score |\n|---|---|\n| tokens | 3 |',
      );
    case 'lie':
      return say('audit_passed', '10', `## Findings\n\n### Critical\n${finding()}`);
    case 'muddle':
      return say(
        chance.pick(['', 'perhaps', 'audit_passed']),
        'x',
        '| Dimension | Score |\n|---|---|\n| tokens | 2 |',
        chance.pick([path, 'nowhere.md', '']),
      );
  }
};

const testing = ({ mood, task, chance, world }: Said): Left => {
  const layer = String(task['layer'] ?? 'L1') || '1';
  const failures = (names: number) =>
    Array.from({ length: names }, () => ({ name: `test ${chance.below(6)}`, file: 'a.test.ts', message: 'expected 1 to be 2' }));
  const say = (run: Readonly<Record<string, unknown>>): Left => {
    const fixes = chance.hits(0.3)
      ? [
          {
            ts: stamp(world),
            worker: `gc-loop-${layer}-R${chance.below(3)}`,
            type: 'fix_applied',
            data: { test_file: 'a.test.ts', fix_type: 'null guard', description: 'x' },
          },
        ]
      : [];
    return {
      files: {
        [`results/run-${layer}.json`]: json({ layer, ...run }),
        ...(chance.hits(0.3) ? { [`results/output-${layer}.txt`]: 'ok 1\nnot ok 2\n' } : {}),
      },
      entries: fixes,
      outputs: { pass_rate: String(run['pass_rate']), coverage_achieved: String(run['coverage']) },
      findings: 'Ran.',
    };
  };
  switch (mood) {
    case 'praise':
      return say({ pass_rate: 1, coverage: chance.pick([85, 92, null]), total: 20, passed: 20, failed: 0, failures: [] });
    case 'complaint': {
      const failed = chance.within(1, 4);
      return say({
        pass_rate: (20 - failed) / 20,
        coverage: chance.within(40, 79),
        total: 20,
        passed: 20 - failed,
        failed,
        failures: failures(failed),
      });
    }
    case 'lie':
      return say({ pass_rate: 1, coverage: 95, total: 20, passed: 12, failed: 8, failures: failures(3) });
    case 'muddle':
      return say({
        pass_rate: chance.pick([null, 97, -1, 'all']),
        coverage: chance.pick([null, 500, 'x']),
        total: chance.pick([0, 20, null]),
        passed: 3,
      });
  }
};

const debt = ({ mood, chance, world }: Said): Left => {
  const path = chance.hits(0.7) ? 'validation/validation-report.json' : 'validation-report.json';
  const say = (passed: unknown, total_regressions: unknown, checks: unknown): Left => ({
    files: { [path]: json({ passed, total_regressions, checks, debt_score_before: 60, debt_score_after: 40 }) },
    entries: chance.hits(0.3) ? [{ ts: stamp(world), worker: 'executor', type: 'regression_found', data: { description: 'slow' } }] : [],
    outputs: { debt_items_count: '3' },
    findings: 'Validated.',
  });
  switch (mood) {
    case 'praise':
      return say(true, 0, { tests: { status: 'passed' }, types: { status: 'passed' } });
    case 'complaint':
      return say(false, chance.within(1, 4), { tests: { status: 'failed', errors: 2 } });
    case 'lie':
      return say(true, 0, { tests: { status: 'failed', errors: 1 } });
    case 'muddle':
      return say(chance.pick([null, 'yes', true]), chance.pick([null, 'few', 3]), null);
  }
};

const brainstorm = ({ mood, id, task, chance, world }: Said): Left => {
  const entry = (severity: string): Discovery => {
    const round = chance.hits(0.5) ? { gc_round: Number(task['gc_round'] ?? 0) } : {};
    return { ts: stamp(world), worker: id, type: 'critique', data: { severity, description: `Challenge ${chance.below(20)}`, ...round } };
  };
  const say = (severity_summary: string, severities: readonly string[]): Left => ({
    files: chance.hits(0.3) ? { [`critiques/critique-${id}.md`]: severities.map((word) => `- [${word}] It costs\n`).join('') } : {},
    entries: chance.hits(0.7) ? severities.map(entry) : [],
    outputs: { gc_signal: 'x', severity_summary: chance.hits(0.8) ? severity_summary : '' },
    findings: 'Challenged.',
  });
  switch (mood) {
    case 'praise':
      return say('CRITICAL:0 HIGH:0 MEDIUM:1 LOW:2', ['MEDIUM', 'LOW', 'LOW']);
    case 'complaint':
      return say('CRITICAL:0 HIGH:2 MEDIUM:0 LOW:0', ['HIGH', 'HIGH']);
    case 'lie':
      return say('CRITICAL:0 HIGH:0 MEDIUM:0 LOW:0', ['CRITICAL']);
    case 'muddle':
      return say(chance.pick(['many', 'CRITICAL:x', 'CRITICAL:1']), [chance.pick(['ugly', '', 'CRITICAL'])]);
  }
};

const SAYINGS: Readonly<Record<string, (said: Said) => Left>> = { review, design, testing, debt, brainstorm };

function stamp(world: World): string {
  return new Date(world.nowMs).toISOString();
}
