// SARIF 2.1.0: the results of every run, read one by one. core/formats/sarif.ts turns a result into a finding.

import type { Format, ReadOptions } from './format.js';
import { type JsonPlan, jsonReader } from './json-reader.js';
import type { Picks } from './json-stream.js';
import { toProjectPath } from './project-path.js';
import { type ReportBuilder, type ReportedFinding } from './report-builder.js';
import { isObject, type JsonObject, nameOf, numberOf, own } from '@umpire/core/formats/json-text.js';
import { endLineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import {
  NO_RESULTS,
  sarifInvocation,
  sarifRevision,
  isSarifProblem,
  sarifFingerprint,
  sarifMessage,
  sarifPlace,
  type SarifPlace,
  sarifRuleId,
  SarifRules,
  sarifSeverity,
  type SarifRule,
} from '@umpire/core/formats/sarif.js';
import { unknownSeverityNote } from '@umpire/core/formats/severity.js';
import { detachText } from '@umpire/core/formats/text-hash.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';

/** Of all invocations together. */
const MOST_OVERRIDES = 50_000;
const MOST_INVOCATIONS = 10_000;
const RULE_TEXT_LENGTH = 500;

interface Override {
  /** The rule, in the form in which a result refers to one. */
  readonly reference: JsonObject;
  readonly level: string;
}

const NONE: readonly Override[] = [];
const NO_RULE: SarifRule = { id: '', level: '', score: null, text: '', messages: new Map() };

/** Levels that the invocations of a run set for single rules; they apply to results without a level (3.27.10 of the standard). */
class SarifOverrides {
  /** By invocation. Positions count. */
  private readonly lists: (readonly Override[])[] = [];
  private count = 0;

  /** An invocation, whatever it is. */
  add(invocation: unknown): void {
    if (this.lists.length >= MOST_INVOCATIONS) return;
    const set = listIn(invocation, 'ruleConfigurationOverrides').slice(0, MOST_OVERRIDES - this.count);
    this.count += set.length;
    this.lists.push(set.length === 0 ? NONE : set.map(overrideOf).filter(({ level }) => level !== ''));
  }

  /** Does the level of this result depend on an invocation that has not been read? */
  awaits(result: JsonObject): boolean {
    return invocationOf(result) >= this.lists.length;
  }

  /** The rule of a result, with the level that its invocation sets. */
  apply(result: JsonObject, rule: SarifRule | null, rules: SarifRules): SarifRule | null {
    const overrides = this.lists[invocationOf(result)] ?? NONE;
    if (overrides.length === 0) return rule;
    const id = sarifRuleId(result, null);
    const found = overrides.find(({ reference }) =>
      rule === null ? id !== '' && sarifRuleId(reference, null) === id : rules.of(reference) === rule,
    );
    return found === undefined ? rule : { ...(rule ?? NO_RULE), level: found.level };
  }
}

/** -1 where the result's level is settled without one. */
function invocationOf(result: JsonObject): number {
  const index = own(objectIn(result, 'provenance'), 'invocationIndex');
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0 || textIn(result, 'level') !== '') return -1;
  const kind = textIn(result, 'kind').toLowerCase();
  return kind === '' || kind === 'fail' ? index : -1;
}

function overrideOf(value: unknown): Override {
  const rule = objectIn(value, 'descriptor');
  return {
    reference: {
      rule: {
        id: shortText(textIn(rule, 'id')),
        index: numberIn(rule, 'index'),
        toolComponent: { index: numberIn(objectIn(rule, 'toolComponent'), 'index') },
      },
    },
    level: shortText(textIn(objectIn(value, 'configuration'), 'level')),
  };
}

function numberIn(value: JsonObject, key: string): number | undefined {
  const member = own(value, key);
  return typeof member === 'number' ? member : undefined;
}

function shortText(text: string): string {
  return detachText(text.slice(0, RULE_TEXT_LENGTH));
}

const MOST_WAITING = 20_000;
const MOST_ARTIFACTS = 50_000;
const MOST_BASES = 100;
const MOST_ARGUMENTS = 10;
const TEXT_LENGTH = 1000;
const KINDS: ReadonlySet<string> = new Set(['', 'fail', 'open', 'review', 'pass', 'notapplicable', 'informational']);

