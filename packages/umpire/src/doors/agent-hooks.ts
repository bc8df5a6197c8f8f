// `umpire init --hooks`: writes Umpire's hooks and MCP server into the settings of a coding agent in a project. The hooks are those of the
// plugin in `plugin/`. Other settings in these files are kept, and a second run changes nothing.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { lookUpProgram } from '../agents/program-lookup.js';
import { shellWord } from '../views/session-question.js';
import { packageRoot } from '../sessions/package-root.js';
import { openFolder, readBytes, writeAtomically } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { projectFor } from '../engine/project-folders.js';

export const HOOKED_AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type HookedAgent = (typeof HOOKED_AGENTS)[number];

export interface HooksRequest {
  readonly agent: HookedAgent;
  readonly project?: string;
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

interface HookFile {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  readonly state: 'new' | 'changed' | 'unchanged';
}

export interface WrittenHooks {
  readonly project: string;
  readonly files: readonly HookFile[];
  /** What the person does next, one sentence each. */
  readonly next: readonly string[];
}

export function writeAgentHooks({ agent, project: asked, dryRun = false }: HooksRequest): WrittenHooks {
  const project = projectFor(asked);
  const folder = openFolder(project);
  const argv = ownCommand(project);
  const files = AGENT_FILES[agent](argv).map(({ path, edit }): HookFile => {
    const before = textIn(folder, path);
    const text = edit(before, path);
    return { path, text, state: before === null ? 'new' : before === text ? 'unchanged' : 'changed' };
  });
  // All files are read and merged before the first is written.
  for (const { path, text, state } of files) if (!dryRun && state !== 'unchanged') writeAtomically(folder, path, text);
  const local =
    argv.length === 1
      ? []
      : ['The files name a path of this machine: `umpire` is not on the PATH. For others, run `npm install -g .` in its clone.'];
  return { project, files, next: [...local, ...NEXT[agent]] };
}

const NEXT: Readonly<Record<HookedAgent, readonly string[]>> = {
  claude: ['Start claude in the project.'],
  codex: ['Start codex in the project, and trust the hooks with /hooks. Codex skips hooks that nobody trusted.'],
  gemini: ['Start gemini in the project, and trust the folder.'],
  opencode: ['Start opencode in the project.'],
};

/** `umpire` where a shell finds it, else this installation. */
function ownCommand(project: string): readonly string[] {
  const isOnPath = 'place' in lookUpProgram({ argv: ['umpire'] }, project);
  return isOnPath ? ['umpire'] : ['node', join(packageRoot(), 'dist', 'umpire.cjs')];
}

interface FileEdit {
  readonly path: string;
  /** `before`: the file's text; null where there is none. */
  readonly edit: (before: string | null, path: string) => string;
}

const AGENT_FILES: Readonly<Record<HookedAgent, (argv: readonly string[]) => readonly FileEdit[]>> = {
  claude: (argv) => [
    { path: '.claude/settings.json', edit: addHooks('hooks/hooks.json', argv) },
    { path: '.mcp.json', edit: addServer('mcpServers', stdioServer(argv)) },
  ],
  codex: (argv) => [
    { path: '.codex/hooks.json', edit: addHooks('hooks/hooks.json', argv) },
    { path: '.codex/config.toml', edit: addTomlServer(argv) },
  ],
  gemini: (argv) => [
    {
      path: '.gemini/settings.json',
      edit: (before, path) => addServer('mcpServers', stdioServer(argv))(addHooks('gemini/hooks/hooks.json', argv)(before, path), path),
    },
  ],
  opencode: (argv) => [
    {
      path: '.opencode/plugin/umpire.js',
      edit: () => template('opencode/umpire.js').replace("const UMPIRE = ['umpire'];", `const UMPIRE = ${JSON.stringify(argv)};`),
    },
    { path: 'opencode.json', edit: addServer('mcp', { type: 'local', command: [...argv, 'mcp'], enabled: true }) },
  ],
};

function stdioServer([command, ...args]: readonly string[]): JsonObject {
  return { command, args: [...args, 'mcp'] };
}

const SERVER = 'umpire';

function addServer(member: string, server: JsonObject): FileEdit['edit'] {
  return (before, path) => {
    const settings = settingsIn(before, path);
    return print({ ...settings, [member]: { ...memberOf(settings, member, path), [SERVER]: server } }, before);
  };
}

const TOML_SERVER = /^\s*\[\s*mcp_servers\s*\.\s*"?umpire"?\s*\]/m;

/** A server that is there stays as it is: only its own table is known to be Umpire's. */
function addTomlServer([command, ...args]: readonly string[]): FileEdit['edit'] {
  const table = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify([...args, 'mcp'])}\n`;
  return (before) => {
    if (before === null || before.trim() === '') return table;
    return TOML_SERVER.test(before) ? before : `${before.trimEnd()}\n\n${table}`;
  };
}

/** Umpire's hook of an event is replaced where it is; all others stay. */
function addHooks(source: string, argv: readonly string[]): FileEdit['edit'] {
  const words = argv.map((word) => shellWord(word)).join(' ');
  const { hooks: wanted } = JSON.parse(template(source)) as { readonly hooks: Readonly<Record<string, readonly [HookGroup]>> };
  return (before, path) => {
    const settings = settingsIn(before, path);
    const hooks: Record<string, unknown> = { ...memberOf(settings, 'hooks', path) };
    for (const [event, [group]] of Object.entries(wanted)) {
      const known = hooks[event] ?? [];
      if (!Array.isArray(known)) throw new UmpireError('hooks-file', { path, detail: `hooks.${event} is not a list` });
      const own = { ...group, hooks: group.hooks.map((hook) => ({ ...hook, command: hook.command.replace(LAUNCHER, words) })) };
      const at = known.findIndex(isOwn);
      const others = (list: readonly unknown[]) => list.filter((one) => !isOwn(one));
      hooks[event] = at < 0 ? [...known, own] : [...known.slice(0, at), own, ...others(known.slice(at))];
    }
    return print({ ...settings, hooks }, before);
  };
}

interface HookGroup {
  readonly hooks: readonly { readonly command: string }[];
}

/** How the plugin's own files start Umpire. */
const LAUNCHER = /^node "[^"]*umpire\.cjs"/;
const OWN_COMMAND = /\bumpire(?:\.cjs)?["']?\s+hook\s+\w+\s*$/;

/** A group with other hooks beside Umpire's is the person's. */
function isOwn(group: unknown): boolean {
  const hooks = isObject(group) && Array.isArray(group['hooks']) ? (group['hooks'] as readonly unknown[]) : [];
  return (
    hooks.length > 0 && hooks.every((hook) => isObject(hook) && typeof hook['command'] === 'string' && OWN_COMMAND.test(hook['command']))
  );
}

function settingsIn(text: string | null, path: string): JsonObject {
  if (text === null || text.trim() === '') return {};
  const json = parseJson(text);
  if (json.ok && isObject(json.value)) return json.value;
  throw new UmpireError('hooks-file', { path, detail: json.ok ? 'it is not an object' : json.problem });
}

function memberOf(settings: JsonObject, name: string, path: string): JsonObject {
  const value = settings[name] ?? {};
  if (isObject(value)) return value;
  throw new UmpireError('hooks-file', { path, detail: `${name} is not an object` });
}

/** As the file is indented. A file that already says this stays byte for byte. */
function print(value: JsonObject, before: string | null): string {
  if (before !== null && before.trim() !== '') {
    const old = parseJson(before);
    if (old.ok && JSON.stringify(old.value) === JSON.stringify(value)) return before;
  }
  const [, indent = '  '] = /^\{\r?\n([ \t]+)/.exec(before ?? '') ?? [];
  return `${JSON.stringify(value, null, indent)}\n`;
}

function template(path: string): string {
  return readFileSync(join(packageRoot(), 'plugin', path), 'utf8');
}

function textIn(folder: SessionFolder, path: string): string | null {
  const read = readBytes(folder, path);
  if (read.kind === 'bytes') return decodeTolerantly(read.bytes);
  if (read.kind === 'missing') return null;
  throw new UmpireError('hooks-file', { path, detail: read.problem });
}
