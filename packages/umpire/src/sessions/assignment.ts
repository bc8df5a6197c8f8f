// What one task's agent is told: drawn from the journal's state, never from memory.

import type { Assignment } from '@umpire/core/ports.js';
import type { TaskRecord } from '@umpire/core/model.js';
import { decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import { roundAfter } from '@umpire/core/decider/rounds.js';
import { isBuiltinTesting, chainOfTask, shownStatus, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { RESERVED_FILES_TEXT } from '@umpire/core/formats/reserved-files.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';

export interface AssignmentInput {
  readonly state: SessionState;
  readonly task: TaskState;
  readonly attempt: number;
  readonly session: string;
  readonly workdir: string;
  readonly writes: boolean;
  readonly roleText: string;
  /** Does work of an earlier attempt lie in the working folder? If it could not be taken over: why. */
  readonly before: { readonly isBegun: boolean; readonly fault: string | null };
}

export function assign({ state, task, attempt, session, workdir, writes, roleText, before }: AssignmentInput): Assignment {
  const run = state.run as RunState;
  const frozen = state.frozen.get(run.started.loop);
  return {
    session,
    loop: run.started.loop,
    goal: run.started.goal,
    task: recordOf(task),
    attempt,
    round: roundOf(state, run, task),
    role: { name: task.role, text: roleText },
    prevContext: prevContext(run, task),
    findings: chainThatMade(state, task.id)?.made.verdict.findings ?? [],
    rules: rulesFor(state, task, writes, before),
    outputs: frozen?.rules.columns.out ?? [],
    turns: task.turns,
    interactive: task.execMode === 'interactive',
    workdir,
    writes,
    timeoutMs: run.settings.timeoutMinutes * 60_000,
  };
}

function recordOf(task: TaskState): TaskRecord {
  const { id, row, wave, deps, contextFrom } = task;
  return mergeObjects(row, { deps, wave, status: shownStatus(task), id, context_from: contextFrom });
}

/** The recorded findings of what it takes context from. */
export function prevContext(run: RunState, task: TaskState): Assignment['prevContext'] {
  return task.contextFrom.map((id) => ({ id, findings: findTask(run, id)?.row['findings'] ?? '' }));
}

/** The round of the chain that the task belongs to, where it can be told. */
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

/** The verdict that made this task, and all of its chain. */
function chainThatMade(state: SessionState, id: string): { readonly made: PastVerdict; readonly past: readonly PastVerdict[] } | null {
  for (const past of state.verdicts.values()) {
    const made = past.find(({ verdict }) => verdict.tasks.some((task) => task.id === id));
    if (made !== undefined) return { made, past };
  }
  return null;
}

const TEST_RULES: readonly string[] = [
  'Change test files, their fixtures and snapshots only; never source, nor the configuration of tests, coverage, lint or types.',
  'Do not delete, rename away, skip or disable a test that passes, and do not weaken an assertion.',
  'Every new test checks what comes of the code that it runs; one that checks nothing is taken back.',
  'Use no @ts-ignore, @ts-expect-error, "as any", coverage-ignore comments, nor skip, todo or only marks.',
];

function rulesFor(state: SessionState, task: TaskState, writes: boolean, { isBegun, fault }: AssignmentInput['before']): readonly string[] {
  const run = state.run as RunState;
  const isAlone = run.started.workspace === null;
  const rules = [
    isAlone
      ? 'The working folder is the session folder: reports and artifacts go there, into folders of their own.'
      : writes
        ? 'Change files in the working folder only. Do not commit, push or switch branches: your changes are collected when you end.'
        : 'Do not change files in the working folder: what you change there is thrown away. Reports and artifacts go into the session folder.',
    `In the session folder leave ${RESERVED_FILES_TEXT} as they are: Umpire writes them.`,
  ];
  if (isBegun)
    rules.push(`What ${task.turns.length > 0 ? 'you changed before you asked' : 'an earlier attempt changed'} lies in the working folder.`);
  if (fault !== null)
    rules.push(
      `What an earlier attempt changed could not be taken over, and lies in a worktree beside this one until umpire clean. ${fault}`,
    );
  if (!writes || task.role === run.started.critic) return rules;
  return [...rules, ...(isBuiltinTesting(run.started) ? TEST_RULES : []), ...takenBack(run), ...undone(state, task)];
}

const MOST_TAKEN = 5;

/** Whoever is not told does the same again. */
function takenBack({ reportedBreaches: past, breaches }: RunState): readonly string[] {
  const taken = new Set([...past, ...breaches].map(({ breach }) => breach));
  const places = [...taken].map(({ rule, file, line }) => `${rule} at ${file.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')}:${line}`);
  if (places.length === 0) return [];
  const more = places.length - MOST_TAKEN;
  const named = `${places.slice(0, MOST_TAKEN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [`Earlier work of this session was taken back, because the guard forbids it: ${named}. Find another way.`];
}

/** The findings that it is given are those of the round that was taken back: some of them went with it. */
function undone(state: SessionState, { id }: TaskState): readonly string[] {
  const isUndone = chainThatMade(state, id)?.past.some(({ seq }) => state.run?.reverted.get(seq)?.ok === true) ?? false;
  return isUndone
    ? [
        'An earlier round of this work made things worse, and was taken back. What it broke may still be among the findings. Find another way.',
      ]
    : [];
}
