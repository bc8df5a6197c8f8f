// Checks that the parts of a loop fit together: names exist, words are known, the table always ends in a row. The schema in
// loop.ts checks each part, and `umpire check` proves the rules.

import type { Block, FactSpec, Loop, ReportSection, SetValue, EvidenceSource, TaskTemplate } from './loop.js';
import { didYouMean } from '../formats/nearest-word.js';
import { parseCondition } from './condition.js';
import type { Condition } from './condition.js';
import { evidenceOf, rangeOf, sameWord } from './facts.js';
import { EVIDENCE_STATES } from './loop.js';
import { READER_LISTS, READER_VALUES } from '../formats/reader-outputs.js';
import { RESERVED_NAMES } from '../formats/reserved-files.js';
import { COMMON_COLUMNS } from '../formats/tasks-csv.js';
import type { Severity } from '../model/vocabulary.js';
import { SEVERITIES } from '../model/vocabulary.js';
import { compileTemplate } from './template.js';
import type { Complaint, FilePlace } from '../formats/read-schema.js';

/** All complaints in the order of the file. `gaps`: allow a table that does not end in a row without `when`, which check reports. */
export function validateLoop(loop: Loop, readers: ReadonlySet<string>, gaps = false): readonly Complaint[] {
  return [
    ...checkWords(loop),
    ...checkCounting(loop),
    ...checkColumns(loop),
    ...checkEvidence(loop, readers),
    ...checkFacts(loop),
    ...checkReaderNames(loop),
    ...checkRepairs(loop),
    ...checkTable(loop),
    ...(gaps ? [] : checkEnding(loop)),
    ...checkPromises(loop),
    ...checkTasks(loop),
    ...checkNotices(loop),
    ...repeats(
      loop.ask.options.map(({ id }) => id),
      ['ask', 'options'],
    ),
    ...checkReport(loop, loop.report, ['report']),
  ];
}

function checkWords(loop: Loop): Complaint[] {
  const seen = new Map<string, string>();
  const out: Complaint[] = [];
  if (loop.roles.generator === loop.roles.critic)
    out.push({
      path: ['roles', 'critic'],
      problem: 'the critic must have another role than the generator, because the judged row is found by its role',
    });
  for (const [outcome, word] of Object.entries(loop.words)) {
    const other = seen.get(word);
    if (other !== undefined)
      out.push({ path: ['words', outcome], problem: `"${word}" already means ${other}; each outcome needs its own word` });
    seen.set(word, outcome);
  }
  return out;
}

function checkCounting(loop: Loop): Complaint[] {
  const out: Complaint[] = [];
  loop.round.from.forEach((source, index) => {
    if ('finished' in source && !source.finished.includes('{n}'))
      out.push({
        path: ['round', 'from', index, 'finished'],
        problem: '{n} is missing: the number in the ids of finished tasks',
      });
  });
  if (loop.target !== undefined && !(loop.target.default >= 0 && loop.target.default <= 100))
    out.push({ path: ['target', 'default'], problem: 'a target must be a number from 0 to 100' });
  for (const fact of Object.keys(loop.progress ?? {})) {
    const spec = specOf(loop, fact);
    if (spec === undefined) out.push({ path: ['progress', fact], problem: noFact(loop, fact) });
    else if (!isNumber(spec)) out.push({ path: ['progress', fact], problem: `"${fact}" is not a number, so it cannot go up or down` });
  }
  if (loop.worse !== undefined) out.push(...checkWhen(loop, loop.worse, ['worse']));
  if (loop.worse !== undefined && Object.keys(loop.worse).length === 0)
    out.push({ path: ['worse'], problem: 'without a test every round would be reverted; add a test or remove the key' });
  return out;
}

/** A row with an output counts as finished, so inputs and outputs must not overlap. */
function checkColumns(loop: Loop): Complaint[] {
  const { columns, chain, target } = loop;
  const given = new Set([
    ...columns.in,
    ...(typeof chain === 'object' ? [chain.column] : []),
    ...(target === undefined ? [] : [target.column]),
  ]);
  // The file would have the column twice.
  const common = (key: 'in' | 'out') =>
    columns[key]
      .filter((column) => FILLED_COLUMNS.has(column))
      .map((column) => ({
        path: ['columns', key],
        problem: `every task has the column "${column}" already; remove it here`,
      }));
  const both = columns.out.filter((column) => given.has(column));
  const twice = (['in', 'out'] as const).flatMap((key) => repeats(columns[key], ['columns', key]));
  return [
    ...twice,
    ...common('in'),
    ...common('out'),
    ...both.map((column) => ({
      path: ['columns', 'out'],
      problem: `"${column}" is an input of tasks, so it cannot be an output too: every row would count as finished`,
    })),
  ];
}

