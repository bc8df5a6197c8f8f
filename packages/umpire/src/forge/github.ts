// The requests to GitHub that Umpire makes, and what it takes from the answers: pull requests, their unresolved review comments, issues.
// Texts are cut here; whoever shows them makes them safe.

import { z } from 'zod';
import { UmpireError } from '@umpire/core/model/errors.js';
import { cutText, lineOf } from '../views/safe-text.js';
import type { GithubAccess } from './github-access.js';

const MOST_TITLE_CHARS = 300;
const MOST_TEXT_CHARS = 20_000;
/** GitHub's own limit. */
const MOST_BODY_CHARS = 65_536;
const MOST_COMMENT_CHARS = 2000;
const MOST_THREAD_PAGES = 10;

const user = z.object({ login: z.string() }).nullish();
const side = z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() });
const pull = z.object({
  number: z.number(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  user,
  head: side,
  base: side,
});
const repository = z.object({
  default_branch: z.string(),
  fork: z.boolean().nullish(),
  parent: z.object({ full_name: z.string() }).nullish(),
});
const issue = z.object({
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  user,
  pull_request: z.unknown().optional(),
});
const thread = z.object({
  isResolved: z.boolean(),
  path: z.string().nullish(),
  line: z.number().nullish(),
  originalLine: z.number().nullish(),
  comments: z.object({ nodes: z.array(z.object({ body: z.string(), author: z.object({ login: z.string() }).nullish() })) }),
});
const threads = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          nodes: z.array(thread),
          pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
        }),
      }),
    }),
  }),
});

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly isDraft: boolean;
  readonly title: string;
  readonly text: string;
  readonly author: string;
  readonly head: { readonly branch: string; readonly commit: string; readonly repository: string | null };
  readonly base: { readonly branch: string; readonly commit: string };
}

export interface Issue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly author: string;
}

/** A thread that nobody marked as resolved. */
export interface ReviewComment {
  readonly author: string;
  readonly text: string;
  readonly file: string | null;
  readonly line: number | null;
}

export interface RepositoryFacts {
  readonly defaultBranch: string;
  /** The repository that this one is a fork of. */
  readonly forkOf: string | null;
}

export async function readRepository(ask: GithubAccess, name: string): Promise<RepositoryFacts> {
  const read = expect(repository, `repos/${name}`, await ask({ method: 'GET', path: `repos/${name}` }));
  return { defaultBranch: read.default_branch, forkOf: read.fork === true ? (read.parent?.full_name ?? 'another repository') : null };
}

/** The pull requests from a branch of this repository, the latest first. */
export async function pullRequestsFrom(ask: GithubAccess, name: string, branch: string): Promise<readonly PullRequest[]> {
  const [owner = ''] = name.split('/');
  const path = `repos/${name}/pulls?state=all&sort=created&direction=desc&per_page=50&head=${encodeURIComponent(`${owner}:${branch}`)}`;
  const read = expect(z.array(pull), path, await ask({ method: 'GET', path }));
  return read.map(pullRequestOf).filter(({ head }) => head.branch === branch && head.repository?.toLowerCase() === name.toLowerCase());
}

export async function readPullRequest(ask: GithubAccess, name: string, number: number): Promise<PullRequest> {
  const path = `repos/${name}/pulls/${number}`;
  return pullRequestOf(expect(pull, path, await ask({ method: 'GET', path })));
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
}

export async function openPullRequest(ask: GithubAccess, name: string, asked: NewPullRequest): Promise<PullRequest> {
  const path = `repos/${name}/pulls`;
  return pullRequestOf(expect(pull, path, await ask({ method: 'POST', path, body: asked })));
}

export async function updatePullRequest(
  ask: GithubAccess,
  name: string,
  number: number,
  asked: { readonly body: string; readonly title?: string; readonly base?: string },
): Promise<PullRequest> {
  const path = `repos/${name}/pulls/${number}`;
  return pullRequestOf(expect(pull, path, await ask({ method: 'PATCH', path, body: asked })));
}

/** Only GraphQL knows which threads are resolved. */
const THREADS = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { reviewThreads(first: 50, after: $after) {
    nodes { isResolved path line originalLine comments(first: 20) { nodes { body author { login } } } }
    pageInfo { hasNextPage endCursor } } } } }`;

/** The unresolved threads, at most 500. A thread is one comment: its answers follow the first text. */
export async function unresolvedComments(ask: GithubAccess, name: string, number: number): Promise<readonly ReviewComment[]> {
  const [owner = '', repo = ''] = name.split('/');
  const found: z.output<typeof thread>[] = [];
  let after: string | null = null;
  for (let page = 0; page < MOST_THREAD_PAGES; page++) {
    const variables: Readonly<Record<string, unknown>> = { owner, name: repo, number, after };
    const answer = await ask({ method: 'POST', path: 'graphql', body: { query: THREADS, variables } });
    const { nodes, pageInfo } = expect(threads, 'graphql', answer).data.repository.pullRequest.reviewThreads;
    found.push(...nodes);
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
    if (after === null) break;
  }
  return found.flatMap(({ isResolved, path, line, originalLine, comments: { nodes } }) => {
    const [first] = nodes;
    if (isResolved || first === undefined) return [];
    const texts = nodes.map(({ author, body }, index) => (index === 0 ? body : `${author?.login ?? 'ghost'} answers: ${body}`));
    const author = lineOf(first.author?.login ?? 'ghost', 80);
    return [{ author, text: lineOf(texts.join(' '), MOST_COMMENT_CHARS), file: path ?? null, line: line ?? originalLine ?? null }];
  });
}

/** Throws where the number is a pull request's: GitHub counts both together. */
export async function readIssue(ask: GithubAccess, name: string, number: number): Promise<Issue> {
  const path = `repos/${name}/issues/${number}`;
  const read = expect(issue, path, await ask({ method: 'GET', path }));
  if (read.pull_request !== undefined && read.pull_request !== null)
    throw new UmpireError('usage', {
      detail: `#${number} is a pull request, not an issue. Review it with --pr ${number}.`,
      command: 'run',
    });
  return { number: read.number, url: read.html_url, ...textsOf(read) };
}

function pullRequestOf(read: z.output<typeof pull>): PullRequest {
  const { number, html_url: url, state, body, merged_at: mergedAt, draft, head, base } = read;
  return {
    number,
    url,
    state: mergedAt !== undefined && mergedAt !== null ? 'merged' : state === 'open' ? 'open' : 'closed',
    isDraft: draft === true,
    ...textsOf(read),
    text: cutText(body ?? '', MOST_BODY_CHARS),
    head: { branch: head.ref, commit: head.sha, repository: head.repo?.full_name ?? null },
    base: { branch: base.ref, commit: base.sha },
  };
}

function textsOf({ title, body, user: by }: Pick<z.output<typeof issue>, 'title' | 'body' | 'user'>) {
  return {
    title: lineOf(title, MOST_TITLE_CHARS),
    text: cutText(body ?? '', MOST_TEXT_CHARS),
    author: lineOf(by?.login ?? 'ghost', 80),
  };
}

function expect<T extends z.ZodType>(shape: T, path: string, value: unknown): z.output<T> {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new UmpireError('forge-failed', { path, detail: `the answer has no ${first?.path.join('.') ?? 'such field'}` });
}
