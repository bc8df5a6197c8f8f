// What an extractor sees in one version of one file, in words that every language shares. Extractors (javascript-*, python-*)
// write these facts; the rules read nothing else.

/** A stretch of a file. Offsets are of UTF-16 code units, `line` starts at 1, `text` is the source between the two. */
export interface Span {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly text: string;
}

/**
 * What an assertion asks of its subject, with negation already folded in:
 * equal: one value and no other (toBe, toEqual, ==, is None, toBe(true), empty) · snapshot · close: near a number · match: a pattern
 * or a text within · contain: a part of it (toContain, toMatchObject, in, has key) · size: its length · range: above or below ·
 * oneOf: one of several · type: its type or class · truthy, falsy · exists: there at all (toBeDefined, is not None) · differs: not
 * equal to one value · lacks: a part is not in it · throws: the call fails · silent: the call does not fail · called: at least once ·
 * calledTimes: a count, none included · calledWith: arguments · custom: a matcher of the project or one that is not known.
 */
export type CheckKind =
  | 'equal'
  | 'snapshot'
  | 'close'
  | 'match'
  | 'contain'
  | 'size'
  | 'range'
  | 'oneOf'
  | 'type'
  | 'truthy'
  | 'falsy'
  | 'exists'
  | 'differs'
  | 'lacks'
  | 'throws'
  | 'silent'
  | 'called'
  | 'calledTimes'
  | 'calledWith'
  | 'custom';

export interface AssertionFact {
  /** The whole statement, or the call where it stands in a larger one. In the file where it is written, which may be a helper's. */
  readonly span: Span;
  readonly kind: CheckKind;
  /**
   * The value that is asked about, in canonical text: no layout, no `await`, no casts, variables and table columns replaced by what they
   * hold where that is known. Wrappers that belong to the check are taken off: of `len(x) == 2` it is `x`, with kind `size`.
   */
  readonly subject: string;
  /** The wanted value in canonical text; null where the check has none. */
  readonly expected: string | null;
  /** Subject and expected with table columns and loop variables left as names: the same for every row that one assertion is tried on. */
  readonly template: string;
  /** It stands in a loop, table or property over values that are not known here: it speaks for every value of its template. */
  readonly open: boolean;
  /** Places of `expected` that take anything (expect.anything(), expect.any(X), mock.ANY): each one makes it weaker. */
  readonly wildcards: number;
  /** Entries of `expected` where that is a list or an object: fewer in a `contain` is weaker. Null: not a literal. */
  readonly parts: number | null;
  /** Compares loosely, as `==` of JavaScript does. */
  readonly loose?: boolean;
  /** Of `close`: the largest difference let through. Of `range` between two numbers: their distance. */
  readonly tolerance: number | null;
  /** Of `range`: the operator seen from the subject, and the number. */
  readonly bound: { readonly op: '<' | '<=' | '>' | '>='; readonly value: number } | null;
  /** Of `throws`: the class wanted (null: any, or the base class), and the text, pattern, shape or predicate wanted. */
  readonly thrown: { readonly type: string | null; readonly detail: string | null } | null;
  /** `floating`: it is asynchronous, and nothing waits for it. */
  readonly waiting: 'sync' | 'awaited' | 'floating';
  /** `maybe`: under a condition, in a callback or a catch that need not run. `never`: after a return, over an empty list, in if (false). */
  readonly reach: 'always' | 'maybe' | 'never';
  /** Why it is not `always` reached: shown to people, as in `in a handler that may never be called`. */
  readonly reachWhy: string | null;
  /** Why its failure is lost (`in a try whose catch lets it go`), else null. */
  readonly swallowed: string | null;
  /** Where its failure is lost, when that is in another file than the assertion. */
  readonly swallowedAt?: Span;
  /** Why it cannot fail (`both sides are the same`), else null. */
  readonly tautology: string | null;
  /** It asks for a constant, to say that this place was reached: no lie where nothing else was lost. */
  readonly marker?: boolean;
  /** Both sides come from the same call, though other calls stand between: new in a test that wanted a written value, it is a lie. */
  readonly echo?: boolean;
  /** Tried again until it holds (`waitFor`): the test waits for it to go on. */
  readonly polled?: boolean;
  /** An `if` that throws: it may stand for a check that was there before, and its own loss is not told. */
  readonly guard?: boolean;
}

export interface TestMark {
  /** conditional: skipped or run by a condition. */
  readonly kind: 'skipped' | 'focused' | 'failing' | 'conditional';
  /** Of a condition: as things stand it leaves nothing out, since what it asks is a constant. */
  readonly settled?: boolean;
  readonly span: Span;
  /** The same for the same mark in other versions: what is marked with what, without title or layout. */
  readonly key: string;
}

