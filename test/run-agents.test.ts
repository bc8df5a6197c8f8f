// Agents in `umpire run`: the contract with a program, its failures and its logs. Also runs that are stopped, killed, or started twice.

import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { ownThings } from './support/git-project.js';
import { REST, review, GOOD_REVIEW, writer } from './support/run-evidence.js';
import { proseFiles } from './support/run-loop-file.js';
import {
  cleanUpProjects,
  endOf,
  eventsOf,
  eventsOfType,
  jsonOf,
  makeProject,
  rowsOf,
  sessionIn,
  standingOf,
  textOf,
  wavesRun,
} from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const ONE = { tasks: [{ id: 'A' }] };
const TWO = { tasks: [{ id: 'A' }, { id: 'B', deps: ['A'] }] };

/** Processes with this session in their environment. */
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

it('runs agents, checks and setup in the worktree, even if a git hook called umpire', SOAK, async () => {
  const stage = 'git add -A';
  const project = makeProject({ config: { workspace: { setup: stage } } });
  project.write({ 'mine.txt': 'not staged\n' });
  const own = ownThings(project.root);
  const agent = project.sh(`${stage}\necho b > b.txt\n${stage}\nenv | grep ^GIT_ > "$beside/env"\ncomplete done`);
  const dot = join(project.root, '.git');
  const env = { GIT_DIR: dot, GIT_WORK_TREE: project.root, GIT_INDEX_FILE: join(dot, 'index'), GIT_PREFIX: '', GIT_EDITOR: 'mine' };
  const { exit } = await project.umpireWith({ env }, 'until', `${stage} && test -e b.txt`, ...agent);
  expect({ exit, own: ownThings(project.root) }).toEqual({ exit: 0, own });
  const seen = textOf(project.beside, 'env');
  expect(seen).toContain('GIT_EDITOR=mine');
  expect(seen).not.toMatch(/GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX)/);
});

