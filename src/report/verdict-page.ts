// A verdict as Markdown, under the headings that its loop declares, in their order, every field filled or `none`.

import type { TaskRecord, Verdict } from '../model.js';
import type { GatheredAll } from '../loops/facts.js';
import { listAt, valueAt } from '../loops/facts.js';
import type { Block, Facts, Loop, ReportSection } from '../loops/loop.js';
import { fillTemplate, showNumber } from '../loops/template.js';
import type { Lookup } from '../loops/template.js';
import { describeCounts, describeFinding } from '../formats/finding-words.js';

/** One judged round, for the history of a chain. */
export interface Round {
  readonly verdict: Verdict;
  readonly facts: Facts;
}

export interface PageInput {
  readonly loop: Loop;
  readonly verdict: Verdict;
  readonly facts: Facts;
  readonly target: number;
  readonly gathered: GatheredAll;
  /** The chain's rounds before this one, oldest first. */
  readonly past: readonly Round[];
}

export function verdictPage(input: PageInput): string {
  // What its texts may name is put together once.
  const lookup = lookupOf(input);
  const lines: string[] = [];
  for (const section of input.loop.report) addSection(lines, section, '##', input, lookup);
  return `${lines.join('\n').trim()}\n`;
}

/** Lines are added to the one list: a page is made for every round, and lists of lists are slow to put together. */
function addSection(lines: string[], section: ReportSection, marks: string, input: PageInput, lookup: Lookup): void {
  lines.push(`${marks} ${section.heading}`, '');
  const before = lines.length;
  for (const block of section.blocks) addBlock(lines, block, input, lookup);
  if (lines.length > before) lines.push('');
  for (const one of section.sections ?? []) addSection(lines, one, `${marks}#`, input, lookup);
}

function addBlock(lines: string[], block: Block, input: PageInput, lookup: Lookup): void {
  if (typeof block === 'string') lines.push(bullet(fillTemplate(block, lookup)));
  else if (!('when' in block)) lines.push(...blockLines(block, input));
  else if (block.when.includes(input.verdict.outcome)) for (const line of block.lines) addBlock(lines, line, input, lookup);
}

function blockLines(block: Exclude<Block, string | { readonly when: unknown }>, input: PageInput): readonly string[] {
  const { verdict } = input;
  if ('findings' in block) {
    const found = verdict.findings.filter((finding) => block.findings.includes(finding.severity));
    const tag = block.findings.length > 1;
    const label = block.label === undefined ? '' : `${block.label}: `;
    if (found.length === 0) return [bullet(`${label}none`)];
    return found.map((finding) => bullet(`${label}${tag ? `[${finding.severity.toUpperCase()}] ` : ''}${describeFinding(finding)}`));
  }
  if ('list' in block) return listLines(block.list, block.line, input);
  if ('tasks' in block)
    return orNone(
      verdict.tasks
        .filter((task) => block.role === undefined || task['role'] === block.role)
        .map((task, index) => fillTemplate(block.tasks, taskLookup(task, index))),
    );
  if ('history' in block) return orNone(historyLines(block.history, input));
  if ('unresolved' in block) return unresolvedLines(verdict);
  if ('options' in block) return input.loop.ask.options.map((option) => bullet(`Option ${option.id}: ${option.means}`));
  return reasonLines(verdict);
}

function bullet(text: string): string {
  // Single blanks, most of what there is, are left as they are.
  return `- ${text.replace(/\s{2,}|[^\S ]/g, ' ').trim()}`;
}

function orNone(lines: readonly string[]): string[] {
  return lines.length === 0 ? ['- none'] : lines.map(bullet);
}

function listLines(dotted: string, template: string, input: PageInput): string[] {
  const items = listAt(dotted, input.gathered) ?? [];
  return orNone(items.map((item, index) => fillTemplate(template, (name) => (name === 'n' ? index + 1 : (item[name] ?? null)))));
}

