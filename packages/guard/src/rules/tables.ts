// Rows that tests are tried on and that lie in files of their own: modules and JSON fixtures.

import type { Evidence, ReadFile } from '../evidence.js';
import type { Sighting } from '../finding.js';
import { differing } from './files.js';

/** Fewer rows: less is tried, though no test has changed. */
export function tablesRule(evidence: Evidence): readonly Sighting[] {
  if (evidence.sourceChanged) return [];
  return evidence.files.flatMap((file) => (file.role === 'fixture' || file.role === 'support' || file.role === 'test' ? shrunk(file) : []));
}

function shrunk(file: ReadFile): readonly Sighting[] {
  const { change, before, after } = file;
  if (change.before === null || change.after === null) return [];
  if (change.path.endsWith('.json')) {
    const [was, is] = [entriesOf(change.before), entriesOf(change.after)];
    return was !== null && is !== null && is < was
      ? [{ rule: 'assertion-weakened', file: change.path, ...differing(file), why: 'rows are gone' }]
      : [];
  }
  const sightings: Sighting[] = [];
  for (const table of before?.tables ?? []) {
    const now = after?.tables?.find(({ name }) => name === table.name);
    if (now === undefined || now.rows.length >= table.rows.length) continue;
    sightings.push({ rule: 'assertion-weakened', file: change.path, before: table.span, after: now.span, why: 'rows are gone' });
  }
  return sightings;
}

/** How many rows a JSON file has: entries of its list, or of the lists in its object. Null: it is no table. */
function entriesOf(text: string): number | null {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.length;
    if (typeof value !== 'object' || value === null) return null;
    const lists = Object.values(value).filter((entry) => Array.isArray(entry));
    return lists.length === 0 ? null : lists.reduce((sum, entry) => sum + entry.length, 0);
  } catch {
    return null;
  }
}
