// Builds the assignment of a task's agent from the journal's state.

import type { Assignment, PastRound } from '@umpire/core/model/ports.js';
import { decidedVerdicts, latestResult } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import { listFindings } from '@umpire/core/formats/finding-text.js';
import { findingsOfTask } from '@umpire/core/decider/plan-tasks.js';
import { dismissalOf } from '@umpire/core/decider/rulings.js';
import { roundAfter } from '@umpire/core/decider/rounds.js';
import { isBuiltinTesting, chainOfTask, shownStatus, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { describeRevert } from '@umpire/core/decider/revert-words.js';
import { RESERVED_FILES_TEXT } from '@umpire/core/formats/reserved-files.js';
import { DROPPED_TEST, isToMend, SUSPECTED_BUG, TEST_GONE } from '@umpire/core/formats/run-result.js';
import type { FailureClass } from '@umpire/core/formats/run-result.js';
import { own } from '@umpire/core/formats/json-text.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';
import type { Loop } from '@umpire/core/loops/loop.js';

export interface AssignmentInput {
  readonly state: SessionState;
  readonly task: TaskState;
  readonly attempt: number;
  readonly session: string;
  readonly workdir: string;
  readonly writes: boolean;
  readonly roleText: string;
  /** Whether the working folder contains work of an earlier attempt, and why such work could not be reused. */
  readonly before: { readonly isBegun: boolean; readonly fault: string | null };
  /** The agent's conversation that the task continues. */
  readonly conversation: string | null;
  readonly material: Material;
}

/** Facts for a task that are not in the journal's state: from the project, its repository and the evidence. */
export interface Material extends Pick<Assignment, 'commands' | 'failure' | 'diff'> {
  /** Which files its tests belong in, one sentence each. */
  readonly rules: readonly string[];
}

export const NO_MATERIAL: Material = { commands: [], failure: '', diff: '', rules: [] };

/** An agent that could spend nothing would not start. */
const LEAST_BUDGET_USD = 0.01;

export function assign(input: AssignmentInput): Assignment {
  const { state, task, attempt, session, workdir, writes, roleText, before, conversation, material } = input;
  const run = state.run as RunState;
  const { started, settings } = run;
  const { topic } = started;
  const { maxCostUsd, maxTokens, timeoutMinutes } = settings;
  const rules = state.frozen.get(started.loop)?.rules;
  const isCritic = task.role === started.critic;
  const origin = chainThatMade(state, task.id);
  const found = origin === null ? [] : findingsOfTask(origin.made.verdict, task.id);
  const description = task.row['description'] ?? '';
  // Critics are agents too: the findings that a verdict put into the description are data, and the prompt shows them as such.
  const listed = listFindings(found);
  // Null: the loop does not say which role fills which columns, so each may fill all.
  const outputTypes = started.outputs === undefined ? null : (own(started.outputs, task.role) ?? {});
  // Without these, the agent of the next round would be blocked by the same doubt.
  const insisted = run.insisted
    .filter((one) => one.role === task.role && one.task !== task.id)
    .map(({ task: id, text }) => ({ from: 'person', text: `${id} was blocked. Do it all the same: ${text}` }) as const);
  const named: Readonly<Record<string, string>> = { session, workdir, id: task.id, layer: task.row['layer'] ?? '' };
  // `{session}/artifacts/design/{id}.md`. A value that could be read as more than a name is left out.
  const role = roleText.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = own(named, name) ?? '';
    return word === '' || /[`\p{C}]/u.test(word) ? whole : word;
  });
  return {
    session,
    loop: started.loop,
    goal: started.goal,
    ...(topic === undefined
      ? {}
      : { topic: { name: `${topic.kind} #${topic.number}`, text: `Title: ${topic.title}\nBy: ${topic.author}\n\n${topic.text}` } }),
    task: mergeObjects(task.row, {
      deps: task.deps,
      wave: task.wave,
      status: shownStatus(task),
      id: task.id,
      context_from: task.contextFrom,
    }),
    instruction: listed === '' ? description : description.replace(listed, () => 'see below.'),
    attempt,
    round: rules === undefined || !started.judged ? null : findRound(state, rules, task, isCritic),
    role: { name: task.role, text: role },
    prevContext: prevContext(run, task),
    before: rules === undefined ? null : findCommitBefore(run, rules, task),
    base: started.workspace?.base ?? null,
    changed: [...run.touched.keys()],
    check: started.command ?? null,
    failure: material.failure,
    diff: material.diff,
    history: isCritic || origin === null ? [] : listHistory(run, origin.past),
    commands: material.commands,
    conversation,
    // What is left of the limits.
    budget: {
      costUsd: maxCostUsd === null ? null : Math.max(LEAST_BUDGET_USD, maxCostUsd - run.costUsd),
      tokens: maxTokens === null ? null : Math.max(1, maxTokens - run.tokens),
    },
    findings:
      origin === null
        ? // The first critic of a pull request checks what people asked for there.
          (isCritic && topic?.comments) || []
        : found.filter((one) => isToMend(one) && dismissalOf(one, state.rulings) === null),
    dismissed: [...state.rulings.values()].map(({ finding, reason }) => ({ finding, reason })),
    checks: isCritic,
    rules: [
      ...describePlace(run, task, writes, before),
      ...(writes && !isCritic ? describePast(run, task, origin) : []),
      ...material.rules,
    ],
    outputs: outputTypes === null ? (rules?.columns.out ?? []) : Object.keys(outputTypes),
    outputTypes: outputTypes ?? {},
    turns: [...insisted, ...task.turns],
    interactive: task.execMode === 'interactive',
    workdir,
    writes,
    timeoutMs: timeoutMinutes * 60_000,
  };
}

/** The judged rounds of a chain in which something was tried. */
function listHistory(run: RunState, past: readonly PastVerdict[]): readonly PastRound[] {
  return past.flatMap(({ verdict, scene }) => {
    const critic = findTask(run, scene.critic ?? '');
    const work = (critic?.deps ?? []).flatMap((id) => findTask(run, id) ?? []).filter(({ role }) => role !== run.started.critic);
    const tried = work.map(({ id, row }) => `${id}: ${row['findings'] || row['error'] || 'no report'}`);
    return tried.length === 0 ? [] : [{ round: verdict.round, tried, verdict: verdict.reason }];
  });
}

/** The findings of the tasks that it takes context from. Of a critic that ran again, those of its last run. */
export function prevContext(run: RunState, task: TaskState): Assignment['prevContext'] {
  const sources = new Set(task.contextFrom.map((id) => latestResult(run, id)));
  return [...sources].map((id) => ({ id, findings: findTask(run, id)?.row['findings'] ?? '' }));
}

function findCommitBefore({ started, marks, reverted }: RunState, rules: Loop, task: TaskState): string | null {
  if (started.workspace === null) return null;
  const chain = chainOfTask(rules, task);
  const mark = marks.findLast((one) => one.chain === chain);
  return (mark === undefined ? null : (reverted.get(mark.seq)?.commit ?? mark.head)) ?? started.workspace.base;
}

/** The round of the task's chain. */
function findRound(state: SessionState, rules: Loop, task: TaskState, isCritic: boolean): number {
  const isOfLast = rules.chain === 'id' && !isCritic;
  const last = isOfLast ? [...state.verdicts.values()].flat().toSorted((a, b) => b.seq - a.seq)[0] : undefined;
  const past = decidedVerdicts(state, rules.loop, isOfLast ? (last?.verdict.chain ?? '') : chainOfTask(rules, task));
  return past.length === 0 ? rules.round.first : Math.max(rules.round.first, roundAfter(past));
}

interface TaskOrigin {
  readonly made: PastVerdict;
  readonly past: readonly PastVerdict[];
}

/** The verdict that created this task, and all verdicts of its chain. */
export function chainThatMade(state: SessionState, id: string): TaskOrigin | null {
  for (const past of state.verdicts.values()) {
    const made = past.find(({ verdict }) => verdict.tasks.some((task) => task.id === id));
    if (made !== undefined) return { made, past };
  }
  return null;
}

const TEST_RULES: readonly string[] = [
  'Change only test files, their fixtures and snapshots. Never change source, or the configuration of tests, coverage, lint or types.',
  'Do not delete, rename away, skip or disable a passing test, and do not weaken an assertion.',
  'Every new test checks the result of the code it runs. A test that checks nothing is reverted.',
  'Use no @ts-ignore, @ts-expect-error, "as any", coverage-ignore comments, nor skip, todo or only marks.',
];

function describePlace({ started }: RunState, task: TaskState, writes: boolean, { isBegun, fault }: AssignmentInput['before']) {
  const rules = [
    started.workspace === null
      ? 'The working folder is the session folder. Put reports and artifacts into their own folders there.'
      : writes
        ? 'Change files only in the working folder. Do not commit, push or switch branches: Umpire collects your changes when you finish.'
        : 'Do not change files in the working folder: Umpire discards such changes. Put reports and artifacts into the session folder.',
    `In the session folder leave ${RESERVED_FILES_TEXT} unchanged: Umpire writes them.`,
  ];
  const { stopped } = task;
  const why = stopped === null ? '' : ` It was stopped before it was done: ${onePlainLine(stopped.why)}`;
  if (isBegun)
    rules.push(
      `The working folder contains the changes ${task.turns.length > 0 ? 'you made before you asked' : 'of an earlier attempt'}.${why}`,
    );
  if (stopped?.isLost === true)
    rules.push(
      `${isBegun ? 'What the last attempt added' : 'What an earlier attempt changed'} could not be kept: it is not in the working folder, and its conversation does not go on. Do it anew.${isBegun ? '' : why}`,
    );
  if (fault !== null)
    rules.push(
      `The changes of an earlier attempt could not be reused. They stay in a worktree beside this one until you run umpire clean. ${fault}`,
    );
  return rules;
}

const MAX_WHY = 300;

function onePlainLine(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_WHY);
}

