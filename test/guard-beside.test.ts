// Two threads read a change: the guard reports the same, whichever thread reads which file, and also when the second one fails.
// UMPIRE_SOAK=1 takes several times as many labelled changes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openParallelReader } from '@umpire/umpire/commands/parallel-reader.js';
import type { FileChange } from '@umpire/guard/change.js';
import type { FileFacts } from '@umpire/guard/facts.js';
import { guard } from '@umpire/guard/guard.js';
import { helpersAmong, Reading } from '@umpire/guard/reading.js';
import { tell, walkTouched } from '@umpire/guard/told.js';
import type { ReadBeside, ToldFile } from '@umpire/guard/told.js';
import { filesOnDisk, createFileReader } from '@umpire/umpire/workspace/read-change.js';
import type { UnchangedFiles } from '@umpire/umpire/workspace/read-change.js';
import { SOAK } from './support/campaign.js';
import { isSoak } from './support/campaign.js';
import { readCases } from './support/guard-cases.js';

const root = join(import.meta.dirname, '..');
const THREAD = join(root, 'dist', 'parallel-reader-thread.cjs');
const ATTEMPTS = 10;

const SEEN = readCases('seen');

/** One of every `step` labelled changes. */
const cases = (step: number) => SEEN.filter((_, index) => index % step === 0);

/** The other reader in this thread, with its answers copied as between threads. */
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

it('reports the same on labelled changes, whichever thread reads which file', SOAK, () => {
  const differing: string[] = [];
  for (const { id, files, scope, same: texts, ran } of cases(isSoak ? 15 : 100)) {
    const same = (path: string) => texts.get(path) ?? null;
    const alone = guard({ change: { files }, scope, same, ran });
    for (const isOther of [() => true, (index: number) => index % 2 === 0, (index: number) => index % 2 === 1])
      if (JSON.stringify(guard({ change: { files }, scope, same, ran }, undefined, told(files, same, isOther))) !== JSON.stringify(alone))
        differing.push(id);
  }
  expect(differing).toEqual([]);
});

/** All facts, passed on or read again. */
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

