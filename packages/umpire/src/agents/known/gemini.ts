// Gemini CLI. Its events are pieces of messages and a result.

import { join } from 'node:path';
import { NOTED, describeToolCall, getCount, getObject, getText, readFault, sumTokens } from '@umpire/core/formats/agent-event.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { NO_API_ERROR_INFO, readApiError } from '@umpire/core/formats/model-api-error.js';
import type { Assignment } from '@umpire/core/model/ports.js';
import { READING_COMMANDS, allowedCommands } from '../permissions.js';
import { describeRules, joinPrompt, option, makeUsage, readOwnEvents } from './known-agent.js';
import type { KnownAgent } from './known-agent.js';

export const gemini: KnownAgent = {
  name: 'gemini',
  program: 'gemini',
  // Without a person it runs no command that no policy allows, and edits only in trusted folders; a worktree is always new.
  plan: ({ assignment, write, prompt, conversation }) => {
    const args = [
      ...option('--approval-mode', assignment.writes ? 'auto_edit' : 'default'),
      ...option('--output-format', 'stream-json'),
      ...option('--policy', write('policy.toml', writePolicy(assignment))),
      ...option('--include-directories', assignment.session),
      ...option('--resume', conversation),
    ];
    const env = { GEMINI_CLI_TRUST_WORKSPACE: process.env['GEMINI_CLI_TRUST_WORKSPACE'] ?? 'true' };
    return { args, env, message: joinPrompt(prompt) };
  },
  isBoundToFolder: true,
  reportsCost: false,
  describePermissions: describeRules,
  acp: { argv: (session) => ['gemini', '--acp', '--include-directories', session], reportsCost: false },
  events: readOwnEvents(isGeminiEvent, {
    init: () => NOTED,
    message: (event) => {
      if (own(event, 'role') !== 'assistant') return NOTED;
      const text = own(event, 'content');
      const piece = own(event, 'delta') === true ? { isPiece: true as const } : {};
      return { kind: 'said', text: typeof text === 'string' ? text : '', ...piece };
    },
    tool_use: (event) => {
      const tool = getText(event, 'tool_name');
      return tool !== null ? { kind: 'did', what: describeToolCall(tool, getObject(event, 'parameters')) } : null;
    },
    tool_result: (event) => {
      return own(event, 'status') === 'error'
        ? { kind: 'did', what: `failed: ${readFault(event) ?? getText(event, 'output') ?? ''}` }
        : NOTED;
    },
    // It counts tokens, but no cost.
    result: (event) => {
      const stats = getObject(event, 'stats');
      if (stats === null) return null;
      const isFault = own(event, 'status') === 'error';
      const signs = isFault ? readApiError(event) : NO_API_ERROR_INFO;
      const why = isFault ? (readFault(event) ?? '') : null;
      return { kind: 'ended', text: '', tokens: getCount(stats, 'total_tokens'), costUsd: null, why, signs, refused: [] };
    },
  }),
  conversationMember: 'session_id',
  // `--output-format json` counts by model: `{models: {NAME: {tokens: {total}}}}`.
  readAnswer: (object) => {
    const [response, stats] = [own(object, 'response'), getObject(object, 'stats')];
    if (typeof response !== 'string' || stats === null) return null;
    const models = Object.values(getObject(stats, 'models') ?? {}).filter((model) => isObject(model));
    const tokens = models.reduce((sum, model) => sum + sumTokens(own(model, 'tokens')), 0);
    return { text: response, usage: makeUsage(tokens, null) };
  },
  failures: {
    passing: [/\bresource (?:has been )?exhausted\b/i, /\bno capacity available\b/i, /\bAPI Error: terminated\b/i],
    // With a retry time it is a limit per minute, which passes.
    limit: [/\bexceeded your current quota\b(?!.{0,600}\bretry in \d)/is, /\bexhausted your (?:daily quota|capacity|quota)\b/i],
  },
  listState: (home) => [
    { place: join(home.locate('GEMINI_CLI_HOME', ''), '.gemini'), login: 'oauth_creds.json', emptied: ['history', 'tmp'] },
  ],
  provider: { fleet: 'google', telemetry: 'gcp.gemini' },
  steeredBy: ['.gemini/settings.json', '.gemini/hooks/'],
  instructedBy: ['GEMINI.md', '.gemini/'],
  hooks: {
    files: [{ path: '.gemini/settings.json', form: 'json', hooks: 'gemini/hooks/hooks.json', servers: 'mcpServers' }],
    next: 'Start gemini in the project, and trust the folder.',
    events: { SessionStart: 'start', AfterAgent: 'stop', BeforeTool: 'tool' },
  },
};

function writePolicy(assignment: Assignment): string {
  const commands = [...READING_COMMANDS, ...allowedCommands(assignment)].map((command) => JSON.stringify(command));
  const path = JSON.stringify(assignment.session)
    .slice(1, -1)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const edits = 'toolName = ["write_file", "replace"]';
  const rules = [
    ['toolName = "run_shell_command"', `commandPrefix = [${commands.join(', ')}]`, 'decision = "allow"', 'priority = 500'],
    // Readers write only there. It refuses a pattern that could take long, so that one rule cannot say all of this.
    [edits, `argsPattern = ${JSON.stringify(`"file_path":"${path}/[^"]*"`)}`, 'decision = "allow"', 'priority = 500'],
    [edits, `argsPattern = ${JSON.stringify(String.raw`"file_path":"[^"]*/\.\./`)}`, 'decision = "deny"', 'priority = 600'],
  ];
  return rules.map((lines) => ['[[rule]]', ...lines, ''].join('\n')).join('\n');
}

/** Other programs print such a `type` too, but not with this. */
function isGeminiEvent(event: JsonObject): boolean {
  return getText(event, 'timestamp') !== null;
}
