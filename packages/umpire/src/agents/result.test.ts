import { expect, test } from 'vitest';
import { assignmentOf } from '../../../../test/support/assignment.js';
import type { Assignment, Ending } from '@umpire/core/model/ports.js';
import { readProgramResult } from './result.js';
import type { Exit, ProgramOutput } from './result.js';
import { UNKNOWN_USAGE } from './known/known-agent.js';

interface Given {
  readonly file?: string;
  readonly fault?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit?: Exit;
}

function read(
  { file, fault, stdout = '', stderr = '', exit = { code: 0, signal: null } }: Given,
  changes: Partial<Assignment> = {},
): Ending {
  const handed = { file: file === undefined ? null : Buffer.from(file), stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exit };
  return readProgramResult(fault === undefined ? handed : { ...handed, fault }, assignmentOf(changes), 'mine').ending;
}

const DONE = { kind: 'completed', findings: '', error: '', outputs: { review_score: '', gc_signal: '' }, usage: UNKNOWN_USAGE } as const;

function check(stdout: string, expected: Partial<Ending>, changes: Partial<Assignment> = {}): void {
  expect(read({ stdout }, changes)).toEqual({ ...DONE, ...expected });
}

function checkBroken(given: Given, reason: string, changes: Partial<Assignment> = {}): void {
  expect(read(given, changes)).toEqual({ kind: 'broken', reason, usage: UNKNOWN_USAGE });
}

test('turns a result into cells', () => {
  check('{"id":"DEV-001","status":"completed","findings":"All good."}', { findings: 'All good.' });
  check('{"status":" Completed ","review_score":7.5,"gc_signal":["a","b"],"else":1}', {
    outputs: { review_score: '7.5', gc_signal: 'a;b' },
  });
  check('{"status":"completed","findings":["one","two"],"review_score":null,"gc_signal":{"a":[1]}}', {
    findings: 'one; two',
    outputs: { review_score: '', gc_signal: '{"a":[1]}' },
  });
  check('{"status":"completed","findings":{"high":2},"gc_signal":true}', {
    findings: '{"high":2}',
    outputs: { review_score: '', gc_signal: 'true' },
  });
  check('{"status":"failed","error":"No network."}', { kind: 'failed', error: 'No network.' });
  check('{"status":"failed"}', { kind: 'failed', error: 'The agent reported failed without a reason.' });
  check('{"status":"completed","error":"one warning"}', { error: 'one warning' });
});

test('removes control characters and limits the length of cells', () => {
  check(JSON.stringify({ status: 'completed', findings: 'a\u0000b\u001b[2J\r\nc\ud800' }), { findings: 'a b [2J\nc\ufffd' });
  check(JSON.stringify({ status: 'completed', findings: 'x'.repeat(501), gc_signal: 'y'.repeat(2001) }), {
    findings: `${'x'.repeat(497)}...`,
    outputs: { review_score: '', gc_signal: `${'y'.repeat(1997)}...` },
  });
  check(JSON.stringify({ status: 'completed', findings: 'x'.repeat(500) }), { findings: 'x'.repeat(500) });
});

test('a column named like an object member is empty unless the result has it', () => {
  check('{"status":"completed"}', { outputs: { constructor: '' } }, { outputs: ['constructor'] });
});

test('the result file counts before the output, unless it is empty', () => {
  const stdout = '{"status":"failed","error":"printed"}';
  expect(read({ file: '{"status":"completed"}', stdout })).toEqual(DONE);
  expect(read({ file: '```json\n{"status":"completed"}\n```\n', stdout })).toEqual(DONE);
  expect(read({ file: ' \n', stdout })).toMatchObject({ kind: 'failed', error: 'printed' });
  checkBroken({ file: 'done', stdout }, 'The agent "mine" wrote a result file without a JSON object.');
  checkBroken({ fault: 'it is a folder', stdout }, 'The agent "mine" left an unreadable result file: it is a folder.');
  checkBroken({ file: '{"id":"X","status":"completed"}' }, 'The result file is invalid: its id is "X", but the task is "DEV-001".');
});

