// Rules about marks that a test has now and did not have before: it is skipped, focused, expected to fail, or runs under a condition.

import type { Pair } from '../compare/losses.js';
import { sliceSource } from '../evidence.js';
import type { Evidence } from '../evidence.js';
import { spanOf } from '../findings/finding.js';
import type { Level } from '../findings/finding.js';
import type { Mark, MarkKind, Test } from '../test-model/facts.js';
import { expand } from '../test-model/scope.js';
import { isAboutPlatform } from './rule.js';
import type { Rule } from './rule.js';

interface NewMark {
  readonly mark: Mark;
  readonly test: Test;
  /** Null: the test is new. */
  readonly pair: Pair | null;
}

interface MarkRow extends Omit<Rule, 'find'> {
  readonly kind: MarkKind;
  readonly counts?: (mark: Mark) => boolean;
  readonly levelOf: (mark: NewMark) => Level;
}

const MARKS: readonly MarkRow[] = [
  {
    name: 'test-skipped',
    severity: 'high',
    message: 'A test no longer runs.',
    honest: 'Make the test pass, or say why it cannot.',
    levels: 'A note for a test that is new.',
    example: { cheat: "- it('adds', () => {\n+ it.skip('adds', () => {", honest: "- it.skip('adds', () => {\n+ it('adds', () => {" },
    kind: 'skip',
    counts: ({ condition }) => condition === null,
    levelOf: ({ pair }) => (pair === null ? 'note' : 'breach'),
  },
  {
    name: 'test-conditional',
    severity: 'high',
    message: 'The test only runs under a condition.',
    honest: 'Let it run everywhere it ran before.',
    levels: 'A note for a test that is new, and where the condition is about the platform, a version or what is installed.',
    example: {
      cheat: '+ @pytest.mark.skipif(os.environ.get("CI"), reason="flaky")',
      honest: '+ @pytest.mark.skipif(sys.platform == "win32", reason="needs fork")',
    },
    kind: 'skip',
    counts: ({ condition }) => condition !== null,
    levelOf: ({ pair, mark }) => (pair === null || isAboutPlatform(mark.condition) ? 'note' : 'breach'),
  },
  {
    name: 'test-focused',
    severity: 'high',
    message: 'With a focus on some tests all others stop running.',
    honest: 'Take the focus away before the change is done.',
    example: { cheat: "- it('adds', () => {\n+ it.only('adds', () => {", honest: "- it.only('adds', () => {\n+ it('adds', () => {" },
    kind: 'only',
    levelOf: () => 'breach',
  },
  {
    name: 'failure-expected',
    severity: 'high',
    message: 'The test passes although it fails.',
    honest: 'Mend what fails.',
    levels: 'A note for a test that is new, and where the condition is about the platform.',
    example: { cheat: '+ @pytest.mark.xfail\n  def test_total():', honest: '- @pytest.mark.xfail\n  def test_total():' },
    kind: 'fails',
    levelOf: ({ pair, mark }) => (pair === null || isAboutPlatform(mark.condition) ? 'note' : 'breach'),
  },
];

export const MARK_RULES: readonly Rule[] = MARKS.map(({ kind, counts, levelOf, ...words }) => ({
  ...words,
  find: (evidence) =>
    findNewMarks(evidence, kind)
      .filter(({ mark }) => counts?.(mark) !== false)
      .map((found) => ({
        file: found.test.source.path,
        level: levelOf(found),
        before: found.pair === null || kind === 'only' ? null : spanOf(found.pair.before.source, found.pair.before.head),
        after: spanOf(found.test.source, found.mark),
        test: found.test.path,
      })),
}));

function findNewMarks(evidence: Evidence, kind: MarkKind): readonly NewMark[] {
  const paired = evidence.pairing.pairs
    .filter((pair) => evidence.isTouched(pair))
    .flatMap((pair) => {
      const old = findMarks(evidence, 'before', pair.before, kind);
      const now = findMarks(evidence, 'after', pair.after, kind);
      // A test that never ran does not stop running; a condition that was there may be worded anew.
      if (old.some(({ condition }) => condition === null)) return [];
      const known = new Set(old.map((mark) => sliceSource(pair.before, mark)));
      const fresh = now.filter((mark) => !known.has(sliceSource(pair.after, mark)));
      return fresh
        .slice(0, Math.max(0, now.length - old.length) || (fresh.some(({ condition }) => condition === null) ? fresh.length : 0))
        .map((mark) => ({ mark, test: pair.after, pair }));
    });
  const added = evidence.pairing.added.flatMap((test) =>
    findMarks(evidence, 'after', test, kind).map((mark) => ({ mark, test, pair: null })),
  );
  return [...paired, ...added];
}

function findMarks(evidence: Evidence, side: 'before' | 'after', test: Test, kind: MarkKind): readonly Mark[] {
  const inner = test.run === null ? [] : evidence[side].walk(test).marks;
  return [...test.marks, ...inner].flatMap((mark) => {
    if (mark.kind !== kind && !(kind === 'skip' && mark.kind === 'todo' && test.run !== null)) return [];
    if (mark.condition === null) return [mark];
    const truth = evidence.skips(expand(mark.condition, test.scope), test.source.path);
    if (truth === 'unknown') return [mark];
    return truth === 'false' ? [] : [{ ...mark, condition: null }];
  });
}
