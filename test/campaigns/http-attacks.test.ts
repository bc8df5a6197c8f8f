// Hostile requests to the dashboard's server on loopback. Each answer is a refusal or what the key allows: never a file outside the
// sessions, never a fault of the server, never a permission for other origins. The server answers afterwards.
// UMPIRE_SEED and UMPIRE_AMOUNT choose the requests.

import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ProjectSessions } from '@umpire/umpire/doors/http/project-sessions.js';
import { serveDashboard } from '@umpire/umpire/doors/http/server.js';
import { SEED, amountOf, chooseCases } from '../support/campaign.js';
import { writeFiles } from '../support/git-project.js';
import { handMadeRequests, randomRequest } from '../support/http-attacks.js';
import { root } from '../support/journal.js';
import { cleanUpProjects, makeProject } from '../support/run-project.js';
import { COMPLETE, writeStory } from '../support/session-events.js';

cleanUpProjects();

const AMOUNT = amountOf(20, 249);
const KEY = '0123456789abcdef'.repeat(2);
/** Only the sessions hold it. */
const GOAL = 'payment';
/** An attacker may keep a connection open; the test does not wait for it. */
const PATIENCE_MS = 300;
/** A well-behaved caller waits. */
const LONG_MS = 60_000;
const MOST_BYTES = 2_000_000;

/** What comes back: '' if the server closes the connection or says nothing. */
function send(port: number, bytes: string, patienceMs = PATIENCE_MS): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.setEncoding('latin1').setTimeout(patienceMs, () => socket.destroy());
    socket.on('data', (part: string) => {
      answer += part;
      if (answer.length > MOST_BYTES) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(answer));
  });
}

it(`answers ${AMOUNT} hostile requests with nothing that they may not see`, { timeout: 300_000 }, async () => {
  const project = makeProject();
  const sessions = join(project.root, '.umpire', 'sessions');
  writeStory(join(sessions, 'classified'), COMPLETE);
  writeFiles(project.beside, { 'outside/secret.txt': 'TOP SECRET\n', 'outside/tasks.csv': 'id,title\nA,TOP SECRET\n' });
  const server = await serveDashboard({
    source: new ProjectSessions(project.root),
    version: '0',
    port: 0,
    key: KEY,
    pages: join(root, 'dist', 'web'),
  });
  const healthy = `GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n\r\n`;
  const seen = { answered: 0, refused: 0 };
  try {
    for (const { name, bytes, isAllowed } of chooseCases(handMadeRequests(KEY), AMOUNT, SEED, (below) => randomRequest(KEY, below))) {
      const answer = await send(server.port, bytes);
      const what = `seed ${SEED}, ${name}: ${answer.slice(0, 300)}`;
      const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
      expect(
        statuses.filter((status) => status >= 500),
        what,
      ).toEqual([]);
      expect(answer, what).not.toMatch(/TOP SECRET|root:x:|"type":"SessionStarted"|access-control-allow/i);
      expect(answer, what).not.toContain(KEY);
      if (!isAllowed) expect(answer, what).not.toContain(GOAL);
      seen[statuses.includes(200) ? 'answered' : 'refused']++;
    }
    expect(await send(server.port, healthy, LONG_MS)).toMatch(/^HTTP\/1\.1 200 [^]*"name":"classified"/);
  } finally {
    await server.close();
  }
  expect(Math.min(seen.answered, seen.refused)).toBeGreaterThan(0);
  expect(seen.answered + seen.refused).toBe(AMOUNT);
});
