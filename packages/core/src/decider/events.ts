// The events of a session, as the journal stores them: each declared once, as a schema that gives its type and the check of what is read
// from a journal. Agents can write to the session folder, so even a line with a valid hash may contain anything. An event never changes
// its meaning: a new meaning is a new event or a new version. What follows from events by rule (skipped tasks, questions, next steps) is
// derived from the state and not recorded, so a journal that was cut off anywhere is still consistent.

import { EVIDENCE_STATES, FROZEN_LOOP } from '../loops/loop.js';
import { ANOMALY, CELLS, DAMAGE, FALLEN_COVERAGE, FINDING, GRADE, VERDICT } from '../model/vocabulary.js';
import { RUN_SETTINGS, optionSchema } from '../model/options.js';
import type { Option, SettingValues } from '../model/options.js';
import { USAGE } from '../model/ports.js';
import { ANSWER_NAMES, ANSWER_WAYS } from '../model/questions.js';
import { either, flag, listOf, number, object, orNull, recordOf, text, whole, word } from '../model/schema.js';
import type { Infer, Schema } from '../model/schema.js';

/** The version of journal lines. */
export const JOURNAL_VERSION = 1;

const texts = listOf(text);
/** By path: the hash of a file's content, or null if there is no file. */
const hashes = recordOf(orNull(text));
const via = word(...ANSWER_WAYS);
const isTrue = word(true);

/** The changes that a verdict makes in the session folder. They can be applied twice without harm. */
const effects = object({
  /** Rows to append to tasks.csv. */
  add: listOf(CELLS),
  /** Cells to change, by task id. */
  set: recordOf(CELLS),
  files: listOf(object({ path: text, text })),
});
export type Effects = Infer<typeof effects>;

/** One piece of evidence as a verdict found it, before a substitute (`else`) was used. */
const recordedEvidence = object({
  state: word(...EVIDENCE_STATES),
  /** A path without a hash: the file could not be read, or no fact uses it and it was too large to keep. */
  path: text.optional(),
  /** The bytes are in `blobs/<sha256>`. For a row of tasks.csv they follow from the journal itself. */
  sha256: text.optional(),
  grade: GRADE.optional(),
  /** Why the file could not be read, without its path. */
  problem: text.optional(),
});
export type RecordedEvidence = Infer<typeof recordedEvidence>;

/** The other inputs of a verdict, so that `umpire replay` can repeat it from the journal and the blobs alone. */
const recordedContext = object({
  /** The critic's task, by id. */
  critic: orNull(text),
  /** tasks.csv before the verdict: its text, the hash of a blob if it is long, or `journal` if it follows from the journal. */
  tasks: orNull(either(text, object({ sha256: text }), object({ journal: isTrue }))),
  /** Anomalies found before the evidence was read. */
  anomalies: listOf(ANOMALY),
  exhibits: recordOf(recordedEvidence),
  /** The error that kept the verdict's tasks from being written. */
  unwritable: orNull(text),
  /** The rules, if the journal has not frozen them yet: a partial verdict before the first decided one. */
  rules: orNull(FROZEN_LOOP),
  /** The round that others stated last in a state file. Umpire writes there too, after each verdict. */
  state: number.optional(),
  /** By id: the cells of tasks that a person declared done elsewhere (`--round`). `tasks` has them already. */
  elsewhere: recordOf(CELLS).optional(),
});
export type RecordedContext = Infer<typeof recordedContext>;

const trendInputs = object({
  /** A revision of a stalled chain becomes an escalation. */
  stop: flag,
  /** The files changed since the previous verdict; null if unknown. */
  touched: orNull(texts),
  /** The `seq` of the verdict that the lists were compared with; null: none. Missing: the last verdict, if it was a revision. */
  against: orNull(whole).optional(),
  /** The `seq` of earlier verdicts of the chain whose work was reverted. */
  undone: listOf(whole).optional(),
});
export type TrendInputs = Infer<typeof trendInputs>;

