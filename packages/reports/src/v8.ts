// V8's raw coverage, as NODE_V8_COVERAGE and the browsers' protocol write it: functions, and blocks as branches, by their offsets in
// the source. The source is not in the report, so there are no lines. Node's own scripts and node_modules are left out.

import { LAST_LINE, LineCoverage } from './coverage.js';
import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, listIn, textIn } from '@umpire/core/formats/json-values.js';

export const v8: JsonFormat = {
  id: 'v8',
  title: 'V8 coverage',
  content: 'coverage',
  recognises: ({ isArray, keys, text }) =>
    isArray ? keys.has('scriptId') && keys.has('functions') : keys.has('result') && text.includes('"functions"'),
  read: (value, report, { root }) => {
    if (!Array.isArray(value) && !isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected an object with "result"`);
    const scripts: readonly unknown[] = Array.isArray(value) ? value : listIn(value, 'result');
    for (const [at, script] of scripts.entries()) {
      if (!isObject(script) || !Array.isArray(own(script, 'functions'))) {
        report.drop(`script ${at + 1} has no list "functions"`);
        continue;
      }
      const url = textIn(script, 'url');
      const isOfProject = /^(?:file:|\/|http)/.test(url) && !url.includes('/node_modules/');
      const path = isOfProject ? toProjectPath(url, root) : null;
      if (path === null) continue;
      const lines = new LineCoverage();
      const isRead = listIn(script, 'functions')
        .map((each) => addFunction(lines, each))
        .every(Boolean);
      report.addSection(path, lines);
      if (!isRead) report.drop(`the coverage of "${path}" has an invalid range; expected "startOffset", "endOffset" and "count"`);
    }
    const { length } = scripts;
    if (report.fileTotal > 0) report.note('V8 coverage has functions and blocks (counted as branches), but no lines');
    else if (length > 0)
      report.note(length === 1 ? 'the only script is not part of the project' : `none of the ${length} scripts is part of the project`);
  },
};

/** The first range is the function, the others are blocks in it that ran another number of times. */
function addFunction(lines: LineCoverage, value: unknown): boolean {
  const ranges = listIn(value, 'ranges');
  if (ranges.length === 0) return false;
  return ranges
    .map((range, index) => {
      const [start, end, count] = [countIn(range, 'startOffset'), countIn(range, 'endOffset'), countIn(range, 'count')];
      if (start === null || end === null || count === null || end < start) return false;
      if (index === 0) lines.addFunction(`${textIn(value, 'functionName')}:${start}:${end}`, count > 0);
      // A block is identified by its start, as branches elsewhere are by their line.
      else lines.addBranch(Math.min(start + 1, LAST_LINE), count > 0);
      return true;
    })
    .every(Boolean);
}
