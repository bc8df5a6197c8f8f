// What the real agents are put through: the moves of the model, the commands of the person, and what must be true afterwards.

import { move } from './model.mjs';

/** The project: `npm test` passes when `sum` adds. What it prints stands in no file, so only a real run shows it. */
export const FILES = {
  'package.json': '{ "name": "sample", "private": true, "type": "module", "scripts": { "test": "node check.mjs" } }\n',
  'sum.mjs': 'export const sum = (a, b) => a - b;\n',
  'check.mjs': `import { sum } from './sum.mjs';
const found = sum(20, 3);
console.log('the sum is', found);
process.exitCode = found === 23 ? 0 : 1;
`,
};
const SOURCE = 'export const sum';
const PASSED = 'the sum is 23';

const READ = move.read('sum.mjs');
const FIX = move.edit('sum.mjs', 'a - b', 'a + b');
const WRONG = move.edit('sum.mjs', 'a - b', 'b - a');
const FIX_WRONG = move.edit('sum.mjs', 'b - a', 'a + b');
const BREAK = move.edit('sum.mjs', 'a + b', 'a - b');
const TEST = move.shell('npm test');
const DONE = move.result({ status: 'completed', findings: 'sum adds now', error: null });
const BLOCKED_WHY = 'The test contradicts the documented behaviour.';
const BLOCKED = move.result({ status: 'blocked', findings: BLOCKED_WHY, error: BLOCKED_WHY });
const PROSE = move.say('I changed sum.mjs so that sum adds.\n\nAll is well.');
const REFUSAL_WHY = 'I will not change this file, because it is not mine.';
const REFUSAL = move.say(`${REFUSAL_WHY}\n\nPlease ask its owner.`);

const until = (rounds = 3, ...flags) => ({ words: ['until', 'npm test', '--max-rounds', String(rounds), '--yes', ...flags] });
const resume = (...flags) => ({ words: ['resume', '--yes', ...flags], needsSession: true });

const PATCH = { words: ['run', 'review', 'make sum add', '--mode', 'patch', '--yes'] };

/** Ends of the agent's tasks, oldest first. */
const endings = ({ events }) => events.filter(({ type, data }) => type === 'TaskFinished' && isWork(data));
const isWork = ({ task }) => /^(?:WORK|DEV|VERIFY)/.test(task);
const ofType = ({ events }, type) => events.filter((event) => event.type === type);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const mainOf = ({ requests }) => requests.filter(({ isMain }) => isMain);
/** The requests that were answered by a move. */
const playedOf = (run) => mainOf(run).filter((request) => request.move !== null);

// Expectations: [what is expected, whether it is so, what there was instead].
const exits =
  (...codes) =>
  (run) => {
    const found = run.commands.map(({ exit }) => exit);
    return [`exit status ${codes.join(', then ')}`, found.join() === codes.join(), found.join(', then ')];
  };
const tasks =
  (...wanted) =>
  (run) => {
    const found = endings(run).map(({ data }) => data.status);
    return [
      `tasks end as ${wanted.join(', ')}`,
      found.join() === wanted.join(),
      `${found.join()}: ${endings(run)
        .map(({ data }) => data.error)
        .join(' | ')}`,
    ];
  };
