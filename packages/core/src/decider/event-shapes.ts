// Checks the data of each event that is read from a journal. Agents can write to the session folder, so even a line with a valid hash may
// contain anything. Whether a line fits the lines before it is checked elsewhere.

import { either, flag, listOf, number, object, optional, orNull, recordOf, text, whole, word } from '../formats/shape.js';
import type { Shape } from '../formats/shape.js';
import { FROZEN_LOOP } from '../loops/loop.js';

const LOOP_SHAPE: Shape<Loop> = FROZEN_LOOP.findFault;
import type { FactValue, Loop } from '../loops/loop.js';
import type { Anomaly, Counts, Damage, DismissedFinding, EvidenceRef, Finding, RoleRef, TaskRecord, Verdict } from '../model/vocabulary.js';
import { RUN_SETTINGS } from '../model/options.js';
import type { Option } from '../model/options.js';
import type { Usage } from '../model/ports.js';
import { ANSWERS, ANSWER_WAYS } from '../model/questions.js';
import type {
  RetrialRecord,
  RetrialRun,
  EventData,
  FleetSession,
  TrendInputs,
  Effects,
  Event,
  RecordedEvidence,
  RecordedContext,
  ChainProgress,
  FindingRuled,
  VerdictGiven,
  Breach,
  UnmergedWork,
  ForgeTopic,
  PersonAnswered,
  RunSettings,
  SessionStarted,
  TaskFinished,
} from './events.js';

const texts = listOf(text);
const cells = recordOf(text);
const grade = word('measured', 'testified');

const finding = object<Finding>({
  severity: word('critical', 'high', 'medium', 'low'),
  message: text,
  artifact: orNull(text),
  line: orNull(number),
  endLine: optional(number),
  rule: optional(text),
  dimension: optional(text),
  fingerprint: text,
});

const anomaly = object<Anomaly>({ rule: text, message: text });

const cellOfTask = either(text, either(number, texts));
const namedOfTask = object<Pick<TaskRecord, 'id' | 'deps' | 'context_from'>>({ id: text, deps: texts, context_from: texts });
const allOfTask = recordOf(cellOfTask);
const taskRecord: Shape<TaskRecord> = (value) => namedOfTask(value) ?? allOfTask(value);

const verdict = object<Verdict>({
  loop: text,
  decision: text,
  outcome: word('converge', 'revise', 'accept', 'escalate'),
  status: word('decided', 'partial'),
  rule: text,
  reason: text,
  chain: text,
  round: whole,
  maxRounds: whole,
  unverified: flag,
  waivers: texts,
  counts: object<Counts>({ critical: number, high: number, medium: number, low: number }),
  findings: listOf(finding),
  anomalies: listOf(anomaly),
  tasks: listOf(taskRecord),
  evidence: listOf(object<EvidenceRef>({ path: text, sha256: text, grade })),
  role: object<RoleRef>({ path: text, sha256: text }),
  nextStep: text,
  trend: optional(object<NonNullable<Verdict['trend']>>({ kind: text, stop: flag, why: text })),
  worse: optional(flag),
  fates: optional(listOf(object<NonNullable<Verdict['fates']>[number]>({ fate: text, fingerprint: text, finding: text }))),
  dismissed: optional(listOf(object<DismissedFinding>({ finding, reason: text, by: text, who: optional(text), via: optional(text) }))),
});

const effects = object<Effects>({
  add: listOf(cells),
  set: recordOf(cells),
  files: listOf(object<Effects['files'][number]>({ path: text, text })),
});

const exhibit = object<RecordedEvidence>({
  state: word('ok', 'missing', 'unreadable', 'unread'),
  path: optional(text),
  sha256: optional(text),
  grade: optional(grade),
  problem: optional(text),
});

const keptTasks = either(
  object<{ readonly sha256: string }>({ sha256: text }),
  object<{ readonly journal: true }>({ journal: word(true) }),
);

const scene = object<RecordedContext>({
  critic: orNull(text),
  tasks: orNull(either(text, keptTasks)),
  anomalies: listOf(anomaly),
  exhibits: recordOf(exhibit),
  unwritable: orNull(text),
  rules: orNull(LOOP_SHAPE),
  voices: optional(word(true)),
  state: optional(number),
  elsewhere: optional(recordOf(cells)),
  version: optional(word(2)),
});

const factValue: Shape<FactValue> = orNull(either(text, either(number, flag)));

const verdictGiven = object<VerdictGiven>({
  key: text,
  strict: flag,
  target: orNull(number),
  verdict,
  facts: recordOf(factValue),
  lists: recordOf(texts),
  report: text,
  effects,
  scene: optional(scene),
  course: optional(
    object<TrendInputs>({ stop: flag, touched: orNull(texts), against: optional(orNull(whole)), undone: optional(listOf(whole)) }),
  ),
});

