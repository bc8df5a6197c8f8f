// `umpire doctor`: what is at hand for a run, and what would be in its way. It starts no agent, runs no test and writes nothing but
// scratch folders, which it removes. What is looked at is in the checkup-* files beside this one.

import { arch, platform } from 'node:os';
import { readManifest } from '../critics/tool.js';
import type { Checkup } from '../report/checkup-page.js';
import { packageRoot } from '../sessions/package-root.js';
import { checkCast } from './checkup-agents.js';
import { checkCritics } from './checkup-critics.js';
import { checkMachine } from './checkup-machine.js';
import { checkProject, lookAtSettings } from './checkup-project.js';
import { projectFor } from './places.js';

export interface CheckupRequest {
  /** The project's folder, as it is; where it is left out, the project that the current folder is or lies in. */
  readonly project?: string;
  readonly signal?: AbortSignal;
}

export async function checkUp({ project: asked, signal = new AbortController().signal }: CheckupRequest): Promise<Checkup> {
  const project = projectFor(asked);
  const settings = await lookAtSettings(project);
  const { config, isRead } = settings;
  const checks = await Promise.all([
    checkMachine(project, config.sandbox.isOn),
    checkProject(project, settings),
    checkCast(project, config, isRead),
    checkCritics(project, config.critics, signal),
  ]);
  const all = checks.flat();
  return {
    umpire: ownVersion(),
    node: process.versions.node,
    platform: `${platform()} ${arch()}`,
    project,
    outcome: all.some(({ state }) => state === 'fault') ? 'fail' : 'pass',
    checks: all,
  };
}

function ownVersion(): string {
  const { version } = readManifest(packageRoot()) ?? {};
  return typeof version === 'string' ? version : 'unknown';
}
