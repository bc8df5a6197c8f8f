// Requests through `gh`: which words and bytes it gets, and what comes of its errors. test/pull-request.test.ts has the REST API.

import { chmodSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { openGithub } from './github-access.js';

cleanUpAfterwards();

const path = process.env['PATH'] ?? '';
let bin: string;

beforeEach(() => {
  bin = temporaryFolder();
  process.env['PATH'] = `${bin}${delimiter}${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
});

function playGh(api: string): void {
  const login = '[ "$1 $2" = "auth token" ] && { [ "$4" = github.com ]; exit; }';
  writeFiles(bin, { gh: `#!/bin/sh\n${login}\necho "$*" > "${bin}/words"; cat > "${bin}/input"\n${api}\n` });
  chmodSync(join(bin, 'gh'), 0o755);
}

it('sends the body on stdin and takes the answer from stdout', async () => {
  playGh(`echo '{"number": 7}'`);
  const ask = await openGithub('github.com', {});
  expect(await ask({ method: 'POST', path: 'repos/o/r/pulls', body: { title: 'x' } })).toEqual({ number: 7 });
  expect(readFileSync(join(bin, 'words'), 'utf8')).toBe('api --hostname github.com --method POST repos/o/r/pulls --input -\n');
  expect(readFileSync(join(bin, 'input'), 'utf8')).toBe('{"title":"x"}');
});

it.each([
  [`echo '{"message": "Not Found"}'; echo 'gh: Not Found (HTTP 404)' >&2; exit 1`, '404 Not Found'],
  [`echo 'error connecting to api.github.com' >&2; exit 1`, 'error connecting to api.github.com'],
  [`echo '<html>'`, 'the answer is no JSON'],
  [`echo '{"errors": [{"message": "Could not resolve"}]}'`, 'Could not resolve'],
])('says what failed: %s', async (api, said) => {
  playGh(api);
  const ask = await openGithub('github.com', {});
  await expect(ask({ method: 'GET', path: 'graphql' })).rejects.toThrow(`GitHub did not answer graphql: ${said}.`);
});

it('asks for a login where gh has none for this host, and ignores a token for another', async () => {
  playGh('');
  await expect(openGithub('git.example', { GITHUB_TOKEN: 'x' })).rejects.toThrow('Nobody is logged in to git.example.');
  await expect(openGithub('git.example', { GITHUB_TOKEN: 'x', GITHUB_API_URL: 'https://api.github.com' })).rejects.toThrow('Nobody');
});
