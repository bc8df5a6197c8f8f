// Loops that look correct and are not: each was once proven, and a session showed otherwise. And loops that are refused, because their
// parts do not fit.

import { describe, expect, it } from 'vitest';
import { complaints, loopOf, NOT_THERE, REVIEW, vow } from '../../../../test/support/any-loop.js';
import { checkLoop } from './check.js';

const number = (name: string) => ({ number: [0, 100], at: `review.${name}` });
const converge = { id: 'C', then: 'converge' };

describe('is not proven where', () => {
  it('a substitute without counts replaces a source with counts', () => {
    const evidence = { a: { ...REVIEW, reader: 'review-json', else: 'b' }, b: { ...REVIEW, file: 'b.json' } };
    const facts = { a: { state: 'a' }, critical: { findings: 'a', severity: 'critical' } };
    const rows = [
      { id: 'A', when: { a: ['missing', 'unreadable', 'unread'] }, then: 'escalate' },
      { id: 'B', when: { critical: '>0' }, then: 'escalate' },
    ];
    expect(complaints({ evidence, facts }, [...rows, converge])).toContain('approves-absent C critical');
  });

  it('two facts of one source are absent together', () => {
    const facts = { high: { findings: 'review', severity: 'high' }, medium: { findings: 'review', severity: 'medium' } };
    const rows = [NOT_THERE, { id: 'B', when: { high: '>0', medium: '>0' }, then: 'escalate' }];
    expect(complaints({ facts }, [...rows, converge])).toContain('approves-absent C high');
  });

  it('a sum or a step uses an absent fact', () => {
    const sum = { linear: { high: -4 }, base: 10, within: [0, 10] };
    const facts = { score: { number: [0, 10], at: 'review.score' }, high: { findings: 'review', severity: 'high' } };
    const rows = [NOT_THERE, { id: 'B', when: { score: '>=7' }, then: 'converge' }, { id: 'C', then: 'escalate' }];
    expect(complaints({ facts, repairs: [{ when: { score: 'absent' }, set: { score: sum } }] }, rows)).toContain('approves-absent B high');
    const step = { signal: { step: 'bugs', at: 1, below: 'PASS', else: 'FIX' } };
    const words = { signal: { enum: ['PASS', 'FIX'], at: 'review.signal' }, bugs: number('bugs') };
    const passes = [NOT_THERE, { id: 'B', when: { signal: 'PASS' }, then: 'converge' }, { id: 'C', then: 'escalate' }];
    expect(complaints({ facts: words, repairs: [{ when: { signal: 'absent' }, set: step }] }, passes)).toContain('approves-absent B bugs');
  });

  it('an absent fact leads to an approval, in any order', () => {
    const facts = { critical: { findings: 'review', severity: 'critical' } };
    const good = { id: 'B', when: { critical: 0 }, then: 'converge' };
    const blind = { id: 'D', when: { critical: 'absent' }, then: 'converge' };
    const last = { id: 'C', then: 'escalate' };
    expect(complaints({ facts }, [NOT_THERE, good, blind, last])).toEqual(['approves-absent D critical']);
    expect(complaints({ facts }, [NOT_THERE, blind, good, last])).toEqual(['approves-absent D critical']);
  });

  it('another cap makes the difference', () => {
    const score = { facts: { score: number('score') } };
    const lax = [
      NOT_THERE,
      { id: 'B', when: { score: 'absent' }, then: 'escalate' },
      { id: 'D', when: { score: '<7', round: '>=cap' }, then: 'escalate' },
    ];
    expect(complaints({ ...score, cap: { default: 1 }, ...vow({ score: '<7' }, 'converge') }, [...lax, converge])).toContain(
      'promise-broken V V',
    );
    const early = [
      NOT_THERE,
      { id: 'B', when: { round: '<=3' }, then: 'escalate' },
      { id: 'D', when: { score: '>=1' }, then: 'converge' },
      { id: 'C', then: 'escalate' },
    ];
    expect(complaints({ ...score, ...vow({ round: '<cap' }, 'converge') }, early)).toContain('promise-broken V V');
    const big = [NOT_THERE, { id: 'B', when: { score: '>=cap' }, then: 'escalate' }, converge];
    const repaired = { repairs: [{ when: { score: 'absent' }, set: { score: 5 } }] };
    expect(complaints({ ...score, ...repaired, ...vow({ score: 'absent' }, 'converge') }, big)).toContain('promise-broken V V');
  });

  it('another target makes the difference', () => {
    const target = { default: 80, column: 'target', what: 'target' };
    const facts = { cov: number('cov'), branch: number('branch') };
    const rows = [NOT_THERE, { id: 'B', when: { cov: '>=target', branch: '<target' }, then: 'converge' }, { id: 'C', then: 'escalate' }];
    const repairs = [{ when: { cov: 'absent' }, set: { cov: 50 } }];
    expect(complaints({ facts, target, repairs, ...vow({ cov: 'absent' }, 'converge') }, rows)).toContain('promise-broken V V');
    const byRound = [NOT_THERE, { id: 'B', when: { round: '=target', cov: '>0' }, then: 'converge' }, { id: 'C', then: 'escalate' }];
    expect(complaints({ facts, target, ...vow({ round: '<=cap' }, 'converge') }, byRound)).toContain('promise-broken V V');
  });

  it('an optional source is unreadable', () => {
    const evidence = { review: REVIEW, audit: { ...REVIEW, file: 'audit.json', what: 'the audit', optional: true } };
    const facts = { review: { state: 'review' }, score: number('score'), critical: { findings: 'audit', severity: 'critical' } };
    const rows = [
      NOT_THERE,
      { id: 'B', when: { critical: '>0' }, then: 'escalate' },
      { id: 'D', when: { score: '>=7' }, then: 'converge' },
      { id: 'C', then: 'escalate' },
    ];
    expect(complaints({ evidence, facts }, rows)).toContain('approves-unreadable D audit');
  });
});

