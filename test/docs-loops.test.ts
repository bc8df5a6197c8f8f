// docs/write-your-own-loop.md and docs/loop-file.md are true: the small loop parses, the parts fit into it, mistakes are reported with
// their line, and the commands print what is shown.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { READERS } from '@umpire/core/formats/readers.js';
import { defineLoop } from '@umpire/core/loops/define-loop.js';
import { parseLoop } from '@umpire/core/loops/loop-file.js';
import type { LoopInput } from '@umpire/core/loops/define-loop.js';
import { LOOP_FILE } from '@umpire/core/loops/define-loop.js';
import { printJsonSchema } from '@umpire/core/model/schema-pages.js';
import { fillTemplate } from '@umpire/core/loops/template.js';
import { playPage } from './support/console.js';
import { codeIn, readPage, tableOf as tableIn } from './support/page.js';

const root = join(import.meta.dirname, '..');
const tour = readPage('docs/write-your-own-loop.md');
const page = readPage('docs/loop-file.md');
const files = tour.blocks.filter(({ name }) => name !== '');
const tiny = files.find(({ name }) => name === 'tiny.yaml')?.text ?? '';
const tableOf = (header: string) => tableIn(page, header);

type Part = Partial<Record<keyof LoopInput, object>>;

const parts = page.blocks.filter(({ kind, name }) => kind === 'yaml' && name === '').map(({ text }) => parse(text) as Part);
const facts = parse(
  tableOf('example | is | absent if')
    .map(([example = '']) => codeIn(example)[0])
    .join('\n'),
) as object;

/** The smallest loop with this part in place of its own, and with the columns, evidence, facts and tasks of the whole page. */
function loopWith(part: Part): LoopInput {
  const base = parse(tiny) as Required<Part>;
  const { target, columns } = parts.find((one) => 'target' in one) ?? {};
  const evidence = Object.assign({}, base.evidence, ...parts.map((one) => one.evidence ?? {})) as object;
  const tasks = parts.find((one) => 'tasks' in one)?.tasks;
  return { ...base, target, columns, tasks, ...part, evidence, facts: { ...base.facts, ...facts } } as unknown as LoopInput;
}

const keys = Object.keys(printJsonSchema(LOOP_FILE, '')['properties'] as object);

describe('the loop language', () => {
  it('has a complete loop that parses', () => {
    expect(parseLoop(tiny, 'tiny.yaml')).toMatchObject({ loop: 'tiny', table: [{ id: 'Y2' }, { id: 'Y3' }, { id: 'Y4' }] });
  });

  it.each(parts.map((part) => [Object.keys(part).join(', '), part] as const))('the part with %s fits into a loop', (_, part) => {
    expect(defineLoop(loopWith(part))).toMatchObject({ loop: 'tiny' });
  });

  it('names every key of the file and every reader', () => {
    const words = new Set(page.text.match(/\$?[a-z]+(?:-[a-z]+)*/g));
    expect([...keys, ...Object.keys(READERS)].filter((name) => !words.has(name))).toEqual([]);
    const shown = new Set(['$schema', ...Object.keys(parse(tiny) as object), ...parts.flatMap((part) => Object.keys(part))]);
    expect(keys.filter((key) => !shown.has(key))).toEqual([]);
  });

  it('shows conditions that a row may have', () => {
    const tests = tableOf('test | holds if').flatMap(([cell = '']) => codeIn(cell).filter((code) => code.includes(': ')));
    expect(tests.length).toBeGreaterThan(8);
    const rows = tests.map((code, index) => ({ id: `X${index}`, when: parse(code) as object, then: 'escalate', why: 'x', next: 'x' }));
    expect(defineLoop(loopWith({ table: [...rows, { id: 'X', then: 'escalate', why: 'x', next: 'x' }] })).table).toHaveLength(
      tests.length + 1,
    );
  });

  it('shows what each text prints', () => {
    const values = [0.5, 1, true, null];
    for (const [written = '', ...printed] of tableOf('written | 0.5 | 1 | true | absent')) {
      const text = (codeIn(written)[0] ?? '').replace('\\|', '|');
      expect([text, ...values.map((value) => fillTemplate(text, () => value))]).toEqual([text, ...printed]);
    }
  });

  it.each([
    ['words:', 'word:', 4],
    ['reader: json', 'reader: jason', 10],
    ['approved: true', 'aproved: true', 19],
    ['"<cap"', '>=2', 21],
    ['{findings:finding}', '{finding}', 23],
    ['id: Y4,', 'id: Y4, when: { critical: 1 },', 25],
    ['"FIX-{round}"', 'FIX', 27],
  ])('%s, written as %s, is reported with its line', (right, wrong, line) => {
    expect(tiny).toContain(right);
    const broken = tiny.replace(right, () => wrong);
    expect(() => parseLoop(broken, 'tiny.yaml')).toThrow(`tiny.yaml:${line}: `);
  });

  it('a loop without a recheck is refused', () => {
    expect(() => parseLoop(tiny.replace('    recheck: true\n', ''), 'tiny.yaml')).toThrow('tiny.yaml:26: tasks');
  });
});

