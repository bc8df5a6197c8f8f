// `umpire ci`, and the files that CI services run it by: the steps of action.yml in bash as a runner does, the GitLab job, the pre-commit
// hook. On real repositories, with the variables that the services set.

import { SOAK } from './support/campaign.js';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { TOKEN } from './support/github-server.js';
import { CART, TESTS, WEAKENED } from './support/guard-shop.js';
import { runInProcess } from './support/in-process.js';
import { cleanUpProjects, command, makeProject, textOf } from './support/run-project.js';
import { writeFiles } from './support/git-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const root = join(import.meta.dirname, '..');
const NO_CI = { GITHUB_ACTIONS: '', GITLAB_CI: '', GITHUB_STEP_SUMMARY: '', GITHUB_BASE_REF: '', GITHUB_EVENT_PATH: '' };
const FILES = { 'src/cart.ts': CART, 'src/cart.test.ts': TESTS, 'umpire.config.yaml': '{"critics": {"tests": "none"}}' };
/** A path that would end a workflow command, and a report of a linter on it. */
const ODD = 'src/a,b%25:c.ts';
const SARIF = JSON.stringify({
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'scan' } },
      results: [
        {
          ruleId: 'no-todo',
          level: 'warning',
          message: { text: 'A TODO is left\n::error::injected 100%' },
          locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(ODD) }, region: { startLine: 1 } } }],
        },
      ],
    },
  ],
});

/** The change is a branch since `origin/main`, as a pull request's checkout has it. */
function changed(files: Readonly<Record<string, string>>, kind: { readonly inner?: string } = {}): RunProject {
  const project = makeProject({ files: FILES, ...kind });
  project.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  project.git('checkout', '-q', '-b', 'feature');
  project.commit(files);
  return project;
}

async function ci(project: RunProject, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: project.beside };
  const { exit, stdout, stderr } = await runInProcess(project.root, ['ci', ...flags], { ...NO_CI, ...own, ...env });
  return { exit, out: stdout, err: stderr };
}

const GITHUB = { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main' };

it('finds a weakened test of a pull request on GitHub, and annotates its line', async () => {
  const project = changed({ 'src/cart.test.ts': WEAKENED }, { inner: 'packages/shop' });
  const summary = join(project.beside, 'summary.md');
  writeFiles(project.beside, { 'summary.md': 'Before.\n' });
  const { exit, out, err } = await ci(project, ['--no-review', '--sarif', join(project.beside, 'out.sarif')], {
    ...GITHUB,
    GITHUB_STEP_SUMMARY: summary,
  });
  expect({ exit, err }).toEqual({
    exit: 3,
    err: expect.stringContaining('2 findings against refs/remotes/origin/main (1 high or worse); guard fail.') as string,
  });
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^::error file=packages\/shop\/src\/cart\.test\.ts,line=9,title=guard%3A test-skipped::/) as string,
    expect.stringMatching(/^::notice file=packages\/shop\/src\/cart\.test\.ts,line=14,title=guard%3A assertion-weakened::/) as string,
    '',
  ]);
  expect(textOf(summary)).toMatch(
    /^Before\.\n## Umpire\n[^]*\| critical \| guard \| test-skipped \| packages\/shop\/src\/cart\.test\.ts:9 \|/,
  );
  const sarif = JSON.parse(textOf(project.beside, 'out.sarif')) as { runs: { tool: { driver: { name: string } }; results: unknown[] }[] };
  expect(sarif.runs.map(({ tool, results }) => [tool.driver.name, results.length])).toEqual([['umpire guard', 2]]);
});

it('fails by severity, and lists what the review found in the change', SOAK, async () => {
  const project = changed({ [ODD]: '// TODO\n', 'scan.sarif': SARIF });
  const quality = join(project.beside, 'quality.json');
  const exits: Record<string, number | null> = {};
  for (const severity of ['never', 'high', 'medium'])
    exits[severity] = (await ci(project, ['--base', 'origin/main', '--fail-on', severity])).exit;
  expect(exits).toEqual({ never: 0, high: 0, medium: 3 });
  const { out } = await ci(project, [], GITHUB);
  // Not one line that the runner takes for a command is foreign.
  expect(out.split('\n')[0]).toBe(
    '::warning file=src/a%2Cb%2525%3Ac.ts,line=1,title=review%3A no-todo::A TODO is left ::error::injected 100%25',
  );
  expect(out.match(/^::(?!warning )/gm)).toBe(null);
  const gitlab = await ci(project, ['--code-quality', quality], {
    GITLAB_CI: 'true',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: project.git('rev-parse', 'main').trim(),
  });
  expect(gitlab.out).toContain('  medium   review no-todo src/a,b%25:c.ts:1: A TODO is left ::error::injected 100%\n');
  expect(JSON.parse(textOf(quality))).toEqual([
    {
      description: 'A TODO is left ::error::injected 100%',
      check_name: 'umpire review: no-todo',
      fingerprint: expect.stringMatching(/^review-./) as string,
      severity: 'major',
      location: { path: ODD, lines: { begin: 1 } },
    },
  ]);
});

