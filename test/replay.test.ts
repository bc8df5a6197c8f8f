// `umpire replay`: recorded verdicts come out the same, even after the other files of the session are deleted, and every change of the
// record is reported with its line.

import { given } from './support/in-process.js';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDecide } from '@umpire/umpire/doors/cli/decide.js';
import { runReplay } from '@umpire/umpire/doors/cli/replay.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import type { Replay } from '@umpire/umpire/views/replay-page.js';
import { replay } from '@umpire/umpire/sessions/replay.js';
import { forge, golden, GOLDEN, goldenNames, linesOf, newFolder, sha256, writeLines } from './support/journal.js';
import { changes, prepare, readFixtures, snapshot, withFixture } from './support/spec-fixture.js';

/** `3 FIX R4 same`, a line for each verdict. */
function told({ verdicts }: Replay): readonly string[] {
  return verdicts.map((one) => `${one.seq} ${one.decision} ${one.rule} ${one.status}`);
}

function lineOf(folder: string, text: string): number {
  return linesOf(folder).findIndex((line) => line.includes(text)) + 1;
}

describe('recorded sessions', () => {
  it.each(goldenNames())('%s is judged the same', async (name) => {
    const folder = join(GOLDEN, name);
    const before = snapshot(folder);
    const { chain, verdicts } = await replay({ session: folder });
    expect(verdicts.filter((one) => one.status !== 'same')).toEqual([]);
    expect(chain).toEqual({ unbroken: true, lines: linesOf(folder).length, torn: null, authentication: 'not authenticated' });
    expect(changes(before, snapshot(folder))).toEqual([]);
    expect([...before.values()].join('')).not.toMatch(/\/(tmp|home|root|work|Users|private|var)\//);
  });

  it('cover every loop and outcome, waivers, strict and partial verdicts, and odd cases', async () => {
    const all = (await Promise.all(goldenNames().map((name) => replay({ session: join(GOLDEN, name) })))).flatMap((one) => one.verdicts);
    expect(new Set(all.map((one) => one.loop))).toEqual(
      new Set(['design', 'testing', 'debt', 'review', 'brainstorm', 'until', 'docs-review']),
    );
    expect(new Set(all.map((one) => one.outcome))).toEqual(new Set(['converge', 'revise', 'accept', 'escalate']));
    expect(all.filter((one) => one.partial).length).toBeGreaterThan(1);
    expect(all.filter((one) => one.unverified).length).toBeGreaterThan(4);
    const text = goldenNames().map((name) => readFileSync(join(GOLDEN, name, 'journal.ndjson'), 'utf8'));
    for (const sign of [
      '"CapChanged"',
      '"TargetFrozen"',
      '"strict":true',
      '"unwritable":"Cannot write tasks.csv',
      '"problem":"it is not a regular file"',
    ])
      expect(text.filter((journal) => journal.includes(sign)).length, sign).toBeGreaterThan(0);
  });

  const specs = readFixtures();
  it.each(specs.map((fixture) => [fixture.name, fixture] as const))(
    'fixtures/spec/%s is judged the same from its record alone',
    async (_, fixture) => {
      let ran: Promise<void> = Promise.resolve();
      const kept = newFolder();
      await withFixture(fixture, async (folder) => {
        cpSync(folder, kept, { recursive: true, verbatimSymlinks: true });
      });
      for (const step of fixture.steps) {
        prepare(fixture, step, kept);
        ran = runDecide(given('decide', fixture.loop, join(kept, 'session'), ...(step.args ?? []))).then(
          () => undefined,
          () => undefined,
        );
        await ran;
      }
      const session = join(kept, 'session');
      if (!existsSync(join(session, 'journal.ndjson'))) return;
      const before = snapshot(session);
      const first = await runReplay(given('replay', session));
      expect([first.exit, first.stdout]).toEqual([0, expect.not.stringMatching(/differs|lost/)]);
      expect(changes(before, snapshot(session))).toEqual([]);
      for (const name of readdirSync(session))
        if (name !== 'journal.ndjson' && name !== 'blobs') rmSync(join(session, name), { recursive: true });
      expect(await runReplay(given('replay', session))).toEqual(first);
    },
  );
});

describe('the record of a verdict', () => {
  const RUN = { layer: 'L1', pass_rate: 0.5, coverage: 40, total: 2, passed: 1, failed: 1, failures: [{ name: 'a', message: 'b' }] };

  function testing(): string {
    const folder = newFolder();
    mkdirSync(join(folder, 'results'), { recursive: true });
    writeFileSync(join(folder, 'results', 'run-L1.json'), JSON.stringify(RUN));
    return folder;
  }

  function sceneOf(folder: string): unknown {
    const line = linesOf(folder).find((one) => one.includes('"type":"VerdictGiven"')) ?? '';
    return (JSON.parse(line) as { data: { scene: unknown } }).data.scene;
  }

  it('holds what judging again needs: states, paths and hashes, but no large files', async () => {
    const session = testing();
    writeFileSync(join(session, 'results', 'output-L1.txt'), 'x'.repeat(5_000_000));
    await decide({ loop: 'testing', session });
    expect(sceneOf(session)).toEqual({
      critic: null,
      tasks: null,
      anomalies: [],
      exhibits: {
        run: { state: 'ok', path: 'results/run-L1.json', sha256: sha256(JSON.stringify(RUN)), grade: 'testified' },
        output: { state: 'missing', path: 'results/output-L1.txt' },
        fixes: { state: 'missing' },
      },
      unwritable: null,
      rules: null,
    });
    expect(told(await replay({ session }))).toEqual(['4 RETRY T3 same']);
  });

  it('holds the reason why a file could not be read', async () => {
    const session = newFolder();
    mkdirSync(join(session, 'validation', 'validation-report.json'), { recursive: true });
    await decide({ loop: 'debt', session });
    const problem = 'it is not a regular file';
    expect(sceneOf(session)).toMatchObject({
      exhibits: { report: { state: 'unreadable', path: 'validation/validation-report.json', problem } },
    });
    rmSync(join(session, 'validation'), { recursive: true });
    expect(told(await replay({ session }))).toEqual(['3 retry B4 same']);
  });

  it('holds a short tasks.csv, and the hash of a long one', async () => {
    const session = testing();
    const head = 'id,description,role,layer,status\n';
    writeFileSync(join(session, 'tasks.csv'), `${head}T1,run,executor,L1,completed\n`);
    await decide({ loop: 'testing', session });
    expect(sceneOf(session)).toMatchObject({ critic: 'T1', tasks: `${head}T1,run,executor,L1,completed\n` });
    const long = testing();
    const text = `${head}T1,${'run '.repeat(5000)},executor,L1,completed\n`;
    writeFileSync(join(long, 'tasks.csv'), text);
    await decide({ loop: 'testing', session: long });
    expect(sceneOf(long)).toMatchObject({ critic: 'T1', tasks: { sha256: sha256(text) } });
    rmSync(join(long, 'tasks.csv'));
    expect(told(await replay({ session: long }))).toEqual(['4 RETRY T3 same']);
    rmSync(join(long, 'blobs', sha256(text)));
    expect(await replay({ session: long })).toMatchObject({
      verdicts: [{ status: 'lost', note: expect.stringContaining('tasks.csv: blobs/') }],
    });
  });
});

describe('a changed journal', () => {
  const NAME = 'review-cap-raised';
  const all = linesOf(join(GOLDEN, NAME)).length;

  it.each([
    ['a changed line', (lines: string[]) => lines.with(4, (lines[4] ?? '').replace('R5', 'R1')), 5],
    ['a line taken out', (lines: string[]) => lines.toSpliced(4, 1), 5],
    ['two lines exchanged', (lines: string[]) => lines.with(5, lines[6] ?? '').with(6, lines[5] ?? ''), 6],
    ['an added line', (lines: string[]) => lines.toSpliced(2, 0, lines[2] ?? ''), 4],
    ['a line that is no JSON', (lines: string[]) => lines.with(7, '{'), 8],
    ['an empty line', (lines: string[]) => lines.toSpliced(1, 0, ''), 2],
    ['a newer version', (lines: string[]) => lines.with(6, (lines[6] ?? '').replace('"v":1', '"v":2')), 7],
  ])('is reported with its first broken line: %s', async (_, change, line) => {
    const folder = golden(NAME);
    writeLines(folder, change(linesOf(folder)));
    const { exit, stdout } = await runReplay(given('replay', folder, '--json'));
    const replayed = JSON.parse(stdout ?? '') as Replay;
    expect([exit, replayed.chain]).toEqual([1, { unbroken: false, line, detail: expect.any(String) }]);
    const whole = await replay({ session: join(GOLDEN, NAME) });
    expect(told(replayed)).toEqual(told(whole).filter((text) => Number.parseInt(text, 10) < line));
  });

  it('is replayed without a last line that was cut off, and the line is named', async () => {
    const folder = golden(NAME);
    const text = readFileSync(join(folder, 'journal.ndjson'), 'utf8');
    writeFileSync(join(folder, 'journal.ndjson'), text.slice(0, -20));
    const { exit, stdout } = await runReplay(given('replay', folder));
    expect([exit, stdout]).toEqual([0, expect.stringContaining(`Line ${all} was cut off by a crash and is ignored`)]);
  });

  it('is found out if its rules do not match their hash, although every line does', async () => {
    const folder = golden(NAME);
    forge(folder, (events) => {
      events[1]!.data.rules['title'] = 'Softer rules';
    });
    expect(await replay({ session: folder })).toMatchObject({
      chain: { unbroken: false, line: 2, detail: 'Umpire writes no such line: its rules do not match their hash' },
      verdicts: [],
    });
  });

  it('is found out for each rewritten field of a verdict', async () => {
    const folder = golden(NAME);
    const seq = lineOf(folder, '"rule":"R5"');
    forge(folder, (events) => {
      Object.assign(events[seq - 1]!.data.verdict, { rule: 'R1', outcome: 'converge', decision: 'CONVERGE' });
    });
    const { exit, stdout, stderr } = await runReplay(given('replay', folder));
    expect(exit).toBe(3);
    expect(stdout).toContain(`| ${seq} | review | 1 | 2 of 2 | CONVERGE | R1 | **differs** |`);
    expect(stdout).toContain(`- Line ${seq} differs: rule: R1 -> R5\n`);
    const { verdicts } = await replay({ session: folder });
    expect(verdicts[1]?.differences).toEqual([
      { field: 'decision', was: 'CONVERGE', is: 'ESCALATE' },
      { field: 'outcome', was: 'converge', is: 'escalate' },
      { field: 'rule', was: 'R1', is: 'R5' },
    ]);
    expect(stderr).toMatch(/^5 verdicts replayed: 4 the same, 1 differing; history unbroken\.\nNext: .*\n$/);
  });

  it.each([
    ['a raised cap', 'maxRounds', 9, [{ field: 'maxRounds', was: 9, is: 2 }]],
    ['a round that fell', 'round', 1, [{ field: 'round', was: 1, is: 2 }]],
    ['another chain', 'chain', '7', expect.arrayContaining([{ field: 'chain', was: '7', is: '1' }])],
  ])('is judged by %s of the journal, not of the verdict', async (_, field, value, differences) => {
    const folder = golden(NAME);
    const seq = lineOf(folder, '"rule":"R5"');
    forge(folder, (events) => {
      events[seq - 1]!.data.verdict[field] = value;
    });
    const { verdicts } = await replay({ session: folder });
    expect(verdicts.find((one) => one.seq === seq)).toMatchObject({ status: 'differs', differences });
  });

  it('is judged by the strictness of its time', async () => {
    const folder = golden('review-waiver-and-strict');
    forge(folder, (events) => {
      for (const { type, data } of events) if (type === 'VerdictGiven') Object.assign(data, { strict: data['strict'] !== (true as never) });
    });
    const { verdicts } = await replay({ session: folder });
    const changed = verdicts.map((one) => one.differences.filter(({ field }) => field === 'outcome'));
    expect(changed).toEqual([
      [{ field: 'outcome', was: 'converge', is: 'escalate' }],
      [{ field: 'outcome', was: 'escalate', is: 'converge' }],
      [],
    ]);
  });

  it('does not crash replay, even with valid hashes', async () => {
    for (const data of [null, {}, { verdict: {} }, { verdict: {}, lists: {}, scene: {} }]) {
      const folder = golden(NAME);
      forge(folder, (events) => {
        events[2] = { ...events[2]!, data: data as never };
      });
      expect((await runReplay(given('replay', folder))).exit, JSON.stringify(data)).toBe(1);
    }
    const folder = golden(NAME);
    forge(folder, (events) => {
      const rules = { loop: 'review' };
      Object.assign(events[1]!.data, { rules, hash: sha256(JSON.stringify(rules)) });
    });
    expect(await replay({ session: folder })).toMatchObject({ chain: { unbroken: false, line: 2 }, verdicts: [] });
  });
});

describe('missing evidence', () => {
  function blobOf(folder: string, text: string): string {
    return readdirSync(join(folder, 'blobs')).find((name) => readFileSync(join(folder, 'blobs', name), 'utf8').includes(text)) ?? '';
  }

  it.each([
    ['gone', (path: string) => rmSync(path), 'is gone'],
    [
      'changed',
      (path: string) => writeFileSync(path, '{"review_score": 10, "gc_signal": "CONVERGED", "findings": []}'),
      'was changed: its hash is different',
    ],
    ['a folder', (path: string) => (rmSync(path), mkdirSync(path)), 'could not be read: it is not a regular file'],
  ])('is named by its path, and the other verdicts are judged: %s', async (_, spoil, why) => {
    const folder = golden('review-cap-raised');
    const hash = blobOf(folder, 'Card numbers');
    spoil(join(folder, 'blobs', hash));
    const { exit, stdout, stderr } = await runReplay(given('replay', folder));
    expect([exit, stderr]).toEqual([1, expect.stringContaining('4 the same, 1 without evidence')]);
    expect(stdout).toContain(` cannot be judged again: artifacts/review-results.json: blobs/${hash} ${why}\n`);
  });

  it('counts less than a difference, and a difference less than a broken journal', async () => {
    const folder = golden('review-cap-raised');
    rmSync(join(folder, 'blobs', blobOf(folder, 'Card numbers')));
    forge(folder, (events) => {
      events[2]!.data.verdict['rule'] = 'R0';
    });
    expect((await runReplay(given('replay', folder))).exit).toBe(3);
    writeLines(folder, [...linesOf(folder).slice(0, -1), '{}']);
    expect((await runReplay(given('replay', folder))).exit).toBe(1);
  });

  it('is looked up in blobs/ only, whatever the journal says', async () => {
    const folder = golden('review-cap-raised');
    forge(folder, (events) => {
      const { exhibits } = events[2]!.data.scene as { exhibits: Record<string, { sha256: string }> };
      exhibits['results']!.sha256 = '../journal.ndjson';
    });
    expect((await replay({ session: folder })).verdicts[0]).toMatchObject({
      status: 'lost',
      note: expect.stringContaining('names no file in blobs/'),
    });
  });
});
