// The schema of a loop file, for the reader of files and (as JSON Schema) for editors. It checks shapes only; validate-loop.ts and
// validate-pipeline.ts check that the parts fit together.

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
  grade: z
    .enum(['measured', 'testified'])
    .describe("measured: a tool's own report. testified: an agent's word. A verdict calls evidence measured only if Umpire ran the tool."),
  what: text.describe('Its name for people, such as "the audit report".'),
  else: name.exactOptional().describe('The source that is used if this one is missing.'),
  optional: z.boolean().exactOptional().describe('It may be missing.'),
};

const reader = text.describe('The reader that extracts values, lists and findings.');

const source = z.union([
  z.strictObject({
    row: z
      .union([z.literal('critic'), z.array(text).min(1)])
      .describe('A row of tasks.csv, its output columns and findings: `critic`, or the last row of these roles since the latest work.'),
    ...sourceBase,
  }),
  z.strictObject({ column: text.describe("A column of the critic's row, read as text."), reader, ...sourceBase }),
  z.strictObject({
    file: oneOrMore(inside).describe('The first of these files that exists; {chain} is filled in.'),
    by: text.exactOptional().describe('The role of a second critic that writes it before the critic runs. Default: the critic.'),
    reader,
    ...sourceBase,
  }),
  z.strictObject({
    folder: oneOrMore(inside).describe(
      "A file in these folders: the named one, else one with the row's id in its name, else the last by name.",
    ),
    named: text.exactOptional().describe("The column of the critic's row that names the file."),
    match: z.array(text).exactOptional().describe('The path must contain one of these words.'),
    reader,
    ...sourceBase,
  }),
  z.strictObject({
    discoveries: text.describe('Entries of this type in discoveries.ndjson.'),
    of: z
      .union([z.enum(['round', 'all']), z.strictObject({ worker: text.describe('{chain} and {round} are filled in.') })])
      .describe('Entries of the judged round, all entries, or those of a worker.'),
    reader,
    ...sourceBase,
  }),
]);

const at = oneOrMore(text).describe('evidence.value; of several, the first that exists.');

const fact = z.union([
  z.strictObject({ state: name.describe('The state of this evidence: ok, missing, unreadable or unread.') }),
  z.strictObject({
    enum: z.array(text).min(1).describe('The allowed words; any other word counts as absent.'),
    at,
    worst: z.literal('last').exactOptional().describe('Of several values the last of these words counts; a difference is an anomaly.'),
  }),
  z.strictObject({
    number: z.tuple([z.number(), z.number()]).describe('The bounds; a number outside counts as absent.'),
    at,
    change: z.literal('net').exactOptional().describe('The difference since the last revision.'),
    worst: z
      .enum(['lowest', 'highest'])
      .exactOptional()
      .describe('Of several values the lowest or highest counts, not the first; a difference is an anomaly.'),
  }),
  z.strictObject({ flag: oneOrMore(text).describe('evidence.value that is true or false; anything else counts as absent.') }),
  z.strictObject({ found: oneOrMore(name).describe('Whether any of these sources was found and read.') }),
  z.strictObject({ counted: oneOrMore(name).describe('Whether any of these sources has severity counts.') }),
  z.strictObject({
    findings: oneOrMore(name).describe('The number of findings in these sources; if they disagree, the highest.'),
    severity: severity.exactOptional().describe('Only findings of this severity.'),
  }),
  z.strictObject({
    count: text.describe('evidence.list: the number of its items.'),
    where: z.record(z.string(), z.string()).exactOptional().describe('Only items with these values in their fields.'),
    below: z.number().exactOptional().describe('Only items with a score below their own threshold, or else below this number.'),
    change: z
      .enum(['new', 'net'])
      .exactOptional()
      .describe('Since the last revision: the number of new items, or of items gone minus new ones.'),
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
    step: name.describe('The fact that decides.'),
    at: z.number().describe('The threshold.'),
    below: z.union([z.string(), z.number()]).describe('The value if the fact is below `at`, or absent.'),
    else: z.union([z.string(), z.number()]).describe('The value from `at` on.'),
  }),
  z.strictObject({
    linear: z.record(name, z.number()).describe('Facts and their weights; an absent fact adds nothing.'),
    base: z.number().describe('The start value of the sum.'),
    within: z.tuple([z.number(), z.number()]).describe('The lowest and highest result.'),
  }),
]);

