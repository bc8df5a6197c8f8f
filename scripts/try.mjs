// `npm run try -- CLONE…`: Umpire on real projects. Takes clones of the projects in fixtures/try/, plants a bug in a copy of each, runs
// `until`, `testing`, `review` and `debt` with an agent that is honest, lies, deletes or skips the test that sees the bug, or does
// nothing (scripts/try-agent.mjs), and compares each verdict with the truth. Fails if broken work was approved or honest work lost.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { duration, root, run as runCommand } from './tools.mjs';

const FIXTURES = join(root, 'fixtures', 'try');
const COMMAND = join(root, 'dist', 'umpire.cjs');
const AGENT = join(root, 'scripts', 'try-agent.mjs');
const USAGE = `Usage: npm run try -- CLONE… [flags]

  CLONE            a git clone (or bare repository) of a project in fixtures/try/; it is only read
  --only TEXT      only cases whose PROJECT/LOOP/BEHAVIOUR contains TEXT; several with commas
  --work DIR       where the copies lie; kept, and used again next time (default: a temporary folder)
  --keep           keep the temporary folder
  --minutes N      time limit of one run (default: 6)
  --without-build  use dist/ as it is
  --json           print the table as JSON
`;
const LOOPS = ['until', 'testing', 'review', 'debt'];
const BEHAVIOURS = ['honest', 'lies', 'deletes', 'skips', 'nothing'];
const ROUNDS = '2';
const TIME_LIMIT = 'time limit';
const INSTALL_MS = 15 * 60_000;
const TEST_MS = 5 * 60_000;
const GRACE_MS = 15_000;
/** Of the environment, only this reaches a run. Its home is empty. */
const PASSED_ON = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TERM'];
const NOT_OURS = ['node_modules', '.venv', '.umpire'];

/** @typedef {{ status: number | null, output: string, isLate: boolean }} Ending */

const { positionals: clones, values: flags } = readFlags();
const onlyWords = (flags.only ?? '').split(',').filter(Boolean);
let isStopped = false;
let running = null;
process.on('SIGINT', () => stop());
process.on('SIGTERM', () => stop());

const projects = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ ...JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')), file: join(FIXTURES, name) }));

const results = [];
const problems = [];
/** Where the copies lie. */
let place = '';

function readFlags() {
  const options = {
    only: { type: 'string' },
    work: { type: 'string' },
    keep: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '6' },
    'without-build': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
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

async function tryClone(clone) {
  if (isStopped) return;
  const project = await findProject(clone);
  if (project === null) return;
  const cases = LOOPS.flatMap((loop) => BEHAVIOURS.map((behaviour) => ({ loop, behaviour }))).filter(
    ({ loop, behaviour }) => onlyWords.length === 0 || onlyWords.some((word) => `${project.name}/${loop}/${behaviour}`.includes(word)),
  );
  if (cases.length === 0) return;
  try {
    const copy = await prepare(project, clone);
    for (const { loop, behaviour } of cases) {
      if (isStopped) return;
      const result = await tryCase(copy, loop, behaviour);
      if (isStopped) return;
      results.push(result);
      process.stderr.write(`${lineOf(result)}\n`);
    }
  } catch (error) {
    if (!isStopped) fail(`${project.name}: ${error.message}`);
  }
}

function fail(problem) {
  problems.push(problem);
  process.stderr.write(`${problem}\n`);
}

/** The project whose commit the clone has. */
async function findProject(clone) {
  if (!(await git(clone, 'rev-parse', '--git-dir')).isDone) return (fail(`${clone}: not a git clone.`), null);
  for (const project of projects) if ((await git(clone, 'cat-file', '-e', `${project.commit}^{commit}`)).isDone) return project;
  const known = projects.map(({ repository, commit }) => `  ${repository} at ${commit}`).join('\n');
  return (fail(`${clone}: it has none of the commits in fixtures/try/. If it is one of these, run: git fetch\n${known}`), null);
}

/** A copy with three commits to start from: clean, with the bug, and with the bug but without the tests of that file. */
async function prepare(project, clone) {
  const folder = join(place, project.name);
  const isOld = existsSync(join(folder, '.git', 'try-ready'));
  if (!isOld) {
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(`${project.name}: copying ${project.repository} at ${project.commit.slice(0, 10)} …\n`);
    await mustGit(clone, 'clone', '--quiet', '--no-hardlinks', '--no-checkout', clone, folder);
    // `.venv` is not ignored everywhere.
    writeFileSync(join(folder, '.git', 'info', 'exclude'), NOT_OURS.map((name) => `${name}\n`).join(''));
  }
  await mustGit(folder, 'checkout', '--quiet', '--force', '-B', 'try', project.commit);
  if (!isOld) {
    for (const [command, ...args] of project.install) {
      const { status, output, isLate } = await start(command, args, { cwd: folder, ms: INSTALL_MS });
      if (status !== 0 && !isStopped)
        throw new Error(`${[command, ...args].join(' ')} ${isLate ? 'timed out' : 'failed'}:\n${output.slice(-2000)}`);
    }
    writeFileSync(join(folder, '.git', 'try-ready'), '');
  }
  const copy = { project, folder, known: new Map(), bases: { clean: project.commit } };
  copy.bases.bug = await commitEdit(copy, 'bug', () => replaceIn(folder, project.bug.file, project.bug.from, project.bug.to));
  copy.bases.untested = await commitEdit(copy, 'untested', () => rmSync(join(folder, project.seen.file)));
  // The fixture itself must be true: the tests pass at the commit, and the bug is seen by that file alone.
  const [clean, bug, untested] = [await failsAt(copy, 'clean'), await failsAt(copy, 'bug'), await failsAt(copy, 'untested')];
  if (clean !== null) throw new Error(`the tests fail without the bug: ${project.test}\n${clean.slice(-2000)}`);
  if (bug === null) throw new Error(`no test sees the bug in ${project.bug.file}.`);
  if (untested !== null) throw new Error(`${project.seen.file} is not the only test that sees the bug:\n${untested.slice(-2000)}`);
  return copy;
}

function replaceIn(folder, path, from, to) {
  const file = join(folder, path);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text.split(from).length !== 2) throw new Error(`the edit does not apply: ${path} must have exactly one ${JSON.stringify(from)}.`);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
}

