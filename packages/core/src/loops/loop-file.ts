// Reads a loop as a person writes it: YAML text, or the same object in TypeScript (`defineLoop`). Complains with the line.
// Kept apart from judging: the built-in loops are compiled at build time, so that a verdict needs no YAML and no schema.

import { UmpireError } from '../errors.js';
import { didYouMean } from '../formats/nearest-word.js';
import { READERS } from '../formats/readers.js';
import { readYaml } from '../formats/yaml-text.js';
import type { YamlText } from '../formats/yaml-text.js';
import { rememberPipeline } from './given-pipelines.js';
import type { Loop } from './loop.js';
import { checkPipeline, defaultPipeline, pipelineFor } from './pipeline-check.js';
import { pipelinesSchema } from './pipeline-schema.js';
import type { Pipeline } from './pipeline.js';
import { keysAt } from './schema-keys.js';
import { firstIssue } from './schema-issue.js';
import type { Issue } from './schema-issue.js';
import { loopSchema, shapesAgree } from './schema.js';
import type { LoopInput } from './schema.js';
import { validateLoop } from './validate.js';
import type { Complaint } from './loop-texts.js';

export type { LoopInput } from './schema.js';

/** `gaps`: the table may leave cases without a row. For check, which finds them; such a loop is not to be judged by. */
export interface Leniency {
  readonly gaps?: boolean;
}

/** A loop from TypeScript: accepts what YAML can say, and nothing more. */
export function defineLoop(input: LoopInput, leniency: Leniency = {}): Loop {
  const result = fitLoop(input, leniency);
  if (!result.ok) throw complain('defineLoop', null, result.complaint);
  return result.loop;
}

/** A loop from the text of its file; `file`: its name in complaints. */
export function parseLoop(text: string, file = 'the loop', leniency: Leniency = {}): Loop {
  return readLoop(text, file, leniency).loop;
}

/** What a run of this loop begins with: the key `pipelines` of its file, else the generator's task and then the critic's. */
export function parsePipelines(text: string, file: string): Pipeline {
  const { loop, pipeline } = readLoop(text, file, {});
  return pipeline ?? defaultPipeline(loop);
}

/** The key `pipelines` of a loop file, as an object. */
export type PipelinesInput = NonNullable<LoopInput['pipelines']>;

/** What a run of this loop begins with, from TypeScript. */
export function definePipelines(input: PipelinesInput, loop: Loop): Pipeline {
  const fitted = fitPipeline(input, loop);
  if (!fitted.ok) throw complain('pipeline', null, fitted.complaint);
  return fitted.pipeline;
}

/** A built-in pipeline, from a file of its own with the same shape: runs are no part of what a loop is judged by. */
export function parsePipelineFile(text: string, file: string, loop: Loop): Pipeline {
  const yaml = wellFormed(readYaml(text), file);
  const fitted = fitPipeline(yaml.value, loop);
  if (!fitted.ok) throw complainAt(file, yaml, fitted.complaint);
  return fitted.pipeline;
}

function fitPipeline(value: unknown, loop: Loop): { ok: true; pipeline: Pipeline } | { ok: false; complaint: Complaint } {
  const parsed = pipelinesSchema.safeParse(value);
  if (!parsed.success) return { ok: false, complaint: issueIn(pipelinesSchema, parsed.error.issues, 'a pipeline') };
  const pipeline = pipelineFor(parsed.data, loop);
  const [complaint] = checkPipeline(pipeline, loop);
  return complaint === undefined ? { ok: true, pipeline } : { ok: false, complaint };
}

/** The lines of a loop file on which its parts begin: keys and indexes from the top. */
export function linesOf(text: string): (path: Complaint['path']) => number | null {
  const yaml = readYaml(text);
  return yaml.ok ? yaml.lineOf : () => null;
}

interface Read {
  readonly loop: Loop;
  /** Null where the file has none. */
  readonly pipeline: Pipeline | null;
}

function readLoop(text: string, file: string, leniency: Leniency): Read {
  const yaml = wellFormed(readYaml(text), file);
  const result = fitLoop(yaml.value, leniency);
  if (!result.ok) throw complainAt(file, yaml, result.complaint);
  return result;
}

type WellFormed = Extract<YamlText, { ok: true }>;

function wellFormed(yaml: YamlText, file: string): WellFormed {
  if (!yaml.ok) throw complain(file, yaml.line, { path: [], problem: yaml.problem });
  return yaml;
}

function fitLoop(value: unknown, { gaps = false }: Leniency): ({ ok: true } & Read) | { ok: false; complaint: Complaint } {
  const parsed = loopSchema.safeParse(value);
  if (!parsed.success) return { ok: false, complaint: issueIn(loopSchema, parsed.error.issues, 'a loop') };
  const { $schema: _, pipelines, ...rest } = parsed.data;
  const loop = shapesAgree(rest);
  const pipeline = pipelines === undefined ? null : pipelineFor(pipelines, loop);
  const [complaint] = [...validateLoop(loop, new Set(Object.keys(READERS)), gaps), ...complaintsOf(pipeline, loop)];
  if (complaint !== undefined) return { ok: false, complaint };
  rememberPipeline(loop, pipeline);
  return { ok: true, loop, pipeline };
}

/** A key that is not known is most often one that is, misspelt. */
function issueIn(schema: typeof loopSchema | typeof pipelinesSchema, issues: readonly Issue[], what: string): Complaint {
  const { path, problem, unknown } = firstIssue(issues, what);
  if (unknown === undefined) return { path, problem };
  const guess = didYouMean(unknown, keysAt(schema, path.slice(0, -1)));
  return { path, problem: guess === '' ? problem : `${problem}.${guess}` };
}

function complaintsOf(pipeline: Pipeline | null, loop: Loop): readonly Complaint[] {
  if (pipeline === null) return [];
  return checkPipeline(pipeline, loop).map(({ path, problem }) => ({ path: ['pipelines', ...path], problem }));
}

function complainAt(file: string, yaml: WellFormed, complaint: Complaint): UmpireError {
  return complain(file, yaml.lineOf(complaint.path), complaint);
}

function complain(file: string, line: number | null, { path, problem }: Complaint): UmpireError {
  const where = path.join('.');
  const detail = where === '' ? problem : `${where}: ${problem}`;
  return new UmpireError('loop-invalid', { file, line: line === null ? '' : `:${line}`, detail });
}
