// What the records of an lcov tracefile mean: the file they belong to, its lines, branches and functions, and whether the sums agree.
// lcov.ts finds the lines of the tracefile.

import type { CoverageFiles } from './coverage-files.js';
import { counted } from './json-reader.js';
import { LcovFunctions } from './lcov-functions.js';
import type { LineCoverage } from './line-set.js';
import { placeInProject } from './places.js';
import type { Sheet, Where } from './sheet.js';

/** Records that say nothing of coverage, or only sum up what others say. */
const PASSED_OVER: ReadonlySet<string> = new Set(['TN', 'VER', 'FNF', 'FNH', 'BRF', 'BRH', 'MCF', 'MCH', 'MCDC', 'MRF', 'MRH']);
const MOST_FUNCTIONS = 100_000;

export class LcovRecord {
  /** Of the file whose section is being read. */
  lines: LineCoverage | null = null;
  private path = '';
  private finished = 0;
  /** DA records of the section, and what its LF and LH say of them. */
  private found = 0;
  private reached = 0;
  private stated: { total: number | null; covered: number | null } = { total: null, covered: null };
  private disagreements = 0;
  private readonly functions = new LcovFunctions();
  /** lcov 2: functions by their number, with the line that they begin on. */
  private readonly numbered = new Map<string, string>();

  constructor(
    private readonly sheet: Sheet,
    private readonly files: CoverageFiles,
    private readonly root: string | undefined,
  ) {}

  /** False where it cannot be taken like this: the record is then looked at closely. */
  hit(line: number, count: number): boolean {
    if (this.lines?.hit(line, count) !== true) return false;
    this.found += 1;
    if (count !== 0) this.reached += 1;
    return true;
  }

  /** Lines that were handed to `lines` by themselves. */
  count(found: number, reached: number): void {
    this.found += found;
    this.reached += reached;
  }

  branch(line: number, isTaken: boolean): boolean {
    return this.lines?.branch(line, isTaken) ?? false;
  }

  /** A function by the hash of its name: declared (FN), or called so often (FNDA). */
  declare(hash: number): boolean {
    if (this.lines === null) return false;
    this.functions.declare(hash);
    return true;
  }

  call(hash: number, isCovered: boolean): boolean {
    if (this.lines === null) return false;
    this.functions.call(hash, isCovered, this.lines);
    return true;
  }

  /** What LF or LH says of the file's lines. */
  state(sum: number, isTotal: boolean): boolean {
    if (this.lines === null) return false;
    this.stated[isTotal ? 'total' : 'covered'] = sum;
    return true;
  }

  /** end_of_record; false where no file is open. */
  close(): boolean {
    if (this.lines === null) return false;
    if (!this.agrees(this.lines)) this.disagreements += 1;
    this.functions.close(this.lines);
    this.files.close();
    this.lines = null;
    this.finished += 1;
    return true;
  }

  /** One line of the tracefile, without its end. */
  take(line: string, where: Where): void {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return;
    const colon = text.indexOf(':');
    if (text === 'end_of_record') this.ended(where);
    else if (colon < 0) this.sheet.fail(`${quoted(text)} is no record of a tracefile; expected one such as DA:<line>,<count>`, where);
    else this.member(text.slice(0, colon), text.slice(colon + 1), text, where);
  }

  end(where: Where): void {
    if (this.lines !== null) {
      this.functions.close(this.lines);
      const read = `${this.finished} ${this.finished === 1 ? 'file was' : 'files were'} read before that`;
      this.sheet.fail(
        `it ends in the middle of ${quoted(this.path)}, before end_of_record: ${read}; the report was cut off or is still being written`,
        where,
      );
    }
    if (this.disagreements > 0)
      this.sheet.note(`LF and LH do not agree with the lines of ${counted(this.disagreements, 'file')}; the lines count`);
  }

