// The change that a critic looks at: which lines it touched. What it is measured against is workspace/change-base.ts's to find.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { changedLines } from '@umpire/core/formats/changed-lines.js';
import type { ChangedLines } from '@umpire/core/formats/changed-lines.js';
import { findBase } from '../work/read-change.js';
import { gitFault, runGitSync } from '../work/git.js';
import { listGitNames } from './commit-copy.js';

export interface CriticChange {
  /** The commit that the change is measured against. */
  readonly base: string;
  readonly lines: ChangedLines;
}

/** What is said where there is nothing to hold a project against. Any other fault is one of git's, and no word about the change. */
const NO_BASE: ReadonlySet<string> = new Set(['guard-no-git', 'guard-no-commit', 'guard-base-unknown', 'git-missing']);

/** The change since `base`, new files included; without one, since the base that is found. Null where there is no git or no such commit. */
export function findChange(project: string, asked: string | null): CriticChange | null {
  const base = findBaseCommit(project, asked);
  if (base === null) return null;
  const options = ['--unified=0', '--no-color', '--no-prefix', '--no-ext-diff', '--no-textconv', '--relative'];
  const args = ['diff', ...options, base, '--', '.'];
  const { code, stdout, stderr } = runGitSync(project, args);
  if (code !== 0) throw gitFault(args, code, stderr);
  const lines = new Map(changedLines(stdout.toString('utf8')));
  // Files that git neither knows nor ignores. Umpire's own are none of the change.
  const untracked = listGitNames(project, ['ls-files', '-z', '--others', '--exclude-standard', '--', '.']).filter(
    (path) => !path.startsWith('.umpire/') && !path.startsWith('node_modules/'),
  );
  for (const path of untracked) if (existsSync(join(project, path))) lines.set(path, [{ from: 1, to: Number.MAX_SAFE_INTEGER }]);
  return { base, lines };
}

/** The commit that a change is held against. Null where there is no git or no such commit. */
export function findBaseCommit(project: string, asked: string | null): string | null {
  try {
    const { base, first } = findBase(project, asked);
    return first ? null : base;
  } catch (error) {
    if (isUmpireError(error) && NO_BASE.has(error.code)) return null;
    throw error;
  }
}
