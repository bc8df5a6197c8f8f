// The meaning of a heading, or of a label above a list: findings of a severity, findings, praise, advice, scores.

import type { Severity } from '../model/vocabulary.js';
import { hasDigit, hasLetter, isDigit } from './characters.js';
import { isGraveWord, parseSeverity, leadingEmojiSeverity } from './severity.js';
import { stripOrnament } from './severity-tag.js';
import { leadingWord, lowerCase, PhraseList, WordList, wordsOf } from './word-lists.js';

export type HeadingMeaning =
  /** `several`: "Medium/Low", where a tag below may say which. */
  | {
      readonly kind: 'severity';
      readonly severity: Severity;
      readonly several: boolean;
      readonly count: number | null;
      readonly unknown?: boolean;
    }
  | { readonly kind: 'findings' | 'closed' | 'advice' | 'summary' | 'scores' | 'plain' };

/** Phrases are narrow on purpose: a section closed by mistake ("Type Scale", "Fixed header") would hide its findings. */
const CLOSED = new PhraseList(
  'resolved/addressed',
  'issues/findings/items/problems fixed/closed',
  'strength/strengths/positive/positives',
  'what works',
  'went/work/works well',
  'what is good',
  'what | s good',
  'good practices',
  'passed/passing check/checks/criteria/items/areas/tests',
  'check/checks/criteria/items/areas passed/passing',
  'severity scale/level/levels/classification/guide/criteria/definitions/key/legend',
  'rating/scoring scale/guide/rubric/criteria',
  'iteration/audit/revision/round/score/change history',
  'previous/prior audit/findings/issues/round/iteration/review',
  'changes since',
);
const CLOSED_TITLES = new WordList('fixed closed pass passed passing passes legend definitions methodology method history changelog');
const CLOSED_STARTS = new PhraseList('fixed since/in/from/issues/findings/items', 'closed issues/findings');
const STILL_OPEN = new PhraseList('not/remaining/open/outstanding/still/must/should/need/needs/needed/pending', 'to be/fix');
const ADVICE = new PhraseList(
  'next step/steps/action/actions',
  'action/actions taken/items/required/needed',
  'rationale/decision/remediation/todo/priorities/roadmap/reasoning',
  'required fixes/changes',
  'fix/action/remediation plan',
  'to | do',
);
const SUMMARY = new PhraseList('summary/overview/tldr/highlights/conclusion', 'tl | dr', 'at a glance', 'key takeaway/takeaways');
const SCORES = new WordList('score scores scorecard scoring rating ratings');
const FINDINGS = new WordList(
  'finding findings issue issues problem problems violation violations defect defects concern concerns bugs failure failures gaps unresolved ' +
    'challenges critique critiques weaknesses',
);
/** "Must fix", "Must-fix before merge": at least High. */
const MUST = new PhraseList('must fix', 'must | fix');
const CRITICAL = new WordList('critical blocking');
const DIMENSION = new WordList(
  'accessibility a11y consistency completeness quality compliance usability performance responsiveness responsive visual token tokens state ' +
    'states interaction naming documentation typography color colors colour colours spacing layout industry brand content motion',
);
const OVERALL = new WordList(
  'summary overview overall audit report result results verdict conclusion score scores decision status final gc signal assessment scorecard ' +
    'critique review',
);

/** `isListed`: the heading is below a heading of findings, so "Notes" holds findings too, of the lowest severity. */
export function readHeading(title: string, isListed = false): HeadingMeaning {
  const text = title.slice(0, 200).toLowerCase();
  const severity = severityRole(title.slice(0, 200), isListed);
  const words = wordsOf(text.trim());
  if (isClosed(text.trim(), words) && !isStillOpen(words)) return { kind: 'closed' };
  if (severity !== null) return severity;
  // "Critical accessibility issues": the severity and more.
  if (CRITICAL.has(leadingWord(text)) && FINDINGS.hasAny(words) && !words.includes('no'))
    return { kind: 'severity', severity: 'critical', several: false, count: null };
  if (MUST.opens(words)) return { kind: 'severity', severity: 'high', several: true, count: null };
  if (isAdvice(text, words)) return { kind: 'advice' };
  if (SUMMARY.isIn(words)) return { kind: 'summary' };
  if (SCORES.hasAny(words)) return { kind: 'scores' };
  if (FINDINGS.hasAny(words)) return { kind: 'findings' };
  return { kind: words.includes('dimension') || words.includes('dimensions') ? 'scores' : 'plain' };
}

