// What a language and its runners call things: tables, so that the code which reads tests is written once.

import type { MarkKind, Relation } from './facts.js';

/** How a call asks: relation, whether it is turned round, which argument is asked about (default 0) and which is wanted (default 1). */
export interface Asking {
  readonly relation: Relation;
  readonly negated?: boolean;
  readonly subject?: number;
  readonly wanted?: number;
  /** The expected value, if the name of the matcher says it: `toBeNull`. */
  readonly constant?: string | number;
  readonly detail?: string;
}

export interface Dialect {
  /** `expect(x)`: names of functions that a chain of matchers follows. */
  readonly expects: ReadonlySet<string>;
  /** Matchers behind `expect(x)`, called or not; the wanted value is the first argument. */
  readonly matchers: ReadonlyMap<string, Asking>;
  /** `assert.equal(a, b)`, `self.assertEqual(a, b)`, by their last name. */
  readonly asserts: ReadonlyMap<string, Asking>;
  /** Names whose members are asserts: `assert`, `t`, `self`. */
  readonly assertOwners: ReadonlySet<string>;
  /** Modules whose functions are asserts. */
  readonly assertModules: RegExp;
  /** Calls that fail the test: `assert.fail()`, `pytest.fail()`. */
  readonly fails: ReadonlySet<string>;
  /** Calls inside a test that skip the rest of it. */
  readonly skips: ReadonlyMap<string, MarkKind>;
  /** Methods that run a function which they are given, at once and for each element. */
  readonly runs: ReadonlySet<string>;
  /** Calls that give a stand-in: `jest.fn`, `Mock`. */
  readonly doubles: RegExp;
}
