// Oxlint's own JSON: `diagnostics` with a code, a severity, a file name and labelled spans.

import { isObject, nameOf } from '@umpire/core/formats/json-text.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { countIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

export const oxlint: Format = {
  id: 'oxlint',
  title: 'oxlint JSON',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    !isArray &&
    keys.has('diagnostics') &&
    (keys.has('number_of_files') || keys.has('number_of_rules') || (text.includes('"labels"') && text.includes('"filename"'))),
  open: ({ root, looked, ...options }): ReportReader => {
    const sheet = new Sheet('oxlint', 'findings', options);
    let found = 0;
    let hasList = false;
    let files: number | null = null;
    const take = (value: unknown): void => {
      found += 1;
      if (!isObject(value)) return sheet.fail(`a diagnostic is ${nameOf(value)}; expected an object`);
      const word = textIn(value, 'severity');
      const severity = word.toLowerCase() === 'advice' ? 'low' : parseSeverity(word);
      if (severity === null) sheet.note(unknownSeverityNote(word || 'none'));
      const path = textIn(value, 'filename');
      sheet.finding({
        severity: severity ?? 'high',
        message: textIn(value, 'message'),
        artifact: path === '' ? null : placeInProject(path, root),
        line: lineIn(objectIn(listIn(value, 'labels')[0], 'span'), 'line'),
        rule: textIn(value, 'code'),
      });
    };
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "diagnostics"`),
        diagnostics: {
          open: () => {
            hasList = true;
          },
          value: (value) => sheet.fail(`"diagnostics" is ${nameOf(value)}; expected a list`),
        },
        'diagnostics[]': take,
        number_of_files: (value) => {
          files = countIn({ value }, 'value');
          if (files !== null) looked?.count(files);
        },
      },
      unit: 'diagnostic',
      count: () => found,
      finish: (isWhole) => {
        if (!isWhole) return;
        if (!hasList) sheet.fail('there is no list "diagnostics" in it');
        else if (files === 0) sheet.fail('no file was checked: "number_of_files" is 0');
      },
    }));
  },
};
