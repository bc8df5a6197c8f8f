// Claude Code.

import { NOTED, describeToolCall, getCount, getObject, getText, sumCounts } from '@umpire/core/formats/agent-event.js';
import type { AgentEvent, MessageUsage } from '@umpire/core/formats/agent-event.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { NO_API_ERROR_INFO, readApiError, readResetTime } from '@umpire/core/formats/model-api-error.js';
import { allowedCommands } from '../permissions.js';
import { describeRules, messageFor, option, UNKNOWN_USAGE, readUsage, readOwnEvents } from './known-agent.js';
import type { AgentPlan, AgentTask, KnownAgent } from './known-agent.js';

export const claude: KnownAgent = {
  name: 'claude',
  program: 'claude',
  plan: planClaude,
  messages: {
    prompt: (text) => ({ type: 'user', message: { role: 'user', content: text } }),
    interrupt: { type: 'control_request', request_id: 'umpire', request: { subtype: 'interrupt' } },
  },
  // It prints each message in small pieces, then as a whole.
  unlogged: '{"type":"stream_event","event":{"type":"content_block_',
  reportsCost: true,
  describePermissions: describeRules,
  acp: {
    argv: () => ['claude-agent-acp'],
    // After its turn it would ask its model what a person may type next.
    env: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' },
    reportsCost: true,
  },
  events: readOwnEvents(isClaudeEvent, {
    system: (event) =>
      own(event, 'subtype') !== 'permission_denied'
        ? NOTED
        : { kind: 'did', what: `${getText(event, 'tool_name') ?? 'a tool'} was refused: ${getText(event, 'message') ?? 'not allowed'}` },
    assistant: (event) => {
      // A message arrives in pieces, each as its own message. Words of a subagent are not an answer.
      const content = own(getObject(event, 'message') ?? {}, 'content');
      const pieces = Array.isArray(content) ? content.filter((piece) => isObject(piece)) : [];
      const text = pieces.map((piece) => (own(piece, 'type') === 'text' ? (getText(piece, 'text') ?? '') : '')).join('');
      if (text !== '') return getText(event, 'parent_tool_use_id') === null ? { kind: 'said', text } : NOTED;
      const used = pieces.find((piece) => own(piece, 'type') === 'tool_use');
      return used === undefined ? NOTED : { kind: 'did', what: describeToolCall(getText(used, 'name'), getObject(used, 'input')) };
    },
    user: () => NOTED,
    stream_event: () => NOTED,
    rate_limit_event: (event) => {
      // Sent at each change; only a rejected request stops the run.
      const info = getObject(event, 'rate_limit_info') ?? {};
      return own(info, 'status') === 'rejected' ? { kind: 'limited', resetsAtMs: readResetTime(info) ?? null } : NOTED;
    },
    result: readEnd,
  }),
  conversationMember: 'session_id',
  readMessageUsage,
  // `--output-format json`
  readAnswer: (object) => {
    if (own(object, 'type') !== 'result' || own(object, 'status') !== undefined) return null;
    const result = own(object, 'result');
    return { text: typeof result === 'string' ? result : '', usage: readUsage(object) ?? UNKNOWN_USAGE };
  },
  failures: {
    passing: [/\bserver is temporarily limiting requests\b/i],
    budget: [/\berror_max_budget_usd\b|\b(?:Reached maximum|Exceeded USD) budget\b/],
    'sign-in': [/\bFix external API key\b/i],
  },
  listState: (home) => [
    {
      place: home.locate('CLAUDE_CONFIG_DIR', '.claude'),
      login: '.credentials.json',
      emptied:
        'backups debug file-history image-cache logs paste-cache projects session-env shell-snapshots statsig tasks telemetry todos'.split(
          ' ',
        ),
    },
    { place: home.locate('', '.claude.json') },
  ],
  provider: { fleet: 'anthropic', telemetry: 'anthropic' },
  steeredBy: ['.mcp.json', '.claude/settings*.json', '.claude/hooks/'],
  instructedBy: ['CLAUDE.md', 'CLAUDE.local.md', '.claude/', '.claude-plugin/'],
  hooks: {
    files: [
      { path: '.claude/settings.json', form: 'json', hooks: 'hooks/hooks.json' },
      { path: '.mcp.json', form: 'json', servers: 'mcpServers' },
    ],
    next: 'Start claude in the project.',
    events: { SessionStart: 'start', Stop: 'stop', SubagentStop: 'substop', PreToolUse: 'tool' },
  },
};

