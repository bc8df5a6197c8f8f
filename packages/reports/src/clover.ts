// Clover XML as Clover, PHPUnit and Istanbul write it. Lines are counted from its lines. Statements come from the totals of each file,
// and so do functions where no line names a method, and branches where the lines show fewer.

import { CoverageFiles, LineCoverage } from './coverage.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { toProjectPath } from './project-path.js';
import { ReportBuilder } from './report-builder.js';
import { attributeName, finishXmlReport, type XmlHandler, XmlStream, type XmlTag } from './xml-stream.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';

const PROJECT = 1;
const FILE = 2;
const METRICS = 3;
const LINE = 4;
const PACKAGE = 5;
const KINDS = { project: PROJECT, file: FILE, metrics: METRICS, line: LINE, package: PACKAGE };

const PATH = attributeName('path');
const NAME = attributeName('name');
const NUM = attributeName('num');
const TYPE = attributeName('type');
const COUNT = attributeName('count');
const TRUE_COUNT = attributeName('truecount');
const FALSE_COUNT = attributeName('falsecount');
const STATEMENTS = attributeName('statements');
const COVERED_STATEMENTS = attributeName('coveredstatements');
const CONDITIONALS = attributeName('conditionals');
const COVERED_CONDITIONALS = attributeName('coveredconditionals');
const METHODS = attributeName('methods');
const COVERED_METHODS = attributeName('coveredmethods');

interface CoveredTotal {
  readonly covered: number;
  readonly total: number;
}

class CloverReader implements ReportReader, XmlHandler {
  private readonly report: ReportBuilder;
  private readonly files: CoverageFiles;
  private readonly stream = new XmlStream(this, KINDS, ['coverage']);
  private lines: LineCoverage | null = null;
  private path = '';
  private depth = 0;
  private fileDepth = 0;
  private projectDepth = 0;
  private statements: CoveredTotal | null = null;
  private methods: CoveredTotal | null = null;
  private conditionals: CoveredTotal | null = null;
  private packageName = '';
  /** Of the whole project, as it says. */
  private stated: CoveredTotal | null = null;

  constructor(private readonly options: ReadOptions) {
    this.report = new ReportBuilder('clover', 'coverage', options);
    this.files = new CoverageFiles(this.report);
  }

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): ToolReport {
    this.closeFile();
    finishXmlReport(this.stream, this.report, this.files.size, 'file', '<coverage>');
    this.files.end();
    const seen = this.report.coverage.statements;
    if (this.stated !== null && seen !== undefined && !this.report.isUnreadable) {
      const { covered, total } = this.stated;
      if (covered !== seen.covered || total !== seen.total)
        this.report.note(
          `the report states ${covered} of ${total} covered statements, but its files add up to ${seen.covered} of ${seen.total}; the files count`,
        );
    }
    return this.report.build();
  }

  open(kind: number, tag: XmlTag): number {
    this.depth += 1;
    if (kind === LINE) this.line(tag);
    else if (kind === METRICS) this.metrics(tag);
    else if (kind === PROJECT) this.projectDepth = this.depth;
    else if (kind === FILE) this.openFile(tag);
    else if (kind === PACKAGE) this.packageName = tag.text(NAME)?.trim() ?? '';
    return 0;
  }

  close(kind: number): void {
    if (kind === FILE) this.closeFile();
    else if (kind === PACKAGE) this.packageName = '';
    this.depth -= 1;
  }

  private openFile(tag: XmlTag): void {
    this.closeFile();
    const path = toProjectPath(tag.text(PATH)?.trim() || this.pathInPackage(tag.text(NAME)?.trim() ?? ''), this.options.root);
    this.fileDepth = this.depth;
    this.path = path ?? '';
    if (path !== null) this.lines = new LineCoverage();
    else this.report.note('a file has neither a path nor a name and was left out', this.stream.place);
  }

  /** Older reports give a file's bare name: its folder is its package. */
  private pathInPackage(name: string): string {
    const isBare = name !== '' && !/[/\\]/.test(name);
    return isBare && this.packageName !== '' ? `${this.packageName.replaceAll('.', '/')}/${name}` : name;
  }

  private closeFile(): void {
    const { lines, statements, methods, conditionals } = this;
    if (lines !== null) {
      if (conditionals !== null) lines.addTotal('branches', conditionals.covered, conditionals.total);
      if (methods !== null) lines.addTotal('functions', methods.covered, methods.total);
      this.takeStatements(lines, statements);
      this.files.add(this.path, lines);
    }
    this.lines = null;
    this.statements = null;
    this.methods = null;
    this.conditionals = null;
  }

  /** An uncovered line has an uncovered statement: totals that say otherwise are wrong. */
  private takeStatements(lines: LineCoverage, sum: CoveredTotal | null): void {
    const seen = lines.coverage().lines;
    if (sum === null) return;
    if (seen !== undefined && sum.total - sum.covered < seen.total - seen.covered) {
      this.report.note('the totals of a file state more covered statements than its lines; the lines count');
      lines.addTotal('statements', seen.covered, seen.total);
    } else {
      lines.addTotal('statements', sum.covered, sum.total);
    }
  }

  /** Those directly below a file or the project; packages and classes only repeat them. */
  private metrics(tag: XmlTag): void {
    const statements = toTotal(tag.count32(COVERED_STATEMENTS), tag.count32(STATEMENTS));
    if (this.lines !== null && this.depth === this.fileDepth + 1) {
      this.statements = statements;
      this.methods = toTotal(tag.count32(COVERED_METHODS), tag.count32(METHODS));
      this.conditionals = toTotal(tag.count32(COVERED_CONDITIONALS), tag.count32(CONDITIONALS));
    } else if (this.lines === null && this.depth === this.projectDepth + 1) {
      this.stated = statements;
    }
  }

  private line(tag: XmlTag): void {
    if (this.lines === null) return;
    const number = tag.count32(NUM);
    const count = tag.count32(COUNT);
    const type = tag.text(TYPE, 16);
    if (type === 'method') {
      this.lines.addFunction(`${tag.text(NAME) ?? ''}:${number}`, count > 0);
      return;
    }
    const [saidTrue, saidFalse] = [tag.count32(TRUE_COUNT), tag.count32(FALSE_COUNT)];
    if (Math.max(count, saidTrue, saidFalse) < 0) return this.report.drop('a line has no count and was left out', this.stream.place);
    const taken = Math.max(0, saidTrue);
    const other = Math.max(0, saidFalse);
    if (!this.lines.addLine(number, count >= 0 ? count : taken + other))
      return this.report.drop('a line has an invalid number and was left out', this.stream.place);
    if (type !== 'cond') return;
    // Istanbul counts branches that were taken and that were not; Clover counts how often a condition was true and false.
    if (count >= 0) this.lines.addBranches(number, taken, taken + other);
    else this.lines.addBranches(number, (taken > 0 ? 1 : 0) + (other > 0 ? 1 : 0), 2);
  }
}

function toTotal(covered: number, total: number): CoveredTotal | null {
  return covered >= 0 && total >= covered ? { covered, total } : null;
}

export const clover: Format = {
  id: 'clover',
  title: 'Clover XML',
  recognises: (head) => head.kind === 'xml' && head.root === 'coverage' && /<project[\s>]/.test(head.text),
  open: (options) => new CloverReader(options),
};
