// One run of a SARIF log while it is read: its rules, base addresses and files, and the results that wait for them where they
// come first in the file. What waits is bounded: of very many the places are dropped, never the counts.

import type { Severity } from '@umpire/core/model.js';
import { numberOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import {
  isSarifProblem,
  sarifFingerprint,
  sarifMessage,
  sarifPlace,
  sarifRuleId,
  sarifSeverity,
  SarifRules,
} from '@umpire/core/formats/sarif.js';
import type { SarifPlace, SarifRule } from '@umpire/core/formats/sarif.js';
import { unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { ReadOptions } from './format.js';
import { endLineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { SarifOverrides } from './sarif-overrides.js';
import type { Sheet, SheetFinding } from './sheet.js';
import { detachText } from '@umpire/core/formats/text-hash.js';

const MOST_WAITING = 20_000;
const MOST_ARTIFACTS = 50_000;
const MOST_BASES = 100;
const MOST_ARGUMENTS = 10;
const TEXT_LENGTH = 1000;
const KINDS: ReadonlySet<string> = new Set(['', 'fail', 'open', 'review', 'pass', 'notapplicable', 'informational']);

export class SarifRun {
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
    private readonly sheet: Sheet,
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

  result(result: JsonObject): void {
    const kind = textIn(result, 'kind');
    if (!KINDS.has(kind.toLowerCase())) this.sheet.fail(`the kind "${kind.slice(0, 40)}" of a result is not known`);
    if (!isSarifProblem(result)) return;
    const place = sarifPlace(result);
    const isPlaced = place.uri !== '' || place.index < this.artifacts.length;
    if (this.hasTool && isPlaced && !this.overrides.awaits(result)) this.sheet.finding(this.findingOf(result, place));
    else this.wait(result);
  }

  /** All that the run says is known. */
  settle(): void {
    for (const text of this.waiting) {
      const result = JSON.parse(text) as JsonObject;
      this.sheet.finding(this.findingOf(result, sarifPlace(result)));
    }
    this.waiting = [];
    let dropped = 0;
    for (const [text, count] of this.tally) {
      const result = JSON.parse(text) as JsonObject;
      const finding = this.findingOf(result, sarifPlace(result));
      for (let nth = 0; nth < count; nth += 1) this.sheet.finding(finding);
      dropped += count;
    }
    this.tally.clear();
    if (dropped > 0)
      this.sheet.note(`its results come before its rules: of ${dropped} results only the rule and the count were kept, not the places`);
  }

  private findingOf(result: JsonObject, place: SarifPlace): SheetFinding {
    const rule = this.overrides.apply(result, this.rules.of(result), this.rules);
    const { severity, unknown } = sarifSeverity(result, rule);
    if (unknown !== null) this.sheet.note(unknownSeverityNote(unknown));
    return new ResultFinding(severity, place.line, result, rule, () => this.fileOf(place));
  }

  /** A base outside of the project is that of another machine: what is relative to it is relative to the project here. */
  private fileOf({ uri, base, index }: SarifPlace): string | null {
    const written = decoded((uri || (this.artifacts[index] ?? '')).slice(0, TEXT_LENGTH));
    if (written === '') return null;
    const { root } = this.options;
    const start = decoded(this.bases.get(base) ?? '');
    if (root === undefined || !start.toLowerCase().startsWith('file:') || isAbsolute(written)) return placeInProject(written, root);
    const outside = placeInProject(start);
    const inside = placeInProject(start, root);
    return placeInProject(outside === inside && inside !== null ? written : `${inside ?? ''}/${written}`, root);
  }

  private wait(result: JsonObject): void {
    if (this.waiting.length < Math.max(MOST_WAITING, this.sheet.keep)) {
      this.waiting.push(detachText(JSON.stringify(waitingPart(result, true))));
      return;
    }
    const kind = JSON.stringify(waitingPart(result, false));
    const count = this.tally.get(kind) ?? 0;
    if (count > 0 || this.tally.size < MOST_WAITING) this.tally.set(kind, count + 1);
    else this.sheet.finding(this.findingOf(result, sarifPlace(result)));
  }
}

/** Of very many findings most are only counted, so the rest of one is worked out when it is asked for. */
class ResultFinding implements SheetFinding {
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
