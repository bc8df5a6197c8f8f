// Reads a loop file in YAML. Loaded late, because the YAML library is slow to load.

import type { FilePlace } from '../formats/read-schema.js';
import { readYaml } from '../formats/yaml-text.js';
import { loopInvalid, readLoop, readPipelines } from './define-loop.js';
import type { Leniency, LoopOrigin } from './define-loop.js';
import type { Loop } from './loop.js';
import type { Pipeline } from './pipeline.js';
import { defaultPipeline } from './validate-pipeline.js';

/** A loop from the text of its file. `file`: its name in error messages. */
export function parseLoop(text: string, file = 'the loop', leniency: Leniency = {}): Loop {
  const { value, origin } = parseYaml(text, file);
  return readLoop(value, origin, leniency).loop;
}

/** The key `pipelines` of a loop file, or the default pipeline. */
export function parsePipelines(text: string, file: string): Pipeline {
  const { value, origin } = parseYaml(text, file);
  const { loop, pipeline } = readLoop(value, origin);
  return pipeline ?? defaultPipeline(loop);
}

/** A built-in pipeline, from its own file: pipelines are not part of the rules. */
export function parsePipelineFile(text: string, file: string, loop: Loop): Pipeline {
  const { value, origin } = parseYaml(text, file);
  return readPipelines(value, loop, origin);
}

/** Finds the line of a part of the file by its path. */
export function linesOf(text: string): (path: FilePlace) => number | null {
  const yaml = readYaml(text);
  return yaml.ok ? yaml.lineOf : () => null;
}

function parseYaml(text: string, file: string): { readonly value: unknown; readonly origin: LoopOrigin } {
  const yaml = readYaml(text);
  if (!yaml.ok) throw loopInvalid({ name: file, lineOf: () => yaml.line }, { path: [], problem: yaml.problem });
  return { value: yaml.value, origin: { name: file, lineOf: yaml.lineOf } };
}
