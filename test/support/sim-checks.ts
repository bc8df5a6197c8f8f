// The properties that the events of every simulation must have, whatever went wrong in it. It reads the events in its own, simpler
// way and shares no code with the fold of the session.

import type { VerdictGiven, Recorded, PersonAnswered, RunSettings, TaskFinished } from '@umpire/core/decider/events.js';
import type { SimPlan } from './sim-plan.js';
import { mostStarts } from './sim-plan.js';
import { buildsOn, chainOf, dropQuestion, ids, isAtWork, skipsDependents, observeTask, waitsFor } from './sim-observed-task.js';
import type { ObservedTask } from './sim-observed-task.js';
import { RetryChecks } from './sim-retry-checks.js';
import { Broken } from './sim-world.js';

/** The worst first. */
const RANKS = ['critical', 'high', 'medium', 'low'];

type Cells = Readonly<Record<string, string>>;
type DataOf<T> = Extract<Recorded, { readonly type: T }>['data'];

interface Chain {
  round: number;
  revisions: number;
  last: VerdictGiven['verdict'];
}

export class EventChecks {
  readonly tasks = new Map<string, ObservedTask>();
  private readonly chains = new Map<string, Chain>();
  /** The open questions by key, each with its task. */
  private readonly questions = new Map<string, string | null>();
  /** Verdicts that granted rounds would not change on the same evidence: their critic runs again. */
  private readonly settled = new Set<string>();
  /** The judged work, by the verdict that asks a person. */
  private readonly judgedAt = new Map<string, string | null>();
  private head: string | null = null;
  private settings: RunSettings;
  private cap = 0;
  private goal = '';
  private starts = 0;
  private spent = { tokens: 0, costUsd: 0 };
  /** By fingerprint: the severity up to which a person dismissed it. */
  private readonly dismissed = new Map<string, number>();
  private isForced = false;
  private isAborted = false;
  private readonly waits = new RetryChecks();
  private ended: { readonly outcome: string; readonly unverified: boolean } | null = null;

  constructor(private readonly plan: SimPlan) {
    this.settings = plan.settings;
  }

  see(event: Recorded): void {
    if (this.ended !== null && !['TasksReopened', 'VerdictProjected'].includes(event.type))
      throw new Broken('after-the-end', `${event.type} after the session ended`);
    const heard = this.hears[event.type] as ((data: Recorded['data'], seq: number) => void) | undefined;
    heard?.(event.data, event.seq);
    this.waits.see(event);
  }

  private readonly hears: { readonly [T in Recorded['type']]?: (data: DataOf<T>, seq: number) => void } = {
    SessionStarted: ({ rows, frozen, workspace, goal }) => {
      this.goal = goal;
      this.head = workspace?.base ?? null;
      this.cap = frozen?.cap ?? this.cap;
      rows.forEach((row) => this.add(row));
    },
    RunBegun: ({ settings, head }) => {
      this.head = head ?? this.head;
      this.begin(settings);
    },
    TaskStarted: ({ task, attempt }) => this.start(this.task(task), attempt),
    TaskSubmitted: (data) => this.submit(data),
    TaskFinished: (data) => this.finish(data),
    TaskAsked: ({ task, attempt, usage }) => this.ask(this.running(task, attempt), usage),
    TaskBlocked: ({ task: id, attempt, usage }) => {
      const task = this.running(id, attempt);
      task.isRunning = false;
      task.turns++;
      this.pay(usage);
      this.questions.set(`blocked:${id}:${attempt}`, id);
    },
    TaskInterrupted: ({ task, attempt }) => {
      this.running(task, attempt).isRunning = false;
    },
    TaskPostponed: ({ task, attempt, usage }) => {
      this.running(task, attempt).isRunning = false;
      this.pay(usage);
    },
    TaskSkipped: ({ task, reason }) => this.skip(this.task(task), reason),
    TasksReopened: ({ tasks }) => {
      this.ended = null;
      for (const id of tasks) this.reopen(this.task(id));
      for (const id of tasks) this.follow(this.task(id));
    },
    JudgingFailed: ({ task, attempt }) => this.failJudging(this.task(task), attempt),
    VerdictGiven: (data, seq) => this.judge(seq, data),
    TasksEdited: (data) => this.edit(data),
    PersonCalled: ({ key }) => this.call(key),
    FindingRuled: ({ finding }) => void this.dismissed.set(finding.fingerprint, RANKS.indexOf(finding.severity)),
    PersonAnswered: (data) => this.answer(data),
    WorkReverted: ({ verdict, ok, head }) => {
      if (ok) this.settled.add(`verdict:${verdict}`);
      this.head = head ?? this.head;
    },
    PersonEdited: ({ commit }) => {
      if (commit !== '') this.head = commit;
      this.mend();
    },
    SessionEnded: (data) => this.end(data),
  };

