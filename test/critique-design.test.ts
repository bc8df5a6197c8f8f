// The critic of the design loop, from a project with tokens to a verdict: its evidence is read without a note, reports what the
// audit found, and approves nothing that was not measured.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CriticJob } from '@umpire/umpire/critics/critic.js';
import { designCritic } from '@umpire/umpire/critics/design.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import { readAudit } from '@umpire/core/formats/audit-report.js';
import { DEFAULT_SETTINGS } from '@umpire/umpire/sessions/settings.js';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const fixtures = join(import.meta.dirname, '../fixtures/tokens');
const guardian = { run: 'test', sandbox: null, watch: () => {}, release: () => {}, close: () => Promise.resolve() };

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly from?: string;
  readonly row?: Readonly<Record<string, string>>;
  readonly design?: Partial<CriticJob['settings']['design']>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

function prepare({ files = {}, from, row = { id: 'AUDIT-001' }, design = {}, timeoutMs = 60_000, signal }: Given) {
  const root = mkdtempSync(join(tmpdir(), 'umpire-design-'));
  folders.push(root);
  const project = join(root, 'project');
  const session = join(root, 'session');
  for (const folder of [project, session]) mkdirSync(folder);
  if (from !== undefined) cpSync(from, project, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(project, path, '..'), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const settings = { ...DEFAULT_SETTINGS.critics, design: { ...DEFAULT_SETTINGS.critics.design, ...design } };
  const watch = { signal: signal ?? new AbortController().signal, log: () => {} };
  const now = () => new Date('2030-01-02T03:04:05.000Z');
  const { guard } = DEFAULT_SETTINGS;
  const job: CriticJob = {
    project,
    session,
    row,
    base: null,
    round: null,
    settings,
    guard,
    guardian,
    watch,
    timeoutMs,
    now,
    say: () => {},
  };
  return { job, session, project };
}

function readBack(session: string, path: string) {
  const text = readFileSync(join(session, path), 'utf8');
  const result = readAudit(text, { path });
  if (!result.ok) throw new Error(result.unreadable.problem);
  return { evidence: JSON.parse(text) as Record<string, unknown>, reading: result.reading };
}

/** The content of the evidence as the reader must return it. */
function expected(evidence: Record<string, unknown>) {
  const dimensions = evidence['dimensions'] as readonly { name: string; score: number | null; threshold: number }[];
  const findings = evidence['findings'] as readonly Record<string, unknown>[];
  return {
    values: { score: evidence['audit_score'], signal: evidence['audit_signal'] },
    counts: evidence['counts'],
    dimensions: dimensions.filter(({ score }) => score !== null).map(({ name, score, threshold }) => ({ name, score, threshold })),
    findings: findings.map(({ severity, rule, dimension, message, file, line }) => ({
      severity,
      rule,
      dimension,
      message,
      artifact: file,
      line,
    })),
    notes: [],
  };
}

function seen({ values, counts, lists, findings, notes }: ReturnType<typeof readBack>['reading']) {
  const plain = findings.map(({ severity, rule, dimension, message, artifact, line }) => ({
    severity,
    rule,
    dimension,
    message,
    artifact,
    line,
  }));
  return { values, counts, dimensions: lists['dimensions'], findings: plain, notes };
}

describe('the audit', () => {
  it('passes a clean set and explains the score', async () => {
    const { job, session } = prepare({ from: join(fixtures, 'clean-button') });
    const end = await designCritic(job);
    expect(end).toEqual({
      outcome: 'pass',
      summary: 'audit_passed. The score is 10, and no finding is Critical. Findings: 0 Critical, 0 High, 0 Medium, 0 Low.',
      outputs: { audit_score: '10', audit_signal: 'audit_passed', artifacts_produced: 'artifacts/audit/AUDIT-001.json' },
      files: ['artifacts/audit/AUDIT-001.json'],
      notes: [],
    });
    const { evidence, reading } = readBack(session, 'artifacts/audit/AUDIT-001.json');
    expect(seen(reading)).toEqual(expected(evidence));
    expect(evidence['provenance']).toMatchObject({
      commit: null,
      content: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      started: '2030-01-02T03:04:05.000Z',
      tools: [{ name: 'umpire', command: ['umpire', 'critique', 'design', '--industry', 'standard'], workdir: '.', timed_out: false }],
    });
  });

  it('writes evidence for every labelled set that is read without a note', async () => {
    const labels = Object.keys(JSON.parse(readFileSync(join(fixtures, 'labels.json'), 'utf8')) as object);
    for (const label of labels) {
      const { job, session } = prepare({ from: join(fixtures, label), row: { id: 'AUDIT-re-001' } });
      const end = await designCritic(job);
      const { evidence, reading } = readBack(session, end.outputs['artifacts_produced'] ?? '');
      expect(seen(reading), label).toEqual(expected(evidence));
    }
  });

  it('follows the settings: files, industry, pairs, grid', async () => {
    const { job, session } = prepare({
      from: join(fixtures, 'target-strict'),
      files: {
        'docs/broken.tokens.json': '{',
        'src/spacing.json': '{"spacing": {"a": {"$type": "dimension", "$value": {"value": 12, "unit": "px"}}}}',
      },
      design: { tokens: ['*.tokens.json', 'src/**'], industry: 'strict', grid: 8 },
    });
    await designCritic(job);
    const { evidence } = readBack(session, 'artifacts/audit/AUDIT-001.json');
    expect((evidence['findings'] as readonly { rule: string }[]).map(({ rule }) => rule)).toEqual(['spacing/grid', 'target/size']);
    expect(evidence['token_files']).toEqual([
      { file: 'a.tokens.json', tokens: 2 },
      { file: 'src/spacing.json', tokens: 1 },
    ]);
  });

  it('does not pass without a color pair: accessibility was not measured', async () => {
    const { job } = prepare({ from: join(fixtures, 'clean-scale') });
    const end = await designCritic(job);
    expect({ outcome: end.outcome, signal: end.outputs['audit_signal'], notes: end.notes.map((note) => note.split(':')[0]) }).toEqual({
      outcome: 'pass',
      signal: 'audit_result',
      notes: ['Accessibility was not measured', 'Completeness was not measured', 'Industry was not measured'],
    });
    // A run shows only the summary.
    for (const note of end.notes) expect(end.summary).toContain(note);
  });
});

describe('the verdict on it', () => {
  it.each([
    ['clean-button', { rule: 'D5', outcome: 'converge', critical: 0 }],
    ['clean-scale', { rule: 'D6', outcome: 'converge', critical: 0 }],
    ['contrast-text', { rule: 'D7', outcome: 'revise', critical: 1 }],
    ['mode-dark-missing', { rule: 'D7', outcome: 'revise', critical: 0 }],
    ['not-json', { rule: 'D7', outcome: 'revise', critical: 1 }],
  ])('of %s rests on the evidence alone, without an anomaly', async (name, wanted) => {
    const { job, session } = prepare({ from: join(fixtures, name) });
    const { outputs } = await designCritic(job);
    const cells = ['audit_score', 'audit_signal', 'artifacts_produced'].map((column) => outputs[column] ?? '');
    const head =
      'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,audit_score,audit_signal,artifacts_produced,error';
    writeFileSync(
      join(session, 'tasks.csv'),
      `${head}\nAUDIT-001,Audit,Audit the tokens,reviewer,,,csv-wave,1,completed,,${cells.join(',')},\n`,
    );
    const { verdict } = await decide({ loop: 'design', session });
    expect({ rule: verdict.rule, outcome: verdict.outcome, critical: verdict.counts.critical, anomalies: verdict.anomalies }).toEqual({
      ...wanted,
      anomalies: [],
    });
  });
});

describe('without a measurement', () => {
  it('a project without tokens has no evidence, and the verdict asks the designer for it', async () => {
    const { job, session } = prepare({ files: { 'package.json': '{}', 'fixtures/a.tokens.json': '{"a": {"$value": 1}}' } });
    const end = await designCritic(job);
    expect({ outcome: end.outcome, outputs: end.outputs }).toEqual({
      outcome: 'missing',
      outputs: { audit_score: '0', audit_signal: 'fix_required', artifacts_produced: 'artifacts/audit/AUDIT-001.json' },
    });
    const { reading } = readBack(session, 'artifacts/audit/AUDIT-001.json');
    expect({ values: reading.values, counts: reading.counts, notes: reading.notes }).toEqual({
      values: { score: 0, signal: 'fix_required' },
      counts: { critical: 1, high: 0, medium: 0, low: 0 },
      notes: [],
    });
  });

  it('unreadable token files are a Critical finding', async () => {
    const { job, session } = prepare({ files: { 'a.tokens.json': '{"a": {', 'b.tokens.json': '{"a": {}}', 'c.json': '{"$value": ' } });
    const end = await designCritic(job);
    expect({ outcome: end.outcome, signal: end.outputs['audit_signal'] }).toEqual({ outcome: 'error', signal: 'fix_required' });
    const { evidence, reading } = readBack(session, 'artifacts/audit/AUDIT-001.json');
    expect(reading.findings.map(({ severity, artifact, line }) => [severity, artifact, line])).toEqual([
      ['critical', 'a.tokens.json', 1],
      ['critical', 'b.tokens.json', 1],
      ['critical', 'c.json', 1],
    ]);
    expect(seen(reading)).toEqual(expected(evidence));
  });

  it('a timeout or a stop leaves no evidence, and removes the old one', async () => {
    const late = prepare({ from: join(fixtures, 'clean-button'), timeoutMs: 0 });
    const stopped = prepare({ from: join(fixtures, 'clean-button'), signal: AbortSignal.abort() });
    for (const { session } of [late, stopped]) {
      mkdirSync(join(session, 'artifacts/audit'), { recursive: true });
      writeFileSync(join(session, 'artifacts/audit/AUDIT-001.json'), '{"audit_score": 10, "findings": []}');
    }
    expect([(await designCritic(late.job)).outcome, (await designCritic(stopped.job)).outcome]).toEqual(['timeout', 'error']);
    expect([late, stopped].map(({ session }) => existsSync(join(session, 'artifacts/audit/AUDIT-001.json')))).toEqual([false, false]);
  });

  it('a row with an odd id still writes inside the session folder', async () => {
    const { job, session } = prepare({ from: join(fixtures, 'clean-scale'), row: { id: '../../x y' } });
    expect((await designCritic(job)).files).toEqual(['artifacts/audit/AUDIT-001.json']);
    expect(readdirSync(join(session, 'artifacts/audit'))).toEqual(['AUDIT-001.json']);
  });
});

const named = process.env['UMPIRE_CORPUS'];

describe('token sets of others', () => {
  it.for([
    ['figma-sds', { signal: 'fix_required', counts: { critical: 9, high: 2, medium: 3, low: 0 } }],
    ['adobe-spectrum', { signal: 'audit_passed', counts: { critical: 0, high: 2, medium: 4, low: 0 } }],
  ] as const)('%s', async ([name, wanted], context) => {
    if (named === undefined) return context.skip('UMPIRE_CORPUS is not set, so the token sets of others were not tried');
    const corpus = resolve(import.meta.dirname, '..', named, 'dtcg');
    const paths = readdirSync(corpus).filter((path) => path.startsWith(name));
    const { job, session } = prepare({ files: Object.fromEntries(paths.map((path) => [path, readFileSync(join(corpus, path), 'utf8')])) });
    const end = await designCritic(job);
    const { evidence, reading } = readBack(session, 'artifacts/audit/AUDIT-001.json');
    expect(seen(reading)).toEqual(expected(evidence));
    expect({ signal: end.outputs['audit_signal'], counts: reading.counts }).toEqual(wanted);
  });
});