const sees = (what) => (run) => {
  const outputs = mainOf(run).flatMap((request) => request.outputs);
  return [
    `the model sees "${what}" in the output of its tool`,
    outputs.some((text) => text.includes(what)),
    [...new Set(outputs)].join('\n'),
  ];
};
/** In the output that request number `at` brings. */
const seesAt = (at, what) => (run) => {
  const output = playedOf(run)[at]?.outputs.at(-1) ?? 'no output';
  return [`the model sees "${what}" in request ${at + 1}`, output.includes(what), output];
};
const fixes = (run) => ['the session contains the fix', run.isFixed, 'it does not'];
const plays = (run) => [
  'the agent asks for every move',
  run.unplayed.length === 0,
  `left: ${run.unplayed.map(({ kind }) => kind).join(', ')}`,
];
const turns = (count) => (run) => {
  const found = playedOf(run).length;
  return [`${count} requests`, found === count, String(found)];
};
const counts = (run) => {
  const told = sum(run.events.map(({ data }) => data.usage?.tokens ?? 0));
  const isUnknown = run.events.some(({ data }) => data.usage?.unknown?.includes('tokens'));
  const all = sum(run.requests.map(({ charged }) => charged));
  const main = sum(mainOf(run).map(({ charged }) => charged));
  const thought = sum(mainOf(run).map((request) => request.thought));
  const amounts = run.requests.map(({ charged, isMain }) => (isMain ? charged : `beside: ${charged}`)).join(' + ');
  const instead = `${isUnknown ? 'unknown, ' : ''}${told} (${amounts})`;
  if (run.agent.counts === 'unknown') return ['the tokens are unknown', isUnknown, instead];
  const wanted = { all, main, 'main without thought': main - thought }[run.agent.counts];
  return [`Umpire records the ${wanted} tokens that the agent was charged`, told === wanted, instead];
};
/** A resumed conversation does not pay again for its earlier rounds: a token costs about the same in each task. */
const costs = ({ events }) => {
  const spent = events.map(({ data }) => data.usage).filter((usage) => usage?.tokens > 0 && usage.costUsd > 0);
  const prices = spent.map(({ costUsd, tokens }) => costUsd / tokens);
  const shown = spent.map(({ costUsd, tokens }) => `$${costUsd} for ${tokens} tokens`).join(', ');
  return ['each task pays for itself', prices.length === 0 || Math.max(...prices) < 1.5 * Math.min(...prices), shown];
};
/** Whether request number `at` contains a tool call that was made before. */
const isContinued = (run, at) => {
  const main = playedOf(run);
  const made = main.slice(0, at).filter((request) => /read|edit|shell/.test(request.move?.kind));
  return made.some(({ id }) => main[at]?.raw.includes(id));
};
const continues = (at) => (run) => [`request ${at + 1} continues the conversation`, isContinued(run, at), 'it does not'];
const isNew = (at) => (run) => [
  `request ${at + 1} begins a conversation`,
  playedOf(run).length > at && !isContinued(run, at),
  'it does not',
];
const says =
  (pattern, which = -1) =>
  (run) => {
    const { said } = run.commands.at(which);
    return [`Umpire prints ${pattern}`, pattern.test(said), said];
  };
const reason = (pattern) => (run) => {
  const found = endings(run)
    .flatMap(({ data }) => [data.error, data.findings])
    .filter((text) => text !== '');
  return [`the reason is ${pattern}`, found.some((text) => pattern.test(text)), found.join(' | ')];
};
const asks = (why) => (run) => {
  const found = ofType(run, 'TaskBlocked').map(({ data }) => data.reason);
  return ['one blocked task with its reason', found.length === 1 && found[0].includes(why), found.join(' | ') || 'no TaskBlocked'];
};
const rounds = (count) => (run) => {
  const found = ofType(run, 'TaskStarted').filter(({ data }) => isWork(data)).length;
  return [`${count} runs of the agent`, found === count, String(found)];
};
/** A whole minute, because some agents name no seconds. */
const limitEnds = () => Math.ceil((Date.now() + 45_000) / 60_000) * 60_000;
const clock = (ms) => new Date(ms).toTimeString().slice(0, 5);

/** The session waits until it is resumed, and Umpire says when. */
const rests = (at) => (run) => {
  const [first, second] = run.commands;
  const isResumed = first.exit === 4 && first.said.includes(clock(at)) && second?.exit === 0;
  const wanted = run.agent.waitsItself ? 'the agent waits itself' : `the session rests until ${clock(at)}, says so, and is resumed`;
  return [wanted, run.agent.waitsItself ? first.exit === 0 : isResumed, `${run.commands.map(({ exit }) => exit)}: ${first.said}`];
};

/** The agent is started once, and once more when its plan is renewed. */
const waits = (run) => rounds(run.agent.waitsItself ? 1 : 2)(run);
const limited = (at) => [READ, move.fail('plan limit', { resetsAt: at }), FIX, TEST, DONE];

