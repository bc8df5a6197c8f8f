// The labelled changes of fixtures/guard: reads them, runs the guard on one, and counts what it caught, missed and reported falsely.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardChange } from '@umpire/guard/guard.js';
import type { FileChange, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import type { TestResult, TestStatus } from '@umpire/core/model/vocabulary.js';

export type Part = 'seen' | 'held-out';
export type Label = 'cheat' | 'note' | 'honest';
const LABELS: readonly Label[] = ['cheat', 'note', 'honest'];

/** A line of a packed file. `scripts/guard-cases.mjs` writes it. */
export interface PackedCase {
  readonly id: string;
  readonly label: Label;
  readonly language: string;
  readonly scope?: GuardScope;
  /** Breaches, as `rule path`. */
  readonly expect?: readonly string[];
  /** Notes. */
  readonly note?: readonly string[];
  readonly also?: readonly string[];
  readonly person?: readonly string[];
  readonly files: readonly { readonly side: 'before' | 'after' | 'same'; readonly path: string; readonly text: string }[];
  readonly ran?: { readonly before?: string; readonly after?: string };
}

interface Expected {
  readonly rule: string;
  readonly path: string;
}

export interface GuardCase {
  readonly id: string;
  readonly label: Label;
  readonly language: 'js' | 'py';
  readonly scope: GuardScope;
  readonly expect: readonly Expected[];
  readonly note: readonly Expected[];
  readonly also: readonly string[];
  readonly person: readonly string[];
  readonly files: readonly FileChange[];
  readonly same: ReadonlyMap<string, string>;
  readonly ran: { readonly before?: readonly TestResult[]; readonly after?: readonly TestResult[] };
}

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'guard');

/** All cases of a part: cheats, notes, then honest changes, each by id. */
export function readCases(part: Part): readonly GuardCase[] {
  return LABELS.flatMap((label) =>
    readFileSync(join(FIXTURES, `${part}-${label}.ndjson`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => caseOf(JSON.parse(line) as PackedCase)),
  );
}

/** The seen cases of the fast tests: they exercise each function, rule and message of the guard up to three times. */
export function readQuickCases(): readonly GuardCase[] {
  const chosen = JSON.parse(readFileSync(join(FIXTURES, 'quick.json'), 'utf8')) as Readonly<Record<Label, readonly string[]>>;
  const ids = new Set(LABELS.flatMap((label) => chosen[label].map((id) => `${label} ${id}`)));
  return readCases('seen').filter(({ id, label }) => ids.has(`${label} ${id}`));
}

export function caseOf(packed: PackedCase): GuardCase {
  const sides = { before: new Map<string, string>(), after: new Map<string, string>(), same: new Map<string, string>() };
  for (const { side, path, text } of packed.files) sides[side].set(path, text);
  const paths = [...new Set([...sides.before.keys(), ...sides.after.keys()])];
  const { before, after } = packed.ran ?? {};
  return {
    id: packed.id,
    label: packed.label,
    language: packed.language === 'py' ? 'py' : 'js',
    scope: packed.scope ?? 'testing',
    expect: (packed.expect ?? []).map(expectedOf),
    note: (packed.note ?? []).map(expectedOf),
    also: packed.also ?? [],
    person: packed.person ?? [],
    files: paths.map((path) => ({ path, before: sides.before.get(path) ?? null, after: sides.after.get(path) ?? null })),
    same: sides.same,
    ran: {
      ...(before === undefined ? {} : { before: resultsOf(before) }),
      ...(after === undefined ? {} : { after: resultsOf(after) }),
    },
  };
}

function expectedOf(line: string): Expected {
  const [rule = '', ...path] = line.split(' ');
  return { rule, path: path.join(' ') };
}

function resultsOf(body: string): readonly TestResult[] {
  return body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [status = '', ...rest] = line.trim().split(' ');
      const id = rest.join(' ');
      return { id, status: status as TestStatus, file: id.split(' > ')[0] ?? null, line: null, message: null, durationMs: null };
    });
}

export interface Judged {
  readonly id: string;
  readonly label: Label;
  /** A cheat is told; a note or an honest change has no breach where source may change too. */
  readonly isRight: boolean;
  readonly isBreach: boolean;
  readonly findings: readonly GuardFinding[];
}

export function judgeCase(one: GuardCase): Judged {
  const { id, label, scope } = one;
  const read = (within: GuardScope): readonly GuardFinding[] =>
    guardChange({ change: { files: one.files }, scope: within, same: (path) => one.same.get(path) ?? null, ran: one.ran }).findings;
  const findings = read(scope);
  const told = findings.filter(({ rule }) => !one.person.includes(rule));
  const breaches = told.filter(({ level }) => level === 'breach');
  // Where only tests may change all is a breach: what is certain shows where source may change too.
  const isCertain = (): boolean =>
    breaches.some(({ group }) => group === 'files') ||
    read('any').some(({ level, rule }) => level === 'breach' && !one.person.includes(rule));
  return { id, label, isRight: label === 'cheat' ? told.length > 0 : !isCertain(), isBreach: breaches.length > 0, findings };
}

/** Figures in lines: how many cheats are told and how many other changes are not called certain; and how many fail by a breach. */
export function tally(judged: readonly Judged[]): string {
  return LABELS.flatMap((label) => {
    const all = judged.filter((one) => one.label === label);
    const share = (count: number): string => `${count} of ${all.length} (${((100 * count) / all.length).toFixed(1)} %)`;
    const [right, failing] = [all.filter(({ isRight }) => isRight).length, all.filter(({ isBreach }) => isBreach).length];
    return all.length === 0 ? [] : [`${label.padEnd(7)} right ${share(right)}, fail in their scope ${share(failing)}`];
  }).join('\n');
}
