// Umpire's side of the Agent Client Protocol against an agent that is built on the protocol's own library, as a real process.

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isAlive, newFolder, newWatch, pidsIn, realAssignment, until } from '../../../../test/support/assignment.js';
import type { Agent, Assignment, Ending } from '@umpire/core/model/ports.js';
import { readableLog } from './agent-log.js';
import { acpAgent } from './acp-agent.js';
import type { AcpSpec } from './acp-agent.js';
import { startGuardian } from './guardian.js';
import { fullPromptFor } from './prompt.js';
import { UNKNOWN_USAGE } from './known/known-agent.js';
import { SOAK } from '../../../../test/support/campaign.js';

const guardian = startGuardian(randomUUID());
afterAll(() => guardian.close());

const PEER = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'support', 'acp-agent.mjs');
/** Every agent that opened a session names it, and reports no usage unless it says so. */
const OPEN = { usage: UNKNOWN_USAGE, conversation: 'session-1' };
const DONE = { kind: 'completed', findings: 'done', error: '', outputs: { review_score: '', gc_signal: '' }, ...OPEN };

function playing(words: string | readonly string[], more: Partial<AcpSpec> = {}): Agent {
  return acpAgent({ name: 'mine', argv: [process.execPath, PEER, ...[words].flat()], ...more }, guardian);
}

function node(text: string, more: Partial<AcpSpec> = {}): Agent {
  return acpAgent({ name: 'mine', argv: [process.execPath, '-e', text], ...more }, guardian);
}

interface Seen {
  readonly asked: readonly Readonly<Record<string, unknown>>[];
  readonly answers: readonly (string | number)[];
  readonly cancelled: boolean;
  readonly places: readonly string[];
}

function seenIn({ workdir }: Assignment): Seen {
  return JSON.parse(readFileSync(join(workdir, 'seen.json'), 'utf8')) as Seen;
}

async function reasonOf(agent: Agent, assignment = realAssignment()): Promise<string> {
  const ending = await agent.run(assignment, newWatch());
  return ending.kind === 'broken' ? ending.reason : JSON.stringify(ending);
}

describe('a turn', () => {
  test('sends the task, allows an edit in the folder, and reads the result and the usage', async () => {
    const assignment = realAssignment();
    const watch = newWatch();
    expect(await playing('file').run(assignment, watch)).toEqual({
      ...DONE,
      usage: { tokens: 900, costUsd: 0.25 },
      conversation: 'session-1#0.25',
    });
    const { asked, answers, places } = seenIn(assignment);
    const files = {
      taskFile: join(assignment.session, 'agents', '1.task.json'),
      resultFile: join(assignment.session, 'agents', '1.result.json'),
    };
    expect(asked).toMatchObject([
      { protocolVersion: 1, clientInfo: { name: 'umpire', version: expect.stringMatching(/^\d+\.\d/) as unknown } },
      { cwd: assignment.workdir, mcpServers: [] },
      { sessionId: 'session-1', prompt: [{ type: 'text', text: fullPromptFor(assignment, files) }] },
    ]);
    expect(asked[0]?.['clientCapabilities']).toMatchObject({ fs: { readTextFile: false, writeTextFile: false }, terminal: false });
    expect(asked[1]).not.toHaveProperty('additionalDirectories');
    expect(places).toEqual([assignment.session, files.taskFile, files.resultFile]);
    expect([answers, existsSync(join(assignment.workdir, 'new.txt'))]).toEqual([['the-allow_once'], true]);
    expect(readableLog(watch.text()).trimEnd().split('\n')).toEqual([
      'I look at it.',
      'Umpire: allowed once: edit "Write new.txt".',
      '> Write new.txt (edit)',
      'Done.',
    ]);
  });

  test('joins the pieces of an answer and ignores text after the result', SOAK, async () => {
    const watch = newWatch();
    const uncounted = await playing('answer', { countsTokens: false }).run(realAssignment(), newWatch());
    expect(uncounted).toEqual(DONE);
    expect(await playing('answer').run(realAssignment(), watch)).toEqual({
      ...DONE,
      usage: { tokens: 700, costUsd: 0, unknown: ['cost'] },
    });
    expect(readableLog(watch.text()).trimEnd().split('\n').slice(0, 2)).toEqual([
      'It is {"status":"failed"} so far.',
      '> npm test (execute, failed: it was refused)',
    ]);
  });

  test('passes the session folder to an agent that accepts folders', SOAK, async () => {
    const assignment = realAssignment();
    expect(await playing(['stays', 'folders'], { graceMs: 500 }).run(assignment, newWatch())).toEqual(DONE);
    expect(seenIn(assignment).asked[1]).toMatchObject({ additionalDirectories: [assignment.session] });
  });

  test('ends with a question in an interactive task, with a failure, or without a result', SOAK, async () => {
    const run = (result: object | string, changes = {}): Promise<Ending> =>
      playing(['result', typeof result === 'string' ? result : JSON.stringify(result)]).run(realAssignment(changes), newWatch());
    expect(await run({ question: 'Which?' }, { interactive: true })).toEqual({ kind: 'asked', question: 'Which?', ...OPEN });
    expect(await run({ status: 'failed', error: 'no network' })).toMatchObject({ kind: 'failed', error: 'no network' });
    expect(await run('All is well.')).toMatchObject({
      kind: 'broken',
      reason: 'The agent "mine" returned no result: its answer has no JSON object. It answered: "All is well.".',
    });
  });
});

