// Checks the shape of a loop that is read from a journal. Apart from loop-schema.ts, which checks YAML files but takes longer to load
// than a verdict takes.

import { either, flag, kindOf, later, listOf, number, object, optional, pairOf, recordOf, text, whole, word } from '../formats/shape.js';
import type { Shape } from '../formats/shape.js';
import type {
  Block,
  FactSpec,
  Loop,
  Notice,
  Repair,
  ReportSection,
  RoundSource,
  Row,
  SetValue,
  EvidenceSource,
  TaskTemplate,
  Test,
  LoopPromise,
  When,
} from './loop.js';

const texts = listOf(text);
const outcome = word('converge', 'revise', 'accept', 'escalate');
const severity = word('critical', 'high', 'medium', 'low');

const base = {
  grade: word('measured', 'testified'),
  what: text,
  else: optional(text),
  optional: optional(flag),
};

const source: Shape<EvidenceSource> = kindOf<EvidenceSource>({
  row: object<Extract<EvidenceSource, { row: unknown }>>({ ...base, row: either(word('critic'), texts) }),
  file: object<Extract<EvidenceSource, { file: unknown }>>({ ...base, file: texts, by: optional(text), reader: text }),
  folder: object<Extract<EvidenceSource, { folder: unknown }>>({
    ...base,
    folder: texts,
    named: optional(text),
    match: optional(texts),
    reader: text,
  }),
  discoveries: object<Extract<EvidenceSource, { discoveries: unknown }>>({
    ...base,
    discoveries: text,
    of: either(word('round', 'all'), object<{ readonly worker: string }>({ worker: text })),
    reader: text,
  }),
  column: object<Extract<EvidenceSource, { column: unknown }>>({ ...base, column: text, reader: text }),
});

const fact: Shape<FactSpec> = kindOf<FactSpec>({
  state: object<Extract<FactSpec, { state: unknown }>>({ state: text }),
  enum: object<Extract<FactSpec, { enum: unknown }>>({
    enum: texts,
    at: texts,
    worst: optional(word('last')),
  }),
  number: object<Extract<FactSpec, { number: unknown }>>({
    number: pairOf(number),
    at: texts,
    change: optional(word('net')),
    worst: optional(word('lowest', 'highest')),
  }),
  flag: object<Extract<FactSpec, { flag: unknown }>>({ flag: texts }),
  found: object<Extract<FactSpec, { found: unknown }>>({ found: texts }),
  counted: object<Extract<FactSpec, { counted: unknown }>>({ counted: texts }),
  findings: object<Extract<FactSpec, { findings: unknown }>>({ findings: texts, severity: optional(severity) }),
  count: object<Extract<FactSpec, { count: unknown }>>({
    count: text,
    where: optional(recordOf(text)),
    below: optional(number),
    change: optional(word('new', 'net')),
  }),
});

const test: Shape<Test> = either(text, either(number, either(flag, texts)));
const when: Shape<When> = recordOf(test);
const wordOrNumber = either(text, number);

const setValue: Shape<SetValue> = either(
  text,
  either(
    number,
    either(
      flag,
      kindOf<Extract<SetValue, object>>({
        step: object<Extract<SetValue, { step: unknown }>>({ step: text, at: number, below: wordOrNumber, else: wordOrNumber }),
        linear: object<Extract<SetValue, { linear: unknown }>>({ linear: recordOf(number), base: number, within: pairOf(number) }),
      }),
    ),
  ),
);

const repair = object<Repair>({
  id: text,
  when,
  set: optional(recordOf(setValue)),
  error: optional(object<NonNullable<Repair['error']>>({ message: text, hint: text })),
  why: text,
});

const row = object<Row>({
  id: text,
  when: optional(when),
  then: outcome,
  why: text,
  next: text,
  waiver: optional(text),
  anomaly: optional(text),
});

const vow = object<LoopPromise>({ id: text, when, never: listOf(either(outcome, word('approved'))), why: text });

const task = object<TaskTemplate>({
  id: text,
  title: text,
  description: text,
  without: optional(text),
  role: text,
  after: word('critic', 'previous'),
  each: optional(word('file')),
  recheck: optional(flag),
  set: optional(recordOf(text)),
  copy: optional(texts),
  file: optional(text),
  acceptance: optional(text),
});

const block: Shape<Block> = either(
  text,
  kindOf<Extract<Block, object>>({
    findings: object<Extract<Block, { findings: unknown }>>({ findings: listOf(severity), label: optional(text) }),
    list: object<Extract<Block, { list: unknown }>>({ list: text, line: text }),
    tasks: object<Extract<Block, { tasks: unknown }>>({ tasks: text, role: optional(text) }),
    history: object<Extract<Block, { history: unknown }>>({ history: text }),
    when: object<Extract<Block, { when: unknown }>>({ when: listOf(outcome), lines: listOf(later(() => block)) }),
    unresolved: object<Extract<Block, { unresolved: unknown }>>({ unresolved: word(true) }),
    options: object<Extract<Block, { options: unknown }>>({ options: word(true) }),
    reasons: object<Extract<Block, { reasons: unknown }>>({ reasons: word(true) }),
  }),
);

const section: Shape<ReportSection> = object<ReportSection>({
  heading: text,
  blocks: listOf(block),
  sections: optional(listOf(later(() => section))),
});

const place = object<{ readonly file: string; readonly at: string }>({ file: text, at: text });

const roundSource = kindOf<RoundSource>({
  file: place,
  id: object<Extract<RoundSource, { id: unknown }>>({ id: word(true) }),
  column: object<Extract<RoundSource, { column: unknown }>>({ column: text }),
  finished: object<Extract<RoundSource, { finished: unknown }>>({ finished: text }),
});

const notice = object<Notice>({ id: text, why: text });

const rows = listOf(row);

/** The last row must not have a `when`, so that every case ends in a row. */
const endingTable: Shape<Loop['table']> = (value) =>
  rows(value) ?? ((value as Loop['table']).at(-1)?.when === undefined && (value as Loop['table']).length > 0 ? null : '');

export const LOOP_SHAPE: Shape<Loop> = object<Loop>({
  loop: text,
  title: text,
  roles: object<Loop['roles']>({ generator: text, critic: text, judge: text }),
  words: object<Loop['words']>({ converge: text, revise: text, accept: text, escalate: text }),
  chain: either(word('session', 'id'), object<Extract<Loop['chain'], object>>({ column: text, what: text, choose: optional(flag) })),
  round: object<Loop['round']>({
    first: word(0, 1),
    counts: text,
    from: listOf(roundSource),
    unclear: optional(notice),
    corrupt: optional(notice),
  }),
  cap: object<Loop['cap']>({ default: whole, from: optional(place) }),
  target: optional(object<NonNullable<Loop['target']>>({ default: number, column: text, what: text })),
  columns: object<Loop['columns']>({ in: texts, out: texts }),
  evidence: recordOf(source),
  facts: recordOf(fact),
  agree: optional(object<NonNullable<Loop['agree']>>({ sources: texts, id: text, why: text })),
  repairs: listOf(repair),
  table: endingTable,
  promises: optional(listOf(vow)),
  progress: optional(recordOf(word('higher', 'lower'))),
  worse: optional(when),
  tasks: listOf(task),
  planned: optional(object<NonNullable<Loop['planned']>>({ skip: text })),
  unwritable: optional(object<NonNullable<Loop['unwritable']>>({ id: text, why: text, next: text })),
  report: listOf(section),
  ask: object<Loop['ask']>({
    question: text,
    options: listOf(object<Loop['ask']['options'][number]>({ id: text, means: text })),
  }),
});
