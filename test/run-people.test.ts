// The questions of a session to a person, and each answer: plans, escalations, budgets, questions of agents. No process waits
// meanwhile: every answer is a separate command. run-edits.test.ts tests edits of tasks.csv.

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolve } from '@umpire/umpire/doors/library/run.js';
import { SOAK } from './support/campaign.js';
import { writeFiles } from './support/git-project.js';
import { GOOD_REVIEW, POOR_REVIEW, REST, review, validation, writer } from './support/run-evidence.js';
import { proseFiles } from './support/run-loop-file.js';
import {
  cleanUpProjects,
  endOf,
  eventsOfType,
  jsonOf,
  makeProject,
  standingOf,
  textOf,
  verdictsOf,
  wavesRun,
} from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const PAYERS = [validation(0), writer('executor'), { role: 'planner', result: { findings: 'Plan {attempt}: three steps.' } }, REST];

async function standing(project: RunProject, session: string): Promise<Record<string, unknown>> {
  return JSON.parse((await project.umpire('status', session, '--json')).out) as Record<string, unknown>;
}

it('exits to wait for the approval of a plan, and continues after it', SOAK, async () => {
  const project = makeProject({ answers: PAYERS });
  const { exit, err, session } = await project.umpire('run', 'debt', 'less debt', '--mode', 'targeted');
  expect({ exit, waves: wavesRun(session), end: endOf(session) }).toEqual({ exit: 4, waves: ['TDPLAN-001'], end: 'not ended' });
  expect(err).toContain('approval of the plan of TDPLAN-001');
  expect(err).toContain('umpire resolve');
  expect(await standing(project, session)).toMatchObject({
    state: 'awaiting',
    question: { kind: 'plan', task: 'TDPLAN-001', detail: 'Plan 1: three steps.' },
  });
  expect(jsonOf(session, 'session-state.json')).toMatchObject({ status: 'awaiting', question: 'plan' });
  expect(textOf(session, 'results.csv')).toContain('Plan 1: three steps.');
  expect(existsSync(join(session, 'wave-2.csv'))).toBe(false);
  const rested = await project.umpire('resume', session);
  expect({ exit: rested.exit, waves: wavesRun(session) }).toEqual({ exit: 4, waves: ['TDPLAN-001'] });
  expect(rested.err).toMatch(/Waiting for approval of the plan of TDPLAN-001\.\nAnswer with one of:\n  umpire resolve \S+ approve\n/);
  for (const wrong of ['force-approve', 'extend', 'answer', 'manual-fix']) {
    const refused = await project.umpire('resolve', session, wrong, '--reason', 'x');
    expect({ wrong, exit: refused.exit, err: refused.err }).toEqual({
      wrong,
      exit: 2,
      err: expect.stringContaining('approve, revise, abort'),
    });
  }
  const events = eventsOfType(session, 'PersonAnswered').length;
  for (const [env, said] of [
    [{ UMPIRE_RUN: 'abcdefgh-1' }, 'A task of a running session cannot answer for a person'],
    [{}, 'without a terminal an answer needs --reason "why"'],
  ] as const) {
    const refused = await project.umpireWith({ env }, 'resolve', session, 'approve', ...('UMPIRE_RUN' in env ? ['--reason', 'x'] : []));
    expect({ exit: refused.exit, err: refused.err }).toEqual({ exit: 2, err: expect.stringContaining(said) });
  }
  expect(eventsOfType(session, 'PersonAnswered').length).toBe(events);
  const approved = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect(eventsOfType(session, 'PersonAnswered')).toMatchObject([{ answer: 'approve', reason: 'fine', via: 'no terminal' }]);
  expect({ exit: approved.exit, waves: wavesRun(session), end: endOf(session) }).toEqual({
    exit: 0,
    waves: ['TDPLAN-001', 'TDFIX-001', 'TDVAL-001'],
    end: 'complete',
  });
  const late = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect({ exit: late.exit, err: late.err }).toEqual({ exit: 1, err: expect.stringContaining('it has ended as complete') });
});

