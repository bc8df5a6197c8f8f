// The dashboard as a person sees it, in a real browser: open questions, a run while it goes on, rounds, changes, output. The page
// never runs code from a session.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { hasBrowser, startBrowser } from './support/browser.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { serveProject } from './support/served-project.js';
import type { Served } from './support/served-project.js';

cleanUpProjects();

/** Code that runs in the page: its request options, and a wait for the next update of the server. */
const WITH_KEY = "{ headers: { authorization: 'Bearer ' + localStorage.getItem('umpire-key') } }";
const TOLD = `fetch('/api/changes', ${WITH_KEY}).then(async ({ body }) => {
  const reader = body.getReader();
  for (;;) if (new TextDecoder().decode((await reader.read()).value).includes('event: change')) return;
})`;

// Skipped without an installed browser: only a browser can render the page.
describe.skipIf(!hasBrowser)('the dashboard', () => {
  let browser: Browser;
  const servers: Served[] = [];
  const troubles: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const { running } of servers.splice(0)) {
      running.child.kill('SIGKILL');
      await running.ended;
    }
    const [trouble] = troubles.splice(0);
    if (trouble !== undefined) throw new Error(`the page has trouble: ${trouble}`);
  });

  async function open(project: RunProject): Promise<{ readonly page: Page; readonly served: Served }> {
    const served = await serveProject(project);
    servers.push(served);
    const context = await browser.newContext({
      viewport: { width: 1200, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => (message.type() === 'error' ? troubles.push(message.text()) : undefined));
    page.on('dialog', (dialog) => troubles.push(`a dialog: ${dialog.message()}`));
    await page.goto(served.address);
    return { page, served };
  }

  const wrong = () => makeProject({ files: { 'a.txt': 'wrong\n' } });
  const UNTIL = ['until', 'grep -q right a.txt'] as const;

  it('keeps the key out of the address, and asks for it if it is missing', SOAK, async () => {
    const { page, served } = await open(wrong());
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${served.port}/#/`);
    await page.getByText('live', { exact: true }).waitFor();
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(page.url());
    await stranger.getByText('Open the complete address that `umpire serve` printed.').waitFor();
    // Another tab of the same browser and a reloaded page have access too.
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it('keeps the right key when a link with a wrong one is opened', SOAK, async () => {
    const { page, served } = await open(wrong());
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    for (const link of [`#key=${'0'.repeat(32)}`, `?key=${'0'.repeat(32)}`, '#key=']) {
      // The browser logs the refused request.
      const tab = await page.context().newPage();
      await tab.goto(`http://127.0.0.1:${served.port}/${link}`);
      await tab.getByRole('heading', { name: 'No sessions yet' }).waitFor();
      await tab.close();
    }
    await page.reload();
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
  });

  it('updates while a run goes on, without reloading', SOAK, async () => {
    const project = wrong();
    const { page } = await open(project);
    const agent = project.sh('echo "I look at a.txt"; until_file "$beside/go"; echo right > a.txt; complete "mended it"');
    const run = project.start(...UNTIL, '--session', '.umpire/sessions/live', ...agent);
    await page.getByRole('link', { name: 'live', exact: true }).click();
    await page.locator('.badge.running').waitFor();
    await page.locator('details.task.running', { hasText: 'WORK-1' }).waitFor();
    await page.getByRole('link', { name: /^Output/ }).click();
    await page.locator('pre.text', { hasText: 'I look at a.txt' }).waitFor();
    // A text selection survives updates.
    await page.locator('pre.text').selectText();
    await page.evaluate(`void (window.told = ${TOLD})`);
    writeFileSync(join(project.beside, 'go'), '');
    expect((await run.ended).exit).toBe(0);
    await page.evaluate('window.told.then(() => undefined)');
    for (let times = 0; times < 2; times += 1) await page.evaluate(`fetch('/api/sessions', ${WITH_KEY}).then((answer) => answer.text())`);
    expect(await page.evaluate('getSelection().toString()')).toContain('I look at a.txt');
    await page.evaluate('getSelection().removeAllRanges()');
    await page.locator('.badge.complete').waitFor();
    await page.getByRole('link', { name: 'Rounds 2' }).click();
    const last = page.locator('details.verdict').first();
    expect(await last.locator('summary').innerText()).toMatch(/pass\s+Round 1 of 5\s+rule U5/);
    expect(await last.innerText()).toMatch(/results\/until\.json measured, [0-9a-f]{12}/);
    await last.getByRole('link', { name: 'Changes of this round' }).click();
    await page.locator('pre.patch .added', { hasText: '+right' }).waitFor();
    expect(await page.locator('details.file summary').innerText()).toMatch(/a\.txt\s+\+1\s+−1/);
    await page.getByRole('link', { name: 'Report' }).click();
    await page.locator('pre.text', { hasText: 'The work was approved.' }).waitFor();
  });

  it('lists sessions that wait for a person first, with the commands that answer', SOAK, async () => {
    const project = wrong();
    const ran = await project.umpire(
      ...UNTIL,
      '--max-rounds',
      '1',
      '--session',
      '.umpire/sessions/stuck',
      ...project.sh('complete nothing'),
    );
    expect(ran.exit).toBe(4);
    const { page } = await open(project);
    await page.getByRole('heading', { name: '1 session waits for you' }).waitFor();
    await page.locator('.waiting a', { hasText: 'stuck' }).click();
    const card = page.getByRole('region', { name: 'Open question' });
    await card.waitFor();
    const commands = await card.locator('code').allInnerTexts();
    const session = join(project.root, '.umpire', 'sessions', 'stuck');
    expect(commands).toContain(`umpire resolve ${session} extend --rounds 1`);
    await card.locator('.command', { hasText: 'extend' }).getByRole('button').click();
    await card.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`umpire resolve ${session} extend --rounds 1`);
    expect(commands).toContain(`umpire resolve ${session} abort`);
    await project.umpire('resolve', session, 'abort', '--reason', 'fine');
    await page.locator('.badge.aborted').waitFor();
    expect(await card.count()).toBe(0);
  });

  it('filters sessions by state and words, and keeps the typed text during updates', SOAK, async () => {
    const project = wrong();
    const fixed = project.sh('echo right > a.txt; complete done', 'fixer.sh');
    for (const name of ['apple', 'pear']) await project.umpire(...UNTIL, '--session', `.umpire/sessions/${name}`, ...fixed);
    const { page } = await open(project);
    const rows = page.locator('table.sessions tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(2);
    const search = page.getByRole('searchbox');
    await search.pressSequentially('app');
    expect(await search.inputValue()).toBe('app');
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('apple')]);
    // A third session starts and ends while the person types.
    await project.umpire(...UNTIL, '--session', '.umpire/sessions/apple-pie', ...fixed);
    await rows.nth(1).waitFor();
    await search.pressSequentially('le-p');
    expect(await search.inputValue()).toBe('apple-p');
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('apple-pie')]);
    await search.fill('');
    await page.getByRole('button', { name: 'complete 3' }).click();
    expect(await rows.count()).toBe(3);
  });

  it('never runs code from a session', SOAK, async () => {
    const project = makeProject({ files: { 'a.txt': 'wrong\n' } });
    const evil = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const agent = project.sh(`printf '%s' '${evil}' > evil.html; echo '${evil}'; complete '${evil}'`);
    await project.umpire(...UNTIL, evil, '--max-rounds', '1', '--session', '.umpire/sessions/evil', ...agent);
    const named = join(project.root, '.umpire', 'sessions', '<b onclick=alert(3)>"&');
    mkdirSync(named);
    writeFileSync(
      join(named, 'tasks.csv'),
      `id,title,description,role,deps,context_from,exec_mode,wave,status,findings,error\nA,${evil},d,worker,,,csv-wave,1,pending,,\n`,
    );
    const { page } = await open(project);
    await page.getByRole('link', { name: '<b onclick=alert(3)>"&', exact: true }).click();
    await page.locator('details.task', { hasText: evil }).waitFor();
    await page.getByRole('link', { name: '← All sessions' }).click();
    await page.getByRole('link', { name: 'evil', exact: true }).click();
    await page.locator('details.task', { hasText: 'WORK-1' }).click();
    for (const tab of [/^Rounds/, /^Changes/, /^Output/, /^Report/]) {
      await page.locator('.tabs').getByRole('link', { name: tab }).click();
      await page.locator('.tabs a[aria-current]', { hasText: tab }).waitFor();
      expect(await page.locator('main img, main script, main b').count()).toBe(0);
    }
  });

  it('says when the server has stopped', async () => {
    const project = wrong();
    const { page, served } = await open(project);
    await page.getByText('live', { exact: true }).waitFor();
    served.running.child.kill('SIGINT');
    await served.running.ended;
    await page.getByText('not connected; is umpire serve running?').waitFor();
    // The browser logs that it could not connect, which is expected.
    await page.context().close();
    troubles.splice(0);
  });

  it('fits a phone, and works without a mouse', SOAK, async () => {
    const project = wrong();
    await project.umpire(...UNTIL, '--session', '.umpire/sessions/small', ...project.sh('echo right > a.txt; complete done'));
    const { page } = await open(project);
    await page.setViewportSize({ width: 375, height: 700 });
    await page.getByRole('link', { name: 'small', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.tabs').waitFor();
    for (const tab of ['Tasks', 'Rounds 2', 'Changes', 'Report']) {
      await page.locator('.tabs').getByRole('link', { name: tab }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.tabs a[aria-current]', { hasText: tab }).waitFor();
      expect([tab, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([tab, 375]);
    }
  });
});
