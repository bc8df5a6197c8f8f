// The lines that a change touched, from `git diff` without context lines: ranges of the new side by new path. Where lines were only
// removed, the line before counts as touched.

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** By path, relative to the repository. A file without ranges was renamed, emptied or is binary. */
export type ChangedLines = ReadonlyMap<string, readonly LineRange[]>;

const HUNK = /^@@ -\d{1,10}(?:,\d{1,10})? \+(\d{1,10})(?:,(\d{1,10}))? @@/;

/** `diff`: the output of `git diff --unified=0 --no-color --no-prefix`. Deleted files are left out. */
export function changedLines(diff: string): ChangedLines {
  const files = new Map<string, LineRange[]>();
  let ranges: LineRange[] | null = null;
  let toSkip = 0;
  for (const line of diff.split('\n')) {
    // Skips the body of a hunk: its lines may look like headers.
    if (toSkip > 0 && (line.startsWith('-') || line.startsWith('+'))) toSkip -= 1;
    else if (line.startsWith('diff --git ')) ranges = null;
    else if (line.startsWith('+++ ')) {
      const path = pathOf(line.slice('+++ '.length));
      ranges = path === null ? null : (files.get(path) ?? []);
      if (path !== null && ranges !== null) files.set(path, ranges);
    } else if (line.startsWith('rename to ')) files.set(pathOf(line.slice('rename to '.length)) ?? '', []);
    else {
      const hunk = HUNK.exec(line);
      if (hunk === null) continue;
      // Number of removed and added lines in the hunk with this header.
      const [, removed = '', added = ''] = /^@@ -(\S{1,30}) \+(\S{1,30}) @@/.exec(line) ?? [];
      const size = (range: string) => (range.includes(',') ? Number(range.split(',')[1]) : 1);
      toSkip = size(removed) + size(added);
      const from = Number(hunk[1]);
      const count = hunk[2] === undefined ? 1 : Number(hunk[2]);
      ranges?.push(count === 0 ? { from: Math.max(1, from), to: Math.max(1, from) } : { from, to: from + count - 1 });
    }
  }
  files.delete('');
  return files;
}

/** Git quotes names with unusual characters and writes bytes as octal. `/dev/null` is not a file. */
function pathOf(text: string): string | null {
  const plain = text.endsWith('\t') ? text.slice(0, -1) : text;
  if (plain === '/dev/null') return null;
  return plain.startsWith('"') && plain.endsWith('"') ? unquoteName(plain.slice(1, -1)) : plain;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' };

function unquoteName(text: string): string {
  return text.replace(/(?:\\[0-7]{3})+|\\./g, (escaped) => {
    const octals = escaped.match(/[0-7]{3}/g);
    const letter = escaped.slice(1);
    if (octals === null) return ESCAPES[letter] ?? letter;
    return new TextDecoder().decode(Uint8Array.from(octals, (octal) => Number.parseInt(octal, 8)));
  });
}

/** Whether any of these lines changed. A finding without a line counts as changed if its file is. */
export function isChanged(changed: ChangedLines, path: string | null, line: number | null, endLine?: number): boolean {
  const ranges = path === null ? undefined : changed.get(path);
  if (ranges === undefined) return false;
  return line === null || ranges.some(({ from, to }) => (endLine ?? line) >= from && line <= to);
}
