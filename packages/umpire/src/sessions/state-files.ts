// Numbers that a session's JSON state files hold: rounds, caps. A missing file or key is no news; a broken one is.

import { parseJson } from '@umpire/core/formats/json-text.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';

export type StateNumber =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'corrupt'; readonly problem: string };

/** The whole number at a dotted place, such as `rounds.L1`; `{chain}` stands for the chain, dots in it included. */
export function readStateNumber(folder: SessionFolder, file: string, at: string, chain: string): StateNumber {
  const read = readBytes(folder, file);
  if (read.kind === 'missing') return { kind: 'absent' };
  if (read.kind === 'unreadable') return { kind: 'corrupt', problem: `${file}: ${read.problem}` };
  const parsed = parseJson(decodeTolerantly(read.bytes));
  if (!parsed.ok) return { kind: 'corrupt', problem: `${file}:${parsed.line}: ${parsed.problem}` };
  const shown = at.replaceAll('{chain}', chain);
  let value: unknown = parsed.value;
  if (!isObject(value)) return { kind: 'corrupt', problem: `${file} holds no object` };
  for (const part of at.split('.')) {
    const key = part.replaceAll('{chain}', chain);
    if (value === null || value === undefined) return { kind: 'absent' };
    if (!isObject(value)) return { kind: 'corrupt', problem: `${file}: ${shown} is not where it should be` };
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === null || value === undefined) return { kind: 'absent' };
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > 1e9)
    return {
      kind: 'corrupt',
      problem: `${file}: ${shown} is ${JSON.stringify(value).slice(0, 60)}, not a whole number from 0 to 1000000000`,
    };
  return { kind: 'value', value: number };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
