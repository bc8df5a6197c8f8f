// The allowed answers to each question, and the texts for them.

import { expect, it } from 'vitest';
import { SETTINGS, TO_REVIEW, answered, begun, done, escalation, row, start, told } from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { answerEvents, describeQuestion } from './answers.js';
import type { AnswerGiven } from './answers.js';
import { HIGHEST_CAP } from '../model/options.js';
import type { Event, RunSettings } from './events.js';
import type { Answer, Question } from '../model/questions.js';
import { answersIn, currentQuestion } from './question.js';
import { ANSWER_NAMES } from '../model/questions.js';
import type { RunState } from './run-state.js';

const GRANTED = { rounds: 1, costUsd: 1, minutes: 1, tokens: 1 };
const NOTHING = { rounds: 0, costUsd: 0, minutes: 0, tokens: 0 };

const say = (events: readonly Event[], answer: Answer, more: Partial<AnswerGiven> = {}) =>
  answerEvents(told(events).state, 's', { answer, reason: 'so', ...NOTHING, by: 'resolve', ...more });
const asked = (events: readonly Event[]) => currentQuestion(told(events).state.run as RunState) as Question;

const PLAN = [...begun(undefined, { gates: ['DESIGN-001'] }), start('DESIGN-001'), done('DESIGN-001')];
const ESCALATION = [...TO_REVIEW, escalation('REVIEW-001', 3)];
const lost: Event = { type: 'JudgingFailed', data: { task: 'REVIEW-001', attempt: 1, rule: 'R9', message: 'm', hint: 'h' } };
const NO_EVIDENCE = [...TO_REVIEW, lost, start('REVIEW-001', 'codex', 2), done('REVIEW-001', { attempt: 2 }), lost];
const usage = { tokens: 0, costUsd: 0 };
const QUESTION: readonly Event[] = [
  ...begun(),
  start('DESIGN-001'),
  { type: 'TaskAsked', data: { task: 'DESIGN-001', attempt: 1, question: 'Which?', usage } },
];
const mending = (events: readonly Event[]) => [...events, answered(asked(events).key, 'manual-fix')];

/** One task of two is done, and cost 1,200 tokens and $0.25. */
function spent(limit: Partial<RunSettings>): readonly Event[] {
  const settings = { ...SETTINGS, maxMinutes: null, ...limit };
  return [...begun([row('A', 'developer'), row('B', 'developer', 'A')], { settings }).slice(0, -1), start('A'), done('A')];
}

it.each<[string, readonly Event[], string, string]>([
  ['plan', PLAN, 'approve revise abort', 'approval of the plan of DESIGN-001'],
  ['escalation', ESCALATION, 'force-approve manual-fix extend abort', 'your decision (rule R5)'],
  ['no-evidence', NO_EVIDENCE, 'manual-fix extend force-approve abort', 'your decision: REVIEW-001 left nothing to judge (rule R9)'],
  ['question', QUESTION, 'answer abort', 'an answer to DESIGN-001'],
  ['edit', mending(ESCALATION), 'extend force-approve abort', 'your edit'],
  ['budget', spent({ maxCostUsd: 0.25 }), 'extend abort', 'a larger budget: $0.25 of $0.25 used'],
  ['budget', spent({ maxTokens: 1200 }), 'extend abort', 'more tokens: 1200 of 1200 used'],
  ['budget', spent({ maxMinutes: 3 }), 'extend abort', 'more minutes: 3.0 of 3 used'],
])('to %s', (kind, events, allowed, words) => {
  const question = asked(events);
  expect({ kind: question.kind, words: describeQuestion(question) }).toEqual({ kind, words });
  for (const answer of ANSWER_NAMES) {
    const answers = () => say(events, answer, GRANTED);
    if (allowed.split(' ').includes(answer)) expect(answers()).toMatchObject([{ data: { key: question.key, answer } }]);
    else expect(answers).toThrow(`the session waits for ${words}, so "${answer}" does not apply`);
  }
});

