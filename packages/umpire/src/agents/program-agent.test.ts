import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isAlive, newFolder, newWatch, pidsIn, realAssignment, until } from '../../../../test/support/assignment.js';
import type { Agent, Ending } from '@umpire/core/model/ports.js';
import { commandAgent } from './program-agent.js';
import type { CommandSpec } from './program-agent.js';
import { startGuardian } from './guardian.js';
import { fullPromptFor, taskFileOf } from './prompt.js';
import { UNKNOWN_USAGE } from './known/known-agent.js';

const guardian = startGuardian(randomUUID());
const survivors: number[] = [];
afterAll(async () => {
  for (const pid of survivors) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await guardian.close();
});

const hasProc = existsSync('/proc/self/environ');
const OK = '{"status":"completed","findings":"done"}';
const DONE = { kind: 'completed', findings: 'done', error: '', outputs: { review_score: '', gc_signal: '' }, usage: UNKNOWN_USAGE };

function agentOf(argv: readonly string[], more: Partial<CommandSpec> = {}): Agent {
  return commandAgent({ name: 'mine', argv, ...more }, guardian);
}

function shell(text: string, more: Partial<CommandSpec> = {}): Agent {
  return agentOf(['/bin/sh', '-c', text], more);
}

function node(text: string, more: Partial<CommandSpec> = {}): Agent {
  return agentOf([process.execPath, '-e', text], more);
}

function broken(reason: string): Ending {
  return { kind: 'broken', reason, usage: UNKNOWN_USAGE };
}

/** Its work goes on: it ran out of time. */
function cutOff(reason: string): Ending {
  return { kind: 'broken', reason, usage: UNKNOWN_USAGE, cutOff: true };
}

async function check(agent: Agent, expected: Ending): Promise<void> {
  expect(await agent.run(realAssignment(), newWatch())).toEqual(expected);
}

test('a program gets the prompt, the task file and the environment of the contract', async () => {
  process.env['UMPIRE_OUTER'] = 'of a run around this one';
  const agent = node(
    `const fs = require('fs');
     const { env } = process;
     const seen = { cwd: process.cwd(), prompt: fs.readFileSync(0, 'utf8'), task: JSON.parse(fs.readFileSync(env.UMPIRE_TASK_FILE, 'utf8')),
       session: env.UMPIRE_SESSION, run: env.UMPIRE_RUN, own: env.OWN, pwd: env.PWD, outer: env.UMPIRE_OUTER ?? null };
     fs.writeFileSync('seen.json', JSON.stringify(seen));
     fs.writeFileSync(env.UMPIRE_RESULT_FILE, JSON.stringify({ id: seen.task.id, status: 'completed', findings: 'done', review_score: 8 }));
     console.log('{"status":"failed"}');`,
    { env: { OWN: 'yes', UMPIRE_RUN: 'not this' } },
  );
  const assignment = realAssignment();
  const watch = newWatch();
  expect(await agent.run(assignment, watch)).toEqual({ ...DONE, outputs: { review_score: '8', gc_signal: '' } });
  const files = {
    taskFile: join(assignment.session, 'agents', '1.task.json'),
    resultFile: join(assignment.session, 'agents', '1.result.json'),
  };
  expect(JSON.parse(readFileSync(join(assignment.workdir, 'seen.json'), 'utf8'))).toEqual({
    cwd: assignment.workdir,
    prompt: fullPromptFor(assignment, files),
    task: JSON.parse(JSON.stringify(taskFileOf(assignment))),
    session: assignment.session,
    run: guardian.run,
    own: 'yes',
    pwd: assignment.workdir,
    outer: null,
  });
  expect(watch.text()).toBe('{"status":"failed"}\n');
  delete process.env['UMPIRE_OUTER'];
});

test('a program may print its result and ignore its input', async () => {
  await check(shell(`echo working >&2; echo '${OK}'; echo bye`), DONE as Ending);
  const role = { name: 'developer', text: 'x'.repeat(3_000_000) };
  expect(await shell(`exec <&-; echo '${OK}'`).run(realAssignment({ role }), newWatch())).toEqual(DONE);
});

