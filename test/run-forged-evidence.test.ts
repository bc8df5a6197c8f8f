// Agents that plant, overwrite or forge the evidence of a critic while the command runs must not get an approval.

import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JOURNAL_VERSION } from '@umpire/core/decider/events.js';
import { printJournalLine } from '@umpire/core/formats/journal.js';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { sha256 } from '@umpire/umpire/sessions/hash.js';
import { readJournal } from '@umpire/umpire/sessions/journal-file.js';
import { SOAK } from './support/campaign.js';
import { lawfulProseLoop, proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const GOOD = '{"review_score":9,"gc_signal":"CONVERGED","findings":[]}';
const BAD =
  '{"review_score":3,"gc_signal":"REVISION_NEEDED","findings":[{"severity":"critical","message":"Passwords are logged","file":"a.ts","line":1}]}';
const results = '"$UMPIRE_SESSION/artifacts/review-results.json"';

/** A reviewer with a Critical finding; `other` is the script of the other roles. */
function liar(other: string, review = `mkdir -p "$UMPIRE_SESSION/artifacts"; echo '${BAD}' > ${results}`): string {
  return `if [ "$role" = reviewer ]; then ${review}\nelse ${other}\nfi\ncomplete done`;
}

const RUN = ['run', 'review', 'look', '--mode', 'sprint', '--max-rounds', '1'] as const;

it('does not read evidence through a link that leaves the session', async () => {
  const project = makeProject();
  writeFileSync(join(project.beside, 'review-results.json'), GOOD);
  const agent = project.sh(liar(`rm -rf "$UMPIRE_SESSION/artifacts"; ln -s "${project.beside}" "$UMPIRE_SESSION/artifacts"`, 'true'));
  const { exit, session, err } = await project.umpire(...RUN, ...agent);
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [] });
  expect(err).toContain('left nothing to judge');
});

it.each([
  ['review', 'sprint'],
  ['debt', 'targeted'],
])('counts the board lines that cannot be read, in a session of %s', SOAK, async (loop, mode) => {
  const project = makeProject();
  const report = '{"passed":true,"total_regressions":0,"checks":{}}';
  const agent = project.sh(`
printf 'not json\\n[1]\\n' > "$UMPIRE_SESSION/discoveries.ndjson"
mkdir -p "$UMPIRE_SESSION/artifacts" "$UMPIRE_SESSION/validation"
[ "$role" != reviewer ] || echo '${GOOD}' > ${results}
[ "$role" != validator ] || echo '${report}' > "$UMPIRE_SESSION/validation/validation-report.json"
complete done`);
  const { exit, session } = await project.umpire('run', loop, 'look', '--mode', mode, '--yes', ...agent, ...named(loop));
  expect(exit).toBe(0);
  expect(eventsOfType(session, 'VerdictGiven').map(({ verdict }) => verdict.anomalies)).toEqual([
    [
      {
        rule: 'discoveries.ndjson',
        message: '2 of 2 lines are malformed and were skipped, first line 1: it is not a JSON object',
      },
    ],
  ]);
});

/** Uses the same agent for the critic too. */
function named(loop: string): readonly string[] {
  return ['--agent', `${loop === 'debt' ? 'validator' : 'reviewer'}=command`];
}

it('writes nothing outside the session if an agent replaces a folder with a link', SOAK, async () => {
  const project = makeProject();
  const elsewhere = join(project.beside, 'elsewhere');
  mkdirSync(elsewhere);
  const swap = `[ "$id" = FIX-1-1 ] && { rm -rf "$UMPIRE_SESSION/verdicts"; ln -s "${elsewhere}" "$UMPIRE_SESSION/verdicts"; }`;
  const review = `mkdir -p "$UMPIRE_SESSION/artifacts"; echo '${BAD}' > ${results}`;
  const { exit, err } = await project.umpire(...RUN, '--max-rounds', '3', ...project.sh(liar(swap, review)));
  expect({ exit, written: readdirSync(elsewhere) }).toEqual({ exit: 1, written: [] });
  expect(err).toContain('leads outside the session');
});

it('judges the files as they were when the critic ended, whoever writes there afterwards', async () => {
  const project = makeProject();
  const wait = `[ "$role" = verifier ] && { while [ ! -e "${project.beside}/reviewed" ]; do read -r _ < /dev/null; done; echo '${GOOD}' > ${results}; }`;
  const review = `mkdir -p "$UMPIRE_SESSION/artifacts"; echo '${BAD}' > ${results}`;
  const body = liar(wait, review);
  const agent = project.sh(body);
  const running = project.start(...RUN, ...agent);
  await running.says('REVIEW-001 completed');
  writeFileSync(join(project.beside, 'reviewed'), '');
  const { exit, session } = await running.ended;
  expect(readFileSync(join(session, 'artifacts', 'review-results.json'), 'utf8')).toContain('CONVERGED');
  expect({ exit, verdict: verdictsOf(session) }).toMatchObject({ exit: 4, verdict: [expect.stringContaining('ESCALATE')] });
});

