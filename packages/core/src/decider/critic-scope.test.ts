// Which commits, changed files, breaches and evidence belong to which critic.

import { expect, it } from 'vitest';
import { begun, converges, done, escalates, row, start, told } from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Event, Breach } from './events.js';
import {
  breachesBefore,
  workOfRound,
  commitsOfChain,
  filesChangedSince,
  evidencePaths,
  leavesEvidence,
  secondCriticEvidence,
} from './critic-scope.js';
import type { RunState, TaskState } from './run-state.js';
import { findTask } from './run-state.js';

const review = builtinLoop('review') as Loop;

const mark = (chain: string, round: number, head: string | null) => ({ seq: 1, chain, round, wantsRounds: false, head, critic: null });

it('finds the commits before and after a round of each chain', () => {
  const marks = [mark('1', 1, 'a'), mark('2', 1, 'b'), mark('1', 1, 'c'), mark('1', 2, 'd'), mark('2', 3, 'e'), mark('1', 2, 'f')];
  expect(workOfRound({ marks }, 1)).toEqual([
    { chain: '1', from: null, to: 'c' },
    { chain: '2', from: null, to: 'b' },
  ]);
  expect(workOfRound({ marks }, 2)).toEqual([{ chain: '1', from: 'c', to: 'f' }]);
  expect(workOfRound({ marks }, 3)).toEqual([{ chain: '2', from: 'b', to: 'e' }]);
  expect(workOfRound({ marks }, 4)).toEqual([]);
});

/** Two sprints that stand on the same set-up; a third one looks at all of it once more. */
const ROWS = [
  row('REVIEW-003', 'reviewer', 'DEV-003;DEV-001'),
  row('SETUP-001', 'developer'),
  row('DEV-001', 'developer', 'SETUP-001'),
  row('DEV-002', 'developer', 'SETUP-001'),
  row('REVIEW-001', 'reviewer', 'DEV-001'),
  row('REVIEW-002', 'reviewer', 'DEV-002'),
  row('DEV-003', 'developer', 'REVIEW-001;DEV-002'),
  row('NOTES-001', 'developer', 'REVIEW-001'),
  row('DOCS-004', 'developer', 'SETUP-001'),
].map((cells) => ({ ...cells, sprint_num: cells['id']?.at(-1) ?? '' }));

const works = (task: string): readonly Event[] => [
  start(task),
  done(task, { commit: `work of ${task}`, head: `with ${task}`, files: ['a'] }),
];
const step = (task: string) => ({ commit: `with ${task}`, merged: [`work of ${task}`] });

const frozen = { hash: 'h', rules: review, cap: 3, chains: ['1', '2', '3'], targets: {} };
const edit: Event = { type: 'PersonEdited', data: { commit: 'an edit', files: ['a'] } };
const REVIEWED = [
  ...begun(ROWS, { frozen }),
  ...['SETUP-001', 'DEV-001', 'DEV-002'].flatMap(works),
  ...['REVIEW-001', 'REVIEW-002'].flatMap((id) => [start(id), done(id)]),
  escalates('REVIEW-002', '2'),
  edit,
];
const reverts: Event = {
  type: 'WorkReverted',
  data: { verdict: REVIEWED.length - 1, tasks: ['DEV-002'], head: 'taken back', files: ['a'], ok: true },
};
const STORY = [...REVIEWED, reverts, converges('REVIEW-001', '1'), ...works('DEV-003'), ...works('NOTES-001')];
const STEPS = [
  ...['SETUP-001', 'DEV-001', 'DEV-002'].map(step),
  { commit: 'an edit', merged: [] },
  { commit: 'taken back', merged: [] },
  step('DEV-003'),
  step('NOTES-001'),
];

it('assigns each commit to the first critics that depend on it, to the chain that reverted it, or to the next verdict', () => {
  const judged = [...STORY, start('REVIEW-003'), done('REVIEW-003'), converges('REVIEW-003', '3')];
  const of = (chain: string) => {
    const isOwn = commitsOfChain(told(judged).state.run as RunState, review, chain, STEPS);
    return STEPS.filter((_, index) => isOwn[index]).map(({ commit }) => commit);
  };
  expect(of('1')).toEqual(['with SETUP-001', 'with DEV-001', 'an edit']);
  expect(of('2')).toEqual(['with SETUP-001', 'with DEV-002', 'taken back']);
  // Nobody waits for the notes: they came before the last verdict.
  expect(of('3')).toEqual(['with DEV-003', 'with NOTES-001']);
});

const runOf = (...events: readonly Event[]) => told([...begun(ROWS, { frozen }), ...events]).state.run as RunState;
const hands = (task: string, files: readonly string[], breaches: readonly Breach[] = []): readonly Event[] => [
  start(task),
  done(task, { files, breaches }),
];
const lied = (file: string): Breach => ({ rule: 'test-skipped', file, line: 1, message: 'It is skipped.', taken: 'hunk' });
const reviewed = ['REVIEW-001', 'REVIEW-002'].flatMap((id) => [start(id), done(id)]);

