// What a change does to source, read from its lines: which names are gone. Rough on
// purpose: it explains why a check went, and decides nothing that a syntax tree would have to.

import type { FileChange } from '../change.js';

export class ChangedCode {
  private gone: ReadonlySet<string> | null = null;
  private removed: ReadonlySet<string> | null = null;
  private droppings: { readonly names: ReadonlySet<string>; readonly texts: ReadonlySet<string> } | null = null;

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

  /** Functions, classes and values that no changed file defines any more. */
  get removedNames(): ReadonlySet<string> {
    const findDefined = (text: string | null): readonly string[] => text?.split('\n').flatMap((line) => definedIn(line) ?? []) ?? [];
    const kept = new Set(this.files.flatMap(({ after }) => findDefined(after)));
    this.removed ??= new Set(this.files.flatMap(({ before }) => findDefined(before)).filter((name) => !kept.has(name)));
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

/** Lines of `after` that `before` does not have, without their indent and comments. */
export function addedLines({ before, after }: Pick<FileChange, 'before' | 'after'>): ReadonlySet<string> {
  const lines = (text: string | null): readonly string[] => text?.split('\n').map(codeOf) ?? [];
  const old = new Set(lines(before));
  return new Set(lines(after).filter((line) => line !== '' && !old.has(line)));
}

export function codeOf(line: string): string {
  return line.replace(/\/\*.*?\*\/|(?:\/\/|#).*$/g, '').trim();
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
