// All that the rules look at: both versions of each file, which test is which, what each asks, and what else the change contains.

import type { FileChange, GuardInput } from './change.js';
import { roleOf, candidatePaths } from './project/paths.js';
import type { FileRole } from './project/paths.js';
import type { Place, Source, Statement, Value } from './syntax/nodes.js';
import { truthAnywhere } from './syntax/fold.js';
import type { Truth } from './syntax/fold.js';
import { isPython, isRust } from './syntax/nodes.js';
import { print } from './syntax/print.js';
import { readSource } from './syntax/read.js';
import { lastName, positional } from './syntax/walk.js';
import { claimsOf } from './compare/claims.js';
import type { Claim, Claims } from './compare/claims.js';
import { coverClaim } from './compare/covers.js';
import { compareClaims } from './compare/losses.js';
import type { Comparison, Pair } from './compare/losses.js';
import { hasInlineTests, productOf } from './inline/split.js';
import { pairTests } from './compare/pair-tests.js';
import type { Pairing } from './compare/pair-tests.js';
import { ChangedCode, withoutTexts } from './project/changed-code.js';
import { findTests } from './test-model/find.js';
import type { FoundTests } from './test-model/find.js';
import type { Test, Walked } from './test-model/facts.js';
import { walkTest, mayCheck } from './test-model/walk.js';
import type { Lookup } from './test-model/walk.js';

export interface ReadFile {
  readonly change: FileChange;
  readonly role: FileRole;
  readonly before: FoundTests | null;
  readonly after: FoundTests | null;
}

