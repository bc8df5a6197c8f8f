// The JSON lines of cargo and rustc (`cargo clippy --message-format=json`, `rustc --error-format=json`): a message of the compiler or of
// Clippy a line, and at the end whether the build succeeded. Silence proves nothing: a clean run needs that last line.

import { isObject, type JsonObject, parseJson } from '@umpire/core/formats/json-text.js';
import { lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';
import type { Format, FormatReader, ReadOptions } from './format.js';
import { LineStream } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';

const SEVERITY: ReadonlyMap<string, Severity> = new Map([
  ['error', 'high'],
  ['error: internal compiler error', 'high'],
  ['warning', 'medium'],
  ['note', 'low'],
  ['help', 'low'],
  ['failure-note', 'low'],
]);
/** They only count others. */
const SUMS_UP = /^(?:aborting due to |\d+ (?:warnings?|errors?) emitted|For more information about |Some errors have detailed )/;
const REASON = /^\{"reason":"(?:compiler-message|compiler-artifact|build-script-executed|build-finished)"/;
const DIAGNOSTIC = /^\{"\$message_type":"diagnostic"/;
const MOST_SEEN = 100_000;

class ClippyReader implements FormatReader {
  private readonly lines = new LineStream((text, line, isCut) => this.take(text, line, isCut), 1024 * 1024);
  /** A library is compiled once more for its tests, and says the same. */
  private readonly seen = new Set<string>();
  private found = 0;
  private errors = 0;
  private isOfCargo = false;
  private hasSucceeded: boolean | null = null;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    const line = this.lines.end();
    const { report, hasSucceeded } = this;
    if (this.isOfCargo && hasSucceeded === null) report.failCutOff('before "build-finished"', { line });
    else if (!this.isOfCargo && this.found === 0)
      report.fail('the report has no message of the compiler, and no "build-finished" of cargo');
    if (hasSucceeded === false && this.errors === 0) report.markFailed('the build failed');
  }

  private take(text: string, line: number, isCut: boolean): void {
    // Programs of tests, after their build: other findings than these.
    if (/^running \d+ tests?$/.test(text)) this.report.fail('this is output of cargo test; read it with --format cargo', { line });
    if (!REASON.test(text) && !DIAGNOSTIC.test(text)) return;
    const json = parseJson(text);
    if (!json.ok || !isObject(json.value)) return this.report.drop(isCut ? 'a message is too long' : 'a message cannot be read', { line });
    const { value } = json;
    const reason = textIn(value, 'reason');
    this.isOfCargo ||= reason !== '';
    if (reason === 'build-finished') this.hasSucceeded = this.hasSucceeded !== false && value['success'] === true;
    else if (reason === 'compiler-message') this.addMessage(objectIn(value, 'message'));
    else if (reason === '') this.addMessage(value);
  }

  private addMessage(value: JsonObject): void {
    const message = textIn(value, 'message');
    const rule = textIn(objectIn(value, 'code'), 'code');
    const spans = listIn(value, 'spans').filter(isObject);
    if (message === '' || (rule === '' && spans.length === 0 && SUMS_UP.test(message))) return;
    const span = spans.find((each) => each['is_primary'] === true) ?? spans[0];
    const path = textIn(span, 'file_name');
    const severity = SEVERITY.get(textIn(value, 'level')) ?? 'high';
    const key = JSON.stringify([path, lineIn(span, 'line_start'), lineIn(span, 'column_start'), rule, message]);
    if (this.seen.has(key)) return;
    if (this.seen.size < MOST_SEEN) this.seen.add(key);
    this.found += 1;
    if (severity === 'high') this.errors += 1;
    this.report.addFinding({
      severity,
      message,
      artifact: path === '' ? null : toProjectPath(path, this.options.root),
      line: lineIn(span, 'line_start'),
      endLine: lineIn(span, 'line_end'),
      rule: rule || null,
    });
  }
}

export const clippy: Format = {
  id: 'clippy',
  title: 'Clippy or rustc JSON',
  content: 'findings',
  recognises: ({ lines }) => lines.some((line) => REASON.test(line) || DIAGNOSTIC.test(line)),
  open: (report, options) => new ClippyReader(report, options),
};
