// Wanted values that lie in files of their own, snapshots and golden files, and were rewritten together with source.

import type { Evidence, ReadFile } from '../evidence.js';
import type { Span } from '../facts.js';
import type { Sighting } from '../finding.js';
import { differing } from './files.js';

const GOLDEN = /(^|[/._-])(golden|goldens|expected|baseline|approved|snapshots?|expectations?|want)([/._-]|$)/i;

const WRITTEN = /\.(html?|svg|css|out|log|toc|ics|tsv)$/i;
const INPUT = /(^|[._-])(in|input|source|src|request|seed|config)([._-]|$)/i;

export function expectationsRule(evidence: Evidence): readonly Sighting[] {
  if (!evidence.sourceChanged) return [];
  return evidence.files.flatMap((file) => {
    const { change, role } = file;
    if (change.before === null || change.after === null || change.before === change.after) return [];
    if (role === 'snapshot') return snapshot(file);
    if (role !== 'fixture' || !(GOLDEN.test(change.path) || isOutput(change.path, change.before, change.after))) return [];
    return [{ rule: 'rebaselined', file: change.path, ...differing(file) } satisfies Sighting];
  });
}

/** Of the kind that programs write (`guide.toc.md`, `page.html`), and a line that was there is another now. */
function isOutput(path: string, before: string, after: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (INPUT.test(name) || !(WRITTEN.test(name) || /^[^.]+\.[\w-]+\.\w+$/.test(name))) return false;
  const lines = new Map<string, number>();
  for (const line of after.split('\n')) lines.set(line, (lines.get(line) ?? 0) + 1);
  return before.split('\n').some((line) => {
    const left = lines.get(line) ?? 0;
    lines.set(line, left - 1);
    return left === 0;
  });
}

export interface Entry {
  readonly text: string;
  readonly span: Span;
}

function snapshot(file: ReadFile): readonly Sighting[] {
  const { change } = file;
  const before = entries(change.path, change.before ?? '');
  const after = entries(change.path, change.after ?? '');
  if (before.size === 0) return [{ rule: 'rebaselined', file: change.path, ...differing(file) }];
  const sightings: Sighting[] = [];
  for (const [name, entry] of before) {
    const now = after.get(name);
    if (now !== undefined && now.text !== entry.text)
      sightings.push({ rule: 'rebaselined', file: change.path, before: entry.span, after: now.span });
  }
  return sightings;
}

/** The entries of a snapshot file: exports[`name`] = `value`; and # name: test in that of pytest. */
export function entries(file: string, text: string): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  const heads = [...text.matchAll(/^(?:exports\[`(.*)`\] = |# name: (.*)$)/gm)];
  let [line, counted] = [1, 0];
  for (const [index, head] of heads.entries()) {
    const from = head.index;
    const to = heads[index + 1]?.index ?? text.length;
    const value = text.slice(from + head[0].length, to).trim();
    for (let at = text.indexOf('\n', counted); at >= 0 && at < from; at = text.indexOf('\n', at + 1)) line += 1;
    counted = from;
    found.set(head[1] ?? head[2] ?? '', { text: value, span: { file, from, to, line, text: text.slice(from, to).trimEnd() } });
  }
  return found;
}
