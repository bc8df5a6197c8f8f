// Typed access to members of JSON from other tools. A missing or malformed member is empty, never an exception.

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

/** The trimmed string; empty if missing. */
export function textIn(value: unknown, key: string): string {
  const member = isObject(value) ? own(value, key) : undefined;
  return typeof member === 'string' ? member.trim() : '';
}

/** A whole number of at least 0, or null. */
export function countIn(value: unknown, key: string): number | null {
  const member = isObject(value) ? own(value, key) : undefined;
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0 ? member : null;
}

/** Lines start at 1. */
export function lineIn(value: unknown, key: string): number | null {
  const line = countIn(value, key);
  return line === 0 ? null : line;
}

/** The last line of a range. The end is exclusive, so an end in column 1 means the line before. */
export function endLineIn(value: unknown, key = 'endLine', column = 'endColumn'): number | null {
  const line = lineIn(value, key);
  return line !== null && line > 1 && countIn(value, column) === 1 ? line - 1 : line;
}

export function durationIn(value: unknown, key: string): number | null {
  const member = isObject(value) ? own(value, key) : undefined;
  return typeof member === 'number' && Number.isFinite(member) && member >= 0 ? member : null;
}
