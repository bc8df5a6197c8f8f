// Chooses the mode of a run if the person names none: by words of the goal, by the change, and by points. The rules are in the pipeline;
// this file defines what a word, a module and a named item is.

import { parseCondition } from './condition.js';
import type { Choice, ModeTest, Pipeline } from './pipeline.js';

export interface ModeInput {
  readonly goal: string;
  /** The changed files, relative to the project; null if unknown. */
  readonly changedFiles: readonly string[] | null;
  /** Items that the person named outside the goal. */
  readonly items?: readonly string[];
  /** Roles that the person named: the mode has tasks for them. */
  readonly roles?: readonly string[];
}

export interface ChosenMode {
  readonly mode: string;
  /** For people: `standard: 7 files in 2 modules changed`. */
  readonly why: string;
}

export function chooseMode(pipeline: Pipeline, input: ModeInput): ChosenMode {
  const chosen = chooseByGoal(pipeline, input);
  const { roles = [] } = input;
  const hasRoles = (mode: string) => roles.every((role) => pipeline.modes[mode]?.tasks.some((task) => task.role === role) === true);
  const other = hasRoles(chosen.mode) ? undefined : Object.keys(pipeline.modes).find(hasRoles);
  return other === undefined
    ? chosen
    : { mode: other, why: `${other}: it has the ${roles.length === 1 ? 'role' : 'roles'} ${listOf(roles)}` };
}

function chooseByGoal(pipeline: Pipeline, input: ModeInput): ChosenMode {
  const { points, rules } = pipeline.choose;
  const seen = readModeFacts(input);
  const added = points.filter((one) => holds(one, seen));
  const sum = added.reduce((total, one) => total + one.add, 0);
  const rule = rules.find((one) => holds(one, seen) && compares(one.points, sum));
  const score = () => describePoints(sum, added, seen);
  if (rule !== undefined) {
    const reasons = reasonsFor(rule, seen);
    return { mode: rule.mode, why: `${rule.mode}: ${(rule.points === undefined ? reasons : [score(), ...reasons]).join(', ')}` };
  }
  const why = rules.some((one) => one.points !== undefined) ? score() : describeDefault(pipeline, seen);
  return { mode: pipeline.default, why: `${pipeline.default}: ${why}` };
}

interface ModeFacts {
  readonly goal: string;
  readonly files: number | null;
  readonly modules: number | null;
  readonly items: readonly string[];
}

function readModeFacts({ goal, changedFiles, items = [] }: ModeInput): ModeFacts {
  const files = changedFiles === null ? null : new Set(changedFiles);
  return {
    goal,
    files: files === null ? null : files.size,
    modules: files === null ? null : new Set([...files].map(moduleOf)).size,
    items: [...items, ...namedItems(goal)],
  };
}

function holds(test: ModeTest, seen: ModeFacts): boolean {
  return (
    (test.words === undefined || findWord(test.words, seen.goal) !== null) &&
    (test.asks === undefined || findVerb(test.asks, seen.goal) !== null) &&
    (test.unless === undefined || findWord(test.unless, seen.goal) === null) &&
    compares(test.files, seen.files) &&
    compares(test.modules, seen.modules) &&
    (test.items === undefined || seen.items.length > 0)
  );
}

function compares(tests: readonly string[] | undefined, value: number | null): boolean {
  if (tests === undefined) return true;
  return value !== null && tests.every((test) => passes(test, value));
}

function passes(test: string, value: number): boolean {
  const condition = parseCondition('value', test);
  if (condition.kind !== 'compare' || typeof condition.bound !== 'number') throw new Error(`no comparison with a number: ${test}`);
  switch (condition.operator) {
    case '<':
      return value < condition.bound;
    case '<=':
      return value <= condition.bound;
    case '>':
      return value > condition.bound;
    case '>=':
      return value >= condition.bound;
    case '=':
      return value === condition.bound;
  }
}

/** The first of these that is a whole word of the text. Ignores case, blanks and hyphens: `trade-off`, `trade off`, `tradeoff`. */
export function findWord(words: readonly string[], text: string): string | null {
  return words.find((word) => wordPattern(word).test(text)) ?? null;
}