function repeats(names: readonly string[], path: readonly string[]): Complaint[] {
  const again = names.find((name, at) => names.indexOf(name) !== at);
  return again === undefined ? [] : [{ path, problem: `"${again}" appears twice` }];
}

function checkEvidence(loop: Loop, readers: ReadonlySet<string>): Complaint[] {
  const out: Complaint[] = [];
  for (const [name, source] of Object.entries(loop.evidence)) {
    const key = 'file' in source ? 'file' : 'folder' in source ? 'folder' : null;
    const stray =
      key === null ? null : unknownName(('file' in source ? source.file : 'folder' in source ? source.folder : []).join(' '), ['chain']);
    if (key !== null && stray !== null)
      out.push({ path: ['evidence', name, key], problem: `{${stray}} is not allowed here; a path may use {chain} only` });
    if ('file' in source && source.by !== undefined) {
      const problem = checkSecondCritic(loop, source.by);
      if (problem !== null) out.push({ path: ['evidence', name, 'by'], problem });
    }
    if ('file' in source && source.file.some((path) => path.includes('*')))
      out.push({
        path: ['evidence', name, 'file'],
        problem: 'a path cannot contain *; use "folder" to search a folder',
      });
    if ('discoveries' in source && typeof source.of === 'object') {
      const odd = unknownName(source.of.worker, ['chain', 'round']);
      if (odd !== null)
        out.push({
          path: ['evidence', name, 'of', 'worker'],
          problem: `{${odd}} is not allowed here; a worker may use {chain} and {round}`,
        });
    }
    if ('reader' in source && !readers.has(source.reader)) {
      out.push({
        path: ['evidence', name, 'reader'],
        problem: `there is no reader "${source.reader}"; there are ${[...readers].join(', ')}${guess(source.reader, [...readers])}`,
      });
    }
    if (source.else !== undefined && (!Object.hasOwn(loop.evidence, source.else) || source.else === name)) {
      out.push({ path: ['evidence', name, 'else'], problem: `"${source.else}" is not another source of this loop` });
    }
  }
  for (const [name, { beside }] of Object.entries(loop.evidence)) {
    const other = beside === undefined ? undefined : evidenceAt(loop, beside);
    if (beside !== undefined && (other === undefined || beside === name || other.beside !== undefined))
      out.push({ path: ['evidence', name, 'beside'], problem: `"${beside}" is not another source of this loop that stands beside none` });
  }
  for (const name of Object.keys(loop.evidence)) {
    if (standsInForItself(loop, name))
      out.push({ path: ['evidence', name, 'else'], problem: `"${name}" would replace itself, directly or through other sources` });
  }
  for (const name of loop.agree?.sources ?? []) {
    if (!Object.hasOwn(loop.evidence, name)) out.push({ path: ['agree', 'sources'], problem: noEvidence(loop, name) });
  }
  return out;
}

/** A second critic needs a task in every revision: otherwise its evidence of the first round would be used again. */
function checkSecondCritic({ roles, tasks }: Loop, by: string): string | null {
  if (by === roles.critic) return 'this is the default; remove it';
  if (by === roles.generator) return `"${by}" does the work that is judged, so it cannot be a critic`;
  const known = tasks.map(({ role }) => role).filter((role) => role !== roles.generator && role !== roles.critic);
  return known.includes(by) ? null : `no task of a revision has the role "${by}", so it would run only once${guess(by, known)}`;
}

function standsInForItself(loop: Loop, name: string): boolean {
  const seen = new Set([name]);
  for (let next = loop.evidence[name]?.else; next !== undefined; next = loop.evidence[next]?.else) {
    if (seen.has(next)) return next === name;
    seen.add(next);
  }
  return false;
}

/** Names with another meaning in texts. */
const RESERVED_FACT_NAMES: ReadonlySet<string> = new Set([
  'round',
  'cap',
  'target',
  'next',
  'decision',
  'verdict',
  'rule',
  'reason',
  'chain',
  'counts',
  'tasks',
  'options',
  'id',
  'n',
]);

