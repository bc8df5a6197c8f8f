// A wanted value was rewritten: it may hide a regression.

import { differing } from '../project/differing.js';
import { sightingOf, touchedPairs } from './rule.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const rebaselined: Rule = {
  name: 'rebaselined',
  severity: 'medium',
  message: 'A wanted value was rewritten: it may hide a regression.',
  honest: 'A person, or a run of the old tests, says that the new value is right.',
  levels: 'A note: reading alone cannot tell. A breach where only tests may change and source changed too.',
  example: {
    cheat: '- expect(total([1, 2])).toBe(3)\n+ expect(total([1, 2])).toBe(2)',
    honest: 'The same, where the behaviour was to change.',
  },
  find: (evidence) => {
    const level = evidence.isTestingOnly && evidence.sourceChanged ? 'breach' : 'note';
    // A test that failed may have been wrong.
    const failed = new Set(evidence.input.ran?.before?.flatMap(({ id, status }) => (status === 'failed' ? [id] : [])));
    const rewritten = touchedPairs(evidence).flatMap((pair): readonly Sighting[] =>
      failed.has([pair.before.source.path, ...pair.before.path].join(' > '))
        ? []
        : evidence
            .compare(pair)
            .changed.map(({ before, after }) => sightingOf(pair, { kind: 'weakened', before, after, obstacle: null, strength: 0 }, level)),
    );
    const snapshots = evidence.files
      .filter(({ role, change }) => role === 'snapshot' && change.before !== null && change.after !== null)
      .map(({ change }): Sighting => ({ file: change.path, level, ...differing(change) }));
    return [...rewritten, ...snapshots];
  },
};
