// docs/fleet.md is true: its commands print what it shows, with a real PostgreSQL and workers that are separate processes.

import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { compareBlock, openConsole, prepareConsole } from './support/console.js';
import { readPage } from './support/page.js';
import { postgresPrograms, startPostgres } from './support/postgres-server.js';

const programs = postgresPrograms();
const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-docs-fleet-')));
const pids = join(folder, 'pids');

afterAll(() => {
  for (const pid of existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : [])
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It was drained.
    }
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(programs === null)(`docs/fleet.md${programs === null ? ' (skipped: PostgreSQL is not installed)' : ''}`, () => {
  it('shows the real output of the commands', { timeout: 300_000, ...SOAK }, async () => {
    const server = await startPostgres(programs ?? '');
    try {
      await server.sql('postgres', 'create role umpire superuser login');
      await server.sql('postgres', 'create database umpire');
      prepareConsole(folder);
      cpSync(join(folder, 'examples', 'shop'), join(folder, 'shop'), { recursive: true });
      const typed = (line: string) => inBackground(line).replace('postgres://umpire@127.0.0.1/umpire', server.url('umpire', 'umpire'));
      const inTerminal = openConsole(folder, { UMPIRE_TRUST: '1' }, typed);
      await inTerminal('$ cd shop\n$ git init -q -b main && git add -A && git commit -q -m "the shop"\n$ cd ~\n');
      const page = readPage('docs/fleet.md');
      let commands = 0;
      for (const block of page.blocks.filter(({ kind }) => kind === 'console'))
        commands += compareBlock(page, block, await inTerminal(block.text), folder);
      expect(commands).toBeGreaterThan(20);
    } finally {
      await server.stop();
    }
  });
});

/** A worker is at work before the next line is typed. */
function inBackground(line: string): string {
  const [, log] = /> (\S+) 2>&1 &$/.exec(line) ?? [];
  return log === undefined ? line : `${line} echo $! >> ${pids}; until grep -qs 'Worker .* slot' ${log}; do sleep 0.1; done`;
}
