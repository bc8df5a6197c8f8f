// Asks the guard package about a change and applies the project's allowances. The critics of review and debt count tests that the whole
// change weakened. Loaded late, since it loads the parsers.

import { isUmpireError } from '@umpire/core/model/errors.js';
import type { UnverifiedCheck } from '@umpire/core/formats/unverified-checks.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { weigh } from '@umpire/guard/findings/allowances.js';
import type { GuardAllowance, Weighed } from '@umpire/guard/findings/allowances.js';
import type { Change, FileChange, GuardInput, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import type { GuardRule } from '@umpire/guard/findings/rule-names.js';
import { guardChange } from '@umpire/guard/guard.js';
import { roleOf } from '@umpire/guard/project/paths.js';
import { isOnLostChecks, listSuspects, weighByRetrial, withoutAllowed } from '@umpire/guard/retrial/clear.js';
import { touchesJudges } from '@umpire/guard/retrial/compare.js';
import { CONFIG } from '../sessions/project.js';
import { createFileReader, filesOnDisk, findBase, readChange } from '../work/read-change.js';
import type { AskedRetrial, CriticJob } from './critic.js';
import { describeDoubtful } from './failure-lines.js';
import { pathTest } from '../runners/project-files.js';
import type { RetrialFindings } from '@umpire/guard/retrial/clear.js';

interface GuardProblem {
  readonly file: string;
  readonly message: string;
}

export interface GuardView extends Weighed {
  /** Files that could not be parsed. */
  readonly problems: readonly GuardProblem[];
  /** Files in languages that the guard does not read. */
  readonly unread: readonly string[];
  /** Some of `problems` are tests, so nobody knows what they check. */
  readonly isBlind: boolean;
}

export interface ChangeCheck {
  readonly change: Change;
  readonly scope: GuardScope;
  readonly same: (path: string) => string | null;
  readonly ran?: NonNullable<GuardInput['ran']>;
  readonly goalFiles?: readonly string[];
  readonly allowances: readonly GuardAllowance[];
  /** As YYYY-MM-DD. */
  readonly today: string;
  /** Files that could not be opened. */
  readonly unread?: readonly GuardProblem[];
  readonly mustBeRead?: boolean;
  readonly command?: string | undefined;
  /** The settings file, if a person may change it: new allowances in it are reported separately. */
  readonly settings?: string;
}

export function checkChange({
  change,
  scope,
  same,
  ran,
  goalFiles,
  allowances,
  today,
  unread = [],
  settings,
  mustBeRead = false,
  command,
}: ChangeCheck): GuardView {
  const report = guardChange({
    change,
    scope,
    same,
    mustBeRead,
    ...(ran === undefined ? {} : { ran }),
    ...(goalFiles === undefined ? {} : { goalFiles }),
    ...(command === undefined ? {} : { command }),
  });
  const files = new Map(change.files.flatMap((file) => [file.renamedFrom ?? file.path, file.path].map((path) => [path, file] as const)));
  const found = report.findings.filter(({ file }) => file !== settings).map((finding) => inWholeLines(finding, files.get(finding.file)));
  const unopened = new Set(unread.map(({ file }) => file));
  const problems = [...unread, ...report.problems.filter(({ file }) => !unopened.has(file))];
  const isBlind = problems.some(({ file }) => isTestCode(file));
  return { ...weigh(found, allowances, today, pathTest), problems, unread: report.unread, isBlind };
}

/** Shows whole lines instead of the few characters that a rule points at. */
function inWholeLines(finding: GuardFinding, file: FileChange | undefined): GuardFinding {
  const lines = (version: GuardFinding['before'], text: string | null | undefined): GuardFinding['before'] => {
    if (version === null || text === null || text === undefined || text.slice(version.from, version.to) !== version.text) return version;
    const from = version.from === 0 ? 0 : text.lastIndexOf('\n', version.from - 1) + 1;
    const next = text.indexOf('\n', Math.max(version.from, version.to - 1));
    const to = next < 0 ? text.length : next;
    return { ...version, from, to, text: text.slice(from, to) };
  };
  return { ...finding, before: lines(finding.before, file?.before), after: lines(finding.after, file?.after) };
}

export interface WeakenedTests {
  /** Breaches that no allowance covers: tests that were deleted, skipped or weakened. */
  readonly breaches: readonly GuardFinding[];
  /** Why tests of the change could not be checked, one sentence; null where all were. */
  readonly problem: string | null;
  /** What nobody could look at, and tests that pass only as the change has them: an approval over them is marked. */
  readonly unverified: readonly UnverifiedCheck[];
  /** What ran to find them. */
  readonly uses: readonly ToolUse[];
}

/** Comments for type checkers and linters say nothing of what a test still checks. */
const MARKS_FOR_TOOLS: ReadonlySet<GuardRule> = new Set(['type-suppressed', 'lint-disabled']);

/** Tests that the files on disk weaken against the base commit. None where the settings turn the guard off for this loop. */
export async function findWeakenedTests(job: CriticJob, loop: 'review' | 'debt', base: string): Promise<WeakenedTests> {
  const { allowances, loops } = job.guard;
  if (loops[loop]?.breaches === 'off') return { breaches: [], problem: null, unverified: [], uses: [] };
  try {
    const { checkout, prefix } = findBase(job.project, base).repository;
    const change = await readChange({ gitTarget: checkout, prefix, base, to: null });
    const today = job.now().toISOString().slice(0, 'YYYY-MM-DD'.length);
    const read = checkChange({
      change,
      scope: 'any',
      same: createFileReader(filesOnDisk(job.project)),
      allowances,
      today,
      unread: change.problems,
      mustBeRead: true,
      settings: CONFIG,
    });
    const isAsked = job.settings.tests !== 'none' && touchesJudges(change);
    const retrial = isAsked
      ? ((await job.retry?.(job, change, base, {
          behaviourIsFixed: loop === 'debt',
          suspects: listSuspects([...read.findings, ...read.notes], change),
        })) ?? null)
      : null;
    const { findings, notes, problems, isBlind, allowed } = retrial === null ? read : withRetrial(read, retrial, allowances, today);
    const found = findings.filter(({ group, rule }) => group !== 'files' && !MARKS_FOR_TOOLS.has(rule));
    // What ran comes first, and says enough of its test.
    const breaches = found.filter((one, index) => !found.slice(0, index).some((other) => isSameTest(one, other)));
    const problem = isBlind ? blindWords(problems) : null;
    const isDecided = retrial !== null && retrial.problem === null;
    const unverified = [
      ...describeBlindness(problem),
      ...(retrial === null ? [] : describeDoubts(retrial, allowed)),
      ...(isDecided ? [] : describeSuspicions(notes)),
    ];
    return { breaches, problem, unverified, uses: retrial?.uses ?? [] };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    const problem = `The guard could not read the change: ${error.message}`;
    return { breaches: [], problem, unverified: describeBlindness(problem), uses: [] };
  }
}

function describeBlindness(problem: string | null): readonly UnverifiedCheck[] {
  return problem === null ? [] : [{ name: 'guard', problem }];
}

/** Suspicions that no run could prove or clear. A rewritten value is a note of its own. */
function describeSuspicions(notes: readonly GuardFinding[]): readonly UnverifiedCheck[] {
  const open = notes.filter((note) => isOnLostChecks(note) && note.rule !== 'rebaselined');
  if (open.length === 0) return [];
  const places = open.slice(0, MOST_PLACES).map(({ rule, file, line }) => `${rule} at ${file}:${line}`);
  const more = open.length > MOST_PLACES ? ` and ${open.length - MOST_PLACES} more` : '';
  return [{ name: 'guard', problem: `No run of the tests proved or cleared: ${places.join('; ')}${more}` }];
}

const MOST_PLACES = 5;

/** What a person allows is in no doubt. */
function describeDoubts({ outcome, problem }: AskedRetrial, allowed: Weighed['allowed']): readonly UnverifiedCheck[] {
  const doubtful = withoutAllowed(
    outcome.doubtful,
    allowed.map(({ finding }) => finding),
  );
  return [...describeDoubtful(doubtful), ...(problem === null ? [] : [{ name: "the base's tests on the new code", problem }])];
}

function blindWords(problems: readonly GuardProblem[]): string {
  const [first, ...more] = problems.filter(({ file }) => isTestCode(file));
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `The guard could not check ${first?.file ?? ''}${others}: ${first?.message ?? ''}`;
}

function isTestCode(file: string): boolean {
  return ['test', 'support'].includes(roleOf(file));
}

export function withRetrial<View extends Weighed>(
  view: View,
  { findings, outcome }: RetrialFindings,
  allowances: readonly GuardAllowance[],
  today: string,
): View {
  const { findings: weighed, cleared } = weighByRetrial([...view.findings, ...view.notes], outcome);
  // A breach that shows how the failing test was removed says more, and an allowance may cover it.
  const removals = [...weighed.filter(({ level }) => level === 'breach'), ...view.allowed.map(({ finding }) => finding)];
  const isShownByReading = (finding: GuardFinding): boolean =>
    finding.rule === 'failing-test-removed' && removals.some((other) => isSameTest(finding, other));
  const own = weigh(
    findings.filter((finding) => !isShownByReading(finding)),
    allowances,
    today,
    pathTest,
  );
  const ran = [...own.findings, ...own.notes];
  const read = weighed.filter(
    (finding) => finding.level === 'breach' || !isOnLostChecks(finding) || !ran.some((other) => isSameTest(finding, other)),
  );
  return {
    ...view,
    findings: [...own.findings, ...read.filter(({ level }) => level === 'breach')],
    notes: [...own.notes, ...read.filter(({ level }) => level === 'note')],
    allowed: [...view.allowed, ...own.allowed],
    expired: [...new Set([...view.expired, ...own.expired])],
    cleared,
  };
}

/** Reports name suites in other ways than source does, so the last title decides. */
function isSameTest(one: GuardFinding, other: GuardFinding): boolean {
  const last = ({ test }: GuardFinding): string | undefined => test?.split(' > ').at(-1);
  return one.file === other.file && one.test !== undefined && last(one) === last(other);
}