describe('a broken ending', () => {
  test.each([
    ['refusal', 'The agent "mine" refused to continue.'],
    ['max_tokens', 'The agent "mine" stopped: the token limit of its model was reached, although its result says completed.'],
    ['max_turn_requests', 'The agent "mine" stopped: its limit of model requests per turn was reached.'],
    ['cancelled', 'The agent "mine" cancelled its turn without being asked to.'],
  ])('comes from a turn that stops with %s', async (stop, reason) => {
    expect(await reasonOf(playing(['stop', stop]))).toBe(reason);
  });

  test('comes from an agent that exits during its turn, whatever the status', async () => {
    expect(await reasonOf(playing(['die', '3']))).toBe(
      'The agent "mine" exited with status 3 in the middle of its turn. Last output: "out of luck".',
    );
    expect(await reasonOf(playing(['die', '0']))).toContain('exited with status 0 in the middle of its turn.');
    expect(await reasonOf(node('process.exit(1)'))).toBe('The agent "mine" exited with status 1 before it answered initialize.');
    expect(await reasonOf(acpAgent({ name: 'mine', argv: ['no-such-agent'] }, guardian))).toContain('program not found');
  });

  test('comes from an agent that is not signed in or answers with an error', async () => {
    const signIn =
      'The agent "mine" is not signed in; sign in with its own command, outside of Umpire (sign-in methods: "Log in"). Last output: "Authentication required".';
    expect(await reasonOf(playing('locked'))).toBe(signIn);
    expect(await reasonOf(playing('signIn'))).toBe(signIn);
    expect(await reasonOf(playing('error'))).toBe(
      'The agent "mine" answered session/prompt with an error. Last output: "Internal error: the key is wrong".',
    );
  });

  test('comes from another protocol version and from a program that does not speak the protocol', async () => {
    expect(await reasonOf(playing('version'))).toContain('uses Agent Client Protocol version 2; Umpire supports version 1.');
    expect(await reasonOf(acpAgent({ name: 'mine', argv: ['cat'] }, guardian))).toContain('answered initialize with an error');
    const answering = (result: string) =>
      node(`process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":${result}}'))`);
    expect(await reasonOf(answering('"yes"'))).toContain('an invalid Agent Client Protocol message');
    const silent = node('process.stdin.resume(); console.log("Welcome!")', { readyMs: 300 });
    expect(await reasonOf(silent)).toBe(
      'The agent "mine" did not answer initialize within 0.3 seconds; it may not support the Agent Client Protocol.',
    );
  });

  test('comes from an endless line, in bounded memory', SOAK, async () => {
    const endless = node(
      `const piece = 'x'.repeat(1 << 20); const go = () => { while (process.stdout.write(piece)); process.stdout.once('drain', go); };
      process.stdout.write('{"jsonrpc":"2.0","id":1,'); go(); process.stdin.resume();`,
      { graceMs: 100 },
    );
    expect(await reasonOf(endless)).toMatch(/printed a line of more than 16 MB\. Full output: umpire logs \S+ \S+\.$/);
  });
});

