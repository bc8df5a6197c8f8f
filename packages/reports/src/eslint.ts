// ESLint's JSON, plain and with metadata: messages by file. Suppressed messages are not counted. A fatal message (a file that could
// not be parsed) counts as High and is noted.

import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { counted, keepObjects } from './report-builder.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, endLineIn, lineIn, listIn, textIn } from '@umpire/core/formats/json-values.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';

export const eslint: JsonFormat = {
  id: 'eslint',
  title: 'ESLint JSON',
  content: 'findings',
  recognises: ({ isArray, keys, text }) =>
    isArray ? keys.has('filePath') && keys.has('messages') : keys.has('results') && keys.has('metadata') && text.includes('"filePath"'),
  read: (value, report, { root, checkedFiles }) => {
    if (!Array.isArray(value) && !isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected a list of files`);
    const files: readonly unknown[] = Array.isArray(value) ? value : listIn(value, 'results');
    /** Clean files, and messages of the others. */
    let read = 0;
    let [fatal, ignored] = [0, 0];
    const found = { errors: 0, warnings: 0 };
    const stated = { errors: 0, warnings: 0 };
    for (const [at, file] of files.entries()) {
      const messages = isObject(file) ? own(file, 'messages') : undefined;
      if (!Array.isArray(messages)) {
        report.drop(`entry ${at + 1} has no list "messages"`);
        continue;
      }
      if (messages.length === 1 && isIgnored(messages[0])) {
        ignored += 1;
        continue;
      }
      const artifact = toProjectPath(textIn(file, 'filePath'), root);
      if (artifact !== null) checkedFiles?.add(artifact);
      let [errors, warnings] = [0, 0];
      for (const message of keepObjects(report, messages, 'a message')) {
        const isFatal = own(message, 'fatal') === true;
        if (isFatal) fatal += 1;
        const word = own(message, 'severity');
        const known = parseSeverity(word);
        if (known === null) report.note(unknownSeverityNote(word === undefined ? 'none' : JSON.stringify(word)));
        const severity = isFatal ? 'high' : (known ?? 'high');
        report.addFinding({
          severity,
          message: textIn(message, 'message'),
          artifact,
          line: lineIn(message, 'line'),
          endLine: endLineIn(message),
          rule: textIn(message, 'ruleId'),
        });
        if (severity === 'high' || severity === 'critical') errors += 1;
        else warnings += 1;
      }
      read += messages.length === 0 ? 1 : errors + warnings;
      found.errors += errors;
      found.warnings += warnings;
      stated.errors += countIn(file, 'errorCount') ?? errors;
      stated.warnings += countIn(file, 'warningCount') ?? warnings;
    }
    if (files.length === 0) report.fail('no file was checked: the list is empty');
    else if (ignored === files.length)
      report.fail(`no file was checked: ${ignored === 1 ? 'the only one is' : `all ${ignored} are`} ignored`);
    else if (ignored > 0)
      report.note(`${counted(ignored, 'file')} of ${files.length} ${ignored === 1 ? 'was' : 'were'} ignored and not checked`);
    else report.failIfNothingIsLeft(read);
    if (fatal > 0) report.note(`${counted(fatal, 'fatal message')} (a file could not be parsed or a rule could not run); counted as High`);
    report.compareStated('errors', stated.errors, found.errors, 'failures');
    report.compareStated('warnings', stated.warnings, found.warnings);
  },
};

/** ESLint's message for a file that it ignored: it is not a finding, the file was not checked. */
function isIgnored(message: unknown): boolean {
  return textIn(message, 'ruleId') === '' && lineIn(message, 'line') === null && textIn(message, 'message').startsWith('File ignored ');
}
