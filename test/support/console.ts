// Runs the console examples of a page, one command after the other in one folder, and compares what each really prints.
// Of `umpire` the lines for people (stderr) are shown, of other commands their output.

import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** `folder` also gets the samples and the command. Returns how many commands were run. */
export function checkConsole(texts: readonly string[], folder: string): number {
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  symlinkSync(join(root, 'dist', 'umpire.cjs'), join(folder, 'umpire'));
  const commands = texts.flatMap((text) => text.split(/^\$ /m).slice(1));
  let status = 0;
  for (const command of commands) {
    const [line = '', ...shown] = command.trimEnd().split('\n');
    const result = spawnSync('sh', ['-c', line.replace('$?', String(status))], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    });
    status = result.status ?? 1;
    const printed = line.startsWith('umpire') ? result.stderr : result.stdout;
    expect({ line, printed: printed.trimEnd() }).toEqual({ line, printed: shown.join('\n') });
  }
  return commands.length;
}
