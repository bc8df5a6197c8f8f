// Reads a change and says what in it makes tests lie. Extractors see the facts, rules compare them; this puts the two together.

import type { FileChange, GuardInput } from './change.js';
import { Devices } from './devices.js';
import type { Evidence, ReadFile } from './evidence.js';
import { onceBy } from './evidence.js';
import { OWN_CONSTANT, type TestFact } from './facts.js';
import { findingOf } from './finding.js';
import type { GuardFinding, Sighting } from './finding.js';
import { pairTests } from './pairing.js';
import { withLevels } from './policy.js';
import { Ran } from './ran.js';
import { weighRewriting } from './rewriting.js';
import type { Rewriting } from './rewriting.js';
import { helpersAmong, Reading, steadyFiles } from './reading.js';
import type { Side } from './reading.js';
import { assertionsRule } from './rules/assertions.js';
import { expectationsRule } from './rules/expectations.js';
import { filesRule } from './rules/files.js';
import { hollowRule } from './rules/hollow.js';
import { hooksRule } from './rules/hooks.js';
import { marksRule } from './rules/marks.js';
import { mocksRule } from './rules/mocks.js';
import { ranRule } from './rules/ran.js';
import { snapshotsRule } from './rules/snapshots.js';
import { tablesRule } from './rules/tables.js';
import { testsRule } from './rules/tests.js';
import { unreadRule } from './rules/unread.js';
import { Spares } from './spares.js';
import { walkTouched } from './told.js';
import type { ReadBeside } from './told.js';
import { put } from './keyed-lists.js';

export interface GuardProblem {
  readonly file: string;
  readonly message: string;
}

export interface GuardReport {
  readonly findings: readonly GuardFinding[];
  /** Files that could not be read as code. */
  readonly problems: readonly GuardProblem[];
  /** Test files that were written anew: their checks were counted, not compared one by one. */
  readonly rewritten: readonly Rewriting[];
}

/** The version before as it was read once, for further looks at parts of the same change: it is always the same. */
export class KnownBefore {
  side: Side | null = null;
}

/** `beside`: another thread reads files of the change too. */
export function guard(input: GuardInput, known = new KnownBefore(), beside: ReadBeside | null = null): GuardReport {
  const evidence = gather(input, known, beside);
  const tests = testsRule(evidence);
  const assertions = assertionsRule(evidence, tests);
  const renamed = renamedRule(evidence, assertions.poorer);
  const mocks = mocksRule(evidence);
  // A check of a stand-in for the unit is told by the stand-in.
  const stood = new Set(mocks.filter(({ rule }) => rule === 'unit-mocked').map(({ file }) => file));
  const told = assertions.sightings.filter(
    ({ rule, why, file }) => rule !== 'assertion-tautological' || why !== OWN_CONSTANT || !stood.has(file),
  );
  const { sightings: code, rewritten } = weighRewriting(evidence, [...tests.sightings, ...renamed, ...told]);
  const sightings = [
    ...filesRule(evidence),
    ...hooksRule(evidence),
    ...marksRule(evidence),
    ...code,
    ...ranRule(evidence, code),
    ...mocks,
    ...expectationsRule(evidence),
    ...snapshotsRule(evidence),
    ...tablesRule(evidence),
    ...hollowRule(evidence),
    ...unreadRule(evidence),
  ];
  const findings = withLevels(onceBy(sightings, causeOf).map(findingOf), evidence).toSorted(byPlace);
  return { findings, problems: problemsOf(evidence), rewritten };
}

/** One finding a rule and place; a deleted test has no place after the change. */
function causeOf({ rule, file, before, after, test }: Sighting): string {
  const place =
    after === null || after === undefined
      ? `before ${before?.from ?? ''} ${before === undefined ? (test?.join() ?? '') : ''}`
      : `after ${after.from}`;
  return `${rule} ${file} ${place}`;
}

function byPlace(left: GuardFinding, right: GuardFinding): number {
  return left.file < right.file
    ? -1
    : left.file > right.file
      ? 1
      : left.line - right.line || (left.rule < right.rule ? -1 : left.rule > right.rule ? 1 : 0);
}

