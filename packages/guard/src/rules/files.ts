// Which files a change may touch.

import { Errands } from '../errands.js';
import type { Errand } from '../errands.js';
import type { Evidence, ReadFile } from '../evidence.js';
import type { Span } from '../facts.js';
import type { GuardRule, Sighting } from '../finding.js';
import { pyprojectPart } from '../pyproject-parts.js';
import { standsFor } from '../stand-in-files.js';

export function filesRule(evidence: Evidence): readonly Sighting[] {
  const { input, files } = evidence;
  const old = new Map<string, string | null>();
  for (const { change } of files) if (change.renamedFrom !== undefined) old.set(change.path, null);
  for (const { change } of files) old.set(change.renamedFrom ?? change.path, change.before);
  const textOf = (path: string): string | null => (old.has(path) ? (old.get(path) ?? null) : (input.same?.(path) ?? null));
  const now = new Map(files.map(({ change }) => [change.path, change.after !== null]));
  for (const { change } of files) if (change.renamedFrom !== undefined && !now.has(change.renamedFrom)) now.set(change.renamedFrom, false);
  const isThere = (path: string): boolean => now.get(path) ?? textOf(path) !== null;
  const errands = new Errands(textOf, input.command ?? null);
  return files.flatMap((file) => {
    const stood = standsFor(file.change, isThere);
    if (stood === null) return changedFile(evidence, file, errands);
    const why = `it is found in the place of ${stood}`;
    return [{ rule: 'config-changed', file: file.change.path, ...differing(file), why }];
  });
}

function changedFile(evidence: Evidence, file: ReadFile, errands: Errands): readonly Sighting[] {
  const { change, role } = file;
  const sight = (rule: GuardRule, why?: string): readonly Sighting[] => [
    { rule, file: change.path, ...differing(file), ...(why === undefined ? {} : { why }) },
  ];
  switch (role) {
    case 'source':
      if (targetsDiffer(file)) return sight('scripts-changed', 'a target that tests or checks is another');
      if (change.before !== null && evidence.input.scope === 'any') return errandOf(errands.of(change.renamedFrom ?? change.path), sight);
      return evidence.input.scope === 'testing' && !isMovedTest(file) ? sight('source-changed') : [];
    case 'config':
      return settings(evidence, file, sight);
    case 'scripts':
      return sight('scripts-changed');
    case 'ci':
      return sight('ci-changed');
    case 'lockfile':
      return sight('lockfile-changed');
    case 'package':
      return packageRules(file).flatMap((rule) => (rule === 'dependencies' ? dependencies(evidence, sight) : sight(rule)));
    case 'test':
    case 'support':
    case 'fixture':
    case 'snapshot':
    case 'docs':
      return [];
  }
}

function errandOf(errand: Errand | null, sight: (rule: GuardRule, why?: string) => readonly Sighting[]): readonly Sighting[] {
  return errand === null ? [] : sight(errand.rule, errand.rule === 'command-changed' ? undefined : errand.why);
}

function dependencies(evidence: Evidence, sight: (rule: GuardRule, why?: string) => readonly Sighting[]): readonly Sighting[] {
  return evidence.input.scope === 'testing' ? sight('config-changed', 'other packages are asked for') : [];
}

/** A file that holds tests is spoken of there, not as source. */
function isMovedTest(file: ReadFile): boolean {
  return file.change.before === null && (file.after?.tests.length ?? 0) > 0;
}

/** The stretch of lines in which the two versions differ. */
export function differing({ change }: ReadFile): { readonly before: Span | null; readonly after: Span | null } {
  const before = change.before ?? '';
  const after = change.after ?? '';
  let start = 0;
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shortest - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end += 1;
  const span = (text: string | null): Span | null => (text === null ? null : lines(change.path, text, start, text.length - end));
  return { before: span(change.before), after: span(change.after) };
}

function lines(file: string, text: string, from: number, to: number): Span {
  const start = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', Math.max(start, to - 1));
  const end = next < 0 ? text.length : next;
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line += 1;
  return { file, from: start, to: end, line, text: text.slice(start, end) };
}

/** Some settings name scripts and packages as well. */
function settings(evidence: Evidence, file: ReadFile, sight: (rule: GuardRule, why?: string) => readonly Sighting[]): readonly Sighting[] {
  const name = file.change.path.slice(file.change.path.lastIndexOf('/') + 1);
  const part = name === 'pyproject.toml' ? pyprojectPart(file.change) : null;
  if (part === 'packages') return dependencies(evidence, sight);
  const isTasks = /^deno\.jsonc?$/.test(name) && packageRules(file, 'tasks').join() === 'scripts-changed';
  return sight(part === 'scripts' || isTasks ? 'scripts-changed' : 'config-changed');
}

const DEPENDENCIES: ReadonlySet<string> = new Set(
  'dependencies devDependencies peerDependencies optionalDependencies overrides resolutions bundledDependencies peerDependenciesMeta'.split(
    ' ',
  ),
);
const HARMLESS: ReadonlySet<string> = new Set(
  'version description keywords author contributors license homepage repository bugs funding private'.split(' '),
);

function packageRules({ change }: ReadFile, scripts = 'scripts'): readonly (GuardRule | 'dependencies')[] {
  const before = objectOf(change.before);
  const after = objectOf(change.after);
  if (before === null || after === null) return ['scripts-changed'];
  const rules = new Set<GuardRule | 'dependencies'>();
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key]) || HARMLESS.has(key)) continue;
    rules.add(key === scripts ? 'scripts-changed' : DEPENDENCIES.has(key) ? 'dependencies' : 'config-changed');
  }
  return [...rules];
}

/** Of Nx and Angular: what `nx test` and `ng lint` run stands among other things in a file with a common name. */
function targetsDiffer({ change }: ReadFile): boolean {
  if (!/(^|\/)(project|workspace|angular)\.json$/.test(change.path)) return false;
  return JSON.stringify(checkingTargets(objectOf(change.before))) !== JSON.stringify(checkingTargets(objectOf(change.after)));
}

function checkingTargets(settings: unknown): readonly unknown[] {
  if (typeof settings !== 'object' || settings === null) return [];
  const { projects, targets, architect } = settings as Readonly<Record<string, unknown>>;
  const own = Object.entries(targets ?? architect ?? {}).filter(([name]) => CHECKING.test(name));
  return [...own, ...Object.values(projects ?? {}).flatMap(checkingTargets)];
}

const CHECKING = /test|e2e|spec|lint|type-?check|cover|^check/i;

function objectOf(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
