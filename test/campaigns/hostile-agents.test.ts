// Real runs whose agent attacks instead of working, or beside its work. The session ends or waits. It is never approved without the work, and
// its branch never holds more than the work. The person's checkout and home stay as they were, and no process is left.
// UMPIRE_SEED and UMPIRE_AMOUNT choose the agents.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { walkJournal } from '@umpire/umpire/sessions/journal-file.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { SEED, amountOf } from '../support/campaign.js';
import { ownThings, writeFiles } from '../support/git-project.js';
import { ATTACKS, LOOPS } from '../support/hostile-agents.js';
import { runInProcess } from '../support/in-process.js';
import { cleanUpProjects, command, makeProject, sessionIn } from '../support/run-project.js';
import type { RunProject } from '../support/run-project.js';

cleanUpProjects();

const CASES = LOOPS.flatMap((loop) => [false, true].flatMap((works) => ATTACKS.map((attack) => ({ loop, works, attack }))));
const AMOUNT = amountOf(1, CASES.length);

const test = (name: string, call: string, answer: number) =>
  `test('${name}', () => require('node:assert').strictEqual(require('./math.js').${call}, ${answer}));\n`;
const HEAD = "const { test } = require('node:test');\n";

/** In `until` a test fails; for `testing` the tests pass and cover too little. */
function victim(loop: string): RunProject {
  const sum =
    loop === 'until'
      ? 'exports.sum = (a, b) => a - b;\n'
      : 'exports.sum = (a, b) => a + b;\nexports.half = (n) => {\n  return n / 2;\n};\n';
  const project = makeProject({
    files: {
      'package.json': '{"name":"p","scripts":{"test":"node --test"}}\n',
      'math.js': sum,
      'math.test.js': HEAD + test('adds', 'sum(1, 2)', 3),
      'keep.test.js': HEAD + test('adds nothing', 'sum(1, 0)', 1),
      '.gitignore': '.umpire\n',
    },
  });
  writeFiles(project.beside, { 'precious/thesis.txt': 'mine\n', '.bashrc': '# mine\n', '.gitconfig': '[user]\n' });
  return project;
}

const OWN = ['precious/thesis.txt', '.bashrc', '.gitconfig'];
const homeOf = ({ beside }: RunProject) => OWN.map((file) => readFileSync(join(beside, file), 'utf8'));

/** Written if Umpire obeyed the agent, ran a program of its repository, or trusted the project. */
const TRACES = ['obeyed', 'trapped', 'state/umpire/trust'];

/** The guardian of a killed run needs a moment to end the agents. */
const LAST_MS = 20_000;

async function processesLeft(beside: string): Promise<readonly string[]> {
  const until = performance.now() + LAST_MS;
  while (processesOf(beside).length > 0 && performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
  return processesOf(beside);
}

/** Processes that name the project or something beside it. */
function processesOf(beside: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(beside) ? [`${pid} ${line}`] : [];
      } catch {
        return [];
      }
    });
}

async function play({ loop, works, attack }: (typeof CASES)[number]): Promise<void> {
  const project = victim(loop.loop);
  const own = { things: ownThings(project.root), home: homeOf(project) };
  const tools = `umpire="${process.execPath} ${command}"\nhand_in() { complete done; }`;
  const agent = project.sh([tools, works ? loop.work : '', attack.body, 'hand_in'].join('\n'));
  const env = { UMPIRE_TRUST: '', XDG_STATE_HOME: join(project.beside, 'state'), XDG_CONFIG_HOME: join(project.beside, 'config') };
  const flags = ['--max-rounds', '1', '--session', '.umpire/sessions/s', ...(attack.flags ?? [])];
  const { exit, err } = await project.umpireWith({ env }, ...loop.args, ...flags, ...agent);
  // Null: the agent killed the command.
  expect([0, 1, 3, 4, null], err).toContain(exit);
  expect(err).not.toContain('Internal error');

  const session = sessionIn(project);
  let end = '';
  walkJournal(openFolder(session), (event) => {
    if (event.type === 'SessionEnded') end = `${event.data.outcome}${event.data.unverified ? ' unverified' : ''}`;
  });
  const changed = project.git('diff', '--name-only', 'main', 'umpire/s').split('\n').filter(Boolean);
  const allowed = new Set<string>([...(works ? loop.files : []), ...(attack.leaves ?? [])]);
  if (!works) expect(end, err).not.toBe('complete');
  if (end.startsWith('complete')) expect(changed.filter((file) => !allowed.has(file))).toEqual([]);

  expect({ things: ownThings(project.root), home: homeOf(project) }).toEqual(own);
  for (const name of TRACES) expect(existsSync(join(project.beside, name)), name).toBe(false);
  expect(await processesLeft(project.beside)).toEqual([]);
  const replayed = await runInProcess(project.root, ['replay', session], env);
  expect([replayed.exit, replayed.stdout + replayed.stderr]).toEqual([
    attack.trace === undefined ? 0 : 1,
    expect.stringMatching(attack.trace ?? /hash chain is intact/),
  ]);
}

it.each(Array.from({ length: AMOUNT }, (_, at) => CASES[(SEED + at) % CASES.length]!))(
  '$loop.loop, with work: $works: an agent that $attack.name',
  { timeout: 300_000 },
  play,
);
