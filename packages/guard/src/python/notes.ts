// What a walk through a test's body writes down: assertions with how they stand, skips, early returns; and what it must remember for that.

import type { AssertionFact, Span } from '../facts.js';
import { assertionOf } from './assertion.js';
import { isYesOrNo } from './booleans.js';
import { draft, raisingDraft } from './checks.js';
import type { Draft } from './checks.js';
import { fullName } from './names.js';
import { OwnWrites } from './own-writes.js';
import { print } from './print.js';
import { aboutCalls } from './recorders.js';
import { isEmptyList, isUncertain } from './rows.js';
import type { Env } from './scope.js';
import type { Expr, Stmt, Tree } from './tree.js';
import { descend, dotted, keyword, lastName, positional, settled, spanOf } from './tree.js';

/** Where the walk is. */
export interface Place {
  readonly reach: AssertionFact['reach'];
  readonly why: string | null;
  readonly swallowed: string | null;
  /** In code that nobody waits for. */
  readonly floating: boolean;
  readonly open: boolean;
  /** How many helpers deep. */
  readonly depth: number;
  /** The statement of the test that a helper was called by. */
  readonly own: boolean;
  /** In a check that is tried until it comes true, or the test fails. */
  readonly polled: boolean;
  /** Somebody takes what the function gives back, and may await it. */
  readonly taken: boolean;
  /** In a coroutine, or a function that one calls. */
  readonly async: boolean;
  /** What lets a check go here is a usual way to write one of two things: see `Standing`. */
  readonly reserved: boolean;
  /** In a branch that has checks of its own: a return at its end leaves the rest to other cases. */
  readonly branch: boolean;
}

export const START: Place = {
  reach: 'always',
  why: null,
  swallowed: null,
  floating: false,
  open: false,
  depth: 0,
  own: true,
  polled: false,
  taken: false,
  async: false,
  reserved: false,
  branch: false,
};

/** What takes a value out of an open file. */
const LOADING = /^(json|yaml|pickle|tomllib|toml|marshal|ujson|simplejson)\.(load|safe_load)$/;

