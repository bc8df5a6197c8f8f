// Comments and types that are new in the change and keep a tool from looking. Marks on tests are rules/tests.ts's.

import { onceBy } from '../evidence.js';
import type { Evidence, ReadFile } from '../evidence.js';
import type { SuppressionFact } from '../facts.js';
import type { GuardRule, Sighting } from '../finding.js';
import { put } from '../keyed-lists.js';

const RULES: Readonly<Record<SuppressionFact['kind'], GuardRule>> = {
  type: 'type-suppressed',
  any: 'any-used',
  lint: 'lint-disabled',
  coverage: 'coverage-ignored',
};

interface Fresh {
  readonly fact: SuppressionFact;
  readonly file: ReadFile;
}

/** What was there before, in this file or another one of the change, is not new. */
export function marksRule(evidence: Evidence): readonly Sighting[] {
  const moved = new Map<string, number>();
  const fresh: Fresh[] = [];
  for (const file of evidence.files) {
    const old = counts(file.before?.suppressions ?? []);
    for (const [key, facts] of grouped(file.after?.suppressions ?? [])) {
      const left = old.get(key) ?? 0;
      old.set(key, Math.max(0, left - facts.length));
      if (facts.length <= left) continue;
      // An error that is expected must be there: it says more than one that is ignored.
      const ignored = key === EXPECTED ? Math.min(old.get(IGNORED) ?? 0, facts.length - left) : 0;
      if (ignored > 0) old.set(IGNORED, (old.get(IGNORED) ?? 0) - ignored);
      const found = newest(facts, facts.length - left - ignored, file).filter((fact) => !isCheck(fact, file));
      fresh.push(...found.map((fact) => ({ fact, file })));
    }
    // What was a check by itself does not pay for what hides an error elsewhere.
    const checks = counts((file.before?.suppressions ?? []).filter((fact) => isCheck(fact, file)));
    for (const [key, left] of old) {
      const spare = left - (checks.get(key) ?? 0);
      if (spare > 0) moved.set(key, (moved.get(key) ?? 0) + spare);
    }
  }
  const retellings = new Map<ReadFile, Retelling>();
  const sightings: Sighting[] = [];
  for (const { fact, file } of fresh) {
    const key = keyOf(fact);
    const left = moved.get(key) ?? 0;
    if (left > 0) {
      moved.set(key, left - 1);
      continue;
    }
    const retelling = retellings.get(file) ?? new Retelling(file);
    retellings.set(file, retelling);
    if (!retelling.tells(fact)) sightings.push({ rule: RULES[fact.kind], file: file.change.path, after: fact.span });
  }
  return onceBy(sightings, ({ rule, file, after }) => `${rule} ${file} ${after?.line ?? 0}`);
}

const [EXPECTED, IGNORED] = ['type @ts-expect-error', 'type @ts-ignore'];

/** The `count` facts that are most likely the new ones: those on lines that were not there before. */
function newest(facts: readonly SuppressionFact[], count: number, { change }: ReadFile): readonly SuppressionFact[] {
  if (count >= facts.length || change.before === null || change.after === null) return facts.slice(facts.length - count);
  const lines = new Map<string, number>();
  for (const place of placesOf(change.before)) lines.set(place, (lines.get(place) ?? 0) + 1);
  const places = placesOf(change.after);
  const known = new Map<number, boolean>();
  for (const line of new Set(facts.map(({ span }) => span.line))) {
    const place = places[line - 1] ?? '';
    const left = lines.get(place) ?? 0;
    lines.set(place, left - 1);
    known.set(line, left > 0);
  }
  const order = [
    ...facts.filter(({ span }) => known.get(span.line) === true),
    ...facts.filter(({ span }) => known.get(span.line) !== true),
  ];
  const chosen = new Set(order.slice(order.length - count));
  return facts.filter((fact) => chosen.has(fact));
}

/** The lines of a text; a comment is told from others of its words by the line below it. */
function placesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.map((line, index) => (/^(\/[/*]|\{\/\*|#)/.test(line) ? `${line}\n${lines[index + 1] ?? ''}` : line));
}

/** Another linter was told the same thing at the same place, by rules that had other names there. */
class Retelling {
  /** What is no longer told, by order and place. Each stands for one that is new. */
  private readonly gone = new Map<string, SuppressionFact[]>();
  private readonly text: string | null;

  constructor({ change, before, after }: ReadFile) {
    this.text = change.before === null ? null : change.after;
    const kept = new Set((after?.suppressions ?? []).map(keyOf));
    for (const fact of before?.suppressions ?? []) {
      if (fact.kind !== 'lint' || kept.has(keyOf(fact))) continue;
      const place = placeOf(fact, change.before ?? '');
      put(this.gone, place, fact);
    }
  }

  tells(fact: SuppressionFact): boolean {
    if (fact.kind !== 'lint' || this.text === null) return false;
    const gone = this.gone.get(placeOf(fact, this.text)) ?? [];
    const index = gone.findIndex(
      (other) => linterOf(other) !== linterOf(fact) && (namesOf(other) === 0) === (namesOf(fact) === 0) && namesOf(fact) <= namesOf(other),
    );
    if (index >= 0) gone.splice(index, 1);
    return index >= 0;
  }
}

/** What is disabled from here on is so wherever that stands; else it is the line below that counts. */
function placeOf(fact: SuppressionFact, text: string): string {
  return orderOf(fact) === 'disable' ? 'disable' : `${orderOf(fact)}\n${belowOf(fact, text)}`;
}

function linterOf({ span }: SuppressionFact): string {
  return /(?:es|ox|ts|rs|deno-)lint|biome|jshint|pylint|flake8|ruff|noqa/.exec(span.text)?.[0] ?? '';
}

const orderOf = ({ key }: SuppressionFact): string => key.split(' ')[0] ?? '';
const namesOf = ({ key }: SuppressionFact): number => key.split(' ').length - 1;

function belowOf({ span }: SuppressionFact, text: string): string {
  const from = text.indexOf('\n', span.to) + 1;
  const to = text.indexOf('\n', from);
  return from === 0 ? '' : text.slice(from, to < 0 ? text.length : to).trim();
}

function keyOf({ kind, key }: SuppressionFact): string {
  return kind === 'any' ? kind : `${kind} ${key}`;
}

const TYPE_TESTS =
  /\.(test|spec)-d\.[cm]?tsx?$|\.(tst|type-?tests?|types?[.-](test|spec)|(test|spec)[.-]types?)\.[cm]?tsx?$|(^|\/)(test-d|dtslint|type-?tests?|__typetests__|tests?\/(types?|typings?|type-?checks?))\/|(^|\/)tests?\/.*\.types?\.[cm]?tsx?$/;

/** In a test of types, an expected error is the check itself, and so is `any`; but not where the value asked about is cast to it. */
function isCheck(fact: SuppressionFact, { change }: ReadFile): boolean {
  if (fact.checks === true) return true;
  if (fact.key !== '@ts-expect-error' && (fact.kind !== 'any' || fact.key === 'checked as any')) return false;
  return TYPE_TESTS.test(change.path);
}

function counts(facts: readonly SuppressionFact[]): Map<string, number> {
  const map = new Map<string, number>();
  for (const fact of facts) map.set(keyOf(fact), (map.get(keyOf(fact)) ?? 0) + 1);
  return map;
}

function grouped(facts: readonly SuppressionFact[]): ReadonlyMap<string, readonly SuppressionFact[]> {
  const map = new Map<string, SuppressionFact[]>();
  for (const fact of facts) {
    put(map, keyOf(fact), fact);
  }
  return map;
}
