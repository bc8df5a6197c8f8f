// Changes a loop file in one place at a time: every operator, bound, word, condition, row, repair, promise and the rule for
// worse rounds. Pure: takes a loop file as an object and returns mutants, each named by its change.

import type { Outcome } from '@umpire/core/model/vocabulary.js';

export interface Mutant {
  readonly name: string;
  /** A loop file as an object. It may be one that does not load. */
  readonly file: unknown;
}

type Path = readonly (string | number)[];
type Json = Readonly<Record<string, unknown>>;

/** One change: the place, the new value (`undefined` deletes it), and a description. */
interface Change {
  readonly path: Path;
  readonly to: unknown;
  readonly told: string;
}

const OPERATORS = ['<', '<=', '>', '>=', '='];
const OUTCOMES: readonly Outcome[] = ['converge', 'revise', 'accept', 'escalate'];
const STATES = ['ok', 'missing', 'unreadable', 'unread'];
const COMPARISON = /^(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?|cap|target)$/;

/** Every mutant of a loop file, with unique names. */
export function mutantsOf(file: Json): readonly Mutant[] {
  const changes = [...limitChanges(file), ...factChanges(file), ...ruleChanges(file, 'repairs'), ...ruleChanges(file, 'table')];
  const all = [...changes, ...ruleChanges(file, 'promises')];
  all.push(...worseChanges(file));
  return all.map(({ path, to, told }) => ({ name: `${String(file['loop'])}: ${told}`, file: changed(file, path, to) }));
}

/** Each of its tests changed or dropped. */
function worseChanges(file: Json): readonly Change[] {
  const { worse } = file;
  return worse === undefined
    ? []
    : testChanges(file, worse as Json, ['worse']).map((change) => ({ ...change, told: `worse ${change.told}` }));
}

function limitChanges(file: Json): readonly Change[] {
  const number = (...path: Path): readonly Change[] => {
    const value = valueAt(file, path);
    if (typeof value !== 'number') return [];
    return near(value, 1).map((to) => ({ path, to, told: `${path.join('.')} ${value} -> ${to}` }));
  };
  const first = valueAt(file, ['round', 'first']) === 0 ? 1 : 0;
  const swapped = { path: ['round', 'first'], to: first, told: `round.first ${1 - first} -> ${first}` };
  return [swapped, ...number('cap', 'default'), ...number('target', 'default')];
}

function factChanges(file: Json): readonly Change[] {
  const out: Change[] = [];
  for (const [name, spec] of Object.entries(objectAt(file, ['facts']))) {
    const { number, below, enum: words } = spec as { number?: readonly number[]; below?: number; enum?: readonly string[] };
    number?.forEach((bound, at) => {
      for (const to of near(bound, unitIn(number)))
        out.push({ path: ['facts', name, 'number', at], to, told: `facts ${name} number.${at} ${bound} -> ${to}` });
    });
    if (below !== undefined)
      for (const to of near(below, 1)) out.push({ path: ['facts', name, 'below'], to, told: `facts ${name} below ${below} -> ${to}` });
    words?.forEach((word) => {
      const left = words.filter((other) => other !== word);
      out.push({ path: ['facts', name, 'enum'], to: left, told: `facts ${name} enum without ${word}` });
    });
  }
  return out;
}

/** Repairs, rows or promises: each of their parts changed, each of them deleted, each pair of neighbours swapped. */
function ruleChanges(file: Json, list: 'repairs' | 'table' | 'promises'): readonly Change[] {
  const rules = (file[list] ?? []) as readonly Json[];
  const names = rules.map((rule, at) => nameOf(rules, rule, at));
  return rules.flatMap((rule, at) => {
    const path = [list, at];
    const named = `${list} ${names[at] ?? ''}`;
    const parts = [
      ...whenChanges(file, rule, path),
      ...thenChanges(rule, path),
      ...setChanges(file, rule, path),
      ...neverChanges(rule, path),
    ];
    const out = parts.map((change) => ({ ...change, told: `${named} ${change.told}` }));
    out.push({ path: [list], to: rules.filter((other) => other !== rule), told: `${named} deleted` });
    const next = rules[at + 1];
    if (next !== undefined && list !== 'promises') {
      const to = [...rules.slice(0, at), next, rule, ...rules.slice(at + 2)];
      out.push({ path: [list], to, told: `${named} swapped with ${names[at + 1] ?? ''}` });
    }
    return out;
  });
}

