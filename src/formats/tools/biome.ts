// Biome's JSON reporter, both shapes of it: places as spans of bytes into a source (1.x), or as lines (2.x).

import { isObject, nameOf, own, type JsonObject } from '../json-text.js';
import { parseSeverity, unknownSeverityNote } from '../severity.js';
import type { Severity } from '../../model.js';
import type { Format, ReportReader } from './format.js';
import { holdAgainst, jsonReader } from './json-reader.js';
import { countIn, lineIn, listIn, objectIn, textIn } from './json-values.js';
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
  open: ({ root, ...options }): ReportReader => {
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
        holdAgainst(sheet, 'errors', countIn(summary, 'errors'), counts.critical + counts.high, true);
        holdAgainst(sheet, 'warnings', countIn(summary, 'warnings'), counts.medium);
        const unlisted = countIn(summary, 'diagnosticsNotPrinted') ?? 0;
        if (unlisted > 0) sheet.note(`${unlisted} diagnostics were left out by Biome; run it with --max-diagnostics=none`);
      },
    }));
  },
};

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

function placeOf(location: JsonObject, root: string | undefined): { artifact: string | null; line: number | null } {
  const path = textIn(location, 'path') || textIn(objectIn(location, 'path'), 'file');
  return {
    artifact: path === '' ? null : placeInProject(path, root),
    line: lineIn(objectIn(location, 'start'), 'line') ?? lineOfSpan(own(location, 'span'), own(location, 'sourceCode')),
  };
}

/** Spans count bytes of UTF-8. */
function lineOfSpan(span: unknown, source: unknown): number | null {
  const start: unknown = Array.isArray(span) ? span[0] : null;
  if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 0 || typeof source !== 'string') return null;
  const before = new TextEncoder().encode(source).subarray(0, start);
  return before.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 1);
}
