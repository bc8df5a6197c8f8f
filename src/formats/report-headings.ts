// What a heading, or a label above a list, says of the lines below it: findings of a severity, findings, praise,
// advice, scores. Only words are judged here; the walk is in report-markdown.ts.

import type { Severity } from '../model.js';
import { parseSeverity } from './severity.js';
import { stripOrnament } from './severity-tag.js';

export type Role =
  /** `several`: "Medium/Low", where a tag below may say which. */
  | { readonly kind: 'severity'; readonly severity: Severity; readonly several: boolean; readonly count: number | null }
  | { readonly kind: 'findings' | 'closed' | 'advice' | 'summary' | 'scores' | 'plain' };

const STILL_OPEN = /\b(?:un\w{3,12}|not|remaining|open|outstanding|still|must|should|need(?:s|ed)?|to be|to fix|pending)\b/i;
/** Each phrase is narrow on purpose: a section that is closed by mistake hides its findings ("Type Scale", "Fixed header"). */
const CLOSED: readonly RegExp[] = [
  /\b(?:resolved|addressed)\b/i,
  /^fixed(?:$| since| in | from| issues| findings| items)|\b(?:issues|findings|items|problems) (?:fixed|closed)\b|^closed(?:$| issues| findings)|what was fixed/i,
  /\bstrengths?\b|\bpositives?\b|\bwhat works\b|\bwent well\b|\bworks? well\b|\bwhat(?:'|’| i)s good\b|\bgood practices\b/i,
  /^pass(?:ed|ing|es)?$|\bpass(?:ed|ing) (?:checks?|criteria|items|areas|tests)\b|\b(?:checks?|criteria|items|areas) pass(?:ed|ing)\b/i,
  /^(?:legend|definitions|methodology|method|history|changelog)$|\bseverity (?:scale|levels?|classification|guide|criteria|definitions|key|legend)\b|\b(?:rating|scoring) (?:scale|guide|rubric|criteria)\b/i,
  /\b(?:iteration|audit|revision|round|score|change) history\b|\b(?:previous|prior) (?:audit|findings|issues|round|iteration|review)\b|\bchanges since\b/i,
];
const ADVICE =
  /\brecommend\w{0,8}\b|\bsuggest\w{0,6}\b|\bnext (?:steps?|actions?)\b|^actions?\b|\bactions? (?:taken|items|required|needed)\b|\brationale\b|\bdecision\b|\brequired (?:fixes|changes)\b|\b(?:fix|action|remediation) plan\b|\bremediation\b|\bto-?do\b|\bpriorities\b|\broadmap\b|\breasoning\b/i;
const FINDINGS =
  /\b(?:findings?|issues?|problems?|violations?|defects?|concerns?|bugs|failures?|gaps|unresolved|challenges|critiques?|weaknesses)\b/i;
const SUMMARY = /\b(?:summary|overview|tl;?dr|at a glance|key takeaways?|highlights|conclusion)\b/i;
const SCORES = /\bscor(?:es?|ecard|ing)\b|\bratings?\b/i;
const DIMENSIONS = /\bdimensions?\b/i;
/** "Notes" and "Note" head ordinary remarks. */
const REMARKS = /^notes?$/i;
const DIMENSION =
  /^(?:accessibility|a11y|consistency|completeness|quality|compliance|usability|performance|responsiveness|responsive|visual|tokens?|design tokens|states?|interaction|naming|documentation|typography|colou?rs?|spacing|layout|industry|brand|content|motion)\b/i;

export function roleOf(title: string): Role {
  const text = title.slice(0, 200);
  const severity = severityRole(text);
  if (CLOSED.some((phrase) => phrase.test(text.trim())) && !STILL_OPEN.test(text)) return { kind: 'closed' };
  if (severity !== null) return severity;
  if (ADVICE.test(text)) return { kind: 'advice' };
  if (SUMMARY.test(text)) return { kind: 'summary' };
  if (SCORES.test(text)) return { kind: 'scores' };
  if (FINDINGS.test(text)) return { kind: 'findings' };
  return { kind: DIMENSIONS.test(text) ? 'scores' : 'plain' };
}

/** `### 🔴 Critical Issues (2)`, `High (requires fix)`, `Medium/Low`, `P1 — High` */
function severityRole(title: string): Role | null {
  let text = stripOrnament(title)
    .replace(/^\d{1,3}(?:\.\d{1,3}){0,3}[.):]?\s{1,4}/, '')
    .trim();
  while (text.endsWith(':')) text = text.slice(0, -1).trim();
  let count: number | null = null;
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  if (open > 0) {
    const digits = /^\(\s?(\d{1,6})(?:\s(?:issues?|findings?|found|total))?\s?\)$/i.exec(text.slice(open))?.[1];
    if (digits !== undefined) count = Number(digits);
    text = text.slice(0, open).trim();
  }
  const counted = /\s?[:—–-]\s?(\d{1,6})(?:\s(?:issues?|findings?|found|total))?$/i.exec(text);
  if (counted !== null && open < 0) {
    text = text.slice(0, counted.index);
    count = Number(counted[1]);
  }
  if (text.length > 60 || REMARKS.test(text)) return null;
  const severity = /\p{L}/u.test(text) ? parseSeverity(text) : null;
  if (severity === null) return null;
  const parts = text.split(/[/,&+]|\band\b|\bor\b/i).filter((part) => parseSeverity(part) !== null);
  return { kind: 'severity', severity, several: parts.length > 1, count };
}

/** A heading that names what is judged: "Accessibility", "3. Token Consistency". */
export function dimensionWord(title: string): string | null {
  const text = (
    stripOrnament(title)
      .replace(/^\d{1,3}[.)]\s{1,4}/, '')
      .split(/\s[—–-]\s|[:(]/)[0] ?? ''
  ).trim();
  return text.length <= 40 && DIMENSION.test(text) ? text : null;
}

/** A section of this name speaks of the whole report, so a score in it is the report's. */
export function isOverall(title: string): boolean {
  return /\b(?:summary|overview|overall|audit|report|results?|verdict|conclusion|scores?|decision|status|final|gc|signal|assessment|scorecard|critique|review)\b/i.test(
    title,
  );
}