  private task(id: string): ObservedTask {
    const task = this.tasks.get(id);
    if (task === undefined) throw new Broken('unknown', `there is no task ${id}`);
    return task;
  }

  private add(row: Cells): void {
    const task = observeTask(row, this.tasks.size);
    this.tasks.set(task.id, task);
  }

  private begin(settings: RunSettings): void {
    if (JSON.stringify(settings) !== JSON.stringify(this.settings))
      throw new Broken('settings', `the run is held to ${JSON.stringify(settings)}`);
    for (const task of this.tasks.values()) task.isRunning = false;
  }

  private ask(task: ObservedTask, usage: TaskFinished['usage']): void {
    task.isRunning = false;
    this.pay(usage);
    this.questions.set(`question:${task.id}:${++task.turns}`, task.id);
  }

  private isCritic(task: ObservedTask): boolean {
    return this.plan.judged && task.cells['role'] === this.plan.loop.roles.critic;
  }

  /** A generator's task that a critic judges: its failure costs an attempt or a round, not the session. */
  private isWork({ id, cells }: ObservedTask): boolean {
    if (!this.plan.judged || cells['role'] !== this.plan.loop.roles.generator) return false;
    return [...this.tasks.values()].some((one) => this.isCritic(one) && one.status !== 'skipped' && waitsFor(this.tasks, one.id, id));
  }

  private isRevision({ id }: ObservedTask): boolean {
    return [...this.tasks.values()].some(({ recheck }) => recheck !== null && this.task(recheck).deps.includes(id));
  }

  private start(task: ObservedTask, attempt: number): void {
    const call = `${task.id}#${attempt}`;
    if (task.status !== 'pending' || task.isRunning || task.submitted !== null)
      throw new Broken(
        'ran-again',
        `${call} is started, and the task is ${task.isRunning ? 'running' : task.submitted === null ? task.status : 'submitted'}`,
      );
    if (attempt !== task.attempt + 1) throw new Broken('attempts', `${call} is started after attempt ${task.attempt}`);
    if (this.isAborted) throw new Broken('person', `${call} is started after a person aborted`);
    const open = this.heldBy(task);
    if (open !== undefined) throw new Broken('person', `${call} is started while a person is asked ${open}`);
    if (this.isSpent()) throw new Broken('budget', `${call} is started, and ${JSON.stringify(this.spent)} are spent`);
    for (const id of task.deps) this.mayFollow(task, this.task(id));
    const beside = [...this.tasks.values()].find((other) => isAtWork(other) && this.waveOf(other.id) < this.waveOf(task.id));
    if (beside !== undefined) throw new Broken('early', `${call} is started while ${beside.id} of an earlier wave is at work`);
    for (const id of ids(task.cells['context_from']))
      if (this.task(id).status === 'pending') throw new Broken('context', `${call} is started before ${id}, from which it takes context`);
    if (++this.starts > mostStarts(this.plan))
      throw new Broken('endless', `${this.starts} starts, and ${mostStarts(this.plan)} are enough`);
    task.attempt = attempt;
    task.isRunning = true;
  }

