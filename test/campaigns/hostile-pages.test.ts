// Sessions full of HTML, scripts, Markdown and escapes. Reports and verdict pages hold no active markup, the server sends no HTML of a
// session, and a real browser that shows each page runs nothing. UMPIRE_AMOUNT and UMPIRE_SEED choose the sessions.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ProjectSessions } from '@umpire/umpire/doors/http/project-sessions.js';
import { serveDashboard } from '@umpire/umpire/doors/http/server.js';
import { hasBrowser, startBrowser } from '../support/browser.js';
import { SEED, amountOf, isSoak } from '../support/campaign.js';
import { PAYLOADS, PLACES, sessionPlace } from '../support/hostile-pages.js';
import { runInProcess } from '../support/in-process.js';
import { root } from '../support/journal.js';
import { cleanUpProjects, makeProject } from '../support/run-project.js';

cleanUpProjects();

const CASES = PLACES.flatMap((place) => PAYLOADS.map((payload) => ({ ...place, payload })));
const AMOUNT = amountOf(3, CASES.length);
/** Quick cases are of different places and payloads. */
const STEP = isSoak ? 1 : PAYLOADS.length + 1;
const KEY = 'ab'.repeat(16);

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const ACTIVE = /(?<!\\)<[a-z/]|(?<!\\)\]\(|(?<!\\)\]: *javascript|^# FORGED/im;

/** Blocks and code spans show their text as it is; comments are Umpire's own. */
const outsideCode = (text: string) =>
  text
    .replaceAll(/^(`{3,})\w*\n[^]*?^\1$/gm, '')
    .replaceAll(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
    .replaceAll(/<!-- ?umpire.*?-->/g, '');

function checkMarkdown(what: string, text: string): void {
  expect(HIDDEN.exec(text), what).toBeNull();
  const rest = outsideCode(text);
  const found = ACTIVE.exec(rest);
  expect(found === null ? '' : rest.slice(Math.max(0, found.index - 100), found.index + 100), what).toBe('');
}

it(`shows ${AMOUNT} hostile sessions as text`, { timeout: 600_000 }, async () => {
  const project = makeProject();
  for (let at = 0; at < AMOUNT; at++) {
    const { place, payload, make, isJudged } = CASES[(SEED + at * STEP) % CASES.length]!;
    const session = sessionPlace(project.root, at, payload);
    const what = `seed ${SEED}, ${place}: ${JSON.stringify(payload)}`;
    make(session, payload);
    if (isJudged === true) {
      const { exit, stderr } = await runInProcess(project.root, ['decide', 'review', session]);
      expect([exit, stderr], what).toEqual([3, expect.anything()]);
    }
    for (const args of [
      ['report', session],
      ['status', session],
      ['replay', session],
    ]) {
      const { stdout, stderr } = await runInProcess(project.root, args);
      expect(stdout + stderr, what).not.toContain('Internal error');
      expect(HIDDEN.exec(stdout + stderr), `${args[0]}: ${what}`).toBeNull();
      if (args[0] === 'report') checkMarkdown(what, stdout);
    }
    const pages = readdirSync(session, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
    if (isJudged === true) expect(pages, what).not.toEqual([]);
    for (const page of pages) checkMarkdown(`${page}: ${what}`, readFileSync(join(session, page), 'utf8'));
  }
  await lookAt(project.root);
});

async function lookAt(project: string): Promise<void> {
  const server = await serveDashboard({
    source: new ProjectSessions(project),
    version: '0',
    port: 0,
    key: KEY,
    pages: join(root, 'dist', 'web'),
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const ask = (path: string) => fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${KEY}` } });
  try {
    const { sessions } = (await (await ask('/api/sessions')).json()) as { readonly sessions: readonly { readonly id: string }[] };
    expect(sessions).toHaveLength(AMOUNT);
    const ids = sessions.map(({ id }) => id);
    for (const id of ids)
      for (const kind of ['session', 'report', 'diff', 'log']) {
        const answer = await ask(`/api/${kind}?id=${encodeURIComponent(id)}&name=DEV-001-1`);
        expect(answer.headers.get('content-type'), `${kind} of ${id}`).toMatch(/^(application\/json|text\/plain)/);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.status, `${kind} of ${id}`).toBeLessThan(500);
        expect(HIDDEN.exec(await answer.text()), `${kind} of ${id}`).toBeNull();
      }
    // A browser takes seconds to start.
    if (isSoak && hasBrowser) await browse(origin, ids);
  } finally {
    await server.close();
  }
}

const TABS = ['tasks', 'rounds', 'changes', 'output', 'report'];

async function browse(origin: string, ids: readonly string[]): Promise<void> {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const troubles: string[] = [];
    page.on('dialog', (dialog) => troubles.push(`a dialog: ${dialog.message()}`));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('request', (request) => (request.url().startsWith(origin) ? undefined : troubles.push(`a request: ${request.url()}`)));
    await page.goto(`${origin}/#key=${KEY}`);
    await page
      .locator('table.sessions tbody tr')
      .nth(ids.length - 1)
      .waitFor();
    for (const [at, id] of ids.entries())
      for (const tab of TABS) {
        const address = JSON.stringify(`#/s/${encodeURIComponent(id)}/${tab}`);
        await page.evaluate(`location.hash = ${address}`);
        await page.locator(`.tabs a[aria-current][href=${address}]`).waitFor();
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        const active = 'main script, main iframe, main img, main [onerror], main [onload], main [onmouseover], main a[href^="javascript"]';
        expect([at, tab, await page.locator(active).count(), await page.evaluate('window.owned ?? null')]).toEqual([at, tab, 0, null]);
      }
    expect(troubles).toEqual([]);
  } finally {
    await browser.close();
  }
}
