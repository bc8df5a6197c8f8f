// What a person who does a task has changed by the time that they are stopped, give up or are killed: theirs, and there when they go on.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject, plainProject } from '../../test/support/git-project.js';
import type { Recorded } from '../brain/messages.js';
import { NO_USAGE } from '../ports.js';
import type { Agent, Assignment, Ending } from '../ports.js';
import { resume, run } from './session.js';

cleanUpAfterwards();

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
  expect(first.status).toBe(kind === 'interrupted' ? 'interrupted' : 'failed');
  let found = '';
  let rules = '';
  const sitting = sit(true, (assignment) => {
    found = rest(assignment);
    rules = assignment.rules.join('\n');
    writeFileSync(join(assignment.workdir, 'a.txt'), `${found}done\n`);
    return DONE;
  });
  const second = await resume({ session: first.session, retry: kind !== 'interrupted', ...sitting, ...told });
  expect({ status: second.status, found }).toEqual({ status: 'complete', found: 'an hour of work\n' });
  expect(rules).toContain('What an earlier attempt changed lies in the working folder.');
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
