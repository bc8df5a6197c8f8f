// The words for what the retrial finds.

import type { RuleWords } from '../findings/finding.js';

export type RetrialRule =
  | 'regression-hidden'
  | 'failing-test-removed'
  | 'goal-test-changed'
  | 'test-lost'
  | 'expectation-changed'
  | 'old-tests-fail'
  | 'proves-nothing'
  | 'strength-lost';

function retrialRule(name: RetrialRule, severity: RuleWords['severity'], message: string, honest: string): RuleWords {
  return { name, severity, message, honest };
}

export const RETRIAL_RULES: Readonly<Record<RetrialRule, RuleWords>> = {
  'regression-hidden': retrialRule(
    'regression-hidden',
    'critical',
    'A test passed at the base, and its old version fails on the new code.',
    'Fix the code, and keep the test.',
  ),
  'failing-test-removed': retrialRule(
    'failing-test-removed',
    'high',
    'A test that failed at the base is gone or skipped, and its old version still fails.',
    'Make the old test pass.',
  ),
  'goal-test-changed': retrialRule(
    'goal-test-changed',
    'critical',
    'A test that was to be made to pass passes only in its new version.',
    'Mend the product code. If the test is wrong, answer `blocked` with the reason.',
  ),
  'test-lost': retrialRule(
    'test-lost',
    'critical',
    'A test that ran at the base does not run now.',
    'Keep the test, or move it with its checks.',
  ),
  'expectation-changed': retrialRule(
    'expectation-changed',
    'medium',
    'The old version of the test fails on the new code, and the new version passes.',
    'A person says that the new expectation is right.',
  ),
  'old-tests-fail': retrialRule(
    'old-tests-fail',
    'medium',
    "The base's tests do not pass on the new code.",
    'Say in the change why the tests had to change.',
  ),
  'proves-nothing': retrialRule(
    'proves-nothing',
    'low',
    "New or changed tests pass on the base's source too, so they say nothing about this change.",
    'Write a test that fails before the change and passes after it.',
  ),
  'strength-lost': retrialRule(
    'strength-lost',
    'high',
    'The old tests notice a defect that the new tests do not.',
    'Keep a check that notices it.',
  ),
};
