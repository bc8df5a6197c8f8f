// A loop as a program hands it over: by name, by the path of its file, or as an object. An object that `defineLoop` or `parseLoop` has
// not seen is held to the same rules here, before anything is judged by it.

import { resolve } from 'node:path';
import { builtinLoop } from '../loops/builtin.js';
import { givenPipeline } from '../loops/given-pipelines.js';
import type { LoopInput, PipelinesInput } from '../loops/loop-file.js';
import type { Loop } from '../loops/loop.js';
import type { Pipeline } from '../loops/pipeline.js';
import { resolveLoop } from '../runtime/loop-choice.js';

export async function loopGiven(loop: string | Loop): Promise<string | Loop> {
  if (typeof loop === 'string') return builtinLoop(loop) === null && /[./\\]/.test(loop) ? resolve(loop) : loop;
  if (givenPipeline(loop) !== undefined) return loop;
  const { defineLoop } = await import('../loops/loop-file.js');
  return defineLoop(loop as unknown as LoopInput);
}

export async function pipelineGiven(pipeline: PipelinesInput, named: string | Loop): Promise<Pipeline> {
  const { definePipelines } = await import('../loops/loop-file.js');
  return definePipelines(pipeline, (await resolveLoop(named)).loop);
}
