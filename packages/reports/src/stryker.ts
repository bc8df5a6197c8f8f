// Mutation reports in Stryker's schema: a mutant that no test detects is a Medium finding. The score is noted; it fails the report
// only below the report's own `break` threshold.

import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { counted, keepObjects } from './report-builder.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';

const MISSED: ReadonlyMap<string, string> = new Map([
  ['survived', 'no test detects it'],
  ['nocoverage', 'no test reaches it'],
]);

export const stryker: JsonFormat = {
  id: 'stryker',
  title: 'Stryker mutation report',
  content: 'findings',
  recognises: ({ isArray, keys, text }) =>
    !isArray &&
    ((keys.has('schemaVersion') && keys.has('thresholds')) ||
      (keys.has('files') && (text.includes('"mutants"') || text.includes('"mutatorName"')))),
  read: (value, report, { root }) => {
    if (!isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected an object with "files"`);
    const files = own(value, 'files');
    if (files !== undefined && !isObject(files)) report.fail(`"files" is ${nameOf(files)}; expected an object with a member for each file`);
    let [mutants, found, missed, broken, pending] = [0, 0, 0, 0, 0];
    for (const [path, file] of Object.entries(isObject(files) ? files : {})) {
      const list = isObject(file) ? own(file, 'mutants') : undefined;
      if (!Array.isArray(list)) {
        const what = list === undefined ? 'missing' : nameOf(list);
        report.note(`"mutants" of "${path.slice(0, 200)}" is ${what}; expected a list`);
        continue;
      }
      for (const mutant of keepObjects(report, list, 'a mutant')) {
        mutants += 1;
        const said = textIn(mutant, 'status');
        const status = said.toLowerCase();
        if (status === 'killed' || status === 'timeout') found += 1;
        else if (status === 'compileerror' || status === 'runtimeerror') broken += 1;
        else if (status === 'pending') pending += 1;
        if (['killed', 'timeout', 'compileerror', 'runtimeerror', 'pending', 'ignored'].includes(status)) continue;
        missed += 1;
        const why = MISSED.get(status);
        if (why === undefined) report.note(`unknown mutant status "${said.slice(0, 40)}"; counted as survived`);
        const name = textIn(mutant, 'mutatorName');
        const what = textIn(mutant, 'description') || textIn(mutant, 'replacement');
        report.addFinding({
          severity: 'medium',
          message: `${name || 'a mutant'}: ${why ?? 'counted as survived'}${what === '' ? '' : ` (${what.slice(0, 200)})`}`,
          artifact: toProjectPath(path, root),
          line: lineIn(objectIn(objectIn(mutant, 'location'), 'start'), 'line'),
          rule: name,
        });
      }
    }
    if (mutants === 0) return report.fail('the report has no mutants');
    if (pending > 0) report.fail(`${counted(pending, 'mutant')} still pending: the run is not finished`);
    if (broken > 0) report.note(`${counted(broken, 'mutant')} could not be compiled or run; left out of the score`);
    if (found + missed === 0) return report.fail('no mutant was tried against a test; expected at least one killed or survived');
    const score = Math.floor((found / (found + missed)) * 10_000) / 100;
    report.note(`mutation score ${score}: tests detected ${found} of ${found + missed} mutants`);
    const limits = [objectIn(value, 'thresholds'), objectIn(objectIn(value, 'config'), 'thresholds')]
      .map((thresholds) => own(thresholds, 'break'))
      .filter((limit) => typeof limit === 'number');
    const limit = Math.max(...limits);
    if (score < limit) report.markFailed(`the mutation score ${score} is below the report's limit of ${limit}`);
  },
};
