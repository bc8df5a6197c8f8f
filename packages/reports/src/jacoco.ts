// JaCoCo XML: source files of packages, with each line's instructions and branches. Statements are JaCoCo's instructions, which its own
// total counts. Files are named by their package: where the sources lie, the report does not say.

import { LineCoverage } from './coverage.js';
import type { Format } from './format.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import { readCount, readXml, type XmlAttributes, type XmlHandler } from './xml.js';

const KINDS: ReadonlyMap<string, 'statements' | 'functions' | 'branches'> = new Map([
  ['INSTRUCTION', 'statements'],
  ['METHOD', 'functions'],
  ['BRANCH', 'branches'],
]);

class JacocoHandler implements XmlHandler {
  private packageName = '';
  private file: { readonly path: string; readonly lines: LineCoverage } | null = null;
  private depth = 0;

  constructor(private readonly report: ReportBuilder) {}

  open(name: string, attributes: XmlAttributes, line: number): boolean {
    this.depth += 1;
    if (name === 'package') this.packageName = attributes['name']?.trim() ?? '';
    else if (name === 'sourcefile') {
      const written = [this.packageName, attributes['name']?.trim() ?? ''].filter((part) => part !== '').join('/');
      this.file = { path: toProjectPath(written) ?? 'a file without a name', lines: new LineCoverage() };
    } else if (name === 'line' && this.file !== null) this.addLine(this.file.lines, attributes, line);
    else if (name === 'counter') this.addCounter(attributes, line);
    return false;
  }

  close(name: string): void {
    this.depth -= 1;
    if (name !== 'sourcefile' || this.file === null) return;
    this.report.addSection(this.file.path, this.file.lines);
    this.file = null;
  }

  private addLine(lines: LineCoverage, attributes: XmlAttributes, line: number): void {
    const [number, missed, covered] = ['nr', 'mi', 'ci'].map((key) => readCount(attributes, key)) as [number, number, number];
    if (missed < 0 || covered < 0 || missed + covered === 0 || !lines.addLine(number, covered))
      return this.report.drop('a line has no count of instructions, or an invalid number, and was left out', { line });
    const [missedWays, coveredWays] = [readCount(attributes, 'mb'), readCount(attributes, 'cb')];
    if (missedWays >= 0 && coveredWays >= 0 && missedWays + coveredWays > 0)
      lines.addBranches(number, coveredWays, missedWays + coveredWays);
  }

  /** Of a source file; that of the whole report is compared. */
  private addCounter(attributes: XmlAttributes, line: number): void {
    const [missed, covered] = [readCount(attributes, 'missed'), readCount(attributes, 'covered')];
    const type = attributes['type']?.trim() ?? '';
    const kind = KINDS.get(type);
    if (missed < 0 || covered < 0) return this.report.drop('a counter has no counts and was left out', { line });
    if (this.file !== null && kind !== undefined) this.file.lines.addTotal(kind, covered, missed + covered);
    if (this.depth !== 2 || type !== 'LINE') return;
    const { lines = { covered: 0, total: 0 } } = this.report.coverage;
    if (lines.covered !== covered || lines.total !== covered + missed)
      this.report.note(
        `the report states ${covered} of ${covered + missed} covered lines, but its files add up to ${lines.covered} of ${lines.total}; the files count`,
      );
  }
}

export const jacoco: Format = {
  id: 'jacoco',
  title: 'JaCoCo XML',
  content: 'coverage',
  recognises: ({ kind, root, text }) =>
    kind === 'xml' && root === 'report' && (/\bJACOCO\b/.test(text) || /<(?:sessioninfo|sourcefile)[\s>]/.test(text)),
  open: (report) => readXml(report, ['report'], new JacocoHandler(report)),
};
