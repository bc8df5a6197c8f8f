// `umpire hook` as coding agents call it: an event on stdin, the answer in the exit status.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseTool } from '@umpire/umpire/doors/cli/hook.js';
import { hookEventOf } from '@umpire/core/formats/hook-event.js';
import { SOAK } from './support/campaign.js';
import { runInProcess } from './support/in-process.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

interface Answer {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

async function hook(place: string, event: unknown, ...args: readonly string[]): Promise<Answer> {
  const input = typeof event === 'string' ? event : JSON.stringify(event);
  const { exit, stdout, stderr } = await runInProcess(place, ['hook', ...args], {}, input);
  return { exit, out: stdout, err: stderr };
}

const NOTHING = { exit: 0, out: '', err: '' };
const TEST =
  "const assert = require('node:assert');\nconst { test } = require('node:test');\ntest('adds', () => assert.equal(require('./add.js')(1, 1), 2));\n";
const SKIPPED = TEST.replace("test('adds'", "test.skip('adds'");
const FILES = { 'add.js': 'module.exports = (a, b) => a + b;\n', 'add.test.js': TEST, 'inner/notes.md': 'x\n' };
const stops = ({ root }: RunProject, more: object = {}) => ({ hook_event_name: 'Stop', cwd: root, stop_hook_active: false, ...more });
const says = (text: string) => expect.stringContaining(text) as string;

it('sends an agent back once for weakened tests, then tells the person', async () => {
  const project = makeProject({ files: FILES });
  project.write({ 'add.js': 'module.exports = (a, b) => b + a;\n' });
  expect(await hook(project.root, stops(project), 'Stop')).toEqual(NOTHING);
  project.write({ 'add.test.js': SKIPPED });
  for (const [name, place] of [
    ['Stop', project.root],
    ['subagentstop', '/'],
    ['AfterAgent', join(project.root, 'inner')],
  ] as const) {
    const { exit, out, err } = await hook(place, stops(project, { cwd: place === '/' ? project.root : place }), name);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toMatch(/^Umpire: the guard found weakened tests in this change\. Fix this before you stop/);
    expect(err).toContain('add.test.js');
  }
  const again = await hook(project.root, stops(project, { stop_hook_active: true }), 'Stop');
  expect({ ...again, out: JSON.parse(again.out) as unknown }).toEqual({
    ...NOTHING,
    out: { systemMessage: 'Umpire: the agent stopped with 1 breach in its change. See umpire guard --scope any.' },
  });
});

it('runs the tests where reading suspects one', SOAK, async () => {
  const project = makeProject({ files: { ...FILES, 'package.json': '{"scripts":{"test":"node --test"}}\n' } });
  const weaker = TEST.replace('assert.equal(', 'assert.ok(').replace('(1, 1), 2)', '(1, 1) !== undefined)');
  project.write({ 'add.js': 'module.exports = (a, b) => a - b;\n', 'add.test.js': weaker });
  for (const run of [[], ['--run', 'npm test', '--run-minutes', '2']]) {
    const { exit, err } = await hook(project.root, stops(project), 'Stop', ...run);
    expect({ exit, err }).toEqual({ exit: 2, err: says('regression-hidden  critical  add.test.js') });
    expect(err).toMatch(/^ {2}old tests, new code: failed, /m);
  }
  expect(await hook(project.root, stops(project), 'Stop', '--run', 'none')).toEqual(NOTHING);
});

it('does not let an agent allow its own change', async () => {
  const project = makeProject({ files: FILES });
  project.write({
    'add.test.js': SKIPPED,
    'umpire.config.yaml':
      'guard:\n  allowances:\n    - { rule: test-skipped, path: add.test.js, reason: it is in the way, until: 2999-12-31 }\n',
  });
  expect(await hook(project.root, stops(project), 'Stop')).toMatchObject({ exit: 2, err: says('test-skipped') });
});

it('compares with --base and checks --scope', async () => {
  const project = makeProject({ files: FILES });
  project.commit({ 'add.test.js': SKIPPED });
  project.commit({ 'add.js': 'module.exports = (a, b) => b + a;\n' });
  expect(await hook(project.root, stops(project), 'Stop', '--base', 'HEAD~1')).toEqual(NOTHING);
  expect((await hook(project.root, stops(project), 'Stop', '--base', 'HEAD~2')).exit).toBe(2);
  expect(await hook(project.root, stops(project), 'Stop', '--base', 'HEAD~1', '--scope', 'testing')).toMatchObject({
    exit: 2,
    err: says('add.js'),
  });
});

const ID = { session_id: '0b6c7c1e-1f6e-4a2f-9f5e-2c4d5a6b7c8d' };
const starts = ({ root }: RunProject, more: object = {}) => ({
  hook_event_name: 'SessionStart',
  cwd: root,
  source: 'startup',
  ...ID,
  ...more,
});
const BACK = { exit: 2, out: '', err: says('the guard found weakened tests in the changes of this session, commits included') };

it('checks the commits that an agent made since its session started', SOAK, async () => {
  const project = makeProject({ files: FILES });
  project.commit({ 'add.test.js': SKIPPED });
  // Without a recorded start, the last commit counts as the agent's.
  expect((await hook(project.root, stops(project, ID), 'Stop')).exit).toBe(2);
  expect(await hook(join(project.root, 'inner'), starts(project), 'SessionStart')).toEqual(NOTHING);
  expect(await hook(project.root, stops(project, ID), 'Stop')).toEqual(NOTHING);
  project.commit({ 'add.test.js': TEST });
  project.commit({ 'add.js': 'module.exports = (a, b) => b + a;\n' });
  expect(await hook(project.root, starts(project, { session_id: 'another' }), 'SessionStart')).toEqual(NOTHING);
  project.commit({ 'add.test.js': SKIPPED });
  project.commit({ 'add.js': 'module.exports = (a, b) => a + b;\n' });
  // Resuming keeps the recorded start.
  for (const source of ['resume', 'compact'])
    expect(await hook(project.root, starts(project, { session_id: 'another', source }), 'SessionStart')).toEqual(NOTHING);
  for (const event of ['Stop', 'SubagentStop', 'AfterAgent'])
    expect(await hook(project.root, stops(project, { session_id: 'another' }), event)).toEqual(BACK);
  expect(await hook(project.root, stops(project, { session_id: 'another' }), 'Stop', '--base', 'HEAD~1')).toEqual(NOTHING);
  // In the first session, the test was skipped from the start.
  expect(await hook(project.root, stops(project, ID), 'Stop')).toEqual(NOTHING);
  expect(project.git('status', '--porcelain')).toBe('');
});

it('sees amended and dropped commits, and ignores other branches', async () => {
  const project = makeProject({ files: FILES });
  const first = project.git('rev-parse', 'HEAD').trim();
  project.git('branch', 'other');
  project.commit({ 'more.test.js': TEST });
  await hook(project.root, starts(project), 'SessionStart');
  project.write({ 'more.test.js': SKIPPED });
  project.git('commit', '-q', '-a', '--amend', '-m', 'amended');
  expect(await hook(project.root, stops(project, ID), 'Stop')).toMatchObject({ exit: 2, err: says('more.test.js') });
  project.git('reset', '-q', '--hard', first);
  // Only a run decides whether a test may go.
  expect(await hook(project.root, stops(project, ID), 'Stop')).toEqual(NOTHING);
  // That branch never had the test.
  project.git('checkout', '-q', 'other');
  expect(await hook(project.root, stops(project, ID), 'Stop')).toEqual(NOTHING);
  project.commit({ 'add.test.js': SKIPPED });
  expect(await hook(project.root, stops(project, ID), 'Stop')).toEqual(BACK);
});

it('tells the person once about a finding that stays, and again if it was fixed and came back', SOAK, async () => {
  const project = makeProject({ files: FILES });
  await hook(project.root, starts(project), 'SessionStart');
  const base = project.git('rev-parse', '--short=10', 'HEAD').trim();
  project.commit({ 'add.test.js': SKIPPED });
  const stop = (again = false) => hook(project.root, stops(project, { ...ID, stop_hook_active: again }), 'Stop');
  const note = { systemMessage: `Umpire: the agent stopped with 1 breach in its change. See umpire guard --base ${base} --scope any.` };
  expect(await stop()).toEqual(BACK);
  expect(JSON.parse((await stop(true)).out)).toEqual(note);
  expect([await stop(), await stop(true)]).toEqual([NOTHING, NOTHING]);
  project.write({ 'more.test.js': TEST.replace("test('adds'", "test.only('adds'") });
  expect(await stop()).toMatchObject({ exit: 2, err: says('more.test.js') });
  project.write({ 'more.test.js': TEST });
  expect(await stop()).toEqual(NOTHING);
  project.commit({ 'add.test.js': TEST });
  expect(await stop()).toEqual(NOTHING);
  project.commit({ 'add.test.js': SKIPPED });
  expect(await stop()).toEqual(BACK);
});

it.each(['', '{"commit":', '{"commit":"--all","branch":null,"told":[]}', `{"commit":"${'a'.repeat(40)}","branch":null,"told":[]}`])(
  'compares with the last commit if the recorded start is unusable: %s',
  async (text) => {
    const project = makeProject({ files: FILES });
    project.write({ [`.umpire/agent-sessions/${ID.session_id}.json`]: text });
    project.write({ 'add.test.js': SKIPPED });
    expect(await hook(project.root, stops(project, ID), 'Stop')).toMatchObject({
      exit: 2,
      err: says('Umpire: the guard found weakened tests in this change.'),
    });
  },
);

it('records no start without git or a session id, and removes records after 90 days', async () => {
  const project = makeProject({ files: FILES });
  const plain = makeProject({ files: FILES, plain: true });
  for (const [place, event] of [
    [plain, starts(plain)],
    [project, starts(project, { session_id: 7 })],
  ] as const) {
    expect(await hook(place.root, event, 'SessionStart')).toEqual(NOTHING);
    expect(existsSync(join(place.root, '.umpire'))).toBe(false);
  }
  const notes = join(project.root, '.umpire', 'agent-sessions');
  const odd = { session_id: '../../../etc/x' };
  expect(await hook(project.root, starts(project, odd), 'SessionStart')).toEqual(NOTHING);
  const [made = ''] = readdirSync(notes);
  expect(made).toMatch(/^etc-x-[0-9a-f]{10}\.json$/);
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  utimesSync(join(notes, made), ago(89), ago(89));
  await hook(project.root, starts(project, { session_id: 'a' }), 'SessionStart');
  expect(readdirSync(notes).toSorted()).toEqual(['a.json', made]);
  utimesSync(join(notes, made), ago(91), ago(91));
  await hook(project.root, starts(project, { session_id: 'b' }), 'SessionStart');
  expect(readdirSync(notes).toSorted()).toEqual(['a.json', 'b.json']);
});

it('keeps agents from changing the record of a session and from answering for the person', async () => {
  const project = makeProject({ files: FILES });
  const session = join(project.root, '.umpire', 'sessions', 'one');
  mkdirSync(join(session, 'verdicts'), { recursive: true });
  project.write({ '.umpire/sessions/one/journal.ndjson': '' });
  const eventOf = (tool: string, input: object) => ({
    hook_event_name: 'PreToolUse',
    cwd: project.root,
    tool_name: tool,
    tool_input: input,
  });
  // One refusal and one permission go through the command; the rest ask the function behind it.
  const refusal = (tool: string, input: object) => refuseTool(hookEventOf(eventOf(tool, input)));
  const journal = join(session, 'journal.ndjson');
  expect(await hook(project.root, eventOf('Edit', { file_path: journal }), 'PreToolUse')).toEqual({
    exit: 2,
    out: '',
    err: `${refusal('Edit', { file_path: journal }) ?? ''}\n`,
  });
  expect(await hook(project.root, eventOf('Read', { file_path: journal }), 'PreToolUse')).toEqual(NOTHING);
  expect(refusal('Read', { file_path: journal })).toBeNull();
  for (const path of ['journal.ndjson', 'verdicts/review-1.md', 'blobs/ab/cd'])
    for (const input of [{ file_path: join(session, path) }, { path: `.umpire/sessions/one/x/../${path}` }])
      expect(refusal('Edit', input)).toEqual(says('only Umpire writes it'));
  symlinkSync(journal, join(project.root, 'notes.txt'));
  expect(refusal('Write', { file_path: 'notes.txt' })).toEqual(says('only Umpire writes it'));
  symlinkSync(join(session, 'verdicts'), join(project.root, 'mine'));
  expect(refusal('Write', { file_path: 'mine/new.md' })).toEqual(says('only Umpire writes it'));
  expect(refusal('Write', { file_path: '.umpire/agent-sessions/x.json' })).toEqual(says('only Umpire writes it'));
  expect(refusal('Write', { file_path: 'src/agent-sessions/x.json' })).toBeNull();
  for (const path of [join(session, 'artifacts/review.md'), join(session, 'discoveries.ndjson'), 'verdicts/mine.md', 'journal.ndjson'])
    expect(refusal('Write', { file_path: path }), path).toBeNull();
  for (const [line, named] of [
    ['umpire resolve one force-approve --reason x', 'umpire resolve'],
    ['cd x && npx umpire resolve one extend', 'umpire resolve'],
    ['node dist/umpire.cjs decide review . --max-rounds 9', 'umpire decide --max-rounds'],
    ['umpire resume one --max-rounds=9', 'umpire resume --max-rounds'],
    ['umpire apply one --force', 'umpire apply --force'],
    ['umpire decide review . \\\n  --max-rounds 9', 'umpire decide --max-rounds'],
    ['sh -c "cd x; umpire resolve one extend"', 'umpire resolve'],
    ['echo $(umpire resolve one extend)', 'umpire resolve'],
    ['cat <<X | sh\numpire resolve one extend\nX', 'umpire resolve'],
  ] as const)
    expect(refusal('Bash', { command: line }), line).toEqual(says(`only a person may run \`${named}\``));
  for (const line of [
    'umpire decide review .',
    'umpire status; git push --force',
    'grep resolve umpire.log',
    'git commit -m "umpire resolve answers"',
    'umpire apply one',
  ])
    expect(refusal('Bash', { command: line }), line).toBeNull();
});

it('reads an event that arrives in pieces', async () => {
  const project = makeProject({ files: FILES });
  project.write({ '.umpire/sessions/one/journal.ndjson': '' });
  const child = spawn(process.execPath, [command, 'hook', 'PreToolUse'], { cwd: project.root, stdio: ['pipe', 'ignore', 'ignore'] });
  const input = { file_path: '.umpire/sessions/one/journal.ndjson', content: 'x'.repeat(8_000_000) };
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ tool_name: 'Write', cwd: project.root, tool_input: input }));
  expect(await once(child, 'exit')).toEqual([2, null]);
});

