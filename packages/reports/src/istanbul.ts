// Istanbul's coverage-final.json: one object, a file a member. What a file's entry says is read by json-coverage.ts.

import { nameOf } from '@umpire/core/formats/json-text.js';
import { CoverageFiles } from './coverage-files.js';
import type { Format, ReportReader } from './format.js';
import { addFileCoverage } from './json-coverage.js';
import { jsonReader } from './json-reader.js';
import { Sheet } from './sheet.js';

export const istanbul: Format = {
  id: 'istanbul',
  title: 'Istanbul coverage-final.json',
  recognises: ({ kind, isArray, keys, text, name }) =>
    kind === 'json' &&
    !isArray &&
    !keys.has('testResults') &&
    !keys.has('coverageMap') &&
    (text.includes('"statementMap"') || (name === 'coverage-final.json' && keys.size === 0)),
  open: ({ root, ...options }): ReportReader => {
    const sheet = new Sheet('istanbul', 'coverage', options);
    const files = new CoverageFiles(sheet);
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with a member for each file`),
        '*': { value: (data, path) => addFileCoverage(sheet, files, path, data, root), without: ['inputSourceMap'] },
      },
      unit: 'file',
      count: () => files.size,
      finish: () => files.end(),
    }));
  },
};
