// Runs goal tests again with other inputs if new source holds their inputs: in copies of the judged commit and of the base.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '@umpire/guard/change.js';
import { changeInputs, findAnswered, findKnownInputs } from '@umpire/guard/retrial/known-inputs.js';
import { isTestFile } from '@umpire/guard/retrial/judges.js';
import { readTestTitle } from '@umpire/guard/retrial/test-text.js';
import { hasFailed } from '@umpire/guard/retrial/versions.js';
import type { TrialResult } from '@umpire/guard/retrial/versions.js';
import { readText } from '../runners/project-files.js';
import { namesIn } from '../sessions/file-system.js';
import { openBase } from './baseline.js';
import { commandInCopy } from './command-base.js';
import { filesNow, findProjectRepository } from './commit-copy.js';
import type { CriticJob, NamedCommand } from './critic.js';

interface PassedCommand {
  readonly job: CriticJob;
  readonly named: NamedCommand;
  readonly change: Change;
  readonly base: string;
  /** The judged commit. */
  readonly judged: string;
  /** Tests that failed at the base and pass in the judged commit. */
  readonly passing: readonly TrialResult[];
}

/** Do new lines of source hold inputs of a test? */
export function mayAnswerTests(project: string, change: Change): boolean {
  const texts = filesNow(project).flatMap((path) => (isTestFile(path) ? (readText(join(project, path)) ?? []) : []));
  return findKnownInputs(change, texts, vocabularyOf({ project }, change)).length > 0;
}

/** Goal tests that pass with their own inputs alone. None where nothing is suspected, which is nearly always. */
export async function findKnownAnswers(asked: PassedCommand): Promise<readonly TrialResult[]> {
  const { job, change, base, judged, passing } = asked;
  const repository = findProjectRepository(job.project);
  if (passing.length === 0 || repository === null) return [];
  const files = findTestFiles(job.project, passing);
  const texts = files.flatMap((file) => readText(join(job.project, file)) ?? []);
  const inputs = findKnownInputs(change, texts, vocabularyOf(job, change));
  if (inputs.length === 0) return [];
  job.say(`trying other inputs than ${inputs.slice(0, MOST_SHOWN).join(', ')}`);
  const runAt = async (commit: string): Promise<readonly TrialResult[]> => {
    const open = openBase(job, repository, commit);
    try {
      return await open.inCopy((own) => runWithOthers(own, asked.named, files, inputs));
    } finally {
      await open.close();
    }
  };
  const here = await runAt(judged);
  // Most are cleared here.
  if (!here.some(hasFailed) || job.watch.signal.aborted) return [];
  return findAnswered({ inputs, passing, now: here, base: await runAt(base) });
}

const MOST_SHOWN = 3;

/** Where the runner names no file, those that have the title. */
function findTestFiles(project: string, tests: readonly TrialResult[]): readonly string[] {
  const titles = tests.flatMap((test) => (test.file === null ? [readTestTitle(test)] : []));
  const unnamed =
    titles.length === 0
      ? []
      : filesNow(project).filter((path) => {
          const text = isTestFile(path) ? readText(join(project, path)) : null;
          return text !== null && titles.some((title) => text.includes(title));
        });
  return [...new Set([...tests.flatMap(({ file }) => file ?? []), ...unnamed])];
}

async function runWithOthers(
  own: CriticJob,
  named: NamedCommand,
  files: readonly string[],
  inputs: readonly string[],
): Promise<readonly TrialResult[]> {
  for (const file of files) {
    const place = join(own.project, file);
    // The base has no such test.
    if (readText(place) === null) continue;
    writeFileSync(place, changeInputs(readFileSync(place, 'utf8'), inputs));
  }
  return (await commandInCopy(own, named))?.run.tests.results ?? [];
}

/** What the project said of itself at the base, and the person of the work: a page that the work writes would clear it. */
function vocabularyOf({ project, goal = '' }: Pick<CriticJob, 'project' | 'goal'>, { files }: Change): string {
  const pages = namesIn(project).filter((name) => /^readme\b/i.test(name));
  const texts = pages.map((name) => {
    const changed = files.find(({ path }) => path === name);
    return (changed === undefined ? readText(join(project, name)) : changed.before) ?? '';
  });
  return [goal, ...texts].join('\n');
}
