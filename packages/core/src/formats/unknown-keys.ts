// A7: keys of a report that nobody reads and that say a figure which the report needs, such as `coverage_percent`.

import { isObject, numberOf } from './json-text.js';
import type { JsonObject } from './json-text.js';

const MOST_LEVELS = 3;
/** They speak of another figure than the one that was measured now. */
const OTHER = /target|threshold|goal|required|minimum|min_|delta|change|before|previous|baseline|compared|provenance/i;

/** Dotted names, such as `summary.coverage`. A key without a figure says nothing. */
export function findFigures(report: JsonObject, says: RegExp, known: readonly string[], at = ''): readonly string[] {
  return Object.entries(report).flatMap(([key, value]) => {
    if (OTHER.test(key) || (at === '' && known.includes(key))) return [];
    if (says.test(key) && hasFigure(value)) return [at + key];
    const isDeeper = isObject(value) && at.split('.').length < MOST_LEVELS;
    return isDeeper ? findFigures(value, says, known, `${at}${key}.`) : [];
  });
}

function hasFigure(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some(hasFigure);
  return numberOf(typeof value === 'string' ? value.trim().replace(/\s*%$/, '') : value) !== null;
}
