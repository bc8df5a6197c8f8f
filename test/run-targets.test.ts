// The target of each chain in a run: from its own tasks, from the person, or from the loop.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { runInProcess } from './support/in-process.js';
import { newFolder } from './support/assignment.js';
import { writer } from './support/run-evidence.js';
import { cleanUpProjects, eventsOfType, makeProject, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const LOOP = `
loop: tongues
title: A linguist scores each language.
roles: { generator: translator, critic: linguist, judge: judge }
words: { converge: PUBLISH, revise: REDO, accept: TAKE, escalate: ASK }
chain: { column: language, what: languages }
round: { first: 1, counts: scorings }
cap: { default: 1 }
target: { default: 80, column: wanted, what: score }
columns: { in: [language, wanted], out: [score] }
evidence: { row: { row: critic, grade: testified, what: the row } }
facts: { score: { number: [0, 100], at: row.score } }
repairs: [{ id: L1, when: { score: absent }, why: No score., error: { message: There is no score., hint: Score it. } }]
table:
  - { id: L2, when: { score: ">=target" }, then: converge, why: "{score} of {target}.", next: Publish it. }
  - { id: L3, when: { round: "<cap" }, then: revise, why: "{score} of {target}.", next: "Execute {tasks}." }
  - { id: L4, then: escalate, why: "{score} of {target}.", next: "A person decides: {options}." }
tasks:
  - { id: "REDO-{chain}-{round}", title: Again, description: Again., role: translator, after: critic, copy: [language, wanted] }
  - { id: "SCORE-{chain}-{next}", title: Score, description: Score., role: linguist, after: previous, recheck: true, copy: [language, wanted] }
report: [{ heading: Summary, blocks: [{ reasons: true }] }]
ask: { question: What now?, options: [{ id: abort, means: stop }] }
pipelines:
  writes: [translator]
  modes:
    both:
      title: Two languages.
      tasks:
        - { id: SCORE-de, title: German, description: Score., role: linguist, columns: { language: de } }
        - { id: TEXT-no, title: Norwegian, description: Write., role: translator, columns: { language: "no", wanted: "70" } }
        - { id: SCORE-no, title: Norwegian, description: Score., role: linguist, deps: [TEXT-no], columns: { language: "no", wanted: "90" } }
`;

const files = { 'tongues.yaml': LOOP, 'roles/tongues/judge.md': 'Judge it.\n' };
const answers = [{ role: 'linguist', result: { findings: 'Scored.', score: 85 } }, writer('translator')];

it('takes the target of a chain from its critic’s task, else from the loop', async () => {
  const project = makeProject({ answers, files });
  const ran = await project.umpire('run', './tongues.yaml', 'the manual');
  expect({ exit: ran.exit, verdicts: verdictsOf(ran.session) }).toEqual({
    exit: 4,
    verdicts: ['SCORE-de PUBLISH L2 1/1', 'SCORE-no ASK L4 1/1'],
  });
  expect(eventsOfType(ran.session, 'SessionStarted')).toMatchObject([{ frozen: { targets: { de: 80, no: 90 } } }]);
  expect(eventsOfType(ran.session, 'VerdictGiven')).toMatchObject([{ verdict: { anomalies: [] } }, { verdict: { anomalies: [] } }]);
  const asked = await project.umpire('run', './tongues.yaml', 'the manual', '--target', '60');
  expect(verdictsOf(asked.session)).toEqual(['SCORE-de PUBLISH L2 1/1', 'SCORE-no PUBLISH L2 1/1']);
});

it('refuses a loop file whose task target is not a number', SOAK, async () => {
  const project = makeProject({ answers, files: { ...files, 'tongues.yaml': LOOP.replace('wanted: "90"', 'wanted: high') } });
  const ran = await project.umpire('run', './tongues.yaml', 'the manual');
  expect(ran).toMatchObject({
    exit: 1,
    err: expect.stringContaining('columns.wanted: "high" is not a valid score: use a number from 0 to 100'),
  });
});

it('A12: a run of the testing loop takes the layers that exist, in any mode', SOAK, async () => {
  const project = makeProject({
    files: {
      'package.json': '{"scripts":{"test":"node --test"}}\n',
      'one.js': 'exports.one = 1;\n',
      'one.test.js': "require('node:test').test('one', () => require('node:assert').equal(require('./one.js').one, 1));\n",
    },
    config: { critics: { testing: { layers: { L3: ['e2e/**'] } } } },
  });
  const rows = async (...mode: readonly string[]) => {
    const { session } = await project.umpire('run', 'testing', 'cover it', ...mode, ...project.sh('complete done'));
    return eventsOfType(session, 'SessionStarted').flatMap((started) => started.rows.map(({ id, deps }) => `${id} ${deps}`));
  };
  expect(await rows()).toEqual([
    'STRATEGY-001 ',
    'TESTGEN-001 STRATEGY-001',
    'TESTRUN-001 TESTGEN-001',
    'TESTGEN-003 TESTRUN-001',
    'TESTRUN-003 TESTGEN-003',
    'TESTANA-001 TESTRUN-003',
  ]);
  expect(await rows('--mode', 'standard')).toEqual([
    'STRATEGY-001 ',
    'TESTGEN-001 STRATEGY-001',
    'TESTRUN-001 TESTGEN-001',
    'TESTANA-001 TESTRUN-001',
  ]);
});

it.each([
  ['L1=90,L9=70', '--target names L9, but the layers of this run are L1, L2.'],
  ['L1=90,L1=70', 'not "L1=90,L1=70"'],
  ['L1=high', 'not "L1=high"'],
  ['101', 'not "101"'],
  ['=90', 'not "=90"'],
])('V13 refuses --target %s before anything runs', async (target, told) => {
  const folder = newFolder();
  const ran = await runInProcess(folder, ['run', 'testing', 'cover it', '--mode', 'standard', '--target', target]);
  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(told) });
  expect(readdirSync(folder)).toEqual([]);
});

it('V13 refuses targets by layer for a loop that has one target, and for one that has none', async () => {
  const refused = async (loop: string) => (await runInProcess(newFolder(), ['run', loop, 'it', '--target', 'L1=90'])).stderr;
  expect(await refused('review')).toContain('The review loop has no target. Remove --target.');
});