function taskLookup(task: TaskRecord, index: number): Lookup {
  return (name) => {
    if (name === 'n') return index + 1;
    const value = task[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

function historyLines(template: string, input: PageInput): string[] {
  const rounds = [...input.past, { verdict: input.verdict, facts: input.facts }];
  return rounds.map((round, index) => {
    const before = rounds[index - 1];
    return fillTemplate(template, (name) => {
      if (name === 'round') return round.verdict.round;
      if (name === 'counts') return describeCounts(round.verdict.counts);
      if (name === 'decision') return round.verdict.decision;
      if (name === 'fixed') return fixedSince(before, round);
      return round.facts[name];
    });
  });
}

function fixedSince(before: Round | undefined, now: Round): string {
  if (before === undefined) return 'nothing, it is the first';
  const left = new Set(now.verdict.findings.map((finding) => finding.fingerprint));
  const fixed = before.verdict.findings.filter((finding) => !left.has(finding.fingerprint));
  return fixed.length === 0 ? 'nothing' : fixed.map(describeFinding).join('; ');
}

function unresolvedLines(verdict: Verdict): string[] {
  const open = verdict.findings.filter((finding) => finding.severity === 'critical' || finding.severity === 'high');
  if (open.length === 0) return [bullet('Unresolved: none of the findings is Critical or High')];
  return open.map((finding, index) => bullet(`${index + 1}. Unresolved: [${finding.severity.toUpperCase()}] ${describeFinding(finding)}`));
}

function reasonLines(verdict: Verdict): string[] {
  const marks: Readonly<Record<string, string>> = { measured: 'measured', testified: "an agent's word" };
  return [
    bullet(`Rule ${verdict.rule}: ${verdict.reason}`),
    ...verdict.findings.slice(0, 3).map((finding) => bullet(`Rests on: [${finding.severity.toUpperCase()}] ${describeFinding(finding)}`)),
    ...(verdict.status === 'partial' ? [bullet('PARTIAL: this is not a decision; judge again.')] : []),
    ...verdict.waivers.map((waiver) => bullet(`UNVERIFIED: approved by waiver, since ${waiver}.`)),
    ...courseLines(verdict),
    ...verdict.anomalies.map((anomaly) => bullet(`Anomaly (${anomaly.rule}): ${anomaly.message}`)),
    ...verdict.evidence.map((one) => bullet(`Evidence: ${one.path} (${marks[one.grade] ?? one.grade}, sha256 ${one.sha256.slice(0, 12)})`)),
  ];
}

/** Where the chain is going, and what became of findings since the round before. */
function courseLines({ trend, fates = [] }: Verdict): string[] {
  if (trend === undefined) return [];
  const counted = new Map<string, number>();
  for (const { fate } of fates) counted.set(fate, (counted.get(fate) ?? 0) + 1);
  const sum = [...counted].map(([fate, many]) => `${many} ${fate}`).join(', ');
  const named = fates.filter(({ fate }) => fate === 'came back' || fate === 'caused by a fix').slice(0, 5);
  return [
    bullet(`Course: ${trend.kind}. ${trend.why}`),
    bullet(`Findings since the round before: ${sum === '' ? 'none' : sum}`),
    ...named.map(({ fate, finding }) => bullet(`${fate === 'came back' ? 'Came back' : 'Caused by a fix'}: ${finding}`)),
  ];
}

function lookupOf(input: PageInput): Lookup {
  const { verdict, facts } = input;
  const before = input.past.findLast((round) => round.verdict.round < verdict.round) ?? input.past.at(-1);
  const named: Readonly<Record<string, unknown>> = {
    decision: verdict.decision,
    verdict: marked(verdict),
    rule: verdict.rule,
    reason: verdict.reason,
    nextStep: verdict.nextStep,
    chain: verdict.chain,
    round: verdict.round,
    cap: verdict.maxRounds,
    target: input.target,
    counts: describeCounts(verdict.counts),
    tasks: verdict.tasks.map((task) => task.id).join(', '),
  };
  return (name) => {
    if (Object.hasOwn(named, name)) return named[name];
    const [head = '', tail = ''] = split(name);
    if (tail === '') return facts[name];
    if (head === 'count') return verdict.counts[tail as keyof typeof verdict.counts];
    if (head === 'before') return before?.facts[tail];
    if (head === 'delta') return delta(before?.facts[tail], facts[tail]);
    return valueAt([name], input.gathered);
  };
}

function split(name: string): readonly string[] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
}

function delta(before: unknown, after: unknown): string | null {
  if (typeof before !== 'number' || typeof after !== 'number') return null;
  const change = after - before;
  return `${change >= 0 ? '+' : '-'}${showNumber(Math.abs(change))}`;
}

/** The decision with what everybody must see beside it. */
function marked(verdict: Verdict): string {
  return verdict.decision + (verdict.status === 'partial' ? ' (PARTIAL)' : '') + (verdict.unverified ? ' (unverified)' : '');
}
