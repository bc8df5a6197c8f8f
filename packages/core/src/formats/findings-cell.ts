// The `findings` cell of a row: tagged parts in one line (`[CRITICAL] …; [HIGH] …`), bullets, or a JSON list. Text without a severity
// tag holds no findings. A cell with headings, tables, fences or HTML is read as a report.

import type { Counts, Finding } from '../model/vocabulary.js';
import { readReportText } from './audit-report.js';
import { makeFinding, parseReference } from './finding.js';
import { dedupe, findingsOf, reconcile } from './findings-json.js';
import { isObject, parseJson } from './json-text.js';
import { isNoFinding } from './no-finding.js';
import { countLine, unreadNote } from './report-lines.js';
import { readable, unreadable, type Reader } from './reader.js';
import { NO_COUNTS, worstStated } from './severity.js';
import type { StatedCounts } from './severity.js';
import { carriedSeverity, splitTag, type SeverityTag } from './severity-tag.js';

export interface FindingsCell {
  readonly findings: readonly Finding[];
  /** Counts of the findings and of stated totals. Null if the text has neither. */
  readonly counts: Counts | null;
  /** A7: parts that carry a severity and were not read. */
  readonly unread: readonly string[];
  readonly notes: readonly string[];
}

const STRUCTURE = /^\s{0,3}(?:#{1,6}\s|\||```|~~~|<(?:h[1-6]|ul|ol|li|table|details|p)\b)/im;
const SEPARATORS = /[;|\n\r]/;
/** The start of a new finding inside a line: `[HIGH]`, `HIGH:`, `**High**`, and `High:` after a sentence. */
const BOUNDARY =
  /(?<=[.!?]\s)(?=(?:Critical|High|Medium|Low)\s{0,2}:)|(?<=\s)(?=\[[A-Za-z][A-Za-z0-9 -]{1,20}\]|\*\*\[?[A-Za-z0-9]{2,12}\]?:?\*\*|(?:CRITICAL|HIGH|MEDIUM|LOW|P[0-4])\s{0,2}:)/g;

export function parseFindingsCell(text: string): FindingsCell {
  const json = parseAsJson(text);
  if (json !== null) return json;
  if (STRUCTURE.test(text)) return parseAsReport(text);
  const claims: { readonly tag: Pick<SeverityTag, 'severity'>; message: string }[] = [];
  const unread: string[] = [];
  let stated: StatedCounts | null = null;
  for (const piece of text.split(SEPARATORS).flatMap((part) => (countLine(part) === null ? splitAtTags(part) : [part]))) {
    const listed = piece.replace(/^\s{0,20}(?:[-*\u2022+]|\d{1,3}[.)])\s{1,5}/, '').trim();
    const body = listed.endsWith(',') ? listed.slice(0, -1) : listed;
    if (body === '') continue;
    const counts = countLine(body);
    const tag = counts === null ? splitTag(body) : null;
    const last = claims.at(-1);
    if (counts !== null) stated = worstStated(stated, Object.fromEntries(counts));
    else if (tag !== null) claims.push({ tag, message: tag.rest });
    // A part without a tag continues the tagged part before it.
    else if (last !== undefined && last.message !== '') last.message += `; ${body}`;
    else {
      const severity = carriedSeverity(body);
      if (severity === 'critical') claims.push({ tag: { severity }, message: body });
      else if (severity !== null) unread.push(body);
    }
  }
  const left = { unread, notes: unreadNote(unread) };
  if (claims.length === 0 && stated === null) return { findings: [], counts: null, ...left };
  const findings = dedupe(
    claims
      .filter(({ message }) => !isNoFinding(message))
      .map(({ tag, message }) => makeFinding({ severity: tag.severity, ...parseReference(message.replaceAll('**', '')) })),
  );
  if (findings.length === 0 && stated === null) return { findings, counts: claims.length > 0 ? NO_COUNTS : null, ...left };
  const { counts, notes } = reconcile(findings, stated);
  return { findings, counts, unread, notes: [...notes, ...left.notes] };
}

/** The reader `findings-cell`: the cell as evidence of its own. A summary without a severity is none. */
export const readFindingsCell: Reader = (text) => {
  const cell = parseFindingsCell(text);
  return cell.counts === null ? unreadable('it has no severity tag; expected findings such as [HIGH] ...') : readable(cell);
};

/** Headings, tables, fences and HTML are read as in a report of their own. */
function parseAsReport(text: string): FindingsCell {
  const read = readReportText(text, { path: 'findings.md' }, { fallback: null });
  if (!read.ok) return { findings: [], counts: null, unread: [], notes: [] };
  const { findings, counts, unread, notes } = read.report;
  return { findings, counts: read.report.counted ? counts : null, unread, notes };
}

function splitAtTags(part: string): readonly string[] {
  return part.includes('[') || part.includes('**') || part.includes(':') ? part.split(BOUNDARY) : [part];
}

function parseAsJson(text: string): FindingsCell | null {
  const start = text.trimStart();
  if (!start.startsWith('{') && !(start.startsWith('[') && /^\[\s{0,20}[{"\]]/.test(start))) return null;
  const json = parseJson(text);
  if (!json.ok || (!Array.isArray(json.value) && !isObject(json.value))) return null;
  // As in plain text, a sentence in the list needs a tag to be a finding.
  const found = findingsOf([isObject(json.value) ? json.value : { findings: json.value }], { fallback: null });
  const { counts, notes } = reconcile(found.findings, found.stated);
  const counted = found.findings.length > 0 || found.stated !== null;
  return { findings: found.findings, counts: counted ? counts : null, unread: [], notes: [...found.notes, ...notes] };
}
