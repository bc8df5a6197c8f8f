// Tests of two versions of a project, matched: by name, in a moved file, or under another title with much of the same text.

import type { Change, FileChange, TestResult } from '../change.js';
import { fileOf } from '../change.js';
import { changesJudge, isJudge, isRunnerSetting, isTestFile, judgeText } from './judges.js';
import { findRenames, renameWords } from './renames.js';
import { blockOf, similarity, readTestTitle } from './test-text.js';

export interface TrialResult extends TestResult {
  readonly message?: string | null;
}

/** By id; of several results with one id the worst. */
export function byId(results: readonly TrialResult[]): ReadonlyMap<string, TrialResult> {
  const found = new Map<string, TrialResult>();
  for (const result of results) {
    const known = found.get(result.id);
    if (known === undefined || RANK[result.status] > RANK[known.status]) found.set(result.id, result);
  }
  return found;
}

const RANK: Readonly<Record<TestResult['status'], number>> = { passed: 0, skipped: 1, failed: 2, errored: 3 };

export function hasFailed({ status }: TestResult): boolean {
  return status === 'failed' || status === 'errored';
}

/** The change by path, old and new. */
export class Files {
  private readonly byPath = new Map<string, FileChange>();
  private readonly movedFrom = new Map<string, string>();

  /** No test, fixture or snapshot changed. */
  readonly onlySettings: boolean;

  constructor(readonly change: Change) {
    this.onlySettings = change.files.every((file) => {
      const judges = [file.path, file.renamedFrom ?? file.path].filter(isJudge);
      return judges.length === 0 ? !changesJudge(file) : judges.every(isRunnerSetting);
    });
    for (const file of change.files) {
      for (const path of [file.renamedFrom, file.path]) if (path !== undefined) this.byPath.set(path, file);
      if (file.renamedFrom !== undefined) this.movedFrom.set(file.path, file.renamedFrom);
    }
  }

  touchesJudge(file: FileChange): boolean {
    return changesJudge(file);
  }

  isChanged(test: TrialResult): boolean {
    return test.file === null || this.byPath.has(test.file);
  }

  /** Its file is deleted, or is none of tests any more. */
  isGone(test: TrialResult): boolean {
    const file = this.byPath.get(this.placeOf(test));
    return file !== undefined && judgeText(file.path, file.after) === null;
  }

  before(path: string): string | null {
    return this.byPath.get(path)?.before ?? null;
  }

  after(path: string): string | null {
    return this.byPath.get(path)?.after ?? null;
  }

  /** The id that a test of a moved file had before. */
  idBefore({ id, file }: TrialResult): string {
    const from = file === null ? undefined : this.movedFrom.get(file);
    if (from === undefined || file === null) return id;
    // By path, or by module as pytest does.
    const name = [file, moduleName(file)].find((one) => id.startsWith(one));
    return name === undefined ? id : (name === file ? from : moduleName(from)) + id.slice(name.length);
  }

  pathNow(path: string): string {
    return this.byPath.get(path)?.path ?? path;
  }

  /** The file of a test. Where the report names none: a changed test file with its title, else the first changed one. */
  placeOf(test: TrialResult): string {
    if (test.file !== null) return test.file;
    const tests = this.change.files.filter(changesJudge);
    const named = tests.find(({ before }) => before?.includes(readTestTitle(test)) === true) ?? tests.find(({ path }) => isTestFile(path));
    const file = named ?? tests[0];
    return file?.renamedFrom ?? file?.path ?? fileOf(test);
  }
}

/** A block of another title with so much of the same text is the same test under another name. */
const RETITLED_SHARE = 0.6;

/** The tests of the change, asked by the test that they were. */
export class NewVersions {
  private readonly byOldId: ReadonlyMap<string, TrialResult>;
  /** Tests that the base has not, by their titles and by file. */
  private readonly fresh: readonly TrialResult[];
  private readonly taken = new Set<string>();

  constructor(
    results: readonly TrialResult[],
    before: ReadonlyMap<string, TrialResult>,
    private readonly files: Files,
  ) {
    const moved = results.map((result) => ({ ...result, id: files.idBefore(result) }));
    this.byOldId = byId(moved);
    this.fresh = moved.filter(({ id }) => !before.has(id));
  }

  /** Under the same name, or one that follows what the product renamed, in another file, or under another title with much of the same text. */
  of(test: TrialResult): TrialResult | null {
    const same = this.byOldId.get(test.id) ?? this.byOldId.get(renameWords(test.id, findRenames(this.files.change)));
    if (same !== undefined) return same;
    const titles = titlesOf(test, fileOf(test)).join(' > ');
    const open = this.fresh.filter(({ id }) => !this.taken.has(id));
    const moved = open.filter((other) => titlesOf(other, fileOf(other)).join(' > ') === titles && fileOf(other) !== fileOf(test));
    const found = moved.length === 1 ? moved[0] : this.retitled(test, open);
    if (found !== undefined) this.taken.add(found.id);
    return found ?? null;
  }

  blockOf(version: TrialResult | null) {
    if (version === null) return null;
    const path = this.files.pathNow(version.file ?? this.files.placeOf(version));
    return blockOf(this.files.after(path), readTestTitle(version));
  }

  private retitled(test: TrialResult, open: readonly TrialResult[]): TrialResult | undefined {
    const file = this.files.placeOf(test);
    const was = blockOf(this.files.before(file), readTestTitle(test));
    if (was === null) return undefined;
    const alike = open
      .filter((other) => this.files.pathNow(other.file ?? file) === this.files.pathNow(file))
      .map((other) => ({ other, share: similarity(was.text, this.blockOf(other)?.text ?? '') }))
      .filter(({ share }) => share >= RETITLED_SHARE)
      .toSorted((a, b) => b.share - a.share);
    return alike[0]?.other;
  }
}

function moduleName(path: string): string {
  return path.replace(/\.\w+$/, '').replaceAll('/', '.');
}

/** Without the file; of an id that begins with a class or module, the last. */
export function titlesOf(test: TestResult, file: string): readonly string[] {
  return test.id.startsWith(`${file} > `) ? test.id.slice(file.length + ' > '.length).split(' > ') : [readTestTitle(test)];
}
