// Builds the assignment of a task's agent from the journal's state.

import type { Assignment, PastRound } from '@umpire/core/model/ports.js';
import type { Finding, TaskRecord } from '@umpire/core/model/vocabulary.js';
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
import { SUSPECTED_BUG, TEST_GONE } from '@umpire/core/formats/run-result.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';

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

export function assign(input: AssignmentInput): Assignment {
  const { state, task, attempt, session, workdir, writes, roleText, before, conversation, material } = input;
  const run = state.run as RunState;
  const frozen = state.frozen.get(run.started.loop);
  const made = verdictThatMade(state, task.id);
  const outputTypes = outputTypesOf(run, task);
  return {
    session,
    loop: run.started.loop,
    goal: run.started.goal,
    ...topicOf(run),
    task: recordOf(task),
    instruction: instructionOf(task, made),
    attempt,
    round: roundOf(state, run, task),
    role: { name: task.role, text: fillRole(roleText, { session, workdir, id: task.id, layer: task.row['layer'] ?? '' }) },
    prevContext: prevContext(run, task),
    before: commitBefore(state, run, task),
    base: run.started.workspace?.base ?? null,
    changed: [...run.touched.keys()],
    check: run.started.command ?? null,
    failure: material.failure,
    diff: material.diff,
    history: task.role === run.started.critic ? [] : historyOf(state, run, task),
    commands: material.commands,
    conversation,
    budget: budgetOf(run),
    findings:
      made === undefined
        ? commentsFor(run, task)
        : findingsOfTask(made.verdict, task.id).filter((one) => one.rule !== SUSPECTED_BUG && dismissalOf(one, state.rulings) === null),
    dismissed: [...state.rulings.values()].map(({ finding, reason }) => ({ finding, reason })),
    checks: task.role === run.started.critic,
    rules: [...rulesFor(state, task, writes, before), ...material.rules],
    outputs: outputTypes === null ? (frozen?.rules.columns.out ?? []) : Object.keys(outputTypes),
    outputTypes: outputTypes ?? {},
    turns: [...insistedBefore(run, task), ...task.turns],
    interactive: task.execMode === 'interactive',
    workdir,
    writes,
    timeoutMs: run.settings.timeoutMinutes * 60_000,
  };
}

/** Without this, the agent of the next round would be blocked by the same doubt. */
function insistedBefore({ insisted }: RunState, { id, role }: TaskState): Assignment['turns'] {
  return insisted
    .filter((one) => one.role === role && one.task !== id)
    .map(({ task, text }) => ({ from: 'person', text: `${task} was blocked. Do it all the same: ${text}` }));
}

function topicOf({ started: { topic } }: RunState): Pick<Assignment, 'topic'> {
  if (topic === undefined) return {};
  const { kind, number, title, author, text } = topic;
  return { topic: { name: `${kind} #${number}`, text: `Title: ${title}\nBy: ${author}\n\n${text}` } };
}

/** The first critic of a pull request checks what people asked for there. */
function commentsFor({ started: { topic, critic } }: RunState, { role }: TaskState): readonly Finding[] {
  return role === critic ? (topic?.comments ?? []) : [];
}

/** What is left of the limits. An agent that could spend nothing would not start. */
function budgetOf({ settings: { maxCostUsd, maxTokens }, costUsd, tokens }: RunState): Assignment['budget'] {
  return {
    costUsd: maxCostUsd === null ? null : Math.max(LEAST_BUDGET_USD, maxCostUsd - costUsd),
    tokens: maxTokens === null ? null : Math.max(1, maxTokens - tokens),
  };
}

const LEAST_BUDGET_USD = 0.01;

/** Null: the loop does not say which role fills which columns, so each may fill all. */
function outputTypesOf({ started: { outputs } }: RunState, { role }: TaskState): Assignment['outputTypes'] | null {
  if (outputs === undefined) return null;
  return Object.hasOwn(outputs, role) ? (outputs[role] ?? {}) : {};
}

/** Critics are agents too: the findings that a verdict put into the description are data, and the prompt shows them as such. */
function instructionOf({ id, row }: TaskState, made: PastVerdict | undefined): string {
  const description = row['description'] ?? '';
  const listed = made === undefined ? '' : listFindings(findingsOfTask(made.verdict, id));
  return listed === '' ? description : description.replace(listed, () => 'see below.');
}