/** Its id, with a number if several share it. */
function nameOf(rules: readonly Json[], rule: Json, at: number): string {
  const id = String(rule['id']);
  const before = rules.slice(0, at).filter((other) => other['id'] === rule['id']).length;
  return before === 0 ? id : `${id}/${before + 1}`;
}

function whenChanges(file: Json, rule: Json, path: Path): readonly Change[] {
  const changes = testChanges(file, (rule['when'] ?? {}) as Json, [...path, 'when']);
  return changes.map((change) => ({ ...change, told: `when.${change.told}` }));
}

/** The tests of a `when`: each replaced, and each dropped. */
function testChanges(file: Json, when: Json, path: Path): readonly Change[] {
  return Object.entries(when).flatMap(([fact, test]) => {
    const here = [...path, fact];
    const told = (to: unknown) => `${fact} ${JSON.stringify(test)} -> ${JSON.stringify(to)}`;
    const others = testsInstead(file, fact, test).map((to) => ({ path: here, to, told: told(to) }));
    const dropped = { path: Object.keys(when).length === 1 ? path : here, to: undefined };
    return [...others, { ...dropped, told: `${fact} ${JSON.stringify(test)} dropped` }];
  });
}

function testsInstead(file: Json, fact: string, test: unknown): readonly unknown[] {
  if (typeof test === 'boolean') return [!test];
  if (typeof test === 'number') return comparisonsInstead(file, fact, '=', String(test));
  if (Array.isArray(test)) return (test as readonly string[]).map((word) => (test as readonly string[]).filter((other) => other !== word));
  const text = String(test);
  if (text === 'absent' || text === 'present') return [text === 'absent' ? 'present' : 'absent'];
  const match = COMPARISON.exec(text);
  if (match !== null) return comparisonsInstead(file, fact, match[1] ?? '', match[2] ?? '');
  return wordsOf(file, fact).filter((word) => word !== text);
}

function comparisonsInstead(file: Json, fact: string, operator: string, bound: string): readonly string[] {
  const operators = OPERATORS.filter((other) => other !== operator).map((other) => `${other}${bound}`);
  return [...operators, ...boundsInstead(file, fact, bound).map((other) => `${operator}${other}`)];
}

/** A number moved by its unit; the cap or the target as its own number, and the one for the other. */
function boundsInstead(file: Json, fact: string, bound: string): readonly string[] {
  if (bound !== 'cap' && bound !== 'target') return near(Number(bound), unitOf(file, fact)).map(String);
  const number = valueAt(file, [bound, 'default']);
  return [String(number), bound === 'cap' ? 'target' : 'cap'];
}

function thenChanges(rule: Json, path: Path): readonly Change[] {
  const { then, waiver, error } = rule;
  const out: Change[] = [];
  if (then !== undefined)
    for (const to of OUTCOMES) if (to !== then) out.push({ path: [...path, 'then'], to, told: `then ${String(then)} -> ${to}` });
  if (waiver !== undefined) out.push({ path: [...path, 'waiver'], to: undefined, told: 'waiver dropped' });
  else if (then === 'converge' || then === 'accept') out.push({ path: [...path, 'waiver'], to: 'a mutant', told: 'waiver added' });
  if (rule['anomaly'] !== undefined) out.push({ path: [...path, 'anomaly'], to: undefined, told: 'anomaly dropped' });
  if (error !== undefined) out.push({ path: [...path, 'error'], to: undefined, told: 'error dropped' });
  return out;
}