  private member(kind: string, value: string, text: string, where: Where): void {
    if (kind === 'SF') this.open(value, where);
    else if (PASSED_OVER.has(kind)) return;
    else if (this.lines === null) this.sheet.fail(`${quoted(text)} stands outside a file; expected SF:<path> before it`, where);
    else if (kind === 'DA' && /^0,\d{1,15}(?:,|$)/.test(value))
      this.sheet.note('a line 0 is counted, as coverage.py does for an empty file; there is no such line, and it was left out', where);
    else if (!this.fact(this.lines, kind, value))
      this.sheet.fail(`${quoted(text)} cannot be read; expected ${FORMS[kind] ?? 'a record'}`, where);
  }

  private open(value: string, where: Where): void {
    if (this.lines !== null) {
      this.functions.close(this.lines);
      this.sheet.fail(`a new file begins before the end_of_record of ${quoted(this.path)}`, where);
    }
    const path = placeInProject(value, this.root);
    if (path === null) this.sheet.fail('SF names no file', where);
    this.path = path ?? 'a file without a name';
    this.lines = this.files.open(this.path);
    [this.found, this.reached] = [0, 0];
    this.stated = { total: null, covered: null };
    if (this.numbered.size > 0) this.numbered.clear();
  }

  private ended(where: Where): void {
    if (!this.close()) this.sheet.fail('end_of_record ends no file; expected SF:<path> before it', where);
  }

  private agrees(lines: LineCoverage): boolean {
    const { total, covered } = this.stated;
    if ((total ?? this.found) === this.found && (covered ?? this.reached) === this.reached) return true;
    // A line that is given twice is one line.
    const share = lines.share().lines ?? { total: 0, covered: 0 };
    return (total ?? share.total) === share.total && (covered ?? share.covered) === share.covered;
  }

  /** Takes up what the record says; false where it says it in no form that is known. */
  private fact(lines: LineCoverage, kind: string, value: string): boolean {
    switch (kind) {
      case 'DA':
        return this.lineRecord(value.split(','));
      case 'BRDA':
        return this.branchRecord(value.split(','));
      case 'FN':
      case 'FNDA':
        // Every one that can be read was taken before, from its bytes.
        return false;
      case 'FNL':
      case 'FNA':
        return this.numberedFunction(lines, kind, value.split(','));
      case 'LF':
      case 'LH':
        return isWhole(value) && this.state(Number(value), kind === 'LF');
      default:
        this.sheet.note(`records of the kind ${quoted(kind)} are not known; they were passed over`);
        return true;
    }
  }

  private lineRecord([line = '', count = '']: readonly string[]): boolean {
    return isWhole(line) && isFigure(count) && this.hit(Number(line), isReached(count) ? 1 : 0);
  }

  private branchRecord(parts: readonly string[]): boolean {
    const [line = ''] = parts;
    const taken = parts.at(-1) ?? '';
    return parts.length >= 4 && isWhole(line) && (taken === '-' || isFigure(taken)) && this.branch(Number(line), isReached(taken));
  }

  /** lcov 2: `FNL:<number>,<line>` and for each of its names `FNA:<number>,<count>,<name>`. */
  private numberedFunction(lines: LineCoverage, kind: 'FNL' | 'FNA', [number = '', second = '']: readonly string[]): boolean {
    if (!isWhole(number) || !(kind === 'FNL' ? isWhole(second) : isFigure(second))) return false;
    if (kind === 'FNL' && this.numbered.size < MOST_FUNCTIONS) this.numbered.set(number, second);
    lines.function(`line ${this.numbered.get(number) ?? number}`, kind === 'FNA' && isReached(second));
    return true;
  }
}

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

function isWhole(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

/** Counts may be huge, negative by an overflow of the tool, or in powers of ten. */
function isFigure(text: string): boolean {
  return /^-?\d{1,40}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,4})?$/.test(text);
}

function isReached(figure: string): boolean {
  return figure !== '-' && Number(figure) > 0;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