/** `--add-dir` and `--allowedTools` take several words, so an option follows them, or nothing. */
function planClaude(task: AgentTask): AgentPlan {
  const { assignment, prompt, schema, conversation } = task;
  const { session, writes, budget } = assignment;
  // A rule for files would read other signs as a pattern.
  const mayEdit = writes || !/^[\w./ @+=,-]+$/.test(session);
  const rules = [
    ...(mayEdit ? [] : [`Edit(/${session}/**)`]),
    ...allowedCommands(assignment).flatMap((command) => [`Bash(${command})`, `Bash(${command}:*)`]),
  ];
  const args = [
    '-p',
    ...option('--input-format', 'stream-json'),
    ...option('--output-format', 'stream-json'),
    '--verbose',
    // With these events, the usage of each message is known before the end.
    '--include-partial-messages',
    ...option('--permission-mode', mayEdit ? 'acceptEdits' : 'default'),
    ...(rules.length === 0 ? [] : ['--allowedTools', ...rules]),
    ...option('--json-schema', schema),
    ...option('--append-system-prompt-file', prompt.system === '' ? null : task.write('system.md', prompt.system)),
    // It refuses zero.
    ...option('--max-budget-usd', budget.costUsd === null ? null : String(Math.max(0.0001, Number(budget.costUsd.toFixed(4))))),
    ...option('--resume', conversation),
    ...option('--add-dir', session),
  ];
  return { args, message: messageFor(task) };
}

/** Other programs print such a `type` too, but not these together. */
function isClaudeEvent(event: JsonObject): boolean {
  return getText(event, 'session_id') !== null && getText(event, 'uuid') !== null;
}

const API_COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
const MODEL_COUNTS = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'];

function readEnd(event: JsonObject): AgentEvent {
  const structured = getObject(event, 'structured_output');
  const text = structured === null ? (getText(event, 'result') ?? '') : JSON.stringify(structured);
  const denials = own(event, 'permission_denials');
  const refused = (Array.isArray(denials) ? denials : [])
    .filter((denial) => isObject(denial))
    .map((denial) => describeToolCall(getText(denial, 'tool_name'), getObject(denial, 'tool_input')));
  const isFault = own(event, 'is_error') === true;
  const errors = own(event, 'errors');
  const error: unknown = Array.isArray(errors) ? errors[0] : undefined;
  // Some errors have only a name, such as error_max_turns.
  const why = isFault ? text || (typeof error === 'string' ? error : (getText(event, 'subtype') ?? '')) : null;
  const signs = isFault ? readApiError(event) : NO_API_ERROR_INFO;
  const ended = { kind: 'ended', text: isFault ? '' : text, why, signs, refused } as const;
  // By model, since `usage` excludes subagents. A continued conversation has its earlier runs in all counts but the first.
  const since = getObject(event, 'model_usage_since_last_result');
  const models = Object.values(since ?? getObject(event, 'modelUsage') ?? {}).filter((model) => isObject(model));
  const tokens = models.reduce((all, model) => all + sumCounts(model, MODEL_COUNTS), 0);
  if (since !== null)
    return { ...ended, tokens, costUsd: models.reduce((all, model) => all + getCount(model, 'costUSD'), 0), isSince: true };
  return {
    ...ended,
    tokens: models.length === 0 ? sumCounts(getObject(event, 'usage') ?? {}, API_COUNTS) : tokens,
    costUsd: getCount(event, 'total_cost_usd'),
  };
}

/** Only the event at the end of a message has all of its output. */
function readMessageUsage(event: JsonObject): MessageUsage | null {
  if (!isClaudeEvent(event)) return null;
  const streamed = own(event, 'type') === 'stream_event' ? getObject(event, 'event') : null;
  const message = getObject(streamed ?? event, 'message');
  const id = message === null ? getText(event, 'api_message_id') : getText(message, 'id');
  const usage = getObject(message ?? streamed ?? {}, 'usage');
  if (id === null || usage === null) return null;
  const output = getCount(usage, 'output_tokens');
  return { id, input: sumCounts(usage, API_COUNTS) - output, output };
}