/** `{session}/artifacts/design/{id}.md`: role texts name places with placeholders. A value that could be read as more than a name is left out. */
function fillRole(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = Object.hasOwn(words, name) ? (words[name] ?? '') : '';
    return word === '' || /[`\p{C}]/u.test(word) ? whole : word;
  });
}

/** The judged rounds of its chain in which something was tried. */
function historyOf(state: SessionState, run: RunState, task: TaskState): readonly PastRound[] {
  const chain = chainThatMade(state, task.id)?.past ?? [];
  return chain.flatMap(({ verdict, scene }) => {
    const critic = findTask(run, scene?.critic ?? '');
    const work = (critic?.deps ?? []).flatMap((id) => findTask(run, id) ?? []).filter(({ role }) => role !== run.started.critic);
    const tried = work.map(({ id, row }) => `${id}: ${row['findings'] || row['error'] || 'no report'}`);
    return tried.length === 0 ? [] : [{ round: verdict.round, tried, verdict: verdict.reason }];
  });
}

function recordOf(task: TaskState): TaskRecord {
  const { id, row, wave, deps, contextFrom } = task;
  return mergeObjects(row, { deps, wave, status: shownStatus(task), id, context_from: contextFrom });
}

/** The findings of the tasks that it takes context from. Of a critic that ran again, those of its last run. */
export function prevContext(run: RunState, task: TaskState): Assignment['prevContext'] {
  const sources = new Set(task.contextFrom.map((id) => latestResult(run, id)));
  return [...sources].map((id) => ({ id, findings: findTask(run, id)?.row['findings'] ?? '' }));
}

function commitBefore(state: SessionState, run: RunState, task: TaskState): string | null {
  const rules = state.frozen.get(run.started.loop)?.rules;
  if (rules === undefined || run.started.workspace === null) return null;
  const chain = chainOfTask(rules, task);
  const mark = run.marks.findLast((one) => one.chain === chain);
  // Earlier versions reverted work after its verdict.
  return (mark === undefined ? null : (run.reverted.get(mark.seq)?.commit ?? mark.head)) ?? run.started.workspace.base;
}

/** The round of the task's chain; null if it has none. */
function roundOf(state: SessionState, run: RunState, task: TaskState): number | null {
  const rules = state.frozen.get(run.started.loop)?.rules;
  if (rules === undefined || !run.started.judged) return null;
  const chain = chainOfTask(rules, task);
  const past = decidedVerdicts(state, rules.loop, rules.chain === 'id' && task.role !== run.started.critic ? lastChain(state) : chain);
  return past.length === 0 ? rules.round.first : Math.max(rules.round.first, roundAfter(past));
}

function lastChain(state: SessionState): string {
  const last = [...state.verdicts.values()]
    .flat()
    .toSorted((a, b) => a.seq - b.seq)
    .at(-1);
  return last?.verdict.chain ?? '';
}

export function verdictThatMade(state: SessionState, id: string): PastVerdict | undefined {
  return chainThatMade(state, id)?.made;
}

/** The verdict that created this task, and all verdicts of its chain. */
function chainThatMade(state: SessionState, id: string): { readonly made: PastVerdict; readonly past: readonly PastVerdict[] } | null {
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

function rulesFor(state: SessionState, task: TaskState, writes: boolean, { isBegun, fault }: AssignmentInput['before']): readonly string[] {
  const run = state.run as RunState;
  const isAlone = run.started.workspace === null;
  const rules = [
    isAlone
      ? 'The working folder is the session folder. Put reports and artifacts into their own folders there.'
      : writes
        ? 'Change files only in the working folder. Do not commit, push or switch branches: Umpire collects your changes when you finish.'
        : 'Do not change files in the working folder: Umpire discards such changes. Put reports and artifacts into the session folder.',
    `In the session folder leave ${RESERVED_FILES_TEXT} unchanged: Umpire writes them.`,
  ];
  if (isBegun)
    rules.push(`The working folder contains the changes ${task.turns.length > 0 ? 'you made before you asked' : 'of an earlier attempt'}.`);
  if (fault !== null)
    rules.push(
      `The changes of an earlier attempt could not be reused. They stay in a worktree beside this one until you run umpire clean. ${fault}`,
    );
  if (!writes || task.role === run.started.critic) return rules;
  return [
    ...rules,
    ...(isBuiltinTesting(run.started) ? TEST_RULES : []),
    ...revertedBreaches(run),
    ...revertedRound(state, task),
    ...revertedDamage(state, task),
    ...suspectedBugs(state, task),
  ];
}

const MAX_LISTED = 5;

/** Without this the agent would do the same again. */
function revertedBreaches({ reportedBreaches: past, breaches }: RunState): readonly string[] {
  const taken = new Set([...past, ...breaches].map(({ breach }) => breach));
  const places = [...taken].map(({ rule, file, line }) => `${rule} at ${file.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')}:${line}`);
  if (places.length === 0) return [];
  const more = places.length - MAX_LISTED;
  const named = `${places.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [`The guard reverted earlier work of this session: ${named}. Find another way.`];
}

/** Whoever reads them as findings to fix would change the tests until they pass. */
function suspectedBugs(state: SessionState, task: TaskState): readonly string[] {
  // The findings of the verdict that made the task.
  const { id } = task;

  const names = (chainThatMade(state, id)?.made.verdict.findings ?? [])
    .filter(({ rule, dimension }) => rule === SUSPECTED_BUG && dimension !== TEST_GONE)
    .map(({ message }) => message.slice(0, 200));
  if (names.length === 0) return [];
  const more = names.length - MAX_LISTED;
  const named = `${names.slice(0, MAX_LISTED).join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [`These new tests fail and show suspected bugs: ${named}. Correct such a test only if the test itself is wrong.`];
}

/** What was reverted before the verdict that made this task. Its findings are about what is left. */
function revertedDamage(state: SessionState, { id }: TaskState): readonly string[] {
  const run = state.run as RunState;
  const reverts = findTask(run, chainThatMade(state, id)?.made.scene?.critic ?? '')?.reverts ?? [];
  return reverts.filter(({ ok, files }) => ok && files.length > 0).map((revert) => `${describeRevert(revert)} Find another way.`);
}

/** The findings are those of the reverted round, so some of them are gone with it. */
function revertedRound(state: SessionState, { id }: TaskState): readonly string[] {
  const isUndone = chainThatMade(state, id)?.past.some(({ seq }) => state.run?.reverted.get(seq)?.ok === true) ?? false;
  return isUndone
    ? [
        'An earlier round of this work made things worse, so Umpire reverted it. Some findings may be about what it broke. Find another way.',
      ]
    : [];
}
