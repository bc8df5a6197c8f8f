// Attacks that once succeeded and must never succeed again.

import { CELLS, CHAINS, NUMBERS } from './adversary-tricks.js';

/** Tricks, then a critic's result, then a call of `decide`. */
export interface AttackStep {
  readonly tricks: readonly (readonly [name: string, n: number])[];
  /** The critic's report: new bytes, the same as before, those of the first round, or no report. */
  readonly report: 'new' | 'same' | 'first' | 'none';
  /** How far `--round` is above the round of the last verdict; null: no flag. */
  readonly raise: number | null;
}

export interface PastAttack {
  readonly id: string;
  readonly what: string;
  readonly loop: string;
  readonly story: readonly AttackStep[];
}

const move = (report: AttackStep['report'], ...tricks: AttackStep['tricks']): AttackStep => ({ report, tricks, raise: null });
const next = move('new');
/** The numbers of variants, by meaning. */
const chain = (name: string, who: 'critics' | 'all' = 'critics') => CHAINS.indexOf(name) + CHAINS.length * (who === 'critics' ? 0 : 1);
const row = (name: string, last: boolean, status: 0 | 1, round = '0') =>
  CHAINS.indexOf(name) + CHAINS.length * ((last ? 0 : 1) + 2 * (status + 3 * (1 + 5 * CELLS.indexOf(round))));
const forged = (outcome: 0 | 1 | 2, round: 0 | 1 | 2 | 3, name: string | null) =>
  outcome + 3 * (round + 4 * (name === null ? 0 : CHAINS.indexOf(name) + 1));

const LONG = CHAINS.find((name) => name.startsWith('長')) ?? '';
const TOO_LONG = CHAINS.find((name) => name.length > 250) ?? '';
export const PAST_ATTACKS: readonly PastAttack[] = [
  {
    id: 'cut',
    what: 'a truncated journal is valid, so the pages are not read, and without the board the round falls',
    loop: 'debt',
    story: [next, next, move('new', ['cut the journal back', 3], ['delete the board', 0])],
  },
  {
    id: 'old answer',
    what: 'a truncated journal repeats its last verdict although the board has a later round',
    loop: 'debt',
    story: [move('first'), next, move('first', ['cut the journal back', 3])],
  },
  {
    id: 'knot',
    what: 'a cycle in the tasks of a round that is judged again crashes instead of being refused',
    loop: 'testing',
    story: [move('same'), next, move('same', ['delete the board', 0], ['cut the journal back', 8])],
  },
  {
    id: 'own row',
    what: "a convergence skips the critic's own row where it was still pending, and the same bytes are judged otherwise then",
    loop: 'brainstorm',
    story: [next, next, move('new', ['add a critic row', row('1', true, 1)])],
  },
  {
    id: 'huge',
    what: 'a round above 10000 is read from a state file, but not from the board without the journal',
    loop: 'debt',
    story: [
      next,
      move('new', ['write session-state.json', NUMBERS.indexOf('1000000000')]),
      move('new', ['delete the journal and the state', 0]),
    ],
  },
  {
    id: 'planned anew',
    what: 'a new journal treats every chain in tasks.csv as planned, so that it may start again',
    loop: 'review',
    story: [
      next,
      move('new', ['add a critic row', row('7', false, 0)], ['delete the journal', 0]),
      move('new', ['change the chain', chain('7')]),
    ],
  },
  {
    id: 'forgotten chain',
    what: 'a new journal does not copy the rounds of the other chains, so that they can be deleted after it',
    loop: 'modules',
    story: [
      next,
      move('new', ['delete the journal and the board', 0], ['change a status', 21]),
      move('new', ['delete the board and the pages', 0], ['change a status', 18]),
    ],
  },
  {
    id: 'behind',
    what: 'an unplanned chain continues from the highest round, but the planned chain keeps its own rounds',
    loop: 'review',
    story: [next, move('new', ['change the chain', chain('7')]), move('new', ['change the chain', chain('1')])],
  },
  {
    id: 'low target',
    what: 'an unplanned chain whose files claim the open round gets its own target',
    loop: 'testing',
    story: [
      next,
      move('new', ['change the target', 11], ['change the chain', chain('X9', 'all')], ['rename the layer', 7], ['write gc-state.json', 1]),
    ],
  },
  {
    id: 'forged chain',
    what: 'a forged decision makes a chain known, so that it may start again',
    loop: 'review',
    story: [next, move('new', ['forge a decision', forged(0, 0, '7')], ['change the chain', chain('7')])],
  },
  {
    id: 'forged end',
    what: 'without the journal, a forged convergence closes a chain, and another may start again',
    loop: 'review',
    story: [next, move('new', ['delete the journal', 0], ['forge a decision', forged(0, 2, null)], ['change the chain', chain('7')])],
  },
  {
    id: 'forced end',
    what: 'without the journal, a convergence by waiver closes a chain that the journal keeps open',
    loop: 'modules',
    story: [next, next, next, next, move('new', ['delete the journal', 0], ['change the chain', chain('7')])],
  },
  {
    id: 'long mark',
    what: 'the record in a page is not read if the name of the chain is long',
    loop: 'review',
    story: [next, move('new', ['change the chain', chain(LONG)]), move('new', ['delete the journal and the board', 0])],
  },
  {
    id: 'long name',
    what: 'a chain name that is too long for a file name crashes instead of being refused',
    loop: 'review',
    story: [next, move('new', ['change the chain', chain(TOO_LONG)])],
  },
  {
    id: 'planned target',
    what: 'the target of a planned chain is lowered before its first verdict',
    loop: 'modules',
    story: [next, move('same', ['add a critic row', 588], ['change the target', 0]), next],
  },
  {
    id: 'lost lead',
    what: 'a convergence removes skipped tasks from deps, so that a task may run before its context_from',
    loop: 'brainstorm',
    story: [
      { ...next, raise: 0 },
      next,
      next,
      move('same', ['tie the rows in a knot', 951]),
      move('same', ['change a status', 631]),
      { ...next, raise: 0 },
    ],
  },
  {
    id: 'last answer',
    what: 'the verdict of the last round is cut off the journal, and the one before it is repeated',
    loop: 'design',
    story: [next, move('first'), next, move('first', ['drop the last journal lines', 157]), next],
  },
];
