// The pipelines of a loop: those that ship, those of its own file, else the plainest one.

import { rememberedPipeline } from '@umpire/core/loops/pipeline.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import { defaultPipeline } from '@umpire/core/loops/validate-pipeline.js';

export async function pipelineOf(named: string | Loop, loop: Loop): Promise<Pipeline> {
  if (typeof named !== 'string') return rememberedPipeline(loop) ?? builtinPipeline(loop.loop) ?? defaultPipeline(loop);
  if (builtinLoop(named) !== null) return builtinPipeline(named) ?? defaultPipeline(loop);
  const { readPipelinesFile } = await import('../sessions/authored.js');
  return readPipelinesFile(named);
}
