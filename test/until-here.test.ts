// `umpire until --here`: the Stop hook of a person's own agent session runs the command, judges, and sends the agent back.

import { SOAK } from './support/campaign.js';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answerStop, refuseTool } from '@umpire/umpire/doors/cli/hook.js';
import type { StopRequest } from '@umpire/umpire/doors/cli/hook.js';
import { keyFolder } from '@umpire/umpire/sessions/journal-key.js';
import { hookEventOf } from '@umpire/core/formats/hook-event.js';
import { runInProcess } from './support/in-process.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
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

async function stop(project: RunProject, more: object = {}, event = 'Stop'): Promise<Answer> {
  const { root: cwd } = project;
  const input = JSON.stringify({ hook_event_name: event, cwd, session_id: 'one', stop_hook_active: false, ...more });
  const { exit, stdout, stderr } = await runInProcess(cwd, ['hook', event], {}, input);
  return { exit, out: stdout === '' ? {} : (JSON.parse(stdout) as Answer['out']), err: stderr };
}

const run = ({ root }: RunProject, ...args: readonly string[]) => runInProcess(root, args);

async function begin(project: RunProject, ...more: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await run(project, 'until', 'node check.cjs', '--here', ...more);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: says(`wants to stop in ${project.root}: node check.cjs\n`) });
  return stdout.trim();
}

/** The same without a process of its own, which takes most of the time. */
const asks = ({ root }: RunProject, more: Partial<StopRequest> = {}) =>
  answerStop({ project: root, workdir: root, session: 'one', isAgain: false, isSubagent: false, blocked: null, run: null, ...more });
const backWith = (text: string) => ({ refusal: says(text), note: null });
const toldOf = (text: string) => ({ refusal: null, note: says(text) });

const says = (text: string) => expect.stringContaining(text) as string;
const PASSES = { exit: 0, out: {}, err: '' };
const tells = (text: string) => ({ exit: 0, out: { systemMessage: says(text) }, err: '' });
const AGAIN = { stop_hook_active: true };

it('sends an agent back until the command passes, and lets other agents stop', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project);
  const first = await stop(project);
  expect(first).toMatchObject({ exit: 2, out: {} });
  expect(first.err).toMatch(/^Umpire: The command failed \(exit status 1\)\. Attempt 1 of 5 is next\.\n/);
  expect(first.err).toContain('```text\ndone.txt is missing\n```');
  expect(await stop(project, { session_id: 'another' })).toEqual(PASSES);
  expect(await stop(project, {}, 'SubagentStop')).toEqual(PASSES);
  expect(await stop(project, AGAIN)).toMatchObject({ exit: 2, err: says('Attempt 2 of 5 is next.') });
  expect((await run(project, 'status')).stdout).toContain('umpire until --here --stop');
  project.write(DONE);
  expect(await stop(project, AGAIN)).toEqual(
    tells('Umpire: `node check.cjs`: The command passed with exit status 0. Attempt 2 of 5. See: umpire report until-'),
  );
  project.git('clean', '-fdq');
  expect(await stop(project)).toEqual(PASSES);
  expect(JSON.parse(readFileSync(join(session, 'results/until.json'), 'utf8'))).toMatchObject({ provenance: { uncommitted: true } });
  expect(await run(project, 'replay', session)).toMatchObject({ exit: 0 });
});

it('asks the person at the cap, and continues when they allow more attempts', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project, '--max-rounds', '1');
  expect(await asks(project)).toEqual(backWith('Attempt 1 of 1 is next.'));
  const asked = toldOf(`More attempts: umpire decide until ${session} --max-rounds 4`);
  expect([await asks(project), await asks(project)]).toEqual([asked, asked]);
  const waiting = expect.stringMatching(/^judged only .* waiting for your decision \(rule U9\)\n$/) as string;
  expect(await run(project, 'list', '--state', 'awaiting')).toMatchObject({ exit: 0, stdout: waiting });
  expect(await run(project, 'decide', 'until', session, '--max-rounds', '4')).toMatchObject({ exit: 3 });
  expect(await asks(project)).toEqual(backWith('Attempt 3 of 4 is next.'));
  expect(await run(project, 'until', '--here', '--stop')).toMatchObject({ exit: 0, stdout: `${session}\n` });
  expect(await asks(project)).toEqual({ refusal: null, note: null });
  expect((await run(project, 'list')).stdout).not.toContain('waiting');
});

