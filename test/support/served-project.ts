// Starts `umpire serve` on a project: the address that it prints, and requests with its key.

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { RunProject, Running } from './run-project.js';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Served {
  /** The whole address, with the key. */
  readonly address: string;
  readonly port: number;
  readonly key: string;
  readonly running: Running;
  /** Sends the key as a program does, unless other headers are given. */
  readonly ask: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Answered>;
  /** As the page acts; other headers replace those of the page. */
  readonly post: (path: string, body: object | string, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
  readonly json: (path: string) => Promise<Record<string, unknown>>;
}

/** Uses a free port unless the flags name one. */
export async function serveProject(project: RunProject, ...flags: readonly string[]): Promise<Served> {
  const running = project.start('serve', ...(flags.includes('--port') ? [] : ['--port', '0']), ...flags);
  const { stdout } = running.child;
  if (stdout === null) throw new Error('the command has no stdout');
  const lines = createInterface({ input: stdout });
  const [address] = (await Promise.race([once(lines, 'line'), running.ended.then(({ err }) => Promise.reject(new Error(err)))])) as [
    string,
  ];
  lines.close();
  stdout.resume();
  const url = new URL(address);
  const port = Number(url.port);
  const key = url.hash.replace('#key=', '');
  const ask: Served['ask'] = (path, headers = { authorization: `Bearer ${key}` }, method = 'GET') => askServer(port, path, headers, method);
  const json: Served['json'] = async (path) => JSON.parse((await ask(path)).text) as Record<string, unknown>;
  const post: Served['post'] = (path, body, headers = {}) =>
    askServer(
      port,
      path,
      { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      'POST',
      typeof body === 'string' ? body : JSON.stringify(body),
    );
  return { address, port, key, running, ask, post, json };
}

function askServer(port: number, path: string, headers: Readonly<Record<string, string>>, method: string, body = ''): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    asked.on('error', reject).end(body);
  });
}
