// What is lost in one test, as one finding: a person reads a line a test, however many checks it had.

import type { GuardFinding } from './finding.js';

/** What stands in a test, not what keeps it from running. */
function isAboutChecks({ group, rule }: GuardFinding): boolean {
  return group === 'assertions' || group === 'expectations' || /^(?:test-emptied|case-removed|early-return|unit-mocked)$/.test(rule);
}

export function foldByTest(findings: readonly GuardFinding[]): readonly GuardFinding[] {
  const byTest = new Map<string, GuardFinding[]>();
  for (const finding of findings) {
    const { level, file, test, fingerprint } = finding;
    const key = test !== undefined && isAboutChecks(finding) ? `${level} ${file} ${test}` : fingerprint;
    byTest.set(key, [...(byTest.get(key) ?? []), finding]);
  }
  return [...byTest.values()].flatMap((all) => {
    // A rewritten value says least.
    const first = all.find(({ rule }) => rule !== 'rebaselined') ?? all[0];
    if (first === undefined || all.length === 1) return all;
    const counts = new Map<string, number>();
    for (const one of all) if (one !== first) counts.set(one.rule, (counts.get(one.rule) ?? 0) + 1);
    const more = [...counts].map(([rule, count]) => `${count} ${rule}`).join(', ');
    return [{ ...first, message: `${first.message} More in this test: ${more}.` }];
  });
}
