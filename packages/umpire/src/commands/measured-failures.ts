// Which tests were measured to fail on a commit: from the evidence of Umpire's own testing critic, kept by content when it ended. What an
// agent wrote is not asked.

import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import type { TestResult } from '@umpire/core/model.js';
import type { BlobReader } from '../sessions/recorded-place.js';

export interface MeasuredRun {
  readonly started: Pick<RunState['started'], 'critic'>;
  readonly tasks: readonly Pick<TaskState, 'role' | 'row' | 'isMeasured' | 'status' | 'found'>[];
}

/** Of every layer the latest measurement, where it was of this very commit and nothing else. */
export function failedAt(run: MeasuredRun, readBlob: BlobReader, commit: string): readonly TestResult[] {
  const latest = new Map<string, string>();
  for (const { role, row, isMeasured, status, found } of run.tasks) {
    const layer = (row['layer'] ?? '').trim();
    if (role !== run.started.critic || !isMeasured || status !== 'completed' || layer === '') continue;
    const hash = found[`results/run-${layer}.json`];
    if (typeof hash === 'string') latest.set(layer, hash);
  }
  return [...latest.values()].flatMap((hash) => failuresIn(readBlob(hash), commit));
}

function failuresIn(bytes: Buffer | string, commit: string): readonly TestResult[] {
  const { provenance, failures } = objectOf(typeof bytes === 'string' ? null : parsed(bytes));
  const judged = objectOf(provenance);
  if (judged['commit'] !== commit || judged['content'] !== null || !Array.isArray(failures)) return [];
  return (failures as readonly unknown[]).map(objectOf).flatMap(({ name, file }): readonly TestResult[] => {
    if (typeof name !== 'string' || typeof file !== 'string') return [];
    return [{ id: `${file} > ${name}`, status: 'failed', file, line: null, message: null, durationMs: null }];
  });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
