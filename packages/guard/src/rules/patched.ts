// Rules about tests and their support that replace what judges them: the assertions, or what the runner reports.

import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
import { foldScalar } from '../syntax/fold.js';
import type { Place, Source, Statement } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import { dottedName, eachStatement, eachValue, lastName, positional } from '../syntax/walk.js';
import { dialectOf } from '../test-model/dialect.js';
import type { FoundTests } from '../test-model/find.js';
import type { Rule } from './rule.js';

const assertionsPatched: Rule = {
  name: 'assertions-patched',
  severity: 'critical',
  message: 'The checks themselves are replaced and need not fail any more.',
  honest: 'Use the real assertions.',
  isSuspicion: true,
  example: { cheat: '+ assert.equal = () => {}', honest: '+ expect.extend({ toBeEven(n) { … } })' },
  find: (evidence) =>
    evidence.files.flatMap(({ change, role, before, after }): readonly Sighting[] => {
      if (after === null || (role !== 'test' && role !== 'support' && role !== 'config') || !PATCH_WORDS.test(evidence.addedText(change)))
        return [];
      const old = new Set(before === null ? [] : patchesIn(before.source).map((place) => before.source.text.slice(place.from, place.to)));
      return [...patchesIn(after.source), ...(before === null ? [] : findTakenNames(before, after))]
        .filter(({ from, to }) => !old.has(after.source.text.slice(from, to)))
        .map((place) => ({ file: change.path, before: null, after: spanOf(after.source, place) }));
    }),
};

/** New lines without any of these patch nothing. */
const PATCH_WORDS =
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

const runnerPatched: Rule = {
  name: 'runner-patched',
  severity: 'critical',
  message: 'A test or its support decides what the runner reports.',
  honest: 'Let the runner collect, run and report every test.',
  isSuspicion: true,
  example: {
    cheat: '+ def pytest_runtest_makereport(item, call):\n+     report.outcome = "passed"',
    honest: '+ @pytest.fixture\n+ def client(): …',
  },
  find: (evidence) =>
    evidence.files.flatMap(({ change, role, before, after }): readonly Sighting[] => {
      if (
        after === null ||
        (role !== 'test' && role !== 'support' && role !== 'config') ||
        !TAKEOVER_WORDS.test(evidence.addedText(change))
      )
        return [];
      const old = new Set(before === null ? [] : takeoversIn(before.source).map((place) => before.source.text.slice(place.from, place.to)));
      return takeoversIn(after.source)
        .filter(({ from, to }) => !old.has(after.source.text.slice(from, to)))
        .map((place) => ({ file: change.path, before: null, after: spanOf(after.source, place) }));
    }),
};

/** New lines without any of these take nothing over. */
const TAKEOVER_WORDS =
  /pytest_|exit_?(?:status|code)|outcome|testsfailed|wasSuccessful|collect_ignore|exit\(|retryTimes|retries|flaky|skip|xfail|deselect|excinfo|items|rerun|remove|clear|passed/i;

const HOOKS =
  /^pytest_(runtest_\w+|collection_modifyitems|ignore_collect|sessionfinish|pyfunc_call|exception_interact|report_teststatus|itemcollected|pycollect_\w+|collect_\w+|deselected|terminal_summary|unconfigure)$/;
const RESULT = /(^|\.)(exitstatus|exitCode|outcome|testsfailed|wasSuccessful)$/;

function takeoversIn(source: Source): readonly Place[] {
  const found: Place[] = [];
  eachStatement(source.body, (statement) => {
    if (statement.kind === 'function' && HOOKS.test(statement.name)) found.push(statement);
    if (
      statement.kind === 'assign' &&
      statement.value !== null &&
      statement.targets.some((target) => RESULT.test(dottedName(target)) && target.kind === 'member')
    ) {
      const held = foldScalar(statement.value);
      if (held === 0 || held === 'passed' || held === false) found.push(statement);
    }
    if (statement.kind === 'assign' && statement.targets.some((target) => /^collect_ignore(_glob)?$/.test(dottedName(target))))
      found.push(statement);
  });
  eachValue(source.body, (value) => {
    if (value.kind !== 'call') return;
    const name = dottedName(value.callee);
    const [first] = positional(value);
    const status = first === undefined ? undefined : foldScalar(first);
    if (name === 'os._exit' && (status === 0 || status === undefined)) found.push(value);
    if (name === 'process.exit' && status === 0) found.push(value);
    if (/^(jest|this)\.retryTimes$/.test(name) && typeof status === 'number' && status > 0) found.push(value);
  });
  return found;
}

export const PATCH_RULES: readonly Rule[] = [assertionsPatched, runnerPatched];
