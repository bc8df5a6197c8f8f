// The change that a critic looks at: which lines it touched. What it is measured against is workspace/change-base.ts's to find.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isUmpireError } from '../errors.js';
import { changedLines } from '../formats/changed-lines.js';
import type { ChangedLines } from '../formats/changed-lines.js';
import { findBase } from '../workspace/change-base.js';
import { lookAround } from '../workspace/git.js';

export interface Change {
  /** The commit that the change is measured against. */
  readonly base: string;
  readonly lines: ChangedLines;
}

/** The change since `base`, new files included; without one, since the base that is found. Null where there is no git or no such commit. */
export function findChange(project: string, asked: string | null): Change | null {
  try {
    const { base, first } = findBase(project, asked);
    if (first) return null;
    const diff = ask(
      project,
      'diff',
      '--unified=0',
      '--no-color',
      '--no-prefix',
      '--no-ext-diff',
      '--no-textconv',
      '--relative',
      base,
      '--',
      '.',
    );
    if (diff === null) return null;
    const lines = new Map(changedLines(diff));
    for (const path of untracked(project)) if (existsSync(join(project, path))) lines.set(path, [{ from: 1, to: Number.MAX_SAFE_INTEGER }]);
    return { base, lines };
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}

function ask(project: string, ...args: readonly string[]): string | null {
  const { code, stdout } = lookAround(project, args);
  return code === 0 ? stdout.toString('utf8') : null;
}

/** Files that git neither knows nor ignores. Umpire's own are none of the change. */
function untracked(project: string): readonly string[] {
  const listed = ask(project, 'ls-files', '-z', '--others', '--exclude-standard', '--', '.') ?? '';
  return listed.split('\0').filter((path) => path !== '' && !path.startsWith('.umpire/') && !path.startsWith('node_modules/'));
}