const repair = z.strictObject({
  id: ruleId.describe('The id of the anomaly.'),
  when: when.describe('Every test must hold.'),
  set: z.record(name, setValue).exactOptional().describe('New values of facts: a constant, a step or a linear sum.'),
  error: z.strictObject({ message: text, hint: text }).exactOptional().describe('Stops with this message instead of a verdict.'),
  why: text.describe('The text of the anomaly: what was unexpected, and how it is handled.'),
});

const row = z.strictObject({
  id: ruleId.describe('Never change it: reports, tests and scripts use it.'),
  when: when.exactOptional().describe('Every test must hold. Left out in the last row.'),
  then: outcome.describe('The outcome of the verdict.'),
  why: text.describe('The reason of the verdict.'),
  next: text.describe('The next step; may use {tasks}, {options} and {chain}.'),
  waiver: text.exactOptional().describe('Why this row may approve without clean evidence.'),
  anomaly: text.exactOptional().describe('An anomaly to report when this row decides.'),
});

const promise = z.strictObject({
  id: ruleId.describe('Its id, for complaints.'),
  when: when.describe('Tests of the raw facts, before any repair.'),
  never: z
    .array(z.enum(['converge', 'revise', 'accept', 'escalate', 'approved']))
    .min(1)
    .describe('Forbidden outcomes. approved: converge or accept without a waiver.'),
  why: text.describe('Why these outcomes are forbidden.'),
});

const task = z.strictObject({
  id: text.describe('Needs {round}, {next} or {mend}, and with `each` also {n}.'),
  title: text.describe('A short title.'),
  description: text.describe('The instructions; may use {findings}, {files}, {critic}, {lowest} and facts.'),
  without: text.exactOptional().describe('The description if there is no finding.'),
  role: text.describe('The role that does it.'),
  after: z.enum(['critic', 'previous']).describe("Its dependencies: the critic's task, or all tasks created before it."),
  each: z.literal('file').exactOptional().describe('One task for each file with Critical or High findings.'),
  recheck: z.boolean().exactOptional().describe("The critic's next run. Exactly one task, and the last."),
  set: z.record(z.string(), z.string()).exactOptional().describe('Other columns of its row.'),
  copy: z.array(text).exactOptional().describe("Columns copied from the critic's row."),
  file: inside.exactOptional().describe('Also written as JSON at this path.'),
  acceptance: text.exactOptional().describe('The acceptance criterion in that JSON.'),
});

const block: z.ZodType<Block> = z.lazy(() =>
  z.union([
    text,
    z.strictObject({
      findings: z.array(severity).min(1).describe('The findings of these severities.'),
      label: text.exactOptional().describe('The start of each line.'),
    }),
    z.strictObject({
      list: text.describe('evidence.list: a line for each item.'),
      line: text.describe("May use {n} and the item's fields."),
    }),
    z.strictObject({
      tasks: text.describe('A line for each new task; may use {n} and its columns.'),
      role: text.exactOptional().describe('Only tasks of this role.'),
    }),
    z.strictObject({ history: text.describe('A line for each round; may use {round}, {decision}, {counts}, {fixed} and facts.') }),
    z.strictObject({ when: z.array(outcome).min(1).describe('For these outcomes only.'), lines: z.array(block).min(1) }),
    z.strictObject({ unresolved: z.literal(true).describe('Open Critical and High findings.') }),
    z.strictObject({ options: z.literal(true).describe("A person's options.") }),
    z.strictObject({ reasons: z.literal(true).describe('Rule, reason, worst findings, waivers, anomalies and evidence.') }),
  ]),
);

const section: z.ZodType<ReportSection> = z.lazy(() =>
  z.strictObject({
    heading: text.describe('Its heading.'),
    blocks: z.array(block).default([]).describe('Its lines.'),
    sections: z.array(section).exactOptional().describe('Sections inside it.'),
  }),
);

