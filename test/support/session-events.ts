// A session as a list of events in a test: turned into a state, or written to a folder as its journal.

import { RUN_SETTINGS, usualValues } from '@umpire/core/model/options.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fold } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Effects, Event, Recorded, PersonAnswered, RunSettings, SessionStarted, TaskFinished } from '@umpire/core/decider/events.js';
import type { Answer } from '@umpire/core/model/questions.js';
import { pendingEffects } from '@umpire/core/decider/pending-effects.js';
import { CHAIN_START, printJournalLine } from '@umpire/core/formats/journal.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Finding, Verdict } from '@umpire/core/model/vocabulary.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';

type Cells = Readonly<Record<string, string>>;

const review = builtinLoop('review') as Loop;

export const SETTINGS: RunSettings = {
  ...usualValues(RUN_SETTINGS),
  agents: { '*': 'claude', reviewer: 'codex' },
  agentCommand: null,
  maxMinutes: 60,
  retries: 0,
  yes: false,
};

const COLUMNS = 'id,title,description,role,sprint_num,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error'.split(
  ',',
);

export function row(id: string, role: string, deps = '', title = `The work of ${id}`): Cells {
  return { id, title, description: `Do ${id}.`, role, sprint_num: '1', deps, context_from: deps, exec_mode: 'csv-wave', status: 'pending' };
}

export const SPRINT: readonly Cells[] = [
  row('DESIGN-001', 'architect', '', 'Design the sprint'),
  row('DEV-001', 'developer', 'DESIGN-001', 'Develop the sprint'),
  row('VERIFY-001', 'verifier', 'DEV-001', 'Verify the sprint'),
  row('REVIEW-001', 'reviewer', 'DEV-001', 'Review the sprint'),
  row('SHIP-001', 'developer', 'VERIFY-001;REVIEW-001', 'Write the change log'),
];

export function begun(rows: readonly Cells[] = SPRINT, more: Partial<SessionStarted> = {}): readonly Event[] {
  const started: SessionStarted = {
    session: 'review-payments-2026-03-01',
    loop: 'review',
    goal: 'Make the payment flow safe.\nCards are never logged.',
    project: '/work/shop',
    loopFolder: null,
    mode: 'sprint',
    why: 'sprint: 5 files are changed, 2 points',
    critic: 'reviewer',
    judged: true,
    columns: COLUMNS,
    rows,
    gates: [],
    writers: ['developer'],
    settings: SETTINGS,
    workspace: { kind: 'git', branch: 'umpire/review-payments-2026-03-01', base: 'a'.repeat(40) },
    ...more,
  };
  const hash = createHash('sha256').update(JSON.stringify(review)).digest('hex');
  return [
    { type: 'SessionStarted', data: started },
    { type: 'RulesFrozen', data: { loop: 'review', hash, rules: review, cap: 3, chains: ['1'] } },
    begins('run'),
  ];
}

export function begins(by: string, settings = SETTINGS): Event {
  return { type: 'RunBegun', data: { run: by, by, settings, head: null } };
}

export function start(task: string, agent = 'claude', attempt = 1): Event {
  return { type: 'TaskStarted', data: { task, attempt, agent } };
}

export function done(task: string, more: Partial<TaskFinished> = {}): Event {
  const usage = { tokens: 1200, costUsd: 0.25 };
  return {
    type: 'TaskFinished',
    data: { task, attempt: 1, status: 'completed', findings: `What ${task} found.`, error: '', outputs: {}, usage, ...more },
  };
}

export function failed(task: string, error: string): Event {
  return done(task, { status: 'failed', findings: '', error });
}

/** Work that is submitted and merged. */
export function merged(task: string, files: readonly string[]): readonly Event[] {
  const data = { ...(done(task) as Extract<Event, { type: 'TaskFinished' }>).data, commit: 'c'.repeat(40), files };
  return [
    { type: 'TaskSubmitted', data },
    { type: 'TaskFinished', data: { ...data, usage: NO_USAGE, head: 'd'.repeat(40) } },
  ];
}

export function finding(severity: Finding['severity'], message: string, artifact: string | null = null): Finding {
  return { severity, message, artifact, line: artifact === null ? null : 88, fingerprint: `${severity} ${message}` };
}

