// Performs what is pending in a session: skip, merge, revert, judge, call a person, end. It decides nothing itself. What is left are tasks
// to start and waits. Local runs and the conductors of a fleet both use it.

import { NO_USAGE } from '@umpire/core/model/ports.js';
import { pendingEffects, type Effect } from '@umpire/core/decider/pending-effects.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import { findTask, type RunState } from '@umpire/core/decider/run-state.js';
import { recordJudgment } from './judge-round.js';
import { describeConflict } from './run-task.js';
import type { RunPorts } from './run-ports.js';

export interface ConductPorts extends Pick<RunPorts, 'journal' | 'judge' | 'call' | 'tellsEnd'> {
  readonly files: Pick<RunPorts['files'], 'readEdit' | 'show' | 'keepBlobs'>;
  readonly workspace: Pick<NonNullable<RunPorts['workspace']>, 'visit' | 'merge' | 'revert' | 'restore' | 'sweep'> | null;
  /** Makes recorded events durable before others learn of them. */
  readonly makeDurable: () => Promise<void>;
  /** Tasks of this process that run now. */
  readonly atWork: () => number;
}

export class Conductor {
  /** Tasks that may only read have used the session's worktree since it was last swept. */
  hasReaders = false;

  constructor(private readonly ports: ConductPorts) {}

  private get run(): RunState {
    return this.ports.journal.state.run as RunState;
  }

  /** Performs all that is pending and allowed. Returns the tasks to start and the waits; nothing: the session rests. */
  async advance(isAllowed: (type: Effect['type']) => boolean = () => true): Promise<readonly Effect[]> {
    for (;;) {
      const effects = pendingEffects(this.ports.journal.state).filter(({ type }) => isAllowed(type));
      const [first] = effects;
      if (first === undefined || first.type === 'RunTask' || first.type === 'AwaitTask') return effects;
      if (first.type === 'CallPerson' || first.type === 'EndSession') {
        // From now on, changes in the worktree count as a person's.
        await this.sweep();
        if (this.takeEdits()) continue;
      }
      // The next flush makes these durable: nobody outside knows of them yet.
      for (const effect of effects) await this.perform(effect);
    }
  }

  /** Reads a person's edits of tasks.csv, also before the session pauses or ends: they may add tasks. True if something changed. */
  takeEdits(): boolean {
    const edits = this.ports.files.readEdit();
    this.ports.journal.record(...edits);
    return edits.length > 0;
  }

  async show(): Promise<void> {
    const { journal, files, makeDurable } = this.ports;
    await makeDurable();
    journal.record(...files.show());
    // A power loss may lose these lines together with the files they describe. Both are then written again.
    journal.flush(false);
  }

  private async perform(effect: Effect): Promise<void> {
    const { journal, call } = this.ports;
    switch (effect.type) {
      case 'RunTask':
      case 'AwaitTask':
        return;
      case 'SkipTask':
        journal.record({ type: 'TaskSkipped', data: { task: effect.task, reason: effect.reason } });
        return;
      case 'RepeatEvidence':
        // As if the critic ran: what a task put into the session's worktree is set aside, and said.
        await this.ports.workspace?.visit();
        this.hasReaders = true;
        journal.record({ type: 'EvidenceRepeated', data: { task: effect.task, attempt: effect.attempt, of: effect.of } });
        return;
      case 'MergeTask':
        await this.merge(effect.task);
        return;
      case 'JudgeCritic':
        await this.judge(effect.task);
        return;
      case 'RejectAttempt': {
        const { task, attempt, rule, message, hint } = effect;
        journal.record({ type: 'JudgingFailed', data: { task, attempt, rule, message, hint } });
        return;
      }
      case 'RevertWork':
        await this.revert(effect.verdict, effect.tasks);
        return;
      case 'RevertDamage':
        await this.revertDamage(effect);
        return;
      case 'TakeKeptChange':
        await this.takeKeptChange(effect);
        return;
      case 'ApprovePlan':
        journal.record({
          type: 'PersonAnswered',
          data: { key: effect.key, answer: 'approve', reason: '', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: '--yes' },
        });
        return;
      case 'CallPerson': {
        await this.show();
        const by = await call(effect.question);
        journal.record({ type: 'PersonCalled', data: { key: effect.question.key, by } });
        return;
      }
      case 'EndSession': {
        const { outcome, unverified, reason } = effect;
        const tell = this.ports.tellsEnd === true && outcome !== 'aborted' ? ({ tell: true } as const) : {};
        journal.record({ type: 'SessionEnded', data: { outcome, unverified, reason, ...tell } });
        return;
      }
    }
  }