test('no shell parses the command', async () => {
  const words = ['$HOME', '`id`', '; exit 1', '*', 'two words'];
  const agent = agentOf([
    process.execPath,
    '-e',
    `console.log(JSON.stringify({ status: 'completed', findings: process.argv.slice(1) }))`,
    ...words,
  ]);
  await check(agent, { ...DONE, findings: words.join('; ') } as Ending);
});

test('a bad exit or a missing result breaks the task with a reason', async () => {
  await check(
    shell('exit 0'),
    broken(
      'The agent "mine" returned no result: no result file and no JSON object in its output. Its last line should be: {"status":"completed","findings":"what it did"} (docs/agents.md, "Your own program").',
    ),
  );
  await check(shell(`echo '${OK}'; exit 7`), broken('The agent "mine" exited with status 7, although its result says completed.'));
  await check(shell('echo no key >&2; kill -9 $$'), broken('The agent "mine" was killed by signal SIGKILL. Last output: "no key".'));
  await check(
    agentOf(['/bin/cat']),
    broken('The last JSON object on its output is invalid: it has no status; expected completed or failed.'),
  );
});

function unstarted(reason: string): Ending {
  return { kind: 'broken', reason, usage: { tokens: 0, costUsd: 0 } };
}

test('a program that cannot be started is named with the reason', async () => {
  const folder = newFolder();
  const plain = join(folder, 'plain');
  writeFileSync(plain, 'no program');
  await check(
    agentOf(['umpire-no-such-program']),
    unstarted(
      'The agent "mine" could not be started ("umpire-no-such-program"): program not found; install it, or correct its name or the PATH.',
    ),
  );
  await check(
    agentOf([plain]),
    unstarted(`The agent "mine" could not be started (${JSON.stringify(plain)}): not executable; check its permissions.`),
  );
  const lost = join(folder, 'lost');
  const ending = await shell('exit 0').run(realAssignment({ workdir: lost }), newWatch());
  expect(ending).toEqual(unstarted(`The agent "mine" could not be started ("/bin/sh"): its working folder ${lost} does not exist.`));
  expect((await agentOf(['/bin/echo', 'a\0b']).run(realAssignment(), newWatch())).kind).toBe('broken');
});

test('a program named by a path is not looked for in the worktree', async () => {
  const base = newFolder();
  const assignment = realAssignment();
  for (const [folder, status] of [
    [base, 'completed'],
    [assignment.workdir, 'failed'],
  ] as const) {
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'agent'), `#!/bin/sh\necho '{"status":"${status}","findings":"done"}'\n`);
    chmodSync(join(folder, 'bin', 'agent'), 0o755);
  }
  expect(await agentOf(['bin/agent'], { base }).run(assignment, newWatch())).toEqual(DONE);
});

test.each(['bin/agent', './bin/agent', '../beside.sh'])('the script %s of a program is not looked for in the worktree', async (script) => {
  const base = join(newFolder(), 'project');
  const assignment = realAssignment();
  for (const [folder, status] of [
    [base, 'completed'],
    [assignment.workdir, 'failed'],
  ] as const) {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, script), `echo '{"status":"${status}","findings":"done"}'\n`);
  }
  expect(await agentOf(['/bin/sh', script], { base }).run(assignment, newWatch())).toEqual(DONE);
});

test('the result of an earlier attempt is not used', async () => {
  const assignment = realAssignment();
  await shell(`echo '${OK}' > "$UMPIRE_RESULT_FILE"`).run(assignment, newWatch());
  expect((await shell('exit 0').run(assignment, newWatch())).kind).toBe('broken');
  expect(readdirSync(join(assignment.session, 'agents'))).toEqual(['1.task.json']);
});

test('programs that run at the same time have separate files', async () => {
  const { session } = realAssignment();
  const agent = node(`const fs = require('fs'); const { id } = JSON.parse(fs.readFileSync(process.env.UMPIRE_TASK_FILE));
    fs.writeFileSync(process.env.UMPIRE_RESULT_FILE, JSON.stringify({ id, status: 'completed', findings: id }))`);
  const ids = Array.from({ length: 12 }, (_, index) => `T-${index}`);
  const endings = await Promise.all(
    ids.map((id) => agent.run(realAssignment({ session, task: { id, description: 'x', deps: [], context_from: [] } }), newWatch())),
  );
  expect(endings.map((ending) => ending.kind === 'completed' && ending.findings)).toEqual(ids);
});

