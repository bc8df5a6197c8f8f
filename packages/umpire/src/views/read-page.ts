// `umpire read` for a terminal of 80 columns: the outcome of each report, its failures and findings, and problems. Also as JSON.

import type { CheckOutcome, Finding, ReportProblem, TestCounts, TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import { paint } from './colors.js';
import type { Color } from './colors.js';
import { clip, lineOf, wrap } from './safe-text.js';
import { count } from './words.js';

export interface PageReport extends ToolReport {
  readonly path: string;
}

export interface PageReports {
  readonly reports: readonly PageReport[];
  readonly outcome: CheckOutcome;
}

const MAX_LISTED = 20;
const MAX_PROBLEMS = 10;
const LABEL = 'Coverage'.length + 2;
const WIDTH = 80;
const COLORS: Readonly<Record<CheckOutcome, Color>> = {
  pass: 'green',
  fail: 'red',
  error: 'magenta',
  timeout: 'magenta',
  missing: 'magenta',
};

export function readPage({ reports, outcome }: PageReports, color: boolean): string {
  const pages = reports.map((report) => reportLines(report, color).join('\n'));
  const sum =
    reports.length > 1 ? [`${count(reports.length, 'report')}: ${tallies(reports)}. Together: ${painted(outcome, outcome, color)}`] : [];
  return `${[...pages, ...sum].join('\n\n')}\n`;
}

function reportLines(report: PageReport, color: boolean): readonly string[] {
  const { path, outcome, format, tests, coverage, results = [], findings, problems } = report;
  const name = path === '-' ? 'stdin' : lineOf(path);
  const bad = results.filter(({ status }) => status === 'failed' || status === 'errored');
  const kinds = ['lines', 'branches', 'statements', 'functions'] as const;
  return [
    `${painted(outcome, outcome.padEnd(LABEL), color)}${name}${format === 'unknown' ? '' : ` (${format})`}`,
    ...labelled('Tests', tests === undefined ? '' : describeTests(tests)),
    ...labelled(
      'Coverage',
      coverage === undefined
        ? ''
        : kinds
            .flatMap((kind) => {
              const share = coverage[kind];
              return share === undefined ? [] : [`${kind} ${share.pct}% (${share.covered} of ${share.total})`];
            })
            .join(', '),
    ),
    ...labelled('Findings', report.counts === undefined ? '' : findingWords(report)),
    ...drawEntries(
      'Failed',
      bad.map(({ id, status, file, line, message }: TestResult): readonly string[] => {
        const place = file === null ? '' : `${lineOf(file)}${line === null ? '' : `:${line}`}`;
        const said = [place, message === null ? '' : lineOf(message)].filter((part) => part !== '').join('  ');
        return [
          clip(`  ${status === 'errored' ? 'errored: ' : ''}${lineOf(id)}`, WIDTH),
          ...(said === '' ? [] : [clip(`    ${said}`, WIDTH)]),
        ];
      }),
      {
        all: (tests?.failed ?? 0) + (tests?.errored ?? 0),
        most: MAX_LISTED,
        flags: '--json --all',
      },
    ),
    ...drawEntries(
      'Found',
      findings.map(({ severity, artifact, line, message, rule }: Finding): readonly string[] => {
        const place = artifact === null ? '' : `${lineOf(artifact)}${line === null ? '' : `:${line}`}`;
        const head = [severity.padEnd('critical'.length), place, rule === undefined ? '' : lineOf(rule)]
          .filter((part) => part !== '')
          .join('  ');
        return [clip(`  ${head}`, WIDTH), clip(`    ${lineOf(message)}`, WIDTH)];
      }),
      { all: countReportFindings(report), most: MAX_LISTED, flags: '--json' },
    ),
    ...drawEntries(
      'Problems',
      problems.map(({ message, line, byte }: ReportProblem): readonly string[] => {
        const where = [...(line === undefined ? [] : [`line ${line}`]), ...(byte === undefined ? [] : [`byte ${byte}`])].join(', ');
        return wrap(`${where === '' ? '' : `${where}: `}${lineOf(message)}`, '    ', '  ');
      }),
      { all: problems.length, most: MAX_PROBLEMS, flags: '--json' },
    ),
  ];
}

function painted(outcome: CheckOutcome, text: string, color: boolean): string {
  return paint(COLORS[outcome], text, color);
}

function tallies(reports: readonly ToolReport[]): string {
  const words: readonly CheckOutcome[] = ['error', 'missing', 'timeout', 'fail', 'pass'];
  const counts = words.map((word) => ({ word, number: reports.filter(({ outcome }) => outcome === word).length }));
  return counts
    .filter(({ number }) => number > 0)
    .map(({ word, number }) => `${number} ${word}`)
    .join(', ');
}

function labelled(label: string, text: string): readonly string[] {
  return text === '' ? [] : wrap(text, ' '.repeat(LABEL), label.padEnd(LABEL));
}

function describeTests({ total, passed, failed, errored, skipped }: TestCounts): string {
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(errored > 0 ? [`${errored} errored`] : []),
    `${passed} passed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return total === 0 ? 'none' : `${total}: ${parts.join(', ')}`;
}

function findingWords({ counts }: PageReport): string {
  const { critical = 0, high = 0, medium = 0, low = 0 } = counts ?? {};
  const parts = [
    ...(critical > 0 ? [`${critical} critical`] : []),
    ...(high > 0 ? [`${high} high`] : []),
    ...(medium > 0 ? [`${medium} medium`] : []),
    ...(low > 0 ? [`${low} low`] : []),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function countReportFindings({ counts, findings }: PageReport): number {
  return counts === undefined ? findings.length : counts.critical + counts.high + counts.medium + counts.low;
}

interface Bounds {
  readonly all: number;
  readonly most: number;
  /** The flags that list all of them. */
  readonly flags: string;
}

function drawEntries(title: string, entries: readonly (readonly string[])[], { all, most, flags }: Bounds): readonly string[] {
  if (entries.length === 0) return [];
  const shown = entries.slice(0, most);
  const left = Math.max(all, entries.length) - shown.length;
  return ['', title, ...shown.flat(), ...(left > 0 ? [`  and ${left} more; ${flags} lists them`] : [])];
}

/** One report as an object, several as a list. `isWhole` adds each test and each file. */
export function reportsJson({ reports, outcome }: PageReports, isWhole = false): object {
  const [only, another] = reports;
  const one = (report: ToolReport) => (isWhole ? report : brief(report));
  return only !== undefined && another === undefined ? one(only) : { reports: reports.map(one), outcome };
}

function brief({ format, outcome, tests, coverage, findings, problems }: ToolReport): object {
  return {
    format,
    outcome,
    ...(tests === undefined ? {} : { tests }),
    ...(coverage === undefined ? {} : { coverage }),
    findings,
    problems,
  };
}
