// A2 at the cap: the command passes only with the agent's change of the tests. A person sees that change and decides.

import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, textOf, verdictsOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const FILES = {
  'package.json': '{"scripts":{"test":"node --test"}}\n',
  'sum.js': 'exports.sum = (a, b) => a + b;\n',
  'sum.test.js': `const { test } = require('node:test');
const { equal } = require('node:assert');
const { sum } = require('./sum.js');
test('adds', () => equal(sum(1, 2), 4));
`,
};
const RIGHT = FILES['sum.test.js'].replace('4));', '3));');
/** Rewrites the expected value, until a person insists. */
const CHANGES = `if grep -q 'Do the task all the same' "$UMPIRE_TASK_FILE"; then sed -i 's/a + b/a + b + 1/' sum.js; complete "added one"
else sed -i 's/, 4));/, 3));/' sum.test.js; complete "the test was wrong"; fi`;

async function asked(project: RunProject) {
  const ran = await project.umpire('until', 'node --test', '--max-rounds', '1', ...project.sh(CHANGES));
  expect({ exit: ran.exit, verdicts: verdictsOf(ran.session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1'],
  });
  return ran;
}

it('asks with the reverted change, and accept-tests takes and judges it, marked unverified', async () => {
  const project = makeProject({ files: FILES });
  const { session, err } = await asked(project);
  expect(err).toContain('Waiting for your decision: may the tests change? (rule U9)');
  for (const answer of ['accept-tests', 'insist', 'manual-fix', 'abort']) expect(err).toMatch(new RegExp(`resolve \\S+ ${answer}`));
  const status = JSON.parse((await project.umpire('status', session, '--json')).out) as { question: { patch: string; detail: string } };
  expect(status.question.detail).toContain('WORK-1 changed sum.test.js; that was reverted and kept.');
  expect(status.question.patch).toContain(`+test('adds', () => equal(sum(1, 2), 3));`);
  const [kept = ''] = /(?<=git show )[0-9a-f]{12}/.exec(err) ?? [];
  expect(project.git('show', `${kept}:sum.test.js`)).toBe(RIGHT);
  const last = eventsOfType(session, 'VerdictGiven').at(-1);
  expect(last?.verdict.nextStep).toBe('A person decides: accept-tests, insist, manual-fix, abort.');
  expect(last?.report).toContain('- Option accept-tests: Tests may change: ');
  expect((await project.umpire('report', session)).out).toContain(`\n+test('adds', () => equal(sum(1, 2), 3));\n`);
  const accepted = await project.umpire('resolve', session, 'accept-tests', '--reason', '1 and 2 are 3');
  expect({ exit: accepted.exit, err: accepted.err, verdicts: verdictsOf(session), end: endOf(session) }).toEqual({
    exit: 0,
    err: expect.stringContaining('The reverted change of WORK-1 was merged: sum.test.js. The critic runs again'),
    verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1', 'CHECK-re-1 pass A8 1/1 unverified'],
    end: 'complete unverified',
  });
  expect(accepted.err).not.toContain('Nothing was changed');
  expect(eventsOfType(session, 'TaskStarted').filter(({ task }) => task === 'WORK-1')).toHaveLength(1);
  expect((await project.umpire('apply', session)).exit).toBe(0);
  expect(textOf(project.root, 'sum.test.js')).toBe(RIGHT);
  expect((await project.umpire('replay', session)).exit).toBe(0);
  expect((await project.umpire('clean', session)).exit).toBe(0);
  expect(project.git('for-each-ref', 'refs/umpire')).toBe('');
});

it('insist gives the agent another attempt, and what it does then is judged', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const { session } = await asked(project);
  const insisted = await project.umpire('resolve', session, 'insist', '--reason', 'The test is right.');
  expect({ exit: insisted.exit, verdicts: verdictsOf(session).at(-1), end: endOf(session) }).toEqual({
    exit: 0,
    verdicts: 'CHECK-re-1 pass U5 1/1',
    end: 'complete',
  });
  expect(project.git('diff', '--name-only', 'HEAD', `umpire/${session.split('/').at(-1) ?? ''}`)).toBe('sum.js\n');
});

it('manual-fix lets the person mend it, abort ends it, and extend is not offered', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const { session } = await asked(project);
  const refused = await project.umpire('resolve', session, 'extend', '--rounds', '1', '--reason', 'again');
  expect({ exit: refused.exit, err: refused.err }).toEqual({
    exit: 2,
    err: expect.stringContaining('accept-tests, insist, manual-fix, abort') as string,
  });
  expect((await project.umpire('resolve', session, 'manual-fix', '--reason', 'mine')).exit).toBe(4);
  const aborted = await project.umpire('resolve', session, 'abort', '--reason', 'enough');
  expect({ exit: aborted.exit, end: endOf(session) }).toEqual({ exit: 0, end: 'aborted unverified' });
});