/**
 * One run: its rules, base addresses and files, and the results that wait for them because they come first in the file. The number
 * of waiting results is bounded: of very many the places are dropped, never the counts.
 */
class SarifRun {
  hasResults = false;
  private readonly rules = new SarifRules();
  private readonly overrides = new SarifOverrides();
  private readonly bases = new Map<string, string>();
  private readonly artifacts: string[] = [];
  private hasTool = false;
  private extension = -1;
  /** As JSON: a quarter of the room that objects take. */
  private waiting: string[] = [];
  /** Beyond those: how many of each kind, as JSON. */
  private readonly tally = new Map<string, number>();

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  resultsBegin(): void {
    this.hasResults = true;
  }

  rule(value: unknown): void {
    this.rules.add(value);
  }

  extensionBegins(): void {
    this.extension += 1;
  }

  ruleOfExtension(value: unknown): void {
    this.rules.add(value, this.extension);
  }

  toolEnds(): void {
    this.hasTool = true;
  }

  base(name: string, value: unknown): void {
    if (this.bases.size < MOST_BASES) this.bases.set(name.slice(0, TEXT_LENGTH), detachText(textIn(value, 'uri').slice(0, TEXT_LENGTH)));
  }

  artifact(value: unknown): void {
    if (this.artifacts.length < MOST_ARTIFACTS)
      this.artifacts.push(detachText(textIn(objectIn(value, 'location'), 'uri').slice(0, TEXT_LENGTH)));
  }

  invocation(value: unknown): void {
    this.overrides.add(value);
  }

  /** False: its kind is unknown, so nobody knows what it means. */
  result(result: JsonObject): boolean {
    if (!KINDS.has(textIn(result, 'kind').toLowerCase())) return false;
    if (!isSarifProblem(result)) return true;
    const place = sarifPlace(result);
    const isPlaced = place.uri !== '' || place.index < this.artifacts.length;
    if (this.hasTool && isPlaced && !this.overrides.awaits(result)) this.report.addFinding(this.findingOf(result, place));
    else this.wait(result);
    return true;
  }

  /** All that the run says is known. */
  settle(): void {
    for (const text of this.waiting) {
      const result = JSON.parse(text) as JsonObject;
      this.report.addFinding(this.findingOf(result, sarifPlace(result)));
    }
    this.waiting = [];
    let dropped = 0;
    for (const [text, count] of this.tally) {
      const result = JSON.parse(text) as JsonObject;
      const finding = this.findingOf(result, sarifPlace(result));
      for (let nth = 0; nth < count; nth += 1) this.report.addFinding(finding);
      dropped += count;
    }
    this.tally.clear();
    if (dropped > 0)
      this.report.note(`the results come before the rules; of ${dropped} results the rule and the count were kept, but not the place`);
  }

  private findingOf(result: JsonObject, place: SarifPlace): ReportedFinding {
    const rule = this.overrides.apply(result, this.rules.of(result), this.rules);
    const { severity, unknown } = sarifSeverity(result, rule);
    if (unknown !== null) this.report.note(unknownSeverityNote(unknown));
    return new ResultFinding(severity, place.line, result, rule, () => this.fileOf(place));
  }

  /** A base outside of the project is that of another machine: what is relative to it is relative to the project here. */
  private fileOf({ uri, base, index }: SarifPlace): string | null {
    const written = decoded((uri || (this.artifacts[index] ?? '')).slice(0, TEXT_LENGTH));
    if (written === '') return null;
    const { root } = this.options;
    const start = decoded(this.bases.get(base) ?? '');
    if (root === undefined || !start.toLowerCase().startsWith('file:') || isAbsolute(written)) return toProjectPath(written, root);
    const outside = toProjectPath(start);
    const inside = toProjectPath(start, root);
    return toProjectPath(outside === inside && inside !== null ? written : `${inside ?? ''}/${written}`, root);
  }

  private wait(result: JsonObject): void {
    if (this.waiting.length < Math.max(MOST_WAITING, this.report.keep)) {
      this.waiting.push(detachText(JSON.stringify(waitingPart(result, true))));
      return;
    }
    const kind = JSON.stringify(waitingPart(result, false));
    const count = this.tally.get(kind) ?? 0;
    if (count > 0 || this.tally.size < MOST_WAITING) this.tally.set(kind, count + 1);
    else this.report.addFinding(this.findingOf(result, sarifPlace(result)));
  }
}