it('spends no attempt on an agent that says it is blocked', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project);
  const { blocked } = hookEventOf({ last_assistant_message: 'This needs the network.\n\n**UMPIRE-BLOCKED:** no network\n' });
  expect(await asks(project, { blocked })).toEqual(toldOf('the agent says that it is blocked: no network. No attempt was spent.'));
  expect(readFileSync(join(session, 'tasks.csv'), 'utf8')).toMatch(/^WORK-001,.*,pending,,,blocked: no network$/m);
  expect(await asks(project)).toEqual(backWith('Attempt 1 of 5 is next.'));
  expect(hookEventOf({ last_assistant_message: 'I never wrote UMPIRE-BLOCKED: x' }).blocked).toBeNull();
});

it('measures nothing while the guard objects, and tells the person if the agent insists', async () => {
  const project = makeProject({ files: FILES });
  const session = await begin(project);
  const skipped = TEST.replace("test('adds'", "test.skip('adds'");
  project.write({ 'add.test.js': skipped });
  expect(await asks(project)).toEqual(backWith('the guard found weakened tests'));
  expect(await asks(project)).toEqual(toldOf('the agent stopped with 1 breach in its change.'));
  expect(existsSync(join(session, 'results/until.json'))).toBe(false);
  // While it stands, a check that passes says nothing.
  project.write(DONE);
  expect(await asks(project)).toEqual(toldOf('1 breach in the change, so the check of umpire until was not judged'));
  project.git('checkout', '-q', 'add.test.js');
  project.git('clean', '-qfd', '-e', '.umpire');
  expect(await asks(project)).toEqual(backWith('Attempt 1 of 5 is next.'));
  // A breach after the check sent the agent back is new to the agent, whatever its own flag says.
  project.write({ 'more.test.js': TEST.replace("test('adds'", "test.only('adds'") });
  expect(await asks(project, { isAgain: true })).toEqual(backWith('more.test.js'));
  project.write({ ...DONE, 'more.test.js': TEST, 'add.test.js': TEST });
  expect(await asks(project)).toEqual(toldOf('The command passed'));
});

it('counts a test that passed at the base and fails now', SOAK, async () => {
  const project = makeProject({ files: { ...FILES, 'package.json': '{"scripts":{"test":"node --test"}}\n' } });
  await begin(project);
  project.write({ ...DONE, 'add.js': 'module.exports = () => 0;\n' });
  expect(await asks(project)).toEqual(backWith('These tests passed before your change and fail now: '));
});

it('has one check for a project and its folders, which neither the project nor its agent can change', async () => {
  const project = makeProject({ files: { ...FILES, 'inner/x.txt': 'x\n' } });
  expect(await run(project, 'until', '--here', '--stop')).toMatchObject({ exit: 2, stderr: says('No agent session is judged') });
  expect(await run(project, 'until', 'node check.cjs || true', '--here')).toMatchObject({ exit: 2 });
  const started = await run(project, 'until', 'node check.cjs', '--here', '--agent', 'claude');
  expect(started).toMatchObject({ exit: 2, stderr: says('--agent has no meaning') });
  const session = await begin(project);
  expect(await run(project, 'until', 'true', '--here')).toMatchObject({ exit: 2, stderr: says('already judged by: node check.cjs.') });
  const easier = await runInProcess(join(project.root, 'inner'), ['until', 'true', '--here']);
  expect(easier).toMatchObject({ exit: 2, stderr: says('already judged by: node check.cjs.') });
  expect(readdirSync(join(project.root, '.umpire')).toSorted()).toEqual(['.gitignore', 'sessions']);
  const refusal = (tool_name: string, tool_input: object) => refuseTool(hookEventOf({ tool_name, tool_input }));
  expect(refusal('Bash', { command: 'umpire until --here --stop' })).toContain('only a person');
  expect(refusal('Write', { file_path: `${keyFolder()}/until/x.json` })).toContain('only Umpire');
  expect(await asks(project, { workdir: join(project.root, 'inner') })).toEqual(backWith('Attempt 1 of 5'));
  // The agent's session is gone: another one takes over.
  expect(await asks(project, { session: 'another' })).toEqual({ refusal: null, note: null });
  expect(await run(project, 'until', '--here')).toMatchObject({ exit: 0, stdout: `${session}\n` });
  expect(await asks(project, { session: 'another' })).toEqual(backWith('Attempt 2 of 5'));
  rmSync(session, { recursive: true });
  expect(await asks(project, { session: 'another' })).toEqual(toldOf('`node check.cjs` was not judged: '));
  expect(await runInProcess(join(project.root, 'inner'), ['until', '--here', '--stop'])).toMatchObject({ exit: 0 });
});
