// W7: the files that judge agents or steer them. An agent's change of what judges it here (Umpire's settings, roles and loops, settings and
// hooks of agents and git) is reverted before its work is committed. A change of what will steer agents and editors later is held for the
// person, unless the goal names the file.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Breach, SessionStarted } from '@umpire/core/decider/events.js';
import { KNOWN_AGENTS } from '../agents/known/known-agents.js';
import { lineOf } from '../views/safe-text.js';
import { namesIn, statOf } from '../sessions/file-system.js';
import { CONFIG } from '../sessions/project.js';
import { listFew } from '../work/session-git.js';
import type { Protect } from '../work/prepare-worktree.js';

type Treatment = 'revert' | 'hold';

/**
 * The one list. A folder ends in a slash; `*` is any part of a name. `revert`: in the project's folder and above it, where they take effect
 * during a run. `hold`: in any folder.
 */
const STEERING_FILES: readonly (readonly [treatment: Treatment, ...paths: readonly string[]])[] = [
  ['revert', CONFIG, 'umpire.config.yml', '.umpire/roles/', '.umpire/loops/'],
  ['revert', '.githooks/', '.husky/'],
  ['revert', ...KNOWN_AGENTS.flatMap(({ steeredBy }) => steeredBy)],
  ['hold', ...KNOWN_AGENTS.flatMap(({ instructedBy }) => instructedBy)],
  // Instructions that other agents read by themselves.
  ['hold', 'AGENT.md', 'QWEN.md', '.qwen/'],
  ['hold', '.cursorrules', '.cursor/', '.windsurfrules', '.windsurf/', '.clinerules', '.clinerules/', '.roorules', '.roo/', '.kiro/'],
  ['hold', '.github/copilot-instructions.md', '.github/instructions/', '.github/prompts/', '.github/agents/', '.github/chatmodes/'],
  [
    'hold',
    '.aider.conf.yml',
    '.continue/',
    '.junie/',
    '.amazonq/',
    '.goosehints',
    '.rules',
    '.agent/',
    '.trae/',
    '.kilocode/',
    '.factory/',
  ],
  [
    'hold',
    '.augment/',
    '.augment-guidelines',
    '.openhands/',
    '.tabnine/',
    '.firebender',
    'WARP.md',
    'CRUSH.md',
    'crush.json',
    '.crush.json',
  ],
  // What a shell, an editor, a debugger or a container starts when somebody opens the folder.
  ['hold', '.envrc', '.autoenv', '.autoenv.zsh', 'mise*.toml', '.mise*.toml', '.mise/', 'devbox.json', '.gdbinit', '.lldbinit'],
  ['hold', '.vscode/tasks.json', '.vscode/settings.json', '.vscode/mcp.json', '.vscode/launch.json', '*.code-workspace', '.zed/'],
  ['hold', '.exrc', '.nvimrc', '.nvim.lua', '.dir-locals.el', '.devcontainer/', '.gitpod.yml', '.replit', 'replit.md', '.idx/'],
  // Commands for the next commit, as in .husky.
  ['hold', '.pre-commit-config.yaml', 'lefthook*.yml', '.lefthook*.yml'],
];

function pathsOf(wanted: Treatment): readonly string[] {
  return STEERING_FILES.flatMap(([treatment, ...paths]) => (treatment === wanted ? paths : []));
}

function patternOf(path: string): string {
  const pattern = path.replaceAll(/[\\^$.*+?()[\]{}|]/g, (sign) => (sign === '*' ? '[^/]*' : `\\${sign}`));
  return path.endsWith('/') ? `${pattern.slice(0, -1)}(?:/.*)?` : pattern;
}

/** Some file systems do not tell the case of letters apart. */
function testOf(above: string, paths: readonly string[]): (path: string) => boolean {
  const test = new RegExp(`^${above}(?:${paths.map(patternOf).join('|')})$`, 'isu');
  return (path) => test.test(path);
}

/** `path`: relative to the project. Folders above the project count too: agents read their settings there. */
export function judgeFileTest({ project, loop, loopFolder }: Pick<SessionStarted, 'project' | 'loop' | 'loopFolder'>) {
  const own = loopFolder === null ? '..' : relative(project, loopFolder);
  const isInside = own !== '..' && !own.startsWith('../');
  const inUse = isInside && loopFolder !== null ? loopFilesIn(loopFolder, loop).map((name) => join(own, name)) : [];
  const listed = pathsOf('revert');
  // A file or a link in place of a folder replaces everything in it.
  const parents = listed.flatMap((path) => path.split('/').slice(0, path.includes('/') ? 1 : 0));
  return testOf('(?:\\.\\./)*', [...listed, ...inUse, ...(isInside ? [`${join(own, 'roles', loop)}/`] : []), ...parents]);
}

const isSteering = testOf('(?:.*/)?', pathsOf('hold'));

/** Does the file steer agents or editors, where the goal names neither it nor its folder? */
export function steeringFileTest(goal: string): (path: string) => boolean {
  const said = goal.toLowerCase();
  return (path) => {
    if (!isSteering(path)) return false;
    const parts = path.toLowerCase().split('/');
    return !parts.some((part, at) => (at === parts.length - 1 || part.startsWith('.')) && isNamedIn(said, part));
  };
}

/** `.github` alone names a folder of many things. */
function isNamedIn(said: string, part: string): boolean {
  return part !== '.github' && said.includes(part);
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
  readonly started: Pick<SessionStarted, 'project' | 'loop' | 'loopFolder' | 'goal'>;
  /** Does a person do this task? */
  readonly isPersons: (task: string) => boolean;
  readonly say: (note: string) => void;
}

const WHY = 'agents may not change what judges them. If you want the change, make it yourself';
const WHY_HELD = 'it steers agents or editors, and the goal does not name it. A person decides whether to take the change';

export function protectJudgeFiles({ started, isPersons, say }: ProtectedRun): JudgeFiles {
  const isJudgeFile = judgeFileTest(started);
  const isSteeringFile = steeringFileTest(started.goal);
  const found = new Map<string, ReturnType<Protect>>();
  const attemptName = (task: string, attempt: number) => `${attempt} ${task}`;
  const breach = (rule: string, message: string) => (file: string) => ({
    rule,
    file,
    line: 1,
    message: `${message}.`,
    taken: 'file' as const,
  });
  return {
    protect: (task, attempt, files) => {
      const reverted = isPersons(task) ? [] : files.filter(isJudgeFile);
      const held = isPersons(task) ? [] : files.filter((file) => !isJudgeFile(file) && isSteeringFile(file));
      const before = found.get(attemptName(task, attempt))?.reverted ?? [];
      found.set(attemptName(task, attempt), { reverted, held });
      if (reverted.some((file) => !before.includes(file)))
        say(`${lineOf(task, 100)} changed ${listFew(reverted)}. Umpire reverted this: ${WHY}.`);
      return { reverted, held };
    },
    breachesOf: (task, attempt) => {
      const { reverted = [], held = [] } = found.get(attemptName(task, attempt)) ?? {};
      return [...reverted.map(breach('judge-changed', WHY)), ...held.map(breach('steering-changed', WHY_HELD))];
    },
  };
}