describe('nor where', () => {
  const target = { default: 80, column: 'target', what: 'target' };
  const ok = { ok: { flag: 'review.ok' } };
  const bad = (id: string, when: object) => ({ id, when: { ok: false, ...when }, then: 'escalate' });
  const absent = (...facts: readonly string[]) => facts.map((fact) => ({ id: `N-${fact}`, when: { [fact]: 'absent' }, then: 'escalate' }));
  const never = vow({ ok: false }, 'converge');

  it('a rule is skipped because a fact is absent', () => {
    const rows = [NOT_THERE, { id: 'B', when: { score: 'present' }, then: 'escalate' }, converge];
    expect(complaints({ facts: { score: number('score') } }, rows)).toContain('approves-absent C score');
  });

  it('one of two optional sources is missing and the other cannot be read', () => {
    const optional = (file: string) => ({ ...REVIEW, file, what: file, optional: true });
    const evidence = { main: { ...REVIEW, file: 'main.json' }, review: optional('review.json'), audit: optional('audit.json') };
    const facts = { main: { state: 'main' }, review: { state: 'review' }, seen: { found: ['review', 'audit'] } };
    const rows = [
      { id: 'A', when: { main: ['missing', 'unreadable', 'unread'] }, then: 'escalate' },
      { id: 'B', when: { review: ['unreadable', 'unread'] }, then: 'escalate' },
    ];
    expect(complaints({ evidence, facts }, [...rows, converge])).toContain('approves-unreadable C audit');
  });

  it('only a target between two neighbours makes the difference', () => {
    const facts = { ...ok, a: number('a'), b: number('b') };
    const rows = [bad('D', { a: '>=80' }), bad('E', { a: '<=target' }), bad('F', { b: '<=79' }), bad('G', { b: '>=target' })];
    expect(complaints({ facts, target, ...never }, [NOT_THERE, ...absent('ok', 'a', 'b'), ...rows, converge])).toContain(
      'promise-broken V V',
    );
  });

  it('a step or a sum changes a fact that is compared with the target', () => {
    const word = (name: string) => ({ enum: ['LO', 'HI'], at: `review.${name}` });
    const facts = { ...ok, a: number('a'), b: number('b'), s1: word('s1'), s2: word('s2') };
    const repairs = [
      { when: { a: 'present' }, set: { s1: { step: 'a', at: 20, below: 'LO', else: 'HI' } } },
      { when: { b: 'present' }, set: { s2: { step: 'b', at: 50, below: 'LO', else: 'HI' } } },
    ];
    const steps = [bad('D', { s1: 'LO' }), bad('E', { s2: 'HI' }), bad('F', { a: '>target' }), bad('G', { b: '<target' })];
    const table = [NOT_THERE, ...absent('ok', 'a', 'b'), ...steps, converge];
    expect(complaints({ facts, repairs, target, ...never }, table)).toContain('promise-broken V V');
    const sum = [{ when: { b: 'present' }, set: { a: { linear: { b: 1 }, base: 0, within: [0, 100] } } }];
    const narrow = { ...ok, a: number('a'), b: { number: [10, 20], at: 'review.b' } };
    const sums = [NOT_THERE, ...absent('ok', 'a', 'b'), bad('D', { a: '<target' }), bad('E', { a: '>target' }), converge];
    expect(complaints({ facts: narrow, repairs: sum, target, ...never }, sums)).toContain('promise-broken V V');
  });

  it('the round lies between the target and the cap', () => {
    const facts = { ...ok, num: { number: [5, 100], at: 'review.num' } };
    const rows = [bad('D', { num: '>=target' }), bad('E', { round: '<=target' }), bad('F', { round: '>=cap' })];
    expect(complaints({ facts, target, ...never }, [NOT_THERE, ...absent('ok', 'num'), ...rows, converge])).toContain('promise-broken V V');
  });

  it('a source is named twice', () => {
    const evidence = { x: { ...REVIEW, file: 'x.json' }, y: { ...REVIEW, file: 'y.json' } };
    const severities = ['critical', 'high', 'medium', 'low'];
    const facts = {
      x: { state: 'x' },
      y: { state: 'y' },
      cx: { counted: 'x' },
      total: { findings: ['x', 'y'] },
      ...Object.fromEntries(severities.map((severity) => [severity, { findings: ['x', 'x'], severity }])),
    };
    const gone = ['x', 'y'].map((name) => ({ id: `N-${name}`, when: { [name]: ['missing', 'unreadable', 'unread'] }, then: 'escalate' }));
    const some = severities.map((severity) => ({ id: `S-${severity}`, when: { [severity]: '>0' }, then: 'escalate' }));
    const rows = [
      ...gone,
      { id: 'D', when: { cx: false }, then: 'escalate' },
      ...some,
      { id: 'H', when: { total: '>0' }, then: 'escalate' },
    ];
    expect(complaints({ evidence, facts }, [...rows, { id: 'Z', then: 'escalate' }])).toEqual([]);
  });
});

