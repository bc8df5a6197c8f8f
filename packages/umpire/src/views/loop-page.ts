// A loop as Markdown: its evidence, rules and tasks, for docs/reference/loops.md and `umpire check`.

import { describeCondition, parseCondition } from '@umpire/core/loops/condition.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import { lineOf, plainLine } from './safe-text.js';
import type { Loop, RoundSource, EvidenceSource, When } from '@umpire/core/loops/loop.js';

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

/** Only the rules: repairs, table, waivers and promises. */
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
    `- Cap: ${loop.cap.default}${loop.cap.from === undefined ? '' : `, or \`${loop.cap.from.at}\` of \`${loop.cap.from.file}\``}; the first verdict freezes it.`,
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
