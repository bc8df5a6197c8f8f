// W7: the files that judge agents or steer them: Umpire's settings, roles and loops, and the settings and hooks of coding agents. An
// agent's change of them is reverted before its work is committed. People change them in their own checkout.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Breach, SessionStarted } from '@umpire/core/decider/events.js';
import { KNOWN_AGENTS } from '../agents/known/known-agents.js';
import { lineOf } from '../views/safe-text.js';
import { namesIn, statOf } from '../sessions/file-system.js';
import { CONFIG } from '../sessions/project.js';
import { listFew } from '../work/session-git.js';
import type { Protect } from '../work/prepare-worktree.js';

/** A folder ends in a slash; `*` is any part of a name. */
const JUDGE_FILES: readonly string[] = [
  CONFIG,
  'umpire.config.yml',
  '.umpire/roles/',
  '.umpire/loops/',
  '.githooks/',
  '.husky/',
  ...KNOWN_AGENTS.flatMap(({ steeredBy }) => steeredBy),
];

/** `path`: relative to the project. Folders above the project count too: agents read their settings there. */
export function judgeFileTest({ project, loop, loopFolder }: Pick<SessionStarted, 'project' | 'loop' | 'loopFolder'>) {
  const own = loopFolder === null ? '..' : relative(project, loopFolder);
  const isInside = own !== '..' && !own.startsWith('../');
  const inUse = isInside && loopFolder !== null ? loopFilesIn(loopFolder, loop).map((name) => join(own, name)) : [];
  const paths = [...JUDGE_FILES, ...inUse, ...(isInside ? [`${join(own, 'roles', loop)}/`] : [])];
  // A file or a link in place of a folder replaces everything in it.
  const parents = JUDGE_FILES.flatMap((path) => path.split('/').slice(0, path.includes('/') ? 1 : 0));
  const source = [...paths, ...parents].map((path) => {
    const pattern = path.replaceAll(/[\\^$.*+?()[\]{}|]/g, (sign) => (sign === '*' ? '[^/]*' : `\\${sign}`));
    return path.endsWith('/') ? `${pattern.slice(0, -1)}(?:/.*)?` : pattern;
  });
  // Some file systems do not tell the case of letters apart.
  const test = new RegExp(`^(?:\\.\\./)*(?:${source.join('|')})$`, 'isu');
  return (path: string): boolean => test.test(path);
}

const MAX_LOOP_BYTES = 1024 * 1024;

/** The files that define the loop. */
function loopFilesIn(folder: string, loop: string): readonly string[] {
  return namesIn(folder).filter((name) => {
    const stat = /\.ya?ml$/.test(name) ? statOf(join(folder, name)) : undefined;
    if (stat?.isFile() !== true || stat.size > MAX_LOOP_BYTES) return false;
    return /^["']?loop["']?:\s*["']?([\w-]+)/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1] === loop;
  });
}

export interface JudgeFiles {
  readonly protect: Protect;
  readonly breachesOf: (task: string, attempt: number) => readonly Breach[];
}

interface ProtectedRun {
  readonly started: Pick<SessionStarted, 'project' | 'loop' | 'loopFolder'>;
  /** Does a person do this task? */
  readonly isPersons: (task: string) => boolean;
  readonly say: (note: string) => void;
}

const WHY = 'agents may not change what judges them. If you want the change, make it yourself';

export function protectJudgeFiles({ started, isPersons, say }: ProtectedRun): JudgeFiles {
  const isJudgeFile = judgeFileTest(started);
  const found = new Map<string, readonly string[]>();
  const attemptName = (task: string, attempt: number) => `${attempt} ${task}`;
  return {
    protect: (task, attempt, files) => {
      const own = isPersons(task) ? [] : files.filter(isJudgeFile);
      const before = found.get(attemptName(task, attempt)) ?? [];
      found.set(attemptName(task, attempt), own);
      if (own.some((file) => !before.includes(file))) say(`${lineOf(task, 100)} changed ${listFew(own)}. Umpire reverted this: ${WHY}.`);
      return own;
    },
    breachesOf: (task, attempt) =>
      (found.get(attemptName(task, attempt)) ?? []).map((file) => ({
        rule: 'judge-changed',
        file,
        line: 1,
        message: `${WHY}.`,
        taken: 'file',
      })),
  };
}