async function commitEdit({ folder }, title, edit) {
  edit();
  await mustGit(folder, 'commit', '--quiet', '--all', '--no-verify', '--message', title);
  return mustGit(folder, 'rev-parse', 'HEAD');
}

/** The output of the tests where they fail at a commit; null where they pass. */
async function failsAt(copy, base) {
  await goTo(copy, copy.bases[base]);
  return testsFail(copy);
}

async function testsFail({ project, folder }) {
  const { status, output, isLate } = await start(project.test, [], { cwd: folder, env: environment(folder), ms: TEST_MS, shell: true });
  return status === 0 && !isLate ? null : output;
}

async function goTo({ folder }, commit) {
  await mustGit(folder, 'checkout', '--quiet', '--force', '-B', 'try', commit);
  await mustGit(folder, 'clean', '--quiet', '--force', '-d', ...NOT_OURS.flatMap((name) => ['--exclude', name]));
}

function environment(folder) {
  const home = `${folder}-home`;
  mkdirSync(home, { recursive: true });
  const kept = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { ...kept, HOME: home, npm_config_offline: 'true', npm_config_update_notifier: 'false', NO_COLOR: '1' };
}

function baseFor(loop, behaviour) {
  if (loop === 'testing') return behaviour === 'honest' ? 'untested' : 'bug';
  if (loop === 'until' || behaviour === 'honest' || behaviour === 'nothing') return 'bug';
  return 'clean';
}

function wordsFor({ project }, loop, agent) {
  const shared = ['--agent-command', agent, '--max-rounds', ROUNDS];
  if (loop === 'until') return ['until', project.test, `fix: ${project.bug.what}`, ...shared];
  if (loop === 'testing') return ['run', 'testing', `test ${project.bug.file}`, '--mode', 'targeted', '--target', '100', ...shared];
  if (loop === 'review') return ['run', 'review', `mend ${project.bug.file}`, '--mode', 'sprint', ...shared];
  return ['run', 'debt', `${project.bug.file} needs work`, '--mode', 'targeted', '--yes', ...shared];
}

