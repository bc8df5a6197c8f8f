// Which layer a test file is of, by the patterns of the settings: the first layer whose patterns match; L1 has what nobody claims.

import type { CriticSettings } from '../sessions/settings.js';
import { pathTest } from '../runners/project-files.js';

/** The layer that takes what no pattern claims, unless it has patterns of its own. */
const FIRST = 'L1';

/** The name of a layer becomes part of a file's name. */
const LAYER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$/;

export function isLayerName(name: string): boolean {
  return LAYER_NAME.test(name);
}

/** All that a test file may be of. */
export function knownLayers({ layers }: CriticSettings['testing']): readonly string[] {
  return [...new Set([FIRST, ...Object.keys(layers)])].toSorted();
}

/** Null: of no layer. */
export function layerTest({ layers }: CriticSettings['testing']): (path: string) => string | null {
  const claims = Object.entries(layers).map(([name, patterns]) => ({ name, matches: pathTest(patterns) }));
  const rest = Object.hasOwn(layers, FIRST) ? null : FIRST;
  return (path) => claims.find(({ matches }) => matches(path))?.name ?? rest;
}

/** Where the tests of a layer belong, as a rule for agents. */
export function describeLayer({ layers }: CriticSettings['testing'], layer: string): string {
  const listed = (patterns: readonly string[]) => patterns.map((pattern) => `\`${pattern}\``).join(', ');
  const own = Object.hasOwn(layers, layer) ? layers[layer] : undefined;
  if (own !== undefined) return `A test counts in layer ${layer} only if its path matches ${listed(own)}.`;
  return `A test counts in layer ${layer} unless its path matches ${listed(Object.values(layers).flat())}.`;
}

/** Those that have a file, in order; the first where there is no test at all. */
export function layersOf(files: readonly string[], layerOf: (path: string) => string | null): readonly string[] {
  const found = new Set(files.map(layerOf).filter((name) => name !== null));
  return found.size === 0 ? [FIRST] : [...found].toSorted();
}
