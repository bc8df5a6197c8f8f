// Biome's JSON reporter, both shapes of it: places as spans of bytes into a source (1.x), or as lines (2.x).

import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Severity } from '@umpire/core/model.js';
import type { Format, ReportReader } from './format.js';
import { holdAgainst, jsonReader } from './json-reader.js';
import { countIn, endLineIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

export const biome: Format = {
  id: 'biome',
  title: 'Biome JSON',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    !isArray &&
    keys.has('diagnostics') &&
    !keys.has('number_of_files') &&
    (keys.has('command') || keys.has('summary') || text.includes('"category"')),
  open: ({ root, looked, ...options }): ReportReader => {
    const sheet = new Sheet('biome', 'findings', options);
    const counts = { critical: 0, high: 0, medium: 0, low: 0 };
    let found = 0;
    let hasList = false;
    let summary: unknown = null;
    const take = (value: unknown): void => {
      found += 1;
      if (!isObject(value)) return sheet.fail(`a diagnostic is ${nameOf(value)}; expected an object`);
      const word = textIn(value, 'severity');
      const severity = severityOf(word);
      if (severity === null) sheet.note(unknownSeverityNote(word || 'none'));
      counts[severity ?? 'high'] += 1;
      sheet.finding({
        severity: severity ?? 'high',
        message: messageOf(value),
        ...placeOf(objectIn(value, 'location'), root),
        rule: textIn(value, 'category'),
      });
    };
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "diagnostics"`),
        diagnostics: {
          open: () => {
            hasList = true;
          },
          value: (value) => sheet.fail(`"diagnostics" is ${nameOf(value)}; expected a list`),
        },
        'diagnostics[]': { value: take, without: ['advices', 'verboseAdvices'] },
        summary: (value) => {
          summary = value;
        },
      },
      unit: 'diagnostic',
      count: () => found,
      finish: (isWhole) => {
        if (!isWhole) return;
        if (!hasList) sheet.fail('there is no list "diagnostics" in it');
        const files = filesIn(summary);
        if (files !== null) looked?.count(files);
        holdAgainst(sheet, 'errors', countIn(summary, 'errors'), counts.critical + counts.high, true);
        holdAgainst(sheet, 'warnings', countIn(summary, 'warnings'), counts.medium);
        const unlisted = countIn(summary, 'diagnosticsNotPrinted') ?? 0;
        if (unlisted > 0)
          sheet.note(
            `${unlisted === 1 ? '1 diagnostic was' : `${unlisted} diagnostics were`} left out by Biome; run it with --max-diagnostics=none`,
          );
      },
    }));
  },
};

/** Files that it looked at, whether it would change them or not. */
function filesIn(summary: unknown): number | null {
  const [changed, unchanged] = [countIn(summary, 'changed'), countIn(summary, 'unchanged')];
  return changed === null || unchanged === null ? null : changed + unchanged;
}

function severityOf(word: string): Severity | null {
  return word.toLowerCase() === 'hint' ? 'low' : parseSeverity(word);
}

/** A text, or pieces of one with their marks. */
function messageOf(value: JsonObject): string {
  const plain = textIn(value, 'description') || textIn(value, 'message');
  if (plain !== '') return plain;
  return listIn(value, 'message')
    .map((piece) => (isObject(piece) && typeof own(piece, 'content') === 'string' ? String(own(piece, 'content')) : ''))
    .join('');
}

interface Place {
  readonly artifact: string | null;
  readonly line: number | null;
  readonly endLine: number | null;
}

function placeOf(location: JsonObject, root: string | undefined): Place {
  const path = textIn(location, 'path') || textIn(objectIn(location, 'path'), 'file');
  const artifact = path === '' ? null : placeInProject(path, root);
  const line = lineIn(objectIn(location, 'start'), 'line');
  if (line !== null) return { artifact, line, endLine: endLineIn(objectIn(location, 'end'), 'line', 'column') };
  return { artifact, ...linesOfSpan(own(location, 'span'), own(location, 'sourceCode')) };
}

/** Spans count bytes of UTF-8. */
function linesOfSpan(span: unknown, source: unknown): Omit<Place, 'artifact'> {
  const [start, end]: readonly unknown[] = Array.isArray(span) ? span : [];
  if (!isOffset(start) || typeof source !== 'string') return { line: null, endLine: null };
  const bytes = new TextEncoder().encode(source);
  const line = 1 + lineEnds(bytes.subarray(0, start));
  // The span ends behind its last byte; a line's end belongs to the line.
  return { line, endLine: isOffset(end) && end > start ? line + lineEnds(bytes.subarray(start, end - 1)) : null };
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function lineEnds(bytes: Uint8Array): number {
  return bytes.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);
}
