// What a person who does a task has changed by the time that they are stopped, give up or are killed: theirs, and there when they go on.

import { SOAK } from '../../../../test/support/campaign.js';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { cleanUpAfterwards, gitIn, gitProject, plainProject } from '../../../../test/support/git-project.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Agent, Assignment, Ending } from '@umpire/core/model/ports.js';
import { resolve, resume, run } from './session.js';

cleanUpAfterwards();
afterEach(() => vi.unstubAllEnvs());

const CONFIG = 'workspace: { home: ../worktrees }\n';
const FILES = { 'a.txt': 'a\n', 'umpire.config.yaml': CONFIG };
const DONE: Ending = { kind: 'completed', findings: 'Done.', error: '', outputs: {}, usage: NO_USAGE };

type Sitting = { readonly agents: Readonly<Record<string, Agent>>; readonly signal: AbortSignal };

/** A person, or a program, at work until they end so. */
function sit(isPerson: boolean, act: (assignment: Assignment, stop: () => void) => Ending): Sitting {
  const controller = new AbortController();
  const agent: Agent = { name: 'me', isPerson, run: (assignment) => Promise.resolve(act(assignment, () => controller.abort('stopped'))) };
  return { agents: { me: agent }, signal: controller.signal };
}

const rest = ({ workdir }: Assignment): string => readFileSync(join(workdir, 'a.txt'), 'utf8');

/** Changes a file, and does not complete the task. */
const half = (kind: 'interrupted' | 'failed' | 'broken') =>
  sit(true, ({ workdir }, stop) => {
    writeFileSync(join(workdir, 'a.txt'), 'an hour of work\n');
    if (kind === 'failed') return { ...DONE, kind, error: 'Too hard.' };
    if (kind === 'broken') return { kind, reason: 'The input ended.', usage: NO_USAGE };
    stop();
    return { kind };
  });

it.each([
  ['stopped', 'interrupted', 'git'],
  ['stopped', 'interrupted', 'no git'],
  ['giving up', 'failed', 'git'],
  ['gone', 'broken', 'git'],
] as const)('a person who is %s finds their work again (%s, %s)', async (_, kind, place) => {
  const { root } = place === 'git' ? gitProject(FILES) : plainProject(FILES);
  const events: Recorded[] = [];
  const told = { onEvent: (event: Recorded) => void events.push(event) };
  const wanted = { loop: 'until', command: 'grep -q done a.txt', mode: 'work-first', project: root, agent: ['me'] };
  const first = await run({ ...wanted, ...half(kind), ...told });
  expect(first.status).toBe(kind === 'interrupted' ? 'interrupted' : 'awaiting');
  let found = '';
  let rules = '';
  const sitting = sit(true, (assignment) => {
    found = rest(assignment);
    rules = assignment.rules.join('\n');
    writeFileSync(join(assignment.workdir, 'a.txt'), `${found}done\n`);
    return DONE;
  });
  const { session } = first;
  const more = { session, answer: 'extend', reason: 'I have time again', rounds: 1, ...sitting, ...told } as const;
  const second = await (kind === 'interrupted' ? resume({ session, ...sitting, ...told }) : resolve(more));
  expect({ status: second.status, found }).toEqual({ status: 'complete', found: 'an hour of work\n' });
  expect(rules).toContain('The working folder contains the changes of an earlier attempt.');
  const stopped = events.find(({ type }) => type === 'TaskInterrupted');
  if (kind === 'interrupted') expect(stopped?.data).toMatchObject({ left: { files: ['a.txt'], goesOn: true } });
});

it('a program that is stopped begins anew', async () => {
  const { root } = gitProject(FILES);
  const sitting = sit(false, ({ workdir }, stop) => {
    writeFileSync(join(workdir, 'a.txt'), 'half\n');
    stop();
    return { kind: 'interrupted' };
  });
  const wanted = { loop: 'until', command: 'grep -q done a.txt', mode: 'work-first', project: root, agent: ['me'] };
  const first = await run({ ...wanted, ...sitting });
  let found = '';
  const again = sit(false, (assignment) => {
    found = rest(assignment);
    writeFileSync(join(assignment.workdir, 'a.txt'), 'done\n');
    return DONE;
  });
  const second = await resume({ session: first.session, ...again });
  expect({ status: second.status, found }).toEqual({ status: 'complete', found: 'a\n' });
});

