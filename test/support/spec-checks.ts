// Checks the command against a step of a fixture (checkPrinted, checkWritten), and every verdict against rules that always hold
// (checkInvariants). Uses the assertions of the test runner.

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { type CellExpectation, type Json, type JsonObject, parseTable, type Step, type Table } from './spec-fixture.js';

export interface Run {
  readonly printed: JsonObject;
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

const TASKS = 'session/tasks.csv';
const BOARD = 'session/discoveries.ndjson';
const KEYS =
  'loop decision outcome status rule reason round maxRounds unverified counts findings anomalies tasks evidence role nextStep'.split(' ');
const DECISION_KEYS = 'loop chain round maxRounds decision outcome rule reason counts tasks signal'.split(' ');
/** The evidence of the agents: a verdict reads it and never changes it. */
const EVIDENCE = /^(?:outside|session\/(?:artifacts|results|validation|critiques)|session\/validation-report\.json)/;
/** The cells by which a verdict may change a task that it did not make. */
const MOVABLE = new Set(['deps', 'context_from', 'status', 'wave', 'error']);

export function checkPrinted(step: Step, printed: JsonObject): void {
  const missing = lacks(printed, step.json ?? {}, 'output');
  expect(missing, `printed: ${JSON.stringify(printed, null, 1)}`).toEqual([]);
  if (step.error !== undefined) return checkError(step.error, printed);
  const anomalies = objects(printed['anomalies']);
  if (step.anomalies !== undefined) {
    const ids = [...new Set(anomalies.map((anomaly) => anomaly['rule']))].sort();
    expect(ids, `anomalies: ${JSON.stringify(anomalies)}`).toEqual([...step.anomalies].sort());
  }
  for (const pattern of step.anomalyMatches ?? []) {
    const told = anomalies.map((anomaly) => `${String(anomaly['rule'])} ${String(anomaly['message'])}`);
    expect(told, 'an anomaly must speak of it').toContainEqual(expect.stringMatching(new RegExp(pattern, 'i')));
  }
  if (step.tasks !== undefined) {
    expect(
      objects(printed['tasks'])
        .map((task) => task['id'])
        .sort(),
      'tasks',
    ).toEqual([...step.tasks].sort());
  }
}

function checkError(wanted: NonNullable<Step['error']>, printed: JsonObject): void {
  const error = object(printed['error']);
  expect(error['code']).toBe(wanted.code);
  expect(String(error['message']).trim(), 'an error says what is wrong').not.toBe('');
  expect(String(error['hint']).trim(), 'an error says what to do').not.toBe('');
  const text = `${String(error['message'])} ${String(error['hint'])}`.toLowerCase();
  for (const part of wanted.messageIncludes) expect(text).toContain(part.toLowerCase());
}

/** Paths at which `wanted` is not contained in `actual`. Members of a list may stand anywhere in it. */
function lacks(actual: Json | undefined, wanted: Json, path: string): readonly string[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return [`${path} is no list`];
    const list = actual as readonly Json[];
    return (wanted as readonly Json[]).flatMap((member) =>
      list.some((candidate) => lacks(candidate, member, path).length === 0) ? [] : [`${path} lacks ${JSON.stringify(member)}`],
    );
  }
  if (wanted !== null && typeof wanted === 'object') {
    if (actual === null || typeof actual !== 'object' || Array.isArray(actual)) return [`${path} is no object`];
    const fields = actual as JsonObject;
    return Object.entries(wanted as JsonObject).flatMap(([key, value]) => lacks(fields[key], value, `${path}.${key}`));
  }
  return actual === wanted ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`];
}

export function checkWritten(step: Step, after: ReadonlyMap<string, string>): void {
  const wanted = step.after;
  if (wanted === undefined) return;
  const rows = tableOf(after)?.rows ?? [];
  for (const [id, cells] of Object.entries(wanted['tasks.csv'] ?? {})) {
    const row = rows.find((candidate) => candidate['id'] === id);
    expect(row, `${id} in tasks.csv`).toBeDefined();
    for (const [column, cell] of Object.entries(cells)) checkCell(`${id}.${column}`, row?.[column] ?? '', cell);
  }
  if (wanted.rows !== undefined) expect(rows.map((row) => row['id'])).toEqual(wanted.rows);
  for (const path of wanted.files ?? []) expect([...after.keys()]).toContain(`session/${path}`);
  if (wanted.fixTasks !== undefined) checkFixTasks(wanted.fixTasks, after);
}

function checkCell(name: string, actual: string, wanted: CellExpectation): void {
  if (typeof wanted === 'string') return expect(actual, name).toBe(wanted);
  for (const part of wanted.includes ?? []) expect(actual, name).toContain(part);
  for (const part of wanted.excludes ?? []) expect(actual, name).not.toContain(part);
}

function checkFixTasks(
  wanted: readonly { readonly target_files: readonly string[]; readonly findings: number }[],
  after: ReadonlyMap<string, string>,
): void {
  const found = [...after].filter(([path]) => /^session\/tasks\/FIX-[\d-]+\.json$/.test(path));
  const shapes = found.map(([path, text]) => {
    const task = JSON.parse(text) as JsonObject;
    expect(path).toBe(`session/tasks/${String(task['task_id'])}.json`);
    expect(task['type']).toBe('fix');
    expect(String(task['task_id'])).toMatch(new RegExp(`^FIX-${String(task['iteration'])}-\\d+$`));
    expect(task['acceptance'], 'a fix says when it is done').toMatch(/\S/);
    return { target_files: task['target_files'], findings: (task['findings'] as readonly Json[]).length };
  });
  const inOrder = (list: readonly unknown[]): readonly string[] => list.map((entry) => JSON.stringify(entry)).sort();
  expect(inOrder(shapes)).toEqual(inOrder(wanted));
}

/** Rules for every verdict: its fields, its evidence, the board, and a valid task graph. */
export function checkInvariants({ printed, before, after }: Run): void {
  expect(
    KEYS.filter((key) => !(key in printed)),
    'fields of the verdict that are missing',
  ).toEqual([]);
  for (const key of ['reason', 'nextStep']) expect(String(printed[key]), key).toMatch(/\S/);
  expect(object(printed['role'])['sha256']).toMatch(/^[0-9a-f]{64}$/);
  for (const finding of objects(printed['findings'])) expect(finding['fingerprint']).toMatch(/\S/);
  checkEvidence(printed, before, after);
  const touched = [...before].filter(([path, bytes]) => EVIDENCE.test(path) && after.get(path) !== bytes);
  expect(
    touched.map(([path]) => path),
    'evidence must not be touched',
  ).toEqual([]);
  checkBoard(printed, before, after);
  checkGraph(printed, tableOf(before), tableOf(after));
}

function checkEvidence(printed: JsonObject, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): void {
  for (const entry of objects(printed['evidence'])) {
    expect(entry['sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(['measured', 'testified']).toContain(entry['grade']);
    const path = `session/${String(entry['path'])}`;
    const bytes = before.get(path);
    // Only a part of the task table and the board is evidence, so their hash is not the hash of the file.
    if (bytes === undefined || path === TASKS || path === BOARD) continue;
    expect(entry['sha256'], path).toBe(createHash('sha256').update(bytes, 'latin1').digest('hex'));
    expect(after.get(`session/blobs/${String(entry['sha256'])}`) === bytes, `${path} must be kept by content beside the journal`).toBe(
      true,
    );
  }
}

function checkBoard(printed: JsonObject, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): void {
  const old = before.get(BOARD) ?? '';
  const now = after.get(BOARD) ?? '';
  expect(now.startsWith(old), 'nothing is ever deleted from discoveries.ndjson').toBe(true);
  const added = now
    .slice(old.length)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as JsonObject);
  expect(added.map((line) => [line['worker'], line['type']])).toEqual([['umpire', 'gc_decision']]);
  const data = object(added[0]?.['data']);
  expect(
    DECISION_KEYS.filter((key) => !(key in data)),
    'fields of the gc_decision that are missing',
  ).toEqual([]);
  for (const key of ['loop', 'round', 'maxRounds', 'decision', 'outcome', 'rule', 'counts']) expect(data[key], key).toEqual(printed[key]);
}

function checkGraph(printed: JsonObject, before: Table | null, after: Table | null): void {
  if (after === null) return expect(printed['tasks']).toEqual([]);
  const rowsNow = new Map(after.rows.map((row) => [row['id'] ?? '', row]));
  expect(rowsNow.size, 'task ids must be unique').toBe(after.rows.length);
  const listed = objects(printed['tasks']).map((task) => String(task['id']));
  expect(
    listed.filter((id) => !rowsNow.has(id)),
    'tasks of the verdict that tasks.csv lacks',
  ).toEqual([]);
  for (const row of after.rows)
    if (row['status'] === 'pending') expect(row['wave'], `wave of ${row['id']}`).toBe(String(waveOf(row, rowsNow)));
  if (before === null) return;

  expect(
    after.header.filter((name) => before.header.includes(name)),
    'columns and their order are kept',
  ).toEqual(before.header);
  const added = after.rows.map((row) => row['id'] ?? '').filter((id) => !before.rows.some((row) => row['id'] === id));
  expect(
    added.filter((id) => !listed.includes(id)),
    'rows that the verdict does not list',
  ).toEqual([]);
  for (const row of before.rows) {
    if (listed.includes(row['id'] ?? '')) continue;
    const fixed = before.header.filter((column) => !MOVABLE.has(column));
    const now = rowsNow.get(row['id'] ?? '');
    for (const column of fixed) expect(now?.[column], `${row['id']}.${column}`).toBe(row[column]);
    if (row['status'] === 'completed')
      expect(now, `${row['id']} is finished`).toMatchObject({ deps: row['deps'], status: 'completed', wave: row['wave'] });
  }
}

/** One more than the latest wave of its dependencies. */
function waveOf(row: Readonly<Record<string, string>>, rows: ReadonlyMap<string, Readonly<Record<string, string>>>): number {
  const deps = (row['deps'] ?? '').split(';').filter((id) => id !== '');
  return 1 + Math.max(0, ...deps.map((id) => Number(rows.get(id)?.['wave'] ?? Number.NaN)));
}

/** The task table inside the session. Null if there is none, or if it is a link that leads outside. */
function tableOf(files: ReadonlyMap<string, string>): Table | null {
  const bytes = files.get(TASKS);
  if (bytes === undefined || bytes.startsWith('link to ')) return null;
  return parseTable(Buffer.from(bytes, 'latin1').toString('utf8'));
}

function object(value: Json | undefined): JsonObject {
  expect(value, 'an object').toBeTypeOf('object');
  return value as JsonObject;
}

function objects(value: Json | undefined): readonly JsonObject[] {
  expect(Array.isArray(value), 'a list').toBe(true);
  return value as readonly JsonObject[];
}
