// When a model's server is overloaded, the task is retried as often as the settings allow. Permanent errors are reported at once, with
// the next step. The tests pass in a clock, so none of them waits.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resume, run } from '@umpire/umpire/engine/session.js';
import type { RunResult } from '@umpire/umpire/engine/session.js';
import { SOAK } from './support/campaign.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, eventsOf, eventsOfType, makeProject, rowsOf, sessionIn, standingOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const ONE = { tasks: [{ id: 'A' }] };

/** The output of claude 2.1 when its server is overloaded or its plan's limit is reached. */
const ended = (status: number, words: string) =>
  JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: true,
    api_error_status: status,
    result: words,
    session_id: 's',
    uuid: 'u',
  });
const OVERLOADED = `printf '%s\\n' '${ended(529, 'API Error: 529 Overloaded.')}'; exit 1`;

/** A clock that advances with every reading. */
function hurrying(ms = 100_000): () => Date {
  let at = Date.UTC(2026, 2, 1, 2);
  return () => new Date((at += ms));
}

function projectWith(body: string, config: Readonly<Record<string, unknown>> = {}): RunProject & { readonly words: string } {
  const project = makeProject({ files: proseFiles(ONE), config });
  const [, words = ''] = project.sh(body);
  return { ...project, words };
}

function runIn(
  { root, words }: RunProject & { readonly words: string },
  more: Partial<Parameters<typeof run>[0]> = {},
): Promise<RunResult> {
  return run({ loop: join(root, 'prose.yaml'), goal: 'x', project: root, agentCommand: words, now: hurrying(), ...more });
}

const typesOf = (session: string) =>
  eventsOf(session)
    .map(({ type }) => type)
    .filter((type) => /^(?:Task|Wait|SessionEnded|PersonCalled)/.test(type));

it('retries with growing pauses until the server answers, and says so', async () => {
  const { session, status } = await runIn(projectWith(`[ "$attempt" -lt 3 ] && { ${OVERLOADED}; }\ncomplete "at last"`));
  expect({ status, standing: standingOf(session) }).toEqual({ status: 'complete', standing: ['A completed'] });
  expect(typesOf(session)).toEqual(
    'TaskStarted TaskPostponed WaitEnded TaskStarted TaskPostponed WaitEnded TaskStarted TaskFinished SessionEnded'.split(' '),
  );
  const told = eventsOfType(session, 'TaskPostponed').map(({ waitMs, why }) => ({ waitMs, why }));
  const why = 'The agent "command" exited with status 1. Last output: "API Error: 529 Overloaded.".';
  expect(told).toEqual([
    { waitMs: 30_000, why },
    { waitMs: 120_000, why },
  ]);
});

it('gives up after the configured retries, and says how many there were', SOAK, async () => {
  const { session } = await runIn(projectWith(OVERLOADED, { retries: 2 }));
  expect([endOf(session), eventsOfType(session, 'TaskPostponed').length]).toEqual(['failed unverified', 2]);
  expect(rowsOf(session)['A']?.['error']).toMatch(/529 Overloaded\..* Umpire retried it 2 times\.$/);
});

it('does not retry if the settings say so', SOAK, async () => {
  const { session } = await runIn(projectWith(OVERLOADED, { retries: 0 }));
  expect([endOf(session), typesOf(session)]).toEqual(['failed unverified', ['TaskStarted', 'TaskFinished', 'SessionEnded']]);
});

it('resumes a pause with the remaining time, and keeps the count of retries', SOAK, async () => {
  const project = projectWith(OVERLOADED, { retries: 1 });
  const running = project.start('run', './prose.yaml', 'x', '--agent-command', project.words);
  await running.says('A retries in 30 s (retry 1 of 1): The agent "command" exited with status 1.');
  running.child.kill('SIGINT');
  const { exit, err } = await running.ended;
  const session = sessionIn(project);
  expect([exit, endOf(session), standingOf(session)]).toEqual([130, 'not ended', ['A pending']]);
  expect(err).toContain('umpire resume');
  // The time already waited counts.
  expect(eventsOf(session).at(-1)).toMatchObject({ type: 'TimePassed', data: { atWork: 0, waiting: 1 } });
  await resume({ session, now: () => new Date(Date.now() + 60_000) });
  expect([endOf(session), eventsOfType(session, 'TaskPostponed').length]).toEqual(['failed unverified', 1]);
  await resume({ session, retry: true, now: hurrying() });
  expect([endOf(session), eventsOfType(session, 'TaskPostponed').length]).toEqual(['failed unverified', 2]);
});

it('keeps an unfinished pause if the run is stopped while another task starts', SOAK, async () => {
  const stop = new AbortController();
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }, { id: 'B' }] }), config: { retries: 1 } });
  const [, words = ''] = project.sh(`[ "$id" = A ] && { ${OVERLOADED}; }\ncomplete done`);
  const { session } = await runIn(
    { ...project, words },
    {
      concurrency: 1,
      signal: stop.signal,
      now: () => new Date(Date.UTC(2026, 2, 1, 2)),
      onEvent: ({ type, data }) => {
        if (type === 'TaskStarted' && data.task === 'B') stop.abort();
      },
    },
  );
  expect(typesOf(session)).toEqual(['TaskStarted', 'TaskPostponed', 'TaskStarted', 'TaskInterrupted']);
});

