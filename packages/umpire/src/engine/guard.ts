// The guard for `umpire guard` and for each task's work in a run: reads the change, checks it, and reverts findings on request. Loaded
// late, since it loads the parsers.

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Breach, RetrialRecord, RetrialRun } from '@umpire/core/decider/events.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import type { GuardAllowance } from '@umpire/guard/findings/allowances.js';
import type { Change, FileChange, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import { foldByTest } from '@umpire/guard/findings/fold.js';
import { isOnLostChecks, listSuspects } from '@umpire/guard/retrial/clear.js';
import { changesJudge } from '@umpire/guard/retrial/judges.js';
import { revertBreaches } from '@umpire/guard/revert/revert-breaches.js';
import type { Correction, Mended } from '@umpire/guard/revert/revert-breaches.js';
import { checkChange, withRetrial } from '../critics/guard-change.js';
import type { ChangeCheck, GuardView } from '../critics/guard-change.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { GuardSettings } from '../sessions/settings.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { CONFIG } from '../sessions/project.js';
import { describeUnreadable, isTrusted, readSettingsText } from '../sessions/trust.js';
import { findBase, filesOnDisk, readChange, createFileReader, filesStaged, readFromTree } from '../work/read-change.js';
import { askGit } from '../work/git.js';
import type { Work } from '../work/inspect-work.js';
import { restoreOnDisk } from '../work/inspect-work.js';
import type { Retrial } from '../retrial/retrial.js';
import type { GuardedChange, RetrialAsked } from './guard-retrial.js';
import { ignoreUmpire, projectFor } from './project-folders.js';
import type { TreeRun } from '../retrial/run-tree.js';

export interface GuardParameters {
  readonly project?: string;
  /** Default: the last commit, or the fork point from the main branch if nothing is uncommitted. */
  readonly base?: string;
  /** The change is somebody else's, such as an agent's: its own allowances do not count. Always so where the base is named. */
  readonly isOthers?: boolean;
  readonly scope?: GuardScope;
  /** Test reports of the two sides. */
  readonly reportBefore?: string;
  readonly reportAfter?: string;
  /** Check staged files instead of the files on disk. */
  readonly staged?: boolean;
  readonly revert?: boolean;
  /** Runs the tests of the base and of the change with this command. */
  readonly retrial?: RetrialAsked;
  readonly now?: () => Date;
  /** Called with notes for the person, such as which folder is checked. */
  readonly onNote?: (note: string) => void;
}

export interface GuardRun extends GuardView {
  readonly base: string;
  /** The base as text. */
  readonly against: string;
  readonly scope: GuardScope;
  readonly files: number;
  /** Allowances that the change itself adds. */
  readonly newAllowances: readonly GuardAllowance[];
  /** Only where it was asked for. */
  readonly retrial?: RetrialRecord;
  /** The reverted changes and the remaining breaches. */
  readonly reverted?: { readonly corrections: readonly Correction[]; readonly left: GuardView['findings']; readonly kept: string };
}

export async function guardProject(request: GuardParameters): Promise<GuardRun> {
  const project = projectFor(request.project, request.onNote);
  const { repository, base, words } = findBase(project, request.base ?? null);
  const { checkout, prefix } = repository;
  const index = { ...checkout, ...indexOfHook() };
  const to = request.staged === true ? await askGit(index, ['write-tree']) : null;
  // An allowance that is not staged does not count for staged files.
  const text =
    to === null ? readSettingsText(project, request.onNote) : await readFromTree({ gitTarget: checkout, prefix, tree: to }, CONFIG);
  const settings = await readGuardSettings(text, project, request.onNote);
  const read = await readChange({ gitTarget: checkout, prefix, base, to });
  const earlier = await earlierSettings(read.files, settings);
  // A change cannot set its own scope.
  const scope = request.scope ?? earlier.scope ?? 'any';
  // Whoever names the base judges somebody else's change, such as a pull request.
  const { allowances } = request.base === undefined && request.isOthers !== true ? settings : earlier;
  const ran = await ranOf(request, project);
  const same = to === null ? filesOnDisk(project) : await filesStaged(index, prefix, project);
  const check: ChangeCheck = {
    change: read,
    scope,
    same: createFileReader(same),
    ...(ran === null ? {} : { ran }),
    allowances,
    today: (request.now?.() ?? new Date()).toISOString().slice(0, 10),
    unread: read.problems,
    settings: CONFIG,
  };
  const seen = checkChange(check);
  const retrial =
    request.retrial === undefined
      ? null
      : await retryFor(request.retrial, request, {
          project,
          repository,
          base,
          to,
          check,
          suspects: listSuspects([...seen.findings, ...seen.notes], read),
        });
  const view = retrial === null ? seen : withRetrial(seen, retrial, allowances, check.today);
  const run = {
    ...view,
    findings: foldByTest(view.findings),
    notes: foldByTest(view.notes),
    ...(retrial === null ? {} : { retrial: summarize(retrial) }),
    base,
    against: words,
    scope,
    files: read.files.length,
    newAllowances: newAllowances(earlier, settings),
  };
  if (request.revert !== true) return run;
  if (view.findings.length === 0) throw new UmpireError('guard-nothing', { base: words });
  const mended = correctionsFor(check, placeProven(view.findings, [...view.findings, ...view.notes]));
  const kept = keepCopies(project, read.files, mended.corrections, request.now?.() ?? new Date());
  await restoreOnDisk(checkout, base, read, mended.corrections);
  const after = await readChange({ gitTarget: checkout, prefix, base, to: null });
  const { ran: _, ...plain } = check;
  // The files on disk decide: they are checked again if they differ from the plan, or if a note may be gone with them.
  const { findings: left, notes } =
    view.notes.length === 0 && hasSameFiles(after, mended.change)
      ? { findings: mended.left, notes: [] }
      : checkChange({ ...plain, same: createFileReader(same), change: after });
  return { ...run, notes: foldByTest(notes), reverted: { corrections: mended.corrections, left: foldByTest(left), kept } };
}

/** Loaded late, since it loads the critics. */
async function retryFor(asked: RetrialAsked, { base, onNote }: GuardParameters, place: GuardedChange): Promise<Retrial> {
  const { retryChange } = await import('./guard-retrial.js');
  return retryChange({ ...place, asked, isNamedBase: base !== undefined, ...(onNote === undefined ? {} : { onNote }) });
}

/** In a hook, git names the index to commit: with `commit -a` or with paths it is not the default one. */
function indexOfHook(): { readonly index?: string } {
  const index = process.env['GIT_INDEX_FILE'];
  return index === undefined || index === '' ? {} : { index: resolve(index) };
}

function hasSameFiles(one: Change, other: Change): boolean {
  const texts = new Map(one.files.map((file) => [file.path, file]));
  return (
    texts.size === other.files.length &&
    other.files.every(({ path, after, renamedFrom }) => {
      const file = texts.get(path);
      return file !== undefined && file.after === after && file.renamedFrom === renamedFrom;
    })
  );
}

/** A clone must not stop the guard by an invalid value: settings that cannot be read count only if a person trusts them. */
async function readGuardSettings(text: string | null, project: string, onNote?: (note: string) => void): Promise<GuardSettings> {
  const file = join(project, CONFIG);
  try {
    return await parseGuard(text, file);
  } catch (error) {
    if (!isUmpireError(error) || isTrusted(file, text ?? '', project)) throw error;
    onNote?.(describeUnreadable(error.message));
    return DEFAULT_SETTINGS.guard;
  }
}

async function parseGuard(text: string | null, file: string): Promise<GuardSettings> {
  if (text === null) return DEFAULT_SETTINGS.guard;
  const { parseSettings } = await import('../sessions/read-settings.js');
  return parseSettings(text, file).guard;
}

/** The settings before the change. */
async function earlierSettings(files: readonly FileChange[], settings: GuardSettings): Promise<GuardSettings> {
  const changed = files.find(({ path }) => path === CONFIG);
  return changed === undefined ? settings : parseGuard(changed.before, CONFIG).catch(() => DEFAULT_SETTINGS.guard);
}

/** People must know of an allowance that comes with the change it allows. */
function newAllowances(earlier: GuardSettings, { allowances }: GuardSettings): readonly GuardAllowance[] {
  const old = new Set(earlier.allowances.map((one) => JSON.stringify(one)));
  return allowances.filter((one) => !old.has(JSON.stringify(one)));
}

/** Copies the files before a revert, since git may not have them. Returns the folder. */
function keepCopies(project: string, files: readonly FileChange[], corrections: readonly Correction[], now: Date): string {
  const stamp = join('.umpire', 'reverted', now.toISOString().replaceAll(/[-:]|\.\d+Z/g, ''));
  let folder = stamp;
  for (let number = 2; existsSync(join(project, folder)); number += 1) folder = `${stamp}-${number}`;
  const home = join(project, '.umpire', 'reverted');
  if (lstatOf(home)?.isSymbolicLink() === true)
    throw new UmpireError('write-failed', { path: join('.umpire', 'reverted'), detail: 'it is a link' });
  const named = new Set(corrections.map(({ path }) => path));
  const there = files.filter(({ path, after }) => named.has(path) && after !== null).map(({ path }) => path);
  try {
    for (const path of there) {
      mkdirSync(dirname(join(project, folder, path)), { recursive: true });
      // Under another name, or the runner would find the tests again.
      cpSync(join(project, path), join(project, folder, `${path}.kept`), { verbatimSymlinks: true });
    }
    if (there.length > 0) ignoreUmpire(project);
  } catch (error) {
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  return there.length === 0 ? '' : folder;
}

async function ranOf(request: GuardParameters, project: string): Promise<NonNullable<ChangeCheck['ran']> | null> {
  const { reportBefore, reportAfter } = request;
  if (reportBefore === undefined && reportAfter === undefined) return null;
  return {
    ...(reportBefore === undefined ? {} : { before: await resultsOf(reportBefore, project) }),
    ...(reportAfter === undefined ? {} : { after: await resultsOf(reportAfter, project) }),
  };
}

async function resultsOf(path: string, project: string): Promise<readonly TestResult[]> {
  // Most checks have no reports, and the readers are slow to load.
  const { readReports } = await import('./read.js');
  const { reports } = await readReports({ reports: [resolve(path)], root: project, keep: Infinity });
  const results = reports.flatMap(({ results: found = [] }) => found);
  if (results.length > 0) return results;
  throw new UmpireError('guard-report', { path, detail: reports[0]?.problems[0]?.message ?? 'it has no tests' });
}

/**
 * The edits that remove these findings without new ones that `counts`. They ignore the test report of the change, which describes the
 * state before the edits.
 */
export function correctionsFor(
  request: ChangeCheck,
  findings: readonly GuardFinding[],
  counts: (finding: GuardFinding) => boolean = () => true,
): Mended {
  const before = request.ran?.before;
  const ran = before === undefined ? {} : { before };
  const same = withoutChange(request);
  return revertBreaches(request.change, findings, (change) => {
    const { findings: left, problems } = checkChange({ ...request, change, same, unread: [], ran });
    return { findings: left.filter(counts), unread: new Set(problems.map(({ file }) => file)) };
  });
}

/** Reverted files have their old content, whatever is on disk. */
function withoutChange({ change, same }: ChangeCheck): ChangeCheck['same'] {
  const old = new Map<string, string | null>();
  for (const { path, renamedFrom } of change.files) if (renamedFrom !== undefined) old.set(path, null);
  for (const { path, before, renamedFrom } of change.files)
    if (before !== null || renamedFrom === undefined) old.set(renamedFrom ?? path, before);
  return (path) => (old.has(path) ? (old.get(path) ?? null) : same(path));
}

export interface WorkInspection {
  readonly scope: GuardScope;
  /** Breaches are reverted, not only reported. */
  readonly reverts: boolean;
  readonly allowances: readonly GuardAllowance[];
  readonly today: string;
  /** Test results measured on the commit that the task started from. */
  readonly measured: readonly TestResult[];
  /** Files with tests that failed there under the command of the `until` loop. */
  readonly goalFiles: readonly string[];
  /** The command of the `until` loop. */
  readonly command?: string | undefined;
  /** Null: the tests did not run. `suspects`: files whose tests may ask for less. */
  readonly retry: (suspects: readonly string[]) => Promise<Retrial | null>;
}

export interface InspectedWork {
  readonly breaches: readonly Breach[];
  readonly corrections: readonly Correction[];
  readonly retrial: Retrial | null;
}

/** Lost strength is proven by file: the suspicions there have the lines to revert. */
function placeProven(breaches: readonly GuardFinding[], suspicions: readonly GuardFinding[]): readonly GuardFinding[] {
  const placed = breaches.flatMap((finding) => {
    const lines =
      finding.rule === 'strength-lost' ? suspicions.filter((other) => other.file === finding.file && isOnLostChecks(other)) : [];
    return lines.length === 0 ? [finding] : lines;
  });
  return [...new Set(placed)];
}

const MOST_BREACHES = 50;

/** Where only tests may change, these are breaches too; but the test may have been wrong, so they stay. */
const ONLY_REPORTED: ReadonlySet<GuardFinding['rule']> = new Set(['rebaselined', 'expectation-changed', 'old-tests-fail']);

export async function inspectWork({ change, folder }: Pick<Work, 'change' | 'folder'>, inspection: WorkInspection): Promise<InspectedWork> {
  const { scope, reverts, allowances, today, measured, goalFiles, command, retry } = inspection;
  try {
    const ran = measured.length === 0 ? {} : { ran: { before: measured } };
    const request = {
      change,
      scope,
      same: createFileReader(filesOnDisk(folder)),
      ...ran,
      goalFiles,
      allowances,
      today,
      mustBeRead: true,
      command,
    };
    const read = checkChange(request);
    const retrial = await retry(listSuspects([...read.findings, ...read.notes], change));
    const weighFindings = (seen: GuardView, counts: (finding: GuardFinding) => boolean): GuardView =>
      retrial === null ? seen : withRetrial(seen, { ...retrial, findings: retrial.findings.filter(counts) }, allowances, today);
    const view = weighFindings(read, () => true);
    const cleared = new Set(view.cleared?.map(({ fingerprint }) => fingerprint));
    const isReverted = ({ rule, fingerprint }: GuardFinding): boolean => reverts && !ONLY_REPORTED.has(rule) && !cleared.has(fingerprint);
    const reverted = view.findings.filter(isReverted);
    if (reverted.length === 0) return { breaches: keptFindings(view), corrections: [], retrial };
    const placed = placeProven(reverted, [...reverted, ...view.notes]).flatMap((finding) => {
      // Where the tests themselves are unchanged, other judges keep them from running: all of these are reverted.
      const { files } = change;
      const isIn = files.some(({ path, renamedFrom }) => finding.file === path || finding.file === renamedFrom);
      if (finding.group !== 'retrial' || isIn) return [finding];
      const judges = files.filter(changesJudge);
      return judges.map(({ path }) => ({ ...finding, file: path, before: null, after: null }));
    });
    const { corrections: made, change: honest } = correctionsFor(request, placed, isReverted);
    const how = new Map(made.map((one) => [one.path, one.how]));
    const taken = reverted.map((finding) => breachOf(finding, how.get(finding.file) ?? 'file'));
    if (view.notes.length === 0 && view.findings.length === reverted.length)
      return { breaches: taken.slice(0, MOST_BREACHES), corrections: made, retrial };
    // The revert may have removed other findings too.
    const left = weighFindings(
      checkChange({ ...request, change: honest }),
      ({ level, file }) => level === 'note' && how.get(file) !== 'file',
    );
    const kept = keptFindings({ findings: left.findings.filter((finding) => !isReverted(finding)), notes: left.notes });
    return { breaches: [...taken, ...kept].slice(0, MOST_BREACHES), corrections: made, retrial };
  } catch (error) {
    if (isUmpireError(error)) throw error;
    // Work that could not be checked is not merged.
    throw new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

/** Findings that are reported and stay in the work: breaches first. */
function keptFindings({ findings, notes }: Pick<GuardView, 'findings' | 'notes'>): readonly Breach[] {
  return foldByTest([...findings, ...notes])
    .slice(0, MOST_BREACHES)
    .map((finding) => breachOf(finding, null));
}

function breachOf({ rule, level, file, line, message }: GuardFinding, taken: Breach['taken']): Breach {
  return { rule, file, line, message, taken, ...(level === 'note' ? { level } : {}) };
}

export function summarize({ runs, problem, mutants }: Pick<Retrial, 'runs' | 'problem' | 'mutants'>): RetrialRecord {
  if (mutants === null) return { problem, runs: runs.map(runRecord) };
  const { found, tried, kept, lost, durationMs } = mutants;
  return { problem, runs: runs.map(runRecord), mutants: { found, tried, kept, lost, duration_ms: durationMs } };
}

function runRecord({ tree, commit, command, exitStatus, passed, results, durationMs, started, problem }: TreeRun): RetrialRun {
  const count = (...statuses: readonly string[]): number => results?.filter(({ status }) => statuses.includes(status)).length ?? 0;
  const tests = results === null ? null : { passed: count('passed'), failed: count('failed', 'errored'), skipped: count('skipped') };
  return { tree, commit, command, passed, exit_status: exitStatus, tests, started, duration_ms: durationMs, problem };
}