it('gives no impossible explanation', () => {
  const evidence = { x: { ...REVIEW, file: 'x.json', reader: 'review-json' }, y: { ...REVIEW, file: 'y.json', reader: 'review-json' } };
  const critical = (...findings: readonly string[]) => ({ findings, severity: 'critical' });
  const facts = { x: { state: 'x' }, y: { state: 'y' }, cx: critical('x'), cy: critical('y'), both: critical('x', 'y') };
  const gone = ['x', 'y'].map((name) => ({ id: `N-${name}`, when: { [name]: ['missing', 'unreadable', 'unread'] }, then: 'escalate' }));
  const some = ['cx', 'cy'].map((fact) => ({ id: `S-${fact}`, when: { [fact]: '>0' }, then: 'escalate' }));
  expect(complaints({ evidence, facts }, [...gone, ...some, converge])).toEqual([]);
});

it('does not claim more than it checked', () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ id: `B${index}`, when: { score: `=${index}` }, then: 'escalate' }));
  const proof = checkLoop(loopOf({ facts: { score: number('score') } }, [...rows, { id: 'Z', then: 'escalate' }]));
  expect(proof).toMatchObject({ result: 'proven in part', held: [{ fact: 'score', value: null }] });
  const rounds = Array.from({ length: 40 }, (_, index) => ({ id: `B${index}`, when: { round: `=${index + 1}` }, then: 'escalate' }));
  const late = checkLoop(loopOf({ cap: { default: 100 } }, [...rounds, { id: 'Z', then: 'escalate' }]));
  expect(late).toMatchObject({ result: 'proven in part', complaints: [] });
  expect(late.held.map(({ fact }) => fact)).toEqual(['round']);
});

