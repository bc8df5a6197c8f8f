// A real browser for tests of the dashboard: the installed Chromium, headless. Without it those tests are skipped. `.ci/run` installs
// it.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const executablePath = process.env['UMPIRE_BROWSER'] ?? PLACES.find((path) => existsSync(path));

export const hasBrowser = executablePath !== undefined;

/** It connects only to the server on loopback. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args: QUIET });
}