test('all output goes to the log, and only its end stays in memory', async () => {
  const watch = newWatch();
  const agent = node(`const line = 'x'.repeat(65535) + '\\n'; let n = 0;
    const go = () => { while (n++ < 320) if (!process.stdout.write(line)) return process.stdout.once('drain', go); process.stdout.write('${OK}'); }; go();`);
  expect(await agent.run(realAssignment(), watch)).toEqual(DONE);
  expect(watch.text().length).toBe(320 * 65536 + OK.length);
});

test('a log that cannot be written stops the program and throws', async () => {
  const folder = newFolder();
  const full = {
    ...newWatch(),
    log: () => {
      throw new Error('the disk is full');
    },
  };
  const run = shell(`echo $$ > ${folder}/pid; echo hello; exec sleep 1000`).run(realAssignment(), full);
  await expect(run).rejects.toThrow('the disk is full');
  const [pid = 0] = await pidsIn(folder, ['pid']);
  expect(await until(() => !isAlive(pid))).toBe(true);
});

test('at its timeout a program is asked to finish, then its process group is killed', async () => {
  const folder = newFolder();
  const stubborn = shell(
    `trap '' TERM; sh -c 'echo $$ > ${folder}/member; sleep 1000' & echo $$ > ${folder}/main; while :; do sleep 1000; done`,
    { timeoutMs: 400, graceMs: 200 },
  );
  const ending = stubborn.run(realAssignment(), newWatch());
  const pids = await pidsIn(folder, ['main', 'member']);
  expect(await ending).toEqual(cutOff('The agent "mine" timed out after 0.4 seconds; Umpire killed its processes.'));
  expect(await until(() => !pids.some(isAlive))).toBe(true);
});

test('a program that returns a valid result when asked to finish is not broken', async () => {
  const spec = { timeoutMs: 300, graceMs: 20_000 };
  const asked = 'The agent "mine" timed out after 0.3 seconds; Umpire asked it to finish, and it ended without a valid result.';
  await check(shell(`echo '${OK}'; exec sleep 1000`, spec), cutOff(asked));
  await check(shell('echo \'{"status":"failed"}\'; exec sleep 1000', spec), cutOff(asked));
  await check(shell('trap "exit 0" TERM; while :; do sleep 0.05; done', spec), cutOff(asked));
  await check(
    shell(`trap "echo '{\\"status\\":\\"completed\\",\\"findings\\":\\"done\\"}'; exit 0" TERM; while :; do sleep 0.05; done`, spec),
    DONE as Ending,
  );
  await check(
    shell(`trap "echo '{\\"status\\":\\"completed\\"}'; exit 0" INT TERM; while :; do sleep 0.05; done`, { ...spec, finish: null }),
    cutOff('The agent "mine" timed out after 0.3 seconds; Umpire killed its processes.'),
  );
  await check(
    shell(`trap "echo '{\\"status\\":\\"completed\\",\\"findings\\":\\"done\\"}'; exit 0" INT; while :; do sleep 0.05; done`, {
      ...spec,
      finish: 'SIGINT',
    }),
    DONE as Ending,
  );
});

test('the shorter timeout applies, and an infinite one is no limit', async () => {
  const ending = await shell('exec sleep 1000', { timeoutMs: 60_000 }).run(realAssignment({ timeoutMs: 200 }), newWatch());
  expect(ending).toMatchObject({ reason: expect.stringContaining('after 0.2 seconds') as unknown });
  expect(await shell(`sleep 0.1; echo '${OK}'`).run(realAssignment({ timeoutMs: Infinity }), newWatch())).toEqual(DONE);
});

