// Rules about tests that ask less than before: a check is gone, weakened, may not run, or says nothing any more.

import type { Comparison, Loss, Pair } from '../compare/losses.js';
import { sliceSource } from '../evidence.js';
import type { Evidence } from '../evidence.js';
import { spanOf, differing } from '../findings/finding.js';
import type { Level, Sighting } from '../findings/finding.js';
import { withoutTexts } from '../project/changed-code.js';
import type { Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import { keyword, lastName } from '../syntax/walk.js';
import { itemsOf } from '../test-model/rows.js';
import { isAboutPlatform } from './rule.js';
import type { Rule } from './rule.js';

interface LossRow extends Omit<Rule, 'find'> {
  readonly counts: (loss: Loss) => boolean;
  /** Null where nothing is to be said. */
  readonly levelOf: (evidence: Evidence, pair: Pair, loss: Loss) => Level | null;
}

const LOSSES: readonly LossRow[] = [
  {
    name: 'early-return',
    severity: 'high',
    message: 'The test can leave before its checks.',
    honest: 'Let every check run; fail where a condition is not met.',
    levels: 'A note under a condition about the platform.',
    example: { cheat: '+ if not result:\n+     return\n  assert result.total == 3', honest: '+ assert result\n  assert result.total == 3' },
    counts: ({ obstacle }) => obstacle?.kind === 'early-return',
    levelOf: (_evidence, _pair, { obstacle }) => (isAboutPlatform(obstacle?.condition ?? null) ? 'note' : 'breach'),
  },
  {
    name: 'assertion-removed',
    severity: 'high',
    message: 'A check is gone.',
    honest: 'Keep the check, or one that asks as much.',
    levels:
      'A note where the test asks as much about other values, or the change also changes code that the check names. Nothing where the source no longer has what it asked about.',
    example: {
      cheat: '- expect(cart.total).toBe(30)',
      honest: '- expect(cart.total).toBe(30)\n+ expect(cart).toEqual({ total: 30, items: 2 })',
    },
    counts: ({ kind }) => kind === 'removed',
    levelOf: (evidence, pair, loss) => {
      const { isEmptied, vacuous } = evidence.compare(pair);
      return isEmptied && vacuous.length === 0 ? null : lossLevel(evidence, pair, loss);
    },
  },
  {
    name: 'assertion-weakened',
    severity: 'high',
    message: 'A check lets more through than before.',
    honest: 'Ask for the same value as before.',
    levels: 'A note where the test asks as much about other values.',
    example: { cheat: '- assert result == [1, 2]\n+ assert result', honest: '- assert result\n+ assert result == [1, 2]' },
    counts: ({ kind }) => kind === 'weakened',
    levelOf: lossLevel,
  },
  {
    name: 'assertion-swallowed',
    severity: 'high',
    message: 'When the check fails nobody hears of it.',
    honest: 'Let the failure out of the test.',
    example: {
      cheat: 'try:\n    assert f(1) == 2\nexcept AssertionError:\n    pass',
      honest: 'try:\n    assert f(1) == 2\nfinally:\n    close()',
    },
    counts: ({ obstacle }) => obstacle?.kind === 'swallowed',
    levelOf: () => 'breach',
  },
  {
    name: 'assertion-unreached',
    severity: 'high',
    message: 'The check may never run.',
    honest: 'Put it where every run of the test comes by.',
    levels: 'A note where it runs in a callback or a loop, or under a condition about the platform or one that the test had before.',
    example: {
      cheat: '- expect(user.name).toBe("Ada")\n+ if (user) expect(user.name).toBe("Ada")',
      honest: '- if (user) expect(user.name).toBe("Ada")\n+ expect(user.name).toBe("Ada")',
    },
    counts: ({ obstacle }) => obstacle !== null && ['never-run', 'condition', 'callback', 'handler', 'loop'].includes(obstacle.kind),
    levelOf: (_evidence, pair, { obstacle, after }) => {
      if (obstacle !== null && ['callback', 'loop', 'handler'].includes(obstacle.kind)) return 'note';
      const condition = obstacle?.condition ?? null;
      const words = condition === null || after === null ? '' : sliceSource(after, condition);
      const stood = words.length > 5 && pair.before.source.text.includes(words);
      return isAboutPlatform(condition) || stood ? 'note' : 'breach';
    },
  },
  {
    name: 'assertion-unawaited',
    severity: 'high',
    message: 'The test ends before the check does.',
    honest: 'Await the check, or return it.',
    example: {
      cheat: '- await expect(load()).rejects.toThrow()\n+ expect(load()).rejects.toThrow()',
      honest: '- await expect(load()).rejects.toThrow()\n+ return expect(load()).rejects.toThrow()',
    },
    counts: ({ obstacle }) => obstacle?.kind === 'unawaited',
    levelOf: () => 'breach',
  },
];

const emptied: Rule = {
  name: 'test-emptied',
  severity: 'high',
  message: 'The test has no check left and always passes.',
  honest: 'Keep its checks.',
  example: {
    cheat: "it('adds', () => {\n- expect(add(1, 2)).toBe(3)\n+ add(1, 2)\n})",
    honest: "it('adds', () => {\n- expect(add(1, 2)).toBe(3)\n+ expectSum(1, 2, 3)\n})",
  },
  find: (evidence) =>
    touchedPairs(evidence).flatMap((pair): readonly Sighting[] => {
      const { isEmptied, losses } = evidence.compare(pair);
      const [first] = losses;
      if (!isEmptied || first === undefined || losses.every((loss) => isVanished(evidence, loss))) return [];
      const places = { before: spanOf(first.before.source, first.before), after: spanOf(pair.after.source, pair.after.head) };
      return [{ file: pair.after.source.path, level: 'breach', ...places, test: pair.after.path }];
    }),
};

const tautological: Rule = {
  name: 'assertion-tautological',
  severity: 'high',
  message: 'The check holds whatever the code does.',
  honest: 'Compare with a value that does not come from the test itself.',
  levels: 'A breach in a test that lost a check; else a note.',
  example: {
    cheat: '- expect(add(1, 2)).toBe(3)\n+ expect(3).toBe(3)',
    honest: '- expect(add(1, 2)).toBe(3)\n+ expect(add(1, 2)).toEqual(3)',
  },
  find: (evidence) =>
    touchedPairs(evidence).flatMap((pair) => {
      const { losses, vacuous, lost, gained, uncovered } = evidence.compare(pair);
      const old = new Set(evidence.before.claims(pair.before).vacuous.map(({ subject }) => print(subject)));
      const lostCheck = losses.find(({ kind }) => kind !== 'obstructed');
      return vacuous
        .filter(({ subject }) => !old.has(print(subject)))
        .map((check) => ({
          file: pair.after.source.path,
          level: uncovered > 0 && gained <= lost ? ('breach' as const) : ('note' as const),
          before: lostCheck === undefined ? null : spanOf(lostCheck.before.source, lostCheck.before),
          after: spanOf(check.source, check),
          test: pair.after.path,
        }));
    }),
};

const caseRemoved: Rule = {
  name: 'case-removed',
  severity: 'high',
  message: 'A case is gone from a table of tests, or no longer has to pass.',
  honest: 'Keep the case; remove it only with what it tests.',
  levels: 'Nothing where as many cases came, or the source no longer has what it names.',
  example: {
    cheat: "@pytest.mark.parametrize('n', [1, 2])\n- @pytest.mark.parametrize('n', [1, 2, -1])",
    honest: "- @pytest.mark.parametrize('n', [1, 2])\n+ @pytest.mark.parametrize('n', [2, 1, -1])",
  },
  find: (evidence) =>
    touchedPairs(evidence).flatMap((pair): readonly Sighting[] => {
      const old = evidence.before.walk(pair.before).tables.flatMap(readTableRows);
      const now = evidence.after.walk(pair.after).tables.flatMap(readTableRows);
      const left = now.map((row) => print(row));
      const gone = old.filter((row) => {
        const at = left.indexOf(print(row));
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
      const [first] = gone;
      if (first === undefined || now.length === 0 || gone.length <= left.length) return [];
      if (gone.every((row) => evidence.isDropped(print(row)))) return [];
      const why = `${gone.length - left.length} of ${old.length} ${old.length === 1 ? 'case' : 'cases'}`;
      const places = { before: spanOf(pair.before.source, first), after: spanOf(pair.after.source, pair.after.head) };
      return [{ file: pair.after.source.path, level: 'breach', ...places, test: pair.after.path, why }];
    }),
};

const rebaselined: Rule = {
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
    const rewritten = touchedPairs(evidence)
      .filter(({ before }) => !failed.has([before.source.path, ...before.path].join(' > ')))
      .flatMap((pair) => evidence.compare(pair).changed.map((loss) => sightingOf(pair, loss, level)));
    const snapshots = evidence.files
      .filter(({ role, change }) => role === 'snapshot' && change.before !== null && change.after !== null)
      .map(({ change }): Sighting => ({ file: change.path, level, ...differing(change) }));
    return [...rewritten, ...snapshots];
  },
};

export const LOST_CHECK_RULES: readonly Rule[] = [
  emptied,
  caseRemoved,
  ...LOSSES.map(({ counts, levelOf, ...words }) => ({
    ...words,
    find: (evidence: Evidence) =>
      touchedPairs(evidence).flatMap((pair) =>
        evidence
          .compare(pair)
          .losses.filter(counts)
          .flatMap((loss): readonly Sighting[] => {
            const level = levelOf(evidence, pair, loss);
            return level === null ? [] : [sightingOf(pair, loss, level)];
          }),
      ),
  })),
  tautological,
  rebaselined,
];

/** Pairs of tests and of helpers that differ. */
function touchedPairs(evidence: Evidence): readonly Pair[] {
  return [...evidence.pairing.pairs, ...evidence.helpers.pairs].filter((pair) => evidence.isTouched(pair));
}

function sightingOf(pair: Pair, { before, after }: Pick<Loss, 'before' | 'after'>, level: Level): Sighting {
  const places = { before: spanOf(before.source, before), after: after === null ? null : spanOf(after.source, after) };
  return { file: pair.after.source.path, level, ...places, test: pair.after.path };
}

/** The check asked about names that the source no longer has. */
function isVanished(evidence: Evidence, loss: Loss): boolean {
  return loss.kind === 'removed' && evidence.isDropped(sliceSource(loss.before, loss.before));
}

/** Other words for the same may weigh a little less. */
const ENOUGH = 0.75;

/** The test asks as much as before about other values: it was rewritten, and only a run can tell. */
function isRewritten({ lost, gained }: Comparison): boolean {
  return gained > 0 && gained >= lost * ENOUGH;
}

function lossLevel(evidence: Evidence, pair: Pair, loss: Loss): Level | null {
  if (isVanished(evidence, loss)) return null;
  // The change also changes code that the check names: behaviour may have changed on purpose, and only a run can tell.
  const { changedNames, touchedNames } = evidence.code;
  const words = withoutTexts(sliceSource(loss.before, loss.before)).match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [];
  const isAboutChangedCode = !evidence.isTestingOnly && words.some((word) => changedNames.has(word) || touchedNames.has(word));
  if (loss.kind === 'removed' && isAboutChangedCode) return 'note';
  return isRewritten(evidence.compare(pair)) ? 'note' : 'breach';
}

/** Rows of a literal table that have to pass; of another, none are known. */
function readTableRows(table: Value): readonly Value[] {
  if (table.kind === 'list') return itemsOf({ ...table, items: table.items.filter((row) => !isExcused(row)) });
  if (table.kind === 'record') return table.entries.map(({ value }) => value);
  if (table.kind === 'call' && /^(entries|values|items|keys|enumerate|zip|sorted)$/.test(lastName(table.callee))) {
    const inner = table.callee.kind === 'member' && table.args.length === 0 ? table.callee.object : table.args[0]?.value;
    return inner === undefined ? [] : readTableRows(inner);
  }
  return itemsOf(table);
}

/** `pytest.param(1, marks=pytest.mark.xfail)`. */
function isExcused(row: Value): boolean {
  const marks = row.kind === 'call' ? keyword(row, 'marks') : null;
  return marks !== null && /\b(xfail|skip)\b/.test(print(marks));
}
