// Every rule, and which one speaks where several see the same thing.

import { assertionRemoved } from './assertion-removed.js';
import { assertionSwallowed } from './assertion-swallowed.js';
import { assertionTautological } from './assertion-tautological.js';
import { assertionUnawaited } from './assertion-unawaited.js';
import { assertionUnreached } from './assertion-unreached.js';
import { assertionWeakened } from './assertion-weakened.js';
import { assertionsPatched } from './assertions-patched.js';
import { caseRemoved } from './case-removed.js';
import { ciChanged } from './ci-changed.js';
import { commandChanged } from './command-changed.js';
import { configChanged } from './config-changed.js';
import { coverageIgnored } from './coverage-ignored.js';
import { earlyReturn } from './early-return.js';
import { equalityPatched } from './equality-patched.js';
import { failureExpected } from './failure-expected.js';
import { inputSpecialCased } from './input-special-cased.js';
import { lintDisabled } from './lint-disabled.js';
import { lockfileChanged } from './lockfile-changed.js';
import { moduleReplaced } from './module-replaced.js';
import { processEnded } from './process-ended.js';
import { rebaselined } from './rebaselined.js';
import type { RuleWords } from '../findings/finding.js';
import { RETRIAL_RULES } from '../retrial/words.js';
import type { GuardRule } from '../findings/rule-names.js';
import type { Rule } from './rule.js';
import { runnerPatched } from './runner-patched.js';
import { scriptsChanged } from './scripts-changed.js';
import { sourceChanged } from './source-changed.js';
import { testConditional } from './test-conditional.js';
import { testDeleted } from './test-deleted.js';
import { testDetected } from './test-detected.js';
import { testEmptied } from './test-emptied.js';
import { testFileRead } from './test-file-read.js';
import { testFocused } from './test-focused.js';
import { testHidden } from './test-hidden.js';
import { testHollow } from './test-hollow.js';
import { testSkipped } from './test-skipped.js';
import { testUnread } from './test-unread.js';
import { typeSuppressed } from './type-suppressed.js';
import { unitMocked } from './unit-mocked.js';

export const RULES: readonly Rule[] = [
  sourceChanged,
  configChanged,
  ciChanged,
  scriptsChanged,
  commandChanged,
  lockfileChanged,
  testSkipped,
  testConditional,
  testFocused,
  failureExpected,
  earlyReturn,
  typeSuppressed,
  lintDisabled,
  coverageIgnored,
  testDeleted,
  testHidden,
  testUnread,
  testHollow,
  testEmptied,
  caseRemoved,
  assertionRemoved,
  assertionWeakened,
  assertionTautological,
  assertionSwallowed,
  assertionUnreached,
  assertionUnawaited,
  unitMocked,
  moduleReplaced,
  assertionsPatched,
  runnerPatched,
  rebaselined,
  testDetected,
  inputSpecialCased,
  equalityPatched,
  testFileRead,
  processEnded,
];

/** What speaks for a test, what is then silent about it. */
export const PRECEDENCE: Readonly<Record<string, readonly string[]>> = {
  'test-hidden': ['test-deleted'],
  'test-emptied': ['assertion-removed', 'assertion-weakened'],
  'assertion-tautological': ['test-emptied'],
};

/** What is said by each rule, of those that run tests too. */
export const RULE_WORDS: ReadonlyMap<GuardRule, RuleWords> = new Map(
  [...RULES, ...Object.values(RETRIAL_RULES)].map((words) => [words.name, words]),
);

export function findRuleWords(rule: GuardRule): RuleWords {
  return RULE_WORDS.get(rule) as RuleWords;
}
