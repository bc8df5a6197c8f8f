// Reads a loop as a person writes it: YAML text, or the same object in TypeScript (`defineLoop`). Complains with the line.
// Kept apart from judging: the built-in loops are compiled at build time, so that a verdict needs no YAML and no schema.

import { LineCounter, isNode, isScalar, parseDocument, visit } from 'yaml';
import type { Document } from 'yaml';
import { UmpireError } from '../errors.js';
import { READERS } from '../formats/readers.js';
import type { Loop } from './loop.js';
import { loopSchema, shapesAgree } from './schema.js';
import type { LoopInput } from './schema.js';
import { validateLoop } from './validate.js';
import type { Complaint } from './validate.js';

export type { LoopInput } from './schema.js';

/** `gaps`: the table may leave cases without a row. For check, which finds them; such a loop is not to be judged by. */
export interface Leniency {
  readonly gaps?: boolean;
}

/** A loop from TypeScript: accepts what YAML can say, and nothing more. */
export function defineLoop(input: LoopInput, leniency: Leniency = {}): Loop {
  const result = fitLoop(input, leniency);
  if (!result.ok) throw complain('defineLoop', '', result.complaint);
  return result.loop;
}

/** A loop from the text of its file. */
export function parseLoop(text: string, file: string, leniency: Leniency = {}): Loop {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const { line } = lines.linePos(fault.pos[0]);
    throw new UmpireError('loop-invalid', { file, line: `:${line}`, detail: fault.message.replace(/\.$/, '') });
  }
  const odd = oddKey(document);
  if (odd !== null)
    throw new UmpireError('loop-invalid', { file, line: `:${lines.linePos(odd).line}`, detail: '"__proto__" cannot be a name' });
  const result = fitLoop(plainOf(document, file), leniency);
  if (result.ok) return result.loop;
  const line = lineAt(document, lines, result.complaint.path);
  throw complain(file, line === null ? '' : `:${line}`, result.complaint);
}

/** The document as plain data; aliases that unfold without end are refused. */
function plainOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new UmpireError('loop-invalid', { file, line: '', detail: 'its aliases unfold into too much' });
  }
}

/** Where a key stands that JavaScript would not keep as one. */
function oddKey(document: Document.Parsed): number | null {
  let at: number | null = null;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || key.value !== '__proto__') return undefined;
      at = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return at;
}

/** The lines of a loop file on which its parts begin: keys and indexes from the top. */
export function linesOf(text: string): (path: Complaint['path']) => number | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  return (path) => lineAt(document, lines, path);
}

/** Where there is no such part, the line of what it would be part of. */
function lineAt(document: Document.Parsed, lines: LineCounter, path: Complaint['path']): number | null {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return null;
}

function fitLoop(value: unknown, { gaps = false }: Leniency): { ok: true; loop: Loop } | { ok: false; complaint: Complaint } {
  const parsed = loopSchema.safeParse(value);
  if (!parsed.success) return { ok: false, complaint: firstIssue(parsed.error.issues) };
  const { $schema: _, ...rest } = parsed.data;
  const loop = shapesAgree(rest);
  const [complaint] = validateLoop(loop, new Set(Object.keys(READERS)), gaps);
  return complaint === undefined ? { ok: true, loop } : { ok: false, complaint };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly code?: string | undefined;
  readonly errors?: readonly (readonly Issue[])[];
}

/** The issue to tell: a key that is not known before one that is missing (it is often the same, misspelt), and in a union the
 * alternative that fitted best. */
function firstIssue(issues: readonly Issue[], base: readonly PropertyKey[] = []): Complaint {
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return { path: [], problem: 'it is not a loop' };
  const path = [...base, ...issue.path, ...(issue.keys ?? []).slice(0, 1)];
  const branches = (issue.errors ?? [])
    .filter((branch) => !branch.some((one) => one.code === 'unrecognized_keys' && one.path.length === 0))
    .map((branch) => firstIssue(branch, path))
    .toSorted((a, b) => b.path.length - a.path.length);
  const [deepest] = branches;
  if (deepest !== undefined && deepest.path.length > path.length) return deepest;
  return { path: path.map((key) => (typeof key === 'number' ? key : String(key))), problem: wordsOf(issue) };
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Invalid input: expected (\w+), received undefined$/, 'it is missing; a value of kind $1 is expected here'],
  [/^Invalid input: expected (\w+), received (\w+)$/, 'a value of kind $1 is expected here, not $2'],
  [/^Invalid option: expected one of (.*)$/, 'it must be one of $1'],
  [/^Invalid key in record$/, 'this name is not allowed: lower-case letters, digits and _ only'],
  [/^Too small: expected (?:number|array|string) to (?:be|have) >=(\d+).*$/, 'it is too small or too short: at least $1'],
  [/^Too big: expected (?:number|array|string) to (?:be|have) <=(\d+).*$/, 'it is too large: at most $1'],
  [/^Unrecognized keys?: .*$/, 'this key is not known here'],
  [/^Invalid input$/, 'it fits none of the forms that are known here'],
];

function wordsOf({ message }: Issue): string {
  const known = WORDS.find(([pattern]) => pattern.test(message));
  return known === undefined ? message : message.replace(known[0], known[1]).replaceAll('"|"', '", "');
}

function complain(file: string, line: string, { path, problem }: Complaint): UmpireError {
  const where = path.join('.');
  return new UmpireError('loop-invalid', { file, line, detail: where === '' ? problem : `${where}: ${problem}` });
}
