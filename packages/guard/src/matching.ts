// Which assertion after the change stands for which before it: the same, a stronger one, a weaker one, one that wants another value,
// or none. A test may be rewritten in any style; what counts is that each thing asked before is still asked.

import type { AssertionFact } from './facts.js';
import {
  asksOfSame,
  countsElse,
  emptyOr,
  forgetsCall,
  isEntryOfLike,
  wantsNone,
  isExactOf,
  isNever,
  isOfValue,
  isScattered,
  isShorterMessage,
  isWhole,
  looksAtError,
  ownerMoves,
  saidOfCaught,
  sameByOtherMeans,
  sameWant,
  sharesName,
  skeleton,
  takesWhole,
  waitsToo,
  wantsAnother,
  written,
} from './kinship.js';
import { Gathering, isLeftOut, listsWithin, listsInParts, saysAll, saysOfEach } from './gathering.js';
import { saysToo } from './other-words.js';
import {
  classTold,
  classWanted,
  computedWhole,
  isEntrywise,
  isNarrower,
  isOfInput,
  isOtherPart,
  listsCalls,
  looksThrough,
  namesSame,
  saidBy,
} from './properties.js';
import { countsAlike, finds, holds, shows, unquoted, wantedText } from './wanted-texts.js';
import { gathers, isGathered, isLossless, isPartOf, isWithin, loses, provesThere, tailOf } from './subjects.js';
import { EXACT, isOpposed, keyOf, levelOf, likeness, settles, tokensOf, wantedOf, WEAK, weakening } from './strength.js';
import { put } from './keyed-lists.js';

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
const YES_OR_NO = /^(true|false|null|undefined|None|True|False)$/;
const TRIVIAL: ReadonlySet<string> = new Set(['', ...'true false null undefined 0 1 "" [] {} None True False'.split(' ')]);

export function matchAssertions(before: readonly AssertionFact[], after: readonly AssertionFact[]): readonly Match[] {
  return new Matching(before, after).run();
}

class Matching {
  private readonly matches = new Map<AssertionFact, Match>();
  private readonly used = new Set<AssertionFact>();
  /** After the change as before it: they cannot stand for anything else. */
  private readonly old = new Set<AssertionFact>();
  /** Ask for the very same as one did before, of a value that is reached another way. */
  private readonly spent = new Set<AssertionFact>();

  constructor(
    private readonly before: readonly AssertionFact[],
    private readonly after: readonly AssertionFact[],
  ) {}

  run(): readonly Match[] {
    this.identical();
    const steps: readonly ((fact: AssertionFact) => void)[] = [
      (fact) => this.sameSubject(fact),
      (fact) => this.property(fact),
      (fact) => this.partOfWhole(fact),
      (fact) => this.sameTemplate(fact),
      (fact) => this.sameClosely(fact),
      (fact) => this.sameWanted(fact),
      (fact) => this.held(fact),
      (fact) => this.lesser(fact),
    ];
    const late: readonly ((fact: AssertionFact) => void)[] = [
      (fact) => this.weaker(fact),
      (fact) => this.related(fact),
      (fact) => this.anything(fact),
      (fact) => this.onlyOne(fact),
    ];
    this.take(steps);
    this.gathered();
    this.take(late);
    return this.before.map(
      (fact) => this.matches.get(fact) ?? { before: fact, after: null, fate: 'removed', why: 'nothing asks for it any more' },
    );
  }

  private take(steps: readonly ((fact: AssertionFact) => void)[]): void {
    for (const step of steps) {
      for (const fact of this.before) if (!this.matches.has(fact)) step(fact);
    }
  }

  /** Values that were asked for one by one are entries of one that is now wanted as a whole. */
  private gathered(): void {
    const open = this.before.filter((fact) => !this.matches.has(fact));
    if (open.length === 0) return;
    for (const other of this.after) {
      if (this.old.has(other) || other.kind !== 'equal') continue;
      const held = [...this.matches.values()].filter(({ after }) => after === other).map(({ before }) => before);
      const fitting = open.filter((fact) => !YES_OR_NO.test(wantedOf(fact) ?? '') || sharesName(fact, other));
      for (const fact of new Gathering(other).found(fitting, held)) this.share(fact, other);
    }
  }

