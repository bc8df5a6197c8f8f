// The texts of a loop: may each name in them stand there?

import type { Severity } from '../model.js';
import { SEVERITIES } from '../model.js';
import type { Loop } from './loop.js';
import { compileTemplate } from './template.js';

export interface Complaint {
  /** Where in the file: keys and indexes from the top. */
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

export function checkText(loop: Loop, text: string, path: readonly (string | number)[], more: readonly string[]): Complaint[] {
  const known = new Set(['round', 'next', 'cap', 'target', ...Object.keys(loop.facts), ...more]);
  return compileTemplate(text)
    .names.filter((name) => !known.has(name) && !(path[0] === 'report' && isDotted(loop, name)))
    .map((name) => ({ path, problem: `{${name}} is neither a fact of this loop nor a word that this text may use` }));
}

/** The first hole that none of these names fills. */
export function strayHole(text: string, known: readonly string[]): string | null {
  return compileTemplate(text).names.find((name) => !known.includes(name)) ?? null;
}

/** `before.x` and `delta.x` of a fact, `count.high`, `evidence.value`. */
function isDotted(loop: Loop, name: string): boolean {
  const [head = '', tail = ''] = name.split('.');
  if (head === 'before' || head === 'delta') return Object.hasOwn(loop.facts, tail);
  return head === 'count' ? SEVERITIES.includes(tail as Severity) : tail !== '' && Object.hasOwn(loop.evidence, head);
}