it('passes an honest change, and says where the base is missing', async () => {
  const project = changed({ 'src/cart.ts': `${CART}// more\n` });
  expect(await ci(project, ['--no-review'])).toMatchObject({
    exit: 0,
    out: expect.stringContaining('umpire ci: 0 findings against') as string,
  });
  const shallow = { ...GITHUB, GITHUB_BASE_REF: 'develop', GITHUB_EVENT_PATH: join(project.beside, 'event.json') };
  writeFiles(project.beside, { 'event.json': JSON.stringify({ pull_request: { base: { sha: 'f'.repeat(40) } } }) });
  const { exit, err } = await ci(project, ['--no-review'], shallow);
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('fetch-depth: 0') as string });
  writeFiles(project.beside, {
    'event.json': JSON.stringify({ pull_request: { base: { sha: project.git('rev-parse', 'main').trim() } } }),
  });
  expect((await ci(project, ['--no-review'], shallow)).exit).toBe(0);
  expect((await ci(project, ['--fail-on', 'major'])).err).toContain('--fail-on takes one of critical, high, medium, low, never');
});

it('takes the settings of the base, not those of the change', async () => {
  const allowance = { rule: 'marks', path: '**', reason: 'x', until: '2999-01-01' };
  const project = changed({ 'src/cart.test.ts': WEAKENED, 'umpire.config.yaml': JSON.stringify({ guard: { allowances: [allowance] } }) });
  expect((await ci(project, ['--no-review'], GITHUB)).out).toContain('guard%3A test-skipped');
});

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly shell: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
  readonly uses?: string;
  readonly if?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const yamlAt = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'));

/** Code scanning of a repository. */
const RUNNER = { GITHUB_REPOSITORY: 'octo/shop', GITHUB_SHA: 'a'.repeat(40), GITHUB_REF: 'refs/pull/7/merge' };

/**
 * What a runner does: fills in the inputs, writes each script to a file and runs it with bash -e. After a failure it runs only steps with an
 * `if`; the one of this file asks for the upload.
 */
async function runAction(project: RunProject, inputs: Readonly<Record<string, string>>, api = '') {
  const action = yamlAt('action.yml') as Action;
  const values = { ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])), ...inputs };
  const fill = (text: string) =>
    text
      .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => values[name] ?? '')
      .replace('${{ github.token }}', TOKEN)
      .replace('${{ steps.judge.outputs.sarif }}', () => /^sarif=(.*)$/m.exec(textOf(files.GITHUB_OUTPUT))?.[1] ?? '');
  const files = { GITHUB_OUTPUT: join(project.beside, 'output'), GITHUB_STEP_SUMMARY: join(project.beside, 'step-summary') };
  writeFiles(project.beside, { output: '' });
  let [status, out]: [number | null, string] = [0, ''];
  for (const [index, step] of action.runs.steps.entries()) {
    if (step.if === undefined ? status !== 0 : values['upload-sarif'] !== 'true') continue;
    // Inputs in a script would be code.
    expect([step.uses, step.shell, step.run.includes('${{')]).toEqual([undefined, 'bash', false]);
    const script = join(project.beside, `step-${index}.sh`);
    writeFiles(project.beside, { [`step-${index}.sh`]: step.run });
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)]));
    expect([step.name, Object.values(own).includes(TOKEN)]).toEqual([step.name, step.if !== undefined]);
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: join(project.root, fill(step['working-directory'] ?? '.')),
      env: {
        ...process.env,
        ...NO_CI,
        ...GITHUB,
        ...RUNNER,
        GITHUB_API_URL: api,
        ...files,
        ...own,
        GITHUB_ACTION_PATH: root,
        HOME: project.beside,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const [code] = (await once(child, 'close')) as [number | null];
    status ||= code;
  }
  return { status, out, files };
}

