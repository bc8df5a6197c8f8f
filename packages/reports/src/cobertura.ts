// Cobertura XML as coverage.py, Istanbul, Coverlet, JaCoCo's converters and Cobertura itself write it. The lines of a class count;
// those of its methods only where it has none of its own. The totals in the head are compared with the lines, and the lines count.

import { CoverageFiles, LineCoverage } from './coverage.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { toProjectPath } from './project-path.js';
import { ReportBuilder } from './report-builder.js';
import { attributeName, finishXmlReport, type XmlHandler, XmlStream, type XmlTag } from './xml-stream.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';

const COVERAGE = 1;
const SOURCE = 2;
const CLASS = 3;
const METHOD = 4;
const LINE = 5;
const PACKAGE = 6;
const KINDS = { coverage: COVERAGE, source: SOURCE, class: CLASS, method: METHOD, line: LINE, package: PACKAGE };

const NAME = attributeName('name');
const FILENAME = attributeName('filename');
const SIGNATURE = attributeName('signature');
const NUMBER = attributeName('number');
const HITS = attributeName('hits');
const CONDITIONS = attributeName('condition-coverage');
const LINES_VALID = attributeName('lines-valid');
const LINES_COVERED = attributeName('lines-covered');
const BRANCHES_VALID = attributeName('branches-valid');
const BRANCHES_COVERED = attributeName('branches-covered');
const LINE_RATE = attributeName('line-rate');

const MOST_SOURCES = 16;
const SOURCE_LENGTH = 2000;
/** Rates are rounded; two that differ by less say the same. */
const ROUNDING = 0.0051;

/** What the root element says of the whole; -1 or NaN where it says nothing. */
interface StatedTotals {
  readonly lines: StatedTotal;
  readonly branches: StatedTotal;
  readonly rate: number;
}

interface StatedTotal {
  readonly covered: number;
  readonly total: number;
}

class CoberturaReader implements ReportReader, XmlHandler {
  private readonly report: ReportBuilder;
  private readonly files: CoverageFiles;
  private readonly stream = new XmlStream(this, KINDS, ['coverage']);
  private readonly sources: string[] = [];
  private stated: StatedTotals | null = null;
  /** The lines of the class that is open, and those of its methods. */
  private lines: LineCoverage | null = null;
  private methodLines = new LineCoverage();
  private path = '';
  private packageName = '';
  private className = '';
  /** Classes without any name. */
  private unnamed = 0;
  private method: { readonly name: string; first: number; isCovered: boolean; isMeasured: boolean } | null = null;

