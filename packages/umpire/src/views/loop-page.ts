// A loop as Markdown: its evidence, rules and tasks, for docs/reference/loops.md and `umpire check`.

import { describeCondition, parseCondition } from '@umpire/core/loops/condition.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import { lineOf, plainLine } from './safe-text.js';
import type { Loop, RoundSource, EvidenceSource, When } from '@umpire/core/loops/loop.js';
import type { Outcome } from '@umpire/core/model/vocabulary.js';
import type { Proof } from '@umpire/core/proof/check.js';
import type { ReachableEnd } from '@umpire/core/proof/refutation.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { unrollMode, wavesOf } from '@umpire/core/loops/pipeline.js';
import type { Mode, ModeTest, Pipeline } from '@umpire/core/loops/pipeline.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';

export function loopPage(loop: Loop): string {
  const deciding = new Set(decidingSources(loop));
  return [
    `## ${loop.loop}`,
    '',
    loop.title,
    '',
    ...facts(loop),
    '',
    '### Evidence',
    '',
    ...drawTable(
      ['name', 'what', 'where', 'reader', 'grade'],
      Object.entries(loop.evidence).map(([name, source]) => [
        name,
        source.what + (deciding.has(name) ? '' : ' (for the report only)'),
        whereOf(source),
        'reader' in source ? source.reader : 'row',
        source.grade,
      ]),
    ),
    '',
    ...rules(loop),
    '### Tasks of a revision',
    '',
    ...drawTable(
      ['id', 'role', 'after', 'what'],
      loop.tasks.map((task) => [
        `\`${task.id}\``,
        task.role,
        task.after === 'critic' ? "the critic's task" : 'the tasks before it',
        task.title,
      ]),
    ),
    '',
    ...(loop.unwritable === undefined ? [] : [`If they cannot be written: ${loop.words.escalate}, rule ${loop.unwritable.id}.`, '']),
    '### Questions for a person',
    '',
    loop.ask.question,
    '',
    ...loop.ask.options.map((option) => `- \`${option.id}\`: ${option.means}`),
    '',
  ].join('\n');
}

export function rulesPage(loop: Loop): string {
  return [`# ${loop.loop}`, '', lineOf(loop.title), '', ...rules(loop).map((line) => plainLine(line.replace(/^### /, '## ')))]
    .join('\n')
    .replace(/\n*$/, '\n');
}

function rules(loop: Loop): string[] {
  return [
    ...(loop.repairs.length === 0
      ? []
      : ['### Repairs', '', 'Applied in this order. Each adds an anomaly to the verdict.', '', ...repairs(loop), '']),
    '### Decision table',
    '',
    'The first row that matches decides.',
    '',
    ...drawTable(
      ['id', 'when', 'verdict', 'reason', 'next'],
      loop.table.map((row) => [row.id, whenOf(row.when), `${loop.words[row.then]} (${row.then})`, row.why, row.next]),
    ),
    '',
    ...waivers(loop),
    ...describeWorse(loop),
    ...promises(loop),
  ];
}

function facts(loop: Loop): string[] {
  const chain =
    loop.chain === 'session'
      ? 'the session'
      : loop.chain === 'id'
        ? "the family of the critic's task id"
        : `column \`${loop.chain.column}\``;
  return [
    `- Generator: \`${loop.roles.generator}\`. Critic: \`${loop.roles.critic}\`.`,
    `- Words: ${(['converge', 'revise', 'accept', 'escalate'] as const).map((outcome) => `${outcome} = \`${loop.words[outcome]}\``).join(', ')}.`,
    `- A round counts ${loop.round.counts}, for each chain (${chain}).`,
    `- Round from: ${[
      ...loop.round.from.map((source: RoundSource): string => {
        if ('file' in source) return `\`${source.at}\` of \`${source.file}\``;
        if ('id' in source) return "the critic's task id";
        if ('column' in source) return `column \`${source.column}\` of the critic's row`;
        return `the highest finished \`${source.finished}\``;
      }),
      'the journal',
    ].join(', then ')}; never below the journal.`,
    `- Cap: ${loop.cap.default}${(loop.cap.from ?? []).map(({ file, at }) => `, or \`${at}\` of \`${file}\``).join('')}; the first verdict freezes it.`,
    ...(loop.target === undefined
      ? []
      : [`- Target: ${loop.target.what} ${loop.target.default}, or column \`${loop.target.column}\`; the first verdict freezes it.`]),
  ];
}

