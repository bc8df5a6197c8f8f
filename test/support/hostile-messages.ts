// Messages that a hostile or broken client sends to `umpire mcp`, and events that a hostile agent sends to `umpire hook`.

import { mutations, pick } from './mutate.js';
import type { Below } from './mutate.js';

const DEEP = 20_000;
const LONG = 'x'.repeat(3_000_000);

/** Sessions, files, loops and commits that lead out of the project, never end, or are flags and commands. */
const PLACES = [
  '..',
  '../outside',
  '../outside/session',
  '/etc',
  '/etc/passwd',
  '/dev/zero',
  '/dev/stdin',
  '/proc/self/environ',
  './link/session',
  './pipe',
  '',
  '\0',
  '-',
  '--help',
  '--output=pwned',
  '--upload-pack=touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  'waiting; touch pwned',
  '__proto__',
  '\x1B[2J‮',
  'x/../../../outside',
  '.umpire/sessions/waiting/../../../../outside',
  'a'.repeat(5e3),
  'http://127.0.0.1:1/',
];

const call = (name: unknown, given: unknown, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: `${String(name)}-1`, method: 'tools/call', params: { name, arguments: given, ...more } });

const CALLS = [
  ...PLACES.flatMap((place) => [call('decide', { loop: 'review', session: place }), call('read', { reports: [place] })]),
  ...PLACES.slice(2, 8).flatMap((place) => [
    call('report', { session: place }),
    call('guard', { base: place }),
    call('check', { loop: place }),
  ]),
  ...['resolve', 'apply', 'trust', 'run', 'until', 'resume', 'clean', 'constructor', '', 7].map((name) =>
    call(name, { session: 'waiting', answer: 'force-approve', reason: 'fine' }),
  ),
  ...[
    { maxRounds: 99 },
    { answer: 'force-approve' },
    { force: true },
    { round: 9 },
    { dryRun: 'no' },
    { strict: null },
    { layer: '../x' },
  ].map((more) => call('decide', { loop: 'review', session: 'waiting', ...more })),
  call('read', { reports: Array.from({ length: 101 }, () => '/dev/zero') }),
  call('diff', { session: 'waiting', round: -1 }),
  call('diff', { session: 'waiting', round: 1e300 }),
  call('status', null),
  call('status', [1]),
  call('list', {}, { _meta: { progressToken: { a: 1 } } }),
];

const PROTOCOL = [
  '',
  ' ',
  'null',
  '[]',
  '[[]]',
  '{}',
  '7',
  '"x"',
  '{',
  '}{',
  '\0',
  '﻿{}',
  'Content-Length: 5',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '['.repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `{"jsonrpc":"2.0","id":1,"method":"${LONG}"}`,
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
  '{"jsonrpc":"2.0","id":2,"method":7}',
  '{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}',
  '{"jsonrpc":"2.0","id":4,"method":"shutdown"}',
  '{"jsonrpc":"2.0","id":5,"result":{}}',
  '{"jsonrpc":"2.0","id":6,"error":{"code":1,"message":"x"}}',
  '{"jsonrpc":"2.0","id":7}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
  '{"jsonrpc":"2.0","id":9,"method":"prompts/get"}',
  '{"jsonrpc":"2.0","id":10,"method":"initialize","params":{}}',
  '{"__proto__":{"method":"ping"},"jsonrpc":"2.0","id":11}',
  '{"jsonrpc":"2.0","id":12,"method":"logging/setLevel","params":{"level":"x"}}',
  '{"jsonrpc":"2.0","id":13,"method":"completion/complete"}',
];

export const MCP_MESSAGES: readonly string[] = [...PROTOCOL, ...CALLS];

/** One line, as the protocol demands. */
export function randomMessage(below: Below): string {
  const [message = ''] = [...mutations([pick(CALLS, below)], 2, below(2 ** 31))].slice(1);
  return message.replaceAll(/[\n\r]/g, ' ');
}

export interface HookAttack {
  readonly event: string;
  readonly text: string;
  /** It changes a record or answers for the person: the hook must refuse. */
  readonly isRefused: boolean;
}

const hook = (event: string, given: unknown, isRefused = false): HookAttack => ({
  event,
  text: typeof given === 'string' ? given : JSON.stringify(given),
  isRefused,
});
const edits = (path: unknown) => ({ tool_name: 'Write', tool_input: { file_path: path } });
const runs = (command: unknown) => ({ tool_name: 'Bash', tool_input: { command } });

const RECORDS = [
  '.umpire/sessions/waiting/journal.ndjson',
  './.umpire/../.umpire/sessions/waiting/journal.ndjson',
  'inner/records/journal.ndjson',
  '.umpire/sessions/waiting/verdicts/review-1-round-1.md',
  '.umpire/sessions/waiting/blobs/ab/cd',
  '.umpire/agent-sessions/x.json',
];

const ANSWERS = [
  'umpire resolve waiting force-approve --reason fine',
  'npx umpire resolve waiting abort',
  'node dist/umpire.cjs resolve waiting agree',
  'true; umpire resolve',
  '"umpire" resolve waiting',
  'umpire \\\n  resolve waiting',
  'umpire	resolve waiting',
  'sh -c "umpire resolve waiting"',
  'x=$(umpire resolve waiting)',
  'umpire decide review waiting --max-rounds 9',
  'umpire resume waiting --max-rounds=9',
  'umpire apply waiting --force',
  'umpire clean --force',
];

const VALUES: readonly unknown[] = [
  null,
  7,
  true,
  [],
  {},
  '',
  '\u0000',
  '../../outside',
  '/',
  '/dev/zero',
  'x'.repeat(100_000),
  '\u001b[2J',
  '__proto__',
  ['a'],
];
const MEMBERS = ['cwd', 'session_id', 'stop_hook_active', 'tool_name', 'tool_input', 'hook_event_name'];

const BROKEN = [
  '',
  'null',
  '[]',
  '7',
  '"x"',
  '{',
  '{"cwd":',
  '\u0000',
  '\ufeff{}',
  '['.repeat(DEEP),
  `${'{"tool_input":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
];

export const HOOK_MESSAGES: readonly HookAttack[] = [
  ...RECORDS.flatMap((path) => [hook('PreToolUse', edits(path), true), hook('BeforeTool', { tool_name: 'x', tool_input: { path } }, true)]),
  ...ANSWERS.map((command) => hook('PreToolUse', runs(command), true)),
  ...VALUES.flatMap((value) => [hook('PreToolUse', edits(value)), hook('PreToolUse', runs(value))]),
  ...MEMBERS.flatMap((member) => VALUES.filter((value) => value !== '/').map((value) => hook('SessionStart', { [member]: value }))),
  ...['../../../outside/x', '/etc/x', '\u0000', '__proto__', 'a'.repeat(5_000), '.', '..', 'CON'].map((id) =>
    hook('SessionStart', { session_id: id }),
  ),
  ...BROKEN.flatMap((text) => [hook('PreToolUse', text), hook('SessionStart', text)]),
  ...['../../../outside/x', '__proto__', 'a'.repeat(5_000)].map((id) => hook('Stop', { session_id: id, stop_hook_active: false })),
  ...['', '--help=x', 'Stop\u0000', '__proto__', 'constructor', '../x'].map((event) => hook(event, {})),
];

export function randomEvent(below: Below): HookAttack {
  const { event, text } = pick(HOOK_MESSAGES, below);
  const [changed = ''] = [...mutations([text.slice(0, 2_000)], 2, below(2 ** 31))].slice(1);
  return hook(event, changed);
}
