// The four checks of the debt critic: compares the project with its baseline. A regression was fine at the baseline and is not now. A
// failed measurement never passes; a check absent in both states is missing.

import { worstMeasured } from './check-outcome.js';
import type { CheckOutcome, Finding } from '../model/vocabulary.js';
import { isMeasured, isFailing, STATUS_RULE } from './debt-measurement.js';
import type { CheckName, DebtMeasurement, TestsMeasurement, ToolMeasurement, MeasuredTest } from './debt-measurement.js';
import { addToList } from './multimap.js';

/** A change for the worse or for the better since the baseline. */
export interface DebtItem {
  readonly check: CheckName;
  /** The id of a test, or the name of a tool that could not be measured. */
  readonly id?: string;
  /** Set for findings only. */
  readonly fingerprint?: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly rule?: string;
}

export interface CheckResult {
  readonly name: CheckName;
  readonly outcome: CheckOutcome;
  /** Never empty if the outcome is `fail`, `error` or `timeout`. */
  readonly regressions: readonly DebtItem[];
  readonly fixed: readonly DebtItem[];
  /** Parts that could not be measured or compared, one sentence each. */
  readonly problems: readonly string[];
  /** Whether a part was not measured or compared. */
  readonly isPartial: boolean;
  /** Whether a tool of it was broken at the baseline already. */
  readonly isBrokenBefore: boolean;
}

export interface DebtComparison {
  readonly checks: readonly CheckResult[];
  /** Tests that failed at the baseline and still fail. */
  readonly oldFailures: readonly string[];
  /** Tests that passed at the baseline and fail or are skipped now, and those that the change weakened, by id. No waiver covers them. */
  readonly regressedTests: readonly string[];
}

/** `after.tests.flaky`: tests that failed and passed when run again. */
export function compareStates(before: DebtMeasurement, after: DebtMeasurement, moves: FileMoves): DebtComparison {
  const tests = compareTests(before.tests, after.tests, moves);
  const types = compareTools('types', before.types, after.types, moves);
  const lint = compareTools('lint', before.lint, after.lint, moves);
  const quality = compareTools('quality', before.quality, without(after.quality, lint.regressions), moves);
  return { checks: [tests.check, types, lint, quality], oldFailures: tests.old, regressedTests: tests.regressed };
}

/** Tests that a change deleted, skipped or weakened: one item a test, if it is known already. `problem`: why some were not checked. */
export function addWeakenedTests(
  { checks, oldFailures, regressedTests }: DebtComparison,
  weakened: readonly WeakenedTest[],
  problem: string | null,
): DebtComparison {
  return {
    checks: checks.map((check) => (check.name === 'tests' ? withWeakened(check, weakened, problem) : check)),
    oldFailures,
    regressedTests: [...new Set([...regressedTests, ...weakened.map(({ id }) => id)])],
  };
}

/** `id`: as runners name it, by file and titles. */
export type WeakenedTest = Required<Pick<DebtItem, 'id' | 'message' | 'file' | 'line' | 'rule'>>;

function withWeakened(check: CheckResult, weakened: readonly WeakenedTest[], problem: string | null): CheckResult {
  const known = new Set(check.regressions.map(({ id }) => id));
  const added = weakened.filter(({ id }) => !known.has(id)).map((item) => ({ ...item, check: check.name }));
  const isCutShort = check.outcome === 'error' || check.outcome === 'timeout';
  return {
    ...check,
    outcome: weakened.length > 0 && !isCutShort ? 'fail' : check.outcome,
    regressions: [...check.regressions, ...added],
    problems: problem === null ? check.problems : [...check.problems, problem],
    isPartial: check.isPartial || problem !== null,
  };
}

/** Complexity findings of the project's own linter count under lint, and only once. */
function without(quality: readonly ToolMeasurement[], said: readonly DebtItem[]): readonly ToolMeasurement[] {
  const known = new Set(said.map(({ fingerprint }) => fingerprint));
  return quality.map((measure) => ({ ...measure, findings: measure.findings.filter(({ fingerprint }) => !known.has(fingerprint)) }));
}