it('gives the planner the reason for a revision, and asks again', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh(`
[ "$role" = planner ] && { cp "$UMPIRE_TASK_FILE" "$beside/plan-$attempt.json"; printf '%s' "$prompt" > "$beside/plan-$attempt.prompt"; }
mkdir -p "$UMPIRE_SESSION/validation"
[ "$role" = validator ] && echo '{"passed":true,"total_regressions":0,"checks":{}}' > "$UMPIRE_SESSION/validation/validation-report.json"
complete "plan number $attempt"
`);
  const { session } = await project.umpire('run', 'debt', 'less debt', '--mode', 'targeted', ...agent);
  const revised = await project.umpire('resolve', session, 'revise', '--reason', 'leave the generated files out');
  expect({ exit: revised.exit, waves: wavesRun(session) }).toEqual({ exit: 4, waves: ['TDPLAN-001', 'TDPLAN-001'] });
  expect(textOf(project.beside, 'plan-2.prompt')).toContain('leave the generated files out');
  expect(jsonOf(project.beside, 'plan-2.json')['turns']).toEqual([{ from: 'person', text: 'leave the generated files out' }]);
  expect(await standing(project, session)).toMatchObject({ question: { detail: 'plan number 2' } });
  const { exit } = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete unverified' });
});

it('ends when a person aborts, and keeps all work', async () => {
  const project = makeProject({ answers: PAYERS });
  const { session } = await project.umpire('run', 'debt', 'less debt', '--mode', 'remediate');
  const { exit } = await project.umpire('resolve', session, 'abort', '--reason', 'not this year');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'aborted unverified' });
  expect(textOf(session, 'tasks.csv')).toContain('Plan 1: three steps.');
  expect(existsSync(join(session, 'logs', 'TDPLAN-001-1.txt'))).toBe(true);
  const { out } = await project.umpire('report', session);
  expect(out).toContain('not this year');
  expect(await standing(project, session)).toMatchObject({ state: 'aborted' });
  const again = await project.umpire('resume', session);
  expect({ exit: again.exit, end: endOf(session) }).toEqual({ exit: 1, end: 'aborted unverified' });
  expect(project.git('branch', '--list', 'umpire/*')).toContain('umpire/');
});

it('aborts a plan or an escalation without a reason, and says so in a whole sentence', SOAK, async () => {
  const project = makeProject({ answers: PAYERS });
  const { session } = await project.umpire('run', 'debt', 'less debt', '--mode', 'targeted');
  expect(await resolve({ session, answer: 'abort' })).toMatchObject({ status: 'aborted', reason: 'A person aborted the session.' });
  const other = await escalated();
  expect(await resolve({ session: other.session, answer: 'abort' })).toMatchObject({ status: 'aborted', unverified: true });
});

it('approves plans automatically with --yes, and says so', SOAK, async () => {
  const project = makeProject({ answers: PAYERS });
  const { exit, session } = await project.umpire('run', 'debt', 'less debt', '--mode', 'targeted', '--yes');
  expect({ exit, by: eventsOfType(session, 'PersonAnswered').map(({ by, answer }) => `${answer} ${by}`) }).toEqual({
    exit: 0,
    by: ['approve --yes'],
  });
});

const NEVER_GOOD = [review(POOR_REVIEW), writer('developer'), REST];

async function escalated(more: readonly unknown[] = [], flags: readonly string[] = []): Promise<{ project: RunProject; session: string }> {
  const project = makeProject({ answers: [...more, ...NEVER_GOOD] });
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint', '--max-rounds', '2', ...flags);
  expect({ exit, last: verdictsOf(session).at(-1) }).toEqual({ exit: 4, last: 'REVIEW-re-001 ESCALATE R5 2/2' });
  return { project, session };
}

