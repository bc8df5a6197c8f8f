// `npm run agents`: the newest real coding agents, run by Umpire through the scenarios of test/agents/scenarios.mjs. Each has an empty home, a
// dummy key and a model server on loopback. Prints a table agent × scenario and the CPU time of Umpire beside that of the agents.
// Installs the agents (about 1.3 GB) where needed.
//   npm run agents -- [AGENT…] [SCENARIO…] [--out FILE] [--jobs N] [--keep]

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { environmentIn } from '../test/agents/homes.mjs';
import { startModel } from '../test/agents/model.mjs';
import { DEFAULT_COMMANDS, FILES, SCENARIOS, TOKENS } from '../test/agents/scenarios.mjs';
import { duration, installIfNeeded, root, run as runCommand } from './tools.mjs';

const AGENTS = join(root, 'test', 'agents');
const UMPIRE = join(root, 'dist', 'umpire.cjs');

/** Where the homes and projects are. Not in the system's temporary folder: there Codex does not find its own sandbox. */
const PLACE = join(homedir(), '.cache');

/**
 * `counts`: the tokens that the agent reports. `all` requests, only those of its `main` conversation (no titles and the like), or nothing
 * that could be summed (`unknown`: opencode-acp reports its last answer only). `badKey`: what the reason says when the key is wrong.
 * `waitsItself`: the agent waits for the end of a plan limit and says nothing.
 */
const KNOWN = {
  claude: { counts: 'all', badKey: 'the key is wrong' },
  codex: { counts: 'all', badKey: 'the key is wrong' },
  gemini: { counts: 'all', badKey: 'the key is wrong' },
  opencode: { counts: 'main', badKey: 'the key is wrong', waitsItself: true },
  'claude-acp': { counts: 'all', badKey: 'is not signed in' },
  'codex-acp': { counts: 'main', badKey: 'is not signed in' },
  'gemini-acp': { counts: 'main without thought', badKey: 'the key is wrong' },
  'opencode-acp': { counts: 'unknown', badKey: 'the key is wrong', waitsItself: true },
};

/** Folders that exist once a person has used the agents. In a sandbox they cannot create folders in the home. */
const USED = ['.claude', '.codex', '.gemini', '.cache', '.config/opencode', '.local/share/opencode', '.local/state/opencode'];

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

function makeProject(folder, minutes) {
  mkdirSync(folder);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'umpire.config.yaml'), `timeout_minutes: ${minutes}\n`);
  const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=n', '-c', 'user.email=n@localhost', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
}

