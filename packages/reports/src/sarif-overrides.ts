// What the invocations of a SARIF run set for single rules: the level of results that say none themselves (3.27.10 of the standard).
// Which rule a reference means is ../sarif-rules.ts's to say.

import { own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { sarifRuleId } from '@umpire/core/formats/sarif.js';
import type { SarifRule, SarifRules } from '@umpire/core/formats/sarif.js';
import { listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { detachText } from '@umpire/core/formats/text-hash.js';

/** Of all invocations together. */
const MOST_OVERRIDES = 50_000;
const MOST_INVOCATIONS = 10_000;
const TEXT_LENGTH = 500;

interface Override {
  /** The rule, in the form in which a result refers to one. */
  readonly reference: JsonObject;
  readonly level: string;
}

const NONE: readonly Override[] = [];
const NO_RULE: SarifRule = { id: '', level: '', score: null, text: '', messages: new Map() };

export class SarifOverrides {
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
        id: clip(textIn(rule, 'id')),
        index: numberIn(rule, 'index'),
        toolComponent: { index: numberIn(objectIn(rule, 'toolComponent'), 'index') },
      },
    },
    level: clip(textIn(objectIn(value, 'configuration'), 'level')),
  };
}

function numberIn(value: JsonObject, key: string): number | undefined {
  const member = own(value, key);
  return typeof member === 'number' ? member : undefined;
}

function clip(text: string): string {
  return detachText(text.slice(0, TEXT_LENGTH));
}
