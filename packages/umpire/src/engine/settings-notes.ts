// Notes at the start of a session: settings without effect, files that agents will not see, and what agents may do.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearestWord } from '@umpire/core/formats/nearest-word.js';
import { BUILTIN_NAMES, builtinLoop } from '@umpire/core/loops/builtin.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import type { RunSettings } from '@umpire/core/decider/events.js';
import { PRESET_NAMES, describePermissions } from '../agents/known/known-agents.js';
import { distinctCommands } from '../agents/prompt.js';
import type { Settings } from '../sessions/settings.js';
import { CONFIG, readConfigText } from '../sessions/project.js';

import { isGeneratedFile } from '../work/uncommitted.js';
import { rolesOfLoop } from './roles.js';

/** Roles in the settings that no loop has: probably misspelt. */
export async function strayRoles(project: string, { roles }: Settings, ofLoop: ReadonlySet<string>): Promise<readonly string[]> {
  const others = Object.keys(roles).filter((role) => !ofLoop.has(role));
  if (others.length === 0) return [];
  const shipped = new Set(
    BUILTIN_NAMES.flatMap((name) => {
      const [loop, pipeline] = [builtinLoop(name), builtinPipeline(name)];
      return loop === null ? [] : [...rolesOfLoop(pipeline ?? { modes: {} }, loop)];
    }),
  );
  const strays = others.filter((role) => !shipped.has(role) && !hasText(project, role));
  if (strays.length === 0) return [];
  const { lineOfSetting } = await import('../sessions/read-settings.js');
  const text = readConfigText(project) ?? '';
  return strays.map((role) => {
    const meant = nearestWord(role, [...ofLoop]) ?? nearestWord(role, [...shipped]);
    const instead = meant === null ? `this loop has ${[...ofLoop].join(', ')}` : `did you mean "${meant}"?`;
    return `${CONFIG}${lineOfSetting(text, ['roles', role])}: roles.${role}: no task of this loop or of a built-in loop has this role; ${instead}`;
  });
}

/** A custom loop has its roles there, or beside its file. */
function hasText(project: string, role: string): boolean {
  const place = join(project, '.umpire', 'roles');
  return existsSync(place) && readdirSync(place).some((loop) => existsSync(join(place, loop, `${role}.md`)));
}

const MOST_COMMANDS = 8;

/** What the coding agents of a session may do, a sentence or two for each. Starts nothing. */
export function permissionWords(
  settings: Pick<RunSettings, 'agents' | 'fallbacks' | 'stronger'>,
  config: Pick<Settings, 'agents'>,
  { writers, commands }: { readonly writers: readonly string[]; readonly commands: () => readonly string[] },
): readonly string[] {
  const { agents, fallbacks = {}, stronger } = settings;
  const names = new Set([
    ...Object.values(agents),
    ...Object.values(fallbacks).flat(),
    ...(stronger === undefined ? [] : [stronger.agent]),
  ]);
  const known = [...names].flatMap((name) => {
    const runs = Object.hasOwn(config.agents, name) ? config.agents[name]?.runs : undefined;
    const preset = runs === undefined || runs.kind === 'preset' ? (runs?.uses ?? name) : null;
    if (preset !== null) return PRESET_NAMES.includes(preset) ? [{ name, preset, isAcp: preset.endsWith('-acp') }] : [];
    return runs?.kind === 'acp' ? [{ name, preset: name, isAcp: true }] : [];
  });
  if (known.length === 0) return [];
  const all = writers.length === 0 ? [] : distinctCommands(commands());
  const more = all.length > MOST_COMMANDS ? [`${all.length - MOST_COMMANDS} more of the project`] : [];
  const query = { writes: writers.length > 0, commands: [...all.slice(0, MOST_COMMANDS), ...more] };
  const others = writers.length === 0 ? '' : ' In other roles it changes nothing but its reports.';
  return known.map(({ name, preset, isAcp }) => {
    const role = writers.length === 0 ? '' : ` as ${writers.join(', ')}`;
    return `${name}${role} may ${describePermissions(preset, query, isAcp)}.${others}`;
  });
}

const MOST_NAMED = 3;

/** How agents see them: of loops that take only commits. */
const COMMIT_FIRST = (them: string) => `Commit first if the agents should see ${them}.`;
/** And where a command decides. */
export const INCLUDE_THEM = (them: string) => `Include ${them} with --include-uncommitted.`;

/** Files that agents will not see. A path with a slash at its end is a new folder. */
export function uncommittedWords(files: readonly string[], advice = COMMIT_FIRST): string {
  const made = files.filter(isGeneratedFile);
  const own = files.filter((path) => !isGeneratedFile(path));
  return [
    ...(own.length === 0 ? [] : [commitNote(own, advice)]),
    ...(made.length === 0 ? [] : [`git does not ignore ${listFewFiles(made)}: add ${made.length === 1 ? 'it' : 'them'} to .gitignore.`]),
  ].join(' ');
}

/** `leftOut`: with the reasons. */
export function includedWords(files: readonly string[], leftOut: readonly string[]): string {
  const own =
    files.length === 0 ? '' : ` and your ${files.length === 1 ? 'uncommitted change' : 'uncommitted changes'} (${listFewFiles(files)})`;
  const out =
    leftOut.length === 0
      ? ''
      : ` Left out: ${listFewFiles(leftOut)}. Commit first if the agents should see ${leftOut.length === 1 ? 'it' : 'them'}.`;
  return `Work starts from your last commit${own}.${out}`;
}

function commitNote(files: readonly string[], advice: (them: string) => string): string {
  const folders = files.filter((path) => path.endsWith('/')).length;
  const [one, all] = folders === 0 ? ['file', 'files'] : folders === files.length ? ['folder', 'folders'] : ['', 'files and folders'];
  const many = files.length === 1 ? `One uncommitted ${one} is` : `${files.length} uncommitted ${all} are`;
  return `Work starts from your last commit. ${many} not part of it (${listFewFiles(files)}). ${advice(files.length === 1 ? 'it' : 'them')}`;
}

export function listFewFiles(files: readonly string[]): string {
  const named = files.slice(0, MOST_NAMED).join(', ');
  return files.length > MOST_NAMED ? `${named} and ${files.length - MOST_NAMED} more` : named;
}

/** Paths in `workspace` that do not exist. */
export function absentWords(absent: readonly string[]): string {
  const named = absent.map((path) => JSON.stringify(path)).join(', ');
  return `${CONFIG}: workspace: the project has no ${named}, so worktrees will not have it.`;
}
