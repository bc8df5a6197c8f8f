// Checks that are told anew by a device which the change brings in: a recorder in place of a spy, a helper that gives a whole at once, a
// matcher of the project. What was asked cannot be asked in the same words any more; what counts is that no less is asked.

import type { ReadFile } from './evidence.js';
import type { AssertionFact, TestFact } from './facts.js';
import { isWritten } from './losses.js';
import type { Match } from './matching.js';
import type { Pair } from './pairing.js';
import { broughtIn, WORDS, wordsOutside } from './spoken-words.js';
import { EXACT, isPresence, keyOf, levelOf, wantedOf } from './strength.js';
import { isWithin } from './subjects.js';
import { outsideTests } from './untouched.js';
import { put } from './keyed-lists.js';

/** Of the language, not of the change. */
const OF_LANGUAGE: ReadonlySet<string> = new Set(
  (
    'new typeof await async function Object Array JSON Math String Number Boolean BigInt Promise Set Map Date Reflect Buffer Error ' +
    'structuredClone sorted set list dict tuple len str int float repr sum min max abs round any all zip map filter next iter type ' +
    'isinstance json enumerate range reversed hasattr getattr bool bytes frozenset Counter id vars dir open print lambda for in if else ' +
    'not and or is None True False self cls this'
  ).split(' '),
);
const NONE: ReadonlySet<AssertionFact> = new Set();
/** Less is not asked by a device. */
const TELLING = 30;
/** There is nothing. */
const ABSENT = /^(?:empty|undefined|null|None)$/;
/** A text or a message counts as exact. */
const WHOLE = EXACT - 1;

export class Devices {
  private known: ReadonlySet<string> | null = null;
  private spoken: ReadonlySet<string> | null = null;
  /** The tests of the change, without blanks. */
  private dense: readonly string[] | null = null;

  private readonly added = new Map<string, TestFact[]>();
  private readonly byPath = new Map<string, ReadFile>();

  /** `added`: the tests that are new. */
  constructor(
    private readonly files: readonly ReadFile[],
    added: readonly TestFact[],
  ) {
    for (const file of files) if (!this.byPath.has(file.change.path)) this.byPath.set(file.change.path, file);
    for (const test of added) {
      put(this.added, test.span.file, test);
    }
  }

  /** Those lost checks of a test that are told by a device now. */
  retold({ before, after }: Pair, matches: readonly Match[]): ReadonlySet<AssertionFact> {
    const lost = matches.filter(({ fate }) => fate === 'removed' || fate === 'weakened');
    if (lost.length === 0) return NONE;
    const names = namesIn(before.assertions);
    const open = lost.filter(({ fate, before: was, after: is }) => {
      const same = is !== null && (is.subject === was.subject || isWithin(is.subject, was.subject));
      return fate === 'removed' || !same || (levelOf(is) >= EXACT && isWritten(is, true) && this.isNew(is, names));
    });
    const facts = open.map((match) => match.before);
    if (facts.length === 0) return NONE;
    const gone = without(before.assertions, after.assertions);
    const fresh = without(after.assertions, before.assertions).filter(isSound);
    const here = this.tells(fresh, gone, names) && this.speaks(facts, fresh, `${after.span.text}\n${this.outside(after.span.file)}`);
    return here || this.retoldIn(this.added.get(after.span.file) ?? [], facts, names) ? new Set(facts) : NONE;
  }

  /** Every number and text that was wanted is wanted, or handed over, by way of a device in `tests`. */
  private retoldIn(tests: readonly TestFact[], lost: readonly AssertionFact[], names: ReadonlySet<string>): boolean {
    const fresh = without(factsIn(tests), lost).filter(isSound);
    if (!this.tells(fresh, lost, names) || !saysLeaves(fresh, lost)) return false;
    return this.speaks(lost, fresh, tests.map(({ span }) => span.text).join('\n'));
  }

  /** Tests are gone, and every number and text that they wanted is wanted, or handed over, by way of a device. */
  retoldTests(tests: readonly TestFact[], before: readonly TestFact[], after: readonly TestFact[]): boolean {
    if (tests.length === 0 || tests.some(({ assertions }) => assertions.length === 0)) return false;
    const [lost, old] = [factsIn(tests), factsIn(before)];
    const fresh = without(factsIn(after), old).filter(isSound);
    if (!this.tells(fresh, lost, namesIn(old)) || !saysLeaves(fresh, lost)) return false;
    const same = new Set(before.map(({ span }) => span.text));
    const around = after.flatMap(({ span }) => (same.has(span.text) ? [] : [span.text])).join('\n');
    return tests.every((test) => this.isStillGiven(test)) && this.speaks(lost, fresh, around);
  }

  /** What is asked of an object depends on the steps before: the texts that they were given are still given to something. */
  isStillGiven({ body }: TestFact): boolean {
    const texts = (this.dense ??= this.tests().map(({ change }) => (change.after ?? '').replace(/\s+/g, '')));
    return (body.match(TEXTS) ?? []).every((text) => texts.some((one) => one.includes(text.slice(1, -1).replace(/\s+/g, ''))));
  }

