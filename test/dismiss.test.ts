// `umpire dismiss`: a person dismisses a finding that blocks, in a session that Umpire runs and in one that it only judges.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { base, decide, newSession } from './support/command.js';
import { runInProcess } from './support/in-process.js';
import { REST, review, writer } from './support/run-evidence.js';
import type { Reviewed } from './support/run-evidence.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, textOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const INJECTION = { severity: 'Critical', message: 'The query is built from user input', file: 'src/db.ts', line: 12 };
const WRONG: Reviewed = { score: 8, signal: 'CONVERGED', findings: [INJECTION] };

it('dismisses the finding that blocks: the evidence is judged again without it, and every report shows who and why', async () => {
  const project = makeProject({ answers: [review(WRONG), writer('developer'), REST] });
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--max-rounds', '1');
  expect({ exit, last: verdictsOf(session).at(-1) }).toEqual({ exit: 4, last: 'REVIEW-001 ESCALATE R6 1/1' });
  const listed = await project.umpire('dismiss', session);
  const print = /^(\w{8}) {2}critical {2}The query is built from user input \(src\/db\.ts:12\)\n$/.exec(listed.out)?.[1] ?? '';
  expect(print).not.toBe('');
  const bare = await project.umpire('dismiss', session, print);
  expect({ exit: bare.exit, err: bare.err }).toEqual({ exit: 2, err: expect.stringContaining('A dismissal needs a reason') });
  const byAgent = await project.umpireWith({ env: { UMPIRE_RUN: 'abcdefgh-1' } }, 'dismiss', session, print, '--reason', 'trust me');
  expect({ exit: byAgent.exit, err: byAgent.err }).toEqual({ exit: 2, err: expect.stringContaining('only a person can') });
  expect(eventsOfType(session, 'FindingRuled')).toEqual([]);
  const done = await project.umpire('dismiss', session, print, '--reason', 'the input is checked');
  expect(done.exit).toBe(0);
  expect(done.err).toMatch(/No Critical or High finding is open\.\nJudge it again:\n {2}umpire resolve \S+ extend --rounds 1\n/);
  const again = await project.umpire('dismiss', session, 'src/db.ts:12', '--reason', 'the input is checked');
  expect({ exit: again.exit, err: again.err }).toEqual({ exit: 1, err: expect.stringContaining('is dismissed already') });
  expect(eventsOfType(session, 'FindingRuled')).toMatchObject([
    {
      ruling: 'dismissed',
      finding: { artifact: 'src/db.ts' },
      reason: 'the input is checked',
      who: userInfo().username,
      via: 'no terminal',
    },
  ]);
  expect(textOf(session, 'context.md')).toContain('The query is built from user input');
  const resolved = await project.umpire('resolve', session, 'extend', '--rounds', '1', '--reason', 'see the dismissal');
  expect({ exit: resolved.exit, last: verdictsOf(session).at(-1), end: endOf(session) }).toEqual({
    exit: 0,
    last: 'REVIEW-001 CONVERGE R1 1/2',
    end: 'complete',
  });
  const who = userInfo().username;
  const pages = [await project.umpire('report', session), await project.umpire('status', session)].map(({ out }) =>
    out.replaceAll(/\s+/g, ' '),
  );
  for (const page of pages) expect(page).toMatch(new RegExp(`ismissed by ${who}.*the input is checked`));
  expect(JSON.parse((await project.umpire('status', session, '--json')).out)).toMatchObject({
    dismissed: [{ severity: 'critical', reason: 'the input is checked', who }],
  });
  expect(textOf(session, 'context.md')).not.toContain('The query is built from user input');
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('judges the same evidence again in a session that it only judges', async () => {
  const folder = newSession();
  mkdirSync(join(folder, 'artifacts'), { recursive: true });
  const head = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error';
  writeFileSync(join(folder, 'tasks.csv'), `${head}\nREVIEW-001,Review,Review it,reviewer,,,csv-wave,1,completed,done,8,CONVERGED,\n`);
  writeFileSync(
    join(folder, 'artifacts/review-results.json'),
    JSON.stringify({ review_score: 8, gc_signal: 'CONVERGED', findings: [INJECTION] }),
  );
  expect((await runInProcess(base, ['dismiss', folder])).stdout).toBe('No open finding.\n');
  expect(existsSync(join(folder, 'journal.ndjson'))).toBe(false);
  expect(await decide('review', folder, '--max-rounds', '1', '--json')).toMatchObject({
    exit: 4,
    json: { rule: 'R6', outcome: 'escalate' },
  });
  const done = await runInProcess(base, ['dismiss', folder, 'src/db.ts:12', '--reason', 'checked above']);
  expect(done).toMatchObject({ exit: 0, stderr: expect.stringContaining('umpire decide review ') as string });
  const json = { rule: 'R1', outcome: 'converge', round: 1, counts: { critical: 0 }, dismissed: [{ reason: 'checked above' }] };
  expect(await decide('review', folder, '--json')).toMatchObject({ exit: 0, json });
  expect(await decide('review', folder, '--json')).toMatchObject({ exit: 0, json });
  expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
});