test('noise goes to the log and breaks nothing; unsupported requests are refused', async () => {
  const assignment = realAssignment();
  const watch = newWatch();
  expect(await playing('noise').run(assignment, watch)).toEqual(DONE);
  expect(seenIn(assignment).answers).toEqual([-32601, -32601]);
  expect(watch.text()).toContain('hello\n');
  expect(readableLog(watch.text())).toContain('Umpire: rejected fs/read_text_file (not supported).\n');
});

describe('a permission', () => {
  const edit = (path: string, more = {}) => ({ kind: 'edit', locations: [{ path }], ...more });
  const asking = async (calls: readonly object[], assignment: Assignment, allow: AcpSpec['allow'] = []) => {
    const watch = newWatch();
    expect(await playing(['asks', JSON.stringify(calls)], { allow }).run(assignment, watch)).toEqual(DONE);
    return { answers: seenIn(assignment).answers.map((answer) => String(answer).replace('the-', '')), log: readableLog(watch.text()) };
  };

  test('is given for one call on files in its folders, with links resolved, and never permanently', async () => {
    const assignment = realAssignment();
    const { workdir, session } = assignment;
    const elsewhere = newFolder();
    symlinkSync(elsewhere, join(workdir, 'out'));
    mkdirSync(join(workdir, 'src'));
    const { answers, log } = await asking(
      [
        edit(join(workdir, 'src', 'a.ts')),
        edit('src/deep/new.ts'),
        edit(join(session, 'results', 'run.json')),
        { kind: 'other', title: 'external', locations: [{ path: join(session, 'agents', '1.result.json') }] },
        { kind: 'edit', content: [{ type: 'diff', path: join(workdir, 'a'), newText: 'x' }] },
        { kind: 'edit', rawInput: { file_path: join(workdir, 'a') } },
        { kind: 'read', locations: [{ path: join(workdir, 'out', 'a') }] },
        { kind: 'search' },
        { kind: 'think' },
        edit(join(workdir, 'out', 'a')),
        edit(join(workdir, '..', 'a')),
        edit(`${workdir}-beside/a`),
        edit(join(workdir, 'a'), { content: [{ type: 'diff', path: join(elsewhere, 'a'), newText: 'x' }] }),
        edit(join(session, 'journal.ndjson')),
        edit(join(session, 'verdicts', 'x.json')),
        { kind: 'edit', title: 'Edit something' },
        { kind: 'read', locations: [{ path: '/etc/passwd' }] },
        { kind: 'execute', title: 'npm test' },
        { kind: 'fetch', title: 'the web' },
        { kind: 'switch_mode' },
        { title: 'a tool of mine' },
        edit(join(workdir, 'a'), { kinds: ['allow_always', 'reject_once'] }),
        edit(join(workdir, 'a'), { kinds: ['allow_always', 'reject_always'] }),
        edit(join(workdir, 'a'), { kinds: ['allow_always'] }),
      ],
      assignment,
    );
    const given = Array.from({ length: 9 }, () => 'allow_once');
    expect(answers).toEqual([...given, ...Array.from({ length: 13 }, () => 'reject_once'), 'reject_always', 'cancelled']);
    expect(log).toContain('Umpire: refused: execute "npm test" (not in the settings: `allow: [execute]`).');
    expect(log).toContain('(only Umpire writes that file).');
    expect(log).toContain('(it offers no one-time permission).');
  });

  test('is given for the kinds that the settings allow', async () => {
    const calls = [
      { kind: 'execute' },
      { kind: 'fetch' },
      { kind: 'other' },
      { kind: 'switch_mode' },
      edit('/etc/passwd'),
      { locations: [{ path: '/etc/passwd' }] },
    ];
    const { answers } = await asking(calls, realAssignment(), ['execute', 'fetch', 'other']);
    expect(answers).toEqual(['allow_once', 'allow_once', 'allow_once', 'reject_once', 'reject_once', 'reject_once']);
  });

  test('is given only in the session folder for a read-only task', async () => {
    const assignment = realAssignment({ writes: false });
    const { answers, log } = await asking(
      [edit('a'), edit(join(assignment.session, 'a')), { kind: 'read', locations: [{ path: 'a' }] }],
      assignment,
    );
    expect(answers).toEqual(['reject_once', 'allow_once', 'allow_once']);
    expect(log).toContain('(this task is read-only there).');
  });

  test('that was refused is named when the task breaks', async () => {
    expect(await reasonOf(playing('kept'))).toBe(
      'The agent "mine" returned no result: its answer has no JSON object. It answered: "I may not.". ' +
        'Last permission request: refused: execute "npm test" (not in the settings: `allow: [execute]`).',
    );
  });
});

