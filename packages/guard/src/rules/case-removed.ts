// A case is gone from a table of tests, or no longer has to pass.

import { print } from '../syntax/print.js';
import type { Value } from '../syntax/nodes.js';
import { keyword, lastName } from '../syntax/walk.js';
import { itemsOf } from '../test-model/rows.js';
import { touchedPairs } from './rule.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const caseRemoved: Rule = {
  name: 'case-removed',
  severity: 'high',
  message: 'A case is gone from a table of tests, or no longer has to pass.',
  honest: 'Keep the case; remove it only with what it tests.',
  levels: 'A note where as many cases came, or the source no longer has what it names.',
  example: {
    cheat: "@pytest.mark.parametrize('n', [1, 2])\n- @pytest.mark.parametrize('n', [1, 2, -1])",
    honest: "- @pytest.mark.parametrize('n', [1, 2])\n+ @pytest.mark.parametrize('n', [2, 1, -1])",
  },
  find: (evidence) =>
    touchedPairs(evidence).flatMap((pair): readonly Sighting[] => {
      const [old, now] = [
        evidence.before.walk(pair.before).tables.flatMap(readTableRows),
        evidence.after.walk(pair.after).tables.flatMap(readTableRows),
      ];
      const left = now.map((row) => print(row));
      const gone = old.filter((row) => {
        const at = left.indexOf(print(row));
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
      const [first] = gone;
      if (first === undefined || now.length === 0) return [];
      const isVanished = gone.every((row) => evidence.isDropped(print(row)));
      if (isVanished || gone.length <= left.length) return [];
      const isLess = gone.length > left.length;
      return [
        {
          file: pair.after.source.path,
          level: isLess ? 'breach' : 'note',
          before: spanOf(pair.before.source, first),
          after: spanOf(pair.after.source, pair.after.head),
          test: pair.after.path,
          why: `${gone.length - left.length} of ${old.length} ${old.length === 1 ? 'case' : 'cases'}`,
        },
      ];
    }),
};

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
