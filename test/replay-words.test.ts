// `umpire replay` with little to report: nothing judged, no verdict for the other rules, no such folder. Its JSON has the fields that
// docs/session-files.md names.

import { given } from './support/in-process.js';
import { cpSync, mkdirSync, writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runReplay } from '@umpire/umpire/doors/cli/replay.js';
import { helpText } from '@umpire/umpire/doors/cli/help.js';
import { decide } from '@umpire/umpire/engine/decide.js';
import { documentedFields, fieldsOf } from './support/documented-fields.js';
import { forge, golden, GOLDEN, linesOf, newFolder, root, writeLines } from './support/journal.js';

/** A project with these sessions, each a copy of a recorded one and then changed. */
function project(sessions: Readonly<Record<string, (folder: string) => void>>, of = 'review-cap-raised'): string {
  const folder = newFolder();
  for (const [name, change] of Object.entries(sessions)) {
    const session = join(folder, '.umpire', 'sessions', name);
    cpSync(golden(of), session, { recursive: true });
    change(session);
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

const put = (text: string) => (session: string) => writeFileSync(join(session, 'journal.ndjson'), text);
const asItIs = (): void => undefined;
const differing = (session: string) =>
  forge(session, (events) => {
    events[2]!.data.verdict['rule'] = 'R0';
  });

describe('a journal without a whole line', () => {
  it.each([
    ['', 'journal.ndjson is empty'],
    ['{"v":1,"seq":1,', 'journal.ndjson has no complete line'],
  ])('%j is like none', async (text, why) => {
    const folder = golden('review-cap-raised');
    put(text)(folder);
    await expect(runReplay(given('replay', folder))).rejects.toMatchObject({
      code: 'never-judged',
      message: `No verdict to replay in "${folder}": ${why}.`,
    });
    const { exit, stdout, stderr } = await runReplay(given('replay', '--all', '--project', project({ one: put(text) })));
    expect([exit, stdout]).toEqual([0, expect.stringContaining('| .umpire/sessions/one | 0 | never judged | none |\n')]);
    expect(stderr).toBe('1 session found, none judged yet.\nNext: judge a session first: `umpire decide <loop> <session>`.\n');
  });
});

describe('the headline', () => {
  it('does not mention a journal if there is none', async () => {
    const { exit, stderr } = await runReplay(given('replay', '--all', '--project', project({})));
    expect([exit, stderr]).toEqual([0, 'No session found.\nNext: check the folder, or name the project with --project.\n']);
  });

  it('says that the folder does not exist', async () => {
    const file = newFolder();
    writeFileSync(file, '');
    for (const path of ['/nowhere/at/all', file]) {
      const error = { code: 'project-missing', exit: 1, message: `No folder at "${path}".` };
      await expect(runReplay(given('replay', '--all', '--project', path))).rejects.toMatchObject(error);
    }
  });

  it('does not call an unreadable journal broken', async () => {
    const folder = project({ good: asItIs });
    mkdirSync(join(folder, '.umpire', 'sessions', 'bad', 'journal.ndjson'), { recursive: true });
    const { exit, stderr } = await runReplay(given('replay', '--all', '--project', folder));
    expect([exit, stderr]).toEqual([
      1,
      '5 verdicts replayed: 5 the same; journal of 1 session unreadable.\n' +
        'Next: fix the unreadable journal, then run the same command again.\n',
    ]);
    differing(join(folder, '.umpire', 'sessions', 'good'));
    expect((await runReplay(given('replay', '--all', '--project', folder))).exit).toBe(3);
  });
});

describe('other rules that apply to no verdict', () => {
  async function twoLoops(): Promise<string> {
    const session = newFolder();
    cpSync(join(root, 'fixtures', 'spec', 'R4', 'session'), session, { recursive: true });
    await decide({ loop: 'review', session });
    await decide({ loop: 'brainstorm', session });
    return session;
  }

  it('are reported, with the loops that were judged', async () => {
    const { exit, stdout, stderr } = await runReplay(given('replay', await twoLoops(), '--loop', 'design'));
    expect(exit).toBe(0);
    expect(stdout).toContain('\ndesign applies to no verdict here: they are of the loops brainstorm, review.\n');
    expect(stderr).toContain('2 the same, none for design (they belong to the loops brainstorm, review); history unbroken.');
  });

  it('are reported for a whole project too', async () => {
    const folder = project({ one: asItIs, two: differing });
    const { exit, stdout, stderr } = await runReplay(given('replay', '--all', '--project', folder, '--loop', 'design'));
    expect(exit).toBe(3);
    expect(stdout?.match(/design applies to no verdict here: they are of the loop review\./g)).toHaveLength(1);
    expect(stderr).toContain('none for design (they belong to the loop review)');
  });

  it('are not reported if they apply to one verdict', async () => {
    const { stdout, stderr } = await runReplay(given('replay', await twoLoops(), '--loop', 'review'));
    expect(`${stdout ?? ''}${stderr ?? ''}`).not.toContain('asked about');
  });
});

interface Told {
  readonly result: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly sessions: readonly Record<string, unknown>[];
  readonly verdicts: readonly Record<string, unknown>[];
  readonly chain: unknown;
}

async function told(...args: readonly string[]): Promise<Told & { readonly exit: number }> {
  const { stdout, exit } = await runReplay(given('replay', ...args, '--json'));
  return { ...(JSON.parse(stdout ?? '') as Told), exit };
}

describe('the JSON', () => {
  const broken = (session: string) => writeLines(session, linesOf(session).with(4, '{}'));
  const lost = (session: string) => rmSync(join(session, 'blobs'), { recursive: true });

  it.each([
    ['same', 0, asItIs, { verdicts: 5, same: 5, differs: 0, lost: 0, asked: 0, other: 0 }],
    ['differs', 3, differing, { verdicts: 5, same: 4, differs: 1, lost: 0, asked: 0, other: 0 }],
    ['lost', 1, lost, { verdicts: 5, same: 0, differs: 0, lost: 5, asked: 0, other: 0 }],
    ['broken', 1, broken, { verdicts: 1, same: 1, differs: 0, lost: 0, asked: 0, other: 0 }],
  ])('has one word for all of it: %s', async (result, exit, change, counts) => {
    const session = golden('review-cap-raised');
    change(session);
    expect(await told(session)).toMatchObject({ result, exit, counts });
    const sessions = { sessions: 2, neverJudged: 1, unreadable: 0, broken: result === 'broken' ? 1 : 0, cutBack: 0 };
    const all = await told('--all', '--project', project({ one: change, two: put('') }));
    expect([all.result, all.exit, all.counts]).toEqual([result, exit, { ...sessions, ...counts }]);
  });

  it('counts the answers of other rules', async () => {
    const { result, exit, counts } = await told(join(GOLDEN, 'design-to-the-cap'), '--loop', 'review');
    expect([result, exit, counts]).toEqual(['differs', 3, expect.objectContaining({ asked: 3, other: 3, same: 3 })]);
  });

  it('has the fields that docs/session-files.md names', async () => {
    const folder = project({ good: asItIs, broken, differing, lost, empty: put('') });
    mkdirSync(join(folder, '.umpire', 'sessions', 'bad', 'journal.ndjson'), { recursive: true });
    const all = JSON.parse(
      (await runReplay(given('replay', '--all', '--project', folder, '--loop', 'review', '--json'))).stdout ?? '',
    ) as Told;
    const inState = (state: string) => all.sessions.filter((one) => one['state'] === state) as unknown as readonly Told[];
    const replayed = inState('replayed');
    const verdicts = replayed.flatMap((one) => one.verdicts);
    const chains = replayed.map((one) => one.chain as { unbroken: boolean });
    const found: Readonly<Record<string, readonly unknown[]>> = {
      project: [all],
      'project: counts': [all.counts],
      session: replayed,
      'session: counts': replayed.map((one) => one.counts),
      'never judged': inState('never judged'),
      unreadable: inState('unreadable'),
      'unreadable: error': inState('unreadable').map((one) => (one as unknown as { error: unknown }).error),
      'unbroken chain': chains.filter((one) => one.unbroken),
      'broken chain': chains.filter((one) => !one.unbroken),
      verdict: verdicts,
      difference: verdicts.flatMap((one) => one['differences'] as readonly unknown[]),
      other: verdicts.flatMap((one) => (one['other'] === undefined ? [] : [one['other']])),
    };
    const names = documentedFields('The replay as JSON');
    expect([...names.keys()].toSorted()).toEqual(Object.keys(found).toSorted());
    for (const [name, objects] of Object.entries(found))
      expect([name, (names.get(name) ?? []).toSorted()]).toEqual([name, fieldsOf(objects).toSorted()]);
  });
});

describe('the help', () => {
  it('fits 80 columns, and names the exit statuses by priority', () => {
    expect(
      helpText('replay')
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
    const order = [...(/Exit status[^]*?\n\n/.exec(helpText('replay'))?.[0] ?? '').matchAll(/^ {2}(\d) /gm)].map((match) => match[1]);
    expect(order).toEqual(['2', '1', '3', '1', '0']);
  });
});
