// The names of the tests that a person's own command runs. The command is asked for them by variables, which reach a runner through scripts
// too, or by words behind a command that is one call of a runner; else they are read from what it printed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { readShell } from '@umpire/core/formats/shell-text.js';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { isFile } from '../sessions/file-system.js';
import { findRunnerCall } from './package-scripts.js';
import { ALL_RUNNERS } from './registry.js';
import { readPrinted, readReport } from './report-file.js';
import type { ScriptCall } from './runner.js';

export interface AskedCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files that may hold reports when it ended. */
  readonly reports: readonly string[];
}

/** `scratch`: a folder outside the project. */
export function askForNames(command: string, scratch: string): AskedCommand {
  // Runners split these words at spaces, and the shell reads other signs.
  if (!/^[\w./+@-]+$/.test(scratch)) return { command, env: {}, reports: [] };
  const call = command.includes('--test-reporter') ? null : findOnlyCall(command);
  const rspec = join(scratch, 'rspec.names');
  const asked = ALL_RUNNERS.map(({ name, requestNames }) => {
    const file = join(scratch, `${name}.names`);
    return { file, ...requestNames(file, call?.runner === name) };
  });
  const added = { SPEC_OPTS: `--format progress --format json --out ${rspec}`, GOFLAGS: '-v' };
  const env = Object.assign({}, added, ...asked.map((each) => each.env)) as Readonly<Record<string, string>>;
  return {
    command: [command, ...asked.flatMap(({ words }) => words ?? [])].join(' '),
    env: Object.fromEntries(Object.entries(env).map(([name, words]) => [name, `${process.env[name] ?? ''} ${words}`.trim()])),
    reports: [...asked.map(({ file }) => file), rspec],
  };
}

/** The runner's call that the whole command is. */
function findOnlyCall(command: string): ScriptCall | null {
  const { commands, background, unreadFrom } = readShell(command);
  const [only] = commands;
  const isAll = commands.length === 1 && background === null && unreadFrom === null && only?.end === command.trimEnd().length;
  return isAll && only.redirects.length === 0 && !only.words.some((word) => /[$`]/.test(word)) ? findRunnerCall(only) : null;
}

/**
 * Does the command pick these test files, and can it be asked for the names of their tests? Then it runs as it is, and not all tests of the
 * project. Runners take a file, a folder, or a part of a path.
 */
export function picksTests(command: string, files: readonly string[]): boolean {
  const words = findOnlyCall(command)?.args.map((word) => word.replace(/^\.\//, '')) ?? [];
  const picked = words.filter((word) => !word.startsWith('-') && word !== 'run' && word !== '');
  return picked.length > 0 && files.every((file) => picked.some((word) => file.includes(word)));
}

/** Null where nothing names a test. `reports`: files that may be there. `printed`: a file with what the command printed. */
export function readNames(reports: readonly string[], printed: string, root: string): readonly TestResult[] | null {
  const place = { format: null, root, keep: Infinity };
  const asked = reports.filter(isFile).flatMap((file) => {
    const examples = readRspec(readFileSync(file, 'utf8'));
    return examples.length > 0 ? examples : (readReport(file, place).results ?? []);
  });
  if (asked.length > 0) return asked;
  const text = readFileSync(printed, 'utf8');
  for (const read of [readGoEvents, readGoLines, readCargoLines]) {
    const results = read(text);
    if (results.length > 0) return results;
  }
  const { results = [] } = readPrinted(printed, place);
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

function makeResult(id: string, status: TestResult['status'], said: string, file: string | null = null): TestResult {
  // Without the lines that frame a test.
  const lines = said.split('\n').flatMap((line) => (line.trim() === '' || /^\s*(?:===|---) /.test(line) ? [] : [line.trim()]));
  return { id, status, file, line: null, message: status === 'failed' || status === 'errored' ? lines.join('\n') : null, durationMs: null };
}

/** A subtest stands below its test. */
function goId(owner: string, test: string): string {
  return [owner, ...test.split('/')].join(' > ');
}

/** The events of `go test -json`, one a line. A package whose build failed has no test events: its tests did not run. */
export function readGoEvents(text: string): readonly TestResult[] {
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
    if (status !== undefined) found.push(makeResult(id, status, output.get(id) ?? ''));
  }
  return found;
}

/** What `go test -v` prints: each test, then the package that it is of. What a test says stands behind the line that names it. */
export function readGoLines(text: string): readonly TestResult[] {
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
      for (const { test, status } of open) found.push(makeResult(goId(owner, test), status, output.get(test) ?? ''));
      [open, output, current] = [[], new Map(), ''];
    }
  }
  return found;
}

/** `test money::adds ... ok` */
export function readCargoLines(text: string): readonly TestResult[] {
  return [...text.matchAll(/^test (\S+)(?: - [^\n]*)? \.\.\. (ok|FAILED|ignored)/gm)].map(([, name = '', end = '']) =>
    makeResult(name, ENDS[end.toLowerCase()] ?? 'failed', ''),
  );
}

/** RSpec's own JSON. Empty where it is none. */
export function readRspec(text: string): readonly TestResult[] {
  const json = text.startsWith('{') && text.includes('"examples"') ? parseJson(text) : null;
  if (json?.ok !== true || !isObject(json.value) || !Array.isArray(json.value['examples'])) return [];
  const { examples, summary, messages } = json.value;
  const found = (examples as readonly unknown[]).filter(isObject).map((example) => {
    const { description, full_description: full, status, file_path: path, exception } = example;
    const file = String(path).replace(/^\.\//, '');
    const title = String(description);
    const group = String(full).endsWith(title) ? String(full).slice(0, -title.length).trim() : '';
    const id = [file, group, title].filter((part) => part !== '').join(' > ');
    return makeResult(id, ENDS[String(status)] ?? 'failed', isObject(exception) ? String(exception['message']) : '', file);
  });
  const isBroken = isObject(summary) && Number(summary['errors_outside_of_examples_count']) > 0;
  return isBroken ? [...found, makeResult('rspec', 'errored', Array.isArray(messages) ? messages.join('\n') : '')] : found;
}
