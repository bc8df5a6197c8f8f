// Turns SARIF results into findings: severity, message, place, fingerprint and rule. Whole reports and streamed ones (the SARIF reader in
// packages/reports) use the same code.

import type { Severity } from '../model/vocabulary.js';
import { firstOf, isObject, numberOf, own } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { parseSeverity, severityOfScore, worseOf } from './severity.js';
import { listIn, objectIn, textIn } from './json-values.js';
import { detachText } from './text-hash.js';
import { addToList } from './multimap.js';

const MOST_RESULTS = 20_000;

const LEVELS: ReadonlyMap<string, Severity> = new Map([
  ['error', 'high'],
  ['warning', 'medium'],
  ['note', 'low'],
  ['none', 'low'],
]);
/** Results of other kinds report no problem. */
const PROBLEMS: ReadonlySet<string> = new Set(['', 'fail', 'open', 'review']);

/** The problems of whole runs, as plain objects. */
export function sarifResults(runs: readonly unknown[]): readonly JsonObject[] {
  return runs.filter(isObject).flatMap((run) => {
    const rules = readSarifRules(run);
    return listIn(run, 'results')
      .slice(0, MOST_RESULTS)
      .filter(isObject)
      .filter(isSarifProblem)
      .map((result) => {
        const rule = rules.of(result);
        const { severity, unknown } = sarifSeverity(result, rule);
        const { uri, line } = sarifPlace(result);
        return { severity: unknown ?? severity, message: sarifMessage(result, rule), ruleId: sarifRuleId(result, rule), file: uri, line };
      });
  });
}

/** What an invocation says of its own run: a failure, or errors that it went on after. Null where it says nothing. */
export function sarifInvocation(value: unknown): { readonly message: string; readonly isFailure: boolean } | null {
  if (!isObject(value)) return null;
  const errors = ['toolExecutionNotifications', 'toolConfigurationNotifications']
    .flatMap((key) => listIn(value, key))
    .filter((each) => textIn(each, 'level').toLowerCase() === 'error')
    .map((each) => textIn(objectIn(each, 'message'), 'text'));
  const why = (textIn(value, 'exitCodeDescription') || errors[0] || '').replace(/\s+/g, ' ').slice(0, 300);
  const exit = own(value, 'exitCode');
  if (own(value, 'executionSuccessful') === false || (errors.length > 0 && typeof exit === 'number' && exit !== 0))
    return { message: `the tool states that its run failed${why === '' ? '' : `: ${why}`}`, isFailure: true };
  if (errors.length === 0) return null;
  const many = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  return { message: `the tool reports ${many} of its own run${why === '' ? '' : `, first: ${why}`}`, isFailure: false };
}

/** Why a whole SARIF log approves nothing; null where it may, and for anything else than SARIF. */
export function sarifFailure(log: unknown): string | null {
  if (!isObject(log)) return null;
  for (const run of listIn(log, 'runs').filter(isObject)) {
    const failed = listIn(run, 'invocations')
      .map(sarifInvocation)
      .find((each) => each?.isFailure === true);
    if (failed !== undefined && failed !== null) return failed.message;
    const isEmpty = isObject(own(run, 'tool')) && !Array.isArray(own(run, 'results'));
    if (isEmpty && own(log, 'inlineExternalProperties') === undefined) return `a run ${NO_RESULTS}`;
  }
  return null;
}

/** The commit that an entry of `versionControlProvenance` names; empty without one. */
export function sarifRevision(entry: unknown): string {
  return clip(textIn(entry, 'revisionId').trim());
}

export const NO_RESULTS = 'has no list "results"; the tool did not run or did not finish';

export function isSarifProblem(result: JsonObject): boolean {
  if (!PROBLEMS.has(textIn(result, 'kind').toLowerCase())) return false;
  // It was in an earlier run and is gone.
  if (textIn(result, 'baselineState').toLowerCase() === 'absent') return false;
  const suppressions = listIn(result, 'suppressions');
  return suppressions.length === 0 || suppressions.some((each) => !['', 'accepted'].includes(textIn(each, 'status').toLowerCase()));
}

/** The worse of level and `security-severity`. `unknown`: an unknown level, which counts as High. */
export function sarifSeverity(result: JsonObject, rule: SarifRule | null): { severity: Severity; unknown: string | null } {
  const kind = textIn(result, 'kind').toLowerCase();
  const word = textIn(result, 'level') || (kind === '' || kind === 'fail' ? rule?.level || 'warning' : 'none');
  const level = LEVELS.get(word.toLowerCase()) ?? parseSeverity(word);
  const said = numberOf(own(objectIn(result, 'properties'), 'security-severity')) ?? rule?.score ?? null;
  const score = said === null ? null : severityOfScore(said);
  const severity = level ?? 'high';
  return { severity: score === null ? severity : worseOf(severity, score), unknown: level === null && score === null ? word : null };
}

export function sarifMessage(result: JsonObject, rule: SarifRule | null): string {
  const message = own(result, 'message');
  if (typeof message === 'string') return message;
  const text = textIn(message, 'text') || textIn(message, 'markdown') || (rule?.messages.get(textIn(message, 'id')) ?? '');
  const filled = fillIn(text, listIn(message, 'arguments'));
  const place = filled === '' ? '' : logicalPlace(result);
  return filled === '' ? rule?.text || sarifRuleId(result, rule) : `${filled}${place}`;
}

/** `{0}` is the first argument. */
function fillIn(text: string, values: readonly unknown[]): string {
  if (values.length === 0) return text;
  return text.replace(/\{(\d{1,3})\}/g, (whole, index: string) => {
    const value = values[Number(index)];
    return typeof value === 'string' ? value : whole;
  });
}

