// A finding of the guard, and the words for each rule: why it is a lie, and what an honest change would be.

import type { Span } from './facts.js';

export type Severity = 'critical' | 'high' | 'medium' | 'low';

export type GuardGroup = 'files' | 'marks' | 'tests' | 'assertions' | 'mocks' | 'expectations' | 'retrial';

export interface Version {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** A breach fails the check and may be reverted. A note is only shown. */
export type Level = 'breach' | 'note';

export interface GuardFinding {
  readonly rule: GuardRule;
  readonly level: Level;
  readonly group: GuardGroup;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  /** One sentence: why it is a lie. */
  readonly message: string;
  /** One sentence: what an honest change would be. */
  readonly honest: string;
  readonly before: Version | null;
  readonly after: Version | null;
  /** Titles of the test, joined by ` > `. */
  readonly test?: string;
  /** The same for the same finding, wherever its line has moved. */
  readonly fingerprint: string;
}

interface RuleWords {
  readonly group: GuardGroup;
  readonly severity: Severity;
  readonly message: string;
  readonly honest: string;
}

const words = (group: GuardGroup, severity: Severity, message: string, honest: string): RuleWords => ({ group, severity, message, honest });

export const GUARD_RULES = {
  'source-changed': words(
    'files',
    'high',
    'Source changed in a change that may only touch tests.',
    'Leave source as it is; report what the tests show.',
  ),
  'config-changed': words(
    'files',
    'high',
    'Settings of tests, coverage, lint or types changed.',
    'Leave the settings; make the tests pass under them.',
  ),
  'ci-changed': words(
    'files',
    'high',
    'What the CI runs changed.',
    'Leave the CI as it is; change it in a change of its own that a person looks at.',
  ),
  'scripts-changed': words(
    'files',
    'high',
    'A script of the package changed, so other tests or checks may run.',
    'Leave the scripts as they are.',
  ),
  'command-changed': words(
    'files',
    'medium',
    'The command that is to pass runs this very file.',
    'Change what the command checks, and leave the check.',
  ),
  'lockfile-changed': words(
    'files',
    'high',
    'Locked dependencies changed under the tests.',
    'Leave the lockfile; upgrade in a change of its own.',
  ),
  'coverage-ignored': words('files', 'high', 'A comment takes code out of the coverage report.', 'Write a test that runs the code.'),
  'type-suppressed': words('marks', 'medium', 'A comment keeps the type checker from looking.', 'Give the value the type it has.'),
  'any-used': words(
    'marks',
    'medium',
    'A type that allows everything switches type checks off.',
    'Name the type, or build a value that has it.',
  ),
  'test-skipped': words('marks', 'high', 'A test no longer runs.', 'Make the test pass, or say why it cannot.'),
  'test-focused': words(
    'marks',
    'high',
    'With a focus on some tests all others stop running.',
    'Take the focus away before the change is done.',
  ),
  'failure-expected': words('marks', 'high', 'The test passes because it fails.', 'Mend what fails.'),
  'early-return': words(
    'marks',
    'high',
    'The test can leave before its checks.',
    'Let every check run; fail where a condition is not met.',
  ),
  'lint-disabled': words('marks', 'medium', 'A comment keeps the linter from looking.', 'Write it so that the rule holds.'),
  'test-deleted': words(
    'tests',
    'high',
    'A test is gone, and nothing else checks what it checked.',
    'Keep the test; delete it only with what it tests.',
  ),
  'test-renamed': words(
    'tests',
    'high',
    'Under a new name the test no longer checks what it checked.',
    'Keep its checks when its title changes.',
  ),
  'test-hidden': words(
    'tests',
    'high',
    'The test is still written but the runner never sees it.',
    'Keep it where the runner finds and runs it.',
  ),
  'test-unread': words(
    'tests',
    'high',
    'Tests can no longer be read as code, so nobody can say what they check.',
    'Keep them valid code in UTF-8, in a file of their own that is no link and smaller than 2 MB.',
  ),
  'test-conditional': words('tests', 'high', 'The test only runs under a condition.', 'Let it run everywhere it ran before.'),
  'test-hollow': words(
    'tests',
    'high',
    'A new test checks nothing: it runs code, and whatever comes of it is right.',
    'Check what comes of it; where it must only not fail, let its title say so.',
  ),
  'test-emptied': words('tests', 'high', 'The test has no check left and always passes.', 'Keep its checks.'),
  'assertion-removed': words('assertions', 'high', 'A check is gone.', 'Keep the check, or one that asks as much.'),
  'assertion-weakened': words('assertions', 'high', 'A check lets more through than before.', 'Ask for the same value as before.'),
  'assertion-tautological': words(
    'assertions',
    'high',
    'The check holds whatever the code does.',
    'Compare with a value that does not come from the code under test.',
  ),
  'assertion-swallowed': words('assertions', 'high', 'When the check fails nobody hears of it.', 'Let the failure out of the test.'),
  'assertion-unreached': words('assertions', 'high', 'The check may never run.', 'Put it where every run of the test comes by.'),
  'assertion-unawaited': words('assertions', 'high', 'The test ends before the check does.', 'Await the check, or return it.'),
  'unit-mocked': words('mocks', 'high', 'What is tested is replaced by the test itself.', 'Replace what the unit calls, never the unit.'),
  'module-replaced': words('mocks', 'high', 'The module under test is replaced, so its code never runs.', 'Test the real module.'),
  'clock-patched': words(
    'mocks',
    'high',
    'The clock is replaced so that what depends on time never happens.',
    'Use fake timers, and move them past the limit.',
  ),
  'assertions-patched': words(
    'mocks',
    'critical',
    'The checks themselves are replaced and need not fail any more.',
    'Use the real assertions.',
  ),
  rebaselined: words(
    'expectations',
    'medium',
    'A wanted value was rewritten: it may hide a regression.',
    'A person says that the new value is right.',
  ),
  'regression-hidden': words(
    'retrial',
    'critical',
    'A test passed at the base, and its old version fails on the new code.',
    'Fix the code, and keep the test.',
  ),
  'failing-test-removed': words(
    'retrial',
    'high',
    'A test that failed at the base is gone or skipped, and its old version still fails.',
    'Make the old test pass.',
  ),
  'expectation-changed': words(
    'retrial',
    'medium',
    'The old version of the test fails on the new code, and the new version passes.',
    'A person says that the new expectation is right.',
  ),
  'old-tests-fail': words(
    'retrial',
    'medium',
    "The base's tests do not pass on the new code.",
    'Say in the change why the tests had to change.',
  ),
  'proves-nothing': words(
    'retrial',
    'low',
    "New or changed tests pass on the base's source too, so they say nothing about this change.",
    'Write a test that fails before the change and passes after it.',
  ),
  'strength-lost': words('retrial', 'high', 'The old tests notice a defect that the new tests do not.', 'Keep a check that notices it.'),
} as const satisfies Readonly<Record<string, RuleWords>>;

export type GuardRule = keyof typeof GUARD_RULES;

export interface Sighting {
  readonly rule: GuardRule;
  readonly file: string;
  readonly before?: Span | null;
  readonly after?: Span | null;
  readonly test?: readonly string[];
  /** More about why, as half a sentence; follows the rule's own. */
  readonly why?: string;
  /** Of a check: the same value is still asked about, and less is asked of it. */
  readonly paired?: boolean;
}

function versionOf(span: Span | null | undefined): Version | null {
  return span === null || span === undefined ? null : { text: span.text, from: span.from, to: span.to, line: span.line };
}

/** `policy.ts` adds the level. */
export function findingOf(sighting: Sighting): Omit<GuardFinding, 'level'> {
  const { rule, file, test } = sighting;
  const { group, severity, message, honest } = GUARD_RULES[rule];
  const before = versionOf(sighting.before);
  const after = versionOf(sighting.after);
  const line = after?.line ?? before?.line ?? 1;
  const said = sighting.why === undefined || sighting.why === '' ? message : `${message.slice(0, -1)}: ${sighting.why}.`;
  const title = test?.join(' > ');
  const fingerprint = digest([rule, file, title ?? '', squeezed(before?.text), squeezed(after?.text)].join('\0'));
  return {
    rule,
    group,
    severity,
    file,
    line,
    message: said,
    honest,
    before,
    after,
    ...(title === undefined ? {} : { test: title }),
    fingerprint,
  };
}

function squeezed(text: string | undefined): string {
  return text === undefined ? '' : text.replace(/\s+/g, ' ').slice(0, 500);
}

/** A short name for a text: FNV-1a twice over, 16 hex digits. Not for secrets. */
function digest(text: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193) >>> 0;
    second = Math.imul(second ^ (code + index), 0x85ebca6b) >>> 0;
  }
  return first.toString(16).padStart(8, '0') + second.toString(16).padStart(8, '0');
}