it('counts every possible revision', () => {
  const rows = Array.from({ length: 12 }, (_, index) => ({
    id: `B${index}`,
    when: { score: `=${index + 1}`, round: `=${index + 1}` },
    then: 'revise',
  }));
  const tasks = [
    { id: 'FIX-{round}', title: 'Mend', description: 'Mend', role: 'coder', after: 'critic' },
    { id: 'REVIEW-re-{round}', title: 'Again', description: 'Again', role: 'reviewer', after: 'previous', recheck: true },
  ];
  const proof = checkLoop(
    loopOf({ facts: { score: number('score') }, cap: { default: 13 }, tasks }, [...rows, { id: 'Z', then: 'escalate' }]),
  );
  expect(proof.revisions).toBe(12);
  const late = [
    { id: 'B', when: { round: '<=1' }, then: 'escalate' },
    { id: 'D', when: { round: '<cap' }, then: 'revise' },
  ];
  expect(checkLoop(loopOf({ cap: { default: 5 }, tasks }, [...late, { id: 'Z', then: 'escalate' }])).revisions).toBe(3);
});

describe('a number that is compared with the round before', () => {
  const score = { number: [0, 10], at: 'review.score' };
  const facts = { score, rose: { ...score, change: 'net' } };
  const rows = [NOT_THERE, { id: 'B', when: { score: '>=8' }, then: 'converge' }, { id: 'Z', then: 'escalate' }];

  it('tests what made things worse', () => {
    expect(complaints({ facts, worse: { rose: '<0' } }, rows)).toEqual([]);
    expect(complaints({ facts, worse: { rose: '<0', score: '>=8' } }, rows)).toEqual(['dead-worse worse']);
  });

  it('is absent in the first round, and where there is no number', () => {
    const first = [NOT_THERE, { id: 'A', when: { rose: '>=0', round: '<=1' }, then: 'escalate' }, ...rows.slice(1)];
    expect(complaints({ facts }, first)).toContain('dead-row A#2');
    const blind = [NOT_THERE, { id: 'B', when: { score: 'absent', rose: 'present' }, then: 'escalate' }, ...rows.slice(2)];
    expect(complaints({ facts }, blind)).toEqual(['dead-row B']);
    const unmeasured = [
      NOT_THERE,
      { id: 'B', when: { rose: '<0' }, then: 'escalate' },
      { id: 'C', when: { score: '>=0' }, then: 'converge' },
      ...rows.slice(2),
    ];
    expect(complaints({ facts }, unmeasured)).toEqual(['approves-absent C rose']);
  });

  it('changes only within its bounds', () => {
    expect(complaints({ facts, ...vow({ score: '<3', rose: '>5' }, 'converge') }, rows)).toEqual(['dead-promise V']);
    expect(complaints({ facts, ...vow({ score: '>7', rose: '<-5' }, 'converge') }, rows)).toEqual(['dead-promise V']);
    expect(complaints({ facts, ...vow({ score: '>7', rose: '>5' }, 'escalate') }, rows)).toEqual(['promise-broken V V']);
    expect(() => loopOf({ facts, worse: { rose: '<-11' } }, rows)).toThrow('is between -10 and 10');
  });
});

