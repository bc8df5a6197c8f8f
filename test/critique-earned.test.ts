// What an approval of the review and debt loops has earned: a test that passes only as the change has it makes the verdict unverified, and
// the reason names it. Real node:test, a real git.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { debtCritic } from '@umpire/umpire/critics/debt.js';
import { reviewCritic } from '@umpire/umpire/critics/review.js';
import type { CriticJob } from '@umpire/umpire/critics/critic.js';
import { retryForCritic } from '@umpire/umpire/retrial/retrial.js';
import { decide } from '@umpire/umpire/index.js';
import type { Verdict } from '@umpire/umpire/index.js';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';
import type { CriticSettings, GuardSettings } from '@umpire/umpire/sessions/settings.js';
import { SOAK } from './support/campaign.js';
import { endGuardianAfterwards, jobFor } from './support/critic-job.js';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from './support/git-project.js';
import type { Files } from './support/git-project.js';

const cacheBefore = process.env['XDG_CACHE_HOME'];
cleanUpAfterwards();
endGuardianAfterwards();
beforeAll(() => {
  process.env['XDG_CACHE_HOME'] = temporaryFolder();
});
afterAll(() => {
  if (cacheBefore === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheBefore;
});

const CRITICS = { debt: debtCritic, review: reviewCritic } as const;
const HEAD = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
const ADDS = `${HEAD}import { sum } from '../src/math.js';\ntest('adds', () => assert.equal(sum(1, 2), 3));\ntest('adds nothing', () => assert.equal(sum(0, 0), 0));\n`;
const SUM = 'export const sum = (a, b) => a + b;\n';
const PROJECT: Files = {
  '.gitignore': '.umpire\n',
  'package.json': '{ "name": "sums", "type": "module", "scripts": { "test": "node --test test/" } }\n',
  'src/math.js': SUM,
  'test/math.test.js': ADDS,
};

interface Judged extends Pick<Verdict, 'decision' | 'outcome' | 'rule' | 'unverified' | 'reason' | 'findings'> {
  readonly ran: readonly string[];
}

interface Judging extends Partial<Omit<CriticJob, 'settings' | 'project'>> {
  readonly project?: Files;
  readonly settings?: Partial<CriticSettings>;
}

async function judge(
  loop: 'debt' | 'review',
  files: Files,
  { project: base = PROJECT, settings, ...changes }: Judging = {},
): Promise<Judged> {
  const project = gitProject(base);
  project.write(files);
  const debt = { ...DEFAULT_SETTINGS.critics.debt, types: false, lint: false, quality: false } as const;
  const { job, said } = jobFor(project.root, {
    settings: { ...DEFAULT_SETTINGS.critics, debt, ...settings },
    timeoutMs: 300_000,
    retry: retryForCritic,
    ...changes,
  });
  // In review an agent has looked at the change first.
  const looked = { review_score: 9, gc_signal: 'CONVERGED', findings: [] };
  if (loop === 'review') writeFiles(job.session, { 'artifacts/review-results.json': JSON.stringify(looked) });
  await CRITICS[loop](job);
  const { verdict } = await decide({ loop, session: job.session });
  return { ...verdict, ran: said.filter((line) => line.startsWith('running')) };
}

/** The rule of an approval without a doubt. */
const CLEAN = { debt: 'B3', review: 'R1' } as const;

describe.each(['debt', 'review'] as const)('in %s', (loop) => {
  const [rule, word] = loop === 'debt' ? ['A8', 'pipeline_complete'] : ['V2', 'CONVERGE'];

  it('a test that cannot run as it was makes the verdict unverified', SOAK, async () => {
    // Another function, so no rename that the old test could follow.
    const renamed = {
      'src/math.js': 'export function add(...all) {\n  return all.reduce((one, other) => one + other);\n}\n',
      'test/math.test.js': ADDS.replaceAll('sum(1, 2), 3', 'add(2, 2), 4').replaceAll('sum', 'add'),
    };
    const { reason, ...verdict } = await judge(loop, renamed);
    expect(verdict).toMatchObject({ decision: word, rule, unverified: true });
    expect(reason).toContain('test/math.test.js > adds (passes only as this work changed it)');
    // Its text is the same but for the name that is gone.
    expect(reason).not.toContain('adds nothing');
  });

  it('a test that was renamed with its code is as it was', SOAK, async () => {
    const renamed = {
      'src/math.js': 'export const total = (a, b) => a + b;\n',
      'test/math.test.js': ADDS.replaceAll('sum', 'total'),
    };
    expect(await judge(loop, renamed)).toMatchObject({ decision: word, rule: CLEAN[loop] });
  });

  it('a change whose tests pass as they were runs each side once', SOAK, async () => {
    const more = { 'src/math.js': `${SUM}export const one = 1;\n`, 'test/math.test.js': `${ADDS}test('more', () => {});\n` };
    const { ran, ...verdict } = await judge(loop, more);
    expect(verdict).toMatchObject({ decision: word, rule: CLEAN[loop] });
    expect(ran.filter((line) => line !== 'running the tests')).toEqual(['running: old tests, new code']);
  });
});

const RAISED: Files = {
  'src/math.js': 'export const sum = (a, b) => a + b + (a > 0 ? 1 : 0);\n',
  'test/math.test.js': ADDS.replace('sum(1, 2), 3', 'sum(1, 2), 4'),
};

it('in review a changed expectation is what the goal may ask, so it is named and a person reads it', SOAK, async () => {
  const { reason, ...verdict } = await judge('review', RAISED);
  expect(verdict).toMatchObject({ decision: 'CONVERGE', rule: 'V2', unverified: true });
  expect(reason).toBe(
    'The score is 9/10 and no finding is Critical, but 1 check gave no certain result: test/math.test.js > adds (passes only as this work changed it).',
  );
});

it('in debt it is a regression', SOAK, async () => {
  expect(await judge('debt', RAISED)).toMatchObject({ decision: 'retry', rule: 'B4' });
});

it('says nothing of what a person allows', SOAK, async () => {
  const allowances = [{ rule: 'expectation-changed', path: 'test/**', test: null, reason: 'sums are rounded up', until: '2999-12-31' }];
  const guard: GuardSettings = { ...DEFAULT_SETTINGS.guard, allowances };
  expect(await judge('review', RAISED, { guard })).toMatchObject({ rule: CLEAN.review, unverified: false });
  expect(await judge('debt', RAISED, { guard })).toMatchObject({ rule: CLEAN.debt });
});

describe.each(['debt', 'review'] as const)('where the tests have no names, in %s', (loop) => {
  const project: Files = {
    '.gitignore': '.umpire\n',
    Makefile: 'check:\n\t@sh tests/sum_test.sh\n',
    'src/sum.sh': 'echo $(($1 + $2))\n',
    'tests/sum_test.sh': 'test "$(sh src/sum.sh 1 2)" = 3 || { echo "error: not 3"; exit 1; }\necho fine\n',
  };
  const changed = { 'src/sum.sh': 'echo $(($1 + $2 + 1))\n' };
  const asked = { project, settings: { tests: { command: 'make check' } } } as const;

  it('the exit status decides, also with the tests of the base', SOAK, async () => {
    const added = { 'src/sum.sh': 'echo $(($2 + $1))\n', 'tests/sum_test.sh': `${project['tests/sum_test.sh']}test -f Makefile\n` };
    const { ran, ...verdict } = await judge(loop, added, asked);
    expect(verdict).toMatchObject({ rule: CLEAN[loop] });
    expect(ran.filter((line) => line !== 'running the tests')).toEqual(['running: old tests, new code']);
  });

  it('a command that passed at the base and fails now is a regression', SOAK, async () => {
    const { findings, ...verdict } = await judge(loop, changed, asked);
    expect(verdict).toMatchObject({ outcome: 'revise' });
    expect(findings.map(({ message }) => message).join()).toContain('error: not 3');
  });

  it('one that passes only with the tests of the change is in doubt', SOAK, async () => {
    const hidden = { ...changed, 'tests/sum_test.sh': project['tests/sum_test.sh']!.replace('= 3', '= 4') };
    const { reason, ...verdict } = await judge(loop, hidden, asked);
    if (loop === 'debt') expect(verdict).toMatchObject({ outcome: 'revise' });
    else expect(reason).toContain('`make check` (passes only as this work changed it)');
  });
});

it('without names, an exit status that hides a failure counts for nothing', SOAK, async () => {
  const { reason, unverified } = await judge(
    'review',
    { 'src/math.js': SUM },
    { project: { ...PROJECT, 'src/math.js': '' }, settings: { tests: { command: 'false || true' } } },
  );
  expect({ reason, unverified }).toEqual({ unverified: true, reason: expect.stringContaining('no certain result: tests') as string });
});
