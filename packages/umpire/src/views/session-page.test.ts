import { expect, it } from 'vitest';
import type { Event } from '@umpire/core/decider/events.js';
import {
  COMPLETE,
  ESCALATED,
  FIRST_VERDICT,
  SPRINT,
  TO_REVIEW,
  answered,
  begins,
  begun,
  done,
  escalation,
  failed,
  finding,
  row,
  start,
  told,
  verdict,
} from '../../../../test/support/session-events.js';
import { contextPage, sessionPage, provenanceLines } from './session-page.js';
import { stateWordOf } from './session-view.js';
import { UTC } from './words.js';
import type { Clock } from './words.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';

function pageOf(story: readonly Event[], tasks: Parameters<typeof sessionPage>[1]['tasks'] = [], clock: Clock = UTC): string {
  const { events, state } = told(story);
  return sessionPage(state, {
    session: 'review-payments-2026-03-01',
    state: stateWordOf(state, false),
    tasks,
    place: null,
    notes: [],
    events,
    clock,
  });
}

/** The lines under a heading, up to the next of its level. */
function under(page: string, heading: string): readonly string[] {
  const lines = page.split('\n');
  const from = lines.indexOf(`## ${heading}`);
  if (from < 0) return [];
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => line.startsWith('## '));
  return rest.slice(0, to < 0 ? undefined : to).filter((line) => line !== '');
}

it('tells a whole session', () => {
  expect(pageOf(COMPLETE)).toMatchSnapshot();
});

it('names both zones where the clock was put back on the way', () => {
  const first = told(COMPLETE).events[0]?.ts;
  const clock: Clock = { moment: (ts) => (ts === first ? 'summer' : 'winter'), zone: (ts) => (ts === first ? 'UTC-4' : 'UTC-5') };
  expect(pageOf(COMPLETE, [], clock)).toContain('- From summer (UTC-4) to winter (UTC-5), all times in local time\n');
});

it('says unverified wherever it applies, with the reason of whoever approved', () => {
  const page = pageOf([
    ...ESCALATED,
    answered(`verdict:${FIRST_VERDICT}`, 'force-approve', { reason: 'The logger is gone next week.' }),
    { type: 'SessionEnded', data: { outcome: 'complete', unverified: true, reason: 'Approved by a person.' } },
  ]);
  expect(page).toContain('- Outcome: **complete, unverified**: Approved by a person.');
  expect(under(page, 'Unverified')).toEqual([
    '- A person approved it without clean evidence: The logger is gone next week. (about: The review still asks for a revision at a score of 5/10 after iteration 3 of 3.)',
  ]);
  expect(under(page, 'Answers and changes by people')).toEqual([
    `- 2026-03-01 09:15: **force-approve** (**unverified**) on the verdict ESCALATE, rule R5 (journal line ${FIRST_VERDICT}) (resolve): The logger is gone next week.`,
  ]);
  const waived = pageOf([...TO_REVIEW, verdict('REVIEW-001', { unverified: true, waivers: ['the reviewer converged at a low score'] })]);
  expect(waived).toContain('### 1. CONVERGE (**unverified**): round 1 of 3, rule R1, sprint 1');
  expect(waived).toContain('- Waiver: the reviewer converged at a low score');
  expect(under(waived, 'Unverified')).toHaveLength(1);
  expect(under(pageOf(begun(SPRINT, { judged: false, mode: 'patch' })), 'Unverified')).toEqual([
    '- The mode patch does not judge a critic.',
  ]);
});

