// The lines that a change touched, from the output of git diff.

import { expect, it } from 'vitest';
import { changedLines, isChanged } from './changed-lines.js';

function check(diff: string, expected: Readonly<Record<string, readonly (readonly [number, number])[]>>): void {
  const read = [...changedLines(diff)].map(([path, ranges]) => [path, ranges.map(({ from, to }) => [from, to])]);
  expect(Object.fromEntries(read)).toEqual(expected);
}

const DIFF = `diff --git src/a.ts src/a.ts
index 1..2 100644
--- src/a.ts
+++ src/a.ts
@@ -3 +3,2 @@ function a() {
-old
+new
+++ not a header
@@ -10,2 +11,0 @@
--- nor this
-gone
diff --git new.py new.py
new file mode 100644
--- /dev/null
+++ new.py
@@ -0,0 +1,40 @@
${'+x\n'.repeat(40)}diff --git gone.ts gone.ts
--- gone.ts
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a.txt b.txt
similarity index 100%
rename from a.txt
rename to b.txt
`;

it('reads the ranges of the new side', () => {
  check(DIFF, {
    'src/a.ts': [
      [3, 4],
      [11, 11],
    ],
    'new.py': [[1, 40]],
    'b.txt': [],
  });
});

it('reads names that git quotes', () => {
  check('+++ "a \\303\\244\\"\\\\.ts"\n@@ -1 +1 @@\n', { 'a ä"\\.ts': [[1, 1]] });
  check('+++ "😀\\"\\t\\\\101.ts"\n@@ -1 +1 @@\n', { '😀"\t\\101.ts': [[1, 1]] });
});

it('reads an empty diff', () => {
  check('', {});
  check('@@ -1 +1 @@\n+x\n', {});
  check('+++ \n', {});
});

it('decides whether a finding is in the change', () => {
  const changed = changedLines(DIFF);
  const at = (path: string | null, line: number | null) => isChanged(changed, path, line);
  expect([at('src/a.ts', 4), at('src/a.ts', 5), at('src/a.ts', null), at('other.ts', 4), at(null, 4), at('b.txt', 1)]).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
});

it('a finding over several lines is in the change if one of them is', () => {
  const changed = changedLines(DIFF);
  const over = (line: number, endLine: number) => isChanged(changed, 'src/a.ts', line, endLine);
  expect([over(1, 2), over(1, 3), over(1, 30), over(4, 9), over(5, 10), over(5, 11), over(12, 40)]).toEqual([
    false,
    true,
    true,
    true,
    false,
    true,
    false,
  ]);
});
