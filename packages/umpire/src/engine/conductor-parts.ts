// What a conductor uses on its machine: mirrors of the remotes that it serves, and a folder for the evidence that it judges.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkGraph } from '@umpire/core/decider/waves.js';
import type { SessionStarted } from '@umpire/core/decider/events.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { parseTasks, printTasks } from '@umpire/core/formats/tasks-csv.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import { sameRules } from '@umpire/core/loops/same-rules.js';
import { safeName } from '../sessions/safe-name.js';
import { sha256 } from '../sessions/hash.js';
import { sessionBranch } from '../work/session-git.js';
import { openBranch } from '../work/branch-without-checkout.js';
import { openMirror } from '../work/remote-repository.js';
import type { Mirror } from '../work/remote-repository.js';
import type { ConductorParts } from './conductor.js';
import { writeReplica } from './replica.js';
import { remoteLabel } from './queue.js';
import { judgeInFolder } from '../sessions/critic-evidence.js';
import { makeScratch } from '../sessions/session-folder.js';

export interface ConductorPlace {
  /** The folder for mirrors. */
  readonly home: string;
  readonly remotes: readonly string[];
  readonly say: (note: string) => void;
}

export function openConductorParts({ home, remotes, say }: ConductorPlace): ConductorParts {
  const mirrors = new Map<string, Promise<Mirror>>();
  const ownRemote = (remote: string) => remotes.find((one) => remoteLabel(one) === remoteLabel(remote));
  const mirrorOf = (remote: string): Promise<Mirror> => {
    const known = mirrors.get(remote) ?? openMirror({ remote, home: join(home, 'mirrors'), say });
    mirrors.set(remote, known);
    // The next turn tries again.
    known.catch(() => mirrors.delete(remote));
    return known;
  };
  return {
    checkStart,
    serves: ({ fleet }) => fleet !== undefined && (fleet.remote === '' || ownRemote(fleet.remote) !== undefined),
    openBranch: async (session, run) => {
      const { fleet, workspace } = run.started;
      const own = ownRemote(fleet?.remote ?? '');
      if (own === undefined || workspace === null) return null;
      const mirror = await mirrorOf(own);
      const { branch, base } = workspace;
      const head = run.head ?? base;
      return openBranch(mirror, { session, branch, base, head, prefix: fleet?.folder ?? '', onMove: () => undefined });
    },
    judge: async (session, state, task, blobs) => {
      const { started } = state.run as RunState;
      const rules = state.frozen.get(started.loop)?.rules;
      const role = started.fleet?.roles[rules?.roles.judge ?? ''];
      if (rules === undefined || role === undefined) throw new Error(`The session ${session} began without rules or the judge's role.`);
      const place = makeScratch('judged');
      try {
        const folder = await writeReplica(join(place, safeName(session)), state, null, blobs);
        return judgeInFolder({ folder, state: () => state, rules, role, isShared: true })(task);
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    },
  };
}

/** A client may be any program. What it starts must be what `umpire run` starts. */
function checkStart(started: SessionStarted, session: string): void {
  const { loop, loopFolder, frozen, rows, columns, workspace, writers, judged, critic, fleet } = started;
  const known = builtinLoop(loop);
  const faults: readonly (readonly [is: boolean, detail: string])[] = [
    [started.session !== session, 'it has another name'],
    [fleet === undefined, 'it is not meant for a fleet'],
    [loopFolder !== null || known === null, `the loop ${loop.slice(0, 40)} is not built in`],
    [frozen === undefined || (known !== null && !sameRules(frozen.rules, known)), 'its rules are not those of the loop'],
    [frozen !== undefined && frozen.hash !== sha256(JSON.stringify(frozen.rules)), 'its rules do not match their hash'],
    [rows.length === 0, 'it has no tasks'],
    [known !== null && critic !== known.roles.critic, 'its critic is not that of the loop'],
    [judged && !rows.some((row) => row['role'] === critic), 'no task is its critic'],
    [workspace !== null && (workspace.kind !== 'git' || workspace.branch !== sessionBranch(session)), 'its branch is not its own'],
    [workspace !== null && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(workspace.base), 'its base is no commit'],
    [workspace === null && writers.length > 0, 'its tasks change a project, and it names none'],
    [fleet !== undefined && /(?:^|\/)\.\.?(?:\/|$)|^\//.test(fleet.folder), 'its folder is outside the repository'],
  ];
  const detail = faults.find(([is]) => is)?.[1];
  if (detail !== undefined) throw new UmpireError('engine-start', { detail });
  try {
    checkGraph(parseTasks(printTasks(columns, rows)).tasks);
  } catch (error) {
    throw isUmpireError(error) ? new UmpireError('engine-start', { detail: error.message }) : error;
  }
}
