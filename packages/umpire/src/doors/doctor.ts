// `umpire doctor`: checks the machine, the project, the agents and the tools of the critics. It starts no agent, runs no test and writes
// only scratch folders, which it removes. In a trusted project test runners are asked for their files and tests; elsewhere nothing is started.

import { randomBytes } from 'node:crypto';
import { accessSync, constants, realpathSync, statfsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ERRORS } from '@umpire/core/model/error-catalogue.js';
import { isUmpireError, UmpireError } from '@umpire/core/model/errors.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import { startGuardian } from '../agents/guardian.js';
import { supervisorProgram } from '../agents/supervisor.js';
import { lookUpProgram, splitCommand } from '../agents/program-lookup.js';
import type { CriticJob } from '../critics/critic.js';
import { findToolPlaces } from '../critics/debt-measure.js';
import { NO_TOOL } from '../critics/debt.js';
import { findTokens } from '../critics/design.js';
import { findAbsentTools, findCheckTools } from '../critics/check-tools.js';
import type { AbsentTool, ToolKind } from '../critics/check-tools.js';
import { countDeclared, countTests } from '../runners/count-tests.js';
import type { TestCount } from '../runners/count-tests.js';
import { findFiles } from '../runners/project-files.js';
import { describeUnrun, findUnrunTests, suggestTestCommand } from '../runners/unrun-tests.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { findPackages, findTests, guessTests, removeScratch } from '../runners/find-tests.js';
import type { FoundTestPlace, FoundTests } from '../runners/find-tests.js';
import { readManifest } from '../runners/run-tool.js';
import { listChecks, EVERY_ROLE } from '../views/doctor-page.js';
import type { DoctorCheck, DoctorReport } from '../views/doctor-page.js';
import { count } from '../views/words.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { Settings, CommandLine, CriticSettings } from '../sessions/settings.js';
import { isFolder, lstatOf } from '../sessions/file-system.js';
import { faultOf, openFolder } from '../sessions/session-folder.js';
import { describeFormulas, readTasks } from '../sessions/tasks-file.js';
import { packageRoot } from '../sessions/package-root.js';
import { CONFIG, configAt, refuseMisnamedSettings } from '../sessions/project.js';
import { isProjectTrusted } from '../sessions/trust.js';
import { findSessions } from '../sessions/find-sessions.js';
import { runGitSync, askGit, tryGit } from '../work/git.js';
import type { Repository } from '../work/repository.js';
import { uncommittedIn } from '../work/uncommitted.js';
import { describeInstalledAgents, lookUpPresets, programNamed, BUILT_IN } from '../engine/agent-programs.js';
import { checkAgents } from '../engine/agents.js';
import type { AgentChoice } from '../engine/agents.js';
import { CRITIC_LOOPS } from '../engine/critics.js';
import { findProjectRepository, isInGit, noSession, projectFor, worktreeHome } from '../engine/project-folders.js';
import { resolveRunSettings } from '../engine/run-flags.js';
import { checkSandbox } from '../engine/sandbox.js';
import { findProjectFaults } from '../engine/project-faults.js';
import { readSettings } from '../engine/project-settings.js';
import { uncommittedWords } from '../engine/settings-notes.js';
import { elapsedMs } from '../sessions/environment.js';

interface DoctorParameters {
  /** The project's folder. Default: the project that contains the current folder. */
  readonly project?: string;
  readonly signal?: AbortSignal;
  /** Never starts a program of the project, even if it is trusted. */
  readonly looksOnly?: boolean;
}

export async function checkReadiness(request: DoctorParameters): Promise<DoctorReport> {
  const { project: asked, signal = new AbortController().signal, looksOnly = false } = request;
  const project = projectFor(asked);
  const starts = isProjectTrusted(project) && !looksOnly;
  const settings = await checkSettings(project);
  const { config, areSettingsRead } = settings;
  const checks = await Promise.all([
    checkMachine(project, config.sandbox),
    checkProject(project, settings),
    checkAgentSetup(project, config, areSettingsRead),
    checkCritics(project, config.critics, signal, starts),
  ]);
  const all = checks.flat();
  const { version } = readManifest(packageRoot()) ?? {};
  return {
    umpire: typeof version === 'string' ? version : 'unknown',
    node: process.versions.node,
    platform: `${platform()} ${arch()}`,
    project,
    outcome: all.some(({ state }) => state === 'fault') ? 'fail' : 'pass',
    checks: all,
  };
}

