// The built-in critic of a loop as an agent of a run: it measures alone, or after an agent whose findings it weighs. If it can measure
// nothing, the agent does the task.

import { rmSync } from 'node:fs';
import { isUmpireError } from '@umpire/core/model/errors.js';
import type { Agent, Assignment, Ending, Watch } from '@umpire/core/model/ports.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { verificationFindings } from '@umpire/core/formats/verification.js';
import { onCommit, rewrittenWords, traceFault } from '../critics/clean-check.js';
import type { OpenCheck } from '../critics/clean-check.js';
import { leave, unmeasured } from '../critics/critic.js';
import type { Critic, CriticEnd, CriticJob } from '../critics/critic.js';
import type { ProjectTests } from '../critics/project-tests.js';
import type { Guardian } from '../agents/guardian.js';
import type { Settings } from '../sessions/settings.js';
import { openFolder, placeFor, readBytes } from '../sessions/session-folder.js';
import { BUILT_IN } from './agent-programs.js';

interface BuiltInCritic {
  /** Loaded late: its libraries would slow every start. */
  readonly load: () => Promise<Critic>;
  /** `after`: an agent works first, and the critic weighs its findings. */
  readonly runs: 'alone' | 'after';
  /** It measures with tools of the project, or not at all. */
  readonly needsTools?: true;
}

const CRITICS: Readonly<Record<string, BuiltInCritic>> = {
  testing: { load: async () => (await import('../critics/testing.js')).testingCritic, runs: 'alone', needsTools: true },
  debt: { load: async () => (await import('../critics/debt.js')).debtCritic, runs: 'alone', needsTools: true },
  design: { load: async () => (await import('../critics/design.js')).designCritic, runs: 'alone' },
  review: { load: async () => (await import('../critics/review.js')).reviewCritic, runs: 'after' },
  brainstorm: { load: async () => (await import('../critics/brainstorm.js')).brainstormCritic, runs: 'after' },
};

/** Does the critic of this loop measure with the project's own tools alone? */
export function needsTools(loop: string): boolean {
  return Object.hasOwn(CRITICS, loop) && CRITICS[loop]?.needsTools === true;
}

export const CRITIC_LOOPS: readonly string[] = Object.keys(CRITICS);

export async function loadCritic(loop: string): Promise<Critic | null> {
  const critic = Object.hasOwn(CRITICS, loop) ? CRITICS[loop] : undefined;
  return critic === undefined ? null : critic.load();
}

/** The command of the `until` loop, where Umpire judges and does not run the session. */
export interface AskedCheck {
  readonly command: string;
  readonly report: string | null;
}

/** Runs the command on the checkout as it is: uncommitted changes are measured and recorded as such (W5). */
export async function commandCritic({ command, report }: AskedCheck): Promise<Critic> {
  const [{ checkCommand, RESULT, REPORTS }, { provenanceOf, readJudgedContent }] = await Promise.all([
    import('../critics/check-command.js'),
    import('../critics/provenance.js'),
  ]);
  return async (job) => {
    const folder = openFolder(job.session);
    const judged = await readJudgedContent(job);
    const started = job.now();
    const uses: ToolUse[] = [];
    const createJob = (_: unknown, watch: Watch, rewrittenAtBase: Set<string>) => ({ ...job, watch, rewrittenAtBase });
    const task = { session: job.session, attempt: 1, workdir: job.project, timeoutMs: job.timeoutMs };
    const checked = { command, report, trustsExitStatus: false, allowsTestEdits: false, openCheck: null, createJob };
    const check = checkCommand<typeof task>(checked, job.guardian, (used) => uses.push(...used));
    const end = await check.run(task, job.watch);
    if (end.kind !== 'completed')
      return unmeasured('error', end.kind === 'failed' ? end.error : end.kind === 'broken' ? end.reason : 'The check was stopped.');
    const read = readBytes(folder, RESULT);
    const json = read.kind === 'bytes' ? parseJson(decodeTolerantly(read.bytes)) : null;
    if (json === null || !json.ok || !isObject(json.value)) return unmeasured('error', 'The result of the command was removed.');
    const status = Number(end.outputs['exit_status'] || Number.NaN);
    const provenance = provenanceOf(job, judged, started, uses);
    leave(job, RESULT, `${JSON.stringify({ ...json.value, provenance }, null, 2)}\n`);
    for (const path of Object.values(REPORTS)) {
      const written = readBytes(folder, path);
      if (written.kind === 'bytes') job.kept?.set(path, written.bytes);
    }
    return { outcome: status === 0 ? 'pass' : 'fail', summary: end.findings, outputs: end.outputs, files: [RESULT], notes: [] };
  };
}

export interface CriticContext {
  readonly started: Pick<SessionStarted, 'loop' | 'loopFolder' | 'critic' | 'workspace' | 'project' | 'topic'> &
    Partial<Pick<SessionStarted, 'goal'>>;
  readonly settings: Pick<RunSettings, 'agents'>;
  readonly config: Settings;
  readonly guardian: Guardian;
  readonly now: () => Date;
  readonly openCheck: OpenCheck | null;
  readonly keepWork: KeepWork;
}

