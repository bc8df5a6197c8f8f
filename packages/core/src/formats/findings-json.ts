// Reads findings and stated counts from the JSON that agents write: lists, groups by severity or dimension, one sentence, or only
// numbers. Also finds those nested deeper than the known lists.

import { SEVERITIES } from '../model/vocabulary.js';
import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { findingFromUnknown, parseReference, MESSAGE_KEYS, hasSeverity } from './finding.js';
import type { FindingContext } from './finding.js';
import { isObject, nameOf, own, plainKeys, firstOf } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { isNoFinding } from './no-finding.js';
import {
  parseSeverityCell,
  countFindings,
  countsOfObject,
  NO_COUNTS,
  parseSeverity,
  parseSeveritySummary,
  severityName,
  worstCounts,
  worstStated,
} from './severity.js';
import type { StatedCounts } from './severity.js';
import { WordList } from './word-lists.js';
import { sarifResults } from './sarif.js';

interface FoundFindings {
  readonly findings: readonly Finding[];
  /** The counts that the report states, apart from its lists. */
  readonly stated: StatedCounts | null;
  /** The report has a member for findings, even an empty one. */
  readonly present: boolean;
  readonly notes: readonly string[];
}

export interface FindingsOptions extends FindingContext {
  readonly fallback: 'high' | null;
}

interface CollectedFindings {
  readonly options: FindingsOptions;
  readonly findings: Finding[];
  stated: StatedCounts | null;
  present: boolean;
  readonly notes: string[];
}

const LIST_KEYS = ['findings', 'issues', 'violations', 'problems', 'challenges', 'critiques'];
const COUNT_KEYS = [
  'severity_summary',
  'severity_counts',
  'severityCounts',
  'severity',
  'counts',
  'summary',
  'by_severity',
  'totals',
  'findings_count',
];

const NO_GROUPS = new WordList('error errors warning warnings info note notes information warn');

/** The top object and the members that only wrap a report. */
export function rootsOf(top: JsonObject, wrappers: readonly string[]): readonly JsonObject[] {
  const plain = plainKeys(top);
  return [
    plain,
    ...wrappers
      .map((key) => own(plain, key))
      .filter(isObject)
      .map(plainKeys),
  ];
}

export function findingsOf(roots: readonly JsonObject[], options: FindingsOptions): FoundFindings {
  const basket: CollectedFindings = { options, findings: [], stated: null, present: false, notes: [] };
  for (const root of roots) {
    for (const key of LIST_KEYS) takeMember(own(root, key), key, basket);
    basket.present ||= isEmptySarif(root);
    takeGroups(root, basket);
    for (const key of COUNT_KEYS) addStatedCounts(own(root, key), basket, key.startsWith('severity'));
    addStatedCounts(root, basket);
  }
  return { findings: dedupe(basket.findings), stated: basket.stated, present: basket.present, notes: basket.notes };
}

/** A SARIF log without results. It has no member for findings, but says that there are none. */
function isEmptySarif(root: JsonObject): boolean {
  const runs = own(root, 'runs');
  const results = Array.isArray(runs) ? runs.map((run) => (isObject(run) ? own(run, 'results') : null)) : [];
  return results.length > 0 && results.every((list) => Array.isArray(list) && list.length === 0);
}

/** The findings under one name, such as a dimension. */
export function findingsUnder(value: unknown, name: string, options: FindingsOptions): FoundFindings {
  const basket: CollectedFindings = { options, findings: [], stated: null, present: false, notes: [] };
  takeMember(value, name, basket);
  return { findings: dedupe(basket.findings), stated: basket.stated, present: basket.present, notes: basket.notes };
}

/**
 * Findings nested deeper than the lists already read, without those already known. The same message elsewhere is the same finding,
 * unless it has a worse severity there.
 */
