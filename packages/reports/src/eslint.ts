// ESLint's JSON, plain and with metadata: messages by file. Suppressed messages are not counted. A file that could not be parsed
// is a High finding, as every error is, and is noted.

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { counted, holdAgainst, jsonReader } from './json-reader.js';
import { countIn, endLineIn, lineIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

const UNREAD = ['source', 'output', 'suppressedMessages', 'usedDeprecatedRules', 'stats'];

export const eslint: Format = {
  id: 'eslint',
  title: 'ESLint JSON',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    (isArray ? keys.has('filePath') && keys.has('messages') : keys.has('results') && keys.has('metadata') && text.includes('"filePath"')),
  open: (options): ReportReader => {
    const sheet = new Sheet('eslint', 'findings', options);
    const run = new EslintRun(sheet, options);
    const file = { value: (value: unknown) => run.file(value), without: UNREAD };
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected a list of files`),
        '[]': file,
        'results[]': file,
      },
      unit: 'file',
      count: () => run.files,
      finish: (isWhole) => {
        if (isWhole) run.finish();
      },
    }));
  },
};

class EslintRun {
  files = 0;
  private errors = 0;
  private warnings = 0;
  private fatal = 0;
  private ignored = 0;
  private readonly stated = { errors: 0, warnings: 0 };

  constructor(
    private readonly sheet: Sheet,
    private readonly options: ReadOptions,
  ) {}

  file(value: unknown): void {
    this.files += 1;
    const messages = isObject(value) ? own(value, 'messages') : undefined;
    if (!isObject(value) || !Array.isArray(messages))
      return this.sheet.fail(`entry ${this.files} has no list "messages"; expected one file's messages in each`);
    const path = textIn(value, 'filePath');
    const place = path === '' ? null : placeInProject(path, this.options.root);
    if (messages.length === 1 && isIgnored(messages[0])) {
      this.ignored += 1;
      return;
    }
    if (place !== null) this.options.looked?.file(place);
    let [errors, warnings] = [0, 0];
    for (const message of messages as readonly unknown[]) {
      if (this.message(message, place)) errors += 1;
      else warnings += 1;
    }
    this.errors += errors;
    this.warnings += warnings;
    this.stated.errors += countIn(value, 'errorCount') ?? errors;
    this.stated.warnings += countIn(value, 'warningCount') ?? warnings;
  }

  finish(): void {
    const { sheet } = this;
    if (this.files === 0) sheet.fail('no file was checked: the list is empty');
    else if (this.ignored === this.files)
      sheet.fail(`no file was checked: ${this.files === 1 ? 'the only one is' : `all ${this.files} are`} ignored`);
    else if (this.ignored > 0)
      sheet.note(`${counted(this.ignored, 'file')} of ${this.files} ${this.ignored === 1 ? 'was' : 'were'} ignored and not checked`);
    if (this.fatal > 0)
      sheet.note(`${counted(this.fatal, 'fatal message')}: a file could not be parsed, or a rule could not run; each counts High`);
    holdAgainst(sheet, 'errors', this.stated.errors, this.errors, true);
    holdAgainst(sheet, 'warnings', this.stated.warnings, this.warnings);
  }

  /** Is it an error? */
  private message(value: unknown, artifact: string | null): boolean {
    if (!isObject(value)) {
      this.sheet.fail(`a message is ${nameOf(value)}; expected an object`);
      return true;
    }
    const isFatal = own(value, 'fatal') === true;
    if (isFatal) this.fatal += 1;
    const word = own(value, 'severity');
    const severity = parseSeverity(word);
    if (severity === null) this.sheet.note(unknownSeverityNote(word === undefined ? 'none' : JSON.stringify(word)));
    const held = isFatal ? 'high' : (severity ?? 'high');
    this.sheet.finding({
      severity: held,
      message: textIn(value, 'message'),
      artifact,
      line: lineIn(value, 'line'),
      endLine: endLineIn(value),
      rule: textIn(value, 'ruleId'),
    });
    return held === 'high' || held === 'critical';
  }
}

/** What ESLint says of a file that it was handed and did not look at: not a finding, but the lack of all. */
function isIgnored(message: unknown): boolean {
  return (
    isObject(message) &&
    textIn(message, 'ruleId') === '' &&
    lineIn(message, 'line') === null &&
    textIn(message, 'message').startsWith('File ignored ')
  );
}
