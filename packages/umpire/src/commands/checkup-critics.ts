// What the critics that Umpire runs itself have to measure with. Test runners are asked which files they have; no test is run, no
// linter either. Loops whose critics need no tool are left out.

import { randomBytes } from 'node:crypto';
import { isUmpireError } from '@umpire/core/errors.js';
import { startGuardian } from '../agents/guardian.js';
import { lookUpProgram } from '../agents/program-lookup.js';
import { splitCommand } from '../agents/command-line.js';
import type { CriticJob } from '../critics/critic.js';
import { NOBODY } from '../critics/debt.js';
import { findLintPlaces } from '../critics/debt-measure.js';
import { findTokens } from '../critics/design-files.js';
import { absentPythonLinters } from '../critics/lint-python.js';
import type { AbsentLinter } from '../critics/lint-python.js';
import { findLintTools } from '../critics/lint-tools.js';
import { findFiles } from '../critics/project-files.js';
import { findQualityTools } from '../critics/quality-tools.js';
import { NO_RUNNER } from '../critics/testing.js';
import { removeScratch, surveyTests } from '../critics/testing-survey.js';
import type { Survey, SurveyedPlace } from '../critics/testing-survey.js';
import type { ToolUse } from '../critics/provenance.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { tellOf } from '../report/checkup-page.js';
import type { Check } from '../report/checkup-page.js';
import { count } from '../report/words.js';
import { elapsedMs } from '../sessions/clock.js';
import type { CommandLine, CriticSettings } from '../sessions/default-settings.js';

const tell = tellOf('critics');

/** For the questions to all test runners together, and for the search for tokens. */
const PATIENCE_MS = 20_000;
const SEARCH_MS = 5000;

export async function checkCritics(project: string, settings: CriticSettings, signal: AbortSignal): Promise<readonly Check[]> {
  const testing = await told('testing', async () => checkTests(project, settings, signal));
  const rest = [
    ['debt types', () => [checkTools(project, 'types', settings)]],
    ['debt lint', () => [checkTools(project, 'lint', settings)]],
    ['debt quality', () => [checkTools(project, 'quality', settings)]],
    ['design', () => [checkTokens(project, settings, signal)]],
    ['review', () => [checkReview(project, settings)]],
  ] as const;
  const others = await Promise.all(rest.map(([name, look]) => told(name, async () => look())));
  return [...testing, ...others.flat()];
}

async function told(name: string, look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return [tell(name, 'fault', error.message, error.hint)];
  }
}

async function checkTests(project: string, settings: CriticSettings, signal: AbortSignal): Promise<readonly Check[]> {
  const guardian = startGuardian(randomBytes(8).toString('hex'));
  const job: CriticJob = {
    project,
    // No evidence is left.
    session: project,
    row: {},
    base: null,
    round: null,
    settings,
    guardian,
    watch: { signal, log: () => undefined },
    timeoutMs: PATIENCE_MS,
    now: () => new Date(),
    say: () => undefined,
  };
  try {
    const survey = await surveyTests(job);
    removeScratch(survey);
    return testsFound(survey);
  } finally {
    await guardian.close();
  }
}

const LOOKED_FOR = NO_RUNNER.slice(NO_RUNNER.indexOf(': ') + 2);

/** Folders that have the same to say are told of together. */
function testsFound({ places, unmeasured, uses }: Survey): readonly Check[] {
  if (places.length + unmeasured.length === 0)
    return [tell('testing', 'note', 'no test runner was found; an agent testifies instead', LOOKED_FOR)];
  const asked = places.filter(({ ready }) => (ready?.listing ?? null) !== null);
  const useOf = new Map(asked.map((place, index) => [place, uses[index]]));
  const groups = new Map<string, Kin[]>();
  for (const place of places) {
    const kin = { place, trouble: troubleOf(useOf.get(place), place.files.length) };
    addToList(groups, JSON.stringify([place.place.runner, place.ready?.version, place.absent, place.ready?.uncovered, kin.trouble]), kin);
  }
  return [...[...groups.values()].map(runnerCheck), ...unmeasured.map(({ problem }) => tell('testing', 'note', problem))];
}

interface Kin {
  readonly place: SurveyedPlace;
  /** Why the runner's own answer is not known. */
  readonly trouble: string | null;
}

/** Of a runner that was asked for its test files. One that has none may end as it likes. */
function troubleOf(use: ToolUse | undefined, files: number): string | null {
  if (use === undefined || files === 0) return null;
  if (use.timed_out) return `does not answer within ${PATIENCE_MS / 1000} s`;
  return use.exit_status === 0 ? null : `ends with status ${use.exit_status ?? '?'} when it is asked for its test files`;
}