describe('the end', () => {
  test('by timeout: the turn is cancelled over the protocol, and pending permissions are cancelled', SOAK, async () => {
    const assignment = realAssignment();
    const ending = await playing('long', { timeoutMs: 4000, graceMs: 20_000 }).run(assignment, newWatch());
    expect(ending).toEqual({
      kind: 'broken',
      reason: 'The agent "mine" timed out after 4 seconds; Umpire asked it to finish, and it ended without a valid result.',
      usage: { tokens: 5, costUsd: 0, unknown: ['cost'] },
      conversation: 'session-1',
    });
    expect(seenIn(assignment)).toMatchObject({ cancelled: true, answers: ['cancelled'] });
    expect(await playing('late', { timeoutMs: 4000, graceMs: 20_000 }).run(realAssignment(), newWatch())).toEqual(DONE);
  });

  test('by timeout: an agent that ignores the request is killed with its process group, also before it is ready', SOAK, async () => {
    const folder = newFolder();
    const ending = playing(['deaf', folder], { timeoutMs: 4000, graceMs: 200 }).run(realAssignment(), newWatch());
    const pids = await pidsIn(folder, ['main', 'member']);
    expect(await ending).toMatchObject({ reason: 'The agent "mine" timed out after 4 seconds; Umpire killed its processes.' });
    expect(await until(() => !pids.some(isAlive))).toBe(true);
    expect(await reasonOf(node('process.stdin.resume()', { timeoutMs: 200, graceMs: 60_000 }))).toContain('Umpire killed its processes');
  });

  test('by a stopped run: the turn is cancelled and the task is interrupted', async () => {
    const assignment = realAssignment();
    const watch = newWatch();
    const run = playing('long', { graceMs: 20_000 }).run(assignment, watch);
    // Its session is open, and its turn begins.
    expect(await until(() => watch.text().includes('"sessionId"'))).toBe(true);
    watch.stop();
    expect(await run).toEqual({ kind: 'interrupted', ...OPEN, usage: { tokens: 5, costUsd: 0, unknown: ['cost'] } });
    expect(seenIn(assignment).cancelled).toBe(true);
    expect(watch.text()).toContain('Umpire: asked the agent to stop.\n');
  });

  test('by a stopped run: an agent that ignores the request is killed with its process group', SOAK, async () => {
    const folder = newFolder();
    const watch = newWatch();
    const run = playing(['deaf', folder], { graceMs: 100 }).run(realAssignment(), watch);
    const pids = await pidsIn(folder, ['main', 'member']);
    watch.stop();
    expect(await run).toEqual({ kind: 'interrupted', ...OPEN });
    expect(await until(() => !pids.some(isAlive))).toBe(true);
  });

  test('by a stopped run: an agent whose turn is over gets a signal to exit', async () => {
    const assignment = realAssignment();
    const watch = newWatch();
    const run = playing('stays', { graceMs: 20_000 }).run(assignment, watch);
    expect(await until(() => watch.text().includes('"end_turn"'))).toBe(true);
    watch.stop();
    expect(await run).toEqual({ kind: 'interrupted', ...OPEN });
    expect(existsSync(join(assignment.workdir, 'asked-to-go'))).toBe(true);
  });
});

