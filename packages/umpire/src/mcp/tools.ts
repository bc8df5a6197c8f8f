// What agents may ask of Umpire: to measure, to judge, and to look. Nothing here answers a question that is put to a person, raises
// a cap, starts agents or changes the project's files: an agent that could would be its own judge.

import { join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { checkReadiness } from '../commands/doctor.js';
import { UmpireError } from '@umpire/core/errors.js';
import { critique, check, decide, guard, readReports, replay, replayAll } from '../library/judging.js';
import { list, report, status } from '../library/looking.js';
import { diff } from '../library/work.js';
import { checkJson, checkPage } from '../report/check-page.js';
import { checkupPage } from '../report/checkup-page.js';
import { critiquePage } from '../report/critique-page.js';
import { guardJson } from '../report/guard-json.js';
import { guardPage } from '../report/guard-page.js';
import { listPage } from '../report/list-page.js';
import { readJson } from '../report/read-json.js';
import { readPage } from '../report/read-page.js';
import { projectPage, replayPage } from '../report/replay-page.js';
import { statusPage } from '../report/status-page.js';
import { UTC } from '../report/words.js';
import { verdictJson } from '../report/verdict-json.js';
import { verdictLines } from '../report/verdict-lines.js';
import { realPath, statOf } from '../sessions/entry.js';
import { projectAt } from '../sessions/session-folders.js';
import { latestSession, resolveSession } from '../sessions/sessions.js';

/** What a tool is given beside its arguments. */
export interface Call {
  readonly signal: AbortSignal;
  /** A sign of life, with words where there are any. */
  readonly onProgress: (words?: string) => void;
}

/** In words, and as the object that the command prints with `--json`. */
export interface Answer {
  readonly text: string;
  readonly data?: object;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** It writes nothing, nowhere. */
  readonly isReading: boolean;
  /** `input` has been looked at. */
  readonly run: (input: Readonly<Record<string, unknown>>, call: Call) => Promise<Answer>;
}

/** Unknown arguments are refused: what is misspelt would else be left out in silence. */
function tool<Shape extends z.ZodRawShape>(
  words: Pick<Tool, 'name' | 'title' | 'description' | 'isReading'>,
  shape: Shape,
  run: (input: z.infer<z.ZodObject<Shape>>, call: Call) => Promise<Answer>,
): Tool {
  return { ...words, input: z.strictObject(shape), run: (input, call) => run(input as z.infer<z.ZodObject<Shape>>, call) };
}

const LOOP = z.string().min(1).describe('design, testing, debt, review, brainstorm, until, or the path of a loop file');
const SESSION = z.string().min(1).describe('the name of a session, or the path of its folder');
const LATEST = SESSION.optional().describe('the name of a session, or the path of its folder; the latest, if left out');
const LAYER = z.string().min(1).optional().describe('testing: the layer, such as L1, where there are several');

/** One that is named, or the latest of the project in the current folder. */
function sessionAt(named: string | undefined): string {
  return named === undefined ? latestSession('.') : resolveSession(named, '.');
}

/** Where something is written: a path in the project, or the name of a session. A part of a name will not do. */
function sessionNamed(word: string): string {
  const path = word.includes('/') || word === '.' || word === '..' ? word : join('.umpire', 'sessions', word);
  const [first = ''] = relative(realPath(resolve('.')), realPath(resolve(path))).split(sep);
  if (first === '' || first === '..') throw new UmpireError('session-outside', { path });
  return path;
}

/** What is no file may have no end, and nobody would be answered any more. */
function fileNamed(path: string): string {
  const stat = statOf(path);
  if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
    throw new UmpireError('read-failed', { path, detail: 'it is not a regular file' });
  // stdin is the way these words came.
  return path === '-' ? './-' : path;
}

/** Without the names that are left out: doors take an absent one, and no undefined. */
function given<Values extends object>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

const JUDGING: readonly Tool[] = [
  tool(
    {
      name: 'critique',
      title: 'Measure with the project’s own tools',
      description:
        'Runs the critic of a loop: the project’s own tests, coverage, linters or audit. Leaves the evidence in a session folder and says what came of it: pass, fail, error, timeout or missing. Then call decide with that session. It may take minutes.',
      isReading: false,
    },
    {
      loop: z.string().min(1).describe('testing, debt, design, review or brainstorm'),
      session: SESSION.optional().describe('the session folder that the evidence goes to; a new one, if left out'),
      layer: LAYER,
      base: z.string().min(1).optional().describe('the commit that a change is measured against'),
    },
    async ({ loop, session, layer, base }, { signal, onProgress }) => {
      const onOutput = () => onProgress();
      const measured = await critique({
        loop,
        ...given({ session: session === undefined ? session : sessionNamed(session), layer, base }),
        signal,
        onOutput,
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
        'Judges the latest result of a loop’s critic by the loop’s rules, and records the verdict: converge (done), revise (another round, with the tasks for it), accept, or escalate (a person must decide). Do what nextStep says. After escalate, stop and tell the person.',
      isReading: false,
    },
    {
      loop: LOOP,
      session: SESSION,
      layer: LAYER,
      strict: z.boolean().optional().describe('approve nothing that is not verified'),
      dryRun: z.boolean().optional().describe('judge, and write nothing'),
    },
    async ({ loop, session, layer, strict, dryRun = false }) => {
      const decided = await decide({ loop, session: sessionNamed(session), dryRun, ...given({ layer, strict }) });
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
      title: 'Look for what makes tests lie',
      description:
        'Compares the change in the project with a base commit and tells what makes tests lie: deleted, skipped or weakened tests, loosened checks, lowered thresholds, mocks of what is tested. Changes nothing. Mend what it tells before you say that you are done.',
      isReading: true,
    },
    {
      base: z
        .string()
        .min(1)
        .optional()
        .describe('a commit or branch; if left out, the last commit, or where all is committed, where the branch left the trunk'),
      scope: z.enum(['testing', 'any']).optional().describe('testing: only tests were to be changed; any: source, too'),
      staged: z.boolean().optional().describe('look at what is staged for a commit'),
    },
    async ({ base, scope, staged }) => {
      const found = await guard(given({ base, scope, staged }));
      return { text: guardPage(found, { columns: 80, color: false }), data: guardJson(found) };
    },
  ),
  tool(
    {
      name: 'read',
      title: 'Read reports of tools',
      description: 'Reads reports (JUnit, TAP, LCOV, Cobertura, SARIF, ESLint, DTCG and more) and says what they hold.',
      isReading: true,
    },
    {
      reports: z.array(z.string().min(1)).min(1).max(100).describe('paths of the reports'),
      format: z.string().min(1).optional().describe('what they are, where it is not seen from them'),
    },
    async ({ reports, format }) => {
      const read = await readReports({ reports: reports.map(fileNamed), ...given({ format }) });
      return { text: readPage(read, false), data: readJson(read) };
    },
  ),
  tool(
    {
      name: 'check',
      title: 'Prove a loop',
      description:
        'Proves the rules of a loop over every combination of its facts: that it always ends, and approves nothing that it should not. Otherwise it tells the shortest story of how they fail.',
      isReading: true,
    },
    { loop: LOOP },
    async ({ loop }) => {
      const { loop: proven, proof, placeOf } = await check(loop);
      return { text: checkPage(proven, proof, placeOf), data: checkJson(proof, placeOf) };
    },
  ),
];

const LOOKING: readonly Tool[] = [
  tool(
    { name: 'list', title: 'List sessions', description: 'The sessions of the project, the latest first.', isReading: true },
    {},
    async () => {
      const sessions = await list();
      return { text: listPage(sessions, UTC), data: { project: projectAt('.'), sessions } };
    },
  ),
  tool(
    {
      name: 'status',
      title: 'Where a session stands',
      description: 'Tasks, rounds, the last verdict, what a person is asked, and what comes next.',
      isReading: true,
    },
    { session: LATEST },
    async ({ session }) => {
      const { history: _, verdicts: __, ...view } = await status(sessionAt(session));
      return { text: statusPage(view), data: view };
    },
  ),
  tool(
    {
      name: 'report',
      title: 'The story of a session',
      description: 'The whole story of a session as Markdown: what was wanted, every round, its evidence and its verdict.',
      isReading: true,
    },
    { session: LATEST },
    async ({ session }) => ({ text: await report(sessionAt(session)) }),
  ),
  tool(
    {
      name: 'diff',
      title: 'What a session changed',
      description: 'The patch of a session that Umpire runs, or of one of its rounds.',
      isReading: true,
    },
    {
      session: LATEST,
      round: z.number().int().min(0).optional().describe('what this round judged; all of it, if left out'),
      chain: z.string().min(1).optional().describe('the chain of that round, where there are several'),
    },
    async ({ session, round, chain }) => {
      const patch = await diff(sessionAt(session), round, chain);
      return { text: patch === '' ? 'Nothing was changed.\n' : patch };
    },
  ),
  tool(
    {
      name: 'replay',
      title: 'Judge recorded verdicts again',
      description:
        'Judges every recorded verdict of a session again from its kept evidence, and says whether it comes out the same and whether the history is whole. Of all sessions, if none is named.',
      isReading: true,
    },
    { session: SESSION.optional() },
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
      title: 'What is at hand for a run',
      description: 'Agents, test runners, linters, git and settings: what is at hand for a run, and what would be in its way.',
      isReading: true,
    },
    {},
    async (_, { signal }) => {
      const checkup = await checkReadiness({ signal });
      return { text: checkupPage(checkup), data: checkup };
    },
  ),
];

export const TOOLS: readonly Tool[] = [...JUDGING, ...LOOKING];
