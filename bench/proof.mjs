// The time that a proof takes: of the built-in loops against trying every combination of their facts on the judge, one
// by one, at the same caps and targets; and of a loop with twelve facts against the ten seconds that it may take.

import { assert, atLeast, atMost, importSources, interleave, line, ms, seededRandom, timeMs } from './harness.mjs';

const MOST_SECONDS = 10;

/** Twelve numbers, twenty rows of three tests each, in the order that chance gives them. */
function twelveFacts() {
  const random = seededRandom(3);
  const below = (limit) => Math.floor(random() * limit);
  const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
  const rows = Array.from({ length: 20 }, (_, index) => {
    const facts = new Set();
    while (facts.size < 3) facts.add(names[below(12)]);
    const when = Object.fromEntries([...facts].map((fact) => [fact, `${random() < 0.5 ? '<' : '>='}${10 + 10 * below(8)}`]));
    return { id: `R${index}`, when, then: 'escalate', why: 'so', next: 'on' };
  });
  return {
    loop: 'twelve',
    title: 'Twelve facts.',
    roles: { generator: 'coder', critic: 'reviewer', judge: 'judge' },
    words: { converge: 'DONE', revise: 'AGAIN', accept: 'ACCEPT', escalate: 'ASK' },
    chain: 'session',
    round: { first: 1, counts: 'reviews', from: [] },
    cap: { default: 3 },
    columns: { in: [], out: [] },
    evidence: { review: { file: ['review.json'], reader: 'json', grade: 'testified', what: 'the review' } },
    facts: Object.fromEntries(names.map((name) => [name, { number: [0, 100], at: [`review.${name}`] }])),
    repairs: [],
    table: [
      ...rows,
      { id: 'Y', when: { round: '<cap' }, then: 'revise', why: 'so', next: 'on' },
      { id: 'Z', then: 'escalate', why: 'so', next: 'on' },
    ],
    tasks: [
      { id: 'FIX-{round}', title: 'Mend', description: 'Mend', role: 'coder', after: 'critic' },
      { id: 'REVIEW-re-{round}', title: 'Again', description: 'Again', role: 'reviewer', after: 'previous', recheck: true },
    ],
    report: [{ heading: 'Verdict', blocks: ['{verdict}'] }],
    ask: { question: 'What?', options: [{ id: 'abort', means: 'stop' }] },
  };
}

/** Judges every combination of facts and rounds of a space; returns how many there are. */
function tryAll({ judge, sampleOf }, compiled, space) {
  const names = Object.keys(space.loop.facts);
  const values = [...names, 'round'].map((name) => space.variables[space.of.get(name)].axis.cells.map(sampleOf));
  const facts = {};
  let tried = 0;
  const from = (index) => {
    if (index < names.length) {
      for (const value of values[index]) {
        facts[names[index]] = value;
        from(index + 1);
      }
      return;
    }
    for (const round of values[index]) {
      if (round === null || round < space.loop.round.first) continue;
      judge(compiled, { ...facts }, { ...space.params, round });
      tried += 1;
    }
  };
  from(0);
  return tried;
}

export async function run({ runs = 5 } = {}) {
  const ours = await importSources({
    'packages/core/src/loops/judge.ts': ['judge'],
    'packages/core/src/loops/compile.ts': ['compileLoop'],
    'packages/core/src/loops/builtin.ts': ['builtinLoops'],
    'packages/core/src/proof/cells.ts': ['sampleOf'],
    'packages/core/src/proof/space.ts': ['buildSpace'],
    'packages/core/src/proof/check.ts': ['checkLoop'],
  });
  const loops = ours.builtinLoops();
  const each = () => {
    let tried = 0;
    for (const loop of loops) {
      const { caps, targets } = ours.checkLoop(loop);
      const compiled = ours.compileLoop(loop);
      for (const cap of caps) {
        for (const target of targets.length === 0 ? [0] : targets) {
          tried += tryAll(ours, compiled, ours.buildSpace(compiled, { round: loop.round.first, cap, target }, loop.round.first));
        }
      }
    }
    return tried;
  };
  assert(
    loops.every((loop) => ours.checkLoop(loop).holds),
    'a built-in loop is not proven',
  );
  const tried = each();
  const taken = await interleave(
    { proof: () => timeMs(() => loops.forEach((loop) => ours.checkLoop(loop))), each: () => timeMs(each) },
    runs,
  );
  const twelve = twelveFacts();
  let proof = null;
  const seconds = timeMs(() => (proof = ours.checkLoop(twelve))) / 1000;
  assert(proof.held.length === 0 && proof.facts === 12, 'the loop of twelve facts was not walked in full');
  return [
    line({
      name: `built-in loops proven : ${tried} combinations judged one by one`,
      ours: ms(taken.proof),
      theirs: ms(taken.each - taken.proof),
      ratio: (taken.each - taken.proof) / taken.proof,
      bar: atLeast(1),
    }),
    line({
      name: `12 facts, ${proof.combinations.toExponential(1)} combinations in ${proof.cases} cases : ${MOST_SECONDS} s`,
      ours: `${seconds.toFixed(1)} s`,
      theirs: `${MOST_SECONDS} s`,
      ratio: seconds / MOST_SECONDS,
      bar: atMost(1),
    }),
  ];
}
