// One session of the review loop through the library, with agents in the process that do nothing: what the contenders of rounds.mjs run.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../dist/run.js';

const task = (id, role, deps) => ({
  id,
  title: id,
  description: `${role} does nothing, and says so.`,
  role,
  deps,
  context_from: deps,
  columns: { sprint_num: '1' },
});
const tasks = [task('DEV-001', 'developer', []), task('REVIEW-001', 'reviewer', ['DEV-001'])];
const pipeline = { default: 'pair', modes: { pair: { title: 'A generator and a critic', judged: true, tasks } }, writes: [] };

/** The critic asks for another round until the last; nobody does anything. */
export function pairSession(folder, rounds) {
  const agent = {
    name: 'nothing',
    inProcess: true,
    run: ({ role, round }) => {
      const signal = round < rounds ? 'REVISION_NEEDED' : 'CONVERGED';
      const outputs = role.name === 'reviewer' ? { review_score: '5', gc_signal: signal } : {};
      return Promise.resolve({ kind: 'completed', findings: 'nothing to do', error: '', outputs, usage: { tokens: 0, costUsd: 0 } });
    },
  };
  const shared = {
    loop: 'review',
    goal: 'nothing',
    pipeline,
    project: folder,
    agent: ['nothing'],
    agents: { nothing: agent },
    maxRounds: rounds,
  };
  return (name) => run({ ...shared, session: join(folder, name) });
}

/** Steps that a journal holds: tasks that ended and verdicts, each synced before what follows it began. */
export function stepsIn(session) {
  const lines = readFileSync(join(session, 'journal.ndjson'), 'utf8').split('\n');
  return lines.filter((line) => /"type":"(?:TaskFinished|VerdictGiven)"/.test(line)).length;
}