const verdictGiven = object({
  /** Identifies the evidence: the same evidence gets the same verdict. */
  key: text,
  strict: flag,
  /** The chain's target, if its loop has one. */
  target: orNull(number),
  verdict: VERDICT,
  /** The facts after the repairs. */
  facts: recordOf(orNull(either(text, number, flag))),
  /** Names in lists that a later verdict compares with. */
  lists: recordOf(texts),
  report: text,
  effects,
  scene: recordedContext,
  /** Missing: the verdict has no trend. */
  course: trendInputs.optional(),
});
export type VerdictGiven = Infer<typeof verdictGiven>;

const findingRuled = object({
  ruling: word('dismissed'),
  /** As its last verdict lists it. The ruling holds for its fingerprint. */
  finding: FINDING,
  /** The `seq` of that verdict. */
  verdict: whole,
  reason: text,
  /** How it was dismissed: `dismiss`. */
  by: text,
  who: text.optional(),
  via: via.optional(),
});
export type FindingRuled = Infer<typeof findingRuled>;

/** `round` is one higher after a revision. */
const chainProgress = object({
  chain: text,
  round: whole,
  /** Its last verdict did not approve it. */
  open: flag,
  target: number.optional(),
});
export type ChainProgress = Infer<typeof chainProgress>;

type RecordedSettings = SettingValues<typeof RUN_SETTINGS>;

const recordedSettings = Object.fromEntries(
  Object.entries(RUN_SETTINGS).map(([name, row]: [string, Option]) => {
    const value = optionSchema(row);
    return [name, row.setting?.usual === null ? orNull(value) : value];
  }),
) as unknown as { readonly [Name in keyof RecordedSettings]: Schema<RecordedSettings[Name]> };

/** The settings of a run. A person may change them with flags when it is resumed. */
const runSettings = object({
  /** The agent of each role; `*` for all other roles. */
  agents: CELLS,
  /** By role, or `*`: agents that take over, in this order, while the plan of the agent before is used up. */
  fallbacks: recordOf(texts).optional(),
  /** The generator's agent from this round on. */
  stronger: object({ agent: text, fromRound: whole }).optional(),
  /** The program of the agent named `command`. */
  agentCommand: orNull(text),
  /** Plans are approved without asking. */
  yes: flag,
  ...recordedSettings,
});
export type RunSettings = Infer<typeof runSettings>;

/** The issue or pull request that a session is about. Its texts are foreign: data, never instructions. */
const forgeTopic = object({
  kind: word('issue', 'pull request'),
  /** `owner/name`. */
  repository: text,
  number: whole,
  url: text,
  title: text,
  author: text,
  text,
  /** Unresolved review comments: findings of the first round. */
  comments: listOf(FINDING),
});
export type ForgeTopic = Infer<typeof forgeTopic>;

/** What the workers of a fleet need, as it was when the session began. Hashes name blobs. */
const fleetSession = object({
  /** The git remote that conductor and workers share; empty without one. */
  remote: text,
  /** The project's folder in the repository, with slashes; empty: the root. */
  folder: text,
  /** Labels that every worker of the session needs. */
  needs: texts,
  /** Whose session it is; tenants share the workers evenly. */
  tenant: text,
  /** The settings as JSON. */
  settings: text,
  /** By role: its text. */
  roles: recordOf(object({ path: text, sha256: text })),
});
export type FleetSession = Infer<typeof fleetSession>;

