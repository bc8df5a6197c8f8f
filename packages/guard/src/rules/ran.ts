// Tests that passed before and were not run after, whatever the code looks like: what the runner did decides.

import type { Evidence } from '../evidence.js';
import type { Sighting } from '../finding.js';
import { fileOf } from '../ran.js';

/** `told`: what was found so far; a test or file that was spoken of is not spoken of again. */
export function ranRule(evidence: Evidence, told: readonly Sighting[]): readonly Sighting[] {
  const { ranBefore, ranAfter, pairing } = evidence;
  if (ranBefore === null || ranAfter === null) return [];
  const sightings: Sighting[] = [];
  const explained = new Set<string>();
  const spoken = new Set(told.flatMap(({ test, file }) => (test === undefined ? [] : [`${file}\0${test.join(' > ')}`, test.join(' > ')])));
  const focused = told.some(({ rule }) => rule === 'test-focused');
  for (const { before, after } of pairing.pairs) {
    const old = ranBefore.of(before);
    for (const { id } of old) explained.add(id);
    const passed = old.filter(({ status }) => status === 'passed').length;
    if (passed === 0 || spoken.has(after.path.join(' > ')) || spoken.has(before.path.join(' > '))) continue;
    const own = ranAfter.of(after);
    // Titles that are made at run time may be the old ones.
    const now = own.length > 0 ? own : old.flatMap(({ id }) => ranAfter.named(id));
    const running = now.filter(({ status }) => status !== 'skipped').length;
    const where = { file: now.length === 0 ? before.span.file : after.span.file, before: before.head, after: after.head, test: after.path };
    if (now.length === 0) sightings.push({ rule: 'test-hidden', ...where, why: 'it passed before and was not run after the change' });
    else if (running === 0 && !focused) sightings.push({ rule: 'test-skipped', ...where, why: 'the runner skipped it after the change' });
  }
  for (const test of pairing.removed) for (const { id } of ranBefore.of(test)) explained.add(id);
  return [...sightings, ...silent(evidence, explained)];
}

/** Results that belong to no test that was read: of files that the change left alone, or of titles that are made at run time. */
function silent(evidence: Evidence, explained: ReadonlySet<string>): readonly Sighting[] {
  const { ranBefore, ranAfter } = evidence;
  const lost = new Map<string, number>();
  for (const result of ranBefore?.results ?? []) {
    if (result.status !== 'passed' || explained.has(result.id) || ranAfter?.has(result.id) === true) continue;
    lost.set(fileOf(result), (lost.get(fileOf(result)) ?? 0) + 1);
  }
  const sightings: Sighting[] = [];
  for (const [file, count] of lost) {
    const added = (ranAfter?.in(file) ?? []).filter(({ id, status }) => status !== 'skipped' && ranBefore?.has(id) !== true).length;
    const moved = evidence.files.some(({ change }) => change.renamedFrom === file || (change.path === file && change.after === null));
    if (added >= count || moved) continue;
    sightings.push({
      rule: 'test-hidden',
      file,
      why: `${count === 1 ? 'a test' : `${count} tests`} passed before and did not run after the change`,
    });
  }
  return sightings;
}