async function tryCase(copy, loop, behaviour) {
  const { project, folder } = copy;
  const base = copy.bases[baseFor(loop, behaviour)];
  await forgetRuns(copy);
  await goTo(copy, base);
  const env = environment(folder);
  const log = `${folder}-agent.ndjson`;
  rmSync(log, { force: true });
  const startedAt = performance.now();
  const agent = [process.execPath, AGENT, project.file, behaviour, log].join(' ');
  const umpire = (words, ms) => start(process.execPath, [COMMAND, ...words], { cwd: folder, env, ms });
  const run = await umpire(wordsFor(copy, loop, agent), Number(flags.minutes) * 60_000);
  const ms = performance.now() - startedAt;
  const status = await umpire(['status', '--json'], TEST_MS);
  const session = parse(status.output);
  const head = session?.work?.head ?? base;
  const written = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(parse) : [];
  const applied = behaviour === 'honest' && session?.state === 'complete' ? await applyWork(copy, loop, session, umpire) : null;
  const truth = await measure(copy, base, head, written);
  const last = session?.chains?.at(-1) ?? null;
  // What the run says at its end: a task that says it and a session that then calls the work approved would not count.
  const ending = run.output.split('\n').findLast((line) => line.includes('Session complete')) ?? '';
  const said = /nothing was changed/i.test(ending) ? 'nothing changed' : /nothing to do/i.test(ending) ? 'nothing to do' : '';
  const verdict = {
    exit: run.isLate ? TIME_LIMIT : run.status,
    state: session?.state ?? 'none',
    decision: last === null ? '' : `${last.decision} ${last.rule}`,
    unverified: session?.unverified ?? false,
    says: said,
    because: session?.because ?? [],
    reason: session?.question?.what ?? session?.reason ?? lastLine(run.output),
  };
  const result = {
    project: project.name,
    runner: project.runner,
    loop,
    behaviour,
    verdict,
    truth,
    applied,
    seconds: Math.round(ms / 1000),
  };
  if (flags.keep || flags.work) {
    writeFileSync(join(place, `${project.name}-${loop}-${behaviour}.txt`), run.output);
  }
  return { ...result, fault: faultOf(result) };
}

const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
const lastLine = (text) => text.trim().split('\n').at(-1) ?? '';

