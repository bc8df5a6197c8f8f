// ESLint's JSON, plain and with metadata: messages by file. Suppressed messages are not counted. A fatal message (a file that could
// not be parsed) counts as High and is noted.

import type { Format, ReadOptions } from './format.js';
import { compareStated, jsonReader } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, endLineIn, lineIn, textIn } from '@umpire/core/formats/json-values.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';

const UNREAD = ['source', 'output', 'suppressedMessages', 'usedDeprecatedRules', 'stats'];

export const eslint: Format = {
  id: 'eslint',
  title: 'ESLint JSON',
  content: 'findings',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    (isArray ? keys.has('filePath') && keys.has('messages') : keys.has('results') && keys.has('metadata') && text.includes('"filePath"')),
  open: (report, options) => {
    const run = new EslintRun(report, options);
    const file = { value: (value: unknown) => run.file(value), without: UNREAD };
    return jsonReader(report, () => ({
      picks: {
        '': (value) => report.fail(`the report is ${nameOf(value)}; expected a list of files`),
        '[]': file,
        'results[]': file,
      },
      finish: (isWhole) => {
        if (isWhole) run.finish();
      },
    }));
  },
};

class EslintRun {
  files = 0;
  /** Clean files, and messages of the others. */
  private read = 0;
  private errors = 0;
  private warnings = 0;
  private fatal = 0;
  private ignored = 0;
  private readonly stated = { errors: 0, warnings: 0 };

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  file(value: unknown): void {
    this.files += 1;
    const messages = isObject(value) ? own(value, 'messages') : undefined;
    if (!isObject(value) || !Array.isArray(messages)) return this.report.drop(`entry ${this.files} has no list "messages"`);
    const path = textIn(value, 'filePath');
    const place = path === '' ? null : toProjectPath(path, this.options.root);
    if (messages.length === 1 && isIgnored(messages[0])) {
      this.ignored += 1;
      return;
    }
    if (place !== null) this.options.checkedFiles?.add(place);
    let [errors, warnings] = [0, 0];
    const readable = (messages as readonly unknown[]).filter((message) => this.isMessage(message));
    for (const message of readable) {
      if (this.message(message, place)) errors += 1;
      else warnings += 1;
    }
    this.read += messages.length === 0 ? 1 : readable.length;
    this.errors += errors;
    this.warnings += warnings;
    this.stated.errors += countIn(value, 'errorCount') ?? errors;
    this.stated.warnings += countIn(value, 'warningCount') ?? warnings;
  }

  finish(): void {
    const { report } = this;
    if (this.files === 0) report.fail('no file was checked: the list is empty');
    else if (this.ignored === this.files)
      report.fail(`no file was checked: ${this.files === 1 ? 'the only one is' : `all ${this.files} are`} ignored`);
    else if (this.ignored > 0)
      report.note(`${counted(this.ignored, 'file')} of ${this.files} ${this.ignored === 1 ? 'was' : 'were'} ignored and not checked`);
    if (this.ignored === 0) report.failIfNothingIsLeft(this.read);
    if (this.fatal > 0)
      report.note(`${counted(this.fatal, 'fatal message')} (a file could not be parsed or a rule could not run); counted as High`);
    compareStated(report, 'errors', this.stated.errors, this.errors, 'failures');
    compareStated(report, 'warnings', this.stated.warnings, this.warnings);
  }

  private isMessage(value: unknown): value is JsonObject {
    if (!isObject(value)) this.report.drop(`a message is ${nameOf(value)}; expected an object`);
    return isObject(value);
  }

  /** Is it an error? */
  private message(value: JsonObject, artifact: string | null): boolean {
    const isFatal = own(value, 'fatal') === true;
    if (isFatal) this.fatal += 1;
    const word = own(value, 'severity');
    const severity = parseSeverity(word);
    if (severity === null) this.report.note(unknownSeverityNote(word === undefined ? 'none' : JSON.stringify(word)));
    const held = isFatal ? 'high' : (severity ?? 'high');
    this.report.addFinding({
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

/** ESLint's message for a file that it ignored: it is not a finding, the file was not checked. */
function isIgnored(message: unknown): boolean {
  return (
    isObject(message) &&
    textIn(message, 'ruleId') === '' &&
    lineIn(message, 'line') === null &&
    textIn(message, 'message').startsWith('File ignored ')
  );
}
