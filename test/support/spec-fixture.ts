// The fixtures of fixtures/spec: their content, their copy in a temporary folder, and running the command on it. The output is read with
// code of its own, never with the code of the product.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInProcess } from './in-process.js';
import type { Ran } from './in-process.js';

const REPO = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURES = join(REPO, 'fixtures', 'spec');
const COMMAND = join(REPO, 'dist', 'umpire.cjs');

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** A cell must equal the text, or hold (and not hold) some. */
export type CellExpectation = string | { readonly includes?: readonly string[]; readonly excludes?: readonly string[] };

export interface After {
  readonly 'tasks.csv'?: Readonly<Record<string, Readonly<Record<string, CellExpectation>>>>;
  /** Exactly these task ids, in this order. */
  readonly rows?: readonly string[];
  readonly files?: readonly string[];
  /** The files tasks/FIX-*.json, in any order: what each targets and how many findings it carries. */
  readonly fixTasks?: readonly { readonly target_files: readonly string[]; readonly findings: number }[];
}

export interface Step {
  /** A folder of the fixture copied over the session before the step. */
  readonly overlay?: string;
  readonly remove?: readonly string[];
  readonly args?: readonly string[];
  readonly exit: number;
  /** Must be contained in what is printed: objects by key, lists by member in any order. */
  readonly json?: JsonObject;
  /** Exactly these rule ids, in any order. */
  readonly anomalies?: readonly string[];
  /** Each pattern must match some anomaly, written as its rule, a space and its message. */
  readonly anomalyMatches?: readonly string[];
  readonly tasks?: readonly string[];
  /** Each text must occur, in any case, in the message or the hint. */
  readonly error?: { readonly code: string; readonly messageIncludes: readonly string[] };
  readonly after?: After;
  /** The session must not change although a verdict was given. */
  readonly unchanged?: boolean;
}

export interface Fixture {
  readonly name: string;
  readonly loop: string;
  /** Symbolic links to make in the session: name → target. */
  readonly links: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

type FixtureFile = Step & { readonly loop: string; readonly links?: Readonly<Record<string, string>>; readonly steps?: readonly Step[] };

export function readFixture(name: string): Fixture {
  const { loop, links, steps, ...only } = JSON.parse(readFileSync(join(FIXTURES, name, 'expect.json'), 'utf8')) as FixtureFile;
  return { name, loop, links: links ?? {}, steps: steps ?? [only] };
}

export function readFixtures(): readonly Fixture[] {
  return readdirSync(FIXTURES).sort().map(readFixture);
}

/** Copies the fixture to a temporary folder: `session/` and the files beside it. Deletes it when `use` returns. */
export async function withFixture<T>(fixture: Fixture, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-spec-'));
  try {
    for (const part of ['session', 'outside']) {
      const from = join(FIXTURES, fixture.name, part);
      if (existsSync(from)) cpSync(from, join(folder, part), { recursive: true });
    }
    for (const [path, target] of Object.entries(fixture.links)) symlinkSync(target, join(folder, 'session', path));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prepares the session for the step. */
export function prepare(fixture: Fixture, step: Step, folder: string): void {
  for (const path of step.remove ?? []) rmSync(join(folder, 'session', path));
  if (step.overlay !== undefined) cpSync(join(FIXTURES, fixture.name, step.overlay), join(folder, 'session'), { recursive: true });
}

/** Runs the built command in the temporary folder, so that its output contains no path of this machine. */
export function decideBuilt(folder: string, loop: string, args: readonly string[]): Ran {
  if (!existsSync(COMMAND)) throw new Error('dist/umpire.cjs is not there. Build it first: npm run build');
  const run = spawnSync(process.execPath, [COMMAND, 'decide', loop, 'session', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { exit: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** The same in this process. */
export function decide(folder: string, loop: string, args: readonly string[]): Promise<Ran> {
  return runInProcess(folder, ['decide', loop, 'session', ...args]);
}

/** Every file below the folder with its bytes (as latin1 text), every link with its target. */
export function snapshot(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const walk = (at: string): void => {
    for (const name of readdirSync(at).sort()) {
      const path = join(at, name);
      const stat = lstatSync(path);
      const key = relative(folder, path).split(sep).join('/');
      if (stat.isSymbolicLink()) files.set(key, `link to ${readlinkSync(path)}`);
      else if (stat.isDirectory()) walk(path);
      else files.set(key, readFileSync(path, 'latin1'));
    }
  };
  walk(folder);
  return files;
}

/** The differences between two snapshots, for people. Empty if there are none. */
export function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const said: string[] = [];
  for (const [path, bytes] of before) {
    if (!after.has(path)) said.push(`${path} is gone`);
    else if (after.get(path) !== bytes) said.push(`${path} changed`);
  }
  for (const path of after.keys()) if (!before.has(path)) said.push(`${path} is new`);
  return said;
}

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** A strict reader of RFC 4180: the output of the command must need no tolerance. */
export function parseTable(text: string): Table {
  const records: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  let record: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) throw new Error(`tasks.csv is malformed at character ${at}: ${text.slice(at, at + 40)}`);
    record.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'));
    if (match[3] === ',' && cell.lastIndex < text.length) continue;
    if (match[3] === ',') record.push('');
    records.push(record);
    record = [];
  }
  const [header = [], ...rows] = records;
  for (const row of rows)
    if (row.length !== header.length) throw new Error(`A row of tasks.csv has ${row.length} cells, not ${header.length}: ${row.join(',')}`);
  return { header, rows: rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']))) };
}