function memo<Key, Made extends object | string | boolean | null>(known: Map<Key, Made>, key: Key, make: () => Made): Made {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** One version of the project. */
class Side {
  private readonly found = new Map<string, FoundTests | null>();
  private readonly walked = new Map<Test, Walked>();
  private readonly claimed = new Map<Test, Claims>();

  private readonly sources = new Map<string, Source | null>();

  constructor(
    private readonly textOf: (path: string) => string | null,
    private readonly readsDoctests: boolean,
  ) {}

  text(path: string): string | null {
    return this.textOf(path);
  }

  source(path: string): Source | null {
    return memo(this.sources, path, () => {
      const text = this.textOf(path);
      return text === null ? null : readSource(path, text);
    });
  }

  read(path: string): FoundTests | null {
    return memo(this.found, path, () => {
      const source = this.source(path);
      return source === null ? null : findTests(source, this.readsDoctests);
    });
  }

  walk(test: Test): Walked {
    return memo(this.walked, test, () =>
      walkTest(test, this.read(test.source.path)?.dialect ?? findTests(test.source).dialect, this.lookup),
    );
  }

  claims(test: Test): Claims {
    return memo(this.claimed, test, () => claimsOf(this.walk(test).checks));
  }

  private readonly lookup: Lookup = (from, module, name) => {
    for (const path of candidatePaths(from.path, module, name, from.language)) {
      const role = roleOf(path);
      if (role !== 'test' && role !== 'support' && role !== 'fixture') continue;
      const file = this.read(path);
      const definition = file?.scope.find(name);
      if (file !== null && definition?.call !== null && definition?.call !== undefined)
        return { call: definition.call, scope: file.scope, source: file.source };
    }
    return null;
  };
}

export class Evidence {
  readonly files: readonly ReadFile[];
  readonly before: Side;
  readonly after: Side;
  readonly pairing: Pairing;
  /** Functions of tests that check something, for tests which the change does not touch. */
  readonly helpers: Pairing;
  readonly code: ChangedCode;
  private readonly readsDoctests: boolean;
  private readonly comparisons = new Map<Pair, Comparison>();
  private index: Map<string, Claim[]> | null = null;
  private readonly touched = new Map<Pair, boolean>();

  constructor(readonly input: GuardInput) {
    const { change, same } = input;
    const old = new Map<string, string | null>();
    const now = new Map<string, string | null>();
    for (const { path, before, after, renamedFrom } of change.files) {
      if (renamedFrom !== undefined) {
        if (!old.has(path)) old.set(path, null);
        if (!now.has(renamedFrom)) now.set(renamedFrom, null);
      }
      old.set(renamedFrom ?? path, before);
      now.set(path, after);
    }
    const readOld = (path: string): string | null => (old.has(path) ? (old.get(path) ?? null) : (same?.(path) ?? null));
    this.readsDoctests = runsDoctests(readOld, input.command);
    this.before = new Side(readOld, this.readsDoctests);
    this.after = new Side((path) => (now.has(path) ? (now.get(path) ?? null) : (same?.(path) ?? null)), this.readsDoctests);
    this.files = change.files.map((file) => this.readFile(file));
    const moves = findMoves(change.files);
    const moved = (path: string): string => moves.get(path) ?? path;
    const tests = (side: 'before' | 'after'): readonly Test[] =>
      this.files.flatMap((file) => (isUnread(file) ? [] : (file[side]?.tests ?? [])));
    this.pairing = pairTests(tests('before'), tests('after'), moved);
    const support = this.files.filter(({ role }) => role === 'support' || role === 'test');
    const helpers = (side: 'before' | 'after'): readonly Test[] =>
      support.flatMap((file) => (isUnread(file) ? [] : findHelpers(file[side])));
    this.helpers = pairTests(helpers('before'), helpers('after'), moved);
    this.code = new ChangedCode(
      this.files.flatMap(({ role, before, after, change: file }) => {
        if (role !== 'source') return [];
        const product = productChange(file);
        return product !== file || (before?.tests ?? after?.tests ?? []).length === 0 ? [product] : [];
      }),
    );
  }

  get isTestingOnly(): boolean {
    return this.input.scope === 'testing';
  }

  get sourceChanged(): boolean {
    return this.files.some(({ role, change }) => role === 'source' && this.changesProduct(change));
  }

  /** More than the tests inside the file differs. */
  changesProduct(change: FileChange): boolean {
    const product = productChange(change);
    return product.before !== product.after || change.renamedFrom !== undefined;
  }

  private readFile(change: FileChange): ReadFile {
    const role = roleOf(change.path);
    // A file that only moved has the same tests as before.
    const isMoved = change.before === change.after && change.renamedFrom !== undefined && roleOf(change.renamedFrom) === role;
    const isRead = !isMoved && (role === 'test' || role === 'support' || mayHoldTests(change, this.readsDoctests));
    return {
      change,
      role,
      before: isRead && change.before !== null ? this.before.read(change.renamedFrom ?? change.path) : null,
      after: isRead && change.after !== null ? this.after.read(change.path) : null,
    };
  }

  private readonly fresh = new Map<FileChange, string>();

  /** Lines of the new version that the old one does not have. */
  addedText(change: FileChange): string {
    return memo(this.fresh, change, () => {
      const old = new Set(change.before?.split('\n'));
      return (change.after?.split('\n') ?? []).filter((line) => !old.has(line)).join('\n');
    });
  }

  /** Something about the test differs, or about what it uses of its file. */
  isTouched(pair: Pair): boolean {
    return memo(this.touched, pair, () => this.differs(pair));
  }

  private differs({ before, after }: Pair): boolean {
    if (sliceSource(before, before) !== sliceSource(after, after)) return true;
    const marks = (test: Test): string => test.marks.map((mark) => `${mark.kind} ${sliceSource(test, mark)}`).join('\n');
    if (marks(before) !== marks(after)) return true;
    const names = this.changedNames(before.source, after.source);
    return findWords(sliceSource(after, after)).some((word) => names.has(word));
  }

  private readonly names = new Map<Source, ReadonlySet<string>>();

  /** Names of the file whose definitions differ, and of those that use them; of imports, what they name. */
  private changedNames(before: Source, after: Source): ReadonlySet<string> {
    const known = this.names.get(after);
    if (known !== undefined) return known;
    const collectTexts = (source: Source): Map<string, string> => {
      const found = new Map<string, string>();
      const addDefinition = (name: string, from: number, to: number): void =>
        void found.set(name, `${found.get(name) ?? ''}\n${source.text.slice(from, to)}`);
      const walkBody = (body: Source['body']): void => {
        for (const statement of body) {
          if (statement.kind === 'function') addDefinition(statement.name, statement.from, statement.to);
          else if (statement.kind === 'class') walkBody(statement.body);
          else if (statement.kind === 'import') for (const { local } of statement.names) addDefinition(local, statement.from, statement.to);
          else if (statement.kind === 'assign')
            for (const target of statement.targets) if (target.kind === 'name') addDefinition(target.name, statement.from, statement.to);
        }
      };
      walkBody(source.body);
      return found;
    };
    const [old, now] = [collectTexts(before), collectTexts(after)];
    const differing = new Set([...old.keys(), ...now.keys()].filter((name) => old.get(name) !== now.get(name)));
    const uses = [...now].map(([name, text]) => [name, findWords(text)] as const);
    for (let size = -1; size !== differing.size;) {
      size = differing.size;
      for (const [name, words] of uses) if (!differing.has(name) && words.some((word) => differing.has(word))) differing.add(name);
    }
    // What is imported from a file of the change may check something else there.
    for (const statement of after.body) {
      if (statement.kind !== 'import') continue;
      const isChanged = statement.names.some(({ name }) =>
        candidatePaths(after.path, statement.module, name, after.language).some((path) =>
          this.files.some(({ change, role }) => change.path === path && role !== 'source'),
        ),
      );
      if (isChanged) for (const { local } of statement.names) differing.add(local);
    }
    this.names.set(after, differing);
    return differing;
  }

  compare(pair: Pair): Comparison {
    return memo(this.comparisons, pair, () =>
      compareClaims(
        this.before.claims(pair.before),
        this.after.claims(pair.after),
        (claim) => this.isAskedElsewhere(claim, pair.after),
        (claim) => this.isDropped(`${claim.full} ${claim.wanted === null ? '' : print(claim.wanted)} ${claim.detail}`),
      ),
    );
  }

  /** Whether a condition to skip holds: by what is written down, on every platform, with what is installed. */
  skips(condition: Value, path: string): Truth {
    if (condition.kind === 'call' && lastName(condition.callee) === 'importorskip') {
      const [name] = positional(condition);
      return name?.kind === 'text' && this.isNowhere(name.value.split('.')[0] ?? '', path) ? 'true' : 'unknown';
    }
    return truthAnywhere(condition);
  }

  /** No manifest names the module, and no file of the project is called so. */
  private isNowhere(module: string, path: string): boolean {
    const read = (file: string): string | null => this.after.text(file);
    const manifests = MANIFESTS.flatMap((file) => read(file) ?? []);
    const folders = path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'));
    const own = ['', 'src', ...folders].flatMap((folder) =>
      [`${module}.py`, `${module}/__init__.py`].map((file) => (folder === '' ? file : `${folder}/${file}`)),
    );
    const word = module.toLowerCase().replaceAll('_', '-');
    return (
      manifests.length > 0 &&
      !OF_PYTHON.test(module) &&
      !manifests.some((text) => text.toLowerCase().replaceAll('_', '-').includes(word)) &&
      own.every((file) => read(file) === null)
    );
  }

  /** It asks about something that the source no longer has. */
  isDropped(words: string): boolean {
    const { names, texts } = this.code.dropped;
    if (names.size === 0 && texts.size === 0) return false;
    if ((withoutTexts(words).match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? []).some((name) => names.has(name))) return true;
    return [...texts].some((text) => words.includes(text));
  }

  /** Another test that is new or changed asks as much about the same value. */
  isAskedElsewhere(claim: Claim, own: Test | null): boolean {
    this.index ??= this.indexed();
    // A name of the test's own stands for something else in every test.
    if (!/[\w$\])]\(/.test(claim.full)) return false;
    const found = this.index.get(claim.full) ?? [];
    return found.some(
      (other) =>
        other.check.source.text !== '' &&
        !(own !== null && other.check.source === own.source && own.from <= other.check.from && other.check.to <= own.to) &&
        coverClaim(other, claim) === 'yes' &&
        other.relation === claim.relation,
    );
  }

  private indexed(): Map<string, Claim[]> {
    const index = new Map<string, Claim[]>();
    const all = this.files.flatMap(({ after }) => after?.tests ?? []);
    const tests =
      all.length <= MOST_TESTS
        ? all
        : [...this.pairing.added, ...this.pairing.pairs.filter((pair) => this.isTouched(pair)).map(({ after }) => after)];
    for (const test of tests)
      for (const claim of this.after.claims(test).claims)
        if (index.has(claim.full)) index.get(claim.full)?.push(claim);
        else index.set(claim.full, [claim]);
    return index;
  }
}

