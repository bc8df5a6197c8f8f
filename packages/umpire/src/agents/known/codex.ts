// Codex. Its events are items and turns.

import { NOTED, getObject, getText, readFailure, sumCounts } from '@umpire/core/formats/agent-event.js';
import { isObject, own } from '@umpire/core/formats/json-text.js';
import { joinPrompt, messageFor, option } from './known-agent.js';
import type { AgentPlan, AgentTask, KnownAgent } from './known-agent.js';

export const codex: KnownAgent = {
  name: 'codex',
  program: 'codex',
  subcommand: 'exec',
  plan: planCodex,
  reportsCost: false,
  describePermissions: () => 'write in its working folder and the session folder; run any command there without network (its own sandbox)',
  acp: { argv: () => ['codex-acp'], reportsCost: false },
  events: {
    'thread.started': () => NOTED,
    'turn.started': () => NOTED,
    'item.started': () => NOTED,
    'item.updated': () => NOTED,
    'item.completed': (event) => {
      const item = getObject(event, 'item');
      if (item === null) return null;
      switch (own(item, 'type')) {
        case 'agent_message':
          return { kind: 'said', text: getText(item, 'text') ?? '' };
        case 'error':
          return { kind: 'did', what: getText(item, 'message') ?? 'something went wrong' };
        case 'command_execution': {
          const code = own(item, 'exit_code');
          const exit = typeof code === 'number' && code !== 0 ? ` (exit status ${code})` : '';
          return { kind: 'did', what: `$ ${getText(item, 'command') ?? ''}${exit}` };
        }
        case 'file_change': {
          const changes = own(item, 'changes');
          const paths = Array.isArray(changes) ? changes.map((change) => (isObject(change) ? getText(change, 'path') : null)) : [];
          return { kind: 'did', what: `changed ${paths.filter((path) => path !== null).join(', ')}` };
        }
        case 'web_search':
          return { kind: 'did', what: `searched for ${getText(item, 'query') ?? 'something'}` };
        case 'mcp_tool_call':
          return { kind: 'did', what: `called ${getText(item, 'tool') ?? 'a tool'}` };
        default:
          return NOTED;
      }
    },
    'turn.completed': (event) => {
      const usage = getObject(event, 'usage');
      // Cached and reasoning tokens are included in these numbers.
      return usage === null
        ? NOTED
        : { kind: 'spent', tokens: sumCounts(usage, ['input_tokens', 'output_tokens']), costUsd: null, isTotal: true };
    },
    'turn.failed': readFailure,
    error: readFailure,
  },
  conversationMember: 'thread_id',
  failures: {
    passing: [
      /\bstream disconnected before completion\b/i,
      /\bexperiencing high demand\b/i,
      /\bmodel is at capacity\b/i,
      /\bwaiting for network\b/i,
    ],
    limit: [/\bquota exceeded\b/i],
  },
  listState: (home) => [
    { place: home.locate('CODEX_HOME', '.codex'), login: 'auth.json', emptied: ['archived_sessions', 'log', 'sessions', 'tmp'] },
  ],
  provider: { fleet: 'openai', telemetry: 'openai' },
  steeredBy: ['.codex/'],
  instructedBy: ['AGENTS.md', 'AGENTS.override.md', '.agents/'],
  hooks: {
    files: [
      { path: '.codex/hooks.json', form: 'json', hooks: 'hooks/hooks.json' },
      {
        path: '.codex/config.toml',
        form: 'table',
        // A server that is there stays as it is: only its own table is known to be Umpire's.
        known: /^\s*\[\s*mcp_servers\s*\.\s*"?umpire"?\s*\]/m,
        table: ([command, ...args]) =>
          `[mcp_servers.umpire]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify([...args, 'mcp'])}\n`,
      },
    ],
    next: 'Start codex in the project, and trust the hooks with /hooks. Codex skips hooks that nobody trusted.',
    events: { SessionStart: 'start', Stop: 'stop', SubagentStop: 'substop', PreToolUse: 'tool' },
  },
};

/** The system limits one argument to 128 kB. */
const MAX_ARGUMENT_CHARS = 30_000;

/**
 * Its sandbox allows writes in the working folder and the added folder, also to tasks that only read: with less they could not write their
 * evidence. A folder without git has its snapshot repository elsewhere.
 */
function planCodex(task: AgentTask): AgentPlan {
  const { assignment, prompt, schema, conversation } = task;
  const isLong = prompt.system.length > MAX_ARGUMENT_CHARS;
  const args = [
    '--json',
    ...option('--sandbox', 'workspace-write'),
    '--skip-git-repo-check',
    ...option('--color', 'never'),
    ...option('--add-dir', assignment.session),
    ...option('--output-schema', task.write('schema.json', schema)),
    ...option('--config', prompt.system === '' || isLong ? null : `developer_instructions=${JSON.stringify(prompt.system)}`),
    ...option('resume', conversation),
    '-',
  ];
  return { args, message: isLong ? joinPrompt(prompt) : messageFor(task) };
}