/** The file is open to be written: the variable of that name was given another file since. */
const WRITING = /(?:,|=|\.open\()["'][wax]/;

/** Why a check in a loop over a computed list need not run. Nothing is wrong with that, and another condition in it is. */
const MAY_BE_EMPTY = 'in a loop that may have nothing to walk over';

export interface BodySkip {
  readonly span: Span;
  readonly kind: 'skipped' | 'conditional' | 'failing';
}

const FILLING: ReadonlySet<string> = new Set([
  'append',
  'extend',
  'add',
  'insert',
  'update',
  'setdefault',
  'pop',
  'remove',
  'clear',
  'sort',
  'appendleft',
  'discard',
]);

export class Notes {
  readonly assertions: AssertionFact[] = [];
  readonly returns: Span[] = [];
  /** Those of them that end a branch with checks of its own. */
  readonly branched: Span[] = [];
  readonly skips: BodySkip[] = [];
  /** Assertions that are wanted to fail. */
  readonly reversed: Span[] = [];
  /** Returns that end the test early, if an assertion follows. */
  protected pending: { readonly node: Stmt; readonly branch: boolean }[] = [];
  protected readonly since = new Map<string, number>();
  /** Variables that a block within the test gives another value, if it is reached. */
  protected readonly flags = new Set<string>();
  /** What it put into results by itself. */
  protected readonly own = new OwnWrites();
  private readonly written = new Map<
    string,
    { readonly text: string; readonly at: number; readonly noted: number; readonly sure: boolean }
  >();
  protected calls = 0;
  /** A coroutine of the unit was made and dropped: what follows asks about something that never happened. */
  protected dropped = false;

  constructor(private readonly tree: Tree) {}

  protected never(place: Place, why: string): Place {
    return { ...place, reach: 'never', why };
  }

  protected losing(place: Place, why: string): Place {
    return { ...place, swallowed: why };
  }

  protected maybe(place: Place, why: string): Place {
    const open = place.reach === 'always' || (place.reach === 'maybe' && place.why === MAY_BE_EMPTY);
    return open && !place.polled ? { ...place, reach: 'maybe', why } : place;
  }

  protected skip(node: { readonly start: number; readonly end: number }, env: Env, place: Place, failing = false): void {
    if (place.reach === 'never') return;
    const kind = failing ? 'failing' : place.reach === 'always' ? 'skipped' : 'conditional';
    this.skips.push({ span: spanOf(env.module.tree, node.start, node.end), kind });
  }

  protected note(drafts: readonly Draft[], node: { readonly start: number; readonly end: number }, env: Env, place: Place): void {
    if (drafts.length > 0) this.confirm();
    const span = spanOf(env.module.tree, node.start, node.end);
    const noted = this.assertions.length;
    const wrote = (text: string, wanted: Expr | null = null): string | null => {
      const file = this.written.get(fileOf(/^(.+)\.read(?:_text|_bytes)?\([^()]*\)$/.exec(text)?.[1] ?? ''));
      // What is asked in between may be what should leave the file alone.
      if (file !== undefined && file.at === this.calls && (file.noted === noted || file.text.includes('('))) return file.text;
      const parsed = /^[\w.]+\((.+)\.read(?:_text|_bytes)?\([^()]*\)\)$/.exec(text)?.[1];
      return this.written.get(fileOf(parsed ?? ''))?.text ?? (wanted === null ? null : this.stored(text, wanted, env));
    };
    const fresh = (name: string) => (this.since.get(name) ?? 0) === this.calls;
    for (const one of drafts.flatMap(aboutCalls).map(decided)) {
      const emptied = one.over?.type === 'Comprehension' && one.over.clauses.some(({ over }) => isEmptyList(over, env));
      const reach = emptied ? 'never' : place.reach;
      const reachWhy = emptied ? 'over an empty list' : place.why;
      const standing = {
        reach,
        reachWhy,
        swallowed: place.swallowed,
        waiting: place.floating || this.dropped ? 'floating' : place.async ? 'awaited' : 'sync',
        open: place.open,
        fresh,
        wrote,
        varied: (name: string) => this.flags.has(name) || this.isParameter(name),
        reserved: place.reserved,
        raised: this.assertions.at(-1)?.kind === 'throws',
      } as const;
      const filtered =
        one.over?.type === 'Comprehension' &&
        one.over.clauses.some(({ over, conditions }) => conditions.length > 0 || (over.type !== 'Call' && isUncertain(over, env)));
      const fact = assertionOf(filtered ? { ...one, loose: one.loose + 1 } : one, span, standing);
      this.assertions.push(this.own.judged(fact, one.subject, one.env, this.calls));
    }
  }

  /** `wanted` is loaded from a file that lasts, after the test itself put a value there. Through one that does not last, values only pass. */
  private stored(text: string, wanted: Expr, env: Env): string | null {
    const held = wanted.type === 'Name' ? env.find(wanted.name)?.node : wanted;
    if (held?.type !== 'Call' || !LOADING.test(fullName(held.callee, env))) return null;
    const opened = /^(?:\w+\.)?(?:load|safe_load)\((.+)\)$/.exec(text)?.[1] ?? '';
    const file = fileOf(opened);
    const put = WRITING.test(opened) || /tmp|temp/i.test(file) ? undefined : this.written.get(file);
    const isEarlier = wanted.type === 'Name' && (this.since.get(wanted.name) ?? 0) < (put?.at ?? 0);
    // Under a condition it is a way to write the file anew when somebody asks for that.
    return put?.sure !== true || isEarlier ? null : put.text;
  }

  /** A parameter of the function that is walked through: its callers say what it holds. */
  protected isParameter(_name: string): boolean {
    return false;
  }

  /** What may stand for a check that was there before, and is none by itself. */
  protected spare(drafts: readonly Draft[], node: { readonly start: number; readonly end: number }, env: Env, place: Place): void {
    const from = this.assertions.length;
    this.note(drafts, node, env, place);
    for (const [index, fact] of this.assertions.entries()) if (index >= from) this.assertions[index] = { ...fact, guard: true };
  }

  /** `(only,) = rows` fails unless there is just one. */
  protected unpacked(target: Expr, node: Extract<Stmt, { type: 'Assign' }>, env: Env, place: Place): void {
    if ((target.type !== 'Tuple' && target.type !== 'List') || target.items.length !== 1 || node.value === null) return;
    if (target.items.some(({ type }) => type === 'Star') || node.value.type === 'Tuple' || node.value.type === 'List') return;
    const count: Expr = { type: 'Number', start: node.start, end: node.end, text: '1' };
    this.spare([draft('size', node.value, count, env)], node, env, place);
  }

  /** An error that may come or not, where the test wanted it before. */
  protected forgiven(caught: readonly (Expr | null)[], subject: Expr, node: Stmt, env: Env, place: Place): void {
    const types = caught.flatMap((type) => (type === null ? [] : type.type === 'Tuple' ? type.items : [type]));
    const lost = this.losing(place, 'whether it comes or not');
    this.spare([raisingDraft({ types, detail: null, name: 'raises' }, subject, env)], node, env, lost);
  }

  /** A return before this place ends the test too early. */
  private confirm(): void {
    for (const { node, branch } of this.pending) {
      const span = spanOf(this.tree, node.start, node.end);
      this.returns.push(span);
      if (branch) this.branched.push(span);
    }
    this.pending = [];
  }

  /** Calls that are no assertion may change what variables stand for. */
  protected count(node: Expr, env: Env, { reach }: Place): void {
    this.changed(node, env);
    const inner = settled(node);
    if (inner.type !== 'Call') return;
    const [first = null, second = null] = positional(inner.args);
    const [at, noted] = [this.calls, this.assertions.length];
    const put = (file: Expr | null, text: string): void => {
      if (file !== null) this.written.set(fileOf(print(file, env)), { text, at, noted, sure: reach === 'always' });
    };
    const name = lastName(inner.callee);
    if (/^(dump|safe_dump)$/.test(name)) {
      const value = first ?? keyword(inner.args, 'obj') ?? keyword(inner.args, 'data');
      return put(second ?? keyword(inner.args, 'fp') ?? keyword(inner.args, 'stream'), print(value, env));
    }
    if (inner.callee.type !== 'Attribute') return;
    const { object } = inner.callee;
    if (/^write(_text|_bytes)?$/.test(name)) put(object, print(first, env));
    else if (second !== null && /^copy(file|2)?$/.test(name) && dotted(object) === 'shutil')
      put(second, `${print(first, env)}.read_text()`);
  }

  /** A file is read, or what was written into one is worked out again: nothing changes by that. */
  private isOfFile(node: Extract<Expr, { type: 'Call' }>, name: string, env: Env): boolean {
    if (this.written.size === 0) return false;
    if (/^(read_text|read_bytes|read|load|loads|open|exists)$/.test(name)) return true;
    const text = print(node, env);
    return [...this.written.values()].some((one) => one.text === text);
  }

  private changed(node: Expr, env: Env): void {
    for (const below of descend(node)) {
      if (below.type === 'Yield') this.calls += 1;
      if (below.type !== 'Call') continue;
      const name = lastName(below.callee);
      if (
        name.startsWith('assert') ||
        ['len', 'str', 'isinstance', 'sorted', 'list', 'print', 'repr', 'dict', 'set', 'subTest'].includes(name) ||
        this.isOfFile(below, name, env)
      )
        continue;
      this.calls += 1;
      const owner = below.callee.type === 'Attribute' ? dotted(below.callee.object) : '';
      const held = owner === '' ? null : env.find(owner);
      if (held?.node !== undefined && held.node !== null && ['List', 'Dict', 'Set'].includes(held.node.type) && FILLING.has(name))
        env.set(owner, { ...held, label: owner });
    }
  }
}

/** The file that is opened: of `open(path, "w")` and `path.open()` the path. */
function fileOf(text: string): string {
  const opened = /^(?:open|Path|str)\(((?:[^,()]|\([^()]*\))+)(?:,[^()]*)?\)$/.exec(text)?.[1] ?? /^(.+)\.open\([^()]*\)$/.exec(text)?.[1];
  return opened === undefined ? text : fileOf(opened);
}

/** `assert f(x)` where `f` answers yes or no. */
function decided(one: Draft): Draft {
  if ((one.kind !== 'truthy' && one.kind !== 'falsy') || one.subject === null || one.suffix !== '' || !isYesOrNo(one.subject, one.env))
    return one;
  return { ...one, kind: 'equal', constant: one.kind === 'truthy' ? 'True' : 'False' };
}
