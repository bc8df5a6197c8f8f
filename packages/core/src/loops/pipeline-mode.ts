// Which mode a run takes where the person names none: by the words of the goal, by the change, by points. The rules are
// the pipeline's data; what a word, a module and a named item is, is said here.

import { parseCondition } from './condition.js';
import type { Choice, ModeTest, Pipeline } from './pipeline.js';

export interface ModeInput {
  /** What the person asked for. */
  readonly goal: string;
  /** The files that the change in the project has, relative to it; null where that is not known. */
  readonly changedFiles: readonly string[] | null;
  /** Items that the person named otherwise than in the goal. */
  readonly items?: readonly string[];
}

export interface ChosenMode {
  readonly mode: string;
  /** For the person, who may choose another: `standard: 7 files in 2 modules changed`. */
  readonly why: string;
}

export function chooseMode(pipeline: Pipeline, input: ModeInput): ChosenMode {
  const { points, rules } = pipeline.choose;
  const seen = look(input);
  const added = points.filter((one) => holds(one, seen));
  const sum = added.reduce((total, one) => total + one.add, 0);
  const rule = rules.find((one) => holds(one, seen) && compares(one.points, sum));
  const score = () => scoreText(sum, added, seen);
  if (rule !== undefined) {
    const reasons = reasonsFor(rule, seen);
    return { mode: rule.mode, why: `${rule.mode}: ${(rule.points === undefined ? reasons : [score(), ...reasons]).join(', ')}` };
  }
  const why = rules.some((one) => one.points !== undefined) ? score() : elseText(pipeline, seen);
  return { mode: pipeline.default, why: `${pipeline.default}: ${why}` };
}

/** What is known of the goal and the change. */
interface Seen {
  readonly goal: string;
  readonly files: number | null;
  readonly modules: number | null;
  readonly items: readonly string[];
}

function look({ goal, changedFiles, items = [] }: ModeInput): Seen {
  const files = changedFiles === null ? null : new Set(changedFiles);
  return {
    goal,
    files: files === null ? null : files.size,
    modules: files === null ? null : new Set([...files].map(moduleOf)).size,
    items: [...items, ...namedItems(goal)],
  };
}

function holds(test: ModeTest, seen: Seen): boolean {
  return (
    (test.words === undefined || wordIn(test.words, seen.goal) !== null) &&
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

/** The first of these that stands in the text as a whole word, in any case; blank and hyphen are one: `trade-off`, `trade off`, `tradeoff`. */
export function wordIn(words: readonly string[], text: string): string | null {
  return words.find((word) => wordPattern(word).test(text)) ?? null;
}

function wordPattern(word: string): RegExp {
  const parts = word.split(/[\s-]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}_])${parts.join('[\\s-]*')}(?![\\p{L}\\p{N}_])`, 'iu');
}

/** Folders that hold modules rather than being one. */
const HOLDERS: ReadonlySet<string> = new Set(['packages', 'apps', 'libs', 'services', 'modules', 'crates', 'src']);

/**
 * A module is the folder at the top of the project: `docs/a.md` is of `docs`. Under a folder that holds modules it is the
 * folder inside: `packages/api/src/x.ts` is of `packages/api`, `src/cart/total.ts` of `src/cart`, `src/main.ts` of `src`. Files at
 * the top itself are a module together.
 */
export function moduleOf(path: string): string {
  const folders = path
    .replaceAll('\\', '/')
    .replace(/^(\.\/)+/, '')
    .split('/')
    .slice(0, -1);
  const [top = '.', inner] = folders;
  return HOLDERS.has(top) && inner !== undefined ? `${top}/${inner}` : top;
}

/** Items of an inventory by their id (`TD-07`), and places by their path (`src/zone.ts`, `src/zone.ts:18`). */
export function namedItems(goal: string): readonly string[] {
  return goal.match(/(?<![\w/-])(?:TD-\d+(?![\w-])|(?:[\w.@-]+\/)+[\w@-][\w.@-]*\.[A-Za-z]\w{0,9}(?::\d+)?)/gi) ?? [];
}

function reasonsFor(test: ModeTest, seen: Seen): readonly string[] {
  const word = test.words === undefined ? null : wordIn(test.words, seen.goal);
  return [
    ...(word === null ? [] : [`the goal says "${word}"`]),
    ...(test.files === undefined && test.modules === undefined ? [] : [changeText(seen, test.modules !== undefined)]),
    ...(test.items === undefined ? [] : [`${listOf(seen.items)} ${seen.items.length === 1 ? 'is' : 'are'} named`]),
  ];
}

function changeText({ files, modules }: Seen, withModules: boolean): string {
  if (files === null || modules === null) return 'it is not known which files changed';
  if (files === 0) return 'no file changed';
  return `${count(files, 'file')}${withModules ? ` in ${count(modules, 'module')}` : ''} changed`;
}

function scoreText(sum: number, added: Choice['points'], seen: Seen): string {
  const parts = added.map((one) => `${[...reasonsFor(one, seen)].join(', ')} ${one.add < 0 ? one.add : `+${one.add}`}`);
  const points = sum === 1 || sum === -1 ? 'point' : 'points';
  return parts.length === 0 ? 'nothing in the goal or the change adds a point' : `${sum} ${points} (${parts.join('; ')})`;
}

function elseText({ choose, modes }: Pipeline, seen: Seen): string {
  if (Object.keys(modes).length === 1) return 'the only mode of this loop';
  const byChange = choose.rules.filter((rule) => rule.files !== undefined || rule.modules !== undefined);
  if (byChange.length > 0)
    return changeText(
      seen,
      byChange.some((rule) => rule.modules !== undefined),
    );
  return 'nothing in the goal asks for another mode';
}

function listOf(items: readonly string[]): string {
  const shown = items.slice(0, 3).map((item) => item.slice(0, 60));
  return items.length > 3 ? `${shown.join(', ')} and ${items.length - 3} more` : shown.join(', ');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
