// The report of each loop and outcome follows its template: the headings in order, and every label under its heading with a value. The
// templates are written out here as literals.

import { describe, expect, it } from 'vitest';
import { decide, readFixture, withFixture } from './support/spec-fixture.js';

/** Heading → the labels of the template under it. A label is the text before the colon of a line. */
type Template = readonly (readonly [heading: string, labels: readonly string[]])[];

/** `{word}` is the word of the verdict: if a template has a line per verdict, only this one stays. */
const TEMPLATES: Readonly<Record<string, Template>> = {
  design: [
    ['## Summary', ['GC Decision', 'Audit Signal', 'Audit Score', 'Iteration']],
    ['## Audit Findings', []],
    ['### Critical', []],
    ['### High', []],
    ['### Medium/Low', []],
    ['## Decision Rationale', []],
    ['## Actions Taken', []],
    ['## Next Step', ['{word}']],
  ],
  testing: [
    ['## Summary', []],
    ['## Fixes Applied', []],
    ['## Coverage Update', ['Before', 'Pass Rate']],
    ['## Remaining Issues', []],
  ],
  debt: [
    ['## Summary', ['Validation result', 'Total regressions', 'GC round', 'Decision']],
    ['## Regression Details', ['Test failures', 'Type errors', 'Lint errors']],
    ['## Action Taken', ['Decision', 'New tasks created']],
    ['## Metrics', ['Debt score before', 'Debt score after', 'Improvement']],
  ],
  review: [
    ['## Summary', ['Decision', 'Review score', 'GC signal', 'Iteration']],
    ['## Review Analysis', ['Critical findings', 'High findings', 'Medium findings', 'Low findings']],
    ['## Decision', ['{word}']],
    ['## Iteration History', []],
    ['## Reasoning', []],
  ],
  brainstorm: [
    ['## Summary', ['GC Round', 'Decision']],
    ['## Severity Assessment', ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']],
    ['## Rationale', []],
    ['## Next Action', ['{word}']],
  ],
  until: [
    ['## Summary', ['Command', 'Decision', 'Exit status', 'Timed out', 'Failures it counted', 'Attempts']],
    ['## Output', []],
    ['## Findings', []],
    ['## Reasoning', []],
    ['## Next Step', ['{word}']],
  ],
};

/** Lines of a template that hold several fields at once. */
const LINES: Readonly<Record<string, readonly RegExp[]>> = {
  testing: [
    /^- GC Loop Round \d+ for L\d: coverage \S+ -> \S+ \(delta: \S+\)$/m,
    /^- Before: [^,\s]+, After: [^,\s]+, Target: [^,\s]+$/m,
    /^- Pass Rate: \S+ -> \S+$/m,
  ],
  review: [/^- Iteration \d+: score=[^,\s]+, signal=[^,\s]+, findings=\S/m],
};

/** One fixture per loop and outcome, with text that its report must contain. */
const CASES: readonly (readonly [fixture: string, word: string, says: readonly RegExp[]])[] = [
  [
    'D5',
    'CONVERGE',
    [/^- GC Decision: CONVERGE$/m, /^- Audit Signal: audit_passed$/m, /^- Audit Score: 8\.2\/10$/m, /^- Iteration: 1 \/ 3$/m, /BUILD/],
  ],
  ['D6', 'CONVERGE', [/^- Audit Signal: audit_result$/m, /button-spec\.md:112/]],
  ['D7', 'REVISION', [/^- Audit Signal: fix_required$/m, /color\.json:48/, /DESIGN-fix-001/, /AUDIT-re-001/]],
  ['D8', 'ESCALATE', [/^- Iteration: 3 \/ 3$/m, /color\.json:48/, /button-spec\.md:112/, /force-approve/, /manual-fix/, /abort/]],
  ['D9', 'ESCALATE', [/tasks\.csv/]],
  ['T2', 'CONVERGE', [/^- GC Loop Round \d+ for L1: coverage .*86\.2%/m, /Target: 80%/]],
  [
    'T3',
    'RETRY',
    [/^- GC Loop Round \d+ for L1: coverage /m, /delta: /, /After: 71\.4%, Target: 80%/, /^- Issue 1: \S/m, /^- Issue 2: \S/m],
  ],
  ['T4', 'ACCEPT', [/After: 71\.4%, Target: 80%/, /unverified/i]],
  ['T5', 'CONVERGE', [/unverified/i]],
  [
    'B3',
    'pipeline_complete',
    [
      /^- GC round: 0 \/ 3$/m,
      /^- Debt score before: 62$/m,
      /^- Debt score after: 41$/m,
      /^- Improvement: .*%/m,
      /^- New tasks created: none$/m,
    ],
  ],
  [
    'B4',
    'retry',
    [
      /^- Total regressions: 3$/m,
      /^- Test failures: 2\b/m,
      /^- Type errors: 1\b/m,
      /^- New tasks created: .*TDFIX-fix-1.*TDVAL-recheck-1/m,
    ],
  ],
  ['B5', 'accept', [/^- GC round: 3 \/ 3$/m, /unverified/i]],
  ['B2', 'retry', [/^- Debt score before: none$/m, /^- Debt score after: none$/m]],
  [
    'R1',
    'CONVERGE',
    [
      /^- Review score: 8\.5\/10$/m,
      /^- GC signal: CONVERGED$/m,
      /^- Iteration: 1 \/ 3$/m,
      /^- Iteration 1: score=8\.5, signal=CONVERGED, findings=\S/m,
    ],
  ],
  ['R2', 'CONVERGE', [/unverified/i]],
  ['R4', 'FIX', [/FIX-1-1: targeting \S/, /FIX-1-2: targeting \S/, /^- High findings: 3\b/m]],
  ['R5', 'ESCALATE', [/Unresolved: \S/, /^- Iteration 3: score=5, signal=REVISION_NEEDED, findings=\S/m]],
  ['C4', 'CONVERGE', [/^- GC Round: 0 \/ 2$/m, /^- MEDIUM: 2$/m, /^- LOW: 1$/m]],
  ['C2', 'REVISION', [/^- CRITICAL: 1$/m, /^- HIGH: 2$/m]],
  ['C1', 'CONVERGE', [/^- GC Round: 2 \/ 2$/m, /unverified/i]],
  ['U5', 'pass', [/^- Command: npm test$/m, /^- Exit status: 0$/m, /^- Timed out: no$/m, /^- Attempts: 0 \/ 5$/m]],
  ['U3', 'retry', [/^- Exit status: none$/m, /^- Timed out: yes$/m, /^- FAIL test\/cart\.test\.ts > adds up$/m]],
  ['U6', 'retry', [/src\/users\.ts:31/, /WORK-1/, /CHECK-re-1/]],
  ['U9', 'escalate', [/^- Attempts: 5 \/ 5$/m, /force-approve/, /manual-fix/, /extend/, /abort/]],
];

/** The report cut at its headings. */
function sectionsOf(report: string): readonly (readonly [string, readonly string[]])[] {
  const sections: [string, string[]][] = [];
  for (const line of report.split('\n')) {
    if (/^#{1,6}\s/.test(line)) sections.push([line.trim(), []]);
    else if (line.trim() !== '') sections.at(-1)?.[1].push(line);
  }
  return sections;
}

/** Lines with an empty field: a bullet or label without text, or a gap in a sentence. */
function holesIn(report: string): readonly string[] {
  const lines = report.split('\n');
  return lines.filter((line, index) => {
    if (/^\s*-\s*$|\{\w+\}|\bundefined\b|\bNaN\b/.test(line)) return true;
    // A label may end in a colon only if its list follows.
    return /:\s*$/.test(line) && !/^\s*(?:-|\d+\.)\s/.test(lines[index + 1] ?? '');
  });
}

describe('reports', () => {
  it('have a template for every loop', () => {
    const judged = new Set(CASES.map(([name]) => readFixture(name).loop));
    expect([...judged].sort()).toEqual(Object.keys(TEMPLATES).sort());
  });

  it.each(CASES)('%s: the report follows its template', async (name, word, says) => {
    const fixture = readFixture(name);
    const step = fixture.steps[0];
    const ran = await withFixture(fixture, (folder) => decide(folder, fixture.loop, step?.args ?? []));
    expect(ran.exit, ran.stderr).toBe(step?.exit);

    const template = TEMPLATES[fixture.loop] ?? [];
    const sections = sectionsOf(ran.stdout);
    expect(sections.map(([heading]) => heading)).toEqual(template.map(([heading]) => heading));
    sections.forEach(([heading, lines], index) => {
      const holdsSections = sections[index + 1]?.[0].startsWith('### ') === true && heading.startsWith('## ');
      if (!holdsSections) expect(lines.length, `${heading} must not be empty`).toBeGreaterThan(0);
      for (const label of template[index]?.[1] ?? []) {
        const text = label.replace('{word}', word);
        const line = lines.find((candidate) => candidate.startsWith(`- ${text}: `));
        expect(line?.slice(text.length + 4).trim() ?? '', `"- ${text}: …" under ${heading}, which holds:\n${lines.join('\n')}\n`).toMatch(
          /\S/,
        );
      }
    });
    for (const pattern of [...(LINES[fixture.loop] ?? []), ...says]) expect(ran.stdout).toMatch(pattern);
    expect(holesIn(ran.stdout)).toEqual([]);
  });
});