const roundSource = z.union([
  z.strictObject({ file: inside.describe('A JSON file.'), at: text.describe('The path in it, such as rounds.{chain}.') }),
  z.strictObject({ id: z.literal(true).describe("The number in the critic's task id.") }),
  z.strictObject({ column: text.describe("A column of the critic's row.") }),
  z.strictObject({ finished: text.describe('The highest {n} of finished tasks with such an id.') }),
]);

const notice = z.strictObject({ id: ruleId, why: text });

const modeName = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'a mode is lower-case letters, digits and -');
const comparison = z.string().regex(/^(<=|>=|<|>|=)\s*-?\d+$/, 'a comparison with a whole number, such as "<=3"');

const plannedTask = z.strictObject({
  id: text.describe('Its id, such as DEV-001; with `turns` it needs {turn}.'),
  title: text.describe('A short title.'),
  description: text.describe('The instructions; may use {goal}, {mode}, {target}, {turn}, {turns} and its own columns.'),
  role: text.describe('The role that does it.'),
  deps: z.array(text).default([]).describe('The ids of tasks above it that must finish first; {previous} is the previous turn.'),
  context_from: z.array(text).exactOptional().describe('The tasks whose findings it receives. Default: `deps`.'),
  exec_mode: z.enum(['csv-wave', 'interactive']).default('csv-wave').describe('One run, or a conversation.'),
  approve: z.boolean().default(false).describe('A person must approve its result before its dependents start.'),
  columns: z.record(z.string(), z.string()).default({}).describe("Values of the loop's own columns."),
});

const mode = z.strictObject({
  title: text.describe('The purpose of this mode.'),
  judged: z.boolean().exactOptional().describe('false: there is no verdict, and the run ends as complete and unverified.'),
  turns: z.number().int().min(2).max(20).exactOptional().describe('How often the tasks are repeated, one turn after the other.'),
  tasks: z.array(plannedTask).min(1).max(10_000).describe('In order: a task may depend only on tasks above it.'),
});

const tests = {
  words: oneOrMore(text).exactOptional().describe('The goal contains one of these as a whole word.'),
  files: oneOrMore(comparison).exactOptional().describe('The number of changed files, such as "<=3".'),
  modules: oneOrMore(comparison).exactOptional().describe('The number of changed modules (top-level folders).'),
  items: z.literal(true).exactOptional().describe('The goal names single items, such as TD-07 or src/zone.ts.'),
};

export const pipelinesSchema = z.strictObject({
  default: modeName.exactOptional().describe('The mode if no rule of `choose` holds. Default: the first mode.'),
  modes: z.record(modeName, mode).describe('The tasks that a run begins with, by mode.'),
  choose: z
    .strictObject({
      points: z
        .array(z.strictObject({ ...tests, add: z.number().int().describe('The points to add, or to subtract if negative.') }))
        .default([])
        .describe('Tests that add points, each once.'),
      rules: z
        .array(z.strictObject({ mode: modeName, points: oneOrMore(comparison).exactOptional(), ...tests }))
        .min(1)
        .describe('The first rule whose tests all hold decides.'),
    })
    .exactOptional()
    .describe('How a mode is chosen if the person names none.'),
  writes: z.array(text).exactOptional().describe('The roles that change files of the project. Default: the generator.'),
  outputs: z
    .record(text, z.record(text, z.union([z.enum(['text', 'number']), z.array(text).min(1)])))
    .exactOptional()
    .describe('By role: the output columns that it fills, each as text, number or a list of words. Default: every role may fill all.'),
});
export type PipelinesShape = z.output<typeof pipelinesSchema>;

