// What every piece of evidence that a critic writes is bound to: the commit and the content it judged, the tools with their
// versions and commands, when they ran and how they ended. Times come from the job; git is workspace/git.ts's.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { nameOf, rawNames, runGitSync, pathIn, tryGit } from '../work/git.js';
import type { JudgedState, Provenance, ToolUse } from '@umpire/core/formats/provenance.js';

import type { ToolJob } from '../runners/run-tool.js';

export function provenanceOf(job: ToolJob, judged: JudgedState, started: Date, tools: readonly ToolUse[]): Provenance {
  const uncommitted = judged.commit === null || judged.content === null ? {} : ({ uncommitted: true } as const);
  return { ...judged, ...uncommitted, started: started.toISOString(), ended: job.now().toISOString(), tools };
}

/** What is never part of what is judged: git's own, installed packages, Umpire's sessions. */
const ASIDE: ReadonlySet<string> = new Set(['.git', 'node_modules', '.umpire', '__pycache__']);

/** What the project holds now. Files that git ignores are no part of it; nor is the session, where it lies inside. */
export async function readJudgedContent(job: Pick<ToolJob, 'project' | 'session'>): Promise<JudgedState> {
  const [gitDir, top] = tryRevParse(job.project, '--absolute-git-dir', '--show-toplevel');
  const isAside = (path: string): boolean =>
    path.split('/').some((part) => ASIDE.has(part)) || isInside(join(job.project, path), job.session);
  if (gitDir === undefined || top === undefined) return { commit: null, content: hashOf(job.project, everyFile(job.project, isAside)) };
  const gitTarget = { gitDir, workTree: top };
  const head = await tryGit(gitTarget, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const commit = head.code === 0 ? head.stdout.toString('utf8').trim() : null;
  const listed = commit === null ? ['ls-files', '-z', '--cached', '--others', '--exclude-standard'] : CHANGED;
  const within = ['--', relative(top, job.project) === '' ? '.' : `:(top,literal)${relative(top, job.project).split(sep).join('/')}`];
  const answer = await tryGit(gitTarget, [...listed, ...within], { filters: true });
  if (answer.code !== 0) return { commit, content: hashOf(job.project, everyFile(job.project, isAside)) };
  const names = rawNames(answer.stdout).map((raw) => nameOf(commit === null ? raw : raw.slice(STATUS_WORDS)));
  const paths = names.map((name) => relative(job.project, pathIn(top, Buffer.from(name).toString('latin1')).toString('utf8')));
  const wanted = [...new Set(paths)]
    .filter((path) => !isAside(path))
    .flatMap((path) => {
      // A folder is listed for a repository inside this one: git does not look into it.
      const root = job.project;
      const plain = path.replace(/\/$/, '');
      if (lstatOf(join(root, plain))?.isDirectory() !== true) return [plain];
      return everyFile(join(root, plain), (inner) => isAside(`${plain}/${inner}`)).map((inner) => `${plain}/${inner}`);
    });
  return { commit, content: wanted.length === 0 && commit !== null ? null : hashOf(job.project, wanted) };
}

/** Two letters and a space before each name; without renames every entry has one name. */
const CHANGED = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'];
const STATUS_WORDS = 3;

/** The lines that git answers; none without git, which judges a project all the same, and where git refuses. */
export function tryRevParse(folder: string, ...args: readonly string[]): readonly string[] {
  try {
    const { code, stdout } = runGitSync(folder, ['rev-parse', ...args]);
    return code === 0 ? stdout.toString('utf8').replace(/\n$/, '').split('\n') : [];
  } catch (error) {
    if (isUmpireError(error)) return [];
    throw error;
  }
}

/** The commit that is checked out; null without one. */
export function findHead(folder: string): string | null {
  return tryRevParse(folder, '--verify', '--quiet', 'HEAD^{commit}')[0] ?? null;
}

function everyFile(root: string, isAside: (path: string) => boolean): readonly string[] {
  const found: string[] = [];
  const walkFolder = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isAside(path)) continue;
      if (entry.isDirectory()) walkFolder(path);
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
    }
  };
  walkFolder('');
  return found;
}

/** Of names, kinds and contents, in the order of names: the same files give the same hash everywhere. */
function hashOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    const place = join(root, path);
    const stat = lstatOf(place);
    if (stat === undefined) hash.update(`gone\0${path}\0`);
    else if (stat.isSymbolicLink()) hash.update(`link\0${path}\0${readlinkSync(place)}\0`);
    else if (stat.isFile()) {
      const content = readFileSync(place);
      hash.update(`${(stat.mode & 0o100) === 0 ? 'file' : 'program'}\0${path}\0${content.length}\0`);
      hash.update(content);
    }
  }
  return hash.digest('hex');
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