it('refuses umpire decide while the run has still to judge the critic', SOAK, async () => {
  const tasks = [{ id: 'A' }, { id: 'READ', role: 'reader', deps: ['A'] }, { id: 'SLOW', deps: ['A'] }];
  const project = makeProject({ files: proseFiles({ tasks, judged: true }) });
  const agent = project.sh(`
[ "$role" = reader ] && echo '{"good": false}' > "$UMPIRE_SESSION/reading.json"
[ "$id" = SLOW ] && until_file "$beside/go"
complete done`);
  const running = project.start('run', './prose.yaml', 'a book', '--session', '.umpire/sessions/s', '--max-rounds', '1', ...agent);
  await running.says('READ completed');
  running.child.kill('SIGINT');
  await running.ended;
  const session = join(project.root, '.umpire', 'sessions', 's');
  writeFileSync(join(session, 'reading.json'), '{"good": true}');
  const decided = await project.umpire('decide', './prose.yaml', '.umpire/sessions/s');
  writeFileSync(join(project.beside, 'go'), '');
  const resumed = await project.umpire('resume', 's');
  expect({ decided: decided.exit, resumed: resumed.exit, verdicts: verdictsOf(session) }).toEqual({
    decided: 2,
    resumed: 4,
    verdicts: [expect.stringContaining('ASK')],
  });
});

it('requires the second critic in every round, and accepts no substitute', SOAK, async () => {
  const tasks = [{ id: 'A' }, { id: 'LAW', role: 'lawyer', deps: ['A'] }, { id: 'READ', role: 'reader', deps: ['LAW'] }];
  const project = makeProject({ files: { 'prose.yaml': lawfulProseLoop({ tasks, judged: true }), 'roles/prose/judge.md': 'Judge.\n' } });
  const agent = project.sh(`
[ "$role" = reader ] && echo '{"good": true}' > "$UMPIRE_SESSION/reading.json"
[ "$role" = writer ] && echo '{"legal": true}' > "$UMPIRE_SESSION/law.json"
[ "$id" = LAW ] && echo '{"legal": false}' > "$UMPIRE_SESSION/law.json"
[ "$id" = LAW-re-2 ] && echo '{"legal": true}' > "$UMPIRE_SESSION/law.json"
complete done`);
  const { exit, session } = await project.umpire('run', './prose.yaml', 'a book', '--max-rounds', '3', ...agent);
  // In the second round the lawyer leaves nothing, and the file that the writer left in its name does not count.
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({
    exit: 0,
    verdicts: ['READ AGAIN P3 1/3', 'READ-re-1 AGAIN P3 2/3', 'READ-re-2 GOOD P2 3/3'],
  });
});

it.each([
  ['the critic, who comes after it', ['LAW'], '"$role" = reader'],
  ['the writer, where the critic does not wait for it', ['A'], '"$role" = writer'],
])('rejects a verdict forged in the name of a second critic by %s', async (_, deps, who) => {
  const law = { id: 'LAW', role: 'lawyer', deps: ['A'] };
  const read = { id: 'READ', role: 'reader', deps };
  const tasks = [{ id: 'A' }, ...(deps.includes('LAW') ? [law, read] : [read, law])];
  const project = makeProject({ files: { 'prose.yaml': lawfulProseLoop({ tasks, judged: true }), 'roles/prose/judge.md': 'Judge.\n' } });
  const agent = project.sh(`
[ "$role" = reader ] && echo '{"good": true}' > "$UMPIRE_SESSION/reading.json"
[ "$role" = lawyer ] && echo '{"legal": false}' > "$UMPIRE_SESSION/law.json"
[ ${who} ] && echo '{"legal": true}' > "$UMPIRE_SESSION/law.json"
complete done`);
  const { session } = await project.umpire('run', './prose.yaml', 'a book', '--max-rounds', '2', '--concurrency', '1', ...agent);
  expect(verdictsOf(session)).toEqual(['READ AGAIN P3 1/2', 'READ-re-1 ASK P4 2/2']);
});

it('judges the same evidence again when rounds are granted, not the current files', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh(liar('true'));
  const { session } = await project.umpire(...RUN, ...agent);
  writeFileSync(join(session, 'artifacts', 'review-results.json'), GOOD);
  await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect(verdictsOf(session).map((verdict) => verdict.split(' ')[1])).toEqual(['ESCALATE', 'FIX', 'ESCALATE']);
  expect((await project.umpire('replay', session)).exit).toBe(0);
});

