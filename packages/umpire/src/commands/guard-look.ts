// One look of the guard at a change: its findings held against the project's allowances, the day they end included, and told
// apart from code that could not be read. What counts as a lie is guard/'s business.

import { pathTest } from '../critics/path-pattern.js';
import { weigh } from '@umpire/guard/allowances.js';
import type { GuardAllowance, Weighed } from '@umpire/guard/allowances.js';
import type { Change, FileChange, GuardInput, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/finding.js';
import { KnownBefore, guard } from '@umpire/guard/guard.js';
import { roleOf } from '@umpire/guard/paths.js';
import type { Rewriting } from '@umpire/guard/rewriting.js';
import type { ReadBeside } from '@umpire/guard/told.js';
import { takeBack } from '@umpire/guard/taking-back.js';
import type { Mended } from '@umpire/guard/taking-back.js';

export interface GuardProblem {
  readonly file: string;
  readonly message: string;
}

export interface GuardView extends Weighed {
  /** Files that could not be read as code. */
  readonly problems: readonly GuardProblem[];
  /** Tests among them: what they check is not known. */
  readonly isBlind: boolean;
  /** Test files that were written anew: their checks were counted, not compared one by one. */
  readonly rewritten: readonly Rewriting[];
}

export interface LookRequest {
  readonly change: Change;
  readonly scope: GuardScope;
  readonly same: (path: string) => string | null;
  readonly ran?: NonNullable<GuardInput['ran']>;
  readonly allowances: readonly GuardAllowance[];
  /** As YYYY-MM-DD. */
  readonly today: string;
  /** Files that could not even be opened. */
  readonly unread?: readonly GuardProblem[];
  /** Where several looks are taken at one change. */
  readonly known?: KnownBefore;
  readonly everyRewrite?: boolean;
  readonly newTestsCheck?: boolean;
  readonly mustBeRead?: boolean;
  readonly command?: string | undefined;
  /** Another thread reads files of the change too. */
  readonly beside?: ReadBeside | null;
  /** The guard's own settings, where a person may change them: what is new in them is told in another way. */
  readonly settings?: string;
}

export function lookAt({
  change,
  scope,
  same,
  ran,
  allowances,
  today,
  unread = [],
  known,
  settings,
  everyRewrite = false,
  newTestsCheck = false,
  mustBeRead = false,
  command,
  beside = null,
}: LookRequest): GuardView {
  const report = guard(
    {
      change,
      scope,
      same,
      everyRewrite,
      newTestsCheck,
      mustBeRead,
      ...(ran === undefined ? {} : { ran }),
      ...(command === undefined ? {} : { command }),
    },
    known,
    beside,
  );
  const files = new Map(change.files.flatMap((file) => [file.renamedFrom ?? file.path, file.path].map((path) => [path, file] as const)));
  const found = report.findings.filter(({ file }) => file !== settings).map((finding) => inWholeLines(finding, files.get(finding.file)));
  const unopened = new Set(unread.map(({ file }) => file));
  const problems = [...unread, ...report.problems.filter(({ file }) => !unopened.has(file))];
  const isBlind = problems.some(({ file }) => ['test', 'support'].includes(roleOf(file)));
  return { ...weigh(found, allowances, today, pathTest), problems, isBlind, rewritten: report.rewritten };
}

/** The two versions as people know them: lines, not the few letters that a rule points at. */
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

/**
 * What to change so that none of these findings is left, nor another that `counts`. The report of the runner tells of the change as
 * it was, and is left out.
 */
export function corrections(
  request: LookRequest,
  findings: readonly GuardFinding[],
  counts: (finding: GuardFinding) => boolean = () => true,
): Mended {
  const before = request.ran?.before;
  const ran = before === undefined ? {} : { before };
  const same = withoutChange(request);
  return takeBack(request.change, findings, (change) => {
    const { findings: left, problems } = lookAt({ ...request, change, same, unread: [], ran });
    return { findings: left.filter(counts), unread: new Set(problems.map(({ file }) => file)) };
  });
}

/** Files of the change that were taken back are as they were before it, whatever lies on disk by now. */
function withoutChange({ change, same }: LookRequest): LookRequest['same'] {
  const old = new Map<string, string | null>();
  for (const { path, renamedFrom } of change.files) if (renamedFrom !== undefined) old.set(path, null);
  for (const { path, before, renamedFrom } of change.files)
    if (before !== null || renamedFrom === undefined) old.set(renamedFrom ?? path, before);
  return (path) => (old.has(path) ? (old.get(path) ?? null) : same(path));
}
