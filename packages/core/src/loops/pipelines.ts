// The pipelines of the built-in loops: data that the build made of the YAML files in pipelines/. Each is read when it is
// asked for; a verdict needs none.

import type { Pipeline } from './pipeline.js';
import { PIPELINE_TEXTS } from './pipelines.generated.js';

export function builtinPipeline(loop: string): Pipeline | null {
  return Object.hasOwn(PIPELINE_TEXTS, loop) ? (JSON.parse(PIPELINE_TEXTS[loop] ?? '') as Pipeline) : null;
}
