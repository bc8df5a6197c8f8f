// The facts of a change, file by file: each version is read once, by the extractor of its language.

import type { Change, FileChange, GuardInput } from './change.js';
import type { ReadFile } from './evidence.js';
import type { FileFacts, Lookup } from './facts.js';
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

  constructor(lookup: Lookup) {
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

  /** Takes over what another thread read. */
  learn(path: string, text: string, told: ToldFacts): void {
    // Both times it is code, or neither.
    const again = () => this.extract(path, text) as FileFacts;
    if (!this.facts.has(path)) this.facts.set(path, heard(told, again));
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
  return /(?<![.\w])(describe|it|test|suite)(\.\w+)?\(\s*['"`]|\b(expect|assert|Assertion)\b[\w.]*\s*=(?!=|\s*require\()|expect\.extend\(|overwriteMethod|\{ expect[:, ]/.test(
    text,
  );
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
    const text = this.others.get(path) ?? (this.others.has(path) ? null : (this.same?.(path) ?? null));
    this.others.set(path, text);
    return text;
  }

  /** Takes over what another thread read of a file. */
  learn({ path, renamedFrom, before, after }: FileChange, told: ToldFile): void {
    if (before !== null && told.before !== null) this.before.learn(renamedFrom ?? path, before, told.before);
    if (after !== null && told.after !== null) this.after.learn(path, after, told.after);
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

/** A changed file around tests may reach all of them; told by its path, before anything is read. */
export function mayReachAll(files: readonly FileChange[]): boolean {
  return files.some(({ path }) => path.endsWith('.json') || (isCode(path) && !APART.has(roleOf(path))));
}

const APART: ReadonlySet<FileRole> = new Set(['source', 'docs', 'test']);

/** What a change around tests reaches them by, for each file. A changed helper may be called by any test: then nothing is steady. */
export function steadyFiles(files: readonly ReadFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const helping = files.some(({ role, before, after }) => role !== 'source' && role !== 'docs' && (after ?? before)?.tests.length === 0);
  const steady = new Map<string, ReadonlySet<string>>();
  if (helping || files.some(({ change }) => change.path.endsWith('.json'))) return steady;
  for (const { change, before, after } of files) {
    if (change.before === null || change.after === null || before === null || after === null) continue;
    const names = reachedNames({ before: change.before, after: change.after, factsBefore: before, factsAfter: after });
    if (names !== null) steady.set(change.path, names);
  }
  return steady;
}
