// The readers of the brainstorm loop: `critique` (a critique file, Markdown or JSON), `critique-entries` (critique lines of
// discoveries.ndjson) and `severity-summary` (a cell of the challenger's row). Findings without a severity do not count here.

import type { Finding } from '../model/vocabulary.js';
import { readReportText, valuesOf } from './audit-report.js';
import { splitEntries } from './discoveries.js';
import type { BoardEntry } from './discoveries.js';
import { makeFinding, parseReference, statedSeverity } from './finding.js';
import { dedupe, findingsOf, reconcile } from './findings-json.js';
import { firstOf, own, plainKeys } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { isNoFinding } from './no-finding.js';
import { quote, readable, unreadable, type Reader } from './reader.js';
import { parseSeverityCell, countsOfObject, worstStated } from './severity.js';
import type { SeveritySummary, StatedCounts } from './severity.js';
import { splitTag } from './severity-tag.js';
import { WordList } from './word-lists.js';

const EXPECTED = 'critiques with a severity each, or counts such as CRITICAL:1 HIGH:2';
const COUNT_KEYS = new WordList('critical high medium low critical_count high_count medium_count low_count');
const SEVERITY_KEYS = ['severity', 'severity_level', 'level', 'priority'];
const MESSAGE_KEYS = ['challenge', 'critique', 'message', 'description', 'issue', 'title', 'text', 'summary', 'finding', 'data'];

export const readCritique: Reader = (text, about) => {
  const read = readReportText(text, about, { fallback: null });
  if (!read.ok) return read.result;
  const { report } = read;
  const notes = report.counted ? report.notes : [...report.notes, `no severity was found in the critique; expected ${EXPECTED}`];
  return readable({
    values: valuesOf(report),
    findings: report.findings,
    counts: report.counted ? report.counts : null,
    unread: report.unread,
    notes,
  });
};

export const readCritiqueEntries: Reader = (text) => {
  const { entries, notes: broken } = splitEntries(text);
  if (entries.length === 0) return unreadable(broken[0] ?? `it has no entries; expected ${EXPECTED}`);
  const notes = [...broken];
  const findings: Finding[] = [];
  const uncounted: string[] = [];
  let stated: StatedCounts | null = null;
  for (const entry of entries) {
    const found = findingsIn(entry, notes);
    findings.push(...found);
    const summary = summaryOf(entry.data);
    const silent = found.length === 0 && summary === null ? withoutSeverity(entry) : null;
    if (silent !== null) uncounted.push(silent);
    if (summary === null) continue;
    stated = worstStated(stated, summary.said);
    notes.push(...summary.notes);
  }
  const [first, ...more] = uncounted;
  if (first !== undefined) {
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    notes.push(`not counted, because it has no severity: ${quote(first)}${others}`);
  }
  const listed = dedupe(findings);
  const { counts } = reconcile(listed, stated);
  return readable({ findings: listed, counts: listed.length > 0 || stated !== null ? counts : null, notes });
};

export const readSeveritySummary: Reader = (text) => {
  if (text.trim() === '') return unreadable('it is empty; expected counts such as CRITICAL:1 HIGH:2');
  const summary = parseSeverityCell(text);
  if (summary === null) return readable({ notes: [`no count in ${quote(text)}; expected counts such as CRITICAL:1 HIGH:2`] });
  return readable({ counts: summary.counts, notes: summary.notes });
};

/** The text of a critique without any severity. Null if it is empty or reports no findings. */
function withoutSeverity({ data: raw }: BoardEntry): string | null {
  const data = plainKeys(raw);
  const word = firstOf(data, SEVERITY_KEYS);
  const message = firstOf(data, MESSAGE_KEYS);
  const isSilent = word === undefined || word === null || (typeof word === 'string' && word.trim() === '');
  return isSilent && typeof message === 'string' && message.trim() !== '' && !isNoFinding(message) ? message : null;
}

/** An entry is one critique or holds a list of them. */
function findingsIn({ data: raw, worker, line, repeated }: BoardEntry, notes: string[]): readonly Finding[] {
  if (repeated !== undefined) {
    notes.push(`the entry on line ${line} repeats the key "${repeated.slice(0, 60)}"; counted as Critical`);
    // The fingerprint is made of this text, so it is never reworded.
    return [makeFinding({ severity: 'critical', message: `a critique by ${worker || 'an unnamed worker'} contradicts itself` })];
  }
  const data = plainKeys(raw);
  const list = firstOf(data, ['findings', 'challenges', 'critiques', 'issues', 'data']);
  // Only the list counts: a severity at the top belongs to the entry itself.
  const nested = Array.isArray(list) ? findingsOf([{ findings: list }], { fallback: null }) : null;
  notes.push(...(nested?.notes ?? []));
  const message = firstOf(data, MESSAGE_KEYS);
  const text = typeof message === 'string' ? message : '';
  const word = firstOf(data, SEVERITY_KEYS);
  const tag = word === undefined ? splitTag(text) : null;
  if (tag !== null && tag.rest !== '' && !isNoFinding(tag.rest)) {
    return [makeFinding({ severity: tag.severity, ...placed(tag.rest, data) }), ...(nested?.findings ?? [])];
  }
  if (word === undefined || countsOfObject(word) !== null) return nested?.findings ?? [];
  if ((typeof word !== 'object' && isNoFinding(String(word))) || (text !== '' && isNoFinding(text))) return nested?.findings ?? [];
  return [
    makeFinding({
      severity: statedSeverity(data, notes) ?? 'high',
      ...placed(text || `a critique by ${worker || 'an unnamed worker'}`, data),
    }),
    ...(nested?.findings ?? []),
  ];
}

function placed(
  text: string,
  data: JsonObject,
): { readonly message: string; readonly artifact: string | null; readonly line: number | null } {
  const pointed = parseReference(text);
  const target = firstOf(data, ['idea', 'idea_id', 'target', 'artifact', 'file']);
  return pointed.artifact !== null || typeof target !== 'string' ? pointed : { ...pointed, artifact: target };
}

function summaryOf(data: JsonObject): SeveritySummary | null {
  const said = firstOf(data, ['severity_summary', 'severity_counts', 'counts']);
  if (typeof said === 'string') return parseSeverityCell(said);
  return countsOfObject(said) ?? countsOfObject(own(data, 'severity')) ?? countsOfObject(numbersOf(data));
}

/** `{critical: 1, high: 2}` directly in the data. */
function numbersOf(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([key, value]) => typeof value === 'number' && COUNT_KEYS.has(key.toLowerCase())));
}
