// `npm run field -- REPOSITORY…`: measures the guard on real history. Takes the last commits of each git repository that touch a test,
// checks each against its parent as `umpire guard --scope any` does, and prints how many fail, by which rule and how fast. Most of these
// commits are honest, so most failures are false alarms: fixtures/guard/field/ holds what people judged, by commit and rule.
//   --commits N    how many commits of each repository (60)
//   --list FILE    instead the commits that FILE names: a JSON object a line, with "repository" (owner/name) and "commit"
//   --sample N     print N failing findings to judge; --seed N chooses others
//   --json FILE    write every finding
//   --project FOLDER (another checkout of this project), --judgements FOLDER

import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { root } from './tools.mjs';

const GUARD = 'packages/guard/src/guard.ts';
/** Commits that one worker checks in a row: their trees differ little, so few files are written between them. */
const CHUNK = 15;
const PAGE = 500;
const SLOWEST = 5;
const MAX_LINE = 160;
const MAX_LINES = 12;
const SHORT_ID = 12;
const USAGE =
  'Usage: npm run field -- REPOSITORY… [--commits N | --list FILE] [--sample N] [--seed N] [--json FILE] [--project FOLDER] [--judgements FOLDER]';

class UsageError extends Error {}

function readArguments() {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { commits: text, list: text, sample: text, seed: text, json: text, project: text, judgements: text },
  });
  const count = (name, usual) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < 0) throw new UsageError(`--${name} ${values[name]} is not a count.`);
    return value;
  };
  const { project = root, judgements = join(root, 'fixtures', 'guard', 'field') } = values;
  if (positionals.length === 0) throw new UsageError(USAGE);
  const engineFile = join(resolve(project), GUARD);
  if (!existsSync(engineFile)) throw new UsageError(`There is no ${engineFile}: name a checkout of this project with --project.`);
  return {
    folders: positionals,
    commits: count('commits', 60),
    list: values.list === undefined ? null : readList(values.list),
    sample: count('sample', 0),
    seed: count('seed', 1),
    json: values.json,
    engineFile,
    judgements: resolve(judgements),
  };
}

