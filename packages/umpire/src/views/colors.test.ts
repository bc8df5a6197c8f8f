import { expect, it } from 'vitest';
import { colorPage, splitAtColors, wantsColor } from './colors.js';

const PAGES = [
  ['diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ f()\n-old\n+new\n same\n', 'diff', 6],
  ['review-x: awaiting a person\nwave 1\n  completed  A  dev\n  failed     B  dev\nspent    3 min\n', 'status', 5],
  ['Machine\nok    git  2.39\nfault node  old\n', 'doctor', 3],
  ['# Session x\n\nThe result is UNVERIFIED.\n', 'report', 2],
] as const;

it.each(PAGES)('colours words and lines, and changes no text: %j', (page, kind, colored) => {
  const shown = colorPage(kind, page, true);
  const parts = splitAtColors(shown);
  expect(parts.filter((_, at) => at % 2 === 0).join('')).toBe(page);
  expect(shown.split('\n').filter((line) => splitAtColors(line).length > 1)).toHaveLength(colored);
  expect(colorPage(kind, page, false)).toBe(page);
});

it('obeys --color, then NO_COLOR and FORCE_COLOR, then the terminal', () => {
  const cases = [
    ['always', { NO_COLOR: '1' }, false, true],
    ['never', { FORCE_COLOR: '1' }, true, false],
    ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['auto', { NO_COLOR: '' }, true, true],
    ['auto', { FORCE_COLOR: '1' }, false, true],
    ['auto', { FORCE_COLOR: '0' }, true, false],
    ['auto', { TERM: 'dumb' }, true, false],
    ['auto', {}, true, true],
    ['auto', {}, false, false],
  ] as const;
  expect(cases.map(([choice, env, isTerminal]) => wantsColor(choice, env, isTerminal))).toEqual(cases.map(([, , , wanted]) => wanted));
});
