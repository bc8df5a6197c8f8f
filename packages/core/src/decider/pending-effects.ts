// The next steps of a session, derived from its state alone. Starting a session, resuming it after a crash and continuing it after an
// answer all use this.

import { decidedVerdicts, knownFailures, suspectedBugs } from './evolve.js';
import { NEW_TEST } from '../formats/run-result.js';
import type { PastVerdict, SessionState } from './evolve.js';
import { budgetQuestion, currentQuestion } from './question.js';
import type { Finding } from '../model/vocabulary.js';
import type { EventData } from './events.js';
import type { Question } from '../model/questions.js';
import { agentOfTask, agentsOfTask, conversationOf } from './agent-choice.js';
import { LONGEST_LIMIT_MS, LONGEST_WAIT_MS } from './retry-delay.js';
import { tasksBefore } from './critic-scope.js';
import {
  changesCode,
  chainOfTask,
  measuresGoal,
  hasKeptWork,
  hasWaveEnded,
  isIdle,
  isBuiltinTesting,
  isJudgedWork,
  isReady,
  findTask,
  notesOnWork,
  testimonyOf,
} from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

export type Effect =
  /** `agent`: null if the settings name none. */
  | {
      readonly type: 'RunTask';
      readonly task: string;
      readonly attempt: number;
      readonly agent: string | null;
      readonly conversation: string | null;
    }
  /** Nothing changed since the critic `of` was judged: this critic does not run, and that evidence is judged again. */
  | { readonly type: 'RepeatEvidence'; readonly task: string; readonly attempt: number; readonly of: string }
  /** The task was postponed until this time. A wait of more than `mostMs` means that the clock was changed. */
  | { readonly type: 'AwaitTask'; readonly task: string; readonly untilMs: number; readonly mostMs: number }
  | { readonly type: 'MergeTask'; readonly task: string }
  | { readonly type: 'SkipTask'; readonly task: string; readonly reason: string }
  | { readonly type: 'JudgeCritic'; readonly task: string }
  /** The attempt failed, so there is nothing to judge. The task runs again, or a person is asked. */
  | {
      readonly type: 'RejectAttempt';
      readonly task: string;
      readonly attempt: number;
      readonly rule: string;
      readonly message: string;
      readonly hint: string;
    }
  /** The verdict found that the work of its round made things worse. */
  | { readonly type: 'RevertWork'; readonly verdict: number; readonly tasks: readonly string[] }
  /** The critic measured that the work before it did damage: these files go back to the commit `to`, and the critic runs again. */
  | {
      readonly type: 'RevertDamage';
      readonly critic: string;
      readonly attempt: number;
      readonly unit: EventData<'DamageReverted'>['unit'];
      readonly tasks: readonly string[];
      readonly files: readonly string[];
      readonly to: string;
    }
  /** A person accepted a change that the guard had reverted. */
  | { readonly type: 'TakeKeptChange'; readonly task: string; readonly commit: string }
  | { readonly type: 'ApprovePlan'; readonly key: string }
  | { readonly type: 'CallPerson'; readonly question: Question }
  | {
      readonly type: 'EndSession';
      readonly outcome: 'complete' | 'failed' | 'aborted';
      readonly unverified: boolean;
      readonly reason: string;
    };