const sessionStarted = object({
  session: text,
  loop: text,
  goal: text,
  /** The folders of the project and of a custom loop file. */
  project: text,
  loopFolder: orNull(text),
  mode: text,
  /** Why this mode was chosen, for people. */
  why: text,
  /** The critic's role. */
  critic: text,
  /** False: no critic of this mode is judged, and the session ends as complete and unverified. */
  judged: flag,
  columns: texts,
  rows: listOf(CELLS),
  /** Tasks whose result a person must approve before the session continues. */
  gates: texts,
  /** Roles whose tasks change the project's files. */
  writers: texts,
  /** By role: its output columns and what they contain. Missing: every role may fill every column. */
  outputs: recordOf(recordOf(either(word('text', 'number'), texts))).optional(),
  settings: runSettings,
  /** The frozen rules. They are part of this line, so that a session never exists without them. */
  frozen: object({
    hash: text,
    rules: FROZEN_LOOP,
    cap: whole,
    chains: texts,
    /** By chain, if the loop has a target. */
    targets: recordOf(number),
  }).optional(),
  /** Null if there is no project to change. */
  workspace: orNull(
    object({
      kind: word('git', 'snapshot'),
      branch: text,
      base: text,
      /** The base holds uncommitted changes of the person: the last commit below it, and the files, at most 50. */
      included: object({ parent: text, files: texts }).optional(),
    }),
  ),
  /** The command of the `until` loop. */
  command: text.optional(),
  /** The report that the command writes, if the person names one. */
  report: text.optional(),
  /** W4: a person takes the exit status of the command as it is, although it may hide a failure. */
  trustsExitStatus: isTrue.optional(),
  /** A2: a person lets agents change the tests that the command is to make pass. */
  allowsTestEdits: isTrue.optional(),
  topic: forgeTopic.optional(),
  /** Only for a session that a fleet runs. */
  fleet: fleetSession.optional(),
});
export type SessionStarted = Infer<typeof sessionStarted>;

/** What the guard found in a task's work: a change that weakens tests, or a note. */
const breach = object({
  rule: text,
  file: text,
  line: number,
  message: text,
  /** What was reverted before the work was committed; null: it was only reported. */
  taken: orNull(word('hunk', 'file')),
  /** For people to look at, never reverted. Absent: a breach. */
  level: word('note').optional(),
});
export type Breach = Infer<typeof breach>;

const retrialRun = object({
  /** `base`, `old tests, new code`, `new tests, new code` or `new tests, old code`. */
  tree: text,
  commit: text,
  /** The person's command, or the runners that Umpire called. */
  command: text,
  /** Null: it could not run, or did not end in time. */
  passed: orNull(flag),
  exit_status: orNull(number),
  /** Null: only the exit status is known. */
  tests: orNull(object({ passed: whole, failed: whole, skipped: whole })),
  started: text,
  duration_ms: number,
  problem: orNull(text),
});
export type RetrialRun = Infer<typeof retrialRun>;

/** The retrial of a change: the base's tests on the new code, and more runs where that left a question. */
const retrial = object({
  /** Why it says nothing, or not all; null where it does. */
  problem: orNull(text),
  runs: listOf(retrialRun),
  /** Small defects in source that changed tests import. `kept`: both versions of the tests notice it. `lost`: only the old one does. */
  mutants: object({ found: whole, tried: whole, kept: whole, lost: whole, duration_ms: number }).optional(),
});
export type RetrialRecord = Infer<typeof retrial>;

/** The changes of an unsuccessful attempt, kept in a commit that is never merged. `files` may be cut. */
const unmergedWork = object({
  commit: text,
  files: texts,
  /** A person's work: their next attempt starts from it. */
  goesOn: flag.optional(),
  /** The content of the commit. */
  tree: text.optional(),
});
export type UnmergedWork = Infer<typeof unmergedWork>;

const attempt = { task: text, attempt: whole };

const finishedFields = {
  ...attempt,
  status: word('completed', 'failed'),
  findings: text,
  error: text,
  outputs: CELLS,
  usage: USAGE,
  /** The branch's head after the commit was merged. */
  head: text.optional(),
  files: texts.optional(),
  /** The evidence when the critic ended. */
  evidence: hashes.optional(),
  /** A built-in critic measured that evidence; it is not an agent's statement. */
  measured: flag.optional(),
  /** Of that evidence, the files that a tool run by Umpire produced. Missing: all of it. */
  measuredFiles: texts.optional(),
  /** For a writing task: what the guard found in its work. */
  breaches: listOf(breach).optional(),
  /** For a writing task: the change that the guard reverted in its work, as a commit on top of that work. `files` and `patch` may be cut. */
  reverted: object({ commit: text, files: texts, patch: text }).optional(),
  /** For a writing task that changed tests: what Umpire ran to find out what they hide. */
  retrial: retrial.optional(),
  /** For a writing task that failed. */
  left: unmergedWork.optional(),
  /** For a critic: the damage that the work before it did. */
  damage: DAMAGE.optional(),
  /** For a critic: why the built-in critic could not measure, so that an agent's word replaced its measurement. */
  unmeasured: text.optional(),
  /** A writing task that changed no file. */
  unchanged: isTrue.optional(),
  /** The agent's own id of its conversation, with which a later task can continue it. */
  conversation: text.optional(),
};