it('gives an agent its folder, stdin and environment, and no shell reads the task’s text', async () => {
  const project = makeProject({ files: { 'a.txt': 'a\n' } });
  const agent = project.sh(`
pwd > "$beside/$id.pwd"
printf '%s' "$prompt" > "$beside/$id.prompt"
env | grep ^UMPIRE_ > "$beside/$id.env"
cp "$UMPIRE_TASK_FILE" "$beside/$id.json"
[ "$role" = developer ] && echo b > b.txt
complete "$(cat a.txt)"
`);
  const goal = '$(touch pwned) `touch pwned`; touch pwned | "quoted" \\ {id} \u00e9 | && x';
  const { exit, session } = await project.umpire('run', 'review', goal, '--mode', 'patch', ...agent);
  expect(exit).toBe(0);
  const env = Object.fromEntries(
    textOf(project.beside, 'DEV-001.env')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(env).toMatchObject({ UMPIRE_SESSION: session, UMPIRE_TASK_FILE: expect.any(String), UMPIRE_RESULT_FILE: expect.any(String) });
  expect(textOf(project.beside, 'DEV-001.pwd').trim().startsWith(project.worktrees)).toBe(true);
  expect(textOf(project.beside, 'DEV-001.pwd')).not.toBe(textOf(project.beside, 'VERIFY-001.pwd'));
  const told = jsonOf(project.beside, 'DEV-001.json');
  expect(told).toMatchObject({ id: 'DEV-001', goal, role: 'developer', writes: true, attempt: 1, session });
  expect(told['description']).toContain(goal);
  expect(String(told['role_text'])).not.toBe('');
  expect(textOf(project.beside, 'DEV-001.prompt')).toContain('$(touch pwned)');
  for (const place of [project.root, session, project.beside]) expect(existsSync(join(place, 'pwned'))).toBe(false);
  expect(rowsOf(session)['DEV-001']).toMatchObject({ findings: 'a', status: 'completed' });
});

/** A program's behaviour, and the resulting task. */
const ENDINGS: readonly (readonly [what: string, body: string, status: string, cell: string, said: string])[] = [
  ['a result in the file', 'complete "by file"', 'completed', 'findings', 'by file'],
  [
    'the last JSON object on stdout',
    `echo '{"status":"failed"}'; echo noise; echo '{"id":"A","status":"completed","findings":"by stdout"}'`,
    'completed',
    'findings',
    'by stdout',
  ],
  ['both: the file counts', `complete "by file"; echo '{"status":"failed","error":"no"}'`, 'completed', 'findings', 'by file'],
  ['its own failure', 'fail "no network"', 'failed', 'error', 'no network'],
  ['a bad exit', 'echo "out of luck" >&2; exit 3', 'failed', 'error', 'exited with status 3'],
  ['a bad exit although it says completed', 'complete "all fine"; exit 3', 'failed', 'error', 'although its result says completed'],
  ['a signal', 'kill -9 $$', 'failed', 'error', 'SIGKILL'],
  ['nothing', 'true', 'failed', 'error', 'returned no result'],
  ['no JSON', 'echo nothing > "$UMPIRE_RESULT_FILE"', 'failed', 'error', 'without a JSON object'],
  ['a status nobody knows', `echo '{"id":"A","status":"perhaps"}'`, 'failed', 'error', 'its status is "perhaps"'],
  ['the result of another task', `echo '{"id":"Z","status":"completed"}'`, 'failed', 'error', 'its id is "Z"'],
  ['a question where none may be asked', `echo '{"id":"A","question":"what?"}'`, 'failed', 'error', 'not interactive'],
  ['findings that are too long', 'complete "$(printf %600s | tr " " x)"', 'completed', 'findings', 'xxx'],
];

it('reads the result of an agent, and fails the task with a reason if there is none', SOAK, async () => {
  const tried = ENDINGS.map(async ([what, body, status, cell, said]) => {
    const project = makeProject({ files: proseFiles(ONE) });
    const { exit, session } = await project.umpire('run', './prose.yaml', 'x', ...project.sh(body));
    const row = rowsOf(session)['A'] ?? {};
    expect({ what, exit, status: row['status'], said: row[cell] }).toEqual({
      what,
      exit: status === 'completed' ? 0 : 1,
      status,
      said: expect.stringContaining(said),
    });
    expect((row['findings'] ?? '').length).toBeLessThanOrEqual(500);
  });
  await Promise.all(tried);
});

it('quotes the last output of a program that fails', SOAK, async () => {
  const project = makeProject({ files: proseFiles(ONE) });
  const loud = await project.umpire('run', './prose.yaml', 'x', ...project.sh('echo "the disk is made of cheese" >&2; exit 1'));
  expect(rowsOf(loud.session)['A']?.['error']).toContain('the disk is made of cheese');
  expect(loud.err).toContain('the disk is made of cheese');
});

it('terminates a program with its children after a timeout, and keeps its output', SOAK, async () => {
  const project = makeProject({
    files: proseFiles({ tasks: [{ id: 'A' }, { id: 'B' }] }),
    config: {
      agents: {
        slow: { command: 'sh slow.sh', timeout_minutes: 0.03, grace_seconds: 0.2 },
        polite: { command: 'sh polite.sh', timeout_minutes: 0.03 },
      },
      agent: 'slow',
    },
  });
  const late = `
echo "before the end"
sh -c 'trap "" TERM; echo $$ > "$0/grandchild"; while :; do sleep 0.05; done' "$beside" &
trap '' TERM
while :; do sleep 0.05; done
`;
  project.sh(late, 'slow.sh');
  project.sh(`trap 'complete "in the end"; exit 0' TERM; while :; do sleep 0.02; done`, 'polite.sh');
  const config = JSON.parse(textOf(project.root, 'umpire.config.yaml')) as { agents: Record<string, { command: string }> };
  for (const agent of Object.values(config.agents)) agent.command = agent.command.replace('sh ', `sh ${project.beside}/`);
  project.commit({ 'umpire.config.yaml': JSON.stringify(config) });
  const { exit, session } = await project.umpire('run', './prose.yaml', 'x', '--concurrency', '2');
  expect({ exit, error: rowsOf(session)['A']?.['error'] }).toEqual({
    exit: 1,
    error: expect.stringContaining('timed out after 1.8 seconds'),
  });
  expect(textOf(project.beside, 'grandchild')).not.toBe('');
  expect(childrenOf(session)).toEqual([]);
  const logs = await project.umpire('logs', session, 'A');
  expect(logs.out).toContain('before the end');
  const polite = await project.umpire('run', './prose.yaml', 'x', '--agent', 'polite');
  expect({ exit: polite.exit, findings: rowsOf(polite.session)['A']?.['findings'] }).toEqual({ exit: 0, findings: 'in the end' });
});

it('shows the output of agents by attempt, also of failed ones', SOAK, async () => {
  const project = makeProject({ files: proseFiles(ONE) });
  const agent = project.sh('echo "try $attempt"; printf "\\033[31mred\\033[0m\\n" >&2; [ "$attempt" = 2 ] && complete "ok"; exit 0');
  const { exit, session } = await project.umpire('run', './prose.yaml', 'x', ...agent);
  expect(exit).toBe(1);
  await project.umpire('resume', '--retry');
  const list = await project.umpire('logs');
  expect(list.out).toContain('attempt 1');
  expect(list.out).toContain('attempt 2');
  const last = await project.umpire('logs', 'A');
  expect(last.out).toContain('try 2\n');
  const first = await project.umpire('logs', session, 'A-1');
  expect(first.out).toContain('try 1\n');
  expect(first.out).toContain('\u001b[31mred');
  const none = await project.umpire('logs', session, 'Z');
  expect({ exit: none.exit, err: none.err }).toEqual({ exit: 1, err: expect.stringContaining('has no output of Z') });
});

it('chooses agents by role and name, prefers flags to settings, and remembers them', async () => {
  const project = makeProject({
    answers: [review(GOOD_REVIEW), REST],
    config: { roles: { developer: 'dev' }, agents: { dev: { script: 'agents/dev.yaml', env: {} } } },
    files: {
      'agents/dev.yaml': JSON.stringify({ answers: [writer('developer')] }),
      'agents/other.yaml': JSON.stringify({ answers: [REST] }),
    },
  });
  const { exit, session } = await project.umpire(
    'run',
    'review',
    'x',
    '--mode',
    'sprint',
    ...project.sh('complete "verified"'),
    '--agent',
    'play',
    '--agent',
    'verifier=command',
  );
  const by = Object.fromEntries(eventsOfType(session, 'TaskStarted').map(({ task, agent }) => [task, agent]));
  expect({ exit, by }).toEqual({ exit: 0, by: { 'DESIGN-001': 'play', 'DEV-001': 'dev', 'VERIFY-001': 'command', 'REVIEW-001': 'play' } });
  expect(rowsOf(session)['VERIFY-001']?.['findings']).toBe('verified');
});

it('refuses missing or unknown agents and wrong settings before the session starts', SOAK, async () => {
  const project = makeProject();
  const cases: readonly (readonly [flags: readonly string[], said: string])[] = [
    [[], 'No agent chosen for the role architect'],
    [['--agent', 'reviewer=claude'], 'No agent chosen for the role architect'],
    [['--agent', 'claud'], 'Unknown agent "claud"'],
    [['--agent', 'builtin'], 'No agent chosen for the role architect'],
    [['--agent', 'claude', '--agent', 'architect=builtin'], 'Unknown agent "builtin"'],
    [['--agent', 'claude', '--agent', 'reviewer=claud'], 'Unknown agent "claud"'],
    [['--agent-command', 'sh "unfinished'], 'Cannot parse the agent command'],
    [['--agent', 'claude', '--agent', 'revewer=claude'], 'revewer'],
  ];
  for (const [flags, said] of cases) {
    const { exit, err } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', ...flags);
    expect({ flags, exit, err }).toEqual({ flags, exit: 2, err: expect.stringContaining(said) });
  }
  project.write({ 'umpire.config.yaml': 'concurency: 2\n' });
  const wrong = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--agent', 'claude');
  expect({ exit: wrong.exit, err: wrong.err }).toEqual({ exit: 1, err: expect.stringContaining('concurrency') });
  project.write({ 'umpire.config.yaml': 'agent: play\nagents: {play: {script: gone.yaml}}\n' });
  const gone = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  expect({ exit: gone.exit, err: gone.err }).toEqual({ exit: 1, err: expect.stringContaining('gone.yaml') });
  const { out } = await project.umpire('list');
  expect(out).toBe('No sessions here. Start one with: umpire run <loop> "<goal>"\n');
});

it('fails a task for a person if there is no terminal', SOAK, async () => {
  const project = makeProject({ files: proseFiles(ONE) });
  const { exit, session } = await project.umpire('run', './prose.yaml', 'x', '--agent', 'person');
  expect({ exit, error: rowsOf(session)['A']?.['error'] }).toEqual({ exit: 1, error: expect.stringContaining('no terminal') });
});

it('refuses wrong flags and arguments, with the allowed ones', SOAK, async () => {
  const project = makeProject();
  for (const args of [
    ['run'],
    ['run', 'review', 'two', 'words'],
    ['run', 'review', '--no-such'],
    ['run', 'debt', 'x', '--target', '90'],
    ['until'],
    ['until', '  '],
    ['resolve', 'x'],
    ['resolve', 'x', 'perhaps'],
  ]) {
    const { exit, err } = await project.umpire(...args);
    expect({ args, exit, hint: err.includes('umpire help') }).toEqual({ args, exit: 2, hint: true });
  }
  const nowhere = await project.umpire('run', 'review', 'x', '--project', 'nowhere', '--agent', 'claude');
  expect({ exit: nowhere.exit, err: nowhere.err }).toEqual({ exit: 1, err: expect.stringContaining('nowhere') });
});

/** Its child ignores SIGTERM, so that only killing the process group ends it. */
const STUBBORN = `
echo "$$" >> "$beside/pids"
[ -e "$beside/go" ] && { complete "$id at last"; exit; }
echo "waiting as $id"
sleep 1000 &
wait
`;

async function stuck(project: RunProject, ...flags: readonly string[]) {
  const running = project.start('run', './prose.yaml', 'x', ...project.sh(STUBBORN), ...flags);
  await running.says('A started');
  const session = sessionIn(project);
  await untilFile(join(session, 'logs', 'A-1.txt'));
  return { running, session };
}

/** Polls on every turn of the event loop, since no event announces the change. */
async function untilFile(path: string): Promise<void> {
  while (!existsSync(path) || readFileSync(path).length === 0) await new Promise((resolve) => setImmediate(resolve));
}

async function goOn(project: RunProject, session: string): Promise<void> {
  writeFileSync(join(project.beside, 'go'), '');
  const { exit } = await project.umpire('resume');
  expect({ exit, standing: standingOf(session), end: endOf(session) }).toEqual({
    exit: 0,
    standing: ['A completed', 'B completed'],
    end: 'complete unverified',
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  it(`${signal}: ends the agents, writes the journal, and says how to resume`, async () => {
    const project = makeProject({ files: proseFiles(TWO) });
    const { running, session } = await stuck(project);
    running.child.kill(signal);
    const { exit, err } = await running.ended;
    expect(exit).toBe(130);
    expect(err).toContain('umpire resume');
    expect(childrenOf(session)).toEqual([]);
    expect(eventsOf(session).at(-1)?.type).toBe('TaskInterrupted');
    expect(existsSync(join(session, '.umpire-lock'))).toBe(false);
    const status = JSON.parse((await project.umpire('status', '--json')).out) as Record<string, unknown>;
    expect(status).toMatchObject({ state: 'interrupted', next: [{ command: expect.stringContaining('umpire resume') }] });
    await goOn(project, session);
    expect(wavesRun(session)).toEqual(['A', 'A', 'B']);
  });
}

it('quits at once on a second Ctrl-C; no child process survives, and resume works', SOAK, async () => {
  const project = makeProject({
    files: proseFiles(TWO),
    config: { agents: { stubborn: { command: ['sh', 'x'], grace_seconds: 60 } }, agent: 'stubborn' },
  });
  project.sh(`trap '' TERM INT\n${STUBBORN.replace('wait\n', 'while :; do sleep 0.05; done\n')}`);
  const config = { agents: { stubborn: { command: ['sh', join(project.beside, 'agent.sh')], grace_seconds: 60 } }, agent: 'stubborn' };
  project.commit({ 'umpire.config.yaml': JSON.stringify(config) });
  const running = project.start('run', './prose.yaml', 'x');
  await running.says('A started');
  const session = sessionIn(project);
  await untilFile(join(session, 'logs', 'A-1.txt'));
  running.child.kill('SIGINT');
  await running.says('Press Ctrl-C again to quit now');
  running.child.kill('SIGINT');
  const { exit } = await running.ended;
  expect(exit).toBe(130);
  // The guardian ends them a moment later.
  while (childrenOf(session).length > 0) await new Promise((resolve) => setImmediate(resolve));
  await goOn(project, session);
});

it('names the run that holds a session, and takes the session over if that run was killed', SOAK, async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const { running, session } = await stuck(project);
  const { pid } = running.child;
  for (const args of [
    ['resume', session],
    ['resolve', session, 'abort', '--reason', 'x'],
    ['run', './prose.yaml', 'x', '--session', session, '--agent', 'claude'],
    ['apply', session],
    ['clean', session],
  ]) {
    const second = await project.umpire(...args);
    expect({ args, exit: second.exit, err: second.err }).toEqual({ args, exit: 1, err: expect.stringContaining(`process ${pid} `) });
  }
  const status = await project.umpire('status', session);
  expect({ exit: status.exit, out: status.out }).toEqual({ exit: 0, out: expect.stringContaining('running') });
  running.child.kill('SIGKILL');
  await running.ended;
  expect(existsSync(join(session, '.umpire-lock'))).toBe(true);
  while (childrenOf(session).length > 0) await new Promise((resolve) => setImmediate(resolve));
  await goOn(project, session);
});

it('continues after an incomplete journal line, and says so', async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const { running, session } = await stuck(project);
  running.child.kill('SIGKILL');
  await running.ended;
  appendFileSync(join(session, 'journal.ndjson'), '{"v":1,"seq":99,"ts":"20');
  writeFileSync(join(project.beside, 'go'), '');
  const { exit, err } = await project.umpire('resume', session);
  expect({ exit, said: err.includes('A crash cut off the last line of journal.ndjson.') }).toEqual({ exit: 0, said: true });
  const lines = textOf(session, 'journal.ndjson').split('\n');
  writeFileSync(
    join(session, 'journal.ndjson'),
    lines.map((line, n) => (n === 1 ? line.replace('"data":{', '"data":{"x":1,') : line)).join('\n'),
  );
  const broken = await project.umpire('resume', session);
  expect({ exit: broken.exit, err: broken.err }).toEqual({ exit: 1, err: expect.stringContaining('line 2') });
});
