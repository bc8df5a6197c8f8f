// Readers for custom critics: `json` (scalars of an object as values, lists as lists), `markdown` (a report as `audit` reads it, with
// `Key: value` lines as values) and `text` (the output of a program, kept for people).

import type { Item, Scalar, ReadResult } from '../model/vocabulary.js';
import { AUDIT_OPTIONS, readReportText, valuesOf } from './audit-report.js';
import { isScalar, scalarsOf } from './discoveries.js';
import { nestedFindings, findingsOf, reconcile, rootsOf } from './findings-json.js';
import { isObject, nameOf, parseReport } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { parseMarkdown } from './markdown-blocks.js';
import type { Section } from './markdown-blocks.js';
import { isPlaceholder } from './no-finding.js';
import { readable, refuseText, unreadable } from './reader.js';
import type { Reader } from './reader.js';
import { splitKey } from './report-lines.js';
import { parseScore } from './score-text.js';

const MAX_LEVELS = 4;

export const readJson: Reader = (text) => {
  const refused = refuseText(text, 'a JSON object');
  if (refused !== null) return refused;
  const json = parseReport(text);
  if (!json.ok) return unreadable(json.problem, json.line);
  if (!isObject(json.value)) return unreadable(`it is ${nameOf(json.value)}; expected a JSON object`);
  const values: [string, Scalar][] = [];
  const lists: [string, readonly Item[]][] = [];
  flatten(json.value, '', 1, values, lists);
  const found = findingsOf(rootsOf(json.value, ['review', 'results', 'result', 'report']), { fallback: 'high' });
  const findings = [...found.findings, ...nestedFindings(json.value, found.findings, { fallback: 'high' })];
  const { counts, notes } = reconcile(findings, found.stated);
  const counted = found.present || found.stated !== null || findings.length > 0;
  return readable({ values, findings, counts: counted ? counts : null, lists, notes: [...found.notes, ...notes] });
};

function flatten(object: JsonObject, prefix: string, level: number, values: [string, Scalar][], lists: [string, readonly Item[]][]): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (isScalar(value)) values.push([name, value]);
    else if (isObject(value) && level < MAX_LEVELS) flatten(value, name, level + 1, values, lists);
    else if (Array.isArray(value))
      lists.push([
        name,
        value.map((value) => {
          // A string or number in a list becomes the name of an item: `failures: ["a", "b"]` is two failures.
          if (isObject(value)) return scalarsOf(value);
          return isScalar(value) ? { name: value } : {};
        }),
      ]);
  }
}

export const readMarkdown: Reader = (text, about) => {
  const read = readReportText(text, about, AUDIT_OPTIONS);
  if (!read.ok) return read.result;
  const { report } = read;
  const pairs = new Map<string, Scalar>();
  const notes = [...report.notes];
  for (const line of listLines(parseMarkdown(text))) addPair(line, pairs, notes);
  for (const [key, value] of valuesOf(report)) pairs.set(key, value);
  if (pairs.size === 0 && !report.counted && report.dimensions.length === 0) {
    return unreadable('it has no finding, no score and no line such as "Verdict: pass"; expected a report in Markdown');
  }
  const counts = report.counted ? report.counts : null;
  return readable({
    values: pairs,
    findings: report.findings,
    counts,
    lists: [['dimensions', report.dimensions]],
    unread: report.unread,
    notes,
  });
};

/** The first line with a key counts. A different value later is noted. */
function addPair(line: string, pairs: Map<string, Scalar>, notes: string[]): void {
  const pair = splitKey(line);
  if (pair === null || pair.value === '' || pair.value.length > 500 || isPlaceholder(pair.value)) return;
  const value = scalarOf(pair.value);
  const before = pairs.get(pair.key);
  if (before === undefined) pairs.set(pair.key, value);
  else if (before !== value)
    notes.push(`${pair.key} appears twice, as "${String(before).slice(0, 60)}" and "${String(value).slice(0, 60)}"; using the first`);
}

function scalarOf(text: string): Scalar {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  const score = parseScore(text);
  if (score === null) return text;
  // A score on another scale stays text: the fact that uses it knows the scale.
  return score.outOf === null || text.endsWith('%') ? score.value : text;
}

/** Of lists only the items themselves: nested lines describe a finding, not the report. */
function listLines(section: Section): readonly string[] {
  const lines = section.blocks.flatMap((block) => {
    if (block.kind === 'text') return block.lines;
    return block.kind === 'list' ? block.items.map(({ text }) => text) : [];
  });
  return [...lines, ...section.sections.flatMap(listLines)];
}

export function readText(text: string): ReadResult {
  const refused = refuseText(text, 'the output of a program');
  if (refused !== null) return refused;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return readable({ values: [['lines', lines]] });
}