test('only the last object counts', () => {
  const where = 'The last JSON object on its output is invalid: ';
  check('{"status":"failed"}\n{"status":"completed"}\nBye.', {});
  checkBroken({ stdout: '{"status":"completed"}\n{"level":"info"}' }, `${where}it has no status; expected completed or failed.`);
  checkBroken({ stdout: '{"id":"DEV-002","status":"completed"}' }, `${where}its id is "DEV-002", but the task is "DEV-001".`);
  checkBroken({ stdout: '{"status":"done"}' }, `${where}its status is "done"; expected completed, failed or blocked.`);
  checkBroken({ stdout: '{"status":["completed"]}' }, `${where}its status is "completed"; expected completed, failed or blocked.`);
  checkBroken(
    { stdout: 'All done!' },
    'The agent "mine" returned no result: no result file and no JSON object in its output. Its last line should be: {"status":"completed","findings":"what it did"} (docs/agents.md, "Your own program").',
  );
});

test('only the end of the output is searched', () => {
  const old = '{"status":"completed"}';
  expect(read({ stdout: `${old}${' '.repeat(1024 * 1024)}` }).kind).toBe('broken');
  expect(read({ stdout: `${' '.repeat(1024 * 1024)}${old}` }).kind).toBe('completed');
});

test('a question is valid only in an interactive task', () => {
  const stdout = '{"id":"DEV-001","question":"Which bank?"}';
  expect(read({ stdout }, { interactive: true })).toEqual({ kind: 'asked', question: 'Which bank?', usage: UNKNOWN_USAGE });
  const strict = '{"status":null,"findings":"","error":null,"question":"Which bank?"}';
  expect(read({ stdout: strict }, { interactive: true })).toMatchObject({ kind: 'asked', question: 'Which bank?' });
  checkBroken(
    { stdout },
    'The last JSON object on its output is invalid: it asks a question, but the task is not interactive; expected status completed or failed.',
  );
  expect(read({ stdout: '{"status":"completed","question":"Which bank?"}' }, { interactive: true })).toEqual(DONE);
  expect(read({ stdout, exit: { code: 1, signal: null } }, { interactive: true })).toMatchObject({ kind: 'broken' });
});

test('events carry the result, the usage and the error; the result file still counts first', () => {
  const usage = { tokens: 3150, costUsd: 0.5 };
  const handed = (text: string, more: Partial<ProgramOutput> = {}) => {
    const stdout = Buffer.from('{"type":"turn.completed","status":"failed"}');
    const report = { text, usage, fault: 'Reconnecting... 1/5' };
    return readProgramResult(
      { file: null, stdout, stderr: Buffer.from('words'), exit: { code: 0, signal: null }, report, ...more },
      assignmentOf(),
      'mine',
    ).ending;
  };
  expect(handed('Done: {"status":"completed","findings":"ok"}')).toEqual({ ...DONE, findings: 'ok', usage });
  expect(handed('Done.', { file: Buffer.from('{"status":"completed"}') })).toEqual({ ...DONE, usage });
  const none = 'The agent "mine" returned no result: its answer has no JSON object. It answered: "Done.".';
  expect(handed('Done.')).toEqual({ kind: 'broken', reason: `${none} Last output: "Reconnecting... 1/5".`, usage });
  expect(handed('', { exit: { code: 1, signal: null } })).toEqual({
    kind: 'broken',
    reason: 'The agent "mine" exited with status 1. Last output: "Reconnecting... 1/5".',
    usage,
  });
});

