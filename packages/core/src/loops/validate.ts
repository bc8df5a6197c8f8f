// Do the parts of a loop fit each other? Names that exist, words that are known, a table that always ends in a row.
// Shapes are schema.ts' business; whether the rules are wise is check's.

import type { Block, FactSpec, Loop, ReportSection, SetValue } from './loop.js';
import { didYouMean } from '../formats/nearest-word.js';
import { parseCondition } from './condition.js';
import type { Condition } from './condition.js';
import { evidenceOf, rangeOf, sameWord } from './facts.js';
import { EVIDENCE_STATES } from './loop.js';
import { checkText, strayHole } from './loop-texts.js';
import type { Complaint } from './loop-texts.js';
import { checkPlaces, strayList } from './place-check.js';
import { checkTasks, GIVEN } from './task-check.js';

/**
 * Everything that does not fit, in the order of the file. `readers` are the names of the readers there are. `gaps`: cases that
 * end in no row, and rows behind the one that takes all, are left for check to find.
 */
export function validateLoop(loop: Loop, readers: ReadonlySet<string>, gaps = false): readonly Complaint[] {
  return [
    ...checkWords(loop),
    ...checkCounting(loop),
    ...checkColumns(loop),
    ...checkEvidence(loop, readers),
    ...checkFacts(loop),
    ...checkPlaces(loop),
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
    out.push({ path: ['roles', 'critic'], problem: 'the critic needs a role of its own: by its role the row that is judged is found' });
  for (const [outcome, word] of Object.entries(loop.words)) {
    const other = seen.get(word);
    if (other !== undefined)
      out.push({ path: ['words', outcome], problem: `"${word}" already means ${other}; each outcome needs a word of its own` });
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
        problem: 'it needs {n}, the number that is read from the ids of finished tasks',
      });
  });
  if (loop.target !== undefined && !(loop.target.default >= 0 && loop.target.default <= 100))
    out.push({ path: ['target', 'default'], problem: 'a target is a number from 0 to 100' });
  for (const fact of Object.keys(loop.progress ?? {})) {
    const spec = specOf(loop, fact);
    if (spec === undefined) out.push({ path: ['progress', fact], problem: noFact(loop, fact) });
    else if (!isNumber(spec)) out.push({ path: ['progress', fact], problem: `"${fact}" is no number, so it cannot go up or down` });
  }
  if (loop.worse !== undefined) out.push(...checkWhen(loop, loop.worse, ['worse']));
  if (loop.worse !== undefined && Object.keys(loop.worse).length === 0)
    out.push({ path: ['worse'], problem: 'it tests nothing, so every round would be taken back; say what is worse, or leave it out' });
  return out;
}

/** A row that hands something back counts as done: what a task is given from the start must not be among it. */
function checkColumns(loop: Loop): Complaint[] {
  const { columns, chain, target } = loop;
  const given = new Set([
    ...columns.in,
    ...(typeof chain === 'object' ? [chain.column] : []),
    ...(target === undefined ? [] : [target.column]),
  ]);
  // A file would have the column twice.
  const everybody = (key: 'in' | 'out') =>
    columns[key]
      .filter((column) => GIVEN.has(column))
      .map((column) => ({
        path: ['columns', key],
        problem: `every task has "${column}", so it is no column of this loop alone; leave it out`,
      }));
  const both = columns.out.filter((column) => given.has(column));
  const twice = (['in', 'out'] as const).flatMap((key) => repeats(columns[key], ['columns', key]));
  return [
    ...twice,
    ...everybody('in'),
    ...everybody('out'),
    ...both.map((column) => ({
      path: ['columns', 'out'],
      problem: `"${column}" is given to a task, so it cannot be what it hands back: every row would count as done`,
    })),
  ];
}

function repeats(names: readonly string[], path: readonly string[]): Complaint[] {
  const again = names.find((name, at) => names.indexOf(name) !== at);
  return again === undefined ? [] : [{ path, problem: `"${again}" is there twice` }];
}

