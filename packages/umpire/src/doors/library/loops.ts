// Loops and pipelines passed by a program: a name, the path of a file, or an object. Objects that did not come from `defineLoop` or
// `parseLoop` are validated here.

import { resolve } from 'node:path';
import { findLoop } from '../../engine/session.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { rememberedPipeline } from '@umpire/core/loops/pipeline.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import type { LoopInput, PipelinesInput } from '@umpire/core/loops/loop-file.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkPipeline, pipelineFor } from '@umpire/core/loops/validate-pipeline.js';
import { readSimplePipelines } from '@umpire/core/loops/simple-pipelines.js';

export async function validateLoop(loop: string | Loop): Promise<string | Loop> {
  if (typeof loop === 'string') return !BUILTIN_NAMES.includes(loop) && /[./\\]/.test(loop) ? resolve(loop) : loop;
  if (rememberedPipeline(loop) !== undefined) return loop;
  const { defineLoop } = await import('@umpire/core/loops/loop-file.js');
  return defineLoop(loop as unknown as LoopInput);
}

export async function validatePipeline(given: PipelinesInput, named: string | Loop): Promise<Pipeline> {
  const { loop } = await findLoop(named);
  const plain = readSimplePipelines(given);
  const pipeline = plain === null ? null : pipelineFor(plain, loop);
  if (pipeline !== null && checkPipeline(pipeline, loop).length === 0) return pipeline;
  const { definePipelines } = await import('@umpire/core/loops/loop-file.js');
  return definePipelines(given, loop);
}
