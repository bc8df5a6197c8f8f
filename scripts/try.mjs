// `npm run try -- CLONE…`: Umpire on real projects. Plays the scenarios of fixtures/try/scenarios/ with a scripted agent that is honest,
// mistaken or lies (scripts/try-agent.mjs), and compares each verdict with the truth, which a hidden check outside the project tells.
// Fails if false work was approved or honest work lost. fixtures/try/README.md has the format.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { duration, root, run as runCommand } from './tools.mjs';
import { applyEdits } from './try-edits.mjs';
import { countResults, recordResults } from './try-table.mjs';

const SCENARIOS = join(root, 'fixtures', 'try', 'scenarios');
const COMMAND = join(root, 'dist', 'umpire.cjs');
const AGENT = join(root, 'scripts', 'try-agent.mjs');
const USAGE = `Usage: npm run try -- CLONE… [flags]

  CLONE            a git clone (or bare repository) of a project in fixtures/try/scenarios/, or a folder of such clones; only read
  --verify         without Umpire: is each scenario true? The command before and after the work, and the hidden check
  --only TEXT      only scenarios whose PROJECT/SCENARIO/LOOP/KIND contains TEXT; several with commas
  --aside          only the scenarios that are kept aside
  --all            these and the others (default with --verify)
  --record         write fixtures/try/results.json and the table in docs/why.md
  --work DIR       where the copies lie; kept, and used again next time (default: a temporary folder)
  --keep           keep the temporary folder
  --minutes N      time limit of one run (default: 6)
  --without-build  use dist/ as it is
  --json           print the results as JSON
`;
const DEFAULT_ROUNDS = '2';
const INSTALL_MS = 15 * 60_000;
const TEST_MS = 5 * 60_000;
const GRACE_MS = 15_000;
/** Of the environment, only this reaches a run. Its home is empty, but for tools that keep themselves or their caches there. */
const PASSED_ON = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TERM', 'PYENV_ROOT', 'JAVA_HOME'];
const TOOL_HOMES = { CARGO_HOME: '.cargo', RUSTUP_HOME: '.rustup', GOPATH: 'go', GOCACHE: '.cache/go-build' };
/** Installed or made by tools: no part of the project's commits, and kept when a checkout is cleaned. */
const NOT_OURS = ['node_modules', '.venv', 'vendor', 'target', 'build', '.umpire', '__pycache__', '.pytest_cache', '.phpunit.result.cache'];

/** @typedef {{ status: number | null, output: string, isLate: boolean }} Ending */

const { positionals, values: flags } = readFlags();
const onlyWords = (flags.only ?? '').split(',').filter(Boolean);
let isStopped = false;
let running = null;
process.on('SIGINT', () => stop());
process.on('SIGTERM', () => stop());

const projects = readdirSync(SCENARIOS)
  .filter((name) => name.endsWith('.yaml'))
  .toSorted()
  .map((name) => parseYaml(readFileSync(join(SCENARIOS, name), 'utf8')));

const results = [];
const problems = [];
/** Where the copies lie. */
let place = '';

function readFlags() {
  const no = { type: 'boolean', default: false };
  const options = {
    verify: no,
    only: { type: 'string' },
    aside: no,
    all: no,
    record: no,
    work: { type: 'string' },
    keep: no,
    minutes: { type: 'string', default: '6' },
    'without-build': no,
    json: no,
    help: no,
  };
  try {
    const parsed = parseArgs({ options, allowPositionals: true });
    if (parsed.values.help) {
      process.stdout.write(USAGE);
      process.exit(0);
    }
    if (!(Number(parsed.values.minutes) > 0)) throw new Error('--minutes takes a number above 0.');
    if (parsed.positionals.length > 0) return parsed;
    throw new Error('Name at least one clone.');
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Ends the program that runs now; the table of what is known still follows. */
function stop() {
  isStopped = true;
  running?.end('SIGINT');
}

/**
 * Runs a program in its own process group and ends that group when its time is over.
 * @returns {Promise<Ending>}
 */
function start(command, args, { cwd, env = process.env, ms, shell = false }) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env, shell, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const parts = [];
    let isLate = false;
    let kill = null;
    const signal = (name) => {
      try {
        process.kill(-child.pid, name);
      } catch {
        // It has ended.
      }
    };
    const end = (name) => {
      signal(name);
      kill ??= setTimeout(() => signal('SIGKILL'), GRACE_MS);
    };
    const timer = setTimeout(() => {
      isLate = true;
      end('SIGINT');
    }, ms);
    running = { end };
    child.stdout.on('data', (part) => parts.push(part));
    child.stderr.on('data', (part) => parts.push(part));
    const finish = (status, more = '') => {
      clearTimeout(timer);
      clearTimeout(kill);
      running = null;
      done({ status, output: Buffer.concat(parts).toString('utf8') + more, isLate });
    };
    child.on('error', (error) => finish(1, `${command} could not be started: ${error.message}\n`));
    child.on('close', (status) => finish(status));
  });
}

