// Members of JSON that a tool wrote, taken for what they should be: a missing or odd one is empty, never an exception.

import { isObject, own } from './json-text.js';
import type { JsonObject } from './json-text.js';

const NO_MEMBERS: JsonObject = {};

export function objectIn(value: unknown, key: string): JsonObject {
  const member = isObject(value) ? own(value, key) : undefined;
  return isObject(member) ? member : NO_MEMBERS;
}

export function listIn(value: unknown, key: string): readonly unknown[] {
  const member = isObject(value) ? own(value, key) : undefined;
  return Array.isArray(member) ? member : [];
}

/** A text without spaces around it; empty where there is none. */
export function textIn(value: unknown, key: string): string {
  const member = isObject(value) ? own(value, key) : undefined;
  return typeof member === 'string' ? member.trim() : '';
}

/** A whole number that is not negative, or null. */
export function countIn(value: unknown, key: string): number | null {
  const member = isObject(value) ? own(value, key) : undefined;
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0 ? member : null;
}

/** Lines are counted from 1. */
export function lineIn(value: unknown, key: string): number | null {
  const line = countIn(value, key);
  return line === 0 ? null : line;
}

/** The last line of a place. Ends are written as the place behind the last character: in column 1 the line before is the last. */
export function endLineIn(value: unknown, key = 'endLine', column = 'endColumn'): number | null {
  const line = lineIn(value, key);
  return line !== null && line > 1 && countIn(value, column) === 1 ? line - 1 : line;
}

export function durationIn(value: unknown, key: string): number | null {
  const member = isObject(value) ? own(value, key) : undefined;
  return typeof member === 'number' && Number.isFinite(member) && member >= 0 ? member : null;
}