export function pendingEffects(state: SessionState): readonly Effect[] {
  const { run } = state;
  if (run === null || run.ended !== null) return [];
  if (run.aborted !== null)
    return run.running.size > 0
      ? []
      : [
          {
            type: 'EndSession',
            outcome: 'aborted',
            unverified: true,
            reason: run.aborted === '' ? 'A person aborted the session.' : `A person aborted the session: ${run.aborted}`,
          },
        ];
  const unfinished = nextUnfinished(run);
  if (unfinished !== null) return [unfinished];
  const skips = skipsIn(run);
  if (skips.length > 0) return skips;
  const merge = nextMerge(run);
  if (merge !== null) return [merge];
  const accepted = run.acceptedChange;
  if (accepted !== null && run.running.size === 0) return [{ type: 'TakeKeptChange', task: accepted.task, commit: accepted.commit }];
  const revert = revertOf(state);
  if (revert !== null) return [revert];
  // Critics of a finished wave come first: their verdicts may change everything that follows.
  const critic = nextCritic(run);
  if (critic?.status === 'failed')
    return [rejectAttempt(critic, 'V1', 'A critic that failed approves nothing. Find the cause in its log.')];
  if (critic !== null) return [damageRevert(run, critic) ?? { type: 'JudgeCritic', task: critic.id }];
  const plan = run.settings.yes ? run.questions.find(({ kind }) => kind === 'plan') : undefined;
  if (plan !== undefined) return [{ type: 'ApprovePlan', key: plan.key }];
  const starts = startsIn(state, run);
  const waits = waitsIn(run);
  if (starts.length > 0 || run.running.size > 0 || (waits.length === 0 && run.submitted.size > 0)) return [...starts, ...waits];
  const question = currentQuestion(run);
  // Also while a postponed task waits: the wait may be long, and an answer interrupts nothing.
  if (question !== null && !run.called.has(question.key)) return [{ type: 'CallPerson', question }];
  return waits.length > 0 || question !== null ? waits : [endOf(state)];
}

function nextUnfinished(run: RunState): Effect | null {
  const task = [...run.unfinished].map((id) => findTask(run, id)).find((one) => one !== undefined && isJudgedWork(run, one));
  if (task === undefined) return null;
  return rejectAttempt(task, 'V18', 'Without its work there is nothing to judge. Find the cause in its log.');
}

function rejectAttempt({ id, attempt, row }: TaskState, rule: string, hint: string): Effect {
  const why = (row['error'] || 'no reason given').replace(/\.$/, '').slice(0, 500);
  return { type: 'RejectAttempt', task: id, attempt, rule, message: `${id} failed: ${why}.`, hint };
}

/** Tasks whose dependency failed or was skipped. Dependents of a critic, and of the work that it judges, wait for its verdict instead. */
function skipsIn(run: RunState): readonly Effect[] {
  if (run.unsuccessful.size === 0) return [];
  const skips: Effect[] = [];
  for (const task of run.tasks) {
    if (!isIdle(task)) continue;
    for (const id of task.deps) {
      const dep = findTask(run, id);
      if (dep === undefined || !run.unsuccessful.has(id) || isInLoop(run, dep)) continue;
      const why = dep.status === 'failed' ? `failed: ${dep.row['error'] || 'no reason given'}` : `was skipped: ${dep.row['error'] ?? ''}`;
      skips.push({ type: 'SkipTask', task: task.id, reason: `${id} ${why}`.slice(0, 500) });
      break;
    }
  }
  return skips;
}

/** A critic that was not skipped: it runs again, or a person decides. */
function isJudgedCritic(run: RunState, task: TaskState): boolean {
  return run.started.judged && task.role === run.started.critic && task.status !== 'skipped';
}

/** The failure of a critic, or of work that a critic judges, costs an attempt or a round, not the session. */
function isInLoop(run: RunState, task: TaskState): boolean {
  return isJudgedCritic(run, task) || (task.status === 'failed' && isJudgedWork(run, task));
}

/**
 * Work is merged in the order of the tasks, after all tasks of the wave have ended, so that files do not change under a running task.
 * Work left from another wave comes first: an answer may have continued an earlier wave, whose critics are judged next.
 */
function nextMerge(run: RunState): Effect | null {
  if (run.submitted.size === 0 || run.running.size > 0) return null;
  const left = [...run.submitted].map((id) => run.at.get(id) ?? 0).filter((index) => run.tasks[index]?.wave !== run.front);
  const wave = left.length > 0 ? left.toSorted((a, b) => a - b) : (run.waves[run.front] ?? []);
  if (wave.some((index) => isDue(run, run.tasks[index])) && budgetQuestion(run) === null) return null;
  const first = wave.find((index) => typeof run.tasks[index]?.phase === 'object') ?? 0;
  return { type: 'MergeTask', task: run.tasks[first]?.id ?? '' };
}

