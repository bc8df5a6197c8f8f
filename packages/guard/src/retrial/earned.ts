// What a passing command has earned: the tests that it was to make pass are seen to pass, by name, with the base's judge too, and no test
// that ran at the base is missing. Pure.

import type { Change } from '../change.js';
import { fileOf } from '../change.js';
import { oldResult } from './compare.js';
import type { TrialRun } from './compare.js';
import { isTestFile } from './judges.js';
import { asksForSetting, goneNames, lacksWhatIsGone } from './lacks.js';
import { blockOf, readTestTitle } from './test-text.js';
import { byId, Files, hasFailed, NewVersions } from './versions.js';
import type { TrialResult } from './versions.js';

export interface Earning {
  readonly change: Change;
  readonly base: TrialRun;
  /** With its own judge. It passed. */
  readonly now: TrialRun;
  /** The base's judge on the new code. Null: the change touches no judge. */
  readonly old: TrialRun | null;
}

export interface Earned {
  /** Goal tests that ran and did not pass. */
  readonly unseen: readonly TrialResult[];
  /** Ran at the base and did not run now. */
  readonly lost: readonly TrialResult[];
  /** Goal tests that pass only with the new judge. */
  readonly changed: readonly TrialResult[];
  /** Goal tests whose old version cannot run on the new code. */
  readonly unsure: readonly TrialResult[];
  /** Other tests that passed at the base, and whose old version does not pass on the new code. */
  readonly doubtful: readonly TrialResult[];
}

type Fate = keyof Earned;

export function judgeEarned(earning: Earning): Earned {
  const found: Record<Fate, TrialResult[]> = { unseen: [], lost: [], changed: [], unsure: [], doubtful: [] };
  for (const [fate, test] of new Earnings(earning).fates()) found[fate].push(test);
  return found;
}

/** Where nothing has a name, the command stands for its tests. */
export const THE_COMMAND: TrialResult = { id: 'the command', status: 'failed', file: null, message: null };

class Earnings {
  private readonly files: Files;
  private readonly before: ReadonlyMap<string, TrialResult>;
  private readonly old: ReadonlyMap<string, TrialResult> | null;
  /** Of the base's judge nothing is known but that it did not pass: how each test did, nobody knows. */
  private readonly isOldUnknown: boolean;
  private readonly now: readonly TrialResult[];
  private readonly versions: NewVersions;

  constructor(private readonly earning: Earning) {
    const { change, base, now, old } = earning;
    this.files = new Files(change);
    this.before = byId(base.results ?? []);
    this.old = old?.results === undefined || old.results === null ? null : byId(old.results);
    this.isOldUnknown = old !== null && old.results === null && old.passed !== true;
    this.now = now.results ?? [];
    this.versions = new NewVersions(this.now, new Map([...(this.old ?? []), ...this.before]), this.files);
  }

  *fates(): Iterable<readonly [Fate, TrialResult]> {
    const { base, now, old } = this.earning;
    let isTold = false;
    for (const [fate, test] of this.namedFates()) {
      isTold ||= fate === 'changed';
      yield [fate, test];
    }
    // No test says what the command waits for, so its exit status does.
    const isNamed = base.results !== null && now.results !== null && [...this.before.values()].some(hasFailed);
    if (isNamed || isTold || old === null || old.passed === true) return;
    if (base.passed !== false) {
      if (base.results === null && old.passed === false) yield ['doubtful', THE_COMMAND];
    } else if (this.files.onlySettings && asksForSetting(base.output, this.earning.change)) yield ['doubtful', THE_COMMAND];
    else yield [old.passed === null || lacksWhatIsGone(old.output, this.earning.change) ? 'unsure' : 'changed', THE_COMMAND];
  }

  private *namedFates(): Iterable<readonly [Fate, TrialResult]> {
    const { base, now } = this.earning;
    if (now.results !== null) {
      for (const test of this.before.values()) {
        const fate = test.status === 'skipped' ? null : this.isPlaceOfTests(test) ? this.fateOfPlace(test) : this.fateOf(test);
        if (fate !== null) yield [fate, test];
      }
      yield* this.undeclaredAtBase();
      // A command that passes although its own tests fail has not passed, unless it did so at the base.
      const agrees = base.passed !== true || ![...this.before.values()].some(hasFailed);
      for (const test of now.results) if (agrees && hasFailed(test) && !this.before.has(this.files.idBefore(test))) yield ['unseen', test];
    }
  }

  private fateOf(test: TrialResult): Fate | null {
    const version = this.versions.of(test);
    if (version === null || version.status === 'skipped') return this.isExcused(test) ? null : 'lost';
    const isGoal = hasFailed(test) && this.earning.base.passed !== true;
    if (hasFailed(version)) return isGoal ? 'unseen' : null;
    const how = this.isOldUnknown ? 'stuck' : this.old === null ? 'passes' : oldResult(test, this.old, this.files);
    if (how === 'passes' || (how === 'stuck' && this.isAsItWas(test, version, isGoal))) return null;
    return isGoal ? (how === 'fails' ? 'changed' : 'unsure') : 'doubtful';
  }

