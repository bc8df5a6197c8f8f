// The commands that only look at sessions: status, list, report, logs. They write nothing and take no lock.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runLogs } from '@umpire/umpire/doors/cli/logs.js';
import { command, root } from './support/command.js';
import { documentedFields, fieldsOf } from './support/documented-fields.js';
import { runInProcess, given, silentOutput } from './support/in-process.js';
import { COMPLETE, ESCALATED, FIXED, writeStory } from './support/session-events.js';

let project = '';

// The journal is in UTC. The commands show local time, so the tests need another zone.
beforeAll(() => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-looking-')));
  mkdirSync(join(project, '.git'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const session = (name: string) => join(project, '.umpire', 'sessions', name);

interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

function umpire(...args: readonly string[]): Promise<Ran> {
  return umpireIn(project, ...args);
}

async function umpireIn(folder: string, ...args: readonly string[]): Promise<Ran> {
  const { exit, stdout, stderr } = await runInProcess(folder, args);
  return { exit, out: stdout, err: stderr };
}

/** Runs the built command in a process of its own. */
function spawnUmpire(...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', cwd: project });
  return { exit: status, out: stdout, err: stderr };
}

/** Every file with its bytes and its time. */
function snapshot(): Readonly<Record<string, string>> {
  const files = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return [relative(project, path), `${hash} ${statSync(path).mtimeMs}`];
    }),
  );
}

describe('umpire status', () => {
  it('shows the latest session, or the one whose name contains the argument', async () => {
    writeStory(session('review-login'), ESCALATED);
    writeStory(session('review-payments'), COMPLETE);
    expect(await umpire('status')).toMatchObject({ exit: 0, err: '', out: expect.stringMatching(/^review-payments: complete\n/) });
    const { exit, out } = await umpire('status', 'login');
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringMatching(/^review-login: awaiting a person\n/) });
    expect(out).toContain('\n  umpire resolve review-login force-approve --reason "why"\n');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints the same as one JSON object', async () => {
    writeStory(session('review-login'), ESCALATED);
    const { exit, out } = await umpire('status', '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      session: 'review-login',
      path: session('review-login'),
      state: 'awaiting',
      loops: ['review'],
      mode: 'sprint',
      unverified: false,
      wave: 4,
      chains: [{ chain: '1', label: 'sprint 1', round: 3, maxRounds: 3, outcome: 'escalate', rule: 'R5' }],
      spent: { minutes: 13, maxMinutes: 60, tokens: 4800, costUsd: 1, maxCostUsd: null },
      question: {
        kind: 'escalation',
        answers: [{ answer: 'force-approve' }, { answer: 'manual-fix' }, { answer: 'extend' }, { answer: 'abort' }],
      },
      work: { kind: 'git', branch: 'umpire/review-payments-2026-03-01', place: null },
    });
  });

  it('accepts a path, and the bare name of a folder that holds a journal or tasks', async () => {
    writeStory(session('review-login'), ESCALATED);
    writeStory(join(project, 'copied'), COMPLETE);
    mkdirSync(join(project, 'planned'));
    writeFileSync(join(project, 'planned', 'tasks.csv'), 'id,description,role,deps,status\nDEV-001,Do it,developer,,pending\n');
    const first = async (folder: string, word: string) => (await umpireIn(folder, 'status', word)).out.split('\n')[0];
    expect(await first(project, 'copied')).toBe('./copied: complete');
    expect(await first(project, 'planned')).toBe('./planned: never judged');
    expect(await first(join(project, 'planned'), '.')).toBe('.: never judged');
    mkdirSync(join(project, 'copied', 'logs'));
    expect(await first(join(project, 'copied', 'logs'), '..')).toBe(`${project}/copied: complete`);
  });

  it('shows a broken journal up to the broken line, and fails', async () => {
    writeStory(session('s'), COMPLETE);
    const file = join(session('s'), 'journal.ndjson');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.toSpliced(8, 1).join('\n'));
    const { exit, out } = await umpire('status');
    expect(exit).toBe(1);
    expect(out).toMatch(/^s: unreadable\n/);
    expect(out).toContain('Note: journal.ndjson is broken at line 9: the line has the number 10.');
    expect(out).toContain('  completed  DEV-001     developer  Develop the sprint');
  });

  it('shows sessions that another program runs', async () => {
    const folder = join(project, '.workflow', '.csv-wave', 'design-x');
    cpSync(join(root, 'examples', 'sessions', 'design'), folder, { recursive: true });
    expect((await umpire('status', 'design-x')).out).toMatch(/^\.workflow\/\.csv-wave\/design-x: never judged\n/);
    expect((await umpire('decide', 'design', folder)).exit).toBe(3);
    const { exit, out } = await umpire('status');
    expect(exit).toBe(0);
    expect(out).toMatch(/^\.workflow\/\.csv-wave\/design-x: judged only\n/);
    expect(out).toContain('round 2 of 3, last REVISION (rule D7)');
    expect(out).toContain('pending    DESIGN-fix-001');
    expect((await umpire('report', 'design-x')).out).toContain('## Verdicts\n\n### 1. REVISION: round 1 of 3, rule D7, AUDIT-001\n');
    expect((await umpire('list')).out).toMatch(/^judged only  design-x  20[0-9: -]+  design  2\/3 REVISION/);
  });
});

