// Checkstyle XML, which many linters write besides Checkstyle itself (PHP_CodeSniffer, ktlint, detekt, ESLint, golangci-lint):
// errors by file and line.

import type { Format, ReadOptions, ReportReader } from './format.js';
import { toProjectPath } from './project-path.js';
import { ReportBuilder } from './report-builder.js';
import { attributeName, finishXmlReport, type XmlHandler, XmlStream, type XmlTag } from './xml-stream.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Severity, ToolReport } from '@umpire/core/model/vocabulary.js';

const FILE = 1;
const ERROR = 2;
const EXCEPTION = 3;
const KINDS = { file: FILE, error: ERROR, exception: EXCEPTION };

const NAME = attributeName('name');
const LINE = attributeName('line');
const SEVERITY = attributeName('severity');
const MESSAGE = attributeName('message');
const SOURCE = attributeName('source');

class CheckstyleReader implements ReportReader, XmlHandler {
  private readonly report: ReportBuilder;
  private readonly stream = new XmlStream(this, KINDS, ['checkstyle']);
  private file: string | null = null;
  private count = 0;

  constructor(private readonly options: ReadOptions) {
    this.report = new ReportBuilder('checkstyle', 'findings', options);
  }

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): ToolReport {
    finishXmlReport(this.stream, this.report, this.count, 'finding', '<checkstyle>');
    return this.report.build();
  }

  open(kind: number, tag: XmlTag): number {
    if (kind === FILE) this.file = toProjectPath(tag.text(NAME) ?? '', this.options.root);
    else if (kind === ERROR) this.error(tag);
    return kind === EXCEPTION ? 500 : 0;
  }

  close(kind: number, text: string): void {
    if (kind === FILE) this.file = null;
    if (kind !== EXCEPTION) return;
    const where = this.file === null ? 'a file' : this.file;
    this.report.markFailed(`${where} could not be checked: ${text.trim().slice(0, 300) || 'the tool gives no reason'}`);
  }

  private error(tag: XmlTag): void {
    const severity = this.severityOf(tag.text(SEVERITY)?.trim() ?? '');
    if (severity === null) return;
    this.count += 1;
    const line = tag.count32(LINE);
    this.report.addFinding({
      severity,
      message: tag.text(MESSAGE) ?? '',
      artifact: this.file,
      line: line > 0 ? line : null,
      rule: tag.text(SOURCE),
    });
  }

  /** `ignore` is Checkstyle's own word for what does not count. Without a word it is an error, as Checkstyle has it. */
  private severityOf(word: string): Severity | null {
    if (word.toLowerCase() === 'ignore') return null;
    const known = parseSeverity(word === '' ? 'error' : word);
    if (known === null) this.report.note(unknownSeverityNote(word));
    return known ?? 'high';
  }
}

export const checkstyle: Format = {
  id: 'checkstyle',
  title: 'Checkstyle XML',
  recognises: (head) => head.kind === 'xml' && head.root === 'checkstyle',
  open: (options) => new CheckstyleReader(options),
};
