// Classes a finding without a severity by its kind, as the design loop wants it: accessibility failures and token
// format violations are Critical, inconsistencies and missing states High, naming and documentation Medium, style Low.

import type { Severity } from '../model.js';
import { WordList, wordsOf } from './wording.js';

const ACCESSIBILITY = new WordList('a11y wcag contrast aria');
const INCONSISTENCY = new WordList('differ differs');
const STATE = new WordList('state states hover focus disabled active loading error empty pressed selected');
const MISSING = new WordList('missing lack lacks lacking undefined without absent incomplete no not never');
const NAMING = new WordList('name names named naming');
const DOCUMENTATION = new WordList('doc docs description descriptions typo typos spelling');
const STYLE = new WordList('style styling stylistic nit nits nitpick nitpicks polish');

/**
 * Null where nothing shows one of these kinds. A category that the finding declares decides before its words; its
 * dimension only adds: the text is the better witness, save for accessibility.
 */
export function severityOfKind(text: string, dimension: string, category = ''): Severity | null {
  const about = new Sentence(text.slice(0, 2000));
  const area = new Sentence(dimension);
  const declared = new Sentence(category).severity();
  if (declared !== null) return declared;
  if (about.isCritical() || area.isCritical()) return 'critical';
  return about.lesser() ?? area.lesser();
}

class Sentence {
  private readonly text: string;
  private readonly words: readonly string[];

  constructor(text: string) {
    this.text = text.toLowerCase();
    this.words = wordsOf(text);
  }

  severity(): Severity | null {
    return this.isCritical() ? 'critical' : this.lesser();
  }

  isCritical(): boolean {
    return this.isAccessibility() || this.isTokenFormat();
  }

  lesser(): Severity | null {
    if (this.isInconsistency() || this.isMissingState()) return 'high';
    if (this.isNaming() || this.isDocumentation()) return 'medium';
    return this.isStyle() ? 'low' : null;
  }

  private isAccessibility(): boolean {
    const { text } = this;
    if (text.includes('accessib') || text.includes('keyboard') || ACCESSIBILITY.hasAny(this.words)) return true;
    if (text.includes('screen') && /screen.?reader/.test(text)) return true;
    if (text.includes('focus') && /focus.(?:ring|indicator|visible|order|trap|outline)/.test(text)) return true;
    return text.includes('alt') && /\balt.text\b/.test(text);
  }

  private isTokenFormat(): boolean {
    const { text } = this;
    if (this.words.includes('dtcg') || (text.includes('$') && /\$(?:type|value)\b/.test(text))) return true;
    if (!text.includes('token')) return false;
    if (/token.?format|(?:invalid|malformed|broken|unresolved|unparsable).{0,20}\btoken/.test(text)) return true;
    return /\btokens?\b.{0,40}(?:invalid|malformed|unresolved|not valid|unparsable)/.test(text);
  }

  private isInconsistency(): boolean {
    const { text } = this;
    if (text.includes('inconsisten') || text.includes('consistency') || text.includes('mismatch')) return true;
    return INCONSISTENCY.hasAny(this.words) || this.startsAny('conflict');
  }

  private isMissingState(): boolean {
    if (STATE.hasAny(this.words) && MISSING.hasAny(this.words)) return true;
    return this.text.includes('missing') && /missing.state/.test(this.text);
  }

  private isNaming(): boolean {
    const { text } = this;
    if (NAMING.hasAny(this.words) || this.startsAny('rename') || text.includes('kebab')) return true;
    return text.includes('camel') && /camel.?case/.test(text);
  }

  private isDocumentation(): boolean {
    return this.text.includes('document') || DOCUMENTATION.hasAny(this.words);
  }

  private isStyle(): boolean {
    return STYLE.hasAny(this.words) || this.text.includes('cosmetic') || this.text.includes('preference');
  }

  private startsAny(start: string): boolean {
    return this.words.some((word) => word.startsWith(start));
  }
}
