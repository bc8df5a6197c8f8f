// Cobertura XML as coverage.py, Istanbul, Coverlet, JaCoCo's converters and Cobertura itself write it. The lines of a class count;
// those of its methods only where it has none of its own. What the head sums up is held against the lines, and the lines win.

import type { ToolReport } from '@umpire/core/model.js';
import { CoverageFiles } from './coverage-files.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { LineCoverage } from './line-set.js';
import { PackedReader, PackedWriter } from './packed-bytes.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';
import { endXml } from './xml-report.js';
import { XmlStream, type XmlHandler } from './xml-stream.js';
import { attributeName, type XmlTag } from './xml-tag.js';

const COVERAGE = 1;
const SOURCE = 2;
const CLASS = 3;
const METHOD = 4;
const LINE = 5;
const KINDS = { coverage: COVERAGE, source: SOURCE, class: CLASS, method: METHOD, line: LINE };

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
interface Stated {
  readonly lines: Said;
  readonly branches: Said;
  readonly rate: number;
}

interface Said {
  readonly covered: number;
  readonly total: number;
}

class CoberturaReader implements ReportReader, XmlHandler {
  private readonly sheet: Sheet;
  private readonly files: CoverageFiles;
  private readonly stream = new XmlStream(this, KINDS, ['coverage']);
  private readonly sources: string[] = [];
  private stated: Stated | null = null;
  /** The lines of the class that is open, and those of its methods. */
  private lines: LineCoverage | null = null;
  private readonly methodLines = new LineCoverage();
  private className = '';
  private method: { readonly name: string; first: number; isCovered: boolean; isMeasured: boolean } | null = null;

  constructor(private readonly options: ReadOptions) {
    this.sheet = new Sheet('cobertura', 'coverage', options);
    this.files = new CoverageFiles(this.sheet);
  }

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): ToolReport {
    this.closeClass();
    endXml(this.stream, this.sheet, this.files.size, 'file', '<coverage>');
    this.files.end();
    if (!this.sheet.isUnreadable) this.holdAgainstHead();
    return this.sheet.end();
  }

  open(kind: number, tag: XmlTag): number {
    if (kind === LINE) this.line(tag);
    else if (kind === METHOD) this.openMethod(tag);
    else if (kind === CLASS) this.openClass(tag);
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
    const path = this.placeOf(tag.text(FILENAME)?.trim() || this.className);
    if (path !== null) this.lines = this.files.open(path);
    else this.sheet.note('a class has neither a file nor a name; its lines were left out', this.stream.place);
  }

  private closeClass(): void {
    this.closeMethod();
    if (this.lines !== null && !this.lines.hasLines) {
      const packed = new PackedWriter();
      this.methodLines.pack(packed);
      this.lines.load(new PackedReader(packed.written()));
    }
    this.methodLines.reset();
    this.files.close();
    this.lines = null;
  }

  private openMethod(tag: XmlTag): void {
    const name = `${this.className}.${tag.text(NAME) ?? ''}${tag.text(SIGNATURE) ?? ''}`;
    const hits = tag.count32(HITS);
    this.method = { name, first: 0, isCovered: hits > 0, isMeasured: hits >= 0 };
  }

  private closeMethod(): void {
    const { method } = this;
    if (method?.isMeasured === true) this.lines?.function(`${method.name}:${method.first}`, method.isCovered);
    this.method = null;
  }

  private line(tag: XmlTag): void {
    const { method } = this;
    if (this.lines === null) return;
    const number = tag.count32(NUMBER);
    const hits = tag.count32(HITS);
    const lines = method === null ? this.lines : this.methodLines;
    if (method !== null) {
      method.isMeasured = true;
      if (method.first === 0) method.first = number;
      if (hits > 0) method.isCovered = true;
    }
    if (!lines.hit(number, hits)) {
      this.sheet.note('a line has no number that a line can have; it was left out', this.stream.place);
      return;
    }
    const conditions = tag.text(CONDITIONS, 64);
    if (conditions === null) return;
    const [covered, total] = branchesOf(conditions);
    if (!lines.branches(number, covered, total))
      this.sheet.note(`"${conditions}" is no count of branches; it was left out`, this.stream.place);
  }

  /** Files are named from the source folder on; where that lies in the project, from the project's root on. */
  private placeOf(file: string): string | null {
    const root = (this.options.root ?? '').replaceAll('\\', '/');
    const source = (this.sources.length === 1 ? (this.sources[0] ?? '') : '').replaceAll('\\', '/');
    const isInside = root !== '' && (source === root || source.startsWith(root.endsWith('/') ? root : `${root}/`));
    const isRelative = !file.startsWith('/') && !/^[A-Za-z]:/.test(file);
    return placeInProject(isInside && isRelative ? `${source}/${file}` : file, root);
  }

  private holdAgainstHead(): void {
    const { lines, branches } = this.sheet.coverage;
    if (this.stated === null || lines === undefined) return;
    const { rate } = this.stated;
    if (this.stated.lines.total >= 0) this.compare('lines', this.stated.lines, lines);
    else if (rate >= 0 && Math.abs(rate - lines.covered / lines.total) > ROUNDING)
      this.sheet.note(
        `its head says that ${Math.round(rate * 10_000) / 100} % of the lines are covered, its lines say ${lines.pct} %; the lines count`,
      );
    this.compare('branches', this.stated.branches, branches ?? { covered: 0, total: 0 });
  }

  private compare(kind: string, said: Said, seen: Said): void {
    if (said.total < 0 || (said.covered === seen.covered && said.total === seen.total)) return;
    this.sheet.note(
      `its head says that ${said.covered} of ${said.total} ${kind} are covered, its lines say ${seen.covered} of ${seen.total}; the lines count`,
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