function isClosed(text: string, words: readonly string[]): boolean {
  return CLOSED_TITLES.has(text) || CLOSED.isIn(words) || text.includes('what was fixed') || CLOSED_STARTS.opens(words);
}

/** "Not resolved", "To be fixed", "Unaddressed". */
function isStillOpen(words: readonly string[]): boolean {
  return STILL_OPEN.isIn(words) || words.some((word) => word.startsWith('un') && word.length >= 'un'.length + 3);
}

function isAdvice(text: string, words: readonly string[]): boolean {
  if (text.startsWith('action') && ['action', 'actions'].includes(leadingWord(text))) return true;
  return ADVICE.isIn(words) || words.some((word) => word.startsWith('recommend') || word.startsWith('suggest'));
}

/** `### 🔴 Critical Issues (2)`, `High (requires fix)`, `Medium/Low`, `P1 — High` */
function severityRole(title: string, isListed: boolean): HeadingMeaning | null {
  let text = stripOrnament(title);
  if (isDigit(text.charCodeAt(0))) text = text.replace(/^\d{1,3}(?:\.\d{1,3}){0,3}[.):]?\s{1,4}/, '').trim();
  while (text.endsWith(':')) text = text.slice(0, -1).trim();
  let count: number | null = null;
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  if (open > 0) {
    const digits = /^\(\s?(\d{1,6})(?:\s(?:issues?|findings?|found|total))?\s?\)$/.exec(text.slice(open).toLowerCase())?.[1];
    if (digits !== undefined) count = Number(digits);
    text = text.slice(0, open).trim();
  }
  const counted =
    open < 0 && hasDigit(text) ? /\s?[:\u2014\u2013-]\s?(\d{1,6})(?:\s(?:issues?|findings?|found|total))?$/.exec(lowerCase(text)) : null;
  if (counted !== null) {
    text = text.slice(0, counted.index);
    count = Number(counted[1]);
  }
  if (text.length > 60) return null;
  // "Notes" and "Additional notes" are ordinary remarks, unless they are among findings. "1. Patient notes" is a finding itself.
  if (isRemarks(text)) return isListed && isLeast(title, text) ? { kind: 'severity', severity: 'low', several: true, count } : null;
  const severity = hasLetter(text) ? parseSeverity(text) : null;
  if (severity === null)
    return isGraveWord(leadingWord(text)) && isShort(text)
      ? { kind: 'severity', severity: 'high', several: true, count, unknown: true }
      : null;
  return { kind: 'severity', severity, several: isSeveral(text.toLowerCase()), count };
}

function isRemarks(text: string): boolean {
  const words = wordsOf(text.toLowerCase());
  return words.length <= 2 && ['note', 'notes'].includes(words.at(-1) ?? '') && (words.length === 1 || parseSeverity(words[0]) === null);
}

const LEAST = new WordList('note notes additional other further general side extra misc miscellaneous');

/** Only remarks: not "Security notes", no red emoji and no number, which mean more. */
function isLeast(title: string, text: string): boolean {
  const drawn = leadingEmojiSeverity(title);
  const isNumbered = isDigit(stripOrnament(title).charCodeAt(0));
  return (drawn === null || drawn === 'low') && !isNumbered && wordsOf(text.toLowerCase()).every((word) => LEAST.has(word));
}

/** "Severe", "Catastrophic issues" */
function isShort(text: string): boolean {
  return text
    .split(' ')
    .slice(1)
    .every((word) => FINDINGS.has(word.toLowerCase()));
}

/** `medium/low`, `high and critical` */
function isSeveral(text: string): boolean {
  if (leadingWord(text) === text) return false;
  return text.split(/[/,&+]|\band\b|\bor\b/).filter((part) => parseSeverity(part) !== null).length > 1;
}

/** A heading that names a dimension: "Accessibility", "3. Token Consistency". */
export function dimensionWord(title: string): string | null {
  let text = stripOrnament(title);
  if (isDigit(text.charCodeAt(0))) text = text.replace(/^\d{1,3}[.)]\s{1,4}/, '');
  const end = text.search(/\s[\u2014\u2013-]\s|[:(]/);
  const name = (end < 0 ? text : text.slice(0, end)).trim();
  return name.length <= 40 && isDimension(name) ? name : null;
}

function isDimension(name: string): boolean {
  const first = leadingWord(name);
  return DIMENSION.has(first) || (first === 'design' && leadingWord(name.slice('design '.length)) === 'tokens' && name.charAt(6) === ' ');
}

/** A section about the whole report, so that a score in it is the overall score. */
export function isOverall(title: string): boolean {
  return OVERALL.hasAny(wordsOf(title));
}
