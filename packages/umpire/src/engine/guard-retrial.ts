// `umpire guard --run`: the retrial of a change in a person's checkout, in copies of its commits outside the project.

import { randomBytes } from 'node:crypto';
import { touchesJudges } from '@umpire/guard/retrial/compare.js';
import { startGuardian, refuseInsideTask } from '../agents/guardian.js';
import { requireExitStatus, requireProgram } from '../critics/command-program.js';
import { createJob } from '../critics/critic.js';
import { mayAnswerTests } from '../critics/known-answers.js';
import { omitUndefined } from '@umpire/core/formats/merge-objects.js';
import type { ChangeCheck } from '../critics/guard-change.js';
import { retryCopies, NO_RETRIAL } from '../retrial/retrial.js';
import type { Retrial } from '../retrial/retrial.js';
import type { Repository } from '../work/repository.js';
import { settingsAt } from './critique.js';
import { readSettings } from './project-settings.js';
import type { TrustWatch } from './trust.js';

export interface RetrialAsked extends Pick<TrustWatch, 'onTrust'> {
  /** Null: the project's own tests, as Umpire finds them. */
  readonly command: string | null;
  /** Runs only what a suspicion needs, and nothing without one. */
  readonly isQuick?: boolean;
  /** For the run at the base. */
  readonly minutes?: number;
  readonly signal?: AbortSignal;
  /** Called with what runs now. */
  readonly onStep?: (line: string) => void;
}

export interface GuardedChange {
  readonly project: string;
  readonly repository: Repository;
  readonly base: string;
  /** A tree; null: the files on disk. */
  readonly to: string | null;
  readonly check: Pick<ChangeCheck, 'change' | 'scope'>;
  /** Files whose tests may ask for less than before. */
  readonly suspects: readonly string[];
}

export interface RetrialOfChange extends GuardedChange {
  readonly asked: RetrialAsked;
  /** Somebody else's change is judged: its own settings do not count. */
  readonly isNamedBase: boolean;
  readonly onNote?: (note: string) => void;
}

const BASE_MINUTES = 30;
const MINUTE_MS = 60_000;

export async function retryChange(request: RetrialOfChange): Promise<Retrial> {
  const { project, repository, base, to, check, suspects, asked, isNamedBase, onNote } = request;
  const { command, isQuick = false, minutes = BASE_MINUTES, signal, onStep, onTrust } = asked;
  if (isQuick && suspects.length === 0) return NO_RETRIAL;
  refuseInsideTask('run a retrial');
  if (command !== null) {
    await requireProgram(command, project);
    await requireExitStatus(command, project);
  }
  const config = await readSettings(project, omitUndefined({ onNote, onTrust }), isNamedBase ? await settingsAt(project, base) : {});
  if (!touchesJudges(check.change) && !mayAnswerTests(project, check.change)) return NO_RETRIAL;
  const guardian = startGuardian(randomBytes(8).toString('hex'));
  try {
    const job = createJob(
      config,
      { project, origin: project, base, guardian, timeoutMs: minutes * MINUTE_MS, say: (line) => onStep?.(line) },
      signal,
    );
    const rules = { behaviourIsFixed: check.scope === 'testing', failuresAreGoal: false, keepsTests: false };
    return await retryCopies({ job, change: check.change, repository, base, to, command, rules, isThorough: !isQuick, suspects });
  } finally {
    await guardian.close();
  }
}
