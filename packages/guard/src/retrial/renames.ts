// What a change renames in the product, as the change to its tests shows. The old judge runs with the new names: it asks for the same things.

import type { Change } from '../change.js';
import { hasInlineTests } from '../inline/split.js';
import { isJudge, isRunnerSetting, isTestFile, judgeText, sourceText } from './judges.js';
import { roleOf } from '../project/paths.js';

/** New names by old names. */
export type Renames = ReadonlyMap<string, string>;

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`/g;
const COMMENT = /(?<!:)\/\/[^\n]*|\/\*[^]*?\*\/|(?<=^|\s)# [^\n]*/gm;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const SHORTEST = 3;

export function findRenames(change: Change): Renames {
  const found = known.get(change) ?? collectRenames(change);
  known.set(change, found);
  return found;
}

const known = new WeakMap<Change, Renames>();

/**
 * Each old name with the one new name that took its place, in the product and in the judge. Two that became one are no renames: a test that
 * wanted one may now get the other.
 */
function collectRenames({ files }: Change): Renames {
  const product = files.filter(({ path }) => roleOf(path) === 'source');
  const [before, after] = [collectNames(product, 'before'), collectNames(product, 'after')];
  const gone = new Set([...before].filter((name) => !after.has(name)));
  const come = new Set([...after].filter((name) => !before.has(name)));
  if (gone.size === 0 || come.size === 0) return new Map();
  const vote = (half: typeof judgeText, isCounted: (path: string) => boolean): ReadonlyMap<string, ReadonlySet<string>> => {
    const votes = new Map<string, Set<string>>();
    for (const { path, before: was, after: is, renamedFrom = path } of files) {
      const [old, now] = [half(renamedFrom, was), half(path, is)];
      if (old === null || now === null || !isCounted(path)) continue;
      for (const [name, other] of pairNames(old, now, gone, come)) votes.set(name, (votes.get(name) ?? new Set()).add(other));
    }
    return votes;
  };
  const byProduct = vote(sourceText, (path) => roleOf(path) === 'source');
  const byJudge = vote(judgeText, (path) => !isRunnerSetting(path));
  const renames = [...byJudge].flatMap(([name, others]) => {
    const agreed = new Set([...others, ...(byProduct.get(name) ?? [])]);
    const [other] = agreed;
    return agreed.size === 1 && byProduct.has(name) && other !== undefined ? [[name, other] as const] : [];
  });
  const isOnlyOne = (other: string): boolean => [...byProduct.values()].filter((others) => others.has(other)).length === 1;
  return new Map(renames.filter(([, other]) => isOnlyOne(other)));
}

function collectNames(files: Change['files'], side: 'before' | 'after'): ReadonlySet<string> {
  const names = files.flatMap(({ path, renamedFrom, ...file }) => {
    const text = sourceText(side === 'before' ? (renamedFrom ?? path) : path, file[side]);
    return text?.replace(QUOTED, ' ').replace(COMMENT, ' ').match(NAME) ?? [];
  });
  return new Set(names.filter(({ length }) => length >= SHORTEST));
}

/** Old and new names that take each other's place in lines of one form, the first with the first. */
function* pairNames(
  old: string,
  now: string,
  gone: ReadonlySet<string>,
  come: ReadonlySet<string>,
): Iterable<readonly [name: string, other: string]> {
  const byForm = (text: string, names: ReadonlySet<string>): ReadonlyMap<string, readonly (readonly string[])[]> => {
    const found = new Map<string, (readonly string[])[]>();
    for (const line of text.split('\n')) {
      const tokens = tokensOf(line);
      if (tokens.length === 1 || !tokens.some((token) => names.has(token))) continue;
      const form = tokens.map((token) => (names.has(token) ? NAME_HERE : token)).join(' ');
      found.set(form, [...(found.get(form) ?? []), tokens]);
    }
    return found;
  };
  const others = byForm(now, come);
  for (const [form, lines] of byForm(old, gone)) {
    const partners = others.get(form) ?? [];
    if (partners.length !== lines.length) continue;
    for (const [nth, tokens] of lines.entries())
      for (const [at, token] of tokens.entries()) if (gone.has(token)) yield [token, partners[nth]?.[at] ?? ''];
  }
}

const NAME_HERE = '\u0000';

/** Quoted text is one token: what a test expects is no name. */
const TOKEN = new RegExp(`${QUOTED.source}|[\\p{L}\\p{N}_$]+|[^\\s\\p{L}\\p{N}_$]`, 'gu');

function tokensOf(line: string): readonly string[] {
  return line.match(TOKEN) ?? [];
}

/** Only tests and their helpers follow. What stands in quotes stays. */
export function followRenames(path: string, text: string, renames: Renames): string {
  const isCode = isTestFile(path) || roleOf(path) === 'support' || (!isJudge(path) && hasInlineTests(path, text));
  if (renames.size === 0 || !isCode) return text;
  let [from, followed] = [0, ''];
  for (const quoted of text.matchAll(QUOTED)) {
    followed += renameWords(text.slice(from, quoted.index), renames) + quoted[0];
    from = quoted.index + quoted[0].length;
  }
  return followed + renameWords(text.slice(from), renames);
}

export function renameWords(text: string, renames: Renames): string {
  return renames.size === 0 ? text : text.replace(NAME, (name) => renames.get(name) ?? name);
}
