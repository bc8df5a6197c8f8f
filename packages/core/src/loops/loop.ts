// A loop, as a YAML file contains it: its schema and its types. loop-file.ts reads a file, compile.ts compiles a loop and judge.ts applies
// it. validate-loop.ts checks that the parts fit together.

import { QUESTIONS } from '../model/questions.js';
import {
  either,
  filledText,
  flag,
  kindOf,
  later,
  listOf,
  number,
  object,
  oneOrMore,
  pairOf,
  recordOf,
  text,
  textLike,
  wholeFrom,
  word,
} from '../model/schema.js';
import type { Infer, Schema } from '../model/schema.js';
import { HIGHEST_CAP } from '../model/options.js';
import { GRADE, OUTCOME, SEVERITY } from '../model/vocabulary.js';
import type { Outcome, Reading } from '../model/vocabulary.js';

/** A fact as the table sees it: a word, a number, a flag, or `null` if it is absent. */
export type FactValue = string | number | boolean | null;

export type Facts = Readonly<Record<string, FactValue>>;

/** `unread`: the timeout came before it was read. */
export const EVIDENCE_STATES = ['ok', 'missing', 'unreadable', 'unread'] as const;

export type EvidenceState = (typeof EVIDENCE_STATES)[number];

export interface EvidenceReading {
  readonly state: EvidenceState;
  readonly reading: Reading | null;
}

/** By source. */
export type EvidenceReadings = Readonly<Record<string, EvidenceReading>>;

const name = textLike(/^[a-z][a-z0-9_]*$/, 'lower-case letters, digits and _');
const ruleId = textLike(/^[A-Za-z][A-Za-z0-9_.-]{0,31}$/, 'a letter, then letters, digits, . _ or -');
const texts = listOf(filledText, 1);

/** A path that stays inside the session folder. */
export const sessionPath = filledText.where(
  (path) => !path.startsWith('/') && !path.includes('\\') && !path.split('/').includes('..'),
  'a path inside the session folder, without ".."',
);

const sourceBase = {
  grade: GRADE.describe(
    "measured: a tool's own report. testified: an agent's word. A verdict calls evidence measured only if Umpire ran the tool.",
  ),
  what: filledText.describe('Its name for people, such as "the audit report".'),
  else: name.optional().describe('The source that is used if this one is missing. An unreadable one is not replaced.'),
  beside: name.optional().describe('Another source whose text its reader may use too, such as the output of a run.'),
  optional: flag.optional().describe('It may be missing.'),
};

const reader = filledText.describe('The reader that extracts values, lists and findings.');

const evidenceSource = kindOf({
  row: object({
    row: either(word('critic'), texts).describe(
      'A row of tasks.csv, its output columns and findings: `critic`, or the last row of these roles since the latest work.',
    ),
    ...sourceBase,
  }),
  file: object({
    file: oneOrMore(sessionPath).describe('The first of these files that exists; {chain} is filled in.'),
    by: filledText.optional().describe('The role of a second critic that writes it before the critic runs. Default: the critic.'),
    reader,
    ...sourceBase,
  }),
  folder: object({
    folder: oneOrMore(sessionPath).describe(
      "A file in these folders: the named one, else one with the row's id in its name, else the last by name.",
    ),
    named: filledText.optional().describe("The column of the critic's row that names the file."),
    match: listOf(filledText).optional().describe('The path must contain one of these words.'),
    reader,
    ...sourceBase,
  }),
  discoveries: object({
    discoveries: filledText.describe('Entries of this type in discoveries.ndjson.'),
    of: either(word('round', 'all'), object({ worker: filledText.describe('{chain} and {round} are filled in.') })).describe(
      'Entries of the judged round, all entries, or those of a worker.',
    ),
    reader,
    ...sourceBase,
  }),
  column: object({
    column: filledText.describe("A column of the critic's row, read as text. An empty cell is missing evidence."),
    reader,
    ...sourceBase,
  }),
});

/** The location of evidence. */
export type EvidenceSource = Infer<typeof evidenceSource>;

const at = oneOrMore(filledText).describe('evidence.value; of several, the first that exists.');

/** Dotted names: `results.gc_signal` is value `gc_signal` of evidence `results`. */
export type At = Infer<typeof at>;

