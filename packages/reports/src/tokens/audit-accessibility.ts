// Accessibility, 25 %: contrast by WCAG 2.2 of the pairs that are declared or certain (1.4.3, 1.4.11), and focus indicators that
// exist and can be seen (2.4.7, 1.4.11). Industry, 20 %: what the field of use asks for beyond that. Standard: contrast as AA, targets of
// 24 px (2.5.8). Strict, as for healthcare and finance: contrast as AAA (1.4.6), targets of 44 px (2.5.5), focus indicators of 2 px (2.4.13).

import { type AuditDimension, DimensionAudit } from './audit-dimension.js';
import type { ColourToken, PairKind, ModeView } from './colour-pairs.js';
import { type Colour, contrastOf, hexOf, over } from './colour.js';
import { EDGE, FIXED, INTERACTIVE, stateOf, withoutNoise, WordSet } from './name-words.js';
import type { ColourMode, TokenSet } from './token-set.js';
import { type TokenPlace, pixelsOf } from './token.js';

const AA: Readonly<Record<PairKind, number>> = { text: 4.5, large: 3, ui: 3 };
const FOR: Readonly<Record<PairKind, string>> = { text: 'text needs', large: 'large text needs', ui: 'parts of the interface need' };

/** A pair, measured. */
interface MeasuredPair {
  readonly front: ColourToken;
  readonly back: ColourToken;
  readonly kind: PairKind;
  readonly ratio: number;
  readonly context: ColourMode;
}

export function auditAccessibility(views: readonly ModeView[], unknown: readonly TokenPlace[]): AuditDimension {
  const audit = new DimensionAudit('accessibility', 25);
  for (const place of unknown) audit.find('contrast/unknown', 'high', 'A declared pair names a token that is no colour of this set', place);
  for (const measured of views.flatMap(measurePairs)) {
    const isEnough = measured.ratio >= AA[measured.kind];
    audit.look('contrast', isEnough);
    if (!isEnough) audit.find('contrast/low', 'critical', lowContrast(measured, AA), measured.front.token, false);
  }
  for (const view of views) checkFocus(view, audit);
  checkFocusExists(views, audit);
  return audit.end(
    'no pair of text and background is declared, and no names make one certain; declare them under critics.design.pairs',
    'contrast',
  );
}

/** Every pair that can be measured: what shines through needs something opaque behind it. */
function measurePairs({ pairs, pageOf, context }: Pick<ModeView, 'pairs' | 'pageOf' | 'context'>): readonly MeasuredPair[] {
  return pairs.flatMap(({ front, back, kind }) => {
    const ground = opaque(back.colour, pageOf(back)?.colour ?? null);
    return ground === null ? [] : [{ front, back, kind, context, ratio: contrastOf(over(front.colour, ground), ground) }];
  });
}

function opaque(colour: Colour, page: Colour | null): Colour | null {
  if (colour.alpha === 1) return colour;
  return page === null || page.alpha < 1 || colour.alpha === 0 ? null : over(colour, page);
}

function lowContrast({ front, back, kind, ratio, context }: MeasuredPair, wanted: Readonly<Record<PairKind, number>>): string {
  const where = context === null ? '' : ` in ${context}`;
  const pair = `${front.token.role} (${hexOf(front.colour)}) on ${back.token.role} (${hexOf(back.colour)})`;
  return `The contrast of ${pair} is ${ratio}${where}; ${FOR[kind]} ${wanted[kind]}`;
}

/** `focus-ring`, `border.focus`, `focus-indicator-color`: drawn around what has the focus. */
function isFocusMark(words: readonly string[]): boolean {
  const plain = withoutNoise(words);
  if (!plain.some((word) => stateOf(word) === 'focus') || FIXED.hasAny(plain) || plain.some((word) => stateOf(word) === 'disabled'))
    return false;
  if (plain.includes('gap') || plain.includes('inner')) return false;
  return plain.includes('indicator') || EDGE.hasAny(plain) || plain.length === 1;
}

