// A verdict as a Markdown page with the headings of its loop, as JSON for scripts, and as two lines for the terminal.

import type { DismissedFinding, Finding, Verdict } from '@umpire/core/model/vocabulary.js';
import type { EvidenceReadings } from '@umpire/core/loops/loop.js';
import { listAt, namesOfItems, valueAt } from '@umpire/core/loops/facts.js';
import type { Block, Facts, Loop, ReportSection } from '@umpire/core/loops/loop.js';
import { fillTemplate, showNumber } from '@umpire/core/loops/template.js';
import type { ValueLookup } from '@umpire/core/loops/template.js';
import { describeCounts, describeFinding } from '@umpire/core/formats/finding-text.js';
import { inline, lineOf } from './safe-text.js';
import { viaWords } from './words.js';

/** One judged round of a chain. */
export interface PageRound {
  readonly verdict: Verdict;
  readonly facts: Facts;
}

export interface PageInput {
  readonly loop: Loop;
  readonly verdict: Verdict;
  readonly facts: Facts;
  readonly target: number;
  readonly gathered: EvidenceReadings;
  /** The chain's rounds before this one, oldest first. */
  readonly past: readonly PageRound[];
  /** The round that `before` and `delta` refer to. */
  readonly before: PageRound | undefined;
  /** What a person may decide. */
  readonly options: readonly { readonly id: string; readonly means: string }[];
}

export function verdictPage(input: PageInput): string {
  const lookup = lookupOf(input);
  const lines: string[] = [];
  for (const section of input.loop.report) addSection(lines, section, '##', input, lookup);
  return `${lines.join('\n').trim()}\n`;
}

/** Appends to one list: a page is made for every round, and joining nested lists is slow. */
function addSection(lines: string[], section: ReportSection, marks: string, input: PageInput, lookup: ValueLookup): void {
  lines.push(`${marks} ${lineOf(section.heading)}`, '');
  const before = lines.length;
  for (const block of section.blocks) addBlock(lines, block, input, lookup);
  if (lines.length > before) lines.push('');
  for (const one of section.sections ?? []) addSection(lines, one, `${marks}#`, input, lookup);
}

function addBlock(lines: string[], block: Block, input: PageInput, lookup: ValueLookup): void {
  if (typeof block === 'string') lines.push(bullet(fillTemplate(block, escapeLookup(lookup))));
  else if (!('when' in block)) addLines(lines, block, input);
  else if (block.when.includes(input.verdict.outcome)) for (const line of block.lines) addBlock(lines, line, input, lookup);
}

function addLines(lines: string[], block: Exclude<Block, string | { readonly when: unknown }>, input: PageInput): void {
  const { verdict } = input;
  const before = lines.length;
  if ('findings' in block) addFindings(lines, block, verdict);
  else if ('table' in block) addTable(lines, block, input);
  else if ('list' in block) {
    for (const [index, item] of (listAt(block.list, input.gathered) ?? []).entries())
      lines.push(
        bullet(
          fillTemplate(
            block.line,
            escapeLookup((name) => (name === 'n' ? index + 1 : (item[name] ?? null))),
          ),
        ),
      );
    if (lines.length === before && block.label !== undefined) lines.push(bullet(`${block.label}: none`));
  } else if ('tasks' in block) {
    let many = 0;
    for (const task of verdict.tasks) {
      if (block.role !== undefined && task['role'] !== block.role) continue;
      many += 1;
      lines.push(
        bullet(
          fillTemplate(
            block.tasks,
            escapeLookup((name) => {
              if (name === 'n') return many;
              const value = task[name];
              return Array.isArray(value) ? value.join(', ') : value;
            }),
          ),
        ),
      );
    }
  } else if ('history' in block) addHistory(lines, block.history, input);
  else if ('unresolved' in block) {
    const open = verdict.findings.filter((finding) => finding.severity === 'critical' || finding.severity === 'high');
    if (open.length === 0) lines.push(bullet('Unresolved: no Critical or High findings'));
    for (const [index, finding] of open.entries())
      lines.push(bullet(`${index + 1}. Unresolved: ${tagged(finding)}${findingText(finding)}`));
  } else if ('options' in block) {
    for (const option of input.options) lines.push(bullet(`Option ${option.id}: ${option.means}`));
    return;
  } else {
    lines.push(bullet(`Rule ${inline(verdict.rule)}: ${inline(verdict.reason)}`));
    for (const finding of verdict.findings.slice(0, 3)) lines.push(bullet(`Based on: ${tagged(finding)}${findingText(finding)}`));
    if (verdict.status === 'partial') lines.push(bullet('PARTIAL: the deadline was exceeded, so this is no decision. Judge again.'));
    for (const waiver of verdict.waivers) lines.push(bullet(`UNVERIFIED: approved by waiver: ${inline(waiver)}.`));
    if (verdict.worse === true) lines.push(bullet(WORSE));
    for (const one of verdict.dismissed ?? []) lines.push(bullet(`Dismissed: ${tagged(one.finding)}${dismissalText(one)}`));
    addTrend(lines, verdict);
    for (const { rule, message } of verdict.anomalies) lines.push(bullet(`Anomaly (${inline(rule)}): ${inline(message)}`));
    for (const { path, grade, sha256 } of verdict.evidence)
      lines.push(bullet(`Evidence: ${inline(path)} (${GRADES[grade] ?? inline(grade)}, sha256 ${sha256.slice(0, 12)})`));
    const testimony = describeTestimony(verdict);
    if (testimony !== null) lines.push(bullet(`Testimony only: ${testimony}`));
  }
  if (lines.length === before) lines.push('- none');
}