export function nestedFindings(top: unknown, known: readonly Finding[], options: FindingsOptions): readonly Finding[] {
  const worst = new Map<string, number>();
  for (const { message, severity } of known)
    worst.set(message, Math.min(worst.get(message) ?? SEVERITIES.length, SEVERITIES.indexOf(severity)));
  const findings: Finding[] = [];
  // `groupOf`: the severity of a list such as `criticalIssues`.
  const walk = new FindingWalk(groupOf);
  walk.node(top, '', null, '', 0);
  for (const { value, group, within } of walk.found) {
    const context: FindingContext = group === null ? options : { ...options, group };
    const { finding } = findingFromUnknown(value, options.fallback, context);
    if (finding === null || SEVERITIES.indexOf(finding.severity) >= (worst.get(finding.message) ?? SEVERITIES.length)) continue;
    const place = finding.artifact === null && isObject(value) && parseReference(within).artifact !== null ? within : null;
    findings.push(
      place === null
        ? finding
        : (findingFromUnknown({ file: place, ...plainKeys(value as JsonObject) }, options.fallback, context).finding ?? finding),
    );
  }
  return dedupe(findings);
}

/** The larger of listed and stated counts, with a note if they differ. */
export function reconcile(
  findings: readonly Finding[],
  stated: StatedCounts | null,
): { readonly counts: Counts; readonly notes: readonly string[] } {
  const listed = countFindings(findings);
  const notes = SEVERITIES.flatMap((severity) => {
    const said = stated?.[severity] ?? listed[severity];
    if (said === listed[severity]) return [];
    return [
      `the report states ${said} ${severityName(severity)} but lists ${listed[severity]}; counted ${Math.max(said, listed[severity])}`,
    ];
  });
  return { counts: worstCounts(listed, { ...NO_COUNTS, ...stated }), notes };
}

