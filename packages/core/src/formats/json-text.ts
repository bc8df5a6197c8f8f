// Parses JSON for every reader: drops a byte order mark, limits the depth, finds repeated keys, and describes errors by line and column.
// Our own error texts, because those of the engine differ between Node versions.

import { lineAt, quote } from './reader.js';

/** No sane report is nested deeper, and recursive code could overflow the stack. */
export const MAX_DEPTH = 200;

type JsonResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string; readonly line: number };

export type JsonObject = Readonly<Record<string, unknown>>;

/** `firstLine`: the line in the file where the text starts. */
export function parseJson(text: string, firstLine = 1): JsonResult {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return parseChecked(body, hasManyBrackets(body) ? scanJson(body).deepAt : -1, firstLine);
}

function parseChecked(body: string, deepAt: number, firstLine: number): JsonResult {
  if (deepAt >= 0) return fault(body, deepAt, `it is nested more than ${MAX_DEPTH} levels deep`, firstLine);
  try {
    return { ok: true, value: JSON.parse(body) as unknown };
  } catch {
    const found = findFault(body);
    return fault(body, found.offset, found.problem, firstLine);
  }
}

/** Same as parseJson, for a critic's report. A repeated key makes the report contradict itself, so it is no evidence. */
export function parseReport(text: string, firstLine = 1): JsonResult & { readonly repeated?: boolean } {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const { deepAt, keys } = scanJson(body);
  const json = parseChecked(body, deepAt, firstLine);
  // Counting is many times faster than looking for the key.
  const repeated = json.ok && keys !== countMembers(json.value) ? findRepeatedKey(body) : null;
  if (repeated === null) return json;
  const line = lineAt(body, repeated.offset) + firstLine - 1;
  const problem = `the key "${repeated.key.slice(0, 60)}" appears twice in one object (again at line ${line}), so its value is unclear`;
  return { ok: false, line, problem, repeated: true };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, so that `constructor` and the like are not found in the prototype. */
export function own<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The first of these members with content: not absent, null or an empty string. */
export function firstOf(object: JsonObject, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = own(object, key);
    if (value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '')) return value;
  }
  return undefined;
}

/** The object with `Severity` and `SEVERITY` also under `severity`. Existing names win. */
export function plainKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object).filter((key) => key.charCodeAt(0) >= 0x41 && key.charCodeAt(0) <= 0x5a);
  if (keys.length === 0) return object;
  const named = keys.map(
    (key) => [key === key.toUpperCase() ? key.toLowerCase() : key.charAt(0).toLowerCase() + key.slice(1), object[key]] as const,
  );
  return { ...Object.fromEntries(named), ...object };
}

/** A finite number, or a string that is one. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^[-+]?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim())) return null;
  return Number(value);
}

/** The type of a value, for messages. */
export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'a string';
  return typeof value === 'number' ? 'a number' : 'a boolean';
}

function fault(text: string, offset: number, problem: string, firstLine: number): JsonResult {
  const line = lineAt(text, offset) + firstLine - 1;
  const column = offset - text.lastIndexOf('\n', offset - 1);
  return { ok: false, line, problem: `it is not valid JSON at line ${line}, column ${column}: ${problem}` };
}

/** The offset where the nesting is too deep, or -1, and the number of keys that are written. */
function scanJson(text: string): { readonly deepAt: number; readonly keys: number } {
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at) - 1;
    else if (code === 0x3a) keys += 1;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return { deepAt: at, keys };
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return { deepAt: -1, keys };
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count > MAX_DEPTH;
}

interface JsonFault {
  readonly offset: number;
  readonly problem: string;
}

type Expect = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end';

const EXPECTED: Readonly<Record<Expect, string>> = {
  value: ', expected a value',
  'value or ]': ', expected a value or "]"',
  key: ', expected a key in double quotes',
  'key or }': ', expected a key in double quotes or "}"',
  colon: ', expected ":" after the key',
  comma: ', expected "," or the closing bracket',
  end: ' after the end',
};

const WORD = /[a-zA-Z0-9_.+-]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})$/;

