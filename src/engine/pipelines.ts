// The pipelines of a loop: those that ship, those of its own file, else the plainest one.

import { givenPipeline } from '../loops/given-pipelines.js';
import type { Loop } from '../loops/loop.js';
import { builtinPipeline } from '../loops/pipelines.js';
import type { Pipeline } from '../loops/pipeline.js';
import { builtinLoop } from '../loops/builtin.js';
import { defaultPipeline } from '../loops/pipeline-check.js';

export async function pipelineOf(named: string | Loop, loop: Loop): Promise<Pipeline> {
  if (typeof named !== 'string') return givenPipeline(loop) ?? builtinPipeline(loop.loop) ?? defaultPipeline(loop);
  if (builtinLoop(named) !== null) return builtinPipeline(named) ?? defaultPipeline(loop);
  const { readPipelinesFile } = await import('../runtime/authored.js');
  return readPipelinesFile(named);
}
