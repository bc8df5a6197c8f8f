// What a complaint says, and how it is mended: for the person who wrote the loop and is tired.

import type { Loop } from '../loops/loop.js';
import type { Objection } from './objections.js';
import { idAt, spoken } from './refutation.js';

export interface Words {
  readonly says: string;
  readonly mend: string;
}

const STATES = { 'approves-missing': 'missing', 'approves-unreadable': 'unreadable', 'approves-unread': 'not read in time' } as const;

/** `row`: the id of the row that the story ends in. `endless`: it goes on beyond the cap for ever. */
export function wordsFor(loop: Loop, objection: Pick<Objection, 'code' | 'at' | 'about'>, row: string | null, endless = false): Words {
  const { about } = objection;
  const at = spoken(objection.at);
  const word = (outcome: keyof Loop['words']) => loop.words[outcome];
  switch (objection.code) {
    case 'no-row':
      return {
        says: 'There is a case that no row matches: nobody decides.',
        mend: 'Close the gap between the rows, or end the table in a row without "when" that escalates.',
      };
    case 'never-ends':
      return {
        says: `Row ${at} asks for another round (${word('revise')}) when the rounds are spent${endless ? ': a critic who is never content is never stopped.' : ', one more than the cap allows.'}`,
        mend: `Give row ${at} the test round: "<cap", and let a row after it escalate or accept. (At run time rule E9 would call a person in its place.)`,
      };
    case 'approves-critical':
      return {
        says: `Row ${at} approves over a Critical finding (${about}), and declares no waiver for it.`,
        mend: `Let a row before ${at} revise or escalate where ${about} is above 0, or a repair take the approval back. (At run time rule E8 would call a person in its place.)`,
      };
    case 'approves-missing':
    case 'approves-unreadable':
    case 'approves-unread':
      return {
        says: `Row ${at} approves without ${loop.evidence[about]?.what ?? about} (${STATES[objection.code]}), and declares no waiver for it.`,
        mend: `Stop such a case before row ${at}: a repair with an error where the evidence is not "ok", or a row that revises or escalates. Where the approval is meant, declare a waiver.${objection.code === 'approves-unread' ? ' (At run time rule E1 gives a partial verdict in its place.)' : ''}`,
      };
    case 'approves-uncounted':
      return uncounted(loop, at, about);
    case 'approves-absent':
      return {
        says: `Row ${at} approves although ${about} is absent, and the rules ask for it: what nobody measured counts as good.`,
        mend: `Say what happens where ${about} is absent: a repair that sets it to something bad or stops, or a row before ${at} that revises or escalates. Where the approval is meant, declare a waiver.`,
      };
    case 'promise-broken': {
      const vow = loop.promises?.find((_, index, all) => idAt(all, index) === about);
      return {
        says: `The promise ${at} is broken: ${vow?.why ?? ''}`,
        mend: `Look at row ${row ?? '(none)'} and the repairs above, or give the promise up.`,
      };
    }
    case 'accepts-unwaived':
      return {
        says: `Row ${at} accepts (${word('accept')}) what did not pass, and declares no waiver: the verdict would look like a clean one.`,
        mend: `Add a waiver to row ${at} that says why this may be accepted; the verdict is then marked unverified.`,
      };
    case 'strict-approves':
      return {
        says: `Under --strict row ${at} still approves by its waiver.`,
        mend: 'This is a fault of Umpire, not of the loop. Please report it.',
      };
    case 'no-way-out':
      return {
        says: 'When the rounds are spent, no row that can be reached asks a person, accepts, or converges by waiver: what is still open is lost.',
        mend: `Let a row for round: ">=cap" escalate, or accept with a waiver.`,
      };
    case 'repair-unsettled':
      return {
        says: `The repairs do not settle: run once more over their own result, ${at} would change a fact again.`,
        mend: `Repairs run once, in order. Let ${at} not apply to what it has set itself, and put a repair after those whose facts it looks at.`,
      };
    case 'round-falls':
    case 'dead-row':
    case 'dead-repair':
    case 'dead-worse':
    case 'dead-promise':
      return { says: about, mend: '' };
  }
}

function uncounted(loop: Loop, at: string, source: string): Words {
  const what = loop.evidence[source]?.what ?? source;
  const counts = Object.entries(loop.facts).filter(
    ([, spec]) => 'findings' in spec && spec.findings.length > 1 && spec.findings.includes(source),
  );
  const facts = counts.map(([name]) => name).join(', ');
  return {
    says: `Row ${at} approves although ${what} counts no findings: those of ${facts} come from others alone, and what was not counted passes for none.`,
    mend: `Count ${what} by a fact of its own (findings: ${source}), and test that one too; or stop such a case before row ${at}, by a fact such as counted: ${source}. Where it says the same as the others, name them all in "agree".`,
  };
}
