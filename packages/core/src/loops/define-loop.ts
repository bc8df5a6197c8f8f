// Reads a loop and its pipelines from an object, which loop-file.ts takes from YAML. Judging does not need this: the built-in loops are
// compiled at build time.

import { UmpireError } from '../model/errors.js';
import { object, text } from '../model/schema.js';
import type { AnySchema, Infer, InferInput } from '../model/schema.js';
import { READERS } from '../formats/readers.js';
import { describeComplaint, readBySchema } from '../formats/read-schema.js';
import type { Complaint, FilePlace } from '../formats/read-schema.js';
import { PIPELINES, rememberPipeline } from './pipeline.js';
import type { Pipeline, PipelinesInput } from './pipeline.js';
import { LOOP_FIELDS } from './loop.js';
import type { Loop } from './loop.js';
import { checkPipeline, pipelineFor } from './validate-pipeline.js';
import { validateLoop } from './validate-loop.js';

export const LOOP_FILE = object({
  $schema: text.optional().describe('For editors only.'),
  ...LOOP_FIELDS,
  pipelines: PIPELINES.optional().describe('The tasks that `umpire run` starts with. Not part of the rules.'),
});

/** The input of a loop file and of `defineLoop`. */
export type LoopInput = InferInput<typeof LOOP_FILE>;

/** Where a loop comes from, for error messages. */
export interface LoopOrigin {
  readonly name: string;
  readonly lineOf: (path: FilePlace) => number | null;
}

/** `gaps`: allows a table that does not cover every case. Only for check, which finds the gaps. */
export interface Leniency {
  readonly gaps?: boolean;
}

/** A loop from an object with the content of a YAML file. */
export function defineLoop(input: LoopInput, leniency: Leniency = {}): Loop {
  return readLoop(input, { name: 'defineLoop', lineOf: () => null }, leniency).loop;
}

/** Pipelines from an object. */
export function definePipelines(input: PipelinesInput, loop: Loop): Pipeline {
  return readPipelines(input, loop, { name: 'pipeline', lineOf: () => null });
}

/** `pipeline`: null if the loop has none. */
export function readLoop(
  value: unknown,
  origin: LoopOrigin,
  { gaps = false }: Leniency = {},
): { readonly loop: Loop; readonly pipeline: Pipeline | null } {
  const { $schema: _, pipelines, ...loop } = readOrRefuse(LOOP_FILE, value, origin);
  const pipeline = pipelines === undefined ? null : pipelineFor(pipelines, loop);
  const inPipeline = pipeline === null ? [] : checkPipeline(pipeline, loop);
  const [complaint] = [
    ...validateLoop(loop, new Set(Object.keys(READERS)), gaps),
    ...inPipeline.map(({ path, problem }) => ({ path: ['pipelines', ...path], problem })),
  ];
  if (complaint !== undefined) throw loopInvalid(origin, complaint);
  rememberPipeline(loop, pipeline);
  return { loop, pipeline };
}

export function readPipelines(value: unknown, loop: Loop, origin: LoopOrigin): Pipeline {
  const pipeline = pipelineFor(readOrRefuse(PIPELINES, value, origin), loop);
  const [complaint] = checkPipeline(pipeline, loop);
  if (complaint !== undefined) throw loopInvalid(origin, complaint);
  return pipeline;
}

/** Refuses with the first complaint in the order of the file. */
function readOrRefuse<S extends AnySchema>(schema: S, value: unknown, origin: LoopOrigin): Infer<S> {
  const read = readBySchema(schema, value);
  if (read.ok) return read.value;
  const [complaint] = read.complaints.toSorted((a, b) => (origin.lineOf(a.path) ?? 0) - (origin.lineOf(b.path) ?? 0));
  throw loopInvalid(origin, complaint ?? { path: [], problem: 'is no loop' });
}

export function loopInvalid({ name, lineOf }: LoopOrigin, complaint: Complaint): UmpireError {
  const line = lineOf(complaint.path);
  return new UmpireError('loop-invalid', { file: name, line: line === null ? '' : `:${line}`, detail: describeComplaint(complaint) });
}
