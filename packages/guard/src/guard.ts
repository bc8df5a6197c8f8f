// Reads a change and reports what makes its tests weaker. Each rule looks at the change by itself.

import type { GuardInput } from './change.js';
import { Evidence, isUnread } from './evidence.js';
import { findingOf } from './findings/finding.js';
import type { GuardFinding } from './findings/finding.js';
import { PRECEDENCE, RULES } from './rules/all.js';
import { isForeignCode } from './syntax/nodes.js';

export interface GuardProblem {
  readonly file: string;
  readonly message: string;
}

export interface GuardReport {
  readonly findings: readonly GuardFinding[];
  /** Files that could not be read as code. */
  readonly problems: readonly GuardProblem[];
  /** Files in languages that the guard does not read. */
  readonly unread: readonly string[];
}

export function guardChange(input: GuardInput): GuardReport {
  const evidence = new Evidence(input);
  const isTesting = input.scope === 'testing';
  const seen = new Set<string>();
  const all = RULES.flatMap((rule) =>
    rule.find(evidence).map((sighting) => {
      // Where only tests may change, nothing explains a finding.
      const level = isTesting ? 'breach' : rule.isSuspicion === true ? 'note' : (sighting.level ?? 'breach');
      return findingOf(rule, { ...sighting, level });
    }),
  ).filter((finding) => {
    const key = `${finding.rule} ${finding.file} ${finding.test ?? ''} ${finding.before?.from ?? ''} ${finding.after?.from ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const findings = all
    .filter((finding) => !isSilenced(finding, all))
    .toSorted((left: GuardFinding, right: GuardFinding): number =>
      left.file < right.file
        ? -1
        : left.file > right.file
          ? 1
          : left.line - right.line || (left.rule < right.rule ? -1 : left.rule > right.rule ? 1 : 0),
    );
  const { files } = evidence;
  return {
    findings,
    problems: files.flatMap((file) => {
      const fault = file.after?.source.problem ?? null;
      return fault === null || (!isUnread(file) && file.role === 'source')
        ? []
        : [{ file: file.change.path, message: `Not readable as code: ${fault}` }];
    }),
    unread: input.change.files.map(({ path }) => path).filter(isForeignCode),
  };
}

function isSilenced({ rule, file, test }: GuardFinding, all: readonly GuardFinding[]): boolean {
  return (
    test !== undefined && all.some((other) => other.test === test && other.file === file && PRECEDENCE[other.rule]?.includes(rule) === true)
  );
}