/** Works for an hour, and is heard of no more. Answers with the session, without the lock of one that was killed. */
async function killed(wanted: Parameters<typeof run>[0]): Promise<string> {
  let session = '';
  await new Promise<void>((resolve) => {
    const act = ({ workdir }: Assignment): Promise<Ending> => {
      writeFileSync(join(workdir, 'a.txt'), 'an hour of work\n');
      resolve();
      return new Promise(() => undefined);
    };
    const dead = run({ ...wanted, agents: { me: { name: 'me', isPerson: true, run: act } }, onOpen: (folder) => void (session = folder) });
    // In this process it is still alive, and it notices when its folder is removed.
    dead.catch(() => undefined);
  });
  rmSync(join(session, '.umpire-lock'));
  return session;
}

it.each(['fails', 'is stopped'])('finds the work of one who was killed also where the set-up of the next attempt %s', SOAK, async (how) => {
  const { root } = gitProject({ 'a.txt': 'a\n', 'umpire.config.yaml': CONFIG.replace(' }', `, setup: 'sh "$UMPIRE_TEST_SETUP"' }`) });
  const script = join(root, '..', 'setup.sh');
  const setUp = (text: string): void => writeFileSync(script, text);
  vi.stubEnv('UMPIRE_TEST_SETUP', script);
  setUp('true\n');
  const wanted = { loop: 'until', command: 'grep -q done a.txt', mode: 'work-first', project: root, agent: ['me'] };
  const session = await killed(wanted);
  const stop = new AbortController();
  const idle = sit(true, () => ({ kind: 'interrupted' }));
  if (how === 'fails') {
    setUp('exit 3\n');
    await expect(resume({ session, ...idle })).rejects.toThrow('exit');
  } else {
    setUp(`touch "${script}.begun"; exec sleep 60\n`);
    const stopped = resume({ session, ...idle, signal: stop.signal });
    await vi.waitFor(() => expect(existsSync(`${script}.begun`)).toBe(true), 20_000);
    stop.abort();
    expect((await stopped).status).toBe('interrupted');
  }
  setUp('true\n');
  let found = '';
  const last = sit(true, (assignment) => {
    found = rest(assignment);
    writeFileSync(join(assignment.workdir, 'a.txt'), 'done\n');
    return DONE;
  });
  expect((await resume({ session, ...last })).status).toBe('complete');
  expect(found).toBe('an hour of work\n');
});

it('goes on, and says so, where the work of an earlier attempt cannot be taken over', SOAK, async () => {
  const modules = '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n';
  const { root } = gitProject({ ...FILES, '.gitmodules': modules });
  gitIn(root, 'update-index', '--add', '--cacheinfo', `160000,${gitIn(root, 'rev-parse', 'HEAD').trim()},sub`);
  gitIn(root, 'commit', '-q', '-m', 'a submodule');
  const mixed = sit(true, ({ workdir }) => {
    mkdirSync(join(workdir, 'sub'), { recursive: true });
    writeFileSync(join(workdir, 'sub', 'plain.txt'), 'an hour of work\n');
    return DONE;
  });
  const first = await run({ loop: 'until', command: 'grep -q done a.txt', mode: 'work-first', project: root, agent: ['me'], ...mixed });
  expect(first.status).toBe('awaiting');
  let rules = '';
  const again = sit(true, (assignment) => {
    rules = assignment.rules.join('\n');
    writeFileSync(join(assignment.workdir, 'a.txt'), 'done\n');
    return DONE;
  });
  const more = { session: first.session, answer: 'extend', reason: 'again', rounds: 1, ...again } as const;
  expect((await resolve(more)).status).toBe('complete');
  expect(rules).toMatch(
    /could not be reused\. They stay in a worktree beside this one until you run umpire clean\. Attempt 2: Cannot read sub/,
  );
});
