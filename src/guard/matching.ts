// Which assertion after the change stands for which before it: the same, a stronger one, a weaker one, one that wants another value,
// or none. A test may be rewritten in any style; what counts is that each thing asked before is still asked.

import type { AssertionFact } from './facts.js';
import { EXACT, keyOf, levelOf, similarity, tokensOf, wantedOf, WEAK, weakening } from './strength.js';

export type Fate = 'kept' | 'rewritten' | 'weakened' | 'removed';

export interface Match {
  readonly before: AssertionFact;
  readonly after: AssertionFact | null;
  readonly fate: Fate;
  readonly why: string;
}

/** Below this, two texts have little to do with each other. */
const ALIKE = 0.35;
const SAME_IDEA = 0.6;
const FAINT = 0.2;
const TRIVIAL: ReadonlySet<string> = new Set([
  '',
  'true',
  'false',
  'null',
  'undefined',
  '0',
  '1',
  '""',
  '[]',
  '{}',
  'None',
  'True',
  'False',
]);

/** `inner` is read off `outer`: a property, a call on it, its keys. */
function isPartOf(inner: string, outer: string): boolean {
  if (outer.length < 1 || inner.length <= outer.length) return false;
  if (inner.startsWith(outer)) return /[.[(]/.test(inner[outer.length] ?? '');
  const wrapper = /^(?:Object\.\w+|JSON\.\w+|Array\.\w+|Math\.\w+|String|Number|Boolean|typeof |!|\[\.\.\.|\(?await )\(?/.exec(inner)?.[0];
  return wrapper !== undefined && inner.startsWith(outer, wrapper.length);
}

/** What is done to a value without losing any of it. */
const LOSSLESS =
  /^(\.(toISOString|toString|toJSON|getTime|valueOf|json|text|toArray|body|data|value|contents?|textContent|innerHTML)(\(\))?)+$/;

function isLossless(subject: string, one: string): boolean {
  const around = subject.replace(one, '');
  return (
    LOSSLESS.test(around) ||
    /^(JSON\.parse|JSON\.stringify|String|Number|BigInt|new Date|new Map|new Set|Object\.fromEntries|structuredClone)\(\)$/.test(around)
  );
}

/** Several values compared at once: `[a, b]`, `{ a, b }`, `Promise.all([a, b])`. */
function isGathered(subject: string): boolean {
  return /^(\[(?!\.\.\.)|\{(?!\.\.\.)|Promise\.all\()/.test(subject);
}

/** One of the values, or a list that is mapped to them. */
function gathers(subject: string, one: string): boolean {
  if (isWithin(subject, one)) return true;
  if (!/\]\.(map|every)\(/.test(subject)) return false;
  const tokens = new Set(tokensOf(subject));
  return tokensOf(one).every((token) => tokens.has(token));
}

export function matchAssertions(before: readonly AssertionFact[], after: readonly AssertionFact[]): readonly Match[] {
  return new Matching(before, after).run();
}

class Matching {
  private readonly matches = new Map<AssertionFact, Match>();
  private readonly used = new Set<AssertionFact>();
  /** After the change as before it: they cannot stand for anything else. */
  private readonly old = new Set<AssertionFact>();

  constructor(
    private readonly before: readonly AssertionFact[],
    private readonly after: readonly AssertionFact[],
  ) {}

  run(): readonly Match[] {
    this.identical();
    const steps: readonly ((fact: AssertionFact) => void)[] = [
      (fact) => this.sameSubject(fact),
      (fact) => this.partOfWhole(fact),
      (fact) => this.sameTemplate(fact),
      (fact) => this.sameClosely(fact),
      (fact) => this.sameWanted(fact),
      (fact) => this.weaker(fact),
      (fact) => this.related(fact),
      (fact) => this.anything(fact),
    ];
    for (const step of steps) {
      for (const fact of this.before) if (!this.matches.has(fact)) step(fact);
    }
    return this.before.map(
      (fact) => this.matches.get(fact) ?? { before: fact, after: null, fate: 'removed', why: 'nothing asks for it any more' },
    );
  }

  private set(before: AssertionFact, after: AssertionFact, fate: Fate, why = ''): void {
    this.matches.set(before, { before, after, fate, why });
    this.used.add(after);
  }

  /** Covered by a check that may cover others too. */
  private share(before: AssertionFact, after: AssertionFact): void {
    this.matches.set(before, { before, after, fate: 'kept', why: '' });
  }

  private identical(): void {
    const byKey = new Map<string, AssertionFact[]>();
    for (const fact of this.after) {
      const key = keyOf(fact);
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [fact]);
      else known.push(fact);
    }
    for (const fact of this.before) {
      const same = byKey.get(keyOf(fact))?.find((other) => !this.used.has(other));
      if (same !== undefined) {
        this.set(fact, same, 'kept');
        this.old.add(same);
      }
    }
    for (const fact of this.before) {
      if (this.matches.has(fact)) continue;
      const text = written(fact);
      const same = this.after.find(
        (other) => !this.used.has(other) && other.kind === fact.kind && sameWant(fact, other) && written(other) === text,
      );
      if (same !== undefined) this.set(fact, same, 'kept');
    }
  }

  /** The same value is asked about: by a stronger check, or by one of the same strength. */
  private sameSubject(fact: AssertionFact): void {
    const all = this.after.filter((other) => other.subject === fact.subject && fact.subject !== '');
    const stronger = isNever(fact) ? undefined : all.find((other) => levelOf(other) > levelOf(fact) + 1 && weakening(fact, other) === null);
    const equal = all.filter((other) => !this.used.has(other) && weakening(fact, other) === null && levelOf(other) <= levelOf(fact) + 1);
    const sameWanted = equal.find((other) => wantedOf(other) === wantedOf(fact));
    if (sameWanted !== undefined) return this.set(fact, sameWanted, 'kept');
    if (stronger !== undefined) return this.share(fact, stronger);
    const rewritten = equal.find((other) => other.kind === fact.kind) ?? equal[0];
    if (rewritten !== undefined)
      return this.set(fact, rewritten, levelOf(fact) >= EXACT - 3 || fact.kind === 'throws' ? 'rewritten' : 'kept');
  }

  /** The same value is asked about by a weaker check, or only what is made from it. */
  private weaker(fact: AssertionFact): void {
    const same = this.after.find(
      (other) => other.subject === fact.subject && fact.subject !== '' && !this.used.has(other) && weakening(fact, other) !== null,
    );
    if (same !== undefined) return this.set(fact, same, 'weakened', weakening(fact, same) ?? '');
    const derived = this.after.find((other) => isWithin(other.subject, fact.subject) && !this.used.has(other));
    const counts = levelOf(fact) >= 40 || (derived !== undefined && levelOf(fact) > levelOf(derived) - 8);
    if (derived !== undefined && counts) this.set(fact, derived, 'weakened', 'only a part of the value is looked at');
  }

  /** A check of the whole value covers one of a part; checks of all parts cover one of the whole. */
  private partOfWhole(fact: AssertionFact): void {
    const whole = this.after.find((other) => levelOf(other) >= EXACT && isPartOf(fact.subject, other.subject));
    if (whole !== undefined) return this.share(fact, whole);
    const gathered = this.after.find(
      (other) => levelOf(other) >= levelOf(fact) - 1 && isGathered(other.subject) && gathers(other.subject, fact.subject),
    );
    if (gathered !== undefined) return this.share(fact, gathered);
    const parts = this.after.filter((other) => isWithin(other.subject, fact.subject));
    if (parts.length === 0) return;
    if (levelOf(fact) <= WEAK) return this.set(fact, parts[0] as AssertionFact, 'kept');
    const exact = parts.filter(
      (other) => levelOf(other) >= EXACT && (other.subject.startsWith(`${fact.subject}.`) || other.subject.startsWith(`${fact.subject}[`)),
    );
    if (fact.kind === 'size' && parts.some((other) => other.kind === 'equal' && String(other.parts) === fact.expected))
      return this.share(fact, parts[0] as AssertionFact);
    const covered = exact.reduce((sum, other) => sum + Math.max(1, other.parts ?? 1), 0);
    if (fact.parts !== null && fact.parts > 0 && covered > 0 && covered >= fact.parts - fact.wildcards)
      return this.set(fact, exact[0] as AssertionFact, 'kept');
    const same = parts.find((other) => isLossless(other.subject, fact.subject) && levelOf(other) >= levelOf(fact) - 1);
    if (same !== undefined) return this.set(fact, same, 'kept');
  }

  /** One assertion over values that are not known here speaks for each of them. */
  private sameTemplate(fact: AssertionFact): void {
    const open = this.after.filter((other) => other.open && !this.old.has(other));
    const same =
      open.find((other) => other.template === fact.template && weakening(fact, other) === null) ??
      open.find((other) => weakening(fact, other) === null && skeleton(other) === skeleton(fact));
    if (same !== undefined) this.set(fact, same, 'kept');
  }

  /** Nearly the same value, of which the same is wanted. */
  private sameClosely(fact: AssertionFact): void {
    const wanted = wantedOf(fact);
    const near = this.after.find(
      (other) =>
        !this.used.has(other) && wantedOf(other) === wanted && weakening(fact, other) === null && likeness(fact, other) >= SAME_IDEA,
    );
    if (near !== undefined) this.set(fact, near, 'kept');
  }

  /** The value is reached another way, and the same is wanted of it. */
  private sameWanted(fact: AssertionFact): void {
    const wanted = wantedOf(fact);
    if (wanted === null) return;
    const trivial = TRIVIAL.has(wanted);
    const fits = (other: AssertionFact) => !trivial || likeness(fact, other) >= FAINT;
    const free = this.after.filter((other) => !this.used.has(other) && wantedText(other) === unquoted(wanted) && fits(other));
    const kept = free.find((other) => weakening(fact, other) === null || sameByOtherMeans(fact, other));
    if (kept !== undefined) return this.set(fact, kept, 'kept');
    const found = this.after.find(
      (other) => !this.old.has(other) && ((levelOf(other) >= EXACT && finds(other, wanted)) || shows(other, fact)),
    );
    if (found !== undefined) return this.set(fact, found, 'kept');
    const counted = this.after.find((other) => !this.old.has(other) && countsAlike(fact, other));
    if (counted !== undefined) return this.share(fact, counted);
    const holding = this.after.find(
      (other) =>
        !this.old.has(other) &&
        levelOf(other) >= 30 &&
        holds(other, wanted, fact) &&
        (!trivial || fits(other)) &&
        !isExactOf(fact, other) &&
        !(isOfValue(fact) && isWithin(other.subject, fact.subject)),
    );
    if (holding !== undefined) this.set(fact, holding, 'kept');
  }

  private related(fact: AssertionFact): void {
    let best: AssertionFact | null = null;
    let score = ALIKE;
    for (const other of this.after) {
      if (this.used.has(other)) continue;
      const alike = likeness(fact, other);
      if (alike > score) [best, score] = [other, alike];
    }
    if (best === null) return;
    const weaker = weakening(fact, best);
    if (weaker !== null) this.set(fact, best, 'weakened', weaker);
    else this.set(fact, best, score >= SAME_IDEA && levelOf(fact) >= EXACT - 3 && wantedOf(fact) !== wantedOf(best) ? 'rewritten' : 'kept');
  }

  /** What asked for next to nothing is covered by any new check worth more. */
  private anything(fact: AssertionFact): void {
    if (levelOf(fact) > 26) return;
    const [any] = this.after;
    if (fact.kind === 'silent' && any !== undefined) return this.share(fact, any);
    const slight =
      levelOf(fact) <= 15 ||
      fact.kind === 'silent' ||
      /^"?(Error|object|string|number|boolean|function|Object|Array|isArray)"?$/.test(fact.expected ?? '') ||
      /Date|performance/.test(fact.subject);
    const other = this.after.find((one) => !this.old.has(one) && levelOf(one) >= 30 && (slight || likeness(fact, one) >= FAINT));
    if (other !== undefined) this.matches.set(fact, { before: fact, after: other, fate: 'kept', why: '' });
  }
}

/** The text by which an element was looked up is now part of a text that is compared. */
function shows(other: AssertionFact, fact: AssertionFact): boolean {
  const found = /By(?:Text|LabelText|AltText|Title|DisplayValue)\("([^"]{2,})"/.exec(fact.subject)?.[1];
  const text = wantedOf(other);
  if (found !== undefined && levelOf(other) >= EXACT && other.subject.includes(found)) return true;
  return (
    found !== undefined && text !== null && ['equal', 'contain', 'match', 'custom', 'snapshot'].includes(other.kind) && text.includes(found)
  );
}

/** Calls that were counted, and entries that they leave behind. */
function countsAlike(fact: AssertionFact, other: AssertionFact): boolean {
  const kinds: ReadonlySet<string> = new Set([fact.kind, other.kind]);
  if (fact.kind === 'size' && other.kind === 'equal') return other.parts !== null && String(other.parts) === fact.expected;
  if (!kinds.has('calledTimes')) return false;
  const counts = [fact, other].map(({ expected }) => (expected === 'empty' ? '0' : expected));
  if (counts[0] === counts[1]) return kinds.has('size') || (kinds.has('equal') && counts[0] === '0');
  return fact.kind === 'calledTimes' && other.kind === 'equal' && other.parts !== null && String(other.parts) === counts[0];
}

function sameWant(fact: AssertionFact, other: AssertionFact): boolean {
  return wantedOf(other) === wantedOf(fact) && other.loose === fact.loose && other.tolerance === fact.tolerance;
}

/** `not called` says something that no check of a call can say. */
function isNever(fact: AssertionFact): boolean {
  return fact.kind === 'calledTimes' && fact.expected === '0';
}

/** The call without what it is called with. */
function skeleton({ subject }: AssertionFact): string {
  return subject.replace(/\(.*\)/s, '()');
}

function written(fact: AssertionFact): string {
  return fact.span.text.replace(/\s+/g, '');
}

/** How much two assertions look alike, as they are written or with their variables filled in. */
function likeness(left: AssertionFact, right: AssertionFact): number {
  const filled = similarity(`${left.subject} ${wantedOf(left) ?? ''}`, `${right.subject} ${wantedOf(right) ?? ''}`);
  return Math.max(filled, similarity(left.span.text, right.span.text) - 0.1);
}

/** A message that was compared by itself and is now wanted of the throw, or the other way round; arguments of a call. */
function sameByOtherMeans(fact: AssertionFact, other: AssertionFact): boolean {
  if (fact.kind === 'calledWith') return other.kind === 'contain';
  if (fact.kind === 'throws' && other.kind === 'type') return fact.thrown?.detail === null;
  return (
    (fact.kind === 'throws') !== (other.kind === 'throws') &&
    [fact.kind, other.kind].every((kind) => kind === 'throws' || kind === 'equal' || kind === 'match')
  );
}

/** Compares the value as it is. */
function isOfValue({ kind, tolerance }: AssertionFact): boolean {
  return kind === 'equal' || kind === 'snapshot' || kind === 'custom' || (kind === 'close' && tolerance !== null);
}

/** The wanted text is what an element of the page is looked up by: `getByText('Saved')`. */
function finds(other: AssertionFact, wanted: string): boolean {
  return (
    wanted.startsWith('"') &&
    wanted.length > 3 &&
    /By(Text|Role|LabelText|AltText|Title|DisplayValue)\(/.test(other.subject) &&
    other.subject.includes(wanted)
  );
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function wantedText(fact: AssertionFact): string | null {
  const wanted = wantedOf(fact);
  return wanted === null ? null : unquoted(wanted);
}

/** The wanted value of `fact` stands within that of `other`, word for word. */
function holds(other: AssertionFact, wanted: string, fact: AssertionFact): boolean {
  const text = wantedOf(other);
  const inner = unquoted(wanted);
  if (text === null) return false;
  if (text === wanted) return other.kind === 'throws' && fact.kind !== 'throws';
  if (wanted.length > 2 && wanted.startsWith('"') && text.includes(wanted)) return true;
  if (other.kind === 'throws' && /^\w*Error: /.test(inner) && inner.endsWith(unquoted(text))) return true;
  if (inner.length < 3 && other.kind === 'throws') return new RegExp(`(^|[^\\w.-])${escaped(inner)}([^\\w.]|$)`).test(text);
  if (inner.length < 3)
    return (
      levelOf(other) >= EXACT &&
      similarity(fact.subject, other.subject) >= 0.5 &&
      new RegExp(`(^|[^\\w.-])${escaped(inner)}([^\\w.]|$)`).test(text)
    );
  return text.includes(inner) || plainPattern(text).includes(inner);
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}

function plainPattern(text: string): string {
  return text.replace(/[\\^$/]/g, '');
}

/** Asks about the very same value: then it is stronger, the same or weaker, and was looked at already. */
function isExactOf(fact: AssertionFact, other: AssertionFact): boolean {
  return other.subject === fact.subject && weakening(fact, other) !== null;
}

/** `inner` is made from `outer`: a property of it, a call on it, a call with it. */
export function isWithin(inner: string, outer: string): boolean {
  if (outer.length < 2 || inner.length <= outer.length) return false;
  for (let at = inner.indexOf(outer); at >= 0; at = inner.indexOf(outer, at + 1)) {
    const before = inner[at - 1] ?? '';
    const after = inner[at + outer.length] ?? '';
    const spread = inner.slice(at - 3, at) === '...';
    if ((spread || !/[\w$."'`]/.test(before)) && !/[\w$"'`]/.test(after)) return true;
  }
  return false;
}