  /** The question that a task waits for: the task builds on its subject, or a person edits the project meanwhile. */
  private heldBy(task: ObservedTask): string | undefined {
    return [...this.questions].find(([key, about]) => {
      if (about === null || key.startsWith('edit:')) return true;
      const chain = /^(?:verdict|evidence|plan):/.test(key) ? chainOf(this.plan.loop, this.task(about)) : null;
      return buildsOn(this.tasks, task, (other) => other.id === about || chainOf(this.plan.loop, other) === chain);
    })?.[0];
  }

  private isSpent(): boolean {
    const { maxCostUsd, maxTokens } = this.settings;
    return (maxCostUsd !== null && this.spent.costUsd >= maxCostUsd) || (maxTokens !== null && this.spent.tokens >= maxTokens);
  }

  /** A person is asked only when nothing else can be done. Minutes are not counted here. */
  private call(key: string): void {
    if (this.isSpent() || this.settings.maxMinutes !== null) return;
    const isDone = ({ status }: ObservedTask) => status !== 'pending';
    // A postponed task continues later, and so do the tasks after its wave. Submitted work is merged after that.
    const wave = Math.min(...this.waits.waiting().map((id) => this.waveOf(id)));
    const isLater = ({ id, submitted: done }: ObservedTask) =>
      this.waits.waiting().includes(id) || this.waveOf(id) > wave - Number(done !== null);
    for (const task of this.tasks.values())
      if (!isDone(task) && !isLater(task) && task.deps.every((id) => isDone(this.task(id))) && this.heldBy(task) === undefined)
        throw new Broken('idle', `a person is called for ${key}, and ${task.id} could go on`);
  }

  /** Whether its dependencies allow a task to start. */
  private mayFollow(task: ObservedTask, dep: ObservedTask): void {
    if (dep.status === 'pending') throw new Broken('early', `${task.id} is started before ${dep.id} is done`);
    if (dep.status === 'skipped' && !dep.isSkippedByVerdict && !dep.isAgreed)
      throw new Broken('early', `${task.id} is started, and ${dep.id} was skipped`);
    if (dep.status === 'skipped') return;
    if (!this.isCritic(dep)) {
      const isSpent = this.isWork(dep) && (this.isRevision(dep) || dep.standing === 'forced');
      if (dep.status === 'failed' && !isSpent) throw new Broken('early', `${task.id} is started, and ${dep.id} failed`);
      return;
    }
    if (dep.standing === 'approved' || dep.standing === 'forced') return;
    const recheck = dep.standing === 'revised' && dep.recheck !== null ? this.task(dep.recheck) : null;
    // A dependency of the re-check cannot wait for it. A later verdict of the chain may have skipped the re-check.
    if (recheck !== null && (recheck.isSkippedByVerdict || waitsFor(this.tasks, recheck.id, task.id))) return;
    throw new Broken('early', `${task.id} is started, and ${dep.id} is ${dep.standing}`);
  }

  private running(id: string, attempt: number): ObservedTask {
    const task = this.task(id);
    if (!task.isRunning || task.attempt !== attempt) throw new Broken('ran-again', `${id}#${attempt} ends, and was not running`);
    return task;
  }

  private pay({ tokens, costUsd }: TaskFinished['usage']): void {
    if (!(tokens >= 0 && costUsd >= 0)) throw new Broken('budget', `${tokens} tokens and $${costUsd} were spent`);
    this.spent = { tokens: this.spent.tokens + tokens, costUsd: this.spent.costUsd + costUsd };
  }

  private submit(data: TaskFinished): void {
    const task = this.running(data.task, data.attempt);
    task.isRunning = false;
    task.submitted = data;
    this.pay(data.usage);
  }

