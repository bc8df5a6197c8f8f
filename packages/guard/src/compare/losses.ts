// What a test no longer asks, claim by claim, and what it asks instead.

import type { Check, Obstacle, Test } from '../test-model/facts.js';
import type { Claim, Claims } from './claims.js';
import { print } from '../syntax/print.js';
import { coverClaim } from './covers.js';

export interface Pair {
  readonly before: Test;
  readonly after: Test;
  readonly isRenamed: boolean;
}

export interface Loss {
  /** `obstructed`: it is still asked, where it may not run or not be heard. */
  readonly kind: 'weakened' | 'removed' | 'obstructed';
  readonly before: Check;
  readonly after: Check | null;
  /** What stands in the way now. */
  readonly obstacle: Obstacle | null;
  readonly strength: number;
}

export interface Comparison {
  readonly losses: readonly Loss[];
  /** Wanted values that are others now. */
  readonly changed: readonly { readonly before: Check; readonly after: Check }[];
  readonly lost: number;
  /** Claims of the old version that the new one does not make, for whatever reason. */
  readonly uncovered: number;
  readonly gained: number;
  readonly vacuous: readonly Check[];
  /** Nothing is asked any more. */
  readonly isEmptied: boolean;
}

/** Says something of a claim that the test no longer makes. */
export type Tells = (claim: Claim) => boolean;

export function compareClaims(before: Claims, after: Claims, elsewhere: Tells, isDropped: Tells): Comparison {
  const index = new Map<string, Claim[]>();
  const addClaimTo = (key: string, claim: Claim): void => {
    const list = index.get(key);
    if (list === undefined) index.set(key, [claim]);
    else if (!list.includes(claim)) list.push(claim);
  };
  for (const claim of after.claims) {
    addClaimTo(claim.raw, claim);
    addClaimTo(claim.full, claim);
  }
  /** Claims of the new version, by those of the old one that they stand for. */
  const used = new Map<Claim, Claim>();
  const losses = new Map<Check, Loss>();
  const changed = new Map<Check, { readonly before: Check; readonly after: Check }>();
  let lost = 0;
  let uncovered = 0;
  /** What stood in the way before. */
  const usual = new Set(before.claims.flatMap(({ check }) => check.obstacles.map(({ kind }) => kind)));
  // Exact matches first, so that none is taken for another.
  const open: Claim[] = [];
  for (const claim of before.claims) {
    const exact = candidatesOf(index, claim).filter((one) => coverClaim(one, claim) === 'yes');
    const free = exact.filter((one) => obstacleFor(one, claim) === null);
    // Asked twice in the same words, it must be asked twice: what it is asked of may have changed in between.
    const best = free.find((one) => !used.has(one)) ?? free.find((one) => !isAskedTwice(used.get(one) as Claim, claim));
    if (best === undefined) open.push(claim);
    else if (!used.has(best)) used.set(best, claim);
  }
  for (const claim of open) {
    const candidates = candidatesOf(index, claim);
    const obstructed = candidates.find((one) => coverClaim(one, claim) === 'yes' && obstacleFor(one, claim) !== null);
    const other = candidates.find((one) => !used.has(one) && coverClaim(one, claim) === 'changed');
    const weaker =
      candidates.find((one) => coverClaim(one, claim) === 'weaker') ??
      (candidates.length > 0 ? undefined : after.claims.find((one) => !used.has(one) && isProjection(one, claim)));
    // The whole value is still compared, and has no such part any more: it is another value that is wanted.
    const whole =
      candidates.length > 0 || claim.whole === null
        ? undefined
        : (index.get(claim.whole) ?? []).find(({ check }) => !check.negated && check.relation === 'equal');
    if (elsewhere(claim) || after.claims.some((one) => isAskedAsMessage(one, claim) || isBuiltOn(one, claim))) continue;
    uncovered += 1;
    if (obstructed === undefined && other === undefined && weaker === undefined && isDropped(claim)) continue;
    if (obstructed !== undefined) {
      used.set(obstructed, claim);
      keepWorstLoss(losses, {
        kind: 'obstructed',
        before: claim.check,
        after: obstructed.check,
        obstacle: obstacleFor(obstructed, claim),
        strength: claim.strength,
      });
    } else if (whole !== undefined) changed.set(claim.check, { before: claim.check, after: whole.check });
    else if (other !== undefined) {
      used.set(other, claim);
      const obstacle = obstacleFor(other, claim);
      if (obstacle !== null)
        keepWorstLoss(losses, { kind: 'obstructed', before: claim.check, after: other.check, obstacle, strength: claim.strength });
      else changed.set(claim.check, { before: claim.check, after: other.check });
    } else {
      if (weaker !== undefined) used.set(weaker, claim);
      // Of a part or a property of the value, whatever is asked says less than the value.
      const strength = Math.max(1, claim.strength - (weaker?.strength ?? 0));
      lost += strength;
      keepWorstLoss(losses, {
        kind: weaker === undefined ? 'removed' : 'weakened',
        before: claim.check,
        after: weaker?.check ?? null,
        obstacle: null,
        strength,
      });
    }
  }
  const gained = after.claims
    .filter((claim) => !used.has(claim) && !isClaimBlocked(claim, usual))
    .reduce((sum, claim) => sum + claim.strength, 0);
  return {
    losses: [...losses.values()],
    changed: [...changed.values()],
    lost,
    uncovered,
    gained,
    vacuous: after.vacuous,
    isEmptied: before.claims.length > 0 && after.claims.length === 0,
  };
}

