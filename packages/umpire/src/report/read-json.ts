// Reports of tools as the object that scripts read.

import type { ToolReport } from '@umpire/core/model.js';
import type { PageReports } from './read-page.js';

/** One report is given as itself, several as a list. `isWhole` adds what scripts seldom want: each test, each file. */
export function readJson({ reports, outcome }: PageReports, isWhole = false): object {
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
