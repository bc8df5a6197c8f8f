// The dashboard as a person sees it, in a real browser: open questions and their answers, a run while it goes on, rounds, changes,
// output. The page never runs code from a session.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SOAK, isSoak } from './support/campaign.js';
import { hasBrowser, startBrowser } from './support/browser.js';
import { HOSTILE, dashboardProject, planned, reviewed, stuck } from './support/dashboard-sessions.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { serveProject } from './support/served-project.js';
import type { Served } from './support/served-project.js';

cleanUpProjects();

const PATIENCE_MS = 60_000;

/** What axe finds, a line each. */
async function complaints(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return (await page.evaluate(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))",
  )) as readonly string[];
}

/** What a screen reader finds, without what differs from run to run. */
async function outline(page: Page, { root, worktrees }: RunProject): Promise<string> {
  const text = await page.locator('main').ariaSnapshot();
  return text
    .replaceAll(root, '/work')
    .replaceAll(worktrees, '/worktrees')
    .replace(/\b(?:\d+ min ago|\d+ min(?: \d+ s)?|\d+ ms|(?:\d+\.)?\d+ s|just now)(?![a-z])/g, 'N s')
    .replace(/\b[0-9a-f]{12}\b/g, 'commit')
    .replace(/[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d\s[AP]M/g, 'today')
    .replace(/\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\b\d\d-\d\d\b/g, 'today');
}

/** Texts and buttons that a person cannot see or hit: outside of the page, but not in a part that scrolls; or lower than 24 pixels. */
const MISPLACED = `(() => {
  const scrolls = (node) => node !== null && (/auto|scroll/.test(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
  return [...document.querySelectorAll('main *, header *')].flatMap((node) => {
    const { left, right, width, height } = node.getBoundingClientRect();
    if (width === 0 || height === 0) return [];
    const name = node.tagName + ' ' + node.textContent.slice(0, 40);
    const isOutside = (left < 0 || right > innerWidth + 1) && !scrolls(node.parentElement);
    const isLow = node.matches('button, input, select, textarea') && height < 24;
    return [...(isOutside ? [name + ' is outside'] : []), ...(isLow ? [name + ' is low'] : [])];
  });
})()`;

// Skipped without an installed browser: only a browser can render the page.
describe.skipIf(!hasBrowser)('the dashboard', () => {
  let browser: Browser;
  let shared: RunProject;
  let served: Served;
  const others: Served[] = [];
  const troubles: string[] = [];

  beforeAll(async () => {
    shared = dashboardProject();
    const starting = startBrowser();
    // One after the other: the list has them in the order of their last events.
    await planned(shared, 'plan');
    await reviewed(shared, 'review');
    await stuck(shared, 'stuck');
    await stuck(shared, 'blocked', 'blocked');
    browser = await starting;
    served = await serveProject(shared);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await end(served);
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const one of others.splice(0)) await end(one);
    const [trouble] = troubles.splice(0);
    if (trouble !== undefined) throw new Error(`the page has trouble: ${trouble}`);
  });

  async function end({ running }: Served): Promise<void> {
    running.child.kill('SIGKILL');
    await running.ended;
  }

  interface Look {
    readonly width?: number;
    readonly dark?: boolean;
  }

  async function newPage({ width = 1200, dark = false }: Look = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: dark ? 'dark' : 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => troubles.push(error.message));
    // The browser logs every refused request; the page shows those.
    page.on('console', (message) =>
      message.type() === 'error' && !message.text().startsWith('Failed to load resource') ? troubles.push(message.text()) : undefined,
    );
    page.on('dialog', (dialog) => troubles.push(`a dialog: ${dialog.message()}`));
    return page;
  }

  /** The page of a shared session. */
  async function openSession(name: string, look: Look = {}, tab = 'tasks'): Promise<Page> {
    const page = await newPage(look);
    await page.goto(served.address);
    await go(page, name, tab);
    return page;
  }

  async function go(page: Page, name: string, tab: string): Promise<void> {
    const address = `#/s/${encodeURIComponent(`.umpire/sessions/${name}`)}/${tab}`;
    await page.locator('.top').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator(`.tabs a[aria-current][href="${address}"]`).waitFor();
  }

  async function open(project: RunProject): Promise<{ readonly page: Page; readonly served: Served }> {
    const other = await serveProject(project);
    others.push(other);
    const page = await newPage();
    await page.goto(other.address);
    return { page, served: other };
  }

  const sessionOf = (name: string) => join(shared.root, '.umpire', 'sessions', name);
  const question = (page: Page) => page.getByRole('region', { name: 'Open question' });
  const isFocused = (selector: string) => `document.activeElement?.matches(${JSON.stringify(selector)})`;
  const wrong = () => makeProject({ files: { 'a.txt': 'wrong\n' } });
  const UNTIL = ['until', 'grep -q right a.txt'] as const;

  it('shows each page without complaints of axe, in both colours, on a phone and a desktop', { timeout: 120_000 }, async () => {
    const outlines = new Map<string, string>();
    for (const look of [{ width: 390 }, { width: 1280, dark: true }]) {
      const page = await newPage(look);
      await page.goto(served.address);
      await page.getByRole('heading', { name: '4 sessions wait for you' }).waitFor();
      // The same for every look, unless another name is given.
      const check = async (what: string, snapshot = what) => {
        expect([what, look, await complaints(page)]).toEqual([what, look, []]);
        expect([what, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([what, look.width]);
        expect([what, await page.evaluate(MISPLACED)]).toEqual([what, []]);
        expect(await page.evaluate('document.querySelector(".tabs")?.scrollWidth ?? 0')).toBeLessThanOrEqual(look.width);
        const now = await outline(page, shared);
        const before = outlines.get(snapshot);
        if (before === undefined) expect(now).toMatchSnapshot(snapshot);
        else expect(now).toBe(before);
        outlines.set(snapshot, now);
      };
      await check('list', `list, ${look.width} wide`);
      await go(page, 'blocked', 'tasks');
      await page.getByRole('button', { name: 'Insist' }).waitFor();
      await check('a blocked task');
      await go(page, 'review', 'changes');
      await page.locator('.patch .in-place').waitFor();
      await check('changes');
      if (look.dark === true && !isSoak) return;
      await page.getByRole('link', { name: 'Costs' }).click();
      await page.getByRole('heading', { name: '$0.50 spent' }).waitFor();
      await check('costs');
      await go(page, 'plan', 'report');
      await page.locator('.tab .markdown h2').first().waitFor();
      await check('report');
      await go(page, 'review', 'rounds');
      await page.getByRole('heading', { name: 'Evidence' }).waitFor();
      await check('rounds');
      await go(page, 'stuck', 'output');
      await page.locator('pre.text').first().waitFor();
      await check('output');
      await page.context().close();
    }
  });

  it('shows findings at their lines in the changes', async () => {
    const page = await openSession('review', {}, 'changes');
    const file = page.locator('details.file', { hasText: 'DEV-001.txt' });
    await file.locator('.patch .added + .in-place', { hasText: 'The total is wrong' }).waitFor();
    await file.getByText('line 900, not in these changes: No unit is named').waitFor();
  });

  it('shows names of changed files as they are, which git quotes', SOAK, async () => {
    const project = wrong();
    const agent = project.sh(
      `mkdir 'say "hi" b'; touch 'say "hi" b/c' 'b b'; printf 'ü\\n' > 'd\\"ü😀.md'; printf 'x\\n' > 'a b'; complete done`,
    );
    await project.umpire(...UNTIL, '--max-rounds', '1', '--session', '.umpire/sessions/quoted', ...agent);
    const { page } = await open(project);
    await page.getByRole('link', { name: 'quoted', exact: true }).click();
    await page
      .locator('.tabs')
      .getByRole('link', { name: /^Changes/ })
      .click();
    await page.locator('details.file').first().waitFor();
    expect((await page.locator('details.file summary code').allInnerTexts()).toSorted()).toEqual([
      'a b',
      'b b',
      'd\\"ü😀.md',
      'say "hi" b/c',
    ]);
  });

  it('shows Markdown of agents, and never runs code from it', async () => {
    const page = await openSession('plan');
    const card = question(page);
    await card.locator('ol strong', { hasText: 'Split' }).waitFor();
    await card.getByRole('cell', { name: 'a.txt' }).waitFor();
    await card.getByText('<script>alert(2)</script>').waitFor();
    await page.locator('details.task', { hasText: 'TDPLAN-001' }).click();
    await page.locator('details.task .markdown').waitFor();
    expect(await page.locator('main img, main script, main a[href^="javascript"], main a[href*="evil"]').count()).toBe(0);
    expect(await page.evaluate('window.owned ?? null')).toBe(null);
    await go(page, 'stuck', 'tasks');
    await page.locator('details.task', { hasText: 'WORK-1' }).click();
    await page.locator('details.task', { hasText: HOSTILE.slice(0, 20) }).waitFor();
  });

  it('records an answer, goes on, and still shows it after reloading', async () => {
    const page = await openSession('plan');
    await question(page).getByText('The tasks of the plan start.').waitFor();
    await page.getByRole('button', { name: 'Approve the plan' }).click();
    await page.getByText('Recorded: approve the plan.').waitFor();
    expect(eventsOfType(sessionOf('plan'), 'PersonAnswered')).toMatchObject([{ answer: 'approve', by: 'resolve', via: 'dashboard' }]);
    await page.locator('.badge.complete, .badge.failed, .badge.awaiting', { hasNotText: 'plan' }).waitFor();
    await page.reload();
    await page.locator('.tabs').waitFor();
    await question(page).getByText('approval of the plan').waitFor({ state: 'detached' });
    expect(eventsOfType(sessionOf('plan'), 'TaskStarted').map(({ task }) => task)).toContain('TDFIX-001');
  });

  it('refuses an answer to a question that another tab has answered', SOAK, async () => {
    const [first, second] = [await openSession('blocked'), await newPage()];
    // It does not hear of changes.
    await second.route('**/api/changes', (route) => route.abort());
    await second.goto(served.address);
    await go(second, 'blocked', 'tasks');
    await second.getByRole('button', { name: 'Agree' }).waitFor();
    await first.getByRole('button', { name: 'Stop the session' }).click();
    await first.locator('.badge.aborted').waitFor();
    await second.getByLabel(/^Reason/).fill('too late');
    await second.getByRole('button', { name: 'Agree' }).click();
    await second
      .getByRole('alert')
      .getByText(/question .* changed/)
      .waitFor();
    await second.locator('.badge.aborted').waitFor();
    expect(eventsOfType(sessionOf('blocked'), 'PersonAnswered')).toMatchObject([{ answer: 'stop' }]);
    expect(endOf(sessionOf('blocked'))).toContain('aborted');
  });

  it('works without a mouse: dismisses a finding, is asked for a reason, and approves', SOAK, async () => {
    const page = await newPage();
    await page.goto(served.address);
    await page.locator('table.sessions').getByRole('link', { name: 'review', exact: true }).focus();
    await page.keyboard.press('Enter');
    await question(page).waitFor();
    await expect.poll(() => page.evaluate(isFocused('main'))).toBe(true);
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 40; presses += 1) {
        if ((await page.evaluate(isFocused(selector))) === true) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`The keyboard does not reach ${selector}`);
    };
    await tabTo('.findings button');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(isFocused('.dismiss input'))).toBe(true);
    await page.keyboard.type('It is rounded on purpose');
    await page.keyboard.press('Enter');
    await question(page)
      .getByText(/dismissed by .*: It is rounded on purpose/)
      .waitFor();
    expect(eventsOfType(sessionOf('review'), 'FindingRuled')).toMatchObject([
      { finding: { message: 'The total is wrong' }, via: 'dashboard', reason: 'It is rounded on purpose' },
    ]);
    await tabTo('.button[aria-describedby="does-force-approve"]');
    await page.keyboard.press('Enter');
    await page.getByText('"Approve anyway" needs your words here.').waitFor();
    await expect.poll(() => page.evaluate(isFocused('textarea'))).toBe(true);
    await page.keyboard.type('It ships today');
    await tabTo('.button[aria-describedby="does-force-approve"]');
    await page.keyboard.press('Enter');
    await page.getByText('Recorded: approve anyway.').waitFor();
    await page.locator('.badge.unverified').first().waitFor();
    expect(eventsOfType(sessionOf('review'), 'PersonAnswered')).toMatchObject([{ answer: 'force-approve', reason: 'It ships today' }]);
  });

  it('paints the last list before the first answer arrives', async () => {
    const page = await newPage();
    await page.goto(served.address);
    await page.locator('.sessions tbody tr').nth(3).waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/sessions', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.locator('.sessions tbody tr').nth(3).waitFor();
    answer();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('says when the server has stopped', async () => {
    const { page, served: stopping } = await open(wrong());
    await page.getByText('live', { exact: true }).waitFor();
    stopping.running.child.kill('SIGINT');
    await stopping.running.ended;
    await page.getByText('not connected; is umpire serve running?').waitFor();
  });

  it('keeps the key out of the address, and asks for it if it is missing', SOAK, async () => {
    const { page, served: other } = await open(wrong());
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${other.port}/#/`);
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
    const { page, served: other } = await open(wrong());
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    for (const link of [`#key=${'0'.repeat(32)}`, `?key=${'0'.repeat(32)}`, '#key=']) {
      const tab = await page.context().newPage();
      await tab.goto(`http://127.0.0.1:${other.port}/${link}`);
      await tab.getByRole('heading', { name: 'No sessions yet' }).waitFor();
      await tab.close();
    }
    await page.reload();
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
  });

  it('updates while a run goes on, without reloading', SOAK, async () => {
    const project = wrong();
    const { page } = await open(project);
    const agent = project.sh(
      'echo "I look at a.txt"; until_file "$beside/go"; echo "now I know"; echo right > a.txt; complete "mended it"',
    );
    const run = project.start(...UNTIL, '--session', '.umpire/sessions/live', ...agent);
    await page.getByRole('link', { name: 'live', exact: true }).click();
    await page.locator('.badge.running').waitFor();
    await page.locator('details.task.running', { hasText: 'WORK-1' }).waitFor();
    await page.getByRole('link', { name: /^Output/ }).click();
    await page.locator('pre.text', { hasText: 'I look at a.txt' }).waitFor();
    // A text selection survives new output.
    await page.locator('pre.text').selectText();
    writeFileSync(join(project.beside, 'go'), '');
    await page.locator('pre.text', { hasText: 'now I know' }).waitFor();
    expect(await page.evaluate('getSelection().toString()')).toContain('I look at a.txt');
    expect((await run.ended).exit).toBe(0);
    await page.locator('.badge.complete').waitFor();
    await page.getByRole('link', { name: 'Rounds 2' }).click();
    const last = page.locator('details.verdict').first();
    expect(await last.locator('summary').innerText()).toMatch(/pass\s+Round 1 of 5\s+rule U5/);
    expect(await last.innerText()).toMatch(/results\/until\.json measured, [0-9a-f]{12}/);
    await last.getByRole('link', { name: 'Changes of this round' }).click();
    await page.locator('pre.patch .added', { hasText: '+right' }).waitFor();
    expect(await page.locator('details.file summary').innerText()).toMatch(/a\.txt\s+\+1\s+−1/);
    await page.getByRole('link', { name: 'Report' }).click();
    await page.locator('.tab .markdown', { hasText: 'The work was approved.' }).waitFor();
  });

  it('filters sessions by state and words, and keeps the typed text during updates', SOAK, async () => {
    const project = wrong();
    const fixed = project.sh('echo right > a.txt; complete done', 'fixer.sh');
    for (const name of ['apple', 'pear']) await project.umpire(...UNTIL, '--session', `.umpire/sessions/${name}`, ...fixed);
    const { page } = await open(project);
    const rows = page.locator('table.sessions tbody tr');
    await rows.nth(1).waitFor();
    const search = page.getByRole('searchbox');
    await search.pressSequentially('app');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('apple')]);
    // A third session starts and ends while the person types.
    await project.umpire(...UNTIL, '--session', '.umpire/sessions/apple-pie', ...fixed);
    await rows.nth(1).waitFor();
    await search.pressSequentially('le-p');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await search.inputValue()).toBe('apple-p');
    expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('apple-pie')]);
    await search.fill('');
    await page.getByRole('button', { name: 'complete 3' }).click();
    await rows.nth(2).waitFor();
  });

  it('shows names and outputs full of tags as text', SOAK, async () => {
    const project = wrong();
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
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.locator('table.sessions').getByRole('link', { name: 'evil', exact: true }).click();
    await page.locator('details.task', { hasText: 'WORK-1' }).click();
    for (const tab of [/^Rounds/, /^Changes/, /^Output/, /^Report/]) {
      await page.locator('.tabs').getByRole('link', { name: tab }).click();
      await page.locator('.tabs a[aria-current]', { hasText: tab }).waitFor();
      expect(await page.locator('main img, main script, main b').count()).toBe(0);
    }
  });
});