function readList(file) {
  if (!existsSync(file)) throw new UsageError(`There is no ${file}.`);
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** The guard and the code that reads a change, from their sources as they are now. */
async function bundleGuard(engineFile, outfile) {
  const from = (path) => JSON.stringify(join(root, 'packages', path));
  await build({
    stdin: {
      contents: `export { guardChange } from ${JSON.stringify(engineFile)};
        export { roleOf } from ${from('guard/src/project/paths.ts')};
        export { createFileReader, filesOnDisk, readChange } from ${from('umpire/src/work/read-change.ts')};
        export { git, nameOf, runGitSync } from ${from('umpire/src/work/git.ts')};
        export { lineOf, plainLine } from ${from('umpire/src/views/safe-text.ts')};`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['oxc-parser'],
    logLevel: 'warning',
    outfile,
  });
}

/** The last commits that touch a test, newest first. Merges and first commits do not count. */
async function commitsOf({ git, nameOf, roleOf }, gitDir, wanted) {
  const found = [];
  for (let skip = 0; found.length < wanted; skip += PAGE) {
    const shape = ['--no-merges', '--min-parents=1', '--no-renames', '--name-only', '-z', '--format=%x01%H %P%x02'];
    const page = (await git({ gitDir }, ['log', ...shape, `--skip=${skip}`, `--max-count=${PAGE}`, 'HEAD'])).toString('latin1');
    const entries = page.split('\u0001').slice(1);
    for (const entry of entries) {
      const [ids, names] = entry.split('\u0002');
      const [commit, parent] = ids.split(' ');
      const paths = names.split('\0').map((name) => nameOf(name.replace(/^\n/, '')));
      if (paths.some((path) => path !== '' && roleOf(path) === 'test')) found.push({ commit, parent });
    }
    if (entries.length < PAGE) break;
  }
  return found.slice(0, wanted);
}

async function listedCommits({ git }, gitDir, listed) {
  const found = [];
  for (const { commit } of listed) {
    const ids = (await git({ gitDir }, ['rev-parse', `${commit}^{commit}`, `${commit}^1`])).toString('latin1').trim().split('\n');
    found.push({ commit: ids[0], parent: ids[1] });
  }
  return found;
}

/** In a process of its own: checks the commits that the main process sends. */
async function work([bundle, scratch]) {
  const { createFileReader, filesOnDisk, git, guardChange, readChange } = await import(pathToFileURL(bundle).href);
  const checkouts = new Map();
  process.on('message', async ({ gitDir, commit, parent }) => {
    if (!checkouts.has(gitDir)) checkouts.set(gitDir, mkdtempSync(join(scratch, 'tree-')));
    const workTree = checkouts.get(gitDir);
    try {
      // Writes only the files that differ from the commit before, and nothing into the repository.
      const index = `${workTree}.index`;
      const place = { gitDir, workTree, index };
      // A copy may lack its largest files: all others are written then.
      await git(place, ['read-tree', '--reset', '-u', commit], { filters: false }).catch(async () => {
        await git(place, ['read-tree', '--reset', commit], { filters: false });
        await git(place, ['checkout-index', '--all', '--force', '--quiet'], { filters: false }).catch(() => undefined);
      });
      const started = performance.now();
      const change = await readChange({ gitTarget: { gitDir }, prefix: '', base: parent, to: commit });
      const read = performance.now();
      const { findings, problems } = guardChange({ change, scope: 'any', same: createFileReader(filesOnDisk(workTree)) });
      const guarded = performance.now();
      process.send({
        commit,
        files: change.files.length,
        readMs: Math.round(read - started),
        guardMs: Math.round(guarded - read),
        findings: findings.map(({ rule, level, file, line, message, test, before, after }) => ({
          rule,
          level,
          file,
          line,
          message,
          test,
          before: before?.text ?? null,
          after: after?.text ?? null,
        })),
        problems: [...change.problems, ...problems],
      });
    } catch (error) {
      process.send({ commit, files: 0, readMs: 0, guardMs: 0, findings: [], problems: [], error: error.stack ?? String(error) });
    }
  });
  process.send({ ready: true });
}

/** Checks all commits in one process per core. Resolves with the results by commit. */
async function checkAll(jobs, bundle, scratch) {
  const chunks = jobs.flatMap(({ gitDir, commits }) =>
    Array.from({ length: Math.ceil(commits.length / CHUNK) }, (_, at) =>
      commits.slice(at * CHUNK, (at + 1) * CHUNK).map((commit) => ({ gitDir, ...commit })),
    ),
  );
  const results = new Map();
  const total = chunks.flat().length;
  const worker = () =>
    new Promise((done, fail) => {
      const child = fork(fileURLToPath(import.meta.url), ['--worker', bundle, scratch]);
      let mine = [];
      child.on('message', (result) => {
        if (result.ready !== true) results.set(result.commit, result);
        if (process.stderr.isTTY) process.stderr.write(`\r${results.size} of ${total} commits `);
        if (mine.length === 0) mine = chunks.shift() ?? [];
        const next = mine.shift();
        if (next === undefined) child.disconnect();
        else child.send(next);
      });
      child.on('error', fail);
      child.on('exit', (code, signal) => (code === 0 ? done() : fail(new Error(`A worker ended: ${signal ?? `exit status ${code}`}.`))));
    });
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), chunks.length) }, worker));
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  return results;
}

/** What people judged: names and sets of repositories by commit, judgements by commit and rule. */
function readJudgements(folder) {
  const [lists, judged] = [new Map(), new Map()];
  for (const file of existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : []) {
    const { repository, set, commits, judgements = [] } = parse(readFileSync(join(folder, file), 'utf8'));
    for (const commit of commits) lists.set(commit, { repository, set });
    for (const { commit, rule, judgement } of judgements) {
      if (judgement !== 'honest' && judgement !== 'fair')
        throw new UsageError(`${file}: ${commit} ${rule}: "${judgement}" is neither honest nor fair.`);
      judged.set(`${commit} ${rule}`, judgement);
    }
  }
  return { lists, judged };
}

