// Stored snapshots whose entry is gone while the test still asks for it: the next run writes down whatever comes.

import type { Evidence } from '../evidence.js';
import type { TestFact } from '../facts.js';
import type { Sighting } from '../finding.js';
import { differing } from './files.js';
import { entries } from './expectations.js';

const WHY = 'its stored value is gone, so the next run writes down whatever comes';

export function snapshotsRule(evidence: Evidence): readonly Sighting[] {
  const sightings: Sighting[] = [];
  for (const file of evidence.files) {
    const { change, role } = file;
    if (change.before === null) continue;
    if (change.after === null && (role === 'snapshot' || role === 'fixture') && isAskedAsFile(evidence, change.path))
      sightings.push({ rule: 'assertion-weakened', file: change.path, before: differing(file).before, why: WHY });
    if (role !== 'snapshot' || !STORED.test(change.path)) continue;
    const left = entries(change.path, change.after ?? '');
    const gone = [...entries(change.path, change.before)].filter(([name]) => !left.has(name));
    if (gone.length === 0) continue;
    const asking = askingTests(evidence, change.path);
    for (const [name, entry] of gone)
      if (asking.some((test) => isOf(name, test)))
        sightings.push({ rule: 'assertion-weakened', file: change.path, before: entry.span, why: WHY });
  }
  return sightings;
}

const STORED = /\.snap(shot)?$/;

/** Tests of the file that a snapshot file belongs to which ask for stored values. */
function askingTests({ files, unchangedTests }: Evidence, path: string): readonly TestFact[] {
  const owner = path.replace(/(^|\/)__snapshots__\/([^/]+)$/, '$1$2').replace(STORED, '');
  const changed = files.find(({ change }) => change.path === owner);
  const tests = changed === undefined ? unchangedTests(owner) : (changed.after?.tests ?? []);
  return tests.filter(asksForFile);
}

const ASKS = /toMatchSnapshot|[mM]atchSnapshot|ErrorMatchingSnapshot|assert\.snapshot|\bsnapshot\(/;

function asksForFile({ assertions, hidden }: TestFact): boolean {
  return hidden === null && assertions.some(({ span }) => ASKS.test(span.text));
}

/** Of `suite > title > hint 2` or `suite title: hint 2` the title is that of the test. */
function isOf(name: string, { path, assertions }: TestFact): boolean {
  const plain = name.replaceAll(' > ', ' ');
  const titles = path.map((title) => title.replace(/^`(.*)`$/s, '$1'));
  const rest = restAfter(plain, titles.join(' ').replaceAll(' > ', ' '));
  if (rest === null) return false;
  const hint = /^:? (.*) \d+$/s.exec(rest)?.[1];
  return /^ \d+$/.test(rest) || (hint !== undefined && assertions.some(({ span }) => span.text.includes(hint)));
}

/** What stands behind a title in a name; columns of a table stand for anything without a line break. Null where it is another name. */
function restAfter(name: string, title: string): string | null {
  const [head = '', ...more] = title.split(/%[a-z#$]|\$\{[^{}]*\}|\$[a-z_][\w.]*/i);
  if (!name.startsWith(head)) return null;
  let at = head.length;
  for (const part of more) {
    const found = part === '' ? name.search(/ \d+$/) : name.indexOf(part, at);
    if (found < at) return null;
    at = found + part.length;
  }
  return name.slice(at);
}

const ENDINGS = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs'].flatMap((ending) => [`test.${ending}`, `spec.${ending}`]);

/** A test beside the folder of a deleted file compares with it, and would write it anew. */
function isAskedAsFile({ files, input, changed }: Evidence, path: string): boolean {
  const [name = '', folder = '', ...outer] = path.split('/').toReversed();
  if (folder === '' || STORED.test(name)) return false;
  const place = outer
    .toReversed()
    .map((part) => `${part}/`)
    .join('');
  const stem = name.slice(0, name.indexOf('.') < 0 ? name.length : name.indexOf('.'));
  const asks = (text: string | null | undefined) => text?.includes('toMatchFileSnapshot(') === true && text.includes(name);
  if (files.some(({ change, role }) => role === 'test' && asks(change.after))) return true;
  return ENDINGS.map((ending) => `${place}${stem}.${ending}`).some((test) => !changed.has(test) && asks(input.same?.(test)));
}
