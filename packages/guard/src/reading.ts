// The facts of a change, file by file: each version is read once, by the extractor of its language.

import type { Change, FileChange, GuardInput } from './change.js';
import type { ReadFile } from './evidence.js';
import type { FileFacts, Lookup } from './facts.js';
import { reachedFrom } from './javascript/reaching.js';
import type { Reached } from './javascript/reaching.js';
import { JavaScriptReader } from './javascript/reader.js';
import type { Depth } from './javascript/reader.js';
import { isCode, isJavaScript, isPython, roleOf } from './paths.js';
import type { FileRole } from './paths.js';
import { PythonReader } from './python/reader.js';
import { heard } from './told.js';
import type { ToldFacts, ToldFile } from './told.js';
import { reachedNames } from './untouched.js';

/** One version of the tree. */
export class Side {
  private readonly javascript: JavaScriptReader;
  private readonly python: PythonReader;
  private readonly facts = new Map<string, FileFacts | null>();
  private readonly reached = new Map<string, Reached | null>();

  constructor(private readonly lookup: Lookup) {
    this.javascript = new JavaScriptReader(lookup);
    this.python = new PythonReader(lookup);
  }

  read(path: string, text: string | null): FileFacts | null {
    if (text === null) return null;
    const known = this.facts.get(path);
    if (known !== undefined) return known;
    const facts = this.extract(path, text);
    this.facts.set(path, facts);
    return facts;
  }

  /** Of a file of JavaScript. Tests read JSON by all kinds of ways: it is enough that they name it. */
  isReached(path: string, text: string | null, { paths, data }: Helpers): boolean {
    if (text === null) return false;
    const known = this.reached.get(path);
    const reached = known === undefined ? reachedFrom(path, text, this.lookup) : known;
    this.reached.set(path, reached);
    if (reached === null) return true;
    const { files, texts } = reached;
    for (const file of files) if (file !== path && paths.has(file)) return true;
    return data.some((stem) => texts.some((inner) => inner.includes(stem)));
  }

  /** Takes over what another thread read. */
  learn(path: string, text: string, told: ToldFacts): void {
    // Both times it is code, or neither.
    const again = () => this.extract(path, text) as FileFacts;
    if (!this.facts.has(path)) this.facts.set(path, heard(told, again));
  }

  /** Of a test file of JavaScript: trees are large, and seldom does another file look into it. */
  forget(path: string): void {
    if (!isJavaScript(path) || roleOf(path) !== 'test') return;
    this.facts.delete(path);
    this.javascript.forget(path);
  }

  private extract(path: string, text: string): FileFacts | null {
    const depth = DEPTHS[roleOf(path)];
    if (isJavaScript(path)) return this.javascript.read(path, text, depth ?? (looksLikeTests(text) ? 'support' : 'source'));
    if (!isPython(path)) return null;
    return this.python.read(path, text, depth ?? (/^\s*(async )?def test|^class Test/m.test(text) ? 'support' : 'source'));
  }
}

const DEPTHS: Readonly<Partial<Record<FileRole, Depth>>> = { test: 'test', support: 'support', fixture: 'support' };

