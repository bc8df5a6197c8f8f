// Hostile texts for the readers of tasks.csv and discoveries.ndjson, and hostile values for results.csv. Each gives a result or a
// refusal with a line, and none takes long. UMPIRE_AMOUNT sets how many texts each reader gets.

import { expect, test } from 'vitest';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { cellValue, parseCsv, printCsv } from '@umpire/core/formats/csv.js';
import { DiscoveryScanner, printDiscovery } from '@umpire/core/formats/discoveries.js';
import { printResults } from '@umpire/core/formats/results-csv.js';
import { editTasks, parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { SEED, amountOf } from '../support/campaign.js';
import { mutations } from '../support/mutate.js';

const COUNT = amountOf(1_000, 100_000);
const SLOW_MS = 1_000;

const TASK_SEEDS = [
  'id,description,deps\nA,x,\nB,y,A\nC,"z, ""w""",A;B\n',
  '\ufeffid,title,description,role,deps,context_from,exec_mode,wave,status,findings,error\r\nA-001,t,do it,tester,,,csv-wave,1,completed,"a\r\nb",\r\n\r\nA-002,t,do,,A-001,A-001,interactive,2,pending,,\r\n',
  '"id","description","status"\r"A","x","failed"\r"B","y",""',
  'description,id,extra\n\n  \nx,1,\n',
];

const DISCOVERY_SEEDS = [
  '{"ts":"2026-01-01T00:00:00Z","worker":"A-001","type":"note","data":{"a":[1,{"b":null}],"é":"\u{1f600}"}}\n',
  '\ufeff{"type":"note","data":{}}\r\n\r\n{"type":"other","data":{"x":"\\u2028"}}\r\n{"type":"note"',
];

/** Runs one reader over `COUNT` texts. `read` returns whether it accepted the text; both results must occur. */
function fuzz(name: string, seeds: readonly string[], read: (text: string) => boolean): void {
  test(`${name}: ${COUNT} texts`, { timeout: 3_600_000 }, () => {
    const seen = { accepted: 0, refused: 0 };
    for (const text of mutations(seeds, COUNT, SEED)) {
      const started = performance.now();
      try {
        seen[read(text) ? 'accepted' : 'refused']++;
      } catch (error) {
        throw new Error(`${name} failed on ${JSON.stringify(text)}`, { cause: error });
      }
      const elapsedMs = performance.now() - started;
      if (elapsedMs > SLOW_MS) throw new Error(`${name} took ${Math.round(elapsedMs)} ms for ${JSON.stringify(text)}`);
    }
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(COUNT / 50);
  });
}

/** Plain comparison, since `expect` costs more than the readers do. */
function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

/** The result, or null for a refusal that a person can act on. Any other exception is a failure. */
function orRefused<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const actionable = error instanceof UmpireError && error.code === 'tasks-malformed' && error.hint !== '';
    if (actionable && /^tasks\.csv:[1-9]\d*: [^]+[^.]\.$/.test(error.message)) return null;
    throw error;
  }
}

fuzz('csv', TASK_SEEDS, (text) => {
  const result = parseCsv(text);
  if (!result.ok) {
    same('a refusal has a line', Number.isInteger(result.line) && result.line >= 1, true);
    return false;
  }
  const { document } = result;
  same('printed back', printCsv(document), text);
  if (document.records === 0) return true;
  const cell = text.length % document.starts.length;
  const value = `${cellValue(document, 0, cell)}"\n`;
  const edited = parseCsv(printCsv(document, { cells: new Map([[cell, value]]) }));
  same('edited', edited.ok ? cellValue(edited.document, 0, cell) : edited.problem, value);
  return true;
});

fuzz('tasks', TASK_SEEDS, (text) => {
  const file = orRefused(() => parseTasks(text));
  if (file === null) return false;
  same('printed back', editTasks(file, {}), text);
  const set = new Map(file.tasks.slice(0, 1).map((task) => [task.id, { status: 'skipped' }]));
  const added = { id: `${file.tasks.map((task) => task.id).join('')}+`, description: `${text.replaceAll('\0', '')}.` };
  const again = parseTasks(editTasks(file, { set, add: [added] }));
  same('one more', again.tasks.length, file.tasks.length + 1);
  same('edited', again.tasks[0]?.status, file.tasks.length === 0 ? 'pending' : 'skipped');
  same('added', again.tasks.at(-1)?.description, added.description);
  return orRefused(() => checkGraph(file.tasks)) !== null;
});

fuzz('results', ['=1+1', '-3', 'a, "b"\r\n', ' ＝x'], (text) => {
  const result = parseCsv(printResults(['id', 'x'], [{ id: 'A', x: text }]));
  if (!result.ok) throw new Error(result.problem);
  same('shape', result.document.starts.length, 4);
  const printed = cellValue(result.document, 1, 1);
  const plain = text.replaceAll('\0', '\ufffd');
  same('disarmed', /^\s*[=+\-@＝＋－＠]/.test(printed) && Number.isNaN(Number(printed)), false);
  if (printed !== plain) same('an apostrophe and nothing else', printed, `'${plain}`);
  return printed === plain;
});

fuzz('discoveries', DISCOVERY_SEEDS, (text) => {
  const bytes = Buffer.from(text);
  const scanner = new DiscoveryScanner(new Set(['note']));
  const step = 1 + (text.length % 97);
  for (let at = 0; at < bytes.length; at += step) scanner.push(bytes.subarray(at, at + step));
  const { entries, lines, malformed, firstMalformed, bytes: size, endsWithNewline } = scanner.end();
  same('bytes', size, bytes.length);
  same('lines', lines, bytes.toString().split('\n').length - (endsWithNewline ? 1 : 0));
  same('counted', malformed > 0, firstMalformed !== null);
  for (const { line, ...entry } of entries) {
    same('line', line >= 1 && line <= lines, true);
    const again = new DiscoveryScanner(new Set(['note']));
    again.push(Buffer.from(printDiscovery(entry)));
    same('printed back', again.end().entries.length, 1);
  }
  return malformed === 0;
});
