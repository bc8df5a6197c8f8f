// Do the parts of a loop fit each other? Names that exist, words that are known, a table that always ends in a row.
// Shapes are schema.ts' business; whether the rules are wise is check's.

import type { Severity } from '../model.js';
import { SEVERITIES } from '../model.js';
import type { Block, FactSpec, Loop, ReportSection, SetValue } from './loop.js';
import { parseCondition } from './condition.js';
import type { Condition } from './condition.js';
import { evidenceOf, sameWord } from './facts.js';
import { EVIDENCE_STATES } from './loop.js';
import { compileTemplate } from './template.js';

export interface Complaint {
  /** Where in the file: keys and indexes from the top. */
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

/**
 * Everything that does not fit, in the order of the file. `readers` are the names of the readers there are. `gaps`: cases that
 * end in no row, and rows behind the one that takes all, are left for check to find.
 */
export function validateLoop(loop: Loop, readers: ReadonlySet<string>, gaps = false): readonly Complaint[] {
  return [
    ...checkWords(loop),
    ...checkEvidence(loop, readers),
    ...checkFacts(loop),
    ...checkRepairs(loop),
    ...checkTable(loop),
    ...(gaps ? [] : checkEnding(loop)),
    ...checkPromises(loop),
    ...checkTasks(loop),
    ...checkReport(loop, loop.report, ['report']),
  ];
}

function checkWords(loop: Loop): Complaint[] {
  const seen = new Map<string, string>();
  const out: Complaint[] = [];
  for (const [outcome, word] of Object.entries(loop.words)) {
    const other = seen.get(word);
    if (other !== undefined)
      out.push({ path: ['words', outcome], problem: `"${word}" already means ${other}; each outcome needs a word of its own` });
    seen.set(word, outcome);
  }
  return out;
}

function checkEvidence(loop: Loop, readers: ReadonlySet<string>): Complaint[] {
  const out: Complaint[] = [];
  for (const [name, source] of Object.entries(loop.evidence)) {
    if ('reader' in source && !readers.has(source.reader)) {
      out.push({
        path: ['evidence', name, 'reader'],
        problem: `there is no reader "${source.reader}"; there are ${[...readers].join(', ')}`,
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
    if (!Object.hasOwn(loop.evidence, name)) out.push({ path: ['agree', 'sources'], problem: `"${name}" is no evidence of this loop` });
  }
  return out;
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
    for (const evidence of evidenceOf(spec)) {
      if (!Object.hasOwn(loop.evidence, evidence))
        out.push({ path: ['facts', name], problem: `"${evidence}" is no evidence of this loop` });
    }
    const dotless = ('at' in spec ? spec.at : 'flag' in spec ? spec.flag : 'count' in spec ? [spec.count] : []).find(
      (at) => !at.includes('.'),
    );
    if (dotless !== undefined)
      out.push({ path: ['facts', name], problem: `"${dotless}" must name a value of some evidence, as in "report.${dotless}"` });
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
    if (repair.error) out.push(...checkText(loop, repair.error.message, [...path, 'error', 'message'], []));
  });
  return out;
}

/** Words for words, flags for flags, numbers for numbers: a fact never becomes something that its tests cannot see. */
function checkSet(loop: Loop, fact: string, value: SetValue): string | null {
  const spec = specOf(loop, fact);
  if (spec === undefined) return `"${fact}" is no fact of this loop`;
  if ('state' in spec || 'found' in spec || 'counted' in spec) return `"${fact}" says what was found; no repair can change that`;
  const uses = typeof value !== 'object' ? [] : 'step' in value ? [value.step] : Object.keys(value.linear);
  for (const used of uses) {
    const other = specOf(loop, used);
    if (other === undefined) return `"${used}" is no fact of this loop`;
    if (!isNumber(other)) return `"${used}" is no number, so nothing can be counted from it`;
    if ('linear' in (value as object) && !('number' in spec) && 'number' in other)
      return `"${fact}" counts, and "${used}" may be a fraction: take a number for it`;
  }
  const linear = typeof value === 'object' && 'linear' in value ? value : null;
  if (linear !== null && linear.within[0] > linear.within[1]) return 'the lower bound of within must not be above the upper one';
  return (
    valuesOf(value)
      .map((one) => checkValue(fact, spec, one))
      .find((problem) => problem !== null) ?? null
  );
}

function valuesOf(value: SetValue): readonly (string | number | boolean)[] {
  if (typeof value !== 'object') return [value];
  return 'step' in value ? [value.below, value.else] : [value.base, ...value.within, ...Object.values(value.linear)];
}

function checkValue(fact: string, spec: FactSpec, value: string | number | boolean): string | null {
  if ('enum' in spec) return typeof value === 'string' && spec.enum.includes(value) ? null : `"${String(value)}" is no word of "${fact}"`;
  if ('flag' in spec) return typeof value === 'boolean' ? null : `"${fact}" is a flag: true or false`;
  if (typeof value !== 'number') return `"${fact}" is a number, and "${String(value)}" is none`;
  return 'number' in spec || Number.isInteger(value) ? null : `"${fact}" counts, so it takes whole numbers only, not ${value}`;
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

function checkTasks(loop: Loop): Complaint[] {
  const revises = loop.table.some((row) => row.then === 'revise');
  const rechecks = loop.tasks.filter((task) => task.recheck === true);
  const out: Complaint[] = [];
  if (revises && rechecks.length !== 1)
    out.push({ path: ['tasks'], problem: 'a loop that revises needs exactly one task with "recheck: true": the critic\'s new run' });
  if (rechecks.length === 1 && loop.tasks.at(-1)?.recheck !== true)
    out.push({ path: ['tasks'], problem: 'the task with "recheck: true" must be the last: it comes after all that it checks' });
  const known = ['mend', 'chain', 'n', 'findings', 'files', 'lowest', 'critic', 'id'];
  loop.tasks.forEach((task, index) => {
    const path = ['tasks', index];
    if (task.recheck === true && task.role !== loop.roles.critic) {
      out.push({ path: [...path, 'role'], problem: `the recheck is the critic's, so its role must be "${loop.roles.critic}"` });
    }
    if (task.each === 'file' && !task.id.includes('{n}'))
      out.push({ path: [...path, 'id'], problem: 'one task for each file needs {n} in its id' });
    for (const key of ['id', 'title', 'description', 'without'] as const) {
      const value = task[key];
      if (value !== undefined) out.push(...checkText(loop, value, [...path, key], known));
    }
    const odd = compileTemplate(task.id).names.find((name) => !['round', 'next', 'mend', 'chain', 'n'].includes(name));
    if (odd !== undefined)
      out.push({
        path: [...path, 'id'],
        problem: `{${odd}} cannot be part of an id: an id takes {round}, {next}, {mend}, {chain} and {n}`,
      });
    if (!/\{(round|next|mend)\}/.test(task.id))
      out.push({ path: [...path, 'id'], problem: 'a task id needs {round}, {next} or {mend}, so that each round has its own' });
  });
  return out;
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
  return [];
}

/** `before.x` and `delta.x` of a fact, `count.high`, `evidence.value`. */
function isDotted(loop: Loop, name: string): boolean {
  const [head = '', tail = ''] = name.split('.');
  if (head === 'before' || head === 'delta') return Object.hasOwn(loop.facts, tail);
  return head === 'count' ? SEVERITIES.includes(tail as Severity) : tail !== '' && Object.hasOwn(loop.evidence, head);
}

function checkText(loop: Loop, text: string, path: readonly (string | number)[], more: readonly string[]): Complaint[] {
  const known = new Set(['round', 'next', 'cap', 'target', ...Object.keys(loop.facts), ...more]);
  return compileTemplate(text)
    .names.filter((name) => !known.has(name) && !(path[0] === 'report' && isDotted(loop, name)))
    .map((name) => ({ path, problem: `{${name}} is neither a fact of this loop nor a word that this text may use` }));
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
  if (spec === undefined) return `"${fact}" is no fact of this loop`;
  if (condition.kind === 'absent' || condition.kind === 'present') return null;
  const words: readonly string[] | null = 'state' in spec ? EVIDENCE_STATES : 'enum' in spec ? spec.enum : null;
  if (words !== null) {
    if (condition.kind !== 'words') return `"${fact}" is a word: one of ${words.join(', ')}`;
    const unknown = condition.words.find((word) => !words.includes(word));
    return unknown === undefined ? null : `"${unknown}" is no word of "${fact}", which is one of ${words.join(', ')}`;
  }
  const isFlag = 'flag' in spec || 'found' in spec || 'counted' in spec;
  if (isFlag) return condition.kind === 'flag' ? null : `"${fact}" is a flag: true or false`;
  if (condition.kind !== 'compare') return `"${fact}" is a number: compare it, as in ">=7"`;
  if (!('number' in spec) || typeof condition.bound !== 'number') return null;
  const [low, high] = spec.number;
  return condition.bound < low || condition.bound > high
    ? `"${fact}" lies between ${low} and ${high}, so comparing it with ${condition.bound} always gives the same answer`
    : null;
}
