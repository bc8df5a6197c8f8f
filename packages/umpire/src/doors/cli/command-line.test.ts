// A command line run in this process: the texts and the exit status it ends with.

import { describe, expect, it } from 'vitest';
import { runCommandLine } from './command-line.js';

describe('runCommandLine', () => {
  it('prints the help and succeeds', async () => {
    const { stdout = '', exit } = await runCommandLine(['help', 'decide']);
    expect(stdout).toContain('umpire decide');
    expect(exit).toBe(0);
  });

  it('prints the help on stderr and exits with 2 if there is no command', async () => {
    const outcome = await runCommandLine([]);
    expect(outcome.stdout).toBeUndefined();
    expect(outcome.stderr).toContain('Usage: umpire <command>');
    expect(outcome.exit).toBe(2);
  });

  it('turns an error into a message, a hint and an exit status', async () => {
    const { stdout, stderr, exit } = await runCommandLine(['decde']);
    expect(stdout).toBeUndefined();
    expect(stderr).toMatch(/^umpire: .*decde.*decide/);
    expect(stderr?.trimEnd().split('\n')).toHaveLength(2);
    expect(exit).toBe(2);
  });

  it('prints an error as JSON too if --json was given', async () => {
    const { stdout = '', exit } = await runCommandLine(['decide', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } });
    expect(exit).toBe(2);
  });

  it('sends what a command writes while it runs to the given output', async () => {
    const written: string[] = [];
    const output = {
      write: (fd: 1 | 2, data: string | Uint8Array) => (written.push(`${fd} ${String(data)}`), null),
      writeProgress: () => {},
      isColored: () => false,
    };
    const { exit } = await runCommandLine(['until', 'npm', 'test', '--project', '/no/such/folder'], { output });
    expect(written).toEqual([expect.stringMatching(/^2 Note: .*umpire until "npm test"\n$/)]);
    expect(exit).not.toBe(0);
  });
});