function whereOf(source: EvidenceSource): string {
  if ('row' in source) return "the critic's row of `tasks.csv`";
  if ('column' in source) return `column \`${source.column}\` of the critic's row`;
  if ('file' in source) return source.file.map((path) => `\`${path}\``).join(', else ');
  if ('folder' in source)
    return `${source.folder.map((path) => `\`${path}/\``).join(', else ')}${source.named === undefined ? '' : `, by column \`${source.named}\``}`;
  return `\`${source.discoveries}\` entries of \`discoveries.ndjson\``;
}

function repairs(loop: Loop): string[] {
  return drawTable(
    ['id', 'when', 'then', 'why'],
    loop.repairs.map((repair) => {
      const set = Object.entries(repair.set ?? {}).map(
        ([fact, value]) => `${fact} becomes ${typeof value === 'object' ? formula(value) : String(value)}`,
      );
      return [
        repair.id,
        whenOf(repair.when),
        repair.error === undefined ? set.join(', ') || 'noted' : 'error',
        repair.error?.message ?? repair.why,
      ];
    }),
  );
}

function formula(
  value:
    | { readonly step: string; readonly at: number; readonly below: unknown; readonly else: unknown }
    | { readonly linear: Readonly<Record<string, number>>; readonly base: number; readonly within: readonly [number, number] },
): string {
  if ('step' in value) return `${String(value.else)} if ${value.step} >= ${value.at}, else ${String(value.below)}`;
  const terms = Object.entries(value.linear).map(([fact, weight]) => `${weight < 0 ? '-' : '+'} ${Math.abs(weight)} x ${fact}`);
  return `${value.base} ${terms.join(' ')}, within ${value.within.join(' to ')}`;
}

function waivers(loop: Loop): string[] {
  const waived = loop.table.filter((row) => row.waiver !== undefined);
  if (waived.length === 0) return [];
  return [
    '### Waivers',
    '',
    'Approvals without clean evidence, marked `unverified`. With `--strict` they escalate instead.',
    '',
    ...waived.map((row) => `- ${row.id} (${whenOf(row.when)}): ${row.waiver ?? ''}.`),
    '',
  ];
}

function describeWorse(loop: Loop): string[] {
  if (loop.worse === undefined) return [];
  const what = 'the round made things worse. Umpire reverts its work, unless the verdict converges.';
  return ['### Reverts', '', `If ${whenOf(loop.worse)}, ${what}`, ''];
}

function promises(loop: Loop): string[] {
  if (loop.promises === undefined) return [];
  return [
    '### Promises',
    '',
    'True whatever repairs and rows say: `umpire check` proves each over the raw facts. `approved` means without a waiver.',
    '',
    ...drawTable(
      ['id', 'when', 'never', 'why'],
      loop.promises.map((vow) => [vow.id, whenOf(vow.when), vow.never.join(' or '), vow.why]),
    ),
    '',
  ];
}

function whenOf(when: When | undefined): string {
  const conditions = Object.entries(when ?? {}).map(([fact, test]) => describeCondition(parseCondition(fact, test)));
  return conditions.length === 0 ? 'otherwise' : conditions.join(', ');
}

export function drawTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}

// A loop as a Mermaid state diagram: its rounds, the rows between them, and its ends.

/** More rounds are drawn as one state. */
const MAX_DRAWN_ROUNDS = 6;

export function loopGraph(loop: Loop, proof: Proof): string {
  const stages = stagesOf(loop);
  const ends = new Map<string, string>();
  const edges: string[] = [`  [*] --> ${stages[0]?.id ?? ''}`];
  stages.forEach((stage, index) => {
    const here = proof.ways.filter((way) => way.rounds.some((round) => round >= stage.from && round <= stage.to));
    // Rows by their result: an outcome (approvals by waiver separately) or an error.

    const groups = new Map<string, ReachableEnd[]>();
    for (const way of here) {
      const to = way.outcome === null ? 'error' : way.waived ? `${way.outcome}_unverified` : way.outcome;
      const group = groups.get(to);
      if (group === undefined) groups.set(to, [way]);
      else if (!group.some((one) => one.id === way.id)) group.push(way);
    }
    for (const [to, rows] of groups) {
      const ids = rows.map((row) => row.id).join(', ');
      if (to !== 'revise') {
        ends.set(to, readStageTitle(loop, to));
        edges.push(`  ${stage.id} --> ${to} : ${ids}`);
        continue;
      }
      const words = `${ids} ${quoteLabel(loop.words.revise)}`;
      if (stage.to > stage.from) edges.push(`  ${stage.id} --> ${stage.id} : ${words}`);
      edges.push(`  ${stage.id} --> ${stages[index + 1]?.id ?? stage.id} : ${words}`);
    }
  });
  return [
    'stateDiagram-v2',
    ...stages.map(({ id, title }) => `  state "${title}" as ${id}`),
    ...[...ends].map(([id, title]) => `  state "${title}" as ${id}`),
    ...edges,
    ...[...ends.keys()].map((id) => `  ${id} --> [*]`),
    '',
  ].join('\n');
}