function checkFacts(loop: Loop): Complaint[] {
  const out: Complaint[] = [];
  for (const [name, spec] of Object.entries(loop.facts)) {
    if (RESERVED_FACT_NAMES.has(name))
      out.push({ path: ['facts', name], problem: `"${name}" is a reserved name in texts; rename the fact` });
    const dotless = ('at' in spec ? spec.at : 'flag' in spec ? spec.flag : 'count' in spec ? [spec.count] : []).find(
      (at) => !/.\../.test(at),
    );
    const some = Object.keys(loop.evidence)[0] ?? 'report';
    if (dotless !== undefined)
      out.push({
        path: ['facts', name],
        problem: `"${dotless}" must name a value of a source, as in "${some}.${dotless.replaceAll('.', '') || 'score'}"`,
      });
    for (const evidence of evidenceOf(spec)) {
      if (!Object.hasOwn(loop.evidence, evidence)) out.push({ path: ['facts', name], problem: noEvidence(loop, evidence) });
    }
    const twice = 'enum' in spec ? spec.enum.find((word, at) => spec.enum.findIndex((one) => sameWord(one, word)) !== at) : undefined;
    if (twice !== undefined)
      out.push({ path: ['facts', name, 'enum'], problem: `"${twice}" appears twice: case, blanks, - and _ make no difference` });
    if ('number' in spec && spec.number[0] >= spec.number[1])
      out.push({ path: ['facts', name, 'number'], problem: 'the lower bound must be below the upper one' });
  }
  return out;
}

function checkRepairs(loop: Loop): Complaint[] {
  const out: Complaint[] = [];
  loop.repairs.forEach((repair, index) => {
    const path = ['repairs', index];
    out.push(...checkWhen(loop, repair.when, [...path, 'when']));
    if (Object.keys(repair.when).length === 0)
      out.push({ path: [...path, 'when'], problem: 'a repair needs a test: without one it would always apply' });
    for (const [fact, value] of Object.entries(repair.set ?? {})) {
      const problem = checkSet(loop, fact, value);
      if (problem !== null) out.push({ path: [...path, 'set', fact], problem });
    }
    out.push(...checkText(loop, repair.why, [...path, 'why'], []));
    for (const key of ['message', 'hint'] as const) {
      if (repair.error) out.push(...checkText(loop, repair.error[key], [...path, 'error', key], []));
    }
  });
  return out;
}

/** A repair must set a fact to a value of its own kind. */
function checkSet(loop: Loop, fact: string, value: SetValue): string | null {
  const spec = specOf(loop, fact);
  if (spec === undefined) return noFact(loop, fact);
  if ('state' in spec || 'found' in spec || 'counted' in spec) return `"${fact}" describes the evidence, so a repair cannot change it`;
  const uses = typeof value !== 'object' ? [] : 'step' in value ? [value.step] : Object.keys(value.linear);
  for (const used of uses) {
    const other = specOf(loop, used);
    if (other === undefined) return noFact(loop, used);
    if (!isNumber(other)) return `"${used}" is not a number, so it cannot be used here`;
    if ('linear' in (value as object) && !('number' in spec) && 'number' in other)
      return `"${fact}" is a whole number, and "${used}" may be a fraction: make "${fact}" a number`;
  }
  const linear = typeof value === 'object' && 'linear' in value ? value : null;
  if (linear !== null && linear.within[0] > linear.within[1]) return 'the lower bound of within must not be above the upper bound';
  const problems = valuesOf(value).map((one) => checkValue(fact, spec, one));
  const [low, high] = 'number' in spec ? rangeOf(spec) : [-Infinity, Infinity];
  const stray = (linear?.within ?? valuesOf(value)).find((one) => typeof one === 'number' && (one < low || one > high));
  if (stray !== undefined) problems.push(`"${fact}" must be between ${low} and ${high}, not ${stray}`);
  return problems.find((problem) => problem !== null) ?? null;
}

function valuesOf(value: SetValue): readonly (string | number | boolean)[] {
  if (typeof value !== 'object') return [value];
  return 'step' in value ? [value.below, value.else] : [value.base, ...value.within, ...Object.values(value.linear)];
}

