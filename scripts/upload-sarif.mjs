// Sends a SARIF file to GitHub's code scanning, for action.yml. Reads SARIF and GITHUB_TOKEN from the environment, and the runner's variables.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const { SARIF, GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SHA, GITHUB_REF } = process.env;

const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/code-scanning/sarifs`, {
  method: 'POST',
  headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: 'application/vnd.github+json', 'content-type': 'application/json' },
  body: JSON.stringify({ commit_sha: GITHUB_SHA, ref: GITHUB_REF, sarif: gzipSync(readFileSync(SARIF)).toString('base64') }),
});
const text = (await response.text()).replace(/\s+/g, ' ').slice(0, 300);
if (response.ok) console.log('umpire: SARIF uploaded to code scanning.');
// The token of a pull request from a fork cannot write, and a private repository may have no code scanning: no reason to fail the job.
else if (response.status === 403 || response.status === 404)
  console.log(
    `::warning::umpire: SARIF not uploaded (${response.status}). The job needs security-events: write, and code scanning. ${text}`,
  );
else {
  console.log(`::error::umpire: SARIF not uploaded (${response.status}). ${text}`);
  process.exitCode = 1;
}