  private finish(data: TaskFinished): void {
    const task = this.task(data.task);
    if (task.submitted === null) {
      this.running(data.task, data.attempt);
      this.pay(data.usage);
      if (data.head !== undefined) throw new Broken('merge-order', `${task.id} is merged, and was not submitted`);
    } else {
      if (task.submitted.attempt !== data.attempt)
        throw new Broken('ran-again', `${task.id}#${data.attempt} is merged in place of another attempt`);
      const wave = this.waveOf(task.id);
      for (const other of this.tasks.values())
        if (other.submitted !== null && other.place < task.place && this.waveOf(other.id) === wave)
          throw new Broken('merge-order', `${task.id} is merged before ${other.id}`);
    }
    if (data.findings.length > 500) throw new Broken('cells', `the findings of ${task.id} have ${data.findings.length} characters`);
    task.isRunning = false;
    task.submitted = null;
    task.status = data.status;
    task.standing = 'unjudged';
    this.head = data.head ?? this.head;
    if (data.status === 'completed' && this.plan.gates.includes(task.id)) this.questions.set(`plan:${task.id}:${data.attempt}`, task.id);
  }

  private waveOf(id: string): number {
    return 1 + Math.max(0, ...this.task(id).deps.map((dep) => this.waveOf(dep)));
  }

  private skip(task: ObservedTask, reason: string): void {
    if (task.status !== 'pending' || task.isRunning) throw new Broken('ran-again', `${task.id} is skipped, and is ${task.status}`);
    const causes = this.causesOf(task);
    if (causes.length === 0) throw new Broken('unskipped', `${task.id} is skipped for nothing`);
    if (!causes.some(({ id }) => reason.startsWith(`${id} `)))
      throw new Broken('unskipped', `${task.id} is skipped for ${causes.map(({ id }) => id).join()}, and the reason is "${reason}"`);
    task.status = 'skipped';
    task.cells['error'] = reason;
    dropQuestion(this.questions, task);
  }

  private reopen(task: ObservedTask): void {
    task.status = 'pending';
    task.standing = 'unjudged';
    task.isSkippedByVerdict = false;
    task.isAgreed = false;
  }

  private failJudging(task: ObservedTask, attempt: number): void {
    const isLost = this.isWork(task) && task.status === 'failed' && !this.isRevision(task);
    if (!isLost && (!this.isCritic(task) || task.standing !== 'unjudged')) throw new Broken('judged', `${task.id} is not to be judged`);
    if (++task.unjudgeable === 1) this.reopen(task);
    else this.questions.set(`evidence:${task.id}:${attempt}`, task.id);
  }

  private judge(seq: number, { verdict, effects, scene, strict }: VerdictGiven): void {
    const task = this.task(scene.critic ?? '');
    if (task.standing !== 'unjudged' || task.status !== 'completed')
      throw new Broken('judged', `${task.id} is judged, and is ${task.status} and ${task.standing}`);
    const { chain, round, maxRounds, outcome, unverified, counts } = verdict;
    const approves = outcome === 'converge' || outcome === 'accept';
    if (maxRounds !== this.cap) throw new Broken('cap', `${chain} is judged by a cap of ${maxRounds}, and it is ${this.cap}`);
    if (outcome === 'revise' && round >= this.cap) throw new Broken('cap', `${chain} is revised in round ${round} of ${this.cap}`);
    if (approves && counts.critical > 0 && !unverified) throw new Broken('unmarked', `${chain} is approved over a Critical finding`);
    this.checkDismissed(verdict);
    if (approves && unverified && strict) throw new Broken('unmarked', `${chain} is approved by a waiver, and judging is strict`);
    const before = this.chains.get(chain);
    if (before !== undefined && round < before.round) throw new Broken('cap', `${chain} goes from round ${before.round} to ${round}`);
    const revisions = (before?.revisions ?? 0) + (outcome === 'revise' ? 1 : 0);
    if (revisions > this.cap - this.plan.loop.round.first)
      throw new Broken('cap', `${chain} has ${revisions} revisions, and the cap is ${this.cap}`);
    this.chains.set(chain, { round: outcome === 'revise' ? round + 1 : round, revisions, last: verdict });
    task.standing = approves ? 'approved' : outcome === 'revise' ? 'revised' : 'escalated';
    task.recheck = outcome === 'revise' ? (verdict.tasks.at(-1)?.id ?? null) : null;
    for (const [id, cells] of Object.entries(effects.set)) this.set(this.task(id), cells);
    for (const row of effects.add) this.add(row);
    if (outcome === 'escalate') this.questions.set(`verdict:${seq}`, task.id);
    this.judgedAt.set(`verdict:${seq}`, this.head);
    if (round < maxRounds && verdict.rule !== 'E10') this.settled.add(`verdict:${seq}`);
  }

