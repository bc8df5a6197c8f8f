// lcov tracefiles, one record a line. Totals that a tracefile states are compared with its lines, and the lines count.

import { LineCoverage } from './coverage.js';
import type { Format, FormatReader, ReadOptions } from './format.js';
import { LineStream } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder } from './report-builder.js';

/** Records that say nothing of coverage, or only sum up what others say. */
const PASSED_OVER: ReadonlySet<string> = new Set(['TN', 'VER', 'FNF', 'FNH', 'BRF', 'BRH', 'MCF', 'MCH', 'MCDC', 'MRF', 'MRH']);

const FORMS: Readonly<Record<string, string>> = {
  DA: 'DA:<line>,<count>',
  BRDA: 'BRDA:<line>,<block>,<branch>,<taken>',
  FN: 'FN:<line>,<name>',
  FNDA: 'FNDA:<count>,<name>',
  FNL: 'FNL:<number>,<line>',
  FNA: 'FNA:<number>,<count>,<name>',
  LF: 'LF:<number>',
  LH: 'LH:<number>',
};

/** What stands between `SF` and `end_of_record`. */
interface LcovSection {
  readonly path: string;
  readonly lines: LineCoverage;
  /** DA records, and what LF and LH say of them. */
  found: number;
  reached: number;
  readonly stated: Map<string, number>;
  /** How often a name was declared (FN) and called (FNDA): two constructors have one name, and the nth FNDA belongs to the nth FN. */
  readonly declared: Map<string, number>;
  readonly called: Map<string, number>;
  /** lcov 2: functions by their number, with the line that they begin on. */
  readonly numbered: Map<number, number>;
}

class LcovReader implements FormatReader {
  private readonly stream = new LineStream((text, line) => this.readLine(text, line));
  private section: LcovSection | null = null;
  private disagreements = 0;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): void {
    const line = this.stream.end();
    const { section, report } = this;
    if (section !== null) {
      report.failCutOff(`in the middle of ${quoted(section.path)}, before end_of_record`, { line });
      report.addSection(section.path, section.lines);
    }
    if (this.disagreements > 0)
      report.note(`LF and LH do not agree with the lines of ${counted(this.disagreements, 'file')}; the lines count`);
  }

  private readLine(text: string, line: number): void {
    const { section } = this;
    if (section !== null && addRecord(section, text)) return;
    const record = text.trim();
    const colon = record.indexOf(':');
    const [kind, value] = [record.slice(0, colon), record.slice(colon + 1)];
    if (record === '' || record.startsWith('#') || PASSED_OVER.has(kind)) return;
    if (kind === 'SF') this.openSection(value, line);
    else if (record === 'end_of_record') {
      if (section === null) this.report.drop('end_of_record ends no file; expected SF:<path> before it', { line });
      else this.closeSection(section);
    } else if (colon < 0) this.report.drop(`${quoted(record)} is not a tracefile record; expected one such as DA:<line>,<count>`, { line });
    else if (section === null) this.report.drop(`${quoted(record)} is outside a file; expected SF:<path> before it`, { line });
    else if (kind === 'DA' && /^0,\d{1,15}(?:,|$)/.test(value))
      this.report.note('line 0, which coverage.py writes for an empty file, was left out', { line });
    else if (FORMS[kind] === undefined) this.report.note(`unknown records ${quoted(kind)} were skipped`);
    else this.report.drop(`${quoted(record)} cannot be read; expected ${FORMS[kind]}`, { line });
  }

  private openSection(value: string, line: number): void {
    if (this.section !== null) {
      this.report.drop(`a new file begins before the end_of_record of ${quoted(this.section.path)}`, { line });
      this.closeSection(this.section);
    }
    const path = toProjectPath(value, this.options.root);
    if (path === null) this.report.drop('SF names no file', { line });
    this.section = {
      path: path ?? 'a file without a name',
      lines: new LineCoverage(),
      found: 0,
      reached: 0,
      stated: new Map(),
      declared: new Map(),
      called: new Map(),
      numbered: new Map(),
    };
  }

  private closeSection({ path, lines, found, reached, stated }: LcovSection): void {
    const isSaid = (total: number, covered: number): boolean =>
      (stated.get('LF') ?? total) === total && (stated.get('LH') ?? covered) === covered;
    if (!isSaid(found, reached)) {
      // A line that is given twice is one line.
      const once = lines.coverage().lines ?? { total: 0, covered: 0 };
      if (!isSaid(once.total, once.covered)) this.disagreements += 1;
    }
    this.report.addSection(path, lines);
    this.section = null;
  }
}