/** The same question at another place of the test; rows of one check ask it at the same. */
function isAskedTwice(one: Claim, other: Claim): boolean {
  const isSameWanted =
    one.wanted === other.wanted || (one.wanted !== null && other.wanted !== null && print(one.wanted) === print(other.wanted));
  return (
    one.check.from !== other.check.from &&
    one.full === other.full &&
    one.relation === other.relation &&
    one.negated === other.negated &&
    isSameWanted
  );
}

/** `len(x) == 2` for `x == [1, 2]`: another value is made of what was asked about, and compared with something else. */
function isProjection(after: Claim, before: Claim): boolean {
  if (before.relation !== 'equal' || before.negated || before.full.length < LEAST || before.whole !== null) return false;
  const printWanted = (claim: Claim): string => (claim.wanted === null ? '' : print(claim.wanted));
  return after.full.length > before.full.length && after.full.includes(before.full) && printWanted(after) !== printWanted(before);
}

/** A check of `user.name` fails if `user` is missing. */
function isBuiltOn(after: Claim, before: Claim): boolean {
  const isExistence =
    (before.relation === 'truthy' && !before.negated) ||
    (before.relation === 'equal' && before.negated && before.wanted?.kind === 'constant');
  return (
    isExistence &&
    after.check.obstacles.length === 0 &&
    !after.negated &&
    after.raw.length > before.raw.length &&
    after.raw.startsWith(before.raw) &&
    /^[.[]/.test(after.raw.slice(before.raw.length))
  );
}

/** `raises(ValueError, match='absolute')` for `'absolute' in str(error.value)`. */
function isAskedAsMessage(after: Claim, before: Claim): boolean {
  if (after.relation !== 'raises' || before.wanted?.kind !== 'text' || !/raises/i.test(before.full)) return false;
  return after.detail.replace(/\\(.)/g, '$1').includes(before.wanted.value);
}

/** Shorter values are parts of too many others. */
const LEAST = 6;

/** Keeps only the worst loss of each check. */
function keepWorstLoss(losses: Map<Check, Loss>, loss: Loss): void {
  const known = losses.get(loss.before);
  if (known === undefined) losses.set(loss.before, loss);
  else
    losses.set(loss.before, {
      ...(known.kind === 'weakened' || loss.kind !== 'weakened' ? known : loss),
      strength: known.strength + loss.strength,
    });
}

function candidatesOf(index: ReadonlyMap<string, readonly Claim[]>, claim: Claim): readonly Claim[] {
  const [raw, full] = [index.get(claim.raw) ?? [], claim.full === claim.raw ? [] : (index.get(claim.full) ?? [])];
  return full.length === 0 ? raw : [...raw, ...full.filter((one) => !raw.includes(one))];
}

const BLOCKING: ReadonlySet<string> = new Set(['never-run', 'swallowed', 'unawaited', 'handler', 'condition', 'early-return']);

function isClaimBlocked({ check }: Claim, usual: ReadonlySet<string>): boolean {
  return check.obstacles.some(({ kind }) => BLOCKING.has(kind) && !usual.has(kind));
}

/** An obstacle that the claim did not have before: by its kind, since conditions move and are reworded. */
function obstacleFor(after: Claim, before: Claim): Obstacle | null {
  const left = before.check.obstacles.map(({ kind }) => kind);
  for (const obstacle of after.check.obstacles) {
    const at = left.indexOf(obstacle.kind);
    if (at >= 0) left.splice(at, 1);
    // What ran under one condition may run under another kind of one.
    else if (!(obstacle.kind === 'loop' || obstacle.kind === 'callback') || left.length === 0) return obstacle;
  }
  return null;
}
