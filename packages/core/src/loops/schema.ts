// The schema of a loop file: what YAML may say, for editors (as JSON Schema) and for the reader of files.
// It only checks shapes; validate.ts checks that the parts fit each other.

import { z } from 'zod';
import type { Block, Loop, ReportSection } from './loop.js';
import { pipelinesSchema } from './pipeline-schema.js';

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

const reader = text.describe('The reader that makes values, lists and findings of it.');

const source = z.union([
  z.strictObject({ row: z.literal('critic').describe("The critic's row of tasks.csv: its output columns and findings."), ...sourceBase }),
  z.strictObject({ column: text.describe("A column of the critic's row, read as text."), reader, ...sourceBase }),
  z.strictObject({
    file: oneOrMore(inside).describe('The first of these files that exists; {chain} is filled in.'),
    by: text.exactOptional().describe("The role that leaves it, where that is not the critic's: a second critic, who is done before."),
    reader,
    ...sourceBase,
  }),
  z.strictObject({
    folder: oneOrMore(inside).describe(
      "A file of these folders: the one named, else one with the row's id in its name, else the last by name.",
    ),
    named: text.exactOptional().describe("The column of the critic's row that names the file."),
    match: z.array(text).exactOptional().describe('The path must hold one of these words.'),
    reader,
    ...sourceBase,
  }),
  z.strictObject({
    discoveries: text.describe('Entries of this type in discoveries.ndjson.'),
    of: z
      .union([z.enum(['round', 'all']), z.strictObject({ worker: text.describe('{chain} and {round} are filled in.') })])
      .describe('Those of the round judged, all, or those of a worker.'),
    reader,
    ...sourceBase,
  }),
]);

const at = oneOrMore(text).describe('evidence.value; of several, the first that is there.');

const fact = z.union([
  z.strictObject({ state: name.describe('How this evidence stands: ok, missing, unreadable or unread.') }),
  z.strictObject({ enum: z.array(text).min(1).describe('The words that are known; another is absent.'), at }),
  z.strictObject({
    number: z.tuple([z.number(), z.number()]).describe('The bounds; what lies outside is absent.'),
    at,
    change: z.literal('net').exactOptional().describe('Since the last revision: what it is now, less what it was then.'),
  }),
  z.strictObject({ flag: oneOrMore(text).describe('evidence.value that is true or false; anything else is absent.') }),
  z.strictObject({ found: oneOrMore(name).describe('Is any of these sources there?') }),
  z.strictObject({ counted: oneOrMore(name).describe('Does any of these sources yield severity counts?') }),
  z.strictObject({
    findings: oneOrMore(name).describe('How many findings these sources have; where they disagree, the worst.'),
    severity: severity.exactOptional().describe('Of this severity only.'),
  }),
  z.strictObject({
    count: text.describe('evidence.list: how many items it has.'),
    where: z.record(z.string(), z.string()).exactOptional().describe('Only items whose fields are these texts.'),
    below: z.number().exactOptional().describe('Only items whose score is below their own threshold, else below this.'),
    change: z.enum(['new', 'net']).exactOptional().describe('Since the last revision: new items, or those gone less those new.'),
  }),
]);

const test = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string()).min(1)])
  .describe('absent, present, a word or several, a flag, a number, or a comparison such as ">=7", "<cap", ">=target".');
const when = z.record(name, test);

const setValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({
    step: name.describe('The fact that is looked at.'),
    at: z.number().describe('From here on it is `else`.'),
    below: z.union([z.string(), z.number()]).describe('What is set below `at`, or where the fact is absent.'),
    else: z.union([z.string(), z.number()]).describe('What is set from `at` on.'),
  }),
  z.strictObject({
    linear: z.record(name, z.number()).describe('Facts and their weights; an absent fact adds nothing.'),
    base: z.number().describe('What the sum begins with.'),
    within: z.tuple([z.number(), z.number()]).describe('The bounds that the sum is held within.'),
  }),
]);

const repair = z.strictObject({
  id: ruleId.describe('The id of the anomaly.'),
  when: when.describe('Every test must hold.'),
  set: z.record(name, setValue).exactOptional().describe('What facts become: a constant, a step or a linear sum.'),
  error: z.strictObject({ message: text, hint: text }).exactOptional().describe('No verdict: stop with this message.'),
  why: text.describe('What was odd and how it is taken: the text of the anomaly.'),
});