async function git(folder, ...args) {
  const identity = ['-c', 'user.name=try', '-c', 'user.email=try@localhost', '-c', 'commit.gpgsign=false'];
  const { status, output } = await start('git', ['-C', folder, ...identity, ...args], { ms: TEST_MS });
  return { isDone: status === 0, text: output.trim() };
}

async function mustGit(folder, ...args) {
  const { isDone, text } = await git(folder, ...args);
  if (!isDone && !isStopped) throw new Error(`git ${args[0]} failed in ${folder}: ${text}`);
  return text;
}

const isChosen = (project, { name, loop, kind, aside = false }) =>
  (flags.all || (flags.verify && !flags.aside) || aside === flags.aside) &&
  (onlyWords.length === 0 || onlyWords.some((word) => `${project.name}/${name}/${loop}/${kind}`.includes(word)));

async function tryProject(project, clone) {
  const chosen = project.scenarios.filter((scenario) => isChosen(project, scenario));
  if (chosen.length === 0 || isStopped) return;
  try {
    const copy = await prepare(project, clone);
    for (const scenario of chosen) {
      if (isStopped) return;
      await tryScenario(copy, scenario).catch((error) => fail(`${project.name}/${scenario.name}: ${error.message}`));
    }
  } catch (error) {
    fail(`${project.name}: ${error.message}`);
  }
}

function fail(problem) {
  if (isStopped) return;
  problems.push(problem);
  process.stderr.write(`${problem}\n`);
}

/** Clones by the projects that are in them. */
async function findClones() {
  const folders = positionals.map((folder) => resolve(folder));
  const below = folders.flatMap((folder) =>
    existsSync(folder) ? [folder, ...readdirSync(folder).flatMap((name) => [join(folder, name), join(folder, name, 'repo')])] : [],
  );
  const clones = below.filter((folder) => existsSync(join(folder, 'HEAD')) || existsSync(join(folder, '.git')));
  const found = [];
  for (const project of projects) {
    if (!project.scenarios.some((scenario) => isChosen(project, scenario))) continue;
    const clone = await findClone(project, clones);
    if (clone === undefined) fail(`${project.name}: no clone given that has ${project.repository} at ${project.commit}. Try: git fetch`);
    else found.push({ project, clone });
  }
  return found;
}

async function findClone({ commit }, clones) {
  for (const clone of clones) if ((await git(clone, 'cat-file', '-e', `${commit}^{commit}`)).isDone) return clone;
  return undefined;
}

/**
 * The project as it should be: its commit with `setup`, installed and tested. `ready` is kept as it is; every run begins with a fresh
 * copy of it at `folder`, always the same path, because installed programs know their own.
 */
async function prepare(project, clone) {
  const folder = join(place, project.name);
  const ready = `${folder}.ready`;
  const copy = { project, folder, ready, truth: '' };
  if (!existsSync(join(ready, '.git', 'try-ready'))) {
    for (const path of [folder, ready]) rmSync(path, { recursive: true, force: true });
    process.stderr.write(`${project.name}: copying ${project.repository} at ${project.commit.slice(0, 10)} …\n`);
    await mustGit(clone, 'clone', '--quiet', '--no-hardlinks', '--no-checkout', clone, folder);
    // Not ignored everywhere.
    writeFileSync(join(folder, '.git', 'info', 'exclude'), NOT_OURS.map((name) => `${name}\n`).join(''));
    await mustGit(folder, 'checkout', '--quiet', '--force', '-B', 'try', project.commit);
    await commitEdits(copy, project.setup ?? [], 'set up');
    for (const command of project.install ?? []) {
      const { status, output, isLate } = await start(command, [], { cwd: folder, ms: INSTALL_MS, shell: true });
      if (status !== 0) throw new Error(`${command} ${isLate ? 'timed out' : 'failed'}:\n${output.slice(-2000)}`);
    }
    const { status, output } = await runShell(copy, project.test);
    if (status !== 0) throw new Error(`the tests fail before anything was planted: ${project.test}\n${output.slice(-2000)}`);
    await mustGit(folder, 'checkout', '--quiet', '--force', 'try');
    copyFolder(folder, ready);
    writeFileSync(join(ready, '.git', 'try-ready'), '');
  }
  copy.truth = await mustGit(ready, 'rev-parse', 'try');
  return copy;
}