/** What the change does to product code. The same change where the file has no tests inside. */
function productChange(change: FileChange): FileChange {
  const { path, before, after, renamedFrom = path } = change;
  const halves = {
    before: before === null ? null : productOf(renamedFrom, before),
    after: after === null ? null : productOf(path, after),
  };
  return halves.before === before && halves.after === after ? change : { ...change, ...halves };
}

function findWords(text: string): readonly string[] {
  return text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
}

/** Of larger changes only tests that differ are searched for what others lost. */
const MOST_TESTS = 400;

export function sliceSource({ source }: { readonly source: Source }, { from, to }: Place): string {
  return source.text.slice(from, to);
}

/** The new file cannot be parsed, so nobody knows what became of its tests. It is reported as a problem. */
export function isUnread({ after }: Pick<ReadFile, 'after'>): boolean {
  return after !== null && after.source.problem !== null && after.tests.length === 0;
}

/** Tests may lie in files of any name: a file is read if its text says so. */
function mayHoldTests({ path, before, after, renamedFrom }: FileChange, readsDoctests: boolean): boolean {
  if (renamedFrom !== undefined && roleOf(renamedFrom) !== 'source') return true;
  if (isRust(path) || (readsDoctests && isPython(path) && [before, after].some((text) => text?.includes('>>> ') === true)))
    return [before, after].some((text) => text !== null && hasInlineTests(path, text));
  return (
    /\.(py|[cm]?[jt]sx?)$/.test(path) &&
    [before, after].some((text) => text !== null && /^\s*(?:async\s+)?def test_|^\s*(?:it|test|describe)(?:\.\w+)?\(\s*['"`]/m.test(text))
  );
}

/** Settings of pytest, and what starts it. */
const DOCTEST_SETTINGS = 'pytest.ini pyproject.toml setup.cfg tox.ini conftest.py Makefile noxfile.py'.split(' ');

const MANIFESTS =
  'pyproject.toml setup.py setup.cfg tox.ini Pipfile environment.yml requirements.txt requirements-dev.txt requirements-test.txt dev-requirements.txt test-requirements.txt requirements/dev.txt requirements/test.txt requirements/tests.txt poetry.lock uv.lock'.split(
    ' ',
  );
/** Parts of Python's library that some builds lack, and packages under another name than their module's. */
const OF_PYTHON =
  /^(?:_\w+|sqlite3|ssl|curses|readline|fcntl|grp|pwd|resource|termios|tkinter|dbm|zlib|bz2|lzma|ctypes|multiprocessing|asyncio|tomllib|zoneinfo|uuid|syslog|winreg|msvcrt|concurrent|PIL|cv2|bs4|sklearn|skimage|yaml|git|OpenSSL|jwt|magic|serial|usb|wx|gi|google)$/;

/** Examples in docstrings are tests only where something runs them. */
function runsDoctests(readText: (path: string) => string | null, command = ''): boolean {
  return /doctest/.test(command) || DOCTEST_SETTINGS.some((path) => /\bdoctest/.test(readText(path) ?? ''));
}

/** Where deleted files went, where the change says so, or where one new file has the same name. */
function findMoves(files: readonly FileChange[]): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const { renamedFrom, path } of files) if (renamedFrom !== undefined) moves.set(renamedFrom, path);
  const fresh = new Map<string, string[]>();
  for (const { path, before, renamedFrom } of files)
    if (before === null && renamedFrom === undefined)
      fresh.set(withoutExtension(path), [...(fresh.get(withoutExtension(path)) ?? []), path]);
  for (const { path, after } of files) {
    const [only, ...more] = after !== null ? [] : (fresh.get(withoutExtension(path)) ?? []);
    if (only !== undefined && more.length === 0) moves.set(path, only);
  }
  return moves;
}

function withoutExtension(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split(/[._-](?:tests?|spec)\b|\./)[0] ?? path;
}

export function findHelpers(file: FoundTests | null): readonly Test[] {
  if (file === null) return [];
  const { source, scope, dialect, tests } = file;
  const runs = new Set(tests.map(({ run }) => run));
  const found: Test[] = [];
  const collectFunctions = (body: readonly Statement[], path: readonly string[]): void => {
    for (const statement of body) {
      if (statement.kind === 'class') collectFunctions(statement.body, [...path, statement.name]);
      const run =
        statement.kind === 'function'
          ? statement.value
          : statement.kind === 'assign' && statement.value?.kind === 'function'
            ? statement.value
            : null;
      const [target] = statement.kind === 'assign' ? statement.targets : [];
      const name = statement.kind === 'function' ? statement.name : target?.kind === 'name' ? target.name : '';
      if (run === null || name === '' || runs.has(run) || !mayCheck(run, dialect)) continue;
      const place = { from: statement.from, to: statement.to };
      found.push({ ...place, source, path: [...path, name], head: place, run, marks: [], tables: [], columns: null, scope, hooks: [] });
    }
  };
  collectFunctions(source.body, []);
  return found;
}
