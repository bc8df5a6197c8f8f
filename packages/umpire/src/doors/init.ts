// `umpire init`: writes umpire.config.yaml from what it finds in the project. Never overwrites a file.

import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { settingsText } from '../views/doctor-page.js';
import { faultOf } from '../sessions/session-folder.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { CONFIG, configAt } from '../sessions/project.js';
import { isProjectTrusted, projectFiles, recordTrust } from '../sessions/trust.js';
import { AGENT_NAMES } from '../agents/known/known-agents.js';
import { lookUpPresets, BUILT_IN } from '../engine/agent-programs.js';
import { environmentFiles } from '../engine/project-faults.js';
import { checkAgentName, checkCritics } from './doctor.js';
import { findProjectRepository, isInGit, projectFor } from '../engine/project-folders.js';

interface FirstSettingsRequest {
  /** The project's folder. Default: the project that contains the current folder. */
  readonly project?: string;
  readonly agent?: string;
  /** Writes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface FirstSettings {
  /** The path of the file. */
  readonly path: string;
  readonly text: string;
  readonly written: boolean;
}

interface WrittenSettings extends FirstSettings {
  /** One line for each choice. */
  readonly reasons: readonly string[];
}

/** Throws `config-there` if there are settings already. */
export async function writeFirstSettings(request: FirstSettingsRequest): Promise<WrittenSettings> {
  const project = projectFor(request.project);
  const there = configAt(project);
  if (there !== null) throw new UmpireError('config-there', { path: there });
  const agent = await chooseAgent(request.agent, project);
  const [copy, critics] = await Promise.all([
    filesToCopy(project),
    checkCritics(project, DEFAULT_SETTINGS.critics, request.signal ?? new AbortController().signal, isProjectTrusted(project)),
  ]);
  const path = join(project, CONFIG);
  const text = settingsText({ agent: agent.name, known: AGENT_NAMES, copy, critics });
  await checkSettingsText(text, path);
  const written = request.dryRun !== true && request.signal?.aborted !== true;
  if (written) {
    writeNew(path, text);
    trustOwn(project, path, text);
  }
  const files = copy.length === 0 ? [] : [`workspace.copy: ${copy.join(', ')} (not tracked by git, so worktrees need a copy)`];
  const inside = request.project === undefined && !existsSync(join(project, '.git')) && isInGit(project);
  const place = inside ? [`The project is ${project}, a folder of a larger repository. To choose another: --project DIR`] : [];
  return { path, text, written, reasons: [`agent: ${agent.why}`, ...files, ...place] };
}

/** The person had it written, so it counts. Other files of the project are not trusted by that, and without a home folder nothing is. */
function trustOwn(project: string, path: string, text: string): void {
  const written = projectFiles(project).filter((file) => file.place === path && file.text === text);
  try {
    recordTrust(project, written, false);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
  }
}

async function chooseAgent(asked: string | undefined, project: string): Promise<{ readonly name: string | null; readonly why: string }> {
  const presets = new Map(lookUpPresets().map(({ name, found }) => [name, found]));
  if (asked !== undefined) {
    if (asked === BUILT_IN)
      throw new UmpireError('usage', { detail: "builtin is Umpire's critic and cannot do other roles. Name an agent.", command: 'init' });
    await checkAgentName(asked, project);
    const found = presets.get(asked);
    return {
      name: asked,
      why: `${asked}, as requested${found !== undefined && 'why' in found ? `; not installed: ${found.why}` : ''}`,
    };
  }
  for (const name of AGENT_NAMES) {
    const found = presets.get(name);
    if (found !== undefined && 'place' in found)
      return { name, why: `${name}, the first installed of ${AGENT_NAMES.join(', ')} (${found.place})` };
  }
  return { name: null, why: `none; install one of ${AGENT_NAMES.join(', ')}` };
}

/** `umpire doctor` reports problems of git. */
async function filesToCopy(project: string): Promise<readonly string[]> {
  try {
    return await environmentFiles(findProjectRepository(project), project, []);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return [];
  }
}

/** Never writes a file that Umpire cannot read. */
async function checkSettingsText(text: string, path: string): Promise<void> {
  const { parseSettings } = await import('../sessions/read-settings.js');
  parseSettings(text, path);
}

/** Of two processes, one wins. A file that could not be written completely is removed. */
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
