// The schema of a loop file: what YAML may say, for editors (as JSON Schema) and for the reader of files.
// It only checks shapes; validate.ts checks that the parts fit each other.

import { z } from 'zod';
import type { Block, Loop, ReportSection } from './loop.js';

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'a name is lower-case letters, digits and _');
const ruleId = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,31}$/, 'an id is a letter, then letters, digits, . _ or -');
const text = z.string().min(1);
const oneOrMore = <T extends z.ZodType>(item: T) =>
  z
    .union([item, z.array(item).min(1)])
    .transform((value): z.output<T>[] => (Array.isArray(value) ? (value as z.output<T>[]) : [value as z.output<T>]));

/** A path that stays inside the session folder. */
const inside = text.refine(
  (path) => !path.startsWith('/') && !path.includes('\\') && !path.split('/').includes('..'),
  'a path inside the session folder, without ".."',
);
const severity = z.enum(['critical', 'high', 'medium', 'low']);
const outcome = z.enum(['converge', 'revise', 'accept', 'escalate']);

const sourceBase = {
  grade: z.enum(['measured', 'testified']).describe("measured: a tool's own report. testified: an agent's word."),
  what: text.describe('What this is, for people: "the audit report".'),
  else: name.exactOptional().describe('The source that stands in where this one is missing.'),
  optional: z.boolean().exactOptional().describe('Its absence is no news.'),
};

const source = z.union([
  z.strictObject({ row: z.literal('critic'), ...sourceBase }),
  z.strictObject({ column: text, reader: text, ...sourceBase }),
  z.strictObject({ file: oneOrMore(inside), reader: text, ...sourceBase }),
  z.strictObject({
    folder: oneOrMore(inside),
    named: text.exactOptional(),
    match: z.array(text).exactOptional(),
    reader: text,
    ...sourceBase,
  }),
  z.strictObject({
    discoveries: text,
    of: z.union([z.enum(['round', 'all']), z.strictObject({ worker: text })]),
    reader: text,
    ...sourceBase,
  }),
]);

const fact = z.union([
  z.strictObject({ state: name }),
  z.strictObject({ enum: z.array(text).min(1), at: oneOrMore(text) }),
  z.strictObject({ number: z.tuple([z.number(), z.number()]), at: oneOrMore(text) }),
  z.strictObject({ flag: oneOrMore(text) }),
  z.strictObject({ found: oneOrMore(name) }),
  z.strictObject({ counted: oneOrMore(name) }),
  z.strictObject({ findings: oneOrMore(name), severity: severity.exactOptional() }),
  z.strictObject({
    count: text,
    where: z.record(z.string(), z.string()).exactOptional(),
    below: z.number().exactOptional(),
    change: z.enum(['new', 'net']).exactOptional(),
  }),
]);

const test = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).min(1)]);
const when = z.record(name, test);

const setValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ step: name, at: z.number(), below: z.union([z.string(), z.number()]), else: z.union([z.string(), z.number()]) }),
  z.strictObject({ linear: z.record(name, z.number()), base: z.number(), within: z.tuple([z.number(), z.number()]) }),
]);

const repair = z.strictObject({
  id: ruleId,
  when,
  set: z.record(name, setValue).exactOptional(),
  error: z.strictObject({ message: text, hint: text }).exactOptional(),
  why: text.describe('What was odd and how it is taken: the text of the anomaly.'),
});

const row = z.strictObject({
  id: ruleId.describe('Permanent: reports, tests and scripts name it.'),
  when: when.exactOptional().describe('Every test must hold. Left out in the last row.'),
  then: outcome,
  why: text,
  next: text,
  waiver: text.exactOptional().describe('Why this row may approve without clean evidence.'),
  anomaly: text.exactOptional(),
});

const task = z.strictObject({
  id: text,
  title: text,
  description: text,
  without: text.exactOptional().describe('The description where the critic left no finding.'),
  role: text,
  after: z.enum(['critic', 'previous']),
  each: z.literal('file').exactOptional(),
  recheck: z.boolean().exactOptional(),
  set: z.record(z.string(), z.string()).exactOptional(),
  copy: z.array(text).exactOptional(),
  file: inside.exactOptional(),
  acceptance: text.exactOptional(),
});

const block: z.ZodType<Block> = z.lazy(() =>
  z.union([
    text,
    z.strictObject({ findings: z.array(severity).min(1), label: text.exactOptional() }),
    z.strictObject({ list: text, line: text }),
    z.strictObject({ tasks: text, role: text.exactOptional() }),
    z.strictObject({ history: text }),
    z.strictObject({ when: z.array(outcome).min(1), lines: z.array(block).min(1) }),
    z.strictObject({ unresolved: z.literal(true) }),
    z.strictObject({ options: z.literal(true) }),
    z.strictObject({ reasons: z.literal(true) }),
  ]),
);

const section: z.ZodType<ReportSection> = z.lazy(() =>
  z.strictObject({ heading: text, blocks: z.array(block).default([]), sections: z.array(section).exactOptional() }),
);

const roundSource = z.union([
  z.strictObject({ file: inside, at: text }),
  z.strictObject({ id: z.literal(true) }),
  z.strictObject({ column: text }),
  z.strictObject({ finished: text }),
]);

const notice = z.strictObject({ id: ruleId, why: text });

export const loopSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  loop: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'a loop name is lower-case letters, digits and -'),
  title: text,
  roles: z.strictObject({ generator: text, critic: text, judge: text }),
  words: z.strictObject({ converge: text, revise: text, accept: text, escalate: text }),
  chain: z.union([z.enum(['session', 'id']), z.strictObject({ column: text, what: text, choose: z.boolean().exactOptional() })]),
  round: z.strictObject({
    first: z.union([z.literal(0), z.literal(1)]),
    counts: text,
    from: z.array(roundSource).default([]),
    unclear: notice.exactOptional(),
    corrupt: notice.exactOptional(),
  }),
  cap: z.strictObject({
    default: z.number().int().min(1).max(100),
    from: z.strictObject({ file: inside, at: text }).exactOptional(),
  }),
  target: z.strictObject({ default: z.number(), column: text, what: text }).exactOptional(),
  columns: z.strictObject({ in: z.array(text).default([]), out: z.array(text).default([]) }),
  evidence: z.record(name, source),
  facts: z.record(name, fact),
  agree: z.strictObject({ sources: z.array(name).min(2), id: ruleId, why: text }).exactOptional(),
  repairs: z.array(repair).default([]),
  table: z.array(row).min(1),
  tasks: z.array(task).default([]),
  planned: z.strictObject({ skip: text }).exactOptional(),
  unwritable: z.strictObject({ id: ruleId, why: text, next: text }).exactOptional(),
  report: z.array(section).min(1),
  ask: z.strictObject({
    question: text,
    options: z.array(z.strictObject({ id: z.enum(['force-approve', 'manual-fix', 'extend', 'abort']), means: text })).min(1),
  }),
});

/** What a loop file, or `defineLoop`, may be given. */
export type LoopInput = z.input<typeof loopSchema>;

/** The schema and the shapes of loop.ts must be the same thing: this line does not compile where they are not. */
export const shapesAgree: (checked: Omit<z.output<typeof loopSchema>, '$schema'>) => Loop = (checked) => checked;
