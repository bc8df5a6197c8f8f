// The rules of one SARIF run, of the tool itself and of its extensions, as far as results need them: found by index or by id.

import { isObject, numberOf, own, type JsonObject } from './json-text.js';
import { objectIn, textIn } from './json-values.js';
import { detached } from './text-hash.js';
import { put } from './keyed-lists.js';

/** No tool has as many. */
const MOST_RULES = 50_000;
const TEXT_LENGTH = 500;
const MOST_MESSAGES = 20;
const TOOL = -1;

export interface SarifRule {
  readonly id: string;
  /** What results count that say nothing themselves; empty where the rule says nothing either. */
  readonly level: string;
  /** The `security-severity`. */
  readonly score: number | null;
  readonly text: string;
  /** Messages that results name by their key. */
  readonly messages: ReadonlyMap<string, string>;
}

const NO_MESSAGES: ReadonlyMap<string, string> = new Map();

export class SarifRules {
  /** By extension; the tool's own under -1. Positions count, so an entry that is no rule keeps its place. */
  private readonly lists = new Map<number, (SarifRule | null)[]>();
  private readonly byId = new Map<string, SarifRule>();
  private count = 0;

  add(value: unknown, extension = TOOL): void {
    this.count += 1;
    if (this.count > MOST_RULES) return;
    const rule = isObject(value) ? ruleOf(value) : null;
    put(this.lists, extension, rule);
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
  return detached(text.slice(0, TEXT_LENGTH));
}
