// `umpire read`: the JSON that scripts use, the exit status, and the page for people.

import { given, silentOutput } from './support/in-process.js';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runRead } from '@umpire/umpire/doors/cli/read.js';
import { readReports } from '@umpire/umpire/engine/read.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { FORMATS } from '@umpire/reports/formats.js';
import { HEAD_BYTES } from '@umpire/reports/format.js';
import { helpText } from '@umpire/umpire/doors/cli/help.js';

const folder = mkdtempSync(join(tmpdir(), 'umpire-read-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const good = file('good.tap', 'TAP version 13\nok 1 - adds\n1..1\n');
const bad = file(
  'bad.tap',
  `TAP version 13\nok 1 - adds\nnot ok 2 - sub\n  ---\n  location: '${folder}/src/a.test.js:5:3'\n  error: 'no'\n  ...\n1..2\n`,
);
const cov = file('lcov.info', `SF:${folder}/src/a.js\nDA:1,1\nDA:2,0\nend_of_record\n`);
const types = file('tsc.log', `${folder}/src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n`);
const broken = file('broken.txt', 'hello');
const missing = join(folder, 'nothing.xml');

const print = async (...args: string[]) => runRead(given('read', ...args, '--root', folder), silentOutput());
const json = async (...args: string[]) => JSON.parse((await print(...args, '--json')).stdout ?? '') as unknown;
const failure = async (...args: string[]) =>
  print(...args).then(
    () => expect.fail('it was taken'),
    (error: unknown) =>
      isUmpireError(error) ? { code: error.code, exit: error.exit, message: error.message } : expect.fail(String(error)),
  );

describe('umpire read --json', () => {
  it('prints one report as an object, without members that its format does not have', async () => {
    expect(await json(good)).toEqual({
      format: 'tap',
      outcome: 'pass',
      tests: { total: 1, passed: 1, failed: 0, errored: 0, skipped: 0 },
      findings: [],
      problems: [],
    });
    expect(await json(cov)).toEqual({
      format: 'lcov',
      outcome: 'pass',
      coverage: { lines: { covered: 1, total: 2, pct: 50 } },
      findings: [],
      problems: [],
    });
    expect(await json(types)).toEqual({
      format: 'tsc',
      outcome: 'fail',
      findings: [
        {
          severity: 'high',
          message: "Type 'string' is not assignable to type 'number'.",
          artifact: 'src/a.ts',
          line: 3,
          rule: 'TS2322',
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      ],
      problems: [],
    });
  });

  it('prints several as a list with the worst outcome', async () => {
    expect(await json(good, bad, missing)).toEqual({
      reports: [
        expect.objectContaining({ outcome: 'pass' }),
        expect.objectContaining({ outcome: 'fail' }),
        {
          format: 'unknown',
          outcome: 'missing',
          findings: [],
          problems: [{ message: 'no such file; run the tool that writes it, or check the path' }],
        },
      ],
      outcome: 'missing',
    });
  });

  it('adds each test and each file with --all', async () => {
    expect(await json(bad, '--all')).toMatchObject({
      path: bad,
      results: [{ id: 'adds' }, { id: 'sub', status: 'failed', file: 'src/a.test.js', line: 5, message: 'no' }],
    });
    expect(await json(cov, '--all')).toMatchObject({ files: [{ path: 'src/a.js', uncovered: [2] }] });
  });
});

describe('the exit status', () => {
  it.each([
    [[good], 0],
    [[bad], 3],
    [[good, bad], 3],
    [[broken], 1],
    [[missing], 1],
    [[bad, missing], 1],
    [[good, cov], 0],
  ])('%j is %i', async (paths, exit) => {
    expect((await print(...paths)).exit).toBe(exit);
    expect((await print(...paths, '--json')).exit).toBe(exit);
  });
});

describe('what it refuses', () => {
  it('is explained, with exit status 2', async () => {
    expect(await failure()).toMatchObject({ code: 'usage', exit: 2 });
    expect(await failure('-', '-')).toMatchObject({ code: 'usage', exit: 2 });
    expect(await failure(good, '--all')).toMatchObject({ code: 'usage', exit: 2 });
    expect(await failure(good, folder)).toMatchObject({
      code: 'report-folder',
      exit: 2,
      message: `"${folder}" is a folder, not a report.`,
    });
    expect(await failure(good, '--format', 'xunit')).toMatchObject({ code: 'format-unknown', exit: 2 });
  });

  it('reads a file as the format of --format, whatever it looks like', async () => {
    expect(await json(good, '--format', 'lcov')).toMatchObject({ format: 'lcov', outcome: 'error' });
    expect(await json(missing, '--format', 'junit')).toMatchObject({ format: 'junit', outcome: 'missing' });
  });
});

describe('large files', () => {
  it('are recognized even if their first keys come late', async () => {
    const late = file('late.json', `{"a":"${'x'.repeat(HEAD_BYTES)}","numTotalTests":0,"testResults":[]}`);
    expect(await readReports({ reports: [late] })).toMatchObject({ outcome: 'error', reports: [{ format: 'jest' }] });
  });
});

describe('the page', () => {
  it('shows the result of each report, the worst first, in 80 columns', async () => {
    const { stdout = '' } = await print(bad, cov, types, file('empty.xml', ''), missing);
    expect(stdout.replaceAll(folder, '/project')).toMatchSnapshot();
    expect(stdout.split('\n').filter((line) => line.replaceAll(folder, '').length > 80)).toEqual([]);
  });

  it('lists twenty and counts the rest', async () => {
    const many = file('many.tap', `1..30\n${Array.from({ length: 30 }, (_, at) => `not ok ${at + 1} - t${at}`).join('\n')}\n`);
    expect((await print(many)).stdout?.split('\n').slice(-4)).toEqual(['  t18', '  t19', '  and 10 more; --json --all lists them', '']);
  });

  it('is colored where the output is', async () => {
    expect((await runRead(given('read', good), silentOutput(true))).stdout).toContain('\u001b[32mpass');
    expect((await runRead(given('read', good), silentOutput())).stdout).not.toContain('\u001b');
  });

  it('removes control sequences of a report', async () => {
    const hostile = file('hostile.tap', '1..1\nnot ok 1 - \u001b[2J\u001b]0;x\u0007name\u202e\n');
    const { stdout = '' } = await print(hostile);
    expect(stdout).toContain('name');
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

it('waits for no pipe and reads no device', async () => {
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero']) {
    const { exit, stdout } = await print(path);
    expect([exit, stdout]).toEqual([1, expect.stringContaining('it is a pipe or a device')]);
  }
});

it('names every format in its help', () => {
  const named = helpText('read').replaceAll(/\s+/g, ' ');
  expect(FORMATS.map(({ id }) => id).filter((id) => !new RegExp(`[ ,]${id}[, ]`).test(named))).toEqual([]);
});