const breachesOf = ({ findings }) => findings.filter(({ level }) => level === 'breach');
const rulesOf = (findings) => [...new Set(findings.map(({ rule }) => rule))];

/** `fair` if a person should be asked for one of its rules, `false` if all its alarms are false, else `open`. Null if it does not fail. */
function judgementOf(result, judged) {
  const words = rulesOf(breachesOf(result)).map((rule) => judged.get(`${result.commit.slice(0, SHORT_ID)} ${rule}`));
  if (words.length === 0) return null;
  if (words.includes('fair')) return 'fair';
  return words.includes(undefined) ? 'open' : 'false';
}

function share(part, all) {
  return `${part} (${all === 0 ? 0 : Math.round((part / all) * 1000) / 10} %)`;
}

function describe(title, results, judged) {
  const failing = results.filter((result) => breachesOf(result).length > 0);
  const judgements = failing.map((result) => judgementOf(result, judged));
  const count = (word) => judgements.filter((one) => one === word).length;
  const all = results.length;
  const fair = new Set([...judged].filter(([, judgement]) => judgement === 'fair').map(([key]) => key.slice(0, SHORT_ID)));
  const passing = results.filter((result) => !failing.includes(result) && fair.has(result.commit.slice(0, SHORT_ID)));
  const lines = [
    `${title}: ${all} commits, ${share(failing.length, all)} fail: ${share(count('false'), all)} judged false, ${share(count('fair'), all)} fair, ${count('open')} not judged`,
    ...(passing.length === 0 ? [] : [`  pass although judged fair: ${passing.map(({ commit }) => commit.slice(0, SHORT_ID)).join(', ')}`]),
  ];
  const table = new Map();
  for (const result of failing) {
    const rules = rulesOf(breachesOf(result));
    for (const rule of rules) {
      const row = table.get(rule) ?? { commits: 0, sole: 0, honest: 0, fair: 0 };
      const judgement = judged.get(`${result.commit.slice(0, SHORT_ID)} ${rule}`);
      row.commits += 1;
      if (rules.length === 1) row.sole += 1;
      if (judgement !== undefined) row[judgement] += 1;
      table.set(rule, row);
    }
  }
  const rows = [...table].sort(([one, left], [other, right]) => right.commits - left.commits || (one < other ? -1 : 1));
  if (rows.length > 0) lines.push(`  ${'rule'.padEnd(24)}commits  sole cause  judged false  fair`);
  for (const [rule, { commits, sole, honest, fair }] of rows)
    lines.push(
      `  ${rule.padEnd(24)}${String(commits).padStart(7)}${String(sole).padStart(12)}${String(honest).padStart(14)}${String(fair).padStart(6)}`,
    );
  const notes = new Map();
  for (const { findings } of results)
    for (const rule of rulesOf(findings.filter(({ level }) => level === 'note'))) notes.set(rule, (notes.get(rule) ?? 0) + 1);
  const noted = [...notes].sort(([, left], [, right]) => right - left).map(([rule, commits]) => `${rule} ${commits}`);
  lines.push(`  notes, by commits: ${noted.join(', ') || 'none'}`);
  const slow = results.toSorted((one, other) => other.guardMs - one.guardMs).slice(0, SLOWEST);
  const times = results.map(({ guardMs }) => guardMs).sort((one, other) => one - other);
  lines.push(
    `  time: median ${times[times.length >> 1] ?? 0} ms, all ${(times.reduce((sum, ms) => sum + ms, 0) / 1000).toFixed(1)} s; slowest ${slow.map(({ commit, guardMs }) => `${commit.slice(0, SHORT_ID)} ${guardMs} ms`).join(', ')}`,
  );
  for (const { commit, error } of results)
    if (error !== undefined) lines.push(`  not checked: ${commit.slice(0, SHORT_ID)}: ${error.split('\n')[0]}`);
  return lines;
}

