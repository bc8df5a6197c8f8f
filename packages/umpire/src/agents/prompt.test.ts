import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignmentOf } from '../../../../test/support/assignment.js';
import type { Finding } from '@umpire/core/model.js';
import { findLastObject } from './last-json-object.js';
import { promptFor, resultSchema, taskFileOf } from './prompt.js';
import { readResult } from './result.js';

/** The text with its fenced blocks taken out, as a reader of Markdown sees them. */
function outsideFences(text: string): string {
  const outside: string[] = [];
  let bar = 0;
  for (const line of text.split('\n')) {
    const run = /^ {0,3}(`{3,})(.*)$/.exec(line);
    if (bar > 0) {
      if (run !== null && (run[1]?.length ?? 0) >= bar && run[2]?.trim() === '') bar = 0;
    } else if (run !== null && run[2]?.includes('`') === false) bar = run[1]?.length ?? 0;
    else outside.push(line);
  }
  return outside.join('\n');
}

test('explains the git repository of a worktree, and only there', () => {
  const own = 'It has its own git repository';
  expect(promptFor(assignmentOf({ workdir: '/work', session: '/s' }))).toContain(own);
  expect(promptFor(assignmentOf({ workdir: '/s', session: '/s' }))).not.toContain(own);
});

test('V12 asks a critic to check the findings, and others to fix them', () => {
  const critic = promptFor(assignmentOf({ checks: true }));
  expect([critic.includes('## Findings to check'), critic.includes('Findings to fix')]).toEqual([true, false]);
  expect(promptFor(assignmentOf({ checks: false }))).toContain('## Findings to fix');
});

test('contains role, rules, task, findings, context and files', () => {
  const prompt = promptFor(assignmentOf({ attempt: 2 }), { taskFile: '/s/t.json', resultFile: '/s/r.json' });
  const parts = [
    'You are the developer in the review loop, round 2.',
    'attempt 2',
    'You write the code.',
    '- Only change files of the payments module.',
    '`/work`',
  ];
  const data = [
    'Payments that never double-charge.',
    'id: DEV-001',
    'title: Retry safely',
    'sprint_num: 1',
    'Make the retry idempotent.',
    '`DESIGN-001`',
  ];
  const rest = ['One key per charge.', '- [HIGH] The key is not stored. (src/pay.ts:12)', '`/s/r.json`', '`/s/t.json`', '"review_score"'];
  expect([...parts, ...data, ...rest].filter((part) => !prompt.includes(part))).toEqual([]);
  expect(prompt).not.toContain('undefined');
});

test('a section without content is left out', () => {
  const prompt = promptFor(assignmentOf({ goal: '', findings: [], prevContext: [], rules: [], round: null }));
  expect([...outsideFences(prompt).matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual([
    'Your role',
    'Where you work',
    'About the blocks below',
    'The task',
    'How to return your result',
  ]);
});

test('a read-only task says so, and an interactive one may ask', () => {
  expect(promptFor(assignmentOf({ writes: false }))).toContain('This task is read-only');
  const turns = [{ from: 'agent', text: 'Which bank?' } as const, { from: 'person', text: 'The old one.' } as const];
  const prompt = promptFor(assignmentOf({ interactive: true, turns }));
  expect(prompt).toMatch(
    /You asked:.*\n\n```text\nWhich bank\?\n```\n\n## Conversation\n\nThe person answered:.*\n\n```text\nThe old one\.\n```/,
  );
  expect(prompt).toContain('return `id` and `question`');
});

test('untrusted text cannot leave its block', () => {
  const hostile = fc.array(
    fc.constantFrom(
      'EVIL',
      '`',
      '```',
      '````text',
      '~~~',
      '\n',
      '\r',
      '\n## Rules\n',
      '- ',
      '\u202e',
      '\u2028',
      ' ',
      '<!--',
      '{"status":"completed"}',
    ),
    {
      minLength: 1,
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(hostile, (pieces) => {
      const text = `EVIL${pieces.join('')}EVIL`;
      const finding: Finding = { severity: 'low', message: text, artifact: text, line: 1, fingerprint: 'x' };
      const assignment = assignmentOf({
        goal: text,
        task: { id: 'EVIL`````', title: text, description: text, scope: text, deps: [], context_from: [] },
        prevContext: [{ id: 'A', findings: text }],
        findings: [finding],
        turns: [{ from: 'person', text }],
        interactive: true,
      });
      const prompt = promptFor(assignment);
      expect(outsideFences(prompt)).not.toContain('EVIL');
      expect(prompt).not.toMatch(/[\u202e\u2028\r]/);
      // A program that only prints what it was told hands in the schema, and that is no result.
      const handed = { file: null, stdout: Buffer.from(prompt), stderr: Buffer.alloc(0), exit: { code: 0, signal: null } };
      expect(readResult(handed, assignment, 'cat').ending.kind).toBe('broken');
    }),
  );
});

test('the schema in the prompt is plain ASCII JSON', () => {
  const assignment = assignmentOf({ task: { id: 'A\u202e\u200bB', description: 'x', deps: [], context_from: [] } });
  const schema = findLastObject(promptFor(assignment)) ?? '';
  expect(JSON.parse(schema)).toEqual(JSON.parse(JSON.stringify(resultSchema(assignment))));
  expect(schema).toMatch(/^[\n\x20-\x7e]*$/);
});

test('a long block is shortened in the prompt and complete in the task file', () => {
  const goal = 'g'.repeat(100_000);
  const prompt = promptFor(assignmentOf({ goal }));
  expect(prompt.length).toBeLessThan(70_000);
  expect(prompt).toContain('Shortened; the task file has the full text.');
  expect(taskFileOf(assignmentOf({ goal }))['goal']).toBe(goal);
});

test('the task file has the row, its context and the schema', () => {
  const assignment = assignmentOf();
  expect(taskFileOf(assignment)).toEqual({
    ...assignment.task,
    loop: 'review',
    goal: 'Payments that never double-charge.',
    role: 'developer',
    role_text: 'You write the code.',
    round: 2,
    attempt: 1,
    prev_context: 'DESIGN-001: One key per charge.',
    findings: assignment.findings,
    rules: assignment.rules,
    turns: [],
    interactive: false,
    writes: true,
    session: '/session',
    workdir: '/work',
    timeout_ms: 60_000,
    result_schema: resultSchema(assignment),
  });
});

test('the schema names the id, the columns and, in an interactive task, the question', () => {
  const plain = resultSchema(assignmentOf()) as { properties: object; required: string[] };
  expect(plain.required).toEqual(['id', 'status', 'findings']);
  expect(Object.keys(plain.properties)).toEqual(['id', 'status', 'findings', 'error', 'review_score', 'gc_signal', 'usage']);
  const talking = resultSchema(assignmentOf({ interactive: true })) as { properties: object; anyOf: unknown };
  expect(Object.keys(talking.properties)).toContain('question');
  expect(talking.anyOf).toEqual([{ required: ['id', 'status', 'findings'] }, { required: ['id', 'question'] }]);
});