function compareTools(
  name: CheckName,
  before: readonly ToolMeasurement[],
  after: readonly ToolMeasurement[],
  moves: FileMoves,
): CheckResult {
  const names = [...new Set([...after, ...before].map(({ tool }) => tool))];
  const parts = names.map((tool) => {
    const named = (each: ToolMeasurement): boolean => each.tool === tool;
    return compareTool(name, tool, before.find(named) ?? absent(tool), after.find(named) ?? absent(tool), moves);
  });
  const outcome = worstMeasured(parts.map((part) => part.outcome));
  const isBrokenBefore = parts.some((part) => part.isBrokenBefore === true);
  return {
    name,
    // What a tool that was broken before would find is unknown, so the others do not pass for it.
    outcome: outcome === 'pass' && isBrokenBefore ? 'missing' : outcome,
    regressions: parts.flatMap(({ regressions }) => regressions),
    fixed: parts.flatMap(({ fixed }) => fixed),
    problems: parts.flatMap(({ problems }) => problems),
    isPartial: parts.length === 0 || parts.some((part) => part.outcome === 'missing'),
    isBrokenBefore,
  };
}

function absent(tool: string): ToolMeasurement {
  return { tool, outcome: 'missing', problem: null, findings: [] };
}

type ToolComparison = Pick<CheckResult, 'outcome' | 'regressions' | 'fixed' | 'problems'> & Partial<Pick<CheckResult, 'isBrokenBefore'>>;

function compareTool(check: CheckName, tool: string, before: ToolMeasurement, after: ToolMeasurement, moves: FileMoves): ToolComparison {
  const isBrokenBefore = isBroken(before);
  if (after.outcome === 'error' && isBrokenBefore)
    return brokenBefore(`${tool} was broken at the baseline already. ${after.problem ?? 'It could not be measured.'}`);
  if (isBroken(after)) return unmeasured(check, tool, after.outcome, after.problem ?? `${tool} could not be measured.`);
  if (after.outcome === 'missing') {
    if (isMeasured(before.outcome)) return unmeasured(check, tool, 'fail', `${tool} ran at the baseline but not now. Set it up again.`);
    return { ...NOTHING, outcome: 'missing', problems: after.problem === null ? [] : [after.problem] };
  }
  // Without findings nothing can have regressed, even if the baseline was not measured.
  if (after.findings.length === 0 && !isMeasured(before.outcome)) return { ...NOTHING, outcome: 'pass' };
  const many = after.findings.length === 1 ? '1 finding' : `${after.findings.length} findings`;
  if (before.outcome === 'missing')
    return { ...NOTHING, outcome: 'missing', problems: [`${tool} did not run at the baseline, so nothing is compared: ${many} now.`] };
  if (isBrokenBefore) {
    const why = before.problem ?? 'it could not be measured.';
    return brokenBefore(`${tool} has ${many}, but no baseline to compare with. At the baseline: ${why}`);
  }
  if (isSilent(before) && isSilent(after))
    return brokenBefore(`${tool} fails as it did at the baseline and prints no known report, so its findings are not compared.`);
  const { added, removed } = differFindings(before.findings, after.findings, moves);
  const item = ({ fingerprint, message, artifact: file, line, rule }: (typeof added)[number]): DebtItem => ({
    check,
    fingerprint,
    message,
    file,
    line,
    ...(rule === undefined ? {} : { rule }),
  });
  return { outcome: added.length > 0 ? 'fail' : 'pass', regressions: added.map(item), fixed: removed.map(item), problems: [] };
}

const NOTHING = { regressions: [], fixed: [], problems: [] } as const;

function isBroken({ outcome }: Pick<ToolMeasurement, 'outcome'>): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

/** It says that it failed, and not why. */
function isSilent({ findings }: ToolMeasurement): boolean {
  return findings.length > 0 && findings.every(({ rule }) => rule === STATUS_RULE);
}

