// Rules about tests that ask less than before: a check is gone, weakened, may not run, or says nothing any more.

import type { Comparison, Loss, Pair } from '../compare/losses.js';
import { sliceSource } from '../evidence.js';
import type { Evidence } from '../evidence.js';
import { spanOf, differing } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
import type { Source, Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import { keyword, lastName } from '../syntax/walk.js';
import { itemsOf } from '../test-model/rows.js';
import type { Rule } from './rule.js';

interface LossRow extends Omit<Rule, 'find'> {
  readonly counts: (loss: Loss, evidence: Evidence, pair: Pair) => boolean;
}

const LOSSES: readonly LossRow[] = [
  {
    name: 'early-return',
    severity: 'high',
    message: 'The test can leave before its checks.',
    honest: 'Let every check run; fail where a condition is not met.',
    isSuspicion: true,
    example: { cheat: '+ if not result:\n+     return\n  assert result.total == 3', honest: '+ assert result\n  assert result.total == 3' },
    counts: ({ obstacle }) => obstacle?.kind === 'early-return',
  },
  {
    name: 'assertion-removed',
    severity: 'high',
    message: 'A check is gone.',
    honest: 'Keep the check, or one that asks as much.',
    levels: 'Nothing is said where the source no longer has what it asked about.',
    isSuspicion: true,
    example: {
      cheat: '- expect(cart.total).toBe(30)',
      honest: '- expect(cart.total).toBe(30)\n+ expect(cart).toEqual({ total: 30, items: 2 })',
    },
    counts: (loss, evidence, pair) => {
      const { isEmptied, vacuous } = evidence.compare(pair);
      return loss.kind === 'removed' && (!isEmptied || vacuous.length > 0) && !isVanished(evidence, loss);
    },
  },
  {
    name: 'assertion-weakened',
    severity: 'high',
    message: 'A check lets more through than before.',
    honest: 'Ask for the same value as before.',
    isSuspicion: true,
    example: { cheat: '- assert result == [1, 2]\n+ assert result', honest: '- assert result\n+ assert result == [1, 2]' },
    counts: ({ kind }) => kind === 'weakened',
  },
  {
    name: 'assertion-swallowed',
    severity: 'high',
    message: 'When the check fails nobody hears of it.',
    honest: 'Let the failure out of the test.',
    isSuspicion: true,
    example: {
      cheat: 'try:\n    assert f(1) == 2\nexcept AssertionError:\n    pass',
      honest: 'try:\n    assert f(1) == 2\nfinally:\n    close()',
    },
    counts: ({ obstacle }) => obstacle?.kind === 'swallowed',
  },
  {
    name: 'assertion-unreached',
    severity: 'high',
    message: 'The check may never run.',
    honest: 'Put it where every run of the test comes by.',
    isSuspicion: true,
    example: {
      cheat: '- expect(user.name).toBe("Ada")\n+ if (user) expect(user.name).toBe("Ada")',
      honest: '- if (user) expect(user.name).toBe("Ada")\n+ expect(user.name).toBe("Ada")',
    },
    counts: ({ obstacle }) => obstacle !== null && ['never-run', 'condition', 'callback', 'handler', 'loop'].includes(obstacle.kind),
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
  },
];

const emptied: Rule = {
  name: 'test-emptied',
  severity: 'high',
  message: 'The test has no check left and always passes.',
  honest: 'Keep its checks.',
  isSuspicion: true,
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
      return [{ file: pair.after.source.path, ...places, test: pair.after.path }];
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
  levels: 'Nothing is said where as many cases came, or the source no longer has what it names.',
  isSuspicion: true,
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
      return [{ file: pair.after.source.path, ...places, test: pair.after.path, why }];
    }),
};

const rebaselined: Rule = {
  name: 'rebaselined',
  severity: 'medium',
  message: 'A wanted value was rewritten: it may hide a regression.',
  honest: 'A person, or a run of the old tests, says that the new value is right.',
  isSuspicion: true,
  example: {
    cheat: '- expect(total([1, 2])).toBe(3)\n+ expect(total([1, 2])).toBe(2)',
    honest: 'The same, where the behaviour was to change.',
  },
  find: (evidence) => {
    const rewritten = touchedPairs(evidence)
      .filter((pair) => !hasOtherLibrary(pair) && !hasFailed(evidence, pair))
      .flatMap((pair) => evidence.compare(pair).changed.map((loss) => sightingOf(pair, loss)));
    const snapshots = evidence.files
      .filter(({ role, change }) => role === 'snapshot' && change.before !== null && change.after !== null)
      .map(({ change }): Sighting => ({ file: change.path, ...differing(change) }));
    return [...rewritten, ...snapshots];
  },
};