test('a bad exit breaks a completed result and quotes the last output', () => {
  const stdout = '{"status":"completed"}';
  checkBroken({ stdout, exit: { code: 3, signal: null } }, 'The agent "mine" exited with status 3, although its result says completed.');
  checkBroken({ exit: { code: null, signal: 'SIGSEGV' } }, 'The agent "mine" was killed by signal SIGSEGV.');
  checkBroken(
    { exit: { code: 1, signal: null }, stderr: 'Starting\n\u001b[31mInvalid API key\u001b[0m\n\n' },
    'The agent "mine" exited with status 1. Last output: "Invalid API key".',
  );
  const error = { session_id: 'x', error: { type: 'Error', message: 'Invalid API key', code: 41 } };
  checkBroken(
    { exit: { code: 41, signal: null }, stderr: `Trying\n    at run (x.js:1:1) {\n  status: 401\n}\n${JSON.stringify(error, null, 2)}\n` },
    'The agent "mine" exited with status 41. Last output: "Invalid API key".',
  );
  const answer = '{"is_error":true,"result":"Failed.\\nInvalid API key","type":"result"}';
  checkBroken(
    { exit: { code: 1, signal: null }, stdout: answer },
    'The agent "mine" exited with status 1. Last output: "Invalid API key".',
  );
  checkBroken({ exit: { code: 1, signal: null }, stdout: 'no', stderr: '}' }, 'The agent "mine" exited with status 1. Last output: "}".');
  expect(read({ stdout: '{"status":"failed","error":"x"}', exit: { code: 1, signal: null } })).toMatchObject({
    kind: 'failed',
    error: 'x',
  });
});

test('reads the usage under all its names', () => {
  const used = (stdout: string): unknown => (read({ stdout }) as { usage: unknown }).usage;
  expect(used('{"status":"completed","usage":{"tokens":12,"cost_usd":0.5}}')).toEqual({ tokens: 12, costUsd: 0.5 });
  expect(used('{"status":"completed","usage":{"total_cost_usd":2}}')).toEqual({ tokens: 0, costUsd: 2, unknown: ['tokens'] });
  expect(used('{"status":"completed","total_cost_usd":3}')).toEqual({ tokens: 0, costUsd: 3, unknown: ['tokens'] });
  expect(used('{"status":"completed","usage":{"tokens":-1,"cost_usd":"much"}}')).toEqual(UNKNOWN_USAGE);
  expect(used('{"status":"perhaps","usage":{"input_tokens":5,"output_tokens":6}}')).toEqual({ tokens: 11, costUsd: 0, unknown: ['cost'] });
});

test('unwraps the answers of coding agents, with their cost', () => {
  const claude = (result: unknown): string =>
    JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result,
      total_cost_usd: 0.25,
      usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 3 },
    });
  const spent = { tokens: 123, costUsd: 0.25 };
  check(claude('Done.\n```json\n{"status":"completed","findings":"ok"}\n```'), { findings: 'ok', usage: spent });
  expect(read({ stdout: claude('Credit balance is too low') })).toEqual({
    kind: 'broken',
    reason: 'The agent "mine" returned no result: its answer has no JSON object. It answered: "Credit balance is too low".',
    usage: spent,
  });
  expect(read({ stdout: claude('bye'), file: '{"status":"completed"}' })).toEqual({ ...DONE, usage: spent });
  expect(read({ stdout: claude('bye'), exit: { code: 1, signal: null } })).toMatchObject({ kind: 'broken', usage: spent });
  const gemini = { response: '{"status":"completed"}', stats: { models: { a: { tokens: { total: 7 } }, b: { tokens: { total: 5 } } } } };
  check(JSON.stringify(gemini, null, 2), { usage: { tokens: 12, costUsd: 0, unknown: ['cost'] } });
});

test('says that the output was too long to search, and how to see all of it', () => {
  const long = `{"status":"completed","findings":"${'x'.repeat(1_100_000)}"}`;
  const where = 'it should write its result to the file at UMPIRE_RESULT_FILE. Full output: umpire logs';
  expect(read({ stdout: long })).toMatchObject({
    kind: 'broken',
    reason: expect.stringContaining(`Umpire searches only the last 1 MB of its output for a result; ${where} `),
  });
  expect(read({ stdout: 'no' })).toMatchObject({ kind: 'broken', reason: expect.not.stringContaining('1 MB') });
  expect(read({ stdout: `${'y'.repeat(2_000_000)}\n{"status":"completed"}` })).toEqual(DONE);
});