function checkValue(fact: string, spec: FactSpec, value: string | number | boolean): string | null {
  if ('enum' in spec) return typeof value === 'string' && spec.enum.includes(value) ? null : noWord(String(value), fact, spec.enum);
  if ('flag' in spec) return typeof value === 'boolean' ? null : `"${fact}" is a flag: true or false`;
  if (typeof value !== 'number') return `"${fact}" is a number, and "${String(value)}" is not`;
  return 'number' in spec || Number.isInteger(value) ? null : `"${fact}" must be a whole number, not ${value}`;
}

function noWord(word: string, fact: string, known: readonly string[]): string {
  return `"${fact}" cannot be "${word}"; it is one of ${known.join(', ')}${guess(word, known)}`;
}

function noFact(loop: Loop, name: string): string {
  return `this loop has no fact "${name}"${guess(name, Object.keys(loop.facts))}`;
}

function noEvidence(loop: Loop, name: string): string {
  return `this loop has no evidence "${name}"${guess(name, Object.keys(loop.evidence))}`;
}

/** A further sentence if the word looks misspelt. */
function guess(word: string, known: readonly string[]): string {
  const one = didYouMean(word, known);
  return one === '' ? '' : `.${one}`;
}

function isNumber(spec: FactSpec): boolean {
  return 'number' in spec || 'findings' in spec || 'count' in spec;
}

function specOf(loop: Loop, fact: string): FactSpec | undefined {
  return Object.hasOwn(loop.facts, fact) ? loop.facts[fact] : undefined;
}

function checkTable(loop: Loop): Complaint[] {
  const out: Complaint[] = [];
  loop.table.forEach((row, index) => {
    const path = ['table', index];
    if (row.when !== undefined) out.push(...checkWhen(loop, row.when, [...path, 'when']));
    if (row.waiver !== undefined && row.then !== 'converge' && row.then !== 'accept') {
      out.push({ path: [...path, 'waiver'], problem: `row ${row.id} does not approve, so it cannot have a waiver` });
    }
    out.push(...checkText(loop, row.why, [...path, 'why'], []));
    out.push(...checkText(loop, row.next, [...path, 'next'], ['tasks', 'options', 'chain']));
    if (row.anomaly !== undefined) out.push(...checkText(loop, row.anomaly, [...path, 'anomaly'], []));
  });
  return out;
}

function checkEnding(loop: Loop): Complaint[] {
  return loop.table.flatMap((row, index) => {
    const path = ['table', index];
    const last = index === loop.table.length - 1;
    if (last && row.when !== undefined)
      return [{ path, problem: `the last row (${row.id}) must not have a "when", so that every case ends in a row` }];
    if (!last && row.when === undefined) return [{ path, problem: `row ${row.id} has no "when", so the rows after it can never match` }];
    return [];
  });
}

function checkPromises(loop: Loop): Complaint[] {
  return (loop.promises ?? []).flatMap((promise, index) => checkWhen(loop, promise.when, ['promises', index, 'when']));
}

/** Texts that may use only a few names. */
function checkNotices({ agree, planned, unwritable, facts }: Loop): Complaint[] {
  const texts: readonly (readonly [readonly string[], string | undefined, readonly string[]])[] = [
    [['agree', 'why'], agree?.why, ['detail']],
    [['planned', 'skip'], planned?.skip, ['rule', 'round', 'next', 'cap', 'target', ...Object.keys(facts)]],
    [['unwritable', 'why'], unwritable?.why, ['error']],
    [['unwritable', 'next'], unwritable?.next, ['error', 'options']],
  ];
  return texts.flatMap(([path, text, known]) => {
    const odd = text === undefined ? null : unknownName(text, known);
    return odd === null
      ? []
      : [{ path, problem: `{${odd}} is not allowed here; this text may use ${known.map((name) => `{${name}}`).join(', ')}` }];
  });
}

const REPORT_NAMES = ['decision', 'verdict', 'rule', 'reason', 'nextStep', 'chain', 'counts', 'tasks'];

function checkReport(loop: Loop, sections: readonly ReportSection[], path: FilePlace): Complaint[] {
  return sections.flatMap((section, index) => {
    const here = [...path, index];
    const blocks = section.blocks.flatMap((block, at) => checkBlock(loop, block, [...here, 'blocks', at]));
    return [...blocks, ...checkReport(loop, section.sections ?? [], [...here, 'sections'])];
  });
}

