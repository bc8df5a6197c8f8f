import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { assignmentOf, newWatch, until } from '../../../../test/support/assignment.js';
import { NO_USAGE } from '@umpire/core/model/ports.js';
import type { Assignment, Ending } from '@umpire/core/model/ports.js';
import { personAgent } from './person-agent.js';

interface SessionFiles {
  readonly type: (text: string) => void;
  readonly end: () => void;
  readonly said: () => string;
  readonly run: (changes?: Partial<Assignment>, watch?: ReturnType<typeof newWatch>) => Promise<Ending>;
}

function sitDown(present = true): SessionFiles {
  const input = new PassThrough();
  const output = new PassThrough();
  let said = '';
  output.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const agent = personAgent({ input, output, present });
  return {
    type: (text) => void input.write(text),
    end: () => void input.end(),
    said: () => said,
    run: (changes = {}, watch = newWatch()) => agent.run(assignmentOf(changes), watch),
  };
}

test('shows the task and reads the answers line by line', async () => {
  const { type, said, run } = sitDown();
  const watch = newWatch();
  const ending = run({ writes: false }, watch);
  for (const [question, answer] of [
    ['Status (completed or failed): ', 'perhaps'],
    ['Please answer with completed or failed.', 'completed'],
    ['Findings (a summary on one line): ', 'Gr\u00fc\u00dfe'],
    ['review_score (empty for none): ', '8\r'],
    ['gc_signal (empty for none): ', ''],
  ] as const) {
    expect(await until(() => said().includes(question))).toBe(true);
    type(`${answer}\n`);
  }
  expect(await ending).toEqual({
    kind: 'completed',
    findings: 'Gr\u00fc\u00dfe',
    error: '',
    outputs: { review_score: '8', gc_signal: '' },
    usage: NO_USAGE,
  });
  const told = [
    'Task DEV-001 (role developer, round 2): Retry safely',
    'Payments that never',
    'Make the retry idempotent.',
    'DESIGN-001: One key per charge.',
  ];
  const more = [
    '[HIGH] The key is not stored. (src/pay.ts:12)',
    '- Only change files',
    'Work in /work (read-only',
    'evidence to /session.',
  ];
  expect([...told, ...more].filter((part) => !said().includes(part))).toEqual([]);
  expect(watch.text()).toContain('Findings (a summary on one line): Gr\u00fc\u00dfe\n');
});

test('keeps lines typed ahead, and runs one task at a time', async () => {
  const { type, said, run } = sitDown();
  type('c\nfirst\n1\n\nf\nsecond\nno time\n\n');
  const endings = Promise.all([run(), run({ task: { id: 'DEV-002', description: 'x', deps: [], context_from: [] } })]);
  type('X\n');
  const [first, second] = await endings;
  expect(first).toMatchObject({ kind: 'completed', findings: 'first', outputs: { review_score: '1', gc_signal: '' } });
  expect(second).toMatchObject({ kind: 'failed', findings: 'second', error: 'no time', outputs: { review_score: '', gc_signal: 'X' } });
  expect(said().indexOf('Task DEV-002')).toBeGreaterThan(said().indexOf('gc_signal'));
});

test('lets a person ask a question in an interactive task', async () => {
  const { type, said, run } = sitDown();
  type('? Which bank?\n');
  const turns = [{ from: 'agent', text: 'Since when?' } as const, { from: 'person', text: 'May.' } as const];
  expect(await run({ interactive: true, turns })).toEqual({ kind: 'asked', question: 'Which bank?', usage: NO_USAGE });
  expect(said()).toMatch(/You asked: Since when\?\n {2}The answer was: May\./);
  type('? Which bank?\nf\n\n\n\n\n');
  expect((await run()).kind).toBe('failed');
});

test('shows control characters of a task as text', async () => {
  const { type, said, run } = sitDown();
  type('c\n\n\n\n');
  await run({ goal: 'a\u001b[2Jb\u202e' });
  expect(said()).toContain('a\\u001b[2Jb\\u202e');
});

test('breaks without a terminal or after the end of the input, and names the next command', async () => {
  expect(await sitDown(false).run()).toEqual({
    kind: 'broken',
    reason: 'The task "DEV-001" is for a person, but there is no terminal. Run this in a terminal: umpire resume --retry',
    usage: NO_USAGE,
  });
  const { type, end, run } = sitDown();
  type('c\n');
  end();
  const over = 'The input ended before the task was answered. Run this in a terminal: umpire resume --retry';
  expect(await run()).toEqual({ kind: 'broken', reason: over, usage: NO_USAGE });
  expect(await run()).toEqual({ kind: 'broken', reason: over, usage: NO_USAGE });
});

test('stops asking when the run is stopped, also for waiting tasks', async () => {
  const { said, run } = sitDown();
  const watch = newWatch();
  const endings = Promise.all([run({}, watch), run({}, watch)]);
  expect(await until(() => said().includes('Status'))).toBe(true);
  watch.stop();
  expect(await endings).toEqual([{ kind: 'interrupted' }, { kind: 'interrupted' }]);
});
