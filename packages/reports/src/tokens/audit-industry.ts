// Industry, 20 %: what the field of use asks for beyond the rest. Standard: contrast as WCAG AA, targets of 24 px (2.5.8). Strict, as
// for healthcare and finance: contrast as AAA (1.4.6), targets of 44 px (2.5.5), focus indicators of 2 px (2.4.13).

import { AA, lowContrast, measure } from './audit-accessibility.js';
import { type AuditDimension, DimensionAudit } from './audit-dimension.js';
import type { PairKind, ModeView } from './colour-pairs.js';
import { pixelsOf } from './length.js';
import { INTERACTIVE, stateOf, WordSet } from './name-words.js';
import type { TokenSet } from './token-set.js';

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
  for (const measured of views.flatMap(measure)) {
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
