// A loop of one's own, in code: proven before it runs, run with functions, and asked about when its rounds are spent.

import { check, defineLoop, replay, resolve, run } from 'umpire';

const loop = defineLoop({
  loop: 'haiku',
  title: 'A poet writes, a reader counts.',
  roles: { generator: 'poet', critic: 'reader', judge: 'judge' },
  words: { converge: 'PRINT', revise: 'AGAIN', accept: 'ACCEPT', escalate: 'ASK' },
  chain: 'session',
  round: { first: 1, counts: 'readings, from 1' },
  cap: { default: 2 },
  columns: { out: ['syllables'] },
  evidence: { row: { row: 'critic', grade: 'testified', what: "the reader's row" } },
  facts: { syllables: { number: [0, 100], at: 'row.syllables' } },
  repairs: [],
  table: [
    { id: 'H1', when: { syllables: '=17' }, then: 'converge', why: 'It has 17.', next: 'Print it.' },
    { id: 'H2', when: { round: '<cap' }, then: 'revise', why: 'It has {syllables}.', next: 'Execute {tasks}.' },
    { id: 'H3', then: 'escalate', why: 'It still has {syllables}.', next: 'A person decides: {options}.' },
  ],
  tasks: [
    { id: 'POEM-{round}', title: 'Write again', description: 'Make it 17.', role: 'poet', after: 'critic' },
    { id: 'READ-{next}', title: 'Count again', description: 'Count.', role: 'reader', after: 'previous', recheck: true },
  ],
  report: [{ heading: 'Verdict', blocks: ['{verdict}', { reasons: true }] }],
  ask: { question: 'What now?', options: [{ id: 'extend', means: 'one more' }, { id: 'abort', means: 'no poem' }] },
});

const { proof } = await check(loop);
console.log(proof.result, `over ${proof.combinations} combinations`);

let count = 14;
const poet = () => ({ kind: 'completed', findings: `Now it has ${++count}.` });
const reader = () => ({ kind: 'completed', outputs: { syllables: count } });
const agents = { poet, reader };

let now = await run({ loop, goal: 'autumn', agent: ['poet=poet', 'reader=reader'], agents });
while (now.status === 'awaiting') {
  console.log(`${now.question.detail} (${now.question.answers.join(', ')})`);
  now = await resolve({ session: now.session, answer: 'extend', rounds: 1, reason: 'nearly', agents });
}
console.log(now.status, now.verdicts.map(({ decision, rule }) => `${decision} ${rule}`).join(', '));

const { result, counts } = await replay({ session: now.session });
console.log(result, counts.same);
