// Tries a test runner on a project, the whole way: the project is measured as Umpire's critics measure it, then changed in one place at a
// time, and what Umpire says each time is compared with what the runner prints for people.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { differTests } from '@umpire/core/formats/debt-comparison.js';
import { isFailing } from '@umpire/core/formats/debt-measurement.js';
import type { TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { startGuardian } from '@umpire/umpire/agents/guardian.js';
import { createJob } from '@umpire/umpire/critics/critic.js';
import type { CriticJob } from '@umpire/umpire/critics/critic.js';
import { movesOf, openTests } from '@umpire/umpire/critics/project-tests.js';
import { guardProject } from '@umpire/umpire/engine/guard.js';
import { findTests, removeScratch } from '@umpire/umpire/runners/find-tests.js';
import { runTestsWithCoverage, sumCoverage } from '@umpire/umpire/runners/run-tests.js';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';
import { OWN_WORDS } from './own-words.js';
import { applyChange, CHANGES, commitAll, makeProject } from './sample.js';
import type { Change, ChangeName, Sample } from './sample.js';

/** `unnamed`: something is wrong is seen, but not which tests. Null: not tried. */
export type Result = 'yes' | 'unnamed' | 'no' | null;
export const CHECKS = ['names', ...CHANGES, 'oldJudge', 'coverage', 'until'] as const;
export type CheckName = (typeof CHECKS)[number];

export interface Trial {
  readonly runner: string;
  /** Of a real project: `owner/name at commit`; null: the sample of this repository. */
  readonly project: string | null;
  readonly version: string;
  /** Tests that passed before any change. */
  readonly tests: number;
  readonly results: Readonly<Record<CheckName, Result>>;
  /** What is wrong, by check. */
  readonly said: Readonly<Partial<Record<CheckName, string>>>;
}

const UMPIRE = join(import.meta.dirname, '..', '..', 'dist', 'umpire.cjs');
const MINUTE_MS = 60_000;
const RUN_MS = 5 * MINUTE_MS;

export interface TrialPlace {
  /** An empty folder, or none yet. */
  readonly folder: string;
  /** Of a real project; null: the files of the sample. */
  readonly source: string | null;
  readonly only?: readonly CheckName[];
  /** One line for people about each check. */
  readonly onCheck?: (check: CheckName, result: Result, said: string) => void;
}

/** The runner is not installed here, and its packages cannot be. */
export class RunnerMissing extends Error {}

/** Throws `RunnerMissing` where the runner cannot be started. */
export async function tryRunner(sample: Sample, { folder, source, only, onCheck }: TrialPlace): Promise<Trial> {
  try {
    makeProject(sample, folder, source);
  } catch (error) {
    throw new RunnerMissing(`its packages could not be installed: ${(error as Error).message}`, { cause: error });
  }
  if (sample.prepare !== undefined) requireEnd(runOwn(sample, folder, sample.prepare), sample.prepare);
  const version = requireEnd(runOwn(sample, folder, sample.version), sample.version);
  const guardian = startGuardian(randomUUID());
  const env = { ...process.env };
  Object.assign(process.env, ownEnvironment(sample, folder));
  try {
    // A job has one time limit for all that it runs.
    const openJob = (): CriticJob => createJob(DEFAULT_SETTINGS, { project: folder, guardian, timeoutMs: RUN_MS });
    const trial = new RunnerTrial(sample, folder, openJob);
    const results = Object.fromEntries(CHECKS.map((check) => [check, null])) as Record<CheckName, Result>;
    const said: Partial<Record<CheckName, string>> = {};
    for (const check of CHECKS.filter((name) => name === 'names' || only === undefined || only.includes(name))) {
      const end = await trial.tryCheck(check);
      results[check] = end.result;
      if (end.said !== '') said[check] = end.said;
      onCheck?.(check, end.result, end.said);
      // Without names nothing can be compared.
      if (check === 'names' && end.result === null) break;
    }
    const project = sample.repository === undefined ? null : `${sample.repository} at ${sample.commit?.slice(0, 10) ?? 'HEAD'}`;
    return { runner: sample.runner, project, version: /\d+\.\d[\w.-]*/.exec(version)?.[0] ?? version, tests: trial.tests, results, said };
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    await guardian.close();
  }
}

interface CheckEnd {
  readonly result: Result;
  /** Empty where nothing is to be said. */
  readonly said: string;
}

/** Files that did not load may count as failures. */
const KINDS = ['passed', 'skipped', 'failed'] as const;

const NOT_TRIED: CheckEnd = { result: null, said: '' };

class RunnerTrial {
  tests = 0;
  private before: TestsMeasurement | null = null;

  constructor(
    private readonly sample: Sample,
    private readonly folder: string,
    private readonly openJob: () => CriticJob,
  ) {}

  async tryCheck(check: CheckName): Promise<CheckEnd> {
    try {
      if (check === 'names') return await this.tryNames();
      if (check === 'coverage') return await this.tryCoverage();
      if (check === 'oldJudge') return await this.tryOldJudge();
      if (check === 'until') return this.tryUntil();
      return check === 'hollow' ? await this.tryHollow() : await this.tryChange(check);
    } finally {
      this.git('checkout', '-q', '--', '.');
      this.git('clean', '-fdq');
    }
  }

  /** Before any change. */
  private async tryNames(): Promise<CheckEnd> {
    const printed = this.runCount();
    const now = await this.measure();
    if (now.results.length === 0) return { result: null, said: now.problem ?? 'no tests were found' };
    this.before = now;
    const passed = now.results.filter(({ status }) => status === 'passed').map(({ id }) => id);
    this.tests = passed.length;
    const skipped = now.results.filter(({ status }) => status === 'skipped').map(({ id }) => id);
    const wrong = [
      ...this.differFromOwn('names', now, printed.output),
      ...differNames('passed', passed, this.sample.passed),
      ...differNames('skipped', skipped, this.sample.skipped),
    ];
    return judge(wrong);
  }

  /** One change, and where it breaks the product, the way back. */
  private async tryChange(name: ChangeName): Promise<CheckEnd> {
    const change = this.sample.changes[name];
    if (change?.edits === undefined) return NOT_TRIED;
    const { now, printed } = await this.measureChange(change);
    const { worse } = differTests(this.need(), now, movesOf(this.folder, 'HEAD'));
    const old = worse.filter(({ change: kind }) => kind !== 'new');
    const wanted = change.failing ?? change.lost ?? [];
    const isBroken = now.outcome === 'error' || now.outcome === 'timeout' || now.outcome === 'missing';
    // A run that broke off says nothing about any test, and approves nothing.
    if (isBroken) return wanted.length === 0 ? { result: 'no', said: now.problem ?? '' } : { result: 'unnamed', said: now.problem ?? '' };
    const isSame = (name === 'filter' || name === 'nothing') && old.length === 0 && now.results.length === this.need().results.length;
    if (isSame) return { result: 'yes', said: 'all tests ran in spite of it' };
    const failing = now.results.filter(isFailing);
    const found = name === 'break' ? old.filter(({ change: kind }) => kind === 'fails') : old;
    const missed = wanted.filter((title) => !found.some(({ id }) => isNamed(id, title)));
    const wrong = [
      ...this.differFromOwn(name, now, printed),
      ...(missed.length === 0 ? [] : [`not seen: ${missed.join(', ')}`]),
      ...(change.lost === undefined || this.sample.files === null || !isExact(name)
        ? []
        : differNames(
            'lost',
            found.map(({ id }) => id),
            change.lost,
          )),
    ];
    if (name === 'break') {
      this.git('checkout', '-q', '--', '.');
      const again = await this.measure();
      const left = again.results.filter((test) => isFailing(test) && failing.some(({ id }) => id === test.id));
      if (left.length > 0) wrong.push(`fixed, and still failing: ${left.map(({ id }) => id).join(', ')}`);
    }
    // A failure stands for the tests that it kept from running, although nobody can say which.
    return missed.length > 0 && failing.length > 0 ? { result: 'unnamed', said: wrong.join('; ') } : judge(wrong);
  }

  /** Assertions that are gone: nothing fails, so the guard must read it. */
  private async tryHollow(): Promise<CheckEnd> {
    const change = this.sample.changes.hollow;
    if (change?.edits === undefined) return NOT_TRIED;
    applyChange(this.folder, change);
    const { findings, notes, problems, unread } = await guardProject({ project: this.folder, isOthers: true });
    if (findings.length + notes.length > 0) return { result: 'yes', said: '' };
    return { result: 'no', said: [...problems.map(({ message }) => message), ...unread.map((file) => `not read: ${file}`)].join('; ') };
  }

  /** The product is broken, and the test that would say so is hollow: the old test on the new code says it. */
  private async tryOldJudge(): Promise<CheckEnd> {
    const { break: broken, hollow } = this.sample.changes;
    if (broken?.edits === undefined || hollow?.edits === undefined) return NOT_TRIED;
    applyChange(this.folder, broken);
    applyChange(this.folder, hollow);
    const { retrial, findings, notes } = await guardProject({
      project: this.folder,
      isOthers: true,
      retrial: { command: this.sample.command, minutes: RUN_MS / MINUTE_MS },
    });
    const said = [...findings, ...notes].filter(({ rule }) =>
      ['regression-hidden', 'expectation-changed', 'old-tests-fail'].includes(rule),
    );
    if (said.length === 0) return { result: 'no', said: retrial?.problem ?? 'nothing was found' };
    const isNamed = said.some(
      (each) =>
        each.rule === 'regression-hidden' &&
        (broken.failing ?? [each.test ?? '']).some((title) => each.message.includes(title) || each.test?.includes(title) === true),
    );
    return { result: isNamed ? 'yes' : 'unnamed', said: isNamed ? '' : said.map(({ rule, message }) => `${rule}: ${message}`).join('; ') };
  }

  /** The built command with an agent that mends what is broken. */
  private tryUntil(): CheckEnd {
    const { break: broken } = this.sample.changes;
    if (broken?.edits === undefined) return NOT_TRIED;
    applyChange(this.folder, broken);
    commitAll(this.folder, 'break');
    const beside = `${this.folder}-until`;
    try {
      mkdirSync(beside, { recursive: true });
      writeFileSync(join(beside, 'agent.mjs'), agentText(reverse(broken)));
      const homes = { UMPIRE_TRUST: '1', UMPIRE_WORKTREES: join(beside, 'worktrees'), XDG_CONFIG_HOME: beside, XDG_STATE_HOME: beside };
      const words = [
        'until',
        this.sample.command,
        'mend the prices',
        '--max-rounds',
        '1',
        '--agent-command',
        `node ${join(beside, 'agent.mjs')}`,
      ];
      const run = spawnSync(process.execPath, [UMPIRE, ...words], {
        cwd: this.folder,
        env: { ...process.env, ...homes },
        encoding: 'utf8',
        timeout: RUN_MS,
      });
      const said = `exit status ${run.status}: ${run.stderr.trim().split('\n').slice(-4).join(' / ')}`;
      if (run.status !== 0) return { result: 'no', said };
      const session = run.stdout.trim().split('\n').at(-1) ?? '';
      const journal = readFileSync(join(session, 'journal.ndjson'), 'utf8') + run.stderr;
      const isNamed = (broken.failing ?? []).every((title) => journal.includes(title));
      return { result: isNamed ? 'yes' : 'unnamed', said: isNamed ? '' : said };
    } finally {
      removeProject(beside);
      removeProject(join(this.folder, '.umpire'));
      this.git('reset', '-q', '--hard', 'HEAD~1');
    }
  }

  private async tryCoverage(): Promise<CheckEnd> {
    const { coverage, runner } = this.sample;
    const own = OWN_WORDS[runner]?.covered;
    if (coverage === undefined || own === undefined) return NOT_TRIED;
    const printed = runOwn(this.sample, this.folder, coverage).output;
    const theirs = own.exec(printed)?.[1];
    this.git('clean', '-fdq');
    const job = this.openJob();
    const found = await findTests(job);
    try {
      const runs = await runTestsWithCoverage(job, found, () => true);
      const ours = sumCoverage(runs)?.lines.pct;
      const why = runs.flatMap(({ problem, uncovered, notes }) => [problem, uncovered, ...notes]).filter((each) => each !== null);
      if (ours === undefined) return { result: null, said: why.join(' ') };
      if (theirs === undefined) return { result: null, said: 'the runner prints no figure' };
      return judge(Math.abs(ours - Number(theirs)) <= 0.1 ? [] : [`${ours.toFixed(2)} %, and the runner says ${theirs} %`]);
    } finally {
      removeScratch(found);
    }
  }

  private async measureChange(change: Change): Promise<{ readonly now: TestsMeasurement; readonly printed: string }> {
    applyChange(this.folder, change);
    const printed = this.runCount(change).output;
    return { now: await this.measure(), printed };
  }

  private runCount(change: Change = {}): OwnRun {
    const { count, command } = this.sample;
    return runOwn(this.sample, this.folder, change.count ?? count ?? command);
  }

  private async measure(): Promise<TestsMeasurement> {
    const tests = await openTests(this.openJob());
    tests.close();
    return tests.measure;
  }

  private need(): TestsMeasurement {
    if (this.before === null) throw new Error('The tests were not measured before the change.');
    return this.before;
  }

  /** Where the runner printed a summary: its counts and the names of what failed. A file that did not load is no test. */
  private differFromOwn(name: CheckName, { results }: TestsMeasurement, printed: string): readonly string[] {
    const words = OWN_WORDS[this.sample.runner];
    const own = words?.count(printed) ?? null;
    if (words === undefined || own === null) return [];
    const count = (wanted: string): number => results.filter(({ status }) => status === wanted).length;
    const failing = results.filter(isFailing);
    const ours = { passed: count('passed'), failed: failing.length, skipped: count('skipped') };
    // A program that broke off is not in its runner's summary. Where a file does not load, some run nothing, and Umpire the other files.
    const isStopped = name === 'exit' || name === 'crash' || (name === 'unloaded' && own.passed === 0);
    const kinds = isStopped ? [] : name === 'names' || name === 'break' ? KINDS : KINDS.slice(0, 2);
    const wrong = kinds.filter((kind) => ours[kind] !== own[kind]).map((kind) => `${ours[kind]} ${kind}, and the runner says ${own[kind]}`);
    const unseen = [...printed.matchAll(words.failing)]
      .map(([, title = '']) => title.trim())
      .filter((title) => !failing.some(({ id }) => isNamed(id, title)));
    return [...wrong, ...(unseen.length === 0 ? [] : [`the runner says that these failed: ${[...new Set(unseen)].join(', ')}`])];
  }

  private git(...args: readonly string[]): void {
    spawnSync('git', args, { cwd: this.folder, stdio: 'ignore' });
  }
}

function reverse({ edits = {} }: Change): Change {
  return { edits: Object.fromEntries(Object.entries(edits).map(([path, [find, put]]) => [path, [put, find] as const])) };
}

/** A program that makes these edits and says that it is done. */
function agentText({ edits }: Change): string {
  return `import { readFileSync, writeFileSync } from 'node:fs';
for (const [path, [find, put]] of Object.entries(${JSON.stringify(edits)}))
  writeFileSync(path, readFileSync(path, 'utf8').replace(find, () => put));
const { id } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
writeFileSync(process.env.UMPIRE_RESULT_FILE, JSON.stringify({ id, status: 'completed', findings: 'mended' }));
`;
}

function judge(wrong: readonly string[]): CheckEnd {
  return { result: wrong.length === 0 ? 'yes' : 'no', said: wrong.join('; ') };
}

/** Of a run that ends early, the order of the tests decides which are lost. */
function isExact(name: ChangeName): boolean {
  return name === 'skip' || name === 'delete' || name === 'filter' || name === 'nothing';
}

/** By the last part of its name. */
function isNamed(id: string, title: string): boolean {
  return [id, id.replaceAll(' > ', ' ')].some((name) => {
    const at = name.lastIndexOf(title);
    const [before, after] = [name.slice(0, Math.max(at, 0)).slice(-1), name.slice(at + title.length)];
    return at >= 0 && !/\w/.test(before) && /^(?:$| \(|\(|\[)/.test(after);
  });
}

function differNames(what: string, ids: readonly string[], titles: readonly string[] | undefined): readonly string[] {
  if (titles === undefined) return [];
  const missed = titles.filter((title) => !ids.some((id) => isNamed(id, title)));
  const more = ids.filter((id) => !titles.some((title) => isNamed(id, title)));
  return [
    ...(missed.length === 0 ? [] : [`not ${what}: ${missed.join(', ')}`]),
    ...(more.length === 0 ? [] : [`${what} too: ${more.join(', ')}`]),
  ];
}

interface OwnRun {
  readonly output: string;
  readonly status: number | null;
}

function ownEnvironment(sample: Sample, folder: string): Readonly<Record<string, string>> {
  const path = sample.env?.['PATH'] ?? process.env['PATH'] ?? '';
  return {
    PYTHONDONTWRITEBYTECODE: '1',
    NO_COLOR: '1',
    ...sample.env,
    PATH: [join(folder, 'node_modules', '.bin'), path].join(delimiter),
  };
}

/** As a person runs it. */
function runOwn(sample: Sample, folder: string, command: string): OwnRun {
  const env = { ...process.env, ...ownEnvironment(sample, folder) };
  const run = spawnSync('bash', ['-c', `{ ${command} ; } 2>&1`], { cwd: folder, env, encoding: 'utf8', timeout: RUN_MS, maxBuffer: 1e9 });
  return { output: run.stdout, status: run.status };
}

function requireEnd({ output, status }: OwnRun, command: string): string {
  if (status === 0) return output.trim();
  throw new RunnerMissing(`\`${command}\` failed: ${output.trim().split('\n').slice(-3).join(' ')}`);
}

export function removeProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
