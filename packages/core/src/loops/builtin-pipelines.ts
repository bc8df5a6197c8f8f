// The pipelines of the built-in loops, which the build compiles from the YAML files in pipelines/. Apart from builtin.ts, because a
// verdict does not need them.

import type { Pipeline } from './pipeline.js';
import { PIPELINE_TEXTS } from './pipelines.generated.js';

export function builtinPipeline(loop: string): Pipeline | null {
  return Object.hasOwn(PIPELINE_TEXTS, loop) ? (JSON.parse(PIPELINE_TEXTS[loop] ?? '') as Pipeline) : null;
}
