// What a session is about on GitHub: an issue as its goal, or a pull request that a review begins with. Both are read once, and the journal
// keeps them. Their texts are data for agents, never instructions.

import type { ForgeTopic } from '@umpire/core/decider/events.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { makeFinding } from '@umpire/core/formats/finding.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import { openGithub } from '../forge/github-access.js';
import { readIssue, readPullRequest, unresolvedComments } from '../forge/github.js';
import type { PullRequest, ReviewComment } from '../forge/github.js';
import { findRemote, parseRemoteUrl, fetchRefs } from '../forge/remote-repository.js';
import { askGit, tryGit } from '../work/git.js';
import { findRepository } from '../work/repository.js';
import { projectFor } from '../engine/project-folders.js';
import { readSettings } from '../engine/project-settings.js';

interface TopicAsked {
  readonly project?: string;
  /** A number, or the address of an issue in any repository. */
  readonly issue?: string;
  /** The number of a pull request. */
  readonly pr?: number;
  readonly remote?: string;
  readonly sandbox?: boolean;
}

/** What a run request gets from its topic. */
export interface TopicStart {
  readonly goal: string;
  readonly topic: ForgeTopic;
  readonly commits?: { readonly base: string; readonly head: string };
  readonly pipeline?: Pipeline;
}

export async function readTopic(asked: TopicAsked): Promise<TopicStart | null> {
  if (asked.issue !== undefined && asked.pr !== undefined)
    throw new UmpireError('usage', { detail: 'Use --issue or --pr, not both.', command: 'run' });
  if (asked.issue !== undefined) {
    const { project, remote } = asked;
    const word = asked.issue;
    const { host, repository, number } = issueNamed(word) ?? { ...findRemote(projectFor(project), remote), number: parseIssueNumber(word) };
    const { title, author, text, url } = await readIssue(await openGithub(host), repository, number);
    return {
      goal: `Resolve issue #${number} of ${repository}`,
      topic: { kind: 'issue', repository, number, url, title, author, text, comments: [] },
    };
  }
  return asked.pr === undefined ? null : topicOfPullRequest(asked, asked.pr);
}

function issueNamed(word: string): { readonly host: string; readonly repository: string; readonly number: number } | null {
  const [, place = '', number = ''] = /^(https:\/\/[^/]+\/[^/]+\/[^/]+)\/issues\/(\d{1,9})(?:[?#].*)?$/.exec(word) ?? [];
  const named = parseRemoteUrl(place);
  return named === null ? null : { ...named, number: Number(number) };
}

function parseIssueNumber(word: string): number {
  const number = /^#?(\d{1,9})$/.exec(word)?.[1];
  if (number !== undefined && Number(number) > 0) return Number(number);
  throw new UmpireError('usage', {
    detail: `--issue takes a number or the address of an issue, not "${word.slice(0, 80)}".`,
    command: 'run',
  });
}

async function topicOfPullRequest(asked: TopicAsked, number: number): Promise<TopicStart> {
  const project = projectFor(asked.project);
  const place = findRepository(project, project, 'git');
  const remote = findRemote(project, asked.remote);
  const { repository } = remote;
  const ask = await openGithub(remote.host);
  const pull = await readPullRequest(ask, repository, number);
  const { title, author, text, url, head, base, state } = pull;
  if (state !== 'open') throw new UmpireError('pr-unreviewable', { number, url, detail: `it is ${state}` });
  await refuseForeign(pull, repository, project, asked.sandbox === true);
  const target = { gitDir: place.gitDir };
  // The server keeps the head of every pull request under this name, also of one from a fork.
  await fetchRefs(target, remote, [`refs/pull/${number}/head`, `refs/heads/${base.branch}`]);
  const isHere = (await tryGit(target, ['cat-file', '-e', `${head.commit}^{commit}`])).code === 0;
  const forks = isHere ? await tryGit(target, ['merge-base', base.commit, head.commit]) : null;
  if (forks?.code !== 0)
    throw new UmpireError('pr-unreviewable', { number, url, detail: 'its commits have moved, or share no history with its base' });
  const from = forks.stdout.toString('utf8').trim();
  if (from === head.commit) throw new UmpireError('pr-unreviewable', { number, url, detail: 'it changes nothing' });
  const commit = await askGit(target, ['rev-parse', `${head.commit}^{commit}`]);
  const comments = (await unresolvedComments(ask, repository, number)).map(commentFinding);
  return {
    goal: `Review pull request #${number} of ${repository}, and fix what is found`,
    topic: { kind: 'pull request', repository, number, url, title, author, text, comments },
    commits: { base: from, head: commit },
    pipeline: reviewPipeline(from),
  };
}

/** Whoever opened it from elsewhere wrote the tests that a review runs on this machine. */
async function refuseForeign({ number, head }: PullRequest, repository: string, project: string, isSandboxed: boolean): Promise<void> {
  const isOwn = head.repository?.toLowerCase() === repository.toLowerCase();
  if (isOwn || isSandboxed || (await readSettings(project)).sandbox) return;
  throw new UmpireError('pr-foreign', { number, from: head.repository ?? 'a repository that is gone' });
}

const MOST_MESSAGE_CHARS = 600;

/** A person asked for something: it blocks until it is fixed or resolved. */
function commentFinding({ author, text, file, line }: ReviewComment) {
  const message = `${author} commented: ${text}`.slice(0, MOST_MESSAGE_CHARS);
  return makeFinding({ severity: 'high', message, artifact: file, line, rule: 'review-comment' });
}

/** The change is there already, so the review comes first. */
function reviewPipeline(base: string): Pipeline {
  const usual = builtinPipeline('review');
  if (usual === null) throw new Error('The review loop is built in.');
  const review = {
    id: 'REVIEW-001',
    title: 'Review the pull request',
    description: `Review the pull request: git diff ${base}. Write artifacts/review-results.json. Goal: {goal}`,
    role: 'reviewer',
    deps: [],
    context_from: [],
    exec_mode: 'csv-wave' as const,
    writes: false,
    approve: false,
    columns: { pipeline: '{mode}', sprint_num: '1', gc_round: '1' },
  };
  const title = 'A pull request: review, then fixes.';
  return {
    ...usual,
    default: 'pull-request',
    modes: { 'pull-request': { title, judged: true, turns: 1, tasks: [review] } },
    choose: { points: [], rules: [] },
  };
}
