// The MCP tools: measure, judge and read. None answers a question for a person, raises a limit, starts agents or changes the project's
// files: the agent would be its own judge.

import { join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { checkReadiness } from '../doctor.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { CHECK, CRITIQUE, DECIDE, DIFF, GUARD, LATEST_SESSION, READ, REPLAY } from '@umpire/core/model/options.js';
import type { Option, OptionValues, Options } from '@umpire/core/model/options.js';
import { BUILTIN_NAMES, builtinLoop } from '@umpire/core/loops/builtin.js';
import { critique, check, decide, guard, readReports, replay, replayAll } from '../library/judge.js';
import { list, report, status, diff } from '../library/sessions.js';
import { checkJson, checkPage } from '../../views/check-page.js';
import { doctorPage } from '../../views/doctor-page.js';
import { critiquePage } from '../../views/critique-page.js';
import { guardJson, guardPage } from '../../views/guard-page.js';
import { listPage } from '../../views/list-page.js';
import { reportsJson, readPage } from '../../views/read-page.js';
import { projectPage, replayPage } from '../../views/replay-page.js';
import { statusPage } from '../../views/status-page.js';
import { UTC } from '../../views/words.js';
import { verdictJson, verdictLines } from '../../views/verdict-page.js';
import { realPath, statOf } from '../../sessions/file-system.js';
import { projectAt, latestSession, resolveSession, sessionFolders } from '../../sessions/find-sessions.js';

/** The context of a tool call. */
export interface ToolCall {
  readonly signal: AbortSignal;
  /** Reports progress, with an optional message. */
  readonly onProgress: (message?: string) => void;
}

/** Text, and the object that the command prints with `--json`. */
export interface ToolResult {
  readonly text: string;
  readonly data?: object;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** It writes nothing. */
  readonly isReading: boolean;
  /** `input` is validated. */
  readonly run: (input: Readonly<Record<string, unknown>>, call: ToolCall) => Promise<ToolResult>;
}

type AgentRows<Rows> = { readonly [Name in keyof Rows as Rows[Name] extends { readonly isForAgents: true } ? Name : never]: Rows[Name] };

/** It takes the options that an agent may pass. Unknown arguments are refused, since a misspelt one would be ignored. */
function tool<Rows extends Options>(
  description: Pick<Tool, 'name' | 'title' | 'description' | 'isReading'>,
  options: Rows,
  run: (input: OptionValues<AgentRows<Rows>>, call: ToolCall) => Promise<ToolResult>,
): Tool {
  const shape = Object.entries(options)
    .filter(([, { isForAgents }]) => isForAgents === true)
    .map(([name, row]) => {
      const schema = row.isNeeded === true ? schemaOf(row) : schemaOf(row).optional();
      return [name, schema.describe(row.takes.type === 'loop' ? `${row.help}: ${BUILTIN_NAMES.join(', ')}` : row.help)];
    });
  const input = z.strictObject(Object.fromEntries(shape) as z.ZodRawShape);
  return { ...description, input, run: (given, call) => run(given as OptionValues<AgentRows<Rows>>, call) };
}

const MOST_TEXTS = 100;

function schemaOf({ takes }: Option): z.ZodType {
  const text = z.string().min(1);
  if (takes.type === 'flag') return z.boolean();
  if (takes.type === 'choice') return z.enum(takes.words);
  if (takes.type === 'texts') return z.array(text).min(1).max(MOST_TEXTS);
  if (takes.type !== 'number') return text;
  const amount = z.number().min(takes.least).max(takes.most);
  return takes.isWhole ? amount.int() : amount;
}

/** With all links resolved. */
function isInProject(path: string): boolean {
  const [first] = relative(realPath(resolve('.')), realPath(resolve(path))).split(sep);
  return first !== '..';
}

function pathNamed(path: string): string {
  if (!isInProject(path)) throw new UmpireError('path-outside', { path });
  return path;
}

/** The named session, or the latest of the project. */
function sessionAt(named: string | undefined): string {
  const session = named === undefined ? latestSession('.') : resolveSession(named, '.');
  return sessionFolders(projectAt('.')).includes(session) ? session : pathNamed(session);
}

/** A built-in loop, or a loop file of the project. */
function loopNamed(loop: string): string {
  return builtinLoop(loop) === null ? pathNamed(loop) : loop;
}

/** For tools that write: a path in the project, or the full name of a session. */
function sessionNamed(word: string): string {
  const path = word.includes('/') || word === '.' || word === '..' ? word : join('.umpire', 'sessions', word);
  if (!isInProject(path) || realPath(resolve(path)) === realPath(resolve('.'))) throw new UmpireError('session-outside', { path });
  return path;
}

/** A file of the project. Refuses pipes and devices, which may never end. */
function fileNamed(path: string): string {
  pathNamed(path);
  const stat = statOf(path);
  if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
    throw new UmpireError('read-failed', { path, detail: 'it is not a regular file' });
  // stdin belongs to the protocol.
  return path === '-' ? './-' : path;
}

export const TOOLS: readonly Tool[] = [
  tool(
    {
      name: 'critique',
      title: 'Measure with the project’s own tools',
      description:
        'Runs the critic of a loop: the project’s own tests, coverage, linters or audit. Leaves the evidence in a session folder and returns pass, fail, error, timeout or missing. Then call decide with that session. May take minutes.',
      isReading: false,
    },
    CRITIQUE,
    async ({ session, ...input }, { signal, onProgress }) => {
      const measured = await critique({
        ...input,
        loop: loopNamed(input.loop),
        ...(session === undefined ? {} : { session: sessionNamed(session) }),
        signal,
        onOutput: () => onProgress(),
        onNote: onProgress,
      });
      return { text: critiquePage(measured), data: measured };
    },
  ),
  tool(
    {
      name: 'decide',
      title: 'Judge a session',
      description:
        'Judges the latest result of a loop’s critic by the loop’s rules and records the verdict: converge (done), revise (another round, with its tasks), accept, or escalate (a person must decide). Follow nextStep. After escalate, stop and tell the person.',
      isReading: false,
    },
    DECIDE,
    async (input) => {
      const { dryRun = false } = input;
      const decided = await decide({ ...input, loop: loopNamed(input.loop), session: sessionNamed(input.session) });
      const { notes } = decided;
      const lines = [...notes.map((note) => `Note: ${note}\n`), verdictLines(decided.verdict, { repeated: decided.repeated, dryRun })];
      // Clients that show the object to the model leave the text out.
      const data = { ...verdictJson(decided.verdict), ...(notes.length === 0 ? {} : { notes }) };
      return { text: `${lines.join('')}\n${decided.report}`, data };
    },
  ),
  tool(
    {
      name: 'guard',
      title: 'Find weakened tests',
      description:
        'Compares the project with a base commit and finds deleted, skipped or weakened tests, loosened checks, lowered thresholds and mocks of the tested code. Changes nothing. Fix every breach before you finish; tell the person about the notes.',
      isReading: true,
    },
    GUARD,
    async (input) => {
      const found = await guard(input);
      return { text: guardPage(found, { columns: 80, color: false }), data: guardJson(found) };
    },
  ),
  tool(
    {
      name: 'read',
      title: 'Read reports of tools',
      description: 'Reads reports (JUnit, TAP, LCOV, Cobertura, SARIF, ESLint, DTCG and more) and summarizes them.',
      isReading: true,
    },
    READ,
    async (input) => {
      const read = await readReports({ ...input, reports: input.reports.map(fileNamed) });
      return { text: readPage(read, false), data: reportsJson(read) };
    },
  ),
  tool(
    {
      name: 'check',
      title: 'Prove a loop',
      description:
        'Proves that a loop always ends and approves nothing wrongly, over every combination of its facts. If not, returns the shortest counterexample.',
      isReading: true,
    },
    CHECK,
    async ({ loop }) => {
      const { loop: proven, proof, placeOf } = await check(loopNamed(loop));
      return { text: checkPage(proven, proof, placeOf), data: checkJson(proof, placeOf) };
    },
  ),
  tool(
    { name: 'list', title: 'List sessions', description: 'Lists the sessions of the project, latest first.', isReading: true },
    {},
    async () => {
      const sessions = await list();
      return { text: listPage(sessions, UTC, { columns: null, color: false }), data: { project: projectAt('.'), sessions } };
    },
  ),
  tool(
    {
      name: 'status',
      title: 'Show the status of a session',
      description: 'Shows tasks, rounds, the last verdict, open questions and next steps.',
      isReading: true,
    },
    { session: LATEST_SESSION },
    async ({ session }) => {
      const { history: _, verdicts: __, ...view } = await status(sessionAt(session));
      return { text: statusPage(view), data: view };
    },
  ),
  tool(
    {
      name: 'report',
      title: 'Print a session',
      description: 'Prints a session as Markdown: the goal, and every round with its evidence and verdict.',
      isReading: true,
    },
    { session: LATEST_SESSION },
    async ({ session }) => ({ text: await report(sessionAt(session)) }),
  ),
  tool(
    {
      name: 'diff',
      title: 'Show the changes of a session',
      description: 'Prints the patch of a session that Umpire runs, or of one round.',
      isReading: true,
    },
    DIFF,
    async ({ session, round, chain }) => {
      const patch = await diff(sessionAt(session), round, chain);
      return { text: patch === '' ? 'No changes.\n' : patch };
    },
  ),
  tool(
    {
      name: 'replay',
      title: 'Judge recorded verdicts again',
      description:
        'Judges the recorded verdicts of a session again from the kept evidence, compares them, and checks that the history is unbroken. Without a session: all sessions.',
      isReading: true,
    },
    REPLAY,
    async ({ session }) => {
      if (session !== undefined) {
        const replayed = await replay({ session: sessionAt(session) });
        return { text: replayPage(replayed), data: replayed };
      }
      const replayed = await replayAll();
      return { text: projectPage(replayed), data: replayed };
    },
  ),
  tool(
    {
      name: 'doctor',
      title: 'Check that a run can start',
      description:
        'Checks agents, test runners, linters, git and settings, and names faults that stop a run. Starts no program of the project.',
      isReading: true,
    },
    {},
    async (_, { signal }) => {
      const checkup = await checkReadiness({ signal, looksOnly: true });
      return { text: doctorPage(checkup), data: checkup };
    },
  ),
];