const row = z.strictObject({
  id: ruleId.describe('Permanent: reports, tests and scripts name it.'),
  when: when.exactOptional().describe('Every test must hold. Left out in the last row.'),
  then: outcome.describe('What the verdict is.'),
  why: text.describe('The reason of the verdict.'),
  next: text.describe('What comes next; may use {tasks}, {options} and {chain}.'),
  waiver: text.exactOptional().describe('Why this row may approve without clean evidence.'),
  anomaly: text.exactOptional().describe('Noted where this row is reached.'),
});

const vow = z.strictObject({
  id: ruleId.describe('Its name, for the complaint.'),
  when: when.describe('Tests of the raw facts, before any repair.'),
  never: z
    .array(z.enum(['converge', 'revise', 'accept', 'escalate', 'approved']))
    .min(1)
    .describe('Outcomes that must not come of it. approved: converge or accept without a waiver.'),
  why: text.describe('What this keeps safe.'),
});

const task = z.strictObject({
  id: text.describe('Needs {round}, {next} or {mend}, and with `each` also {n}.'),
  title: text.describe('What it is, in a few words.'),
  description: text.describe('What is to be done; may use {findings}, {files}, {critic}, {lowest} and facts.'),
  without: text.exactOptional().describe('The description where the critic left no finding.'),
  role: text.describe('Who does it.'),
  after: z.enum(['critic', 'previous']).describe("What it waits for: the critic's task, or all tasks made before it."),
  each: z.literal('file').exactOptional().describe('One task for each file with Critical or High findings.'),
  recheck: z.boolean().exactOptional().describe("The critic's new run. Exactly one, and the last."),
  set: z.record(z.string(), z.string()).exactOptional().describe('Other columns of its row.'),
  copy: z.array(text).exactOptional().describe("Columns copied from the critic's row."),
  file: inside.exactOptional().describe('Also written as JSON at this path.'),
  acceptance: text.exactOptional().describe('What must hold afterwards; part of that JSON.'),
});

const block: z.ZodType<Block> = z.lazy(() =>
  z.union([
    text,
    z.strictObject({
      findings: z.array(severity).min(1).describe('The findings of these severities.'),
      label: text.exactOptional().describe('What each line begins with.'),
    }),
    z.strictObject({
      list: text.describe('evidence.list: a line for each item.'),
      line: text.describe("May use {n} and the item's fields."),
    }),
    z.strictObject({
      tasks: text.describe('A line for each task made; may use {n} and its columns.'),
      role: text.exactOptional().describe('Only tasks of this role.'),
    }),
    z.strictObject({ history: text.describe('A line for each round; may use {round}, {decision}, {counts}, {fixed} and facts.') }),
    z.strictObject({ when: z.array(outcome).min(1).describe('For these outcomes only.'), lines: z.array(block).min(1) }),
    z.strictObject({ unresolved: z.literal(true).describe('Critical and High findings that are open.') }),
    z.strictObject({ options: z.literal(true).describe('What a person may choose.') }),
    z.strictObject({ reasons: z.literal(true).describe('Rule, reason, worst findings, waivers, anomalies and evidence.') }),
  ]),
);

const section: z.ZodType<ReportSection> = z.lazy(() =>
  z.strictObject({
    heading: text.describe('Its heading.'),
    blocks: z.array(block).default([]).describe('What stands under it, line by line.'),
    sections: z.array(section).exactOptional().describe('Sections inside it.'),
  }),
);

const roundSource = z.union([
  z.strictObject({ file: inside.describe('A JSON file.'), at: text.describe('Where in it, such as rounds.{chain}.') }),
  z.strictObject({ id: z.literal(true).describe("The number in the critic's task id.") }),
  z.strictObject({ column: text.describe("A column of the critic's row.") }),
  z.strictObject({ finished: text.describe('The highest {n} of finished tasks with such an id.') }),
]);

const notice = z.strictObject({ id: ruleId, why: text });