/** False: it is none of these kinds, or does not have the form of its kind. */
function addRecord(section: LcovSection, record: string): boolean {
  const { length } = record;
  const colon = record.indexOf(':');
  const comma = record.indexOf(',', colon);
  const first = readFigure(record, colon + 1, comma < 0 ? length : comma);
  const rest = comma < 0 ? length : comma + 1;
  switch (record.slice(0, colon)) {
    case 'DA': {
      const checksum = record.indexOf(',', rest);
      const count = readFigure(record, rest, checksum < 0 ? length : checksum);
      if (Number.isNaN(count) || !section.lines.addLine(first, count)) return false;
      section.found += 1;
      if (count > 0) section.reached += 1;
      return true;
    }
    case 'BRDA': {
      const last = record.lastIndexOf(',');
      const taken = record.endsWith('-') ? 0 : readFigure(record, last + 1, length);
      return record.indexOf(',', rest) < last && !Number.isNaN(taken) && section.lines.addBranch(first, taken > 0);
    }
    case 'FN': {
      if (Number.isNaN(first) || comma < 0) return false;
      // lcov 2 adds the last line of the function. A name may hold commas.
      const name = record.slice(rest).replace(/^\d{1,9},(?=.)/, '');
      section.lines.addFunction(nextName(section.declared, name), false);
      return true;
    }
    case 'FNDA':
      if (Number.isNaN(first) || comma < 0) return false;
      section.lines.addFunction(nextName(section.called, record.slice(rest)), first > 0);
      return true;
    case 'FNL': {
      const line = Number.parseFloat(record.slice(rest));
      if (Number.isNaN(first) || Number.isNaN(line)) return false;
      section.numbered.set(first, line);
      section.lines.addFunction(`line ${line}`, false);
      return true;
    }
    case 'FNA': {
      const count = Number.parseFloat(record.slice(rest));
      if (Number.isNaN(first) || Number.isNaN(count)) return false;
      section.lines.addFunction(`line ${section.numbered.get(first) ?? first}`, count > 0);
      return true;
    }
    case 'LF':
    case 'LH':
      if (Number.isNaN(first)) return false;
      section.stated.set(record.slice(0, colon), first);
      return true;
    default:
      return false;
  }
}

/** Counts may be huge, negative by an overflow of the tool, or in powers of ten. NaN: it is none. */
function readFigure(text: string, from: number, to: number): number {
  let figure = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return Number(text.slice(from, to));
    figure = figure * 10 + digit;
  }
  return from < to ? figure : NaN;
}

/** The nth function of this name. */
function nextName(seen: Map<string, number>, name: string): string {
  const nth = (seen.get(name) ?? 0) + 1;
  seen.set(name, nth);
  return nth === 1 ? name : `${name} ${nth}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

export const lcov: Format = {
  id: 'lcov',
  title: 'lcov tracefile',
  content: 'coverage',
  // Its first record names a test or a file; a comment may stand before it.
  recognises: ({ kind, text }) => {
    const lines = text.slice(0, 64 * 1024).split('\n');
    const first = lines.find((line) => line.trim() !== '' && !line.startsWith('#'));
    return kind === 'text' && first !== undefined && (/^(?:TN|SF|VER):/.test(first) || first.trim() === 'end_of_record');
  },
  open: (report, options) => new LcovReader(report, options),
};