/** The change did not break it, and what it would find is unknown: neither a regression nor a pass. */
function brokenBefore(problem: string): ToolComparison {
  return { ...NOTHING, outcome: 'missing', problems: [problem], isBrokenBefore: true };
}

/** A failed measurement counts as a regression, so that the fixer hears of it. */
function unmeasured(check: CheckName, id: string, outcome: CheckOutcome, problem: string): ToolComparison {
  return { outcome, regressions: [{ check, id, message: problem, file: null, line: null }], fixed: [], problems: [problem] };
}

function compareTests(
  before: TestsMeasurement,
  after: TestsMeasurement,
  moves: FileMoves,
): { readonly check: CheckResult; readonly old: readonly string[]; readonly regressed: readonly string[] } {
  const part = (made: ToolComparison, isPartial: boolean, old: readonly string[] = [], regressed: readonly string[] = []) => ({
    check: { name: 'tests' as const, isBrokenBefore: false, ...made, isPartial },
    old,
    regressed,
  });
  if (after.outcome === 'error' && isBroken(before))
    return part(brokenBefore(`The tests could not run at the baseline already. ${after.problem ?? ''}`.trim()), true);
  if (isBroken(after)) return part(unmeasured('tests', 'tests', after.outcome, after.problem ?? 'The tests could not be run.'), false);
  if (after.outcome === 'missing') {
    const why = after.problem ?? 'No runnable tests found.';
    if (!isMeasured(before.outcome)) return part({ ...NOTHING, outcome: 'missing', problems: [why] }, true);
    return part(unmeasured('tests', 'tests', 'error', `Tests ran at the baseline, but none can run now. ${why}`), false);
  }
  if (isBroken(before)) {
    const why = before.problem ?? 'they could not be run.';
    const message = `The tests could not run at the baseline, so regressions are unknown. Choose another baseline with --base. ${why}`;
    return part(brokenBefore(message), true);
  }
  const { worse, fixed, old } = differTests(before, after, moves);
  const flaky = new Set(after.flaky);
  const settled = worse.filter(({ id }) => !flaky.has(id));
  const regressions = settled.map(testItem);
  const regressed = settled.filter(({ change }) => change === 'fails' || change === 'skipped' || change === 'unrun').map(({ id }) => id);
  const nonePassed = before.results.length > 0 && !before.results.some(({ status }) => status === 'passed');
  const problems = [
    ...after.notes,
    ...(nonePassed ? ['No test passed at the baseline, so no test can have regressed. Does the project need a build first?'] : []),
  ];
  const mended = fixed.map((test) => ({ ...testItem({ ...test, change: 'fails' }), message: `passes: ${test.id}` }));
  const outcome = regressions.length > 0 ? 'fail' : 'pass';
  return part({ outcome, regressions, fixed: mended, problems }, nonePassed || after.notes.length > 0, old, regressed);
}

const WORDS: Readonly<Record<ChangedTest['change'], string>> = {
  fails: 'fails',
  gone: 'no longer runs',
  unrun: 'no longer runs, although it is still in its file',
  skipped: 'is skipped now',
  new: 'is new and fails',
};

function testItem({ id, file, line, message, change }: ChangedTest): DebtItem {
  const why = message === null || change === 'gone' || change === 'unrun' ? '' : `: ${message.replace(/\s+/g, ' ').trim()}`;
  return { check: 'tests', id, message: `${id} ${WORDS[change]}${why}`.slice(0, 500), file, line };
}