/** Counts a finding with the same words only once. */
export function dedupe(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.severity}|${finding.artifact ?? ''}|${finding.line ?? ''}|${finding.rule ?? ''}|${finding.message}`;
    if (!seen.has(key)) seen.set(key, finding);
  }
  return [...seen.values()];
}

function takeMember(value: unknown, key: string, basket: CollectedFindings): void {
  if (value === undefined || value === null) return;
  basket.present = true;
  if (Array.isArray(value)) for (const entry of value) addFinding(entry, basket, {});
  else if (isObject(value)) takeObject(value, basket);
  else if (typeof value === 'string') {
    if (value.trim() !== '' && !isNoFinding(value)) basket.notes.push(`${key} is a string, not a list; read as one finding`);
    addFinding(value, basket, {});
  } else basket.notes.push(`${key} is ${nameOf(value)}; expected a list of findings`);
}

/** One finding, or groups of findings. */
function takeObject(value: JsonObject, basket: CollectedFindings): void {
  if (['message', 'description', 'title', 'severity'].some((key) => typeof own(value, key) === 'string')) {
    addFinding(value, basket, {});
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    const group = groupOf(key);
    const context: FindingContext = group === null ? { dimension: key } : { group };
    const list = isObject(entry) ? ['items', 'findings', 'issues', 'list'].map((name) => own(entry, name)).find(Array.isArray) : entry;
    if (Array.isArray(list)) for (const each of list) addFinding(each, basket, context);
    else if (group !== null && typeof list === 'string') addFinding(list, basket, context);
  }
  addStatedCounts(value, basket);
}

/** `critical: [...]` or `high_issues: [...]` at the top of the report. */
function takeGroups(root: JsonObject, basket: CollectedFindings): void {
  for (const [key, entry] of Object.entries(root)) {
    const group = Array.isArray(entry) ? groupOf(key) : null;
    if (group === null) continue;
    basket.present = true;
    for (const each of entry as readonly unknown[]) addFinding(each, basket, { group });
  }
}

/** Some names with a severity word are not groups: `errors` and `warnings` of a tool's output. */
function groupOf(key: string): Severity | null {
  if (key.length > 60) return null;
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll('_', ' ');
  const name = words.endsWith(' count') || words.endsWith(' total') ? words.slice(0, -' count'.length) : words;
  return NO_GROUPS.has(name) ? null : parseSeverity(name);
}

function addFinding(value: unknown, basket: CollectedFindings, context: FindingContext): void {
  const { finding, notes } = findingFromUnknown(value, basket.options.fallback, { ...basket.options, ...context });
  if (finding !== null) basket.findings.push(finding);
  basket.notes.push(...notes);
}

/** `cell`: the text holds only counts. */
function addStatedCounts(value: unknown, basket: CollectedFindings, cell = false): void {
  const parse = cell ? parseSeverityCell : parseSeveritySummary;
  const summary = typeof value === 'string' ? parse(value) : countsOfNumbers(value);
  if (summary === null) return;
  basket.stated = worstStated(basket.stated, summary.said);
  basket.notes.push(...summary.notes);
}

/** Members that are plain counts: `critical_issues: 2` is one, `high: "text"` is not. */
function countsOfNumbers(value: unknown): ReturnType<typeof countsOfObject> {
  if (!isObject(value)) return null;
  const entries = Object.entries(value).filter(([key, entry]) => typeof entry === 'number' && groupOf(key) !== null);
  return countsOfObject(Object.fromEntries(entries.map(([key, entry]) => [key.replaceAll('_', ' '), entry])));
}

interface FindingCandidate {
  readonly value: unknown;
  readonly group: Severity | null;
  /** The name of the object around it: a file, a component, a dimension. */
  readonly within: string;
}

const MOST_LEVELS = 6;
const MOST_NODES = 20_000;

/** Lists with these names hold only findings. In other lists an object must look like one. */
const LISTS = new WordList('findings issues violations vulnerabilities problems defects bugs challenges critiques');
/** Members that do not describe the current work. */
const SKIPPED = new WordList(
  'history previous previous_findings previousfindings resolved resolved_findings resolved_issues fixed closed legend definitions schema ' +
    'example examples rules driver tool rounds iterations baseline thresholds metadata config suppressed positives strengths passed',
);
const NAMES = ['path', 'file', 'filename', 'name', 'title', 'component', 'dimension', 'category', 'id'];

class FindingWalk {
  readonly found: FindingCandidate[] = [];
  private nodes = 0;

  constructor(private readonly groupOf: (key: string) => Severity | null) {}

  node(value: unknown, key: string, group: Severity | null, within: string, level: number): void {
    this.nodes += 1;
    if (level > MOST_LEVELS || this.nodes > MOST_NODES) return;
    if (Array.isArray(value)) this.list(value, key, group, within, level);
    else if (isObject(value)) this.object(plainKeys(value), within, level);
  }

  private list(list: readonly unknown[], key: string, group: Severity | null, within: string, level: number): void {
    const holdsFindings = group !== null || LISTS.has(key.toLowerCase());
    for (const entry of list) {
      const isFinding = isObject(entry) ? looksLikeFinding(plainKeys(entry), holdsFindings) : typeof entry === 'string' && holdsFindings;
      if (isFinding) this.found.push({ value: entry, group, within });
      this.node(entry, key, null, within, level + 1);
    }
  }

  private object(object: JsonObject, within: string, level: number): void {
    if (level === 0 && looksLikeFinding(object, false)) this.found.push({ value: object, group: null, within });
    const name = firstOf(object, NAMES);
    const inside = typeof name === 'string' && name.length <= 200 ? name : within;
    for (const [key, member] of Object.entries(object)) {
      if (typeof member !== 'object' || member === null || SKIPPED.has(key.toLowerCase())) continue;
      if (key === 'runs' && Array.isArray(member))
        for (const result of sarifResults(member)) this.found.push({ value: result, group: null, within: '' });
      else if (Array.isArray(member)) this.node(member, key, this.groupOf(key), inside, level + 1);
      else this.node(member, key, null, isObject(member) && looksLikeFinding(plainKeys(member), false) ? inside : key, level + 1);
      if (isObject(member) && looksLikeFinding(plainKeys(member), false)) this.found.push({ value: member, group: null, within: inside });
    }
  }
}

function looksLikeFinding(object: JsonObject, inList: boolean): boolean {
  const said = firstOf(object, MESSAGE_KEYS);
  const hasMessage = typeof said === 'string' || isObject(said);
  if (inList) return hasMessage || hasSeverity(object);
  return hasMessage && hasSeverity(object) && own(object, 'findings') === undefined && own(object, 'score') === undefined;
}
