// Logs of agents that print very much: bounded on disk, while somebody follows them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AgentLog, listLogs, readLog, readLogPart } from './agent-logs.js';
import { openFolder } from './session-folder.js';

const MB = 1024 * 1024;

it('keeps the start and the end of 200 MB of output, and goes on', () => {
  const session = mkdtempSync(join(tmpdir(), 'umpire-log-'));
  try {
    const log = new AgentLog(openFolder(session), 'WORK-1', 1);
    log.add(Buffer.from('the first line\n'));
    let followed = readLogPart(session, { name: 'WORK-1-1' }, 0, MB).next;
    const chunk = Buffer.alloc(10 * MB, 'x');
    let largest = 0;
    for (let times = 0; times < 20; times++) {
      log.add(chunk);
      largest = Math.max(largest, listLogs(session)[0]?.bytes ?? 0);
      for (;;) {
        const { bytes, next } = readLogPart(session, { name: 'WORK-1-1' }, followed, 4 * MB);
        followed = next;
        if (bytes.length === 0) break;
      }
    }
    log.add(Buffer.from('the last line\n'));
    expect(readLogPart(session, { name: 'WORK-1-1' }, followed, MB).bytes.toString()).toBe('the last line\n');
    const [file] = listLogs(session);
    const text = file === undefined ? '' : readLog(session, file).toString();
    expect(text).toMatch(/^the first line\nx{9}/);
    expect(text).toMatch(/x\n?the last line\n$/);
    expect(text.match(/\[\d+ bytes omitted\]/g)?.length).toBeGreaterThan(0);
    expect(largest).toBeLessThan(32 * MB);
  } finally {
    rmSync(session, { recursive: true, force: true });
  }
});