function checkBlock(loop: Loop, block: Block, path: FilePlace): Complaint[] {
  if (typeof block === 'string') return checkText(loop, block, path, REPORT_NAMES);
  if ('when' in block) return block.lines.flatMap((line, at) => checkBlock(loop, line, [...path, 'lines', at]));
  if ('history' in block) return checkText(loop, block.history, [...path, 'history'], ['decision', 'counts', 'fixed']);
  const [kind, list] = 'list' in block ? ['list', block.list] : 'table' in block ? ['table', block.table] : ['', null];
  if (list === null) return [];
  const isOther = !Object.hasOwn(loop.evidence, list.split('.')[0] ?? '');
  const problem = isOther ? `"${list}" is not a list of this loop's evidence` : checkReaderName(loop, 'list', list);
  return problem === null ? [] : [{ path: [...path, kind], problem }];
}

function checkWhen(loop: Loop, when: Readonly<Record<string, unknown>>, path: FilePlace): Complaint[] {
  const out: Complaint[] = [];
  for (const [fact, test] of Object.entries(when)) {
    const problem = checkCondition(loop, parseCondition(fact, test as string));
    if (problem !== null) out.push({ path: [...path, fact], problem });
  }
  return out;
}

function checkCondition(loop: Loop, condition: Condition): string | null {
  const { fact } = condition;
  if (condition.kind === 'compare' && condition.bound === 'target' && loop.target === undefined)
    return 'this loop has no target to compare with';
  if (fact === 'round') return condition.kind === 'compare' ? null : 'round needs a comparison, such as "<cap"';
  const spec = specOf(loop, fact);
  if (spec === undefined) return noFact(loop, fact);
  if (condition.kind === 'absent' || condition.kind === 'present') {
    const isWord = 'enum' in spec && spec.enum.some((word) => sameWord(word, condition.kind));
    return isWord ? `"${condition.kind}" is also a word of "${fact}"; write [${condition.kind}] for the word` : null;
  }
  const words: readonly string[] | null = 'state' in spec ? EVIDENCE_STATES : 'enum' in spec ? spec.enum : null;
  if (words !== null) {
    if (condition.kind !== 'words') return `"${fact}" is a word: one of ${words.join(', ')}`;
    const unknown = condition.words.find((word) => !words.includes(word));
    return unknown === undefined ? null : noWord(unknown, fact, words);
  }
  const isFlag = 'flag' in spec || 'found' in spec || 'counted' in spec;
  if (isFlag) return condition.kind === 'flag' ? null : `"${fact}" is a flag: true or false`;
  if (condition.kind !== 'compare')
    return `"${fact}" is a number: compare it with a number, cap or target by >, >=, <, <= or =, as in ">=7"`;
  if (!('number' in spec) || typeof condition.bound !== 'number') return null;
  const [low, high] = rangeOf(spec);
  return condition.bound < low || condition.bound > high
    ? `"${fact}" is between ${low} and ${high}, so a comparison with ${condition.bound} always gives the same answer`
    : null;
}

/** A mistyped value or list would always be absent without anybody noticing. Most readers have fixed names. */
function checkReaderNames(loop: Loop): Complaint[] {
  return Object.entries(loop.facts).flatMap(([name, spec]) => {
    const values = 'flag' in spec ? spec.flag : 'at' in spec ? spec.at : [];
    const problems =
      'count' in spec ? [checkReaderName(loop, 'list', spec.count)] : values.map((dotted) => checkReaderName(loop, 'value', dotted));
    const problem = problems.find((one) => one !== null) ?? null;
    return problem === null ? [] : [{ path: ['facts', name], problem }];
  });
}

/** `dotted`: `results.score` is value `score` of evidence `results`. */
function checkReaderName(loop: Loop, kind: 'list' | 'value', dotted: string): string | null {
  const dot = dotted.indexOf('.');
  const wanted = dotted.slice(dot + 1);
  const known: string[] = [];
  // A source that replaces itself is reported elsewhere.
  const seen = new Set<EvidenceSource>();
  for (
    let source = evidenceAt(loop, dotted.slice(0, dot));
    source !== undefined && !seen.has(source);
    source = evidenceAt(loop, source.else)
  ) {
    seen.add(source);
    const names = namesOf(loop, kind, source);
    if (names === undefined || names.includes(wanted)) return null;
    known.push(...names);
  }
  if (dot < 1) return null;
  const names = known.length === 0 ? 'it has none' : `it has ${[...new Set(known)].join(', ')}`;
  const isRow = kind === 'value' && [...seen].some((source) => 'row' in source);
  const hint = guess(wanted, known) || (isRow ? '. Values of the row are the columns under columns.out' : '');
  return `"${dotted.slice(0, dot)}" has no ${kind} "${wanted}"; ${names}${hint}`;
}

