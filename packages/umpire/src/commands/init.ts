// `umpire init`: the first settings of a project, from what is found there. A file that is there is never written over.

import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { settingsText } from '../report/settings-text.js';
import { faultOf } from '../sessions/folder.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import { CONFIG, configAt } from '../sessions/project.js';
import { lookUpPresets } from './agent-programs.js';
import { checkAgentName, checkCritics, environmentFiles, repositoryOf } from './doctor.js';
import { BUILT_IN } from './critics.js';
import { isInGit, projectFor } from './project-folders.js';

export interface FirstSettingsRequest {
  /** The project's folder, as it is; where it is left out, the project that the current folder is or lies in. */
  readonly project?: string;
  readonly agent?: string;
  /** Nothing is written. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface FirstSettings {
  /** Of the file. */
  readonly path: string;
  readonly text: string;
  readonly written: boolean;
}

export interface Drawn extends FirstSettings {
  /** What was chosen and why, a line each. */
  readonly reasons: readonly string[];
}

/** Throws `config-there` where there are settings already. */
export async function writeFirstSettings(request: FirstSettingsRequest): Promise<Drawn> {
  const project = projectFor(request.project);
  const there = configAt(project);
  if (there !== null) throw new UmpireError('config-there', { path: there });
  const agent = await chooseAgent(request.agent, project);
  const [copy, critics] = await Promise.all([
    filesToCopy(project),
    checkCritics(project, DEFAULT_SETTINGS.critics, request.signal ?? new AbortController().signal),
  ]);
  const path = join(project, CONFIG);
  const text = settingsText({ agent: agent.name, copy, critics });
  await checkText(text, path);
  const written = request.dryRun !== true && request.signal?.aborted !== true;
  if (written) writeNew(path, text);
  const files = copy.length === 0 ? [] : [`workspace.copy: ${copy.join(', ')}, which git does not track and worktrees would lack`];
  const inside = request.project === undefined && !existsSync(join(project, '.git')) && isInGit(project);
  const place = inside ? [`The project is ${project}, a folder of a larger repository. To take another: --project DIR`] : [];
  return { path, text, written, reasons: [`agent: ${agent.why}`, ...files, ...place] };
}

/** Those that are looked for, the first first. */
const CANDIDATES = ['claude', 'codex', 'gemini', 'opencode'];

async function chooseAgent(asked: string | undefined, project: string): Promise<{ readonly name: string | null; readonly why: string }> {
  const presets = new Map(lookUpPresets().map(({ name, found }) => [name, found]));
  if (asked !== undefined) {
    if (asked === BUILT_IN)
      throw new UmpireError('usage', { detail: "builtin is Umpire's own critic, and does no other role. Name an agent.", command: 'init' });
    await checkAgentName(asked, project);
    const found = presets.get(asked);
    return {
      name: asked,
      why: `${asked}, as asked${found !== undefined && 'why' in found ? `; it is not installed here: ${found.why}` : ''}`,
    };
  }
  for (const name of CANDIDATES) {
    const found = presets.get(name);
    if (found !== undefined && 'place' in found)
      return { name, why: `${name}, the first of ${CANDIDATES.join(', ')} that is here (${found.place})` };
  }
  return { name: null, why: `none of ${CANDIDATES.join(', ')} is installed here, so none is chosen` };
}

/** Where git cannot tell, that is for `umpire doctor` to say. */
async function filesToCopy(project: string): Promise<readonly string[]> {
  try {
    return await environmentFiles(repositoryOf(project), project, []);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return [];
  }
}

/** What Umpire could not read itself is not written. */
async function checkText(text: string, path: string): Promise<void> {
  const { parseSettings } = await import('../sessions/settings.js');
  parseSettings(text, path);
}

/** Of two that write at once one wins. A file that could not be written to its end is gone. */
function writeNew(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new UmpireError('config-there', { path });
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  } finally {
    closeSync(file);
  }
}