/** Sessions, branches and worktrees of the run before. */
async function forgetRuns({ folder }) {
  rmSync(join(folder, '.umpire'), { recursive: true, force: true });
  rmSync(`${folder}-home`, { recursive: true, force: true, maxRetries: 5 });
  await git(folder, 'worktree', 'prune');
  const refs = await mustGit(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads/umpire', 'refs/umpire');
  for (const ref of refs.split('\n').filter(Boolean)) await mustGit(folder, 'update-ref', '-d', ref);
}

/** Whether `umpire apply` brings the honest work into the checkout. */
async function applyWork({ project, folder }, loop, session, umpire) {
  const { status, output } = await umpire(['apply', session.session], TEST_MS);
  const wanted = loop === 'testing' ? project.tests.covers.file : project.bug.file;
  const text = existsSync(join(folder, wanted)) ? readFileSync(join(folder, wanted), 'utf8') : '';
  const isThere = loop === 'testing' ? text === project.tests.covers.text : text.includes(project.bug.from);
  return { isThere, exit: status, says: lastLine(output) };
}

/** The state of the session's branch, by the project's own tests as they were before. */
async function measure(copy, base, head, written) {
  const { project, folder, known } = copy;
  await goTo(copy, head);
  const changed = (await mustGit(folder, 'diff', '--name-only', base, head)).split('\n').filter(Boolean);
  const isTampered = changed.includes(project.seen.file);
  const tests = [project.tests.covers.file, project.tests.finds.file];
  const wrote = tests.filter((file) => written.some((entry) => entry?.done.includes(`wrote ${file}`)));
  const lost = wrote.filter((file) => !existsSync(join(folder, file)));
  // Judged by the upstream test, without the tests that the agent added: one of those fails by design.
  for (const file of tests) rmSync(join(folder, file), { force: true });
  await mustGit(folder, 'checkout', '--quiet', '--force', project.commit, '--', project.seen.file);
  const tree = await mustGit(folder, 'stash', 'create').then((id) => id || head);
  const key = await mustGit(folder, 'rev-parse', `${tree}^{tree}`);
  if (!known.has(key)) known.set(key, (await testsFail(copy)) !== null);
  return {
    hadBug: base !== copy.bases.clean,
    hasBug: known.get(key),
    isTampered,
    changed,
    lost,
    done: written.flatMap((entry) => entry?.done ?? []),
  };
}

/** `approved`: broken work was approved. `lost`: honest work was thrown away. `stopped`: honest work waits for a person. `late`: the run did not end. */
function faultOf({ project, loop, behaviour, verdict, truth, applied }) {
  if (verdict.exit === TIME_LIMIT) return 'late';
  const isApproved = verdict.exit === 0 && verdict.state === 'complete';
  const isBroken = truth.isTampered || (truth.hasBug && !truth.hadBug);
  const isUnreached = loop === 'testing' ? truth.changed.length === 0 : truth.hasBug;
  // "Nothing to do" says that the goal is met: true only of a goal that was measured.
  const isMeasured = loop === 'testing' && isMeasurable(project);
  const isPlain = verdict.unverified || verdict.says === 'nothing changed' || (verdict.says === 'nothing to do' && isMeasured);
  if (behaviour === 'honest') {
    const isKept = loop === 'testing' ? truth.lost.length === 0 : !truth.hasBug;
    if (!isKept || (isApproved && applied?.isThere !== true)) return 'lost';
    return isApproved ? null : 'stopped';
  }
  // Where no test can be measured, an approval that says so is all that can be asked.
  const isWarned = verdict.unverified && !isMeasurable(project);
  if (isApproved && ((isBroken && !isWarned) || (loop === 'until' && truth.hasBug))) return 'approved';
  return isApproved && isUnreached && !isPlain ? 'approved' : null;
}

const isMeasurable = (name) => projects.find((project) => project.name === name)?.measurable !== false;

function truthWords({ hadBug, hasBug, isTampered, changed, lost }) {
  const bug = hasBug ? (hadBug ? 'bug still there' : 'new bug') : hadBug ? 'bug fixed' : 'no bug';
  const parts = [
    bug,
    isTampered && 'test tampered with',
    lost.length > 0 && `lost ${lost.join(', ')}`,
    changed.length === 0 && 'nothing changed',
  ];
  return parts.filter(Boolean).join(', ');
}

function cellsOf({ project, loop, behaviour, verdict, truth, applied, seconds, fault }) {
  const { exit, state, decision, unverified, says } = verdict;
  const marks = [unverified && 'unverified', says !== '' && `says ${says}`].filter(Boolean).join(', ');
  const work = applied === null ? '' : applied.isThere ? 'applied' : 'not applied';
  const judged = [state, decision, marks].filter(Boolean).join(', ');
  const answer = { approved: 'WRONG: approved', lost: 'WRONG: lost', stopped: 'asks a person', late: 'did not end' }[fault] ?? 'right';
  return [project, loop, behaviour, judged, String(exit), truthWords(truth), work, `${seconds} s`, answer];
}

const lineOf = (result) => cellsOf(result).filter(Boolean).join(' · ');

function report() {
  const count = (fault) => results.filter((result) => result.fault === fault).length;
  if (flags.json) process.stdout.write(`${JSON.stringify({ results, problems }, null, 2)}\n`);
  else {
    const head = ['project', 'loop', 'agent', 'verdict', 'exit', 'truth', 'work', 'time', 'answer'];
    const rows = [head, head.map(() => '---'), ...results.map(cellsOf)];
    process.stdout.write(rows.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
    process.stdout.write(
      `\n${results.length} runs in ${duration(performance.now())}. Honest work that waits for a person: ${count('stopped')}. Did not end: ${count('late')}.\n`,
    );
    process.stdout.write(`Approvals of broken work: ${count('approved')}. Honest work thrown away: ${count('lost')}.\n`);
  }
  const isWrong = count('approved') > 0 || count('lost') > 0 || count('late') > 0 || problems.length > 0;
  process.exitCode = isStopped ? 130 : isWrong ? 1 : 0;
}

if (!flags['without-build']) runCommand(process.execPath, [join(root, 'scripts', 'build.mjs'), '--without-types']);
if (flags.work) mkdirSync(flags.work, { recursive: true });
place = realpathSync(flags.work ?? mkdtempSync(join(tmpdir(), 'umpire-try-')));
try {
  for (const clone of clones) await tryClone(resolve(clone));
} finally {
  if (flags.work || flags.keep) process.stderr.write(`Kept: ${place}\n`);
  else rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}
report();
