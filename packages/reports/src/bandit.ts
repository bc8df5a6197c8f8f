// Bandit's JSON: issues with a severity of their own, and by file what was measured. A file that Bandit could not parse is listed apart and
// ends it with 0 all the same: it is a High finding here.

import { isObject, nameOf } from '@umpire/core/formats/json-text.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Format, ReportReader } from './format.js';
import { jsonReader } from './json-reader.js';
import { lineIn, listIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

const DIMENSION = 'security';

export const bandit: Format = {
  id: 'bandit',
  title: 'Bandit JSON',
  recognises: ({ kind, isArray, keys }) =>
    kind === 'json' && !isArray && keys.has('results') && keys.has('metrics') && keys.has('errors') && keys.has('generated_at'),
  open: ({ root, looked, ...options }): ReportReader => {
    const sheet = new Sheet('bandit', 'findings', options);
    const place = (path: string): string | null => (path === '' ? null : placeInProject(path, root));
    let found = 0;
    let files = 0;
    let hasMetrics = false;
    let hasList = false;
    const issue = (value: unknown): void => {
      found += 1;
      if (!isObject(value)) return sheet.fail(`an issue is ${nameOf(value)}; expected an object`);
      const word = textIn(value, 'issue_severity');
      const severity = parseSeverity(word);
      if (severity === null) sheet.note(unknownSeverityNote(word || 'none'));
      const [message, artifact, rule] = [textIn(value, 'issue_text'), place(textIn(value, 'filename')), textIn(value, 'test_id')];
      const last = listIn(value, 'line_range').at(-1);
      const endLine = typeof last === 'number' && Number.isSafeInteger(last) ? last : null;
      sheet.finding({
        severity: severity ?? 'high',
        message,
        artifact,
        line: lineIn(value, 'line_number'),
        endLine,
        rule,
        dimension: DIMENSION,
      });
    };
    const error = (value: unknown): void => {
      found += 1;
      const message = `Bandit could not look at it: ${textIn(value, 'reason') || 'it does not say why'}`;
      sheet.finding({ severity: 'high', message, artifact: place(textIn(value, 'filename')), rule: 'unread', dimension: DIMENSION });
    };
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "results"`),
        results: {
          open: () => {
            hasList = true;
          },
          value: (value) => sheet.fail(`"results" is ${nameOf(value)}; expected a list`),
        },
        'results[]': { value: issue, without: ['code', 'issue_cwe'] },
        'errors[]': error,
        metrics: {
          open: () => {
            hasMetrics = true;
          },
        },
        'metrics.*': (_value, key) => {
          const path = key === '_totals' ? null : place(key);
          if (path === null) return;
          files += 1;
          looked?.file(path);
        },
      },
      unit: 'issue',
      count: () => found,
      finish: (isWhole) => {
        if (!isWhole) return;
        if (!hasList) sheet.fail('there is no list "results" in it');
        else if (hasMetrics && files === 0 && found === 0) {
          looked?.count(0);
          sheet.fail('no file was checked: there are no metrics of any');
        }
      },
    }));
  },
};