/** Of very many findings most are only counted, so the rest of one is worked out when it is asked for. */
class ResultFinding implements ReportedFinding {
  constructor(
    readonly severity: Severity,
    readonly line: number | null,
    private readonly result: JsonObject,
    private readonly found: SarifRule | null,
    private readonly fileOf: () => string | null,
  ) {}

  get message(): string {
    return sarifMessage(this.result, this.found);
  }

  get artifact(): string | null {
    return this.fileOf();
  }

  get endLine(): number | null {
    return endLineOf(this.result);
  }

  get rule(): string {
    return sarifRuleId(this.result, this.found);
  }

  get fingerprint(): string {
    return sarifFingerprint(this.result);
  }
}

/** What settles a result later: all that findings are made of, each within bounds. */
function waitingPart(result: JsonObject, hasPlace: boolean): JsonObject {
  const rule = objectIn(result, 'rule');
  return {
    ruleId: clip(sarifRuleId(result, null)),
    ruleIndex: own(rule, 'index') ?? own(result, 'ruleIndex'),
    rule: { toolComponent: { index: own(objectIn(rule, 'toolComponent'), 'index') } },
    level: clip(textIn(result, 'level')),
    kind: clip(textIn(result, 'kind')),
    provenance: { invocationIndex: own(objectIn(result, 'provenance'), 'invocationIndex') },
    properties: { 'security-severity': numberOf(own(objectIn(result, 'properties'), 'security-severity')) },
    ...(hasPlace ? waitingPlace(result) : { message: { text: 'one of many; its place was not kept' } }),
  };
}

function waitingPlace(result: JsonObject): JsonObject {
  const { uri, base, index, line } = sarifPlace(result);
  const message = own(result, 'message');
  const [logical] = listIn(listIn(result, 'locations')[0], 'logicalLocations');
  const values = listIn(message, 'arguments').slice(0, MOST_ARGUMENTS);
  return {
    message: {
      text: clip(typeof message === 'string' ? message : textIn(message, 'text') || textIn(message, 'markdown')),
      id: clip(textIn(message, 'id')),
      arguments: values.map((value) => (typeof value === 'string' ? clip(value) : null)),
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: clip(uri), uriBaseId: clip(base), index },
          region: { startLine: line, endLine: endLineOf(result) },
        },
        logicalLocations: [{ fullyQualifiedName: clip(textIn(logical, 'fullyQualifiedName') || textIn(logical, 'name')) }],
      },
    ],
    fingerprints: { own: clip(sarifFingerprint(result)) },
  };
}

function endLineOf(result: JsonObject): number | null {
  return endLineIn(objectIn(objectIn(listIn(result, 'locations')[0], 'physicalLocation'), 'region'));
}

function clip(text: string): string {
  return text.length > TEXT_LENGTH ? text.slice(0, TEXT_LENGTH) : text;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('\\') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(path);
}

