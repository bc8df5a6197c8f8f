// `umpire guard`: reads the change of a project, has the guard look at it, and takes breaches back where that is asked.

import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import type { GuardAllowance } from '@umpire/guard/allowances.js';
import type { Change, FileChange, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/finding.js';
import { KnownBefore } from '@umpire/guard/guard.js';
import type { Correction } from '@umpire/guard/taking-back.js';
import type { TestResult } from '@umpire/core/model.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import type { GuardSettings } from '../sessions/default-settings.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';
import { CONFIG, readConfigText } from '../sessions/project.js';
import { findBase } from '../workspace/change-base.js';
import { onDiskIn, readChange, readerOf, stagedIn, textIn } from '../workspace/change-reader.js';
import { askGit } from '../workspace/git.js';
import { restoreOnDisk } from '../workspace/restoring.js';
import { corrections, lookAt } from './guard-look.js';
import type { GuardView, LookRequest } from './guard-look.js';
import { readerBeside } from './second-reader.js';
import { ignoreUmpire, projectFor } from './places.js';

export interface GuardRequest {
  readonly project?: string;
  /** Left out: the last commit; where all is committed, the fork from the trunk. */
  readonly base?: string;
  readonly scope?: GuardScope;
  /** Test reports of the two sides. */
  readonly reportBefore?: string;
  readonly reportAfter?: string;
  /** Look at what is staged, and not at the files on disk. */
  readonly staged?: boolean;
  readonly revert?: boolean;
  readonly now?: () => Date;
  /** What the person at the keyboard should know: which folder is looked at, where they may mean another. */
  readonly onNote?: (note: string) => void;
  /** Done around each look, which is all computing: nothing is loaded within. */
  readonly around?: <Seen>(look: () => Seen) => Seen;
}

export interface GuardRun extends GuardView {
  readonly base: string;
  /** The base in words. */
  readonly against: string;
  readonly scope: GuardScope;
  /** Nobody chose the scope. */
  readonly isUsualScope: boolean;
  /** How many files the change has. */
  readonly files: number;
  /** Allowances that this change itself brings. */
  readonly newAllowances: readonly GuardAllowance[];
  /** What was taken back, and what is left after it. Source is left where nobody chose the scope that forbids it. */
  readonly reverted?: { readonly corrections: readonly Correction[]; readonly left: GuardView['findings']; readonly kept: string };
}

export async function guardProject(request: GuardRequest): Promise<GuardRun> {
  const project = projectFor(request.project, request.onNote);
  const { repository, base, words } = findBase(project, request.base ?? null);
  const { checkout, prefix } = repository;
  const index = { ...checkout, ...indexOfHook() };
  const to = request.staged === true ? await askGit(index, ['write-tree']) : null;
  // What is not committed allows nothing that is.
  const text = to === null ? readConfigText(project) : await textIn({ seat: checkout, prefix, tree: to }, CONFIG);
  const settings = await settingsOf(text, join(project, CONFIG));
  const read = await readChange({ seat: checkout, prefix, base, to });
  const earlier = await earlierSettings(read.files, settings);
  // What a change says of its own scope does not count yet.
  const scope = request.scope ?? earlier.scope ?? 'testing';
  const isUsualScope = request.scope === undefined && earlier.scope === null;
  const ran = await ranOf(request, project);
  const same = to === null ? onDiskIn(project) : await stagedIn(index, prefix, project);
  const looking: LookRequest = {
    change: read,
    scope,
    same: readerOf(same),
    ...(ran === null ? {} : { ran }),
    allowances: settings.allowances,
    today: (request.now?.() ?? new Date()).toISOString().slice(0, 10),
    unread: read.problems,
    known: new KnownBefore(),
    settings: CONFIG,
  };
  const around = request.around ?? ((look) => look());
  const view = around(() => lookAt({ ...looking, beside: readerBeside(read.files, same) }));
  const run = {
    ...view,
    base,
    against: words,
    scope,
    isUsualScope,
    files: read.files.length,
    newAllowances: newAllowances(earlier, settings),
  };
  if (request.revert !== true) return run;
  if (view.findings.length === 0) throw new UmpireError('guard-nothing', { base: words });
  // Source that somebody mended is not thrown away for a scope that nobody chose.
  const goes = ({ rule }: GuardFinding) => !isUsualScope || rule !== 'source-changed';
  const mended = around(() => corrections(looking, view.findings.filter(goes), goes));
  const kept = keepCopies(project, read.files, mended.corrections, request.now?.() ?? new Date());
  await restoreOnDisk(checkout, base, read, mended.corrections);
  const after = await readChange({ seat: checkout, prefix, base, to: null });
  const { ran: _, known: __, ...plain } = looking;
  // What lies on disk now decides: it is looked at again where it is not what was meant to be there.
  const left =
    view.findings.every(goes) && isSame(after, mended.change)
      ? mended.left
      : lookAt({ ...plain, same: readerOf(same), change: after }).findings;
  return { ...run, reverted: { corrections: mended.corrections, left, kept } };
}

/** In a hook git names the index that is to be committed: with `commit -a` or with paths it is not the usual one. */
function indexOfHook(): { readonly index?: string } {
  const index = process.env['GIT_INDEX_FILE'];
  return index === undefined || index === '' ? {} : { index: resolve(index) };
}

function isSame(one: Change, other: Change): boolean {
  const texts = new Map(one.files.map((file) => [file.path, file]));
  return (
    texts.size === other.files.length &&
    other.files.every(({ path, after, renamedFrom }) => {
      const file = texts.get(path);
      return file !== undefined && file.after === after && file.renamedFrom === renamedFrom;
    })
  );
}

async function settingsOf(text: string | null, file: string): Promise<GuardSettings> {
  if (text === null) return DEFAULT_SETTINGS.guard;
  const { parseSettings } = await import('../sessions/settings.js');
  return parseSettings(text, file).guard;
}

/** The settings before the change. */
async function earlierSettings(files: readonly FileChange[], settings: GuardSettings): Promise<GuardSettings> {
  const changed = files.find(({ path }) => path === CONFIG);
  return changed === undefined ? settings : settingsOf(changed.before, CONFIG).catch(() => DEFAULT_SETTINGS.guard);
}

/** An allowance that comes with the change that it allows is a thing for people to know. */
function newAllowances(earlier: GuardSettings, { allowances }: GuardSettings): readonly GuardAllowance[] {
  const old = new Set(earlier.allowances.map((one) => JSON.stringify(one)));
  return allowances.filter((one) => !old.has(JSON.stringify(one)));
}

/** Copies of the files as they lie there, before anything in them is taken back: git may know none. Says where. */
function keepCopies(project: string, files: readonly FileChange[], corrections: readonly Correction[], now: Date): string {
  const stamp = join('.umpire', 'taken-back', now.toISOString().replaceAll(/[-:]|\.\d+Z/g, ''));
  let folder = stamp;
  for (let number = 2; existsSync(join(project, folder)); number += 1) folder = `${stamp}-${number}`;
  const home = join(project, '.umpire', 'taken-back');
  if (lstatOf(home)?.isSymbolicLink() === true)
    throw new UmpireError('write-failed', { path: join('.umpire', 'taken-back'), detail: 'it is a link' });
  const named = new Set(corrections.map(({ path }) => path));
  const there = files.filter(({ path, after }) => named.has(path) && after !== null).map(({ path }) => path);
  try {
    for (const path of there) {
      mkdirSync(dirname(join(project, folder, path)), { recursive: true });
      cpSync(join(project, path), join(project, folder, path), { verbatimSymlinks: true });
    }
    if (there.length > 0) ignoreUmpire(project);
  } catch (error) {
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  return there.length === 0 ? '' : folder;
}

async function ranOf(request: GuardRequest, project: string): Promise<NonNullable<LookRequest['ran']> | null> {
  const { reportBefore, reportAfter } = request;
  if (reportBefore === undefined && reportAfter === undefined) return null;
  return {
    ...(reportBefore === undefined ? {} : { before: await resultsOf(reportBefore, project) }),
    ...(reportAfter === undefined ? {} : { after: await resultsOf(reportAfter, project) }),
  };
}

async function resultsOf(path: string, project: string): Promise<readonly TestResult[]> {
  // Most looks have no reports, and the readers of all formats are slow to load.
  const { readReports } = await import('./read.js');
  const { reports } = await readReports({ reports: [resolve(path)], root: project, keep: Infinity });
  const results = reports.flatMap(({ results: found = [] }) => found);
  if (results.length > 0) return results;
  throw new UmpireError('guard-report', { path, detail: reports[0]?.problems[0]?.message ?? 'it holds no tests' });
}