export const loopSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('For editors only.'),
  loop: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,40}$/, 'a loop name is lower-case letters, digits and -')
    .describe('Its name.'),
  title: text.describe('A sentence for people.'),
  roles: z
    .strictObject({ generator: text, critic: text, judge: text })
    .describe("Values of the role column; judge names the judge's prompt, roles/<loop>/<judge>.md."),
  words: z.strictObject({ converge: text, revise: text, accept: text, escalate: text }).describe('Your word for each outcome.'),
  chain: z
    .union([
      z.enum(['session', 'id']),
      z.strictObject({
        column: text.describe("The column of the critic's row that names the chain."),
        what: text.describe('The plural name of the chains.'),
        choose: z.boolean().exactOptional().describe('The caller chooses the chain with --layer.'),
      }),
    ])
    .describe("The unit that counts rounds: the session, the family of the critic's task id, or a column of its row."),
  round: z
    .strictObject({
      first: z.union([z.literal(0), z.literal(1)]).describe('0: rounds count revisions. 1: rounds count reviews.'),
      counts: text.describe('The meaning of a round, for people.'),
      from: z.array(roundSource).default([]).describe('Other places that state the round; they can only raise it.'),
      unclear: notice.exactOptional().describe('The anomaly if nothing states the round of a new chain.'),
      corrupt: notice.exactOptional().describe('The anomaly if a source of the round cannot be read.'),
    })
    .describe('How rounds are counted.'),
  cap: z
    .strictObject({
      default: z.number().int().min(1).max(100).describe('The highest round.'),
      from: z.strictObject({ file: inside, at: text }).exactOptional().describe('A JSON file that may set it, read by the first verdict.'),
    })
    .describe('The limit on rounds; frozen by the first verdict.'),
  target: z
    .strictObject({ default: z.number(), column: text, what: text })
    .exactOptional()
    .describe('A number from 0 to 100 to compare with, from a column.'),
  columns: z
    .strictObject({ in: z.array(text).default([]), out: z.array(text).default([]) })
    .describe('Columns of tasks.csv beside the common ones: inputs and outputs of a task.'),
  evidence: z.record(name, source).describe('The evidence that the critic leaves, by name.'),
  facts: z.record(name, fact).describe('The facts that the rules can test.'),
  agree: z
    .strictObject({ sources: z.array(name).min(2), id: ruleId, why: text })
    .exactOptional()
    .describe('Sources whose severity counts should agree; {detail} is the difference.'),
  repairs: z.array(repair).max(200).default([]).describe('Rules that replace missing or contradictory facts, in order.'),
  table: z.array(row).min(1).max(500).describe('The first row that matches decides.'),
  promises: z
    .array(promise)
    .min(1)
    .exactOptional()
    .describe('Outcomes that must never happen, whatever repairs and rows do. `umpire check` proves it.'),
  progress: z
    .record(name, z.enum(['higher', 'lower']))
    .exactOptional()
    .describe('Facts that measure the progress of rounds, and which direction is better. The trend uses them and the findings.'),
  worse: when
    .exactOptional()
    .describe('If these tests hold, the round made things worse: its work is reverted, unless the verdict converges.'),
  tasks: z.array(task).default([]).describe('The tasks that a revision adds to tasks.csv.'),
  planned: z
    .strictObject({ skip: text.describe('The reason for skipping them; may use {rule}.') })
    .exactOptional()
    .describe('Revision tasks may exist in advance: a revision uses them, a convergence skips them.'),
  unwritable: z
    .strictObject({ id: ruleId, why: text, next: text })
    .exactOptional()
    .describe('The verdict if tasks cannot be written; may use {error} and {options}.'),
  report: z.array(section).min(1).describe('The report, heading by heading.'),
  ask: z
    .strictObject({
      question: text.describe('The question to a person.'),
      options: z.array(z.strictObject({ id: z.enum(['force-approve', 'manual-fix', 'extend', 'abort']), means: text })).min(1),
    })
    .describe('The question to a person after an escalation.'),
  pipelines: pipelinesSchema.exactOptional().describe('The tasks that `umpire run` starts with. Not part of the rules.'),
});

/** The input of a loop file and of `defineLoop`. */
export type LoopInput = z.input<typeof loopSchema>;

/** Does not compile if the schema and the types in loop.ts differ. */
export const shapesAgree: (checked: Omit<z.output<typeof loopSchema>, '$schema' | 'pipelines'>) => Loop = (checked) => checked;