function findFault(text: string): JsonFault {
  const open: string[] = [];
  let expect = 'value' as Expect;
  let at = 0;
  for (;;) {
    while (isSpace(text.charCodeAt(at))) at += 1;
    const char = text[at];
    if (char === undefined) {
      const offset = text.trimEnd().length;
      if (open.length > 0)
        return {
          offset,
          problem: `it ends with ${open.length === 1 ? 'one bracket' : `${open.length} brackets`} still open and looks cut off`,
        };
      return { offset, problem: expect === 'end' ? 'it could not be parsed' : 'it ends where a value should be' };
    }
    if (expect === 'end') return refuseJson(text, at, expect);
    if (char === '"' && expect !== 'comma' && expect !== 'colon') {
      const end = scanString(text, at);
      if (typeof end !== 'number') return end;
      at = end;
      expect = expect === 'key' || expect === 'key or }' ? 'colon' : after(open);
    } else if (expect === 'colon' && char === ':') {
      expect = 'value';
      at += 1;
    } else if (expect === 'comma' && char === ',') {
      expect = open.at(-1) === '{' ? 'key' : 'value';
      at += 1;
    } else if (closes(char, open, expect)) {
      open.pop();
      expect = after(open);
      at += 1;
    } else if (expect !== 'value' && expect !== 'value or ]') return refuseJson(text, at, expect);
    else if (char === '{' || char === '[') {
      open.push(char);
      expect = char === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      const end = scanWord(text, at);
      if (!isLiteral(text.slice(at, end))) return cutWord(text, at, end) ?? refuseJson(text, at, expect);
      at = end;
      expect = after(open);
    }
  }
}

function after(open: readonly string[]): Expect {
  return open.length === 0 ? 'end' : 'comma';
}

function closes(char: string, open: readonly string[], expect: Expect): boolean {
  if (char === '}') return open.at(-1) === '{' && (expect === 'comma' || expect === 'key or }');
  return char === ']' && open.at(-1) === '[' && (expect === 'comma' || expect === 'value or ]');
}

function isLiteral(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null' || NUMBER.test(word);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The end of the string that starts at `at`, or its error. */
function scanString(text: string, start: number): number | JsonFault {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20 && text.slice(at).trim() === '') break;
    if (code < 0x20) return { offset: at, problem: 'there is a line ending or control character inside a string' };
    if (code !== 0x5c) continue;
    const length = text[at + 1] === 'u' ? 6 : 2;
    if (at + length > text.length) break;
    if (!ESCAPE.test(text.slice(at, at + length))) return { offset: at, problem: 'there is an unknown escape sequence' };
    at += length - 1;
  }
  return { offset: text.trimEnd().length, problem: 'it ends inside a string and looks cut off' };
}

function scanWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && WORD.test(text[at] ?? '')) at += 1;
  return at;
}

/** `tru` at the end of the text. */
function cutWord(text: string, start: number, end: number): JsonFault | null {
  const word = text.slice(start, end);
  if (word === '' || text.slice(end).trim() !== '' || !['true', 'false', 'null'].some((literal) => literal.startsWith(word))) return null;
  return { offset: end, problem: 'it ends inside a value and looks cut off' };
}

function refuseJson(text: string, offset: number, expect: Expect): JsonFault {
  const char = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  return { offset, problem: `unexpected ${char === '"' ? 'quotation mark' : `"${char}"`}${EXPECTED[expect]}` };
}

interface RepeatedKey {
  readonly key: string;
  readonly offset: number;
}

/** For a text that JSON.parse accepts. JSON.parse keeps the last of two equal keys silently. */
export function findRepeatedKey(text: string): RepeatedKey | null {
  /** The keys of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x7b) open.push(new Set());
    else if (code === 0x5b) open.push(null);
    else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x22) {
      const end = stringEnd(text, at);
      const keys = isKey(text, end) ? (open.at(-1) ?? null) : null;
      if (keys !== null) {
        const quoted = text.slice(at, end);
        const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
        if (keys.has(key)) return { key, offset: at };
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return null;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const each of value) members += countMembers(each);
  else for (const key of Object.keys(value)) members += 1 + countMembers((value as JsonObject)[key]);
  return members;
}

function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
    if ((at - first) % 2 === 0) return at + 1;
  }
  return text.length;
}

/** In valid JSON, a colon after a string marks a key. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x0a || text.charCodeAt(at) === 0x0d || text.charCodeAt(at) === 0x09)
    at += 1;
  return text.charCodeAt(at) === 0x3a;
}

/** The first value under one of these keys, in the order of the objects. */
export function firstInAny(roots: readonly JsonObject[], keys: readonly string[]): unknown {
  return roots.map((root) => firstOf(root, keys)).find((value) => value !== undefined);
}

/** A value that is not as expected, for a note. */
export function describeValue(value: unknown): string {
  return typeof value === 'object' ? nameOf(value) : quote(String(value));
}
