// Programs that a language brings with it, such as `go` and `cargo`: is one there, and in which version.

import { join } from 'node:path';
import { lookUpProgram } from '../agents/program-lookup.js';
import { readText } from './project-files.js';
import { runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';
import type { TestPlace } from './runner.js';

/** Can a program be started from here? */
export function hasProgram(program: string, folder: string): boolean {
  return 'place' in lookUpProgram({ argv: [program], base: folder }, folder);
}

/** What a program says its version is. Null where it is not there, or cannot run in the place. */
export async function askVersion(
  argv: readonly string[],
  { runner, folder }: Pick<TestPlace, 'runner' | 'folder'>,
  job: ToolJob,
  scratch: string,
): Promise<string | null> {
  if (!hasProgram(argv[0] ?? '', folder)) return null;
  const answer = join(scratch, `version-${argv[0]?.replaceAll('/', '-')}.txt`);
  const run = await runTool(job, { name: runner, argv, workdir: folder, keepStdout: answer, isQuiet: true });
  const said = run.outcome === 'ended' && run.code === 0 ? (readText(answer) ?? '') : null;
  return said === null ? null : ((/\d+\.\d+\.\d+[\w.-]*/.exec(said) ?? /\d+\.\d+/.exec(said))?.[0] ?? 'unknown');
}