/** Addresses write `€` and spaces as `%E2%82%AC` and `%20`. */
function decoded(uri: string): string {
  if (!uri.includes('%') || uri.toLowerCase().startsWith('file:')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** Of a result nobody reads these, and they are most of it. */
const UNREAD = [
  'codeFlows',
  'relatedLocations',
  'stacks',
  'graphs',
  'graphTraversals',
  'fixes',
  'attachments',
  'webRequest',
  'webResponse',
  'taxa',
  'conversionProvenance',
];
const UNREAD_OF_RULES = ['help', 'helpUri', 'relationships', 'deprecatedIds'];

export const sarif: Format = {
  id: 'sarif',
  title: 'SARIF 2.1.0',
  content: 'findings',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' && !isArray && keys.has('runs') && (/sarif/i.test(text) || text.includes('"results"') || text.includes('"tool"')),
  open: (report, options) => {
    return jsonReader(report, () => new SarifLog(report, options).plan());
  },
};

class SarifLog {
  private run: SarifRun | null = null;
  private runs = 0;
  private hasRuns = false;
  private results = 0;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  plan(): JsonPlan {
    return {
      picks: { ...this.top(), ...this.inRuns(), ...this.inExternal() },
      finish: (isWhole) => {
        this.run?.settle();
        this.report.failIfNothingIsLeft(this.results);
        if (isWhole && !this.hasRuns) this.report.fail('the list "runs" is missing; expected SARIF 2.1.0');
        else if (isWhole && this.runs === 0) this.report.fail('"runs" is empty; expected at least one run');
      },
    };
  }

  private top(): Picks {
    return {
      '': (value) => this.report.fail(`the report is ${nameOf(value)}; expected an object with "runs"`),
      version: (value) => {
        if (value !== '2.1.0') this.report.note(`the SARIF version is ${JSON.stringify(value).slice(0, 40)}; read as 2.1.0`);
      },
      runs: {
        open: () => {
          this.hasRuns = true;
        },
        value: (value) => this.report.fail(`"runs" is ${nameOf(value)}; expected a list`),
      },
    };
  }

  private inRuns(): Picks {
    const { report } = this;
    return {
      'runs[]': {
        open: () => this.begin(),
        close: () => this.end(true),
        value: (value) => report.drop(`a run is ${nameOf(value)}; expected an object`),
      },
      'runs[].tool': { close: () => this.run?.toolEnds() },
      'runs[].tool.driver.rules[]': { value: (rule) => this.run?.rule(rule), without: UNREAD_OF_RULES },
      'runs[].tool.extensions[]': { open: () => this.run?.extensionBegins() },
      'runs[].tool.extensions[].rules[]': { value: (rule) => this.run?.ruleOfExtension(rule), without: UNREAD_OF_RULES },
      'runs[].originalUriBaseIds.*': (base, name) => this.run?.base(name, base),
      'runs[].artifacts[]': { value: (artifact) => this.run?.artifact(artifact), without: ['contents', 'hashes', 'properties'] },
      'runs[].invocations[]': {
        value: (invocation) => this.invocation(invocation),
        without: ['environmentVariables', 'arguments', 'notificationConfigurationOverrides'],
      },
      'runs[].versionControlProvenance[]': (entry) => report.addCommit(sarifRevision(entry)),
      'runs[].externalPropertyFileReferences': (files) => this.elsewhere(files),
      'runs[].results': {
        open: () => this.run?.resultsBegin(),
        value: (value) => {
          if (value !== null) report.fail(`"results" of a run is ${nameOf(value)}; expected a list`);
        },
      },
      'runs[].results[]': { value: (result) => this.result(result), without: UNREAD },
    };
  }

  /** What a log carries for its runs instead of in them. */
  private inExternal(): Picks {
    return {
      'inlineExternalProperties[]': {
        open: () => {
          this.report.note('parts of its runs are in "inlineExternalProperties"; the results there are read too');
          this.begin();
        },
        close: () => this.end(false),
      },
      'inlineExternalProperties[].driver.rules[]': { value: (rule) => this.run?.rule(rule), without: UNREAD_OF_RULES },
      'inlineExternalProperties[].results[]': { value: (result) => this.result(result), without: UNREAD },
    };
  }

  private begin(): void {
    this.run = new SarifRun(this.report, this.options);
  }

  private end(isRun: boolean): void {
    const { run } = this;
    this.run = null;
    run?.settle();
    if (!isRun) return;
    this.runs += 1;
    if (run?.hasResults === false) this.report.fail(`run ${this.runs} ${NO_RESULTS}`);
  }

  private result(value: unknown): void {
    if (!isObject(value)) this.report.drop(`a result is ${nameOf(value)}; expected an object`);
    else if (this.run?.result(value) === true) this.results += 1;
    else this.report.drop(`unknown result kind "${textIn(value, 'kind').slice(0, 40)}"`);
  }

  private invocation(value: unknown): void {
    this.run?.invocation(value);
    const said = sarifInvocation(value);
    if (said === null) return;
    if (said.isFailure) this.report.markFailed(said.message);
    else this.report.note(said.message);
  }

  private elsewhere(files: unknown): void {
    if (!isObject(files)) return;
    const names = listIn(files, 'results').map((each) => textIn(objectIn(each, 'location'), 'uri').slice(0, 200));
    if (names.length > 0) this.report.fail(`the results are in another file (${names.slice(0, 3).join(', ')}); merge it into this report`);
    else this.report.note('parts of a run are in other files, which are not read');
  }
}
