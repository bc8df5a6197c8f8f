// What a change does to source, read from its lines: which functions, classes and values it changes, and which lines it adds. Rough on
// purpose: it explains why a test went, and decides nothing that a syntax tree would have to.

import type { FileChange } from './change.js';

/** Names of functions, classes and top-level values that differ between the two versions. */
export function changedDefinitions({ before, after }: Pick<FileChange, 'before' | 'after'>): ReadonlySet<string> {
  const [old, now] = [linesOf(before), linesOf(after)];
  return new Set([...definitionsAt(old, missingFrom(now, old)), ...definitionsAt(now, missingFrom(old, now))]);
}

export function definitionsIn(text: string | null): ReadonlySet<string> {
  return new Set(linesOf(text).flatMap((line) => definedIn(line) ?? []));
}

/** Lines of `after` that `before` does not have, without their indent and comments. */
export function addedLines({ before, after }: Pick<FileChange, 'before' | 'after'>): ReadonlySet<string> {
  const old = new Set(linesOf(before).map(codeOf));
  return new Set(
    linesOf(after)
      .map(codeOf)
      .filter((line) => line !== '' && !old.has(line)),
  );
}

export function codeOf(line: string): string {
  return line.replace(/\/\*.*?\*\/|(?:\/\/|#).*$/g, '').trim();
}

function linesOf(text: string | null): readonly string[] {
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
  /\b(?:function\*?|class|def|interface|enum)\s+([\w$]+)/,
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
