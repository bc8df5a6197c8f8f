// Pyright's `--outputjson`, also basedpyright's: diagnostics with ranges that count lines from 0, and a summary that says how many files
// were looked at.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Format, ReportReader } from './format.js';
import { holdAgainst, jsonReader } from './json-reader.js';
import { countIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

export const pyright: Format = {
  id: 'pyright',
  title: 'Pyright JSON',
  recognises: ({ kind, isArray, keys }) => kind === 'json' && !isArray && keys.has('generalDiagnostics'),
  open: ({ root, looked, ...options }): ReportReader => {
    const sheet = new Sheet('pyright', 'findings', options);
    const counts = { critical: 0, high: 0, medium: 0, low: 0 };
    let found = 0;
    let hasList = false;
    let summary: unknown = null;
    const take = (value: unknown): void => {
      found += 1;
      if (!isObject(value)) return sheet.fail(`a diagnostic is ${nameOf(value)}; expected an object`);
      const word = textIn(value, 'severity');
      const severity = parseSeverity(word);
      if (severity === null) sheet.note(unknownSeverityNote(word || 'none'));
      counts[severity ?? 'high'] += 1;
      const path = textIn(value, 'file');
      const range = objectIn(value, 'range');
      const end = objectIn(range, 'end');
      const last = lineFrom(end);
      sheet.finding({
        severity: severity ?? 'high',
        message: textIn(value, 'message'),
        artifact: path === '' ? null : placeInProject(path, root),
        line: lineFrom(objectIn(range, 'start')),
        // An end before the first character of a line is the line above.
        endLine: last !== null && last > 1 && countIn(end, 'character') === 0 ? last - 1 : last,
        rule: textIn(value, 'rule'),
      });
    };
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "generalDiagnostics"`),
        generalDiagnostics: {
          open: () => {
            hasList = true;
          },
          value: (value) => sheet.fail(`"generalDiagnostics" is ${nameOf(value)}; expected a list`),
        },
        'generalDiagnostics[]': take,
        summary: (value) => {
          summary = value;
        },
      },
      unit: 'diagnostic',
      count: () => found,
      finish: (isWhole) => {
        if (!isWhole) return;
        if (!hasList) sheet.fail('there is no list "generalDiagnostics" in it');
        const files = countIn(summary, 'filesAnalyzed');
        if (files !== null) looked?.count(files);
        if (files === 0) sheet.fail('no file was checked: "filesAnalyzed" is 0');
        holdAgainst(sheet, 'errors', countIn(summary, 'errorCount'), counts.critical + counts.high, true);
        holdAgainst(sheet, 'warnings', countIn(summary, 'warningCount'), counts.medium);
      },
    }));
  },
};

function lineFrom(place: unknown): number | null {
  const line = isObject(place) ? own(place, 'line') : undefined;
  return typeof line === 'number' && Number.isSafeInteger(line) && line >= 0 ? line + 1 : null;
}