it('force-approves only with a reason, and shows unverified everywhere', async () => {
  const { project, session } = await escalated();
  const bare = await project.umpire('resolve', session, 'force-approve');
  expect({ exit: bare.exit, err: bare.err }).toEqual({ exit: 2, err: expect.stringContaining('force-approve needs --reason') });
  const blank = await project.umpire('resolve', session, 'force-approve', '--reason', '  ');
  expect(blank.exit).toBe(2);
  const { exit, err } = await project.umpire('resolve', session, 'force-approve', '--reason', 'the total is right by law');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete unverified' });
  expect(err).toContain('unverified');
  expect(await standing(project, session)).toMatchObject({ state: 'complete', unverified: true });
  const status = await project.umpire('status', session);
  const report = await project.umpire('report', session);
  const list = await project.umpire('list');
  const listed = JSON.parse((await project.umpire('list', '--json')).out) as { sessions: readonly { unverified: boolean }[] };
  for (const page of [status.out, report.out, list.out]) expect(page.toLowerCase()).toContain('unverified');
  for (const page of [status.out, report.out, textOf(session, 'context.md')])
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `A person (${userInfo().username}) approved it without clean evidence: the total is right by law`,
    );
  expect(report.out).toContain(`(resolve by ${userInfo().username}, without a terminal)`);
  expect(listed.sessions.map(({ unverified }) => unverified)).toEqual([true]);
  expect(jsonOf(session, 'session-state.json')).toMatchObject({ status: 'complete', unverified: true });
  const applied = await project.umpire('apply', session);
  expect(applied.err).toContain('UNVERIFIED');
  const replayed = await project.umpire('replay', session);
  expect(replayed.exit).toBe(0);
});

it('marks an approval as unverified if the critic left nothing to judge', SOAK, async () => {
  const project = makeProject({ answers: [writer('developer'), REST] });
  const { exit, session } = await project.umpire('run', 'review', 'x', '--mode', 'sprint');
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [] });
  const approved = await project.umpire('resolve', session, 'force-approve', '--reason', 'I read it myself');
  expect({ exit: approved.exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete unverified' });
});

it('lets a person fix the work in the session’s worktree, and runs the critic again', SOAK, async () => {
  const { project, session } = await escalated([review(GOOD_REVIEW, { task: 'REVIEW-re-001', attempt: 2 })]);
  const { exit, err } = await project.umpire('resolve', session, 'manual-fix', '--reason', 'I know how');
  expect(exit).toBe(4);
  const { work } = (await standing(project, session)) as { work: { place: string } };
  expect(err).toContain(work.place);
  const early = await project.umpire('resume', session);
  expect({ exit: early.exit, runs: eventsOfType(session, 'TaskStarted').filter(({ task }) => task === 'REVIEW-re-001') }).toMatchObject({
    exit: 4,
    runs: [{ attempt: 1 }],
  });
  writeFiles(work.place, { 'src/total.ts': 'export const total = 2;\n' });
  const done = await project.umpire('resume', session);
  expect({ exit: done.exit, end: endOf(session), last: verdictsOf(session).at(-1) }).toEqual({
    exit: 0,
    end: 'complete',
    last: 'REVIEW-re-001 CONVERGE R1 2/2',
  });
  const commit = expect.any(String) as string;
  expect(eventsOfType(session, 'PersonEdited')).toEqual([{ commit, files: ['src/total.ts'], via: 'no terminal' }]);
  const { out } = await project.umpire('diff', session);
  expect(out).toContain('+export const total = 2;');
});

it('asks again if a person’s fix fails too, and resets no rounds', SOAK, async () => {
  const { project, session } = await escalated();
  await project.umpire('resolve', session, 'manual-fix', '--reason', 'fine');
  const { work } = (await standing(project, session)) as { work: { place: string } };
  writeFiles(work.place, { 'src/total.ts': 'export const total = 3;\n' });
  const { exit } = await project.umpire('resume', session);
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({
    exit: 4,
    verdicts: ['REVIEW-001 FIX R4 1/2', 'REVIEW-re-001 ESCALATE R5 2/2', 'REVIEW-re-001 ESCALATE R5 2/2'],
  });
});