it('never stops an agent because of an error in the hook', async () => {
  const project = makeProject({ files: FILES });
  const plain = makeProject({ files: FILES, plain: true });
  for (const [event, args, told] of [
    ['{"cwd":', ['Stop'], 'no event of a coding agent'],
    ['[]', ['Stop'], 'it is not an object.'],
    [' '.repeat(2 ** 26 + 1), ['Stop'], 'it has more than 64 MB'],
    [stops(project), [], 'Missing <event>: umpire hook <event>'],
    [stops(project), ['Notification'], 'There is no event "Notification".'],
    [stops(project), ['Stop', '--scope', 'all'], '--scope takes one of testing, any'],
    [stops(project), ['Stop', '--base', 'nowhere'], 'nowhere'],
    [stops(plain), ['Stop'], 'git'],
  ] as const)
    expect(await hook(project.root, event, ...args), told).toMatchObject({ exit: 1, out: '', err: says(told) });
  // Missing or malformed members do not stop an agent either.
  expect(await hook(project.root, {}, 'PreToolUse')).toEqual(NOTHING);
  expect(await hook(project.root, { cwd: 7, tool_input: [1], stop_hook_active: 'no' }, 'Stop')).toEqual(NOTHING);
});

it('writes and removes nothing through a link that leads out of the project', async () => {
  const project = makeProject({ files: FILES });
  const precious = join(project.beside, 'precious');
  mkdirSync(join(precious, 'thesis.json'), { recursive: true });
  mkdirSync(join(project.root, '.umpire'));
  const old = new Date('2020-01-01T00:00:00Z');
  utimesSync(join(precious, 'thesis.json'), old, old);
  symlinkSync(precious, join(project.root, '.umpire', 'agent-sessions'));
  const { exit, err } = await hook(project.root, starts(project), 'SessionStart');
  expect({ exit, err }).toEqual({ exit: 1, err: says('a link leads out of the project') });
  expect(readdirSync(precious)).toEqual(['thesis.json']);
});

it('removes only its own old records', async () => {
  const project = makeProject({ files: FILES });
  const folder = join(project.root, '.umpire', 'agent-sessions');
  mkdirSync(join(folder, 'kept.json'), { recursive: true });
  project.write({ '.umpire/agent-sessions/gone.json': '{}', '.umpire/agent-sessions/notes.md': 'mine\n' });
  const old = new Date('2020-01-01T00:00:00Z');
  for (const name of ['kept.json', 'gone.json', 'notes.md']) utimesSync(join(folder, name), old, old);
  expect(await hook(project.root, starts(project), 'SessionStart')).toEqual(NOTHING);
  expect(readdirSync(folder).filter((name) => /kept|gone|notes/.test(name))).toEqual(['kept.json', 'notes.md']);
});
