// A project in a temporary folder, and the command run in it as a person would: real git, real files, real agents. `umpire` runs it in this
// process, which is much faster; `start` starts the built command, for a test that stops it or runs two at once. Tests read the result from
// the session folder. Evidence of critics is in run-evidence.ts.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Recorded } from '@umpire/core/decider/events.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { readJournal } from '@umpire/umpire/sessions/journal-file.js';
import { gitIn, initRepository, writeFiles } from './git-project.js';
import type { Files } from './git-project.js';
import { runInProcess } from './in-process.js';
import type { Variables } from './in-process.js';

const root = join(import.meta.dirname, '..', '..');
export const command = join(root, 'dist', 'umpire.cjs');

export interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
  /** The session's folder, as `run` prints it. */
  readonly session: string;
}

/** The command while it runs. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when this text is on stderr; rejects if the command ends without it. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<Ran>;
}

export interface Options {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A program that starts the command, with its arguments. */
  readonly through?: readonly string[];
}

export interface RunProject {
  readonly root: string;
  /** A folder beside the project: for agents and their notes. */
  readonly beside: string;
  readonly worktrees: string;
  readonly git: (...args: readonly string[]) => string;
  readonly write: (files: Files) => void;
  readonly commit: (files: Files) => void;
  readonly umpire: (...args: readonly string[]) => Promise<Ran>;
  readonly umpireWith: (options: Options, ...args: readonly string[]) => Promise<Ran>;
  readonly start: (...args: readonly string[]) => Running;
  readonly startWith: (options: Options, ...args: readonly string[]) => Running;
  /** The flags that make a shell script the agent of every role; see `agentText`. */
  readonly sh: (body: string, name?: string) => readonly string[];
}

export interface Kind {
  readonly files?: Files;
  /** umpire.config.yaml; JSON is YAML. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The answers of the scripted agent, which has every role; in `agents/play.yaml`. */
  readonly answers?: readonly unknown[];
  /** A folder without git. */
  readonly plain?: boolean;
  /** The project is this folder of the repository. */
  readonly inner?: string;
}

const made: string[] = [];

/** Every test file calls this once. */
export function cleanUpProjects(): void {
  afterAll(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  }, 120_000);
}

export function makeProject({
  files = { 'README.md': 'A project.\n' },
  config,
  answers,
  plain = false,
  inner = '',
}: Kind = {}): RunProject {
  const beside = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-run-')));
  made.push(beside);
  const repository = join(beside, 'project');
  const place = join(repository, inner);
  const played = answers === undefined ? {} : { agent: 'play', agents: { play: { script: 'agents/play.yaml' } } };
  const settings = { ...played, ...config, agents: { ...played.agents, ...(config?.['agents'] as object | undefined) } };
  const { agents, ...others } = settings;
  const text = JSON.stringify(Object.keys(agents).length === 0 ? others : settings, null, 2);
  writeFiles(place, {
    ...(text === '{}' ? {} : { 'umpire.config.yaml': text }),
    ...(answers === undefined ? {} : { 'agents/play.yaml': JSON.stringify({ answers }, null, 2) }),
    ...files,
  });
  const git = (...args: readonly string[]): string => gitIn(repository, ...args);
  if (!plain) {
    initRepository(repository);
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
  }
  const worktrees = join(beside, 'worktrees');
  const start = (options: Options, args: readonly string[]): Running => startCommand({ cwd: place, ...options }, worktrees, beside, args);
  const umpireWith = async (options: Options, args: readonly string[]): Promise<Ran> => {
    if (options.through !== undefined) return start(options, args).ended;
    const variables = { ...environment(worktrees, beside), ...options.env };
    const { exit, stdout, stderr } = await runInProcess(options.cwd ?? place, args, variables);
    return { exit, out: stdout, err: stderr, session: sessionOf(stdout) };
  };
  return {
    root: place,
    beside,
    worktrees,
    git,
    write: (more) => writeFiles(place, more),
    commit: (more) => {
      writeFiles(place, more);
      git('add', '-A');
      git('commit', '-q', '-m', 'more');
    },
    umpire: (...args) => umpireWith({}, args),
    umpireWith: (options, ...args) => umpireWith(options, args),
    start: (...args) => start({}, args),
    startWith: (options, ...args) => start(options, args),
    sh: (body, name = 'agent.sh') => {
      writeFiles(beside, { [name]: agentText(body) });
      return ['--agent-command', `sh ${join(beside, name)}`];
    },
  };
}

/**
 * A program as SPEC section 7 describes it: `id`, `role`, `attempt` and `round` are of the task, `prompt` is what came on stdin.
 * `complete` hands in a result with these findings (and columns as JSON), `fail` one that failed, `until_file` waits for a file.
 */
