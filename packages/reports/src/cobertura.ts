// Cobertura XML as coverage.py, Istanbul, Coverlet, JaCoCo's converters and Cobertura itself write it. The lines of a class count;
// those of its methods only where it has none of its own. The totals in the head are compared with the lines, and the lines count.

import { LineCoverage } from './coverage.js';
import type { Format, ReadOptions } from './format.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import { readCount, readXml, type XmlAttributes, type XmlHandler } from './xml.js';

const MOST_SOURCES = 16;
/** Rates are rounded; two that differ by less say the same. */
const ROUNDING = 0.0051;

interface CoberturaClass {
  readonly name: string;
  readonly path: string;
  readonly lines: LineCoverage;
  readonly methodLines: LineCoverage;
}

interface CoberturaMethod {
  readonly name: string;
  first: number;
  isCovered: boolean;
  isMeasured: boolean;
}

class CoberturaHandler implements XmlHandler {
  private readonly sources: string[] = [];
  /** Attributes of the root element, which sums up the whole. */
  private head: XmlAttributes = {};
  private packageName = '';
  private class: CoberturaClass | null = null;
  private method: CoberturaMethod | null = null;
  /** Classes without any name. */
  private unnamed = 0;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  open(name: string, attributes: XmlAttributes, line: number): boolean {
    if (name === 'line') this.addLine(attributes, line);
    else if (name === 'method') {
      const hits = readCount(attributes, 'hits');
      const called = `${this.class?.name ?? ''}.${attributes['name'] ?? ''}${attributes['signature'] ?? ''}`;
      this.method = { name: called, first: 0, isCovered: hits > 0, isMeasured: hits >= 0 };
    } else if (name === 'class') this.openClass(attributes, line);
    else if (name === 'package') this.packageName = attributes['name']?.trim() ?? '';
    else if (name === 'coverage') this.head = attributes;
    return name === 'source';
  }

  close(name: string, text: string): void {
    if (name === 'method') this.closeMethod();
    else if (name === 'class') this.closeClass();
    else if (name === 'source' && text.trim() !== '' && this.sources.length < MOST_SOURCES) this.sources.push(text.trim());
  }

  end(): void {
    this.closeClass();
    const { lines, branches = { covered: 0, total: 0 } } = this.report.coverage;
    if (lines === undefined || this.report.isUnreadable) return;
    const rate = Number.parseFloat(this.head['line-rate'] ?? '');
    for (const [kind, seen] of [['lines', lines] as const, ['branches', branches] as const]) {
      const [covered, total] = [readCount(this.head, `${kind}-covered`), readCount(this.head, `${kind}-valid`)];
      if (total >= 0 && (covered !== seen.covered || total !== seen.total))
        this.report.note(
          `the report states ${covered} of ${total} covered ${kind}, but its lines add up to ${seen.covered} of ${seen.total}; the lines count`,
        );
      else if (kind === 'lines' && total < 0 && rate >= 0 && Math.abs(rate - lines.covered / lines.total) > ROUNDING)
        this.report.note(
          `the report states ${Math.round(rate * 10_000) / 100} % line coverage, but its lines add up to ${lines.pct} %; the lines count`,
        );
    }
  }

  private openClass(attributes: XmlAttributes, line: number): void {
    this.closeClass();
    const name = attributes['name'] ?? '';
    const file = attributes['filename']?.trim() ?? '';
    let standIn = name.trim();
    if (file === '' && standIn === '') {
      this.unnamed += 1;
      standIn = `(class ${this.unnamed})`;
      this.report.note('a class has neither a file nor a name; it is numbered', { line });
    }
    // Stands for the file of a class that names none. Classes of equal names in different packages are different files.
    if (this.packageName !== '' && !standIn.startsWith(this.packageName)) standIn = `${this.packageName}/${standIn}`;
    // Files are named from the source folder on; where that lies in the project, from the project's root on.
    const root = (this.options.root ?? '').replaceAll('\\', '/');
    const source = (this.sources.length === 1 ? (this.sources[0] ?? '') : '').replaceAll('\\', '/');
    const isInside = root !== '' && (source === root || source.startsWith(root.endsWith('/') ? root : `${root}/`));
    const written = file || standIn;
    const isRelative = !written.startsWith('/') && !/^[A-Za-z]:/.test(written);
    const path = toProjectPath(isInside && isRelative ? `${source}/${written}` : written, root) ?? (standIn || 'a class without a name');
    this.class = { name, path, lines: new LineCoverage(), methodLines: new LineCoverage() };
  }

  private closeClass(): void {
    this.closeMethod();
    if (this.class === null) return;
    const { path, lines, methodLines } = this.class;
    if (!lines.hasLines) lines.addSection(methodLines);
    this.report.addSection(path, lines);
    this.class = null;
  }

  private closeMethod(): void {
    const { method } = this;
    if (method?.isMeasured === true) this.class?.lines.addFunction(`${method.name}:${method.first}`, method.isCovered);
    this.method = null;
  }

  private addLine(attributes: XmlAttributes, line: number): void {
    const { method } = this;
    if (this.class === null) return;
    const [number, hits] = [readCount(attributes, 'number'), readCount(attributes, 'hits')];
    // A negative count overflowed in the tool.
    if (hits < 0 && attributes['hits']?.startsWith('-') !== true)
      return this.report.drop('a line has no count of hits and was left out', { line });
    const lines = method === null ? this.class.lines : this.class.methodLines;
    if (method !== null) {
      method.isMeasured = true;
      if (method.first === 0) method.first = number;
      if (hits > 0) method.isCovered = true;
    }
    if (!lines.addLine(number, hits)) return this.report.drop('a line has an invalid number and was left out', { line });
    const conditions = attributes['condition-coverage']?.slice(0, 64);
    if (conditions === undefined) return;
    // `50% (1/2)`; where only the percentage is there, it is one of two ways.
    const [, covered, total] = /\((\d{1,9})\/(\d{1,9})\)/.exec(conditions) ?? [];
    const percent = Number.parseFloat(conditions);
    const isRead =
      covered === undefined
        ? percent >= 0 && lines.addBranches(number, percent >= 100 ? 2 : percent > 0 ? 1 : 0, 2)
        : lines.addBranches(number, Number(covered), Number(total));
    if (!isRead) this.report.note(`"${conditions}" is not a branch count and was left out`, { line });
  }
}

export const cobertura: Format = {
  id: 'cobertura',
  title: 'Cobertura XML',
  content: 'coverage',
  recognises: ({ kind, root, text }) => kind === 'xml' && root === 'coverage' && !/<project[\s>]/.test(text),
  open: (report, options) => readXml(report, ['coverage'], new CoberturaHandler(report, options)),
};
