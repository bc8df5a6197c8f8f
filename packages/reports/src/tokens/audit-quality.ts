// Quality, 15 %: spacing on a grid, scales whose steps grow with their names, roles that draw on the palette instead of repeating it.

import { AuditSheet, type AuditDimension } from './audit-sheet.js';
import { hexOf } from './colour.js';
import { pixelsOf } from './length.js';
import { nameWords } from './name-words.js';
import { isPalette } from './name-words.js';
import { WordSet } from './word-set.js';
import { scalesOf, type Scale } from './scales.js';
import type { TokenSet } from './token-set.js';
import type { View } from './view.js';

const SPACING = new WordSet('spacing space spaces gap padding margin inset gutter');
/** Drawn by hand, not by the grid. */
const OFF_GRID = new WordSet('letter paragraph word focus border outline line');
const SIZES = new WordSet('font text typography type');
/** A palette is there to draw on when it has this many colours. */
const LEAST_PALETTE = 3;
/** Two sizes nearer than this cannot be told apart. */
const LEAST_STEP_PX = 0.5;

export function auditQuality(set: TokenSet, views: readonly View[], grid: number): AuditDimension {
  const sheet = new AuditSheet('quality', 15);
  checkGrid(set, grid, sheet);
  checkScales(set, sheet);
  for (const view of views.slice(0, 1)) checkHardCoded(view, sheet);
  return sheet.end('there is no spacing, no scale and no role of colour to look at');
}

function checkGrid(set: TokenSet, grid: number, sheet: AuditSheet): void {
  for (const token of set.tokens) {
    const { words } = token;
    if (token.type !== 'dimension' || !SPACING.hasAny(words) || OFF_GRID.hasAny(words)) continue;
    const px = pixelsOf(token.value);
    if (px === null) continue;
    const isOn = isOnGrid(Math.abs(px), grid);
    sheet.look('spacing grid', isOn);
    if (!isOn) sheet.find('spacing/grid', 'low', `Spacing off the grid of ${grid} px (${round(px)} px)`, token);
  }
}

/** Steps below the grid are its halves: 2 and 1 of 4. */
function isOnGrid(px: number, grid: number): boolean {
  const step = px < grid ? px : px % grid;
  return near(step, 0) || near(step, grid) || (px < grid && (near(px, grid / 2) || near(px, grid / 4)));
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.01;
}

function checkScales(set: TokenSet, sheet: AuditSheet): void {
  for (const { name, steps } of scalesOf(set)) {
    const isType = SIZES.hasAny(nameWords(name));
    for (const [at, step] of steps.entries()) {
      const before = steps[at - 1];
      if (before === undefined) continue;
      const grows = step.px >= before.px;
      const isDistinct = !isType || Math.abs(step.px - before.px) >= LEAST_STEP_PX;
      sheet.look('scales', grows && isDistinct);
      if (!grows)
        sheet.find('scale/order', 'high', `The scale is inconsistent: ${shown(before)} comes before ${shown(step)}`, step.token, false);
      else if (!isDistinct)
        sheet.find(
          'scale/step',
          'low',
          `Two steps of the type scale cannot be told apart: ${shown(before)} and ${shown(step)}`,
          step.token,
          false,
        );
    }
  }
}

function checkHardCoded(view: View, sheet: AuditSheet): void {
  const palette = view.colours.filter(({ words, isAlias }) => isPalette(words) && !isAlias);
  if (palette.length < LEAST_PALETTE) return;
  const byColour = new Map(palette.map(({ token, colour }) => [hexOf(colour), token.path]));
  for (const { token, colour, isRole, isAlias } of view.colours) {
    if (!isRole) continue;
    sheet.look('roles draw on the palette', isAlias);
    if (isAlias) continue;
    const twin = byColour.get(hexOf(colour));
    if (twin !== undefined) sheet.find('value/hard-coded', 'medium', `A hard-coded colour that the palette has as ${twin}`, token);
    else sheet.find('value/hard-coded', 'medium', 'A hard-coded colour in a set that has a palette', token);
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function shown({ token, px }: Scale['steps'][number]): string {
  return `${token.path} (${round(px)} px)`;
}