it('runs as an action: annotations, a summary, a SARIF file and its path as output', async () => {
  const project = changed({ 'src/cart.test.ts': WEAKENED });
  const { status, out, files } = await runAction(project, { review: 'false', sarif: 'my report.sarif' });
  expect({ status, lines: out.match(/^::error file=src\/cart\.test\.ts/gm)?.length }).toEqual({ status: 3, lines: 1 });
  expect(textOf(files.GITHUB_OUTPUT)).toBe(`sarif=${join(project.root, 'my report.sarif')}\n`);
  expect(existsSync(join(project.root, 'my report.sarif'))).toBe(true);
  expect(textOf(files.GITHUB_STEP_SUMMARY)).toContain('## Umpire');
  expect((await runAction(project, { review: 'false', 'fail-on': 'never' })).status).toBe(0);
  const hostile = await runAction(project, { 'fail-on': 'high"; touch pwned; "' });
  expect({ status: hostile.status, isHarmless: !existsSync(join(project.root, 'pwned')) }).toEqual({ status: 2, isHarmless: true });
});

it('uploads the SARIF file where asked, although the judgement failed, and only warns where it may not', async () => {
  const project = changed({ 'src/cart.test.ts': WEAKENED });
  const asked: { readonly request: string; readonly body: Record<string, string> }[] = [];
  const answers = [202, 403, 500];
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as Record<string, string>;
    asked.push({ request: `${request.method} ${request.url} ${request.headers.authorization}`, body });
    response.writeHead(answers.shift() ?? 500, { 'content-type': 'application/json' }).end('{"message":"as planned"}');
  };
  const server = createServer((request, response) => void onRequest(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await runAction(project, { review: 'false', 'upload-sarif': 'true' }, api)).status).toBe(3);
  const [{ request, body } = { request: '', body: {} }] = asked;
  expect(request).toBe(`POST /repos/octo/shop/code-scanning/sarifs Bearer ${TOKEN}`);
  expect(body).toMatchObject({ commit_sha: 'a'.repeat(40), ref: 'refs/pull/7/merge' });
  expect(gunzipSync(Buffer.from(body['sarif'] ?? '', 'base64')).toString('utf8')).toBe(textOf(project.root, 'umpire.sarif'));
  const upload = async () => {
    const env = { ...process.env, ...RUNNER, GITHUB_API_URL: api, GITHUB_TOKEN: TOKEN, SARIF: join(project.root, 'umpire.sarif') };
    const child = spawn(process.execPath, [join(root, 'scripts', 'upload-sarif.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { code: code as number, out };
  };
  expect(await upload()).toEqual({ code: 0, out: expect.stringMatching(/^::warning::umpire: SARIF not uploaded \(403\)/) as string });
  expect(await upload()).toEqual({ code: 1, out: expect.stringContaining('as planned') as string });
  server.close();
});

it('has a GitLab job and a pre-commit hook whose commands are real', () => {
  const page = readFileSync(join(root, 'docs', 'pull-requests-and-ci.md'), 'utf8');
  for (const name of ['github', 'gitlab']) expect(page).toContain(readFileSync(join(root, 'examples', 'ci', `${name}.yml`), 'utf8'));
  const job = (
    yamlAt('examples/ci/gitlab.yml') as { umpire: { script: readonly string[]; artifacts: { reports: { codequality: string } } } }
  ).umpire;
  const [hook] = yamlAt('.pre-commit-hooks.yaml') as readonly [{ entry: string; pass_filenames: boolean }];
  const project = changed({ 'src/cart.ts': `${CART}// more\n` });
  writeFiles(project.beside, { 'bin/umpire': `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n` });
  chmodSync(join(project.beside, 'bin', 'umpire'), 0o755);
  const env = { ...process.env, ...NO_CI, HOME: project.beside, PATH: `${join(project.beside, 'bin')}:${process.env['PATH'] ?? ''}` };
  const gitlab = { GITLAB_CI: 'true', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
  const script = job.script.join('\n').replace('/opt/umpire/dist/umpire.cjs', command);
  const ran = spawnSync('sh', ['-ec', script], { cwd: project.root, encoding: 'utf8', env: { ...env, ...gitlab } });
  expect({ status: ran.status, report: JSON.parse(textOf(project.root, job.artifacts.reports.codequality)) as unknown }).toEqual({
    status: 0,
    report: [],
  });
  project.write({ 'src/cart.test.ts': WEAKENED });
  const commit = () => spawnSync(join(root, hook.entry), [], { cwd: project.root, encoding: 'utf8', env }).status;
  expect([hook.pass_filenames, commit()]).toEqual([false, 0]);
  project.git('add', '-A');
  expect(commit()).toBe(3);
});