  private async merge(id: string): Promise<void> {
    const { workspace, journal } = this.ports;
    const phase = findTask(this.run, id)?.phase;
    const data = typeof phase === 'object' ? phase.submitted : null;
    if (data === null || data.commit === undefined || workspace === null) throw new Error(`${id} has nothing to merge.`);
    await this.sweep();
    // The journal must know of merged work: after a crash the task would otherwise run again on top of it.
    journal.flush();
    const merged = await workspace.merge(id, data.commit);
    if (merged.ok) {
      journal.record({ type: 'TaskFinished', data: { ...data, usage: NO_USAGE, head: merged.head, files: data.files ?? merged.files } });
      return;
    }
    const error =
      merged.reason === undefined
        ? describeConflict(this.run, id, data.commit, merged.files)
        : `Its work was refused: ${merged.reason}`.slice(0, 500);
    const { task, attempt, findings, outputs, commit } = data;
    journal.record({ type: 'TaskFinished', data: { task, attempt, findings, outputs, status: 'failed', error, usage: NO_USAGE, commit } });
  }

  private async judge(task: string): Promise<void> {
    const { journal, files, judge } = this.ports;
    await this.sweep();
    const judgment = await judge(task);
    if (judgment.ok) files.keepBlobs(judgment.blobs);
    recordJudgment(journal, task, findTask(this.run, task)?.attempt ?? 0, judgment);
  }

  private async revert(verdict: number, tasks: readonly string[]): Promise<void> {
    const { workspace, journal } = this.ports;
    // Work with a conflict has a commit too, but was never merged.
    const merged = tasks.map((id) => findTask(this.run, id)).filter((task) => task?.status === 'completed');
    const commits = merged.map((task) => task?.commit ?? null).filter((commit) => commit !== null);
    const reverted =
      workspace === null || commits.length === 0
        ? null
        : await workspace.revert(commits.toReversed(), `Revert the work of ${tasks.join(', ')}: it made things worse`);
    const head = reverted?.ok === true ? reverted.head : null;
    journal.record({ type: 'WorkReverted', data: { verdict, tasks, head, files: reverted?.files ?? [], ok: reverted?.ok ?? true } });
  }

  private async takeKeptChange({ task, commit }: Extract<Effect, { type: 'TakeKeptChange' }>): Promise<void> {
    const { workspace, journal } = this.ports;
    await this.sweep();
    journal.flush();
    const merged = workspace === null ? null : await workspace.merge(task, commit);
    const ok = merged?.ok === true;
    journal.record({ type: 'KeptChangeTaken', data: { task, commit, head: ok ? merged.head : null, files: merged?.files ?? [], ok } });
  }

  private async revertDamage({ critic, attempt, unit, tasks, files, to }: Extract<Effect, { type: 'RevertDamage' }>): Promise<void> {
    const { workspace, journal } = this.ports;
    await this.sweep();
    const { tests = [], coverage = null } = findTask(this.run, critic)?.damage ?? {};
    const why = `Revert damage of ${tasks.join(', ')} (${unit}, found by ${critic} in attempt ${attempt})`;
    const reverted = workspace === null ? null : await workspace.restore(files, to, why, unit === 'existing');
    const ok = reverted?.ok === true;
    journal.record({
      type: 'DamageReverted',
      data: { critic, attempt, unit, tasks, files: reverted?.files ?? [], head: ok ? reverted.head : null, tests, coverage, ok },
    });
  }

  /** Discards changes by tasks that may only read, before anything builds on them. */
  async sweep(): Promise<void> {
    const { workspace, journal } = this.ports;
    if (workspace === null || !this.hasReaders || this.ports.atWork() > 0 || currentQuestion(this.run)?.kind === 'edit') return;
    this.hasReaders = false;
    const files = await workspace.sweep();
    if (files.length > 0) journal.record({ type: 'StrayChanges', data: { wave: this.run.front, files: files.slice(0, 50) } });
  }
}