  private set(before: AssertionFact, after: AssertionFact, fate: Fate, why = ''): void {
    this.matches.set(before, { before, after, fate, why });
    this.used.add(after);
    if (fate === 'kept' && before.kind === after.kind && wantedOf(before) !== null && wantedOf(before) === wantedOf(after))
      this.spent.add(after);
  }

  /** Covered by a check that may cover others too. */
  private share(before: AssertionFact, after: AssertionFact): void {
    this.matches.set(before, { before, after, fate: 'kept', why: '' });
  }

  private identical(): void {
    const byKey = new Map<string, AssertionFact[]>();
    for (const fact of this.after) {
      const key = keyOf(fact);
      put(byKey, key, fact);
    }
    for (const fact of this.before) {
      const same = byKey.get(keyOf(fact))?.find((other) => !this.used.has(other) && other.wildcards <= fact.wildcards);
      if (same !== undefined) {
        this.set(fact, same, 'kept');
        this.old.add(same);
      }
    }
    for (const fact of this.before) {
      if (this.matches.has(fact)) continue;
      const text = written(fact);
      const same = this.after.find(
        (other) => !this.used.has(other) && written(other) === text && sameWant(fact, other) && !loses(other.subject, fact.subject),
      );
      if (same !== undefined) this.set(fact, same, 'kept');
    }
  }

  /** The same value is asked about: by a stronger check, or by one of the same strength. */
  private sameSubject(fact: AssertionFact): void {
    const all = this.after.filter((other) => other.subject === fact.subject && fact.subject !== '');
    const stronger = isNever(fact)
      ? undefined
      : all.find(
          (other) =>
            levelOf(other) > levelOf(fact) + 1 &&
            (levelOf(fact) < 40 || !this.old.has(other)) &&
            settles(other, fact) &&
            weakening(fact, other) === null,
        );
    const equal = all.filter((other) => !this.used.has(other) && weakening(fact, other) === null && levelOf(other) <= levelOf(fact) + 1);
    if (fact.kind === 'calledWith' && saysAll(fact, all)) return this.share(fact, all[0] as AssertionFact);
    const sameWanted = equal.find((other) => wantedOf(other) === wantedOf(fact));
    const seen = sameWanted ?? equal.find((other) => looksAtError(fact, other));
    if (seen !== undefined) return this.set(fact, seen, 'kept');
    if (stronger !== undefined) return this.share(fact, stronger);
    // Another device counts the calls now, and this one tells of something else.
    if (fact.kind === 'calledTimes' && this.isCounted(fact)) return;
    const rewritten = equal.find((other) => other.kind === fact.kind) ?? equal[0];
    if (rewritten !== undefined) return this.set(fact, rewritten, wantsAnother(fact, rewritten) ? 'rewritten' : 'kept');
    const turned = all.find((other) => !this.used.has(other) && isOpposed(fact, other));
    if (turned !== undefined) return this.set(fact, turned, 'rewritten');
  }

  /** The same value is asked about by a weaker check, or only what is made from it. */
  private weaker(fact: AssertionFact): void {
    const waited = this.after.find((other) => !this.old.has(other) && waitsToo(fact, other));
    if (waited !== undefined) return this.share(fact, waited);
    const same = this.after.find((other) => asksOfSame(other, fact) && !this.used.has(other) && weakening(fact, other) !== null);
    if (same !== undefined) return this.set(fact, same, 'weakened', weakening(fact, same) ?? '');
    const told = this.after.find((other) => other.kind === 'throws' && !this.old.has(other) && isShorterMessage(fact, other));
    if (told !== undefined)
      return void this.matches.set(fact, { before: fact, after: told, fate: 'weakened', why: 'a shorter message is enough' });
    const derived = this.after.find((other) => isWithin(other.subject, fact.subject) && !this.used.has(other));
    const counts = levelOf(fact) >= 40 || (derived !== undefined && levelOf(fact) > levelOf(derived) - 8);
    if (derived !== undefined && counts)
      this.set(fact, derived, 'weakened', weakening(fact, derived) ?? 'only a part of the value is looked at');
  }

