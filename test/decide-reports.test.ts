// What the reports and tasks of `umpire decide` name: scores, checks that did not run, findings with their places.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide, session } from './support/command.js';
import { cleanUpAfterwards } from './support/git-project.js';

cleanUpAfterwards();

describe('A15: a low dimension is named with score and threshold', () => {
  const LOW = 'Accessibility (5/10, threshold 6)';

  it('in the reason, the anomaly and the tasks', async () => {
    const folder = session('fixtures/spec/D4/session');
    const { json } = await decide('design', folder, '--json');
    expect(json['reason']).toContain(`Dimensions below their threshold: ${LOW}.`);
    expect(json['anomalies']).toMatchObject([{ rule: 'D4', message: expect.stringContaining(LOW) }]);
    expect((json['tasks'] as { description: string }[])[0]?.description).toContain(LOW);
    expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toContain(LOW);
  });

  it('in the task of an audit without findings, beside the lowest', async () => {
    const folder = session('fixtures/spec/D4/session');
    const report = join(folder, 'artifacts/audit/AUDIT-001.md');
    const text = readFileSync(report, 'utf8')
      .replace(/^- Token .*$/m, '- None')
      .replace('| Quality | 7 | 6 |', '| Quality | 7 | 8 |');
    writeFileSync(report, text);
    const { json } = await decide('design', folder, '--json');
    expect((json['tasks'] as { description: string }[])[0]?.description).toContain(`${LOW}, Quality (7/10, threshold 8)`);
  });

  it.each(['D4', 'D5', 'D8'])('%s: the report has the table of dimension scores', async (row) => {
    const { out } = await decide('design', session(`fixtures/spec/${row}/session`));
    expect(out).toMatch(/\n\n\| Dimension \| Score \| Threshold \|\n\| --- \| --- \| --- \|\n\| Consistency \| \d\/10 \| 6 \|\n/);
  });
});

it('S3: max_iterations of session-state.json is the cap, unless task-analysis.json says another', async () => {
  const folder = session('fixtures/spec/R4/session');
  const state = join(folder, 'session-state.json');
  const known = JSON.parse(readFileSync(state, 'utf8')) as object;
  writeFileSync(state, JSON.stringify({ ...known, max_iterations: 7 }));
  rmSync(join(folder, 'task-analysis.json'), { force: true });
  expect((await decide('review', folder, '--dry-run', '--json')).json['maxRounds']).toBe(7);
  writeFileSync(join(folder, 'task-analysis.json'), '{"max_iterations": 5}');
  expect((await decide('review', folder, '--json')).json['maxRounds']).toBe(5);
});

describe('checks that did not run', () => {
  const missing = () => {
    const folder = session('fixtures/spec/B3/session');
    const path = join(folder, 'validation/validation-report.json');
    const report = JSON.parse(readFileSync(path, 'utf8')) as { checks: Record<string, unknown> };
    report.checks = { ...report.checks, types: { status: 'missing' }, lint: { status: 'missing' } };
    writeFileSync(path, JSON.stringify(report));
    return folder;
  };

  it('are named on the page as in the reason', async () => {
    const { out } = await decide('debt', missing());
    expect(out).toContain('2 checks did not run: types, lint.');
    expect(out).toContain('- Checks that did not run: types, lint\n');
  });

  it('an empty list says of what there is none', async () => {
    for (const [loop, row] of [
      ['debt', 'B3'],
      ['debt', 'B4'],
      ['review', 'R4'],
      ['testing', 'T3'],
    ] as const) {
      const flags = loop === 'testing' ? ['--layer', 'L1'] : [];
      expect((await decide(loop, session(`fixtures/spec/${row}/session`), ...flags)).out).not.toMatch(/^- none$/m);
    }
  });
});