const factSpec = kindOf({
  state: object({ state: name.describe('The state of this evidence: ok, missing, unreadable or unread.') }),
  enum: object({
    enum: texts.describe('The allowed words; any other word counts as absent.'),
    at,
    worst: word('last').optional().describe('Of several values the last of these words counts; a difference is an anomaly.'),
  }),
  number: object({
    number: pairOf(number).describe('The bounds; a number outside counts as absent.'),
    at,
    change: word('net').optional().describe('The difference since the last revision. Absent in the first round.'),
    worst: word('lowest', 'highest')
      .optional()
      .describe('Of several values the lowest or highest counts, not the first; a difference is an anomaly.'),
  }),
  flag: object({ flag: oneOrMore(filledText).describe('evidence.value that is true or false; anything else counts as absent.') }),
  found: object({ found: oneOrMore(name).describe('Whether any of these sources was found and read.') }),
  counted: object({ counted: oneOrMore(name).describe('Whether any of these sources has severity counts.') }),
  findings: object({
    findings: oneOrMore(name).describe(
      'The number of findings in these sources: of one role the highest, of several roles the sum, repeated findings once.',
    ),
    severity: SEVERITY.optional().describe('Only findings of this severity.'),
  }),
  count: object({
    count: filledText.describe('evidence.list: the number of its items.'),
    where: recordOf(text).optional().describe('Only items with these values in their fields.'),
    below: number.optional().describe('Only items with a score below their own threshold, or else below this number.'),
    change: word('new', 'net')
      .optional()
      .describe('Since the last revision: the number of new items, or of items gone minus new ones. Absent in the first round.'),
  }),
});

export type FactSpec = Infer<typeof factSpec>;

const test = either(text, number, flag, listOf(text, 1)).describe(
  'absent, present, a word or several, a flag, a number, or a comparison such as ">=7", "<cap", ">=target".',
);

export type Test = Infer<typeof test>;

const when = recordOf(test, name);

/** Tests of the loop's facts and of `round`. Every one must hold. */
export type When = Infer<typeof when>;

const textOrNumber = either(text, number);

const setValue = either(
  text,
  number,
  flag,
  kindOf({
    step: object({
      step: name.describe('The fact that decides.'),
      at: number.describe('The threshold.'),
      below: textOrNumber.describe('The value if the fact is below `at`, or absent.'),
      else: textOrNumber.describe('The value from `at` on.'),
    }),
    linear: object({
      linear: recordOf(number, name).describe('Facts and their weights; an absent fact adds nothing.'),
      base: number.describe('The start value of the sum.'),
      within: pairOf(number).describe('The lowest and highest result.'),
    }),
  }),
);

export type SetValue = Infer<typeof setValue>;

const repair = object({
  id: ruleId.describe('The id of the anomaly.'),
  when: when.describe('Every test must hold.'),
  set: recordOf(setValue, name).optional().describe('New values of facts: a constant, a step or a linear sum.'),
  error: object({ message: filledText, hint: filledText }).optional().describe('Stops with this message instead of a verdict.'),
  why: filledText.describe('The text of the anomaly: what was unexpected, and how it is handled.'),
});

/** Replaces missing or contradictory facts. Repairs run in order, and each that applies is reported as an anomaly with its id. */
export type Repair = Infer<typeof repair>;

const row = object({
  id: ruleId.describe('Never change it: reports, tests and scripts use it.'),
  when: when.optional().describe('Every test must hold. Left out in the last row.'),
  then: OUTCOME.describe('The outcome of the verdict.'),
  why: filledText.describe('The reason of the verdict.'),
  next: filledText.describe('The next step; may use {tasks}, {options} and {chain}.'),
  waiver: filledText
    .optional()
    .describe('Why this row may approve without clean evidence. The verdict is marked unverified; with --strict it escalates.'),
  anomaly: filledText.optional().describe('An anomaly to report when this row decides.'),
  asks: word('judge-changed')
    .optional()
    .describe(
      'The question of an escalation by this row, in a run with a command; judge-changed: may the tests change? Default: the one in ask.',
    ),
});

export type Row = Infer<typeof row>;

/** Outcomes that must never follow from certain facts. `umpire check` proves it; judging does not use it. */
const promise = object({
  id: ruleId.describe('Its id, for complaints.'),
  when: when.describe('Tests of the raw facts, before any repair.'),
  never: listOf(word('converge', 'revise', 'accept', 'escalate', 'approved'), 1).describe(
    'Forbidden outcomes. approved: converge or accept without a waiver.',
  ),
  why: filledText.describe('Why these outcomes are forbidden.'),
});