function revertOf(state: SessionState): Effect | null {
  const { run } = state;
  if (run === null || run.started.workspace === null) return null;
  for (const past of state.verdicts.values()) {
    const last = past.at(-1);
    if (last === undefined || last.verdict.status !== 'decided' || run.reverted.has(last.seq)) continue;
    if (last.verdict.worse !== true) continue;
    // The revision whose work this verdict judged. That work may have been reverted already, after a person was asked.
    const at = past.findLastIndex((one, index) => index < past.length - 1 && one.verdict.outcome === 'revise');
    if (past.slice(at + 1).some(({ seq }) => run.reverted.get(seq)?.ok === true)) continue;
    const before = past[at]?.verdict.tasks.map((task) => task.id) ?? [];
    const writers = before.filter((id) => run.started.writers.includes(findTask(run, id)?.role ?? ''));
    if (writers.length > 0) return { type: 'RevertWork', verdict: last.seq, tasks: writers };
  }
  return null;
}

/**
 * Damage of the testing loop is reverted before the verdict, so that what is left is judged. First the changed files in which tests
 * regressed, as long as there is one that was not reverted yet. Then, each once: all files that existed before the cycle, and the cycle.
 */
function damageRevert(run: RunState, critic: TaskState): Effect | null {
  const { started } = run;
  const rules = started.frozen?.rules;
  const { damage, reverts, attempt, id } = critic;
  if (damage === null || rules === undefined || started.workspace === null) return null;
  if (!isBuiltinTesting(started)) return null;
  const chain = chainOfTask(rules, critic);
  const last = run.marks.findLastIndex((mark) => mark.chain === chain);
  const to = run.marks[last]?.head ?? started.workspace.base;
  const isNew = ({ role, status, commit, mergedAfter }: TaskState) =>
    started.writers.includes(role) && status === 'completed' && commit !== null && mergedAfter > last;
  const filesOf = (tasks: readonly TaskState[]) => [...new Set(tasks.flatMap(({ files }) => files))];
  const namesOf = (tasks: readonly TaskState[]) => tasks.map((task) => task.id);
  const gone = new Set(reverts.flatMap(({ files }) => files));
  const hurt = damage.files.filter((file) => !gone.has(file));
  const causes = run.tasks.filter((task) => isNew(task) && task.files.some((file) => hurt.includes(file)));
  if (causes.length > 0)
    return {
      type: 'RevertDamage',
      critic: id,
      attempt,
      unit: 'files',
      tasks: namesOf(causes),
      files: hurt.filter((file) => causes.some(({ files }) => files.includes(file))),
      to,
    };
  const own = tasksBefore(run, critic).filter((task) => isNew(task) && !run.undone.has(task.id));
  const unit = (['existing', 'cycle'] as const).find((one) => !reverts.some((past) => past.unit === one));
  if (unit === undefined || own.length === 0) return null;
  return { type: 'RevertDamage', critic: id, attempt, unit, tasks: namesOf(own), files: filesOf(own), to };
}

/** The first critic in the file whose last attempt was not judged, once nothing is running. */
function nextCritic(run: RunState): TaskState | null {
  if (run.running.size > 0 || run.submitted.size > 0) return null;
  const waiting = [...run.unjudged].map((id) => run.at.get(id) ?? 0).toSorted((a, b) => a - b);
  // Its wave must end first: another critic of that wave may still be running.
  const first = waiting.find((index) => hasWaveEnded(run, run.tasks[index] as TaskState));
  return first === undefined ? null : (run.tasks[first] as TaskState);
}

