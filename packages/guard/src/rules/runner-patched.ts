// A test or its support decides what the runner reports.

import { dottedName, eachStatement, eachValue, lastName, positional } from '../syntax/walk.js';
import type { Place, Source } from '../syntax/nodes.js';
import { foldScalar } from '../syntax/fold.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const runnerPatched: Rule = {
  name: 'runner-patched',
  severity: 'critical',
  message: 'A test or its support decides what the runner reports.',
  honest: 'Let the runner collect, run and report every test.',
  levels: 'A note for hooks that only collect or order tests.',
  example: {
    cheat: '+ def pytest_runtest_makereport(item, call):\n+     report.outcome = "passed"',
    honest: '+ @pytest.fixture\n+ def client(): …',
  },
  find: (evidence) =>
    evidence.files.flatMap(({ change, role, before, after }): readonly Sighting[] => {
      if (after === null || (role !== 'test' && role !== 'support' && role !== 'config') || !WORDS.test(evidence.addedText(change)))
        return [];
      const old = new Set(before === null ? [] : takeoversIn(before.source).map((place) => before.source.text.slice(place.from, place.to)));
      return takeoversIn(after.source)
        .filter(({ from, to }) => !old.has(after.source.text.slice(from, to)))
        .map(({ level, ...place }) => ({ file: change.path, level, before: null, after: spanOf(after.source, place) }));
    }),
};

/** New lines without any of these take nothing over. */
const WORDS =
  /pytest_|exit_?(?:status|code)|outcome|testsfailed|wasSuccessful|collect_ignore|exit\(|retryTimes|retries|flaky|skip|xfail|deselect|excinfo|items|rerun|remove|clear|passed/i;

type Takeover = Place & { readonly level: Sighting['level'] };

const HOOKS =
  /^pytest_(runtest_\w+|collection_modifyitems|ignore_collect|sessionfinish|pyfunc_call|exception_interact|report_teststatus|itemcollected|pycollect_\w+|collect_\w+|deselected|terminal_summary|unconfigure)$/;
/** What a hook does to leave tests out or to forgive them. */
const DECIDES = /\bskip|xfail|deselect|excinfo|exit_?status|outcome|items\[:\]|rerun|\.remove\(|\.clear\(|\bpassed\b/i;
const RESULT = /(^|\.)(exitstatus|exitCode|outcome|testsfailed|wasSuccessful)$/;

function takeoversIn(source: Source): readonly Takeover[] {
  const found: Takeover[] = [];
  eachStatement(source.body, (statement) => {
    if (statement.kind === 'function' && HOOKS.test(statement.name))
      found.push({
        from: statement.from,
        to: statement.to,
        level: DECIDES.test(source.text.slice(statement.from, statement.to)) ? 'breach' : 'note',
      });
    if (
      statement.kind === 'assign' &&
      statement.value !== null &&
      statement.targets.some((target) => RESULT.test(dottedName(target)) && target.kind === 'member')
    ) {
      const held = foldScalar(statement.value);
      if (held === 0 || held === 'passed' || held === false) found.push({ from: statement.from, to: statement.to, level: 'breach' });
    }
    if (statement.kind === 'assign' && statement.targets.some((target) => /^collect_ignore(_glob)?$/.test(dottedName(target))))
      found.push({ from: statement.from, to: statement.to, level: 'breach' });
  });
  eachValue(source.body, (value) => {
    if (value.kind !== 'call') return;
    const name = dottedName(value.callee);
    const [first] = positional(value);
    const status = first === undefined ? undefined : foldScalar(first);
    if (name === 'os._exit' && (status === 0 || status === undefined)) found.push({ from: value.from, to: value.to, level: 'breach' });
    if (name === 'process.exit' && status === 0) found.push({ from: value.from, to: value.to, level: 'breach' });
    if (/^(jest|this)\.retryTimes$|^this\.retries$/.test(name) && typeof status === 'number' && status > 0)
      found.push({ from: value.from, to: value.to, level: 'breach' });
    if (/(^|\.)flaky$/.test(name) || (lastName(value.callee) === 'flaky' && value.args.length > 0))
      found.push({ from: value.from, to: value.to, level: 'breach' });
  });
  return found;
}
