// The built-in loops: data that the build made of the YAML files beside this one. Each is read when it is asked for.

import { BUILTIN_TEXTS } from './builtin.generated.js';
import type { Loop } from './loop.js';

export const BUILTIN_NAMES: readonly string[] = Object.keys(BUILTIN_TEXTS);

export function builtinLoop(name: string): Loop | null {
  return Object.hasOwn(BUILTIN_TEXTS, name) ? (JSON.parse(BUILTIN_TEXTS[name] ?? '') as Loop) : null;
}

export function builtinLoops(): readonly Loop[] {
  return Object.values(BUILTIN_TEXTS).map((text) => JSON.parse(text) as Loop);
}