function neverChanges(rule: Json, path: Path): readonly Change[] {
  const never = (rule['never'] ?? []) as readonly string[];
  return never.map((word) => ({ path: [...path, 'never'], to: never.filter((other) => other !== word), told: `never without ${word}` }));
}

function setChanges(file: Json, rule: Json, path: Path): readonly Change[] {
  const set = (rule['set'] ?? {}) as Json;
  return Object.entries(set).flatMap(([fact, value]) => {
    const here = [...path, 'set', fact];
    const whole = Object.keys(set).length === 1 ? [...path, 'set'] : here;
    const dropped: Change = { path: whole, to: undefined, told: `set.${fact} dropped` };
    if (typeof value === 'object') return [dropped, ...formulaChanges(file, fact, value as Json, here)];
    const instead =
      typeof value === 'boolean'
        ? [!value]
        : typeof value === 'number'
          ? near(value, 1)
          : wordsOf(file, fact).filter((word) => word !== value);
    return [dropped, ...instead.map((to) => ({ path: here, to, told: `set.${fact} ${String(value)} -> ${String(to)}` }))];
  });
}

/** A step or a linear sum: each number moved, each word replaced, each weight dropped. */
function formulaChanges(file: Json, fact: string, formula: Json, path: Path): readonly Change[] {
  const out: Change[] = [];
  const walk = (value: unknown, within: Path) => {
    const told = (to: unknown) => `set.${fact}.${within.join('.')} ${String(value)} -> ${String(to)}`;
    const unit = within[0] === 'at' ? unitOf(file, String(formula['step'])) : unitOfWeight(Number(value));
    const instead = typeof value === 'number' ? near(value, unit) : [];
    for (const to of instead) out.push({ path: [...path, ...within], to, told: told(to) });
    if (typeof value === 'string' && within[0] !== 'step')
      for (const to of wordsOf(file, fact)) if (to !== value) out.push({ path: [...path, ...within], to, told: told(to) });
    if (typeof value === 'object')
      for (const [key, inner] of Object.entries(value as Json)) walk(inner, [...within, Array.isArray(value) ? Number(key) : key]);
  };
  walk(formula, []);
  for (const name of Object.keys(formula['linear'] ?? {}))
    out.push({ path: [...path, 'linear', name], to: undefined, told: `set.${fact}.linear.${name} dropped` });
  return out;
}

function wordsOf(file: Json, fact: string): readonly string[] {
  const spec = valueAt(file, ['facts', fact]) as { enum?: readonly string[]; state?: string } | undefined;
  return spec?.enum ?? (spec?.state === undefined ? [] : STATES);
}

/** A hundredth for rates, one for everything else. */
function unitOf(file: Json, fact: string): number {
  const range = valueAt(file, ['facts', fact, 'number']);
  return Array.isArray(range) ? unitIn(range as readonly number[]) : 1;
}

function unitIn([low = 0, high = 0]: readonly number[]): number {
  return low >= 0 && high <= 1 ? 0.01 : 1;
}

function unitOfWeight(value: number): number {
  return Number.isInteger(value) ? 1 : 0.5;
}

function near(value: number, unit: number): readonly number[] {
  return [value - unit, value + unit].map((moved) => Number(moved.toFixed(4)));
}

function objectAt(file: Json, path: Path): Json {
  return (valueAt(file, path) ?? {}) as Json;
}

function valueAt(file: unknown, path: Path): unknown {
  let value = file;
  for (const key of path)
    value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
  return value;
}

/** A copy of the file with this one place changed. */
function changed(file: Json, path: Path, to: unknown): unknown {
  const copy = structuredClone(file) as unknown;
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const key = path.at(-1) ?? '';
  if (to === undefined) delete parent[key];
  else parent[key] = structuredClone(to);
  return copy;
}