it('allows force-approve and manual-fix only if the loop offers them, extend and abort always', () => {
  const rules = builtinLoop('review') as Loop;
  const offering = (events: readonly Event[], ...ids: readonly ('force-approve' | 'manual-fix')[]): readonly Event[] => {
    const ask = { ...rules.ask, options: ids.map((id) => ({ id, means: id })) };
    const frozen = { hash: 'a'.repeat(64), rules: { ...rules, ask }, cap: 3, chains: ['1'], targets: {} };
    return events.map((event) => (event.type === 'SessionStarted' ? { ...event, data: { ...event.data, frozen } } : event));
  };
  const taken = (events: readonly Event[]) => {
    const words = answersIn(told(events).state.run as RunState, asked(events));
    for (const answer of ['force-approve', 'manual-fix', 'extend', 'abort'] as const) {
      if (words.includes(answer)) expect(say(events, answer, GRANTED)).toHaveLength(1);
      else expect(() => say(events, answer, GRANTED)).toThrow(/not accepted: /);
    }
    return words.join(' ');
  };
  expect(taken(offering(ESCALATION))).toBe('extend abort');
  expect(taken(offering(ESCALATION, 'manual-fix'))).toBe('manual-fix extend abort');
  expect(taken(offering(NO_EVIDENCE, 'manual-fix'))).toBe('manual-fix extend abort');
  expect(taken(offering(mending(ESCALATION), 'manual-fix'))).toBe('extend abort');
  expect(taken(offering(ESCALATION, 'force-approve', 'manual-fix'))).toBe('force-approve manual-fix extend abort');
  expect(() => say(offering(ESCALATION), 'force-approve')).toThrow(
    'the loop review does not offer "force-approve" (see `ask` in its file)',
  );
  expect(say(offering(PLAN), 'approve')).toHaveLength(1);
});

it('needs a reason without a terminal, and records the way of the answer', () => {
  for (const [events, answer] of [
    [PLAN, 'approve'],
    [ESCALATION, 'abort'],
    [begun(), 'abort'],
  ] as const) {
    const bare = (more: Partial<AnswerGiven>) => say(events, answer, { reason: ' ', ...more });
    expect(() => bare({ via: 'no terminal' })).toThrow('without a terminal an answer needs --reason');
    expect(say(events, answer, { via: 'no terminal' })).toMatchObject([{ data: { reason: 'so', via: 'no terminal' } }]);
    for (const via of ['terminal', 'library'] as const) expect(bare({ via })).toMatchObject([{ data: { via } }]);
  }
  expect(say(ESCALATION, 'extend', { reason: '', rounds: 1, via: 'no terminal', by: '--max-rounds' })).toHaveLength(1);
});

it('needs the text of an answer, and the right flag for extend', () => {
  expect(() => say(QUESTION, 'answer', { reason: ' ' })).toThrow('answer needs --reason');
  for (const [events, grant, flag] of [
    [ESCALATION, 'rounds', '--rounds N'],
    [mending(ESCALATION), 'rounds', '--rounds N'],
    [spent({ maxCostUsd: 0.1 }), 'costUsd', '--cost-usd X'],
    [spent({ maxTokens: 5 }), 'tokens', '--tokens N'],
    [spent({ maxMinutes: 2 }), 'minutes', '--minutes N'],
  ] as const) {
    expect(() => say(events, 'extend', { ...GRANTED, [grant]: 0 })).toThrow(`extend needs ${flag} here`);
    expect(say(events, 'extend', { [grant]: 1 })).toMatchObject([{ data: { ...NOTHING, [grant]: 1 } }]);
  }
  for (const events of [NO_EVIDENCE, mending(NO_EVIDENCE)]) expect(say(events, 'extend')).toHaveLength(1);
});

it('grants half a minute and half a dollar', () => {
  expect(say(spent({ maxMinutes: 2 }), 'extend', { minutes: 0.5, costUsd: 0.5 })).toMatchObject([{ data: { minutes: 0.5, costUsd: 0.5 } }]);
});

it('grants no rounds beyond the maximum, but still money', () => {
  const capped = (events: readonly Event[]) =>
    events.map((event) => (event.type === 'RulesFrozen' ? { ...event, data: { ...event.data, cap: HIGHEST_CAP } } : event));
  expect(() => say(capped(ESCALATION), 'extend', { rounds: 1 })).toThrow(`the maximum is`);
  expect(say(capped(spent({ maxTokens: 5 })), 'extend', { tokens: 9 })).toHaveLength(1);
});

it('can be aborted without an open question, but not after it has ended', () => {
  expect(say(begun(), 'abort', GRANTED)).toMatchObject([{ type: 'PersonAnswered', data: { key: 'abort', answer: 'abort' } }]);
  const end: Event = { type: 'SessionEnded', data: { outcome: 'failed', unverified: true, reason: 'x' } };
  expect(() => say([...ESCALATION, end], 'abort')).toThrow('it has ended as failed');
  expect(() => say([{ type: 'SessionObserved', data: { session: 's', tasks: 1 } }], 'abort')).toThrow('it has no open question');
});
