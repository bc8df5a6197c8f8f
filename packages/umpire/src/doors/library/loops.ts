// Loops and pipelines passed by a program: a name, the path of a file, or an object. Objects that did not come from `defineLoop` or
// `parseLoop` are validated here.

import { resolve } from 'node:path';
import { findLoop } from '../../engine/session.js';
import { BUILTIN_NAMES } from '@umpire/core/loops/builtin.js';
import { rememberedPipeline } from '@umpire/core/loops/pipeline.js';
import type { Pipeline, PipelinesInput } from '@umpire/core/loops/pipeline.js';
import { defineLoop, definePipelines } from '@umpire/core/loops/define-loop.js';
import type { Loop } from '@umpire/core/loops/loop.js';

export async function validateLoop(loop: string | Loop): Promise<string | Loop> {
  if (typeof loop === 'string') return !BUILTIN_NAMES.includes(loop) && /[./\\]/.test(loop) ? resolve(loop) : loop;
  if (rememberedPipeline(loop) !== undefined) return loop;
  return defineLoop(loop);
}

export async function validatePipeline(given: PipelinesInput, named: string | Loop): Promise<Pipeline> {
  const { loop } = await findLoop(named);
  return definePipelines(given, loop);
}