/** `commit`: what the task submitted. */
const taskFinished = object({ ...finishedFields, commit: text.optional() });
export type TaskFinished = Infer<typeof taskFinished>;

/** What an attempt used that did not finish, the work it left and its conversation. `lost`: neither could be kept. */
const stoppedFields = {
  ...attempt,
  usage: USAGE,
  left: unmergedWork.optional(),
  conversation: text.optional(),
  lost: isTrue.optional(),
};

/** The unfinished work of a writing task is kept in a commit for its next attempt. */
const waitingFields = { ...attempt, usage: USAGE, commit: text.optional(), files: texts.optional(), conversation: text.optional() };

/** Changes of tasks.csv. `told`: one sentence for each change. */
const planEditFields = { set: recordOf(CELLS), add: listOf(CELLS), columns: texts, told: texts };
const planEdit = object(planEditFields);
export type PlanEdit = Infer<typeof planEdit>;

const personAnswered = object({
  /** The key of the question it answers. `edits` for a held edit of tasks.csv. */
  key: text,
  answer: word(...ANSWER_NAMES),
  reason: text,
  rounds: whole,
  costUsd: number,
  minutes: number,
  tokens: number,
  /** How it was answered: `resolve`, `--yes`. */
  by: text,
  /** Who answered, if known: the user name on the machine, or a name that a program passes. */
  who: text.optional(),
  via: via.optional(),
  /** The new goal, for `change-goal`. */
  goal: text.optional(),
});
export type PersonAnswered = Infer<typeof personAnswered>;