it('notes a revision without a task for the generator', () => {
  const facts = { critical: { findings: 'review', severity: 'critical' } };
  const again = { id: 'READ-{next}', title: 'x', description: 'x', role: 'reviewer', after: 'previous', recheck: true };
  const mended = (role: string) => {
    const tasks = [{ id: 'MEND-{next}', title: 'x', description: 'x', role, after: 'critic' }, again];
    return checkLoop(loopOf({ facts, tasks }, [{ id: 'Z', then: 'escalate' }])).notes.join('\n');
  };
  expect(mended('codr')).toMatch(/^No task of a revision has the role coder, but codr \(a typo\?\)\. /);
  expect(mended('fixer')).toMatch(/^No task of a revision has the role coder, but fixer\. .*\(default: coder\)\.$/);
  expect(mended('coder')).toBe('');
});

it('notes a source whose Critical findings no fact counts', () => {
  const evidence = { review: REVIEW, other: { ...REVIEW, file: 'other.json', what: 'the other review' } };
  const facts = { critical: { findings: 'review', severity: 'critical' }, score: { number: [0, 10], at: 'other.score' } };
  const { notes } = checkLoop(loopOf({ evidence, facts }, [{ id: 'Z', then: 'escalate' }]));
  expect(notes).toEqual(['No fact counts Critical findings in the other review. If there is one, rule E8 escalates instead of approving.']);
});

describe('is refused where', () => {
  const words = {
    signal: { enum: ['PASS', 'FIX'], at: 'review.signal' },
    ok: { flag: 'review.ok' },
    high: { findings: 'review', severity: 'high' },
    part: number('part'),
  };
  it.each([
    ['a sum counts words', { ok: 'absent' }, { high: { linear: { signal: 1 }, base: 0, within: [0, 9] } }, '"signal" is not a number'],
    ['a flag becomes a number', { ok: 'absent' }, { ok: 1 }, '"ok" is a flag'],
    ['a count becomes a fraction', { ok: 'absent' }, { high: 0.5 }, 'must be a whole number'],
    ['a word becomes another', { ok: 'absent' }, { signal: 'MAYBE' }, '"signal" cannot be "MAYBE"'],
    ['what was found is changed', { ok: 'absent' }, { review: 'ok' }, 'a repair cannot change it'],
    ['bounds are upside down', { ok: 'absent' }, { high: { linear: { high: 1 }, base: 0, within: [9, 0] } }, 'must not be above'],
    ['a count is made of fractions', { ok: 'absent' }, { high: { linear: { part: 1 }, base: 0, within: [0, 9] } }, 'may be a fraction'],
    ['a name is nobody', { constructor: '>0' }, { high: 1 }, 'no fact "constructor"'],
  ])('%s', (_, when, set, problem) => {
    expect(() => loopOf({ facts: words, repairs: [{ when, set }] }, [{ id: 'Z', then: 'escalate' }])).toThrow(problem);
  });

  it('a word is there twice', () => {
    const facts = { signal: { enum: ['PASS', 'pass', 'FIX'], at: 'review.signal' } };
    expect(() => loopOf({ facts }, [{ id: 'Z', then: 'escalate' }])).toThrow('"pass" appears twice');
  });

  it('evidence would replace itself', () => {
    const evidence = { a: { ...REVIEW, else: 'b' }, b: { ...REVIEW, else: 'a' } };
    expect(() => loopOf({ evidence, facts: { a: { state: 'a' } } }, [{ id: 'Z', then: 'escalate' }])).toThrow('would replace itself');
  });
});