/** A commit of a task's unfinished work; null where it changed nothing. */
export type KeepWork = (task: string, attempt: number) => Promise<string | null>;

export interface CriticChoice extends Pick<CriticContext, 'settings'> {
  readonly started: Pick<SessionStarted, 'loop' | 'loopFolder' | 'critic'>;
  /** Does this agent also play the critic's role, as a script does? */
  readonly playsAll: (name: string) => boolean;
}

/** Does Umpire do the critic's role, alone or after an agent? If an agent is named for it, only in loops where it weighs an agent's findings. */
export function isBuiltIn({ started, settings, playsAll }: CriticChoice): boolean {
  if (started.loopFolder !== null || !Object.hasOwn(CRITICS, started.loop)) return false;
  const named = settings.agents[started.critic];
  if (named !== undefined) return named === BUILT_IN || (CRITICS[started.loop]?.runs === 'after' && !playsAll(named));
  const general = settings.agents['*'];
  return general === undefined || !playsAll(general);
}

/** `agent`: the one named for the role, else the default one, if there is one. */
export function builtInCritic(context: CriticContext, agent: Agent | null): Agent {
  const critic = CRITICS[context.started.loop] as BuiltInCritic;
  const measure: Measure = (assignment, watch) => measureCommit(context, critic, assignment, watch);
  return {
    name: agent === null || critic.runs === 'alone' ? BUILT_IN : `${agent.name} and ${BUILT_IN}`,
    run: async (assignment, watch) => {
      if (critic.runs === 'after' && agent !== null) return weighAfter(assignment, watch, agent, measure);
      const measurement = await measure(assignment, watch);
      if (watch.signal.aborted) return { kind: 'interrupted' };
      // Nothing can be measured, so the agent's word counts.
      if (measurement.end.unable === true && agent !== null) {
        // Marks the findings of an agent that replaced the critic.
        const said = await agent.run(assignment, watch);
        const end = measurement.end;
        if (said.kind !== 'completed' && said.kind !== 'failed') return said;
        const findings = `Testified, not measured. ${said.findings} (${end.summary})`.slice(0, 500);
        return { ...said, findings, unmeasured: explainUnmeasured(end) };
      }
      return toEnding(measurement);
    },
  };
}

/** Evidence of a check that changed what it judged is removed: it says nothing about the commit. */
async function measureCommit(context: CriticContext, critic: BuiltInCritic, assignment: Assignment, watch: Watch): Promise<Measurement> {
  const kept = new Map<string, Uint8Array>();
  const rewrittenAtBase = new Set<string>();
  const run = await critic.load();
  const measuring = onCommit(context.openCheck, null, assignment.workdir, (workdir) =>
    settleEnd(run({ ...createCriticJob(context, { ...assignment, workdir }, watch), kept, rewrittenAtBase })),
  );
  let fault: string | null = null;
  const end = await settleEnd(
    measuring.then(({ result, traces }) => {
      fault = traceFault(traces, rewrittenAtBase);
      return fault === null ? withNote(result, rewrittenWords(traces)) : unmeasured('error', fault);
    }),
  );
  if (fault === null) return { end, kept };
  for (const path of kept.keys()) rmSync(placeFor(openFolder(assignment.session), path), { force: true });
  return { end, kept: new Map() };
}

function withNote(end: CriticEnd, note: string): CriticEnd {
  return note === '' ? end : { ...end, summary: `${note} ${end.summary}`.slice(0, 500), notes: [...end.notes, note] };
}

/** A failing tool, such as git, measures nothing. The run continues with the error as its result. */
async function settleEnd(measuring: Promise<CriticEnd>): Promise<CriticEnd> {
  try {
    return await measuring;
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return unmeasured('error', error.message);
  }
}

interface Measurement {
  readonly end: CriticEnd;
  readonly kept: ReadonlyMap<string, Uint8Array>;
}

type Measure = (assignment: Assignment, watch: Watch) => Promise<Measurement>;

async function weighAfter(assignment: Assignment, watch: Watch, agent: Agent, measure: Measure): Promise<Ending> {
  const said = await agent.run(assignment, watch);
  if (said.kind !== 'completed') return said;
  const measurement = await measure(assignment, watch);
  if (watch.signal.aborted) return { kind: 'interrupted', usage: said.usage };
  if (measurement.end.unable === true) return { ...said, unmeasured: explainUnmeasured(measurement.end) };
  const measured = toEnding(measurement);
  if (measured.kind !== 'completed') return { ...measured, usage: said.usage };
  return {
    ...said,
    findings: `${measured.findings} ${said.findings}`.trim().slice(0, 500),
    outputs: { ...said.outputs, ...measured.outputs },
    ...(measured.measured === undefined ? {} : { measured: measured.measured }),
  };
}

