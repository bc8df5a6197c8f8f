// Every rule, and which one speaks where several see the same thing.

import type { RuleWords } from '../findings/finding.js';
import type { GuardRule } from '../findings/rule-names.js';
import { RETRIAL_RULES } from '../retrial/words.js';
import { CHANGED_FILE_RULES } from './changed-files.js';
import { DOUBLE_RULES } from './doubles.js';
import { LOST_CHECK_RULES } from './lost-checks.js';
import { MISSING_TEST_RULES } from './missing-tests.js';
import { PATCH_RULES } from './patched.js';
import type { Rule } from './rule.js';
import { SOURCE_RULES } from './source-cheats.js';
import { SUPPRESSION_RULES } from './suppressions.js';
import { MARK_RULES } from './test-marks.js';

/** A rule is a row of one of these files, or a line of its own here. */
export const RULES: readonly Rule[] = [
  ...CHANGED_FILE_RULES,
  ...MARK_RULES,
  ...SUPPRESSION_RULES,
  ...MISSING_TEST_RULES,
  ...LOST_CHECK_RULES,
  ...DOUBLE_RULES,
  ...PATCH_RULES,
  ...SOURCE_RULES,
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
