import { describe, expect, it } from 'vitest';
import { builtinLoops } from './builtin.js';
import type { Loop } from './loop.js';
import { sameRules } from './same-rules.js';

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => leavesOf(one, [...path, at]));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
}

/** The loop with another value at this place. */
function withOther(loop: Loop, path: Path): Loop {
  const copy = structuredClone(loop) as unknown as Record<string | number, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  const was = at[last];
  at[last] = typeof was === 'number' ? was + 1 : typeof was === 'boolean' ? !was : `${String(was)}!`;
  return copy as unknown as Loop;
}

const TEXTS = [
  /^title$/,
  /^chain what$/,
  /^target what$/,
  /^round (counts|(unclear|corrupt) why)$/,
  /^evidence \w+ what$/,
  /^(agree|unwritable|promises \d+|repairs \d+|table \d+) why$/,
  /^repairs \d+ error (message|hint)$/,
  /^(table \d+|unwritable) next$/,
  /^table \d+ (waiver|anomaly)$/,
  /^tasks \d+ (title|description|without|acceptance)$/,
  /^planned skip$/,
  /^ask (question|options \d+ means)$/,
  // Everything in a report but its headings and the lists it shows.
  /^report .*\bblocks (?!.*\b(?:list|table)$)/,
];

describe.each(builtinLoops().map((loop) => [loop.loop, loop] as const))('the %s loop', (_, loop) => {
  it('has the same rules after any change of a text, and others after any other change', () => {
    const paths = leavesOf(loop);
    const wrong = paths.filter((path) => {
      const isText = TEXTS.some((text) => text.test(path.join(' ')));
      return sameRules(loop, withOther(loop, path)) !== isText;
    });
    expect(wrong.map((path) => path.join(' '))).toEqual([]);
  });

  it('has other rules where a row loses its waiver, or a repair no longer stops', () => {
    const rows = loop.table.map(({ waiver: _waiver, ...row }) => row);
    const repairs = loop.repairs.map(({ error: _error, ...repair }) => repair);
    expect(sameRules(loop, { ...loop, table: rows })).toBe(!loop.table.some((row) => row.waiver !== undefined));
    expect(sameRules(loop, { ...loop, repairs })).toBe(!loop.repairs.some((repair) => repair.error !== undefined));
  });
});