/** Random numbers that are the same for the same seed: mulberry32. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function describeSample({ lineOf, plainLine }, measured, { sample, seed }) {
  const all = measured.flatMap(({ name, results }) =>
    results.flatMap((result) => breachesOf(result).map((finding) => ({ name, commit: result.commit, ...finding }))),
  );
  const random = randomFrom(seed);
  const chosen = all.map((finding) => ({ finding, rank: random() })).sort((one, other) => one.rank - other.rank);
  const quoted = (mark, text) => {
    const lines = text === null ? [] : text.split('\n');
    const shown = lines.slice(0, MAX_LINES).map((line) => `    ${mark} ${plainLine(line).slice(0, MAX_LINE)}`);
    return lines.length > MAX_LINES ? [...shown, `    ${mark} … ${lines.length - MAX_LINES} more lines`] : shown;
  };
  return chosen
    .slice(0, sample)
    .flatMap(({ finding: { name, commit, file, line, rule, message, before, after } }) => [
      '',
      `${name} ${commit.slice(0, SHORT_ID)} ${lineOf(file)}:${line} ${rule}`,
      `  ${lineOf(message)}`,
      ...quoted('-', before),
      ...quoted('+', after),
    ]);
}

/** `owner/name` where the folder is called so: fastify+fastify/repo, express.git. */
function folderName(folder) {
  const parts = resolve(folder)
    .split('/')
    .filter((part) => part !== 'repo' && part !== '.git');
  return basename(parts.at(-1) ?? folder, '.git').replace('+', '/');
}

async function main(options) {
  const scratch = mkdtempSync(join(tmpdir(), 'umpire-field-'));
  const cache = join(root, 'node_modules', '.cache', 'umpire');
  mkdirSync(cache, { recursive: true });
  const bundle = join(cache, `guard-field-${process.pid}.mjs`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  process.once('exit', () => {
    rmSync(bundle, { force: true });
    rmSync(scratch, { recursive: true, force: true });
  });
  const { lists, judged } = readJudgements(options.judgements);
  await bundleGuard(options.engineFile, bundle);
  const parts = await import(pathToFileURL(bundle).href);
  const jobs = [];
  for (const folder of options.folders) {
    const { code, stdout } = existsSync(folder) ? parts.runGitSync(folder, ['rev-parse', '--absolute-git-dir']) : { code: 1 };
    if (code !== 0) throw new UsageError(`${folder} is no git repository.`);
    const gitDir = stdout.toString('utf8').replace(/\n$/, '');
    const listed = options.list?.filter(({ repository }) => repository === folderName(folder));
    jobs.push({
      folder,
      gitDir,
      commits: await (listed === undefined ? commitsOf(parts, gitDir, options.commits) : listedCommits(parts, gitDir, listed)),
    });
  }
  const found = await checkAll(jobs, bundle, scratch);
  const measured = jobs.map(({ folder, commits }) => {
    const known = commits.map(({ commit }) => lists.get(commit.slice(0, SHORT_ID))).find((list) => list !== undefined);
    return {
      name: known?.repository ?? folderName(folder),
      set: known?.set ?? 'no set',
      results: commits.map(({ commit, parent }) => ({ parent, ...found.get(commit) })),
    };
  });
  for (const { name, set, results } of measured) console.log(describe(`${name} (${set})`, results, judged).join('\n'));
  const sets = [...new Set(measured.map(({ set }) => set))];
  const totals = [...(sets.length > 1 ? sets : []), null].map((set) => ({
    title: set === null ? 'all' : `set ${set}`,
    results: measured.filter((one) => set === null || one.set === set).flatMap(({ results }) => results),
  }));
  if (measured.length > 1) for (const { title, results } of totals) console.log(`\n${describe(title, results, judged).join('\n')}`);
  for (const line of describeSample(parts, measured, options)) console.log(line);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ repositories: measured }, null, 1)}\n`);
}

if (process.argv[2] === '--worker') await work(process.argv.slice(3));
else
  try {
    await main(readArguments());
  } catch (error) {
    const isUsage = error instanceof UsageError || String(error.code).startsWith('ERR_PARSE_ARGS');
    process.stderr.write(`${isUsage ? error.message : error.stack}\n`);
    process.exitCode = isUsage ? 2 : 1;
  }
