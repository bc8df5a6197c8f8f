// lcov tracefiles. Frequent records (DA, BRDA, FN, FNDA) are read from their bytes; all other lines are decoded as text.

import { CoverageFiles } from './coverage-files.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { doubled, type LineCoverage } from './line-coverage.js';
import { toProjectPath } from './project-path.js';
import { counted, ReportBuilder, type ReportPosition } from './report-builder.js';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';

const FIRST_SLOTS = 256;
const MOST_FUNCTIONS = 1_000_000;

/**
 * The functions of one file, known by a hash of their name: FN declares one, FNDA counts its calls. Names repeat within a file
 * (two constructors); the nth FNDA of a name belongs to its nth FN.
 */
class LcovFunctions {
  /** By slot: the name's hash, how often it was declared and called. Slots in use are listed. */
  private hashes = new Int32Array(FIRST_SLOTS);
  private declared = new Int32Array(FIRST_SLOTS);
  private called = new Int32Array(FIRST_SLOTS);
  private used = new Int32Array(FIRST_SLOTS);
  private size = 0;

  declare(hash: number): void {
    const slot = this.slotOf(hash);
    this.declared[slot] = (this.declared[slot] as number) + 1;
  }

  call(hash: number, isCovered: boolean, lines: LineCoverage): void {
    const slot = this.slotOf(hash);
    const nth = this.called[slot] as number;
    this.called[slot] = nth + 1;
    lines.functionBy(keyOf(hash, nth), isCovered);
  }

  /** Functions without an FNDA were not called. Afterwards the table is empty. */
  close(lines: LineCoverage): void {
    for (let at = 0; at < this.size; at += 1) {
      const slot = this.used[at] as number;
      for (let nth = this.called[slot] as number; nth < (this.declared[slot] as number); nth += 1)
        lines.functionBy(keyOf(this.hashes[slot] as number, nth), false);
      this.declared[slot] = 0;
      this.called[slot] = 0;
    }
    this.size = 0;
  }

  private slotOf(hash: number): number {
    const mask = this.hashes.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    while (this.isUsed(slot) && this.hashes[slot] !== hash) slot = (slot + 1) & mask;
    if (this.isUsed(slot) || this.size >= MOST_FUNCTIONS) return slot;
    if (this.size * 2 >= this.hashes.length) {
      this.grow();
      return this.slotOf(hash);
    }
    this.hashes[slot] = hash;
    this.used[this.size] = slot;
    this.size += 1;
    return slot;
  }

  private isUsed(slot: number): boolean {
    return this.declared[slot] !== 0 || this.called[slot] !== 0;
  }

  private grow(): void {
    const { hashes, declared, called, used, size } = this;
    this.hashes = new Int32Array(hashes.length * 2);
    this.declared = new Int32Array(hashes.length * 2);
    this.called = new Int32Array(hashes.length * 2);
    this.used = doubled(used);
    this.size = 0;
    for (let at = 0; at < size; at += 1) {
      const old = used[at] as number;
      const slot = this.slotOf(hashes[old] as number);
      this.declared[slot] = declared[old] as number;
      this.called[slot] = called[old] as number;
    }
  }
}

/** Of the nth function of that name in the file. */
function keyOf(hash: number, nth: number): number {
  return nth === 0 ? hash : Math.imul(hash ^ Math.imul(nth, 0x9e3779b1), 0x85ebca6b);
}

/** Records that say nothing of coverage, or only sum up what others say. */
const PASSED_OVER: ReadonlySet<string> = new Set(['TN', 'VER', 'FNF', 'FNH', 'BRF', 'BRH', 'MCF', 'MCH', 'MCDC', 'MRF', 'MRH']);
const MOST_NUMBERED_FUNCTIONS = 100_000;