const direction = word('higher', 'lower');
export type Direction = Infer<typeof direction>;

const progress = recordOf(direction, name);

/** `{score: higher, regressions: lower}`. */
export type Progress = Infer<typeof progress>;

const task = object({
  id: filledText.describe('Needs {round}, {next} or {mend}, and with `each` also {n}.'),
  title: filledText.describe('A short title.'),
  description: filledText.describe('The instructions; may use {findings}, {files}, {critic}, {lowest} and facts.'),
  without: filledText.optional().describe('The description if there is no finding.'),
  role: filledText.describe('The role that does it.'),
  after: word('critic', 'previous').describe("Its dependencies: the critic's task, or all tasks created before it."),
  each: word('file').optional().describe('One task for each file with Critical or High findings.'),
  recheck: flag
    .optional()
    .describe("The critic's next run, on which tasks that depended on the critic's task depend. Exactly one task, and the last."),
  set: recordOf(text).optional().describe('Other columns of its row.'),
  copy: listOf(filledText).optional().describe("Columns copied from the critic's row."),
  file: sessionPath.optional().describe('Also written as JSON at this path.'),
  acceptance: filledText.optional().describe('The acceptance criterion in that JSON.'),
});

/** A task that a revision creates. */
export type TaskTemplate = Infer<typeof task>;

const outcomes = listOf(OUTCOME, 1);

const plainBlocks = {
  findings: object({
    findings: listOf(SEVERITY, 1).describe('The findings of these severities.'),
    label: filledText.optional().describe('The start of each line, also of the line for an empty list.'),
  }),
  list: object({
    list: filledText.describe('evidence.list: a line for each item.'),
    line: filledText.describe("May use {n} and the item's fields."),
    label: filledText.optional().describe('The start of the line for an empty list.'),
  }),
  table: object({
    table: filledText.describe('evidence.list: a row for each item.'),
    columns: recordOf(filledText).describe("The heading and the text of each column; a text may use the item's fields."),
  }),
  tasks: object({
    tasks: filledText.describe('A line for each new task; may use {n} and its columns.'),
    role: filledText.optional().describe('Only tasks of this role.'),
  }),
  history: object({
    history: filledText.describe('A line for each round; may use {round}, {decision}, {counts}, {fixed} and facts.'),
  }),
  unresolved: object({ unresolved: word(true).describe('Open Critical and High findings.') }),
  options: object({ options: word(true).describe("A person's options.") }),
  reasons: object({ reasons: word(true).describe('Rule, reason, worst findings, waivers, anomalies and evidence.') }),
};

/** One block under a report heading: a line, or a list that prints `none` if it is empty. */
export type Block =
  | string
  | Infer<(typeof plainBlocks)[keyof typeof plainBlocks]>
  | { readonly when: readonly Outcome[]; readonly lines: readonly Block[] };

const block: Schema<Block> = later('block', () => someBlock);
const someBlock = either(
  filledText,
  kindOf({ ...plainBlocks, when: object({ when: outcomes.describe('For these outcomes only.'), lines: listOf(block, 1) }) }),
);

export interface ReportSection {
  readonly heading: string;
  readonly blocks: readonly Block[];
  readonly sections?: readonly ReportSection[];
}

export interface SectionInput {
  readonly heading: string;
  readonly blocks?: readonly Block[];
  readonly sections?: readonly SectionInput[];
}

const section: Schema<ReportSection, SectionInput> = later('section', () => someSection);
const someSection = object({
  heading: filledText.describe('Its heading.'),
  blocks: listOf(block).default([]).describe('Its lines.'),
  sections: listOf(section).optional().describe('Sections inside it.'),
});

const roundSource = kindOf({
  file: object({
    file: sessionPath.describe('A JSON file.'),
    at: filledText.describe('The path in it, such as rounds.{chain}.'),
  }),
  id: object({ id: word(true).describe("The number in the critic's task id.") }),
  column: object({ column: filledText.describe("A column of the critic's row.") }),
  finished: object({ finished: filledText.describe('The highest {n} of finished tasks with such an id.') }),
});

