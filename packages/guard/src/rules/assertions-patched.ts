// The checks themselves are replaced and need not fail any more.

import { dottedName, eachStatement, eachValue, lastName, positional } from '../syntax/walk.js';
import { foldScalar } from '../syntax/fold.js';
import type { Place, Source, Statement } from '../syntax/nodes.js';
import type { FoundTests } from '../test-model/find.js';
import { dialectOf } from '../test-model/dialects.js';
import { print } from '../syntax/print.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const assertionsPatched: Rule = {
  name: 'assertions-patched',
  severity: 'critical',
  message: 'The checks themselves are replaced and need not fail any more.',
  honest: 'Use the real assertions.',
  example: { cheat: '+ assert.equal = () => {}', honest: '+ expect.extend({ toBeEven(n) { … } })' },
  find: (evidence) =>
    evidence.files.flatMap(({ change, role, before, after }): readonly Sighting[] => {
      if (after === null || (role !== 'test' && role !== 'support' && role !== 'config') || !WORDS.test(evidence.addedText(change)))
        return [];
      const old = new Set(before === null ? [] : patchesIn(before.source).map((place) => before.source.text.slice(place.from, place.to)));
      return [...patchesIn(after.source), ...(before === null ? [] : findTakenNames(before, after))]
        .filter(({ from, to }) => !old.has(after.source.text.slice(from, to)))
        .map((place) => ({ file: change.path, level: 'breach', before: null, after: spanOf(after.source, place) }));
    }),
};

/** New lines without any of these patch nothing. */
const WORDS =
  /=[^=>]|\b(?:import|function|def|class|async|expect\.extend|setattr|overwrite\w+|object|spyOn|stub|defineProperty|Object\.assign)\b|__\w+__/;

/** A function of the file now has the name of the assertions. */
function findTakenNames(before: FoundTests, after: FoundTests): readonly Place[] {
  return ['expect', 'assert'].flatMap((name) => {
    const [old, now] = [before.scope.find(name), after.scope.find(name)];
    const isOwn = now !== null && (now.module === null || now.module.path.startsWith('.'));
    const wasOwn = old !== null && (old.module === null || old.module.path.startsWith('.'));
    if (!isOwn || wasOwn || before.tests.length === 0) return [];
    const place = after.source.body.find(
      (statement) =>
        (statement.kind === 'function' && statement.name === name) ||
        (statement.kind === 'assign' && statement.targets.some((target) => dottedName(target) === name)) ||
        (statement.kind === 'import' && statement.names.some(({ local }) => local === name)),
    );
    return place === undefined ? [] : [place];
  });
}

const OWNERS =
  /^(?:(?:globalThis|global|window|builtins)\.)?(?:expect|assert|chai(?:\.\w+)*|should|Assertion\.prototype|chai\.Assertion\.prototype|unittest\.TestCase|TestCase|t\.assert|unittest\.mock\.\w+|Mock|MagicMock)$/;
const GLOBALS = /^(?:globalThis|global|window)\.(?:expect|assert|it|test|describe)$/;

function patchesIn(source: Source): readonly Place[] {
  const found: Place[] = [];
  const { matchers, asserts } = dialectOf(source.language);
  eachStatement(source.body, (statement) => {
    if (statement.kind === 'assign')
      for (const target of statement.targets) {
        const name = dottedName(target);
        if (
          target.kind === 'member' &&
          (GLOBALS.test(name) ||
            (OWNERS.test(dottedName(target.object)) &&
              (asserts.has(target.name) || matchers.has(target.name) || target.name.startsWith('assert'))))
        )
          found.push(statement);
      }
    if (statement.kind === 'function' && /^__(eq|ne|contains|instancecheck)__$/.test(statement.name) && alwaysTrue(statement.value.body))
      found.push(statement.head);
  });
  eachValue(source.body, (value) => {
    if (value.kind !== 'call') return;
    const name = lastName(value.callee);
    const [first, second] = positional(value);
    if (
      dottedName(value.callee) === 'Object.assign' &&
      first !== undefined &&
      (OWNERS.test(dottedName(first)) ||
        (/^global(This)?$/.test(dottedName(first)) &&
          second?.kind === 'record' &&
          second.entries.some(({ key }) => key?.kind === 'text' && /^(expect|assert|it|test)$/.test(key.value))))
    )
      found.push(value);
    else if (name === 'overwriteMethod' || name === 'overwriteProperty') found.push(value);
    else if (
      dottedName(value.callee) === 'expect.extend' &&
      first?.kind === 'record' &&
      first.entries.some(({ key }) => key?.kind === 'text' && matchers.has(key.value) && key.value.startsWith('to'))
    )
      found.push(value);
    else if (
      (name === 'setattr' || name === 'object' || name === 'spyOn' || name === 'stub' || name === 'defineProperty') &&
      first !== undefined &&
      second?.kind === 'text' &&
      OWNERS.test(dottedName(first)) &&
      (asserts.has(second.value) || matchers.has(second.value) || second.value.startsWith('assert'))
    )
      found.push(value);
  });
  return found;
}

function alwaysTrue(body: readonly Statement[]): boolean {
  const [first, ...more] = body;
  return (
    first?.kind === 'return' &&
    more.length === 0 &&
    first.value !== null &&
    foldScalar(first.value) === true &&
    print(first.value) === 'true'
  );
}
