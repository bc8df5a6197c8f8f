// JSON text to a value, for every reader: a byte order mark is dropped, depth is bounded, and a fault is told by
// line and column in our own words (the engine's words differ from one Node to the next). json-fault.ts finds it.

import { findFault } from './json-fault.js';
import { findRepeatedKey } from './json-keys.js';
import { lineAt } from './reader.js';

/** Deeper than this nothing sane is nested, and code that walks the value could run out of stack. */
export const MAX_DEPTH = 200;

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly line: number };

export type JsonObject = Readonly<Record<string, unknown>>;

/** `firstLine`: the line of its file on which the text begins, where it is only a part of it. */
export function parseJson(text: string, firstLine = 1): JsonResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const deep = tooDeepAt(body);
  if (deep >= 0) return fault(body, deep, `it is nested more than ${MAX_DEPTH} levels deep`, firstLine);
  try {
    return { ok: true, value: JSON.parse(body) as unknown };
  } catch {
    const found = findFault(body);
    return fault(body, found.offset, found.problem, firstLine);
  }
}

/** The same for a critic's report: one that gives a key twice contradicts itself, and that is no evidence. */
export function parseReport(text: string, firstLine = 1): JsonResult & { readonly repeated?: boolean } {
  const json = parseJson(text, firstLine);
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const repeated = json.ok ? findRepeatedKey(body) : null;
  if (repeated === null) return json;
  const line = lineAt(body, repeated.offset) + firstLine - 1;
  const problem = `the key "${repeated.key.slice(0, 60)}" is given twice in one object (again at line ${line}); which one holds is unclear`;
  return { ok: false, line, problem, repeated: true };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, so that `constructor` and the like are never found where the file does not have them. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The first of these members that says something: not absent, not null, not an empty text. */
export function firstOf(object: JsonObject, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = own(object, key);
    if (value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '')) return value;
  }
  return undefined;
}

/** The same object with `Severity` and `SEVERITY` under the name `severity` too; a name that is there already is kept. */
export function plainKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object).filter((key) => key.charCodeAt(0) >= 0x41 && key.charCodeAt(0) <= 0x5a);
  if (keys.length === 0) return object;
  const named = keys.map(
    (key) => [key === key.toUpperCase() ? key.toLowerCase() : key.charAt(0).toLowerCase() + key.slice(1), object[key]] as const,
  );
  return { ...Object.fromEntries(named), ...object };
}

/** A finite number, or a text that is nothing but one. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^[-+]?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim())) return null;
  return Number(value);
}

/** What a value is, for a message. */
export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'number' ? 'a number' : 'true or false';
}

function fault(text: string, offset: number, problem: string, firstLine: number): JsonResult {
  const line = lineAt(text, offset) + firstLine - 1;
  const column = offset - text.lastIndexOf('\n', offset - 1);
  return { ok: false, line, problem: `it is not valid JSON: at line ${line}, column ${column}, ${problem}` };
}

/** Where it is nested too deep, or -1. Only a text with many brackets is walked, one character after the other. */
function tooDeepAt(text: string): number {
  if (!hasManyBrackets(text)) return -1;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) quoted = !quoted;
    else if (quoted) at += code === 0x5c ? 1 : 0;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return at;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return -1;
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count > MAX_DEPTH;
}