/** A test under a new name whose checks were lost or turned round. */
function renamedRule(evidence: Evidence, poorer: ReadonlySet<TestFact>): readonly Sighting[] {
  return evidence.pairing.pairs
    .filter(({ how, after }) => how === 'renamed' && poorer.has(after))
    .map(({ before, after }) => ({
      rule: 'test-renamed',
      file: after.span.file,
      before: before.head,
      after: after.head,
      test: before.path,
    }));
}

function gather(input: GuardInput, known: KnownBefore, beside: ReadBeside | null): Evidence {
  const { change, same } = input;
  const reading = new Reading(change, same, known.side);
  known.side ??= reading.before;
  if (beside !== null) readTogether(reading, change.files, beside);
  const files = change.files.map((file) => reading.read(file));
  const moves = movesOf(change.files);
  const steady = steadyFiles(files, reading);
  const pairing = pairTests(
    files.flatMap((file) => (isUnread(file) ? [] : (file.before?.tests ?? []))),
    files.flatMap((file) => file.after?.tests ?? []),
    (path) => moves.get(path) ?? path,
    steady,
  );
  const sourceChanged = files.some(({ role }) => role === 'source');
  const [ranBefore, ranAfter] = [input.ran?.before, input.ran?.after];
  return {
    input,
    files,
    pairing,
    sourceChanged,
    vanished: vanishedNames(files),
    changed: new Set(change.files.flatMap(({ path, renamedFrom }) => (renamedFrom === undefined ? [path] : [path, renamedFrom]))),
    ranBefore: ranBefore === undefined ? null : new Ran(ranBefore),
    ranAfter: ranAfter === undefined ? null : new Ran(ranAfter),
    steady,
    spares: new Spares(pairing, steady),
    devices: new Devices(files, pairing.added),
    unchangedTests: (path) => reading.after.read(path, reading.unchanged(path))?.tests ?? [],
  };
}

/** What is dear to learn of the files is learned now, while somebody else does the same for others. */
function readTogether(reading: Reading, files: readonly FileChange[], beside: ReadBeside): void {
  const helpers = helpersAmong(files);
  const told = beside((file) => walkTouched(reading.read(file), reading.isReached(file, helpers)));
  for (const file of files) {
    const facts = told.get(file.path);
    if (facts !== undefined) reading.learn(file, facts);
  }
}

/** No code any more: what became of its tests is not known, and is told as a problem. */
function isUnread({ after }: Pick<ReadFile, 'after'>): boolean {
  return after !== null && after.problem !== null && after.tests.length === 0;
}

/** Where deleted files went, where the change says so, or where one new file has the same name. */
function movesOf(files: readonly FileChange[]): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const file of files) if (file.renamedFrom !== undefined) moves.set(file.renamedFrom, file.path);
  const fresh = new Map<string, string[]>();
  for (const { path, before, renamedFrom } of files) {
    if (before !== null || renamedFrom !== undefined) continue;
    put(fresh, stem(path), path);
  }
  for (const { path, after } of files) {
    const [only, ...more] = after !== null ? [] : (fresh.get(stem(path)) ?? []);
    if (only !== undefined && more.length === 0) moves.set(path, only);
  }
  return moves;
}

function stem(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split(/[._-](?:tests?|spec)\b|\./)[0] ?? path;
}

/** Names that the changed source files no longer have. */
function vanishedNames(files: readonly ReadFile[]): ReadonlySet<string> {
  const names = (text: string | null): readonly string[] => text?.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
  const source = files.filter(({ role }) => role === 'source');
  const left = new Set(source.flatMap(({ change }) => names(change.after)));
  return new Set(source.flatMap(({ change }) => names(change.before)).filter((name) => !left.has(name)));
}

function problemsOf({ files }: Evidence): readonly GuardProblem[] {
  return files.flatMap(({ change, role, before, after }) => {
    const fault = after?.problem ?? null;
    // Source may be of another dialect from the start. Tests that were never read are not vouched for either.
    const counts = fault !== null && (role === 'test' || role === 'support' || before === null || before.problem === null);
    return counts ? [{ file: change.path, message: `Not readable as code: ${fault}` }] : [];
  });
}