  /** `other` was there before the change too, right beside `fact`: nothing happened between the two. */
  private isBeside(other: AssertionFact, fact: AssertionFact): boolean {
    const was = [...this.matches.values()].find(({ after }) => after === other)?.before.span;
    return was !== undefined && was.file === fact.span.file && Math.abs(was.line - fact.span.line) <= 2;
  }

  /** A literal that is wanted as a whole says what is wanted of its parts; an error's class is told in several ways. */
  private property(fact: AssertionFact): void {
    const wholes = this.after.filter((other) => other.subject.length < fact.subject.length && fact.subject.startsWith(other.subject));
    const said = (what: string) =>
      wholes.find((other) => saidBy(other, fact) === what && (!this.old.has(other) || this.isBeside(other, fact)));
    const same = said('same');
    if (same !== undefined) return this.share(fact, same);
    const wanted = classWanted(fact);
    const error = wanted === null ? undefined : this.after.find((other) => !this.old.has(other) && classTold(other) === wanted);
    if (error !== undefined) return this.share(fact, error);
    const recorded = this.after.find((other) => !this.old.has(other) && saysToo(other, fact));
    if (recorded !== undefined) return this.share(fact, recorded);
    const computed = this.after.find((other) => !this.old.has(other) && this.isComputed(other, fact));
    if (computed !== undefined) return this.share(fact, computed);
    const fresh = this.after.filter((one) => !this.old.has(one));
    const listed =
      listsInParts(fact, this.after) ??
      saidOfCaught(fact, fresh) ??
      countsElse(fact, fresh, this.after) ??
      fresh.find((one) => isEntryOfLike(fact, one)) ??
      isScattered(fact, fresh);
    if (listed !== null) return this.share(fact, listed);
    const calls = this.after.filter((other) => other.kind === 'calledWith' && !this.old.has(other));
    if (listsCalls(fact, calls)) return this.share(fact, calls[0] as AssertionFact);
    const [open, other] = [said('anything'), said('other')];
    if (open !== undefined && levelOf(fact) >= 30)
      this.matches.set(fact, { before: fact, after: open, fate: 'weakened', why: 'it may now be anything' });
    else if (other !== undefined && !this.old.has(other))
      this.matches.set(fact, { before: fact, after: other, fate: 'rewritten', why: '' });
  }

  /** The whole is wanted with a part that is computed, and says the same of a sibling of what `fact` asks. */
  private isComputed(other: AssertionFact, fact: AssertionFact): boolean {
    const whole = computedWhole(other, fact);
    return whole !== null && this.before.some((one) => one !== fact && one.subject.startsWith(`${whole}.`) && namesSame(other, one));
  }