/** The files added and removed between the two states. */
export interface FileMoves {
  /** Present at the baseline, gone now. */
  readonly isGone: (path: string) => boolean;
  /** Present now, not at the baseline. */
  readonly isNew: (path: string) => boolean;
  /** Present at the baseline, and the same now. */
  readonly isUntouched: (path: string) => boolean;
  /** How many of its lines the change removed. */
  readonly linesRemoved: (path: string) => number;
  /** Whether the file, as it is now, has this title of a test. */
  readonly hasTitle: (path: string, title: string) => boolean;
  /** Whether settings or scripts of the project changed, which may say what runs. */
  readonly settingsChanged: boolean;
  /** Whether one of these lines changed. Of several findings with the same words, those on changed lines are the new ones. */
  readonly isChanged: (path: string | null, line: number | null, endLine?: number) => boolean;
}

interface FindingsDifference {
  readonly added: readonly Finding[];
  readonly removed: readonly Finding[];
}

function differFindings(before: readonly Finding[], after: readonly Finding[], moves: FileMoves): FindingsDifference {
  const earlier = grouped(before);
  const later = grouped(after);
  const added = surplus(later, earlier, ({ artifact, line, endLine }) => moves.isChanged(artifact, line, endLine));
  const removed = surplus(earlier, later, () => false);
  return withoutMoved(added, removed, moves);
}

function grouped(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    addToList(groups, finding.fingerprint, finding);
  }
  return groups;
}

/** Findings that `these` has more often than `those`. */
function surplus(
  these: ReadonlyMap<string, readonly Finding[]>,
  those: ReadonlyMap<string, readonly Finding[]>,
  isLikely: (finding: Finding) => boolean,
): readonly Finding[] {
  return [...these].flatMap(([fingerprint, group]) => {
    const more = group.length - (those.get(fingerprint)?.length ?? 0);
    if (more <= 0) return [];
    const likely = group.filter(isLikely);
    const others = group.filter((finding) => !isLikely(finding)).toReversed();
    return [...likely, ...others].slice(0, more);
  });
}

/** Findings that moved from a removed file to an added one. */
function withoutMoved(added: readonly Finding[], removed: readonly Finding[], { isGone, isNew }: FileMoves): FindingsDifference {
  const gone = new Map<string, Finding[]>();
  for (const finding of removed) if (finding.artifact !== null && isGone(finding.artifact)) addToList(gone, keyFinding(finding), finding);
  const moved = new Set<Finding>();
  const isMoved = (finding: Finding): boolean => {
    const from = finding.artifact !== null && isNew(finding.artifact) ? gone.get(keyFinding(finding))?.pop() : undefined;
    if (from !== undefined) moved.add(from);
    return from !== undefined;
  };
  const left = added.filter((finding) => !isMoved(finding));
  return { added: left, removed: removed.filter((finding) => !moved.has(finding)) };
}

function keyFinding({ rule, message }: Finding): string {
  return `${rule ?? ''}|${message.replace(/\d+/g, '#')}`;
}

/**
 * All passed at the baseline, except `new`. `gone`: no longer reported. `unrun`: no longer reported, although it is still in its file.
 * `skipped`: now skipped. `new`: failing since it was added.
 */
type TestChange = 'fails' | 'gone' | 'unrun' | 'skipped' | 'new';

interface ChangedTest extends MeasuredTest {
  readonly change: TestChange;
}

interface TestsDifference {
  /** In report order, with missing tests last. */
  readonly worse: readonly ChangedTest[];
  readonly fixed: readonly MeasuredTest[];
  /** Failed at the baseline and still fail. */
  readonly old: readonly string[];
}