  /** What it tested is gone from the product. No goal is excused, and a test that passes on the new code has not lost what it tests. */
  private isExcused(test: TrialResult): boolean {
    const { change } = this.earning;
    if (hasFailed(test)) return this.earning.base.passed === true;
    const was = this.old?.get(test.id);
    if (was?.status === 'passed') return this.isOneOfUnstable(test);
    if (this.isOneOfUnstable(test)) return true;
    if (was !== undefined) return lacksWhatIsGone(was.message ?? '', change);
    // Its file or package could not be loaded for the lack of something that it mentions.
    const broken = [...(this.old?.values() ?? [])].filter(
      (other) => hasFailed(other) && (other.file === null || fileOf(other) === fileOf(test)),
    );
    const names = goneNames(change);
    const block = blockOf(this.files.before(this.files.placeOf(test)), readTestTitle(test));
    return (
      broken.some(({ message }) => lacksWhatIsGone(message ?? '', change)) &&
      block?.text.match(WORD)?.some((word) => names.has(word)) === true
    );
  }

  /** Names with numbers or hashes that differ from run to run: as many of one form ran now. */
  private isOneOfUnstable(test: TrialResult): boolean {
    const form = formOf(test);
    if (form === test.id) return false;
    const count = (tests: Iterable<TrialResult>): number =>
      [...tests].filter((one) => formOf(one) === form && one.status !== 'skipped').length;
    return count(this.now) >= count(this.before.values());
  }

  /** The old version cannot run, but the new one is the same text, or the same but for what was renamed. */
  private isAsItWas(test: TrialResult, version: TrialResult, isGoal: boolean): boolean {
    const { change } = this.earning;
    const touched = change.files.filter((file) => this.files.touchesJudge(file));
    if (!touched.every(({ path }) => isTestFile(path))) return false;
    const place = this.files.placeOf(test);
    const before = this.files.before(place);
    const after = this.files.after(this.files.pathNow(place));
    const [was, is] = [blockOf(before, readTestTitle(test))?.text, this.versions.blockOf(version)?.text];
    // In such a file nothing changed that could have made it pass.
    if (this.isOldUnknown && !touched.some(({ path, renamedFrom = path }) => path === place || renamedFrom === place)) return true;
    if (was === undefined || is === undefined || before === null || after === null) return false;
    const names = goneNames(change);
    if (!isSameButForNames(was, is, names)) return false;
    // What stands around a goal test may change what it checks.
    return !isGoal || isSameButForNames(before.replace(was, ''), after.replace(is, ''), names);
  }

  /** A file, package or build that could not be loaded at the base: all its tests are meant. */
  private isPlaceOfTests(test: TrialResult): boolean {
    return test.status === 'errored' && !this.now.some(({ id }) => id === test.id) && this.theirs(this.now, test).length > 0;
  }

  private theirs(tests: Iterable<TrialResult>, place: TrialResult): readonly TrialResult[] {
    const path = place.file === null ? null : this.files.pathNow(place.file);
    return [...tests].filter((test) => path === null || fileOf(test) === path || fileOf(test) === place.file);
  }

  private fateOfPlace(place: TrialResult): Fate | null {
    const now = this.theirs(this.now, place);
    if (now.some(hasFailed)) return 'unseen';
    if (!now.some(({ status }) => status === 'passed')) return 'lost';
    if (this.isOldUnknown) return 'unsure';
    if (this.old === null) return null;
    const old = this.theirs(this.old.values(), place);
    if (old.some((test) => hasFailed(test) && !lacksWhatIsGone(test.message ?? '', this.earning.change))) return 'changed';
    return old.some(({ status }) => status === 'passed') && !old.some(hasFailed) ? null : 'unsure';
  }

  /** The base's judge declares them, and nobody saw them run at the base: the command broke off before, or they could not be loaded. */
  private *undeclaredAtBase(): Iterable<readonly [Fate, TrialResult]> {
    if (this.old === null || this.earning.base.passed !== false) return;
    const ran = new Set(this.now.map((test) => this.files.idBefore(test)));
    for (const test of this.old.values()) {
      if (this.before.has(test.id) || test.status === 'skipped' || this.isOneOfUnstable(test)) continue;
      if (!ran.has(test.id) && this.versions.of(test) === null) yield ['lost', test];
      else if (this.earning.base.results === null && hasFailed(test))
        yield [lacksWhatIsGone(test.message ?? '', this.earning.change) ? 'unsure' : 'changed', test];
    }
  }
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

function formOf({ id }: TrialResult): string {
  return id.replace(/\b[0-9a-f]{8,}\b|\d+/gi, '#');
}

/** One text is the other with each name that is gone put in the place of one other name. */
export function isSameButForNames(was: string, is: string, gone: ReadonlySet<string>): boolean {
  const [old, now] = [tokensOf(was), tokensOf(is)];
  const renamed = new Map<string, string>();
  return (
    old.length === now.length &&
    old.every((token, at) => {
      const other = now[at] ?? '';
      if (token === other) return !renamed.has(token);
      if (!gone.has(token) || (renamed.get(token) ?? other) !== other) return false;
      renamed.set(token, other);
      return true;
    })
  );
}

function tokensOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? [];
}