function checkEvidence(loop: Loop, readers: ReadonlySet<string>): Complaint[] {
  const out: Complaint[] = [];
  for (const [name, source] of Object.entries(loop.evidence)) {
    const key = 'file' in source ? 'file' : 'folder' in source ? 'folder' : null;
    const stray =
      key === null ? null : strayHole(('file' in source ? source.file : 'folder' in source ? source.folder : []).join(' '), ['chain']);
    if (key !== null && stray !== null)
      out.push({ path: ['evidence', name, key], problem: `{${stray}} is not filled in here; a path takes {chain} only` });
    if ('file' in source && source.by !== undefined) {
      const problem = strayCritic(loop, source.by);
      if (problem !== null) out.push({ path: ['evidence', name, 'by'], problem });
    }
    if ('file' in source && source.file.some((path) => path.includes('*')))
      out.push({
        path: ['evidence', name, 'file'],
        problem: 'it is one path, or a list of them, and * stands for nothing; "folder" looks for a file in a folder',
      });
    if ('discoveries' in source && typeof source.of === 'object') {
      const odd = strayHole(source.of.worker, ['chain', 'round']);
      if (odd !== null)
        out.push({
          path: ['evidence', name, 'of', 'worker'],
          problem: `{${odd}} is not filled in here; a worker takes {chain} and {round}`,
        });
    }
    if ('reader' in source && !readers.has(source.reader)) {
      out.push({
        path: ['evidence', name, 'reader'],
        problem: `there is no reader "${source.reader}"; there are ${[...readers].join(', ')}${guess(source.reader, [...readers])}`,
      });
    }
    if (source.else !== undefined && (!Object.hasOwn(loop.evidence, source.else) || source.else === name)) {
      out.push({ path: ['evidence', name, 'else'], problem: `"${source.else}" is not another piece of evidence of this loop` });
    }
  }
  for (const name of Object.keys(loop.evidence)) {
    if (standsInForItself(loop, name))
      out.push({ path: ['evidence', name, 'else'], problem: `"${name}" would in the end stand in for itself` });
  }
  for (const name of loop.agree?.sources ?? []) {
    if (!Object.hasOwn(loop.evidence, name)) out.push({ path: ['agree', 'sources'], problem: noEvidence(loop, name) });
  }
  return out;
}

/** A second critic who is not asked again would be heard with what it said of the first round. */
function strayCritic({ roles, tasks }: Loop, by: string): string | null {
  if (by === roles.critic) return `it is the critic's without saying so; leave it out`;
  if (by === roles.generator) return `"${by}" makes what is judged, so its word on it is no evidence`;
  const known = tasks.map(({ role }) => role).filter((role) => role !== roles.generator && role !== roles.critic);
  return known.includes(by) ? null : `no task of a revision has the role "${by}", so it would be heard once only${guess(by, known)}`;
}

function standsInForItself(loop: Loop, name: string): boolean {
  const seen = new Set([name]);
  for (let next = loop.evidence[name]?.else; next !== undefined; next = loop.evidence[next]?.else) {
    if (seen.has(next)) return next === name;
    seen.add(next);
  }
  return false;
}

/** Names that texts use for other things than facts. */
const TAKEN: ReadonlySet<string> = new Set([
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
    if (TAKEN.has(name))
      out.push({ path: ['facts', name], problem: `"${name}" is a name that texts use for something else; give the fact another` });
    const dotless = ('at' in spec ? spec.at : 'flag' in spec ? spec.flag : 'count' in spec ? [spec.count] : []).find(
      (at) => !/.\../.test(at),
    );
    const some = Object.keys(loop.evidence)[0] ?? 'report';
    if (dotless !== undefined)
      out.push({
        path: ['facts', name],
        problem: `"${dotless}" must name a value of some evidence, as in "${some}.${dotless.replaceAll('.', '') || 'score'}"`,
      });
    for (const evidence of evidenceOf(spec)) {
      if (!Object.hasOwn(loop.evidence, evidence)) out.push({ path: ['facts', name], problem: noEvidence(loop, evidence) });
    }
    const twice = 'enum' in spec ? spec.enum.find((word, at) => spec.enum.findIndex((one) => sameWord(one, word)) !== at) : undefined;
    if (twice !== undefined)
      out.push({ path: ['facts', name, 'enum'], problem: `"${twice}" is there twice: case, blanks, - and _ make no difference` });
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
      out.push({ path: [...path, 'when'], problem: 'a repair without a condition would always apply' });
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

/** Words for words, flags for flags, numbers for numbers: a fact never becomes something that its tests cannot see. */
function checkSet(loop: Loop, fact: string, value: SetValue): string | null {
  const spec = specOf(loop, fact);
  if (spec === undefined) return noFact(loop, fact);
  if ('state' in spec || 'found' in spec || 'counted' in spec) return `"${fact}" says what was found; no repair can change that`;
  const uses = typeof value !== 'object' ? [] : 'step' in value ? [value.step] : Object.keys(value.linear);
  for (const used of uses) {
    const other = specOf(loop, used);
    if (other === undefined) return noFact(loop, used);
    if (!isNumber(other)) return `"${used}" is no number, so nothing can be counted from it`;
    if ('linear' in (value as object) && !('number' in spec) && 'number' in other)
      return `"${fact}" counts, and "${used}" may be a fraction: take a number for it`;
  }
  const linear = typeof value === 'object' && 'linear' in value ? value : null;
  if (linear !== null && linear.within[0] > linear.within[1]) return 'the lower bound of within must not be above the upper one';
  const problems = valuesOf(value).map((one) => checkValue(fact, spec, one));
  const [low, high] = 'number' in spec ? rangeOf(spec) : [-Infinity, Infinity];
  const stray = (linear?.within ?? valuesOf(value)).find((one) => typeof one === 'number' && (one < low || one > high));
  if (stray !== undefined) problems.push(`"${fact}" lies between ${low} and ${high}, and ${stray} does not`);
  return problems.find((problem) => problem !== null) ?? null;
}

function valuesOf(value: SetValue): readonly (string | number | boolean)[] {
  if (typeof value !== 'object') return [value];
  return 'step' in value ? [value.below, value.else] : [value.base, ...value.within, ...Object.values(value.linear)];
}

function checkValue(fact: string, spec: FactSpec, value: string | number | boolean): string | null {
  if ('enum' in spec) return typeof value === 'string' && spec.enum.includes(value) ? null : noWord(String(value), fact, spec.enum);
  if ('flag' in spec) return typeof value === 'boolean' ? null : `"${fact}" is a flag: true or false`;
  if (typeof value !== 'number') return `"${fact}" is a number, and "${String(value)}" is none`;
  return 'number' in spec || Number.isInteger(value) ? null : `"${fact}" counts, so it takes whole numbers only, not ${value}`;
}

function noWord(word: string, fact: string, known: readonly string[]): string {
  return `"${word}" is no word of "${fact}", which is one of ${known.join(', ')}${guess(word, known)}`;
}

function noFact(loop: Loop, name: string): string {
  return `"${name}" is no fact of this loop${guess(name, Object.keys(loop.facts))}`;
}

function noEvidence(loop: Loop, name: string): string {
  return `"${name}" is no evidence of this loop${guess(name, Object.keys(loop.evidence))}`;
}

/** A sentence of its own behind what was said, where a slip can be guessed. */
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
      out.push({ path: [...path, 'waiver'], problem: `row ${row.id} approves nothing, so it needs no waiver` });
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
      return [{ path, problem: `the last row (${row.id}) must have no "when", so that every case ends in a row` }];
    if (!last && row.when === undefined) return [{ path, problem: `row ${row.id} has no "when", so no row after it can ever be reached` }];
    return [];
  });
}

