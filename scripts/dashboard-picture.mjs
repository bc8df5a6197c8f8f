// Draws docs/images/dashboard*.png: runs sessions with scripted agents in a copy of the sample shop, serves them, and photographs the pages
// in the system's Chromium. `npm run picture -- --dashboard`. `--all FOLDER` photographs every page at two widths and in two colours.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './tools.mjs';

const COMMAND = join(root, 'dist', 'umpire.cjs');
const BROWSER = process.env.UMPIRE_BROWSER ?? '/usr/bin/chromium';

const used = (cost_usd) => ({ tokens: Math.round(cost_usd * 90_000), cost_usd });

const PLAN = `## Plan

Two places hold most of the debt of the cart:

1. **\`total()\`** mixes sums and rounding. Split it.
2. **\`shipping()\`** repeats its prices. Move them into a table.

| file | change | risk |
|---|---|---|
| src/cart.mjs | split \`total()\` | low: it has tests |
| src/shipping.mjs | a table of prices | medium: no tests yet |

- [x] read the tests
- [ ] write the missing ones first
`;

const findings = (round) => [
  { severity: 'High', message: 'The discount is applied twice when a cart has two coupons', file: 'src/cart.mjs', line: 8 },
  ...(round > 1 ? [] : [{ severity: 'High', message: 'A negative count gives money back', file: 'src/cart.mjs', line: 3 }]),
  { severity: 'Medium', message: 'The error names no coupon', file: 'src/cart.mjs', line: 14 },
];

const review = (round, score) => ({
  role: 'reviewer',
  attempt: 1,
  ...(round === 1 ? { task: 'REVIEW-001' } : {}),
  write: {
    'session:artifacts/review-results.json': { json: { review_score: score, gc_signal: 'REVISION_NEEDED', findings: findings(round) } },
  },
  print: 'Reading src/cart.mjs …\nTwo coupons: 10% and 10% give 19%, not 20%.\n',
  result: { findings: `Round ${round}: the discount is wrong.`, review_score: score, gc_signal: 'REVISION_NEEDED' },
  usage: used(0.21),
});

const run = (passed, coverage) => ({
  write: {
    'session:results/run-L1.json': {
      json: { layer: 'L1', pass_rate: passed / 40, coverage, total: 40, passed, failed: 40 - passed, failures: [] },
    },
    'session:results/output-L1.txt': `${passed} of 40 passed\n`,
  },
  result: { findings: `${passed} of 40 tests pass.`, pass_rate: passed / 40, coverage_achieved: coverage },
  usage: used(0.04),
});

const AGENTS = {
  reviewers: [
    review(1, 4),
    review(2, 6),
    {
      role: 'developer',
      write: {
        'src/cart.mjs':
          "/** What the items of a cart cost together, in cents. */\nexport function total(items) {\n  return items.reduce((sum, item) => sum + item.price * Math.max(0, item.count), 0);\n}\n\n/** What is left to pay with coupons. */\nexport function discount(sum, codes) {\n  return codes.reduce((left, code) => left - rate(code) * left, sum);\n}\n\nfunction rate(code) {\n  if (code === 'TEN') return 0.1;\n  if (code === 'FREE') return 1;\n  throw new RangeError('There is no such coupon.');\n}\n",
      },
      result: { findings: 'Several coupons are taken now.' },
      usage: used(0.64),
    },
    { result: { findings: 'Done.' }, usage: used(0.12) },
  ],
  planners: [{ result: { findings: PLAN }, usage: used(0.31) }],
  testers: [
    { role: 'executor', task: 'TESTRUN-001', ...run(31, 54) },
    { role: 'executor', task: 'TESTRUN-L1-fix-1', ...run(36, 66) },
    { role: 'executor', ...run(38, 71) },
    {
      role: 'generator',
      write: { 'test/{id}.test.mjs': "import test from 'node:test';\n\ntest('{id}', () => undefined);\n" },
      result: { findings: 'More tests.' },
      usage: used(0.42),
    },
    { result: { findings: 'Done.' }, usage: used(0.09) },
  ],
  refusers: [
    {
      result: {
        status: 'blocked',
        reason:
          'The goal asks for a discount of **110 %**, which would pay customers to buy. The tests in `test/cart.test.mjs` say that no sum is negative.',
      },
      print: 'I have read the goal and the tests. They contradict each other.\n',
      usage: used(0.08),
    },
  ],
  menders: [
    { write: { 'src/cart.mjs': { from: 'cart-mended.mjs' } }, result: { findings: 'total() forgot the count.' }, usage: used(0.11) },
  ],
  slow: [{ after: 600_000, print: 'Reading the project …\n', result: { findings: 'Done.' } }],
};

const SESSIONS = [
  ['mend-the-cart', 'until', 'npm test', 'Mend the cart', '--agent', 'menders'],
  ['review-discount', 'run', 'review', 'Take several coupons', '--agent', 'reviewers', '--mode', 'sprint', '--max-rounds', '2'],
  ['less-debt-in-the-cart', 'run', 'debt', 'Less debt in the cart', '--agent', 'planners', '--mode', 'targeted'],
  ['cover-the-cart', 'run', 'testing', 'Cover the cart', '--agent', 'testers', '--mode', 'targeted', '--target', '80', '--max-rounds', '3'],
  ['discount-110', 'until', 'false', 'Give a discount of 110 %', '--agent', 'refusers'],
];

