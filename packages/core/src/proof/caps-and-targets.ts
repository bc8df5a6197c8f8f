// The caps and targets at which a loop is checked: its own first, then others that could give another result, because a person or a
// file may set any.

import { rangeOf } from '../loops/facts.js';
import { isChangeFact, promiseConditions } from './space.js';
import { conditionsOf } from '../loops/compile.js';
import type { Condition } from '../loops/condition.js';
import { HIGHEST_CAP } from '../model/options.js';
import type { FactSpec, Loop, SetValue } from '../loops/loop.js';
import { domainOf } from './cells.js';

/** Rounds and facts are compared with the cap and with fixed numbers, so only their order matters. */
export function capsOf(loop: Loop): readonly number[] {
  const { default: own } = loop.cap;
  const { first } = loop.round;
  const fixed = [
    ...fixedNumbers(loop, 'cap'),
    ...(testsOf(loop).some((test) => test.fact === 'round' && test.kind === 'compare' && test.bound === 'target') ? targetsOf(loop) : []),
  ];
  const changes = Object.values(loop.facts).some(isChangeFact);
  const few = [own, first, first + 1, ...(changes || fixed.length > 0 ? [first + 2] : [])];
  const near = fixed.flatMap((bound) => [-1, 0, 1, 2].map((step) => Math.floor(bound) + step));
  return [...new Set([...few, ...near])].filter((cap) => cap >= 1 && cap <= HIGHEST_CAP);
}

export function targetsOf(loop: Loop): readonly number[] {
  if (loop.target === undefined) return [0];
  const fixed = [...new Set(fixedNumbers(loop, 'target'))].toSorted((one, other) => one - other);
  // A target may be any number: try one between each two that matter, and one beside each.
  const between = fixed.slice(1).map((bound, index) => (bound + (fixed[index] ?? bound)) / 2);
  const near = [...fixed.flatMap((bound) => [bound - 1, bound, bound + 1]), ...between];
  return [...new Set([loop.target.default, 0, 100, ...near])].filter((target) => target >= 0 && target <= 100);
}

/** For facts that are compared with the cap (or the target): all numbers they are compared with, set to or bounded by. */
function fixedNumbers(loop: Loop, limit: 'cap' | 'target'): readonly number[] {
  const tests = testsOf(loop);
  const facts = new Set(tests.flatMap((test) => (test.kind === 'compare' && test.bound === limit ? [test.fact] : [])));
  if (limit === 'cap') facts.add('round');
  const rounds = limit === 'target' && facts.has('round') ? [loop.round.first, loop.cap.default] : [];
  // The threshold of a repair on a fact that is compared with the limit.
  return [
    ...tests.flatMap((test) =>
      facts.has(test.fact) ? (test.kind === 'compare' && typeof test.bound === 'number' ? [test.bound] : []) : [],
    ),
    ...loop.repairs.flatMap((repair) =>
      Object.entries(repair.set ?? {}).flatMap(([fact, value]) =>
        (facts.has(fact) ? numbersSet(loop, value) : []).concat(
          typeof value === 'object' && 'step' in value && facts.has(value.step) ? [value.at] : [],
        ),
      ),
    ),
    ...Object.entries(loop.facts).flatMap(([fact, spec]) =>
      facts.has(fact) ? ('number' in spec ? rangeOf(spec) : 'findings' in spec || 'count' in spec ? [0] : []) : [],
    ),
    ...rounds,
  ];
}

function numbersSet(loop: Loop, value: SetValue): readonly number[] {
  if (typeof value !== 'object') return typeof value === 'number' ? [value] : [];
  if ('step' in value) return [value.below, value.else].filter((one): one is number => typeof one === 'number');
  let [low, high] = [value.base, value.base];
  for (const [fact, weight] of Object.entries(value.linear)) {
    const { low: least, high: most } = domainOf(loop.facts[fact] as FactSpec) ?? { low: 0, high: 0 };
    const ends = [0, weight * least, weight * most].filter((end) => !Number.isNaN(end));
    low += Math.min(...ends);
    high += Math.max(...ends);
  }
  const [floor, ceiling] = value.within;
  return [floor, ceiling, ...[low, high].map((end) => Math.min(ceiling, Math.max(floor, end)))];
}

function testsOf(loop: Loop): readonly Condition[] {
  return [
    ...[...loop.repairs, ...loop.table].flatMap((part) => conditionsOf(part.when)),
    ...conditionsOf(loop.worse),
    ...promiseConditions(loop),
  ];
}