it("lists the files changed since the chain's own last verdict", () => {
  const first = [...hands('SETUP-001', ['setup']), ...hands('DEV-001', ['a']), ...hands('DEV-002', ['b']), ...reviewed];
  expect(filesChangedSince(runOf(...first), '1')).toEqual(['setup', 'a', 'b']);
  const one = [...first, converges('REVIEW-001', '1')];
  expect(filesChangedSince(runOf(...one), '1')).toEqual([]);
  expect(filesChangedSince(runOf(...one), '2')).toEqual(['setup', 'a', 'b']);
  const both = [...one, ...hands('NOTES-001', ['c', 'a']), escalates('REVIEW-002', '2'), edit];
  expect(filesChangedSince(runOf(...both), '1')).toEqual(['c', 'a']);
  expect(filesChangedSince(runOf(...both), '2')).toEqual(['a']);
  expect(filesChangedSince(runOf(...both), '3')).toEqual(['setup', 'b', 'c', 'a']);
});

it('reports reverted changes with the verdict on that work, and keeps those of other chains', () => {
  const run = runOf(
    ...hands('SETUP-001', [], [lied('setup')]),
    ...hands('DEV-001', [], [lied('a')]),
    ...hands('DEV-002', [], [lied('b')]),
    ...hands('DOCS-004', [], [lied('docs')]),
    ...reviewed,
  );
  const files = (of: readonly { readonly breach: Breach }[]) => of.map(({ breach }) => breach.file);
  expect(files(breachesBefore(run, 'REVIEW-001'))).toEqual(['setup', 'a', 'docs']);
  expect(files(breachesBefore(run, 'REVIEW-002'))).toEqual(['setup', 'b', 'docs']);
});

it('keeps the reverted changes of other chains', () => {
  const work = [
    ...hands('SETUP-001', [], [lied('setup')]),
    ...hands('DEV-001', [], [lied('a')]),
    ...hands('DEV-002', [], [lied('b')]),
    ...hands('DOCS-004', [], [lied('docs')]),
    ...reviewed,
  ];
  const state = (...events: readonly Event[]) => {
    const { breaches, reportedBreaches } = runOf(...work, ...events);
    return [breaches.map(({ breach }) => breach.file), reportedBreaches.map(({ breach, chain }) => `${chain} ${breach.file}`)];
  };
  expect(state()).toEqual([['setup', 'a', 'b', 'docs'], []]);
  // Both wait for the set-up, so both tell of it; nobody waits for the docs, so the next verdict does.
  expect(state(converges('REVIEW-001', '1'))).toEqual([
    ['setup', 'b'],
    ['1 setup', '1 a', '1 docs'],
  ]);
  expect(state(converges('REVIEW-001', '1'), escalates('REVIEW-002', '2'))).toEqual([[], ['1 setup', '1 a', '1 docs', '2 setup', '2 b']]);
  // Judged once more, with nothing taken back since: what was told of the round before is no news.
  const again = escalates('REVIEW-002', '2');
  expect(state(converges('REVIEW-001', '1'), again, again)).toEqual([[], ['1 setup', '1 a', '1 docs']]);
});

const twoCritics = builtinLoop('review') as Loop;
const law = { file: ['law-{chain}.json'], by: 'lawyer', reader: 'json', grade: 'testified', what: 'the opinion' } as const;
const reading = { file: ['reading-{chain}.json'], reader: 'json', grade: 'testified', what: 'the reading' } as const;
const loop: Loop = { ...twoCritics, evidence: { law, reading } };

const sprint = (cells: Readonly<Record<string, string>>, number: string) => ({ ...cells, sprint_num: number });
const TWO_CRITIC_ROWS = [
  row('DEV-001', 'developer'),
  row('LAW-001', 'lawyer', 'DEV-001'),
  sprint(row('REVIEW-001', 'reviewer', 'LAW-001'), '7'),
  row('DEV-002', 'developer', 'REVIEW-001'),
  sprint(row('REVIEW-002', 'reviewer', 'DEV-002'), '7'),
  row('LAW-009', 'lawyer'),
];
const frozenTwo = { hash: 'h', rules: loop, cap: 3, chains: ['7'], targets: {} };
const run = told([
  ...begun(TWO_CRITIC_ROWS, { frozen: frozenTwo }),
  ...['LAW-009', 'DEV-001'].flatMap((id) => [start(id), done(id)]),
  start('LAW-001'),
  done('LAW-001', { evidence: { 'law-7.json': 'its hash' } }),
]).state.run as RunState;
const task = (id: string) => findTask(run, id) as TaskState;

it('finds the files of a second critic by the chain of its dependents', () => {
  const paths = ['LAW-001', 'REVIEW-001', 'LAW-009', 'DEV-001'].map((id) => evidencePaths(loop, run, task(id)));
  expect(paths).toEqual([['law-7.json'], ['reading-7.json'], [], []]);
  expect(['lawyer', 'reviewer', 'developer'].map((role) => leavesEvidence(loop, role))).toEqual([true, true, false]);
});

it("uses a second critic's evidence for the next verdict only", () => {
  expect(secondCriticEvidence(loop, run, task('REVIEW-001'))).toEqual({ 'law-7.json': 'its hash' });
  expect(secondCriticEvidence(loop, run, task('REVIEW-002'))).toEqual({ 'law-7.json': null });
});
