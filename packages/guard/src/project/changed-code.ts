// What a change does to source, read from its lines: which functions, classes and values it changes, and which names are gone. Rough on
// purpose: it explains why a check went, and decides nothing that a syntax tree would have to.

import type { FileChange } from '../change.js';

export class ChangedCode {
  private gone: ReadonlySet<string> | null = null;
  private changed: ReadonlySet<string> | null = null;
  private removed: ReadonlySet<string> | null = null;
  private droppings: { readonly names: ReadonlySet<string>; readonly texts: ReadonlySet<string> } | null = null;
  private touched: ReadonlySet<string> | null = null;

  constructor(readonly files: readonly FileChange[]) {}

  /** Names that the changed source had and no longer has anywhere. */
  get vanishedNames(): ReadonlySet<string> {
    if (this.gone !== null) return this.gone;
    const findLongNames = (text: string | null): readonly string[] => text?.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
    const left = new Set(this.files.flatMap(({ after }) => findLongNames(after)));
    this.gone = new Set(this.files.flatMap(({ before }) => findLongNames(before)).filter((name) => !left.has(name)));
    return this.gone;
  }

  /** Names and texts that a changed file of source no longer has, and names that are deprecated now: what was asked of them may go. */
  get dropped(): { readonly names: ReadonlySet<string>; readonly texts: ReadonlySet<string> } {
    if (this.droppings !== null) return this.droppings;
    const names = new Set<string>();
    const texts = new Set<string>();
    for (const file of this.files) {
      const [old, now] = [file.before ?? '', file.after ?? ''];
      const left = new Set(findNames(now));
      // What it imports, it offers to others.
      // Names that the file has from elsewhere, where they still are.
      const foreign = /(^|\/)(__init__\.pyi?|(index|main|mod)\.[cm]?[jt]sx?)$/.test(file.path)
        ? new Set<string>()
        : new Set((old.match(/^\s*(?:from\s+\S+\s+)?import\b[^;]*?(?:\)|\}.*|$)/gm) ?? []).flatMap(findNames));
      for (const name of findNames(old))
        if (
          !left.has(name) &&
          !COMMON.has(name) &&
          !foreign.has(name) &&
          (!BUILT_IN.test(name) || new RegExp(`\\bclass\\s+${name.replaceAll('$', '\\$')}\\b`).test(old))
        )
          names.add(name);
      const kept = new Set(findStrings(now));
      for (const text of findStrings(old)) if (!kept.has(text)) texts.add(text);
      const added = [...addedLines(file)];
      if (added.some((line) => /deprecat/i.test(line))) for (const name of added.flatMap(findNames)) if (!COMMON.has(name)) names.add(name);
    }
    this.droppings = { names, texts };
    return this.droppings;
  }

  /** Names in lines of source that differ. */
  get touchedNames(): ReadonlySet<string> {
    if (this.touched !== null) return this.touched;
    const names = this.files.flatMap((file) =>
      [...addedLines({ before: file.after, after: file.before }), ...addedLines(file)].flatMap(
        (line) => line.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [],
      ),
    );
    this.touched = new Set(names.filter((name) => !COMMON.has(name)));
    return this.touched;
  }

  /** Functions, classes and values that differ. */
  get changedNames(): ReadonlySet<string> {
    this.changed ??= new Set(this.files.flatMap((file) => [...changedDefinitions(file)]));
    return this.changed;
  }

  /** Functions, classes and values that no changed file defines any more. */
  get removedNames(): ReadonlySet<string> {
    if (this.removed !== null) return this.removed;
    const kept = new Set(this.files.flatMap(({ after }) => [...new Set(splitLines(after).flatMap((line) => definedIn(line) ?? []))]));
    this.removed = new Set([...this.changedNames].filter((name) => !kept.has(name)));
    return this.removed;
  }
}

/** Names of code: what stands in texts is none. */
function findNames(text: string): readonly string[] {
  return withoutTexts(text).match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [];
}

const BUILT_IN = /(?:Error|Exception|Warning)$/;