/** What a reader finds in its samples: names of values, and of lists with the fields of their items. */
function yields(reader: string): {
  readonly values: readonly string[];
  readonly lists: readonly string[];
  readonly fields: readonly string[];
} {
  interface Sample {
    readonly reading?: { readonly values: object; readonly lists: Readonly<Record<string, readonly object[]>> };
  }
  const folder = join(root, 'fixtures', 'readers', reader);
  const readings = readdirSync(folder)
    .filter((name) => name.endsWith('.expected.json'))
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Sample).reading ?? []);
  return {
    values: [...new Set(readings.flatMap((reading) => Object.keys(reading.values)))],
    lists: [...new Set(readings.flatMap((reading) => Object.keys(reading.lists)))],
    fields: [...new Set(readings.flatMap((reading) => Object.values(reading.lists).flat().flatMap(Object.keys)))],
  };
}

describe('the table of readers', () => {
  const rows = tableOf('reader | values | lists | findings');
  const free = new Set(['json', 'markdown', 'entries']);

  it('has every reader once', () => {
    expect(rows.map(([reader = '']) => codeIn(reader)[0]).toSorted()).toEqual(Object.keys(READERS).toSorted());
  });

  it.each(rows.map((row) => [codeIn(row[0] ?? '')[0] ?? '', row] as const))(
    'the row of reader %s lists its values',
    (reader, [, values = '', lists = '']) => {
      const found = yields(reader);
      const said = codeIn(values);
      const known = (name: string) => said.includes(name) || (reader === 'validation-json' && /_(status|errors)$/.test(name));
      if (!free.has(reader)) expect(found.values.filter((name) => !known(name))).toEqual([]);
      if (reader !== 'json') expect(found.lists.filter((name) => !codeIn(lists).includes(name))).toEqual([]);
      const [items = ''] = page.text.match(/^Items of lists:.*$/m) ?? [];
      if (!free.has(reader)) expect(found.fields.filter((name) => !items.includes(name))).toEqual([]);
    },
  );
});

/** The files of the page, each where its fence says. */
function writeSession(folder: string): void {
  for (const { name, text } of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

it('shows the real output of the command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-writing-'));
  try {
    expect(await playPage(tour, folder)).toBeGreaterThan(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each([
  ['E8', 'approved: true, critical: 0', 'approved: false'],
  ['E9', '"<cap"', '">=1"'],
])('guarantees %s, whatever the table says', (rule, before, after) => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-writing-'));
  try {
    writeSession(folder);
    writeFileSync(join(folder, 'tiny.yaml'), tiny.replace(before, after));
    const command = [join(root, 'dist', 'umpire.cjs'), 'decide', 'tiny.yaml', 'session', '--round', '3', '--json'];
    const { stdout, status } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'escalate', rule, tasks: [] });
    expect(status).toBe(4);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