it('umpire list shows every session, or says that there is none', async () => {
  expect(await umpire('list')).toEqual({ exit: 0, err: '', out: 'No sessions here. Start one with: umpire run <loop> "<goal>"\n' });
  writeStory(session('review-login'), ESCALATED);
  writeStory(session('review-payments'), COMPLETE);
  mkdirSync(join(session('torn'), 'journal.ndjson'), { recursive: true });
  expect((await umpire('list')).out).toMatchInlineSnapshot(`
    "complete    review-payments  2026-03-01 14:54  review  2/3 CONVERGE  $1.75  Make the payment flow safe. Cards are never logged.
    awaiting    review-login     2026-03-01 14:44  review  3/3 ESCALATE  $1.00  waiting for your decision (rule R5), Make the payment flow safe. Cards are never logged.
    unreadable  torn                                                            Cannot read journal.ndjson: it is not a regular file.
    "
  `);
  const { project: path, sessions } = JSON.parse((await umpire('list', '--json')).out) as {
    project: string;
    sessions: readonly { name: string }[];
  };
  expect({ path, names: sessions.map(({ name }) => name) }).toEqual({ path: project, names: ['review-payments', 'review-login', 'torn'] });
});

it('shows the sessions of packages at the root, with their folder, and finds them by name', async () => {
  const inner = join(project, 'packages', 'a', '.umpire', 'sessions', 'review-cart');
  writeStory(inner, COMPLETE);
  writeStory(join(project, 'node_modules', 'x', '.umpire', 'sessions', 'foreign'), COMPLETE);
  expect((await umpire('status')).out).toMatch(/review-cart: complete\n/);
  writeStory(session('review-login'), ESCALATED);
  expect((await umpire('list')).out).toMatch(
    /^complete +review-cart .* in packages\/a, Make the payment .*\nawaiting +review-login .* waiting for your decision/,
  );
  const { sessions } = JSON.parse((await umpire('list', '--json')).out) as { sessions: readonly { folder?: string; path: string }[] };
  expect(sessions.map(({ folder, path }) => [folder, path])).toEqual([
    ['packages/a', inner],
    [undefined, session('review-login')],
  ]);
  expect((await umpire('status', 'cart')).out).toMatch(/review-cart: complete\n/);
  expect((await umpire('status')).out).toMatch(/^review-login: awaiting/);
  expect(await umpire('status', 'foreign')).toMatchObject({
    exit: 1,
    err: expect.stringContaining('Sessions here: review-cart, review-login.') as string,
  });
  expect((await umpireIn(join(project, 'packages', 'a'), 'list')).out).toMatch(/review-cart/);
});

