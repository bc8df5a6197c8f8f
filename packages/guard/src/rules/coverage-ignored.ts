// A comment takes code out of the coverage report.

import { addedLines } from '../project/changed-code.js';
import { codeOf } from '../project/changed-code.js';
import { roleOf } from '../project/paths.js';
import type { FileChange } from '../change.js';
import type { Rule } from './rule.js';
import type { Suppression } from '../project/suppressions.js';
import { isInWeakenedTest, suppressed } from './suppressions.js';

export const coverageIgnored: Rule = {
  name: 'coverage-ignored',
  severity: 'high',
  message: 'A comment takes code out of the coverage report.',
  honest: 'Write a test that runs the code.',
  levels: 'A breach where it covers lines that the change added; lines that only some platforms or type checkers run are a note.',
  example: {
    cheat: '+ /* c8 ignore next 3 */\n+ if (amount < 0) {\n+   return refund(amount)\n+ }',
    honest: '+ if TYPE_CHECKING:  # pragma: no cover',
  },
  isBreachInTesting: true,
  find: (evidence) =>
    suppressed(
      evidence,
      'coverage',
      ({ change }, found, source) => hidesAddedLines(change, found) || isInWeakenedTest(evidence, found, source),
    ),
};

/** Of a comment on a line with code, that line; else the lines below it, as many as it says. */
function hidesAddedLines(change: FileChange, { comment }: Suppression): boolean {
  if (roleOf(change.path) !== 'source' || change.after === null || /no\s*branch/.test(comment.words)) return false;
  const lines = change.after.split('\n');
  const at = change.after.slice(0, comment.from).split('\n').length - 1;
  const own = codeOf(lines[at] ?? '');
  const hidden = own === '' ? lines.slice(at + 1, at + 1 + hiddenBelow(comment.words, lines.slice(at + 1))) : [lines[at] ?? ''];
  if (hidden.some((line) => UNTESTABLE.test(line))) return false;
  const added = addedLines(change);
  return hidden.some((line) => added.has(codeOf(line)));
}

const UNTESTABLE =
  /TYPE_CHECKING|ImportError|ModuleNotFoundError|__main__|version_info|NotImplemented|platform|@overload|@abstractmethod|\bis None\b|^\s*pass\b|unreachable|assert_never|^\s*\.\.\.|never\b|default:|abstract/i;

/** How many lines a comment on a line of its own keeps out of coverage. */
function hiddenBelow(mark: string, below: readonly string[]): number {
  if (/\bfile\b/.test(mark)) return below.length;
  if (/\bstart\b|\bdisable\b/.test(mark)) {
    const end = below.findIndex((line) => /\b(?:stop|end|enable)\b/.test(line));
    return end < 0 ? below.length : end;
  }
  return Number(/\bnext\s+(\d+)/.exec(mark)?.[1] ?? 1);
}