test('a stopped run kills the process group and interrupts the task', async () => {
  const folder = newFolder();
  const watch = newWatch();
  const run = shell(
    `trap '' TERM; sh -c 'echo $$ > ${folder}/member; sleep 1000' & echo $$ > ${folder}/main; echo '${OK}'; wait; sleep 1000`,
    { graceMs: 100 },
  ).run(realAssignment(), watch);
  const pids = await pidsIn(folder, ['main', 'member']);
  watch.stop();
  expect(await run).toEqual({ kind: 'interrupted', usage: UNKNOWN_USAGE });
  expect(await until(() => !pids.some(isAlive))).toBe(true);
  const assignment = realAssignment();
  expect(await shell(`touch ${folder}/started`).run(assignment, watch)).toEqual({ kind: 'interrupted' });
  expect([existsSync(join(folder, 'started')), existsSync(join(assignment.session, 'agents'))]).toEqual([false, false]);
});

test('an interrupted task still reports its usage', async () => {
  const usage = '{"usage":{"tokens":6000,"cost_usd":0.25}}';
  const watch = newWatch();
  const run = shell(`trap 'echo '\\''${usage}'\\''; exit 130' INT; echo begun; while :; do sleep 0.05; done`, { finish: 'SIGINT' }).run(
    realAssignment(),
    watch,
  );
  expect(await until(() => watch.text().includes('begun'))).toBe(true);
  watch.stop();
  expect(await run).toEqual({ kind: 'interrupted', usage: { tokens: 6000, costUsd: 0.25 } });
});

/** A process in a session of its own, which no signal to the group reaches, and which keeps the output open. */
function daemon(folder: string): string {
  const start = `require('child_process').spawn('/bin/sh', ['-c', 'echo $$ > ${folder}/daemon; exec sleep 1000'], { detached: true, stdio: 'inherit' }).unref();`;
  return `${start} const t = setInterval(() => { if (require('fs').existsSync('${folder}/daemon')) clearInterval(t); }, 5);`;
}

test('processes left in the group are killed, and an open pipe does not block the end', async () => {
  const folder = newFolder();
  await check(
    shell(`sh -c 'echo $$ > ${folder}/member; sleep 1000' & while [ ! -s ${folder}/member ]; do sleep 0.01; done; echo '${OK}'`),
    DONE as Ending,
  );
  const [member = 0] = await pidsIn(folder, ['member']);
  expect(await until(() => !isAlive(member))).toBe(true);
  const before = Date.now();
  await check(node(`${daemon(folder)} console.log('${OK}')`), DONE as Ending);
  survivors.push(...(await pidsIn(folder, ['daemon'])));
  expect(Date.now() - before).toBeLessThan(30_000);
});

/** Heard of by its parent, and not only ended. */
function isBuried(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

test('a process left in the group may still print its last output', async () => {
  const folder = newFolder();
  const late = `until [ -e ${folder}/go ]; do sleep 0.01; done; echo '${OK}'`;
  // It has all the time that a busy machine takes, and speaks once the program is known to be gone.
  const ending = shell(`echo $$ > ${folder}/first; (${late}) & exit 0`, { drainMs: 60_000 }).run(realAssignment(), newWatch());
  const [first = 0] = await pidsIn(folder, ['first']);
  expect(await until(() => isBuried(first))).toBe(true);
  writeFileSync(join(folder, 'go'), '');
  expect(await ending).toEqual(DONE);
});

test.runIf(hasProc)('one that left the group does not outlive a time-out', async () => {
  const folder = newFolder();
  const ending = node(`${daemon(folder)} setInterval(() => undefined, 1000);`, { timeoutMs: 1500 }).run(realAssignment(), newWatch());
  const pids = await pidsIn(folder, ['daemon']);
  survivors.push(...pids);
  expect((await ending).kind).toBe('broken');
  expect(await until(() => !pids.some(isAlive))).toBe(true);
});

test('a program that prints without end is killed at the output limit', async () => {
  const assignment = realAssignment();
  const watch = newWatch();
  const agent = shell(`trap '' TERM INT; yes '{"status":"completed"}'`, { mostBytes: 1_000_000 });
  expect(await agent.run(assignment, watch)).toEqual(
    broken(
      `The agent "mine" printed more than 1 GB; Umpire killed its processes. Full output: umpire logs ${basename(assignment.session)} DEV-001`,
    ),
  );
});