/** A file outside the runner's sight that may hold tests. */
function looksLikeTests(text: string): boolean {
  return /['"](vitest|@jest\/globals)['"]|(?<![.\w])(describe|it|test|suite)(\.\w+)?\(\s*['"`]|\b(expect|assert|Assertion)\b[\w.]*\s*=(?!=|\s*require\()|expect\.extend\(|overwriteMethod|\{ expect[:, ]/.test(
    text,
  );
}

/** Of `fixtures/rows.json` it is `rows`. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}

/** Both versions. `before` is handed in where it was read for an earlier look at the same change. */
export class Reading {
  readonly before: Side;
  readonly after: Side;
  private readonly others = new Map<string, string | null>();

  constructor(
    { files }: Change,
    private readonly same: GuardInput['same'],
    before: Side | null = null,
  ) {
    const texts = { before: new Map<string, string | null>(), after: new Map<string, string | null>() };
    for (const file of files) {
      texts.before.set(file.renamedFrom ?? file.path, file.before);
      texts.after.set(file.path, file.after);
      if (file.renamedFrom !== undefined && !texts.after.has(file.renamedFrom)) texts.after.set(file.renamedFrom, null);
    }
    const lookup = (side: ReadonlyMap<string, string | null>): Lookup => {
      return (path) => (side.has(path) ? (side.get(path) ?? null) : this.unchanged(path));
    };
    this.before = before ?? new Side(lookup(texts.before));
    this.after = new Side(lookup(texts.after));
  }

  /** A file that is the same on both sides. */
  unchanged(path: string): string | null {
    const known = this.others.get(path);
    if (known !== undefined) return known;
    const text = this.same?.(path) ?? null;
    this.others.set(path, text);
    return text;
  }

  /** Takes over what another thread read of a file. */
  learn({ path, renamedFrom, before, after }: FileChange, told: ToldFile): void {
    if (before !== null && told.before !== null) this.before.learn(renamedFrom ?? path, before, told.before);
    if (after !== null && told.after !== null) this.after.learn(path, after, told.after);
  }

  /** For who has told what there is to tell of the file. */
  forget({ path, renamedFrom }: FileChange): void {
    this.before.forget(renamedFrom ?? path);
    this.after.forget(path);
  }

  /** Whether another changed file may have a say in what tests of this one ask. */
  isReached({ path, renamedFrom, before, after }: FileChange, helpers: Helpers): boolean {
    if (!isJavaScript(path)) return helpers.hasPlain || [before, after].some((text) => text !== null && isNamed(text, helpers.modules));
    return this.before.isReached(renamedFrom ?? path, before, helpers) || this.after.isReached(path, after, helpers);
  }

  read(change: FileChange): ReadFile {
    return {
      change,
      role: roleOf(change.path),
      before: this.before.read(change.renamedFrom ?? change.path, change.before),
      after: this.after.read(change.path, change.after),
    };
  }
}

/** Changed files that may have a say in what tests ask. */
export interface Helpers {
  /** All but source, with the paths they had before. */
  readonly paths: ReadonlySet<string>;
  /** Of `fixtures/rows.json` it is `rows`. */
  readonly data: readonly string[];
  /** Tests of Python, by the names that they are imported by. */
  readonly modules: ReadonlySet<string>;
  /** There is one without tests: fixtures are taken from it without an import. */
  readonly hasPlain: boolean;
}

/** `isPlain`: it has no tests. Before files are read their paths must do. */
export function helpersAmong(files: readonly FileChange[], isPlain: (file: FileChange) => boolean = isPlainByPath): Helpers {
  const around = files.filter(({ path }) => path.endsWith('.json') || !APART.has(roleOf(path)));
  const names = around.flatMap(({ path, renamedFrom }) => (renamedFrom === undefined ? [path] : [path, renamedFrom]));
  return {
    paths: new Set(names),
    data: names.filter((path) => path.endsWith('.json')).map(stemOf),
    modules: new Set(names.filter(isPython).map(stemOf)),
    hasPlain: around.some((file) => file.path.endsWith('.json') || isPlain(file)),
  };
}

const APART: ReadonlySet<FileRole> = new Set(['source', 'docs']);

function isPlainByPath({ path }: FileChange): boolean {
  return isCode(path) && roleOf(path) !== 'test';
}

/** A text of Python names one of the modules, in an import of whatever form. Most speak of none: where there are few that is seen sooner. */
function isNamed(text: string, modules: ReadonlySet<string>): boolean {
  if (modules.size <= FEW_MODULES && ![...modules].some((module) => text.includes(module))) return false;
  return text.match(/\w+/g)?.some((word) => modules.has(word)) === true;
}

const FEW_MODULES = 20;

/** What a change around tests reaches them by, for each file. What a changed helper may have a say in is not steady. */
export function steadyFiles(files: readonly ReadFile[], reading: Reading): ReadonlyMap<string, ReadonlySet<string>> {
  const plain = new Set(files.filter(({ before, after }) => (after ?? before)?.tests.length === 0).map(({ change }) => change));
  const helpers = helpersAmong(
    files.map(({ change }) => change),
    (file) => plain.has(file),
  );
  const steady = new Map<string, ReadonlySet<string>>();
  for (const { change, before, after } of files) {
    if (change.before === null || change.after === null || before === null || after === null) continue;
    if (reading.isReached(change, helpers)) continue;
    const names = reachedNames({ before: change.before, after: change.after, factsBefore: before, factsAfter: after });
    if (names !== null) steady.set(change.path, names);
  }
  return steady;
}