function runnerCheck(kin: readonly Kin[]): Check {
  const [
    {
      place: { place, ready, absent },
      trouble,
    },
  ] = kin as readonly [Kin];
  const files = kin.reduce((sum, one) => sum + one.place.files.length, 0);
  const folders = kin.length > 1 ? ` in ${kin.length} folders` : place.path === '' ? '' : ` in ${place.path}`;
  const who = `${place.runner}${ready?.version == null ? '' : ` ${ready.version}`}${folders}`;
  const many = count(files, 'test file');
  if (absent !== null) return tell('testing', 'note', `${who}: ${many}, and they cannot be run`, absent);
  if (trouble !== null)
    return tell(
      'testing',
      'note',
      `${who} ${trouble}; by their names there ${files === 1 ? 'is' : 'are'} ${many}`,
      'Run it by hand, and mend what it says.',
    );
  if (files === 0) return tell('testing', 'note', `${who}: no test file yet`);
  const uncovered = ready?.uncovered ?? null;
  return uncovered === null
    ? tell('testing', 'ok', `${who}: ${many}, with coverage`)
    : tell('testing', 'note', `${who}: ${many}, without coverage`, uncovered);
}

type Kind = 'types' | 'lint' | 'quality';

function checkTools(project: string, kind: Kind, { debt }: CriticSettings): Check {
  const name = `debt ${kind}`;
  const set = debt.checks[kind];
  if (set === false) return tell(name, 'ok', 'left out, by the settings');
  if (set !== undefined) return checkCommand(name, set, project);
  const found = toolsOf(project, kind, debt.complexity);
  const absent = kind === 'quality' ? [] : absentPythonLinters(project, kind);
  if (found.length > 0 && absent.length === 0) return tell(name, 'ok', [...new Set(found)].join(', '));
  if (absent.length > 0) return tell(name, 'note', [...new Set(found), ...absent.map(notInstalled)].join(', '), INSTALL);
  const hint = `Debt is judged without it; or set critics.debt.${kind}.`;
  return tell(name, 'note', NOBODY[kind].replace(/\.$/, ''), hint);
}

function toolsOf(project: string, kind: Kind, complexity: number): readonly string[] {
  if (kind === 'quality') return findQualityTools(project, complexity).map(versioned);
  return findLintPlaces(project, kind).map(({ path, tool }) => `${versioned(tool)}${path === '' ? '' : ' in packages'}`);
}

function notInstalled({ name, settings }: AbsentLinter): string {
  return `${name} is set up in ${settings} and not installed`;
}

const INSTALL = "Install it in the project's Python environment (.venv, venv or the one that is switched on).";

function versioned({ name, version }: { readonly name: string; readonly version: string | null }): string {
  return version === null ? name : `${name} ${version}`;
}

/** A command of the settings. Its words are run, never by a shell. */
function checkCommand(name: string, command: CommandLine, project: string): Check {
  const argv = typeof command === 'string' ? splitCommand(command) : command;
  const found = lookUpProgram({ argv, base: project }, project);
  const shown = argv.join(' ');
  if ('place' in found) return tell(name, 'ok', `${shown} (by the settings)`);
  return tell(name, 'note', `${shown}: ${found.why}`, `Install it, or mend critics.debt.${name.slice('debt '.length)}.`);
}

function checkTokens(project: string, { design }: CriticSettings, signal: AbortSignal): Check {
  const start = elapsedMs();
  const isTime = (): boolean => elapsedMs() - start < SEARCH_MS;
  const { files } = findTokens(project, design.tokens, () => !signal.aborted && isTime());
  const many = `${isTime() ? '' : 'at least '}${count(files.length, 'token file')}`;
  const broken = files.find(({ unreadable }) => unreadable !== null);
  if (broken !== undefined)
    return tell('design', 'note', `${many}; of ${broken.file} nothing is read: ${broken.unreadable?.problem ?? ''}`);
  if (files.length > 0) return tell('design', 'ok', many);
  const hint = 'Write them as *.tokens.json, or name the files under critics.design.tokens.';
  return tell('design', 'note', 'no design token was found; an agent testifies instead', hint);
}

function checkReview(project: string, { review }: CriticSettings): Check {
  const tools = findLintTools(project).map(versioned);
  const reports = findFiles(project, review.reports).length;
  const found = [...tools, ...(reports === 0 ? [] : [count(reports, 'report')])];
  const absent = absentPythonLinters(project);
  if (absent.length > 0) return tell('review', 'note', [...found, ...absent.map(notInstalled)].join(', '), INSTALL);
  if (found.length > 0) return tell('review', 'ok', found.join(', '));
  const hint = 'Set up a linter in the project, or name reports under critics.review.reports.';
  return tell('review', 'note', "no linter is set up and no report lies here; the reviewer's findings alone are weighed", hint);
}