it('continues an escalated chain as a revision when rounds are granted, and records the grant', async () => {
  const { project, session } = await escalated([review(GOOD_REVIEW, { task: 'REVIEW-re-002' })]);
  const bare = await project.umpire('resolve', session, 'extend', '--reason', 'fine');
  expect({ exit: bare.exit, err: bare.err }).toEqual({ exit: 2, err: expect.stringContaining('--rounds') });
  const { exit } = await project.umpire('resolve', session, 'extend', '--rounds', '2', '--reason', 'nearly there');
  expect({ exit, verdicts: verdictsOf(session), end: endOf(session) }).toEqual({
    exit: 0,
    verdicts: ['REVIEW-001 FIX R4 1/2', 'REVIEW-re-001 ESCALATE R5 2/2', 'REVIEW-re-001 FIX R4 2/4', 'REVIEW-re-002 CONVERGE R1 3/4'],
    end: 'complete',
  });
  expect(eventsOfType(session, 'PersonAnswered')).toMatchObject([{ answer: 'extend', rounds: 2, reason: 'nearly there', by: 'resolve' }]);
  const replayed = await project.umpire('replay', session);
  expect(replayed.exit).toBe(0);
});

it('grants rounds by --max-rounds to a session that waits for them', SOAK, async () => {
  const { project, session } = await escalated();
  const { exit } = await project.umpire('resume', session, '--max-rounds', '3');
  expect(exit).toBe(4);
  expect(eventsOfType(session, 'PersonAnswered')).toMatchObject([{ answer: 'extend', rounds: 1, by: '--max-rounds' }]);
  expect(verdictsOf(session).slice(2)).toEqual(['REVIEW-re-001 FIX R4 2/3', 'REVIEW-re-002 ESCALATE R5 3/3']);
});

it('stops when the budget of tokens or cost is exceeded, and continues when more is granted', SOAK, async () => {
  const spender = { usage: { tokens: 600, cost_usd: 0.4 }, result: { findings: 'spent' } };
  const project = makeProject({
    files: proseFiles({ tasks: ['A', 'B', 'C'].map((id, n, all) => ({ id, deps: all.slice(n - 1, n) })) }),
    answers: [spender],
  });
  const tokens = await project.umpire('run', './prose.yaml', 'x', '--max-tokens', '1000');
  expect({ exit: tokens.exit, waves: wavesRun(tokens.session) }).toEqual({ exit: 4, waves: ['A', 'B'] });
  expect(tokens.err).toContain('Budget exceeded: 1200 of 1000 tokens.');
  const wrong = await project.umpire('resolve', tokens.session, 'extend', '--reason', 'fine', '--minutes', '5');
  expect({ exit: wrong.exit, err: wrong.err }).toEqual({ exit: 2, err: expect.stringContaining('--tokens') });
  const more = await project.umpire('resolve', tokens.session, 'extend', '--reason', 'fine', '--tokens', '1000');
  expect({ exit: more.exit, waves: wavesRun(tokens.session) }).toEqual({ exit: 0, waves: ['A', 'B', 'C'] });
  const cost = await project.umpire('run', './prose.yaml', 'x', '--max-cost-usd', '0.4');
  expect({ exit: cost.exit, waves: wavesRun(cost.session) }).toEqual({ exit: 4, waves: ['A'] });
  expect(cost.err).toContain('Budget exceeded: $0.40 of $0.40.');
  const paid = await project.umpire('resolve', cost.session, 'extend', '--reason', 'fine', '--cost-usd', '5');
  expect({ exit: paid.exit, end: endOf(cost.session) }).toEqual({ exit: 0, end: 'complete unverified' });
  const { out } = await project.umpire('status', cost.session);
  expect(out).toContain('$1.20');
});

