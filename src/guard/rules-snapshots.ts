// Stored snapshots whose entry is gone while the test still asks for it: the next run writes down whatever comes.

import type { Evidence } from './evidence.js';
import type { TestFact } from './facts.js';
import type { Sighting } from './finding.js';
import { entries } from './rules-expectations.js';

export function snapshotsRule(evidence: Evidence): readonly Sighting[] {
  const sightings: Sighting[] = [];
  for (const { change, role } of evidence.files) {
    if (role !== 'snapshot' || change.before === null || !change.path.endsWith('.snap')) continue;
    const left = entries(change.path, change.after ?? '');
    const asked = askedBy(evidence, change.path);
    for (const [name, entry] of entries(change.path, change.before)) {
      if (left.has(name) || !asked(name)) continue;
      const why = 'its stored value is gone, so the next run writes down whatever comes';
      sightings.push({ rule: 'assertion-weakened', file: change.path, before: entry.span, why });
    }
  }
  return sightings;
}

/** Says whether a test of the file that a snapshot file belongs to still asks for the entry of that name. */
function askedBy({ files, input }: Evidence, path: string): (name: string) => boolean {
  const owner = path.replace(/(^|\/)__snapshots__\/([^/]+)\.snap$/, '$1$2');
  const changed = files.find(({ change }) => change.path === owner);
  if (changed !== undefined) {
    const tests = changed.after?.tests.filter(asksForFile) ?? [];
    return (name) => tests.some((test) => isOf(name, test.path.join(' ')));
  }
  const text = input.same?.(owner) ?? '';
  if (!text.includes('toMatchSnapshot')) return () => false;
  const titles = [...text.matchAll(/\b(?:it|test)(?:\.\w+)*\(\s*(?:'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`)/g)].map(
    ([, single, double, tick]) => single ?? double ?? tick ?? '',
  );
  return (name) => titles.some((title) => bareName(name).endsWith(title));
}

function asksForFile({ assertions, hidden }: TestFact): boolean {
  return hidden === null && assertions.some(({ kind, span }) => kind === 'snapshot' && /toMatchSnapshot|\.matchSnapshot/.test(span.text));
}

function isOf(name: string, title: string): boolean {
  return name.startsWith(title) && /^(: .*)? \d+$/s.test(name.slice(title.length));
}

/** The name of an entry without its number and its hint. */
function bareName(name: string): string {
  return name.replace(/ \d+$/, '').replace(/: [^:]*$/, '');
}