it('umpire list filters sessions and prints a summary', async () => {
  writeStory(session('review-login'), ESCALATED);
  expect((await umpire('list', '--state', 'failed')).out).toBe('No match: the project has 1 session.\n');
  writeStory(session('review-payments'), COMPLETE);
  mkdirSync(join(session('torn'), 'journal.ndjson'), { recursive: true });
  const names = async (...args: readonly string[]) =>
    (JSON.parse((await umpire('list', '--json', ...args)).out) as { sessions: readonly { name: string }[] }).sessions.map(
      ({ name }) => name,
    );
  expect(await names('--state', 'awaiting')).toEqual(['review-login']);
  expect(await names('--state', 'awaiting', '--state', 'unreadable')).toEqual(['review-login', 'torn']);
  expect(await names('--loop', 'review')).toEqual(['review-payments', 'review-login']);
  expect(await names('--loop', 'review', '--last', '1')).toEqual(['review-payments']);
  expect((await umpire('list')).err).toBe('3 sessions: 1 awaiting, 1 complete, 1 unreadable; $2.75 spent.\n');
  expect((await umpire('list', '--last', '1')).err).toBe('');
  expect(await umpire('list', '--state', 'failed')).toEqual({ exit: 0, err: '', out: 'No match: the project has 3 sessions.\n' });
  const { exit, err } = await umpire('list', '--state', 'waiting');
  expect(exit).toBe(2);
  expect(err).toContain('--state takes one or more of running, awaiting, interrupted, complete');
});

it('has the fields in JSON that docs/session-files.md names', async () => {
  writeStory(session('review-login'), ESCALATED);
  writeStory(session('review-payments'), COMPLETE);
  mkdirSync(join(session('torn'), 'journal.ndjson'), { recursive: true });
  type Fields = Readonly<Record<string, unknown>> & { readonly tasks: readonly unknown[]; readonly chains: readonly unknown[] };
  const all = JSON.parse((await umpire('list', '--json')).out) as { readonly sessions: readonly Fields[] };
  const shown = [
    JSON.parse((await umpire('status', 'review-login', '--json')).out) as Fields,
    JSON.parse((await umpire('status', 'review-payments', '--json')).out) as Fields,
  ];
  const [question] = shown.flatMap((one) => (one['question'] === null ? [] : [one['question'] as { answers: readonly unknown[] }]));
  const found: Readonly<Record<string, readonly unknown[]>> = {
    project: [all],
    'listed session': all.sessions,
    session: shown,
    task: shown.flatMap(({ tasks }) => tasks),
    chain: [...shown, ...all.sessions].flatMap(({ chains }) => chains),
    spent: [...shown, ...all.sessions].flatMap((one) => (one['spent'] === null ? [] : [one['spent']])),
    question: [question],
    'question: answer': question?.answers ?? [],
    work: shown.map((one) => one['work']),
    next: shown.flatMap((one) => one['next'] as readonly unknown[]),
  };
  const names = documentedFields('Sessions as JSON');
  expect([...names.keys()].toSorted()).toEqual(Object.keys(found).toSorted());
  for (const [name, objects] of Object.entries(found))
    expect([name, (names.get(name) ?? []).toSorted()]).toEqual([name, fieldsOf(objects).toSorted()]);
});