it('tells what people said and edited, what was taken back, and who went on', () => {
  const key = `verdict:${FIRST_VERDICT}`;
  const page = pageOf([
    ...ESCALATED,
    { type: 'CapChanged', data: { loop: 'review', from: 3, to: 5, by: 'resolve extend' } },
    answered(key, 'extend', { rounds: 2 }),
    begins('resolve'),
    { type: 'TasksEdited', data: { set: {}, add: [], columns: [], told: ['SHIP-001: title changed'] } },
    { type: 'EditRefused', data: { reason: 'DEV-001: title changed, but the task is completed', kept: 'tasks.refused-1.csv' } },
    { type: 'StrayChanges', data: { wave: 3, files: ['coverage/x'] } },
    { type: 'WorkReverted', data: { verdict: FIRST_VERDICT, tasks: ['FIX-1-1'], head: null, files: [], ok: true } },
    start('SHIP-001'),
    begins('resume'),
    start('SHIP-001', 'claude', 2),
    done('SHIP-001', { attempt: 2, status: 'failed', findings: '', error: 'No.' }),
  ]);
  expect(under(page, 'Answers and changes by people')).toEqual([
    '- 2026-03-01 09:15: cap changed from 3 to 5 (resolve extend)',
    `- 2026-03-01 09:16: **extend** on the verdict ESCALATE, rule R5 (journal line ${FIRST_VERDICT}), 2 rounds more (resolve)`,
  ]);
  expect(under(page, 'Edits of tasks.csv')).toEqual([
    '- 2026-03-01 09:18: applied: SHIP-001: title changed',
    '- 2026-03-01 09:19: refused: DEV-001: title changed, but the task is completed; kept as tasks.refused-1.csv',
  ]);
  expect(under(page, 'Discarded and reverted work')).toEqual([
    '- 2026-03-01 09:20: discarded changes that no task may make: 1 file: coverage/x',
    `- 2026-03-01 09:21: reverted the work of FIX-1-1, which made things worse (verdict on journal line ${FIRST_VERDICT})`,
  ]);
  expect(under(page, 'Runs')).toHaveLength(3);
  expect(page).toContain('- Attempt 1 by claude: cut off\n- Attempt 2 by claude: failed after 1 min');
  expect(page).toContain('- Error: No.');
});

it('says of a run that nobody ended that it was cut off', () => {
  expect(pageOf([...begun(), start('DESIGN-001')])).toContain('- stopped, architect\n- Attempt 1 by claude: cut off\n');
});

it('shows what a person is asked', () => {
  const asks: Event = {
    type: 'TaskAsked',
    data: { task: 'DESIGN-001', attempt: 1, question: 'Which vault?\n```\n# Approved', usage: { tokens: 1, costUsd: 0 } },
  };
  expect(under(pageOf([...begun(), start('DESIGN-001'), asks]), 'Waiting for you')).toEqual([
    'Waiting for an answer to DESIGN-001.',
    '````text',
    'Which vault?',
    '```',
    '# Approved',
    '````',
    '```text',
    'umpire resolve review-payments-2026-03-01 answer --reason "your answer"',
    'umpire resolve review-payments-2026-03-01 abort',
    '```',
  ]);
});

it('follows findings from round to round, and lists no more than fifty', () => {
  const many = Array.from({ length: 70 }, (_, index) => finding('low', `Finding ${index}`));
  const page = pageOf([...TO_REVIEW, verdict('REVIEW-001', { findings: many })]);
  expect(page.match(/^- low: /gm)).toHaveLength(50);
  expect(page).toContain('- and 20 findings more');
  const gone = Array.from({ length: 60 }, (_, index) => ({ fate: 'fixed', fingerprint: `f${index}`, finding: `Gone ${index}` }));
  const fixed = pageOf([...TO_REVIEW, verdict('REVIEW-001', { fates: gone })]);
  expect(fixed.match(/^- fixed: /gm)).toHaveLength(50);
  expect(fixed).toContain('- and 10 fixed findings more');
  // Of two copies of one finding, one is mended and one is there: that is what is said of it.
  const copy = finding('high', 'Twice', 'a.ts');
  const fates = ['persisting', 'fixed'].map((fate) => ({ fate, fingerprint: copy.fingerprint, finding: 'Twice (a.ts:88)' }));
  const half = pageOf([...TO_REVIEW, verdict('REVIEW-001', { findings: [copy], fates })]);
  expect(half).toContain('- high: Twice (a.ts:88) (persisting)\n- fixed: Twice (a.ts:88)\n');
});