export function agentText(body: string): string {
  return `prompt=$(cat)
field() { grep -o '"'"$1"'":"\\{0,1\\}[^",}]*' "$UMPIRE_TASK_FILE" | head -n 1 | sed 's/.*[":]//'; }
id=$(field id)
role=$(field role)
attempt=$(field attempt)
round=$(field round)
beside=\${0%/*}
complete() { printf '{"id":"%s","status":"completed","findings":"%s"%s}\\n' "$id" "$1" "\${2:+,$2}" > "$UMPIRE_RESULT_FILE"; }
fail() { printf '{"id":"%s","status":"failed","error":"%s"}\\n' "$id" "$1" > "$UMPIRE_RESULT_FILE"; }
until_file() { until [ -e "$1" ]; do sleep 0.01; done; }
${body}
`;
}

const sessionOf = (out: string): string => out.trimEnd().split('\n').at(-1) ?? '';

/** What every run of the command in a test has. */
export function environment(worktrees: string, home: string): Variables {
  return { UMPIRE_SESSION: undefined, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: home, UMPIRE_WORKTREES: worktrees };
}

function startCommand({ cwd, env, through = [] }: Options, worktrees: string, home: string, args: readonly string[]): Running {
  const [program = process.execPath, ...words] = [...through, process.execPath, command, ...args];
  const child = spawn(program, words, {
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment(worktrees, home), ...env },
  });
  let out = '';
  let err = '';
  let isOver = false;
  let look: () => void = () => undefined;
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
    look();
  });
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) => {
      isOver = true;
      look();
      resolve({ exit: code, out, err, session: sessionOf(out) });
    });
  });
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (err.includes(text)) resolve();
        else if (isOver) reject(new Error(`It ended without saying ${JSON.stringify(text)}:\n${err}`));
      };
      look();
    });
  return { child, says, ended };
}

/** The only session of a project. */
export function sessionIn(project: RunProject): string {
  const place = join(project.root, '.umpire', 'sessions');
  const names = readdirSync(place);
  expect(names).toHaveLength(1);
  return join(place, names[0] ?? '');
}

export function eventsOf(session: string): readonly Recorded[] {
  return readJournal(openFolder(session)).events;
}

type Of<T extends Recorded['type']> = Extract<Recorded, { readonly type: T }>;

/** The data of the events of one type, in order. */
export function eventsOfType<T extends Recorded['type']>(session: string, type: T): readonly Of<T>['data'][] {
  return eventsOf(session)
    .filter((event) => event.type === type)
    .map((event) => (event as Of<T>).data as Of<T>['data']);
}

export function textOf(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8');
}

export function jsonOf(...path: readonly string[]): Record<string, unknown> {
  return JSON.parse(textOf(...path)) as Record<string, unknown>;
}

/** The rows of tasks.csv by id. */
export function rowsOf(session: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { tasks } = parseTasks(textOf(session, 'tasks.csv'));
  return Object.fromEntries(tasks.map((task) => [task.id, task.columns]));
}

/** The tasks with their status: `DEV-001 completed`. */
export function standingOf(session: string): readonly string[] {
  return Object.values(rowsOf(session)).map((row) => `${row['id'] ?? ''} ${row['status'] ?? ''}`);
}

/** The tasks in the order of their start, one entry per wave. */
export function wavesRun(session: string): readonly string[] {
  const waves: string[][] = [];
  let running = 0;
  for (const event of eventsOf(session)) {
    if (event.type === 'TaskStarted') {
      if (running === 0) waves.push([]);
      running++;
      waves.at(-1)?.push(event.data.task);
    }
    if (event.type === 'TaskFinished' && event.data.commit === undefined) running--;
    if (['TaskSubmitted', 'TaskAsked', 'TaskBlocked', 'TaskLimited', 'TaskInterrupted', 'TaskPostponed'].includes(event.type)) running--;
  }
  return waves.map((wave) => wave.join(' '));
}

/** The verdicts: `AUDIT-001 REVISION D7 1/3`. */
export function verdictsOf(session: string): readonly string[] {
  return eventsOfType(session, 'VerdictGiven').map(
    ({ verdict, scene }) =>
      `${scene.critic ?? ''} ${verdict.decision} ${verdict.rule} ${verdict.round}/${verdict.maxRounds}${verdict.unverified ? ' unverified' : ''}`,
  );
}

/** How the session ended: `complete`, `complete unverified`. */
export function endOf(session: string): string {
  const end = eventsOfType(session, 'SessionEnded').at(-1);
  return end === undefined ? 'not ended' : `${end.outcome}${end.unverified ? ' unverified' : ''}`;
}
