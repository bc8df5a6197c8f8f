// `umpire until --here`: the Stop hook of a person's own agent session runs the command, judges, and sends the agent back.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseTool } from '@umpire/umpire/commands/hook.js';
import { keyFolder } from '@umpire/umpire/sessions/journal-key.js';
import { hookEventOf } from '@umpire/core/formats/hook-event.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const TEST =
  "const assert = require('node:assert');\nconst { test } = require('node:test');\ntest('adds', () => assert.equal(require('./add.js')(1, 1), 2));\n";
const FILES = {
  'add.js': 'module.exports = (a, b) => a + b;\n',
  'add.test.js': TEST,
  'check.cjs':
    "const done = require('node:fs').existsSync('done.txt');\nif (!done) console.log('done.txt is missing');\nprocess.exitCode = done ? 0 : 1;\n",
};
const DONE = { 'done.txt': 'x\n' };

interface Answer {
  readonly exit: number | null;
  readonly out: { readonly systemMessage?: string };
  readonly err: string;
}

const stateOf = ({ beside }: RunProject) => ({ XDG_STATE_HOME: join(beside, 'state') });

function stop(project: RunProject, more: object = {}, event = 'Stop'): Answer {
  const { root: cwd } = project;
  const input = JSON.stringify({ hook_event_name: event, cwd, session_id: 'one', stop_hook_active: false, ...more });
  const env = { ...process.env, ...stateOf(project) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'hook', event], { cwd, input, env, encoding: 'utf8' });
  return { exit: status, out: stdout === '' ? {} : (JSON.parse(stdout) as Answer['out']), err: stderr };
}

const run = (project: RunProject, ...args: readonly string[]) => project.umpireWith({ env: stateOf(project) }, ...args);

async function begin(project: RunProject, ...more: readonly string[]): Promise<string> {
  const { exit, err, session } = await run(project, 'until', 'node check.cjs', '--here', ...more);
  expect({ exit, err }).toEqual({ exit: 0, err: says('whenever the next agent session wants to stop') });
  return session;
}

const says = (text: string) => expect.stringContaining(text) as string;
const PASSES = { exit: 0, out: {}, err: '' };
const tells = (text: string) => ({ exit: 0, out: { systemMessage: says(text) }, err: '' });
const AGAIN = { stop_hook_active: true };

it('sends an agent back until the command passes, and lets other agents stop', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project);
  const first = stop(project);
  expect(first).toMatchObject({ exit: 2, out: {} });
  expect(first.err).toMatch(/^Umpire: The command failed \(exit status 1\)\. Attempt 1 of 5 is next\.\n/);
  expect(first.err).toContain('```text\ndone.txt is missing\n```');
  expect(stop(project, { session_id: 'another' })).toEqual(PASSES);
  expect(stop(project, {}, 'SubagentStop')).toEqual(PASSES);
  expect(stop(project, AGAIN)).toMatchObject({ exit: 2, err: says('Attempt 2 of 5 is next.') });
  expect((await run(project, 'status')).out).toContain('umpire until --here --stop');
  project.write(DONE);
  expect(stop(project, AGAIN)).toEqual(
    tells('Umpire: `node check.cjs`: The command passed with exit status 0. Attempt 2 of 5. See: umpire report until-'),
  );
  project.git('clean', '-fdq');
  expect(stop(project)).toEqual(PASSES);
  expect(JSON.parse(readFileSync(join(session, 'results/until.json'), 'utf8'))).toMatchObject({ provenance: { uncommitted: true } });
  expect(await run(project, 'replay', session)).toMatchObject({ exit: 0 });
});

it('asks the person at the cap, and continues when they allow more attempts', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project, '--max-rounds', '1');
  expect(stop(project).exit).toBe(2);
  const asked = tells(`More attempts: umpire decide until ${session} --max-rounds 4`);
  expect([stop(project, AGAIN), stop(project)]).toEqual([asked, asked]);
  expect(await run(project, 'decide', 'until', session, '--max-rounds', '4')).toMatchObject({ exit: 3 });
  expect(stop(project)).toMatchObject({ exit: 2, err: says('Attempt 3 of 4 is next.') });
  expect(await run(project, 'until', '--here', '--stop')).toMatchObject({ exit: 0, session });
  expect(stop(project)).toEqual(PASSES);
});

it('spends no attempt on an agent that says it is blocked', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project);
  const message = 'This needs the network.\n\n**UMPIRE-BLOCKED:** no network\n';
  expect(stop(project, { last_assistant_message: message })).toEqual(
    tells('the agent says that it is blocked: no network. No attempt was spent.'),
  );
  expect(readFileSync(join(session, 'tasks.csv'), 'utf8')).toMatch(/^WORK-001,.*,pending,,,blocked: no network$/m);
  expect(stop(project)).toMatchObject({ exit: 2, err: says('Attempt 1 of 5 is next.') });
});

it('measures nothing while the guard objects, and tells the person if the agent insists', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project);
  project.write({ ...DONE, 'add.test.js': TEST.replace("test('adds'", "test.skip('adds'") });
  expect(stop(project)).toMatchObject({ exit: 2, err: says('the guard found weakened tests') });
  expect(stop(project, AGAIN)).toEqual(tells('the agent stopped with 1 breach in its change.'));
  expect(existsSync(join(session, 'results/until.json'))).toBe(false);
  project.write({ 'add.test.js': TEST });
  expect(stop(project)).toEqual(tells('The command passed'));
});

it('counts a test that passed at the base and fails now', async () => {
  const project = makeProject({ files: { ...FILES, 'package.json': '{"scripts":{"test":"node --test"}}\n' } });
  await begin(project);
  project.write({ ...DONE, 'add.js': 'module.exports = () => 0;\n' });
  expect(stop(project)).toMatchObject({ exit: 2, err: says('These tests passed before your change and fail now: ') });
});

it('has one check for a project, which neither the project nor its agent can change', async () => {
  const project = makeProject({ files: FILES });
  expect(await run(project, 'until', '--here', '--stop')).toMatchObject({ exit: 2, err: says('No agent session is judged') });
  expect(await run(project, 'until', 'node check.cjs || true', '--here')).toMatchObject({ exit: 2 });
  expect(await run(project, 'until', 'node check.cjs', '--here', '--agent', 'claude')).toMatchObject({
    exit: 2,
    err: says('--agent has no meaning'),
  });
  const session = await begin(project);
  expect(await run(project, 'until', 'true', '--here')).toMatchObject({ exit: 2, err: says('already judged by: node check.cjs.') });
  expect(readdirSync(join(project.root, '.umpire')).toSorted()).toEqual(['.gitignore', 'sessions']);
  expect(refuseTool(hookEventOf({ tool_name: 'Bash', tool_input: { command: 'umpire until --here --stop' } }))).toContain('only a person');
  expect(refuseTool(hookEventOf({ tool_name: 'Write', tool_input: { file_path: `${keyFolder()}/until/x.json` } }))).toContain(
    'only Umpire',
  );
  expect(stop(project).exit).toBe(2);
  // The agent's session is gone: another one takes over.
  expect(await run(project, 'until', '--here')).toMatchObject({ exit: 0, session });
  expect(stop(project, { session_id: 'another' }).exit).toBe(2);
});