const runnerChanged: Rule = {
  name: 'runner-changed',
  severity: 'medium',
  message: 'The tests use another runner or assertion library: reading cannot compare them.',
  honest: 'Run both versions with --run.',
  levels: 'One for all files. Their lost and rewritten checks are not listed.',
  isSuspicion: true,
  example: {
    cheat:
      "- import { expect } from 'chai'\n+ import assert from 'assert'\n- expect(total([1, 2])).to.equal(3)\n+ assert.ok(total([1, 2]))",
    honest:
      "- import { expect } from 'chai'\n+ import assert from 'assert'\n- expect(total([1, 2])).to.equal(3)\n+ assert.equal(total([1, 2]), 3)",
  },
  find: (evidence) => {
    const moved = touchedPairs(evidence).filter((pair) => {
      const { losses, changed } = evidence.compare(pair);
      return hasOtherLibrary(pair) && losses.length + changed.length > 0;
    });
    const files = [...new Set(moved.map(({ after }) => after.source.path))];
    const [first] = moved;
    if (first === undefined) return [];
    const [old, now] = [first.before, first.after].map(({ source }) => listLibraries(source).join(', '));
    const why = `${now} for ${old}${files.length > 1 ? `, in ${files.length} files` : ''}; use --run`;
    return [{ file: first.after.source.path, why }];
  },
};

/** Modules of runners and assertions. Those that share their words count as one. */
const LIBRARIES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['jest or vitest', /^(?:vitest|@jest\/globals|bun:test)$/],
  ['assert', /^(?:assert(?:\/strict)?|test|power-assert)$/],
  ...[
    'chai',
    'should',
    'expect.js',
    'unexpected',
    'tap',
    'tape',
    'ava',
    'uvu',
    'qunit',
    'jasmine',
    '@japa/runner',
    'unittest',
    'pytest',
    'nose',
  ].map((name) => [name, new RegExp(`^${name.replace('.', '\\.')}(?:[/.]|$)`)] as const),
];

const KNOWN = new WeakMap<Source, readonly string[]>();

function listLibraries(source: Source): readonly string[] {
  const known = KNOWN.get(source);
  if (known !== undefined) return known;
  const imports = source.text.matchAll(/(?:\bfrom|\brequire\(|^import)\s*['"](?:node:)?([^'"\n]+)['"]|^(?:from|import)\s+([\w.]+)/gm);
  const modules = [...imports].map(([, module, python]) => module ?? python ?? '');
  const found = LIBRARIES.flatMap(([name, pattern]) => (modules.some((module) => pattern.test(module)) ? [name] : []));
  KNOWN.set(source, found);
  return found;
}

/** All that the old version asked with is gone from the file. */
function hasOtherLibrary({ before, after }: Pair): boolean {
  const [old, now] = [listLibraries(before.source), listLibraries(after.source)];
  return old.length > 0 && now.length > 0 && !old.some((name) => now.includes(name));
}

export const LOST_CHECK_RULES: readonly Rule[] = [
  runnerChanged,
  emptied,
  caseRemoved,
  ...LOSSES.map(({ counts, ...words }) => ({
    ...words,
    find: (evidence: Evidence) =>
      touchedPairs(evidence)
        .filter((pair) => !hasOtherLibrary(pair) && !(hasFailed(evidence, pair) && isRewritten(evidence.compare(pair))))
        .flatMap((pair) =>
          evidence
            .compare(pair)
            .losses.filter((loss) => counts(loss, evidence, pair))
            .map((loss) => sightingOf(pair, loss)),
        ),
  })),
  tautological,
  rebaselined,
];

/** Pairs of tests and of helpers that differ. */
function touchedPairs(evidence: Evidence): readonly Pair[] {
  return [...evidence.pairing.pairs, ...evidence.helpers.pairs].filter((pair) => evidence.isTouched(pair));
}

function sightingOf(pair: Pair, { before, after }: Pick<Loss, 'before' | 'after'>): Sighting {
  const places = { before: spanOf(before.source, before), after: after === null ? null : spanOf(after.source, after) };
  return { file: pair.after.source.path, ...places, test: pair.after.path };
}

/** The check asked about names that the source no longer has. */
function isVanished(evidence: Evidence, loss: Loss): boolean {
  return loss.kind === 'removed' && evidence.isDropped(sliceSource(loss.before, loss.before));
}

/** Other words for the same may weigh a little less. */
const ENOUGH = 0.75;

/** The test asks as much as before about other values. */
function isRewritten({ lost, gained }: Comparison): boolean {
  return gained > 0 && gained >= lost * ENOUGH;
}

/** A test that failed before may have been wrong, and may be corrected. */
function hasFailed({ input }: Evidence, { before }: Pair): boolean {
  const id = [before.source.path, ...before.path].join(' > ');
  return input.ran?.before?.some((result) => result.id === id && result.status === 'failed') === true;
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
