// Reads a labelled change of fixtures/guard, puts it before the guard, and says what was caught, missed and cried for nothing.

import { guard } from '@umpire/guard/guard.js';
import type { FileChange, GuardScope } from '@umpire/guard/change.js';
import type { GuardFinding } from '@umpire/guard/finding.js';
import { GUARD_RULES } from '@umpire/guard/finding.js';
import type { TestResult, TestStatus } from '@umpire/core/model.js';

export interface Expected {
  readonly rule: string;
  readonly path: string;
}

export interface GuardCase {
  readonly scope: GuardScope;
  readonly expect: readonly Expected[];
  readonly also: readonly string[];
  readonly person: readonly string[];
  readonly files: readonly FileChange[];
  readonly same: ReadonlyMap<string, string>;
  readonly ran: { readonly before?: readonly TestResult[]; readonly after?: readonly TestResult[] };
}

export function readCase(text: string): GuardCase {
  const [head = '', ...sections] = text.split(/^=== /m);
  const field = (name: string): readonly string[] =>
    head
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trim());
  const sides = { before: new Map<string, string>(), after: new Map<string, string>(), same: new Map<string, string>() };
  const ran: { before?: readonly TestResult[]; after?: readonly TestResult[] } = {};
  for (const section of sections) {
    const end = section.indexOf('\n');
    const title = end < 0 ? section : section.slice(0, end);
    const body = end < 0 ? '' : section.slice(end + 1);
    const [what = '', ...rest] = title.trim().split(' ');
    const path = rest.join(' ');
    if (what === 'ran') ran[path as 'before' | 'after'] = resultsOf(body);
    else sides[what as 'before' | 'after' | 'same'].set(path, body);
  }
  const paths = [...new Set([...sides.before.keys(), ...sides.after.keys()])];
  return {
    scope: (field('scope')[0] ?? 'testing') as GuardScope,
    expect: field('expect').map((line) => ({ rule: line.split(' ')[0] ?? '', path: line.split(' ').slice(1).join(' ') })),
    also: field('also').flatMap((line) => line.split(',').map((rule) => rule.trim())),
    person: field('person').flatMap((line) => line.split(',').map((rule) => rule.trim())),
    files: paths.map((path) => ({ path, before: sides.before.get(path) ?? null, after: sides.after.get(path) ?? null })),
    same: sides.same,
    ran,
  };
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
  readonly name: string;
  readonly kind: 'cheat' | 'honest';
  /** Rules that should have been named and were not, nor one that was allowed in their place. */
  readonly missed: readonly string[];
  /** The same by group of rules. */
  readonly missedGroups: readonly string[];
  readonly alarms: readonly GuardFinding[];
  readonly extra: readonly GuardFinding[];
  readonly expected: readonly string[];
  readonly findings: readonly GuardFinding[];
}

export function judgeCase(name: string, kind: 'cheat' | 'honest', one: GuardCase): Judged {
  const { findings } = guard({ change: { files: one.files }, scope: one.scope, same: (path) => one.same.get(path) ?? null, ran: one.ran });
  // A file that moved may be named by either path.
  const gone = new Set(one.files.filter(({ after }) => after === null).map(({ path }) => path));
  const fresh = new Set(one.files.filter(({ before }) => before === null).map(({ path }) => path));
  const isThere = (file: string, path: string) =>
    file === path || (gone.has(path) && fresh.has(file)) || (fresh.has(path) && gone.has(file));
  const groupOf = (rule: string) => GUARD_RULES[rule as keyof typeof GUARD_RULES].group;
  const caught = ({ rule, path }: Expected) =>
    findings.some((finding) => isThere(finding.file, path) && (finding.rule === rule || one.also.includes(finding.rule)));
  const inGroup = (wanted: Expected) =>
    caught(wanted) || findings.some((finding) => isThere(finding.file, wanted.path) && finding.group === groupOf(wanted.rule));
  const wanted = new Set([...one.expect.map(({ rule }) => rule), ...one.also]);
  return {
    name,
    kind,
    missed: one.expect.filter((line) => !caught(line)).map(({ rule }) => rule),
    missedGroups: one.expect.filter((line) => !inGroup(line)).map(({ rule }) => rule),
    alarms: kind === 'honest' ? findings.filter(({ rule }) => !one.person.includes(rule)) : [],
    extra: kind === 'cheat' ? findings.filter(({ rule }) => !wanted.has(rule)) : [],
    expected: one.expect.map(({ rule }) => rule),
    findings,
  };
}

export interface Score {
  readonly cheats: number;
  readonly caught: number;
  readonly caughtByGroup: number;
  readonly honest: number;
  readonly alarmed: number;
  readonly noise: number;
}

export function scoreOf(judged: readonly Judged[]): Score {
  const cheats = judged.filter(({ kind }) => kind === 'cheat');
  const honest = judged.filter(({ kind }) => kind === 'honest');
  return {
    cheats: cheats.length,
    caught: cheats.filter(({ missed }) => missed.length === 0).length,
    caughtByGroup: cheats.filter(({ missedGroups }) => missedGroups.length === 0).length,
    honest: honest.length,
    alarmed: honest.filter(({ alarms }) => alarms.length > 0).length,
    noise: cheats.filter(({ extra }) => extra.length > 0).length,
  };
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((part / whole) * 100).toFixed(1)} %`;
}

/** Figures in lines: overall, then what was missed and cried for nothing, by rule. */
export function tally(judged: readonly Judged[]): string {
  const score = scoreOf(judged);
  const counts = (rules: readonly string[]): string => {
    const map = new Map<string, number>();
    for (const rule of rules) map.set(rule, (map.get(rule) ?? 0) + 1);
    return [...map].map(([rule, count]) => `${rule} ${count}`).join(', ') || 'none';
  };
  return [
    `recall       ${score.caught}/${score.cheats} ${share(score.caught, score.cheats)}   by group ${score.caughtByGroup}/${score.cheats} ${share(score.caughtByGroup, score.cheats)}`,
    `false alarms ${score.alarmed}/${score.honest} ${share(score.alarmed, score.honest)}`,
    `cheats with findings beside the label ${score.noise}/${score.cheats}: ${counts(judged.flatMap(({ extra }) => [...new Set(extra.map(({ rule }) => rule))]))}`,
    `missed: ${counts(judged.flatMap(({ missed }) => missed))}`,
    `alarms: ${counts(judged.flatMap(({ alarms }) => [...new Set(alarms.map(({ rule }) => rule))]))}`,
  ].join('\n');
}