/** By type: the data of the event. */
export const EVENTS = {
  /** The first line of a session that another program runs. */
  SessionObserved: object({ session: text, tasks: number }),
  /** Comes with the first verdict of a loop: from here on its rules, cap and chains are fixed. */
  RulesFrozen: object({ loop: text, hash: text, rules: FROZEN_LOOP, cap: whole, chains: texts }),
  TargetFrozen: object({ loop: text, chain: text, target: number }),
  /** A person changed the cap. */
  CapChanged: object({ loop: text, from: whole, to: whole, by: text }),
  /** A person named a chain that was not planned. It counts as planned from here on. */
  ChainNamed: object({ loop: text, chain: text, by: text }),
  /** An unplanned chain continues the rounds of these open chains. From here on they count their rounds together. */
  ChainContinued: object({ loop: text, chain: text, of: texts }),
  /** The progress of chains, found outside a journal that had lost it. */
  RoundsRecalled: object({ loop: text, chains: listOf(chainProgress) }),
  VerdictGiven: verdictGiven,
  /** A person dismissed a finding: from the next verdict on it does not count, unless it comes back with a higher severity. */
  FindingRuled: findingRuled,
  /** By path: the hash of evidence that `umpire critique` measured, for a session that another program runs. */
  EvidenceMeasured: object({ loop: text, task: text, files: CELLS }),
  /** The verdict's effects are in the folder. */
  VerdictProjected: object({ verdict: whole, results: orNull(text) }),

  /** The first line of a session that Umpire runs. The other events below belong to such sessions too. */
  SessionStarted: sessionStarted,
  /** A process starts or resumes the session. Tasks that were running before are not running any more. */
  RunBegun: object({ run: text, by: text, settings: runSettings, head: orNull(text) }),
  /** `conversation`: the agent's conversation that it continues. */
  TaskStarted: object({ ...attempt, agent: text, conversation: text.optional() }),
  /** A writing task has submitted its work, which is not merged yet. */
  TaskSubmitted: object({ ...finishedFields, commit: text }),
  TaskFinished: taskFinished,
  /** Nothing changed since the critic `of` was judged, so this critic does not run: that evidence is judged again, as a new round. */
  EvidenceRepeated: object({ ...attempt, of: text }),
  TaskAsked: object({ ...waitingFields, question: text }),
  /** The agent says that it cannot or should not do the task. A person decides; it is not retried by itself. */
  TaskBlocked: object({ ...waitingFields, reason: text }),
  /**
   * Stopped before it ended. It will run again. `givenBack`: a worker of a fleet could not run it, for a reason of its own. `cutOff`: it
   * ran out of its time or its money.
   */
  TaskInterrupted: object({
    ...stoppedFields,
    usage: USAGE.optional(),
    why: text,
    givenBack: isTrue.optional(),
    cutOff: isTrue.optional(),
  }),
  /** In a fleet: files of the session folder that an attempt changed, and what it added to the board. Hashes name blobs. */
  FolderChanged: object({ ...attempt, files: hashes, board: orNull(text) }),
  /** The model's server was overloaded or unreachable. The task is retried after `waitMs`. */
  TaskPostponed: object({ ...stoppedFields, why: text, waitMs: number }),
  /** The plan of this agent is used up. Another agent takes over, or the task waits until the plan is renewed. */
  TaskLimited: object({ ...stoppedFields, agent: text, why: text, resetsAt: orNull(text) }),
  /** The wait of a postponed task is over, or the session's minutes are used up. */
  WaitEnded: object({ task: text }),
  /** Recorded when nothing else happened for a while, so that a killed process does not lose the time it worked. Holds task counts. */
  TimePassed: object({ atWork: whole, waiting: whole }),
  TaskSkipped: object({ task: text, reason: text }),
  /** Finished tasks that run again: a critic without evidence, a plan to revise, failed tasks that a person retries. */
  TasksReopened: object({ tasks: texts, why: text }),
  /** The critic left nothing that could be judged. */
  JudgingFailed: object({ ...attempt, rule: text, message: text, hint: text }),
  /** A person's edit of tasks.csv was applied. */
  TasksEdited: planEdit,
  /** An edit that may be an agent's: a task ran since Umpire last wrote the file. `kept`: the path of the copy of the edited file. */
  EditHeld: object({ ...planEditFields, kept: text }),
  /** An edit that contradicts the session. `kept`: the path of the copy of the edited file. */
  EditRefused: object({ reason: text, kept: text }),
  /** A person was notified of a question. `by`: the notify command, if there is one. */
  PersonCalled: object({ key: text, by: text }),
  PersonAnswered: personAnswered,
  /** A person changed files in the session's worktree. */
  PersonEdited: object({ commit: text, files: texts, via: via.optional() }),
  /** Read-only tasks changed files, or somebody changed verdict pages. The changes were discarded. */
  StrayChanges: object({ wave: number, files: texts }),
  /** Work that made things worse was reverted. */
  WorkReverted: object({ verdict: number, tasks: texts, head: orNull(text), files: texts, ok: flag }),
  /** A person let the tests change: the change that the guard had reverted was merged. Not `ok`: it conflicts with later work. */
  KeptChangeTaken: object({ task: text, commit: text, head: orNull(text), files: texts, ok: flag }),
  /** Files were restored to the state before the critic's cycle, because the cycle did damage. The critic runs again on what is left. */
  DamageReverted: object({
    critic: text,
    attempt: whole,
    /** `files`: those in which tests regressed. `existing`: all that the cycle changed, but not those that it added. `cycle`: all of it. */
    unit: word('files', 'existing', 'cycle'),
    tasks: texts,
    /** The files that changed by it. */
    files: texts,
    head: orNull(text),
    tests: texts,
    coverage: FALLEN_COVERAGE,
    ok: flag,
  }),
  /** `tell`: the person still has to be notified, which `PersonCalled` with the key `end` records. */
  SessionEnded: object({ outcome: word('complete', 'failed', 'aborted'), unverified: flag, reason: text, tell: isTrue.optional() }),
};

/** The data of the events of one type. */
export type EventData<T extends keyof typeof EVENTS> = Infer<(typeof EVENTS)[T]>;

export type Event = { readonly [T in keyof typeof EVENTS]: { readonly type: T; readonly data: EventData<T> } }[keyof typeof EVENTS];

/** An event with its place in the journal. */
export type Recorded = Event & {
  readonly seq: number;
  readonly ts: string;
  /** Milliseconds since the line before, or since this process opened the journal, by a monotonic clock. Missing: `ts` tells it. */
  readonly ms?: number;
};