/** One round, or several drawn as one. */
interface Stage {
  readonly id: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
}

function stagesOf({ round: { first }, cap: { default: cap } }: Loop): readonly Stage[] {
  if (cap - first > MAX_DRAWN_ROUNDS) {
    return [
      { id: 'before', title: `Rounds ${first} to ${cap - 1} of ${cap}`, from: first, to: cap - 1 },
      { id: 'last', title: `Round ${cap} of ${cap}`, from: cap, to: cap },
    ];
  }
  return Array.from({ length: cap - first + 1 }, (_, index) => {
    const round = first + index;
    return { id: `round${round}`, title: `Round ${round} of ${cap}`, from: round, to: round };
  });
}

/** Removes characters with a meaning in Mermaid. */
function quoteLabel(words: string): string {
  return words.replace(/["#:;<>{}\s\p{Cc}]+/gu, ' ').trim();
}

function readStageTitle(loop: Loop, to: string): string {
  if (to === 'error') return 'error, no verdict';
  const [outcome = '', mark] = to.split('_');
  return `${quoteLabel(loop.words[outcome as Outcome])} (${mark ?? outcome})`;
}

// The modes of the built-in loops as a table: the tasks that each begins with, and when it is chosen.

export const MODE_COLUMNS = ['loop', 'mode', 'tasks', 'chosen if'] as const;

export function modeRows(): readonly (readonly string[])[] {
  return BUILTIN_NAMES.flatMap((loop) => {
    const pipeline = builtinPipeline(loop);
    if (pipeline === null) return [];
    return Object.entries(pipeline.modes).map(([name, mode]) => [`\`${loop}\``, `\`${name}\``, graphOf(mode), chosenIf(pipeline, name)]);
  });
}

/** What adds to the points of a goal, by loop. */
export function pointLines(): readonly string[] {
  return BUILTIN_NAMES.flatMap((loop) => {
    const points = builtinPipeline(loop)?.choose.points ?? [];
    if (points.length === 0) return [];
    return [`- \`${loop}\`: ${points.map((point) => `${point.add} if ${describeTest(point)}`).join('; ')}.`];
  });
}

/** `A → [B ∥ C]`: the waves of a mode, each task by the first part of its id. */
function graphOf(mode: Mode): string {
  const tasks = unrollMode(mode, 1);
  const waves = wavesOf(tasks);
  const steps = [...new Set(waves)].map((wave) => {
    const names = tasks
      .filter((_, index) => waves[index] === wave)
      .map(({ task }) => (task.id.split('-')[0] ?? '') + (task.approve ? ' → *you approve*' : ''));
    return names.length === 1 ? (names[0] ?? '') : `[${names.join(' ∥ ')}]`;
  });
  return steps.join(' → ') + (mode.turns > 1 ? `, ${mode.turns} times` : '') + (mode.judged ? '' : ', not judged');
}

function chosenIf({ choose, default: standard }: Pipeline, name: string): string {
  const rules = choose.rules.filter((rule) => rule.mode === name);
  const tests = rules.map((rule) =>
    [
      ...(rule.points ?? []).map((test) => `it has ${inWords(test, 'points')}`),
      ...([rule.words, rule.files, rule.modules, rule.items].some((test) => test !== undefined) ? [describeTest(rule)] : []),
    ].join(' and '),
  );
  return [...tests, ...(name === standard ? ['no other applies'] : [])].join(', or ') || 'you name it';
}

function describeTest({ words, files, modules, items }: ModeTest): string {
  return [
    ...(words === undefined ? [] : [`the goal says ${words.join(', ')}`]),
    ...(files ?? []).map((test) => `${inWords(test, 'files')} changed`),
    ...(modules ?? []).map((test) => `${inWords(test, 'modules')} changed`),
    ...(items === undefined ? [] : ['the goal names items (`TD-07`, `src/zone.ts`)']),
  ].join(' and ');
}

/** `>=3` files: at least 3 files. */
function inWords(test: string, what: string): string {
  const [, sign = '', count = ''] = /^([<>]=?)(\d+)$/.exec(test) ?? [];
  const words: Readonly<Record<string, string>> = { '>=': 'at least', '<=': 'at most', '>': 'more than', '<': 'fewer than' };
  return `${words[sign] ?? test} ${count} ${what}`;
}