const folder = mkdtempSync(join(tmpdir(), 'umpire-picture-'));
const shop = join(folder, 'shop');
const env = {
  ...process.env,
  UMPIRE_TRUST: '1',
  UMPIRE_WORKTREES: join(folder, 'worktrees'),
  XDG_STATE_HOME: join(folder, 'state'),
  HOME: folder,
};
const children = [];
try {
  const all = process.argv.indexOf('--all');
  makeShop();
  for (const [name, ...words] of SESSIONS) umpire([...words, '--session', join('.umpire', 'sessions', name)]);
  children.push(
    spawn(process.execPath, [COMMAND, 'until', 'false', 'Say hello', '--agent', 'slow', '--session', '.umpire/sessions/say-hello'], {
      cwd: shop,
      env,
      stdio: 'ignore',
    }),
  );
  const address = await serve();
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await (all < 0 ? drawDocs(browser, address) : drawAll(browser, address, process.argv[all + 1]));
  } finally {
    await browser.close();
  }
} finally {
  for (const child of children) child.kill('SIGINT');
  await Promise.all(children.map((child) => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()))));
  rmSync(folder, { recursive: true, force: true });
}

function makeShop() {
  cpSync(join(root, 'examples', 'shop'), shop, { recursive: true });
  const agents = Object.fromEntries(Object.keys(AGENTS).map((name) => [name, { script: `agents/${name}.yaml` }]));
  writeFileSync(join(shop, 'umpire.config.yaml'), JSON.stringify({ agents, critics: { tests: 'none' } }));
  for (const [name, answers] of Object.entries(AGENTS)) writeFileSync(join(shop, 'agents', `${name}.yaml`), JSON.stringify({ answers }));
  const git = 'git -c user.name=You -c user.email=you@example.com';
  spawnSync('sh', ['-c', `git init -q -b main && git add -A && ${git} commit -q -m start`], { cwd: shop });
}

function umpire(words) {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...words], { cwd: shop, env, encoding: 'utf8' });
  if (status !== 0 && status !== 4) throw new Error(`umpire ${words.join(' ')} (exit status ${status}):\n${stderr}`);
}

async function serve() {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--port', '0'], { cwd: shop, env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
}

async function open(browser, address, { width, height, dark = false }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', deviceScaleFactor: 1 });
  await page.goto(address);
  await page.locator('.sessions').waitFor();
  return page;
}

async function go(page, id, tab = 'tasks') {
  await page.evaluate((hash) => (location.hash = hash), `#/s/${encodeURIComponent(`.umpire/sessions/${id}`)}/${tab}`);
  await page.locator('.tabs a[aria-current]').waitFor();
  await page.waitForFunction(() => ![...document.querySelectorAll('p.quiet')].some((one) => one.textContent.endsWith('…')));
}

async function photograph(page, path, fullPage = false) {
  // The folder differs from run to run, the machine from person to person.
  await page.evaluate(
    ([path, host]) => {
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node !== null; node = walk.nextNode())
        node.data = node.data.replaceAll(path, '/home/you').replace(` on ${host}.`, ' on laptop.');
    },
    [folder, hostname()],
  );
  await page.screenshot({ path, fullPage });
}

async function drawDocs(browser, address) {
  const images = join(root, 'docs', 'images');
  mkdirSync(images, { recursive: true });
  const wide = await open(browser, address, { width: 1100, height: 760 });
  await photograph(wide, join(images, 'dashboard.png'));
  await go(wide, 'review-discount');
  await wide.locator('.findings').waitFor();
  await photograph(wide, join(images, 'dashboard-question.png'));
  await go(wide, 'cover-the-cart', 'rounds');
  await wide.locator('.charts').scrollIntoViewIfNeeded();
  await wide.evaluate(() => scrollTo(0, document.querySelector('.tabs').offsetTop - 12));
  await photograph(wide, join(images, 'dashboard-rounds.png'));
  const dark = await open(browser, address, { width: 1100, height: 760, dark: true });
  await go(dark, 'review-discount', 'changes');
  await dark.locator('.patch .in-place').first().waitFor();
  await dark.evaluate(() => scrollTo(0, document.querySelector('.tabs').offsetTop - 12));
  await photograph(dark, join(images, 'dashboard-changes.png'));
  const night = await open(browser, address, { width: 375, height: 760, dark: true });
  await photograph(night, join(images, 'dashboard-phone-list.png'));
  const phone = await open(browser, address, { width: 375, height: 760 });
  await go(phone, 'less-debt-in-the-cart');
  await phone.locator('.markdown table').waitFor();
  await photograph(phone, join(images, 'dashboard-phone.png'));
}

async function drawAll(browser, address, place) {
  mkdirSync(place, { recursive: true });
  for (const width of [1280, 375])
    for (const dark of [false, true]) {
      const name = (what) => join(place, `${width}-${dark ? 'dark' : 'light'}-${what}.png`);
      const page = await open(browser, address, { width, height: 800, dark });
      await photograph(page, name('list'), true);
      await page.evaluate(() => (location.hash = '#/costs'));
      await page.getByRole('heading', { name: 'spent' }).waitFor();
      await photograph(page, name('costs'), true);
      for (const id of ['review-discount', 'less-debt-in-the-cart', 'cover-the-cart', 'discount-110', 'mend-the-cart', 'say-hello'])
        for (const tab of ['tasks', 'rounds', 'changes', 'output', 'report']) {
          if (tab !== 'tasks' && id !== 'review-discount' && id !== 'cover-the-cart') continue;
          await go(page, id, tab);
          await photograph(page, name(`${id}-${tab}`), true);
        }
      await page.close();
    }
}