it('umpire report prints the whole session as Markdown', async () => {
  writeStory(session('review-payments'), COMPLETE);
  const { exit, out, err } = await umpire('report');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toMatch(/^# Session review-payments\n\n- Outcome: \*\*complete\*\*: The work was approved\.\n/);
  expect(out).toContain('- Apply the work to your checkout: `umpire apply review-payments`\n');
  expect(out).toContain('\n- From 2026-03-01 14:30 to 2026-03-01 14:54 (all times in UTC+5:30)\n');
  expect(out).toContain('\n- Judged: REVIEW-001, 2026-03-01 14:42\n');
});

describe('umpire logs', () => {
  const RAW = Buffer.from([...Buffer.from('\u001b[31mred\u001b[0m \u001b]0;owned\u0007\r\nend'), 0xff, 0xfe, 0x0a]);

  function write(): void {
    writeStory(session('review-payments'), COMPLETE);
    const logs = join(session('review-payments'), 'logs');
    mkdirSync(logs);
    writeFileSync(join(logs, 'DEV-001-1.txt'), 'first\n');
    writeFileSync(join(logs, 'DEV-001-2.txt'), RAW);
    writeFileSync(join(logs, 'REVIEW-001-1.txt'), `${Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n')}\n\u001b[0m`);
    for (const [index, name] of ['DEV-001-1', 'DEV-001-2', 'REVIEW-001-1'].entries()) {
      const at = new Date(Date.UTC(2026, 2, 1, 9, index));
      utimesSync(join(logs, `${name}.txt`), at, at);
    }
  }

  it('lists the logs, with the last lines of the latest', async () => {
    write();
    const { exit, out } = await umpire('logs');
    expect(exit).toBe(0);
    expect(out.split('\n').slice(0, 7)).toEqual([
      '     6 B  DEV-001     attempt 1, 2026-03-01 14:30',
      '    31 B  DEV-001     attempt 2, 2026-03-01 14:31',
      '  4.4 kB  REVIEW-001  attempt 1, 2026-03-01 14:32',
      '',
      'Last lines of REVIEW-001, attempt 1:',
      '',
      'line 480',
    ]);
    expect(out.endsWith('line 499\n')).toBe(true);
  });

  it('prints the last log of a task into a pipe byte for byte', async () => {
    write();
    const { stdout, stderr } = spawnSync(process.execPath, [command, 'logs', 'review-payments', 'DEV-001'], { cwd: project });
    expect(stdout.equals(RAW)).toBe(true);
    expect(stderr.toString()).toBe('DEV-001, attempt 2, 31 B. Earlier: umpire logs review-payments DEV-001-1.\n');
    expect(await umpire('logs', 'DEV-001-1')).toEqual({ exit: 0, out: 'first\n', err: 'DEV-001, attempt 1, 6 B.\n' });
  });

  it('shows control sequences as text on a terminal', async () => {
    write();
    const { stdout: shown } = await runLogs(given('logs', 'DEV-001', '--project', project), silentOutput(), true);
    expect(shown).toBe('red \\u001b]0;owned\\u0007\nend\ufffd\ufffd\n');
  });

  it('names the tasks that have logs if the asked one has none', async () => {
    write();
    const { exit, err } = await umpire('logs', 'review-payments', 'SHIP-001');
    expect(exit).toBe(1);
    expect(err).toBe(
      'umpire: Session review-payments has no output of SHIP-001.\nTasks with output: DEV-001, REVIEW-001. An agent that prints nothing leaves no output.\n',
    );
    rmSync(join(session('review-payments'), 'logs'), { recursive: true });
    expect(await umpire('logs')).toEqual({ exit: 0, err: '', out: 'No agent has printed anything yet.\n' });
  });
});

it('changes nothing, even while a run writes the journal', async () => {
  writeStory(session('review-payments'), FIXED);
  appendFileSync(join(session('review-payments'), 'journal.ndjson'), '{"v":1,"seq":');
  writeFileSync(join(session('review-payments'), '.umpire-lock'), JSON.stringify({ pid: process.pid, host: 'elsewhere', started: '' }));
  const before = snapshot();
  for (const args of [['status'], ['status', '--json'], ['list'], ['report'], ['logs']]) expect(spawnUmpire(...args).exit).toBe(0);
  expect((await umpire('status')).out).toMatch(/^review-payments: running\n/);
  expect(snapshot()).toEqual(before);
});

it('ends the process with 1 if a session cannot be found, and with 2 if an argument is wrong', () => {
  expect([spawnUmpire('status', 'nothing').exit, spawnUmpire('status', '--nothing').exit]).toEqual([1, 2]);
});

it('prints help, and explains wrong arguments', async () => {
  for (const name of ['status', 'list', 'report', 'logs']) {
    const { exit, out } = await umpire('help', name);
    expect({ exit, out }).toEqual({ exit: 0, out: (await umpire(name, '--help')).out });
    expect(out).toMatch(new RegExp(`^Usage: umpire ${name}`, 'm'));
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect((await umpire(name, 'a', 'b', 'c')).exit).toBe(2);
    expect(await umpire(name, '--nothing')).toMatchObject({ exit: 2, err: expect.stringContaining('Unknown flag "--nothing".') });
  }
  for (const word of ['help', '--help', '--json'])
    expect(await umpire('help', word)).toMatchObject({ exit: 0, out: (await umpire('help')).out });
  expect(await umpire('help', 'nothing')).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('Unknown command "nothing".') });
  expect(await umpire('status', 'nothing')).toMatchObject({ exit: 1, err: expect.stringContaining('No sessions in') });
});
