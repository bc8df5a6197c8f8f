// Scales of sizes: tokens of one group, or of one flat name, that differ by a step alone: `spacing-100`, `font.size.sm`.

import { addToList } from '@umpire/core/formats/multimap.js';
import { pixelsOf } from './length.js';
import type { Token } from './token.js';
import type { TokenSet } from './token-set.js';

export interface Scale {
  readonly name: string;
  /** In the order of their names. */
  readonly steps: readonly { readonly token: Token; readonly rank: number; readonly px: number }[];
}

const SHIRTS = ['xxxs', 'xxs', 'xs', 'sm', 'md', 'lg', 'xl', 'xxl', 'xxxl'];
const WORDS: Readonly<Record<string, number>> = { tiny: 2, small: 3, s: 3, base: 4, medium: 4, m: 4, large: 5, l: 5, huge: 7 };
const LEAST_STEPS = 3;

export function scalesOf(set: TokenSet): readonly Scale[] {
  const scales = new Map<string, { token: Token; rank: number; px: number }[]>();
  for (const token of set.tokens) {
    const px = token.type === 'dimension' ? pixelsOf(token.value) : null;
    const step = px === null ? null : stepOf(token.path);
    if (px === null || step === null) continue;
    const key = `${token.file}\0${step.scale}\0${step.kind}`;
    addToList(scales, key, { token, rank: step.rank, px });
  }
  return [...scales.values()].flatMap((steps) => {
    const sorted = steps.toSorted((a, b) => a.rank - b.rank);
    const isClear = new Set(sorted.map(({ rank }) => rank)).size === sorted.length;
    return sorted.length >= LEAST_STEPS && isClear ? [{ name: stepOf(sorted[0]?.token.path ?? '')?.scale ?? '', steps: sorted }] : [];
  });
}

/** The last name of a path, or the last word of it: a number, or a size in words. */
function stepOf(path: string): { readonly scale: string; readonly rank: number; readonly kind: string } | null {
  const at = Math.max(path.lastIndexOf('.'), path.lastIndexOf('-'), path.lastIndexOf('_'));
  const scale = path.slice(0, Math.max(0, at));
  const step = path.slice(at + 1).toLowerCase();
  // `extra-large` would need two words; `top-to-text-small-75` is a step of nothing that the name tells.
  if (scale === '' || scale.endsWith('extra') || /\d$/.test(scale)) return null;
  if (/^\d{1,6}$/.test(step)) return { scale, rank: Number(step), kind: 'number' };
  const shirt = rankOfShirt(step);
  return shirt === null ? null : { scale, rank: shirt, kind: 'shirt' };
}

/** `sm` is 3, `2xl` is beyond `xl`. */
function rankOfShirt(step: string): number | null {
  if (Object.hasOwn(WORDS, step)) return WORDS[step] ?? null;
  const many = /^(\d{1,2})(xs|xl)$/.exec(step);
  if (many !== null) return many[2] === 'xl' ? 5 + Number(many[1]) : 3 - Number(many[1]);
  const at = SHIRTS.indexOf(step);
  return at < 0 ? null : at;
}