/** The name of the logical location, if there is no file. */
function logicalPlace(result: JsonObject): string {
  if (sarifPlace(result).isKnown) return '';
  const [first] = listIn(listIn(result, 'locations')[0], 'logicalLocations');
  const name = textIn(first, 'fullyQualifiedName') || textIn(first, 'name');
  return name === '' ? '' : ` (in ${name})`;
}

export function sarifRuleId(result: JsonObject, rule: SarifRule | null): string {
  return textIn(result, 'ruleId') || textIn(objectIn(result, 'rule'), 'id') || (rule?.id ?? '');
}

export interface SarifPlace {
  /** As written; empty if missing. */
  readonly uri: string;
  readonly base: string;
  /** Index in the run's list of files, or -1. */
  readonly index: number;
  readonly line: number | null;
  readonly isKnown: boolean;
}

export function sarifPlace(result: JsonObject): SarifPlace {
  const physical = objectIn(listIn(result, 'locations')[0], 'physicalLocation');
  const located = own(physical, 'artifactLocation');
  const artifact = isObject(located) ? located : objectIn(result, 'analysisTarget');
  const [uri, index] = [textIn(artifact, 'uri'), own(artifact, 'index')];
  const line = own(objectIn(physical, 'region'), 'startLine');
  const listed = typeof index === 'number' && Number.isSafeInteger(index) ? index : -1;
  return {
    uri,
    base: textIn(artifact, 'uriBaseId'),
    index: listed,
    line: typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : null,
    isKnown: uri !== '' || listed >= 0,
  };
}

/** The tool's own fingerprint: a complete one, else the partial one for the place. Of several versions the last. */
export function sarifFingerprint(result: JsonObject): string {
  const partial = objectIn(result, 'partialFingerprints');
  return lastOf(objectIn(result, 'fingerprints')) || textIn(partial, 'primaryLocationLineHash') || lastOf(partial);
}

function lastOf(values: JsonObject): string {
  const keys = Object.keys(values).toSorted().toReversed();
  const value = firstOf(values, keys);
  return typeof value === 'string' ? value.trim() : '';
}

/** No tool has more rules. */
const MOST_RULES = 50_000;
const TEXT_LENGTH = 500;
const MOST_MESSAGES = 20;
const TOOL = -1;

export interface SarifRule {
  readonly id: string;
  /** The level of results without one; empty if the rule has none. */
  readonly level: string;
  /** The `security-severity`. */
  readonly score: number | null;
  readonly text: string;
  /** Messages by the key that results use. */
  readonly messages: ReadonlyMap<string, string>;
}

const NO_MESSAGES: ReadonlyMap<string, string> = new Map();

export class SarifRules {
  /** By extension; the tool itself is -1. The index matters, so an entry that is not a rule keeps its place. */
  private readonly lists = new Map<number, (SarifRule | null)[]>();
  private readonly byId = new Map<string, SarifRule>();
  private count = 0;

  add(value: unknown, extension = TOOL): void {
    this.count += 1;
    if (this.count > MOST_RULES) return;
    const rule = isObject(value) ? ruleOf(value) : null;
    addToList(this.lists, extension, rule);
    if (rule !== null && rule.id !== '' && !this.byId.has(rule.id)) this.byId.set(rule.id, rule);
  }

  of(result: JsonObject): SarifRule | null {
    const reference = objectIn(result, 'rule');
    const extension = own(objectIn(reference, 'toolComponent'), 'index');
    const index = own(reference, 'index') ?? own(result, 'ruleIndex');
    const list = this.lists.get(typeof extension === 'number' ? extension : TOOL);
    const listed = typeof index === 'number' && index >= 0 ? list?.[index] : null;
    return listed ?? this.named(textIn(result, 'ruleId') || textIn(reference, 'id'));
  }

  /** `CA1000/1` is a case of `CA1000`. */
  private named(id: string): SarifRule | null {
    let name = id;
    while (name !== '') {
      const rule = this.byId.get(name);
      if (rule !== undefined) return rule;
      name = name.slice(0, Math.max(0, name.lastIndexOf('/')));
    }
    return null;
  }
}

/** The rules of the tool and of its extensions. */
export function readSarifRules(run: JsonObject): SarifRules {
  const rules = new SarifRules();
  for (const rule of listIn(objectIn(objectIn(run, 'tool'), 'driver'), 'rules')) rules.add(rule);
  listIn(objectIn(run, 'tool'), 'extensions').forEach((extension, index) => {
    for (const rule of listIn(extension, 'rules')) rules.add(rule, index);
  });
  return rules;
}

function ruleOf(rule: JsonObject): SarifRule {
  const text =
    textIn(objectIn(rule, 'shortDescription'), 'text') || textIn(objectIn(rule, 'fullDescription'), 'text') || textIn(rule, 'name');
  const messages = Object.entries(objectIn(rule, 'messageStrings')).slice(0, MOST_MESSAGES);
  return {
    id: clip(textIn(rule, 'id')),
    level: clip(textIn(objectIn(rule, 'defaultConfiguration'), 'level')),
    score: numberOf(own(objectIn(rule, 'properties'), 'security-severity')),
    text: clip(text),
    messages: messages.length === 0 ? NO_MESSAGES : new Map(messages.map(([key, value]) => [clip(key), clip(textIn(value, 'text'))])),
  };
}

function clip(text: string): string {
  return detachText(text.slice(0, TEXT_LENGTH));
}
