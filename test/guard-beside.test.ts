// Two threads read a change: what the guard says of it is the same, whoever read which file, and whatever becomes of the second one.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readerBeside } from '@umpire/umpire/commands/second-reader.js';
import type { FileChange } from '@umpire/guard/change.js';
import type { FileFacts } from '@umpire/guard/facts.js';
import { guard } from '@umpire/guard/guard.js';
import { helpersAmong, Reading } from '@umpire/guard/reading.js';
import { tell, walkTouched } from '@umpire/guard/told.js';
import type { ReadBeside, ToldFile } from '@umpire/guard/told.js';
import { onDiskIn, readerOf } from '@umpire/umpire/workspace/change-reader.js';
import type { SameFiles } from '@umpire/umpire/workspace/change-reader.js';
import { readCase } from './support/guard-cases.js';

const root = join(import.meta.dirname, '..');
const THREAD = join(root, 'dist', 'reading-thread.cjs');

/** Every so many of the labelled changes. */
function cases(step: number) {
  const all = ['cheat', 'honest'].flatMap((kind) => {
    const folder = join(root, 'fixtures', 'guard', 'seen', kind);
    return readdirSync(folder).map((name) => ({ name, folder }));
  });
  return all
    .filter((_, index) => index % step === 0)
    .map(({ name, folder }) => ({ name, ...readCase(readFileSync(join(folder, name), 'utf8')) }));
}

/** The other reader in this thread, with what it tells copied as between threads. */
function told(files: readonly FileChange[], same: (path: string) => string | null, isOther: (index: number) => boolean): ReadBeside {
  const other = new Reading({ files }, same);
  return (here) => {
    const found = new Map<string, ToldFile>();
    for (const [index, file] of files.entries()) {
      if (isOther(index)) found.set(file.path, structuredClone(tell(other.read(file), other.isReached(file, helpersAmong(files)))));
      else here(file);
    }
    return found;
  };
}

it('says the same of labelled changes, whichever files another one read', () => {
  const differing: string[] = [];
  for (const { name, files, scope, same: texts, ran } of cases(15)) {
    const same = (path: string) => texts.get(path) ?? null;
    const alone = guard({ change: { files }, scope, same, ran });
    for (const isOther of [() => true, (index: number) => index % 2 === 0, (index: number) => index % 2 === 1])
      if (JSON.stringify(guard({ change: { files }, scope, same, ran }, undefined, told(files, same, isOther))) !== JSON.stringify(alone))
        differing.push(name);
  }
  expect(differing).toEqual([]);
});

/** All that is in the facts, whether it was told or is read again. */
function spelledOut(facts: FileFacts | null): unknown {
  return facts === null
    ? null
    : {
        ...facts,
        outside: facts.outside?.(),
        replacements: facts.replacements(),
        tests: facts.tests.map(({ path, span, head, condition, hidden, empty, body, marks, rows, assertions, returns, branches }) => {
          return { path, span, head, condition, hidden, empty, body, marks, rows, assertions, returns, branches };
        }),
      };
}

it('tells all facts of a file', () => {
  const count = { told: 0, rows: 0, untouched: 0 };
  for (const { files, same: texts } of cases(40)) {
    const [one, other, third] = [1, 2, 3].map(() => new Reading({ files }, (path) => texts.get(path) ?? null)) as [
      Reading,
      Reading,
      Reading,
    ];
    for (const file of files) {
      const facts = structuredClone(tell(other.read(file), false));
      third.learn(file, facts);
      const [read, heard] = [one.read(file), third.read(file)];
      expect(spelledOut(heard.before)).toEqual(spelledOut(read.before));
      expect(spelledOut(heard.after)).toEqual(spelledOut(read.after));
      for (const test of facts.after?.tests ?? []) {
        count.told += 1;
        if (test.walked === null) count.untouched += 1;
        else if (test.walked.rows !== null) count.rows += 1;
      }
    }
  }
  expect(Math.min(count.told / 100, count.rows / 10, count.untouched / 50)).toBeGreaterThanOrEqual(1);
});