  /** New checks ask by way of a device, and in all no less than what is gone. */
  private tells(fresh: readonly AssertionFact[], gone: readonly AssertionFact[], names: ReadonlySet<string>): boolean {
    // What is worked out by the very thing that is asked says nothing.
    const sound = fresh.filter(({ expected }) => !(bare(expected ?? '').match(CALLED) ?? []).some((name) => names.has(name)));
    const told = sound.filter((fact) => levelOf(fact) >= TELLING && !fact.open && this.isNew(fact, names));
    if (!told.some((fact) => levelOf(fact) >= WHOLE)) return false;
    // A whole that is wanted says what is not in it.
    const asked = gone.filter((fact) => !isNegative(fact) && !ABSENT.test(fact.expected ?? ''));
    const [was, is] = [weigh(asked), weigh(sound)];
    if (gone.some((fact) => isCounted(fact, gone)) && !told.some(listsAll)) return false;
    if (gone.some((fact) => isNegative(fact) && this.isIdle(fact))) return false;
    const absent = gone.some((fact) => ABSENT.test(fact.expected ?? '') && !isNegative(fact));
    const says = (fact: AssertionFact): boolean => saysWhole(fact) && (!absent || /^[[{]/.test(fact.expected ?? ''));
    return is.exact >= was.exact && is.all >= was.all && (asked.length === gone.length || told.some(says));
  }

  /** What must not be called is replaced by what does nothing: nobody hears of its calls. */
  private isIdle({ kind, subject }: AssertionFact): boolean {
    const name = kind === 'calledTimes' ? /([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(subject)?.[1] : undefined;
    if (name === undefined) return false;
    const idle = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}\\s*(?::\\s*(?:async\\s*)?)?\\(\\w*\\)\\s*(?:=>\\s*)?\\{\\s*\\}`);
    return this.tests().some(({ change }) => idle.test(change.after ?? ''));
  }

  /** What was asked is still spoken of, and what it was asked for still stands in the new checks, or `around` them. */
  private speaks(lost: readonly AssertionFact[], fresh: readonly AssertionFact[], around: string): boolean {
    const texts = `${around} ${fresh.map(({ subject, expected }) => `${subject} ${expected ?? ''}`).join(' ')}`;
    return lost.every(
      (fact) => this.isSpoken(fact) && (fact.subject.match(TEXTS) ?? []).every((text) => texts.includes(text.slice(1, -1))),
    );
  }

  /** What it asks about is reached by a name that the tests of the change did not have before. */
  private isNew({ subject, kind, span }: AssertionFact, names: ReadonlySet<string>): boolean {
    const known = (this.known ??= new Set(this.tests().flatMap(({ change }) => change.before?.replace(QUOTED, '').match(WORDS) ?? [])));
    const text = bare(subject);
    const own = new Set([...text.matchAll(PARAMETERS)].flatMap(([, list = '']) => list.match(WORDS) ?? []));
    const heads = [...text.matchAll(HEADS)].flatMap(([, name = '']) => (own.has(name) ? [] : [name]));
    // A helper that is looked through in the subject is still called in the text.
    const called = [...span.text.matchAll(kind === 'custom' ? METHODS : CALLS)].map(([, name = '']) => name);
    return [...heads, ...called].some((name) => !OF_LANGUAGE.has(name) && !names.has(name) && !known.has(name));
  }

  /** The property or function that was asked is still named, and so is every part that was wanted of it. */
  private isSpoken({ subject, expected }: AssertionFact): boolean {
    const spoken = (this.spoken ??= new Set(
      this.tests().flatMap(({ change, after }) => wordsOutside(change.after ?? '', broughtIn(after))),
    ));
    const text = bare(subject);
    const name = (PROPERTY.exec(text) ?? METHOD.exec(text) ?? FUNCTION.exec(text))?.[1];
    const keys = bare(expected ?? '').match(KEYS) ?? [];
    return keys.every((key) => spoken.has(key)) && (name === undefined || spoken.has(name) || QUERY.test(name));
  }

  /** What stands around the tests of a file: its helpers. */
  private outside(path: string): string {
    const file = this.byPath.get(path);
    return outsideTests(file?.change.after ?? '', file?.after?.tests ?? []);
  }

  private tests(): readonly ReadFile[] {
    return this.files.filter(({ role }) => role !== 'source');
  }
}

/** Texts as they are written, within a line. */
const QUOTED = /'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g;
const TEXTS = /"(?:[^"\\]|\\.)*"/g;
/** Parameters of a function within a subject. */
const PARAMETERS = /\(([^()]*)\)=>/g;
/** Names of values: no property, no key. */
const HEADS = /(?<![\p{L}\p{N}_$.])([\p{L}_$][\p{L}\p{N}_$]*)(?=[(.]|$)/gu;
/** Functions that are called, and matchers. */
const CALLS = /(?<![\p{L}\p{N}_$.])([\p{L}_$][\p{L}\p{N}_$]*)\(/gu;
const METHODS = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)\(/gu;
const CALLED = /[\p{L}_$][\p{L}\p{N}_$]*(?=\()/gu;
const PROPERTY = /[.?]([\p{L}_$][\p{L}\p{N}_$]*)(?:\[[^\]]*\])*$/u;
const METHOD = /\.([\p{L}_$][\p{L}\p{N}_$]*)\([^()]*\)$/u;
/** Of a page, which may be queried in other ways. */
const QUERY = /By[A-Z]/;
const FUNCTION = /^(?:new )?([\p{L}_$][\p{L}\p{N}_$]*)\(/u;

/** Without what stands in quotes. */
function bare(subject: string): string {
  return subject.replace(TEXTS, '""');
}

/** What was wanted stands in what is wanted now, or in what it is asked of. */
function saysLeaves(fresh: readonly AssertionFact[], lost: readonly AssertionFact[]): boolean {
  const said = new Set(fresh.flatMap((fact) => [...leavesOf(fact), ...(fact.subject.match(LEAVES) ?? [])]));
  return lost.every((fact) => leavesOf(fact).every((leaf) => said.has(leaf)));
}

function factsIn(tests: readonly TestFact[]): readonly AssertionFact[] {
  return tests.flatMap(({ assertions }) => assertions);
}

function namesIn(facts: readonly AssertionFact[]): ReadonlySet<string> {
  return new Set(facts.flatMap(({ subject }) => bare(subject).match(WORDS) ?? []));
}

/** Those of `some` that `others` do not ask too. */
function without(some: readonly AssertionFact[], others: readonly AssertionFact[]): readonly AssertionFact[] {
  const left = new Map<string, number>();
  for (const fact of others) left.set(keyOf(fact), (left.get(keyOf(fact)) ?? 0) + 1);
  return some.filter((fact) => {
    const count = left.get(keyOf(fact)) ?? 0;
    left.set(keyOf(fact), count - 1);
    return count <= 0;
  });
}

function isSound({ reach, tautology, swallowed, waiting, wildcards, guard }: AssertionFact): boolean {
  return reach === 'always' && tautology === null && swallowed === null && waiting !== 'floating' && wildcards === 0 && guard !== true;
}

function isNegative({ kind, expected }: AssertionFact): boolean {
  return kind === 'lacks' || kind === 'falsy' || (kind === 'calledTimes' && expected === '0') || /^(false|False)$/.test(expected ?? '');
}

/** Says of a whole list, text or object what it is, so that nothing else is in it; or says no by itself. */
function saysWhole(fact: AssertionFact): boolean {
  if (isNegative(fact) || fact.kind === 'custom' || fact.kind === 'size') return true;
  return levelOf(fact) >= EXACT && /^(\[|\{|"|empty|`|null|undefined|None)/.test(fact.expected ?? '');
}

/** Says of a list or text all that is in it, and so how much. */
function listsAll(fact: AssertionFact): boolean {
  return levelOf(fact) >= EXACT && (/^["`e]/.test(fact.expected ?? '') || fact.expected?.includes('[') === true);
}

/** What says which kind of a thing it is: a device that shows the thing need not repeat it. */
const KINDS = /\b(?:type|kind|tag|__typename|_tag):"[^"]*",?/g;
const PLACEHOLDERS = /\b(?:expect|mock|match|sinon)\.\w+/g;
/** Numbers, words and signs that are wanted one by one. */
const LEAVES = /-?\d+(?:\.\d+)?|[\p{L}_$][\p{L}\p{N}_$]*(?!:)(?![\p{L}\p{N}_$])|[-+*/%^<>=!&|]+|""/gu;

const SIGN = /^[-+*/%^<>=!&|]+$/;
/** Keys of what is wanted. */
const KEYS = /[\p{L}_$][\p{L}\p{N}_$]*(?=:)/gu;

function leavesOf(fact: AssertionFact): readonly string[] {
  return (wantedOf(fact) ?? '').replace(KINDS, '').replace(PLACEHOLDERS, '').match(LEAVES) ?? [];
}

/** How much is asked: every value that is wanted counts. */
function weigh(facts: readonly AssertionFact[]): { readonly exact: number; readonly all: number } {
  let [exact, all] = [0, 0];
  for (const fact of facts) {
    const level = fact.kind === 'size' ? EXACT : levelOf(fact);
    if (level < 26 || isCounted(fact, facts)) continue;
    const many = (level >= WHOLE && !isPresence(fact)) || fact.expected?.startsWith('{') === true;
    const weight = many ? Math.max(1, leavesOf(fact).filter((leaf) => !SIGN.test(leaf)).length) : 1;
    all += weight;
    if (level >= WHOLE) exact += weight;
  }
  return { exact, all };
}

/** How often something was called is told by what it was called with. */
function isCounted({ kind, subject, expected }: AssertionFact, facts: readonly AssertionFact[]): boolean {
  if (!['calledTimes', 'size', 'called'].includes(kind) || expected === '0') return false;
  return facts.some((other) => other.kind !== kind && other.subject.startsWith(subject));
}
