// A server on loopback that plays the part of GitHub's API that Umpire uses, with a bare git repository as the remote behind it. It keeps
// pull requests and counts every request, so that a test sees a second pull request or a token that went elsewhere.

import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { gitIn } from './git-project.js';
import type { RunProject } from './run-project.js';

export const REPOSITORY = 'octo/shop';
export const TOKEN = 'ghs_hunter2';

export interface FakePull {
  number: number;
  html_url: string;
  state: string;
  title: string;
  body: string;
  draft: boolean;
  merged_at: string | null;
  user: { login: string };
  head: { ref: string; sha: string; repo: { full_name: string } | null };
  base: { ref: string; sha: string };
}

export interface FakeThread {
  readonly isResolved: boolean;
  readonly path: string | null;
  readonly line: number | null;
  readonly originalLine?: number | null;
  readonly comments: { readonly nodes: readonly { readonly body: string; readonly author: { readonly login: string } | null }[] };
}

export interface GithubServer {
  readonly env: Readonly<Record<string, string>>;
  readonly remote: string;
  /** `METHOD path` of every request. */
  readonly requests: string[];
  readonly pulls: FakePull[];
  readonly threads: FakeThread[];
  readonly issues: Record<string, unknown>[];
  facts: Record<string, unknown>;
  /** A branch of the remote: its commit. Null if there is none. */
  readonly tip: (branch: string) => string | null;
}

const closing: (() => void)[] = [];

export function closeGithubServers(): void {
  afterAll(() => {
    for (const close of closing.splice(0)) close();
  });
}

/** The project's `origin` is an address on github.com; git reaches the bare repository in its place. */
export async function startGithub(project: Pick<RunProject, 'beside' | 'git'>): Promise<GithubServer> {
  const remote = join(project.beside, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  const address = `https://github.com/${REPOSITORY}.git`;
  project.git('remote', 'add', 'origin', address);
  project.git('config', `url.${remote}.insteadOf`, address);
  project.git('push', '-q', 'origin', 'main');
  const requests: string[] = [];
  const pulls: FakePull[] = [];
  const threads: FakeThread[] = [];
  const issues: Record<string, unknown>[] = [];
  const tip = (branch: string): string | null => {
    const found = gitIn(remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`).trim();
    return found === '' ? null : found;
  };
  const server: GithubServer = {
    env: {},
    remote,
    requests,
    pulls,
    threads,
    issues,
    facts: { default_branch: 'main', fork: false, full_name: REPOSITORY },
    tip,
  };
  const answer = (method: string, path: string, query: URLSearchParams, body: Record<string, unknown>): [number, unknown] => {
    const [, number = ''] = /\/(?:pulls|issues)\/(\d+)$/.exec(path) ?? [];
    if (path === '/graphql') return [200, { data: { repository: { pullRequest: { reviewThreads: pageOf(threads, body) } } } }];
    if (path === `/repos/${REPOSITORY}`) return [200, server.facts];
    if (path === `/repos/${REPOSITORY}/pulls` && method === 'GET')
      return [200, pulls.filter(({ head }) => `octo:${head.ref}` === query.get('head')).toReversed()];
    if (path === `/repos/${REPOSITORY}/pulls` && method === 'POST') {
      const [head, base] = [String(body['head']), String(body['base'])];
      if (tip(head) === null) return [422, { message: 'Validation Failed', errors: [{ message: 'head is missing' }] }];
      if (pulls.some((pull) => pull.state === 'open' && pull.head.ref === head))
        return [422, { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] }];
      const pull = pullOf(pulls.length + 7, head, tip(head) ?? '', base, tip(base) ?? '');
      pulls.push({ ...pull, title: String(body['title']), body: String(body['body']), draft: body['draft'] === true });
      return [201, pulls.at(-1)];
    }
    const pull = path.includes('/pulls/') ? pulls.find((one) => String(one.number) === number) : undefined;
    if (pull !== undefined) {
      if (method === 'PATCH')
        Object.assign(pull, body, typeof body['base'] === 'string' ? { base: { ...pull.base, ref: body['base'] } } : {});
      return [200, pull];
    }
    const issue = issues.find((one) => path === `/repos/${REPOSITORY}/issues/${String(one['number'])}`);
    return issue === undefined ? [404, { message: 'Not Found' }] : [200, issue];
  };
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local');
      requests.push(`${request.method ?? ''} ${pathname}`);
      const text = Buffer.concat(chunks).toString('utf8');
      const [status, value] =
        request.headers.authorization === `Bearer ${TOKEN}`
          ? answer(request.method ?? '', pathname, searchParams, text === '' ? {} : (JSON.parse(text) as Record<string, unknown>))
          : [401, { message: 'Bad credentials' }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    });
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  closing.push(
    () => http.closeAllConnections(),
    () => void http.close(),
  );
  const { port } = http.address() as AddressInfo;
  // Without CI variables of the machine that runs the tests.
  const env = { GITHUB_TOKEN: TOKEN, GH_TOKEN: '', GITHUB_API_URL: `http://127.0.0.1:${port}`, GITHUB_ACTIONS: '', GITLAB_CI: '' };
  return Object.assign(server, { env });
}

const PAGE = 2;

function pageOf(threads: readonly FakeThread[], body: Record<string, unknown>) {
  const from = Number((body['variables'] as { after?: string | null }).after ?? 0);
  const nodes = threads.slice(from, from + PAGE);
  return { nodes, pageInfo: { hasNextPage: from + PAGE < threads.length, endCursor: String(from + PAGE) } };
}

export function pullOf(number: number, ref: string, sha: string, baseRef: string, baseSha: string): FakePull {
  return {
    number,
    html_url: `https://github.com/${REPOSITORY}/pull/${number}`,
    state: 'open',
    title: 'A change',
    body: '',
    draft: false,
    merged_at: null,
    user: { login: 'alice' },
    head: { ref, sha, repo: { full_name: REPOSITORY } },
    base: { ref: baseRef, sha: baseSha },
  };
}
