// The tests in what a command printed: a report that it printed whole, or the events of `go test -json`.

import { readFileSync } from 'node:fs';
import type { TestResult } from '@umpire/core/model.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { readPrinted } from '../critics/report-file.js';

const ENDS: Readonly<Record<string, TestResult['status']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

/** Null where it names no test. `printed`: a file with what it printed. */
export function printedResults(printed: string, root: string): readonly TestResult[] | null {
  const events = goResults(readFileSync(printed, 'utf8'));
  if (events.length > 0) return events;
  const { results = [] } = readPrinted(printed, { format: null, root, keep: Infinity });
  return results.length === 0 ? null : results;
}

/** One event a line. A package whose build failed has no test events: its tests did not run. */
export function goResults(text: string): readonly TestResult[] {
  const found: TestResult[] = [];
  const output = new Map<string, string>();
  for (const line of text.split('\n')) {
    const json = line.startsWith('{') && line.includes('"Action"') ? parseJson(line) : null;
    if (json?.ok !== true || !isObject(json.value)) continue;
    const { Action: action, Package: owner, Test: test, Output: said } = json.value;
    if (typeof action !== 'string' || typeof owner !== 'string' || typeof test !== 'string') continue;
    const id = `${owner} > ${test}`;
    if (action === 'output') output.set(id, `${output.get(id) ?? ''}${typeof said === 'string' ? said : ''}`);
    const status = ENDS[action];
    if (status !== undefined)
      found.push({
        id,
        status,
        file: null,
        line: null,
        message: status === 'failed' ? messageIn(output.get(id) ?? '') : null,
        durationMs: null,
      });
  }
  return found;
}

/** Without the lines that frame a test. */
function messageIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/^(?:===|---) /.test(line)).join('\n');
}