/** A journal from before an option was added does not have it. */
const SETTING_SHAPES = Object.fromEntries(
  Object.entries(RUN_SETTINGS).map(([name, row]: [string, Option]) => {
    const shape = row.takes.type === 'number' ? number : row.takes.type === 'flag' ? flag : text;
    return [name, optional<unknown>(row.setting?.usual === null ? orNull<unknown>(shape) : shape)];
  }),
) as Readonly<Record<keyof typeof RUN_SETTINGS, Shape<never>>>;

const settings = object<RunSettings>({
  agents: cells,
  fallbacks: optional(recordOf(texts)),
  stronger: optional(object<NonNullable<RunSettings['stronger']>>({ agent: text, fromRound: whole })),
  agentCommand: orNull(text),
  yes: flag,
  ...SETTING_SHAPES,
});

const sessionStarted = object<SessionStarted>({
  session: text,
  loop: text,
  goal: text,
  project: text,
  loopFolder: orNull(text),
  mode: text,
  why: text,
  critic: text,
  judged: flag,
  columns: texts,
  rows: listOf(cells),
  gates: texts,
  writers: texts,
  outputs: optional(recordOf(recordOf(either(word('text', 'number'), texts)))),
  settings,
  frozen: optional(
    object<NonNullable<SessionStarted['frozen']>>({ hash: text, rules: LOOP_SHAPE, cap: whole, chains: texts, targets: recordOf(number) }),
  ),
  workspace: orNull(object<NonNullable<SessionStarted['workspace']>>({ kind: word('git', 'snapshot'), branch: text, base: text })),
  command: optional(text),
  report: optional(text),
  trustsExitStatus: optional(word(true)),
  topic: optional(
    object<ForgeTopic>({
      kind: word('issue', 'pull request'),
      repository: text,
      number: whole,
      url: text,
      title: text,
      author: text,
      text,
      comments: listOf(finding),
    }),
  ),
  fleet: optional(
    object<FleetSession>({
      remote: text,
      folder: text,
      needs: texts,
      tenant: text,
      settings: text,
      roles: recordOf(object<FleetSession['roles'][string]>({ path: text, sha256: text })),
    }),
  ),
});

const usage = object<Usage>({ tokens: number, costUsd: number, unknown: optional(listOf(word('tokens', 'cost'))) });

const left = object<UnmergedWork>({ commit: text, files: texts, goesOn: optional(flag) });

const fallenCoverage = orNull(object<NonNullable<Damage['coverage']>>({ before: number, after: number }));

const retrial = object<RetrialRecord>({
  problem: orNull(text),
  mutants: optional(
    object<NonNullable<RetrialRecord['mutants']>>({ found: whole, tried: whole, kept: whole, lost: whole, duration_ms: number }),
  ),
  runs: listOf(
    object<RetrialRun>({
      tree: text,
      commit: text,
      command: text,
      passed: orNull(flag),
      exit_status: orNull(number),
      tests: orNull(object<NonNullable<RetrialRun['tests']>>({ passed: whole, failed: whole, skipped: whole })),
      started: text,
      duration_ms: number,
      problem: orNull(text),
    }),
  ),
});

const taskFinished = object<TaskFinished>({
  task: text,
  attempt: whole,
  status: word('completed', 'failed'),
  findings: text,
  error: text,
  outputs: cells,
  usage,
  commit: optional(text),
  head: optional(text),
  files: optional(texts),
  evidence: optional(recordOf(orNull(text))),
  measured: optional(flag),
  measuredFiles: optional(texts),
  breaches: optional(
    listOf(
      object<Breach>({
        rule: text,
        file: text,
        line: number,
        message: text,
        taken: orNull(word('hunk', 'file')),
        level: optional(word('note')),
      }),
    ),
  ),
  retrial: optional(retrial),
  left: optional(left),
  damage: optional(object<Damage>({ tests: texts, files: texts, coverage: fallenCoverage })),
  unmeasured: optional(text),
  unchanged: optional(word(true)),
  conversation: optional(text),
});

const submitted = object<{ readonly commit: string }>({ commit: text });

const via = word(...ANSWER_WAYS);

const personAnswered = object<PersonAnswered>({
  key: text,
  answer: word(...ANSWERS),
  reason: text,
  rounds: whole,
  costUsd: number,
  minutes: number,
  tokens: number,
  by: text,
  who: optional(text),
  via: optional(via),
  goal: optional(text),
});

const findingRuled = object<FindingRuled>({
  ruling: word('dismissed'),
  finding,
  verdict: whole,
  reason: text,
  by: text,
  who: optional(text),
  via: optional(via),
});

