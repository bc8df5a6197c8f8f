// Classes a finding without a severity by its kind, as the design loop wants it: accessibility failures and token
// format violations are Critical, inconsistencies and missing states High, naming and documentation Medium, style Low.

import type { Severity } from '../model.js';

const ACCESSIBILITY = /accessib|\ba11y\b|\bwcag\b|\bcontrast\b|\baria\b|\baria-|screen.?reader|keyboard|focus.(?:ring|indicator|visible|order|trap|outline)|\balt.text\b/i;
const TOKEN_FORMAT = /\bdtcg\b|\$(?:type|value)\b|token.?format|(?:invalid|malformed|broken|unresolved|unparsable).{0,20}\btoken|\btokens?\b.{0,40}(?:invalid|malformed|unresolved|not valid|unparsable)/i;
const INCONSISTENCY = /inconsisten|consistency|mismatch|\bdiffers?\b|\bconflict/i;
const STATE = /\b(?:states?|hover|focus|disabled|active|loading|error|empty|pressed|selected)\b/i;
const MISSING = /\b(?:missing|lacks?|lacking|undefined|without|absent|incomplete|no|not|never)\b/i;
const MISSING_STATE = /missing.states?/i;
const NAMING = /\bnam(?:e|es|ed|ing)\b|\brename|kebab|camel.?case/i;
const DOCUMENTATION = /document|\bdocs?\b|\bdescriptions?\b|\btypos?\b|\bspelling\b/i;
const STYLE = /\bstyl(?:e|ing|istic)\b|cosmetic|preference|\bnit(?:pick)?s?\b|\bpolish\b/i;

/** Null where the text shows none of these kinds. The dimension only adds: text is the better witness, save for accessibility. */
export function severityOfKind(text: string, dimension: string): Severity | null {
  const about = text.slice(0, 2000);
  if (isCritical(about) || isCritical(dimension)) return 'critical';
  return lesser(about) ?? lesser(dimension);
}

function isCritical(text: string): boolean {
  return ACCESSIBILITY.test(text) || TOKEN_FORMAT.test(text);
}

function lesser(text: string): Severity | null {
  if (INCONSISTENCY.test(text) || MISSING_STATE.test(text) || (STATE.test(text) && MISSING.test(text))) return 'high';
  if (NAMING.test(text) || DOCUMENTATION.test(text)) return 'medium';
  return STYLE.test(text) ? 'low' : null;
}