const machineCheck = listChecks('machine');

async function checkMachine(folder: string, isSandboxOn: boolean): Promise<readonly DoctorCheck[]> {
  return [checkGit(folder), await checkSandboxTool(isSandboxOn), checkSupervisor()];
}

/** The first that reads settings from the environment, which keep a repository's own from starting programs. */
const OLDEST_GIT = [2, 31] as const;

function checkGit(folder: string): DoctorCheck {
  const { hint } = ERRORS['git-missing'];
  try {
    const { code, stdout, stderr } = runGitSync(folder, ['--version']);
    const [, version = '', major = '', minor = ''] = /((\d+)\.(\d+)\S*)/.exec(stdout.toString('utf8')) ?? [];
    if (code !== 0 || version === '')
      return machineCheck('git', 'fault', `git --version failed: ${stderr.trim() || `exit status ${code}`}`, hint);
    const isOld = Number(major) < OLDEST_GIT[0] || (Number(major) === OLDEST_GIT[0] && Number(minor) < OLDEST_GIT[1]);
    return isOld
      ? machineCheck('git', 'fault', `${version} is too old; Umpire needs ${OLDEST_GIT.join('.')}`, hint)
      : machineCheck('git', 'ok', version);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return machineCheck('git', 'fault', error.message, error.hint);
  }
}

async function checkSandboxTool(isSandboxOn: boolean): Promise<DoctorCheck> {
  try {
    await checkSandbox();
    return machineCheck('sandbox', 'ok', isSandboxOn ? 'on (settings)' : 'available with --sandbox');
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return machineCheck(
      'sandbox',
      isSandboxOn ? 'fault' : 'note',
      error.message,
      isSandboxOn ? error.hint : `Only --sandbox needs it. ${error.hint}`,
    );
  }
}

function checkSupervisor(): DoctorCheck {
  return supervisorProgram === null
    ? machineCheck(
        'processes',
        'note',
        'A process that an agent leaves behind is ended only if it kept its environment.',
        'On Linux, install Perl (/usr/bin/perl) or use --sandbox.',
      )
    : machineCheck('processes', 'ok', `left behind by agents are ended (by ${supervisorProgram})`);
}

const projectCheck = listChecks('project');

interface SettingsCheck {
  /** The defaults if the file cannot be read. */
  readonly config: Settings;
  readonly areSettingsRead: boolean;
  readonly check: DoctorCheck;
}

async function checkSettings(project: string): Promise<SettingsCheck> {
  try {
    const notes: string[] = [];
    refuseMisnamedSettings(project);
    const config = await readSettings(project, { onNote: (note) => void notes.push(note) });
    const [ignored] = notes;
    const message = configAt(project) === null ? 'none; write them with umpire init' : CONFIG;
    const check = ignored === undefined ? projectCheck('settings', 'ok', message) : projectCheck('settings', 'note', ignored);
    return { config, areSettingsRead: true, check };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { config: DEFAULT_SETTINGS, areSettingsRead: false, check: projectCheck('settings', 'fault', error.message, error.hint) };
  }
}

async function checkProject(project: string, { config, check }: SettingsCheck): Promise<readonly DoctorCheck[]> {
  const home = worktreeHome(project, config.workspace.home);
  const { link, copy } = config.workspace;
  const repository = await checkRepository(project, home, [...link, ...copy]);
  return [...repository, check, checkTrust(project), checkHome(home, project), ...checkSessions(project)];
}

function checkTrust(project: string): DoctorCheck {
  if (isProjectTrusted(project)) return projectCheck('trust', 'ok', 'you trust this project');
  return projectCheck(
    'trust',
    'note',
    'not trusted, so doctor started no program of the project',
    'Look at it and trust it with: umpire trust',
  );
}