it('asks a person during a pause, and repeats the question at the end', SOAK, async () => {
  const tasks = [{ id: 'A' }, { id: 'B', exec_mode: 'interactive' }];
  const project = makeProject({ files: proseFiles({ tasks }), config: { retries: 1, notify: 'date > "$UMPIRE_SESSION/called.txt"' } });
  const asks = `printf '{"id":"B","question":"Which?"}' > "$UMPIRE_RESULT_FILE"`;
  const [, words = ''] = project.sh(
    `case $id$attempt in A1) until_file "$beside/asked"; ${OVERLOADED} ;; A2) complete done ;; B1) ${asks}; touch "$beside/asked" ;; *) complete "$id" ;; esac`,
  );
  const running = project.start('run', './prose.yaml', 'x', '--agent-command', words, '--concurrency', '2');
  await running.says('Waiting for an answer to B. Meanwhile, A retries in');
  const session = sessionIn(project);
  expect(existsSync(join(session, 'called.txt'))).toBe(true);
  const busy = await project.umpire('resolve', session, 'answer', '--reason', 'this');
  expect([busy.exit, busy.err]).toEqual([1, expect.stringContaining('Or stop it with Ctrl-C or kill, then continue with `umpire resume`')]);
  running.child.kill('SIGINT');
  await running.ended;
  const later = { session, now: hurrying() };
  const rested = await resume(later);
  expect([rested.status, typesOf(session).filter((type) => /Wait|Call/.test(type))]).toEqual(['awaiting', ['PersonCalled', 'WaitEnded']]);
  const { err } = await project.umpire('resume', session);
  expect(err).toContain('Waiting for an answer to B.');
});

it('asks a person instead of retrying when the minutes of the session are used up', SOAK, async () => {
  const now = hurrying();
  const { status, question, session } = await runIn(projectWith(OVERLOADED), { maxMinutes: 1, elapsedMs: () => now().getTime() });
  expect({ status, question }).toMatchObject({ status: 'awaiting', question: { kind: 'budget', what: 'minutes' } });
  expect(typesOf(session)).toEqual(['TaskStarted', 'TaskPostponed', 'PersonCalled']);
});

it.each([
  [`printf '%s\\n' '${ended(429, 'Usage limit reached, resets 3am')}'; exit 1`, 'A retry does not help before the limit is reset'],
  [`printf '%s\\n' '${ended(401, 'Invalid API key')}'; exit 1`, 'Sign in with its own command, or correct its key'],
  ['echo "HTTP 429 Too Many Requests" >&2; exit 1', 'Last output: "HTTP 429 Too Many Requests".'],
  [`printf 'expected {"error":{"code":429,"message":"busy"}} {\n  to: 200\n}\n' >&2; exit 1`, 'exited with status 1'],
  ['echo "The server said 529 overloaded."; fail "status 529 overloaded"', 'status 529 overloaded'],
  ['complete "answers 429 Too Many Requests"; exit 1', 'although its result says completed'],
])('does not retry an error that is permanent or not the server’s: %s', SOAK, async (body, error) => {
  const { session } = await runIn(projectWith(body));
  expect([endOf(session), eventsOfType(session, 'TaskPostponed'), rowsOf(session)['A']?.['error']]).toEqual([
    'failed unverified',
    [],
    expect.stringContaining(error),
  ]);
});

it.each([
  ['exit 75', 'exited with status 75'],
  [`echo '{"error": {"type": "ApiError", "message": "Please try again in 50s.", "code": 429}}' >&2; exit 1`, 'try again in 50s'],
])('retries if a program reports a temporary failure: %s', SOAK, async (body, why) => {
  const { session } = await runIn(projectWith(`[ "$attempt" -gt 1 ] && { complete done; exit; }\n${body}`));
  const waitMs = why.includes('50s') ? 50_000 : 30_000;
  expect([endOf(session), eventsOfType(session, 'TaskPostponed')]).toMatchObject([
    'complete unverified',
    [{ waitMs, why: expect.stringContaining(why) }],
  ]);
});

it('neither shortens a pause nor spends minutes when the clock is set forward', async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }, { id: 'B' }, { id: 'C' }] }), config: { retries: 1 } });
  const [, words = ''] = project.sh(`case $id$attempt in A1) ${OVERLOADED} ;; B1|C1) until_file "$beside/$id" ;; esac\ncomplete done`);
  const end = (task: string) => writeFileSync(join(project.beside, task), '');
  const seen: string[] = [];
  let clockMs = Date.UTC(2026, 2, 1);
  let elapsed = 0;
  const { status, state } = await runIn(
    { ...project, words },
    {
      maxMinutes: 1,
      now: () => new Date(clockMs),
      elapsedMs: () => elapsed,
      onEvent: ({ type, data }) => {
        if (/^(?:Task|Wait)/.test(type) && 'task' in data) seen.push(`${type} ${data.task}`);
        // The end of another task makes the session look at the pause again.
        if (type === 'TaskPostponed') {
          setImmediate(() => {
            clockMs += 10 * 3_600_000;
            end('B');
          });
        }
        if (type === 'TaskFinished' && data.task === 'B') {
          setImmediate(() => {
            elapsed += 30_000;
            end('C');
          });
        }
      },
    },
  );
  const paused = seen.slice(seen.indexOf('TaskPostponed A') + 1, seen.lastIndexOf('TaskStarted A'));
  expect(paused).toEqual(['TaskFinished B', 'TaskFinished C', 'WaitEnded A']);
  expect({ status, activeMs: state.run?.activeMs }).toEqual({ status: 'complete', activeMs: 30_000 });
});
