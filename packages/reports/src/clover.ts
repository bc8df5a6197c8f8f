// Clover XML as Clover, PHPUnit and Istanbul write it. Lines are counted from its lines. Statements come from the totals of each file,
// and so do functions where no line names a method, and branches where the lines show fewer.

import { LineCoverage } from './coverage.js';
import type { Format, ReadOptions } from './format.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import { readCount, readXml, type XmlAttributes, type XmlHandler } from './xml.js';

interface CoveredTotal {
  readonly covered: number;
  readonly total: number;
}

interface CloverFile {
  readonly path: string;
  readonly depth: number;
  readonly lines: LineCoverage;
  statements: CoveredTotal | null;
}

class CloverHandler implements XmlHandler {
  private file: CloverFile | null = null;
  private depth = 0;
  private projectDepth = 0;
  private packageName = '';
  /** Statements of the whole project, as it says. */
  private stated: CoveredTotal | null = null;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  open(name: string, attributes: XmlAttributes, line: number): boolean {
    this.depth += 1;
    if (name === 'line') this.addLine(attributes, line);
    else if (name === 'metrics') this.addMetrics(attributes);
    else if (name === 'project') this.projectDepth = this.depth;
    else if (name === 'file') this.openFile(attributes, line);
    else if (name === 'package') this.packageName = attributes['name']?.trim() ?? '';
    return false;
  }

  close(name: string): void {
    if (name === 'file') this.closeFile();
    else if (name === 'package') this.packageName = '';
    this.depth -= 1;
  }

  end(): void {
    this.closeFile();
    const seen = this.report.coverage.statements;
    const { stated } = this;
    if (stated === null || seen === undefined || this.report.isUnreadable) return;
    if (stated.covered !== seen.covered || stated.total !== seen.total)
      this.report.note(
        `the report states ${stated.covered} of ${stated.total} covered statements, but its files add up to ${seen.covered} of ${seen.total}; the files count`,
      );
  }

  private openFile(attributes: XmlAttributes, line: number): void {
    this.closeFile();
    // Older reports give a file's bare name: its folder is its package.
    const name = attributes['name']?.trim() ?? '';
    const isInPackage = name !== '' && !/[/\\]/.test(name) && this.packageName !== '';
    const inPackage = isInPackage ? `${this.packageName.replaceAll('.', '/')}/${name}` : name;
    const path = toProjectPath(attributes['path']?.trim() || inPackage, this.options.root);
    if (path === null) this.report.note('a file has neither a path nor a name and was left out', { line });
    else this.file = { path, depth: this.depth, lines: new LineCoverage(), statements: null };
  }

  private closeFile(): void {
    const { file } = this;
    this.file = null;
    if (file === null) return;
    const seen = file.lines.coverage().lines;
    let { statements } = file;
    // An uncovered line has an uncovered statement: totals that say otherwise are wrong.
    if (statements !== null && seen !== undefined && statements.total - statements.covered < seen.total - seen.covered) {
      this.report.note('the totals of a file state more covered statements than its lines; the lines count');
      statements = seen;
    }
    if (statements !== null) file.lines.addTotal('statements', statements.covered, statements.total);
    this.report.addSection(file.path, file.lines);
  }

  /** Those directly below a file or the project; packages and classes only repeat them. */
  private addMetrics(attributes: XmlAttributes): void {
    const readTotal = (name: string): CoveredTotal => ({
      covered: readCount(attributes, `covered${name}`),
      total: readCount(attributes, name),
    });
    const { covered, total: all } = readTotal('statements');
    const statements = covered >= 0 && all >= covered ? { covered, total: all } : null;
    if (this.file !== null && this.depth === this.file.depth + 1) {
      this.file.statements = statements;
      const [methods, conditionals] = [readTotal('methods'), readTotal('conditionals')];
      this.file.lines.addTotal('functions', methods.covered, methods.total);
      this.file.lines.addTotal('branches', conditionals.covered, conditionals.total);
    } else if (this.file === null && this.depth === this.projectDepth + 1) {
      this.stated = statements;
    }
  }

  private addLine(attributes: XmlAttributes, line: number): void {
    const lines = this.file?.lines;
    if (lines === undefined) return;
    const [number, count] = [readCount(attributes, 'num'), readCount(attributes, 'count')];
    const type = attributes['type'];
    if (type === 'method') {
      lines.addFunction(`${attributes['name'] ?? ''}:${number}`, count > 0);
      return;
    }
    const [saidTrue, saidFalse] = [readCount(attributes, 'truecount'), readCount(attributes, 'falsecount')];
    if (Math.max(count, saidTrue, saidFalse) < 0) return this.report.drop('a line has no count and was left out', { line });
    const [taken, other] = [Math.max(0, saidTrue), Math.max(0, saidFalse)];
    if (!lines.addLine(number, count >= 0 ? count : taken + other))
      return this.report.drop('a line has an invalid number and was left out', { line });
    if (type !== 'cond') return;
    // Istanbul counts branches that were taken and that were not; Clover counts how often a condition was true and false.
    if (count >= 0) lines.addBranches(number, taken, taken + other);
    else lines.addBranches(number, (taken > 0 ? 1 : 0) + (other > 0 ? 1 : 0), 2);
  }
}

export const clover: Format = {
  id: 'clover',
  title: 'Clover XML',
  content: 'coverage',
  recognises: ({ kind, root, text }) => kind === 'xml' && root === 'coverage' && /<project[\s>]/.test(text),
  open: (report, options) => readXml(report, ['coverage'], new CloverHandler(report, options)),
};
