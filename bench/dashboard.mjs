// `umpire serve` on a project with 1,000 sessions and one run that goes on: the time until a browser shows the list, at first and again;
// how long other requests wait while the first list is read; and the processor time of the server while a page watches.
// Needs Linux (/proc) and Chromium.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ROOT, atMost, line, median, ms } from './harness.mjs';

const SESSIONS = 1000;
const WATCHED_MS = 10_000;
const PATIENCE_MS = 120_000;
const MOST_ON_SCREEN = 10;
const TICKS_A_SECOND = 100;
/** Milliseconds. */
const FIRST_PAINT = 2000;
const NEXT_PAINT = 1000;
const OTHERS_WAIT = 150;
/** Of one core. */
const WATCHING = 0.05;

const COMMAND = join(ROOT, 'dist', 'umpire.cjs');

export async function run({ runs = 3 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-dashboard-'));
  const project = join(folder, 'project');
  const env = {
    ...process.env,
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    UMPIRE_WORKTREES: join(folder, 'worktrees'),
    UMPIRE_TRUST: '1',
  };
  const running = [];
  const start = (args, stdio) => {
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd: project, env, stdio });
    running.push(child);
    return child;
  };
  const browser = await chromium.launch({ executablePath: process.env.UMPIRE_BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    makeSessions(project, env);
    start(['until', 'false', '--agent', 'slow', '--session', '.umpire/sessions/live'], 'ignore');
    const samples = { first: [], next: [], wait: [], watching: [] };
    for (let round = 0; round < runs; round += 1) {
      const server = start(['serve', '--port', '0'], ['ignore', 'pipe', 'ignore']);
      const address = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
      const waited = longestWait(address);
      const page = await (await browser.newContext()).newPage();
      samples.first.push(await timePaint(() => page.goto(address), page));
      await page.getByText(`All ${SESSIONS + 1}`).waitFor({ timeout: PATIENCE_MS });
      samples.wait.push(await waited.end());
      samples.next.push(await timePaint(() => page.reload(), page));
      await page.getByText('live', { exact: true }).first().waitFor();
      const before = processorMs(server.pid);
      await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
      samples.watching.push((processorMs(server.pid) - before) / WATCHED_MS);
      await page.context().close();
      server.kill('SIGINT');
      await new Promise((resolve) => server.once('exit', resolve));
    }
    const at = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
    const time = (name, value, limit) => line({ name, ours: ms(value), ratio: value, bar: atMost(limit) });
    return [
      time(`latest of ${SESSIONS} sessions on the screen`, at.first, FIRST_PAINT),
      time('the same after a reload', at.next, NEXT_PAINT),
      time('longest wait of another request meanwhile', at.wait, OTHERS_WAIT),
      line({
        name: 'processor time of the server while watched : time',
        ours: `${(at.watching * 100).toFixed(1)} %`,
        ratio: at.watching,
        bar: atMost(WATCHING),
      }),
    ];
  } finally {
    await browser.close();
    for (const child of running) child.kill('SIGINT');
    await Promise.all(running.map((child) => child.exitCode ?? child.signalCode ?? new Promise((resolve) => child.once('exit', resolve))));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two real sessions, one that waits and one that is complete, and copies of them. */
function makeSessions(project, env) {
  mkdirSync(join(project, 'agents'), { recursive: true });
  writeFileSync(join(project, 'a.txt'), 'wrong\n');
  const agents = { mender: 'right\n', idle: 'wrong\n', slow: 'wrong\n' };
  const script = ([name, text]) => ({
    answers: [
      {
        write: { 'a.txt': text },
        ...(name === 'slow' ? { after: 1_000_000 } : {}),
        result: { findings: 'Done.' },
        usage: { tokens: 900, cost_usd: 0.1 },
      },
    ],
  });
  for (const entry of Object.entries(agents)) writeFileSync(join(project, 'agents', `${entry[0]}.yaml`), JSON.stringify(script(entry)));
  const settings = { agents: Object.fromEntries(Object.keys(agents).map((name) => [name, { script: `agents/${name}.yaml` }])) };
  writeFileSync(join(project, 'umpire.config.yaml'), JSON.stringify({ ...settings, critics: { tests: 'none' } }));
  const git = 'git -c user.name=You -c user.email=you@example.com';
  spawnSync('sh', ['-c', `git init -q -b main && git add -A && ${git} commit -q -m start`], { cwd: project });
  const at = (name) => join(project, '.umpire', 'sessions', name);
  for (const agent of ['idle', 'mender'])
    spawnSync(
      process.execPath,
      [COMMAND, 'until', 'grep -q right a.txt', 'Make it right', '--agent', agent, '--session', at(`${agent}-0`)],
      { cwd: project, env },
    );
  for (let copy = 1; copy < SESSIONS / 2; copy += 1)
    for (const agent of ['idle', 'mender']) cpSync(at(`${agent}-0`), at(`${agent}-${copy}`), { recursive: true });
}

async function timePaint(act, page) {
  const begun = performance.now();
  await act();
  await page.locator('.sessions tbody tr').nth(MOST_ON_SCREEN).waitFor({ timeout: PATIENCE_MS });
  return performance.now() - begun;
}

/** Asks something small again and again. */
function longestWait(address) {
  const { origin, hash } = new URL(address);
  const headers = { authorization: `Bearer ${hash.replace('#key=', '')}` };
  const state = { isOver: false };
  let longest = 0;
  const asking = (async () => {
    while (!state.isOver) {
      const begun = performance.now();
      await (await fetch(`${origin}/api/key`, { headers })).text();
      longest = Math.max(longest, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })().catch(() => (longest = Infinity));
  return {
    end: async () => {
      state.isOver = true;
      await asking;
      return longest;
    },
  };
}

/** User and system time of a process. */
function processorMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND;
}
