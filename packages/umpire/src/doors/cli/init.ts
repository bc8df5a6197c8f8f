// `umpire init`: writes umpire.config.yaml, or the hooks of a coding agent. Prints the paths, or the texts with --dry-run.

import { join } from 'node:path';
import { AGENT_NAMES, KNOWN_AGENTS } from '../../agents/known/known-agents.js';
import { writeFirstSettings } from '../init.js';
import { lineOf } from '../../views/safe-text.js';
import { usage } from './arguments.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';
import { runUntilInterrupted } from './output.js';
import { readFileSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import type { HookFile, KnownAgent } from '../../agents/known/known-agent.js';
import { lookUpProgram } from '../../agents/program-lookup.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { packageRoot } from '../../sessions/package-root.js';
import { openFolder, readBytes, writeAtomically } from '../../sessions/session-folder.js';
import { projectFor } from '../../engine/project-folders.js';

interface HooksRequest {
  readonly agent: KnownAgent;
  readonly project?: string;
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

interface WrittenFile {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  readonly state: 'new' | 'changed' | 'unchanged';
}

interface WrittenHooks {
  readonly project: string;
  readonly files: readonly WrittenFile[];
  /** What the person does next, one sentence each. */
  readonly next: readonly string[];
}

export function writeAgentHooks({ agent, project: asked, dryRun = false }: HooksRequest): WrittenHooks {
  const project = projectFor(asked);
  const folder = openFolder(project);
  // `umpire` where a shell finds it, else this installation.
  const isOnPath = 'place' in lookUpProgram({ argv: ['umpire'] }, project);
  const argv = isOnPath ? ['umpire'] : ['node', join(packageRoot(), 'dist', 'umpire.cjs')];
  // All files are read and merged before the first is written.
  const files = agent.hooks.files.map((file): WrittenFile => {
    const { path } = file;
    const read = readBytes(folder, path);
    if (read.kind !== 'bytes' && read.kind !== 'missing') throw new UmpireError('hooks-file', { path, detail: read.problem });
    const before = read.kind === 'missing' ? null : decodeTolerantly(read.bytes);
    const text = editHookFile(file, before, argv);
    return { path, text, state: before === null ? 'new' : before === text ? 'unchanged' : 'changed' };
  });
  for (const { path, text, state } of files) if (!dryRun && state !== 'unchanged') writeAtomically(folder, path, text);
  const local = isOnPath
    ? []
    : ['The files name a path of this machine: `umpire` is not on the PATH. For others, run `npm install -g .` in its clone.'];
  return { project, files, next: [...local, agent.hooks.next] };
}

/** `before`: the file's text; null where there is none. */
function editHookFile(file: HookFile, before: string | null, argv: readonly string[]): string {
  const isEmpty = before === null || before.trim() === '';
  switch (file.form) {
    case 'script':
      return readTemplate(file.from).replace("const UMPIRE = ['umpire'];", `const UMPIRE = ${JSON.stringify(argv)};`);
    case 'table':
      if (isEmpty) return file.table(argv);
      return file.known.test(before) ? before : `${before.trimEnd()}\n\n${file.table(argv)}`;
    case 'json': {
      const { path, hooks, servers } = file;
      const json = isEmpty ? null : parseJson(before);
      if (json !== null && !(json.ok && isObject(json.value)))
        throw new UmpireError('hooks-file', { path, detail: json.ok ? 'it is not an object' : json.problem });
      const settings = json === null ? {} : (json.value as JsonObject);
      const edited: Record<string, unknown> = { ...settings };
      if (hooks !== undefined) edited['hooks'] = addHooks(getMember(settings, 'hooks', path), hooks, argv, path);
      if (servers !== undefined) {
        const [command, ...args] = argv;
        const server = file.server?.(argv) ?? { command, args: [...args, 'mcp'] };
        edited[servers] = { ...getMember(settings, servers, path), umpire: server };
      }
      // A file that already says this stays byte for byte.
      if (!isEmpty && JSON.stringify(settings) === JSON.stringify(edited)) return before;
      const [, indent = '  '] = /^\{\r?\n([ \t]+)/.exec(before ?? '') ?? [];
      return `${JSON.stringify(edited, null, indent)}\n`;
    }
  }
}

function getMember(settings: JsonObject, name: string, path: string): JsonObject {
  const value = settings[name] ?? {};
  if (isObject(value)) return value;
  throw new UmpireError('hooks-file', { path, detail: `${name} is not an object` });
}

/** How the plugin's own files start Umpire. */
const LAUNCHER = /^node "[^"]*umpire\.cjs"/;
const OWN_COMMAND = /\bumpire(?:\.cjs)?["']?\s+hook\s+\w+\s*$/;

interface HookGroup {
  readonly hooks: readonly { readonly command: string }[];
}

/** Umpire's hook of an event is replaced where it is; all others stay. */
function addHooks(before: JsonObject, source: string, argv: readonly string[], path: string): JsonObject {
  const words = argv.map((word) => quoteWord(word)).join(' ');
  const { hooks: wanted } = JSON.parse(readTemplate(source)) as { readonly hooks: Readonly<Record<string, readonly [HookGroup]>> };
  const hooks: Record<string, unknown> = { ...before };
  for (const [event, [group]] of Object.entries(wanted)) {
    const known = hooks[event] ?? [];
    if (!Array.isArray(known)) throw new UmpireError('hooks-file', { path, detail: `hooks.${event} is not a list` });
    const own = { ...group, hooks: group.hooks.map((hook) => ({ ...hook, command: hook.command.replace(LAUNCHER, words) })) };
    const at = known.findIndex(isOwnGroup);
    hooks[event] = at < 0 ? [...known, own] : [...known.slice(0, at), own, ...known.slice(at).filter((one) => !isOwnGroup(one))];
  }
  return hooks;
}

/** A group with other hooks beside Umpire's is the person's. */
function isOwnGroup(group: unknown): boolean {
  const hooks = isObject(group) && Array.isArray(group['hooks']) ? (group['hooks'] as readonly unknown[]) : [];
  return (
    hooks.length > 0 && hooks.every((hook) => isObject(hook) && typeof hook['command'] === 'string' && OWN_COMMAND.test(hook['command']))
  );
}

function readTemplate(path: string): string {
  return readFileSync(join(packageRoot(), 'plugin', path), 'utf8');
}

export async function runInit({ hooks, json = false, ...request }: Given<'init'>): Promise<CommandOutcome> {
  if (hooks !== undefined) return runHooks(hooks, json, request);
  return runUntilInterrupted(async (signal) => {
    const { reasons, ...settings } = await writeFirstSettings({ ...request, signal });
    const stands = settings.written ? { stands: `The settings were written to ${settings.path}` } : {};
    if (json) return { stdout: `${JSON.stringify(settings)}\n`, ...stands, exit: 0 };
    const next = settings.written ? ['Next, check that a run can start:', '  umpire doctor'] : ['Nothing was written.'];
    const stderr = `${[...reasons.map((reason) => lineOf(reason)), ...next].join('\n')}\n`;
    return { stdout: settings.written ? `${settings.path}\n` : settings.text, stderr, ...stands, sumsUp: true, exit: 0 };
  });
}

function runHooks(named: string, json: boolean, { project, dryRun = false, agent: other }: Given<'init'>): CommandOutcome {
  const agent = KNOWN_AGENTS.find(({ name }) => name === named);
  if (agent === undefined) throw usage(`--hooks takes one of ${AGENT_NAMES.join(', ')}, not "${named.slice(0, 40)}".`, 'init');
  if (other !== undefined) throw usage('--agent is for the settings of Umpire. Leave it out with --hooks.', 'init');
  const { project: root, files, next } = writeAgentHooks({ agent, dryRun, ...(project === undefined ? {} : { project }) });
  if (json) return { stdout: `${JSON.stringify({ project: root, files, written: !dryRun })}\n`, exit: 0 };
  const told = files.map(({ path, state }) => `${state}: ${path}`);
  const stdout = dryRun
    ? files.map(({ path, text }) => `--- ${path}\n${text}`).join('')
    : files.map(({ path }) => `${join(root, path)}\n`).join('');
  const stderr = `${[...told, ...(dryRun ? ['Nothing was written.'] : next)].join('\n')}\n`;
  return { stdout, stderr, ...(dryRun ? {} : { stands: `The hooks were written to ${root}` }), sumsUp: true, exit: 0 };
}
