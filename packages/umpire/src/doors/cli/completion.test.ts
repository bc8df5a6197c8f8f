import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { runComplete, runCompletion } from './completion.js';

const project = mkdtempSync(join(tmpdir(), 'umpire-complete-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));
for (const name of ['review-login', 'x$(touch evil)']) {
  const session = join(project, '.umpire', 'sessions', name);
  mkdirSync(session, { recursive: true });
  writeFileSync(join(session, 'tasks.csv'), 'id\n');
}

function complete(...words: readonly string[]): readonly string[] {
  return (runComplete(['--', ...words]).stdout ?? '').split('\n').filter((word) => word !== '');
}

it.each([
  [['res'], ['resume', 'resolve']],
  [['run', 'deb'], ['debt']],
  [['run', '--agent', 'codex', 'deb'], ['debt']],
  [
    ['run', '--agent', 'gem'],
    ['gemini', 'gemini-acp'],
  ],
  [['run', 'testing', '--max-m'], ['--max-minutes']],
  [['run', '--max-minutes', ''], []],
  [['logs', '--fo'], ['--follow']],
  [
    ['status', '--color', 'a'],
    ['auto', 'always'],
  ],
  [['resolve', 'x', 'ab'], ['abort']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['help', 'gu'], ['guard']],
])('completes %j', (words, expected) => {
  expect(complete(...words)).toEqual(expected);
});

it('completes sessions, but no name that a shell would run', () => {
  expect(complete('status', '--project', project, '')).toEqual(['review-login']);
});

it('prints scripts that their shells can read', async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const { stdout = '' } = await runCompletion({ shell });
    const script = join(project, `completion.${shell}`);
    writeFileSync(script, stdout);
    const check = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
    // A shell that is not installed cannot check its script.
    expect([shell, check.error === undefined ? check.stderr : '']).toEqual([shell, '']);
    expect(stdout).toContain('umpire complete -- ');
  }
});
