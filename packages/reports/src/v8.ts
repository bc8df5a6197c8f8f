// V8's raw coverage, as NODE_V8_COVERAGE and the browsers' protocol write it: functions, and blocks as branches, by their offsets in
// the source. The source is not in the report, so there are no lines. Node's own scripts and node_modules are left out.

import { LAST_LINE, LineCoverage } from './coverage.js';
import type { Format } from './format.js';
import { jsonReader } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, listIn, textIn } from '@umpire/core/formats/json-values.js';

export const v8: Format = {
  id: 'v8',
  title: 'V8 coverage',
  content: 'coverage',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' && (isArray ? keys.has('scriptId') && keys.has('functions') : keys.has('result') && text.includes('"functions"')),
  open: (report, { root }) => {
    let scripts = 0;
    const take = (value: unknown): void => {
      scripts += 1;
      const functions = isObject(value) ? own(value, 'functions') : undefined;
      if (!isObject(value) || !Array.isArray(functions)) return report.drop(`script ${scripts} has no list "functions"`);
      const url = textIn(value, 'url');
      const path = isOfProject(url) ? toProjectPath(url, root) : null;
      if (path === null) return;
      const lines = new LineCoverage();
      const isRead = (functions as readonly unknown[]).map((each) => addFunction(lines, each)).every(Boolean);
      report.addSection(path, lines);
      if (!isRead) report.drop(`the coverage of "${path}" has an invalid range; expected "startOffset", "endOffset" and "count"`);
    };
    const script = { value: take, without: ['source'] };
    return jsonReader(report, () => ({
      picks: {
        '': (value) => report.fail(`the report is ${nameOf(value)}; expected an object with "result"`),
        'result[]': script,
        '[]': script,
      },
      finish: () => {
        if (report.fileTotal > 0) report.note('V8 coverage has functions and blocks (counted as branches), but no lines');
        else if (scripts > 0)
          report.note(
            scripts === 1 ? 'the only script is not part of the project' : `none of the ${scripts} scripts is part of the project`,
          );
      },
    }));
  },
};

function isOfProject(url: string): boolean {
  return (url.startsWith('file:') || url.startsWith('/') || url.startsWith('http')) && !url.includes('/node_modules/');
}

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
