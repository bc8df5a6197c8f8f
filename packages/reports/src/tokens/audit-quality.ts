// Quality, 15 %: spacing on a grid, scales whose steps grow with their names, roles that draw on the palette instead of repeating it.

import { type AuditDimension, DimensionAudit } from './audit-dimension.js';
import type { ModeView } from './colour-pairs.js';
import { hexOf } from './colour.js';
import { pixelsOf, type Token } from './token.js';
import { isPalette, nameWords, WordSet } from './name-words.js';
import type { TokenSet } from './token-set.js';
import { addToList } from '@umpire/core/formats/multimap.js';

const SPACING = new WordSet('spacing space spaces gap padding margin inset gutter');
/** Drawn by hand, not by the grid. */
const OFF_GRID = new WordSet('letter paragraph word focus border outline line');
const SIZES = new WordSet('font text typography type');
/** A palette is there to draw on when it has this many colours. */
const LEAST_PALETTE = 3;
/** Two sizes nearer than this cannot be told apart. */
const LEAST_STEP_PX = 0.5;

export function auditQuality(set: TokenSet, views: readonly ModeView[], grid: number): AuditDimension {
  const audit = new DimensionAudit('quality', 15);
  for (const token of set.tokens) {
    const { words } = token;
    if (token.type !== 'dimension' || !SPACING.hasAny(words) || OFF_GRID.hasAny(words)) continue;
    const px = pixelsOf(token.value);
    if (px === null) continue;
    const isOn = isOnGrid(Math.abs(px), grid);
    audit.look('spacing grid', isOn);
    if (!isOn) audit.find('spacing/grid', 'low', `Spacing off the grid of ${grid} px (${round(px)} px)`, token);
  }
  for (const { name, steps } of scalesOf(set)) {
    const isType = SIZES.hasAny(nameWords(name));
    for (const [at, step] of steps.entries()) {
      const before = steps[at - 1];
      if (before === undefined) continue;
      const grows = step.px >= before.px;
      const isDistinct = !isType || Math.abs(step.px - before.px) >= LEAST_STEP_PX;
      audit.look('scales', grows && isDistinct);
      if (!grows)
        audit.find(
          'scale/order',
          'high',
          `The scale is inconsistent: ${writeStep(before)} comes before ${writeStep(step)}`,
          step.token,
          false,
        );
      else if (!isDistinct)
        audit.find(
          'scale/step',
          'low',
          `Two steps of the type scale cannot be told apart: ${writeStep(before)} and ${writeStep(step)}`,
          step.token,
          false,
        );
    }
  }
  for (const view of views.slice(0, 1)) checkHardCoded(view, audit);
  return audit.end('there is no spacing, no scale and no role of colour to look at');
}

/** Steps below the grid are its halves: 2 and 1 of 4. */
function isOnGrid(px: number, grid: number): boolean {
  const step = px < grid ? px : px % grid;
  return near(step, 0) || near(step, grid) || (px < grid && (near(px, grid / 2) || near(px, grid / 4)));
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.01;
}

function checkHardCoded(view: ModeView, audit: DimensionAudit): void {
  const palette = view.colours.filter(({ words, isAlias }) => isPalette(words) && !isAlias);
  if (palette.length < LEAST_PALETTE) return;
  const byColour = new Map(palette.map(({ token, colour }) => [hexOf(colour), token.path]));
  for (const { token, colour, isRole, isAlias } of view.colours) {
    if (!isRole) continue;
    audit.look('roles draw on the palette', isAlias);
    if (isAlias) continue;
    const twin = byColour.get(hexOf(colour));
    if (twin !== undefined) audit.find('value/hard-coded', 'medium', `A hard-coded colour that the palette has as ${twin}`, token);
    else audit.find('value/hard-coded', 'medium', 'A hard-coded colour in a set that has a palette', token);
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function writeStep({ token, px }: Scale['steps'][number]): string {
  return `${token.path} (${round(px)} px)`;
}

interface Scale {
  readonly name: string;
  /** In the order of their names. */
  readonly steps: readonly { readonly token: Token; readonly rank: number; readonly px: number }[];
}

const SHIRTS = ['xxxs', 'xxs', 'xs', 'sm', 'md', 'lg', 'xl', 'xxl', 'xxxl'];
const WORDS: Readonly<Record<string, number>> = { tiny: 2, small: 3, s: 3, base: 4, medium: 4, m: 4, large: 5, l: 5, huge: 7 };
const LEAST_STEPS = 3;

function scalesOf(set: TokenSet): readonly Scale[] {
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
