// `node scripts/guard-unseen.mjs FOLDER`: the guard on the cases of fixtures/guard/unseen. FOLDER holds clones of the projects that the
// cases start from, as owner+name or owner+name/repo. Prints figures, by language and kind.
//   --run          with a retrial, by the built program; without it by reading alone, and then without Go and Ruby
//   --cache DIR    keeps the projects with their packages, and what the program said of each case
//   --packages DIR has NAME/node_modules of a project, installed already; else npm installs them
//   --file NAME    the cases of one file; --only TEXT: cases whose id has this text
//   --ids          names every wrong case, with the rules and notes that it got

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { applyEdits, checkOut, editLines, readCases } from '../fixtures/guard/unseen/apply.mjs';
import { root } from './tools.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: 'boolean' },
    cache: { type: 'string' },
    packages: { type: 'string' },
    file: { type: 'string' },
    only: { type: 'string', default: '' },
    ids: { type: 'boolean' },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('Name the folder with the clones: node scripts/guard-unseen.mjs FOLDER\n');
  process.exit(2);
}
const READ = new Set(['js', 'ts', 'py', 'rs']);
const cases = readCases(values.file).filter(({ id, language }) => id.includes(values.only) && (values.run || READ.has(language)));

function cloneOf(repository) {
  const plain = join(folder, repository.replace('/', '+'));
  return existsSync(join(plain, 'repo')) ? join(plain, 'repo') : plain;
}

async function byReading() {
  const bundle = join(root, 'node_modules', '.cache', 'guard-unseen.mjs');
  await build({
    entryPoints: [join(root, 'packages', 'guard', 'src', 'guard.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    external: ['oxc-parser'],
    logLevel: 'error',
  });
  const { guardChange } = await import(pathToFileURL(bundle).href);
  return (one) => {
    const same = (path) => textAt(one.repository, one.commit, path);
    return { findings: guardChange({ change: { files: changeOf(one) }, scope: 'any', same }).findings };
  };
}

const known = new Map();

function textAt(repository, commit, path) {
  const key = `${repository} ${commit} ${path}`;
  if (!known.has(key)) known.set(key, show(repository, commit, path));
  return known.get(key);
}

function show(repository, commit, path) {
  try {
    return execFileSync('git', ['-C', cloneOf(repository), 'show', `${commit}:${path}`], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

function changeOf({ repository, commit, edits }) {
  return [...new Set(edits.map(({ path }) => path))].map((path) => {
    const own = edits.filter((edit) => edit.path === path);
    const before = textAt(repository, commit, path);
    const created = own.find(({ create }) => create !== undefined);
    const renamed = own.find(({ rename }) => rename !== undefined);
    const inLines = own.filter(({ text }) => text !== undefined);
    const after = own.some((edit) => edit.delete === true)
      ? null
      : (created?.create ?? (inLines.length > 0 ? editLines(before ?? '', inLines) : before));
    return renamed === undefined ? { path, before, after } : { path: renamed.rename, before, after, renamedFrom: path };
  });
}

function byRunning() {
  const cache = values.cache ?? mkdtempSync(join(tmpdir(), 'guard-unseen-'));
  const said = join(cache, 'said');
  mkdirSync(said, { recursive: true });
  return (one) => {
    const project = baseOf(one, cache);
    if (project === null) return null;
    applyEdits(one.edits, project);
    const began = Date.now();
    const argv = [join(root, 'dist', 'umpire.cjs'), 'guard', '--run', one.command, '--json'];
    const { stdout, stderr, status } = spawnSync(process.execPath, argv, {
      cwd: project,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, UMPIRE_TRUST: '1' },
    });
    process.stderr.write(`${one.id}: exit ${status}, ${Math.round((Date.now() - began) / 1000)} s\n`);
    writeFileSync(join(said, `${one.id}.json`), stdout);
    return { findings: status === 0 || status === 3 ? JSON.parse(stdout).findings : [], problem: problemIn(status, stdout, stderr) };
  };
}

/** Why the retrial said nothing, or less than it could. */
function problemIn(status, stdout, stderr) {
  if (stdout === '') return `exit ${status}: ${stderr.trim()}`;
  return JSON.parse(stdout).retrial.problem ?? '';
}

/** The project of a case as a repository without changes, with the packages that it needs. Made once. Null: they cannot be installed. */
function baseOf(one, cache) {
  const { repository, commit, language } = one;
  const place = join(cache, repository === undefined ? language : `${repository.replace('/', '+')}-${commit.slice(0, 10)}`);
  const inPlace = (program, ...argv) => execFileSync(program, argv, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  const git = (...argv) =>
    inPlace('git', '-c', 'user.name=unseen', '-c', 'user.email=unseen@localhost', '-c', 'core.autocrlf=false', ...argv);
  if (!existsSync(join(place, '.git', 'made'))) {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    checkOut(one, repository === undefined ? null : cloneOf(repository), place);
    git('init', '-q');
    writeFileSync(join(place, '.git', 'info', 'exclude'), 'node_modules\n');
    git('add', '-A');
    git('commit', '-qm', 'base');
    if (/^[jt]s$/.test(language) && !installed(place, repository)) return null;
    writeFileSync(join(place, '.git', 'made'), '');
  }
  git('reset', '-q', '--hard');
  git('clean', '-qfdx', '-e', 'node_modules');
  return place;
}

function installed(cwd, repository) {
  const ready = values.packages === undefined ? '' : join(values.packages, repository.split('/')[1], 'node_modules');
  if (ready !== '' && existsSync(ready)) {
    cpSync(ready, join(cwd, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    return true;
  }
  const argv = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--silent'];
  return spawnSync('npm', argv, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

const judge = values.run ? byRunning() : await byReading();
const groups = new Map();

function count(key, isRight) {
  const [all, right] = groups.get(key) ?? [0, 0];
  groups.set(key, [all + 1, right + (isRight ? 1 : 0)]);
}

const named = (findings) =>
  findings.map(({ rule, file, line, test }) => `${rule} ${file}:${line ?? ''}${test ? ` (${test})` : ''}`).join(', ');
for (const one of cases) {
  const { id, label, language, kind = '', hidesRegression } = one;
  const judged = judge(one);
  if (judged === null) {
    console.log(`${id}: left out, npm cannot install its project`);
    continue;
  }
  const { findings, problem = '' } = judged;
  const [breaches, notes] = ['breach', 'note'].map((level) => findings.filter((finding) => finding.level === level));
  const isRight = (label === 'cheat') === breaches.length > 0;
  if (label === 'cheat') count('cheat told', findings.length > 0);
  for (const key of [label, `${label} ${language}`, `${label} kind ${kind}`]) count(key, isRight);
  if (hidesRegression === true) count('cheat that hides a regression', isRight);
  if (!isRight && values.ids)
    console.log(
      `${id} ${label} ${one.level ?? ''} ${kind}: ${one.title}\n  breaches: ${named(breaches)}\n  notes: ${named(notes)}\n  ${problem}`,
    );
}
const percent = (part, all) => `${part} of ${all} (${((100 * part) / Math.max(1, all)).toFixed(1)} %)`;
const isKind = (key) => key.includes(' kind ');
for (const [key, [all, right]] of [...groups].toSorted(
  ([one], [other]) => Number(isKind(one)) - Number(isKind(other)) || (one < other ? -1 : 1),
))
  if (!isKind(key) || right < all)
    console.log(key.startsWith('cheat') ? `${key}: found ${percent(right, all)}` : `${key}: reported ${percent(all - right, all)}`);
