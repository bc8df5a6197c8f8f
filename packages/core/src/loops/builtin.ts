// The built-in loops, which the build compiles from the YAML files in this folder.

import { BUILTIN_TEXTS } from './builtin.generated.js';
import type { Loop } from './loop.js';

export const BUILTIN_NAMES: readonly string[] = Object.keys(BUILTIN_TEXTS);

export function builtinLoop(name: string): Loop | null {
  return Object.hasOwn(BUILTIN_TEXTS, name) ? (JSON.parse(BUILTIN_TEXTS[name] ?? '') as Loop) : null;
}

export function builtinLoops(): readonly Loop[] {
  return Object.values(BUILTIN_TEXTS).map((text) => JSON.parse(text) as Loop);
}