export const NOTHING: Effects = { add: [], set: {}, files: [] };

export function verdict(critic: string, more: Partial<Verdict> = {}, effects: Effects = NOTHING): Event {
  const findings = more.findings ?? [];
  const counts = { critical: 0, high: 0, medium: 0, low: 0 };
  for (const { severity } of findings) counts[severity]++;
  const given: Verdict = {
    loop: 'review',
    decision: 'CONVERGE',
    outcome: 'converge',
    status: 'decided',
    rule: 'R1',
    reason: 'The review converged with a score of 8/10.',
    chain: '1',
    round: 1,
    maxRounds: 3,
    unverified: false,
    waivers: [],
    counts,
    findings,
    anomalies: [],
    tasks: [],
    evidence: [{ path: 'artifacts/review-results.json', sha256: 'e'.repeat(64), grade: 'measured' }],
    role: { path: 'roles/judge.md', sha256: 'f'.repeat(64) },
    nextStep: 'The pipeline is complete; no further iteration is needed.',
    ...more,
  };
  const scene = { critic, tasks: null, anomalies: [], exhibits: {}, unwritable: null, rules: null };
  return {
    type: 'VerdictGiven',
    data: { key: critic, strict: false, target: null, verdict: given, facts: {}, lists: {}, report: '', effects, scene },
  };
}

/** A verdict that asks for a fix, with its new tasks. */
export function fix(critic: string, round: number, findings: readonly Finding[]): Event {
  const again = `REVIEW-re-00${round}`;
  const rows = [row(`FIX-${round}-1`, 'developer', critic, 'Fix src/pay.ts'), row(again, 'reviewer', `FIX-${round}-1`, `Review again`)];
  const tasks = rows.map((cells) => ({ ...cells, id: cells['id'] ?? '', deps: [cells['deps'] ?? ''], context_from: [] }));
  return verdict(
    critic,
    {
      decision: 'FIX',
      outcome: 'revise',
      rule: 'R4',
      reason: `The review asks for a revision at a score of 5/10, and iteration ${round} of 3 leaves room.`,
      round,
      findings,
      tasks,
      nextStep: `Execute FIX-${round}-1, ${again}.`,
    },
    { add: rows, set: { 'SHIP-001': { deps: `VERIFY-001;${again}` } }, files: [] },
  );
}

export function escalation(critic: string, round: number, findings: readonly Finding[] = []): Event {
  return verdict(critic, {
    decision: 'ESCALATE',
    outcome: 'escalate',
    rule: 'R5',
    reason: `The review still asks for a revision at a score of 5/10 after iteration ${round} of 3.`,
    round,
    findings,
    nextStep: 'A person decides on the unresolved findings: force-approve, manual-fix, extend, abort.',
  });
}

export function projected(seq: number): Event {
  return { type: 'VerdictProjected', data: { verdict: seq, results: null } };
}

export function answered(key: string, answer: Answer, more: Partial<PersonAnswered> = {}): Event {
  return {
    type: 'PersonAnswered',
    data: { key, answer, reason: '', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve', ...more },
  };
}

/** Two parallel sprints. A release waits for both; notes get the review of the first as context without waiting for it. */
const TWO_SPRINTS: readonly Cells[] = [
  row('DEV-001', 'developer'),
  row('REVIEW-001', 'reviewer', 'DEV-001'),
  row('SHIP-001', 'developer', 'REVIEW-001'),
  row('DEV-002', 'developer'),
  row('REVIEW-002', 'reviewer', 'DEV-002'),
  row('SHIP-002', 'developer', 'REVIEW-002'),
  { ...row('NOTES-002', 'developer', 'REVIEW-002'), context_from: 'REVIEW-001' },
  row('RELEASE-002', 'developer', 'SHIP-001;SHIP-002'),
].map((cells) => ({ ...cells, sprint_num: cells['id']?.endsWith('2') === true ? '2' : '1' }));

/** The session of both sprints, with these tasks done. */
export function inTwoSprints(...ended: readonly string[]): readonly Event[] {
  const frozen = { hash: 'h', rules: review, cap: 3, chains: ['1', '2'], targets: {} };
  const settings = { ...SETTINGS, maxMinutes: null };
  return [...begun(TWO_SPRINTS, { frozen, settings }), ...ended.flatMap((id) => [start(id), done(id)])];
}

export function escalates(critic: string, chain: string): Event {
  return verdict(critic, { chain, decision: 'ESCALATE', outcome: 'escalate', rule: 'R5', round: 3 });
}

export function converges(critic: string, chain: string): Event {
  return verdict(critic, { chain });
}

/** One event a minute, from nine o'clock. */
export function recorded(events: readonly Event[]): readonly Recorded[] {
  return events.map((event, index) => ({ ...event, seq: index + 1, ts: new Date(Date.UTC(2026, 2, 1, 9, index)).toISOString() }));
}

export function told(events: readonly Event[]): { readonly events: readonly Recorded[]; readonly state: SessionState } {
  const lines = recorded(events);
  return { events: lines, state: fold(lines) };
}

/** The next actions, such as `RunTask DEV-001`. */
export function due(events: readonly Event[]): readonly string[] {
  return pendingEffects(told(events).state).map((one) => `${one.type} ${'task' in one ? one.task : ''}`.trim());
}

/** Writes the journal of a session to a new folder. */
export function writeStory(folder: string, events: readonly Event[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'journal.ndjson'), journalText(recorded(events)));
}