/** Starts Umpire; `prefix` is a command that starts it. */
function startUmpire(project, words, environment, prefix = []) {
  const path = [join(AGENTS, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, ...environment, PATH: path, UMPIRE_TRUST: '1' };
  const [program, ...args] = [...prefix, process.execPath, UMPIRE, ...words];
  const child = spawn(program, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return { child, ended: new Promise((resolve) => child.on('close', (exit) => resolve({ exit, said }))) };
}

function sessionIn(project) {
  const sessions = join(project, '.umpire', 'sessions');
  return existsSync(sessions) ? readdirSync(sessions)[0] : undefined;
}

function eventsOf(project) {
  const file = join(project, '.umpire', 'sessions', sessionIn(project) ?? '', 'journal.ndjson');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Processes that the agent left behind; none where the system does not tell. */
function leftIn(home) {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`);
    } catch {
      return false;
    }
  });
}

function isFixed(project) {
  const branch = execFileSync('git', ['-C', project, 'for-each-ref', '--format=%(refname)', 'refs/heads/umpire'], { encoding: 'utf8' });
  const shown = spawnSync('git', ['-C', project, 'show', `${branch.trim()}:sum.mjs`], { encoding: 'utf8' });
  return shown.stdout.includes('a + b');
}

/** An empty home and a project, for as long as `act` runs. */
async function inPlace({ minutes = 3, isUsed = false, keep = false }, act) {
  mkdirSync(PLACE, { recursive: true });
  const base = realpathSync(mkdtempSync(join(PLACE, 'umpire-agents-')));
  const [home, project] = [join(base, 'home'), join(base, 'project')];
  for (const folder of ['../tmp', ...(isUsed ? USED : [''])]) mkdirSync(join(home, folder), { recursive: true });
  makeProject(project, minutes);
  try {
    return await act({ base, home, project });
  } finally {
    if (!keep) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The end of a long text explains most. */
const brief = (text) => text.replaceAll(/\s+/g, ' ').slice(-MOST_CHARS);
const MOST_CHARS = 400;

/** The unmet expectations, one text each. */
function play(agent, scenario, keep) {
  const { moves, commands = DEFAULT_COMMANDS, expect, hasPlan, ...needs } = typeof scenario === 'function' ? scenario() : scenario;
  return inPlace({ ...needs, keep }, async ({ base, home, project }) => {
    let onHang = () => {};
    const model = await startModel(moves, () => onHang());
    const before = readdirSync(project);
    const ended = [];
    try {
      for (const { words, signal, needsSession = false } of commands) {
        const [command, ...rest] = words;
        const target = needsSession ? [sessionIn(project) ?? ''] : [];
        const whose = needsSession ? [] : ['--agent', agent];
        const { child, ended: end } = startUmpire(
          project,
          [command, ...target, ...rest, ...whose],
          environmentIn(home, model.port, hasPlan),
        );
        onHang = signal === undefined ? () => {} : () => child.kill(signal);
        ended.push(await end);
        // Nothing is left to resume.
        if (ended.at(-1).exit === 0) break;
      }
      const run = {
        agent: KNOWN[agent],
        commands: ended,
        events: eventsOf(project),
        requests: model.requests,
        unplayed: model.unplayed(),
        isFixed: isFixed(project),
      };
      if (keep) writeFileSync(join(base, 'run.json'), JSON.stringify(run, null, 1));
      const left = leftIn(home);
      const files = readdirSync(project).filter((name) => name !== '.umpire' && !before.includes(name));
      const found = [
        ...expect.map((check) => check(run)),
        ['no process is left', left.length === 0, left.join(' ')],
        ['nothing is written to the checkout', files.length === 0, files.join(' ')],
      ];
      const missed = found.filter(([, isSo]) => !isSo);
      return { base, faults: missed.map(([what, , instead, row]) => ({ row, text: `${what}, but: ${brief(instead)}` })) };
    } finally {
      model.close();
    }
  });
}

/** CPU seconds of a run of Umpire with everything that it started. */
async function cpuOf(words, environmentFor) {
  return inPlace({}, async ({ home, project }) => {
    const timed = ['bash', '-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', 'bash'];
    const { said } = await startUmpire(project, words, { HOME: home, ...environmentFor(home) }, timed).ended;
    const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(said) ?? [];
    return Number(user) + Number(system);
  });
}

const FURTHER_ROUNDS = 5;

/** An agent that costs next to nothing: it corrects the project and adds a line, so that every round has a change. */
const CHEAP = `sh -c 'sed -i "s/ - / + /" sum.mjs; echo >> sum.mjs; echo "{\\"status\\":\\"completed\\",\\"findings\\":\\"none\\"}"'`;

/** Umpire's own CPU time, by the cheap agent and a check that costs nothing, beside the time of one task of each agent. */
async function figures(agents) {
  const cheapRun = (check, rounds) =>
    cpuOf(['until', check, '--max-rounds', String(rounds), '--yes', '--agent-command', CHEAP], () => ({
      npm_config_update_notifier: 'false',
    }));
  const own = await cheapRun('false', 1);
  const perRound = ((await cheapRun('false', 1 + FURTHER_ROUNDS)) - own) / FURTHER_ROUNDS;
  const withTests = await cheapRun('npm test', 1);
  const rows = [];
  for (const agent of agents) {
    const model = await startModel(SCENARIOS.work.moves);
    const words = [...DEFAULT_COMMANDS[0].words, '--agent', agent];
    const all = await cpuOf(words, (home) => environmentIn(home, model.port));
    model.close();
    rows.push([agent, all - withTests, own, perRound]);
  }
  return rows;
}

const line = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
const seconds = (value) => `${value.toFixed(2)} s`;

const { values: flags, positionals } = parseArgs({
  options: { out: { type: 'string' }, jobs: { type: 'string', default: '2' }, keep: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(KNOWN, name) && !Object.hasOwn(SCENARIOS, name) && name !== 'figures');
if (unknown !== undefined) {
  console.error(
    `There is no agent or scenario "${unknown}". Agents: ${Object.keys(KNOWN).join(', ')}. Scenarios: ${Object.keys(SCENARIOS).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = (all) => {
  const named = all.filter((name) => positionals.includes(name));
  return named.length === 0 ? all : named;
};
const agents = chosen(Object.keys(KNOWN));
const scenarios = chosen(Object.keys(SCENARIOS)).filter((name) => hasSandbox || name !== 'sandbox');
installIfNeeded();
installIfNeeded(AGENTS);
runCommand(process.execPath, [join(root, 'scripts', 'build.mjs')]);

/** By `AGENT SCENARIO`. The tokens have a row of their own: they are compared in most scenarios. */
const cells = new Map(agents.map((agent) => [`${agent} ${TOKENS}`, 'ok']));
const faultLines = [];
const queue = agents.flatMap((agent) => scenarios.map((name) => [agent, name]));
async function work() {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const [agent, name] = job;
    const started = performance.now();
    const { faults, base } = await play(agent, SCENARIOS[name], flags.keep);
    cells.set(`${agent} ${name}`, 'ok');
    for (const { row = name } of faults) cells.set(`${agent} ${row}`, 'FAIL');
    const said = cells.get(`${agent} ${name}`).padEnd(4);
    console.log(`${said} ${agent.padEnd(12)} ${name.padEnd(18)} ${duration(performance.now() - started)}`);
    for (const { text } of faults) {
      console.log(`     ${text}`);
      faultLines.push(`- ${agent}, ${name}: ${text}`);
    }
    if (flags.keep) console.log(`     kept: ${base}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}
await Promise.all(Array.from({ length: Number(flags.jobs) }, work));

const rows = [...scenarios, TOKENS].map((name) => [name, ...agents.map((agent) => cells.get(`${agent} ${name}`))]);
const parts = [table(['scenario', ...agents], rows)];
if (faultLines.length > 0) parts.push(faultLines.join('\n'));
if (positionals.length === 0 || positionals.includes('figures')) {
  const times = (await figures(agents)).map(([agent, ...each]) => [agent, ...each.map(seconds)]);
  parts.push(table(['CPU time', 'the agent, one task', 'Umpire, a session with one task', 'Umpire, each further round'], times));
}
const page = `${parts.join('\n\n')}\n`;
console.log(`\n${page}`);
if (flags.out !== undefined) writeFileSync(flags.out, page);
