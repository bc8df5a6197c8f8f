// `npm run languages`: tries every test runner that is installed here on its sample project (fixtures/languages/), and on real projects
// where they are given. Writes what it saw to fixtures/languages/results.json, from which `npm run docs` writes docs/languages.md.
//   --only RUNNER,…     these samples and projects alone
//   --checks CHECK,…    these checks alone; nothing is written
//   --projects FOLDER   real projects: FOLDER/<name>.yaml says what is in FOLDER/<name>/, in the format of the samples, with
//                       `repository` and `commit` in place of `files`
//   --dry-run           nothing is written
//   --no-build          `until` runs what lies in dist/: for several at once

import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { duration, root, run } from './tools.mjs';

const RESULTS = join(root, 'fixtures', 'languages', 'results.json');

const text = { type: 'string' };
const { values } = parseArgs({
  options: { only: text, checks: text, projects: text, 'dry-run': { type: 'boolean' }, 'no-build': { type: 'boolean' } },
});
const only = values.only?.split(',');
if (!values['no-build']) run(process.execPath, [join(root, 'scripts', 'build.mjs'), '--without-types']);
const { tryRunner, RunnerMissing, listSamples, readSample, removeProject } = await loadTrial();

const real = values.projects === undefined ? [] : listProjects(resolve(values.projects));
const chosen = [...listSamples().map((sample) => ({ ...sample, source: null })), ...real].filter(
  ({ name, file }) => only === undefined || only.includes(name) || only.includes(readSample(file).runner),
);
const startedAt = performance.now();
const trials = [];
const missing = [];
for (const { name, file, source } of chosen) {
  const folder = join(mkdtempSync(join(tmpdir(), 'umpire-languages-')), name);
  const sample = readSample(file);
  process.stdout.write(`${name}\n`);
  try {
    const trial = await tryRunner(sample, {
      folder,
      source,
      onCheck: (check, result, said) =>
        process.stdout.write(`  ${check.padEnd(9)} ${result ?? '-'}${said === '' ? '' : `  ${said.slice(0, 600)}`}\n`),
      ...(values.checks === undefined ? {} : { only: values.checks.split(',') }),
    });
    trials.push(trial);
    if (values.checks === undefined && !values['dry-run']) writeResults();
  } catch (error) {
    if (!(error instanceof RunnerMissing)) throw error;
    missing.push(name);
    process.stdout.write(`  not tried: ${error.message}\n`);
  } finally {
    removeProject(join(folder, '..'));
  }
}
process.stdout.write(
  `${trials.length} tried in ${duration(performance.now() - startedAt)}${missing.length === 0 ? '' : `; not tried: ${missing.join(', ')}`}.\n`,
);

/** Earlier results of what was not tried now stay. */
function writeResults() {
  const before = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : [];
  const keyOf = ({ runner, project }) => `${runner} ${project?.split(' ')[0] ?? ''}`;
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const now = trials.filter(({ tests }) => tests > 0).map((trial) => ({ ...trial, date }));
  const all = new Map([...before, ...now].map((trial) => [keyOf(trial), trial]));
  const sorted = [...all.values()].toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
  writeFileSync(RESULTS, `${JSON.stringify(sorted, null, 2)}\n`);
}

function listProjects(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((file) => file.slice(0, -'.yaml'.length))
    .map((name) => ({ name, file: join(folder, `${name}.yaml`), source: join(folder, name) }));
}

/** The trial with the code that critics run, from its sources as they are now. */
async function loadTrial() {
  const cache = join(root, 'node_modules', '.cache', 'umpire');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'languages-'));
  const outfile = join(folder, 'trial.mjs');
  const from = (name) => JSON.stringify(join(root, 'test', 'languages', name));
  await build({
    stdin: {
      contents: `export { tryRunner, removeProject, RunnerMissing } from ${from('trial.ts')}; export { listSamples, readSample } from ${from('sample.ts')};`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: Object.fromEntries(
      ['core', 'reports', 'guard', 'umpire'].map((name) => [`@umpire/${name}`, join(root, 'packages', name, 'src')]),
    ),
    define: { 'import.meta.dirname': JSON.stringify(join(root, 'test', 'languages')) },
    logLevel: 'warning',
    outfile,
  });
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return import(pathToFileURL(outfile).href);
}
