// SimpleCov: its result set (`coverage/.resultset.json`, one entry for each command), or the JSON formatter's `coverage.json`. Of each file
// it lists how often every line ran; null is a line without code.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, listIn } from '@umpire/core/formats/json-values.js';
import { LineCoverage } from './coverage.js';
import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';

export const simplecov: JsonFormat = {
  id: 'simplecov',
  title: 'SimpleCov JSON',
  content: 'coverage',
  recognises: ({ isArray, keys, name, text }) =>
    !isArray &&
    ((keys.has('meta') && keys.has('coverage') && text.includes('"simplecov_version"')) ||
      name.endsWith('.resultset.json') ||
      /^\s*\{\s*"[^"]*"\s*:\s*\{\s*"coverage"\s*:\s*\{\s*(?:\}|"[^"]*"\s*:\s*(?:\{\s*"lines"\s*:\s*)?\[)/.test(text)),
  read: (value, report, { root }) => {
    if (!isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected an object`);
    const runs = own(value, 'meta') === undefined ? Object.entries(value) : [['coverage.json', value] as const];
    for (const [command, run] of runs) {
      const files = isObject(run) ? own(run, 'coverage') : undefined;
      if (!isObject(files)) report.drop(`the result of "${command.slice(0, 200)}" has no object "coverage"`);
      else for (const [path, file] of Object.entries(files)) addFile(report, path, file, root);
    }
  },
};

function addFile(report: ReportBuilder, path: string, file: unknown, root: string | undefined): void {
  const name = path.slice(0, 200);
  // Before SimpleCov 0.18 a file was its list of lines.
  const counts = Array.isArray(file) ? file : isObject(file) ? own(file, 'lines') : undefined;
  if (!Array.isArray(counts)) return report.drop(`the coverage of "${name}" has no list of lines`);
  const lines = new LineCoverage();
  for (const [at, count] of (counts as readonly unknown[]).entries()) {
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) lines.addLine(at + 1, count);
    // `"ignored"`: between marks that leave code out.
    else if (count !== null && count !== 'ignored')
      report.drop(`the coverage of "${name}" contains ${nameOf(count)} for a line; expected a count, null or "ignored"`);
  }
  for (const [line, taken] of listBranches(file)) lines.addBranch(line, taken > 0);
  report.addSection(toProjectPath(path, root) ?? 'a file without a name', lines);
}

/** In `coverage.json` a list of objects; in the result set an object of conditions, each with the counts of its ways. */
function listBranches(file: unknown): readonly (readonly [line: number, count: number])[] {
  const branches = isObject(file) ? own(file, 'branches') : undefined;
  if (Array.isArray(branches))
    return listIn(file, 'branches').map((branch) => [countIn(branch, 'start_line') ?? 0, countIn(branch, 'coverage') ?? 0]);
  if (!isObject(branches)) return [];
  return Object.values(branches)
    .filter(isObject)
    .flatMap((ways) => Object.entries(ways))
    .map(([way, count]) => [Number(/^\[:\w+, \d+, (\d{1,9}),/.exec(way)?.[1] ?? 0), typeof count === 'number' ? count : 0]);
}
