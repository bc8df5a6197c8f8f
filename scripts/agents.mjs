// `npm run agents`: the coding agents that Umpire knows by name, run for real by `umpire until`, each with an empty home, a dummy key and a
// model server on loopback that plays along; once in a sandbox, where there is bubblewrap. Installs them (about 1.3 GB) where needed.
// `npm run agents -- codex` runs one of them.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { environmentIn } from '../test/agents/homes.mjs';
import { startModel } from '../test/agents/model.mjs';
import { installIfNeeded, root, run as runCommand } from './tools.mjs';

const AGENTS = join(root, 'test', 'agents');
const COMMAND = join(root, 'dist', 'umpire.cjs');

/** Where the homes and projects lie. Not in the system's temporary folder: there Codex does not find its own sandbox. */
const PLACE = join(homedir(), '.cache');

/** Whether the agent says what it used, and what that cost; what it says where the key is wrong. */
const KEY = 'the key is wrong';
const KNOWN = {
  claude: { tokens: true, cost: true, fault: KEY },
  codex: { tokens: true, cost: false, fault: KEY },
  gemini: { tokens: true, cost: false, fault: KEY },
  opencode: { tokens: true, cost: true, fault: KEY },
  'claude-acp': { tokens: true, cost: true, fault: 'is not signed in' },
  'codex-acp': { tokens: true, cost: false, fault: 'is not signed in' },
  'gemini-acp': { tokens: true, cost: false, fault: KEY },
  'opencode-acp': { tokens: true, cost: false, fault: KEY },
};

const CHECK = `import { existsSync } from 'node:fs';
if (!existsSync('fixed.txt')) {
  console.log('fixed.txt is missing');
  process.exitCode = 1;
}
`;

function makeProject(folder, timeoutMinutes) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'check.mjs'), CHECK);
  writeFileSync(join(folder, 'umpire.config.yaml'), `timeout_minutes: ${timeoutMinutes}\n`);
  const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=n', '-c', 'user.email=n@localhost', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
}

function runUmpire(folder, agent, environment, flags) {
  const path = [join(AGENTS, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, ...environment, PATH: path, UMPIRE_TRUST: '1' };
  const words = ['until', 'node check.mjs', '--agent', agent, '--max-rounds', '1', ...flags];
  const child = spawn(process.execPath, [COMMAND, ...words], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  return new Promise((resolve) => child.on('close', (exit) => resolve({ exit, said })));
}

/** How the agent's task ended, by the journal. */
function endingOf(folder) {
  const sessions = join(folder, '.umpire', 'sessions');
  const [session] = readdirSync(sessions);
  const lines = readFileSync(join(sessions, session, 'journal.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'TaskSubmitted' || type === 'TaskFinished');
  return events.find(({ data }) => data.task === 'WORK-1')?.data ?? { status: 'none', error: '', usage: { tokens: 0, costUsd: 0 } };
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

const CASES = {
  file: ({ exit, ending }) => [exit === 0 && ending.status === 'completed', 'its work is merged and passes'],
  held: ({ exit, ending }) => [exit === 0 && ending.status === 'completed', 'its work is done in a sandbox too'],
  answer: ({ exit, ending }) => [exit === 0 && ending.status === 'completed', 'its answer is taken for its result'],
  refuse: ({ exit, ending, fault }) => [exit === 4 && ending.error.includes(fault), `the reason says "${fault}"`],
  hang: ({ exit, ending }) => [exit === 4 && ending.error.includes('timed out'), 'it is ended when its time is out'],
};

const MINUTES = { file: 3, held: 3, answer: 3, refuse: 3, hang: 0.2 };

/** What is there once a person has used them: in a sandbox they make no folder in the home. */
const USED = ['.claude', '.codex', '.gemini', '.cache', '.config/opencode', '.local/share/opencode', '.local/state/opencode'];

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

/** What is wrong, one line each. */
async function tryCase(agent, play) {
  mkdirSync(PLACE, { recursive: true });
  const base = realpathSync(mkdtempSync(join(PLACE, 'umpire-agents-')));
  const [home, project] = [join(base, 'home'), join(base, 'project')];
  const isHeld = play === 'held';
  for (const folder of isHeld ? USED : ['']) mkdirSync(join(home, folder), { recursive: true });
  makeProject(project, MINUTES[play]);
  const model = await startModel(isHeld ? 'file' : play);
  try {
    const { exit, said } = await runUmpire(project, agent, environmentIn(home, model.port), isHeld ? ['--sandbox'] : []);
    const ending = endingOf(project);
    const { tokens, cost, fault } = KNOWN[agent];
    const [isGood, what] = CASES[play]({ exit, ending, fault });
    const isDone = play === 'file' || play === 'answer' || isHeld;
    const faults = [
      [isGood, `${what}: it ended with status ${exit}, ${ending.status} ${ending.error}\n${said}`],
      [readdirSync(project).sort().join(' ') === '.git .umpire check.mjs umpire.config.yaml', 'nothing is written to the checkout'],
      [!isDone || ending.usage.tokens > 0 === tokens, `tokens are counted: ${ending.usage.tokens}`],
      [!isDone || ending.usage.costUsd > 0 === cost, `the cost is counted: ${ending.usage.costUsd}`],
      [leftIn(home).length === 0, 'no process is left'],
    ];
    return faults.filter(([isRight]) => !isRight).map(([, fault]) => fault);
  } finally {
    model.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(KNOWN, name));
if (unknown !== undefined) {
  console.error(`There is no agent "${unknown}" here. Choose from: ${Object.keys(KNOWN).join(', ')}.`);
  process.exit(2);
}
installIfNeeded();
installIfNeeded(AGENTS);
runCommand(process.execPath, [join(root, 'scripts', 'build.mjs')]);
for (const agent of asked.length > 0 ? asked : Object.keys(KNOWN)) {
  for (const play of Object.keys(CASES).filter((name) => hasSandbox || name !== 'held')) {
    const started = performance.now();
    const faults = await tryCase(agent, play);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${agent.padEnd(12)} ${play.padEnd(7)} ${seconds} s`);
    for (const fault of faults) console.log(`     not so: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}