export function journalText(events: readonly Recorded[]): string {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  let head = CHAIN_START;
  const lines: string[] = [];
  for (const { seq, ts, type, data } of events) {
    const printed = printJournalLine(1, { seq, ts, type, data }, head, sha256);
    head = printed.head;
    lines.push(printed.line);
  }
  return lines.join('');
}

const FIRST = finding('high', 'Card numbers are logged', 'src/pay.ts');
const SECOND = finding('medium', 'No test for refunds', 'src/refund.ts');

const THIRD = finding('low', 'A name is long', 'src/pay.ts');

/** A sprint up to its first review. FIXED continues to the second review, COMPLETE to the end; ESCALATED waits for a person. */
export const TO_REVIEW: readonly Event[] = [
  ...begun(),
  start('DESIGN-001'),
  done('DESIGN-001', { findings: 'Three files; the card number stays in the vault.' }),
  start('DEV-001'),
  ...merged('DEV-001', ['src/pay.ts', 'src/vault.ts']),
  start('VERIFY-001'),
  start('REVIEW-001', 'codex'),
  done('VERIFY-001'),
  done('REVIEW-001', { outputs: { review_score: '5', gc_signal: 'REVISION_NEEDED' } }),
];

export const FIRST_VERDICT = TO_REVIEW.length + 1;

export const FIXED: readonly Event[] = [
  ...TO_REVIEW,
  fix('REVIEW-001', 1, [FIRST, SECOND]),
  projected(FIRST_VERDICT),
  start('FIX-1-1'),
  ...merged('FIX-1-1', ['src/pay.ts']),
  start('REVIEW-re-001', 'codex'),
  done('REVIEW-re-001', { outputs: { review_score: '8', gc_signal: 'CONVERGED' } }),
  verdict('REVIEW-re-001', {
    round: 2,
    findings: [SECOND, THIRD],
    trend: { kind: 'improving', stop: false, why: 'From 1 High, 1 Medium to 1 Medium, 1 Low.' },
    fates: [
      { fate: 'persisting', fingerprint: SECOND.fingerprint, finding: 'No test for refunds (src/refund.ts:88)' },
      { fate: 'caused by a fix', fingerprint: THIRD.fingerprint, finding: 'A name is long (src/pay.ts:88)' },
      { fate: 'fixed', fingerprint: FIRST.fingerprint, finding: 'Card numbers are logged (src/pay.ts:88)' },
    ],
  }),
  projected(FIRST_VERDICT + 7),
];

export const COMPLETE: readonly Event[] = [
  ...FIXED,
  start('SHIP-001'),
  ...merged('SHIP-001', ['CHANGELOG.md']),
  {
    type: 'SessionEnded',
    data: { outcome: 'complete', unverified: false, reason: 'The work was approved.' },
  },
];

export const ESCALATED: readonly Event[] = [
  ...TO_REVIEW,
  escalation('REVIEW-001', 3, [FIRST]),
  projected(FIRST_VERDICT),
  { type: 'PersonCalled', data: { key: `verdict:${FIRST_VERDICT}`, by: 'nobody' } },
];
