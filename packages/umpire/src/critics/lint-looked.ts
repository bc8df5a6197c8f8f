// Which of the files that a linter was handed it looked at: its settings may leave some out, and its silence about those proves
// nothing. Some tools can be asked before they run; others say it in their report.

import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { LookedAt } from '@umpire/reports/format.js';
import type { CriticJob } from './critic.js';
import type { ToolUse } from './provenance.js';
import { runTool } from './tool.js';

/** How a tool is asked which of these files it would look at. */
export interface LookQuestion {
  readonly argv: (files: readonly string[]) => readonly string[];
  /** Of the files that it names, which does it only load? */
  readonly passesOver?: (path: string) => boolean;
}

interface Answer {
  /** Null where it gives none. */
  readonly files: readonly string[] | null;
  /** Null where it was not asked. */
  readonly use: ToolUse | null;
}

/** Those of `files` that the tool says it looks at. */
export async function askWhatItLooksAt(
  job: CriticJob,
  tool: { readonly name: string; readonly version: string | null; readonly looks?: LookQuestion },
  scratch: string,
  files: readonly string[],
): Promise<Answer> {
  const { looks } = tool;
  if (looks === undefined) return { files: null, use: null };
  const answer = join(scratch, `${tool.name}.files`);
  const call = { name: tool.name, version: tool.version, argv: looks.argv(files), workdir: job.project, scratch, isQuiet: true };
  const run = await runTool(job, { ...call, keepStdout: answer });
  const named = run.outcome === 'ended' ? namedIn(answer, job.project) : new Set<string>();
  const known = files.filter((path) => named.has(path));
  // A tool that does not know the question complains, and names none of them.
  const isAnswer = run.outcome === 'ended' && (run.code === 0 || known.length > 0);
  const taken = (isAnswer ? known : files).filter((path) => looks.passesOver?.(path) !== true);
  return { files: isAnswer || looks.passesOver !== undefined ? taken : null, use: run.use };
}

/** One path a line, absolute or from the project. */
function namedIn(answer: string, project: string): ReadonlySet<string> {
  const roots = [project, realpathSync.native(project)];
  const lines = readFileSync(answer, 'utf8').split('\n');
  return new Set(
    lines
      .filter((line) => line.trim() !== '')
      .flatMap((line) => roots.map((root) => relative(root, resolve(root, line.trim())).split(sep).join('/'))),
  );
}

export interface Looked {
  readonly files: readonly string[];
  /** Files that may or may not have been looked at; null where there are none. */
  readonly doubt: string | null;
}

/** Gathers what a report says of the files that its tool looked at. */
export class LookedFiles implements LookedAt {
  private readonly named = new Set<string>();
  private stated: number | null = null;

  file(path: string): void {
    this.named.add(path);
  }

  count(files: number): void {
    this.stated = files;
  }

  /** Does it say that it looked at no file at all? */
  get isNone(): boolean {
    return this.stated === 0;
  }

  /** Does it say anything of the files that it looked at? */
  get isStated(): boolean {
    return this.stated !== null || this.named.size > 0;
  }

  /**
   * Of the files that it was handed. A report that says nothing of files leaves all of them. `among`: how many there are in all, of a tool
   * that takes the whole project whatever it is handed.
   */
  of(tool: string, files: readonly string[], among?: number): Looked {
    if (this.named.size > 0) return { files: files.filter((path) => this.named.has(path)), doubt: null };
    const { stated } = this;
    if (stated === null || stated >= (among ?? files.length)) return { files, doubt: null };
    if (among !== undefined && stated > 0)
      return { files: [], doubt: `${tool} looked at ${stated} of the ${among} files that it could look at, and does not say at which.` };
    const doubt = `${tool} looked at ${stated} of the ${files.length} changed files that it was handed, and does not say at which.`;
    return { files: [], doubt: stated === 0 ? null : doubt };
  }
}