it('counts the usage of an agent that was stopped', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }, { id: 'B', deps: ['A'] }] }) });
  const spend = `trap 'echo "{\\"usage\\":{\\"tokens\\":600,\\"cost_usd\\":0.4}}"; exit 1' TERM`;
  const agent = project.sh(`if [ "$attempt" = 1 ]; then ${spend}; until_file "$beside/never"; fi; complete "at last"`);
  const limits = ['--max-minutes', '0.05', '--max-tokens', '500'];
  const { exit, session } = await project.umpire('run', './prose.yaml', 'x', ...agent, ...limits);
  expect({ exit, stopped: eventsOfType(session, 'TaskInterrupted') }).toMatchObject({ exit: 4, stopped: [{ usage: { tokens: 600 } }] });
  expect((await project.umpire('status', session)).out).toMatch(/spent .*600 tokens of 500 tokens, \$0\.40/);
  expect((await project.umpire('report', session)).out).toMatch(/stopped after .*600 tokens, \$0\.40/);
  const more = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--minutes', '5');
  expect({ exit: more.exit, waves: wavesRun(session) }).toEqual({ exit: 4, waves: ['A'] });
  expect(more.err).toContain('Budget exceeded: 600 of 500 tokens.');
});

it('stops running tasks when the minutes are used up, and runs them again when more are granted', SOAK, async () => {
  const project = makeProject({ files: proseFiles({ tasks: [{ id: 'A' }] }) });
  const agent = project.sh('[ "$attempt" = 1 ] && until_file "$beside/never"; complete "at last"');
  const { exit, err, session } = await project.umpire('run', './prose.yaml', 'x', ...agent, '--max-minutes', '0.05');
  expect({ exit, stopped: eventsOfType(session, 'TaskInterrupted').map(({ task }) => task) }).toEqual({ exit: 4, stopped: ['A'] });
  expect(err).toContain('minutes');
  const more = await project.umpire('resolve', session, 'extend', '--reason', 'fine', '--minutes', '5');
  expect({ exit: more.exit, attempts: eventsOfType(session, 'TaskStarted').map(({ attempt }) => attempt), end: endOf(session) }).toEqual({
    exit: 0,
    attempts: [1, 2],
    end: 'complete unverified',
  });
});

it('lets an interactive task ask a person, and gives it all questions and answers', SOAK, async () => {
  const project = makeProject({
    files: proseFiles({
      tasks: [{ id: 'TALK', exec_mode: 'interactive' }, { id: 'A' }, { id: 'B', deps: ['TALK', 'A'], context_from: ['TALK'] }],
    }),
  });
  const agent = project.sh(`
cp "$UMPIRE_TASK_FILE" "$beside/$id-$attempt.json"
[ "$id" = TALK ] || { complete "$id"; exit; }
case $attempt in
  1) printf '{"id":"TALK","question":"Which bank?"}' > "$UMPIRE_RESULT_FILE" ;;
  2) printf '{"id":"TALK","question":"Since when?"}' > "$UMPIRE_RESULT_FILE" ;;
  *) complete "asked twice" ;;
esac
`);
  const { exit, err, session } = await project.umpire('run', './prose.yaml', 'x', ...agent);
  expect({ exit, standing: standingOf(session) }).toEqual({ exit: 4, standing: ['TALK pending', 'A completed', 'B pending'] });
  expect(err).toContain('TALK asks: Which bank?');
  expect(await standing(project, session)).toMatchObject({
    state: 'awaiting',
    question: { kind: 'question', task: 'TALK', detail: 'Which bank?' },
  });
  expect(jsonOf(session, 'interactive', 'TALK-result.json')).toMatchObject({ id: 'TALK', turns: [{ from: 'agent', text: 'Which bank?' }] });
  const mute = await project.umpire('resolve', session, 'answer');
  expect({ exit: mute.exit, err: mute.err }).toEqual({ exit: 2, err: expect.stringContaining('answer needs --reason') });
  const first = await project.umpire('resolve', session, 'answer', '--reason', 'the one with the red door');
  expect({ exit: first.exit, err: first.err }).toEqual({ exit: 4, err: expect.stringContaining('Since when?') });
  const second = await project.umpire('resolve', session, 'answer', '--reason', 'since May');
  expect({ exit: second.exit, standing: standingOf(session) }).toEqual({
    exit: 0,
    standing: ['TALK completed', 'A completed', 'B completed'],
  });
  const turns = [
    { from: 'agent', text: 'Which bank?' },
    { from: 'person', text: 'the one with the red door' },
    { from: 'agent', text: 'Since when?' },
    { from: 'person', text: 'since May' },
  ];
  expect(jsonOf(project.beside, 'TALK-3.json')['turns']).toEqual(turns);
  expect(jsonOf(session, 'interactive', 'TALK-result.json')).toEqual({
    id: 'TALK',
    status: 'completed',
    findings: 'asked twice',
    error: '',
    turns,
  });
  expect(jsonOf(project.beside, 'B-1.json')['prev_context']).toBe('TALK: asked twice');
});