function wordPattern(word: string): RegExp {
  const parts = word.split(/[\s-]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}_])${parts.join('[\\s-]*')}(?![\\p{L}\\p{N}_])`, 'iu');
}

/** What follows a verb, and not the first of two nouns. */
const OBJECT =
  /^\s*(?:$|[.,:;!]|(?:the|our|my|your|this|these|that|those|it|its|all|every|each|any|for|and|or|only|what|which|how|where|technical|debt)(?![\p{L}\p{N}_])|TD-\d|\S*[/.])/iu;

/** The one of these verbs that the goal begins with, if it is one there: `audit the log`, not `audit log`. */
function findVerb(verbs: readonly string[], goal: string): string | null {
  const asked = goal.trim().replace(/^(?:please|only|just)\s+/i, '');
  return verbs.find((verb) => asked.toLowerCase().startsWith(verb) && OBJECT.test(asked.slice(verb.length))) ?? null;
}

/** Folders that contain modules. */
const MODULE_FOLDERS: ReadonlySet<string> = new Set(['packages', 'apps', 'libs', 'services', 'modules', 'crates', 'src']);

/**
 * A module is a top-level folder: `docs/a.md` is in `docs`. In a folder that contains modules it is the folder inside:
 * `packages/api/src/x.ts` is in `packages/api`, `src/cart/total.ts` in `src/cart`, `src/main.ts` in `src`. All top-level files are one
 * module.
 */
export function moduleOf(path: string): string {
  const folders = path
    .replaceAll('\\', '/')
    .replace(/^(\.\/)+/, '')
    .split('/')
    .slice(0, -1);
  const [top = '.', inner] = folders;
  return MODULE_FOLDERS.has(top) && inner !== undefined ? `${top}/${inner}` : top;
}

/** Ids of inventory items (`TD-07`) and paths (`src/zone.ts`, `src/zone.ts:18`). */
export function namedItems(goal: string): readonly string[] {
  return goal.match(/(?<![\w/-])(?:TD-\d+(?![\w-])|(?:[\w.@-]+\/)+[\w@-][\w.@-]*\.[A-Za-z]\w{0,9}(?::\d+)?)/gi) ?? [];
}

function reasonsFor(test: ModeTest, seen: ModeFacts): readonly string[] {
  const word =
    (test.words === undefined ? null : findWord(test.words, seen.goal)) ??
    (test.asks === undefined ? null : findVerb(test.asks, seen.goal));
  return [
    ...(word === null ? [] : [`the goal says "${word}"`]),
    ...(test.files === undefined && test.modules === undefined ? [] : [describeChange(seen, test.modules !== undefined)]),
    ...(test.items === undefined ? [] : [`${listOf(seen.items)} ${seen.items.length === 1 ? 'is' : 'are'} named`]),
  ];
}

function describeChange({ files, modules }: ModeFacts, withModules: boolean): string {
  if (files === null || modules === null) return 'the changed files are unknown';
  if (files === 0) return 'no file changed';
  return `${count(files, 'file')}${withModules ? ` in ${count(modules, 'module')}` : ''} changed`;
}

function describePoints(sum: number, added: Choice['points'], seen: ModeFacts): string {
  const parts = added.map((one) => `${[...reasonsFor(one, seen)].join(', ')} ${one.add < 0 ? one.add : `+${one.add}`}`);
  const points = sum === 1 || sum === -1 ? 'point' : 'points';
  return parts.length === 0 ? 'default, 0 points' : `${sum} ${points} (${parts.join('; ')})`;
}

function describeDefault({ choose, modes }: Pipeline, seen: ModeFacts): string {
  if (Object.keys(modes).length === 1) return 'the only mode of this loop';
  const byChange = choose.rules.filter((rule) => rule.files !== undefined || rule.modules !== undefined);
  if (byChange.length > 0)
    return describeChange(
      seen,
      byChange.some((rule) => rule.modules !== undefined),
    );
  return 'default';
}

function listOf(items: readonly string[]): string {
  const shown = items.slice(0, 3).map((item) => item.slice(0, 60));
  return items.length > 3 ? `${shown.join(', ')} and ${items.length - 3} more` : shown.join(', ');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
