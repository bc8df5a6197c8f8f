// Hostile and broken messages to `umpire mcp` and `umpire hook`. Both keep answering, within a bound of memory. Neither shows a file outside
// the project, writes there, or answers for the person. UMPIRE_SEED and UMPIRE_AMOUNT choose the messages.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { SEED, amountOf, chooseCases } from '../support/campaign.js';
import { filesUnder, writeFiles } from '../support/git-project.js';
import { HOOK_MESSAGES, MCP_MESSAGES, randomEvent, randomMessage } from '../support/hostile-messages.js';
import { runInProcess } from '../support/in-process.js';
import { cleanUpProjects, command, makeProject } from '../support/run-project.js';
import type { RunProject } from '../support/run-project.js';
import { ESCALATED, writeStory } from '../support/session-events.js';

cleanUpProjects();

const AMOUNT = amountOf(20, 300) / 2;
const MOST_MEMORY_MB = 700;
const FORBIDDEN = /TOP SECRET|root:x:|[\u0080-\u009f\u202a-\u202e]/;

/** A project with a session that waits for a person, and a folder outside it. */
function target(): RunProject {
  const project = makeProject({ files: { 'a.txt': 'a\n', 'inner/b.txt': 'b\n', '.gitignore': '.umpire\nlink\npipe\ninner/records\n' } });
  const waiting = join(project.root, '.umpire', 'sessions', 'waiting');
  writeStory(waiting, ESCALATED);
  const secret = 'TOP SECRET\n';
  writeFiles(join(project.beside, 'outside'), {
    'secret.txt': secret,
    'session/tasks.csv': `id,title\nA,${secret}`,
    'loop.yaml': `loop: ${secret}`,
  });
  symlinkSync('../outside', join(project.root, 'link'));
  symlinkSync(waiting, join(project.root, 'inner', 'records'));
  execFileSync('mkfifo', [join(project.root, 'pipe')]);
  return project;
}

/** What no message may change. */
function untouched(project: RunProject): unknown {
  const isOurs = (path: string): boolean => ['.git', '.umpire', 'pipe'].includes(path);
  return {
    files: filesUnder(project.root, isOurs),
    outside: filesUnder(join(project.beside, 'outside')),
    answers: /"PersonAnswered".*/.exec(readFileSync(join(project.root, '.umpire', 'sessions', 'waiting', 'journal.ndjson'), 'utf8')),
    status: project.git('status', '--porcelain'),
  };
}

it(`answers ${AMOUNT} hostile MCP messages, and stays`, { timeout: 600_000 }, async () => {
  const project = target();
  const before = untouched(project);
  const child = spawn(process.execPath, [command, 'mcp'], { cwd: project.root, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = (line: string) => child.stdin.write(`${line}\n`);
  const problems: string[] = [];
  let sent = '';
  const hear = async (id: string): Promise<void> => {
    for (;;) {
      const { value, done } = (await lines.next()) as { value: string; done?: boolean };
      if (done === true) throw new Error(`the server ended after ${sent.slice(0, 400)}`);
      if (FORBIDDEN.test(value)) problems.push(`${sent.slice(0, 400)}: ${value.slice(0, 600)}`);
      if ((JSON.parse(value) as { readonly id?: unknown }).id === id) return;
    }
  };
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  say(JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params: initialize }));
  await hear('first');
  say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const messages = chooseCases(MCP_MESSAGES, AMOUNT, SEED, randomMessage);
  expect(messages).toHaveLength(AMOUNT);
  for (const [at, message] of messages.entries()) {
    sent = message;
    say(message);
    say(`{"jsonrpc":"2.0","id":"still-${at}","method":"ping"}`);
    await hear(`still-${at}`);
  }
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  child.stdin.end();
  for await (const line of lines) if (FORBIDDEN.test(line)) problems.push(line.slice(0, 600));
  expect(await ended).toBe(0);
  expect(problems.slice(0, 5)).toEqual([]);
  expect(Number(kilobytes) / 1024).toBeLessThan(MOST_MEMORY_MB);
  expect(untouched(project)).toEqual(before);
});

it(`answers ${AMOUNT} hostile events of a coding agent`, { timeout: 600_000 }, async () => {
  const project = target();
  const before = untouched(project);
  const events = chooseCases(HOOK_MESSAGES, AMOUNT, SEED, randomEvent);
  expect(events).toHaveLength(AMOUNT);
  for (const { event, text, isRefused } of events) {
    const { exit, stdout, stderr } = await runInProcess(project.root, ['hook', event], {}, text);
    const what = `seed ${SEED}, ${event} ${text.slice(0, 300)}: ${stderr.slice(0, 300)}`;
    expect([0, 1, 2], what).toContain(exit);
    if (isRefused) expect(exit, what).toBe(2);
    expect(stdout + stderr, what).not.toMatch(FORBIDDEN);
    expect(stderr, what).not.toContain('Internal error');
  }
  expect(untouched(project)).toEqual(before);
  expect(existsSync(join(project.root, 'pwned'))).toBe(false);
});