const MAX_LISTED = 5;

function listSome(names: readonly string[], separator: string): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What became of earlier work. Without this, the agent would do the same again. */
function describePast(run: RunState, { kept }: TaskState, origin: TaskOrigin | null): readonly string[] {
  const taken = new Set([...run.reportedBreaches, ...run.breaches].map(({ breach }) => breach));
  const places = [...taken].map(({ rule, file, line }) => `${rule} at ${file.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')}:${line}`);
  const rules = isBuiltinTesting(run.started) ? [...TEST_RULES] : [];
  if (places.length > 0) rules.push(`The guard reverted earlier work of this session: ${listSome(places, ', ')}. Find another way.`);
  if (origin === null) return rules;
  // The findings are those of the reverted round, so some of them are gone with it.
  if (origin.past.some(({ seq }) => run.reverted.get(seq)?.ok === true))
    rules.push(
      'An earlier round of this work made things worse, so Umpire reverted it. Some findings may be about what it broke. Find another way.',
    );
  // Its agent may believe in work that is not there.
  for (const id of findTask(run, origin.made.scene.critic ?? '')?.deps ?? []) {
    const { status = '', kept: left = null } = findTask(run, id) ?? {};
    if (status !== 'failed' || left === null || left.commit === kept?.commit) continue;
    rules.push(`${id} ended before it was done. Its changes were dropped: nothing of them is in the working folder.`);
  }
  // What was reverted before the verdict. Its findings are about what is left.
  for (const revert of findTask(run, origin.made.scene.critic ?? '')?.reverts ?? [])
    if (revert.ok && revert.files.length > 0) rules.push(`${describeRevert(revert)} Find another way.`);
  // Whoever reads them as findings to fix would change the tests until they pass.
  const suspected = origin.made.verdict.findings
    .filter(({ rule, dimension }) => rule === SUSPECTED_BUG && dimension !== TEST_GONE)
    .map(({ message }) => message.slice(0, 200));
  if (suspected.length > 0)
    rules.push(
      `These new tests fail and show suspected bugs: ${listSome(suspected, '; ')}. Correct such a test only if the test itself is wrong.`,
    );
  const dropped = origin.made.verdict.findings.filter(({ rule }) => rule === DROPPED_TEST).map(({ message }) => message.slice(0, 200));
  if (dropped.length > 0)
    rules.push(`These new tests still fail by their own fault, so the result leaves them out: ${listSome(dropped, '; ')}.`);
  const classes = new Set(origin.made.verdict.findings.map(({ rule }) => rule));
  if (isBuiltinTesting(run.started))
    for (const [failure, strategy] of Object.entries(STRATEGIES)) if (classes.has(failure)) rules.push(`${failure}: ${strategy}`);
  return rules;
}

/** S1, by the class of a failure. */
const STRATEGIES: Readonly<Partial<Record<FailureClass, string>>> = {
  'assertion mismatch':
    'find out which value is right. Correct the expected value if the test is wrong; if the source is wrong, leave the test as it is.',
  'missing import': 'correct the path or the name of the import.',
  'null reference': 'set up the missing value in the test, or assert that it is there. Do not skip the check.',
  async: 'await the promise or return it. Wait for an event, not for a time.',
  mock: 'correct how the mock is set up and reset.',
  'type error': 'correct the types in the test.',
};
