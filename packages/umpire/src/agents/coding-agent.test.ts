// Coding agents as real processes: programs that print what claude 2.1, codex 0.169 and opencode 1.18 print, ids shortened.

import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newFolder, newWatch, realAssignment, until } from '../../../../test/support/assignment.js';
import type { Assignment, Ending } from '@umpire/core/model/ports.js';
import { LineFilter, codingAgent } from './coding-agent.js';
import type { CodingAgentSpec } from './coding-agent.js';
import { startGuardian } from './guardian.js';
import { findKnownAgent } from './known/known-agents.js';

const guardian = startGuardian(randomUUID());
afterAll(() => guardian.close());

const OK = '{"id":"DEV-001","status":"completed","findings":"ok"}';
const IDS = { session_id: 'c1', uuid: 'u' };

/** `play`: code that says what this run prints; `said`: the prompt; `args`: its arguments; `run`: 1 for its first run. */
function program(name: string, play: string): { readonly env: Record<string, string>; readonly runs: () => readonly Run[] } {
  const bin = newFolder();
  writeFileSync(
    join(bin, name),
    `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync } = require('fs');
const args = process.argv.slice(2);
const file = ${JSON.stringify(join(bin, 'runs'))};
const run = (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\\n').length : 0) + 1;
const print = (event) => console.log(JSON.stringify(event));
const ids = ${JSON.stringify(IDS)};
const ended = (result, more = {}) => print({ type: 'result', is_error: false, subtype: 'success', result, total_cost_usd: 9, model_usage_since_last_result: { m: { inputTokens: 100, outputTokens: 20, costUSD: 0.5 } }, ...ids, ...more });
const message = (id, text) => print({ type: 'assistant', message: { id, content: [{ type: 'text', text }], usage: { input_tokens: 30, output_tokens: 1 } }, parent_tool_use_id: null, ...ids });
let input = '';
const begin = (said) => { appendFileSync(file, JSON.stringify({ args, said }) + '\\n'); play(said); };
function play(said) { ${play} }
process.stdin.on('data', (piece) => {
  input += piece;
  if (!args.includes('--input-format') || !input.includes('\\n')) return;
  const lines = input.split('\\n'); input = lines.pop();
  for (const line of lines) { const told = JSON.parse(line); if (told.type === 'user') begin(told.message.content); else interrupted(); }
});
function interrupted() { ended('', { is_error: true, subtype: 'error_during_execution' }); process.exitCode = 1; process.stdin.pause(); }
process.stdin.on('end', () => { if (!args.includes('--input-format')) begin(input); });
`,
  );
  chmodSync(join(bin, name), 0o755);
  const runs = () =>
    readFileSync(join(bin, 'runs'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Run);
  return { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` }, runs };
}

interface Run {
  readonly args: readonly string[];
  readonly said: string;
}

interface Played {
  readonly ending: Ending;
  readonly runs: readonly Run[];
}

function specOf(name: string): CodingAgentSpec {
  const { agent } = findKnownAgent(name)!;
  return { name, argv: [agent.program], agent };
}

async function run(name: string, play: string, changes: Partial<Assignment> = {}, more: Partial<CodingAgentSpec> = {}): Promise<Played> {
  const { env, runs } = program(name, play);
  const ending = await codingAgent({ ...specOf(name), env, ...more }, guardian).run(realAssignment(changes), newWatch());
  return { ending, runs: runs() };
}

test('a structured result is read with the usage that the agent reports, and never with the usage that its model claims', async () => {
  const claim = { ...(JSON.parse(OK) as object), usage: { tokens: 1, cost_usd: 0 } };
  const { ending, runs } = await run(
    'claude',
    `message('m1', 'I did it.'); ended('I did it.', { structured_output: ${JSON.stringify(claim)} });`,
  );
  expect(ending).toMatchObject({ kind: 'completed', findings: 'ok', usage: { tokens: 120, costUsd: 0.5 }, conversation: 'c1' });
  expect(runs[0]?.said).toContain('Make the retry idempotent.');
  expect(runs[0]?.args.slice(-2)[0]).toBe('--add-dir');
  const codex = `print({ type: 'thread.started', thread_id: 't1' });
    print({ type: 'item.completed', item: { type: 'agent_message', text: ${JSON.stringify(JSON.stringify(claim))} } });
    print({ type: 'turn.completed', usage: { input_tokens: 1000, output_tokens: 50 } });`;
  const once = await run('codex', codex, {}, { model: 'gpt', args: ['--enable', 'x'] });
  expect(once.ending).toMatchObject({ kind: 'completed', usage: { tokens: 1050, costUsd: 0, unknown: ['cost'] }, conversation: 't1#1050' });
  expect(once.runs[0]?.args.slice(0, 6)).toEqual(['exec', '--enable', 'x', '--model', 'gpt', '--json']);
  // The count of a continued conversation includes its earlier runs.
  const again = await run('codex', codex, { conversation: 't1#800' });
  expect(again.ending).toMatchObject({ usage: { tokens: 250 }, conversation: 't1#1050' });
  expect(again.runs[0]?.args.slice(-3)).toEqual(['resume', 't1', '-']);
});

test('prose is asked for once more in the same conversation', async () => {
  const { ending, runs } = await run('claude', `ended(run === 1 ? 'I did it all.\\n\\nBye.' : ${JSON.stringify(OK)});`);
  expect(ending).toMatchObject({ kind: 'completed', findings: 'ok', usage: { tokens: 240, costUsd: 1 }, conversation: 'c1' });
  expect(runs).toHaveLength(2);
  expect(runs[1]?.args).toEqual(expect.arrayContaining(['--resume', 'c1']));
  expect(runs[1]?.said).toMatch(/^Your answer was no valid result\./);
  expect(runs[1]?.said).not.toContain('Make the retry idempotent.');
});

test('asking again counts on from what codex counted, spends the rest of the budget, and waits for a server that is busy', async () => {
  const codex = `print({ type: 'thread.started', thread_id: 't1' });
    print({ type: 'item.completed', item: { type: 'agent_message', text: run === 1 ? 'Done.' : ${JSON.stringify(OK)} } });
    print({ type: 'turn.completed', usage: { input_tokens: 1000 * run, output_tokens: 0 } });`;
  expect((await run('codex', codex)).ending).toMatchObject({ kind: 'completed', usage: { tokens: 2000 }, conversation: 't1#2000' });
  const budget = { costUsd: 0.75, tokens: null };
  const { runs } = await run('claude', `ended(run === 1 ? 'Done.' : ${JSON.stringify(OK)});`, { budget });
  expect(runs.map(({ args }) => args[args.indexOf('--max-budget-usd') + 1])).toEqual(['0.75', '0.25']);
  const busy = `if (run === 1) ended('Done.'); else { ended('API Error: 529 Overloaded', { is_error: true, api_error_status: 529 }); process.exitCode = 1; }`;
  expect((await run('claude', busy)).ending).toMatchObject({ kind: 'broken', passing: { afterMs: null }, usage: { tokens: 240 } });
});

test('a result that does not fit is asked for once more, and only once', async () => {
  const wrong = JSON.stringify(JSON.stringify({ status: 'perhaps' }));
  const mended = await run('claude', `ended(run === 1 ? ${wrong} : ${JSON.stringify(OK)});`);
  expect(mended.ending).toMatchObject({ kind: 'completed' });
  expect(mended.runs[1]?.said).toContain('its status is "perhaps"');
  const refused = await run('claude', `ended('I will not do that.\\n\\nIt is wrong.');`);
  expect(refused.runs).toHaveLength(2);
  expect(refused.ending).toMatchObject({
    kind: 'broken',
    reason: 'The agent "claude" returned no result: its answer has no JSON object. It answered: "I will not do that.".',
    usage: { tokens: 240 },
  });
});

test('where a check decides, prose counts as completed', async () => {
  const { ending, runs } = await run('claude', `ended('I mended it.\\n\\nBye.');`, { check: 'npm test', outputs: ['score'] });
  expect(ending).toMatchObject({ kind: 'completed', findings: 'I mended it.', outputs: { score: '' }, usage: { tokens: 120 } });
  expect(runs).toHaveLength(1);
});

test('a lost conversation is replaced by a new one with the whole task', async () => {
  const lost = `if (args.includes('--resume')) { ended('', { is_error: true, errors: ['No conversation found'], model_usage_since_last_result: {} }); process.exitCode = 1; } else ended(${JSON.stringify(OK)});`;
  const { ending, runs } = await run('claude', lost, { conversation: 'gone' });
  expect(ending).toMatchObject({ kind: 'completed', usage: { tokens: 120 } });
  expect(runs.map(({ args }) => args.includes('gone'))).toEqual([true, false]);
  expect(runs[1]?.said).toContain('Make the retry idempotent.');
});

test('a server error in a continued conversation does not start another', async () => {
  const busy = `ended('API Error: 529 Overloaded', { is_error: true, api_error_status: 529, model_usage_since_last_result: {} }); process.exitCode = 1;`;
  const { ending, runs } = await run('claude', busy, { conversation: 'c1' });
  expect(ending).toMatchObject({ kind: 'broken', passing: { afterMs: null }, conversation: 'c1' });
  expect(runs).toHaveLength(1);
});

test('opencode continues a conversation only in its own folder', async () => {
  const play = `print({ type: 'text', sessionID: 's1', part: { text: ${JSON.stringify(OK)} } });
    print({ type: 'step_finish', sessionID: 's1', part: { tokens: { total: 7 }, cost: 0.25 } });`;
  const workdir = newFolder();
  const { ending } = await run('opencode', play, { workdir });
  expect(ending).toMatchObject({ usage: { tokens: 7, costUsd: 0.25 }, conversation: `s1#${workdir}` });
  const same = await run('opencode', play, { workdir, conversation: `s1#${workdir}` });
  expect(same.runs[0]?.args).toEqual(['run', '--format', 'json', '--session', 's1']);
  const other = await run('opencode', play, { conversation: `s1#${workdir}` });
  expect(other.runs[0]?.args).toEqual(['run', '--format', 'json']);
  for (const conversation of ['--config=x', 'a b'])
    expect((await run('claude', `ended(${JSON.stringify(OK)});`, { conversation })).runs[0]?.args).not.toContain('--resume');
});

test('an exhausted plan says when it is renewed, and a spent budget is no reason to retry', async () => {
  const limit = `print({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1795030000 }, ...ids });
    ended("You've hit your session limit · resets 3am", { is_error: true }); process.exitCode = 1;`;
  expect((await run('claude', limit)).ending).toMatchObject({ kind: 'broken', limit: { resetsAtMs: 1_795_030_000_000 } });
  const spent = `ended(null, { is_error: true, subtype: 'error_max_budget_usd', errors: ['Reached maximum budget ($0.01)'] }); process.exitCode = 1;`;
  const { ending, runs } = await run('claude', spent, { budget: { costUsd: 0.01, tokens: null } });
  expect(ending).toEqual({
    kind: 'broken',
    cutOff: true,
    reason: 'The agent "claude" exited with status 1. Last output: "Reached maximum budget ($0.01)".',
    usage: { tokens: 120, costUsd: 0.5 },
    conversation: 'c1',
  });
  expect(runs[0]?.args).toEqual(expect.arrayContaining(['--max-budget-usd', '0.01']));
});

test('a stopped claude is interrupted over its input, and reports what it spent; a killed one keeps the usage of its messages', async () => {
  const stop = async (graceMs: number, play: string) => {
    const { env, runs } = program('claude', play);
    const watch = newWatch();
    const ending = codingAgent({ ...specOf('claude'), env, graceMs }, guardian).run(realAssignment(), watch);
    expect(await until(() => watch.text().includes('m2'))).toBe(true);
    watch.stop();
    return { ending: await ending, runs: runs() };
  };
  const works = `message('m1', 'a'); message('m1', 'b'); message('m2', 'c');`;
  expect((await stop(20_000, works)).ending).toEqual({ kind: 'interrupted', usage: { tokens: 120, costUsd: 0.5 }, conversation: 'c1' });
  const deaf = `${works} while (true);`;
  expect((await stop(100, deaf)).ending).toEqual({
    kind: 'interrupted',
    usage: { tokens: 62, costUsd: 0, unknown: ['cost'] },
    conversation: 'c1',
  });
});

test('the log of claude leaves out the pieces of a message', async () => {
  const { env } = program('claude', `print({ type: 'stream_event', event: { type: 'content_block_delta' }, ...ids }); ended('{}');`);
  const watch = newWatch();
  await codingAgent({ ...specOf('claude'), env }, guardian).run(realAssignment({ check: 'npm test' }), watch);
  expect(watch.text()).toMatch(/^\{"type":"result".*\}\n$/);
});

test('a timeout names the last error', async () => {
  const { env } = program(
    'opencode',
    `print({ type: 'error', sessionID: 's', error: { name: 'ContextOverflowError' } }); setInterval(() => undefined, 1000);`,
  );
  const spec = { ...specOf('opencode'), env, timeoutMs: 2000, finish: null };
  expect(await codingAgent(spec, guardian).run(realAssignment(), newWatch())).toMatchObject({
    kind: 'broken',
    reason: 'The agent "opencode" timed out after 2 seconds; Umpire killed its processes. Last error: "ContextOverflowError".',
  });
});

test('a broken task names the tool that was denied, and the result file counts first', async () => {
  const denied = `ended('May I run it?', { permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'npm test' } }] });`;
  expect((await run('claude', denied)).ending).toMatchObject({
    reason: expect.stringContaining('Its permissions denied "Bash npm test"; allow it in its own settings') as unknown,
  });
  const file = `require('fs').writeFileSync(process.env.UMPIRE_RESULT_FILE, ${JSON.stringify(OK.replace('ok', 'filed'))}); ended(${JSON.stringify(OK)});`;
  expect((await run('claude', file)).ending).toMatchObject({ findings: 'filed', usage: { tokens: 120, costUsd: 0.5 } });
});

function filtered(text: string, size: number): string {
  let passed = '';
  const filter = new LineFilter('drop me', (chunk) => (passed += Buffer.from(chunk).toString('utf8')));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) filter.write(bytes.subarray(at, at + size));
  filter.end();
  return passed;
}

test('leaves out lines with the prefix, however the text is chunked', () => {
  for (const size of [1, 3, 7, 1000]) {
    expect(filtered('a\n\ndrop me not\ndrop\nkeep: drop me\ndrop me', size)).toBe('a\n\ndrop\nkeep: drop me\n');
    expect(filtered('drop me\nlast', size)).toBe('last');
  }
});