function checkPromises(loop: Loop): Complaint[] {
  return (loop.promises ?? []).flatMap((vow, index) => checkWhen(loop, vow.when, ['promises', index, 'when']));
}

/** Texts that know little: what goes with them is all that they may name. */
function checkNotices({ agree, planned, unwritable, facts }: Loop): Complaint[] {
  const texts: readonly (readonly [readonly string[], string | undefined, readonly string[]])[] = [
    [['agree', 'why'], agree?.why, ['detail']],
    [['planned', 'skip'], planned?.skip, ['rule', 'round', 'next', 'cap', 'target', ...Object.keys(facts)]],
    [['unwritable', 'why'], unwritable?.why, ['error']],
    [['unwritable', 'next'], unwritable?.next, ['error', 'options']],
  ];
  return texts.flatMap(([path, text, known]) => {
    const odd = text === undefined ? null : strayHole(text, known);
    return odd === null
      ? []
      : [{ path, problem: `{${odd}} is no word that this text may use; it may use ${known.map((name) => `{${name}}`).join(', ')}` }];
  });
}

const REPORT_NAMES = ['decision', 'verdict', 'rule', 'reason', 'nextStep', 'chain', 'counts', 'tasks'];

function checkReport(loop: Loop, sections: readonly ReportSection[], path: readonly (string | number)[]): Complaint[] {
  return sections.flatMap((section, index) => {
    const here = [...path, index];
    const blocks = section.blocks.flatMap((block, at) => checkBlock(loop, block, [...here, 'blocks', at]));
    return [...blocks, ...checkReport(loop, section.sections ?? [], [...here, 'sections'])];
  });
}

function checkBlock(loop: Loop, block: Block, path: readonly (string | number)[]): Complaint[] {
  if (typeof block === 'string') return checkText(loop, block, path, REPORT_NAMES);
  if ('when' in block) return block.lines.flatMap((line, at) => checkBlock(loop, line, [...path, 'lines', at]));
  if ('history' in block) return checkText(loop, block.history, [...path, 'history'], ['decision', 'counts', 'fixed']);
  if ('list' in block && !Object.hasOwn(loop.evidence, block.list.split('.')[0] ?? '')) {
    return [{ path: [...path, 'list'], problem: `"${block.list}" is a list of no evidence of this loop` }];
  }
  const stray = 'list' in block ? strayList(loop, block) : null;
  if (stray !== null) return [{ path: [...path, 'list'], problem: stray }];
  return [];
}

function checkWhen(loop: Loop, when: Readonly<Record<string, unknown>>, path: readonly (string | number)[]): Complaint[] {
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
  if (fact === 'round') return condition.kind === 'compare' ? null : 'round takes a comparison, such as "<cap"';
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
    return `"${fact}" is a number: compare it by >, >=, <, <= or = with a number, cap or target, as in ">=7"`;
  if (!('number' in spec) || typeof condition.bound !== 'number') return null;
  const [low, high] = rangeOf(spec);
  return condition.bound < low || condition.bound > high
    ? `"${fact}" lies between ${low} and ${high}, so comparing it with ${condition.bound} always gives the same answer`
    : null;
}
