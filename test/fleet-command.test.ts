// A fleet as people use it: a real PostgreSQL server, and the built commands as separate processes with homes of their own.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SOAK } from './support/campaign.js';
import { startCollector } from './support/collector.js';
import { ASKS, fleetServer } from './support/fleet-project.js';
import { gitIn, writeFiles } from './support/git-project.js';
import { openProxy } from './support/loopback-proxy.js';
import { postgresPrograms } from './support/postgres-server.js';
import { cleanUpProjects } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

const programs = postgresPrograms();
cleanUpProjects();

const PATIENCE = { timeout: 60_000, interval: 100 };
/** Leases that expire soon; a busy machine could lose others. */
const QUICK = { env: { UMPIRE_LEASE_MS: '3000' } };

describe.skipIf(programs === null)('fleet on PostgreSQL', () => {
  const { newEngine, openFleet, port } = fleetServer(programs ?? '');

  test('sessions run on other machines, and anybody answers and looks', { timeout: 120_000 }, async () => {
    const collector = await startCollector();
    const fleet = await openFleet(ASKS, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    expect(await fleet.umpire('engine', 'init')).toMatchObject({ exit: 0 });
    const one = await fleet.addWorker('one');
    const started = await fleet.until('--session', 's1', '--needs', 'gpu', '--detach');
    expect(started).toMatchObject({ exit: 0, out: 's1\n' });
    expect((await fleet.umpire('status', 's1')).err).toContain('No worker has the label gpu.');
    const two = await fleet.addWorker('two', ['--label', 'gpu,docker']);

    const asked = await fleet.umpire('resume', 's1');
    expect(asked).toMatchObject({ exit: 4 });
    expect(asked.err).toContain('Which value?');
    expect(asked.err.split('Answer with one of').length).toBe(2);
    for (const change of [
      ['resolve', 's', 'insist'],
      ['resume', 's', '--retry'],
      ['dismiss', 's', 'F1'],
    ] as const) {
      const [verb, , ...rest] = change;
      expect(await fleet.umpire(...change)).toMatchObject({
        exit: 2,
        err: expect.stringContaining(`Did you mean: umpire ${verb} s1 ${rest.join(' ')}\n`) as string,
      });
    }
    // From another machine, in a folder that is no project.
    const elsewhere = { cwd: fleet.project.beside, env: { UMPIRE_ENGINE: fleet.url, HOME: join(fleet.project.beside, 'elsewhere') } };
    const answered = await fleet.project.umpireWith(elsewhere, 'resolve', 's1', 'insist', '--reason', 'good');
    expect(answered).toMatchObject({ exit: 0 });
    expect(answered.err).toContain(`git fetch ${fleet.remote} umpire/s1`);
    expect(gitIn(fleet.remote, 'show', 'umpire/s1:value.txt')).toBe('good\n');

    const seen = environmentsOf(fleet.project);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.join('')).not.toContain(fleet.url);

    const [list, bogus, unapplied, report, logs, followed, apply, diff] = await Promise.all([
      fleet.umpire('list'),
      fleet.umpire('list', '--state', 'bogus'),
      fleet.umpire('list', '--unapplied'),
      fleet.umpire('report', 's'),
      fleet.umpire('logs', 's1', 'WORK-1'),
      fleet.umpire('logs', 's1', '-f'),
      fleet.umpire('apply', 's1', '--engine', fleet.url),
      fleet.umpire('diff', 's1'),
    ]);
    expect(list.out).toBe('s1  complete, round 1  make it good\n');
    expect(bogus).toMatchObject({ exit: 2, err: expect.stringContaining('--state takes one or more of running') as string });
    expect(unapplied).toMatchObject({ exit: 2, err: expect.stringContaining('Add --engine none.') as string });
    expect(report.out).toContain('- Outcome: **complete**');
    expect(logs.out).toContain('"findings":"ok"');
    expect(followed).toMatchObject({ exit: 0, out: expect.stringContaining('"findings":"ok"') as string });
    expect(apply).toMatchObject({ exit: 2, err: expect.stringContaining('umpire/SESSION') as string });
    expect(diff).toMatchObject({ exit: 1, err: expect.stringContaining(`git fetch ${fleet.remote} umpire/s1`) as string });
    fleet.project.git('fetch', '-q', fleet.remote, 'umpire/s1');
    const whole = (await fleet.umpire('diff', 's1')).out;
    expect(whole).toContain('-bad\n+good\n');
    expect((await fleet.umpire('diff', 's1', '1')).out).toBe(whole);
    expect(await fleet.umpire('diff', 's1', '0')).toMatchObject({ exit: 0, out: '' });

    await fleet.umpire('engine', 'export', 's1', join(fleet.project.beside, 'out'));
    const place = join(fleet.project.beside, 'out', 's1');
    // A path is a session of this machine.
    expect(await fleet.umpire('replay', place)).toMatchObject({ exit: 0 });
    expect(await fleet.umpire('dismiss', place)).toMatchObject({ exit: 0 });
    expect((await fleet.umpire('resume', place)).err).not.toContain('The engine has');
    expect((await fleet.umpire('status', 'other')).err).toContain('For a session on this machine, add --engine none.');
    const other = await newEngine();
    await fleet.umpire('engine', 'init', other);
    expect(await fleet.umpire('engine', 'import', place, '--engine', other)).toMatchObject({ exit: 0 });
    const refusals = await Promise.all([
      fleet.umpire('engine', 'import', place, '--engine', other),
      fleet.umpire('engine', 'export', 's1', join(fleet.project.beside, 'out')),
      fleet.until('--session', 'a b'),
      fleet.umpire('list', '--engine', 'postgres'),
    ]);
    expect(refusals.map(({ exit, err }) => ({ exit, hint: err.trimEnd().split('\n').at(-1) }))).toEqual([
      { exit: 2, hint: 'To import it under another name, rename the folder.' },
      { exit: 2, hint: 'Choose another folder.' },
      { exit: 2, hint: 'Name it with letters, digits, dots and dashes.' },
      { exit: 2, hint: 'Use postgres://… or restate://…' },
    ]);
    // No worker is there, and the person does not wait for one.
    const onOther = { env: { UMPIRE_ENGINE: other } };
    const begins = fleet.project.startWith(onOther, 'until', 'node check.mjs', 'again', ...fleet.agent, '--session', 's2', '--detach');
    const answers = fleet.project.startWith(onOther, 'resolve', 's1', 'insist', '--reason', 'good');
    await begins.says(`Waiting: no conductor that serves ${fleet.remote} has taken this yet. Start one with: umpire worker --engine URL`);
    await answers.says('Waiting: no conductor has taken this yet.');
    for (const { child } of [begins, answers]) child.kill('SIGINT');
    const stays = (word: string): unknown => ({ exit: 130, err: expect.stringContaining(`${word} as soon as a conductor takes it.\n`) });
    expect(await begins.ended).toMatchObject(stays('The session stays on the engine and begins') as object);
    expect(await answers.ended).toMatchObject(stays('The answer stays on the engine and counts') as object);
    expect((await fleet.umpire('replay', 's1', '--engine', other)).err).toContain('2 verdicts replayed: 2 the same; history unbroken.');

    await fleet.umpire('engine', 'limit', 'anthropic', '3');
    expect((await fleet.umpire('engine', 'limits')).out).toBe('anthropic  0 of 3\n');
    await fleet.umpire('engine', 'drain', 'two');
    expect(await two.ended).toMatchObject({ exit: 0 });
    expect((await fleet.umpire('engine', 'workers')).out).toMatch(/^one {2}0 of 1 busy, seen \d+ s ago\ntwo .*docker.*draining/);
    one.child.kill('SIGINT');
    expect(await one.ended).toMatchObject({ exit: 130 });

    // Each conductor tells of the turns that it took, of one trace.
    const spans = collector.spans();
    expect(spans.map(({ name }) => name).toSorted()).toEqual([
      'check CHECK-001',
      'check CHECK-re-1',
      'invoke_agent command',
      'invoke_agent command',
      'invoke_workflow until',
      'merge WORK-1',
      'verdict pass',
      'verdict retry',
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const name of ['umpire.turn.duration', 'umpire.queue.age', 'umpire.slots.total'])
      expect(collector.points(name), name).not.toEqual([]);
    collector.close();
  });

  test('a task of a killed worker runs again on another, each attempt once', { timeout: 120_000, ...SOAK }, async () => {
    const fleet = await openFleet(WAITS, QUICK);
    const first = await fleet.addWorker('first', ['--label', 'a']);
    await fleet.until('--session', 's1', '--detach');
    const begun = join(fleet.project.beside, 'begun');
    await vi.waitFor(() => expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\n'), PATIENCE);
    first.child.kill('SIGKILL');
    await first.ended;
    await fleet.addWorker('second');
    await vi.waitFor(() => expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\nWORK-1 2\n'), PATIENCE);
    writeFiles(fleet.project.beside, { go: '' });
    expect(await fleet.umpire('resume', 's1')).toMatchObject({ exit: 0 });
    expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\nWORK-1 2\n');
    expect((await fleet.umpire('report', 's1')).out).toContain('Attempt 2 by command: completed');
  });

  test('a worker that is being stopped begins no other attempt', { timeout: 120_000, ...SOAK }, async () => {
    const fleet = await openFleet(WAITS, QUICK);
    const worker = await fleet.addWorker('one', ['--slots', '2']);
    await fleet.until('--session', 's1', '--detach');
    const begun = join(fleet.project.beside, 'begun');
    await vi.waitFor(() => expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\n'), PATIENCE);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ exit: 130 });
    expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\n');
  });

  test('a worker that cannot push gives its work back, and at last a person is asked', { timeout: 120_000, ...SOAK }, async () => {
    const fleet = await openFleet(WORKS, QUICK);
    const hook = join(fleet.remote, 'hooks', 'pre-receive');
    const worker = await fleet.addWorker('one');
    // The conductor of the same process may push the base, but no attempt.
    writeFiles(fleet.remote, {
      'hooks/pre-receive': '#!/bin/sh\nwhile read old new ref; do case $ref in *WORK*) echo "no room" >&2; exit 1;; esac; done\n',
    });
    chmodSync(hook, 0o755);
    const asked = await fleet.until('--session', 's1');
    expect(asked).toMatchObject({ exit: 4 });
    expect(asked.err).toContain('5 attempts were given back by workers.');
    await worker.says('WORK-1 attempt 5 given back');
    writeFiles(fleet.remote, { 'hooks/pre-receive': '#!/bin/sh\n' });
    expect(await fleet.umpire('resolve', 's1', 'insist', '--reason', 'The remote has room again.')).toMatchObject({ exit: 0 });
  });

  test('a worker without a network drops its work, which another does', { timeout: 120_000, ...SOAK }, async () => {
    const fleet = await openFleet(WAITS, QUICK);
    const network = await openProxy(port);
    await fleet.addWorker('brain', ['--conduct-only']);
    const cutOff = new URL(fleet.url);
    cutOff.port = String(network.port);
    const first = await fleet.addWorker('first', ['--no-conduct'], { UMPIRE_ENGINE: cutOff.href });
    await fleet.until('--session', 's1', '--detach');
    const begun = join(fleet.project.beside, 'begun');
    await vi.waitFor(() => expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\n'), PATIENCE);
    network.cut();
    await first.says('The engine cannot be reached');
    await first.says('the engine could not be reached until the lease expired. Nothing was handed in.');
    await fleet.addWorker('second', ['--no-conduct']);
    await vi.waitFor(() => expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\nWORK-1 2\n'), PATIENCE);
    network.mend();
    await first.says('The engine answers again.');
    writeFiles(fleet.project.beside, { go: '' });
    expect(await fleet.umpire('resume', 's1')).toMatchObject({ exit: 0 });
    expect(readFileSync(begun, 'utf8')).toBe('WORK-1 1\nWORK-1 2\n');
    network.close();
  });

  const inNamespace = ['unshare', '--map-root-user', '--mount', 'sh', '-c'] as const;
  const [unshare, ...unshareFlags] = inNamespace;
  const canMount = spawnSync(unshare, [...unshareFlags, 'mount -t tmpfs -o size=1m tmpfs /mnt']).status === 0;

  test.skipIf(!canMount)('a worker with a full disk gives its work back and says why', { timeout: 120_000, ...SOAK }, async () => {
    const fleet = await openFleet(FILLS);
    const home = join(fleet.project.beside, 'small');
    const mount = `mount -t tmpfs -o size=6m tmpfs "${home}" && exec "$@"`;
    const small = await fleet.addWorker('small', ['--home', home], { UMPIRE_LEASE_MS: '30000' }, [...inNamespace, mount, 'sh']);
    await fleet.until('--session', 's1', '--detach');
    await small.says('WORK-1 attempt 1 given back: Cannot write');
    await small.says('the disk is full.');
    await fleet.addWorker('large');
    expect(await fleet.umpire('resume', 's1')).toMatchObject({ exit: 0 });
  });

  test('a worker says that its agent is not signed in, and another takes the task', { timeout: 120_000, ...SOAK }, async () => {
    const fleet = await openFleet(WORKS);
    const programsOf = (name: string, text: string) => {
      writeFiles(fleet.project.beside, { [`${name}/bin/claude`]: text });
      const folder = join(fleet.project.beside, name, 'bin');
      chmodSync(join(folder, 'claude'), 0o755);
      return { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    };
    const signedOut = `#!/bin/sh\necho '{"type":"result","subtype":"success","is_error":true,"session_id":"x","uuid":"y","result":"Invalid API key · Please run /login"}'\nexit 1\n`;
    const signedIn = `#!/bin/sh\necho good > value.txt\necho '{"type":"result","subtype":"success","is_error":false,"session_id":"x","uuid":"y","result":"Done."}'\n`;
    const one = await fleet.addWorker('one', ['--label', 'claude'], programsOf('one', signedOut));
    const started = fleet.umpire('until', 'node check.mjs', 'make it good', '--agent', 'claude', '--session', 's1');
    await one.says('The agent claude is not signed in on this worker');
    await fleet.addWorker('two', ['--label', 'claude'], programsOf('two', signedIn));
    const ended = await started;
    expect(ended).toMatchObject({ exit: 0 });
    expect(ended.err).toContain('is not signed in on this worker');
  });
});

/** What the agents of a project saw of their worker: their environment, and that of their parent. */
function environmentsOf(project: RunProject): readonly string[] {
  const path = join(project.beside, 'environments');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** Writes down that it began, and works once a file is there. */
const WAITS = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const { id, attempt } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
const beside = import.meta.dirname;
appendFileSync(join(beside, 'begun'), id + ' ' + attempt + '\\n');
const timer = setInterval(() => {
  if (!existsSync(join(beside, 'go'))) return;
  clearInterval(timer);
  writeFileSync('value.txt', 'good\\n');
  console.log(JSON.stringify({ id, status: 'completed', findings: 'ok' }));
}, 50);
`;

/** Fills a small disk. */
const FILLS = `import { readFileSync, rmSync, writeFileSync } from 'node:fs';
const { id } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
writeFileSync('fill.bin', Buffer.alloc(16_000_000));
rmSync('fill.bin');
writeFileSync('value.txt', 'good\\n');
console.log(JSON.stringify({ id, status: 'completed', findings: 'ok' }));
`;

const WORKS = `import { readFileSync, writeFileSync } from 'node:fs';
const { id } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
writeFileSync('value.txt', 'good\\n');
console.log(JSON.stringify({ id, status: 'completed', findings: 'ok' }));
`;