const WORK = [READ, FIX, TEST, DONE];

export const SCENARIOS = {
  work: { moves: WORK, expect: [exits(0), tasks('completed'), sees(SOURCE), sees(PASSED), fixes, plays, turns(4), counts] },
  'developer, verifier': {
    moves: [READ, FIX, TEST, DONE, READ, TEST, BREAK, DONE],
    commands: [PATCH],
    expect: [exits(0), tasks('completed', 'completed'), seesAt(3, PASSED), seesAt(6, PASSED), isNew(4), fixes, plays, counts],
  },
  'round 2': {
    moves: [READ, WRONG, DONE, READ, FIX_WRONG, TEST, DONE],
    expect: [exits(0), tasks('completed', 'completed'), continues(3), sees(PASSED), fixes, plays, counts, costs],
  },
  prose: {
    moves: [READ, FIX, PROSE, DONE, READ, TEST, DONE],
    commands: [PATCH],
    expect: [exits(0), tasks('completed', 'completed'), continues(3), isNew(4), fixes, plays, counts],
  },
  'prose only': {
    moves: [READ, FIX, PROSE],
    expect: [exits(0), tasks('completed'), rounds(1), fixes, reason(/^I changed sum\.mjs/), counts],
  },
  refusal: { moves: [REFUSAL], commands: [until(1)], expect: [exits(4), reason(new RegExp(`${REFUSAL_WHY}(?!.*owner)`, 's')), counts] },
  blocked: {
    moves: [READ, BLOCKED],
    expect: [exits(4), asks(BLOCKED_WHY), rounds(1), turns(2), says(/contradicts the documented/), says(/agree.*insist/s), counts],
  },
  '429 rate limit': {
    moves: [move.fail('rate limit'), move.fail('rate limit'), ...WORK],
    expect: [exits(0), tasks('completed'), fixes, plays, counts],
  },
  '529 overloaded': {
    moves: [READ, move.fail('overloaded'), move.fail('overloaded'), FIX, TEST, DONE],
    expect: [exits(0), tasks('completed'), fixes, plays],
  },
  'cut stream': { moves: [READ, move.cut, move.cut, FIX, TEST, DONE], expect: [exits(0), tasks('completed'), fixes, plays] },
  overflow: {
    moves: [READ, move.fail('overflow')],
    commands: [until(1)],
    expect: [exits(4), tasks('failed'), reason(/too long|exceeds|maximum context|context window|context_length/i)],
  },
  'Ctrl-C': {
    moves: [READ, FIX, move.hang, TEST, DONE],
    commands: [{ ...until(), signal: 'SIGINT' }, resume()],
    expect: [exits(130, 0), continues(3), sees(PASSED), fixes, plays, counts],
  },
  kill: {
    moves: [READ, FIX, move.hang, TEST, DONE],
    commands: [{ ...until(), signal: 'SIGKILL' }, resume()],
    expect: [exits(null, 0), continues(3), sees(PASSED), fixes, plays, counts],
  },
  'plan limit': () => {
    const at = limitEnds();
    const commands = [until(), resume('--wait-for-limits')];
    return { hasPlan: true, moves: limited(at), commands, expect: [rests(at), waits, tasks('completed'), fixes, plays] };
  },
  'plan limit, waits': () => {
    const commands = [until(3, '--wait-for-limits')];
    return { hasPlan: true, moves: limited(limitEnds()), commands, expect: [exits(0), waits, tasks('completed'), fixes, plays] };
  },
  timeout: { minutes: 0.3, moves: [move.hang], commands: [until(1)], expect: [exits(4), reason(/timed out/)] },
  'bad key': { moves: [move.fail('key')], commands: [until(1)], expect: [exits(4), (run) => reason(new RegExp(run.agent.badKey))(run)] },
  sandbox: {
    isUsed: true,
    moves: WORK,
    commands: [until(3, '--sandbox')],
    expect: [exits(0), tasks('completed'), sees(PASSED), fixes, counts],
  },
};

export const DEFAULT_COMMANDS = [until()];
