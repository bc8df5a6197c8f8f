// Duplicated code reported by jscpd, as findings. Copies between the same two files are one finding, with their number.

import type { Finding } from '../model/vocabulary.js';
import { makeFinding } from './finding.js';
import { isObject, own } from './json-text.js';
import type { JsonObject } from './json-text.js';

/** Null if the value is not a jscpd report. */
export function readJscpd(value: unknown): readonly Finding[] | null {
  const list = isObject(value) ? own(value, 'duplicates') : undefined;
  if (!Array.isArray(list)) return null;
  return list.filter(isObject).flatMap(ofPair);
}

function ofPair(pair: JsonObject): readonly Finding[] {
  const sides = ['firstFile', 'secondFile'].map((key) => {
    const value = own(pair, key);
    const [name, start] = isObject(value) ? [own(value, 'name'), own(value, 'start')] : [];
    return { name: typeof name === 'string' ? name.replaceAll('\\', '/') : '', start: typeof start === 'number' ? start : null };
  });
  const [first, second] = sides.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : (a.start ?? 0) - (b.start ?? 0)));
  if (first === undefined || second === undefined || first.name === '' || second.name === '') return [];
  const lines = own(pair, 'lines');
  const many = typeof lines === 'number' ? `${lines} lines` : 'lines';
  // The fingerprint is made of this text, and baselines keep fingerprints: it is never reworded.
  const message = `${many} are written again in ${second.name === first.name ? 'the same file' : second.name}`;
  return [makeFinding({ severity: 'medium', message, artifact: first.name, line: first.start, rule: 'duplication' })];
}