export const loopSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('For editors only.'),
  loop: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,40}$/, 'a loop name is lower-case letters, digits and -')
    .describe('Its name.'),
  title: text.describe('A sentence for people.'),
  roles: z
    .strictObject({ generator: text, critic: text, judge: text })
    .describe("Words of the role column; judge names the judge's text, roles/<loop>/<judge>.md."),
  words: z.strictObject({ converge: text, revise: text, accept: text, escalate: text }).describe('Your word for each outcome.'),
  chain: z
    .union([
      z.enum(['session', 'id']),
      z.strictObject({
        column: text.describe("The column of the critic's row that names the chain."),
        what: text.describe('What the chains are, in the plural.'),
        choose: z.boolean().exactOptional().describe('The caller says which, with --layer.'),
      }),
    ])
    .describe("What rounds are counted by: the session, the family of the critic's task id, or a column of its row."),
  round: z
    .strictObject({
      first: z.union([z.literal(0), z.literal(1)]).describe('0: rounds count revisions spent. 1: they count reviews.'),
      counts: text.describe('What a round counts, for people.'),
      from: z.array(roundSource).default([]).describe('Where else the round is said; never below the history.'),
      unclear: notice.exactOptional().describe('Noted where nothing tells the round of a new chain.'),
      corrupt: notice.exactOptional().describe('Noted where a source of the round is broken.'),
    })
    .describe('How rounds are counted.'),
  cap: z
    .strictObject({
      default: z.number().int().min(1).max(100).describe('The most rounds.'),
      from: z.strictObject({ file: inside, at: text }).exactOptional().describe('A JSON file that may say it; read by the first verdict.'),
    })
    .describe('How many rounds there may be; frozen by the first verdict.'),
  target: z
    .strictObject({ default: z.number(), column: text, what: text })
    .exactOptional()
    .describe('A number from 0 to 100 to compare with, from a column.'),
  columns: z
    .strictObject({ in: z.array(text).default([]), out: z.array(text).default([]) })
    .describe('Columns of tasks.csv beside the common ones: what a task is given, what it hands back.'),
  evidence: z.record(name, source).describe('What the critic leaves behind, by name.'),
  facts: z.record(name, fact).describe('What the rules may look at.'),
  agree: z
    .strictObject({ sources: z.array(name).min(2), id: ruleId, why: text })
    .exactOptional()
    .describe('Sources whose severity counts should agree; {detail} says how they do not.'),
  repairs: z.array(repair).max(200).default([]).describe('What missing or contradictory facts become, in order.'),
  table: z.array(row).min(1).max(500).describe('The first row that matches decides.'),
  promises: z
    .array(vow)
    .min(1)
    .exactOptional()
    .describe('What must never happen, whatever repairs and rows say; `umpire check` proves it.'),
  progress: z
    .record(name, z.enum(['higher', 'lower']))
    .exactOptional()
    .describe('Facts that tell how good a round is, and which way is better: what stalling is told by, beside the findings.'),
  worse: when
    .exactOptional()
    .describe('Tests of the facts of a round that made things worse: its work is taken back, unless the verdict converges.'),
  tasks: z.array(task).default([]).describe('What a revision adds to tasks.csv.'),
  planned: z
    .strictObject({ skip: text.describe('Why they are skipped; may use {rule}.') })
    .exactOptional()
    .describe('Revision tasks planned beforehand: released by a revision, skipped by a convergence.'),
  unwritable: z
    .strictObject({ id: ruleId, why: text, next: text })
    .exactOptional()
    .describe('The row for tasks that cannot be written; may use {error} and {options}.'),
  report: z.array(section).min(1).describe('The report, heading by heading.'),
  ask: z
    .strictObject({
      question: text.describe('What a person is asked.'),
      options: z.array(z.strictObject({ id: z.enum(['force-approve', 'manual-fix', 'extend', 'abort']), means: text })).min(1),
    })
    .describe('For the person who is called.'),
  pipelines: pipelinesSchema.exactOptional().describe('The tasks that `umpire run` begins with. No part of the rules.'),
});

/** What a loop file, or `defineLoop`, may be given. */
export type LoopInput = z.input<typeof loopSchema>;

/** The schema and the shapes of loop.ts must be the same thing: this line does not compile where they are not. */
export const shapesAgree: (checked: Omit<z.output<typeof loopSchema>, '$schema' | 'pipelines'>) => Loop = (checked) => checked;