/** Missing git is reported once, as a check of the machine. */
async function checkRepository(project: string, home: string, entries: readonly string[]): Promise<readonly DoctorCheck[]> {
  try {
    const repository = findProjectRepository(project);
    const place = { project, session: '', home, sessionFolder: noSession(project) };
    const [whose, uncommitted, faults] = await Promise.all([
      checkBranch(repository, project),
      uncommittedIn({ repository, place }),
      findProjectFaults(repository, project, entries),
    ]);
    return [
      whose,
      ...(uncommitted.length === 0 ? [] : [projectCheck('uncommitted', 'note', uncommittedWords(uncommitted))]),
      ...faults.map(({ name, message, hint }) => projectCheck(name, 'note', message, hint)),
    ];
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return error.code === 'git-missing' ? [] : [projectCheck('repository', 'fault', error.message, error.hint)];
  }
}

async function checkBranch({ kind, checkout, prefix }: Repository, project: string): Promise<DoctorCheck> {
  if (kind === 'snapshot') {
    const why = isInGit(project) ? 'nothing is committed yet' : 'no git repository';
    return projectCheck('repository', 'note', `${why}; Umpire keeps the work of each session in a private repository`);
  }
  const { code, stdout } = await tryGit(checkout, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const at = code === 0 ? `git, branch ${stdout.toString('utf8')}` : `git, detached at ${await askGit(checkout, SHORT_HEAD)}`;
  return projectCheck('repository', 'ok', prefix === '' ? at : `${at.trim()}; the project is its folder ${prefix}`);
}

const SHORT_HEAD = ['rev-parse', '--short', 'HEAD'];

const FIX_WORKTREES = `Fix that, or move the worktrees: workspace: {home: ...} in ${CONFIG}, or UMPIRE_WORKTREES.`;

function checkHome(home: string, project: string): DoctorCheck {
  const fault = writeFault(home);
  if (fault !== null) return projectCheck('worktrees', 'fault', fault, FIX_WORKTREES);
  if (`${resolve(home)}/`.startsWith(`${project}/`))
    return projectCheck('worktrees', 'note', `${home} is inside the project, so test runners and linters find the copies`, FIX_WORKTREES);
  const { bavail, bsize } = statfsSync(nearestExisting(home));
  return checkSpace(home, bavail * bsize);
}

/** Why no folder can be created or filled there; null if one can. */
function writeFault(place: string): string | null {
  const folder = nearestExisting(place);
  if (!isFolder(folder)) return `${place} cannot be created: ${folder} is not a folder`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${folder} cannot be written: ${faultOf(error)}`;
  }
}

function nearestExisting(place: string): string {
  let folder = resolve(place);
  while (!exists(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** A path in a folder without permission counts as absent; the folder itself is then reported. */
function exists(path: string): boolean {
  try {
    return lstatOf(path) !== undefined;
  } catch {
    return false;
  }
}

const MB = 1e6;
const GB = 1e9;

/** Every task that writes needs space for a copy of the project. */
export function checkSpace(home: string, free: number): DoctorCheck {
  const left = free < GB ? `${Math.floor(free / MB)} MB` : `${(free / GB).toFixed(1)} GB`;
  if (free < 100 * MB)
    return projectCheck(
      'worktrees',
      'fault',
      `${home}: only ${left} free`,
      `Free some space, for example with: umpire clean. ${FIX_WORKTREES}`,
    );
  if (free < GB)
    return projectCheck('worktrees', 'note', `${home}: only ${left} free`, 'Each task that writes gets a copy of the project there.');
  return projectCheck('worktrees', 'ok', `${home}, ${left} free`);
}

function checkSessions(project: string): readonly DoctorCheck[] {
  const fault = writeFault(join(project, '.umpire', 'sessions'));
  if (fault !== null) return [projectCheck('sessions', 'fault', fault, 'Fix that, or pass --session DIR to each run.')];
  const sessions = findSessions(project);
  if (sessions.length === 0) return [];
  const among = (state: string) => sessions.filter((entry) => entry.state === state).length;
  const [awaiting, unreadable] = [among('awaiting'), among('unreadable')];
  const parts = [
    count(sessions.length, 'session'),
    ...(awaiting === 0 ? [] : [`${awaiting} waiting for a person`]),
    ...(unreadable === 0 ? [] : [`${unreadable} unreadable`]),
  ];
  const asked = [...(awaiting === 0 ? [] : ['--state awaiting']), ...(unreadable === 0 ? [] : ['--state unreadable'])];
  const see = asked.length === 0 ? null : `See them with: umpire list ${asked.join(' ')}`;
  return [
    projectCheck('sessions', see === null ? 'ok' : 'note', see === null ? `${parts[0]} (umpire list)` : parts.join(', '), see),
    ...sessions.flatMap(({ name, path }) => {
      const read = readTasks(openFolder(path));
      const formulas = read.kind === 'file' ? describeFormulas(read.file) : null;
      return formulas === null
        ? []
        : [projectCheck('formulas', 'note', `${name}: ${formulas}`, 'In a spreadsheet, import these columns as text.')];
    }),
  ];
}

const agentCheck = listChecks('agents');

/** Without readable settings the agents of roles are unknown. */
async function checkAgentSetup(project: string, config: Settings, areSettingsRead: boolean): Promise<readonly DoctorCheck[]> {
  const own = await Promise.all(
    Object.keys(config.agents).map(async (name) => {
      // A broken agent is only a note here; it is a fault if a role needs it.
      const { what, fault } = await inspectAgent(name, project, config);
      return fault === null ? agentCheck(name, 'ok', what) : agentCheck(name, 'note', fault.message, fault.hint);
    }),
  );
  return [...checkPresets(config), ...own, ...(areSettingsRead ? await checkRoleAgents(project, config) : [])];
}

/** Presets that the settings change are checked as agents of the settings. */
function checkPresets({ agents }: Settings): readonly DoctorCheck[] {
  const presets = lookUpPresets().filter(({ name }) => !Object.hasOwn(agents, name));
  const absent = presets.filter(({ found }) => 'why' in found).map(({ name }) => name);
  const here = presets.flatMap(({ name, found }) => ('place' in found ? [agentCheck(name, 'ok', found.place)] : []));
  if (absent.length === 0) return here;
  const hint = here.length === 0 ? 'Install one, or use any program: --agent-command "CMD ARGS", or agents in umpire.config.yaml.' : null;
  return [...here, agentCheck('not installed', 'note', absent.join(', '), hint)];
}

interface AgentLook {
  readonly what: string;
  /** Null if it can do a task. */
  readonly fault: { readonly message: string; readonly hint: string } | null;
}

/** Creates the agent as a run does, and looks for its program. */
async function inspectAgent(name: string, project: string, config: Settings): Promise<AgentLook> {
  const choice = agentChoice(name, project, config);
  try {
    await checkAgents(choice);
    const program = programNamed(name, choice);
    if (program === null) return { what: describeAgent(name, config), fault: null };
    const found = lookUpProgram(program.spec, project);
    if ('place' in found) return { what: found.place, fault: null };
    const { hint } = new UmpireError('agent-not-there', { name, roles: '', detail: '', agents: describeInstalledAgents() });
    return { what: '', fault: { message: `"${name}" cannot be started: ${found.why}`, hint } };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { what: '', fault: { message: error.message, hint: error.hint } };
  }
}

/** Throws the error that a run would throw for this agent. */
export async function checkAgentName(name: string, project: string): Promise<void> {
  await checkAgents(agentChoice(name, project, DEFAULT_SETTINGS));
}

function agentChoice(name: string, project: string, config: Settings): AgentChoice {
  const settings = { ...resolveRunSettings({}, DEFAULT_SETTINGS, null, ''), agents: { '*': name } };
  const started = { project, critic: '', loop: '', loopFolder: null, workspace: null };
  return { started, settings, session: project, config, own: {}, now: () => new Date() };
}

function describeAgent(name: string, { agents }: Settings): string {
  const runs = agents[name]?.runs;
  return runs?.kind === 'script' ? `plays ${runs.path}` : 'the person at the terminal';
}

function howToChooseAgent(project: string): string {
  const once = configAt(project) === null ? 'with: umpire init' : `under agent in ${CONFIG}`;
  return `Pass --agent when you run, or choose one ${once}.`;
}

async function checkRoleAgents(project: string, config: Settings): Promise<readonly DoctorCheck[]> {
  const { agent, roles } = config;
  const rest = agent === null ? checkDefaultAgent(roles, project) : await checkRoleAgent(EVERY_ROLE, agent, project, config);
  const named = await Promise.all(Object.entries(roles).map(([role, name]) => checkRoleAgent(`role ${role}`, name, project, config, role)));
  return [rest, ...named];
}

function checkDefaultAgent(roles: Settings['roles'], project: string): DoctorCheck {
  const isSome = Object.keys(roles).length > 0;
  return agentCheck(EVERY_ROLE, 'note', isSome ? 'no agent chosen for the other roles' : 'no agent chosen', howToChooseAgent(project));
}

/** The agent of one role, or the default agent without `role`. */
async function checkRoleAgent(title: string, name: string, project: string, config: Settings, role?: string): Promise<DoctorCheck> {
  if (name === BUILT_IN && !Object.hasOwn(config.agents, BUILT_IN)) {
    if (role === undefined)
      return agentCheck(title, 'note', "builtin is Umpire's critic; it cannot do other roles", howToChooseAgent(project));
    const isCritic = CRITIC_LOOPS.some((loop) => builtinLoop(loop)?.roles.critic === role);
    if (isCritic) return agentCheck(title, 'ok', "builtin, Umpire's critic");
    return agentCheck(
      title,
      'fault',
      "builtin is Umpire's critic, and this is not a critic's role",
      'Name an agent for it, or remove the line.',
    );
  }
  const { fault } = await inspectAgent(name, project, config);
  return fault === null ? agentCheck(title, 'ok', name) : agentCheck(title, 'fault', fault.message, fault.hint);
}

const criticCheck = listChecks('critics');

/** For all test runners together. */
const RUNNER_TIMEOUT_MS = 20_000;
const TOKEN_SEARCH_MS = 5000;

/** `starts`: test runners are asked for their files and tests, which runs code of the project. */
export async function checkCritics(
  project: string,
  settings: CriticSettings,
  signal: AbortSignal,
  starts: boolean,
): Promise<readonly DoctorCheck[]> {
  const testing = await orFault('testing', async () => {
    const places = guessTests(project, settings);
    const runners =
      settings.tests === 'none'
        ? []
        : starts
          ? await checkTests(project, settings, signal)
          : places.map(({ place, files }) => {
              const folder = place.path === '' ? '' : ` in ${place.path}`;
              const declared = countDeclared(realpathSync.native(project), { place, files });
              const many = declared === null ? `${count(files.length, 'test file')} by name` : showTests([declared], files.length);
              return criticCheck('testing', 'note', `${place.runner}${folder}: ${many}; not started`);
            });
    return [...runners, ...checkTestGaps(project, settings, places)];
  });
  const rest = [
    ['debt types', () => [checkTools(project, 'types', settings)]],
    ['debt lint', () => [checkTools(project, 'lint', settings)]],
    ['debt quality', () => [checkTools(project, 'quality', settings)]],
    ['design', () => [checkTokens(project, settings, signal)]],
    ['review', () => [checkReview(project, settings)]],
  ] as const;
  const others = await Promise.all(rest.map(([name, look]) => orFault(name, async () => look())));
  return [...testing, ...others.flat()];
}

async function orFault(name: string, look: () => Promise<readonly DoctorCheck[]>): Promise<readonly DoctorCheck[]> {
  try {
    return await look();
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return [criticCheck(name, 'fault', error.message, error.hint)];
  }
}

async function checkTests(project: string, settings: CriticSettings, signal: AbortSignal): Promise<readonly DoctorCheck[]> {
  const guardian = startGuardian(randomBytes(8).toString('hex'));
  const job: CriticJob = {
    project,
    // No evidence is written.
    session: project,
    row: {},
    base: null,
    round: null,
    settings,
    guard: DEFAULT_SETTINGS.guard,
    guardian,
    watch: { signal, log: () => undefined },
    timeoutMs: RUNNER_TIMEOUT_MS,
    now: () => new Date(),
    say: () => undefined,
  };
  try {
    const found = await findTests(job);
    const counts = await countTests(job, found);
    removeScratch(found);
    return checkRunners(found, counts);
  } finally {
    await guardian.close();
  }
}

/** Tests that nothing runs, and packages without any. */
function checkTestGaps(
  project: string,
  settings: CriticSettings,
  places: readonly Pick<FoundTestPlace, 'place' | 'files'>[],
): readonly DoctorCheck[] {
  const unrun = findUnrunTests(project, places);
  const advice = `Name the command that runs them, and its report: critics.tests: ${suggestTestCommand(project)}`;
  if (settings.tests === 'none')
    return unrun.length === 0
      ? [criticCheck('testing', 'ok', 'the project has no tests (settings)')]
      : unrun.map((each) => criticCheck('testing', 'note', `critics.tests is none, but there are ${describeUnrun(each)}`, advice));
  const gaps = unrun.map((each) => criticCheck('testing', 'note', describeUnrun(each), advice));
  if (places.length === 0)
    return gaps.length > 0 ? gaps : [criticCheck('testing', 'note', 'no tests found; an agent reports instead', advice)];
  const isRun = (path: string): boolean => places.some(({ place }) => place.path === path || covers(place, path));
  const isNamed = (path: string): boolean => unrun.some(({ files }) => files.some((file) => file.startsWith(`${path}/`)));
  const bare = findPackages(project).filter((path) => !isRun(path) && !isNamed(path));
  return [...gaps, ...(bare.length === 0 ? [] : [criticCheck('testing', 'note', `no tests in ${listFolders(bare)}`)])];
}

function covers({ path, runner, coversPackages }: FoundTestPlace['place'], folder: string): boolean {
  return coversPackages || (runner === 'command' && (path === '' || folder.startsWith(`${path}/`)));
}

const MOST_FOLDERS = 3;

/** `packages/a, packages/b`, of many the first: `40 folders (packages/a, packages/b, packages/c …)` */
function listFolders(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_FOLDERS).map((path) => (path === '' ? 'the project itself' : path));
  return paths.length > MOST_FOLDERS ? `${paths.length} folders (${named.join(', ')} …)` : named.join(', ');
}

/** One line for all folders with the same result. */
function checkRunners(
  { places, unmeasured, notes, uses }: FoundTests,
  counts: ReadonlyMap<FoundTestPlace, TestCount>,
): readonly DoctorCheck[] {
  const asked = places.filter(({ ready }) => (ready?.listing ?? null) !== null);
  const useOf = new Map(asked.map((place, index) => [place, uses[index]]));
  const groups = new Map<string, RunnerFolder[]>();
  for (const place of places) {
    const trouble = runnerProblem(useOf.get(place), place.files.length);
    const folder = { place, trouble, tests: counts.get(place) ?? null };
    addToList(
      groups,
      JSON.stringify([place.place.runner, place.ready?.version, place.absent, place.ready?.uncovered, folder.trouble]),
      folder,
    );
  }
  return [
    ...[...groups.values()].map(runnerCheck),
    ...[...unmeasured.map(({ problem }) => problem), ...notes].map((problem) => criticCheck('testing', 'note', problem)),
  ];
}

interface RunnerFolder {
  readonly place: FoundTestPlace;
  /** Why the runner could not list its files. */
  readonly trouble: string | null;
  /** Null where they cannot be counted. */
  readonly tests: TestCount | null;
}

/** `72 tests in 9 files`; counted by reading: `about 72 tests in 9 files`; of none that is known `9 test files`. */
function showTests(counts: readonly (TestCount | null)[], files: number): string {
  const tests = counts.reduce((sum, each) => sum + (each?.tests ?? 0), 0);
  if (tests === 0) return count(files, 'test file');
  const isAbout = counts.some((each) => each === null || each.isAbout);
  return `${isAbout ? 'about ' : ''}${count(tests, 'test')} in ${count(files, 'file')}`;
}

/** Without test files, the exit status of the runner does not matter. */
function runnerProblem(use: ToolUse | undefined, files: number): string | null {
  if (use === undefined || files === 0) return null;
  if (use.timed_out) return `timed out after ${RUNNER_TIMEOUT_MS / 1000} s`;
  return use.exit_status === 0 ? null : `failed to list its test files (exit status ${use.exit_status ?? '?'})`;
}

function runnerCheck(alike: readonly RunnerFolder[]): DoctorCheck {
  const [
    {
      place: { place, ready, absent },
      trouble,
    },
  ] = alike as readonly [RunnerFolder];
  const files = alike.reduce((sum, one) => sum + one.place.files.length, 0);
  const paths = alike.map((one) => one.place.place.path);
  const folders = paths.every((path) => path === '') ? '' : ` in ${listFolders([...new Set(paths)])}`;
  const isSet = place.runner === 'command';
  const who = `${ready?.label ?? place.runner}${ready?.version == null ? '' : ` ${ready.version}`}${folders}${isSet ? ' (settings)' : ''}`;
  const counts = alike.filter((one) => one.place.files.length > 0).map(({ tests }) => tests);
  const many = isSet && files === 0 ? 'tests' : showTests(counts, files);
  if (absent !== null) return criticCheck('testing', 'note', `${who}: ${many} that cannot run`, absent);
  if (trouble !== null)
    return criticCheck('testing', 'note', `${who} ${trouble}; found ${many} by name`, 'Run it by hand and fix the problem.');
  if (files === 0 && !isSet) return criticCheck('testing', 'note', `${who}: no test file yet`);
  const uncovered = ready?.uncovered ?? null;
  return uncovered === null
    ? criticCheck('testing', 'ok', `${who}: ${many}, with coverage`)
    : criticCheck('testing', 'note', `${who}: ${many}, without coverage`, uncovered);
}

function checkTools(project: string, kind: ToolKind, { debt }: CriticSettings): DoctorCheck {
  const name = `debt ${kind}`;
  const set = debt[kind];
  if (set === false) return criticCheck(name, 'ok', 'off (settings)');
  if (set !== undefined) return checkToolCommand(name, set, project);
  const places = findToolPlaces(project, kind, debt.complexity);
  const found = places.map(({ path, tool }) => `${versioned(tool)}${path === '' ? '' : ' in packages'}`);
  const absent = findAbsentTools(project, [kind]);
  if (found.length > 0 && absent.length === 0) return criticCheck(name, 'ok', [...new Set(found)].join(', '));
  if (absent.length > 0) return criticCheck(name, 'note', [...new Set(found), ...absent.map(notInstalled)].join(', '), INSTALL_LINTER);
  const hint = `The debt loop skips it. To change that, set critics.debt.${kind}.`;
  return criticCheck(name, 'note', NO_TOOL[kind].replace(/\.$/, ''), hint);
}

function notInstalled({ name, settings }: AbsentTool): string {
  return `${name} is configured in ${settings} but not installed`;
}

const INSTALL_LINTER = "Install it in the project's Python environment (.venv, venv or the active one).";

function versioned({ name, version }: { readonly name: string; readonly version: string | null }): string {
  return version === null ? name : `${name} ${version}`;
}

/** A command of the settings; no shell runs it. */
function checkToolCommand(name: string, command: CommandLine, project: string): DoctorCheck {
  const argv = typeof command === 'string' ? splitCommand(command) : command;
  const found = lookUpProgram({ argv, base: project }, project);
  const shown = argv.join(' ');
  if ('place' in found) return criticCheck(name, 'ok', `${shown} (settings)`);
  return criticCheck(name, 'note', `${shown}: ${found.why}`, `Install it, or fix critics.debt.${name.slice('debt '.length)}.`);
}

function checkTokens(project: string, { design }: CriticSettings, signal: AbortSignal): DoctorCheck {
  const start = elapsedMs();
  const isTime = (): boolean => elapsedMs() - start < TOKEN_SEARCH_MS;
  const { files } = findTokens(project, design.tokens, () => !signal.aborted && isTime());
  const many = `${isTime() ? '' : 'at least '}${count(files.length, 'token file')}`;
  const broken = files.find(({ unreadable }) => unreadable !== null);
  if (broken !== undefined)
    return criticCheck('design', 'note', `${many}; ${broken.file} is unreadable: ${broken.unreadable?.problem ?? ''}`);
  if (files.length > 0) return criticCheck('design', 'ok', many);
  const hint = 'Write them as *.tokens.json, or name the files under critics.design.tokens.';
  return criticCheck('design', 'note', 'no design tokens found; an agent reports instead', hint);
}

function checkReview(project: string, { review }: CriticSettings): DoctorCheck {
  const tools = findCheckTools(project).map(versioned);
  const reports = findFiles(project, review.reports).length;
  const found = [...tools, ...(reports === 0 ? [] : [count(reports, 'report')])];
  const absent = findAbsentTools(project);
  if (absent.length > 0) return criticCheck('review', 'note', [...found, ...absent.map(notInstalled)].join(', '), INSTALL_LINTER);
  if (found.length > 0) return criticCheck('review', 'ok', found.join(', '));
  const hint = 'Configure a linter, or name reports under critics.review.reports.';
  return criticCheck('review', 'note', "no linter and no report found; only the reviewer's findings count", hint);
}
