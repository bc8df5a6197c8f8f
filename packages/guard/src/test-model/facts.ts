// What is known of a test: where it stands, under which marks it runs, what it checks, and what may keep a check from being heard.

import type { FunctionValue, Place, Source, Statement, Value } from '../syntax/nodes.js';
import type { Scope } from './scope.js';

export type MarkKind = 'skip' | 'only' | 'fails' | 'todo';

export interface Mark extends Place {
  readonly kind: MarkKind;
  /** Null: always. */
  readonly condition: Value | null;
}

export interface Test extends Place {
  readonly source: Source;
  /** Titles of the suites around it and its own. */
  readonly path: readonly string[];
  /** The words that a finding about the test itself points at. */
  readonly head: Place;
  readonly run: FunctionValue | null;
  /** Its own and those of the suites around it. */
  readonly marks: readonly Mark[];
  /** Tables that it runs over. */
  readonly tables: readonly Value[];
  /** Names of the columns of the last table, where they are not the parameters. */
  readonly columns: readonly (readonly string[])[] | null;
  readonly scope: Scope;
  /** Bodies that run before it, for what they set up. */
  readonly hooks: readonly (readonly Statement[])[];
}

export type Relation =
  | 'equal'
  | 'close'
  | 'length'
  | 'shape'
  | 'partial'
  | 'contains'
  | 'matches'
  | 'compare'
  | 'type'
  | 'truthy'
  | 'raises'
  | 'called'
  | 'snapshot'
  | 'own'
  | 'never';

export type ObstacleKind = 'never-run' | 'swallowed' | 'condition' | 'early-return' | 'callback' | 'handler' | 'unawaited' | 'loop';

export interface Obstacle extends Place {
  readonly kind: ObstacleKind;
  /** The condition, where there is one. */
  readonly condition: Value | null;
}

/** One question that a test asks. */
export interface Check extends Place {
  readonly source: Source;
  readonly relation: Relation;
  readonly negated: boolean;
  readonly subject: Value;
  readonly wanted: Value | null;
  /** Of an own matcher its name, of a comparison its sign, of `raises` the text that the message must have. */
  readonly detail: string;
  readonly obstacles: readonly Obstacle[];
  /** The scope in which names of the subject are looked up. */
  readonly scope: Scope;
}

/** What one walk through a test finds. */
export interface Walked {
  readonly checks: readonly Check[];
  /** Skips inside the body: `t.skip()`, `pytest.skip()`. */
  readonly marks: readonly Mark[];
  /** Lists that loops in it run over, helpers included. */
  readonly tables: readonly Value[];
  /** Calls of things that stand in for code: mocks, stubs, patches. */
  readonly doubles: readonly Double[];
  /** What it calls, as it is written: `cart.total`. */
  readonly calls: ReadonlySet<string>;
}

export interface Double extends Place {
  readonly source: Source;
  /** What is replaced: `module path`, `object.member`. */
  readonly target: string;
  readonly kind: 'module' | 'member';
}