it('lets no agent forge a heading, a table, a link or HTML', () => {
  const nasty = [
    'fine',
    '',
    '## Outcome',
    '| forged | table |',
    '|---|---|',
    '[x](http://evil)',
    '<script>alert(1)</script>',
    '- **complete**',
    '```',
    '\u001b[31m',
  ].join('\n');
  const id = 'X-1\n## Forged';
  const story: readonly Event[] = [
    ...begun([row(id, nasty, '', nasty), ...SPRINT], { goal: nasty, why: nasty, mode: nasty }),
    start(id, nasty),
    done(id, { findings: nasty, files: [nasty] }),
    failed('DESIGN-001', nasty),
    verdict(id, {
      decision: nasty,
      rule: nasty,
      reason: nasty,
      chain: nasty,
      waivers: [nasty],
      findings: [finding('high', nasty, nasty)],
      anomalies: [{ rule: nasty, message: nasty }],
      evidence: [{ path: nasty, sha256: 'e', grade: 'testified' }],
      nextStep: nasty,
    }),
    escalation('REVIEW-001', 3),
    answered('verdict:9', 'abort', { reason: nasty, by: nasty }),
    { type: 'EditRefused', data: { reason: nasty, kept: nasty } },
    { type: 'StrayChanges', data: { wave: 1, files: [nasty] } },
    { type: 'SessionEnded', data: { outcome: 'aborted', unverified: true, reason: nasty } },
  ];
  const { state } = told(story);
  for (const page of [pageOf(story), contextPage(state)]) {
    const outside = withoutFences(page);
    expect(outside.filter((line) => /^\s*(#{1,6} |\||<|```)/.test(line) && !/^#{1,4} /.test(line))).toEqual([]);
    expect(outside.join('\n')).not.toMatch(/(^|[^\\])(<script|\]\(http:|\| forged)/);
    expect(outside.filter((line) => line === '## Outcome' || line === '## Forged')).toEqual([]);
    expect(page).not.toMatch(/\u001b/);
  }
});

/** The lines that a reader of Markdown takes for Markdown. */
function withoutFences(page: string): readonly string[] {
  const out: string[] = [];
  let fence: string | null = null;
  for (const line of page.split('\n')) {
    const bar = /^(`{3,})(text)?$/.exec(line)?.[1] ?? null;
    if (fence === null && bar !== null) fence = bar;
    else if (fence !== null && line === fence) fence = null;
    else if (fence === null) out.push(line);
  }
  expect(fence).toBe(null);
  return out;
}

it('tells of a session that others run by its verdicts and its tasks', () => {
  const observed: Event = { type: 'SessionObserved', data: { session: 's', tasks: 1 } };
  const task = {
    id: 'REVIEW-001',
    role: 'reviewer',
    description: 'd',
    deps: [],
    contextFrom: [],
    execMode: 'csv-wave',
    status: 'completed',
    columns: { title: 'Review', findings: 'Good.' },
    line: 2,
  } as const;
  expect(pageOf([observed, verdict('REVIEW-001')], [{ task, wave: 1 }])).toMatchSnapshot();
});

it('sums up what was done, found and is open for whoever goes on', () => {
  const { state } = told([...TO_REVIEW, escalation('REVIEW-001', 3, [finding('high', 'Card numbers are logged', 'src/pay.ts')])]);
  expect(contextPage(state)).toMatchSnapshot();
});

const tool = {
  name: 'vitest',
  version: '4.1.12',
  command: ['node', 'node_modules/vitest/vitest.mjs', 'run'],
  workdir: '.',
  started: '2026-03-01T10:00:00.000Z',
  ended: '2026-03-01T10:00:02.500Z',
  exit_status: 1,
  signal: null,
  timed_out: false,
};

const whole = {
  commit: 'f'.repeat(40),
  content: 'a'.repeat(64),
  started: '2026-03-01T10:00:00.000Z',
  ended: '2026-03-01T10:00:03.000Z',
  tools: [tool, { ...tool, version: null, exit_status: null, signal: 'SIGKILL' }, { ...tool, timed_out: true }],
};

it('reads back what critics write', () => {
  expect(readProvenance(JSON.stringify({ total: 1, provenance: whole }))).toEqual(whole);
});

it('takes little from little, and nothing from nothing', () => {
  const empty = { commit: null, content: null, started: '', ended: '', tools: [] };
  expect(readProvenance('{"provenance":{"commit":4,"tools":"x"}}')).toEqual(empty);
  for (const text of ['', '{}', '{"provenance":1}', '{"provenance"', '["provenance"]']) expect(readProvenance(text)).toBeNull();
});

it('says what was measured, by which commands, and how they ended', () => {
  expect(provenanceLines(whole)).toEqual([
    '  - Measured on commit ffffffffffff, with uncommitted changes aaaaaaaaaaaa, 2026-03-01 10:00, 3.0 s',
    '  - vitest 4.1.12: `node node_modules/vitest/vitest.mjs run`, status 1, 2.5 s',
    '  - vitest: `node node_modules/vitest/vitest.mjs run`, ended by SIGKILL, 2.5 s',
    '  - vitest 4.1.12: `node node_modules/vitest/vitest.mjs run`, timed out, 2.5 s',
  ]);
  expect(provenanceLines({ ...whole, commit: null, ended: '', tools: [] })).toEqual([
    '  - Measured on no commit, content aaaaaaaaaaaa, 2026-03-01 10:00',
  ]);
});