export function differTests(before: TestsMeasurement, after: TestsMeasurement, moves: FileMoves): TestsDifference {
  const now = worstById(after.results);
  const then = renamed(worstById(before.results), now, moves);
  const flaky = new Set(before.flaky);
  // A test that passed once at the baseline can pass.
  const wasFine = (test: MeasuredTest | undefined): boolean => test !== undefined && (test.status === 'passed' || flaky.has(test.id));
  const worse = [...now.values()].flatMap((test): readonly ChangedTest[] => {
    const earlier = then.get(test.id);
    if (isFailing(test) && earlier === undefined) return [{ ...test, change: 'new' }];
    if (!wasFine(earlier) || test.status === 'passed') return [];
    return [{ ...test, change: test.status === 'skipped' ? 'skipped' : 'fails' }];
  });
  const fate = lostIn(before, after, moves);
  const gone = [...then].flatMap(([id, test]): readonly ChangedTest[] => {
    const change = wasFine(test) && !now.has(id) ? fate(test) : null;
    return change === null ? [] : [{ ...test, change }];
  });
  const failed = [...then].filter(([, test]) => isFailing(test) && !flaky.has(test.id)).map(([id]) => id);
  return {
    worse: [...worse, ...gone],
    fixed: failed.flatMap((id) => (now.get(id)?.status === 'passed' ? [now.get(id) as MeasuredTest] : [])),
    old: failed.filter((id) => isFailing(now.get(id) ?? { status: 'passed' })),
  };
}

/**
 * What it means that a test is no longer reported. Where its file is unchanged and reports as many tests as before, the titles change by
 * themselves: null. If it reports fewer, it was left out or filtered, or the run ended early. In a file that changed, so is a test whose
 * title still stands there, and each test if more tests are gone than lines.
 */
function lostIn(before: TestsMeasurement, after: TestsMeasurement, moves: FileMoves): (test: MeasuredTest) => 'gone' | 'unrun' | null {
  const [then, now] = [countByFile(before), countByFile(after)];
  return ({ id, file }) => {
    if (file === null) return 'gone';
    const [had, has] = [then.get(file) ?? 0, now.get(file) ?? 0];
    if (!moves.isUntouched(file)) {
      const isThere = (): boolean => had - has > moves.linesRemoved(file) || moves.hasTitle(file, titleOf(id));
      return moves.settingsChanged && has < had && !moves.isGone(file) && isThere() ? 'unrun' : 'gone';
    }
    return has >= had ? null : 'unrun';
  };
}

/** `a.test.js > cart > adds` and `test_a.py::test_adds` → the last part. */
function titleOf(id: string): string {
  return id.split(/ > |::/).at(-1) ?? id;
}

function countByFile({ results }: TestsMeasurement): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  // A file that could not be loaded is reported itself: it is no test.
  for (const { id, file } of results) if (id !== file) counts.set(file, (counts.get(file) ?? 0) + 1);
  return counts;
}

const BADNESS: Readonly<Record<MeasuredTest['status'], number>> = { passed: 0, skipped: 1, failed: 2, errored: 3 };

/** Two tests may share a name. The worse one counts. */
function worstById(results: readonly MeasuredTest[]): ReadonlyMap<string, MeasuredTest> {
  const byId = new Map<string, MeasuredTest>();
  for (const test of results) {
    const known = byId.get(test.id);
    if (known === undefined || BADNESS[known.status] < BADNESS[test.status]) byId.set(test.id, test);
  }
  return byId;
}

/** Maps a test of a removed file to the test with the same name in an added file, if there is exactly one. */
function renamed(
  then: ReadonlyMap<string, MeasuredTest>,
  now: ReadonlyMap<string, MeasuredTest>,
  { isGone, isNew }: FileMoves,
): ReadonlyMap<string, MeasuredTest> {
  const arrived = new Map<string, readonly string[]>();
  for (const test of now.values()) {
    const name = test.file !== null && isNew(test.file) ? nameWithin(test) : null;
    if (name !== null) arrived.set(name, [...(arrived.get(name) ?? []), test.id]);
  }
  const entries = [...then].map(([id, test]): readonly [string, MeasuredTest] => {
    const name = test.file !== null && isGone(test.file) ? nameWithin(test) : null;
    const ids = name === null ? [] : (arrived.get(name) ?? []);
    return [ids.length === 1 ? (ids[0] as string) : id, test];
  });
  return new Map(entries);
}

/** The name of a test inside its file. Null if the id does not start with the file: a rename does not change such ids. */
function nameWithin({ id, file }: MeasuredTest): string | null {
  return file !== null && id.startsWith(file) && id.length > file.length ? id.slice(file.length) : null;
}
