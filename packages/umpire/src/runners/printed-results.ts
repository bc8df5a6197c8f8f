// The tests in the reports that a command was asked for, and in what it printed: a report that it printed whole, or the lines of `go test`
// and `cargo test`.

import { readFileSync } from 'node:fs';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { readPrinted, readReport } from './report-file.js';
import { isFile } from '../sessions/file-system.js';

/** Null where they name no test. `reports`: files that may be there. `printed`: a file with what the command printed. */
export function askedResults(reports: readonly string[], printed: string, root: string): readonly TestResult[] | null {
  const asked = reports.filter(isFile).flatMap((file) => resultsIn(file, root));
  return asked.length > 0 ? asked : printedResults(printed, root);
}

function resultsIn(file: string, root: string): readonly TestResult[] {
  const examples = rspecResults(readFileSync(file, 'utf8'));
  return examples.length > 0 ? examples : (readReport(file, { format: null, root, keep: Infinity }).results ?? []);
}

function printedResults(printed: string, root: string): readonly TestResult[] | null {
  const text = readFileSync(printed, 'utf8');
  for (const read of [goResults, goLines, cargoLines]) {
    const results = read(text);
    if (results.length > 0) return results;
  }
  const { results = [] } = readPrinted(printed, { format: null, root, keep: Infinity });
  return results.length === 0 ? null : results;
}

const ENDS: Readonly<Record<string, TestResult['status']>> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
  ok: 'passed',
  failed: 'failed',
  ignored: 'skipped',
  passed: 'passed',
  pending: 'skipped',
};

function resultOf(id: string, status: TestResult['status'], said: string, file: string | null = null): TestResult {
  return { id, status, file, line: null, message: status === 'failed' || status === 'errored' ? messageIn(said) : null, durationMs: null };
}

/** Without the lines that frame a test. */
function messageIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/^(?:===|---) /.test(line)).join('\n');
}

/** A subtest stands below its test. */
function goId(owner: string, test: string): string {
  return [owner, ...test.split('/')].join(' > ');
}

/** The events of `go test -json`, one a line. A package whose build failed has no test events: its tests did not run. */
export function goResults(text: string): readonly TestResult[] {
  const found: TestResult[] = [];
  const output = new Map<string, string>();
  for (const line of text.split('\n')) {
    const json = line.startsWith('{') && line.includes('"Action"') ? parseJson(line) : null;
    if (json?.ok !== true || !isObject(json.value)) continue;
    const { Action: action, Package: owner, Test: test, Output: said } = json.value;
    if (typeof action !== 'string' || typeof owner !== 'string' || typeof test !== 'string') continue;
    const id = goId(owner, test);
    if (action === 'output') output.set(id, `${output.get(id) ?? ''}${typeof said === 'string' ? said : ''}`);
    const status = ENDS[action];
    if (status !== undefined) found.push(resultOf(id, status, output.get(id) ?? ''));
  }
  return found;
}

/** What `go test -v` prints: each test, then the package that it is of. What a test says stands behind the line that names it. */
export function goLines(text: string): readonly TestResult[] {
  const found: TestResult[] = [];
  let open: { readonly test: string; readonly status: TestResult['status'] }[] = [];
  let output = new Map<string, string>();
  let current = '';
  for (const line of text.split('\n')) {
    const begun = /^=== (?:RUN|CONT|NAME)\s+(\S+)/.exec(line)?.[1];
    const ended = /^\s*--- (PASS|FAIL|SKIP): (\S+) \(/.exec(line);
    const owner = /^(?:ok|FAIL)\s+(\S+)\s+(?:[\d.]+s|\(cached\))/.exec(line)?.[1];
    if (begun !== undefined) current = begun;
    else if (ended !== null) {
      current = ended[2] ?? '';
      open.push({ test: current, status: ENDS[ended[1]?.toLowerCase() ?? ''] ?? 'failed' });
    } else if (owner === undefined) output.set(current, `${output.get(current) ?? ''}${line}\n`);
    else {
      for (const { test, status } of open) found.push(resultOf(goId(owner, test), status, output.get(test) ?? ''));
      [open, output, current] = [[], new Map(), ''];
    }
  }
  return found;
}

/** `test money::adds ... ok` */
export function cargoLines(text: string): readonly TestResult[] {
  return [...text.matchAll(/^test (\S+)(?: - [^\n]*)? \.\.\. (ok|FAILED|ignored)/gm)].map(([, name = '', end = '']) =>
    resultOf(name, ENDS[end.toLowerCase()] ?? 'failed', ''),
  );
}

/** RSpec's own JSON. Empty where it is none. */
export function rspecResults(text: string): readonly TestResult[] {
  const json = text.startsWith('{') && text.includes('"examples"') ? parseJson(text) : null;
  if (json?.ok !== true || !isObject(json.value) || !Array.isArray(json.value['examples'])) return [];
  const { examples, summary, messages } = json.value;
  const found = (examples as readonly unknown[]).filter(isObject).map(exampleResult);
  const isBroken = isObject(summary) && Number(summary['errors_outside_of_examples_count']) > 0;
  return isBroken ? [...found, resultOf('rspec', 'errored', Array.isArray(messages) ? messages.join('\n') : '')] : found;
}

function exampleResult({ description, full_description: full, status, file_path: path, exception }: Record<string, unknown>): TestResult {
  const file = String(path).replace(/^\.\//, '');
  const title = String(description);
  const group = String(full).endsWith(title) ? String(full).slice(0, -title.length).trim() : '';
  const id = [file, group, title].filter((part) => part !== '').join(' > ');
  return resultOf(id, ENDS[String(status)] ?? 'failed', isObject(exception) ? String(exception['message']) : '', file);
}
