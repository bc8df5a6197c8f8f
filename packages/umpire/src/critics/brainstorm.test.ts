// The critic of the brainstorm loop: counts what stands on the board, and says what does not.

import { expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, plainProject, writeFiles } from '../../../../test/support/git-project.js';
import { brainstormCritic, CHALLENGES } from './brainstorm.js';

cleanUpAfterwards();
endGuardianAfterwards();

const DIMENSIONS = ['assumption', 'feasibility', 'risk', 'competition'];

const line = (idea: string, dimension: string, severity: string, more: object = {}, worker = 'CHALLENGE-001') =>
  `${JSON.stringify({ ts: '2026-03-03T14:12:00Z', worker, type: 'critique', data: { idea, dimension, severity, challenge: `c ${dimension}`, ...more } })}\n`;

async function run(
  board: string,
  row: Readonly<Record<string, string>> = { id: 'CHALLENGE-001' },
  pages: Readonly<Record<string, string>> = {},
) {
  const { job, evidence } = jobFor(plainProject({ 'a.txt': 'a' }).root, { row });
  writeFiles(job.session, { ...(board === '' ? {} : { 'discoveries.ndjson': board }), ...pages });
  const end = await brainstormCritic(job);
  return { end, evidence: () => evidence(CHALLENGES) };
}

it('passes where every idea was challenged everywhere and nothing grave was found', async () => {
  const board = DIMENSIONS.map((dimension) => line('I-1', dimension, 'LOW')).join('');
  const { end, evidence } = await run(board, { id: 'CHALLENGE-001' }, { 'artifacts/ideas/IDEA-001.md': '# Ideas\n## I-1 Load late\n' });
  expect(end).toEqual({
    outcome: 'pass',
    summary: '4 critiques: CRITICAL:0 HIGH:0 MEDIUM:0 LOW:4. The one idea was challenged in all four dimensions.',
    outputs: { severity_summary: 'CRITICAL:0 HIGH:0 MEDIUM:0 LOW:4', gc_signal: 'CONVERGED' },
    files: [CHALLENGES],
    notes: [],
  });
  expect(evidence()).toMatchObject({ outcome: 'pass', critiques: 4, ideas: [{ idea: 'I-1', challenged: DIMENSIONS, missing: [] }] });
});

it('names an idea that nobody challenged', async () => {
  const board = DIMENSIONS.map((dimension) => line('I-1', dimension, 'LOW')).join('');
  const { end } = await run(board, { id: 'CHALLENGE-001' }, { 'artifacts/ideas/IDEA-001.md': '## I-1 a\n## I-2 b\n' });
  expect(end).toMatchObject({ outcome: 'fail', notes: ['I-2 was not challenged for assumption, feasibility, risk, competition.'] });
});

it('counts the round that is judged', async () => {
  const earlier = line('I-1', 'risk', 'CRITICAL', { gc_round: 0 });
  const now = DIMENSIONS.map((dimension) => line('I-1', dimension, 'MEDIUM', { gc_round: 1 }, 'CHALLENGE-rev-1')).join('');
  const { end } = await run(earlier + now, { id: 'CHALLENGE-rev-1', gc_round: '1' });
  expect(end).toMatchObject({ outcome: 'pass', outputs: { severity_summary: 'CRITICAL:0 HIGH:0 MEDIUM:4 LOW:0' } });
});

it('counts its own that name no round beside those of the round, a round by its number, and none of earlier rounds', async () => {
  const row = { id: 'CHALLENGE-rev-1', gc_round: '1' };
  const earlier = line('I-1', 'risk', 'CRITICAL', { gc_round: 0 });
  const own = line('I-1', 'risk', 'HIGH', {}, 'CHALLENGE-rev-1');
  const counted = async (board: string) => (await run(board, row)).end.outputs['severity_summary'];
  expect(await counted(earlier + line('I-1', 'risk', 'LOW', { gc_round: '1.0' }) + own)).toBe('CRITICAL:0 HIGH:1 MEDIUM:0 LOW:1');
  expect(await counted(earlier + line('I-1', 'risk', 'MEDIUM', {}, 'somebody'))).toBe('CRITICAL:0 HIGH:0 MEDIUM:1 LOW:0');
});

it('fails on a grave challenge, and is missing where there is none at all', async () => {
  const grave = DIMENSIONS.map((dimension) => line('I-1', dimension, 'HIGH')).join('');
  expect((await run(grave)).end).toMatchObject({ outcome: 'fail', outputs: { gc_signal: 'REVISION_NEEDED' } });
  expect((await run('')).end).toMatchObject({ outcome: 'missing', files: [], outputs: {} });
  expect((await run('not json\n')).end).toMatchObject({ outcome: 'missing' });
});
