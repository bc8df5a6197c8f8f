// A retrial in copies of commits outside the project: for a person's checkout, and for critics.

import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { copyCommit, findRepository } from '../critics/commit-copy.js';
import type { ProjectRepository } from '../critics/commit-copy.js';
import type { RetryChange } from '../critics/critic.js';
import { findBase } from '../work/read-change.js';
import type { Repository } from '../work/repository.js';
import { makeTrialCommits, treeOnDisk } from '../work/trial-commits.js';
import { runRetrial } from './retrial.js';
import type { Retrial, RetrialRequest } from './retrial.js';
import type { OpenTree, TreeRun } from './run-tree.js';

export interface CopiedRetrial extends Omit<RetrialRequest, 'commits' | 'openTree'> {
  readonly repository: Repository;
  readonly base: string;
  /** A tree; null: the files on disk. */
  readonly to: string | null;
}

export async function retryCopies({ repository, base, to, ...request }: CopiedRetrial): Promise<Retrial> {
  const { checkout, prefix } = repository;
  const commits = await makeTrialCommits(checkout, base, to ?? (await treeOnDisk(checkout)), prefix);
  return runRetrial({ ...request, commits, openTree: copiesOf(findRepository(request.job.project) as ProjectRepository) });
}

function copiesOf(repository: ProjectRepository): OpenTree {
  return async (commit) => {
    const { project, remove } = await copyCommit(repository, commit);
    return { workdir: project, close: () => Promise.resolve(remove()) };
  };
}

/** For the critics of review and debt: the project's own tests alone. */
export const retryForCritic: RetryChange = async (given, change, base, { behaviourIsFixed, tryMutants }) => {
  // What was measured at the base is kept for the project, not for a copy of it.
  const job = { ...given, origin: given.origin ?? given.project };
  const { repository, base: commit } = findBase(job.project, base);
  const rules = { behaviourIsFixed, failuresAreGoal: false };
  const retrial = await retryCopies({
    job,
    change,
    repository,
    base: commit,
    to: null,
    command: null,
    rules,
    isThorough: false,
    tryMutants,
  });
  return { ...retrial, uses: retrial.runs.map(useOf) };
};

function useOf({ tree, command, started, durationMs, exitStatus, problem }: TreeRun): ToolUse {
  const ended = new Date(Date.parse(started) + durationMs).toISOString();
  const timedOut = problem !== null && exitStatus === null;
  return {
    name: `retrial (${tree})`,
    version: null,
    command: [command],
    workdir: '.',
    started,
    ended,
    exit_status: exitStatus,
    signal: null,
    timed_out: timedOut,
  };
}
