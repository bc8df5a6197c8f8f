// The findings of `umpire ci` in the forms that CI services show: annotations of GitHub Actions, a job summary, SARIF, GitLab's code quality
// report, plain lines. A runner reads commands from every line that begins with `::`: foreign text stands on one line, escaped.

import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import type { CheckOutcome, Severity } from '@umpire/core/model/vocabulary.js';
import { SARIF_LEVELS, sarifLog, sarifPlace, sarifSeverity } from './guard-page.js';
import { inline, lineOf } from './safe-text.js';
import { count } from './words.js';

export interface CiFinding {
  readonly check: 'guard' | 'review';
  readonly severity: Severity;
  readonly rule: string;
  /** From the top of the repository; null for a finding without a place. */
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
  readonly fingerprint: string;
}

export interface CiReport {
  readonly against: string;
  readonly guard: CheckOutcome;
  /** Null: it did not run. */
  readonly review: CheckOutcome | null;
  /** Why a check broke off or measured nothing. */
  readonly problems: readonly string[];
  readonly findings: readonly CiFinding[];
}

export type FailOn = Severity | 'never';

const MOST_MESSAGE_CHARS = 1000;

/** Worst first: services show only the first ones. */
export function sortFindings(findings: readonly CiFinding[]): readonly CiFinding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

export function failsJob({ severity }: CiFinding, failOn: FailOn): boolean {
  return failOn !== 'never' && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failOn);
}

const ANNOTATIONS: Readonly<Record<Severity, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'notice' };

export function githubAnnotations({ findings, problems }: CiReport): string {
  const lines = [
    ...findings.map(({ severity, rule, file, line, message, check }) => {
      const place = file === null ? [] : [`file=${property(file)}`, ...(line === null ? [] : [`line=${line}`])];
      return `::${ANNOTATIONS[severity]} ${[...place, `title=${property(`${check}: ${rule}`)}`].join(',')}::${commandProperty(message)}`;
    }),
    ...problems.map((problem) => `::warning title=umpire::${commandProperty(problem)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function commandProperty(text: string): string {
  return lineOf(text, MOST_MESSAGE_CHARS).replaceAll('%', '%25');
}

function property(text: string): string {
  return commandProperty(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** For people, also in a log that takes commands: no line begins with foreign text. */
export function ciPage(report: CiReport, failOn: FailOn): string {
  const lines = report.findings.map(({ severity, check, rule, message, ...place }) => {
    return `  ${severity.padEnd(8)} ${check} ${lineOf(rule, 80)} ${describePlace(place)}: ${lineOf(message, MOST_MESSAGE_CHARS)}`;
  });
  return [
    ...lines,
    ...report.problems.map((problem) => `  note     ${lineOf(problem, MOST_MESSAGE_CHARS)}`),
    ciSummary(report, failOn),
    '',
  ].join('\n');
}

export function ciSummary({ findings, against, guard, review }: CiReport, failOn: FailOn): string {
  const failing = findings.filter((finding) => failsJob(finding, failOn)).length;
  const fails = failOn === 'never' ? 'findings never fail' : `${failing} ${failOn === 'critical' ? 'critical' : `${failOn} or worse`}`;
  const checks = review === null ? `guard ${guard}` : `guard ${guard}, review ${review}`;
  return `umpire ci: ${count(findings.length, 'finding')} against ${lineOf(against, 80)} (${fails}); ${checks}.`;
}

function describePlace({ file, line }: Pick<CiFinding, 'file' | 'line'>): string {
  return file === null ? '-' : `${lineOf(file, 300)}${line === null ? '' : `:${line}`}`;
}

const MOST_ROWS = 50;

export function ciMarkdown(report: CiReport, failOn: FailOn): string {
  const { findings, problems } = report;
  const rows = findings.slice(0, MOST_ROWS).map(({ severity, check, rule, message, ...place }) => {
    return `| ${severity} | ${check} | ${inline(rule, 80)} | ${inline(describePlace(place))} | ${inline(message, 300)} |`;
  });
  const more = findings.length - rows.length;
  return [
    '## Umpire',
    '',
    inline(ciSummary(report, failOn)),
    '',
    ...(rows.length === 0 ? [] : ['| severity | check | rule | place | finding |', '|---|---|---|---|---|', ...rows, '']),
    ...(more > 0 ? [`and ${more} more`, ''] : []),
    ...problems.map((problem) => `- ${inline(problem, MOST_MESSAGE_CHARS)}`),
    '',
  ].join('\n');
}

/** One run for each check. */
export function ciSarif({ findings, guard, review }: CiReport, version: string): string {
  const runOf = (check: CiFinding['check'], outcome: CheckOutcome) => {
    const own = findings.filter((finding) => finding.check === check);
    return {
      tool: { driver: { name: `umpire ${check}`, version, rules: [...new Set(own.map(({ rule }) => rule))].map((id) => ({ id })) } },
      automationDetails: { id: `umpire/${check}` },
      columnKind: 'utf16CodeUnits',
      invocations: [{ executionSuccessful: outcome !== 'error' && outcome !== 'timeout' }],
      results: own.map(({ rule, severity, message, file, line, fingerprint }) => ({
        ruleId: rule,
        level: SARIF_LEVELS[severity],
        message: { text: lineOf(message, MOST_MESSAGE_CHARS) },
        ...(file === null ? {} : { locations: [sarifPlace(file, line)] }),
        partialFingerprints: { 'umpire/v1': fingerprint },
        properties: sarifSeverity(severity),
      })),
    };
  };
  return sarifLog([runOf('guard', guard), ...(review === null ? [] : [runOf('review', review)])]);
}

const QUALITY: Readonly<Record<Severity, string>> = { critical: 'blocker', high: 'critical', medium: 'major', low: 'info' };

/** GitLab shows only findings with a place. */
export function codeQuality({ findings }: CiReport): string {
  const entries = findings.flatMap(({ rule, check, severity, message, file, line, fingerprint }) =>
    file === null
      ? []
      : [
          {
            description: lineOf(message, MOST_MESSAGE_CHARS),
            check_name: `umpire ${check}: ${lineOf(rule, 80)}`,
            fingerprint: `${check}-${fingerprint}`,
            severity: QUALITY[severity],
            location: { path: file, lines: { begin: line ?? 1 } },
          },
        ],
  );
  return `${JSON.stringify(entries, null, 2)}\n`;
}