function evidenceAt({ evidence }: Loop, name = ''): EvidenceSource | undefined {
  return Object.hasOwn(evidence, name) ? evidence[name] : undefined;
}

/** Undefined: the reader has no fixed names. */
function namesOf(loop: Loop, kind: 'list' | 'value', source: EvidenceSource): readonly string[] | undefined {
  if ('row' in source) return kind === 'list' ? [] : loop.columns.out;
  const yields = kind === 'list' ? READER_LISTS : READER_VALUES;
  return Object.hasOwn(yields, source.reader) ? yields[source.reader] : undefined;
}

/** Columns that Umpire fills in for every task. */
const FILLED_COLUMNS: ReadonlySet<string> = new Set(COMMON_COLUMNS.filter((column) => column !== 'findings' && column !== 'error'));

const TEXT_NAMES = ['mend', 'chain', 'n', 'findings', 'files', 'lowest', 'critic', 'id'];
const ID_NAMES = ['round', 'next', 'mend', 'chain', 'n'];

/** The tasks of a revision: valid and distinct ids, columns they may set, files of their own. */
function checkTasks(loop: Loop): Complaint[] {
  const revises = loop.table.some((row) => row.then === 'revise');
  const rechecks = loop.tasks.filter((task) => task.recheck === true);
  const out: Complaint[] = [];
  if (revises && rechecks.length !== 1)
    out.push({ path: ['tasks'], problem: 'a loop with a revision needs exactly one task with "recheck: true", the critic\'s next run' });
  if (rechecks.length === 1 && loop.tasks.at(-1)?.recheck !== true)
    out.push({ path: ['tasks'], problem: 'the task with "recheck: true" must be the last, after the work that it checks' });
  loop.tasks.forEach((task, index) => {
    const path = ['tasks', index];
    if (task.recheck === true && task.role !== loop.roles.critic) {
      out.push({ path: [...path, 'role'], problem: `the role of the recheck must be the critic's, "${loop.roles.critic}"` });
    }
    if (task.recheck !== true && task.role === loop.roles.critic)
      out.push({
        path: [...path, 'role'],
        problem: `only the recheck may have the critic's role "${task.role}": this task would be judged too`,
      });
    for (const key of ['id', 'title', 'description', 'without', 'acceptance'] as const) {
      const value = task[key];
      if (value !== undefined) out.push(...checkText(loop, value, [...path, key], TEXT_NAMES));
    }
    const twin = loop.tasks.findIndex((other) => other.id === task.id);
    if (twin < index) out.push({ path: [...path, 'id'], problem: `"${task.id}" is also the id of task ${twin + 1} of this revision` });
    out.push(...checkId(task, [...path, 'id']), ...checkCells(loop, task, path), ...checkFile(loop, task, [...path, 'file']));
    if (task.recheck === true) out.push(...checkChain(loop, task, path));
    out.push(...checkOrder(loop, task, index));
  });
  return out;
}

/** A critic must run after the work of the revision. Otherwise work that no critic saw would be approved. */
function checkOrder({ roles, evidence, tasks }: Loop, task: TaskTemplate, index: number): Complaint[] {
  const isSecond = Object.values(evidence).some((source) => 'file' in source && source.by === task.role);
  if (task.recheck !== true && !isSecond) return [];
  const isEarly = tasks.slice(0, index).some((other) => task.recheck === true || other.role === roles.generator);
  if (task.after === 'previous' || !isEarly) return [];
  return [{ path: ['tasks', index, 'after'], problem: 'it would judge before the tasks above it are finished; set "after: previous"' }];
}

