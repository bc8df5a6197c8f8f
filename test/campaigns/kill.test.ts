// Kills the real command with SIGKILL at random moments and resumes it until its sessions are done. No reported event is lost, at
// most the running step is repeated, and no child process survives.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Recorded } from '@umpire/core/decider/events.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { readJournal } from '@umpire/umpire/sessions/journal-file.js';
import { SEED, amountOf } from '../support/campaign.js';
import { command } from '../support/command.js';

const KILLS = amountOf(2, 398);
const base = mkdtempSync(join(tmpdir(), 'umpire-kill-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** mulberry32: the same kills for the same seed. */
function chance(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Leaves a child process behind, and runs one in its own group. The critic asks for revisions, then approves. */
const AGENT = `#!/bin/sh
cat > /dev/null
sleep 60 &
setsid sleep 60 &
echo "$UMPIRE_TASK_FILE" >> "$UMPIRE_SESSION/invocations.log"
sleep 0.03
[ -e .git ] && date +%s%N > "work-$$.txt"
round=$(grep -c . "$UMPIRE_SESSION/invocations.log")
if [ "$round" -gt 25 ]; then worst='LOW:1'; score=9; signal=CONVERGED; else worst='CRITICAL:1'; score=4; signal=REVISION_NEEDED; fi
kill $! 2> /dev/null
printf '{"status":"completed","findings":"done","severity_summary":"%s","review_score":"%s","gc_signal":"%s"}\\n' "$worst" "$score" "$signal"
`;

interface Stage {
  readonly project: string;
  readonly session: string;
  readonly args: readonly string[];
  readonly told: Map<number, string>;
  begun: boolean;
}

function stage(number: number): Stage {
  const project = join(base, `project-${number}`);
  mkdirSync(project);
  writeFileSync(join(project, 'agent.sh'), AGENT, { mode: 0o755 });
  const writes = number % 2 === 1;
  if (writes) {
    const git = (...args: readonly string[]) => expect(spawnSync('git', ['-C', project, ...args]).status).toBe(0);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-qm', 'first');
  }
  const loop = writes ? ['review', 'change', '--mode', 'sprint'] : ['brainstorm', 'think', '--mode', 'deep'];
  const session = join(project, '.umpire', 'sessions', 's');
  return { project, session, args: [...loop, '--session', session, '--max-rounds', '6'], told: new Map(), begun: false };
}

/** Starts or resumes the session, and kills the command after a while. Returns true if it ended before. */
async function killOnce(stage: Stage, afterMs: number): Promise<boolean> {
  const verb = stage.begun ? ['resume', stage.session] : ['run', ...stage.args];
  const env = { ...process.env, UMPIRE_WORKTREES: `${stage.project}-worktrees` };
  const flags = ['--agent-command', `sh ${join(stage.project, 'agent.sh')}`, '--json'];
  const child = spawn(process.execPath, [command, ...verb, ...flags], { cwd: stage.project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  if (code !== null && code !== 0 && code !== 4) throw new Error(`exit ${code}: ${err}`);
  for (const line of out.split('\n').slice(0, -1)) {
    const event = JSON.parse(line) as Recorded;
    stage.told.set(event.seq, event.type);
    stage.begun = true;
  }
  return code !== null;
}

/** Processes with the session in their environment. */
function childrenOf(session: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`UMPIRE_SESSION=${session}`);
      } catch {
        return false;
      }
    });
}

async function noChildLeft(session: string): Promise<void> {
  const until = Date.now() + 10_000;
  while (childrenOf(session).length > 0) {
    if (Date.now() > until)
      expect(
        childrenOf(session).map(
          (pid) =>
            `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')} ${readFileSync(`/proc/${pid}/stat`, 'utf8').slice(0, 80)}`,
        ),
      ).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function checkStory({ session, told }: Stage): readonly Recorded[] {
  const { events } = readJournal(openFolder(session));
  for (const [seq, type] of told) expect(events[seq - 1]?.type).toBe(type);
  const finished = new Set<string>();
  for (const event of events) {
    if (event.type === 'TaskFinished') finished.add(event.data.task);
    if (event.type === 'JudgingFailed') finished.delete(event.data.task);
    if (event.type === 'TaskStarted') expect(finished.has(event.data.task)).toBe(false);
  }
  return events;
}

it(`survives ${KILLS} kills`, { timeout: 900_000 }, async () => {
  const random = chance(SEED);
  let kills = 0;
  let done = 0;
  let cutEvents = 0;
  for (let number = 0; kills < KILLS; number++) {
    const now = stage(number);
    for (;;) {
      const ended = await killOnce(now, kills < KILLS ? 60 + random() * 900 : 60_000);
      await noChildLeft(now.session);
      if (!now.begun) continue;
      const events = checkStory(now);
      cutEvents = Math.max(cutEvents, events.length);
      if (!ended) kills++;
      if (!ended) continue;
      const checkout = spawnSync('git', ['-C', now.project, 'status', '--porcelain'], { encoding: 'utf8' });
      if (checkout.status === 0) expect(checkout.stdout).toBe('');
      // If the kill came after the question to a person, the session was only resumed once more.
      const { type = '' } = events.at(-1) ?? {};
      if (type === 'RunBegun') expect(events.findLast((event) => event.type !== 'RunBegun')?.type).toBe('PersonCalled');
      else expect(type).toMatch(/SessionEnded|VerdictProjected|PersonCalled/);
      done++;
      break;
    }
  }
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(done).toBeGreaterThan(0);
  expect(cutEvents).toBeGreaterThan(20);
});
