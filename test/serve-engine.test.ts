// `umpire serve --engine`: the dashboard over the sessions of a real PostgreSQL server, with real workers, for programs and in a browser.

import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasBrowser, startBrowser } from './support/browser.js';
import { SOAK } from './support/campaign.js';
import { ASKS, fleetServer } from './support/fleet-project.js';
import type { FleetProject } from './support/fleet-project.js';
import { postgresPrograms } from './support/postgres-server.js';
import { cleanUpProjects } from './support/run-project.js';
import { serveProject } from './support/served-project.js';
import type { Served } from './support/served-project.js';

const programs = postgresPrograms();
cleanUpProjects();

/** No lease expires on a busy machine. */
const CALM = { env: { UMPIRE_LEASE_MS: '60000' } };

const PATIENCE = { timeout: 60_000, interval: 100 };

const at = (path: string, query: Readonly<Record<string, string>>): string => `${path}?${new URLSearchParams(query).toString()}`;

describe.skipIf(programs === null)('the dashboard of an engine on PostgreSQL', { timeout: 120_000 }, () => {
  const { openFleet } = fleetServer(programs ?? '');
  const open: Served[] = [];

  afterEach(async () => {
    for (const { running } of open.splice(0)) {
      running.child.kill('SIGKILL');
      await running.ended;
    }
  });

  async function serve(fleet: FleetProject, url = fleet.url): Promise<Served> {
    const served = await serveProject(fleet.project, '--engine', url);
    open.push(served);
    return served;
  }

  async function untilState(served: Served, id: string, state: string): Promise<Record<string, unknown>> {
    let session: Record<string, unknown> = {};
    await vi.waitFor(async () => {
      session = await served.json(at('/api/session', { id }));
      expect(session['state']).toBe(state);
    }, PATIENCE);
    return session;
  }

  test('it shows what the commands show, takes the answer to the question that was seen, and keeps the password', async () => {
    const fleet = await openFleet(ASKS, CALM);
    await fleet.addWorker('one');
    await fleet.until('--session', 's1', '--needs', 'gpu', '--detach');
    const secret = fleet.url.replace('owner@', 'owner:hush-hush@');
    const served = await serve(fleet, secret);
    const place = fleet.url;
    const no = 'Waiting: No worker has the label gpu. Start one with: umpire worker --engine URL --label gpu';
    expect(await served.json('/api/sessions')).toMatchObject({
      project: place,
      isEngine: true,
      unread: 0,
      sessions: [{ id: 's1', name: 's1', state: 'running', goal: 'make it good', loops: ['until'], notes: [no] }],
    });
    const waiting = await served.json(at('/api/session', { id: 's1' }));
    expect(waiting).toMatchObject({ project: place, name: 's1', fleet: [no], options: [] });

    await fleet.addWorker('two', ['--label', 'gpu']);
    const asked = await untilState(served, 's1', 'awaiting');
    expect(asked).toMatchObject({ fleet: [], options: [{ answer: 'agree' }, { answer: 'insist' }, { answer: 'accept-tests' }, {}, {}] });
    const status = JSON.parse((await fleet.umpire('status', 's1', '--json')).out) as Record<string, unknown>;
    for (const name of ['session', 'tasks', 'chains', 'question', 'work', 'next'])
      expect([name, asked[name]]).toEqual([name, status[name]]);
    const [listed] = (await served.json('/api/sessions'))['sessions'] as readonly Record<string, unknown>[];
    expect(listed).toMatchObject({
      state: 'awaiting',
      waitsOn: 'your decision: WORK-1 is blocked',
      chains: [{ round: 1, maxRounds: 5 }],
      mode: 'check-first',
    });

    const { key } = asked['question'] as { readonly key: string };
    const answer = { id: 's1', question: key, answer: 'insist', reason: 'good' };
    const stale = await served.post('/api/answer', { ...answer, question: 'blocked:OTHER:1' });
    expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('"code":"question-changed"')]);
    const wrong = await served.post('/api/answer', { ...answer, answer: 'approve' });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('does not apply')]);
    expect((await served.post('/api/answer', answer, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await served.post('/api/answer', { ...answer, id: '../s1' })).status).toBe(404);
    expect((await served.post('/api/answer', answer)).status).toBe(204);
    const done = await untilState(served, 's1', 'complete');
    expect(done).toMatchObject({ verdicts: [{ outcome: 'revise' }, { outcome: 'converge' }], options: [] });

    const report = (await served.ask(at('/api/report', { id: 's1' }))).text;
    expect(report).toBe((await fleet.umpire('report', 's1')).out);
    expect(report).toContain(`(resolve by ${userInfo().username}, via dashboard): good`);
    expect((await served.ask(at('/api/log', { id: 's1', name: 'WORK-1-2' }))).text).toContain('ok');
    expect((await served.json('/api/costs'))['parts']).toContainEqual(
      expect.objectContaining({ loop: 'until', agent: 'command', attempts: 2 }),
    );
    const unfetched = await served.ask(at('/api/diff', { id: 's1' }));
    expect([unfetched.status, unfetched.text]).toEqual([422, expect.stringContaining(`git fetch ${fleet.remote} umpire/s1`)]);
    fleet.project.git('fetch', '-q', fleet.remote, 'umpire/s1');
    expect((await served.ask(at('/api/diff', { id: 's1', round: '1' }))).text).toContain('-bad\n+good\n');

    const paths = [
      '/api/sessions',
      '/api/key',
      '/api/costs',
      ...['session', 'report', 'diff'].map((one) => at(`/api/${one}`, { id: 's1' })),
    ];
    const texts = await Promise.all(paths.map(async (path) => (await served.ask(path)).text));
    expect(texts.join('')).not.toContain('hush');
    served.running.child.kill('SIGINT');
    const ended = await served.running.ended;
    expect(ended).toMatchObject({ exit: 0, err: expect.stringContaining(`Dashboard of ${place}`) as string });
    expect(ended.err).not.toContain('hush');
  });

  test('a finding is dismissed by the page and by the command, and a failed session is retried', SOAK, async () => {
    const fleet = await openFleet(REVIEWS, { ...CALM, files: { 'umpire.config.yaml': 'critics: {tests: none}\n' } });
    await fleet.addWorker('one');
    const flags = ['--mode', 'sprint', '--max-rounds', '1', '--detach', ...fleet.agent];
    expect(await fleet.umpire('run', 'review', 'safer', '--session', 's1', ...flags)).toMatchObject({ exit: 0 });
    const served = await serve(fleet);
    const { rulings } = await untilState(served, 's1', 'awaiting');
    const [first = '', second = ''] = Object.keys(rulings as object);
    const listed = (await fleet.umpire('dismiss', 's1')).out;
    expect(listed).toContain('The total is wrong (value.txt:1)');
    expect((await served.post('/api/dismiss', { id: 's1', finding: first, reason: ' ' })).text).toContain('needs a reason');
    expect((await served.post('/api/dismiss', { id: 's1', finding: 'no-such', reason: 'x' })).text).toContain('has no open finding');
    expect((await served.post('/api/dismiss', { id: 's1', finding: first, reason: 'on purpose' })).status).toBe(204);
    const who = userInfo().username;
    expect(await served.json(at('/api/session', { id: 's1' }))).toMatchObject({
      rulings: { [first]: { dismissed: `${who}: on purpose` }, [second]: { dismissed: null } },
    });
    expect(await fleet.umpire('dismiss', 's1', first.slice(0, 8), '--reason', 'again')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('is dismissed already') as string,
    });
    const done = await fleet.umpire('dismiss', 's1', second.slice(0, 8), '--reason', 'it has one');
    expect(done).toMatchObject({ exit: 0, err: expect.stringContaining('umpire resolve s1 extend --rounds 1') as string });

    const failing = await fleet.umpire('run', 'review', 'fast', '--session', 's2', '--mode', 'patch', ...fleet.agent);
    expect(failing).toMatchObject({ exit: 1 });
    const followed = await fleet.umpire('logs', 's2', '-f');
    expect(followed.exit).toBe(0);
    expect(await untilState(served, 's2', 'failed')).toMatchObject({ canRetry: true, canResume: false });
    writeFileSync(join(fleet.project.beside, 'works'), '');
    expect((await served.post('/api/resume', { id: 's2', retry: true })).status).toBe(204);
    await untilState(served, 's2', 'complete');
  });

  test('it says when no worker takes an answer; a worker that comes later records it once', SOAK, async () => {
    const fleet = await openFleet(ASKS, CALM);
    const worker = await fleet.addWorker('one');
    expect(await fleet.until('--session', 's1')).toMatchObject({ exit: 4 });
    worker.child.kill('SIGKILL');
    await worker.ended;
    const served = await serve(fleet);
    const { question } = (await served.json(at('/api/session', { id: 's1' }))) as { question: { key: string } };
    const answer = { id: 's1', question: question.key, answer: 'insist', reason: 'good' };
    const said = await Promise.all([served.post('/api/answer', answer), served.post('/api/answer', answer)]);
    for (const { status, text } of said) expect([status, text]).toEqual([503, expect.stringContaining('engine-untaken')]);
    await fleet.addWorker('two');
    await untilState(served, 's1', 'complete');
    expect((await fleet.umpire('report', 's1')).out.split('insist').length).toBe(2);
  });

  // Only a browser can render the page.
  describe.skipIf(!hasBrowser)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser.close());

    test('a person sees why nothing runs, answers there, and the session goes on', SOAK, async () => {
      const fleet = await openFleet(ASKS, CALM);
      await fleet.addWorker('one');
      await fleet.until('--session', 's1', '--needs', 'gpu', '--detach');
      const served = await serve(fleet);
      const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage();
      page.setDefaultTimeout(PATIENCE.timeout);
      const troubles: string[] = [];
      page.on('pageerror', (error) => troubles.push(error.message));
      await page.goto(served.address);
      await page.getByRole('link', { name: 's1', exact: true }).click();
      await page.getByRole('region', { name: 'On the engine' }).getByText('No worker has the label gpu.').waitFor();
      await fleet.addWorker('two', ['--label', 'gpu']);
      const question = page.getByRole('region', { name: 'Open question' });
      await question.getByText('Which value?', { exact: true }).waitFor();
      await page.evaluate(axe.source);
      expect(await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')).toEqual([]);
      await page.getByLabel(/^Reason|^Why/).fill('good');
      await page.getByRole('button', { name: 'Insist' }).click();
      await page.getByText('Recorded: insist.').waitFor();
      await page.locator('.badge.complete').waitFor();
      await page.getByText(`git fetch ${fleet.remote} umpire/s1`).waitFor();
      expect(await page.evaluate('document.body.innerText + JSON.stringify({ ...localStorage })')).not.toContain('UMPIRE_LEASE');
      expect(troubles).toEqual([]);
    });
  });
});

/** A review with two findings; other tasks fail until a file is there. */
const REVIEWS = `import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const { id, role } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
const finding = (message, line) => ({ severity: 'High', message, file: 'value.txt', line });
if (role === 'reviewer') {
  const folder = join(process.env.UMPIRE_SESSION, 'artifacts');
  mkdirSync(folder, { recursive: true });
  const findings = [finding('The total is wrong', 1), finding('No unit is named', 2)];
  writeFileSync(join(folder, 'review-results.json'), JSON.stringify({ review_score: 5, gc_signal: 'REVISION_NEEDED', findings }));
  console.log(JSON.stringify({ id, status: 'completed', findings: 'poor', review_score: 5, gc_signal: 'REVISION_NEEDED' }));
} else if (process.env.UMPIRE_SESSION.includes('s2') && !existsSync(join(import.meta.dirname, 'works'))) {
  console.log(JSON.stringify({ id, status: 'failed', error: 'not today' }));
} else {
  writeFileSync('value.txt', 'good\\n');
  console.log(JSON.stringify({ id, status: 'completed', findings: 'ok' }));
}
`;