it('ends processes that a task left running before the next wave starts', SOAK, async () => {
  const project = makeProject();
  const pid = join(project.beside, 'daemon.pid');
  const agent = project.sh(
    liar(
      `[ "$role" = developer ] && { setsid sleep 300 > /dev/null 2>&1 & echo $! > "${pid}"; }`,
      `grep -qs "^State:.[SR]" "/proc/$(cat "${pid}")/status" && touch "${project.beside}/alive"; mkdir -p "$UMPIRE_SESSION/artifacts"; echo '${BAD}' > ${results}`,
    ),
  );
  await project.umpire(...RUN, ...agent);
  expect(existsSync(pid)).toBe(true);
  // An ended process may still be listed until its parent reaps it.
  const status = join('/proc', readFileSync(pid, 'utf8').trim(), 'status');
  const after = existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
  expect({ whileReviewed: existsSync(join(project.beside, 'alive')), after }).toEqual({ whileReviewed: false, after: false });
});

it('marks work as unverified if an agent planned it and nobody judged it', SOAK, async () => {
  const project = makeProject();
  const row = 'DEVX-1,More,Do more.,developer,,,,REVIEW-001,REVIEW-001,csv-wave,,pending,,,,';
  const plan = `[ "$role" = developer ] && case "$id" in DEVX*) echo bad > backdoor.txt;; *) echo '${row}' >> "$UMPIRE_SESSION/tasks.csv";; esac`;
  const agent = project.sh(liar(plan, `mkdir -p "$UMPIRE_SESSION/artifacts"; echo '${GOOD}' > ${results}`));
  const { exit, session } = await project.umpire(...RUN, ...agent);
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete unverified' });
});

it('refuses to apply if the recorded end does not follow from the verdicts', SOAK, async () => {
  const project = makeProject();
  const { session } = await project.umpire(...RUN, ...project.sh(liar('[ "$role" = developer ] && echo x > x.txt')));
  const { events, head } = readJournal(openFolder(session));
  const data = { outcome: 'complete', unverified: false, reason: 'The work was approved.' };
  const line = printJournalLine(
    JOURNAL_VERSION,
    { seq: events.length + 1, ts: new Date().toISOString(), type: 'SessionEnded', data },
    head,
    sha256,
  );
  appendFileSync(join(session, 'journal.ndjson'), line.line);
  const applied = await project.umpire('apply', session);
  expect({ exit: applied.exit, err: applied.err }).toMatchObject({ exit: 1, err: expect.stringContaining('damaged at line') });
  expect((await project.umpire('replay', session)).exit).toBe(1);
});

it('stops if an agent removes the journal or writes into it', async () => {
  for (const harm of ['rm -f "$UMPIRE_SESSION/journal.ndjson"', 'echo "{}" >> "$UMPIRE_SESSION/journal.ndjson"']) {
    const project = makeProject();
    const { exit, err } = await project.umpire(...RUN, ...project.sh(liar(harm)));
    expect({ harm, exit, err }).toMatchObject({
      exit: 1,
      err: expect.stringContaining('Another program changed journal.ndjson during the run'),
    });
  }
});

it('says that the session is gone if an agent removes its folder', SOAK, async () => {
  const project = makeProject();
  const { exit, err } = await project.umpire(...RUN, ...project.sh(liar('rm -rf "$UMPIRE_SESSION"')));
  expect({ exit, err }).toMatchObject({
    exit: 1,
    err: expect.stringMatching(/The session folder \/.* was removed or moved during the run/),
  });
  expect(err).toContain('on the branch umpire/review-look-');
  expect(err).not.toContain('Nothing is lost');
});

it('accepts no evidence that could not be read when its critic ended', SOAK, async () => {
  const project = makeProject();
  const swap = `[ "$role" = verifier ] && { until_file "${project.beside}/reviewed"; rm -rf "$UMPIRE_SESSION/artifacts"; mkdir "$UMPIRE_SESSION/artifacts"; echo '${GOOD}' > ${results}; }`;
  const running = project.start(
    ...RUN,
    ...project.sh(
      liar(swap, `rm -rf "$UMPIRE_SESSION/artifacts"; ln -s "${project.beside}" "$UMPIRE_SESSION/artifacts"; echo '${BAD}' > ${results}`),
    ),
  );
  await running.says('REVIEW-001 completed');
  writeFileSync(join(project.beside, 'reviewed'), '');
  const { exit, session } = await running.ended;
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [] });
});

it('ignores files that a task put into the session’s worktree instead of its own', async () => {
  const project = makeProject();
  const agent = project.sh('echo b > ../session/b.txt; echo spoilt > ../session/README.md; complete done');
  const { exit, err, session } = await project.umpire('until', 'test -e b.txt', '--max-rounds', '1', ...agent);
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1'] });
  expect(err).toContain('changes that no task submitted (README.md, b.txt). Umpire set them aside');
});
