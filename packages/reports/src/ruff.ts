// Ruff's JSON: a list of violations. It knows no severities: every violation ends it with 1, and its SARIF calls all of them errors. An
// empty list says that nothing was found, not that a file was looked at.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { codeSeverity } from './python-codes.js';
import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { endLineIn, lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

export const ruff: Format = {
  id: 'ruff',
  title: 'Ruff JSON',
  recognises: ({ kind, isArray, keys }) => kind === 'json' && isArray && keys.has('filename') && keys.has('location') && keys.has('code'),
  open: ({ root, ...options }): ReportReader => {
    const sheet = new Sheet('ruff', 'findings', options);
    let found = 0;
    let hasList = false;
    const take = (value: unknown): void => {
      found += 1;
      if (!isObject(value) || typeof own(value, 'message') !== 'string')
        return sheet.fail(`entry ${found} has no "message"; expected a violation in each`);
      const path = textIn(value, 'filename');
      const start = objectIn(value, 'location');
      // Without a code it is no rule's: the file cannot be parsed.
      const rule = textIn(value, 'code') || 'invalid-syntax';
      // Lines of a notebook are counted from the start of a cell.
      const isCell = typeof own(value, 'cell') === 'number';
      sheet.finding({
        severity: codeSeverity(rule),
        message: textIn(value, 'message'),
        artifact: path === '' ? null : placeInProject(path, root),
        line: isCell ? null : lineIn(start, 'row'),
        endLine: isCell ? null : endLineIn(objectIn(value, 'end_location'), 'row', 'column'),
        rule,
      });
    };
    return jsonReader(sheet, () => ({
      picks: {
        '': {
          open: (container) => {
            hasList = container === 'list';
          },
          value: (value) => sheet.fail(`it is ${nameOf(value)}; expected a list of violations`),
        },
        '[]': { value: take, without: ['fix'] },
      },
      unit: 'violation',
      count: () => found,
      finish: (isWhole) => {
        if (isWhole && !hasList) sheet.fail('it is no list; expected one of violations');
        else if (isWhole && found === 0) sheet.fail('the list is empty, so there is no file in it that was checked');
      },
    }));
  },
};