/** The records of a tracefile: the file they belong to, its lines, branches and functions, and whether the totals agree. */
class LcovRecord {
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
    private readonly report: ReportBuilder,
    private readonly files: CoverageFiles,
    private readonly root: string | undefined,
  ) {}

  /** False: the record needs a closer look. */
  hit(line: number, count: number): boolean {
    if (this.lines?.hit(line, count) !== true) return false;
    this.found += 1;
    if (count !== 0) this.reached += 1;
    return true;
  }

  /** Lines that were added to `lines` directly. */
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
  take(line: string, where: ReportPosition): void {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return;
    const colon = text.indexOf(':');
    if (text === 'end_of_record') this.ended(where);
    else if (colon < 0) this.report.drop(`${quoted(text)} is not a tracefile record; expected one such as DA:<line>,<count>`, where);
    else this.member(text.slice(0, colon), text.slice(colon + 1), text, where);
  }

  end(where: ReportPosition): void {
    if (this.lines !== null) {
      this.functions.close(this.lines);
      this.report.failCutOff(`in the middle of ${quoted(this.path)}, before end_of_record`, counted(this.finished, 'file'), where);
    }
    if (this.disagreements > 0)
      this.report.note(`LF and LH do not agree with the lines of ${counted(this.disagreements, 'file')}; the lines count`);
  }

  private member(kind: string, value: string, text: string, where: ReportPosition): void {
    if (kind === 'SF') this.open(value, where);
    else if (PASSED_OVER.has(kind)) return;
    else if (this.lines === null) this.report.drop(`${quoted(text)} is outside a file; expected SF:<path> before it`, where);
    else if (kind === 'DA' && /^0,\d{1,15}(?:,|$)/.test(value))
      this.report.note('line 0, which coverage.py writes for an empty file, was left out', where);
    else if (!this.fact(this.lines, kind, value))
      this.report.drop(`${quoted(text)} cannot be read; expected ${FORMS[kind] ?? 'a record'}`, where);
  }

  private open(value: string, where: ReportPosition): void {
    if (this.lines !== null) {
      this.functions.close(this.lines);
      this.finished += 1;
      this.report.drop(`a new file begins before the end_of_record of ${quoted(this.path)}`, where);
    }
    const path = toProjectPath(value, this.root);
    if (path === null) this.report.drop('SF names no file', where);
    this.path = path ?? 'a file without a name';
    this.lines = this.files.open(this.path);
    [this.found, this.reached] = [0, 0];
    this.stated = { total: null, covered: null };
    if (this.numbered.size > 0) this.numbered.clear();
  }

  private ended(where: ReportPosition): void {
    if (!this.close()) this.report.drop('end_of_record ends no file; expected SF:<path> before it', where);
  }

  private agrees(lines: LineCoverage): boolean {
    const { total, covered } = this.stated;
    if ((total ?? this.found) === this.found && (covered ?? this.reached) === this.reached) return true;
    // A line that is given twice is one line.
    const share = lines.share().lines ?? { total: 0, covered: 0 };
    return (total ?? share.total) === share.total && (covered ?? share.covered) === share.covered;
  }

  /** Reads one record; false where its form is unknown. */
  private fact(lines: LineCoverage, kind: string, value: string): boolean {
    switch (kind) {
      case 'DA':
        return this.lineRecord(value.split(','));
      case 'BRDA':
        return this.branchRecord(value.split(','));
      case 'FN':
      case 'FNDA':
        // Readable ones were read from their bytes before.
        return false;
      case 'FNL':
      case 'FNA':
        return this.numberedFunction(lines, kind, value.split(','));
      case 'LF':
      case 'LH':
        return isWhole(value) && this.state(Number(value), kind === 'LF');
      default:
        this.report.note(`unknown records ${quoted(kind)} were skipped`);
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
    if (kind === 'FNL' && this.numbered.size < MOST_NUMBERED_FUNCTIONS) this.numbered.set(number, second);
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

export const lcov: Format = {
  id: 'lcov',
  title: 'lcov tracefile',
  recognises: ({ kind, text }: Head) => kind === 'text' && isTracefile(text),
  open: (options: ReadOptions) => new LcovReader(options),
};

/** Its first record names a test or a file; a comment may stand before it. */
function isTracefile(text: string): boolean {
  const first = text
    .slice(0, 64 * 1024)
    .split('\n')
    .find((line) => line.trim() !== '' && !line.startsWith('#'));
  return first !== undefined && (/^(?:TN|SF|VER):/.test(first) || first.trim() === 'end_of_record');
}

const [LF, COMMA, COLON, DASH] = [0x0a, 0x2c, 0x3a, 0x2d];
const [ZERO, NINE] = [0x30, 0x39];
const [LETTER_A, LETTER_B, LETTER_D, LETTER_F] = [0x41, 0x42, 0x44, 0x46];
const [LETTER_H, LETTER_L, LETTER_N, LETTER_R] = [0x48, 0x4c, 0x4e, 0x52];
const END_OF_RECORD = Uint8Array.from('end_of_record', (letter) => letter.charCodeAt(0));
/** No record is longer; only the start of a longer line is read. */
const LONGEST = 64 * 1024;

class LcovReader implements ReportReader {
  private readonly report: ReportBuilder;
  private readonly files: CoverageFiles;
  private readonly record: LcovRecord;
  /** The start of a line whose end is in a later chunk. */
  private carried = Buffer.alloc(256);
  private carriedLength = 0;
  private carriedFrom = 0;
  private line = 1;
  /** Bytes of all chunks before this one. */
  private before = 0;

  constructor(options: ReadOptions) {
    this.report = new ReportBuilder('lcov', 'coverage', options);
    this.files = new CoverageFiles(this.report);
    this.record = new LcovRecord(this.report, this.files, options.root);
  }

  write(chunk: Uint8Array): void {
    let at = 0;
    if (this.carriedLength > 0) {
      const end = chunk.indexOf(LF);
      this.carry(chunk, 0, end < 0 ? chunk.length : end);
      if (end >= 0) this.flush();
      at = end < 0 ? chunk.length : end + 1;
    }
    at = this.scan(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), at);
    if (at < chunk.length) this.carry(chunk, at, chunk.length);
    this.before += chunk.length;
  }

  end(): ToolReport {
    const { line } = this;
    if (this.carriedLength > 0) this.flush();
    this.record.end({ line, byte: this.before });
    this.files.end();
    return this.report.build();
  }

  /** Reads all whole lines from here on, and says where the last of them ends. */
  private scan(bytes: Buffer, from: number): number {
    // It never reads past the last line end, so no access needs a bounds check: that makes it twice as fast.
    const last = bytes.lastIndexOf(LF);
    let at = from;
    while (at <= last) {
      at = this.lineRun(bytes, at, last);
      if (at > last) break;
      const next = this.frequent(bytes, at);
      if (next > 0) {
        at = next;
      } else {
        const end = bytes.indexOf(LF, at);
        this.record.take(bytes.toString('utf8', at, end), { line: this.line, byte: this.before + at });
        at = end + 1;
      }
      this.line += 1;
    }
    return at;
  }

  /** As many `DA:12,3` as follow each other: most of a tracefile is that. Says where the first other line begins. */
  private lineRun(bytes: Uint8Array, from: number, last: number): number {
    const { lines } = this.record;
    if (lines === null) return from;
    let at = from;
    let [found, reached] = [0, 0];
    while (at <= last && bytes[at] === LETTER_D && bytes[at + 1] === LETTER_A && bytes[at + 2] === COLON) {
      const start = at + 3;
      let to = start;
      let line = 0;
      let byte = bytes[to] as number;
      for (; byte >= ZERO && byte <= NINE; byte = bytes[to] as number) {
        line = line * 10 + byte - ZERO;
        to += 1;
      }
      if (byte !== COMMA || to === start || to - start > 8) break;
      to += 1;
      const figure = to;
      let count = 0;
      for (byte = bytes[to] as number; byte >= ZERO && byte <= NINE; byte = bytes[to] as number) {
        count |= byte - ZERO;
        to += 1;
      }
      if (byte !== LF || to === figure || !lines.hit(line, count)) break;
      found += 1;
      if (count !== 0) reached += 1;
      at = to + 1;
    }
    this.line += found;
    this.record.count(found, reached);
    return at;
  }

  /** The records that make up almost all of a tracefile, in their plainest form: where the next line begins, or -1 for anything else. */
  private frequent(bytes: Uint8Array, from: number): number {
    const first = bytes[from];
    const second = bytes[from + 1];
    if (first === LETTER_D) return second === LETTER_A && bytes[from + 2] === COLON ? this.counted(bytes, from + 3, false) : -1;
    if (first === LETTER_B && second === LETTER_R) {
      if (bytes[from + 2] !== LETTER_D) return isSum(bytes, from + 2) ? behindLine(bytes, from + 4) : -1;
      return bytes[from + 3] === LETTER_A && bytes[from + 4] === COLON ? this.counted(bytes, from + 5, true) : -1;
    }
    if (first === LETTER_F && second === LETTER_N)
      return isSum(bytes, from + 2) ? behindLine(bytes, from + 4) : this.named(bytes, from + 2);
    if (first === LETTER_L) return isSum(bytes, from + 1) ? this.summed(bytes, from + 3, second === LETTER_F) : -1;
    return first === END_OF_RECORD[0] ? this.closed(bytes, from) : -1;
  }

  /** `12` of LF and LH. */
  private summed(bytes: Uint8Array, from: number, isTotal: boolean): number {
    let at = from;
    let sum = 0;
    for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      sum = sum * 10 + byte - ZERO;
      at += 1;
    }
    return bytes[at] === LF && at > from && at - from < 9 && this.record.state(sum, isTotal) ? at + 1 : -1;
  }

  private closed(bytes: Uint8Array, from: number): number {
    for (let at = 1; at < END_OF_RECORD.length; at += 1) if (bytes[from + at] !== END_OF_RECORD[at]) return -1;
    return bytes[from + END_OF_RECORD.length] === LF && this.record.close() ? from + END_OF_RECORD.length + 1 : -1;
  }

  /** `12,3` of DA; `12,0,1,3` or `12,0,1,-` of BRDA. */
  private counted(bytes: Uint8Array, from: number, isBranch: boolean): number {
    let at = from;
    let line = 0;
    let byte = bytes[at] as number;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      line = line * 10 + byte - ZERO;
      at += 1;
    }
    if (byte !== COMMA || at === from || at - from > 8) return -1;
    at = isBranch ? behindComma(bytes, behindComma(bytes, at + 1)) : at + 1;
    const figure = at;
    let count = 0;
    for (byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      count |= byte - ZERO;
      at += 1;
    }
    if (isBranch && byte === DASH && at === figure) {
      at += 1;
      byte = bytes[at] as number;
    }
    if (byte !== LF || at === figure) return -1;
    return (isBranch ? this.record.branch(line, count !== 0) : this.record.hit(line, count)) ? at + 1 : -1;
  }

  /** `:12,name` of FN, in lcov 2 `:12,20,name` with the last line of the function; `DA:3,name` of FNDA. A name may hold commas. */
  private named(bytes: Uint8Array, from: number): number {
    const isCall = bytes[from] === LETTER_D && bytes[from + 1] === LETTER_A;
    const start = isCall ? from + 2 : from;
    if (bytes[start] !== COLON) return -1;
    let at = start + 1;
    let count = 0;
    for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) {
      count |= byte - ZERO;
      at += 1;
    }
    // A count that overflowed in the tool.
    const isNegative = isCall && at === start + 1 && bytes[at] === DASH;
    if (isNegative) at = behindComma(bytes, at) - 1;
    if (bytes[at] !== COMMA || at === start + 1) return -1;
    at = isCall ? at + 1 : behindNumber(bytes, at + 1);
    let hash = 0x811c9dc5 | 0;
    for (let byte = bytes[at] as number; byte !== LF; byte = bytes[at] as number) {
      hash = Math.imul(hash ^ byte, 0x01000193);
      at += 1;
    }
    return (isCall ? this.record.call(hash, count !== 0) : this.record.declare(hash)) ? at + 1 : -1;
  }

  private carry(bytes: Uint8Array, from: number, to: number): void {
    if (this.carriedLength === 0) this.carriedFrom = this.before + from;
    const length = Math.min(LONGEST, this.carriedLength + to - from);
    // With room for the line end that is put behind it.
    if (length >= this.carried.length) this.carried = Buffer.concat([this.carried], Math.min(LONGEST + 1, length * 2));
    if (length > this.carriedLength) this.carried.set(bytes.subarray(from, from + length - this.carriedLength), this.carriedLength);
    this.carriedLength += to - from;
  }

  private flush(): void {
    const end = Math.min(this.carriedLength, LONGEST);
    this.carried[end] = LF;
    if (this.frequent(this.carried, 0) < 0)
      this.record.take(this.carried.toString('utf8', 0, end), { line: this.line, byte: this.carriedFrom });
    this.carriedLength = 0;
    this.line += 1;
  }
}

/** `F:` or `H:`, as the records end that sum up others: found and hit. */
function isSum(bytes: Uint8Array, at: number): boolean {
  return (bytes[at] === LETTER_F || bytes[at] === LETTER_H) && bytes[at + 1] === COLON;
}

function behindLine(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] !== LF) at += 1;
  return at + 1;
}

/** Of the same line; otherwise its end, where no figure stands. */
function behindComma(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] !== COMMA && bytes[at] !== LF) at += 1;
  return bytes[at] === COMMA ? at + 1 : at;
}

/** Behind `20,` where a name follows; otherwise where it was. */
function behindNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at] as number; byte >= ZERO && byte <= NINE; byte = bytes[at] as number) at += 1;
  return at > from && bytes[at] === COMMA && bytes[at + 1] !== LF ? at + 1 : from;
}