const copyFolder = (from, to) => runCommand('cp', ['--archive', '--reflink=auto', from, to]);

function startAnew({ folder, ready }) {
  for (const path of [folder, `${folder}-home`]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  copyFolder(ready, folder);
}

async function editFolder(copy, edits, what) {
  const { failed } = applyEdits(copy.folder, await resolveEdits(copy, edits), environment(copy.folder));
  if (failed.length > 0) throw new Error(`${what}: ${failed.join('; ')}`);
}

/** Edits that take files of another commit of the project, with the texts of these. */
async function resolveEdits({ folder }, edits) {
  const resolved = [];
  for (const edit of edits) {
    if (edit.at === undefined) resolved.push(edit);
    else for (const file of edit.files) resolved.push(await takeFile(folder, edit.at, file));
  }
  return resolved;
}

async function takeFile(folder, commit, file) {
  if (!(await git(folder, 'cat-file', '-e', `${commit}^{commit}`)).isDone) throw new Error(`there is no commit ${commit}`);
  if (!(await git(folder, 'cat-file', '-e', `${commit}:${file}`)).isDone) return { delete: file };
  const { output } = await start('git', ['-C', folder, 'show', `${commit}:${file}`], { ms: TEST_MS });
  return { file, text: output };
}

async function commitEdits(copy, edits, title) {
  await editFolder(copy, edits, title);
  await mustGit(copy.folder, 'add', '--all');
  await mustGit(copy.folder, 'commit', '--quiet', '--no-verify', '--allow-empty', '--message', title);
  return mustGit(copy.folder, 'rev-parse', 'HEAD');
}

const runShell = ({ folder }, command) => start(command, [], { cwd: folder, env: environment(folder), ms: TEST_MS, shell: true });
const passes = ({ status, isLate }) => status === 0 && !isLate;

function environment(folder, { online = false } = {}) {
  const home = `${folder}-home`;
  mkdirSync(home, { recursive: true });
  const kept = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const homes = Object.fromEntries(Object.entries(TOOL_HOMES).map(([name, path]) => [name, process.env[name] ?? join(homedir(), path)]));
  const offline = { npm_config_offline: 'true', CARGO_NET_OFFLINE: 'true', GOPROXY: 'off' };
  return { ...kept, ...homes, ...(online ? {} : offline), npm_config_update_notifier: 'false', HOME: home, NO_COLOR: '1' };
}

const commandOf = ({ project }, { command = project.test }) => command;
const bugOf = ({ project }, { bug }) => (bug === undefined ? { what: '', edits: [] } : project.bugs[bug]);

async function tryScenario(copy, scenario) {
  const base = await plant(copy, scenario);
  const result = {
    project: copy.project.name,
    scenario: scenario.name,
    language: copy.project.language,
    runner: copy.project.runner,
    loop: scenario.loop,
    kind: scenario.kind,
    aside: scenario.aside ?? false,
    ...(flags.verify ? await verify(copy, scenario) : await judge(copy, scenario, base)),
  };
  if (isStopped) return;
  results.push(result);
  if (flags.record) recordResults([result], listScenarios());
  process.stderr.write(`${lineOf(result)}\n`);
}

const listScenarios = () =>
  projects.flatMap((project) => project.scenarios.map((scenario) => ({ project: project.name, scenario: scenario.name })));

/** The state that the agent finds. */
async function plant(copy, scenario) {
  startAnew(copy);
  await commitEdits(copy, bugOf(copy, scenario).edits, 'bug');
  const base = await commitEdits(copy, scenario.base ?? [], 'base');
  await editFolder(copy, scenario.uncommitted ?? [], 'uncommitted');
  return base;
}

/** The scenario without Umpire: `faults` are what it says of itself and is not so. */
async function verify(copy, scenario) {
  const faults = [];
  const command = commandOf(copy, scenario);
  const before = await runShell(copy, command);
  const begins = scenario.start ?? (scenario.loop === 'until' ? 'red' : 'green');
  if (begins !== 'any' && passes(before) !== (begins === 'green'))
    faults.push(`the command is not ${begins} at the start: ${tail(before)}`);
  let after = before;
  for (const [index, { edits = [] }] of scenario.rounds.entries()) {
    await editFolder(copy, edits, `round ${index + 1}`);
    after = await runShell(copy, command);
    if (passes(after)) break;
  }
  const alone = passes(after) ? 'accepted' : 'refused';
  const wanted = scenario.alone ?? 'accepted';
  if (alone !== wanted && !isAsking(scenario))
    faults.push(`the command alone is not ${wanted === 'accepted' ? 'green' : 'red'} after the work: ${tail(after)}`);
  await mustGit(copy.folder, 'add', '--all');
  await mustGit(copy.folder, 'commit', '--quiet', '--no-verify', '--allow-empty', '--message', 'work');
  const { isGood, said } = await checkTruth(copy, scenario, await mustGit(copy.folder, 'rev-parse', 'HEAD'));
  if (isGood !== (scenario.kind === 'honest') && !isAsking(scenario))
    faults.push(`the hidden check is ${isGood ? 'green' : 'red'}: ${said}`);
  for (const fault of faults) fail(`${copy.project.name}/${scenario.name}: ${fault}`);
  return { alone };
}

/** Honest work that ends with a question: nothing is done yet. */
const isAsking = ({ kind, ends }) => kind === 'honest' && ends === 'asked';
const tail = ({ output }) => output.trim().slice(-1200);

/** Whether the work at a commit is really done: every hidden check ends as it must, in a fresh copy. */
async function checkTruth(copy, scenario, head) {
  const { project, folder, ready, truth } = copy;
  await mustGit(ready, 'fetch', '--quiet', folder, head);
  const checks = scenario.hidden ?? bugOf(copy, scenario).hidden ?? {};
  for (const { take = 'product', edits = [], command = project.test, expect = 'pass' } of [checks].flat()) {
    startAnew(copy);
    await takeWork(copy, take, head, truth);
    await editFolder(copy, edits, 'hidden');
    const ending = await runShell(copy, command);
    if (passes(ending) !== (expect === 'pass')) return { isGood: false, said: tail(ending) };
  }
  return { isGood: true, said: '' };
}

/** `product`: only product code of the work, the rest as it should be; `tests`: all but product code; `all`: the work as it is. */
async function takeWork({ project, folder }, take, head, truth) {
  const [start, laid] = take === 'product' ? [truth, head] : [head, truth];
  await mustGit(folder, 'checkout', '--quiet', '--force', '--detach', start);
  if (take === 'all') return;
  for (const path of project.product) {
    await git(folder, 'rm', '--quiet', '-r', '--force', '--', path);
    await git(folder, 'checkout', '--quiet', '--force', laid, '--', path);
  }
}

function wordsFor(copy, scenario, agent) {
  const { loop, flags: more = [], max_rounds: rounds = DEFAULT_ROUNDS } = scenario;
  const goal = scenario.goal ?? `fix: ${bugOf(copy, scenario).what}`;
  const shared = ['--agent-command', agent, '--max-rounds', `${rounds}`, ...more];
  if (loop === 'until') return ['until', commandOf(copy, scenario), goal, ...shared];
  if (loop === 'testing') return ['run', 'testing', goal, '--mode', 'targeted', ...shared];
  if (loop === 'review') return ['run', 'review', goal, '--mode', 'sprint', ...shared];
  return ['run', 'debt', goal, '--mode', 'targeted', '--yes', ...shared];
}

async function judge(copy, scenario, base) {
  const { folder } = copy;
  const [log, script] = [`${folder}-agent.ndjson`, `${folder}-agent.json`];
  rmSync(log, { force: true });
  const rounds = [];
  for (const round of scenario.rounds) rounds.push({ ...round, edits: await resolveEdits(copy, round.edits ?? []) });
  writeFileSync(script, JSON.stringify({ ...scenario, rounds }));
  const agent = [process.execPath, AGENT, script, log].join(' ');
  const env = environment(folder, scenario);
  const umpire = (words, ms) => start(process.execPath, [COMMAND, ...words], { cwd: folder, env, ms });
  const startedAt = performance.now();
  const run = await umpire(wordsFor(copy, scenario, agent), Number(flags.minutes) * 60_000);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const session = parseJson((await umpire(['status', '--json'], TEST_MS)).output);
  const head = session?.work?.head ?? base;
  if (flags.keep || flags.work) keepSession(copy, join(place, `${copy.project.name}-${scenario.name}`), run);
  const outcome = nameOutcome(run, session);
  const isKept = outcome === 'approved' || outcome === 'unverified' ? await isApplied(copy, session, head, umpire) : true;
  const { isGood } = await checkTruth(copy, scenario, head);
  const last = session?.chains?.at(-1) ?? null;
  const verdict = {
    // As --verify proves it.
    alone: scenario.alone ?? 'accepted',
    outcome,
    rule: last === null ? '' : `${last.decision} ${last.rule}`,
    because: [session?.because ?? []].flat(),
    reason: session?.question?.what ?? session?.reason ?? lastLine(run.output),
    isGood,
    seconds,
  };
  return { ...verdict, fault: faultOf(scenario, verdict, isKept) };
}

/** What it printed, and its session: the next copy of the project takes their place. */
function keepSession({ folder }, kept, { output }) {
  writeFileSync(`${kept}.txt`, output);
  rmSync(`${kept}.umpire`, { recursive: true, force: true });
  if (existsSync(join(folder, '.umpire'))) copyFolder(join(folder, '.umpire'), `${kept}.umpire`);
}

/** `nothing`: it ended well and says that nothing was done, which claims nothing. */
function nameOutcome(run, session) {
  if (run.isLate) return 'late';
  if (run.status === 0 && session?.state === 'complete') {
    const ending = run.output.split('\n').findLast((line) => line.includes('Session complete')) ?? '';
    if (/nothing was changed|nothing to do/i.test(ending)) return 'nothing';
    return session.unverified ? 'unverified' : 'approved';
  }
  return run.status === 4 ? 'asked' : 'refused';
}

/** Whether `umpire apply` brings the work, whole, into the person's checkout. */
async function isApplied({ project, folder }, { session }, head, umpire) {
  const { output } = await umpire(['apply', session], TEST_MS);
  await mustGit(folder, 'add', '--all');
  const { isDone, text } = await git(folder, 'diff', '--cached', '--stat', '--exit-code', head);
  if (!isDone) process.stderr.write(`${project.name}: umpire apply left out:\n${text}\nIt said: ${output}\n`);
  return isDone;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
const lastLine = (text) => text.trim().split('\n').at(-1) ?? '';

/** `approved`: false work was approved plainly. `lost`: honest work was thrown away. `stopped`: honest work was not approved. */
function faultOf(scenario, { outcome, isGood }, isKept) {
  if (outcome === 'late') return 'late';
  const isApproved = outcome === 'approved' || outcome === 'unverified';
  if (scenario.kind !== 'honest') return outcome === 'approved' && !isGood ? 'approved' : null;
  if (isApproved) return isGood && isKept ? null : 'lost';
  return isAsking(scenario) && outcome === 'asked' ? null : 'stopped';
}

function cellsOf(result) {
  const { project, scenario, loop, kind, aside, alone, outcome, rule, isGood, fault, seconds } = result;
  const name = [project, scenario, loop, aside ? `${kind}, aside` : kind];
  if (flags.verify) return [...name, `the command alone: ${alone}`];
  const answer =
    { approved: 'WRONG: approved', lost: 'WRONG: lost', stopped: 'honest work stopped', late: 'did not end' }[fault] ?? 'right';
  return [...name, outcome, rule, isGood ? 'done' : 'not done', `${seconds} s`, answer];
}

const lineOf = (result) => cellsOf(result).filter(Boolean).join(' · ');

function report() {
  const { untrue, honest, alone, approved, unverified, stopped } = countResults(results);
  if (flags.json) process.stdout.write(`${JSON.stringify({ results, problems }, null, 2)}\n`);
  else {
    const head = ['project', 'scenario', 'loop', 'kind', ...(flags.verify ? ['command'] : ['verdict', 'rule', 'truth', 'time', 'answer'])];
    const rows = [head, head.map(() => '---'), ...results.map(cellsOf)];
    process.stdout.write(rows.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
    process.stdout.write(`\n${results.length} scenarios in ${duration(performance.now())}; ${problems.length} problems.\n`);
    process.stdout.write(
      flags.verify
        ? `Of ${untrue} false "done", the command alone accepted ${alone}. Honest works: ${honest}.\n`
        : `Of ${untrue} false "done", Umpire approved ${approved}, ${unverified} as unverified. Of ${honest} honest works, it stopped ${stopped}.\n`,
    );
  }
  const isWrong = problems.length > 0 || results.some(({ fault = null }) => fault !== null && fault !== 'stopped');
  process.exitCode = isStopped ? 130 : isWrong ? 1 : 0;
}

if (!flags['without-build'] && !flags.verify) runCommand(process.execPath, [join(root, 'scripts', 'build.mjs'), '--without-types']);
if (flags.work) mkdirSync(flags.work, { recursive: true });
place = realpathSync(flags.work ?? mkdtempSync(join(tmpdir(), 'umpire-try-')));
try {
  for (const { project, clone } of await findClones()) await tryProject(project, clone);
} finally {
  if (flags.work || flags.keep) process.stderr.write(`Kept: ${place}\n`);
  else rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}
report();
