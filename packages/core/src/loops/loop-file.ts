// Reads a loop that a person wrote, as YAML or as an object (`defineLoop`), and reports errors with the line. Judging does not need this:
// the built-in loops are compiled at build time, so that a verdict loads neither YAML nor schema.

import { UmpireError } from '../model/errors.js';
import { didYouMean } from '../formats/nearest-word.js';
import { READERS } from '../formats/readers.js';
import { readYaml } from '../formats/yaml-text.js';
import type { YamlText } from '../formats/yaml-text.js';
import { rememberPipeline } from './pipeline.js';
import type { Pipeline } from './pipeline.js';
import type { Loop } from './loop.js';
import { checkPipeline, defaultPipeline, pipelineFor } from './validate-pipeline.js';
import { pipelinesSchema, loopSchema, shapesAgree } from './loop-schema.js';
import type { LoopInput } from './loop-schema.js';
import { keysAt, firstIssue } from './schema-errors.js';
import type { SchemaIssue } from './schema-errors.js';
import { validateLoop } from './validate-loop.js';
import type { Complaint } from './validate-loop.js';

export type { LoopInput } from './loop-schema.js';

/** `gaps`: allows a table that does not cover every case. Only for check, which finds the gaps. */
export interface Leniency {
  readonly gaps?: boolean;
}

/** A loop from an object with the content of a YAML file. */
export function defineLoop(input: LoopInput, leniency: Leniency = {}): Loop {
  const result = fitLoop(input, leniency);
  if (!result.ok) throw complain('defineLoop', null, result.complaint);
  return result.loop;
}

/** A loop from the text of its file. `file`: its name in error messages. */
export function parseLoop(text: string, file = 'the loop', leniency: Leniency = {}): Loop {
  return readLoop(text, file, leniency).loop;
}

/** The key `pipelines` of a loop file, or the default pipeline. */
export function parsePipelines(text: string, file: string): Pipeline {
  const { loop, pipeline } = readLoop(text, file, {});
  return pipeline ?? defaultPipeline(loop);
}

/** The key `pipelines` of a loop file as an object. */
export type PipelinesInput = NonNullable<LoopInput['pipelines']>;

/** Pipelines from an object. */
export function definePipelines(input: PipelinesInput, loop: Loop): Pipeline {
  const fitted = fitPipeline(input, loop);
  if (!fitted.ok) throw complain('pipeline', null, fitted.complaint);
  return fitted.pipeline;
}

/** A built-in pipeline, from its own file: pipelines are not part of the rules. */
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

/** Finds the line of a part of the file by its path. */
export function linesOf(text: string): (path: Complaint['path']) => number | null {
  const yaml = readYaml(text);
  return yaml.ok ? yaml.lineOf : () => null;
}

interface LoopWithPipeline {
  readonly loop: Loop;
  /** Null if the file has none. */
  readonly pipeline: Pipeline | null;
}

function readLoop(text: string, file: string, leniency: Leniency): LoopWithPipeline {
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

function fitLoop(value: unknown, { gaps = false }: Leniency): ({ ok: true } & LoopWithPipeline) | { ok: false; complaint: Complaint } {
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

/** Adds a guess for an unknown key, which is usually misspelt. */
function issueIn(schema: typeof loopSchema | typeof pipelinesSchema, issues: readonly SchemaIssue[], what: string): Complaint {
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
