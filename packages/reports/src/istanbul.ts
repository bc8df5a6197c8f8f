// Istanbul's coverage-final.json and coverage-summary.json. Jest and Vitest embed the first in their own reports.

import { COVERAGE_KINDS, CoverageSums, LineCoverage, shareOf } from './coverage.js';
import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { Coverage, Share } from '@umpire/core/model/vocabulary.js';

export function addFileCoverage(report: ReportBuilder, key: string, value: unknown, root: string | undefined): void {
  // Some tools wrap each file once more: `{"data": {…}}`.
  const data = isObject(value) && isObject(own(value, 'data')) ? objectIn(value, 'data') : value;
  const path = toProjectPath(textIn(data, 'path') || key, root);
  const name = (path ?? key).slice(0, 200);
  if (!isObject(data)) return report.drop(`the coverage of "${name}" is ${nameOf(data)}; expected an object`);
  const [statements, functions, branches] = [own(data, 's'), own(data, 'f'), own(data, 'b')];
  if (!isObject(statements) && !isObject(functions) && !isObject(branches))
    return report.drop(`the coverage of "${name}" has no counts; expected "s", "f" and "b"`);
  const lines = new LineCoverage();
  const isRead = [
    isObject(statements) ? addStatements(lines, statements, objectIn(data, 'statementMap')) : true,
    isObject(functions) ? addFunctions(lines, functions, objectIn(data, 'fnMap')) : true,
    isObject(branches) ? addBranches(lines, branches, objectIn(data, 'branchMap')) : true,
  ].every(Boolean);
  report.addSection(path ?? 'a file without a name', lines);
  if (!isRead) report.drop(`the coverage of "${name}" contains a value that is not a count; expected whole numbers from 0`);
}

/** These leave out what is not a count, and say whether all were. */
function addStatements(lines: LineCoverage, counts: JsonObject, places: JsonObject): boolean {
  let [covered, total] = [0, 0];
  let areCounts = true;
  for (const [id, count] of Object.entries(counts)) {
    if (!isHits(count)) {
      areCounts = false;
      continue;
    }
    total += 1;
    if (count > 0) covered += 1;
    const line = lineIn(objectIn(own(places, id), 'start'), 'line');
    if (line !== null) lines.addLine(line, count);
  }
  lines.addTotal('statements', covered, total);
  return areCounts;
}

function addFunctions(lines: LineCoverage, counts: JsonObject, places: JsonObject): boolean {
  let areCounts = true;
  for (const [id, count] of Object.entries(counts)) {
    if (isHits(count)) lines.addFunction(`${textIn(own(places, id), 'name')}#${id}`, count > 0);
    else areCounts = false;
  }
  return areCounts;
}

/** `b` has a list of counts for each branch: one for every way through it. */
function addBranches(lines: LineCoverage, counts: JsonObject, places: JsonObject): boolean {
  let areCounts = true;
  for (const [id, ways] of Object.entries(counts)) {
    const place = own(places, id);
    const line = lineIn(place, 'line') ?? lineIn(objectIn(objectIn(place, 'loc'), 'start'), 'line') ?? 1;
    for (const count of Array.isArray(ways) ? (ways as readonly unknown[]) : [ways]) {
      if (isHits(count)) lines.addBranch(line, count > 0);
      else areCounts = false;
    }
  }
  return areCounts;
}

/** Counts beyond what a number holds exactly are still counts. */
function isHits(count: unknown): count is number {
  return typeof count === 'number' && count >= 0;
}

export const istanbul: JsonFormat = {
  id: 'istanbul',
  title: 'Istanbul coverage-final.json',
  content: 'coverage',
  recognises: ({ isArray, keys, text, name }) =>
    !isArray &&
    !keys.has('testResults') &&
    !keys.has('coverageMap') &&
    (text.includes('"statementMap"') || (name === 'coverage-final.json' && keys.size === 0)),
  read: (value, report, { root }) => {
    if (!isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected an object with a member for each file`);
    for (const [path, data] of Object.entries(value)) addFileCoverage(report, path, data, root);
  },
};

export const istanbulSummary: JsonFormat = {
  id: 'istanbul-summary',
  title: 'Istanbul coverage-summary.json',
  content: 'coverage',
  recognises: ({ isArray, keys, text, name }) =>
    !isArray &&
    ((text.includes('"pct"') && text.includes('"covered"') && (keys.has('total') || text.includes('"statements"'))) ||
      (name === 'coverage-summary.json' && keys.size === 0)),
  read: (value, report, { root }) => {
    if (!isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected an object with "total" and a member for each file`);
    const { total, ...files } = value;
    const sums = new CoverageSums();
    for (const [path, file] of Object.entries(files)) {
      const shares = readShares(report, file, path);
      sums.add(shares, 1);
      report.addFile({ path: toProjectPath(path, root) ?? 'a file without a name', ...shares, uncovered: [] });
    }
    if (total === undefined) return;
    const stated = readShares(report, total, 'total');
    if (Object.keys(files).length === 0) {
      report.note('the report has a total but no files; the total counts');
      return report.addFile({ path: 'total', ...stated, uncovered: [] });
    }
    const found = sums.coverage();
    for (const kind of COVERAGE_KINDS) {
      const [a, b] = [stated[kind], found[kind]];
      if (a === undefined || b === undefined || (a.covered === b.covered && a.total === b.total)) continue;
      report.note(
        `the total states ${a.covered} of ${a.total} ${kind}, but the files add up to ${b.covered} of ${b.total}; the files count`,
      );
    }
  },
};

function readShares(report: ReportBuilder, value: unknown, key: string): Coverage {
  if (!isObject(value)) {
    report.drop(`the coverage of "${key.slice(0, 200)}" is ${nameOf(value)}; expected an object`);
    return {};
  }
  const shares: { -readonly [Kind in keyof Coverage]: Share } = {};
  for (const kind of COVERAGE_KINDS) {
    const share = own(value, kind);
    if (share === undefined || share === null) continue;
    const [covered, total] = [countIn(share, 'covered'), countIn(share, 'total')];
    if (covered === null || total === null || covered > total)
      report.drop(`"${kind}" of "${key.slice(0, 200)}" is invalid; expected "covered" and "total", with covered at most total`);
    else shares[kind] = shareOf(covered, total);
  }
  return shares;
}