  constructor(private readonly options: ReadOptions) {
    this.report = new ReportBuilder('cobertura', 'coverage', options);
    this.files = new CoverageFiles(this.report);
  }

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): ToolReport {
    this.closeClass();
    finishXmlReport(this.stream, this.report, this.files.size, 'file', '<coverage>');
    this.files.end();
    if (!this.report.isUnreadable) this.compareHead();
    return this.report.build();
  }

  open(kind: number, tag: XmlTag): number {
    if (kind === LINE) this.line(tag);
    else if (kind === METHOD) this.openMethod(tag);
    else if (kind === CLASS) this.openClass(tag);
    else if (kind === PACKAGE) this.packageName = tag.text(NAME)?.trim() ?? '';
    else if (kind === COVERAGE) this.readHead(tag);
    return kind === SOURCE ? SOURCE_LENGTH : 0;
  }

  close(kind: number, text: string): void {
    if (kind === METHOD) this.closeMethod();
    else if (kind === CLASS) this.closeClass();
    else if (kind === SOURCE && text.trim() !== '' && this.sources.length < MOST_SOURCES) this.sources.push(text.trim());
  }

  private readHead(tag: XmlTag): void {
    const rate = Number.parseFloat(tag.text(LINE_RATE) ?? '');
    this.stated = {
      lines: { covered: tag.count32(LINES_COVERED), total: tag.count32(LINES_VALID) },
      branches: { covered: tag.count32(BRANCHES_COVERED), total: tag.count32(BRANCHES_VALID) },
      rate,
    };
  }

  private openClass(tag: XmlTag): void {
    this.closeClass();
    this.className = tag.text(NAME) ?? '';
    this.path = this.pathOf(tag.text(FILENAME)?.trim() || this.nameOfClass()) ?? this.nameOfClass();
    this.lines = new LineCoverage();
  }

  /** Stands for the file of a class that names none. Classes of equal names in different packages are different files. */
  private nameOfClass(): string {
    const { packageName } = this;
    let name = this.className.trim();
    if (name === '') {
      this.unnamed += 1;
      name = `(class ${this.unnamed})`;
      this.report.note('a class has neither a file nor a name; it is numbered', this.stream.place);
    }
    return packageName === '' || name.startsWith(packageName) ? name : `${packageName}/${name}`;
  }

  private closeClass(): void {
    this.closeMethod();
    const { lines, methodLines } = this;
    if (lines !== null) {
      if (!lines.hasLines) lines.addSection(methodLines);
      this.files.add(this.path, lines);
    }
    this.methodLines = new LineCoverage();
    this.lines = null;
  }

  private openMethod(tag: XmlTag): void {
    const name = `${this.className}.${tag.text(NAME) ?? ''}${tag.text(SIGNATURE) ?? ''}`;
    const hits = tag.count32(HITS);
    this.method = { name, first: 0, isCovered: hits > 0, isMeasured: hits >= 0 };
  }

  private closeMethod(): void {
    const { method } = this;
    if (method?.isMeasured === true) this.lines?.addFunction(`${method.name}:${method.first}`, method.isCovered);
    this.method = null;
  }

  private line(tag: XmlTag): void {
    const { method } = this;
    if (this.lines === null) return;
    const number = tag.count32(NUMBER);
    const hits = tag.count32(HITS);
    // A negative count overflowed in the tool.
    if (hits < 0 && tag.text(HITS)?.startsWith('-') !== true)
      return this.report.drop('a line has no count of hits and was left out', this.stream.place);
    const lines = method === null ? this.lines : this.methodLines;
    if (method !== null) {
      method.isMeasured = true;
      if (method.first === 0) method.first = number;
      if (hits > 0) method.isCovered = true;
    }
    if (!lines.addLine(number, hits)) return this.report.drop('a line has an invalid number and was left out', this.stream.place);
    const conditions = tag.text(CONDITIONS, 64);
    if (conditions === null) return;
    const [covered, total] = branchesOf(conditions);
    if (!lines.addBranches(number, covered, total))
      this.report.note(`"${conditions}" is not a branch count and was left out`, this.stream.place);
  }

  /** Files are named from the source folder on; where that lies in the project, from the project's root on. */
  private pathOf(file: string): string | null {
    const root = (this.options.root ?? '').replaceAll('\\', '/');
    const source = (this.sources.length === 1 ? (this.sources[0] ?? '') : '').replaceAll('\\', '/');
    const isInside = root !== '' && (source === root || source.startsWith(root.endsWith('/') ? root : `${root}/`));
    const isRelative = !file.startsWith('/') && !/^[A-Za-z]:/.test(file);
    return toProjectPath(isInside && isRelative ? `${source}/${file}` : file, root);
  }

  private compareHead(): void {
    const { lines, branches } = this.report.coverage;
    if (this.stated === null || lines === undefined) return;
    const { rate } = this.stated;
    if (this.stated.lines.total >= 0) this.compare('lines', this.stated.lines, lines);
    else if (rate >= 0 && Math.abs(rate - lines.covered / lines.total) > ROUNDING)
      this.report.note(
        `the report states ${Math.round(rate * 10_000) / 100} % line coverage, but its lines add up to ${lines.pct} %; the lines count`,
      );
    this.compare('branches', this.stated.branches, branches ?? { covered: 0, total: 0 });
  }

  private compare(kind: string, said: StatedTotal, seen: StatedTotal): void {
    if (said.total < 0 || (said.covered === seen.covered && said.total === seen.total)) return;
    this.report.note(
      `the report states ${said.covered} of ${said.total} covered ${kind}, but its lines add up to ${seen.covered} of ${seen.total}; the lines count`,
    );
  }
}

/** `50% (1/2)`; where only the percentage is there, it is one of two ways. */
function branchesOf(conditions: string): readonly [number, number] {
  const counted = /\((\d{1,9})\/(\d{1,9})\)/.exec(conditions);
  if (counted !== null) return [Number(counted[1]), Number(counted[2])];
  const percent = Number.parseFloat(conditions);
  return [percent >= 100 ? 2 : percent > 0 ? 1 : 0, percent >= 0 ? 2 : -1];
}

export const cobertura: Format = {
  id: 'cobertura',
  title: 'Cobertura XML',
  recognises: (head) => head.kind === 'xml' && head.root === 'coverage' && !/<project[\s>]/.test(head.text),
  open: (options) => new CoberturaReader(options),
};
