// The pipelines of loops that were read from a file or handed over as an object. They are no part of the loop, since nothing is judged
// by them, but whoever runs it by its object means them too.

import type { Loop } from './loop.js';
import type { Pipeline } from './pipeline.js';

const GIVEN = new WeakMap<Loop, Pipeline | null>();

/** `pipeline`: null where it brings none. */
export function rememberPipeline(loop: Loop, pipeline: Pipeline | null): void {
  GIVEN.set(loop, pipeline);
}

/** Null where it brings none; undefined of an object that was never looked at. */
export function givenPipeline(loop: Loop): Pipeline | null | undefined {
  return GIVEN.get(loop);
}