/** Many labelled changes as one, each in a folder of its own. */
function large(step: number): { readonly files: readonly FileChange[]; readonly same: SameFiles } {
  const files: FileChange[] = [];
  const texts = new Map<string, string>();
  for (const [index, one] of cases(step).entries()) {
    for (const { path, renamedFrom, ...file } of one.files)
      files.push({ ...file, path: `p${index}/${path}`, ...(renamedFrom === undefined ? {} : { renamedFrom: `p${index}/${renamedFrom}` }) });
    for (const [path, text] of one.same) texts.set(`p${index}/${path}`, text);
  }
  return { files, same: { folder: join(root, 'none'), texts } };
}

describe('a second thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-thread-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function program(code: string): string {
    const path = join(folder, 'thread.cjs');
    writeFileSync(path, `const { workerData } = require('node:worker_threads');\n${code}`);
    return path;
  }

  it('reads a part of a large change, and the guard says what it says alone', () => {
    const { files, same } = large(6);
    const beside = readerBeside(files, same, THREAD);
    let heard: ReadonlyMap<string, ToldFile> = new Map();
    const input = { change: { files }, scope: 'testing', same: readerOf(same) } as const;
    const report = guard(input, undefined, (here) => (heard = (beside as ReadBeside)(here)));
    expect(heard.size).toBeGreaterThan(0);
    expect(heard.size).toBeLessThan(files.length);
    const alone = guard(input);
    expect(alone.findings.length).toBeGreaterThan(300);
    expect(JSON.stringify(report)).toBe(JSON.stringify(alone));
  });

  it.each([
    ['cannot start', 'throw new Error("no");'],
    ['takes work and dies', 'Atomics.add(workerData.taken, 0, 3); throw new Error("no");'],
    ['takes all work and never tells', 'Atomics.add(workerData.taken, 0, 1000000); setInterval(() => undefined, 1000);'],
    ['closes its end', 'workerData.port.close();'],
  ])('that %s changes nothing', (_, code) => {
    const change = large(40);
    const padded = { ...change, files: change.files.map((file) => ({ ...file, after: `${file.after ?? ''}\n${'// \n'.repeat(2_000)}` })) };
    const here: string[] = [];
    const found = readerBeside(padded.files, padded.same, program(code))?.((file) => here.push(file.path));
    expect(found?.size).toBe(0);
    expect(here.toSorted()).toEqual(padded.files.map(({ path }) => path).toSorted());
  });

  it('is not started for a change of a few files, nor where it is not there', () => {
    const few = large(400);
    expect(readerBeside(few.files, few.same, THREAD)).toBeNull();
    const many = large(20);
    expect(readerBeside(many.files, many.same, join(folder, 'none.cjs'))).toBeNull();
    // From its sources nothing is built beside the code.
    expect(readerBeside(many.files, onDiskIn(root))).toBeNull();
  });

  it('leaves to the first one what is nested deeply, and what leans on that', () => {
    const { files, same } = large(16);
    const deep = `${'['.repeat(100)}${']'.repeat(100)};\n`;
    const test = `import { check } from './test/helpers/check';\nimport { it } from 'vitest';\nit('is', () => check(1));\n`;
    const helper = `import { expect } from 'vitest';\nexport const check = (x: number) => expect([x]).toEqual([1]);\n`;
    const changed = test.replace('(1)', '(2)');
    const toldOf = (last: FileChange, texts: Readonly<Record<string, string>>) => {
      const around = { ...same, texts: new Map([...same.texts, ...Object.entries(texts)]) };
      const reading = new Reading({ files: [...files, last] }, readerOf(around));
      const helpers = helpersAmong(files);
      return [
        ...(
          readerBeside([...files, last], around, THREAD)?.((file) => walkTouched(reading.read(file), reading.isReached(file, helpers))) ??
          new Map()
        ).keys(),
      ];
    };
    const flat = toldOf({ path: 'zz/a.test.ts', before: test, after: changed }, { 'zz/test/helpers/check.ts': helper });
    expect(flat).toContain('zz/a.test.ts');
    const own = toldOf({ path: 'zz/a.test.ts', before: test, after: `${changed}const x = ${deep}` }, {});
    expect(own).not.toContain('zz/a.test.ts');
    expect(own.length).toBeGreaterThan(0);
    const leaning = toldOf(
      { path: 'zz/a.test.ts', before: test, after: changed },
      { 'zz/test/helpers/check.ts': `${helper}const x = ${deep}` },
    );
    expect(leaning).toEqual([]);
  });
});
