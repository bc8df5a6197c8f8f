// How many tests a project has, without running them: as the runner lists them, else by the declarations in their files, which is about right.

import { join } from 'node:path';
import type { FoundTestPlace, FoundTests } from './find-tests.js';
import { LANGUAGES } from './languages.js';
import { readText, readWholeText } from './project-files.js';
import { RUNNERS } from './registry.js';
import { runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';

export interface TestCount {
  readonly tests: number;
  /** By reading. */
  readonly isAbout: boolean;
}

/** Starts nothing. Null where nothing is found, or nobody knows how tests are declared. */
export function countDeclared(project: string, { place, files }: Pick<FoundTestPlace, 'place' | 'files'>): TestCount | null {
  const { language } = RUNNERS[place.runner];
  if (language === null) return null;
  const { declares } = LANGUAGES[language];
  const tests = files.reduce((sum, file) => sum + [...(readText(join(project, file)) ?? '').matchAll(declares)].length, 0);
  return tests === 0 ? null : { tests, isAbout: true };
}

/** Asks each runner that lists its tests; by reading where it cannot, or does not answer in time. */
export async function countTests(job: ToolJob, { project, places, scratch }: FoundTests): Promise<ReadonlyMap<FoundTestPlace, TestCount>> {
  const counts = new Map<FoundTestPlace, TestCount>();
  for (const [index, found] of places.entries()) {
    const listed =
      found.files.length === 0 ? null : (found.listed ?? (await askForTests(job, found, join(scratch, `listed-${index}.txt`))));
    const count = listed === null || listed === 0 ? countDeclared(project, found) : { tests: listed, isAbout: false };
    if (count !== null) counts.set(found, count);
  }
  return counts;
}

async function askForTests(job: ToolJob, { place, ready }: FoundTestPlace, printed: string): Promise<number | null> {
  const call = ready?.list?.call ?? null;
  if (ready?.list === undefined || call === null) return null;
  const { argv, env, file } = call;
  const run = await runTool(job, { name: place.runner, argv, env, workdir: place.folder, keepStdout: printed, isQuiet: true });
  const text = run.outcome === 'ended' && run.code === 0 ? readWholeText(file ?? printed) : null;
  return text === null ? null : ready.list.countTests(text);
}