/** An edit may let a task of this wave depend on a critic that is not judged yet. It waits for the verdict. */
function isDue(run: RunState, task: TaskState | undefined): boolean {
  return isReady(run, task) && (run.unjudged.size === 0 || task?.deps.some((id) => run.unjudged.has(id)) !== true);
}

function startsIn(state: SessionState, run: RunState): readonly Effect[] {
  if (budgetQuestion(run) !== null) return [];
  const starts: Effect[] = [];
  const continued = new Set<string>();
  let free = run.settings.concurrency - run.running.size;
  const wave = run.waves[run.front] ?? [];
  let { cursor } = run;
  while (free > 0 && cursor < wave.length) {
    const task = run.tasks[wave[cursor] as number] as TaskState;
    if (isDue(run, task) && !run.waiting.has(task.id)) {
      const of = repeatedCritic(state, run, task);
      // Alone: the tasks of the wave start once its critics are known to run.
      if (of !== null) return [{ type: 'RepeatEvidence', task: task.id, attempt: task.attempt + 1, of }];
      const agent = agentOfTask(run, task);
      const known = agent === null ? null : conversationOf(run, task, agent);
      // Two tasks cannot talk in one conversation at the same time.
      const conversation = known === null || continued.has(known.id) ? null : known.id;
      if (conversation !== null) continued.add(conversation);
      starts.push({ type: 'RunTask', task: task.id, attempt: task.attempt + 1, agent, conversation });
      free--;
    }
    cursor++;
  }
  return starts;
}

/**
 * The critic whose evidence counts again for this re-check, because the branch has not moved since its verdict. Null: the re-check runs.
 * An agent's statement is not repeated: an agent may find something else the second time.
 */
function repeatedCritic(state: SessionState, run: RunState, task: TaskState): string | null {
  const rules = run.started.frozen?.rules;
  if (rules === undefined || !changesCode(run.started) || task.role !== run.started.critic || task.attempt > 0) return null;
  const chain = chainOfTask(rules, task);
  const mark = run.marks.findLast((one) => one.chain === chain);
  const last = findTask(run, mark?.critic ?? '');
  // A9: what its failure means changes with the fix cycle, also where that changed nothing.
  const { findings = [] } = decidedVerdicts(state, run.started.loop, chain).at(-1)?.verdict ?? {};
  if (findings.some(({ dimension }) => dimension === NEW_TEST)) return null;
  if (mark === undefined || last === undefined || mark.head !== run.head || run.rechecks.get(last.id) !== task.id) return null;
  const isMeasured = last.measured !== null || run.started.command !== undefined;
  return isMeasured && last.status === 'completed' && last.judged === last.attempt ? last.id : null;
}

/** Only for tasks that may start after the wait: not for held tasks, and not if the budget is exceeded. */
function waitsIn(run: RunState): readonly Effect[] {
  if (run.waiting.size === 0 || budgetQuestion(run) !== null) return [];
  const due = [...run.waiting].filter(([id]) => isReady(run, findTask(run, id)));
  const isForPlan = (id: string) => {
    const task = findTask(run, id);
    return run.settings.waitForLimits && task !== undefined && agentsOfTask(run, task).some((name) => run.limits.has(name));
  };
  return due.map(([task, untilMs]) => ({
    type: 'AwaitTask',
    task,
    untilMs,
    mostMs: isForPlan(task) ? LONGEST_LIMIT_MS : LONGEST_WAIT_MS,
  }));
}