it('passes on all facts of a file', () => {
  const count = { told: 0, rows: 0, untouched: 0 };
  for (const { files, same: texts } of cases(isSoak ? 40 : 80)) {
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
  expect(Math.min(count.told / 50, count.rows / 5, count.untouched / 25)).toBeGreaterThanOrEqual(1);
});

interface LargeChange {
  readonly files: readonly FileChange[];
  readonly same: UnchangedFiles;
}

/** Many labelled changes as one, each in a folder of its own. */
function large(step: number): LargeChange {
  const files: FileChange[] = [];
  const texts = new Map<string, string>();
  for (const [index, one] of cases(step).entries()) {
    for (const { path, renamedFrom, ...file } of one.files)
      files.push({ ...file, path: `p${index}/${path}`, ...(renamedFrom === undefined ? {} : { renamedFrom: `p${index}/${renamedFrom}` }) });
    for (const [path, text] of one.same) texts.set(`p${index}/${path}`, text);
  }
  return { files, same: { folder: join(root, 'none'), texts } };
}

const COMMENT = `// ${'-'.repeat(100)}\n`;
const PYTHON_COMMENT = `# ${'-'.repeat(100)}\n`;

/** Large enough for a second thread by comments, which cost little to read. */
function padded({ files, same }: LargeChange): LargeChange {
  const pad = (path: string, text: string | null) =>
    text === null || !/\.(py|[cm]?[jt]sx?)$/.test(path) ? text : `${text}\n${(path.endsWith('.py') ? PYTHON_COMMENT : COMMENT).repeat(80)}`;
  return { files: files.map((file) => ({ ...file, before: pad(file.path, file.before), after: pad(file.path, file.after) })), same };
}

describe('a second thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-thread-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function program(code: string): string {
    const path = join(folder, 'thread.cjs');
    writeFileSync(path, `const { workerData } = require('node:worker_threads');\n${code}`);
    return path;
  }

  it('reads a part of a large change, and the report stays the same', SOAK, () => {
    const { files, same } = isSoak ? large(6) : padded(large(40));
    const input = { change: { files }, scope: 'testing', same: createFileReader(same) } as const;
    const alone = guard(input);
    expect(alone.findings.length).toBeGreaterThan(files.length / 4);
    // On a busy machine the thread may start too late to read anything.
    let heard: ReadonlyMap<string, ToldFile> = new Map();
    for (let attempt = 1; heard.size === 0 && attempt <= ATTEMPTS; attempt += 1) {
      const beside = openParallelReader(files, same, THREAD);
      const report = guard(input, undefined, (here) => (heard = (beside as ReadBeside)(here)));
      expect(JSON.stringify(report)).toBe(JSON.stringify(alone));
    }
    expect(heard.size).toBeGreaterThan(0);
    expect(heard.size).toBeLessThan(files.length);
  });

  it.each([
    ['cannot start', 'throw new Error("no");'],
    ['takes work and dies', 'Atomics.add(workerData.taken, 0, 3); throw new Error("no");'],
    ['takes all work and never tells', 'Atomics.add(workerData.taken, 0, 1000000); setInterval(() => undefined, 1000);'],
    ['closes its end', 'workerData.port.close();'],
  ])('that %s changes nothing', (_, code) => {
    const { files, same } = padded(large(80));
    const here: string[] = [];
    const found = openParallelReader(files, same, program(code))?.((file) => here.push(file.path));
    expect(found?.size).toBe(0);
    expect(here.toSorted()).toEqual(files.map(({ path }) => path).toSorted());
  });

  it('is not started for a small change, or if its file is missing', () => {
    const few = large(400);
    expect(openParallelReader(few.files, few.same, THREAD)).toBeNull();
    const many = large(20);
    expect(openParallelReader(many.files, many.same, join(folder, 'none.cjs'))).toBeNull();
    // When the code runs from source, there is no built file for the thread.
    expect(openParallelReader(many.files, filesOnDisk(root))).toBeNull();
  });

  it('leaves deeply nested files, and files that import them, to the first thread', SOAK, () => {
    const { files, same } = padded(large(40));
    const deep = `${'['.repeat(100)}${']'.repeat(100)};\n`;
    const test = `import { check } from './test/helpers/check';\nimport { it } from 'vitest';\nit('is', () => check(1));\n`;
    const helper = `import { expect } from 'vitest';\nexport const check = (x: number) => expect([x]).toEqual([1]);\n`;
    const changed = test.replace('(1)', '(2)');
    const toldOf = (last: FileChange, texts: Readonly<Record<string, string>>) => {
      const around = { ...same, texts: new Map([...same.texts, ...Object.entries(texts)]) };
      const reading = new Reading({ files: [...files, last] }, createFileReader(around));
      const helpers = helpersAmong(files);
      return [
        ...(
          openParallelReader(
            [...files, last],
            around,
            THREAD,
          )?.((file) => walkTouched(reading.read(file), reading.isReached(file, helpers))) ?? new Map()
        ).keys(),
      ];
    };
    /** On a busy machine the thread may start too late to read anything. */
    const toldInTime = (...given: Parameters<typeof toldOf>) => {
      let paths: readonly string[] = [];
      for (let attempt = 1; paths.length === 0 && attempt <= ATTEMPTS; attempt += 1) paths = toldOf(...given);
      return paths;
    };
    const flat = toldInTime({ path: 'zz/a.test.ts', before: test, after: changed }, { 'zz/test/helpers/check.ts': helper });
    expect(flat).toContain('zz/a.test.ts');
    const own = toldInTime({ path: 'zz/a.test.ts', before: test, after: `${changed}const x = ${deep}` }, {});
    expect(own).not.toContain('zz/a.test.ts');
    expect(own.length).toBeGreaterThan(0);
    const leaning = toldOf(
      { path: 'zz/a.test.ts', before: test, after: changed },
      { 'zz/test/helpers/check.ts': `${helper}const x = ${deep}` },
    );
    expect(leaning).toEqual([]);
  });
});