export const EVENT_SHAPES: { readonly [T in Event['type']]: Shape<EventData<T>> } = {
  SessionObserved: object<EventData<'SessionObserved'>>({ session: text, tasks: number }),
  RulesFrozen: object<EventData<'RulesFrozen'>>({ loop: text, hash: text, rules: LOOP_SHAPE, cap: whole, chains: texts }),
  TargetFrozen: object<EventData<'TargetFrozen'>>({ loop: text, chain: text, target: number }),
  CapChanged: object<EventData<'CapChanged'>>({ loop: text, from: whole, to: whole, by: text }),
  ChainNamed: object<EventData<'ChainNamed'>>({ loop: text, chain: text, by: text }),
  ChainContinued: object<EventData<'ChainContinued'>>({ loop: text, chain: text, of: texts }),
  RoundsRecalled: object<EventData<'RoundsRecalled'>>({
    loop: text,
    chains: listOf(object<ChainProgress>({ chain: text, round: whole, open: flag, target: optional(number) })),
  }),
  VerdictGiven: verdictGiven,
  FindingRuled: findingRuled,
  EvidenceMeasured: object<EventData<'EvidenceMeasured'>>({ loop: text, task: text, files: cells }),
  VerdictProjected: object<EventData<'VerdictProjected'>>({ verdict: whole, results: orNull(text) }),
  SessionStarted: sessionStarted,
  RunBegun: object<EventData<'RunBegun'>>({ run: text, by: text, settings, head: orNull(text) }),
  TaskStarted: object<EventData<'TaskStarted'>>({ task: text, attempt: whole, agent: text, conversation: optional(text) }),
  TaskSubmitted: (value) => submitted(value) ?? taskFinished(value),
  TaskFinished: taskFinished,
  EvidenceRepeated: object<EventData<'EvidenceRepeated'>>({ task: text, attempt: whole, of: text }),
  TaskAsked: object<EventData<'TaskAsked'>>({
    task: text,
    attempt: whole,
    question: text,
    usage,
    commit: optional(text),
    files: optional(texts),
    conversation: optional(text),
  }),
  TaskBlocked: object<EventData<'TaskBlocked'>>({
    task: text,
    attempt: whole,
    reason: text,
    usage,
    commit: optional(text),
    files: optional(texts),
    conversation: optional(text),
  }),
  TaskInterrupted: object<EventData<'TaskInterrupted'>>({
    task: text,
    attempt: whole,
    why: text,
    usage: optional(usage),
    left: optional(left),
    conversation: optional(text),
    givenBack: optional(word(true)),
  }),
  FolderChanged: object<EventData<'FolderChanged'>>({ task: text, attempt: whole, files: recordOf(orNull(text)), board: orNull(text) }),
  TaskPostponed: object<EventData<'TaskPostponed'>>({
    task: text,
    attempt: whole,
    why: text,
    waitMs: number,
    usage,
    left: optional(left),
    conversation: optional(text),
  }),
  TaskLimited: object<EventData<'TaskLimited'>>({
    task: text,
    attempt: whole,
    agent: text,
    why: text,
    resetsAt: orNull(text),
    usage,
    left: optional(left),
    conversation: optional(text),
  }),
  WaitEnded: object<EventData<'WaitEnded'>>({ task: text }),
  TimePassed: object<EventData<'TimePassed'>>({ atWork: whole, waiting: whole }),
  TaskSkipped: object<EventData<'TaskSkipped'>>({ task: text, reason: text }),
  TasksReopened: object<EventData<'TasksReopened'>>({ tasks: texts, why: text }),
  JudgingFailed: object<EventData<'JudgingFailed'>>({ task: text, attempt: whole, rule: text, message: text, hint: text }),
  TasksEdited: object<EventData<'TasksEdited'>>({ set: recordOf(cells), add: listOf(cells), columns: texts, told: texts }),
  EditHeld: object<EventData<'EditHeld'>>({ set: recordOf(cells), add: listOf(cells), columns: texts, told: texts, kept: text }),
  EditRefused: object<EventData<'EditRefused'>>({ reason: text, kept: text }),
  PersonCalled: object<EventData<'PersonCalled'>>({ key: text, by: text }),
  PersonAnswered: personAnswered,
  PersonEdited: object<EventData<'PersonEdited'>>({ commit: text, files: texts, via: optional(via) }),
  StrayChanges: object<EventData<'StrayChanges'>>({ wave: number, files: texts }),
  WorkReverted: object<EventData<'WorkReverted'>>({ verdict: number, tasks: texts, head: orNull(text), files: texts, ok: flag }),
  DamageReverted: object<EventData<'DamageReverted'>>({
    critic: text,
    attempt: whole,
    unit: word('files', 'existing', 'cycle'),
    tasks: texts,
    files: texts,
    head: orNull(text),
    tests: texts,
    coverage: fallenCoverage,
    ok: flag,
  }),
  SessionEnded: object<EventData<'SessionEnded'>>({
    outcome: word('complete', 'failed', 'aborted'),
    unverified: flag,
    reason: text,
    tell: optional(word(true)),
  }),
};
