// JSON of coverage.py (`coverage json`, `--cov-report=json`). Its lines are the statements that coverage.py itself counts: unlike in its
// lcov, a docstring is none. Where branches were measured, its own total counts lines and branches together.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { countIn, listIn, objectIn } from '@umpire/core/formats/json-values.js';
import type { Share } from '@umpire/core/model/vocabulary.js';
import { shareOf } from './coverage.js';
import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';

export const coveragePy: JsonFormat = {
  id: 'coverage-py',
  title: 'coverage.py JSON',
  content: 'coverage',
  recognises: ({ isArray, keys, text }) => !isArray && keys.has('meta') && keys.has('files') && text.includes('"show_contexts"'),
  read: (value, report, { root }) => {
    const files = isObject(value) ? own(value, 'files') : value;
    if (!isObject(files)) return report.fail(`"files" is ${nameOf(files)}; expected an object with a member for each file`);
    for (const [key, file] of Object.entries(files)) {
      const name = key.slice(0, 200);
      if (!isObject(file)) {
        report.drop(`the coverage of "${name}" is ${nameOf(file)}; expected an object`);
        continue;
      }
      const shares = ['lines' as const, 'branches' as const].map((kind) => readShare(objectIn(file, 'summary'), kind));
      const [lines = null, branches = null] = shares;
      if (lines === null || branches === null) {
        report.drop(`the summary of "${name}" is invalid; expected "covered_lines" and "num_statements", with covered at most all`);
        continue;
      }
      report.addFile({
        path: toProjectPath(key, root) ?? 'a file without a name',
        ...(lines.total > 0 ? { lines } : {}),
        ...(branches.total > 0 ? { branches } : {}),
        uncovered: listIn(file, 'missing_lines').filter(
          (line) => typeof line === 'number' && Number.isInteger(line) && line > 0,
        ) as number[],
      });
    }
    const stated = readShare(objectIn(value, 'totals'), 'lines');
    const { lines = shareOf(0, 0) } = report.coverage;
    if (stated !== null && (lines.covered !== stated.covered || lines.total !== stated.total))
      report.note(
        `the total states ${stated.covered} of ${stated.total} covered lines, but the files add up to ${lines.covered} of ${lines.total}; the files count`,
      );
  },
};

/** The lists of lines do not tell: up to 6.5 docstrings and excluded lines are among those that were executed. */
function readShare(summary: JsonObject, kind: 'lines' | 'branches'): Share | null {
  const [covered, total] = [countIn(summary, `covered_${kind}`), countIn(summary, kind === 'lines' ? 'num_statements' : 'num_branches')];
  if (kind === 'branches' && covered === null && total === null) return shareOf(0, 0);
  return covered === null || total === null || covered > total ? null : shareOf(covered, total);
}
