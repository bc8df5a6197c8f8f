// opencode. Its events are parts and steps.

import { join, relative } from 'node:path';
import { NOTED, getCount, getObject, getText, readFailure, sumTokens } from '@umpire/core/formats/agent-event.js';
import { own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { READING_COMMANDS, allowedCommands } from '../permissions.js';
import { describeEdits, describeRules, joinPrompt, option } from './known-agent.js';
import type { KnownAgent } from './known-agent.js';

export const opencode: KnownAgent = {
  name: 'opencode',
  program: 'opencode',
  subcommand: 'run',
  // It refuses what it would have to ask for, such as other folders. Writers run commands as its own settings say.
  plan: ({ assignment, prompt, conversation }) => {
    const { session, workdir, writes } = assignment;
    const inSession = { [`${session}/*`]: 'allow', [`${relative(workdir, session)}/*`]: 'allow' };
    const commands = [...READING_COMMANDS, ...allowedCommands(assignment)].flatMap((command) => [command, `${command} *`]);
    const reading = {
      edit: { '*': 'deny', ...inSession },
      bash: { '*': 'deny', ...Object.fromEntries(commands.map((command) => [command, 'allow'])) },
    };
    const permission = { external_directory: { [`${session}/*`]: 'allow' }, ...(writes ? {} : reading) };
    const args = [...option('--format', 'json'), ...option('--session', conversation)];
    return { args, env: { OPENCODE_PERMISSION: JSON.stringify(permission) }, message: joinPrompt(prompt) };
  },
  // In another folder it would go on in the old one.
  isBoundToFolder: true,
  reportsCost: true,
  describePermissions: (task) =>
    task.writes ? `${describeEdits(task)}; run any command that your opencode settings allow` : describeRules(task),
  // It reports the usage of its last message alone.
  acp: { argv: () => ['opencode', 'acp'], countsTokens: false, reportsCost: false },
  events: {
    step_start: (event) => (getPart(event) === null ? null : NOTED),
    reasoning: (event) => (getPart(event) === null ? null : NOTED),
    text: (event) => {
      const part = getPart(event);
      return part === null ? null : { kind: 'said', text: getText(part, 'text') ?? '' };
    },
    // Its title names the file or the command.
    tool_use: (event) => {
      const part = getPart(event);
      if (part === null) return null;
      const state = getObject(part, 'state') ?? {};
      const error = getText(state, 'error');
      const words = [getText(part, 'tool') ?? 'a tool', getText(state, 'title'), error === null ? null : `(failed: ${error})`];
      return { kind: 'did', what: words.filter((word) => word !== null).join(' ') };
    },
    step_finish: (event) => {
      const part = getPart(event);
      return part === null ? null : { kind: 'spent', tokens: sumTokens(own(part, 'tokens')), costUsd: getCount(part, 'cost') };
    },
    error: readFailure,
  },
  conversationMember: 'sessionID',
  failures: {},
  listState: (home) => [
    { place: join(home.locate('XDG_CONFIG_HOME', '.config'), 'opencode') },
    { place: home.locate('OPENCODE_CONFIG_DIR', '.config/opencode') },
    {
      place: join(home.locate('XDG_DATA_HOME', '.local/share'), 'opencode'),
      login: 'auth.json',
      emptied: ['log', 'project', 'snapshot', 'storage', 'tool-output', 'worktree'],
    },
    { place: join(home.locate('XDG_STATE_HOME', '.local/state'), 'opencode') },
    { place: join(home.locate('XDG_CACHE_HOME', '.cache'), 'opencode') },
  ],
  provider: null,
  steeredBy: ['opencode.json', 'opencode.jsonc', '.opencode/'],
  instructedBy: ['AGENTS.md'],
  hooks: {
    files: [
      { path: '.opencode/plugin/umpire.js', form: 'script', from: 'opencode/umpire.js' },
      {
        path: 'opencode.json',
        form: 'json',
        servers: 'mcp',
        server: (argv) => ({ type: 'local', command: [...argv, 'mcp'], enabled: true }),
      },
    ],
    next: 'Start opencode in the project.',
    // Its plugin sends those of Claude Code.
    events: {},
  },
};

/** Its events name their session. */
function getPart(event: JsonObject): JsonObject | null {
  return getText(event, 'sessionID') === null ? null : getObject(event, 'part');
}
