// Asks of a command that passed whether it earned it: by the names of its tests, and with the base's judge on the new code.

import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { judgeEarned, THE_COMMAND } from '@umpire/guard/retrial/earned.js';
import type { Earned } from '@umpire/guard/retrial/earned.js';
import { findProcessEnds } from '@umpire/guard/retrial/process-ends.js';
import { hasFailed } from '@umpire/guard/retrial/versions.js';
import type { TrialResult } from '@umpire/guard/retrial/versions.js';
import { markCommandFiles } from '../runners/command-files.js';
import { findBase, readChange } from '../work/read-change.js';
import type { Baseline } from './baseline.js';
import { namedResults } from './command-base.js';
import type { CommandState } from './command-base.js';
import type { CriticJob, NamedCommand } from './critic.js';
import { compareFailures, listTests } from './failure-lines.js';
import { findKnownAnswers } from './known-answers.js';
import { quarantineOf } from './project-tests.js';

/** With goal tests that pass with their own inputs alone. */
export interface EarnedApproval extends Earned {
  readonly answered: readonly TrialResult[];
}

/** Of the command that passed. */
export interface CommandNow {
  readonly tests: TestsMeasurement;
  readonly output: string;
}

const STILL_FAILS: TrialResult = { ...THE_COMMAND, id: 'the command, which still prints what it printed when it failed' };

const MOST_ENDS = 3;

/** Null: nothing has a name, and no judge changed. `judged`: the commit that is checked out, without changes; else null. */
export async function askEarned(
  job: CriticJob,
  base: string,
  named: NamedCommand,
  atBase: () => Promise<Baseline<CommandState | null>>,
  now: CommandNow,
  judged: string | null,
): Promise<EarnedApproval | null> {
  const { repository } = findBase(job.project, base);
  const read = await readChange({ gitTarget: repository.checkout, prefix: repository.prefix, base, to: null });
  const change = markCommandFiles(read, named.command, job.project);
  const old = (await job.runOldJudge?.(job, change, base, named)) ?? null;
  const isNamed = isMeasured(now.tests.outcome);
  const { state: before } = await atBase();
  // What could not be started there has nothing to compare with.
  if (before === null) return !isNamed && old === null ? null : { ...NOTHING_TO_SAY, doubtful: [THE_COMMAND] };
  const failure = isNamed || before.end.code === 0 ? null : compareFailures(before.output, now.output);
  if (failure === 'same') return { ...NOTHING_TO_SAY, unseen: [STILL_FAILS] };
  const ends = isNamed ? [] : findProcessEnds(change);
  const doubts = [
    ...(failure === null ? [] : [STILL_FAILS]),
    ...(ends.length === 0
      ? []
      : [{ ...THE_COMMAND, id: `the command, which names no tests: ${ends.slice(0, MOST_ENDS).join(', ')} may end it` }]),
  ];
  if (!isNamed && old === null) return doubts.length === 0 ? null : { ...NOTHING_TO_SAY, doubtful: doubts };
  const { isOut } = quarantineOf(job, now.tests);
  const isFlaky = new Set(now.tests.flaky);
  const counted = now.tests.results.map((test) =>
    isOut.has(test.id) || isFlaky.has(test.id) ? { ...test, status: 'passed' as const } : test,
  );
  const earned = judgeEarned({
    change,
    base: { passed: before.end.code === 0, results: namedResults(before), output: before.output },
    now: { passed: true, results: isNamed ? counted : null, output: '' },
    old,
  });
  // What is refused already need not be asked again.
  const isRefused = earned.unseen.length + earned.lost.length + earned.changed.length > 0;
  const failed = new Set((namedResults(before) ?? []).filter(hasFailed).map(({ id }) => id));
  const passing = isNamed ? now.tests.results.filter(({ id, status }) => status === 'passed' && failed.has(id)) : [];
  const answered = isRefused || judged === null ? [] : await findKnownAnswers({ job, named, change, base, judged, passing });
  return { ...earned, answered, doubtful: [...earned.doubtful, ...doubts] };
}

const NOTHING_TO_SAY: EarnedApproval = { unseen: [], lost: [], changed: [], unsure: [], doubtful: [], answered: [] };

/** Where a person lets tests be changed. */
export function softened({ unseen, lost, changed, unsure, doubtful, answered }: EarnedApproval): EarnedApproval {
  return { unseen, answered, lost: [], changed: [], unsure: [], doubtful: [...lost, ...changed, ...unsure, ...doubtful] };
}

const MOST_TESTS = 200;

/** As evidence names them. */
export function earnedMembers({ unseen, lost, changed, unsure, doubtful, answered }: EarnedApproval) {
  const list = (tests: readonly TrialResult[]) =>
    tests.slice(0, MOST_TESTS).map(({ id, file, message }) => ({ id, file, message: message ?? null }));
  return {
    ...(unseen.length === 0 ? {} : { goal_unseen: list(unseen) }),
    ...(changed.length === 0 ? {} : { goal_changed: list(changed) }),
    ...(answered.length === 0 ? {} : { goal_answered: list(answered) }),
    ...(unsure.length === 0 ? {} : { goal_unsure: list(unsure) }),
    ...(lost.length === 0 ? {} : { lost_tests: list(lost) }),
    ...(doubtful.length === 0 ? {} : { doubtful_tests: list(doubtful) }),
  };
}

export function describeEarned({ unseen, lost, changed, unsure, doubtful, answered }: EarnedApproval): string {
  const lists = [
    listTests('Should pass and did not', unseen),
    listTests('Ran at the base and did not run now', lost),
    listTests('Was to pass, and does only as this work changed it or its settings', changed),
    listTests('Passes with the inputs of the test, and with others fails as it did at the base', answered),
    listTests('Cannot run as it was at the base', unsure),
    listTests('Passed only as this work changed it', doubtful),
  ];
  return lists.map((list) => (list === '' ? '' : ` ${list}`)).join('');
}
