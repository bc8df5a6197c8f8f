// Checkstyle XML, which many linters write besides Checkstyle itself (PHP_CodeSniffer, ktlint, detekt, ESLint, golangci-lint):
// errors by file and line.

import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Format, ReadOptions } from './format.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import { readCount, readXml, type XmlAttributes, type XmlHandler } from './xml.js';

class CheckstyleHandler implements XmlHandler {
  private file: string | null = null;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  open(name: string, attributes: XmlAttributes): boolean {
    if (name === 'file') this.file = toProjectPath(attributes['name'] ?? '', this.options.root);
    else if (name === 'error') this.addError(attributes);
    return name === 'exception';
  }

  close(name: string, text: string): void {
    if (name === 'file') this.file = null;
    if (name !== 'exception') return;
    this.report.markFailed(`${this.file ?? 'a file'} could not be checked: ${text.trim().slice(0, 300) || 'the tool gives no reason'}`);
  }

  private addError(attributes: XmlAttributes): void {
    const word = attributes['severity']?.trim() ?? '';
    // Checkstyle's own word for what does not count. Without a word it is an error, as Checkstyle has it.
    if (word.toLowerCase() === 'ignore') return;
    const known = parseSeverity(word === '' ? 'error' : word);
    if (known === null) this.report.note(unknownSeverityNote(word));
    const line = readCount(attributes, 'line');
    this.report.addFinding({
      severity: known ?? 'high',
      message: attributes['message'] ?? '',
      artifact: this.file,
      line: line > 0 ? line : null,
      rule: attributes['source'] ?? null,
    });
  }
}

export const checkstyle: Format = {
  id: 'checkstyle',
  title: 'Checkstyle XML',
  content: 'findings',
  recognises: ({ kind, root }) => kind === 'xml' && root === 'checkstyle',
  open: (report, options) => readXml(report, ['checkstyle'], new CheckstyleHandler(report, options)),
};