  /** A dismissed finding counts no more, and no other finding is taken out. */
  private checkDismissed({ chain, findings, dismissed = [] }: VerdictGiven['verdict']): void {
    const isDismissed = ({ fingerprint, severity }: (typeof findings)[number]) =>
      RANKS.indexOf(severity) >= (this.dismissed.get(fingerprint) ?? RANKS.length);
    if (findings.some(isDismissed)) throw new Broken('dismissed', `${chain} counts a finding that a person dismissed`);
    if (!dismissed.every(({ finding }) => isDismissed(finding)))
      throw new Broken('dismissed', `${chain} leaves out a finding that nobody dismissed`);
  }

  private set(task: ObservedTask, cells: Cells): void {
    Object.assign(task.cells, cells);
    if (cells['deps'] !== undefined) task.deps = ids(cells['deps']);
    if (cells['status'] !== 'skipped') return;
    if (task.status !== 'pending' || task.isRunning) throw new Broken('ran-again', `${task.id} is skipped, and is ${task.status}`);
    task.status = 'skipped';
    task.isSkippedByVerdict = true;
    dropQuestion(this.questions, task);
  }

  private edit({ set, add }: DataOf<'TasksEdited'>): void {
    for (const [id, cells] of Object.entries(set)) {
      const task = this.task(id);
      const isOwn = Object.keys(cells).every((name) => !this.plan.columns.includes(name));
      if (!isOwn && (task.status !== 'pending' || task.isRunning || task.submitted !== null))
        throw new Broken('edits', `an edit of ${id} was taken, and it is not pending`);
      if (cells['role'] !== undefined || cells['findings'] !== undefined)
        throw new Broken('edits', `an edit of ${id} was taken: ${JSON.stringify(cells)}`);
      if (cells['status'] !== undefined && (cells['status'] !== 'skipped' || this.isCritic(task)))
        throw new Broken('edits', `the status of ${id} was set`);
      this.set(task, cells);
      // When a person skips a task, its dependents are skipped too. When a verdict does, they are not.
      if (cells['status'] === 'skipped') task.isSkippedByVerdict = false;
    }
    for (const row of add) this.add(row);
    for (const id of [...Object.keys(set), ...add.map((row) => (row['id'] ?? '').trim())]) this.follow(this.task(id));
  }

  /** Tasks that are added or reopened later wait for the re-check too. */
  private follow(task: ObservedTask): void {
    const latest = (id: string): string => {
      const { recheck } = this.task(id);
      return recheck === null || waitsFor(this.tasks, recheck, task.id) ? id : latest(recheck);
    };
    task.deps = [...new Set(task.deps.map(latest))];
  }

  /** Tasks that have not ended name the new goal. */
  private changeGoal(goal: string): void {
    for (const { status, cells } of this.tasks.values())
      if (status === 'pending' && this.goal.trim() !== '')
        cells['description'] = (cells['description'] ?? '').replaceAll(this.goal, () => goal);
    this.goal = goal;
  }