function addTable(lines: string[], { table, columns }: Extract<Block, { readonly table: unknown }>, input: PageInput): void {
  const items = listAt(table, input.gathered) ?? [];
  const names = Object.keys(columns);
  if (items.length === 0) {
    lines.push(bullet(`${names[0] ?? 'Rows'}: none`));
    return;
  }
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => lineOf(cell)).join(' | ')} |`;
  // A table starts after an empty line, and ends before one.
  if (lines.at(-1) !== '') lines.push('');
  lines.push(row(names), row(names.map(() => '---')));
  for (const item of items)
    lines.push(
      row(
        Object.values(columns).map((text) =>
          fillTemplate(
            text,
            escapeLookup((name) => item[name] ?? null),
          ),
        ),
      ),
    );
  lines.push('');
}

/** A line of the loop's and Umpire's own words. Foreign text in it is escaped before. */
function bullet(text: string): string {
  return `- ${lineOf(text)}`;
}

/** Values as Markdown without meaning: agents and tools wrote some of them. */
function escapeLookup(lookup: ValueLookup): ValueLookup {
  return (name) => {
    const value = lookup(name);
    return typeof value === 'string' ? inline(value) : typeof value === 'object' && value !== null ? inline(JSON.stringify(value)) : value;
  };
}

function findingText(finding: Finding): string {
  return inline(describeFinding(finding));
}

function tagged({ severity }: Finding): string {
  return `[${severity.toUpperCase()}] `;
}

function addFindings(lines: string[], block: Extract<Block, { readonly findings: unknown }>, verdict: Verdict): void {
  const label = block.label === undefined ? '' : `${block.label}: `;
  const before = lines.length;
  for (const finding of verdict.findings) {
    if (!block.findings.includes(finding.severity)) continue;
    lines.push(bullet(`${label}${block.findings.length > 1 ? tagged(finding) : ''}${findingText(finding)}`));
  }
  if (lines.length === before) lines.push(bullet(`${label}none`));
}

function addHistory(lines: string[], template: string, input: PageInput): void {
  let before: PageRound | undefined;
  for (const round of input.past) {
    lines.push(historyLine(template, round, before));
    before = round;
  }
  lines.push(historyLine(template, { verdict: input.verdict, facts: input.facts }, before));
}

function historyLine(template: string, round: PageRound, before: PageRound | undefined): string {
  return bullet(fillTemplate(template, escapeLookup(roundLookup(round, before))));
}

function roundLookup(round: PageRound, before: PageRound | undefined): ValueLookup {
  return (name) => {
    if (name === 'round') return round.verdict.round;
    if (name === 'counts') return describeCounts(round.verdict.counts);
    if (name === 'decision') return round.verdict.decision;
    if (name === 'fixed') {
      if (before === undefined) return 'nothing (first round)';
      const { findings, dismissed = [] } = round.verdict;
      const left = new Set([...findings, ...dismissed.map(({ finding }) => finding)].map(({ fingerprint }) => fingerprint));
      const fixed = before.verdict.findings.filter((finding) => !left.has(finding.fingerprint));
      return fixed.length === 0 ? 'nothing' : fixed.map(describeFinding).join('; ');
    }
    return round.facts[name];
  };
}

/** The finding, who dismissed it and why. */
export function dismissalText({ finding, reason, by, who = by, via }: DismissedFinding): string {
  return `${findingText(finding)}; dismissed by ${inline(who)}${inline(viaWords(via))}: ${inline(reason)}`;
}

const WORSE = 'WORSE: the work of this round made things worse and will be reverted.';

const GRADES: Readonly<Record<string, string>> = { measured: 'measured', testified: "an agent's statement" };

/** V3: said of a verdict that rests on testimony alone; else null. */
export function describeTestimony({ evidence }: Pick<Verdict, 'evidence'>): string | null {
  if (evidence.length === 0 || evidence.some(({ grade }) => grade === 'measured')) return null;
  return 'Umpire measured none of this evidence; agents wrote it.';
}

/** The trend of the chain, and the changes of its findings since the previous round. */
function addTrend(lines: string[], { trend, fates = [] }: Verdict): void {
  if (trend === undefined) return;
  lines.push(bullet(`Trend: ${inline(trend.kind)}. ${inline(trend.why)}`));
  if (fates.length === 0) {
    lines.push('- Findings since the previous round: none');
    return;
  }
  const counted = new Map<string, number>();
  for (const { fate } of fates) counted.set(fate, (counted.get(fate) ?? 0) + 1);
  const sum = [...counted].map(([fate, many]) => `${many} ${fate}`).join(', ');
  lines.push(bullet(`Findings since the previous round: ${sum}`));
  const named = fates.filter(({ fate }) => fate === 'came back' || fate === 'caused by a fix').slice(0, 5);
  for (const { fate, finding } of named)
    lines.push(bullet(`${fate === 'came back' ? 'Came back' : 'Caused by a fix'}: ${inline(finding)}`));
}

function lookupOf(input: PageInput): ValueLookup {
  const { verdict, facts, before } = input;
  return (name) => {
    switch (name) {
      case 'decision':
        return verdict.decision;
      case 'verdict':
        // The decision with its marks.
        return verdict.decision + (verdict.status === 'partial' ? ' (PARTIAL)' : '') + (verdict.unverified ? ' (unverified)' : '');
      case 'rule':
        return verdict.rule;
      case 'reason':
        return verdict.reason;
      case 'nextStep':
        return verdict.nextStep;
      case 'chain':
        return verdict.chain;
      case 'round':
        return verdict.round;
      case 'cap':
        return verdict.maxRounds;
      case 'target':
        return input.target;
      case 'counts':
        return describeCounts(verdict.counts);
      case 'tasks':
        return verdict.tasks.map((task) => task.id).join(', ');
      default: {
        const dot = name.indexOf('.');
        const [head = '', tail = ''] = dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
        if (tail === '') return facts[name];
        if (head === 'count') return verdict.counts[tail as keyof typeof verdict.counts];
        if (head === 'before') return before?.facts[tail];
        if (head === 'delta') return delta(before?.facts[tail], facts[tail]);
        if (tail === 'names') return namesOfItems(input.loop.facts[head], input.gathered);
        return valueAt([name], input.gathered);
      }
    }
  };
}

function delta(before: unknown, after: unknown): string | null {
  if (typeof before !== 'number' || typeof after !== 'number') return null;
  const change = after - before;
  return `${change >= 0 ? '+' : '-'}${showNumber(Math.abs(change))}`;
}

const FIELDS = [
  'loop',
  'decision',
  'outcome',
  'status',
  'rule',
  'reason',
  'round',
  'maxRounds',
  'unverified',
  'counts',
  'findings',
  'anomalies',
  'tasks',
  'evidence',
  'role',
  'nextStep',
  'chain',
  'waivers',
  'trend',
  'worse',
  'fates',
  'dismissed',
] as const satisfies readonly (keyof Verdict)[];

export function verdictJson(verdict: Verdict): Readonly<Record<string, unknown>> {
  const testimony = describeTestimony(verdict);
  const fields = Object.fromEntries(FIELDS.filter((field) => verdict[field] !== undefined).map((field) => [field, verdict[field]]));
  return testimony === null ? fields : { ...fields, testimony };
}

/** `repeated`: the same evidence was already judged. */
export function verdictLines(verdict: Verdict, { repeated, dryRun }: { readonly repeated: boolean; readonly dryRun: boolean }): string {
  const marks: string[] = [];
  if (verdict.status === 'partial') marks.push('partial');
  if (verdict.unverified) marks.push('unverified');
  if (repeated) marks.push('already judged, nothing written');
  else if (dryRun) marks.push('dry run, nothing written');
  const mark = marks.length === 0 ? '' : ` (${marks.join('; ')})`;
  const first = `${verdict.loop}: ${verdict.decision}${mark}, round ${verdict.round} of ${verdict.maxRounds}, rule ${verdict.rule}. ${verdict.reason}`;
  return `${lineOf(first)}\nNext: ${lineOf(verdict.nextStep)}\n`;
}
