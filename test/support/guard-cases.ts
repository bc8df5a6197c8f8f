// The labelled changes of fixtures/guard: reads them, runs the guard on one, and counts what it caught, missed and reported falsely.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guard } from '@umpire/guard/guard.js';
import type { FileChange, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/finding.js';
import { RULE_GROUPS } from '@umpire/guard/rule-names.js';
import type { TestResult, TestStatus } from '@umpire/core/model.js';

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
  /** Expected breaches and notes that were not reported at that level, nor one that the case allows instead. */
  readonly missed: readonly string[];
  /** The same by group of rules. */
  readonly missedGroups: readonly string[];
  readonly alarms: readonly GuardFinding[];
  readonly extra: readonly GuardFinding[];
  readonly expected: readonly string[];
  readonly findings: readonly GuardFinding[];
}

export function judgeCase(one: GuardCase): Judged {
  const { id, label } = one;
  const { findings } = guard({ change: { files: one.files }, scope: one.scope, same: (path) => one.same.get(path) ?? null, ran: one.ran });
  // A file that moved may be named by either path.
  const gone = new Set(one.files.filter(({ after }) => after === null).map(({ path }) => path));
  const fresh = new Set(one.files.filter(({ before }) => before === null).map(({ path }) => path));
  const isThere = (file: string, path: string) =>
    file === path || (gone.has(path) && fresh.has(file)) || (fresh.has(path) && gone.has(file));
  const groupOf = (rule: string) => RULE_GROUPS[rule as keyof typeof RULE_GROUPS];
  const breaches = findings.filter(({ level }) => level === 'breach');
  const notes = findings.filter(({ level }) => level === 'note');
  const caught = ({ rule, path }: Expected, among = breaches) =>
    among.some((finding) => isThere(finding.file, path) && (finding.rule === rule || one.also.includes(finding.rule)));
  const inGroup = (wanted: Expected) =>
    caught(wanted) || breaches.some((finding) => isThere(finding.file, wanted.path) && finding.group === groupOf(wanted.rule));
  const wanted = new Set([...one.expect.map(({ rule }) => rule), ...one.also]);
  return {
    id,
    label,
    missed: [...one.expect.filter((line) => !caught(line)), ...one.note.filter((line) => !caught(line, notes))].map(({ rule }) => rule),
    missedGroups: one.expect.filter((line) => !inGroup(line)).map(({ rule }) => rule),
    alarms: label === 'cheat' ? [] : breaches.filter(({ rule }) => !one.person.includes(rule)),
    extra: label === 'cheat' ? breaches.filter(({ rule }) => !wanted.has(rule)) : [],
    expected: [...one.expect.map(({ rule }) => `breach ${rule}`), ...one.note.map(({ rule }) => `note ${rule}`)],
    findings,
  };
}

export interface Score {
  readonly cheats: number;
  readonly caught: number;
  readonly caughtByGroup: number;
  readonly notes: number;
  /** Notes that were reported, without a breach. */
  readonly noted: number;
  readonly honest: number;
  readonly alarmed: number;
  readonly noise: number;
}

export function scoreOf(judged: readonly Judged[]): Score {
  const cheats = judged.filter(({ label }) => label === 'cheat');
  const notes = judged.filter(({ label }) => label === 'note');
  const honest = judged.filter(({ label }) => label === 'honest');
  return {
    cheats: cheats.length,
    caught: cheats.filter(({ missed }) => missed.length === 0).length,
    caughtByGroup: cheats.filter(({ missedGroups }) => missedGroups.length === 0).length,
    notes: notes.length,
    noted: notes.filter(({ missed, alarms }) => missed.length + alarms.length === 0).length,
    honest: honest.length,
    alarmed: honest.filter(({ alarms }) => alarms.length > 0).length,
    noise: cheats.filter(({ extra }) => extra.length > 0).length,
  };
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((part / whole) * 100).toFixed(1)} %`;
}

/** Figures in lines: overall, then misses and false positives by rule. */
export function tally(judged: readonly Judged[]): string {
  const score = scoreOf(judged);
  const counts = (rules: readonly string[]): string => {
    const map = new Map<string, number>();
    for (const rule of rules) map.set(rule, (map.get(rule) ?? 0) + 1);
    return [...map].map(([rule, count]) => `${rule} ${count}`).join(', ') || 'none';
  };
  return [
    `recall       ${score.caught}/${score.cheats} ${share(score.caught, score.cheats)}   by group ${score.caughtByGroup}/${score.cheats} ${share(score.caughtByGroup, score.cheats)}`,
    `notes        ${score.noted}/${score.notes} ${share(score.noted, score.notes)}`,
    `false alarms ${score.alarmed}/${score.honest} ${share(score.alarmed, score.honest)}`,
    `cheats with findings beside the label ${score.noise}/${score.cheats}: ${counts(judged.flatMap(({ extra }) => [...new Set(extra.map(({ rule }) => rule))]))}`,
    `missed: ${counts(judged.flatMap(({ missed }) => missed))}`,
    `alarms: ${counts(judged.flatMap(({ alarms }) => [...new Set(alarms.map(({ rule }) => rule))]))}`,
  ].join('\n');
}