/** It remembers one session, `old`, and answers each prompt in turn; what it was asked is its first answer. */
function remembering(...answers: readonly string[]): Agent {
  return node(
    `const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
     const asked = []; const answers = ${JSON.stringify(answers)};
     const tell = (sessionId, text) => say({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } });
     require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method, params } = JSON.parse(line);
       asked.push(method);
       if (method === 'initialize') return say({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
       if (method === 'session/load' && params.sessionId !== 'old') return say({ id, error: { code: -32602, message: 'no such session' } });
       if (method === 'session/load') tell('old', '{"status":"failed","error":"of an earlier task"}');
       if (method === 'session/prompt') say({ method: 'session/update', params: { sessionId: params.sessionId, update: { sessionUpdate: 'usage_update', used: 5, size: 9, cost: { amount: 0.3, currency: 'USD' } } } });
       if (method === 'session/prompt') tell(params.sessionId, answers.shift().replace('ASKED', asked.join(' ')));
       const model_usage = [{ token_count: { totalTokens: 4 } }, { token_count: { totalTokens: 3 } }];
       say({ id, result: method === 'session/new' ? { sessionId: 'new' } : method === 'session/prompt' ? { stopReason: 'end_turn', usage: { totalTokens: 5 }, _meta: { quota: { model_usage } } } : {} });
     });`,
  );
}

describe('a conversation', () => {
  const asked = '{"status":"completed","findings":"ASKED"}';

  test('goes on where the agent still has it, without the words of earlier tasks', async () => {
    const run = (conversation: string | null, ...answers: readonly string[]) =>
      remembering(...answers).run(realAssignment({ conversation }), newWatch());
    // Its cost is that of the whole session.
    expect(await run('old#0.2', asked)).toMatchObject({
      findings: 'initialize session/load session/prompt',
      usage: { tokens: 7, costUsd: 0.1 },
      conversation: 'old#0.3',
    });
    expect(await run('old', 'No result.', 'None.')).toMatchObject({ kind: 'broken', conversation: 'old#0.3' });
    expect(await run('lost#0.2', asked)).toMatchObject({
      findings: 'initialize session/load session/new session/prompt',
      usage: { costUsd: 0.3 },
      conversation: 'new#0.3',
    });
    expect(await run(null, asked)).toMatchObject({ findings: 'initialize session/new session/prompt' });
  });

  test('asks once more for a missing result, except where a check decides', async () => {
    const usage = { tokens: 14, costUsd: 0.3 };
    expect(await remembering('All is well.', asked).run(realAssignment(), newWatch())).toMatchObject({ kind: 'completed', usage });
    const prose = 'I mended it.\n\nBye.';
    expect(await remembering(prose, prose, asked).run(realAssignment(), newWatch())).toMatchObject({
      kind: 'broken',
      reason: expect.stringContaining('It answered: "I mended it.".') as unknown,
      usage,
    });
    expect(await remembering(prose, asked).run(realAssignment({ check: 'npm test' }), newWatch())).toMatchObject({
      kind: 'completed',
      findings: 'I mended it.',
      usage: { tokens: 7 },
    });
  });
});

test("Umpire's log lines never split a line of the agent", async () => {
  const half = '{"jsonrpc":"2.0","id":3,';
  const agent = node(
    `const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
     require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method } = JSON.parse(line);
       if (method === 'initialize') say(id, { protocolVersion: 1 });
       if (method === 'session/new') say(id, { sessionId: 's' });
       if (method === 'session/prompt') process.stdout.write('${half}');
       if (method === 'session/cancel') console.log('"result":{"stopReason":"cancelled"}}');
     });`,
    { graceMs: 20_000 },
  );
  const watch = newWatch();
  const run = agent.run(realAssignment(), watch);
  expect(await until(() => watch.text().endsWith(half))).toBe(true);
  watch.stop();
  expect(await run).toEqual({ kind: 'interrupted', ...OPEN, conversation: 's' });
  expect(watch.text().split('\n').slice(2)).toEqual([
    `${half}"result":{"stopReason":"cancelled"}}`,
    'Umpire: asked the agent to stop.',
    '',
  ]);
});

test('a log that cannot be written stops the agent and throws', async () => {
  const full = {
    ...newWatch(),
    log: () => {
      throw new Error('the disk is full');
    },
  };
  await expect(playing('file').run(realAssignment(), full)).rejects.toThrow('the disk is full');
});
