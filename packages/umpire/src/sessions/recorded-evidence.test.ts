// What a verdict that is judged again asks of the blobs: evidence that lay in files, and rows only where the journal does not tell them.

import { expect, it } from 'vitest';
import type { RecordedContext } from '@umpire/core/decider/events.js';
import { openRecordedEvidence } from './recorded-evidence.js';

const ROW = 'a'.repeat(64);
const FILE = 'b'.repeat(64);

function sceneWith(tasks: RecordedContext['tasks']): RecordedContext {
  const exhibits = {
    row: { state: 'ok', path: 'tasks.csv#REVIEW-001', sha256: ROW },
    results: { state: 'ok', path: 'artifacts/review-results.json', sha256: FILE },
  } as const;
  return { critic: 'REVIEW-001', tasks, anomalies: [], exhibits, unwritable: null, rules: null };
}

function askedBy(scene: RecordedContext): readonly string[] {
  const asked: string[] = [];
  openRecordedEvidence((hash) => {
    asked.push(hash);
    return Buffer.from('{}');
  }, scene);
  return asked;
}

it('asks for rows where tasks.csv was the source, and not where the journal tells them', () => {
  expect([askedBy(sceneWith(null)), askedBy(sceneWith({ journal: true }))]).toEqual([[ROW, FILE], [FILE]]);
});

it('says what is lost, and that a row which the journal tells is not', () => {
  const gone = (hash: string) => `blobs/${hash.slice(0, 4)} is gone`;
  expect([openRecordedEvidence(gone, sceneWith(null)), openRecordedEvidence(gone, sceneWith({ journal: true }))]).toEqual([
    { ok: false, lost: ['tasks.csv#REVIEW-001: blobs/aaaa is gone', 'artifacts/review-results.json: blobs/bbbb is gone'] },
    { ok: false, lost: ['artifacts/review-results.json: blobs/bbbb is gone'] },
  ]);
});
