// Decisions a second of the compiled review table, with its full explanation, against two rule engines on the same
// rows and inputs, one decision after the other. The peers get the bare table (R1-R6) and no repairs, and zen no
// trace; ours also runs its repairs and makes its reason. Every answer is compared before any timing.

import { jsonRulesPeer } from './peers/json-rules.mjs';
import { zenPeer } from './peers/zen.mjs';
import { assert, atLeast, importSources, interleave, line, perSecond, seededRandom } from './harness.mjs';

const BAR = 100;
const INPUTS = 4000;
const ROUND_MS = 250;

const CRITICAL = ['critical', '>', 0];
const BELOW_CAP = ['round', '<', { fact: 'cap' }];
const CONVERGED = ['signal', '=', 'CONVERGED'];
const GOOD = ['score', '>=', 7];

/** SPEC section 2, review, in first-match order; written out here so that our own table is checked too. */
const ROWS = [
  { id: 'R6', outcome: 'revise', when: [CRITICAL, BELOW_CAP] },
  { id: 'R6', outcome: 'escalate', when: [CRITICAL] },
  { id: 'R1', outcome: 'converge', when: [CONVERGED, GOOD] },
  { id: 'R2', outcome: 'converge', when: [CONVERGED] },
  { id: 'R3', outcome: 'converge', when: [GOOD] },
  { id: 'R4', outcome: 'revise', when: [BELOW_CAP] },
  { id: 'R5', outcome: 'escalate', when: [] },
];

/**
 * Each input in both shapes: ours (facts and params) and the peers' (one flat object). Scores are multiples of 1/`grain`:
 * tenths are what reviewers write; thousandths seldom repeat, so that no memory of texts shown before can help us.
 */
function makeInputs(seed, grain) {
  const random = seededRandom(seed);
  const below = (limit) => Math.floor(random() * limit);
  return Array.from({ length: INPUTS }, () => {
    const signal = random() < 0.5 ? 'CONVERGED' : 'REVISION_NEEDED';
    const score = below(10 * grain + 1) / grain;
    const critical = random() < 0.7 ? 0 : 1 + below(3);
    const [round, cap] = [1 + below(4), 2 + below(3)];
    return {
      facts: { results: 'ok', signal, score, critical, high: below(4), medium: below(6) },
      params: { round, cap, target: 80 },
      flat: { signal, score, critical, round, cap },
    };
  });
}

/** Reads every field of an answer, so that none of it can be left out by the compiler. */
function consume(judgement) {
  let sum = judgement.row.id.length + judgement.outcome.length + judgement.reason.length;
  for (const anomaly of judgement.anomalies) sum += anomaly.rule.length + anomaly.message.length;
  for (const step of judgement.explanation) sum += step.row.length + step.because.length + (step.holds ? 1 : 0);
  return sum;
}

/** The same, with the reason as flat text: V8 joins the pieces of a string only when a character is read, as printing does. */
const consumeFlat = (judgement) => consume(judgement) + judgement.reason.charCodeAt(judgement.reason.length - 1);

/** The row alone, by the same look-up that judge() does, with nothing said: the difference is what our explanation costs. */
function pickRow(compiled, facts, params) {
  return compiled.memory.settled.get(compiled.memory.cellOf(facts, params)).row.row.id.length;
}

let checksum = 0;

/** Decisions a second of `once(input)`, which is synchronous for ours. */
function rate(inputs, once) {
  const start = performance.now();
  let [count, elapsed] = [0, 0];
  for (; elapsed < ROUND_MS; elapsed = performance.now() - start) {
    for (const input of inputs) checksum += once(input);
    count += inputs.length;
  }
  return (count / elapsed) * 1000;
}

/** The same for a peer, each decision awaited before the next. */
async function peerRate(inputs, peer) {
  const start = performance.now();
  let [count, elapsed] = [0, 0];
  for (; elapsed < ROUND_MS; elapsed = performance.now() - start) {
    for (let step = 0; step < 200; step += 1, count += 1) checksum += (await peer.decide(inputs[count % inputs.length].flat)).id.length;
  }
  return (count / elapsed) * 1000;
}

async function loadOurs() {
  const { judge, compileLoop, builtinLoop } = await importSources({
    'packages/core/src/loops/judge.ts': ['judge'],
    'packages/core/src/loops/compile.ts': ['compileLoop'],
    'packages/core/src/loops/builtin.ts': ['builtinLoop'],
  });
  return { judge, compiled: compileLoop(builtinLoop('review')) };
}

async function checkAnswers(inputs, judgeOne, peers) {
  const seen = new Set();
  for (const input of inputs) {
    const { ok, row, outcome } = judgeOne(input);
    const ours = `${ok && row.id} ${outcome}`;
    for (const peer of peers) {
      const theirs = await peer.decide(input.flat);
      assert(
        `${theirs.id} ${theirs.outcome}` === ours,
        `on ${JSON.stringify(input)} we say ${ours}, ${peer.name} ${theirs.id} ${theirs.outcome}`,
      );
    }
    seen.add(ours);
  }
  assert(seen.size === ROWS.length, `the inputs reach only ${[...seen].join(', ')}`);
}

/** Interleaved rates on one set of inputs: ours in three ways, and the peers. */
async function measure(inputs, { judge, compiled }, peers, runs) {
  const judgeOne = ({ facts, params }) => judge(compiled, facts, params);
  await checkAnswers(inputs, judgeOne, peers);
  const contenders = {
    ours: () => rate(inputs, (input) => consume(judgeOne(input))),
    flat: () => rate(inputs, (input) => consumeFlat(judgeOne(input))),
    bare: () => rate(inputs, ({ facts, params }) => pickRow(compiled, facts, params)),
    ...Object.fromEntries(peers.map((peer) => [peer.name, () => peerRate(inputs, peer)])),
  };
  await interleave(contenders, 1);
  return interleave(contenders, runs);
}

export async function run({ runs = 7 } = {}) {
  const ours = await loadOurs();
  const traced = zenPeer(ROWS, { trace: true });
  const peers = [jsonRulesPeer(ROWS), zenPeer(ROWS)];
  try {
    const tenths = await measure(makeInputs(11, 10), ours, [...peers, traced], runs);
    const thousandths = await measure(makeInputs(12, 1000), ours, peers, runs);
    assert(checksum > 0, 'nothing was decided');
    const report = (name, rates, rival, bar = null) =>
      line({
        name: `review table, ${name}`,
        ours: perSecond(rates.ours),
        theirs: perSecond(rates[rival]),
        ratio: rates.ours / rates[rival],
        bar,
      });
    return [
      ...peers.map(({ name }) => report(`explained : ${name}`, tenths, name, atLeast(BAR))),
      ...peers.map(({ name }) => report(`scores that seldom repeat : ${name}`, thousandths, name, atLeast(BAR))),
      report(`explained : ${traced.name}`, tenths, traced.name),
      report('explained : our own, reason written out flat', tenths, 'flat'),
      report('explained : our own, row only, nothing said', tenths, 'bare'),
    ];
  } finally {
    for (const peer of [...peers, traced]) peer.close();
  }
}
