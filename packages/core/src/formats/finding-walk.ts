// Finds the findings that lie deeper in a JSON report than its known lists: under files, sections, components, in groups
// by severity, in SARIF runs, below other findings. Bounded in depth and in the number of things it looks at.

import type { Severity } from '../model.js';
import { MESSAGE_KEYS } from './finding.js';
import { hasSeverity } from './finding-severity.js';
import { firstOf, isObject, own, plainKeys, type JsonObject } from './json-text.js';
import { sarifResults } from './sarif-results.js';
import { WordList } from './wording.js';

export interface Candidate {
  readonly value: unknown;
  readonly group: Severity | null;
  /** The name of what it lies in: a file, a component, a dimension. */
  readonly within: string;
}

const MOST_LEVELS = 6;
const MOST_NODES = 20_000;

/** Lists of these names hold findings only; in others an object must show that it is one. */
const LISTS = new WordList('findings issues violations vulnerabilities problems defects bugs challenges critiques');
/** What is not, or no longer, said of the work at hand. */
const SKIPPED = new WordList(
  'history previous previous_findings previousfindings resolved resolved_findings resolved_issues fixed closed legend definitions schema ' +
    'example examples rules driver tool rounds iterations baseline thresholds metadata config suppressed positives strengths passed',
);
const NAMES = ['path', 'file', 'filename', 'name', 'title', 'component', 'dimension', 'category', 'id'];

/** `groupOf` names the severity of a list such as `criticalIssues`. */
export function walkFindings(top: unknown, groupOf: (key: string) => Severity | null): readonly Candidate[] {
  const walk = new Walk(groupOf);
  walk.node(top, '', null, '', 0);
  return walk.found;
}

class Walk {
  readonly found: Candidate[] = [];
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