export function withoutTexts(text: string): string {
  return text.replace(TEXTS, '""').replace(/`(?:[^`\\]|\\.)*`/g, '""');
}

/** Texts of a line, long enough to say something. */
function findStrings(text: string): readonly string[] {
  return (text.match(TEXTS) ?? []).map((one) => one.slice(1, -1)).filter((one) => one.length >= 3 && one.length < 60);
}

const TEXTS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/** Words of the languages and of every program: they say nothing of what changed. */
const COMMON: ReadonlySet<string> = new Set(
  'return const function async await this self true false null none None True False undefined string number boolean object Object Array list dict tuple value values name names type types data item items index length result results error Error Exception raise throw import from export default class extends super constructor else elif while break continue yield lambda with assert test tests expect describe should isinstance print range join split push args kwargs options config path file text key keys message code status request response client server app require module exports process console then catch finally static public private readonly interface void never unknown param params callback handler context state'.split(
    ' ',
  ),
);

/** Names of functions, classes and top-level values that differ between the two versions. */
function changedDefinitions({ before, after }: Pick<FileChange, 'before' | 'after'>): ReadonlySet<string> {
  const [old, now] = [splitLines(before), splitLines(after)];
  return new Set([...definitionsAt(old, missingFrom(now, old)), ...definitionsAt(now, missingFrom(old, now))]);
}

/** Lines of `after` that `before` does not have, without their indent and comments. */
export function addedLines({ before, after }: Pick<FileChange, 'before' | 'after'>): ReadonlySet<string> {
  const old = new Set(splitLines(before).map(codeOf));
  return new Set(
    splitLines(after)
      .map(codeOf)
      .filter((line) => line !== '' && !old.has(line)),
  );
}

export function codeOf(line: string): string {
  return line.replace(/\/\*.*?\*\/|(?:\/\/|#).*$/g, '').trim();
}

function splitLines(text: string | null): readonly string[] {
  return text?.split('\n') ?? [];
}

/** Indexes of lines that the other version has fewer times. Empty lines and comments do not count. */
function missingFrom(other: readonly string[], lines: readonly string[]): readonly number[] {
  const left = new Map<string, number>();
  for (const line of other) left.set(codeOf(line), (left.get(codeOf(line)) ?? 0) + 1);
  return lines.flatMap((line, index) => {
    const code = codeOf(line);
    const count = left.get(code) ?? 0;
    left.set(code, count - 1);
    return count > 0 || code === '' ? [] : [index];
  });
}

/** What each of the lines defines, else what the nearest line around it defines. */
function definitionsAt(lines: readonly string[], indexes: readonly number[]): readonly string[] {
  return indexes.flatMap((start) => {
    let indent = Infinity;
    for (let index = start; index >= 0 && indent > 0; index -= 1) {
      const line = lines[index] ?? '';
      const depth = line.search(/\S/);
      if (depth < 0 || depth >= indent) continue;
      const name = definedIn(line);
      if (name !== null) return [name];
      // A closing bracket belongs to what is above it.
      if (!/^\s*[)\]}]/.test(line)) indent = depth;
    }
    return [];
  });
}

const DEFINITIONS: readonly RegExp[] = [
  /\b(?:function\*?|class|def|interface|enum|fn|struct|trait|union|macro_rules!)\s+([\w$]+)/,
  /([\w$]+)["']?\s*(?:[:=]|:[^=]+=)\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=]*=>|[\w$]+\s*=>)/,
  /^\s*(?:(?:export|default|async|static|public|private|protected|override|get|set)\s+|\*)*(?!(?:if|for|while|switch|catch|return|function|with)\b)([\w$#]+)\s*\([^;]*\)\s*(?::[^{]*)?\{/,
  /^(?:export\s+)?(?:const|let|var|type)\s+([\w$]+)/,
  /^([\w$]+)(?:\s*:[^=]+)?\s*=[^=>]/,
  /^(?:module\.)?exports\.([\w$]+)\s*=/,
];

function definedIn(line: string): string | null {
  for (const pattern of DEFINITIONS) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}
