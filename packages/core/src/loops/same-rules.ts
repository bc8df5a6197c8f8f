// A loop without its human texts. A release may reword a loop; sessions that froze the old wording still have the same rules.

import type { Block, Loop, Notice, ReportSection, Row, EvidenceSource, TaskTemplate } from './loop.js';

/** Do both loops judge alike? Titles, reasons, hints, task descriptions and report lines may differ. */
export function sameRules(one: Loop, other: Loop): boolean {
  return one === other || JSON.stringify(rulesOnly(one)) === JSON.stringify(rulesOnly(other));
}

/**
 * Everything in a loop but its texts. Where a text also acts as a flag (a waiver, an error), the flag stays. Written out field by field,
 * so that a new field of `Loop` does not compile before somebody decides whether it is a rule.
 */
function rulesOnly(loop: Loop): Required<Record<keyof Loop, unknown>> {
  const { chain, round, target, agree, planned, unwritable, ask } = loop;
  return {
    loop: loop.loop,
    title: null,
    roles: loop.roles,
    words: loop.words,
    chain: typeof chain === 'string' ? chain : { column: chain.column, choose: chain.choose },
    round: { first: round.first, from: round.from, unclear: idOf(round.unclear), corrupt: idOf(round.corrupt) },
    cap: loop.cap,
    target: target && { default: target.default, column: target.column },
    columns: loop.columns,
    evidence: Object.entries(loop.evidence).map(([name, source]) => [name, sourceRules(source)]),
    facts: Object.entries(loop.facts),
    agree: agree && { sources: agree.sources, id: agree.id },
    repairs: loop.repairs.map(({ id, when, set, error }) => ({ id, when, set, stops: error !== undefined })),
    table: loop.table.map(rowRules),
    promises: loop.promises?.map(({ id, when, never }) => ({ id, when, never })),
    progress: loop.progress,
    worse: loop.worse,
    tasks: loop.tasks.map(taskRules),
    planned: planned !== undefined,
    unwritable: unwritable?.id,
    report: loop.report.map(headingsOf),
    ask: ask.options.map(({ id }) => id),
  };
}

function idOf(notice: Notice | undefined): string | undefined {
  return notice?.id;
}

function sourceRules(source: EvidenceSource): Omit<EvidenceSource, 'what'> {
  const { what: _text, ...rules } = source;
  return rules;
}

function rowRules({ id, when, then, waiver, anomaly, asks }: Row): unknown {
  return { id, when, then, waives: waiver !== undefined, isOdd: anomaly !== undefined, asks };
}

function taskRules({ id, role, after, each, recheck, set, copy, file }: TaskTemplate): unknown {
  return { id, role, after, each, recheck, set, copy, file };
}

/** Scripts find their way in a report by its headings and lists. Its sentences are texts. */
function headingsOf({ heading, blocks, sections }: ReportSection): unknown {
  return { heading, lists: blocks.flatMap(listsOf), sections: sections?.map(headingsOf) };
}

function listsOf(block: Block): readonly string[] {
  if (typeof block === 'string') return [];
  if ('lines' in block) return block.lines.flatMap(listsOf);
  return 'list' in block ? [block.list] : 'table' in block ? [block.table] : [];
}