function endOf(state: SessionState): Effect {
  const run = state.run as RunState;
  const failed = run.tasks.filter((task) => task.status === 'failed' && !isInLoop(run, task));
  const skipped = run.tasks.filter((task) => task.status === 'skipped' && task.skippedBy !== 'verdict');
  if (failed.length > 0) {
    const names = failed.map((task) => `${task.id} (${(task.row['error'] || 'no reason given').replace(/\.$/, '')})`).join(', ');
    return {
      type: 'EndSession',
      outcome: 'failed',
      unverified: true,
      reason: `Failed: ${names}.${skipped.length === 0 ? '' : ` Skipped because of that: ${skipped.length}.`}`.slice(0, 1000),
    };
  }
  const last = [...state.verdicts.keys()].flatMap((key) => {
    const [loop = '', ...chain] = key.split('/');
    return decidedVerdicts(state, loop, chain.join('/')).at(-1) ?? [];
  });
  const waived = last.some(({ verdict: { unverified: is, outcome } }) => is || (outcome !== 'converge' && outcome !== 'accept'));
  const open = last.reduce((sum, { verdict: { counts } }) => sum + counts.critical + counts.high, 0);
  const broken = run.tasks.filter((task) => task.status === 'failed' && isJudgedCritic(run, task));
  const unverified =
    waived || !run.started.judged || [run.forced, skipped, broken, [...run.unjudgedAdditions]].some((list) => list.length > 0);
  const reason =
    run.unjudgedAdditions.size > 0
      ? `No critic judged the work of added tasks: ${[...run.unjudgedAdditions].join(', ')}.`
      : broken.length > 0
        ? `Approved although the critic failed: ${broken.map((task) => task.id).join(', ')}.`
        : skipped.length > 0
          ? `A person skipped tasks: ${skipped.map((task) => task.id).join(', ')}.`
          : `${completeReason(run, waived ? waiversOf(last) : null, open)}${testimonyWords(run, last)}${namedWords('suspected bug', suspectedBugs(state))}${namedWords('known failure', knownFailures(state))}`;
  return { type: 'EndSession', outcome: 'complete', unverified, reason: reason.slice(0, 1000) };
}

/** Which critics could not measure. */
function testimonyWords(run: RunState, last: readonly PastVerdict[]): string {
  const critics = last.flatMap(({ verdict, scene }) => (verdict.unverified ? [findTask(run, scene.critic ?? '')] : []));
  return critics.map((critic) => testimonyOf(run, critic)).reduce<string>((all, one) => (one === null ? all : `${all} ${one}`), '');
}

const MOST_NAMED = 3;

function namedWords(what: string, tests: readonly Finding[]): string {
  if (tests.length === 0) return '';
  const names = tests.slice(0, MOST_NAMED).map(({ message }) => message.slice(0, 100));
  const more = tests.length - names.length;
  return ` ${tests.length} ${what}${tests.length === 1 ? '' : 's'}: ${names.join('; ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function waiversOf(last: readonly PastVerdict[]): readonly string[] {
  return [...new Set(last.flatMap(({ verdict }) => verdict.waivers.map((waiver) => waiver.replace(/\.$/, ''))))];
}

/** `open`: Critical and High findings that the rules let pass. */
function completeReason(run: RunState, waived: readonly string[] | null, open: number): string {
  if (run.forced.length > 0) return `Approved by a person without clean evidence: ${run.forced.map(({ reason }) => reason).join('; ')}`;
  if (!run.started.judged) return `Mode ${run.started.mode} gives no verdict.`;
  const isIdleSession = changesCode(run.started) && !hasKeptWork(run);
  const notes = notesOnWork(run).length;
  const noted = notes === 0 ? [] : [notes === 1 ? '1 note' : `${notes} notes`];
  if (waived !== null) {
    const why = waived.length === 0 ? '' : `: ${waived.join('; ')}`;
    const end = isIdleSession ? ' Nothing was changed.' : '';
    return `Approved by exception${withAll(noted)}, not on clean evidence${why}.${end}`;
  }
  if (isIdleSession) return measuresGoal(run.started) ? 'Nothing to do: the goal is met without a change.' : 'Nothing was changed.';
  const findings = open === 0 ? [] : [`${open} High ${open === 1 ? 'finding' : 'findings'} open`];
  return `The work was approved${withAll([...findings, ...noted])}.`;
}

function withAll(things: readonly string[]): string {
  return things.length === 0 ? '' : ` with ${things.join(' and ')}`;
}
