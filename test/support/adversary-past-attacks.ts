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
    what: 'a journal that was cut back at a whole line stands, so the pages are not asked, and without the board the rounds fall',
    loop: 'debt',
    story: [next, next, move('new', ['cut the journal back', 3], ['delete the board', 0])],
  },
  {
    id: 'old answer',
    what: 'a journal that was cut back gives its last answer again, though the board knows of a later round',
    loop: 'debt',
    story: [move('first'), next, move('first', ['cut the journal back', 3])],
  },
  {
    id: 'knot',
    what: 'the tasks of a round that is judged again are tied into a knot, which is a crash and no refusal',
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
    what: 'a round above 10000 is taken from a state file, and not read back from the board when the journal is gone',
    loop: 'debt',
    story: [
      next,
      move('new', ['write session-state.json', NUMBERS.indexOf('1000000000')]),
      move('new', ['delete the journal and the state', 0]),
    ],
  },
  {
    id: 'planned anew',
    what: 'a journal that begins anew takes every chain of tasks.csv for a planned one, which may begin afresh',
    loop: 'review',
    story: [
      next,
      move('new', ['add a critic row', row('7', false, 0)], ['delete the journal', 0]),
      move('new', ['change the chain', chain('7')]),
    ],
  },
  {
    id: 'forgotten chain',
    what: 'a journal that begins anew does not take over the rounds of the other chains, so that the rest can be deleted after it',
    loop: 'modules',
    story: [
      next,
      move('new', ['delete the journal and the board', 0], ['change a status', 21]),
      move('new', ['delete the board and the pages', 0], ['change a status', 18]),
    ],
  },
  {
    id: 'behind',
    what: 'a chain that nobody planned goes on from the furthest, but the planned one stays behind and has its own rounds still',
    loop: 'review',
    story: [next, move('new', ['change the chain', chain('7')]), move('new', ['change the chain', chain('1')])],
  },
  {
    id: 'low target',
    what: 'a chain that nobody planned, and whose files claim the open round themselves, is held to a target of its own',
    loop: 'testing',
    story: [
      next,
      move('new', ['change the target', 11], ['change the chain', chain('X9', 'all')], ['rename the layer', 7], ['write gc-state.json', 1]),
    ],
  },
  {
    id: 'forged chain',
    what: 'a forged decision makes a chain a known one, which may begin afresh',
    loop: 'review',
    story: [next, move('new', ['forge a decision', forged(0, 0, '7')], ['change the chain', chain('7')])],
  },
  {
    id: 'forged end',
    what: 'where the journal is gone, a forged convergence closes a chain, and another may begin afresh',
    loop: 'review',
    story: [next, move('new', ['delete the journal', 0], ['forge a decision', forged(0, 2, null)], ['change the chain', chain('7')])],
  },
  {
    id: 'forced end',
    what: 'where the journal is gone, a convergence by waiver closes a chain, though by the journal it would be open',
    loop: 'modules',
    story: [next, next, next, next, move('new', ['delete the journal', 0], ['change the chain', chain('7')])],
  },
  {
    id: 'long mark',
    what: 'the mark of a page is not read where the name of the chain is long',
    loop: 'review',
    story: [next, move('new', ['change the chain', chain(LONG)]), move('new', ['delete the journal and the board', 0])],
  },
  {
    id: 'long name',
    what: 'the name of a chain that is too long for a file name is a crash and no refusal',
    loop: 'review',
    story: [next, move('new', ['change the chain', chain(TOO_LONG)])],
  },
  {
    id: 'planned target',
    what: 'the target of a chain that was planned is lowered before its own first verdict',
    loop: 'modules',
    story: [next, move('same', ['add a critic row', 588], ['change the target', 0]), next],
  },
  {
    id: 'lost lead',
    what: 'a convergence takes skipped tasks out of what a task waits for, and it no longer comes after what it takes context from',
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
    what: 'the verdict that spent the last round is cut off the journal, and the one before it is given again',
    loop: 'design',
    story: [next, move('first'), next, move('first', ['drop the last journal lines', 157]), next],
  },
];
