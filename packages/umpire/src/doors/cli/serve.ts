// `umpire serve`: shows the sessions of a project or an engine in a browser until Ctrl-C.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { refuseInsideTask } from '../../agents/guardian.js';
import { ProjectSessions } from '../http/project-sessions.js';
import { serveDashboard } from '../http/server.js';
import type { DashboardServer } from '../http/server.js';
import type { SessionSource } from '../http/session-source.js';
import { lineOf } from '../../views/safe-text.js';
import { packageRoot } from '../../sessions/package-root.js';
import { projectAt } from '../../sessions/find-sessions.js';
import { answeringUser } from './dismiss.js';
import { engineFor } from './engine-choice.js';
import { VERSION } from './version.generated.js';
import type { CommandOutcome, Output } from './output.js';
import type { Given } from './commands.js';

/** Used if it is free, so that bookmarks keep working. */
const DEFAULT_PORT = 4747;

export async function runServe(given: Given<'serve'>, { write }: Output): Promise<CommandOutcome> {
  const { port = null } = given;
  const project = projectAt(given.project ?? '.');
  const key = randomBytes(16).toString('hex');
  const stopped = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve());
  });
  const url = await engineFor(given);
  const source = url === null ? new ProjectSessions(project) : await openEngineSessions(url, project);
  try {
    const serving = await openServer({ source, key, port });
    write(
      2,
      `Dashboard of ${lineOf(source.place, 200)}, for this machine only. Whoever has this address can answer for you. Stop with Ctrl-C:\n`,
    );
    // After the #, which no browser sends to a server.
    write(1, `http://127.0.0.1:${serving.port}/#key=${key}\n`);
    await stopped;
    await serving.close();
    return { exit: 0 };
  } finally {
    await source.close();
  }
}

async function openEngineSessions(url: string, project: string): Promise<SessionSource> {
  refuseInsideTask('use the engine');
  const { EngineSessions } = await import('../http/engine-sessions.js');
  return EngineSessions.open(url, project);
}

interface ListenRequest {
  readonly source: SessionSource;
  readonly key: string;
  readonly port: number | null;
}

async function openServer(request: ListenRequest): Promise<DashboardServer> {
  const { port, ...rest } = request;
  const all = { ...rest, ...answeringUser(), version: VERSION, pages: join(packageRoot(), 'dist', 'web') };
  try {
    return await serveDashboard({ ...all, port: port ?? DEFAULT_PORT });
  } catch (error) {
    if (port !== null || !isUmpireError(error) || error.code !== 'port-taken') throw error;
    return serveDashboard({ ...all, port: 0 });
  }
}