function checkFocus(view: ModeView, audit: DimensionAudit): void {
  for (const mark of view.colours.filter(
    ({ words, isRole }) => isRole && isFocusMark(words) && !words.includes('inverse') && !words.includes('shadow'),
  )) {
    const page = view.pageOf(mark);
    const [measured] = page === null ? [] : measurePairs({ ...view, pairs: [{ front: mark, back: page, kind: 'ui' }] });
    if (measured === undefined) continue;
    audit.look('focus indicators', measured.ratio >= AA.ui);
    if (measured.ratio < AA.ui) audit.find('focus/contrast', 'critical', lowContrast(measured, AA), mark.token, false);
  }
}

function checkFocusExists(views: readonly ModeView[], audit: DimensionAudit): void {
  const [view] = views;
  if (view === undefined) return;
  const interactive = view.colours.find(
    ({ words, isRole }) => isRole && (INTERACTIVE.hasAny(words) || words.some((word) => stateOf(word) === 'hover')),
  );
  if (interactive === undefined) return;
  const has = view.tokens.some(({ words }) => words.some((word) => stateOf(word) === 'focus'));
  audit.look('focus indicator exists', has);
  if (!has)
    audit.find(
      'focus/missing',
      'high',
      'Roles change when pointed at, but a focus indicator is missing: no name speaks of focus',
      interactive.token,
      false,
    );
}

export type Industry = 'standard' | 'strict';

const AAA: Readonly<Record<PairKind, number>> = { text: 7, large: 4.5, ui: 3 };
const TARGET_PX: Readonly<Record<Industry, number>> = { standard: 24, strict: 44 };
const FOCUS_PX = 2;
const TARGETS = new WordSet('target touch tap hit');
const EXTENT = new WordSet('height size area');
/** Parts of a control, and what is around it. */
const PARTS = new WordSet(
  'icon gap padding margin border radius font text label handle track indicator shadow line dot edge spacing ' +
    'to maximum max avatar content letter',
);

export function auditIndustry(set: TokenSet, views: readonly ModeView[], industry: Industry): AuditDimension {
  const audit = new DimensionAudit('industry', 20);
  const wanted = industry === 'strict' ? AAA : AA;
  for (const measured of views.flatMap(measurePairs)) {
    const isEnough = measured.ratio >= wanted[measured.kind];
    audit.look('contrast', isEnough);
    // Below AA it is a finding of accessibility already.
    if (!isEnough && measured.ratio >= AA[measured.kind])
      audit.find('contrast/strict', 'critical', `${lowContrast(measured, wanted)} by the strict standard`, measured.front.token, false);
  }
  const least = TARGET_PX[industry];
  for (const token of set.tokens) {
    const { words } = token;
    const isTarget = (TARGETS.hasAny(words) || INTERACTIVE.hasAny(words)) && EXTENT.hasAny(words) && !PARTS.hasAny(words);
    const px = token.type === 'dimension' && isTarget ? pixelsOf(token.value) : null;
    if (px === null || px === 0) continue;
    audit.look('target size', px >= least);
    if (px < least)
      audit.find(
        'target/size',
        'high',
        `A target of ${Math.round(px * 100) / 100} px; the ${industry} standard asks for ${least} px`,
        token,
      );
  }
  if (industry === 'strict') checkFocusWidth(set, audit);
  return audit.end('there is no pair of colours and no size of a target to look at');
}

function checkFocusWidth(set: TokenSet, audit: DimensionAudit): void {
  for (const token of set.tokens) {
    const { words } = token;
    const isWidth = words.some((word) => stateOf(word) === 'focus') && (words.includes('width') || words.includes('thickness'));
    const px = token.type === 'dimension' && isWidth ? pixelsOf(token.value) : null;
    if (px === null) continue;
    audit.look('focus indicator', px >= FOCUS_PX);
    if (px < FOCUS_PX)
      audit.find('focus/thin', 'high', `A focus indicator of ${px} px; the strict standard asks for ${FOCUS_PX} px`, token);
  }
}