export type RoundSource = Infer<typeof roundSource>;

const notice = object({ id: ruleId, why: filledText });
export type Notice = Infer<typeof notice>;

/** The keys of the rules, in the order of a file. */
export const LOOP_FIELDS = {
  loop: textLike(/^[a-z][a-z0-9-]{0,40}$/, 'lower-case letters, digits and -').describe('Its name.'),
  title: filledText.describe('A sentence for people.'),
  roles: object({ generator: filledText, critic: filledText, judge: filledText }).describe(
    "Values of the role column; judge names the judge's prompt, roles/<loop>/<judge>.md.",
  ),
  words: object({ converge: filledText, revise: filledText, accept: filledText, escalate: filledText }).describe(
    'Your word for each outcome.',
  ),
  chain: either(
    word('session', 'id'),
    object({
      column: filledText.describe("The column of the critic's row that names the chain."),
      what: filledText.describe('The plural name of the chains.'),
      choose: flag.optional().describe('The caller chooses the chain with --layer.'),
    }),
  ).describe("The unit that counts rounds: the session, the family of the critic's task id, or a column of its row."),
  round: object({
    first: word(0, 1).describe('0: rounds count revisions. 1: rounds count reviews.'),
    counts: filledText.describe('The meaning of a round, for people.'),
    from: listOf(roundSource).default([]).describe('Other places that state the round; they can only raise it.'),
    unclear: notice.optional().describe('The anomaly if nothing states the round of a new chain.'),
    corrupt: notice.optional().describe('The anomaly if a source of the round cannot be read.'),
  }).describe('How rounds are counted.'),
  cap: object({
    default: wholeFrom(1, HIGHEST_CAP).describe('The highest round.'),
    from: oneOrMore(object({ file: sessionPath, at: filledText }))
      .optional()
      .describe('JSON files that may set it, read by the first verdict; the first that does counts.'),
  }).describe('The limit on rounds; frozen by the first verdict.'),
  target: object({ default: number, column: filledText, what: filledText })
    .optional()
    .describe('A number from 0 to 100 to compare with, from a column.'),
  columns: object({ in: listOf(filledText).default([]), out: listOf(filledText).default([]) }).describe(
    'Columns of tasks.csv beside the common ones: inputs and outputs of a task.',
  ),
  evidence: recordOf(evidenceSource, name).describe('The evidence that the critic leaves, by name.'),
  facts: recordOf(factSpec, name).describe('The facts that the rules can test.'),
  agree: object({ sources: listOf(name, 2), id: ruleId, why: filledText })
    .optional()
    .describe('Sources whose severity counts should agree; {detail} is the difference.'),
  repairs: listOf(repair, 0, 200).default([]).describe('Rules that replace missing or contradictory facts, in order.'),
  table: listOf(row, 1, 500).describe('The first row that matches decides.'),
  promises: listOf(promise, 1)
    .optional()
    .describe('Outcomes that must never happen, whatever repairs and rows do. `umpire check` proves it.'),
  progress: progress
    .optional()
    .describe('Facts that measure the progress of rounds, and which direction is better. The trend uses them and the findings.'),
  worse: when.optional().describe('If these tests hold, the round made things worse: its work is reverted, unless the verdict converges.'),
  tasks: listOf(task).default([]).describe('The tasks that a revision adds to tasks.csv.'),
  planned: object({ skip: filledText.describe('The reason for skipping them; may use {rule}.') })
    .optional()
    .describe('Revision tasks may exist in advance: a revision uses them, a convergence skips them.'),
  unwritable: object({ id: ruleId, why: filledText, next: filledText })
    .optional()
    .describe('The verdict if tasks cannot be written; may use {error} and {options}.'),
  report: listOf(section, 1).describe('The report, heading by heading.'),
  ask: object({
    question: filledText.describe('The question to a person.'),
    options: listOf(object({ id: word(...QUESTIONS.escalation.answers), means: filledText }), 1),
  }).describe('The question to a person after an escalation.'),
};

export const LOOP = object(LOOP_FIELDS);

/** The rules of a loop. */
export type Loop = Infer<typeof LOOP>;

/** The rules in a journal: every case ends in a row, so the last one has no `when`. */
export const FROZEN_LOOP = LOOP.where(({ table }) => table.at(-1)?.when === undefined, 'a loop whose last row has no "when"');