  /** A check of the whole value covers one of a part; checks of all parts cover one of the whole. */
  private partOfWhole(fact: AssertionFact): void {
    const whole = this.after.find((other) => isWhole(other, fact) && !this.old.has(other) && isPartOf(fact.subject, other.subject));
    if (whole !== undefined) return this.share(fact, whole);
    const gathered = this.after.find(
      (other) =>
        levelOf(other) >= levelOf(fact) - 1 && !this.old.has(other) && isGathered(other.subject) && gathers(other.subject, fact.subject),
    );
    if (gathered !== undefined && !isLeftOut(fact, gathered, this.before)) return this.share(fact, gathered);
    const mapped = this.after.find((other) => !this.old.has(other) && levelOf(other) >= EXACT && looksThrough(other, fact.subject));
    if (mapped !== undefined) return this.share(fact, mapped);
    const parts = this.after.filter((other) => isWithin(other.subject, fact.subject));
    if (parts.length === 0) return;
    const fresh = parts.find((other) => !this.old.has(other));
    if (levelOf(fact) <= WEAK && fresh !== undefined) return this.set(fact, fresh, 'kept');
    const proof = ['exists', 'truthy'].includes(fact.kind) ? parts.find((other) => provesThere(other, fact)) : undefined;
    if (proof !== undefined) return this.share(fact, proof);
    const read = fact.kind === 'exists' ? parts.find(({ subject }) => /^[.[]/.test(tailOf(subject, fact.subject))) : undefined;
    if (read !== undefined) return this.share(fact, read);
    const exact = parts.filter(
      (other) => levelOf(other) >= EXACT && /^[.[]/.test(tailOf(other.subject, fact.subject)) && !loses(other.subject, fact.subject),
    );
    const counted = (other: AssertionFact) => other.kind === 'equal' && String(other.parts) === fact.expected && isEntrywise(other, fact);
    if (fact.kind === 'size' && parts.some(counted)) return this.share(fact, parts[0] as AssertionFact);
    const covered = exact.reduce((sum, other) => sum + Math.max(1, other.parts ?? other.subject.split(fact.subject).length - 1), 0);
    if (fact.kind !== 'calledWith' && fact.parts !== null && fact.parts > 0 && covered > 0 && covered >= fact.parts - fact.wildcards)
      return this.set(fact, exact[0] as AssertionFact, 'kept');
    const same = parts.find((other) => isLossless(other.subject, fact.subject) && levelOf(other) >= levelOf(fact) - 1);
    if (same !== undefined) return this.set(fact, same, 'kept');
  }

  /** One assertion over values that are not known here speaks for each of them. */
  private sameTemplate(fact: AssertionFact): void {
    const open = this.after.filter((other) => other.open && !this.old.has(other));
    const same =
      open.find((other) => other.template === fact.template && weakening(fact, other) === null) ??
      open.find((other) => weakening(fact, other) === null && skeleton(other) === skeleton(fact)) ??
      open.find((other) => saysOfEach(other, fact));
    if (same !== undefined) this.set(fact, same, 'kept');
  }

  /** Nearly the same value, of which the same is wanted. */
  private sameClosely(fact: AssertionFact): void {
    const wanted = wantedOf(fact);
    const near = this.after.find(
      (other) =>
        !this.used.has(other) &&
        wantedOf(other) === wanted &&
        weakening(fact, other) === null &&
        !isNarrower(fact, other) &&
        isOfInput(fact) === isOfInput(other) &&
        likeness(fact, other) >= SAME_IDEA,
    );
    if (near !== undefined) this.set(fact, near, 'kept');
  }

  /** The value is reached another way, and the same is wanted of it. */
  private sameWanted(fact: AssertionFact): void {
    const wanted = wantedOf(fact);
    if (wanted === null) return;
    const trivial = TRIVIAL.has(wanted);
    const fits = (other: AssertionFact) => !loses(other.subject, fact.subject) && (!trivial || likeness(fact, other) >= FAINT);
    const free = this.after.filter((other) => !this.used.has(other) && wantedText(other) === unquoted(wanted) && fits(other));
    const kept = free.find((other) => !isOpposed(fact, other) && (weakening(fact, other) === null || sameByOtherMeans(fact, other)));
    if (kept !== undefined) return this.set(fact, kept, 'kept');
  }

  /** What is wanted stands in what is wanted of something else: in a longer text, in a query, in a list. */
  private held(fact: AssertionFact): void {
    const wanted = wantedOf(fact);
    if (wanted === null) return;
    const trivial = TRIVIAL.has(wanted);
    const fits = (other: AssertionFact) => !trivial || (likeness(fact, other) >= FAINT && sharesName(fact, other));
    const found = this.after.find(
      (other) => !this.old.has(other) && ((levelOf(other) >= EXACT && finds(other, wanted)) || shows(other, fact)),
    );
    if (found !== undefined) return this.set(fact, found, 'kept');
    if (this.isCounted(fact)) return;
    const holding = this.after.find(
      (other) =>
        !this.old.has(other) &&
        levelOf(other) >= 30 &&
        !this.spent.has(other) &&
        isOfInput(fact) === isOfInput(other) &&
        holds(other, wanted, fact) &&
        (!trivial || fits(other)) &&
        !isExactOf(fact, other) &&
        !(isOfValue(fact) && isWithin(other.subject, fact.subject)),
    );
    if (holding !== undefined) this.set(fact, holding, 'kept');
  }

  private isCounted(fact: AssertionFact): boolean {
    const counted = this.after.find((other) => !this.old.has(other) && countsAlike(fact, other));
    if (counted !== undefined) this.share(fact, counted);
    return counted !== undefined;
  }

  /** What now stands for a part of the value wants all of it: its size, its kind, what is in it need not be asked beside that. */
  private lesser(fact: AssertionFact): void {
    if (levelOf(fact) >= 40 || fact.kind === 'throws' || fact.subject.length < 2) return;
    for (const { before, after, fate } of this.matches.values())
      if (fate === 'kept' && after !== null && !this.old.has(after) && takesWhole(before, after, fact)) return this.share(fact, after);
  }

  private related(fact: AssertionFact): void {
    let best: AssertionFact | null = null;
    let score = ALIKE;
    const busy = new Set([...this.matches.values()].map(({ after }) => after));
    for (const other of this.after) {
      if (this.used.has(other) || isOpposed(fact, other) || (fact.subject === other.subject && !settles(other, fact))) continue;
      if (isOtherPart(fact, other) || isOfInput(fact) !== isOfInput(other)) continue;
      if (busy.has(other) && levelOf(fact) >= EXACT - 3) continue;
      if ((fact.kind === 'throws') !== (other.kind === 'throws') || forgetsCall(fact, other)) continue;
      const alike = likeness(fact, other);
      if (alike > score) [best, score] = [other, alike];
    }
    if (best === null) return;
    const weaker = weakening(fact, best) ?? (isNarrower(fact, best) ? 'only a part of the value is looked at' : null);
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
      /^"?(Error|error|object|string|number|boolean|function|Object|Array|isArray)"?$/.test(fact.expected ?? '') ||
      /Date|performance/.test(fact.subject);
    const other = this.after.find((one) => !this.old.has(one) && levelOf(one) >= 30 && (slight || likeness(fact, one) >= FAINT));
    if (other !== undefined) this.matches.set(fact, { before: fact, after: other, fate: 'kept', why: '' });
  }

  /** The value is reached by other names altogether, and one check is lost where one is new that wants the same: nothing, none, zero. */
  private onlyOne(fact: AssertionFact): void {
    if (levelOf(fact) < EXACT) return;
    const alike = (other: AssertionFact) =>
      (other.kind === fact.kind && (emptyOr(wantedOf(other)) === emptyOr(wantedOf(fact)) || listsWithin(other, fact))) ||
      (wantsNone(other) && wantsNone(fact));
    const slight = ({ before }: Match) => levelOf(before) <= WEAK;
    const free = (other: AssertionFact) => [...this.matches.values()].every((match) => match.after !== other || slight(match));
    const fresh = this.after.filter((other) => free(other) && !this.old.has(other) && other.tautology === null && alike(other));
    const lost = this.before.filter((other) => !this.matches.has(other) && alike(other));
    const named = tokensOf(fact.subject).some((name) => fresh.some(({ subject }) => tokensOf(subject).includes(name)));
    const [only] = fresh;
    const moved = only !== undefined && [...this.matches.values()].some((match) => ownerMoves(match, fact, only));
    if (fresh.length === 1 && lost.length === 1 && (!named || wantsNone(fact) || moved)) this.set(fact, fresh[0] as AssertionFact, 'kept');
  }
}