export interface TestFact {
  /** Titles of the suites and of the test. A title that is computed keeps its source: `formats ${ms}`. */
  readonly path: readonly string[];
  readonly span: Span;
  /** Callee and title alone: what a finding about the mark or the name points at. */
  readonly head: Span;
  /** Marks on the test, on the suites around it, and in its body. */
  readonly marks: readonly TestMark[];
  /** Those of them that are written around the body. */
  readonly outer: readonly TestMark[];
  /** Registered under a condition, a filter, or in a loop over what may be empty. */
  readonly condition: Span | null;
  /** In a function that is never called, after a return: the runner never sees it. */
  readonly hidden: Span | null;
  /** No body at all, or one without statements. */
  readonly empty: boolean;
  /** Rows of its table, in canonical text; null where it has none, or where they are not known. */
  readonly rows: readonly string[] | null;
  /** Assertions in order, helpers followed, table rows and loops over literals written out. */
  readonly assertions: readonly AssertionFact[];
  /** Returns out of the body (or out of a suite) before an assertion or a test that follows. */
  readonly returns: readonly Span[];
  /** Those of them that end a branch with checks of its own: nothing is left out there in a new test. */
  readonly branches: readonly Span[];
  /** Canonical text of the body, for telling renamed and moved tests. */
  readonly body: string;
}

/** A function outside tests that asserts, in a file that tests import. */
export interface HelperFact {
  readonly name: string;
  readonly span: Span;
  readonly assertions: readonly AssertionFact[];
  readonly returns: readonly Span[];
}

/** Rows that a file without tests hands out to them. */
export interface TableFact {
  readonly name: string;
  readonly span: Span;
  readonly rows: readonly string[];
}

/** Code that decides from outside which tests run, or how they end: a hook of the runner, a list of files to leave out. */
export interface HookFact {
  readonly name: string;
  readonly span: Span;
  /** The same for the same code in other versions. */
  readonly key: string;
  /** Of tries: how often at most. */
  readonly count?: number;
  /** Of a mark that other files take: what it does to their tests. Told where what bore its name before did less. */
  readonly mark?: Exclude<TestMark['kind'], 'focused'>;
  /** Of tries: title of the test or suite they are for. Left out: the whole file. */
  readonly title?: string;
}

/** A comment or a type that keeps a tool from looking. */
export interface SuppressionFact {
  readonly kind: 'type' | 'any' | 'lint' | 'coverage';
  readonly span: Span;
  /** What is suppressed, without layout and whichever tool it is said to: `@ts-ignore`, `disable-line no-console`, `any`. */
  readonly key: string;
  /** It stands over what the compiler must refuse, and is the check itself. */
  readonly checks?: boolean;
}

/** Something that tests stand on is replaced. Mocks of collaborators are no facts. */
export interface ReplacementFact {
  /**
   * unit: a function, method or property of the unit under test. module: its whole module. clock, assertions: theirs. failures: what
   * becomes of them at the end of the run (the exit code, handlers of uncaught errors).
   */
  readonly kind: 'unit' | 'module' | 'clock' | 'assertions' | 'failures';
  readonly span: Span;
  /** What is replaced, the same in other versions: `./cart`, `Cart.prototype.total`, `Date.now`. */
  readonly key: string;
  /** Path of titles of the test it stands in; null in a hook or outside tests. */
  readonly test: readonly string[] | null;
  /** Of a hook: titles of the suites it stands in. Left out: the whole file. */
  readonly suite?: readonly string[];
  /** Of a clock: tests move it on. Never told, but another may stand still in its place. */
  readonly moving?: boolean;
  /** Of a clock: told only where it moved before. */
  readonly faint?: boolean;
  /** What it always answers, where no test calls it: told only where a test wanted just that before. */
  readonly gives?: string;
}

/** A name that a test file imports: what it tests, or what it asserts with. */
export interface ImportFact {
  readonly name: string;
  /** The path it leads to, or the package. */
  readonly source: string;
  readonly span: Span;
  /** It comes from a package that asserts, or from a file that builds on one. */
  readonly asserting: boolean;
  /** Made in the file itself, in a variable or within a test: a stand-in only for what the assertions asked before. */
  readonly local?: boolean;
}

/** A statement around the tests of a file. */
export interface Outside {
  /** `frame`: tests stand in it. `effect`: it declares nothing, and may do anything. */
  readonly kind: 'declared' | 'frame' | 'effect';
  readonly text: string;
  /** What it declares. */
  readonly names: readonly string[];
  /** The class at the top of the file that it belongs to. Tests of no other class feel a frame of it. */
  readonly within?: string;
}

export interface FileFacts {
  readonly file: string;
  readonly tests: readonly TestFact[];
  /** All that stands around the tests; left out where nobody tells. Asked for when the two versions differ there. */
  readonly outside?: () => readonly Outside[];
  readonly helpers: readonly HelperFact[];
  readonly tables?: readonly TableFact[];
  readonly hooks?: readonly HookFact[];
  readonly suppressions: readonly SuppressionFact[];
  /** Finding out is dear, and is put off until somebody asks. */
  readonly replacements: () => readonly ReplacementFact[];
  readonly imports?: readonly ImportFact[];
  /** Why the file could not be read as code; its facts are then incomplete. */
  readonly problem: string | null;
}

/** Reads a file of the same version of the tree; null where there is none. */
export type Lookup = (path: string) => string | null;

/** Why a check cannot fail whose value no code under test has a say in. */
export const OWN_CONSTANT = 'its value is a constant of the test';

/** Checks that hold by themselves in no case, however they are written. */
export const NEVER_FREE: ReadonlySet<AssertionFact['kind']> = new Set([
  'differs',
  'lacks',
  'throws',
  'silent',
  'called',
  'calledTimes',
  'calledWith',
  'snapshot',
  'custom',
]);