/** Why it could not measure. */
function explainUnmeasured({ notes, summary }: CriticEnd): string {
  return notes.join(' ') || summary;
}

function toEnding({ end, kept }: Measurement): Extract<Ending, { kind: 'completed' | 'failed' }> {
  const { outcome, summary, outputs, damage } = end;
  const isMeasured = outcome === 'pass' || outcome === 'fail';
  return {
    kind: isMeasured ? 'completed' : 'failed',
    findings: summary,
    error: isMeasured ? '' : `${outcome}: ${explainUnmeasured(end)}`.slice(0, 500),
    outputs,
    usage: NO_USAGE,
    measured: kept,
    ...(damage === undefined ? {} : { damage }),
  };
}

/** Work on code that no critic of its loop measures: what a design's builder makes. */
export function isUnjudgedWork({ loop, loopFolder }: Pick<SessionStarted, 'loop' | 'loopFolder'>, role: string): boolean {
  return loopFolder === null && loop === 'design' && role === 'builder';
}

/** The agent, whose work fails where it breaks a test that passed at the session's base. */
export function withProjectTests(context: CriticContext, agent: Agent): Agent {
  return {
    ...agent,
    run: async (assignment, watch) => {
      const said = await agent.run(assignment, watch);
      if (said.kind !== 'completed') return said;
      const { outcome, problem, regressions } = await measureWork(context, assignment, watch);
      if (watch.signal.aborted) return { kind: 'interrupted', usage: said.usage };
      if (outcome === 'pass' || outcome === 'missing') return said;
      const named = regressions.map(({ id, message }) => (message === null ? id : `${id} (${message.replace(/\s+/g, ' ')})`)).join('; ');
      const error = outcome === 'fail' ? `Passed at the base and fails now: ${named}` : `${outcome}: ${problem ?? 'The tests broke off.'}`;
      return { ...said, kind: 'failed', error: error.slice(0, 500) };
    },
  };
}

/** The tests on the files that the task would submit. */
async function measureWork(
  context: CriticContext,
  assignment: Assignment,
  watch: Watch,
): Promise<Pick<ProjectTests, 'outcome' | 'problem' | 'regressions'>> {
  const rewrittenAtBase = new Set<string>();
  const { measureProjectTests: measureTests } = await import('../critics/project-tests.js');
  try {
    const commit = await context.keepWork(assignment.task.id, assignment.attempt);
    const { result, traces } = await onCommit(context.openCheck, commit, assignment.workdir, (workdir) =>
      measureTests({ ...createCriticJob(context, { ...assignment, workdir }, watch), rewrittenAtBase }),
    );
    const fault = traceFault(traces, rewrittenAtBase);
    return fault === null ? result : { outcome: 'error', problem: fault, regressions: [] };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { outcome: 'error', problem: error.message, regressions: [] };
  }
}

/** A role whose report is heard beside the reviewer's. */
export function isVerifier({ loop, loopFolder }: Pick<SessionStarted, 'loop' | 'loopFolder'>, role: string): boolean {
  return loopFolder === null && loop === 'review' && (role === 'verifier' || role === 'tester');
}

/** The agent, with what failed in its report first in its findings: the verdict hears severities there. */
export function withVerification(agent: Agent): Agent {
  return {
    ...agent,
    run: async (assignment, watch) => {
      const said = await agent.run(assignment, watch);
      if (said.kind !== 'completed') return said;
      const file = readBytes(openFolder(assignment.session), `artifacts/verify/${assignment.task.id}.json`);
      const report = file.kind === 'bytes' ? parseJson(decodeTolerantly(file.bytes)) : null;
      const failed = report?.ok === true ? verificationFindings(report.value) : [];
      return failed.length === 0 ? said : { ...said, findings: `${failed.join('; ')}; ${said.findings}`.slice(0, 500) };
    },
  };
}

/** Later rounds measure and review again: what is fixed must not come back. */
const FIRST_ROUND = 1;

export function createCriticJob(
  { started, config, guardian, now }: CriticContext,
  { task, workdir, session, round, before, timeoutMs }: Assignment,
  watch: Watch,
): CriticJob {
  const row = Object.fromEntries(
    Object.entries(task).map(([name, value]) => [name, Array.isArray(value) ? value.join(';') : String(value)]),
  );
  const logLine = (line: string) => watch.log('stderr', Buffer.from(`${line}\n`));
  return {
    project: workdir,
    origin: started.project,
    session,
    row,
    base: started.workspace?.base ?? null,
    ...(started.goal === undefined ? {} : { goal: started.goal }),
    before,
    round,
    settings: config.critics,
    comments: round === FIRST_ROUND ? (started.topic?.comments ?? []) : [],
    guard: config.guard,
    guardian,
    watch,
    timeoutMs,
    now,
    say: logLine,
    retry: async (...asked) => (await import('../retrial/retrial.js')).retryForCritic(...asked),
    runOldJudge: async (...asked) => (await import('../retrial/retrial.js')).runOldJudge(...asked),
  };
}
