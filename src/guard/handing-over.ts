// Facts as plain data, so that one thread can read files for another: tests that somebody will ask about with all that was seen in
// them, the rest by their outline. Who asks for more has the file read again.

import type { ReadFile } from './evidence.js';
import { isUntouched } from './evidence.js';
import type { FileFacts, Outside, TestFact } from './facts.js';
import { FoundTest } from './javascript-found.js';
import { pairTests } from './pairing.js';
import { isSameAround } from './untouched.js';

type Seen = Pick<TestFact, 'marks' | 'rows' | 'assertions' | 'returns' | 'body'>;

interface HandedTest extends Omit<TestFact, keyof Seen> {
  readonly seen: Seen | null;
}

interface HandedFacts extends Omit<FileFacts, 'tests' | 'outside'> {
  readonly tests: readonly HandedTest[];
  /** Null: it was not asked for. */
  readonly outside?: readonly Outside[] | null;
}

/** Both versions of one file. */
export interface HandedFile {
  readonly before: HandedFacts | null;
  readonly after: HandedFacts | null;
}

/**
 * Walks through the tests that somebody will ask about. `steady`: see `Evidence`. In files that lose or gain tests these are all: they
 * may be held against any other.
 */
export function lookAhead({ change, before, after }: ReadFile, steady: ReadonlyMap<string, ReadonlySet<string>>): void {
  const { pairs, removed, added } = pairTests(before?.tests ?? [], after?.tests ?? [], () => change.path, steady);
  const isWhole = removed.length > 0 || added.length > 0;
  for (const pair of pairs) if (isWhole || !isUntouched({ steady }, pair)) look(pair.before, pair.after);
  look(...removed, ...added);
}

export function handedOver({ change, before, after }: ReadFile): HandedFile {
  const texts = { before: change.before ?? '', after: change.after ?? '' };
  const differs = before !== null && after !== null && !isSameAround({ ...texts, factsBefore: before, factsAfter: after });
  return { before: plain(before, differs), after: plain(after, differs) };
}

function look(...tests: readonly TestFact[]): void {
  for (const test of tests) if (test instanceof FoundTest) test.look();
}

function plain(facts: FileFacts | null, differs: boolean): HandedFacts | null {
  if (facts === null) return null;
  const { tests, outside, ...rest } = facts;
  return { ...rest, tests: tests.map(plainTest), ...(outside === undefined ? {} : { outside: differs ? outside() : null }) };
}

function plainTest(test: TestFact): HandedTest {
  const { path, span, head, condition, hidden, empty } = test;
  const outline = { path, span, head, condition, hidden, empty };
  if (test instanceof FoundTest && !test.isSeen) return { ...outline, seen: null };
  const { marks, rows, assertions, returns, body } = test;
  return { ...outline, seen: { marks, rows, assertions, returns, body } };
}

/** `again`: reads the file here. */
export function thawed({ tests, outside, ...rest }: HandedFacts, again: () => FileFacts | null): FileFacts {
  let facts: FileFacts | null = null;
  const whole = (): FileFacts | null => (facts ??= again());
  return {
    ...rest,
    tests: tests.map((test, index) => new ThawedTest(test, () => whole()?.tests[index])),
    ...(outside === undefined ? {} : { outside: () => outside ?? whole()?.outside?.() ?? [] }),
  };
}

const NOTHING: Seen = { marks: [], rows: null, assertions: [], returns: [], body: '' };

class ThawedTest implements TestFact {
  readonly path: TestFact['path'];
  readonly span: TestFact['span'];
  readonly head: TestFact['head'];
  readonly condition: TestFact['condition'];
  readonly hidden: TestFact['hidden'];
  readonly empty: boolean;
  private known: Seen | null;

  constructor(
    { path, span, head, condition, hidden, empty, seen }: HandedTest,
    private readonly again: () => Seen | undefined,
  ) {
    [this.path, this.span, this.head, this.condition, this.hidden, this.empty] = [path, span, head, condition, hidden, empty];
    this.known = seen;
  }

  private get seen(): Seen {
    this.known ??= this.again() ?? NOTHING;
    return this.known;
  }

  get marks(): TestFact['marks'] {
    return this.seen.marks;
  }

  get rows(): TestFact['rows'] {
    return this.seen.rows;
  }

  get assertions(): TestFact['assertions'] {
    return this.seen.assertions;
  }

  get returns(): TestFact['returns'] {
    return this.seen.returns;
  }

  get body(): string {
    return this.seen.body;
  }
}
