// The readers of the brainstorm loop: `critique` (a critique file, Markdown or JSON), `critique-entries` (critique
// lines of discoveries.ndjson) and `severity-summary` (the challenger's cell). Without a severity nothing counts here.

import type { Finding, Severity } from '../model.js';
import { readReportText, valuesOf } from './audit-report.js';
import { splitEntries, type Entry } from './discovery-entries.js';
import { makeFinding, parseReference } from './finding.js';
import { dedupe, findingsOf, reconcile } from './findings-json.js';
import { firstOf, own, type JsonObject } from './json-text.js';
import { isNoFinding } from './no-finding.js';
import { quote, readable, unreadable, type Reader } from './reader.js';
import { WordList } from './wording.js';
import {
  countsOfObject,
  parseSeverity,
  parseSeveritySummary,
  unknownSeverityNote,
  worstStated,
  type SeveritySummary,
  type StatedCounts,
} from './severity.js';

const EXPECTED = 'critiques with a severity each, or counts such as CRITICAL:1 HIGH:2';
const COUNT_KEYS = new WordList('critical high medium low critical_count high_count medium_count low_count');
const MESSAGE_KEYS = ['challenge', 'critique', 'message', 'description', 'issue', 'title', 'text', 'summary', 'finding'];

export const readCritique: Reader = (text, about) => {
  const read = readReportText(text, about, { fallback: null });
  if (!read.ok) return read.result;
  const { report } = read;
  const notes = report.counted ? report.notes : [...report.notes, `no severity was found in the critique; expected ${EXPECTED}`];
  return readable({ values: valuesOf(report), findings: report.findings, counts: report.counted ? report.counts : null, notes });
};

export const readCritiqueEntries: Reader = (text) => {
  const { entries, notes: broken } = splitEntries(text);
  if (entries.length === 0) return unreadable(broken[0] ?? `there is no entry in it; expected ${EXPECTED}`);
  const notes = [...broken];
  const findings: Finding[] = [];
  let stated: StatedCounts | null = null;
  for (const entry of entries) {
    findings.push(...findingsIn(entry, notes));
    const summary = summaryOf(entry.data);
    if (summary === null) continue;
    stated = worstStated(stated, summary.said);
    notes.push(...summary.notes);
  }
  const listed = dedupe(findings);
  const { counts } = reconcile(listed, stated);
  return readable({ findings: listed, counts: listed.length > 0 || stated !== null ? counts : null, notes });
};

export const readSeveritySummary: Reader = (text) => {
  if (text.trim() === '') return unreadable('it is empty; expected counts such as CRITICAL:1 HIGH:2');
  const summary = parseSeveritySummary(text);
  if (summary === null) return readable({ notes: [`${quote(text)} holds no count; expected counts such as CRITICAL:1 HIGH:2`] });
  return readable({ counts: summary.counts, notes: summary.notes });
};

/** One entry is one critique, or carries a list of them. */
function findingsIn({ data, worker }: Entry, notes: string[]): readonly Finding[] {
  const list = firstOf(data, ['findings', 'challenges', 'critiques', 'issues']);
  // Only the list: a severity at the top is the entry's own.
  const nested = Array.isArray(list) ? findingsOf([{ findings: list }], { fallback: null }) : null;
  notes.push(...(nested?.notes ?? []));
  const word = firstOf(data, ['severity', 'level', 'priority']);
  if (word === undefined || typeof word === 'object') return nested?.findings ?? [];
  const message = firstOf(data, MESSAGE_KEYS);
  const text = typeof message === 'string' ? message : '';
  if (isNoFinding(String(word)) || (text !== '' && isNoFinding(text))) return nested?.findings ?? [];
  return [
    makeFinding({ severity: severityOf(word, notes), ...placed(text || `a critique by ${worker || 'an unnamed worker'}`, data) }),
    ...(nested?.findings ?? []),
  ];
}

function severityOf(word: unknown, notes: string[]): Severity {
  const severity = parseSeverity(word);
  if (severity === null) notes.push(unknownSeverityNote(String(word)));
  return severity ?? 'high';
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
  if (typeof said === 'string') return parseSeveritySummary(said);
  return countsOfObject(said) ?? countsOfObject(own(data, 'severity')) ?? countsOfObject(numbersOf(data));
}

/** `{critical: 1, high: 2}` right in the data. */
function numbersOf(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([key, value]) => typeof value === 'number' && COUNT_KEYS.has(key.toLowerCase())));
}
