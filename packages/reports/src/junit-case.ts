// One <testcase>: its id, its place, and what its results come to. Of several results the worst holds; a flaky test passed in
// the end.

import type { TestResult, TestStatus } from '@umpire/core/model.js';
import type { JunitSuites } from './junit-suites.js';
import { placeInProject } from './places.js';
import { hashText } from '@umpire/core/formats/text-hash.js';
import { attributeName, XmlTag } from './xml-tag.js';

export type CaseResult = 'failed' | 'errored' | 'skipped' | 'flaky';

const NAME = attributeName('name');
const CLASSNAME = attributeName('classname');
const CLASS = attributeName('class');
const FILE = attributeName('file');
const LINE = attributeName('line');
const TIME = attributeName('time');
const STATUS = attributeName('status');
const RESULT = attributeName('result');

/** Words in `status` and `result`; any other says nothing. */
const WORDS: ReadonlyMap<string, TestStatus> = new Map([
  ['notrun', 'skipped'],
  ['disabled', 'skipped'],
  ['skipped', 'skipped'],
  ['skip', 'skipped'],
  ['ignored', 'skipped'],
  ['suppressed', 'skipped'],
  ['pending', 'skipped'],
  ['failed', 'failed'],
  ['fail', 'failed'],
  ['failure', 'failed'],
  ['error', 'errored'],
  ['errored', 'errored'],
]);

const RANK: Readonly<Record<TestStatus, number>> = { passed: 0, skipped: 1, failed: 2, errored: 3 };

/** Words are only made of a case that is listed: its tag is kept until its results are known. */
export class JunitCase {
  private readonly tag = new XmlTag();
  private prefix = '';
  private readonly prefixHash = { high: 0, low: 0 };
  /** A name that the report does not give. */
  private given: string | null = null;
  private suiteFile = '';
  private message: string | null = null;
  private lastFile = '';
  private lastPlace: string | null = null;
  /** The class that `prefix` was made for, as it is written; it holds for many cases in a row. */
  private ownerBytes = new Uint8Array(0);
  private ownerSuites = -1;
  /** A hash of the id. */
  readonly key = { high: 0, low: 0 };
  status: TestStatus = 'passed';
  /** node:test calls the class of every test `test`, and has no retries: equal names are other tests. */
  isOfNode = false;
  isFlaky = false;

  constructor(private readonly root: string | undefined) {}

  open(tag: XmlTag, suites: JunitSuites): void {
    this.tag.copy(tag);
    this.suiteFile = suites.file;
    this.takePrefix(suites);
    this.given = null;
    if (!this.tag.hash(NAME, this.prefixHash, this.key)) {
      this.given = suites.nextUnnamed();
      hashText(this.prefix + this.given, this.key);
    }
    this.status = tag.has(STATUS) || tag.has(RESULT) ? worse(saidBy(tag.text(STATUS)), saidBy(tag.text(RESULT))) : 'passed';
    this.message = null;
    this.isFlaky = false;
  }

  /** One result of the case. */
  add(result: CaseResult, message: string): void {
    if (result === 'flaky') {
      this.isFlaky = true;
      return;
    }
    if (this.message === null || RANK[result] > RANK[this.status]) this.message = message === '' ? null : message;
    this.status = worse(this.status, result);
  }

  result(): TestResult {
    const { status, message } = this;
    const line = this.tag.count32(LINE);
    return {
      id: this.prefix + (this.given ?? this.tag.text(NAME)?.trim() ?? ''),
      status,
      file: this.placeOf(this.file),
      line: line > 0 ? line : null,
      message,
      durationMs: milliseconds(this.tag.text(TIME)),
    };
  }

  private takePrefix(suites: JunitSuites): void {
    const { tag, ownerBytes } = this;
    const isSame = suites.changes === this.ownerSuites && tag.isSame(CLASSNAME, ownerBytes, ownerBytes.length);
    if (isSame && (ownerBytes.length > 0 || !(tag.has(CLASS) || tag.has(FILE)))) return;
    this.ownerBytes = tag.bytesOf(CLASSNAME);
    const { file } = this;
    const owner = (tag.text(CLASSNAME) ?? tag.text(CLASS) ?? '').trim() || fileOwner(file, this.placeOf(file));
    this.prefix = suites.prefix(owner);
    this.isOfNode = owner === 'test';
    hashText(this.prefix, this.prefixHash);
    // Without a class, the case's own file was asked: what came of it holds for no other.
    this.ownerSuites = this.ownerBytes.length > 0 || !(tag.has(CLASS) || tag.has(FILE)) ? suites.changes : -1;
  }

  /** Its file as written; empty where the report names none. */
  get file(): string {
    return this.tag.text(FILE)?.trim() || this.suiteFile;
  }

  /** The same file comes many times in a row. */
  private placeOf(file: string): string | null {
    if (file === '') return null;
    if (file !== this.lastFile) {
      this.lastFile = file;
      this.lastPlace = placeInProject(file, this.root);
    }
    return this.lastPlace;
  }
}

/** A test without a class is known by its file, unless that is a path of one machine. */
function fileOwner(file: string, place: string | null): string {
  const isOfMachine = file.startsWith('/') || file.includes(':');
  return isOfMachine && place === file.slice(1) ? '' : (place ?? '');
}

function saidBy(word: string | null): TestStatus {
  return word === null ? 'passed' : (WORDS.get(word.trim().toLowerCase()) ?? 'passed');
}

function worse(a: TestStatus, b: TestStatus): TestStatus {
  return RANK[a] >= RANK[b] ? a : b;
}

/** Seconds, as `1.5` or `1,234.5`. */
function milliseconds(time: string | null): number | null {
  if (time === null || time === '') return null;
  const seconds = Number(time.includes(',') ? time.replaceAll(',', '') : time);
  return seconds >= 0 && Number.isFinite(seconds) ? Math.round(seconds * 1e6) / 1000 : null;
}
