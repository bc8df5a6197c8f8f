// Reads a change and says what in it makes tests lie. Extractors see the facts, rules compare them; this puts the two together.

import type { FileChange, GuardInput } from './change.js';
import type { Evidence, ReadFile } from './evidence.js';
import { onceBy } from './evidence.js';
import type { FileFacts, Lookup, TestFact } from './facts.js';
import { findingOf } from './finding.js';
import type { GuardFinding, Sighting } from './finding.js';
import { JavaScriptReader } from './javascript.js';
import type { Depth } from './javascript.js';
import { isJavaScript, isPython, roleOf } from './paths.js';
import type { FileRole } from './paths.js';
import { pairTests } from './pairing.js';
import { PythonReader } from './python.js';
import { Ran } from './ran.js';
import { assertionsRule } from './rules-assertions.js';
import { expectationsRule } from './rules-expectations.js';
import { filesRule } from './rules-files.js';
import { hooksRule } from './rules-hooks.js';
import { marksRule } from './rules-marks.js';
import { mocksRule } from './rules-mocks.js';
import { ranRule } from './rules-ran.js';
import { snapshotsRule } from './rules-snapshots.js';
import { tablesRule } from './rules-tables.js';
import { testsRule } from './rules-tests.js';
import { Spares } from './spares.js';
import { reachedNames } from './untouched.js';

export interface GuardProblem {
  readonly file: string;
  readonly message: string;
}

export interface GuardReport {
  readonly findings: readonly GuardFinding[];
  /** Files that could not be read as code. */
  readonly problems: readonly GuardProblem[];
}

/** The version before as it was read once, for further looks at parts of the same change: it is always the same. */
export class KnownBefore {
  readers: Readers | null = null;
}

export function guard(input: GuardInput, known = new KnownBefore()): GuardReport {
  const evidence = gather(input, known);
  const tests = testsRule(evidence);
  const assertions = assertionsRule(evidence, tests);
  const renamed = renamedRule(evidence, assertions.poorer);
  const code = [...tests.sightings, ...renamed, ...assertions.sightings];
  const sightings = [
    ...filesRule(evidence),
    ...hooksRule(evidence),
    ...marksRule(evidence),
    ...code,
    ...ranRule(evidence, code),
    ...mocksRule(evidence),
    ...expectationsRule(evidence),
    ...snapshotsRule(evidence),
    ...tablesRule(evidence),
  ];
  const findings = onceBy(sightings, causeOf).map(findingOf).toSorted(byPlace);
  return { findings, problems: problemsOf(evidence) };
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

function gather(input: GuardInput, known: KnownBefore): Evidence {
  const { change, same } = input;
  const texts = { before: new Map<string, string | null>(), after: new Map<string, string | null>() };
  for (const file of change.files) {
    texts.before.set(file.renamedFrom ?? file.path, file.before);
    texts.after.set(file.path, file.after);
    if (file.renamedFrom !== undefined && !texts.after.has(file.renamedFrom)) texts.after.set(file.renamedFrom, null);
  }
  const others = new Map<string, string | null>();
  const unchanged = (path: string): string | null => {
    const text = others.get(path) ?? (others.has(path) ? null : (same?.(path) ?? null));
    others.set(path, text);
    return text;
  };
  const lookup = (side: ReadonlyMap<string, string | null>): Lookup => {
    return (path) => (side.has(path) ? (side.get(path) ?? null) : unchanged(path));
  };
  const before = (known.readers ??= readersOf(lookup(texts.before)));
  const after = readersOf(lookup(texts.after));
  const files = change.files.map((file): ReadFile => {
    const role = roleOf(file.path);
    return {
      change: file,
      role,
      before: read(before, file.renamedFrom ?? file.path, file.before),
      after: read(after, file.path, file.after),
    };
  });
  const moves = movesOf(change.files);
  const pairing = pairTests(
    files.flatMap((file) => (isUnread(file) ? [] : (file.before?.tests ?? []))),
    files.flatMap((file) => file.after?.tests ?? []),
    (path) => moves.get(path) ?? path,
  );
  const steady = steadyFiles(files);
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
  };
}

/** No code any more: what became of its tests is not known, and is told as a problem. */
function isUnread({ after }: Pick<ReadFile, 'after'>): boolean {
  return after !== null && after.problem !== null && after.tests.length === 0;
}

/** What a change around tests reaches them by, for each file. A changed helper may be called by any test: then nothing is steady. */
function steadyFiles(files: readonly ReadFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const helping = files.some(({ role, before, after }) => role !== 'source' && role !== 'docs' && (after ?? before)?.tests.length === 0);
  const steady = new Map<string, ReadonlySet<string>>();
  if (helping || files.some(({ change }) => change.path.endsWith('.json'))) return steady;
  for (const { change, before, after } of files) {
    if (change.before === null || change.after === null || before === null || after === null) continue;
    const names = reachedNames({ before: change.before, after: change.after, testsBefore: before.tests, testsAfter: after.tests });
    if (names !== null) steady.set(change.path, names);
  }
  return steady;
}

/** Where deleted files went, where the change says so, or where one new file has the same name. */
function movesOf(files: readonly FileChange[]): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const file of files) if (file.renamedFrom !== undefined) moves.set(file.renamedFrom, file.path);
  const fresh = files.filter((file) => file.before === null && file.renamedFrom === undefined);
  for (const file of files) {
    if (file.after !== null) continue;
    const same = fresh.filter((other) => stem(other.path) === stem(file.path));
    if (same.length === 1 && same[0] !== undefined) moves.set(file.path, same[0].path);
  }
  return moves;
}

function stem(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split(/[._-](?:tests?|spec)\b|\./)[0] ?? path;
}

const DEPTHS: Readonly<Partial<Record<FileRole, Depth>>> = { test: 'test', support: 'support', fixture: 'support' };

interface Readers {
  readonly javascript: JavaScriptReader;
  readonly python: PythonReader;
  /** What was read already. */
  readonly facts: Map<string, FileFacts | null>;
}

function readersOf(lookup: Lookup): Readers {
  return { javascript: new JavaScriptReader(lookup), python: new PythonReader(lookup), facts: new Map() };
}

function read(readers: Readers, path: string, text: string | null): FileFacts | null {
  if (text === null) return null;
  const known = readers.facts.get(path);
  if (known !== undefined) return known;
  const facts = extract(readers, path, text);
  readers.facts.set(path, facts);
  return facts;
}

function extract(readers: Readers, path: string, text: string): FileFacts | null {
  if (isJavaScript(path)) return readers.javascript.read(path, text, DEPTHS[roleOf(path)] ?? (looksLikeTests(text) ? 'support' : 'source'));
  return isPython(path)
    ? readers.python.read(path, text, DEPTHS[roleOf(path)] ?? (/^\s*(async )?def test|^class Test/m.test(text) ? 'support' : 'source'))
    : null;
}

/** A file outside the runner's sight that may hold tests. */
function looksLikeTests(text: string): boolean {
  return /\b(describe|it|test|suite)(\.\w+)?\(\s*['"`]|\b(expect|assert|Assertion)\b[\w.]*\s*=[^=]|expect\.extend\(|overwriteMethod|\{ expect[:, ]/.test(
    text,
  );
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
