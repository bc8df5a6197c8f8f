// One task at work, in a workspace that only remembers what was asked of it: what an attempt begins with after a crash.

import { expect, it } from 'vitest';
import { begun, row } from '../../../../test/support/session-events.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { NEW_SESSION, evolve } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { NO_USAGE, type Agent, type Workspace } from '@umpire/core/model/ports.js';
import { runTask, sanitizeEnding, withBreaches } from './run-task.js';
import type { Event } from '@umpire/core/decider/events.js';
import type { RunPorts } from './run-ports.js';
import type { Ending } from '@umpire/core/model/ports.js';

function workspaceWith(left: string | null, asked: string[]): Workspace {
  return {
    lend: (task: string, attempt: number, kept: string | null) => {
      asked.push(`lend ${task}-${attempt} from ${kept}`);
      return Promise.resolve('/work');
    },
    keep: (task: string, attempt: number) => {
      asked.push(`keep ${task}-${attempt}`);
      return left === null
        ? Promise.reject(new UmpireError('worktree-lost', { task, attempt }))
        : Promise.resolve({ commit: left, files: ['a.txt'] });
    },
    giveBack: (task: string, attempt: number) => Promise.resolve(void asked.push(`give back ${task}-${attempt}`)),
    submit: () => Promise.resolve(null),
  } as unknown as Workspace;
}

/** The second attempt of a task whose first was cut off. */
async function again(
  isPerson: boolean,
  left: string | null,
  submit?: Workspace['submit'],
  stop = new AbortController(),
  ending: Ending = { kind: 'completed', findings: '', error: '', outputs: {}, usage: NO_USAGE },
  state = told({ ...NEW_SESSION }, begun([row('DEV-001', 'developer')], { writers: ['developer'] })),
): Promise<{
  readonly asked: readonly string[];
  readonly rules: string;
  readonly events: readonly Event[];
  readonly state: SessionState;
}> {
  const asked: string[] = [];
  let rules = '';
  const agent: Agent = {
    name: 'me',
    isPerson,
    run: (assignment) => {
      rules = assignment.rules.join('\n');
      return Promise.resolve(ending);
    },
  };
  const ports = {
    session: '/session',
    journal: { state },
    files: { roleText: () => '', logFor: () => () => undefined },
    takeEvidence: () => null,
    workspace: { ...workspaceWith(left, asked), ...(submit === undefined ? {} : { submit }) },
  } as unknown as RunPorts;
  const task = (state.run as RunState).tasks[0] as TaskState;
  const events = await runTask(ports, { task, attempt: 2, agent, conversation: null, stop: stop.signal });
  return { asked, rules, events, state };
}

function told(state: SessionState, events: readonly Event[]): SessionState {
  return events.reduce<SessionState>(
    (before, event) => evolve(before, { ...event, seq: before.events + 1, ts: '2026-03-01T10:00:00Z' }),
    state,
  );
}

const TOLD = 'The working folder contains the changes of an earlier attempt.';

it('runs again where the run was stopped while its work was inspected', async () => {
  const stop = new AbortController();
  const submit: Workspace['submit'] = (task) => {
    stop.abort('Ctrl-C');
    return Promise.reject(new UmpireError('retrial-stopped', { task }));
  };
  expect((await again(false, null, submit, stop)).events).toMatchObject([{ type: 'TaskInterrupted', data: { why: 'Ctrl-C' } }]);
});

it('a person who was cut off goes on with what they left', async () => {
  const { asked, rules } = await again(true, 'c1');
  expect(asked).toEqual(['keep DEV-001-1', 'lend DEV-001-2 from c1', 'give back DEV-001-1', 'give back DEV-001-2']);
  expect(rules).toContain(TOLD);
});

it('a person of whose work nothing lies there begins anew', async () => {
  const { asked, rules } = await again(true, null);
  expect(asked).toEqual(['keep DEV-001-1', 'lend DEV-001-2 from null', 'give back DEV-001-2']);
  expect(rules).not.toContain(TOLD);
});

it('a program begins anew, whatever lies there', async () => {
  const { asked } = await again(false, 'c1');
  expect(asked).toEqual(['lend DEV-001-2 from null', 'give back DEV-001-2']);
});

it('A10: lost work takes its conversation with it, and the next attempt hears of both', async () => {
  const ending: Ending = { kind: 'broken', reason: 'timed out after 60 seconds', usage: NO_USAGE, cutOff: true, conversation: 'talk-1' };
  const { events, state } = await again(false, null, undefined, undefined, ending);
  expect(events).toMatchObject([{ type: 'TaskInterrupted', data: { cutOff: true, lost: true } }]);
  expect(events[0]?.data).not.toHaveProperty('conversation');
  const { rules } = await again(false, null, undefined, undefined, undefined, told(state, events));
  expect(rules).toContain(
    'What an earlier attempt changed could not be kept: it is not in the working folder, and its conversation does not go on. Do it anew. It was stopped before it was done: timed out after 60 seconds',
  );
});

const DONE: Ending = {
  kind: 'completed',
  findings: 'Did it.',
  error: '',
  outputs: { review_score: '9' },
  usage: { tokens: 5, costUsd: 0.5 },
};

function check(ending: Ending, expected: Ending): void {
  expect(sanitizeEnding(ending, ['review_score', 'gc_signal'])).toStrictEqual(expected);
}

it('leaves a proper ending as it is', () => {
  check(DONE, DONE);
  check({ kind: 'interrupted' }, { kind: 'interrupted' });
});

it("takes the loop's own columns, and no cell that says what the task is", () => {
  const outputs = { review_score: '9', id: 'OTHER', description: '', sprint_num: '2', ['__proto__']: 'x' };
  check({ ...DONE, outputs }, DONE);
});

it('takes numbers that are numbers', () => {
  const free = { tokens: 0, costUsd: 0 };
  check({ ...DONE, usage: { tokens: Number.NaN, costUsd: -3 } }, { ...DONE, usage: free });
  check(
    { kind: 'broken', reason: 'It broke.', usage: { tokens: -0, costUsd: Infinity } },
    { kind: 'broken', reason: 'It broke.', usage: free },
  );
  check({ kind: 'interrupted', usage: { tokens: 7, costUsd: Number.NaN } }, { kind: 'interrupted', usage: { tokens: 7, costUsd: 0 } });
});

it('cuts text that is too long, and leaves no half character', () => {
  const long = sanitizeEnding({ ...DONE, findings: `${'x'.repeat(499)}\u{1f600}` }, []);
  expect(long).toMatchObject({ findings: `${'x'.repeat(499)}\ufffd` });
  check(
    { kind: 'asked', question: 'Which\ud800?', usage: { tokens: 1, costUsd: 0 } },
    { kind: 'asked', question: 'Which\ufffd?', usage: { tokens: 1, costUsd: 0 } },
  );
});

it('names reverted and kept breaches apart, before what the agent says, and leaves notes to the session', () => {
  const at = { file: 'a.test.ts', line: 1, message: '' };
  const { findings } = withBreaches(
    { task: 'W', attempt: 1, status: 'completed', findings: 'done', error: '', outputs: {}, usage: NO_USAGE },
    [
      { ...at, rule: 'test-skipped', taken: 'hunk' },
      { ...at, rule: 'test-deleted', taken: null },
      { ...at, rule: 'rebaselined', taken: null, level: 'note' },
    ],
  );
  expect(findings).toBe('The guard reverted: test-skipped at a.test.ts:1. The guard found and kept: test-deleted at a.test.ts:1. done');
});