/** Otherwise the recheck would start a new chain with other evidence and new rounds. */
function checkChain({ chain }: Loop, { copy = [], set = {} }: TaskTemplate, path: FilePlace): Complaint[] {
  if (typeof chain === 'string' || copy.includes(chain.column) || set[chain.column]?.trim() === '{chain}') return [];
  const how = `copy "${chain.column}" from the critic's row, or set it to "{chain}"`;
  return [{ path, problem: `the recheck would not belong to the chain that it checks: ${how}` }];
}

function checkId({ id, each }: TaskTemplate, path: FilePlace): Complaint[] {
  const out: Complaint[] = [];
  if (each === 'file' && !id.includes('{n}')) out.push({ path, problem: 'with "each: file" the id needs {n}' });
  const odd = unknownName(id, ID_NAMES);
  if (odd !== null) out.push({ path, problem: `{${odd}} is not allowed here; an id may use {round}, {next}, {mend}, {chain} and {n}` });
  if (!hasRound(id)) out.push({ path, problem: 'a task id needs {round}, {next} or {mend}, so that each round has its own ids' });
  if (/[;\r\n]/.test(id))
    out.push({ path, problem: 'an id cannot contain a semicolon or a line break, because deps separates ids by semicolons' });
  return out;
}

function hasRound(text: string): boolean {
  return /\{(round|next|mend)\}/.test(text);
}

function checkCells(loop: Loop, task: TaskTemplate, path: FilePlace): Complaint[] {
  const out: Complaint[] = [];
  const cells = [
    ...(task.copy ?? []).map((column) => [column, 'copy'] as const),
    ...Object.keys(task.set ?? {}).map((column) => [column, 'set'] as const),
  ];
  for (const [column, key] of cells) {
    const where = key === 'copy' ? [...path, key] : [...path, key, column];
    if (FILLED_COLUMNS.has(column)) out.push({ path: where, problem: `Umpire fills in "${column}" itself; remove it` });
    if (task.role === loop.roles.critic && loop.columns.out.includes(column))
      out.push({
        path: where,
        problem: `"${column}" is an output of the critic; a task that has it from the start would count as finished`,
      });
  }
  for (const [column, value] of Object.entries(task.set ?? {})) out.push(...checkText(loop, value, [...path, 'set', column], TEXT_NAMES));
  return out;
}

/** Each task needs its own file, and not one of Umpire's. */
function checkFile(loop: Loop, { file, each }: TaskTemplate, path: FilePlace): Complaint[] {
  if (file === undefined) return [];
  const first = file.split('/').find((part) => part !== '' && part !== '.') ?? '';
  if (RESERVED_NAMES.has(first) || first.startsWith('.umpire'))
    return [{ path, problem: `${first} belongs to Umpire; choose another path, such as "tasks/{id}.json"` }];
  const differs = file.includes('{id}') || (hasRound(file) && (each === undefined || file.includes('{n}')));
  if (!differs) return [{ path, problem: 'each task needs its own file: put {id} into the path, as in "tasks/{id}.json"' }];
  return checkText(loop, file, path, TEXT_NAMES);
}

/** The names in braces that a text uses. */
function checkText(loop: Loop, text: string, path: FilePlace, more: readonly string[]): Complaint[] {
  const known = new Set(['round', 'next', 'cap', 'target', ...Object.keys(loop.facts), ...more]);
  return compileTemplate(text)
    .names.filter((name) => !known.has(name) && !isNames(loop, name) && !(path[0] === 'report' && isDotted(loop, name)))
    .map((name) => ({ path, problem: `{${name}} is neither a fact of this loop nor a name that this text may use` }));
}

/** The first placeholder that is not one of these names. */
function unknownName(text: string, known: readonly string[]): string | null {
  return compileTemplate(text).names.find((name) => !known.includes(name)) ?? null;
}

/** `missing.names`: the items that a fact counts. */
function isNames({ facts }: Loop, name: string): boolean {
  const spec = name.endsWith('.names') ? facts[name.slice(0, -'.names'.length)] : undefined;
  return spec !== undefined && 'count' in spec;
}

/** `before.x` and `delta.x` of a fact, `count.high`, `evidence.value`. */
function isDotted(loop: Loop, name: string): boolean {
  const [head = '', tail = ''] = name.split('.');
  if (head === 'before' || head === 'delta') return Object.hasOwn(loop.facts, tail);
  return head === 'count' ? SEVERITIES.includes(tail as Severity) : tail !== '' && Object.hasOwn(loop.evidence, head);
}