  private answer({ key, answer, rounds, costUsd, minutes, tokens, goal = '' }: PersonAnswered): void {
    if (answer === 'extend') this.cap = Math.min(100, this.cap + rounds);
    const { settings } = this;
    this.settings = {
      ...settings,
      maxCostUsd: settings.maxCostUsd === null ? null : settings.maxCostUsd + costUsd,
      maxMinutes: settings.maxMinutes === null ? null : settings.maxMinutes + minutes,
      maxTokens: settings.maxTokens === null ? null : settings.maxTokens + tokens,
    };
    const about = this.questions.get(key) ?? null;
    if (!this.questions.delete(key) && !key.startsWith('budget:') && answer !== 'abort')
      throw new Broken('answers', `${key} was not asked`);
    if (answer === 'abort' || answer === 'stop') this.isAborted = true;
    const task = about === null ? undefined : this.tasks.get(about);
    if (task === undefined) return;
    if (answer === 'force-approve') {
      task.standing = 'forced';
      this.isForced = true;
    }
    if (answer === 'manual-fix') this.questions.set(`edit:${key}`, about);
    if (answer === 'change-goal') this.changeGoal(goal);
    if (answer === 'agree') {
      task.status = 'skipped';
      task.isAgreed = true;
    }
    if (answer === 'answer' || answer === 'revise' || answer === 'insist' || answer === 'change-goal') {
      task.turns++;
      this.reopen(task);
    }
    if (answer !== 'extend') return;
    const asked = key.replace(/^edit:/, '');
    const isOther = this.settled.has(asked) || this.judgedAt.get(asked) !== this.head;
    if (asked.startsWith('evidence:') || isOther) this.reopen(task);
    else task.standing = 'unjudged';
  }

  private mend(): void {
    const key = [...this.questions.keys()].find((one) => one.startsWith('edit:'));
    if (key === undefined) return;
    const task = this.tasks.get(this.questions.get(key) ?? '');
    this.questions.delete(key);
    if (task !== undefined && this.isCritic(task)) this.reopen(task);
    // The person did the work that failed.
    else if (task !== undefined) task.status = 'completed';
  }

  private end({ outcome, unverified }: { readonly outcome: string; readonly unverified: boolean }): void {
    this.ended = { outcome, unverified };
    const tasks = [...this.tasks.values()];
    if (outcome === 'aborted') {
      if (!this.isAborted) throw new Broken('person', 'the session ends as aborted, and nobody aborted it');
      return;
    }
    const open = tasks.find((task) => task.status === 'pending' || task.isRunning);
    if (open !== undefined) throw new Broken('left-over', `the session ends, and ${open.id} is ${open.status}`);
    const [question] = this.questions.keys();
    if (question !== undefined) throw new Broken('person', `the session ends while a person is asked ${question}`);
    for (const task of tasks) this.skipsWithCause(task);
    const lost = tasks.some((task) => task.status === 'failed' && !this.isCritic(task) && !this.isWork(task));
    if (lost !== (outcome === 'failed'))
      throw new Broken('left-over', `the session ends as ${outcome}, and ${lost ? 'something' : 'nothing'} failed`);
    if (outcome === 'failed' || unverified) return;
    const skipped = tasks.find((task) => task.status === 'skipped' && !task.isSkippedByVerdict);
    if (skipped !== undefined) throw new Broken('unmarked', `the session ends as verified, and ${skipped.id} was skipped`);
    if (this.isForced || !this.plan.judged)
      throw new Broken('unmarked', 'a session that a person forced, or nobody judged, ends as verified');
    for (const [chain, { last }] of this.chains)
      if (last.unverified || (last.outcome !== 'converge' && last.outcome !== 'accept'))
        throw new Broken('unmarked', `the session ends as verified, and ${chain} is not`);
    const unheard = tasks.find((task) => this.isCritic(task) && task.status !== 'skipped' && task.standing === 'unjudged');
    if (unheard !== undefined) throw new Broken('unmarked', `the session ends as verified, and ${unheard.id} was not judged`);
  }

  /** A failed or skipped dependency. A critic that failed, and the work it judges, wait for another attempt or a person. */
  private causesOf(task: ObservedTask): readonly ObservedTask[] {
    const isInLoop = (dep: ObservedTask) => dep.status === 'failed' && (this.isCritic(dep) || this.isWork(dep));
    return task.deps.map((id) => this.task(id)).filter((dep) => skipsDependents(dep) && !isInLoop(dep));
  }

  private skipsWithCause(task: ObservedTask): void {
    const [cause] = this.causesOf(task);
    if (cause !== undefined && task.status !== 'skipped')
      throw new Broken('unskipped', `${task.id} is ${task.status}, and ${cause.id} is ${cause.status}`);
  }

  /** The session has ended. */
  finishStory(): void {
    if (this.ended === null) throw new Broken('hangs', 'the session has not ended');
  }
}
