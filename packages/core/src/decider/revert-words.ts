// A revert of damage in words, for verdicts, reports and the next task.

import type { EventData } from './events.js';

const MOST_NAMED = 5;

/** One sentence: which files were reverted, and why. */
export function describeRevert({ unit, tasks, files, tests, coverage, ok }: EventData<'DamageReverted'>): string {
  const what = unit === 'cycle' ? `all changes of ${tasks.join(', ')}` : `the changes of ${few(files)} by ${tasks.join(', ')}`;
  const broke =
    tests.length === 0
      ? []
      : [
          `${tests.length === 1 ? 'a test' : `${tests.length} tests`} that passed before fail${tests.length === 1 ? 's' : ''} (${few(tests)})`,
        ];
  const fell = coverage === null ? [] : [`coverage fell from ${coverage.before}% to ${coverage.after}%`];
  const why = [...broke, ...fell].join(' and ');
  return ok ? `Umpire reverted ${what}: ${why}.` : `Umpire could not revert ${what}, although ${why}.`;
}

/** The first ones, each on one plain line, and how many more there are. */
function few(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => name.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?'));
  return `${shown.join(', ')}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''}`;
}
