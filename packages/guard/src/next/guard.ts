// Reads a change and reports what makes its tests weaker. Each rule looks at the change by itself.

import type { GuardInput } from '../change.js';
import { Evidence, isUnread } from './evidence.js';
import { PRECEDENCE, RULES } from './rules/all.js';
import type { Level, Rule, RuleGroup, Severity, Sighting, Span } from './rules/rule.js';

export interface GuardFinding {
  readonly rule: string;
  readonly level: Level;
  readonly group: RuleGroup;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly honest: string;
  readonly before: Span | null;
  readonly after: Span | null;
  readonly test?: string;
  readonly fingerprint: string;
}

export interface GuardProblem {
  readonly file: string;
  readonly message: string;
}

export interface GuardReport {
  readonly findings: readonly GuardFinding[];
  /** Files that could not be read as code. */
  readonly problems: readonly GuardProblem[];
}

export function guard(input: GuardInput): GuardReport {
  const evidence = new Evidence(input);
  const isTesting = input.scope === 'testing';
  const seen = new Set<string>();
  const all = RULES.flatMap((rule) =>
    rule
      .find(evidence)
      .map((sighting) => findingOf(rule, isTesting && rule.isBreachInTesting === true ? { ...sighting, level: 'breach' } : sighting)),
  ).filter((finding) => {
    const key = `${finding.rule} ${finding.file} ${finding.test ?? ''} ${finding.before?.from ?? ''} ${finding.after?.from ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const findings = all.filter((finding) => !isSilenced(finding, all)).toSorted(byPlace);
  return { findings, problems: problemsOf(evidence) };
}

function isSilenced({ rule, file, test }: GuardFinding, all: readonly GuardFinding[]): boolean {
  return (
    test !== undefined &&
    all.some(
      (other) => other.test === test && other.file === file && PRECEDENCE[other.rule]?.includes(rule) === true && other.level === 'breach',
    )
  );
}

function byPlace(left: GuardFinding, right: GuardFinding): number {
  return left.file < right.file
    ? -1
    : left.file > right.file
      ? 1
      : left.line - right.line || (left.rule < right.rule ? -1 : left.rule > right.rule ? 1 : 0);
}

function problemsOf({ files }: Evidence): readonly GuardProblem[] {
  return files.flatMap((file) => {
    const fault = file.after?.source.problem ?? null;
    return fault === null || (!isUnread(file) && file.role === 'source')
      ? []
      : [{ file: file.change.path, message: `Not readable as code: ${fault}` }];
  });
}

function findingOf(
  { name, group, severity, message, honest }: Rule,
  { file, level, before = null, after = null, test, why }: Sighting,
): GuardFinding {
  const said = why === undefined || why === '' ? message : `${message.slice(0, -1)}: ${why}.`;
  const title = test?.join(' > ');
  const fingerprint = digest([name, file, title ?? '', squeezed(before?.text), squeezed(after?.text)].join('\0'));
  return {
    rule: name,
    level,
    group,
    severity,
    file,
    line: after?.line ?? before?.line ?? 1,
    message: said,
    honest,
    before,
    after,
    ...(title === undefined ? {} : { test: title }),
    fingerprint,
  };
}

function squeezed(text: string | undefined): string {
  return text === undefined ? '' : text.replace(/\s+/g, ' ').slice(0, 500);
}

/** A short name for a text: FNV-1a twice over, 16 hex digits. Not for secrets. */
function digest(text: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193) >>> 0;
    second = Math.imul(second ^ (code + index), 0x85ebca6b) >>> 0;
  }
  return first.toString(16).padStart(8, '0') + second.toString(16).padStart(8, '0');
}