it('keeps the limits of a session that `run` names again, unless a flag changes them', SOAK, async () => {
  const project = makeProject({
    files: proseFiles({
      tasks: [
        { id: 'A', approve: true },
        { id: 'B', deps: ['A'] },
      ],
    }),
  });
  const words = ['run', './prose.yaml', 'a book', '--session', '.umpire/sessions/s', ...project.sh('complete done')];
  await project.umpire(...words, '--max-tokens', '100', '--max-cost-usd', '2', '--strict');
  await project.umpire(...words, '--max-cost-usd', '3');
  const { settings } = eventsOfType(join(project.root, '.umpire/sessions/s'), 'RunBegun').at(-1) ?? {};
  expect(settings).toMatchObject({ maxTokens: 100, maxCostUsd: 3, strict: true });
});

const PASSED = ['until', 'true', 'mend it', '--session', '.umpire/sessions/s'];

it.each([
  ['another command', ['until', 'false', 'mend it', ...PASSED.slice(3)], 'its command is "true"'],
  ['another goal', ['until', 'true', 'mend all', ...PASSED.slice(3)], 'its goal is "mend it"'],
  ['another mode', [...PASSED, '--mode', 'work-first'], 'its mode is check-first'],
  ['another report', [...PASSED, '--report', 'x.sarif'], 'its report is ""'],
  ['another loop', ['run', 'debt', ...PASSED.slice(2)], 'it runs the until loop'],
])('refuses `run` on a finished session if %s is asked for', SOAK, async (_, asked, detail) => {
  const project = makeProject({});
  const agent = project.sh('complete done');
  const first = await project.umpire(...PASSED, ...agent);
  const again = await project.umpire(...PASSED, ...agent);
  const other = await project.umpire(...asked, ...agent);
  expect([first.exit, again.exit, other.exit]).toEqual([0, 0, 2]);
  expect(again.err).toContain('The session has ended: complete');
  expect(other.err).toContain(`Session s was started for something else: ${detail}.`);
});

it('continues a session with its own agents if `run` names none', SOAK, async () => {
  const project = makeProject({});
  const words = ['until', 'test -e made', 'mend it', '--session', '.umpire/sessions/s', '--max-rounds', '1'];
  const first = await project.umpire(...words, ...project.sh('complete nothing'));
  project.sh('echo x > made\ncomplete done');
  const again = await project.umpire(...words.slice(0, 5), '--max-rounds', '3');
  expect([first.exit, again.exit, again.err]).toEqual([4, 0, expect.not.stringContaining('No agent chosen')]);
  // A session that never started has no agents to remember.
  expect((await project.umpire(...words.slice(0, 4), '.umpire/sessions/t')).err).toContain('No agent chosen for the role worker');
});
