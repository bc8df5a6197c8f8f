// How Umpire talks to GitHub: over the REST API with a token of the environment, else through `gh` where somebody is logged in. Both take the
// same requests. Answers are bounded in time and size, and no message shows a token.

import { spawn } from 'node:child_process';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import { lineOf } from '../views/safe-text.js';
import { findPersonalProgram, isWebAddress, personalPath } from '../sessions/environment.js';

export interface GithubRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Such as `repos/octo/shop/pulls`, or `graphql`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Returns the answer's JSON. Throws `forge-failed` with the status that GitHub gave. */
export type GithubAccess = (request: GithubRequest) => Promise<unknown>;

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 20 * 1024 * 1024;

/** Throws `forge-login` where there is neither a token for this host nor a logged-in `gh`. */
export async function openGithub(host: string, env: NodeJS.ProcessEnv = process.env): Promise<GithubAccess> {
  const token = [env['GITHUB_TOKEN'], env['GH_TOKEN']].find((value) => value !== undefined && value !== '');
  const api = apiOf(host, env);
  if (token !== undefined && api !== null) return (request) => askApi(api, token, request);
  const program = findPersonalProgram('gh');
  const isLoggedIn = program !== null && (await runGh(program, ['auth', 'token', '--hostname', host])).code === 0;
  if (!isLoggedIn) throw new UmpireError('forge-login', { host });
  return (request) => askGh(program, host, request);
}

/** A token goes to github.com, or to the server that the environment names: never to a host that only the repository's settings name. */
function apiOf(host: string, env: NodeJS.ProcessEnv): string | null {
  const named = env['GITHUB_API_URL'];
  if (named === undefined || named === '') return host === 'github.com' ? 'https://api.github.com' : null;
  if (!isWebAddress(named)) throw new UmpireError('usage', { detail: 'GITHUB_API_URL must be an https address.', command: 'pr' });
  // The API of github.com knows nothing of a repository elsewhere.
  if (new URL(named).hostname === 'api.github.com' && host !== 'github.com') return null;
  return named.replace(/\/+$/, '');
}

async function askApi(api: string, token: string, { method, path, body }: GithubRequest): Promise<unknown> {
  // GitHub Enterprise has its GraphQL beside the REST API: /api/v3 and /api/graphql.
  const url = path === 'graphql' ? `${api.replace(/\/v3$/, '')}/graphql` : `${api}/${path}`;
  let status: number;
  let text: string;
  try {
    const answer = await fetch(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'umpire',
        'x-github-api-version': '2022-11-28',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect could carry the token elsewhere.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = answer.status;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.byteLength;
      if (size > MOST_BYTES) throw new Error(`the answer is larger than ${MOST_BYTES / 1024 / 1024} MB`);
      chunks.push(chunk);
    }
    text = Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    throw failed(path, networkFault(error));
  }
  return readAnswer(path, status, text);
}

/** Node hides the reason in the cause: `fetch failed`. */
export function networkFault(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} seconds`;
  const { cause } = error;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? (cause instanceof Error ? cause.message : error.message);
}

interface GhEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function askGh(program: string, host: string, { method, path, body }: GithubRequest): Promise<unknown> {
  const input = body === undefined ? [] : ['--input', '-'];
  const { code, stdout, stderr } = await runGh(program, ['api', '--hostname', host, '--method', method, path, ...input], body);
  if (code === 0) return readAnswer(path, 200, stdout);
  const status = /\(HTTP (\d{3})\)/.exec(stderr)?.[1];
  if (status === undefined) throw failed(path, lineOf(stderr, 300) || `gh ended with status ${code}`);
  return readAnswer(path, Number(status), stdout);
}

function runGh(program: string, args: readonly string[], body?: unknown): Promise<GhEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      // It starts git.
      env: { ...process.env, PATH: personalPath(), GH_PROMPT_DISABLED: '1' },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    const joinChunks = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8');
    child.on('error', (error) => resolve({ code: 127, stdout: '', stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 128, stdout: joinChunks(out), stderr: joinChunks(err) }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(body === undefined ? '' : JSON.stringify(body));
  });
}

function readAnswer(path: string, status: number, text: string): unknown {
  const json = parseJson(text);
  if (status < 200 || status >= 300) throw failed(path, `${status}${readErrors(json.ok ? json.value : null)}`);
  if (!json.ok) throw failed(path, 'the answer is no JSON');
  const faults = isObject(json.value) ? own(json.value, 'errors') : undefined;
  // GraphQL answers 200 to a request that failed.
  if (path === 'graphql' && Array.isArray(faults)) throw failed(path, readErrors(faults[0]).replace(/^ /, '') || 'an error');
  return json.value;
}

function readErrors(value: unknown): string {
  if (!isObject(value)) return '';
  const [message, faults] = [own(value, 'message'), own(value, 'errors')];
  const more = (Array.isArray(faults) ? faults : []).flatMap((fault: unknown) => {
    const said = isObject(fault) ? own(fault, 'message') : fault;
    return typeof said === 'string' ? [said] : [];
  });
  const said = [...(typeof message === 'string' ? [message] : []), ...more].join(': ');
  return said === '' ? '' : ` ${lineOf(said, 300)}`;
}

function failed(path: string, detail: string): UmpireError {
  return new UmpireError('forge-failed', { path: lineOf(path, 200), detail: detail.replace(/\.$/, '') });
}
