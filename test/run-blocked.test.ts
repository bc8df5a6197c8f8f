// V17: an agent that says it is blocked, and each answer of a person. Plans that are used up: the session rests, another agent takes over.

import { SOAK } from './support/campaign.js';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpProjects, endOf, eventsOfType, makeProject, rowsOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const NO_TESTS = { config: { critics: { tests: 'none' } } };

/** Blocked until a person insists or changes the goal: then the task file has their words. */
const BLOCKED = `
if grep -q '"from":"person"' "$UMPIRE_TASK_FILE"; then echo made > made; complete "made it"; exit; fi
echo '{"status":"blocked","error":"The check contradicts the documentation."}'`;

it('asks a person, spends no round and is not retried; insist runs it again with the reason', async () => {
  const project = makeProject(NO_TESTS);
  const { exit, err, session } = await project.umpire('until', 'test -e made', ...project.sh(BLOCKED));
  expect({
    exit,
    verdicts: verdictsOf(session),
    tasks: Object.values(rowsOf(session)).map(({ id, status, error }) => [id, status, error]),
  }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/5'],
    tasks: [
      ['CHECK-001', 'completed', ''],
      ['WORK-1', 'pending', 'blocked: The check contradicts the documentation.'],
      ['CHECK-re-1', 'pending', ''],
    ],
  });
  expect(err).toMatch(/WORK-1 is blocked: The check contradicts the documentation\./);
  for (const answer of ['agree', 'insist --reason "why it should be done"', 'change-goal --goal "the new goal"', 'stop'])
    expect(err).toContain(`resolve ${session.split('/').at(-1)} ${answer}`);
  const again = await project.umpire('resume', session);
  expect({ exit: again.exit, attempts: eventsOfType(session, 'TaskStarted').filter(({ task }) => task === 'WORK-1').length }).toEqual({
    exit: 4,
    attempts: 1,
  });
  const status = await project.umpire('status', session);
  expect(status.out).toContain('blocked: The check contradicts the documentation.');
  const insisted = await project.umpire('resolve', session, 'insist', '--reason', 'The documentation is old.');
  expect({ exit: insisted.exit, verdicts: verdictsOf(session), end: endOf(session) }).toEqual({
    exit: 0,
    verdicts: ['CHECK-001 retry U8 0/5', 'CHECK-re-1 pass U5 1/5'],
    end: 'complete',
  });
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('says in the next round too why the person insisted', SOAK, async () => {
  const project = makeProject(NO_TESTS);
  const agent = project.sh(`
case $id in
  WORK-1) if grep -q '"from":"person"' "$UMPIRE_TASK_FILE"; then echo a > a; complete tried; else echo '{"status":"blocked","error":"no"}'; fi;;
  *) if grep -q 'Do it all the same: The page is old' "$UMPIRE_TASK_FILE"; then echo made > made; complete "made it"; else complete "not asked"; fi;;
esac`);
  const { session } = await project.umpire('until', 'test -e made', '--max-rounds', '2', ...agent);
  expect((await project.umpire('resolve', session, 'insist', '--reason', 'The page is old.')).exit).toBe(0);
  const refused = await project.umpire('resolve', session, 'manual-fix', '--rounds', '2');
  expect({ exit: refused.exit, err: refused.err }).toEqual({
    exit: 2,
    err: expect.stringContaining('--rounds belongs to extend') as string,
  });
});

it('agree skips the task, and the check decides; stop ends the session', async () => {
  const project = makeProject(NO_TESTS);
  const first = await project.umpire('until', 'test -e made', '--max-rounds', '1', ...project.sh(BLOCKED));
  const agreed = await project.umpire('resolve', first.session, 'agree', '--reason', 'it is right');
  expect({ exit: agreed.exit, verdicts: verdictsOf(first.session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1'],
  });
  const second = await project.umpire('until', 'test -e made', ...project.sh(BLOCKED));
  const changed = await project.umpire('resolve', second.session, 'change-goal', '--goal', 'Make it', '--reason', 'simpler');
  expect({ exit: changed.exit, answers: eventsOfType(second.session, 'PersonAnswered') }).toMatchObject({
    exit: 0,
    answers: [{ answer: 'change-goal', goal: 'Make it' }],
  });
  const third = await project.umpire('until', 'test -e made', ...project.sh(BLOCKED));
  const stopped = await project.umpire('resolve', third.session, 'stop', '--reason', 'enough');
  expect({ exit: stopped.exit, end: endOf(third.session) }).toEqual({ exit: 0, end: 'aborted unverified' });
});

/** The error of a model's server, as scripts pass it on. */
const LIMITED = `echo '{"error":{"code":429,"message":"You have hit your usage limit. It resets in 5 hours."}}' >&2; exit 1`;

it('rests when a plan is used up, and another agent takes over', async () => {
  const project = makeProject({
    config: {
      critics: { tests: 'none' },
      agents: {
        spent: { command: ['sh', '-c', LIMITED] },
        other: { command: ['sh', '-c', `cat >/dev/null; echo made > made; echo '{"status":"completed"}'`] },
      },
    },
  });
  const rested = await project.umpire('until', 'test -e made', '--agent', 'spent');
  expect({ exit: rested.exit, limited: eventsOfType(rested.session, 'TaskLimited') }).toMatchObject({
    exit: 4,
    limited: [{ task: 'WORK-1', agent: 'spent' }],
  });
  expect(rested.err).toContain('the plan of spent is used up');
  const resumed = await project.umpire('resume', rested.session, '--agent', 'other');
  expect({ exit: resumed.exit, end: endOf(rested.session) }).toEqual({ exit: 0, end: 'complete' });
  const listed = await project.umpire('until', 'test -e made', '--agent', 'spent,other');
  expect({ exit: listed.exit, agents: eventsOfType(listed.session, 'TaskStarted').map(({ task, agent }) => [task, agent]) }).toEqual({
    exit: 0,
    agents: [
      ['CHECK-001', 'check'],
      ['WORK-1', 'spent'],
      ['WORK-1', 'other'],
      ['CHECK-re-1', 'check'],
    ],
  });
});

/** What Claude Code prints while it works. */
const EVENTS = [
  { type: 'system', subtype: 'init', session_id: 'talk-1', uuid: 'u1' },
  {
    type: 'assistant',
    session_id: 'talk-1',
    uuid: 'u2',
    message: { id: 'm1', content: [{ type: 'text', text: 'I begin.' }], usage: { input_tokens: 1000, output_tokens: 77 } },
  },
].map((event) => `echo '${JSON.stringify(event)}'`);

it('counts what an agent used before Umpire was killed, and keeps the files of the conversation', SOAK, async () => {
  const project = makeProject(NO_TESTS);
  const agent = `
if [ -e half ]; then echo made > made; complete "the rest"; exit; fi
${EVENTS.join('\n')}
echo half > half; : > "$beside/begun"; until_file "$beside/never"`;
  const running = project.start('until', 'test -e made', '--session', '.umpire/sessions/killed', ...project.sh(agent));
  const log = join(project.root, '.umpire/sessions/killed/logs/WORK-1-1.txt');
  const isLogged = () => existsSync(log) && readFileSync(log, 'utf8').includes('I begin.');
  while (!isLogged() || !existsSync(join(project.beside, 'begun'))) await new Promise((resolve) => setImmediate(resolve));
  running.child.kill('SIGKILL');
  await running.ended;
  const { exit, session } = await project.umpire('resume');
  expect({ exit, stopped: eventsOfType(session, 'TaskInterrupted') }).toMatchObject({
    exit: 0,
    stopped: [
      { task: 'WORK-1', attempt: 1, usage: { tokens: 1077 }, conversation: expect.stringMatching(/^talk-1#/), left: { files: ['half'] } },
    ],
  });
});
