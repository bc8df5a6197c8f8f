// V8's raw coverage, as NODE_V8_COVERAGE and the browsers' protocol write it: functions, and blocks as branches, by their offsets in
// the source. The source is not in the report, so there are no lines. Node's own scripts and node_modules are left out.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { CoverageFiles } from './coverage-files.js';
import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { countIn, listIn, textIn } from '@umpire/core/formats/json-values.js';
import { LAST_LINE, type LineCoverage } from './line-set.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

export const v8: Format = {
  id: 'v8',
  title: 'V8 coverage',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' && (isArray ? keys.has('scriptId') && keys.has('functions') : keys.has('result') && text.includes('"functions"')),
  open: ({ root, ...options }): ReportReader => {
    const sheet = new Sheet('v8', 'coverage', options);
    const files = new CoverageFiles(sheet);
    let scripts = 0;
    const take = (value: unknown): void => {
      scripts += 1;
      const functions = isObject(value) ? own(value, 'functions') : undefined;
      if (!isObject(value) || !Array.isArray(functions)) return sheet.fail(`script ${scripts} has no list "functions"`);
      const url = textIn(value, 'url');
      const path = isOfProject(url) ? placeInProject(url, root) : null;
      if (path === null) return;
      const lines = files.open(path);
      const isRead = (functions as readonly unknown[]).map((each) => addFunction(lines, each)).every(Boolean);
      files.close();
      if (!isRead) sheet.fail(`the coverage of "${path}" has a range that is none; expected "startOffset", "endOffset" and "count"`);
    };
    const script = { value: take, without: ['source'] };
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "result"`),
        'result[]': script,
        '[]': script,
      },
      unit: 'script',
      count: () => scripts,
      finish: () => {
        files.end();
        if (files.size > 0) sheet.note('V8 coverage has functions and blocks (as branches), and no lines: those need the source');
        else if (scripts > 0)
          sheet.note(scripts === 1 ? 'its only script is none of the project' : `none of its ${scripts} scripts is one of the project`);
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
      if (index === 0) lines.function(`${textIn(value, 'functionName')}:${start}:${end}`, count > 0);
      // A block is told from others by where it begins, as branches elsewhere are by their line.
      else lines.branch(Math.min(start + 1, LAST_LINE), count > 0);
      return true;
    })
    .every(Boolean);
}
