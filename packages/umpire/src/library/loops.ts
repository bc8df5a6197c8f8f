// A loop as a program hands it over: by name, by the path of its file, or as an object. An object that `defineLoop` or `parseLoop` has
// not seen is held to the same rules here, before anything is judged by it.

import { resolve } from 'node:path';
import { loopOf } from '../commands/session.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { givenPipeline } from '@umpire/core/loops/given-pipelines.js';
import type { LoopInput, PipelinesInput } from '@umpire/core/loops/loop-file.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkPipeline, pipelineFor } from '@umpire/core/loops/pipeline-check.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import { plainPipelines } from '@umpire/core/loops/plain-pipelines.js';

export async function loopGiven(loop: string | Loop): Promise<string | Loop> {
  if (typeof loop === 'string') return !BUILTIN_NAMES.includes(loop) && /[./\\]/.test(loop) ? resolve(loop) : loop;
  if (givenPipeline(loop) !== undefined) return loop;
  const { defineLoop } = await import('@umpire/core/loops/loop-file.js');
  return defineLoop(loop as unknown as LoopInput);
}

export async function pipelineGiven(given: PipelinesInput, named: string | Loop): Promise<Pipeline> {
  const { loop } = await loopOf(named);
  const plain = plainPipelines(given);
  const pipeline = plain === null ? null : pipelineFor(plain, loop);
  if (pipeline !== null && checkPipeline(pipeline, loop).length === 0) return pipeline;
  const { definePipelines } = await import('@umpire/core/loops/loop-file.js');
  return definePipelines(given, loop);
}
